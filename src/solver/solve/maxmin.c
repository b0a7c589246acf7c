/* src/solver/solve/maxmin.c - progressive filling: the rates of all flows rise together, in proportion to their
 * weights. The first link that is full freezes its flows, and the other flows go on. The level is the rate per weight
 * reached so far. A link is full at the level (capacity left) / (weight of its flows that still rise). That level can
 * only grow as other links fill, because a frozen flow uses less of the link than it would if it still rose. So the
 * heap may have keys that are too small, and the key of the top entry is computed again. The level of a cap does not
 * change. */
#include "solve/maxmin.h"
#include "core/heap.h"
#include "solve/filling.h"
#include <math.h>
#include <stdlib.h>

struct fill {                     /* a link while it fills; an update touches one cache line */
    struct weir_sum left, weight; /* left: capacity not used yet; weight: of the flows that still rise */
    uint32_t rising, first;       /* rising: number of the flows that still rise, counted per use; first: index in
                                filling.flow of the link's first flow */
};

struct filling { /* state of the solver */
    const struct weir_maxmin_problem *p;
    struct fill *fill; /* link_count + 1 entries; the last one ends the list of flows of the last link */
    uint32_t *flow;    /* the flows of all links, link by link */
    uint64_t *held;    /* one bit per flow: its rate is final */
    struct weir_heap heap;
    double level;
    double *rate;
    uint32_t *bottleneck;
};

static inline bool is_held(const struct filling *w, uint32_t f)
{
    return w->held[f / 64] >> f % 64 & 1;
}

static inline double share_of(const struct weir_maxmin_problem *p, uint32_t use)
{
    return p->share != NULL ? p->share[use] : 1;
}

/* Returns the level at which the link is full, at least the present level: rounding may give a slightly smaller value,
 * even below 0. */
static double full_at(const struct filling *w, const struct fill *fill)
{
    return fmax(w->level, weir_sum_value(fill->left) / weir_sum_value(fill->weight));
}

static int refuse(struct weir_err *err, const char *what, uint32_t number)
{
    return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "%s %u is out of its range", what, number);
}

static int check_uses(const struct weir_maxmin_problem *p, uint32_t f, struct weir_err *err)
{
    if (p->first[f + 1] < p->first[f] || p->first[f + 1] > WEIR_MAXMIN_USES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "fewer flows, or routing by flow instead of spraying",
                         "more than %u links on the paths of all flows together", WEIR_MAXMIN_USES_MAX);
    if (p->first[f + 1] == p->first[f] && (p->cap == NULL || isinf(p->cap[f])))
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "flow %u has neither a link nor a cap", f);
    for (uint32_t u = p->first[f]; u < p->first[f + 1]; u++) {
        if (p->link[u] >= p->link_count)
            return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "flow %u crosses link %u, and there are %u", f, p->link[u],
                             p->link_count);
        if (!(share_of(p, u) >= WEIR_MAXMIN_SHARE_MIN && share_of(p, u) <= 1))
            return refuse(err, "a share of flow", f);
    }
    return 0;
}

/* Checks ranges by comparisons that NaN fails. */
int weir_maxmin_check(const struct weir_maxmin_problem *p, struct weir_err *err)
{
    int code = 0;
    if (p->flow_count > WEIR_MAXMIN_FLOWS_MAX || p->link_count > INT32_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "%u flows, %u links: at most %u flows can be solved for",
                         p->flow_count, p->link_count, WEIR_MAXMIN_FLOWS_MAX);
    for (uint32_t l = 0; l < p->link_count; l++)
        if (!(p->capacity[l] >= 0 && p->capacity[l] <= 1e30))
            return refuse(err, "the capacity of link", l);
    for (uint32_t f = 0; f < p->flow_count && code == 0; f++) {
        if (!(p->weight[f] >= WEIR_MAXMIN_WEIGHT_MIN && p->weight[f] <= WEIR_MAXMIN_WEIGHT_MAX))
            return refuse(err, "the weight of flow", f);
        if (p->cap != NULL && !(p->cap[f] >= 0))
            return refuse(err, "the cap of flow", f);
        code = check_uses(p, f, err);
    }
    return code;
}

static uint32_t uses_of(const struct weir_maxmin_problem *p)
{
    return p->flow_count == 0 ? 0 : p->first[p->flow_count];
}

static uint32_t caps_of(const struct weir_maxmin_problem *p)
{
    uint32_t count = 0;
    for (uint32_t f = 0; f < p->flow_count && p->cap != NULL; f++)
        count += !isinf(p->cap[f]);
    return count;
}

static void filling_free(struct filling *w)
{
    free(w->fill);
    free(w->flow);
    free(w->held);
    free(w->heap.entry);
}

