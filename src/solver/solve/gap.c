/* src/solver/solve/gap.c - weir_maxmin_gap(): tests whether rates are max-min fair, from the definition in maxmin.h. */
#include "solve/maxmin.h"
#include <math.h>
#include <stdlib.h>

struct burden {     /* load of one link under the rates that are tested */
    double load;    /* sum of the rates of its flows */
    double largest; /* largest rate per weight among its flows */
};

/* Returns (of - what) / of: the part of `of` by which `what` is smaller; negative if `what` is larger; 0 if `of` is
 * 0. */
static double missing(double of, double what)
{
    return of > 0 ? (of - what) / of : 0;
}

static void gap_load(const struct weir_maxmin_problem *p, const double *rate, struct burden *burden)
{
    for (uint32_t f = 0; f < p->flow_count; f++)
        for (uint32_t u = p->first[f]; u < p->first[f + 1]; u++) {
            struct burden *b = &burden[p->link[u]];
            b->load += p->share != NULL ? rate[f] * p->share[u] : rate[f];
            b->largest = fmax(b->largest, rate[f] / p->weight[f]);
        }
}

/* Returns the third number of weir_maxmin_gap() for flow f: how far it is from having a bottleneck; 0 = it has a
 * bottleneck. */
static double gap_flow(const struct weir_maxmin_problem *p, const struct burden *burden, double rate, uint32_t f)
{
    double nearest = p->cap != NULL && !isinf(p->cap[f]) ? missing(p->cap[f], rate) : INFINITY;
    for (uint32_t u = p->first[f]; u < p->first[f + 1]; u++) {
        const struct burden *b = &burden[p->link[u]];
        double unused = missing(p->capacity[p->link[u]], b->load), behind = missing(b->largest, rate / p->weight[f]);
        nearest = fmin(nearest, fmax(unused, behind));
    }
    return nearest;
}

int weir_maxmin_gap(const struct weir_maxmin_problem *p, const double *rate, double *gap, struct weir_err *err)
{
    struct burden *burden = calloc((size_t)p->link_count + 1, sizeof(*burden));
    double worst = 0;
    if (burden == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to check the rates of %u flows", p->flow_count);
    gap_load(p, rate, burden);
    for (uint32_t l = 0; l < p->link_count; l++)
        if (burden[l].load > p->capacity[l])
            worst = fmax(worst, p->capacity[l] > 0 ? -missing(p->capacity[l], burden[l].load) : INFINITY);
    for (uint32_t f = 0; f < p->flow_count; f++) {
        if (p->cap != NULL && rate[f] > p->cap[f])
            worst = fmax(worst, p->cap[f] > 0 ? -missing(p->cap[f], rate[f]) : INFINITY);
        worst = fmax(worst, gap_flow(p, burden, rate[f], f));
    }
    free(burden);
    *gap = worst;
    return 0;
}
