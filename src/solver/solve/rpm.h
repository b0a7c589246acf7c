/* src/solver/solve/rpm.h - the fluid model of RPM, in which a switch marks passing ACKs: roots and slopes of marking.
 * Source: Baganal-Krishna, Tran, Kundel, Rizk, "Accelerating End-host Congestion Response using P4 Programmable
 * Switches", arXiv 2307.09639: Lemma 1, equations (1) to (6). The marking probability is eta times the packets above
 * the target.
 * Departs from the paper: the root of (6) has the wrong sign, see weir_rpm_root_right() and doc/rpm-model.md. In (2) a
 * = 1 and b = 1/2; here they are free. */
#ifndef WEIR_SOLVE_RPM_H
#define WEIR_SOLVE_RPM_H
#include <stdbool.h>

struct weir_rpm_model {  /* one bottleneck and one flow; all numbers are finite */
    double capacity_pps; /* c: packets per second; > 0 */
    double rtt_s;        /* d: round trip with the queueing delay, seconds; > 0 */
    double short_rtt_s;  /* d_s: sender to switch and back; 0 < d_s <= d. Forward marking is d_s = d */
    double a;            /* additive parameter: packets that a window grows per round trip; > 0 */
    double b;            /* multiplicative parameter: the part of a window that a mark takes; 0 < b <= 1 */
};

/* Returns the model of one kind of marking: RPM with d_s as it is, or forward marking with d in its place. */
struct weir_rpm_model weir_rpm_marking(const struct weir_rpm_model *m, bool forward);

/* sign * e^ln. Holds what a double cannot: with d_s = d, eta is about -e^(s d) far below 0. */
struct weir_rpm_value {
    int sign;  /* -1, 0, 1 */
    double ln; /* -infinity if sign is 0 */
};

/* Converts to a double: 0 or an infinity where it holds no such number. */
double weir_rpm_double(struct weir_rpm_value value);

/* Computes gamma = a b c / (a + b c^2 d^2) of (4), in 1/s. */
double weir_rpm_gamma(const struct weir_rpm_model *m);

/* Computes the marking probability in equilibrium, where r = c: a / (a + b c^2 d^2). From (3). */
double weir_rpm_equilibrium(const struct weir_rpm_model *m);

/**
 * Computes the slope for which s is a root of (5): equation (2).
 * @param s  1/s; finite and < 0
 * @return eta in 1/packet; logarithms keep what a double cannot hold
 */
struct weir_rpm_value weir_rpm_eta(const struct weir_rpm_model *m, double s);

/**
 * Computes how far (5) is from 0 at (s, eta): the sum of its six terms over the largest of them.
 * @param s    1/s; finite and < 0
 * @param eta  1/packet
 * @return 0 up to rounding if eta = eta(s); at most 6
 */
double weir_rpm_residual(const struct weir_rpm_model *m, double s, double eta);

/* Computes s* as (6) prints it, in 1/s: minus the positive root of a quadratic. -infinity if d_s = d. */
double weir_rpm_root_printed(const struct weir_rpm_model *m);

/* Computes s_1, the negative root of the same quadratic, in 1/s: -4 gamma / (1 + gamma (d - d_s) + sqrt(Q)), which does
 * not cancel. */
double weir_rpm_root_right(const struct weir_rpm_model *m);

/* Finds the only zero of eta(s) below 0, of which s_1 is an approximation; -2 gamma <= it < 0. In 1/s. */
double weir_rpm_root_exact(const struct weir_rpm_model *m);

/**
 * Finds the largest eta(s) below 0. It is on (s_1, 0); about 2 gamma^2 / c^2 at -gamma.
 * @param at  its s, 1/s; may be NULL
 * @return 1/packet
 */
double weir_rpm_eta_max(const struct weir_rpm_model *m, double *at);
#endif
