/* src/solver/solve/loop.c - the linear delay equation; see loop.h. With x = omega rtt / m and theta = omega d, the open
 * loop is
 *
 *     c rho / (i omega) mean of e^(-i theta) / (1 + i x)
 *
 * Its phase is -180 degrees where `across` is 0 and `along` is positive, and its gain there is c rho along / omega. */
#include "solve/loop.h"
#include "core/assert.h"
#include <math.h>
#include <stddef.h>

#define STEP 0.02   /* of theta, and of omega as a part of itself: `across` changes little between two steps */
#define FIRST 1e-3  /* omega of the first step; the phase is nearly -90 degrees there */
#define HALVINGS 60 /* of a step, to find where `across` is 0 */

struct phasor {
    double across, along;
};

/* Returns mean of e^(-i theta) / (1 + i x), turned by 90 degrees: its real part is `across`, its imaginary part
 * -along. */
static struct phasor open_loop(const struct weir_loop *loop, double m, double omega)
{
    struct phasor sum = { 0 };
    for (uint32_t i = 0; i < loop->flows; i++) {
        const struct weir_loop_flow *f = &loop->flow[i];
        double theta = omega * (f->out + f->back), x = omega * f->rtt / m, weight = 1 / ((1 + x * x) * loop->flows);
        sum.across += weight * (cos(theta) - x * sin(theta));
        sum.along += weight * (sin(theta) + x * cos(theta));
    }
    return sum;
}

/* Returns the omega within low .. high at which `across` changes its sign. */
static double crossing(const struct weir_loop *loop, double m, double low, double high)
{
    bool positive = open_loop(loop, m, low).across > 0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if ((open_loop(loop, m, middle).across > 0) == positive)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double weir_loop_limit(const struct weir_loop *loop, double m, double *period)
{
    double longest = 0, omega = FIRST, gain = 0, at = 0;
    bool before = true;
    for (uint32_t i = 0; i < loop->flows; i++)
        longest = fmax(longest, loop->flow[i].out + loop->flow[i].back);
    WEIR_ASSERT(loop->flows > 0 && loop->flows <= WEIR_LOOP_FLOWS_MAX && longest >= WEIR_LOOP_DELAY_MIN && m > 0);
    WEIR_ASSERT(loop->ratio > 1 && loop->rho > 0 && loop->rho <= 1);
    /* No gain exceeds 1 / omega, so nothing beyond 1 / gain is larger. Of several crossings, with p falling, the one
     * with the largest gain is the first that is a root of the equation. */
    while (omega * gain < 1) {
        double next = fmin(omega * (1 + STEP), omega + STEP / longest);
        bool after = open_loop(loop, m, next).across > 0;
        if (before != after) {
            double zero = crossing(loop, m, omega, next), there = open_loop(loop, m, zero).along / zero;
            if (there > gain) {
                gain = there;
                at = zero;
            }
        }
        before = after;
        omega = next;
    }
    if (period != NULL)
        *period = 2 * acos(-1) / at;
    return log(loop->ratio) * loop->rho * gain;
}
