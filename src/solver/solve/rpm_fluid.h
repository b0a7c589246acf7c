/* src/solver/solve/rpm_fluid.h - integrates RPM's fluid model in time, to see whether an oscillation decays below the
 * stability limit and grows above it. Source: equation (3) of the paper in rpm.h. With y(t) = x(t + tau_f) - x*, the
 * delay tau_f from sender to switch cancels:
 *
 *     r' = a r(t - d) / (r d^2) (1 - P(y(t - d))) - b r r(t - d_s) P(y(t - d_s)),   y' = r - c,   P(y) = eta y
 *
 * Departs from the paper: P is kept within 0 .. 1 and the queue x at 0 or more, as in a switch. */
#ifndef WEIR_SOLVE_RPM_FLUID_H
#define WEIR_SOLVE_RPM_FLUID_H
#include "core/err.h"
#include "solve/rpm.h"
#include <stdint.h>

#define WEIR_RPM_WINDOWS_MAX 64u        /* most windows of one integration */
#define WEIR_RPM_STEPS_MAX 1000000000.0 /* most steps of one integration: about twenty seconds of one core */
#define WEIR_RPM_RING_MAX 4000000.0     /* most steps per round trip, 16 bytes each */
#define WEIR_RPM_STEPS_PER_DELAY 200    /* a step is d_s / 200 */
#define WEIR_RPM_OFF_MIN 1e-8           /* smallest `off`: with a smaller one, rounding errors would be measured */
#define WEIR_RPM_OFF_MAX 0.05           /* largest `off` */
#define WEIR_RPM_DECAYED 1e-6           /* an oscillation has decayed when its peak is below this part of `off` */
#define WEIR_RPM_LEFT 0.9               /* integration ends if |r/c - 1| exceeds this */

struct weir_rpm_fluid {       /* options of an integration */
    double eta;               /* slope of marking, 1/packet; > 0 */
    double target_pkts;       /* x*: the AQM's target queue, >= 0 */
    double off;               /* r begins at c (1 + off); WEIR_RPM_OFF_MIN .. WEIR_RPM_OFF_MAX */
    double window_s;          /* length of a window, seconds; > 0. It should hold several oscillations, so that peaks
                                 of windows can be compared */
    uint32_t windows;         /* 2 .. WEIR_RPM_WINDOWS_MAX */
    const volatile int *stop; /* not 0 = stop the integration; NULL = never */
};

/* Result of an integration: the oscillation decays or grows. */
enum weir_rpm_fate { WEIR_RPM_DECAYS, WEIR_RPM_GROWS };

struct weir_rpm_course {               /* results of an integration */
    double peak[WEIR_RPM_WINDOWS_MAX]; /* largest |r/c - 1| of each complete window */
    uint32_t windows;                  /* number of complete windows; fewer than requested if the integration ended
                                          early */
    uint32_t linear;                   /* number of windows before P was clipped to 0 or 1 */
    double ratio;                      /* mean factor from the peak of a window to that of the next, see
                                          weir_rpm_fluid_run(); may be NaN */
    double clipped_s;                  /* time when P was first clipped to 0 or 1, seconds; infinity = never */
    double end_s;                      /* end of the integration, seconds */
    enum weir_rpm_fate fate;           /* GROWS: P was clipped, |r/c - 1| exceeded WEIR_RPM_LEFT, or the ratio is
                                          above 1 */
    uint64_t steps;
};

/* Returns the number of steps of all options->windows windows together. */
double weir_rpm_fluid_steps(const struct weir_rpm_model *m, const struct weir_rpm_fluid *options);

/* Refuses an integration that takes more than WEIR_RPM_STEPS_MAX steps, or more than WEIR_RPM_RING_MAX steps per round
 * trip; err says how many. @return 0, or WEIR_E_RANGE with err */
int weir_rpm_fluid_check(const struct weir_rpm_model *m, const struct weir_rpm_fluid *options, struct weir_err *err);

/**
 * Returns a value for options->off: a start so near to the equilibrium that P is not clipped unless the oscillation
 * grows. The value is 0.001, or less if the queue would then swing by more than a tenth of its distance from the target
 * in equilibrium; but at least WEIR_RPM_OFF_MIN.
 * @param omega  frequency of the oscillation, rad/s; > 0
 * @param eta    1/packet; > 0
 */
double weir_rpm_fluid_off(const struct weir_rpm_model *m, double omega, double eta);

/**
 * Integrates the model by Heun's method with steps of d_s / 200; delayed values between two steps are interpolated.
 * Before t = 0 the rate is c (1 + off), and the queue is that of the equilibrium. The integration ends early when the
 * oscillation has decayed (WEIR_RPM_DECAYED) or |r/c - 1| exceeds WEIR_RPM_LEFT. The ratio is computed from the peaks
 * of the windows before P was clipped. If there are three or more such windows, the first is left out, because other
 * modes decay in it. With fewer than two such windows the ratio is NaN.
 * @return 0, or a code with err: that of weir_rpm_fluid_check(), WEIR_E_MEMORY, or WEIR_E_RUN if *options->stop was set
 */
int weir_rpm_fluid_run(struct weir_rpm_course *course, const struct weir_rpm_model *m,
                       const struct weir_rpm_fluid *options, struct weir_err *err);
#endif
