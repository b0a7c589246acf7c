/* src/solver/solve/loop_fluid.c - the loop of loop.h in time, with windows and bytes in flight. Rates are parts of a
 * flow's share, delays are deviations from the equilibrium's. */
#include "core/assert.h"
#include "solve/loop.h"
#include <math.h>

#define STEPS 400      /* per base round trip */
#define RING 512u      /* steps that are kept, a power of two above STEPS */
#define SPAN 60        /* base round trips whose largest deviations are compared */
#define SPANS 4        /* the last is compared with the one before; in the first ones other modes decay */
#define OFF 1e-3       /* deviation of the first flow's window at the start */
#define DECAYED 1e-9   /* no larger deviation is measured */
#define LEFT 0.5       /* with a larger one the oscillation grows */
#define SEARCH 0.8     /* factor from one p to the next in a search */
#define PRECISION 0.01 /* of p */

struct sender {
    double share[RING];      /* what it sent, in shares of the link, by step */
    double rate, flight;     /* rate: its window / rtt; flight: what it sent in the last round trip */
    uint32_t rtt, out, back; /* in steps */
    double base_rtts;        /* the same as a number of base round trips */
};

struct fluid {
    struct sender sender[WEIR_LOOP_FLOWS_MAX];
    double delay[RING]; /* D less that of the equilibrium, by step */
    double gain;        /* c: ln(alpha / beta) / p */
    double m;
    const struct weir_loop *loop;
    uint32_t now;
    bool bounded;
};

static uint32_t steps_of(double base_rtts)
{
    return (uint32_t)lround(base_rtts * STEPS);
}

static void fluid_init(struct fluid *f, const struct weir_loop *loop, double m, double p, bool bounded)
{
    *f = (struct fluid){ .gain = log(loop->ratio) / p, .m = m, .loop = loop, .bounded = bounded };
    for (uint32_t i = 0; i < loop->flows; i++) {
        struct sender *s = &f->sender[i];
        *s = (struct sender){ .rate = i == 0 ? 1 + OFF : 1,
                              .rtt = steps_of(loop->flow[i].rtt),
                              .out = steps_of(loop->flow[i].out),
                              .back = steps_of(loop->flow[i].back) };
        s->base_rtts = (double)s->rtt / STEPS;
        s->flight = s->base_rtts;
        for (uint32_t k = 0; k < RING; k++)
            s->share[k] = 1;
    }
}

/* Moves the window by what is acknowledged, and sends what the pace allows, and the window if it bounds. */
static void send(struct fluid *f, struct sender *s)
{
    double acked = s->share[(f->now - s->rtt) % RING] / STEPS;
    double error = -f->gain * f->delay[(f->now - s->back) % RING] - log(s->rate);
    double sent;
    s->rate *= exp(f->m * error * acked / (s->rate * s->base_rtts));
    s->flight -= acked;
    sent = s->rate / STEPS;
    if (f->bounded)
        sent = fmin(sent, fmax(0, s->rate * s->base_rtts - s->flight));
    s->flight += sent;
    s->share[f->now % RING] = sent * STEPS;
}

/* Integrates SPAN base round trips. @return the largest deviation of a rate; if above LEFT, it ended early */
static double span_peak(struct fluid *f)
{
    double peak = 0;
    for (uint32_t k = 0; k < SPAN * STEPS && peak <= LEFT; k++) {
        double arrived = 0;
        for (uint32_t i = 0; i < f->loop->flows; i++)
            arrived += f->sender[i].share[(f->now - f->sender[i].out) % RING];
        f->delay[f->now % RING] = f->delay[(f->now - 1) % RING] + f->loop->rho * (arrived / f->loop->flows - 1) / STEPS;
        for (uint32_t i = 0; i < f->loop->flows; i++) {
            send(f, &f->sender[i]);
            peak = fmax(peak, fabs(f->sender[i].rate - 1));
        }
        f->now++;
    }
    return peak;
}

bool weir_loop_decays(const struct weir_loop *loop, double m, double p, bool bounded)
{
    struct fluid f;
    double before = LEFT, last = LEFT;
    WEIR_ASSERT(loop->flows > 0 && loop->flows <= WEIR_LOOP_FLOWS_MAX && m >= WEIR_LOOP_M_MIN && p > 0);
    fluid_init(&f, loop, m, p, bounded);
    f.now = RING; /* so that no step before the first one has a negative number */
    for (int span = 0; span < SPANS; span++) {
        before = last;
        last = span_peak(&f);
        if (last > LEFT || last < DECAYED)
            return last < DECAYED;
    }
    return last < before;
}

double weir_loop_least(const struct weir_loop *loop, double m, bool bounded)
{
    double high = WEIR_LOOP_P_MAX, low;
    if (!weir_loop_decays(loop, m, high, bounded))
        return (double)INFINITY;
    low = high * SEARCH;
    while (weir_loop_decays(loop, m, low, bounded)) {
        high = low;
        if (low < WEIR_LOOP_P_MIN)
            return WEIR_LOOP_P_MIN;
        low *= SEARCH;
    }
    while (high > low * (1 + PRECISION)) {
        double middle = sqrt(low * high);
        if (weir_loop_decays(loop, m, middle, bounded))
            high = middle;
        else
            low = middle;
    }
    return high;
}
