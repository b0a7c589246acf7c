/* src/scenario/config/help.h - help on everything that a scenario can name. The texts come from the same rows that read
 * a scenario. */
#ifndef WEIR_CONFIG_HELP_H
#define WEIR_CONFIG_HELP_H
#include "core/err.h"
#include "param/suggest.h"
#include <stdbool.h>
#include <stdio.h>

/* Format of the printed text. */
enum weir_help_form {
    WEIR_HELP_TERMINAL,
    WEIR_HELP_MARKDOWN, /* for doc/scenario.md */
    WEIR_HELP_MANUAL,   /* for the manual page weir-scenario(5), in mdoc */
};

/* Prints the whole reference of scenario files: every section, protocol and preset. */
void weir_help_scenario(FILE *out, enum weir_help_form form);

/**
 * Prints the help of everything that is called name, for a terminal. The name may be a section ("fabric",
 * "fabric.ecn"), a key ("load", "traffic.load", "dctcp.g"), a protocol, a preset, a feature, a rule of a feature, a
 * workload or a framing. It may also be a kind of topology or of traffic, or a term of doc/glossary.md. The name
 * "scenario" stands for the whole reference.
 * @param more  begun by weir_suggest_init() for this name, and given the names that have help elsewhere, so that the
 *              hint may suggest one of these; NULL = there are none. *more is not changed.
 * @return false if nothing has that name: err then has one sentence, and the nearest name as hint
 */
bool weir_help_name(FILE *out, const char *name, const struct weir_suggest *more, struct weir_err *err);

/* Calls each(ctx, name) for every name that weir_help_name() knows, except whole paths of keys ("traffic.load") and
 * rules of features ("shared-buffer.alpha"). Some names come several times. The string is valid during the call
 * only. */
void weir_help_names(void (*each)(void *ctx, const char *name), void *ctx);

/**
 * Prints a list of everything of one sort, as `weir list` does.
 * @param what             protocols | features | workloads | topologies | experiments
 * @param experiments_dir  folder whose subfolders with a .yaml file are experiments; NULL = there is no such folder
 * @return false with err if `what` is no such sort, or the folder is NULL or cannot be read
 */
bool weir_list(FILE *out, const char *what, const char *experiments_dir, struct weir_err *err);

/* Returns the name of the i-th sort that `weir list` takes, "metrics" included, which weir_list() does not print. i
 * counts from 0. @return NULL for the i behind the last sort; a larger i is not allowed */
const char *weir_list_sort(size_t i);
#endif
