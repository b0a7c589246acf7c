/* src/solver/solve/acks.h - the max-min allocation of the capacity that acknowledgements leave. Links hold no
 * acknowledgements back, but these use a part of them: a network with traffic both ways carries less data than its
 * links could. */
#ifndef WEIR_SOLVE_ACKS_H
#define WEIR_SOLVE_ACKS_H
#include "solve/network.h"

#define WEIR_ACKS_CHANGE 1e-9 /* rates have settled when none changes by more than this, relative */
#define WEIR_ACKS_ROUNDS 200u

/**
 * Solves, subtracts the acknowledgements of those rates from the capacities, solves again, until nothing changes.
 * @param net   its capacities become what the acknowledgements leave
 * @param back  the paths of the acknowledgements: flow by flow with src and dst exchanged, over the same links
 * @param part  bits of acknowledgements per bit of data, both in the unit of the capacities: ack bytes / data bytes on
 *              the wire; 0 .. 0.5
 * @param rate, bottleneck  out, as of weir_maxmin_solve()
 * @return 0, or with err: WEIR_E_RANGE, WEIR_E_MEMORY; WEIR_E_RUN if the rates do not settle
 */
int weir_acks_solve(struct weir_network *net, const struct weir_network *back, double part, double *rate,
                    uint32_t *bottleneck, struct weir_err *err);
#endif