static int filling_alloc(struct filling *w, const struct weir_maxmin_problem *p, struct weir_err *err)
{
    w->heap.capacity = p->link_count + caps_of(p) + 1;
    w->fill = calloc((size_t)p->link_count + 1, sizeof(*w->fill));
    w->flow = malloc(((size_t)uses_of(p) + 1) * sizeof(*w->flow));
    w->held = calloc((size_t)p->flow_count / 64 + 1, sizeof(*w->held));
    w->heap.entry = malloc(w->heap.capacity * sizeof(*w->heap.entry));
    if (w->fill != NULL && w->flow != NULL && w->held != NULL && w->heap.entry != NULL)
        return 0;
    filling_free(w);
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to solve for %u flows", p->flow_count);
}

/* Sets the fields weight, rising and first of each link, and the list of its flows in ascending order, by a counting
 * sort of all uses. */
static void list_flows(struct filling *w)
{
    const struct weir_maxmin_problem *p = w->p;
    uint32_t at = 0, uses = uses_of(p);
    for (uint32_t u = 0; u < uses; u++)
        w->fill[p->link[u]].rising++;
    for (uint32_t l = 0; l <= p->link_count; l++) {
        w->fill[l].first = at;
        at += w->fill[l].rising;
    }
    for (uint32_t f = 0; f < p->flow_count; f++)
        for (uint32_t u = p->first[f]; u < p->first[f + 1]; u++) {
            struct fill *fill = &w->fill[p->link[u]];
            double part = p->weight[f] * share_of(p, u);
            w->flow[fill->first++] = f;
            weir_sum_add(&fill->weight, part);
        }
    for (uint32_t l = 0; l < p->link_count; l++) /* back to the beginning of each list */
        w->fill[l].first -= w->fill[l].rising;
}

static void push_levels(struct filling *w)
{
    const struct weir_maxmin_problem *p = w->p;
    for (uint32_t l = 0; l < p->link_count; l++) {
        w->fill[l].left.high = p->capacity[l];
        if (w->fill[l].rising > 0)
            weir_heap_push(&w->heap, weir_level_key(full_at(w, &w->fill[l])), l);
    }
    for (uint32_t f = 0; f < p->flow_count && p->cap != NULL; f++)
        if (!isinf(p->cap[f]))
            weir_heap_push(&w->heap, weir_level_key(p->cap[f] / p->weight[f]), (uint64_t)p->link_count + f);
}

/* Sets the final rate and bottleneck of flow f, and subtracts its rate and weight from its links. */
static void hold(struct filling *w, uint32_t f, double rate, uint32_t bottleneck)
{
    const struct weir_maxmin_problem *p = w->p;
    w->held[f / 64] |= UINT64_C(1) << f % 64;
    w->rate[f] = rate;
    if (w->bottleneck != NULL)
        w->bottleneck[f] = bottleneck;
    for (uint32_t u = p->first[f]; u < p->first[f + 1]; u++) {
        struct fill *fill = &w->fill[p->link[u]];
        double used = rate * share_of(p, u), part = p->weight[f] * share_of(p, u);
        weir_sum_add(&fill->left, -used);
        weir_sum_add(&fill->weight, -part);
        fill->rising--;
    }
}

static void hold_all(struct filling *w, uint32_t link)
{
    const struct weir_maxmin_problem *p = w->p;
    uint32_t end = w->fill[link + 1].first;
    for (uint32_t i = w->fill[link].first; i < end && w->fill[link].rising > 0; i++) {
        uint32_t f = w->flow[i];
        if (!is_held(w, f))
            hold(w, f, p->cap == NULL ? w->level * p->weight[f] : fmin(w->level * p->weight[f], p->cap[f]), link);
    }
}

/* Processes the top of the heap: a cap, whose flow is held; or a link. The key of a link is computed again: if the new
 * key is larger, the link is put back, else all its flows are held. */
static void take_top(struct filling *w)
{
    struct weir_heap_entry top = w->heap.entry[0];
    uint32_t link = (uint32_t)top.id;
    if (top.id >= w->p->link_count) {
        uint32_t f = (uint32_t)(top.id - w->p->link_count);
        weir_heap_pop(&w->heap);
        if (!is_held(w, f)) {
            w->level = fmax(w->level, w->p->cap[f] / w->p->weight[f]);
            hold(w, f, w->p->cap[f], WEIR_MAXMIN_NONE);
        }
        return;
    }
    if (w->fill[link].rising == 0) {
        weir_heap_pop(&w->heap);
        return;
    }
    double level = full_at(w, &w->fill[link]);
    if (weir_level_key(level) > top.at_ps) {
        weir_heap_replace_top(&w->heap, weir_level_key(level), link);
        return;
    }
    w->level = level;
    weir_heap_pop(&w->heap);
    hold_all(w, link);
}

int weir_maxmin_solve(const struct weir_maxmin_problem *p, double *rate, uint32_t *bottleneck, struct weir_err *err)
{
    struct filling w = { .p = p };
    int code = weir_maxmin_check(p, err);
    w.rate = rate;
    w.bottleneck = bottleneck;
    if (code == 0)
        code = filling_alloc(&w, p, err);
    if (code != 0)
        return code;
    list_flows(&w);
    push_levels(&w);
    while (w.heap.count > 0)
        take_top(&w);
    filling_free(&w);
    return 0;
}
