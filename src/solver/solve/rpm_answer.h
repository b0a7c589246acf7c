/* src/solver/solve/rpm_answer.h - all numbers of RPM's fluid model for one set of parameters. `weir model rpm` prints
 * them. */
#ifndef WEIR_SOLVE_RPM_ANSWER_H
#define WEIR_SOLVE_RPM_ANSWER_H
#include "solve/rpm_fluid.h"
#include "solve/rpm_limit.h"
#include <stdbool.h>

#define WEIR_RPM_BELOW 1.01 /* the slope is also computed at this multiple of the printed root */

struct weir_rpm_integration {      /* one integration and its results */
    bool forward;                  /* forward marking: d_s = d */
    struct weir_rpm_fluid options; /* options of weir_rpm_fluid_run() */
    double limit;                  /* stability limit of this kind of marking, 1/packet */
    double growth;                 /* weir_rpm_growth(), 1/s; may be NaN */
    struct weir_rpm_course course;
};

struct weir_rpm_answer { /* all numbers for one set of parameters; units: s, 1/s, 1/packet, rad/s */
    struct weir_rpm_model model;
    double gamma, equilibrium;
    double printed, right, exact;                 /* the roots of rpm.h; printed is -infinity if d_s = d */
    struct weir_rpm_value eta_printed, eta_below; /* slopes at the printed root, and at WEIR_RPM_BELOW times that
                                                     root; all zero if it is -infinity */
    double eta_max, eta_max_at;                   /* the largest slope for s in (exact, 0), and its s */
    double residual;                              /* the larger of the residuals at the printed root and at
                                                     eta_max_at */
    struct weir_rpm_limit limit, limit_forward;
    double approx, approx_forward;            /* weir_rpm_limit_approx() of both kinds of marking */
    struct weir_rpm_integration *integration; /* integration_count integrations */
    uint32_t integration_count;
};

/* Computes all numbers for the parameters m, without integrations: integration_count is 0 after the call. */
void weir_rpm_answer_init(struct weir_rpm_answer *answer, const struct weir_rpm_model *m);
#endif
