/* src/solver/solve/rpm_answer.h - all numbers of RPM's fluid model for one set of parameters, which `weir model rpm`
 * prints. */
#ifndef WEIR_SOLVE_RPM_ANSWER_H
#define WEIR_SOLVE_RPM_ANSWER_H
#include "solve/rpm_fluid.h"
#include "solve/rpm_limit.h"
#include <stdbool.h>

#define WEIR_RPM_BELOW 1.01 /* times the printed root: there its slope is computed once more */

struct weir_rpm_integration {
    bool forward;                  /* d in place of d_s */
    struct weir_rpm_fluid options; /* as it was run */
    double limit;                  /* of this marking, 1/packet */
    double growth;                 /* weir_rpm_growth(), 1/s; may be NaN */
    struct weir_rpm_course course;
};

struct weir_rpm_answer { /* units: s, 1/s, 1/packet, rad/s */
    struct weir_rpm_model model;
    double gamma, equilibrium;
    double printed, right, exact;                 /* roots; printed is -infinity if d_s = d */
    struct weir_rpm_value eta_printed, eta_below; /* at the printed root and at 1.01 times it */
    double eta_max, eta_max_at;                   /* the largest on (exact, 0), and where */
    double residual;                              /* the larger of those at the printed root and where eta is largest */
    struct weir_rpm_limit limit, limit_forward;
    double approx, approx_forward;
    struct weir_rpm_integration *integration; /* integration_count of them */
    uint32_t integration_count;
};

/* Fills everything but the integrations. */
void weir_rpm_answer_init(struct weir_rpm_answer *answer, const struct weir_rpm_model *m);
#endif
