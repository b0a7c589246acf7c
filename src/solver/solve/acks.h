/* src/solver/solve/acks.h - the max-min allocation of the capacity that acknowledgements leave. Links never limit
 * acknowledgements, but acknowledgements use a part of the links. So a network with traffic in both directions carries
 * less data than its links could. */
#ifndef WEIR_SOLVE_ACKS_H
#define WEIR_SOLVE_ACKS_H
#include "solve/network.h"

#define WEIR_ACKS_CHANGE 1e-9 /* rates have settled when no rate changes by more than this, relative */
#define WEIR_ACKS_ROUNDS 200u /* most rounds; rates that have not settled then are an error */

/**
 * Computes the rates, subtracts their acknowledgements from the capacities, and repeats that until the rates settle.
 * @param net   its capacities are changed to those that the acknowledgements leave
 * @param back  the paths of the acknowledgements: the same flows with src and dst exchanged, over the same links
 * @param part  bits of acknowledgements per bit of data, both in the unit of the capacities: ack bytes / data bytes on
 *              the wire; 0 .. 0.5
 * @param rate, bottleneck  results, as in weir_maxmin_solve()
 * @return 0, or a code with err: WEIR_E_RANGE, WEIR_E_MEMORY; WEIR_E_RUN if the rates have not settled after
 * WEIR_ACKS_ROUNDS rounds
 */
int weir_acks_solve(struct weir_network *net, const struct weir_network *back, double part, double *rate,
                    uint32_t *bottleneck, struct weir_err *err);
#endif
