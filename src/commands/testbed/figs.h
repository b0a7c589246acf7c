/* src/commands/testbed/figs.h - the measurements of `weir reproduce sird-testbed` and soze-testbed, figure by figure: a
 * list of numbers, each with the number that is expected. */
#ifndef WEIR_TESTBED_FIGS_H
#define WEIR_TESTBED_FIGS_H
#include "testbed/testbed.h"

enum { WEIR_FIG_CELLS_MAX = 192, WEIR_FIG_NAME = 64 };

enum weir_fig_band { WEIR_FIG_SHOWN, WEIR_FIG_AT_MOST, WEIR_FIG_AT_LEAST, WEIR_FIG_NEAR };

struct weir_fig_cell { /* one measured number */
    const char *figure;
    char what[WEIR_FIG_NAME];
    const char *unit;
    double value, wanted, slack;
    enum weir_fig_band band; /* SHOWN: no expectation; NEAR: within `slack` of `wanted` */
};

struct weir_figs {
    struct weir_testbed tb;
    struct weir_tree_arena *arena;
    uint32_t seconds; /* duration of each measurement */
    struct weir_fig_cell cell[WEIR_FIG_CELLS_MAX];
    uint32_t cell_count;
};

struct weir_fig { /* a figure of the paper, and the function that measures it */
    const char *name, *hint;
    int (*run)(struct weir_figs *figs, struct weir_err *err);
};

enum { WEIR_FIG_ARGS = 48 };

struct weir_fig_args { /* the arguments of a command, while they are collected; NULL-terminated */
    const char *text[WEIR_FIG_ARGS];
    size_t count;
};

/* Adds arguments, the last of which is (const char *)NULL. What does not fit is left out. */
void weir_fig_args_add(struct weir_fig_args *args, const char *first, ...);

struct weir_fig_paper { /* a paper whose figures are measured on a testbed; a NULL name ends lists of both */
    const char *name;   /* as `weir reproduce` takes it: "sird-testbed" */
    const struct weir_fig *fig;
};
extern const struct weir_fig_paper weir_fig_papers[];
extern const struct weir_fig weir_figs_sird[], weir_figs_soze[];

/* Finds a paper by its name. @return NULL = there is none of this name */
const struct weir_fig_paper *weir_fig_paper_find(const char *name);

bool weir_fig_holds(const struct weir_fig_cell *cell);

/* Adds a number to the list, which is printed in the order of calls. Ignores it if the list is full. band, wanted: the
 * expectation. The slack of WEIR_FIG_NEAR is 0 until the caller sets it. what: printf format of the description */
__attribute__((format(printf, 7, 8))) void weir_fig_add(struct weir_figs *figs, const char *figure, const char *unit,
                                                        double value, enum weir_fig_band band, double wanted,
                                                        const char *what, ...);
#endif
