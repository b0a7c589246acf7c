/* src/solver/solve/acks.h - the max-min allocation of the capacity that acknowledgements leave to data.
 * Acknowledgements use a part of the links, but links never limit them. So with traffic in both directions links carry
 * less data than their rates. */
#ifndef WEIR_SOLVE_ACKS_H
#define WEIR_SOLVE_ACKS_H
#include "solve/network.h"

#define WEIR_ACKS_CHANGE 1e-9 /* rates have settled when a round changes each by at most this part of it */
#define WEIR_ACKS_ROUNDS 200u /* most rounds; it is an error if the rates have not settled after them */

/**
 * Computes the rates, subtracts the acknowledgements that these rates cause from the original capacities, and repeats
 * both steps until the rates settle.
 * @param net   in: the network with its full capacities; out: with the capacities that the acknowledgements leave
 * @param back  the paths of the acknowledgements: the same flows with src and dst exchanged, over the same links
 * @param part  capacity that acknowledgements use per unit of a flow's rate: bytes of ACKs / bytes of DATA, both on the
 * wire
 * @param rate, bottleneck  results, as in weir_maxmin_solve()
 * @return 0, or a code with err: WEIR_E_RANGE, WEIR_E_MEMORY; WEIR_E_RUN if the rates have not settled after
 * WEIR_ACKS_ROUNDS rounds
 */
int weir_acks_solve(struct weir_network *net, const struct weir_network *back, double part, double *rate,
                    uint32_t *bottleneck, struct weir_err *err);
#endif
