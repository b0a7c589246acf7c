/* src/config/help.h - everything a scenario can name, from the same rows that read it. */
#ifndef WEIR_CONFIG_HELP_H
#define WEIR_CONFIG_HELP_H
#include "core/err.h"
#include <stdbool.h>
#include <stdio.h>

enum weir_help_form {
    WEIR_HELP_TERMINAL,
    WEIR_HELP_MARKDOWN, /* doc/scenario.md */
    WEIR_HELP_MANUAL,   /* the page weir-scenario(5), in mdoc */
};

/* The whole reference: every section, protocol and preset. */
void weir_help_scenario(FILE *out, enum weir_help_form form);

/**
 * Help for one name: a section ("fabric", "fabric.ecn"), a key ("load", "traffic.load", "dctcp.g"), a protocol, a
 * feature, a workload, a framing, a kind of topology or of traffic. A name that means several things gets them all.
 * @return false if nothing has that name: err then has one sentence, and the nearest name as hint
 */
bool weir_help_name(FILE *out, const char *name, struct weir_err *err);

/**
 * Lists what there is.
 * @param what             protocols | features | workloads | topologies | experiments
 * @param experiments_dir  folder whose subfolders with a .yaml are experiments; NULL = none known
 * @return false if `what` is none of these or the folder cannot be read, with err as above
 */
bool weir_list(FILE *out, const char *what, const char *experiments_dir, struct weir_err *err);
#endif
