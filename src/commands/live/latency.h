/* src/commands/live/latency.h - a distribution of latencies on a real network: counted, and printed. */
#ifndef WEIR_LIVE_LATENCY_H
#define WEIR_LIVE_LATENCY_H
#include "measure/histogram.h"
#include "text/schema.h"

struct weir_latency { /* 60 KB; zeroed = empty */
    struct weir_histogram ns;
    uint64_t sum_ns, min_ns; /* min_ns: undefined while empty */
};

void weir_latency_add(struct weir_latency *l, uint64_t ns);
void weir_latency_merge(struct weir_latency *l, const struct weir_latency *from);
/* Writes {"count", "mean", "min", "p50", "p90", "p99", "p999", "max"} in microseconds, all but the count null if the
 * distribution is empty. */
void weir_latency_json(struct weir_json *json, const char *key, const struct weir_latency *l);
/* Fields of that object, for a schema. */
extern const struct weir_schema weir_latency_fields[];
/* Prints the headings of the columns of a table, and ends the line. */
void weir_latency_heads(FILE *out);
/* Prints the row of a distribution in microseconds under these headings; "-" in each cell if it is empty. */
void weir_latency_row(FILE *out, const struct weir_latency *l);
#endif
