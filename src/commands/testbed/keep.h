/* src/commands/testbed/keep.h - measurements of a testbed in a result file. One that is there is not made again, so an
 * interrupted command goes on where it stopped. A measurement is a run of the file, without messages; its numbers are
 * metrics of that run. */
#ifndef WEIR_TESTBED_KEEP_H
#define WEIR_TESTBED_KEEP_H
#include "store/store.h"

enum { WEIR_KEEP_VALUES = 32 }; /* most numbers of a measurement */

struct weir_keep {
    struct weir_store *store; /* NULL = nothing is kept */
    const char *paper;        /* experiment of the runs */
};

struct weir_keep_key { /* what a measurement is */
    const char *figure, *point;
    const char *settings;    /* all that its numbers depend on; another one of the same point is of no use */
    const char *const *name; /* names of its numbers; the last one is NULL */
};

/* Opens the result file, or makes one. @return 0, or a code of weir_store_open() with err */
int weir_keep_open(struct weir_keep *keep, const char *paper, const char *path, const struct weir_store_caller *caller,
                   struct weir_err *err);
void weir_keep_close(struct weir_keep *keep);

/* Removes all measurements of a figure. @return 0, or a code with err; then none is removed */
int weir_keep_forget(struct weir_keep *keep, const char *figure, struct weir_err *err);

/**
 * Reads a measurement that this version and commit has made.
 * @param value  set if it is found
 * @return 0, or a code with err. WEIR_E_CONFLICT: the file has one with other settings, or by another version or commit
 */
int weir_keep_find(struct weir_keep *keep, const struct weir_keep_key *key, bool *found, double *value,
                   struct weir_err *err);

/* Adds a measurement; when this returns, it is on the disk. wall_s: real time that it took. @return 0, or a code with
 * err */
int weir_keep_add(struct weir_keep *keep, const struct weir_keep_key *key, const double *value, double wall_s,
                  struct weir_err *err);
#endif
