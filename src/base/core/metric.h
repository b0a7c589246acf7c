/* src/base/core/metric.h - one row per number that a run can give, as core/param.h has one per key that it takes. The
 * same row feeds the table, the JSON and its schema, result files, comparisons, experiments, reports, `weir list
 * metrics`, `weir help`, doc/results.md, and the numbers in which engine and oracle have to agree. So a number is
 * described once. The tables: measure/metrics.c, solve/compare_metrics.c, the counters of switch features
 * (core/feature_counter.h). */
#ifndef WEIR_CORE_METRIC_H
#define WEIR_CORE_METRIC_H
#include "core/assert.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_metric_type {
    WEIR_METRIC_U64, /* a whole number, shown divided by 10^digits */
    WEIR_METRIC_U32, /* likewise */
    WEIR_METRIC_BOOL,
    WEIR_METRIC_REAL, /* a double; an infinity = there is none */
};

enum weir_metric_unit { /* of the number as it is shown */
                        WEIR_METRIC_COUNT,
                        WEIR_METRIC_RATIO,
                        WEIR_METRIC_BYTES,
                        WEIR_METRIC_SECONDS,
                        WEIR_METRIC_MICROSECONDS,
                        WEIR_METRIC_GBPS,
                        WEIR_METRIC_PER_SECOND,
                        WEIR_METRIC_FLAG, /* true or false; 1 or 0 where numbers are asked for */
                        WEIR_METRIC_UNITS
};

enum weir_metric_better { WEIR_METRIC_NEITHER, WEIR_METRIC_LEAST, WEIR_METRIC_GREATEST };

struct weir_metric {
    const char *name;    /* as in JSON, where a dot enters an object: "tor_queue_bytes.p99"; NULL ends a table */
    const char *title;   /* in sentences and over columns: "p99 slowdown of group A" */
    const char *text;    /* one sentence: what is counted, over what; NULL = the title is all */
    const char *source;  /* where it is defined: a page and its section, or a paper; NULL = here */
    const char *head[2]; /* over a column of a comparison, in two lines; NULL = made of the name */
    const char *line;    /* the line of the table that it stands on; NULL = on none, or in a place of its own */
    const char *phrase;  /* what follows the number there */
    /* Both get the struct that the row is of. Where a number does not apply, null stands in its place. */
    bool (*applies)(const void *of);   /* NULL = always */
    uint64_t (*value)(const void *of); /* NULL = the field at offset; called only where it applies */
    uint32_t offset;
    uint32_t needs;             /* offset of a uint64_t: the number applies where that is above 0; 0 = whatever it is */
    uint8_t digits;             /* decimals of a whole number: 9 of bit/s shown in Gbps */
    enum weir_metric_type type; /* U64 where there is a function */
    enum weir_metric_unit unit; /* of what is shown */
    enum weir_metric_better better; /* which of two runs is better by it */
    bool of_machine; /* says how the run was computed: differs between machines, engines, numbers of threads */
    bool of_end;     /* grows with the length of a run that is not stable */
};

/* Asks whether the row has a number in `of`. */
static inline bool weir_metric_applies(const struct weir_metric *row, const void *of)
{
    const char *needed = (const char *)of + row->needs;
    return (row->applies == NULL || row->applies(of)) &&
           (row->needs == 0 || *(const uint64_t *)(const void *)needed > 0);
}

/* Returns the row's number before division by 10^digits; of a flag 1 or 0. The row must apply and hold no REAL. */
static inline uint64_t weir_metric_whole(const struct weir_metric *row, const void *of)
{
    const char *field = (const char *)of + row->offset;
    WEIR_ASSERT(row->type != WEIR_METRIC_REAL);
    if (row->value != NULL)
        return row->value(of);
    if (row->type == WEIR_METRIC_U32)
        return *(const uint32_t *)(const void *)field;
    if (row->type == WEIR_METRIC_BOOL)
        return *(const bool *)(const void *)field;
    return *(const uint64_t *)(const void *)field;
}
#endif
