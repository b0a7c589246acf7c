/* src/solver/solve/loop.h - when the loop of Söze's law with a phantom queue is stable: by its linear delay equation
 * and in time. Source: doc/phantom.md, "Stability". Flows of equal weight fill one link. A flow's news is old by
 * d = out + back: the time to the port, and from there to the sender. Deviations from the equilibrium are the delay D
 * and the logarithm of each flow's rate, l. With c = ln(alpha / beta) / p, in base round trips of the network:
 *
 *     D'(t) = rho mean of l_i(t - out_i)          l_i'(t) = (m / rtt_i) (-c D(t - back_i) - l_i(t))
 *
 * With l_i = -c D(t - back_i), rates follow at once. One flow at d = 1 then has the limit c rho = pi / 2. */
#ifndef WEIR_SOLVE_LOOP_H
#define WEIR_SOLVE_LOOP_H
#include <stdbool.h>
#include <stdint.h>

#define WEIR_LOOP_FLOWS_MAX 16u
#define WEIR_LOOP_DELAY_MIN 0.01 /* least out + back of a flow */
#define WEIR_LOOP_P_MAX 64.0     /* largest p of weir_loop_least() */
#define WEIR_LOOP_P_MIN 0.01
#define WEIR_LOOP_M_MIN 0.1 /* least m in time; with a smaller one an oscillation is longer than what is compared */

struct weir_loop_flow {
    double rtt;  /* of this flow; > 0 */
    double out;  /* from the sender to the port, >= 0 */
    double back; /* from the port to the sender, with the news, >= 0; WEIR_LOOP_DELAY_MIN <= out + back <= rtt <= 1 */
};

struct weir_loop {
    struct weir_loop_flow flow[WEIR_LOOP_FLOWS_MAX];
    uint32_t flows; /* 1 .. WEIR_LOOP_FLOWS_MAX */
    double ratio;   /* alpha / beta; > 1 */
    double rho;     /* drain of the phantom queue as a part of the link's rate; > 0, <= 1 */
};

/**
 * Computes the least p at which the linear equation is stable: on the whole imaginary axis, the open loop's gain is
 * below 1 where its phase is -180 degrees.
 * @param m       exponent of the window's update, > 0; infinity = rates follow at once
 * @param period  the oscillation at the limit, in base round trips; may be NULL
 * @return p in base round trips
 */
double weir_loop_limit(const struct weir_loop *loop, double m, double *period);

/**
 * Integrates the loop in time, from a thousandth off the equilibrium. Each byte that is acknowledged moves the flow's
 * window, and the sender paces at window / rtt. With `bounded` it has no more than its window in flight. Near the
 * equilibrium that bound is piecewise linear: a flow stops at once when its window falls.
 * @param m  at least WEIR_LOOP_M_MIN
 * @param p  in base round trips, > 0
 * @return whether the deviation decays; computed with steps of 1/400 base round trip, to which delays are rounded
 */
bool weir_loop_decays(const struct weir_loop *loop, double m, double p, bool bounded);

/**
 * Searches, from WEIR_LOOP_P_MAX downwards, for the least p above which all deviations decay in time.
 * @return p in base round trips, to a percent; WEIR_LOOP_P_MIN if all decay, infinity if none does
 */
double weir_loop_least(const struct weir_loop *loop, double m, bool bounded);
#endif
