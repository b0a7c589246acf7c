/* src/results/reproduce/plan.h - the runs that the chosen figures need, with their settings and lengths. */
#ifndef WEIR_REPRODUCE_PLAN_H
#define WEIR_REPRODUCE_PLAN_H
#include "config/scenario.h"
#include "reproduce/experiment.h"

struct weir_store; /* store/store.h */

#define WEIR_PLAN_POINTS_MAX 4096u
#define WEIR_PLAN_MISSING_MAX 64u
#define WEIR_POINT_SETTINGS_MAX 1024u

enum weir_point_state {
    WEIR_POINT_PENDING,
    WEIR_POINT_RUNNING,
    WEIR_POINT_DONE,      /* the run is in the result file, by this command or an earlier one */
    WEIR_POINT_FAILED,    /* the run failed in this command */
    WEIR_POINT_NOT_BUILT, /* this program lacks the protocol: the point is neither resolved nor run */
};

struct weir_point {  /* one run */
    uint32_t number; /* from 1, in the experiment's order; the same for the same experiment and figures */
    const struct weir_figure *figure; /* figure whose sweep has the point; figure->runs == figure */
    uint8_t value[WEIR_AXES_MAX];     /* WEIR_AXIS_NONE = the sweep does not use the axis */
    const char *name;                 /* "sird-balanced-wkc-95": labels in the axes' order */
    const char *scenario;             /* scenario file of the experiment */
    struct weir_override *set;        /* set_count settings "key=value", each with its position in experiment.yaml */
    uint32_t set_count;
    const char *resolved; /* the scenario with every key, as a result file stores it; set by the caller after
                             weir_plan_make(); NULL = not resolved */
    uint64_t length_us;   /* warm-up and measured part as the experiment sets them; 0 = the scenario sets them */
    uint64_t measure_us;  /* of these the measured part */
    double cost;          /* relative real time of a simulated microsecond: load x cost */
    uint64_t weight;      /* relative real time of the run, set by weir_plan_weigh() */
    uint64_t hops;        /* rough number of packet-hops; set by the caller after weir_plan_make() */
    enum weir_point_state state;
    struct weir_store *store; /* DONE: the result file that has the run; lent */
    int64_t run;              /* DONE: number of the run in `store` */
    const char *doubt;        /* DONE: reason why the numbers are not reliable, set by the caller once it has looked for
                                 doubts; NULL = none is known */
    bool is_sampled;          /* DONE: it has run.statistics: sampled, so no longest queue but that of its samples */
    const char *not_built;    /* protocol that the point needs and this program lacks; NULL = none */
    /* The point is to be run, or to be shown as one that cannot be run. Points that are not wanted are shown only if an
     * earlier command has run them. A chosen figure with `runs` wants those points of the other figure that one of its
     * tables uses. */
    bool wanted;
};

struct weir_missing { /* a protocol that points of a figure need and this program lacks */
    const struct weir_figure *figure;
    const char *protocol;
};

struct weir_span { /* a range of point numbers, both ends included */
    uint32_t first, last;
};

struct weir_plan_request {
    const char *const *figure;   /* names of figures; none = all or the first one, as weir_experiment.all_figures
                                    sets */
    const char *const *protocol; /* names of protocols; none = all */
    uint32_t figure_count, protocol_count;
    bool all_figures;             /* if no figure is named: take all figures, those on_request too */
    uint64_t scale_ppm;           /* 1000000 = full length */
    uint64_t measure_ppm;         /* the same of the measured part alone; 0 = scale_ppm */
    const struct weir_span *only; /* only_count ranges of points that are kept; none = all points */
    uint32_t only_count;
    const char *const *set; /* set_count settings "key=value" of all points, which override those of the experiment */
    uint32_t set_count;
};

struct weir_plan {
    const struct weir_experiment *exp;
    const struct weir_figure **figure; /* figure_count chosen figures, skipped ones too, in the order asked for */
    struct weir_point *point;          /* point_count points, grouped by figure, without duplicates */
    struct weir_missing missing[WEIR_PLAN_MISSING_MAX];
    uint32_t figure_count, point_count, missing_count;
    uint64_t scale_ppm, measure_ppm; /* of warm-up and measured part, 1000000 = full length */
    bool finds_lengths;              /* runs only find how long they have to be: weir run --find-length */
    uint32_t
        keep_messages; /* most messages that the result file keeps of each run; 0 = none. Set after the plan is made */
};

/**
 * Computes every point of the chosen figures, with settings and length, in memory of the experiment.
 * @return 0, or a code with err, for example: an unknown figure or protocol, a point without a scenario, too many
 *         points or settings, or a range beyond the last point
 */
int weir_plan_make(struct weir_plan *plan, const struct weir_experiment *exp, const struct weir_plan_request *request,
                   struct weir_err *err);

/* Tests whether a table uses the point with these values on the axes, by the `where` of the table. */
bool weir_plan_counts(const struct weir_table_spec *spec, const uint8_t *value);

/* Tests whether a table, of the runs of `figure`, cannot do without the point with these values, which counts. A table
 * with `over` can do without those that no choice of the figure's `maxima` has, if there are any. */
bool weir_plan_requires(const struct weir_figure *figure, const struct weir_table_spec *spec, const uint8_t *value);

/* Sets the weight of a point. simulated_ps: length of the run, known once the scenario is read */
void weir_plan_weigh(struct weir_point *point, uint64_t simulated_ps);

/* Returns the pending and wanted point of the largest weight, the first one of equals; NULL = there is none. */
struct weir_point *weir_plan_next(struct weir_plan *plan);
#endif
