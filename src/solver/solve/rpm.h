/* src/solver/solve/rpm.h - the fluid model of RPM, in which a switch marks passing ACKs: roots and slopes of marking.
 * Source: Baganal-Krishna, Tran, Kundel, Rizk, "Accelerating End-host Congestion Response using P4 Programmable
 * Switches", arXiv 2307.09639: Lemma 1, equations (1) to (6). The marking probability is eta times the packets above
 * the target. Departs from the paper: the root of (6) has the wrong sign there, see weir_rpm_root_right() and
 * doc/rpm-model.md. In (2) a = 1 and b = 1/2; here both are parameters. */
#ifndef WEIR_SOLVE_RPM_H
#define WEIR_SOLVE_RPM_H
#include <stdbool.h>

struct weir_rpm_model {  /* one bottleneck and one flow; all numbers are finite */
    double capacity_pps; /* c: packets per second; > 0 */
    double rtt_s;        /* d: round trip with the queueing delay, seconds; > 0 */
    double short_rtt_s;  /* d_s: sender to switch and back, seconds; 0 < d_s <= d; d_s = d is forward marking */
    double a;            /* additive parameter: growth of the window per round trip, packets; > 0 */
    double b;            /* multiplicative parameter: part by which a mark cuts the window; 0 < b <= 1 */
};

/* Returns the model of one kind of marking. forward: true = forward marking, a copy of *m with d_s = d; false = RPM, an
 * unchanged copy of *m */
struct weir_rpm_model weir_rpm_marking(const struct weir_rpm_model *m, bool forward);

/* A number as sign * e^ln, for numbers that a double cannot hold. For example, with d_s = d and s far below 0, the
 * magnitude of eta is of the order of e^(s d). */
struct weir_rpm_value {
    int sign;  /* -1, 0, 1 */
    double ln; /* -infinity if sign is 0 */
};

/* Converts a value to a double; the result is 0 or infinite if a double cannot hold the value. */
double weir_rpm_double(struct weir_rpm_value value);

/* Returns gamma = a b c / (a + b c^2 d^2) of (4), in 1/s. */
double weir_rpm_gamma(const struct weir_rpm_model *m);

/* Returns the marking probability in equilibrium, where r = c: a / (a + b c^2 d^2), from (3). */
double weir_rpm_equilibrium(const struct weir_rpm_model *m);

/**
 * Computes the slope of marking for which s is a root of (5), by equation (2).
 * @param s  1/s; finite and < 0
 * @return eta in 1/packet, as a logarithm because a double may not hold it
 */
struct weir_rpm_value weir_rpm_eta(const struct weir_rpm_model *m, double s);

/**
 * Computes the residual of (5) at (s, eta): the absolute value of the sum of the six terms, divided by that of the
 * largest term.
 * @param s    1/s; finite and < 0
 * @param eta  1/packet
 * @return 0 up to rounding if eta = weir_rpm_eta(m, s); at most 6
 */
double weir_rpm_residual(const struct weir_rpm_model *m, double s, double eta);

/* Returns s* as equation (6) of the paper has it, in 1/s: minus the positive root of a quadratic equation. Returns
 * -infinity if d_s = d. */
double weir_rpm_root_printed(const struct weir_rpm_model *m);

/* Returns s_1, the negative root of the equation of weir_rpm_root_printed(), in 1/s. Computes it as -4 gamma / (1 +
 * gamma (d - d_s) + sqrt(Q)): in this form no nearly equal numbers are subtracted. */
double weir_rpm_root_right(const struct weir_rpm_model *m);

/* Computes s_0, the only zero of eta(s) below 0, in 1/s; s_1 is an approximation of s_0. @return -2 gamma <= s_0 < 0 */
double weir_rpm_root_exact(const struct weir_rpm_model *m);

/**
 * Computes the largest eta(s) for s < 0. The maximum is in (s_0, 0); for c d much larger than 1 it is about gamma^2 /
 * (b c^2), at s = -gamma.
 * @param at  out: the s of the maximum, 1/s; may be NULL
 * @return 1/packet
 */
double weir_rpm_eta_max(const struct weir_rpm_model *m, double *at);
#endif
