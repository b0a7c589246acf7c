/* src/results/reproduce/plan.h - the runs that the chosen figures need, with their settings and lengths. */
#ifndef WEIR_REPRODUCE_PLAN_H
#define WEIR_REPRODUCE_PLAN_H
#include "config/scenario.h"
#include "reproduce/experiment.h"

struct weir_store; /* store/store.h */

#define WEIR_PLAN_POINTS_MAX 4096u
#define WEIR_PLAN_MISSING_MAX 64u
#define WEIR_POINT_SETTINGS_MAX 64u

enum weir_point_state {
    WEIR_POINT_PENDING,
    WEIR_POINT_RUNNING,
    WEIR_POINT_DONE,      /* in the result file, by this command or an earlier one */
    WEIR_POINT_FAILED,    /* this time */
    WEIR_POINT_NOT_BUILT, /* its protocol is not in this program: neither resolved nor run */
};

struct weir_point {  /* one run */
    uint32_t number; /* from 1, in the experiment's order; the same for the same experiment and figures */
    const struct weir_figure *figure; /* with sweeps: weir_figure.runs is itself */
    uint8_t value[WEIR_AXES_MAX];     /* WEIR_AXIS_NONE = the figure does not use the axis */
    const char *name;                 /* "sird-balanced-wkc-95": labels in the axes' order */
    const char *scenario;             /* file of the experiment */
    struct weir_override *set;        /* "key=value", set_count of them, each with its line in experiment.yaml */
    uint32_t set_count;
    const char *resolved; /* the scenario with every key, as a result file keeps it; filled in by who runs it */
    double cost;          /* relative real time of a simulated microsecond: load x cost */
    uint64_t weight;      /* relative real time: simulated microseconds x cost; filled in likewise */
    uint64_t hops;        /* packet-hops, roughly; filled in likewise */
    enum weir_point_state state;
    struct weir_store *store; /* DONE: the result file that its run is in, lent; .. */
    int64_t run;              /* .. and the run's number there */
    const char *not_built;    /* the protocol that is not there; NULL = it is */
    /* To be run, or to be shown as one that cannot be; else only shown if an earlier command has run it. Of the runs of
     * another figure only those that some table of a chosen one is about. */
    bool wanted;
};

struct weir_missing { /* a protocol that some points need and that is not in this program */
    const struct weir_figure *figure;
    const char *protocol;
};

struct weir_span { /* of numbers of points, both ends included */
    uint32_t first, last;
};

struct weir_plan_request {
    const char *const *figure;   /* figure_count names; none = all or the first, as the experiment defines */
    const char *const *protocol; /* protocol_count names; none = all */
    uint32_t figure_count, protocol_count;
    bool all_figures;             /* every figure, also those that run only where they are named; then none is named */
    uint64_t scale_ppm;           /* 1000000 = full length */
    const struct weir_span *only; /* only_count spans of points, and no others; none = all */
    uint32_t only_count;
};

struct weir_plan {
    const struct weir_experiment *exp;
    const struct weir_figure **figure; /* figure_count, in the order asked for, the skipped ones too */
    struct weir_point *point;          /* point_count, grouped by figure; those of figures with the same runs once */
    struct weir_missing missing[WEIR_PLAN_MISSING_MAX];
    uint32_t figure_count, point_count, missing_count;
    uint64_t scale_ppm;
};

/**
 * Lays out every point. Its memory is the experiment's.
 * @return 0, or a code with err: an unknown figure or protocol, a point without a scenario, a number beyond the last
 * point
 */
int weir_plan_make(struct weir_plan *plan, const struct weir_experiment *exp, const struct weir_plan_request *request,
                   struct weir_err *err);

/* Tests whether a table is about the point with these values on the axes. */
bool weir_plan_counts(const struct weir_experiment *exp, const struct weir_table_spec *spec, const uint8_t *value);

/* Sets a point's weight, once the length is known from its scenario. */
void weir_plan_weigh(struct weir_point *point, uint64_t simulated_ps);

/* Returns the pending wanted point that takes longest, the earlier of equals; NULL = none is pending. */
struct weir_point *weir_plan_next(struct weir_plan *plan);
#endif
