/* src/base/core/feature_counter.h - numbers that a feature counts by port, and how results report them. */
#ifndef WEIR_CORE_FEATURE_COUNTER_H
#define WEIR_CORE_FEATURE_COUNTER_H
#include <stddef.h>
#include <stdint.h>

enum weir_count_how {
    WEIR_COUNT_SUM,     /* over the ports of the network */
    WEIR_COUNT_SUM_PS,  /* likewise, of times: a share of the run is reported, too */
    WEIR_COUNT_MOST_PS, /* the longest of times */
    WEIR_COUNT_RATIO,   /* a sum, by which that of the counter before it is divided */
};

/* The port that is named with a counter which is not 0: of several the one with the lowest link. */
enum weir_count_where {
    WEIR_COUNT_NOWHERE,
    WEIR_COUNT_AT_PORT,    /* of MOST the one that has it, else one that counted */
    WEIR_COUNT_AT_IN_LINK, /* the in-link of the same cable */
};

struct weir_feature_counter { /* reported by results */
    const char *name;         /* as in JSON: features.<feature>.<name> */
    const char *hint;         /* in the table, behind a number "dropped", before a time "paused"; NULL = not there */
    uint32_t offset;          /* of a uint64_t in the port's state */
    enum weir_count_how how;
    enum weir_count_where where;
};

/* A row of counters: a number, summed over ports. */
#define WEIR_COUNTER(type, field, key, text)                                                                           \
    {                                                                                                                  \
        .name = (key), .hint = (text), .offset = (uint32_t)offsetof(type, field)                                       \
    }

struct weir_feature_count { /* an entry of a run's result about one of them */
    const char *feature;
    const struct weir_feature_counter *counter;
    uint64_t value;
    uint64_t lanes;    /* parts of ports that times were added up over */
    uint32_t per_port; /* of them */
    uint32_t link;     /* UINT32_MAX = none */
};
#endif
