/* src/solver/solve/rpm_limit.h - the largest slope of marking for which RPM's fluid model is stable, and how fast it
 * settles near there.
 * Source: equation (5) of the paper in rpm.h. The limit is not in the paper: a real root does not bound the complex
 * ones. */
#ifndef WEIR_SOLVE_RPM_LIMIT_H
#define WEIR_SOLVE_RPM_LIMIT_H
#include "solve/rpm.h"

#define WEIR_RPM_DELAYS_MAX 1000000.0 /* d / d_s at most: the scan has to resolve the phase of the longer delay */

struct weir_rpm_limit {
    double eta;   /* 1/packet: the smallest > 0 for which (5) has a root on the imaginary axis */
    double omega; /* rad/s: the root is j omega */
};

/**
 * Finds the limit: the model is stable for 0 < eta < the limit. Above it, it is unstable; at much larger slopes it may
 * be stable once more where d_s is less than the time of a packet. Scans omega upward, in steps of a factor 1.0005 at
 * most, and bisects each step in which eta(j omega) becomes real. Ends where the magnitude of eta(j omega) can no
 * longer be below what was found.
 * @param m  d / d_s <= WEIR_RPM_DELAYS_MAX
 */
struct weir_rpm_limit weir_rpm_limit(const struct weir_rpm_model *m);

/* Computes 2 gamma / (b c^2 d_s), in 1/packet: the limit if c d is much larger than 1. With b = 1/2 this is 4 gamma /
 * (c^2 d_s). */
double weir_rpm_limit_approx(const struct weir_rpm_model *m);

/**
 * Computes the rate at which a small oscillation grows: the real part of the root of (5) that is on the imaginary axis
 * at the limit. Follows it by Newton's method in steps of 1 % of eta. Far from the limit another root may be the one
 * that counts.
 * @param limit  of this m
 * @param eta    1/packet; > 0
 * @return 1/s; < 0 decays. Not a number if the root is lost, which happens far from the limit where it becomes real
 */
double weir_rpm_growth(const struct weir_rpm_model *m, const struct weir_rpm_limit *limit, double eta);
#endif
