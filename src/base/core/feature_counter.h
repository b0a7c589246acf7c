/* src/base/core/feature_counter.h - counters of a switch feature: kept per port, combined over all ports in results. */
#ifndef WEIR_CORE_FEATURE_COUNTER_H
#define WEIR_CORE_FEATURE_COUNTER_H
#include <stddef.h>
#include <stdint.h>

enum weir_count_how {
    WEIR_COUNT_SUM,     /* sum over the ports of the network */
    WEIR_COUNT_SUM_PS,  /* sum of times in ps; results also report a share of the run */
    WEIR_COUNT_MOST_PS, /* the longest time of any port, in ps */
    WEIR_COUNT_RATIO,   /* a sum; results show the sum of the counter before it, divided by this sum */
};

/* The port that results name with a counter above 0. For WEIR_COUNT_MOST_PS: a port with the longest time. Otherwise:
 * of the ports whose counter is above 0, the one with the lowest link number. */
enum weir_count_where {
    WEIR_COUNT_NOWHERE,
    WEIR_COUNT_AT_PORT,    /* the egress port itself */
    WEIR_COUNT_AT_IN_LINK, /* the in-link of the port's cable */
};

struct weir_feature_counter { /* one counter of a feature */
    const char *name;         /* as in JSON: features.<feature>.<name> */
    /* Text in the table of results: after a number ("dropped"), before a time ("paused"). NULL = the table has no such
     * line */
    const char *hint;
    /* Of a sum: sentence of a finding, after the number, if the sum is above 0: what the run's numbers lack, and what
     * helps. NULL = the counter is no finding */
    const char *finding;
    uint32_t offset; /* of a uint64_t in the port's state */
    enum weir_count_how how;
    enum weir_count_where where;
};

/* Initialiser of a counter that is summed over ports. */
#define WEIR_COUNTER(type, field, key, text)                                                                           \
    {                                                                                                                  \
        .name = (key), .hint = (text), .offset = (uint32_t)offsetof(type, field)                                       \
    }

struct weir_feature_count { /* the result of a run for one counter */
    const char *feature;
    const struct weir_feature_counter *counter;
    uint64_t value;
    uint64_t lanes;    /* number of summands of a sum of times: ports at which the feature acts, times per_port */
    uint32_t per_port; /* parts (classes) of a port whose times are added: weir_feature_plan.lanes */
    uint32_t link;     /* link of the named port; UINT32_MAX = none */
};
#endif
