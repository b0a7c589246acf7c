/* src/results/reproduce/each.h - one number of a run's jobs or coflows; or of each of them, compared with the same one
 * of another run. */
#ifndef WEIR_REPRODUCE_EACH_H
#define WEIR_REPRODUCE_EACH_H
#include "config/tree.h"
#include <stdint.h>

enum weir_each_of { WEIR_EACH_JOBS, WEIR_EACH_COFLOWS };
enum weir_each_what {
    WEIR_EACH_COMPLETION,   /* ps from its start to its end */
    WEIR_EACH_END,          /* ps from the run's start */
    WEIR_EACH_SPREAD,       /* coflows: ps from the end of its first flow to that of its last */
    WEIR_EACH_SPREAD_SHARE, /* coflows: that over the completion */
};
enum weir_each_fold {
    WEIR_EACH_MEAN,
    WEIR_EACH_MIN,
    WEIR_EACH_MAX,
    WEIR_EACH_LESS, /* with relative_to: the share of those that have less than there */
};

struct weir_each_spec {
    enum weir_each_of of;
    enum weir_each_what what;
    enum weir_each_fold fold;
    const char *name; /* the one that is called so; NULL = all */
};

/* Reads a map {each: jobs, read: completion, ..}. Its memory is the arena's. @return 0, or a code with err */
int weir_each_spec_read(struct weir_tree_arena *arena, const struct weir_tree *map, const struct weir_each_spec **out,
                        struct weir_err *err);

/**
 * Writes the query for it: parameters ?1 run, ?2 name, and ?3 the run that each is divided by.
 * Its only row is the number; NULL if there is none, or if one of them has not ended.
 * @param relative  each is divided by the one with the same number in ?3 before they are folded
 * @return false = it does not fit
 */
bool weir_each_sql(const struct weir_each_spec *spec, bool relative, char *sql, size_t bytes);
#endif
