/* src/results/output/report.h - what was run and its result, as plain values: for the table and the JSON. */
#ifndef WEIR_OUTPUT_REPORT_H
#define WEIR_OUTPUT_REPORT_H
#include "core/param.h"
#include "measure/result.h"
#include "output/findings.h"
#include "solve/compare.h"
#include "text/json.h"
#include "topology/topology.h"
#include <stdio.h>

struct weir_report {
    const char *version, *commit; /* of Weir */
    const char *scenario;         /* its name */
    const char *protocol, *topology;
    const char *sizes_key; /* of a list of sizes among the protocol's keys, NULL = none; the list as the run used it: */
    struct weir_size_list sizes;
    uint64_t seed;
    uint64_t host_rate_bps, load_bps; /* per host; load: what the open-ended traffic asks for, 0 = a finite list */
    uint64_t listed_messages;         /* of incasts, permutations and flow lists */
    uint64_t bdp_bytes, base_rtt_ps;
    uint64_t warmup_ps;
    uint64_t group_edge[3]; /* bytes; see struct weir_recorder */
    const struct weir_result *result;
    const struct weir_findings *findings;
    const struct weir_compared *allocation; /* NULL = not asked for */
    const struct weir_topology *topo;       /* names ports that features counted something at; NULL = no names */
};

/**
 * Fills a report from the setup of a run and its result. Completes the findings; the allocation is the caller's to add.
 * @param findings  of before the run; lent like the rest for as long as the report is used
 */
void weir_report_make(struct weir_report *report, const struct weir_setup *setup, const struct weir_result *result,
                      struct weir_findings *findings);

/* Prints the table, at most 100 columns wide. */
void weir_report_table(FILE *out, const struct weir_report *r);

/* Prints the rows of slowdown by size group, for other commands, too. Needs group_edge and result->slowdown, and
 * ->unfinished to be 0 where no message is. */
void weir_report_slowdown(FILE *out, const struct weir_report *r);
/* Writes which sizes group 0 .. WEIR_GROUP_COUNT - 1 holds: "B  1,461 - 125,000 B". */
void weir_report_group(char *out, size_t size, const uint64_t edge[3], int group);
/* Keys of the groups in JSON: "all", "A", .. "D". */
extern const char *const weir_report_group_keys[WEIR_GROUP_COUNT];
/* Puts "slowdown" of all messages and of the groups, as in the JSON of a run; for other commands. */
void weir_report_json_slowdown(struct weir_json *json, const struct weir_result *result);

/* Prints one JSON object and a newline. Decimals are exact, what does not apply is null. Keys are stable: added to,
 * never renamed; what switch features counted is in `features.NAME`. */
void weir_report_json(FILE *out, const struct weir_report *r);

/* Prints the JSON Schema of that object, for every scenario. */
void weir_report_schema(FILE *out);
#endif
