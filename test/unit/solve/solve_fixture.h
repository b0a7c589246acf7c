/* test/unit/solve/solve_fixture.h - small problems said flow by flow. */
#ifndef WEIR_SOLVE_FIXTURE_H
#define WEIR_SOLVE_FIXTURE_H
#include "test/unit/weir_test.h"
#include "solve/maxmin.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { FIXTURE_MAX = 4096 };

struct fixture {
    struct weir_maxmin_problem p;
    double capacity[FIXTURE_MAX], weight[FIXTURE_MAX], cap[FIXTURE_MAX], share[FIXTURE_MAX], rate[FIXTURE_MAX];
    uint32_t first[FIXTURE_MAX + 1], link[FIXTURE_MAX], bottleneck[FIXTURE_MAX];
};

/* Begins a network of links of these capacities. */
static inline void links(struct fixture *x, uint32_t count, const double *capacity)
{
    x->p = (struct weir_maxmin_problem){
        .link_count = count, .capacity = x->capacity, .weight = x->weight, .first = x->first, .link = x->link
    };
    for (uint32_t l = 0; l < count; l++)
        x->capacity[l] = capacity[l];
    x->first[0] = 0;
}

/* Adds a flow; its links follow by use(). */
static inline void flow(struct fixture *x, double weight)
{
    uint32_t f = x->p.flow_count++;
    x->weight[f] = weight;
    x->cap[f] = INFINITY;
    x->first[f + 1] = x->first[f];
}

static inline void use(struct fixture *x, uint32_t link, double share)
{
    uint32_t *end = &x->first[x->p.flow_count];
    x->link[*end] = link;
    x->share[*end] = share;
    ++*end;
}

static inline void cap(struct fixture *x, double rate)
{
    x->cap[x->p.flow_count - 1] = rate;
    x->p.cap = x->cap;
}

static inline void solve(struct fixture *x)
{
    struct weir_err err = { 0 };
    double gap;
    if (weir_maxmin_solve(&x->p, x->rate, x->bottleneck, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(weir_maxmin_gap(&x->p, x->rate, &gap, &err), 0);
    if (!(gap < 1e-12))
        fail_msg("gap %g", gap);
}

static inline void is_near(double value, double wanted, double relative)
{
    if (!(fabs(value - wanted) <= relative * fabs(wanted)))
        fail_msg("%.17g is not %.17g", value, wanted);
}

static inline void has(const struct fixture *x, uint32_t f, double rate, uint32_t bottleneck)
{
    is_near(x->rate[f], rate, 1e-12);
    assert_int_equal(x->bottleneck[f], bottleneck);
}
#endif
