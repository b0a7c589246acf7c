/* src/results/reproduce/difference.h - compares two result files, run by run: one before and one after a change of the
 * program or of a key. Runs pair by label and seed. Pairs that differ in nothing but the seed, run.warmup and
 * run.measure form a group. A number of a group has moved if
 * - the group has three pairs or more: the mean of the paired differences is beyond its 95 % interval (Student's t);
 * - it has fewer: any pair differs;
 * in both cases by more than the tolerance. A number that only one run of a pair has, has moved too. */
#ifndef WEIR_REPRODUCE_DIFFERENCE_H
#define WEIR_REPRODUCE_DIFFERENCE_H
#include "config/tree.h"
#include "core/err.h"
#include "core/metric.h"
#include "reproduce/comparison.h"
#include "store/store.h"
#include <stdbool.h>
#include <stdint.h>

#define WEIR_DIFFERENCE_KEYS_MAX 96u

struct weir_difference_metric {
    const char *name;
    struct weir_metric row; /* unit, and which way is better; use `name` instead of row.name */
    bool has[2];            /* any run of the first, of the second file has a row of this number */
};

struct weir_difference_run {
    int64_t id; /* number of the run in its file */
    uint64_t seed;
    const char *label, *figure; /* not NULL */
    const char *scenario;       /* every key, as a result file has it; not NULL */
    const char *status;         /* "done", or why the run has no numbers: "failed", "running", "interrupted" */
    const char *digest;         /* NULL = none */
    const char *partner;        /* why a run of the same name in the other file has no numbers; NULL = there is none */
    const double *value;        /* one for each metric; NAN = the run has no such number */
};

struct weir_difference_file { /* a result file */
    const char *path;
    struct weir_store *store;
    struct weir_difference_run *run; /* count runs; weir_difference_pair() sorts them by name and seed */
    uint32_t count, older;           /* older: runs that a newer one of the same name, seed and settings replaced */
    const char *program;             /* "0.2.0, commit 1a2b3c", of all runs; NULL = runs of several programs */
    uint32_t doubtful;               /* runs with a partner whose numbers are in doubt (comparison_read.h) */
    const struct weir_difference_run *doubted; /* the first of them; NULL = there is none */
    char doubt[WEIR_COMPARISON_WHY];           /* about its numbers */
};

struct weir_difference_pair {
    const struct weir_difference_run *before, *after;
};

struct weir_difference_number {  /* a metric of a group */
    uint32_t one_sided;          /* pairs of which one run alone has the number */
    double before, after;        /* means over the pairs that have both */
    struct weir_estimate change; /* after - before, paired; count 0: no pair has both */
    bool moved;
};

struct weir_difference_group {
    char label[256];                       /* without the seed */
    uint32_t first, count;                 /* its pairs, in the order of their seeds */
    struct weir_difference_number *number; /* one for each metric */
    uint32_t compared, moved;              /* numbers */
    uint32_t digests;                      /* pairs whose digests differ */
};

struct weir_difference_key {           /* a key whose values differ */
    const char *path, *before, *after; /* of the first group that differs in it; "-" = the scenario has no such key */
    uint32_t groups;                   /* that differ in it */
    uint32_t last_first;               /* `first` of the last of them */
};

struct weir_difference {
    struct weir_tree_arena *arena;
    struct weir_difference_file file[2]; /* before, after */
    struct weir_difference_metric *metric;
    struct weir_difference_pair *pair; /* ordered by group */
    struct weir_difference_group *group;
    const struct weir_difference_run **alone[2]; /* runs of each file without a partner */
    struct weir_difference_key key[WEIR_DIFFERENCE_KEYS_MAX];
    uint32_t metric_count, pair_count, group_count, alone_count[2], key_count;
    bool keys_cut;                     /* more keys differ than there is room for */
    uint64_t tolerance_ppm;            /* of the number before */
    uint32_t compared, moved, digests; /* sums over the groups */
    uint32_t unlike; /* pairs of which one run has statistics: sampled: their longest queues are not compared */
};

/**
 * Opens both files for reading and reads their runs, with the numbers of `chosen`, or else with all numbers that do not
 * depend on the machine.
 * @param chosen  names that weir_comparison_choose() read; NULL = all
 * @return 0, or a code with err: a file is no result file, both are the same file, a number that no file has, or no
 *         memory. The caller calls weir_difference_free() in both cases
 */
int weir_difference_read(struct weir_difference *d, const char *before, const char *after,
                         const struct weir_comparison *chosen, const struct weir_store_caller *caller,
                         struct weir_err *err);
void weir_difference_free(struct weir_difference *d);

/**
 * Pairs the runs and forms groups. Of several runs of one label and seed with equal settings the newest counts.
 * @return 0, or a code with err: two runs of one label and seed differ in settings, the files share no run, no memory
 */
int weir_difference_pair(struct weir_difference *d, struct weir_err *err);

/**
 * Lists the keys whose values differ.
 * @param any  false: refuses groups of different networks or different traffic
 * @return 0, or a code with err
 */
int weir_difference_keys(struct weir_difference *d, bool any, struct weir_err *err);

/* Counts the runs of both files that have a partner and are in doubt. @return 0, or a code with err */
int weir_difference_doubts(struct weir_difference *d, struct weir_err *err);

/* Computes the numbers of all groups. @return 0, or WEIR_E_MEMORY with err */
int weir_difference_solve(struct weir_difference *d, struct weir_err *err);

/* Writes a label without the seed: "50-0.25_BDP" for "50-0.25_BDP-3" and seed 3, "dctcp" for "dctcp seed 3". */
void weir_difference_label(char *out, size_t size, const char *label, uint64_t seed);
#endif
