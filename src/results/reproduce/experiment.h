/* src/results/reproduce/experiment.h - an experiment as its experiment.yaml describes it. Axes are the settings that
 * vary. Sweeps are the combinations of axis values that a figure runs. Tables have the numbers that are read from runs
 * and compared with published ones. doc/experiments.md specifies the format. */
#ifndef WEIR_REPRODUCE_EXPERIMENT_H
#define WEIR_REPRODUCE_EXPERIMENT_H
#include "config/tree.h"
#include "reproduce/each.h"
#include "reproduce/origin.h"
#include "reproduce/series.h"
#include <stdbool.h>
#include <stdint.h>

#define WEIR_AXES_MAX 24u
#define WEIR_AXIS_VALUES_MAX 64u /* struct weir_sweep has one bit per value, in a 64-bit mask */
#define WEIR_LABEL_BYTES 64u     /* bytes of a label, or of the name of a figure, with a NUL or '-' after the text */
#define WEIR_AXIS_NONE 255u      /* no axis; as a value of a point: the figure does not use the axis */
#define WEIR_SWEEPS_MAX 8u
#define WEIR_TABLES_MAX 16u
#define WEIR_COLUMNS_MAX 16u /* readings of a table with `columns: true` */

struct weir_axis_value {            /* one value of an axis; fields that the file does not give are NULL or 0, unless
                                       stated otherwise */
    const char *label;              /* "wkc"; part of the names of points */
    const char *text;               /* replaces '$' in settings; the label by default */
    const char *published;          /* name of this value in the files of published numbers; the label by default */
    const char *protocol;           /* protocol that points with this value need; NULL = any */
    const char *scenario;           /* scenario file, relative to the experiment's folder */
    const struct weir_tree *set[2]; /* scenario keys: [0] of the axis, [1] of this value. '$' is replaced by `text`,
                                       "${axis}" by the text of the point's value on that axis */
    const struct weir_tree *with;   /* label of another axis -> scenario keys of the points that have both labels */
    uint64_t length_ps;             /* length of a run, warm-up included, at load 1 and scale 1; 0 = not given */
    uint64_t length_ppm;            /* multiplies length_ps; 1000000 by default */
    uint64_t load_ppm;              /* divides length_ps; 1000000 by default */
    uint64_t cost_ppm;              /* real time per simulated byte, relative to other values; 1000000 by default */
    /* Least warm-up and measured part of a run that --scale shortens. A part with a smaller full length keeps that
     * length. */
    uint64_t warmup_min_ps, measure_min_ps;
};

struct weir_axis {
    const char *name;
    struct weir_axis_value *value;
    uint32_t count;
};

struct weir_sweep { /* runs every combination of the chosen values of the used axes */
    bool uses[WEIR_AXES_MAX];
    uint64_t values[WEIR_AXES_MAX]; /* bit i is set: value i of the axis is chosen */
};

enum weir_unstable {                        /* effect of an unstable run on the cell of a table */
                     WEIR_UNSTABLE_OUT,     /* the number of the run does not count */
                     WEIR_UNSTABLE_KEEP,    /* the number of the run counts */
                     WEIR_UNSTABLE_GROWING, /* the number counts unless queues still grew at the end of the run */
};

/* Says how the numbers of several cases become the number of a cell. */
enum weir_cases_fold {
    WEIR_CASES_APART, /* each case has a cell of its own */
    WEIR_CASES_MEAN,
    WEIR_CASES_MEDIAN,
    WEIR_CASES_MOST, /* the largest of the numbers */
};

struct weir_reading {  /* one number of a run */
    const char *label; /* "p99 A"; "" if the table has a single reading */
    const char *path;  /* name of the number, "slowdown.A.p99", "growth:NAME" or "quantile:NAME:PERCENT" (cell.h);
                          NULL = a number of a series or of jobs */
    const char *by;    /* name of another number of the same run, which divides the first; NULL = none */
    const char *unit;  /* unit of the number before divide; NULL = unknown, as of jobs */
    const struct weir_series_spec *series; /* NULL = not a number of a series */
    const struct weir_each_spec *each;     /* NULL = not a number of jobs or coflows */
    uint64_t divide;                       /* divides the number: 1000000 turns bytes into MB; 1 by default */
    uint32_t per;                          /* axis whose label, a number, is another divisor; WEIR_AXIS_NONE = none */
    uint32_t less;                         /* axis whose label is subtracted from the quotient; WEIR_AXIS_NONE = none */
    uint32_t digits;                       /* decimals shown */
};

struct weir_published; /* published.h */

