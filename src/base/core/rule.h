/* src/base/core/rule.h - rules: why a feature drops, loses, marks, deflects or pauses. doc/model.md defines each. */
#ifndef WEIR_CORE_RULE_H
#define WEIR_CORE_RULE_H
#include <stdint.h>

/* The fate of a packet or of a class, as a rule decides it. Results count fates by cause. */
enum weir_fate {
    WEIR_FATE_DROPPED,
    WEIR_FATE_LOST, /* on the wire */
    WEIR_FATE_MARKED,
    WEIR_FATE_UNMARKED, /* a hook prevented a mark that another rule had decided */
    WEIR_FATE_DEFLECTED,
    WEIR_FATE_PAUSED, /* of a class: a control frame paused it at the other end of the cable */
    WEIR_FATES
};

/* A rule by which a feature decides a fate. In results it is a cause, such as "shared-buffer.alpha". A rule that
 * decides two kinds of fates has two rows. */
struct weir_rule {
    const char *name;      /* for example "alpha"; results print the feature's name and a dot before it */
    const char *paragraph; /* of doc/model.md: "join.limits" */
    enum weir_fate fate;
    const char *reason; /* to follow "because": "the memory of a switch was full"; NULL = none is known */
};

/* WEIR_RULE encodes a rule in the answer of a hook. index: position of the rule in weir_feature.rules */
#define WEIR_RULE_SHIFT 16u
#define WEIR_RULE(index) ((uint32_t)(index) << WEIR_RULE_SHIFT)
#endif
