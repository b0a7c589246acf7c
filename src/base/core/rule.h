/* src/base/core/rule.h - the rules of doc/model.md by which features decide what becomes of packets. */
#ifndef WEIR_CORE_RULE_H
#define WEIR_CORE_RULE_H
#include <stdint.h>

/* The fate of a packet, or of a class, that a rule decides. Results count each by cause. */
enum weir_fate {
    WEIR_FATE_DROPPED,
    WEIR_FATE_LOST, /* on the wire */
    WEIR_FATE_MARKED,
    WEIR_FATE_UNMARKED, /* it was to be marked, and a hook took the mark */
    WEIR_FATE_DEFLECTED,
    WEIR_FATE_PAUSED, /* a class, by a frame for the other end of a cable */
    WEIR_FATES
};

/* A rule of doc/model.md by which a feature decides a fate: a cause, "shared-buffer.alpha". A rule that decides two has
 * two rows. */
struct weir_rule {
    const char *name;      /* as in results, behind the feature's and a dot */
    const char *paragraph; /* of doc/model.md: "join.limits" */
    enum weir_fate fate;
};

/* A rule in the answer of a hook: its index in the row's rules. */
#define WEIR_RULE_SHIFT 16u
#define WEIR_RULE(index) ((uint32_t)(index) << WEIR_RULE_SHIFT)
#endif
