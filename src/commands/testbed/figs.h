/* src/commands/testbed/figs.h - what `weir reproduce sird-testbed` measures, figure by figure, as a list of numbers
 * with what each should be. */
#ifndef WEIR_TESTBED_FIGS_H
#define WEIR_TESTBED_FIGS_H
#include "testbed/testbed.h"

enum { WEIR_FIG_CELLS_MAX = 128, WEIR_FIG_NAME = 64 };

enum weir_fig_band {
    WEIR_FIG_SHOWN,
    WEIR_FIG_AT_MOST,
    WEIR_FIG_AT_LEAST,
    WEIR_FIG_NEAR
}; /* near: within `slack` of wanted */

struct weir_fig_cell { /* one number */
    const char *figure;
    char what[WEIR_FIG_NAME];
    const char *unit;
    double value, wanted, slack;
    enum weir_fig_band band; /* SHOWN = nothing is wanted of it */
};

struct weir_figs {
    struct weir_testbed tb;
    struct weir_tree_arena *arena;
    uint32_t seconds; /* each measurement lasts */
    struct weir_fig_cell cell[WEIR_FIG_CELLS_MAX];
    uint32_t cell_count;
};

struct weir_fig { /* one figure */
    const char *name, *hint;
    int (*run)(struct weir_figs *figs, struct weir_err *err);
};
extern const struct weir_fig weir_figs_known[]; /* name NULL ends it */

bool weir_fig_holds(const struct weir_fig_cell *cell);

/* A cell is added; in the order of calls they are printed. */
__attribute__((format(printf, 7, 8))) void weir_fig_add(struct weir_figs *figs, const char *figure, const char *unit,
                                                        double value, enum weir_fig_band band, double wanted,
                                                        const char *what, ...);
#endif
