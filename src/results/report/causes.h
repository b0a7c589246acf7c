/* src/results/report/causes.h - the causes of drops and losses in runs, as their result files have them: how many
 * packets of each kind a rule took, and why. The result files of an older Weir have no causes. */
#ifndef WEIR_REPORT_CAUSES_H
#define WEIR_REPORT_CAUSES_H
#include "measure/causes.h"
#include "report/sections.h"

enum { WEIR_CAUSE_NAME = 128 }; /* bytes of a name with its NUL; a longer one is cut */

struct weir_cause_line {
    char name[WEIR_CAUSE_NAME]; /* "switch.memory" */
    double pkts[WEIR_LOST_KINDS];
};

/* Reads the line at *at of a list of causes (runs.h), and moves *at behind it. Returns false at the end of the list. */
bool weir_cause_next(const char **at, struct weir_cause_line *line);

/* Returns why a rule drops or loses packets, to follow "because": "the memory of a switch was full". NULL = this Weir
 * has no such rule. name: "switch.memory" */
const char *weir_cause_reason(const char *name);

/* Returns what packets of a kind are called: "data", "ACKs", .. */
const char *weir_cause_kind_name(enum weir_lost_kind kind);

/* Writes a table of drops and losses: a row for each cause of each run of the group, with the packets by kind. Writes
 * nothing if no run has a cause. */
void weir_causes_section(FILE *out, const struct weir_group *group);
#endif
