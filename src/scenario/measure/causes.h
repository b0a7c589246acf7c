/* src/scenario/measure/causes.h - the fates of packets by cause: a count for each rule that decides a fate in a run.
 * Drops and losses are counted by kind of packet and by class, all other fates as one number. */
#ifndef WEIR_MEASURE_CAUSES_H
#define WEIR_MEASURE_CAUSES_H
#include "core/cause.h"
#include "core/pkt.h"
#include "core/rule.h"

/* Kinds of packets, by which drops and losses are counted. */
enum weir_lost_kind {
    WEIR_LOST_DATA,
    WEIR_LOST_ACK,     /* ACK, REPLY and DONE */
    WEIR_LOST_CREDIT,  /* CREDIT, and CONTROL of the kinds in weir_credit_ops.credit_kinds */
    WEIR_LOST_CONTROL, /* all other packets: those that open, announce, steer or cancel */
    WEIR_LOST_KINDS
};
extern const char *const weir_lost_keys[WEIR_LOST_KINDS]; /* as in JSON: "data", .. */

/* Returns the kind under which a packet is counted when it is dropped or lost. credit_kinds: bits of the CONTROL kinds
 * that are credit, from the protocol's row; 0 = there are none */
enum weir_lost_kind weir_lost_kind(const struct weir_pkt *pkt, uint32_t credit_kinds);

struct weir_cause { /* a cause: "shared-buffer.alpha" is rule "alpha" of the feature "shared-buffer" */
    const char *feature;
    const struct weir_rule *rule;
    bool by_failure; /* a cable is down, or no way is left: no setting of switches or hosts keeps such packets */
};

/* Returns the cause with a number, 0 .. weir_features_cause(features, features->count) - 1. Number 0 is
 * WEIR_CAUSE_NONE. The names are lent by the features' rows. */
struct weir_cause weir_cause_of(const struct weir_features *features, uint32_t number);

/* Names of fates: keys as in "drops_by_cause", verbs as in "dropped 12 packets". */
extern const char *const weir_fate_keys[WEIR_FATES], *const weir_fate_verbs[WEIR_FATES];

/* Tests whether a fate ends the packet: dropped or lost. */
static inline bool weir_fate_ends(enum weir_fate fate)
{
    return fate == WEIR_FATE_DROPPED || fate == WEIR_FATE_LOST;
}

/* Counts of one cause in a run. */
struct weir_cause_count {
    struct weir_cause cause;
    uint64_t decided;                                 /* count of a cause whose fate does not end packets; else 0 */
    uint64_t pkts[WEIR_LOST_KINDS][WEIR_CLASSES_MAX]; /* dropped or lost; classes above the last count as the last */
};

struct weir_causes { /* counts by cause of a run */
    uint32_t count;  /* entries of row[], by number of the cause; row[0] is WEIR_CAUSE_NONE and stays 0 */
    uint32_t classes;
    uint64_t *of_link; /* [link * count + cause]: how often at each link; NULL = not requested */
    struct weir_cause_count row[];
};

/**
 * Makes a list of all causes that a run with these features can have, with all counts 0. The caller frees it by
 * weir_causes_free().
 * @param classes  per port, 1 .. WEIR_CLASSES_MAX
 * @param links  how many links to count by; 0 = of_link stays NULL
 * @return NULL = no memory
 */
struct weir_causes *weir_causes_new(const struct weir_features *features, uint32_t classes, uint32_t links);
void weir_causes_free(struct weir_causes *causes); /* causes: may be NULL */

/* Returns how many packets of one kind were dropped or lost by a cause, over all classes. */
uint64_t weir_cause_kind(const struct weir_cause_count *row, enum weir_lost_kind kind);
/* Returns how many packets of one class were dropped or lost by a cause, over all kinds. */
uint64_t weir_cause_class(const struct weir_cause_count *row, uint32_t class_id);
/* Returns how often a cause has applied, whichever fate it decides. */
uint64_t weir_cause_times(const struct weir_cause_count *row);

/* Returns how many packets of one kind had a fate, summed over its causes. fate: WEIR_FATE_DROPPED or WEIR_FATE_LOST */
uint64_t weir_causes_kind(const struct weir_causes *causes, enum weir_fate fate, enum weir_lost_kind kind);
/* Returns how often the causes of a fate have applied, all together. */
uint64_t weir_causes_times(const struct weir_causes *causes, enum weir_fate fate);
#endif
