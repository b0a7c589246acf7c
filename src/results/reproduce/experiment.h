/* src/results/reproduce/experiment.h - an experiment as its experiment.yaml describes it: what is varied (axes), which
 * combinations make a figure (sweeps), and what is read and compared with published numbers (tables). The form:
 * doc/experiments.md. */
#ifndef WEIR_REPRODUCE_EXPERIMENT_H
#define WEIR_REPRODUCE_EXPERIMENT_H
#include "config/tree.h"
#include "reproduce/each.h"
#include "reproduce/origin.h"
#include "reproduce/series.h"
#include <stdbool.h>
#include <stdint.h>

#define WEIR_AXES_MAX 24u
#define WEIR_AXIS_VALUES_MAX 64u /* a set of them is one 64-bit mask */
#define WEIR_LABEL_BYTES 64u     /* of a value or a figure, with the NUL or a '-' behind it */
#define WEIR_AXIS_NONE 255u      /* a point's value on an axis that its figure does not use */
#define WEIR_SWEEPS_MAX 8u
#define WEIR_TABLES_MAX 16u
#define WEIR_COLUMNS_MAX 16u /* readings of a table that has a column for each */

struct weir_axis_value {            /* one setting of what is varied; fields not given are NULL or 0 */
    const char *label;              /* "wkc"; part of a point's name */
    const char *text;               /* what '$' stands for; the label by default */
    const char *published;          /* its name in the published numbers; the label by default */
    const char *protocol;           /* which protocol this needs */
    const char *scenario;           /* file of the experiment */
    const struct weir_tree *set[2]; /* scenario keys: the axis's own, this value's; '$' stands for the text, "${axis}"
                                               for that on another axis */
    const struct weir_tree *with;   /* label of another axis -> keys of points that have it too */
    uint64_t length_ps;             /* of the whole run at load 1 and scale 1 */
    uint64_t length_ppm;            /* multiplies it; 1000000 by default */
    uint64_t load_ppm;              /* divides it; 1000000 by default */
    uint64_t cost_ppm;              /* real time per simulated byte, relative; 1000000 by default */
    uint64_t warmup_min_ps, measure_min_ps; /* a scaled run keeps at least these, or its full length */
};

struct weir_axis {
    const char *name;
    struct weir_axis_value *value;
    uint32_t count;
};

struct weir_sweep { /* every combination of the values named */
    bool uses[WEIR_AXES_MAX];
    uint64_t values[WEIR_AXES_MAX]; /* bit i: value i of the axis */
};

enum weir_unstable {                        /* what an unstable run does to a table */
                     WEIR_UNSTABLE_OUT,     /* its number does not count */
                     WEIR_UNSTABLE_KEEP,    /* its number counts */
                     WEIR_UNSTABLE_GROWING, /* its number counts unless its queues still grew at the end */
};

struct weir_reading {  /* one number of a run */
    const char *label; /* "p99 A"; "" if the table has one only */
    const char *path;  /* its name, "slowdown.A.p99"; "growth:NAME", "quantile:NAME:PERCENT" see cells.h; NULL = of a
                          series or of jobs */
    const char *unit;  /* of weir_metric_unit_names; NULL = of another than a number's */
    const struct weir_series_spec *series; /* NULL = not of a series */
    const struct weir_each_spec *each;     /* NULL = not of jobs or coflows */
    uint64_t divide;                       /* 1000000 for bytes -> MB; 1 */
    uint32_t per;                          /* axis by whose label, a number, it is divided; WEIR_AXIS_NONE = none */
    uint32_t less;                         /* axis whose label, a number, is subtracted then; WEIR_AXIS_NONE = none */
    uint32_t digits;                       /* decimals shown */
};

struct weir_published; /* published.h */

struct weir_table_spec {
    const char *name, *title, *unit, *note;
    struct weir_reading *reading;
    uint32_t reading_count;
    bool filters[WEIR_AXES_MAX];
    uint64_t where[WEIR_AXES_MAX]; /* of the axes that filter: the values that count */
    uint32_t over;                 /* axis of which the largest number is taken; WEIR_AXIS_NONE = none */
    uint32_t average;              /* axis over which numbers are averaged; NONE = none; not both */
    uint32_t best_axis;            /* numbers are divided by the best along this axis; WEIR_AXIS_NONE = they are not */
    bool best_is_most;             /* which is the greatest, else the least */
    bool has_mean, mean[WEIR_AXES_MAX]; /* then the mean is taken along these axes, of the stable numbers; .. */
    bool is_median;                     /* .. or their median */
    uint32_t order_axis,
        order_count; /* a case is 100 % if numbers rise along these values; WEIR_AXIS_NONE = it is not */
    uint8_t order[WEIR_AXIS_VALUES_MAX];
    uint32_t base_axis,
        base_value; /* last they are divided by those of this value; axis WEIR_AXIS_NONE = they are not */
    bool reduction; /* then shown as 100 % less the quotient, and compared in percentage points */
    bool columns;   /* a column for each reading instead of a line */
    enum weir_unstable unstable;
    uint64_t growth_ppm; /* GROWING: later mean over earlier mean from which queues count as growing */
    bool peak;           /* grows with run length: not comparable at a scale below 1 */
    const struct weir_published *published;        /* what was read from published_file; NULL = nothing was published */
    const char *published_file, *published_metric; /* NULL likewise */
    uint64_t band_ppm;   /* deviation that passes; 0 = not checked, and no_band is why; of a reduction: points */
    const char *no_band; /* why what was published is shown and not checked; NULL = it is checked */
    bool has_no_effect;  /* what a run without the mechanism would measure is known: .. */
    double no_effect;    /* .. this. A cell whose band has it in it cannot distinguish the two */
    const char *fitted;  /* which input was chosen so that the number comes out; NULL = none */
    const char *missed;  /* why cells are outside the band; NULL = nobody knows, or none is */
};

struct weir_figure {
    const char *name, *title;
    struct weir_tok at; /* where it is described */
    const char *skip;   /* why it cannot be run; NULL = it can */
    bool on_request;    /* runs only where it is named */
    uint64_t run_ps;    /* processor time of one of its runs at full length, roughly; 0 = not given */
    const struct weir_figure
        *runs; /* the figure whose runs its tables are of: most often itself; else sweep_count is 0. NULL = skipped */
    struct weir_sweep sweep[WEIR_SWEEPS_MAX];
    struct weir_table_spec table[WEIR_TABLES_MAX];
    uint32_t sweep_count, table_count;
};

struct weir_experiment {
    struct weir_origin origin;
    struct weir_tree_arena *arena; /* everything below; owned */
    const char *title, *about;     /* about may be NULL */
    uint64_t measured_ppm;         /* the last part of a run */
    uint64_t hop_ps;               /* processor time of a packet-hop, roughly; 0 = not given */
    const char *scenario;          /* of points whose axes name none; NULL = they all do */
    const struct weir_tree *set;   /* scenario keys of every point; NULL = none */
    bool implied;                  /* it has no figures: there is one of every combination */
    bool all_figures;              /* what runs when no figure is named: all but those on request, else the first */
    struct weir_axis axis[WEIR_AXES_MAX];
    struct weir_figure *figure;
    uint32_t axis_count, figure_count;
};

void weir_experiment_free(struct weir_experiment *exp);

/* Finds a figure by its name; NULL = there is none. */
const struct weir_figure *weir_experiment_figure(const struct weir_experiment *exp, const char *name);
#endif
