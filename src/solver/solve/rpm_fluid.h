/* src/solver/solve/rpm_fluid.h - RPM's fluid model integrated in time, to see on which side of the limit an oscillation
 * dies out.
 * Source: equation (3) of the paper in rpm.h. With y(t) = x(t + tau_f) - x*, the way tau_f from sender to switch drops
 * out:
 *     r' = a r(t - d) / (r d^2) (1 - P(y(t - d))) - b r r(t - d_s) P(y(t - d_s)),   y' = r - c,   P(y) = eta y
 * Departs from the paper: P is kept within 0 .. 1 and the queue x at 0 or more, as in a switch. */
#ifndef WEIR_SOLVE_RPM_FLUID_H
#define WEIR_SOLVE_RPM_FLUID_H
#include "core/err.h"
#include "solve/rpm.h"
#include <stdint.h>

#define WEIR_RPM_WINDOWS_MAX 64u        /* of one integration */
#define WEIR_RPM_STEPS_MAX 1000000000.0 /* of one integration: some twenty seconds of one core */
#define WEIR_RPM_RING_MAX 4000000.0     /* steps per round trip, 16 bytes each */
#define WEIR_RPM_STEPS_PER_DELAY 200    /* a step is d_s / 200 */
#define WEIR_RPM_OFF_MIN 1e-8           /* the start may not be nearer to c: rounding would be measured */
#define WEIR_RPM_OFF_MAX 0.05
#define WEIR_RPM_DECAYED 1e-6 /* an oscillation of this part of the start has died out */
#define WEIR_RPM_LEFT 0.9     /* |r/c - 1| is larger: integration ends */

struct weir_rpm_fluid {
    double eta;         /* slope of marking, 1/packet; > 0 */
    double target_pkts; /* x*: the AQM's target queue, >= 0 */
    double off;         /* r begins at c (1 + off); WEIR_RPM_OFF_MIN .. WEIR_RPM_OFF_MAX */
    double window_s;    /* length of a window, seconds; > 0. Several whole oscillations, if peaks are to compare well */
    uint32_t windows;   /* 2 .. WEIR_RPM_WINDOWS_MAX */
    const volatile int *stop; /* not 0 = leave off; NULL = never */
};

enum weir_rpm_fate { WEIR_RPM_DECAYS, WEIR_RPM_GROWS };

struct weir_rpm_course {
    double peak[WEIR_RPM_WINDOWS_MAX]; /* largest |r/c - 1| of each complete window */
    uint32_t windows;                  /* complete ones; fewer than asked for if it died out, or left */
    uint32_t linear;                   /* the first of them, in which P was never 0 or 1 */
    double ratio;                      /* mean factor from one peak to the next, see weir_rpm_fluid_run(); may be NaN */
    double clipped_s;                  /* when P was first 0 or 1, seconds; infinity = never */
    double end_s;                      /* of the integration, seconds */
    enum weir_rpm_fate fate;           /* GROWS: P was clipped, or the ratio is above 1 */
    uint64_t steps;
};

/* Computes the steps that these windows take. */
double weir_rpm_fluid_steps(const struct weir_rpm_model *m, const struct weir_rpm_fluid *options);

/* Refuses an integration that is too long. @return 0, or WEIR_E_RANGE with err: more than WEIR_RPM_STEPS_MAX or
 * WEIR_RPM_RING_MAX, with what it would take */
int weir_rpm_fluid_check(const struct weir_rpm_model *m, const struct weir_rpm_fluid *options, struct weir_err *err);

/**
 * Computes a start so near to the equilibrium that P is not clipped unless the oscillation grows. It is 0.1 %, or less
 * where the queue would swing by more than a tenth of its distance from the target; never less than WEIR_RPM_OFF_MIN.
 * @param omega  of the oscillation, rad/s; > 0
 * @param eta    1/packet; > 0
 */
double weir_rpm_fluid_off(const struct weir_rpm_model *m, double omega, double eta);

/**
 * Integrates by Heun's method with steps of d_s / 200; delayed values between two steps are interpolated. Before t = 0
 * the rate is c (1 + off) and the queue that of the equilibrium. The ratio is of peaks before P was clipped. Of three
 * or more the first is left out, because other modes die out in it; of fewer than two it is NaN.
 * @return 0, or a code with err: that of weir_rpm_fluid_check(), WEIR_E_MEMORY, WEIR_E_RUN (stop)
 */
int weir_rpm_fluid_run(struct weir_rpm_course *course, const struct weir_rpm_model *m,
                       const struct weir_rpm_fluid *options, struct weir_err *err);
#endif
