/* src/solver/solve/acks.c - see acks.h. The rates are the fixed point of an iteration. The first FULL_STEPS rounds set
 * each capacity to what the acknowledgements of the round before leave. Acknowledgements take a small part of the
 * rates, so each round reduces the error to about that part. Where the links depend on each other more strongly, rates
 * may oscillate; so later rounds change each capacity only by half of the difference. */
#include "solve/acks.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FULL_STEPS = 20 };

struct round {      /* arrays of the iteration */
    double *whole;  /* per link: capacity without acknowledgements */
    double *used;   /* per link: capacity that acknowledgements use */
    double *before; /* per flow: rate of the round before */
};

static void take(struct round *r, const struct weir_network *back, const double *rate, double part)
{
    memset(r->used, 0, back->link_count * sizeof(*r->used));
    for (uint32_t f = 0; f < back->flow_count; f++)
        for (uint32_t u = back->first[f]; u < back->first[f + 1]; u++)
            r->used[back->link[u]] += rate[f] * part * (back->share != NULL ? back->share[u] : 1);
}

/* Returns the largest relative change of a rate since the round before. */
static double changed(const double *before, const double *rate, uint32_t count)
{
    double most = 0;
    for (uint32_t f = 0; f < count; f++)
        if (before[f] > 0 || rate[f] > 0)
            most = fmax(most, fabs(rate[f] - before[f]) / fmax(before[f], rate[f]));
    return most;
}

static int settle(struct weir_network *net, const struct weir_network *back, double part, struct round *r, double *rate,
                  uint32_t *bottleneck, struct weir_err *err)
{
    struct weir_maxmin_problem problem = weir_network_problem(net);
    int code = weir_maxmin_solve(&problem, rate, bottleneck, err);
    for (uint32_t i = 0; code == 0 && i < WEIR_ACKS_ROUNDS; i++) {
        double step = i < FULL_STEPS ? 1 : 0.5;
        memcpy(r->before, rate, net->flow_count * sizeof(*rate));
        take(r, back, rate, part);
        for (uint32_t l = 0; l < net->link_count; l++)
            net->capacity[l] += step * (fmax(0, r->whole[l] - r->used[l]) - net->capacity[l]);
        code = weir_maxmin_solve(&problem, rate, bottleneck, err);
        if (code == 0 && changed(r->before, rate, net->flow_count) <= WEIR_ACKS_CHANGE)
            return 0;
    }
    return code != 0
               ? code
               : weir_fail(err, WEIR_E_RUN, NULL, "the allocation without acknowledgements is defined in any case",
                           "data and acknowledgements push each other back and forth: no rates settle");
}

int weir_acks_solve(struct weir_network *net, const struct weir_network *back, double part, double *rate,
                    uint32_t *bottleneck, struct weir_err *err)
{
    size_t links = net->link_count;
    struct round r = { .whole = malloc((links + 1) * sizeof(*r.whole)),
                       .used = malloc((links + 1) * sizeof(*r.used)),
                       .before = malloc((net->flow_count + (size_t)1) * sizeof(*r.before)) };
    int code;
    if (r.whole == NULL || r.used == NULL || r.before == NULL) {
        code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to solve for %u flows", net->flow_count);
    } else {
        memcpy(r.whole, net->capacity, links * sizeof(*r.whole));
        code = settle(net, back, part, &r, rate, bottleneck, err);
    }
    free(r.whole);
    free(r.used);
    free(r.before);
    return code;
}
