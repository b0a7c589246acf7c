/* src/commands/testbed/figs.h - the measurements of `weir reproduce sird-testbed` and the like, figure by figure: a
 * list of numbers, each with the number that is expected. */
#ifndef WEIR_TESTBED_FIGS_H
#define WEIR_TESTBED_FIGS_H
#include "testbed/keep.h"
#include "testbed/testbed.h"

enum { WEIR_FIG_CELLS_MAX = 512, WEIR_FIG_NAME = 64, WEIR_FIG_REPEATS_MAX = 50 };

enum weir_fig_band { WEIR_FIG_SHOWN, WEIR_FIG_AT_MOST, WEIR_FIG_AT_LEAST, WEIR_FIG_NEAR };

struct weir_fig_cell { /* one measured number */
    const char *figure;
    char what[WEIR_FIG_NAME];
    const char *unit;
    double value, wanted, slack;
    /* NAN = none. half: half the width of the value's 95 % interval. simulated: the simulator's number, with its own.
     * least, most: of the numbers that the value is the median of */
    double half, simulated, simulated_half, least, most;
    enum weir_fig_band band; /* SHOWN: no expectation; NEAR: within `slack` of `wanted` */
};

struct weir_fig_mean { /* of several measurements; NAN = none */
    double mean, half; /* half: half the width of the 95 % interval */
};

struct weir_figs {
    struct weir_testbed tb;
    struct weir_tree_arena *arena;
    struct weir_keep keep;  /* measurements in the result file */
    uint32_t seconds;       /* duration of each measurement */
    uint32_t repeats;       /* how often each is made; only of papers that say how often */
    uint32_t pairs;         /* of hosts; the same */
    uint32_t made, planned; /* measurements of this figure that are done, and of all; planned 0 = not known */
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
    uint32_t usual;   /* how many of them run if none is named, from the first on; 0 = all */
    uint32_t seconds; /* default of --seconds */
    uint32_t repeats; /* default of --repeats; 0 = measurements are not repeated, and no result file is written */
    uint32_t pairs;   /* the most of --pairs, and its default; 0 = there is no such option */
};
extern const struct weir_fig_paper weir_fig_papers[];
extern const struct weir_fig weir_figs_sird[], weir_figs_soze[], weir_figs_rpm[], weir_figs_laws[], weir_figs_fncc[],
    weir_figs_dart[];

/* Finds a paper by its name. @return NULL = there is none of this name */
const struct weir_fig_paper *weir_fig_paper_find(const char *name);

/* Tests whether a figure of a paper runs if none is named. */
bool weir_fig_is_usual(const struct weir_fig_paper *paper, const struct weir_fig *fig);

bool weir_fig_holds(const struct weir_fig_cell *cell);

/* Adds a number to the list, which is printed in the order of calls. Ignores it if the list is full. band, wanted: the
 * expectation. The slack of WEIR_FIG_NEAR is 0 until weir_fig_slack(). what: printf format of the description */
__attribute__((format(printf, 7, 8))) void weir_fig_add(struct weir_figs *figs, const char *figure, const char *unit,
                                                        double value, enum weir_fig_band band, double wanted,
                                                        const char *what, ...);

/* Adds a mean to the list, next to the simulator's. simulated: NULL = none */
__attribute__((format(printf, 8, 9))) void
weir_fig_add_mean(struct weir_figs *figs, const char *figure, const char *unit, struct weir_fig_mean value,
                  const struct weir_fig_mean *simulated, enum weir_fig_band band, double wanted, const char *what, ...);

/* Adds the median of figs->repeats numbers, with the least and the largest of them. Sorts the numbers. */
__attribute__((format(printf, 7, 8))) void weir_fig_add_median(struct weir_figs *figs, const char *figure,
                                                               const char *unit, double *number,
                                                               enum weir_fig_band band, double wanted, const char *what,
                                                               ...);

/* Sets the slack of the number that was added last. */
void weir_fig_slack(struct weir_figs *figs, double slack);

/* Computes a mean and its interval, which takes WEIR_INTERVAL_RUNS_MIN numbers. count: at least 1 */
struct weir_fig_mean weir_fig_mean_of(const double *number, uint32_t count);

struct weir_fig_measurement {
    struct weir_keep_key key;
    /* Makes the measurement. value: set to as many numbers as the key has names. ctx: as below */
    int (*run)(struct weir_figs *figs, const void *ctx, double *value, struct weir_err *err);
    const void *ctx;
};

/* Reads a measurement from the result file, or else makes it and keeps it there; prints which one on stderr. @return 0,
 * or a code with err */
int weir_fig_measure(struct weir_figs *figs, const struct weir_fig_measurement *m, double *value, struct weir_err *err);
#endif