struct weir_table_spec {
    const char *name, *title, *unit, *note;
    struct weir_reading *reading;
    uint32_t reading_count;
    bool filters[WEIR_AXES_MAX];
    uint64_t where[WEIR_AXES_MAX]; /* of an axis that filters: mask of the values whose points count */
    uint32_t over;                 /* axis along which the largest number is taken; WEIR_AXIS_NONE = none */
    uint32_t average;              /* axis along which the mean is taken, never with over; WEIR_AXIS_NONE = none */
    uint32_t of_axis, of_value;    /* the number at value of_value of of_axis is divided by each of the others, which
                                      have no cell there; of_axis WEIR_AXIS_NONE = no division */
    uint32_t best_axis;            /* numbers are divided by the best stable one along this axis; WEIR_AXIS_NONE = no
                                      division */
    bool best_is_most;             /* the best is the greatest number, else the least */
    enum weir_cases_fold fold;     /* next: how the numbers of the cases along the axes a with folds[a] become one */
    bool folds[WEIR_AXES_MAX];     /* all false with WEIR_CASES_APART */
    uint32_t order_axis,
        order_count; /* a case is 100 if the numbers rise strictly along the values order[] of order_axis, else 0;
                        order_axis WEIR_AXIS_NONE = no such test */
    uint8_t order[WEIR_AXIS_VALUES_MAX];
    uint8_t order_rank[WEIR_AXIS_VALUES_MAX]; /* of each of these; values of one rank are in no order */
    uint32_t base_axis,
        base_value; /* last: the number at value base_value of base_axis divides the other numbers; base_axis
                       WEIR_AXIS_NONE = no division */
    bool reduction; /* 100 % minus the quotient by base_axis or of_axis is shown, and compared in percentage points */
    bool columns;   /* a column for each reading instead of a line */
    enum weir_unstable unstable;
    uint64_t growth_ppm; /* GROWING: queues count as growing if growth:tor_queue_mean exceeds this */
    bool peak;           /* the number grows with the length of a run: not comparable at a scale below 1 */
    const struct weir_published *published;        /* contents of published_file; NULL = nothing was published */
    const char *published_file, *published_metric; /* NULL = nothing was published */
    uint64_t band_ppm;   /* largest deviation that passes, in millionths; of a reduction 10000 are one percentage point;
                            0 = not checked */
    const char *no_band; /* reason why published numbers are shown and not checked; NULL = they are checked, or there
                            are none */
    bool has_no_effect;  /* no_effect is known */
    double no_effect;    /* the number that a run without the mechanism would give; a cell is weak if its band contains
                            this number */
    const char *fitted;  /* input that was chosen so that the number comes out as published; NULL = none */
    const char *main_reason; /* reason why those cells are the main reading of the published numbers; NULL = all cells
                                are, and there is no other reading */
    bool main_none;          /* no cell is: all are other readings */
    bool main_filters[WEIR_AXES_MAX]; /* axes that say which cells are the main reading, and the values on them */
    uint64_t main_where[WEIR_AXES_MAX];
    const char *main_value; /* label of the reading that is; NULL = all readings are */
    const char *missed;     /* reason why cells are outside the band; NULL = unknown, or no cell is */
};

struct weir_figure {
    const char *name, *title;
    struct weir_tok at; /* position of the figure in the file */
    const char *skip;   /* reason why the figure cannot be run; NULL = none */
    bool on_request;    /* run only if the figure is named, or all figures are requested */
    uint64_t run_ps;    /* rough processor time of one run at full length; 0 = not given */
    /* Figure whose runs the tables use: this figure, or an earlier one (then sweep_count is 0); NULL = the figure is
     * skipped */
    const struct weir_figure *runs;
    struct weir_sweep sweep[WEIR_SWEEPS_MAX];
    struct weir_sweep maxima[WEIR_SWEEPS_MAX]; /* points that a table with `over` needs; none = all points */
    struct weir_table_spec table[WEIR_TABLES_MAX];
    uint32_t sweep_count, maxima_count, table_count;
};

struct weir_experiment {
    struct weir_origin origin;
    struct weir_tree_arena *arena; /* owns the memory of everything below; freed with the experiment */
    const char *title, *about;     /* about may be NULL */
    uint64_t measured_ppm;         /* measured part of a run, at the end, in millionths of the run */
    uint64_t hop_ps;               /* rough processor time of a packet-hop; 0 = not given */
    const char *scenario;          /* scenario file of points whose axes name none; NULL = not given */
    const struct weir_tree *set;   /* scenario keys of every point; NULL = none */
    bool implied;                  /* the file has no figures: exp->figure is one figure of all combinations of axis
                                      values */
    bool has_summary;              /* implied, and its first table is that of the usual numbers */
    bool all_figures;              /* if the user names no figure: true = all figures but those with on_request are run,
                                      false = only the first */
    struct weir_axis axis[WEIR_AXES_MAX];
    struct weir_figure *figure;
    uint32_t axis_count, figure_count;
};

void weir_experiment_free(struct weir_experiment *exp);

/* Returns the figure of that name; NULL = the experiment has none. */
const struct weir_figure *weir_experiment_figure(const struct weir_experiment *exp, const char *name);
#endif
