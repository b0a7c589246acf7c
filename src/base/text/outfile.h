/* src/base/text/outfile.h - atomic output file: written under a temporary name, and renamed when it is complete. */
#ifndef WEIR_TEXT_OUTFILE_H
#define WEIR_TEXT_OUTFILE_H
#include "core/err.h"
#include <stdbool.h>
#include <stdio.h>

struct weir_outfile {
    FILE *file;       /* NULL = not open */
    const char *name; /* as the user gave it; lent */
    char *path;       /* final path, with links resolved (a dangling link is replaced); owned */
    /* Temporary path; owned. NULL = written directly to path, which is not a regular file but a pipe or a terminal. */
    char *temp;
};

/* A file that must not be overwritten, even if the user gave another name of it. An entry with name NULL ends a
 * list. */
struct weir_outfile_keep {
    const char *name; /* the file need not exist */
    const char *what; /* "the scenario", for the error message */
};

/**
 * Opens a file for writing, under a temporary name in the folder of the final file. If `name` exists and is not a
 * regular file but a pipe or terminal, opens it directly.
 * @param name  final name; lent until the file is closed
 * @param keep  files that must not be overwritten; NULL = none
 * @return 0; or WEIR_E_FILE, or WEIR_E_CONFLICT (a file of `keep`, or stdout), with err; then nothing must be closed
 */
int weir_outfile_open(struct weir_outfile *out, const char *name, const struct weir_outfile_keep *keep,
                      struct weir_err *err);

/* Closes the file and renames it to its final name; no rename if it was written directly. @return 0, or WEIR_E_FILE
 * with err: then the temporary file is removed, and a file that had the final name before is unchanged */
int weir_outfile_commit(struct weir_outfile *out, struct weir_err *err);

/* Closes the file and removes the temporary file. Does nothing if *out is all zero, as after weir_outfile_commit(). */
void weir_outfile_abandon(struct weir_outfile *out);
#endif
