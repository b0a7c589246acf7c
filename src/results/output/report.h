/* src/results/output/report.h - the description and the result of a run as plain values, and their output as a table
 * and as JSON. */
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
    const char *sizes_key;       /* the protocol's key that is a list of sizes; NULL = it has none */
    struct weir_size_list sizes; /* value of sizes_key, as the run used it */
    uint64_t seed;
    uint64_t host_rate_bps, load_bps; /* per host; load_bps: offered by items that go on until the end; 0 = none */
    uint64_t listed_messages;         /* weir_workload.finite_messages, without replies */
    uint64_t bdp_bytes, base_rtt_ps;
    uint64_t warmup_ps;
    uint64_t group_edge[3];                  /* upper bounds of groups A, B and C, exclusive */
    const char *law_protocol[WEIR_LAWS_MAX]; /* of each law of result->law: its protocol, */
    uint32_t law_items[WEIR_LAWS_MAX];       /* and its traffic items, bit i for item i */
    const struct weir_result *result;
    const struct weir_findings *findings;
    const struct weir_compared *allocation; /* comparison with max-min shares; NULL = not requested */
    const struct weir_topology *topo;       /* for the names of ports at which features counted; NULL = no names */
};

/**
 * Fills a report from the setup of a run and its result, and adds the findings of the result to `findings`. Sets
 * report->allocation to NULL; the caller may set it afterwards. setup, result and findings must exist for as long as
 * the report is used.
 * @param findings  on entry the findings from before the run; weir_findings_result() adds the others
 */
void weir_report_make(struct weir_report *report, const struct weir_setup *setup, const struct weir_result *result,
                      struct weir_findings *findings);

/* Prints the report as a table, about 100 columns wide. */
void weir_report_table(FILE *out, const struct weir_report *r);

/* Prints the table of slowdown by size group; other commands use it, too. Reads only r->group_edge,
 * r->result->slowdown and r->result->unfinished.counted. */
void weir_report_slowdown(FILE *out, const struct weir_report *r);
/* Writes the range of message sizes of a group: "B  1,461 - 125,000 B"; "all" for WEIR_GROUP_ALL. edge: as
 * weir_report.group_edge. group: 0 .. WEIR_GROUP_COUNT - 1. */
void weir_report_group(char *out, size_t size, const uint64_t edge[3], int group);
/* Keys of the size groups in JSON: "all", "A", .. "D". */
extern const char *const weir_report_group_keys[WEIR_GROUP_COUNT];
/* Puts the members "slowdown" and "slowdown_payload" of the JSON of a run into the open JSON object. Each has the
 * slowdown of all messages and of each size group. Other commands use it, too. */
void weir_report_json_slowdown(struct weir_json *json, const struct weir_result *result);

/* Prints the report as one JSON object and a newline. Decimals are exact, but those of run.compare have six significant
 * digits. A value that does not apply is null. Keys are stable: new ones are added, none is renamed. The counters of a
 * switch feature are in `features.NAME`. */
void weir_report_json(FILE *out, const struct weir_report *r);

/* Prints the JSON Schema of the object that weir_report_json() prints. It covers every scenario. */
void weir_report_schema(FILE *out);
#endif
