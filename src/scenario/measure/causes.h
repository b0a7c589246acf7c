/* src/scenario/measure/causes.h - what became of packets, by cause: a count for each rule that decides a fate in a run.
 * Drops and losses are counted by what was lost and in which class, all others as a number. */
#ifndef WEIR_MEASURE_CAUSES_H
#define WEIR_MEASURE_CAUSES_H
#include "core/cause.h"
#include "core/pkt.h"
#include "core/rule.h"

enum weir_lost_kind {
    WEIR_LOST_DATA,
    WEIR_LOST_ACK,     /* ACK, REPLY and DONE */
    WEIR_LOST_CREDIT,  /* CREDIT, and CONTROL that is credit: weir_credit_ops.credit_kinds */
    WEIR_LOST_CONTROL, /* all others: what opens, announces, steers or cancels */
    WEIR_LOST_KINDS
};
extern const char *const weir_lost_keys[WEIR_LOST_KINDS]; /* "data", .. */

/* Returns what a packet is counted as when it is lost. credit_kinds: of the protocol's row; 0 = it has none */
enum weir_lost_kind weir_lost_kind(const struct weir_pkt *pkt, uint32_t credit_kinds);

struct weir_cause { /* "shared-buffer.alpha" is rule "alpha" of feature "shared-buffer" */
    const char *feature;
    const struct weir_rule *rule;
};

/* Returns the cause of that number, 1 .. weir_features_cause(features, features->count) - 1. */
struct weir_cause weir_cause_of(const struct weir_features *features, uint32_t number);

/* Names of fates, as in "drops_by_cause"; and as in "dropped 12 packets". */
extern const char *const weir_fate_keys[WEIR_FATES], *const weir_fate_verbs[WEIR_FATES];

/* Tests whether packets of a fate are gone. */
static inline bool weir_fate_ends(enum weir_fate fate)
{
    return fate == WEIR_FATE_DROPPED || fate == WEIR_FATE_LOST;
}

struct weir_cause_count {
    struct weir_cause cause;
    uint64_t decided;                                 /* where packets are not gone: so often */
    uint64_t pkts[WEIR_LOST_KINDS][WEIR_CLASSES_MAX]; /* a packet's class is the port's last, where its own is higher */
};

struct weir_causes { /* of a run */
    uint32_t count;  /* of row[]; [0] is WEIR_CAUSE_NONE, and counts nothing */
    uint32_t classes;
    uint64_t *of_link; /* [link * count + cause]: packets; NULL = not requested */
    struct weir_cause_count row[];
};

/**
 * Makes the list of all causes that a run with these features can have, every count 0.
 * @param links  0 = not by link
 * @return NULL = no memory
 */
struct weir_causes *weir_causes_new(const struct weir_features *features, uint32_t classes, uint32_t links);
void weir_causes_free(struct weir_causes *causes); /* NULL is harmless */

/* Sums up the packets of one kind, of one class, or all that a cause has taken. */
uint64_t weir_cause_kind(const struct weir_cause_count *row, enum weir_lost_kind kind);
uint64_t weir_cause_class(const struct weir_cause_count *row, uint32_t class_id);
/* Returns how often a cause has applied, whatever its fate. */
uint64_t weir_cause_times(const struct weir_cause_count *row);

/* Sums up over all causes of one fate: packets of one kind that are gone; how often they applied. */
uint64_t weir_causes_kind(const struct weir_causes *causes, enum weir_fate fate, enum weir_lost_kind kind);
uint64_t weir_causes_times(const struct weir_causes *causes, enum weir_fate fate);
#endif
