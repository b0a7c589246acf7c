/* src/base/text/outfile.h - atomic output file: written under a temporary name, renamed into its place at the end. */
#ifndef WEIR_TEXT_OUTFILE_H
#define WEIR_TEXT_OUTFILE_H
#include "core/err.h"
#include <stdbool.h>
#include <stdio.h>

struct weir_outfile {
    FILE *file;       /* NULL = not open */
    const char *name; /* as the user gave it; lent */
    char *path;       /* where it goes, links resolved (one that leads nowhere is replaced); owned */
    char *temp; /* where it is written; NULL = straight to path, which is no regular file (a pipe, a terminal); owned */
};

/* A file that must not be overwritten, however it is spelled. The last of a list has no name. */
struct weir_outfile_keep {
    const char *name; /* it need not be there */
    const char *what; /* "the scenario": for the refusal */
};

/**
 * Opens a file for writing, under a temporary name in the folder of `name`.
 * @param keep  files that must not be overwritten; NULL = none
 * @return 0, or a code with err; then nothing is left to close
 */
int weir_outfile_open(struct weir_outfile *out, const char *name, const struct weir_outfile_keep *keep,
                      struct weir_err *err);

/* Puts the file into its place. @return 0, or WEIR_E_FILE with err; then nothing of it is left, and what was there
 * before is */
int weir_outfile_commit(struct weir_outfile *out, struct weir_err *err);

/* Removes what was written. Harmless when nothing is open. */
void weir_outfile_abandon(struct weir_outfile *out);
#endif
