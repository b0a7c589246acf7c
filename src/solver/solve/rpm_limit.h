/* src/solver/solve/rpm_limit.h - the largest slope of marking for which RPM's fluid model is stable, and the rate at
 * which oscillations decay near that slope. Source: equation (5) of the paper in rpm.h. The limit is not in the paper,
 * which examines a real root: that root does not bound the complex roots. */
#ifndef WEIR_SOLVE_RPM_LIMIT_H
#define WEIR_SOLVE_RPM_LIMIT_H
#include "solve/rpm.h"

#define WEIR_RPM_DELAYS_MAX 1000000.0 /* largest d / d_s: the scan must resolve the phase of the longer delay */

struct weir_rpm_limit { /* a stability limit */
    double eta;         /* 1/packet: the smallest slope > 0 for which (5) has a root on the imaginary axis */
    double omega;       /* rad/s: that root is j omega */
};

/**
 * Computes the stability limit: the model is stable for 0 < eta < limit, and unstable just above the limit. At much
 * larger slopes the model may be stable again if d_s is shorter than 1 / c, the time of a packet. Scans omega upward,
 * by factors of at most 1.0005, and bisects each step in which eta(j omega) becomes real. The scan ends where |eta(j
 * omega)| can no longer be below the smallest eta found.
 * @param m  with d / d_s <= WEIR_RPM_DELAYS_MAX
 */
struct weir_rpm_limit weir_rpm_limit(const struct weir_rpm_model *m);

/* Returns an approximation of the limit for c d much larger than 1: 2 gamma / (b c^2 d_s), in 1/packet. With b = 1/2
 * this is 4 gamma / (c^2 d_s). */
double weir_rpm_limit_approx(const struct weir_rpm_model *m);

/**
 * Returns the rate at which a small oscillation grows: the real part of a root of (5), at the slope eta. At the limit
 * this root is on the imaginary axis; Newton's method follows it from the limit to eta in steps of 1 %. Far from the
 * limit another root may dominate.
 * @param limit  weir_rpm_limit() of this m
 * @param eta    1/packet; > 0
 * @return 1/s; negative = the oscillation decays. NaN if the root is lost, as where it becomes real, far from the
 * limit; also NaN if eta differs from the limit by more than a factor of 100
 */
double weir_rpm_growth(const struct weir_rpm_model *m, const struct weir_rpm_limit *limit, double eta);
#endif
