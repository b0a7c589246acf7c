/* src/results/reproduce/results.h - the points of a sweep in its result file: which are there already, and their
 * numbers. */
#ifndef WEIR_REPRODUCE_RESULTS_H
#define WEIR_REPRODUCE_RESULTS_H
#include "reproduce/cells.h"
#include "store/store.h"

struct weir_results_by { /* what an earlier run must have been made with; NULL matches only runs that have none */
    const char *version, *commit;
};

enum { /* what an earlier run of a point differs in; a bit each */
       WEIR_DIFFERS_LENGTH = 1,
       WEIR_DIFFERS_SETTINGS = 2, /* any other scenario key */
       WEIR_DIFFERS_VERSION = 4,
       WEIR_DIFFERS_COMMIT = 8,
};

struct weir_results_found {
    uint32_t same;    /* points that are done */
    uint32_t other;   /* points to be run whose earlier run, another one, would be deleted then */
    uint32_t differs; /* what these differ in, all together */
};

/**
 * Marks points as done that the file holds with the same resolved scenario and made by the same program.
 * @return 0, or WEIR_E_FILE with err
 */
int weir_results_adopt(struct weir_plan *plan, struct weir_store *store, const struct weir_results_by *by,
                       struct weir_results_found *found, struct weir_err *err);

/* Removes the earlier runs of all points to be run, so that a sweep that is interrupted goes on as any other does.
 * @return 0, or a code with err; then none was removed */
int weir_results_forget(const struct weir_plan *plan, struct weir_store *store, struct weir_err *err);

/* Reads a number of a point's run; compares jobs or coflows with those of another run, which has to be in the same
 * file, as those of one command are. Returns NONE where there is no run. */
struct weir_value weir_results_read(const struct weir_point *point, const struct weir_reading *reading);
struct weir_value weir_results_compare(const struct weir_point *point, const struct weir_point *base,
                                       const struct weir_reading *reading);

extern const struct weir_measured weir_results_measured; /* the two */

/* Copies a text of the JSON of a run that is done, cut to size - 1 bytes. Returns false if there is none; out is ""
 * then. */
bool weir_results_text(const struct weir_point *point, const char *path, char *out, size_t size);
#endif
