/* src/reproduce/results.h - the points of a sweep in its result file: which are there already, and their numbers. */
#ifndef WEIR_REPRODUCE_RESULTS_H
#define WEIR_REPRODUCE_RESULTS_H
#include "reproduce/cells.h"
#include "store/store.h"

struct weir_results_by { /* what an earlier run must have been made with; NULL matches only runs that do not say */
    const char *version, *commit;
};

/**
 * Marks points as done that the file holds with the same resolved scenario and made by the same program.
 * @return how many; a file that cannot be queried holds none
 */
uint32_t weir_results_adopt(struct weir_plan *plan, struct weir_store *store, const struct weir_results_by *by);

struct weir_results {
    struct weir_store *store;
    const char *experiment;
};

/* Both for struct weir_measured; ctx is a struct weir_results. */
struct weir_value weir_results_read(void *ctx, const struct weir_point *point, const struct weir_reading *reading);
struct weir_value weir_results_compare(void *ctx, const struct weir_point *point, const struct weir_point *base,
                                       const struct weir_reading *reading);
#endif
