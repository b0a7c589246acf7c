/* src/scenario/config/help.h - everything a scenario can name, from the same rows that read it. */
#ifndef WEIR_CONFIG_HELP_H
#define WEIR_CONFIG_HELP_H
#include "core/err.h"
#include "param/suggest.h"
#include <stdbool.h>
#include <stdio.h>

enum weir_help_form {
    WEIR_HELP_TERMINAL,
    WEIR_HELP_MARKDOWN, /* doc/scenario.md */
    WEIR_HELP_MANUAL,   /* the page weir-scenario(5), in mdoc */
};

/* Prints the whole reference: every section, protocol and preset. */
void weir_help_scenario(FILE *out, enum weir_help_form form);

/**
 * Prints the help of a name: all that has it. That may be a section ("fabric", "fabric.ecn"), a key ("load",
 * "traffic.load", "dctcp.g"), a protocol, a feature, a workload or a framing. It may also be a kind of topology or of
 * traffic, or a term of doc/glossary.md.
 * @param more  begun for this name, with names that have help elsewhere: they may be what was meant; NULL = there are
 * none
 * @return false if nothing has that name: err then has one sentence, and the nearest name as hint
 */
bool weir_help_name(FILE *out, const char *name, const struct weir_suggest *more, struct weir_err *err);

/* Calls each for every name of weir_help_name(), some of them several times; the text is lent for the call. */
void weir_help_names(void (*each)(void *ctx, const char *name), void *ctx);

/**
 * Lists what there is.
 * @param what             protocols | features | workloads | topologies | experiments
 * @param experiments_dir  folder whose subfolders with a .yaml are experiments; NULL = none known
 * @return false if `what` is none of these or the folder cannot be read, with err as above
 */
bool weir_list(FILE *out, const char *what, const char *experiments_dir, struct weir_err *err);

/* Names the i-th that weir_list() lists. @return NULL = there are no more */
const char *weir_list_sort(size_t i);
#endif
