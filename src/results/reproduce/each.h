/* src/results/reproduce/each.h - computes one number from the jobs or coflows of a run. First, the number of each job
 * may be divided by the number of the same job in another run. */
#ifndef WEIR_REPRODUCE_EACH_H
#define WEIR_REPRODUCE_EACH_H
#include "config/tree.h"
#include <stdint.h>

enum weir_each_of { WEIR_EACH_JOBS, WEIR_EACH_COFLOWS };
enum weir_each_what {
    WEIR_EACH_COMPLETION,   /* ps from the start of the job or coflow to its end */
    WEIR_EACH_END,          /* ps from the start of the run to the end of the job or coflow */
    WEIR_EACH_SPREAD,       /* coflows only: ps from the end of the first flow to the end of the last */
    WEIR_EACH_SPREAD_SHARE, /* coflows only: the spread divided by the completion */
};
enum weir_each_fold {
    WEIR_EACH_MEAN,
    WEIR_EACH_MIN,
    WEIR_EACH_MAX,
    WEIR_EACH_LESS, /* with relative_to: share of the jobs or coflows whose number is less than in the other run */
};

struct weir_each_spec {
    enum weir_each_of of;
    enum weir_each_what what;
    enum weir_each_fold fold;
    const char *name; /* only the jobs or coflows of this name; NULL = all */
};

/* Reads a map {each: jobs, read: completion, ..} and sets *out, which the arena owns. @return 0, or a code with err */
int weir_each_spec_read(struct weir_tree_arena *arena, const struct weir_tree *map, const struct weir_each_spec **out,
                        struct weir_err *err);

/**
 * Writes the SQL query for one number of the jobs or coflows of a run. Parameters: ?1 the run, ?2 the name or NULL, and
 * ?3 the run whose numbers are the divisors (used only if relative).
 * The query returns one row. The number is NULL if the run has no such job, or if a job has no value. A job has no
 * value if it has not ended, or, if relative, if its divisor is missing or 0.
 * @param relative  true: divides the value of each job by the value of the job with the same number in run ?3
 * @return false = the query is longer than `bytes` allow
 */
bool weir_each_sql(const struct weir_each_spec *spec, bool relative, char *sql, size_t bytes);
#endif
