/* src/results/reproduce/results.h - finds the runs of a plan in a result file, and reads their numbers. */
#ifndef WEIR_REPRODUCE_RESULTS_H
#define WEIR_REPRODUCE_RESULTS_H
#include "core/pkt.h"
#include "reproduce/cells.h"
#include "store/store.h"

struct weir_results_by { /* version and commit that an earlier run must have; NULL matches only runs without one */
    const char *version, *commit;
};

enum { /* differences of an earlier run of a point, one bit each */
       WEIR_DIFFERS_LENGTH = 1,
       WEIR_DIFFERS_SETTINGS = 2, /* any other scenario key */
       WEIR_DIFFERS_VERSION = 4,
       WEIR_DIFFERS_COMMIT = 8,
};

struct weir_results_found {
    uint32_t same;    /* points that are done */
    uint32_t without; /* wanted points that would be done, if their runs had the messages of plan->keep_messages */
    uint32_t other;   /* wanted points that are not done, and have a different run that a new one would replace */
    uint32_t differs; /* WEIR_DIFFERS_.. bits of the runs that `other` counts, combined by OR */
};

/**
 * Marks every resolved point as done if the file has a done run of the point with the same resolved scenario, version
 * and commit. If plan->keep_messages is above 0, the run must also have that sample of messages. Sets the store and run
 * of such a point.
 * @param found  set to the counts
 * @return 0, or a code of weir_store_fail() with err
 */
int weir_results_adopt(struct weir_plan *plan, struct weir_store *store, const struct weir_results_by *by,
                       struct weir_results_found *found, struct weir_err *err);

/* Tests whether a run has run.statistics: sampled. scenario: every key, as a result file has it; one of an older Weir
 * has no such key: its runs are exact */
bool weir_results_are_sampled(const char *scenario);

struct weir_results_kept { /* messages of the done runs of a plan */
    uint32_t runs;
    uint64_t rows, messages; /* kept in the file; delivered in the runs */
};

/* Counts the messages that the file keeps of done runs whose messages are a sample. The store of the points must be
 * open for writing: an older file may lack the table. */
struct weir_results_kept weir_results_kept(const struct weir_plan *plan);

/* Removes the earlier runs of all wanted points that are not done, in one transaction. Option --fresh does so before
 * the points are run again: if that sweep is interrupted, the next command only has to continue it. @return 0, or a
 * code with err; then no run was removed */
int weir_results_forget(const struct weir_plan *plan, struct weir_store *store, struct weir_err *err);

/* Returns a number of the run of a point. The state is NONE if the point has no run, or the run has no such number. */
struct weir_value weir_results_read(const struct weir_point *point, const struct weir_reading *reading);

/* Returns a number of jobs or coflows, computed after each job or coflow was divided by the same one in the run of
 * base. The state is NONE if the two runs are not in the same file. */
struct weir_value weir_results_compare(const struct weir_point *point, const struct weir_point *base,
                                       const struct weir_reading *reading);

extern const struct weir_measured weir_results_measured; /* weir_results_read() and weir_results_compare() */

#define WEIR_RESULTS_LAW 96u /* bytes of the title of a law, with its NUL */

/* Writes a title for each law that runs of a plan have, as "law 1: cubic". A law whose protocol differs between runs
 * has all protocols in its title. @return the most laws that a run has; 0 = no done run has several */
uint32_t weir_results_laws(const struct weir_plan *plan, char title[WEIR_LAWS_MAX][WEIR_RESULTS_LAW]);

/* Tests whether a done run of the plan has a number: `path` as in a run's JSON. */
bool weir_results_any(const struct weir_plan *plan, const char *path);

/* Copies the text at `path` in the JSON of a run to out, cut to size - 1 bytes. Returns false, with "" in out, if the
 * point has no run or the run has no text there. */
bool weir_results_text(const struct weir_point *point, const char *path, char *out, size_t size);
#endif
