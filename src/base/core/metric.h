/* src/base/core/metric.h - metrics: one row describes one number in the results of a run.
 * The same row feeds the table, the JSON and its schema, result files, comparisons, experiments, reports, `weir list
 * metrics`, `weir help` and doc/results.md. Engine and oracle must give the same value of every metric but those with
 * of_machine. The tables of rows are measure/metrics.c, solve/compare_metrics.c and the counters of switch features
 * (core/feature_counter.h). */
#ifndef WEIR_CORE_METRIC_H
#define WEIR_CORE_METRIC_H
#include "core/assert.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum weir_metric_type {
    WEIR_METRIC_U64, /* uint64_t, shown divided by 10^digits */
    WEIR_METRIC_U32, /* uint32_t, shown divided by 10^digits */
    WEIR_METRIC_BOOL,
    WEIR_METRIC_REAL, /* double; an infinity = no value */
};

enum weir_metric_unit { /* unit of the number as it is shown */
                        WEIR_METRIC_COUNT,
                        WEIR_METRIC_RATIO,
                        WEIR_METRIC_BYTES,
                        WEIR_METRIC_SECONDS,
                        WEIR_METRIC_MICROSECONDS,
                        WEIR_METRIC_GBPS,
                        WEIR_METRIC_GBYTES_PER_SECOND, /* 10^9 bytes per second, as nccl-tests print */
                        WEIR_METRIC_PER_SECOND,
                        WEIR_METRIC_FLAG, /* true or false; 1 or 0 where a number is required */
                        WEIR_METRIC_UNITS
};

enum weir_metric_better { WEIR_METRIC_NEITHER, WEIR_METRIC_LEAST, WEIR_METRIC_GREATEST };

struct weir_metric {
    const char *name;    /* path in JSON, a dot per level: "tor_queue_bytes.p99"; NULL ends a table */
    const char *title;   /* in sentences and over columns: "p99 slowdown of group A" */
    const char *text;    /* one sentence: what is counted, over which set; NULL = the title suffices */
    const char *source;  /* definition: a page and its section, or a paper; NULL = `text` defines it */
    const char *head[2]; /* heading of a column in comparisons, two lines; NULL = derived from the name */
    const char *line;    /* label of the line of the summary that shows the number; NULL = no such line */
    const char *phrase;  /* text behind the number on that line */
    /* `of` points to the struct that the table of rows describes. If a metric does not apply, null is shown instead. */
    bool (*applies)(const void *of);   /* NULL = always */
    uint64_t (*value)(const void *of); /* NULL = read the field at offset; called only if the metric applies */
    uint32_t offset;
    uint32_t needs;                 /* offset of a uint64_t that must be above 0 for the metric to apply; 0 = no such
                                       condition */
    uint8_t digits;                 /* decimals of a whole number: 9 for bit/s shown in Gbps */
    enum weir_metric_type type;     /* U64 if value is set */
    enum weir_metric_unit unit;     /* of the number as it is shown */
    enum weir_metric_better better; /* whether the smaller or the greater of two values is better */
    bool of_machine;                /* about the computation: differs between machines, engines and thread counts */
    bool of_end;                    /* grows with the length of an unstable run */
    bool line_above_0;              /* the line shows the number only if it is above 0 */
    bool of_exact;                  /* runs with statistics: sampled do not have it */
};

/* Tests whether the metric applies to the struct `of`. */
static inline bool weir_metric_applies(const struct weir_metric *row, const void *of)
{
    const char *needed = (const char *)of + row->needs;
    return (row->applies == NULL || row->applies(of)) &&
           (row->needs == 0 || *(const uint64_t *)(const void *)needed > 0);
}

/* Returns the value of a metric before division by 10^digits; 1 or 0 for a BOOL. The metric must apply to `of` and must
 * not be a REAL. */
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
