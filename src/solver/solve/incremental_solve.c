/* src/solver/solve/incremental_solve.c - struct weir_incremental as input of weir_maxmin_solve(): to begin with, to
 * compare, and where following a change would be more work. */
#include "solve/incremental_state.h"
#include <math.h>
#include <stdlib.h>

static bool alloc_list(const struct weir_incremental *inc, struct weir_incremental_list *list)
{
    size_t flows = (size_t)inc->live + 1, uses = (size_t)inc->uses - inc->removed_uses + 1;
    *list = (struct weir_incremental_list){
        .flow = malloc(flows * sizeof(*list->flow)),
        .rate = malloc(flows * sizeof(*list->rate)),
        .holder = malloc(flows * sizeof(*list->holder)),
        .weight = malloc(flows * sizeof(*list->weight)),
        .cap = malloc(flows * sizeof(*list->cap)),
        .first = malloc(flows * sizeof(*list->first)),
        .link = malloc(uses * sizeof(*list->link)),
        .share = malloc(uses * sizeof(*list->share)),
        .capacity = malloc(((size_t)inc->link_count + 1) * sizeof(*list->capacity)),
    };
    return list->flow != NULL && list->rate != NULL && list->holder != NULL && list->weight != NULL &&
           list->cap != NULL && list->first != NULL && list->link != NULL && list->share != NULL &&
           list->capacity != NULL;
}

/* Appends flow f to the problem. A flow without a way has cap 0; all others have none. */
static void list_flow(const struct weir_incremental *inc, struct weir_incremental_list *list, uint32_t f)
{
    const struct inc_flow *flow = &inc->flow[f];
    uint32_t i = list->problem.flow_count++, at = list->first[i];
    list->flow[i] = f;
    list->rate[i] = flow->rate;
    list->holder[i] = flow->holder;
    list->weight[i] = flow->weight;
    list->cap[i] = flow->count > 0 ? INFINITY : 0;
    for (uint32_t u = flow->first; u < flow->first + flow->count; u++, at++) {
        list->link[at] = inc->use[u].link;
        list->share[at] = inc_share(inc, u);
    }
    list->first[i + 1] = at;
}

int weir_incremental_list(const struct weir_incremental *inc, struct weir_incremental_list *list, struct weir_err *err)
{
    WEIR_ASSERT(inc->live <= inc->flow_count && inc->removed_uses <= inc->uses);
    if (!alloc_list(inc, list)) {
        weir_incremental_list_free(list);
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to solve for %u flows", inc->live);
    }
    for (uint32_t l = 0; l < inc->link_count; l++)
        list->capacity[l] = inc->link[l].capacity;
    list->first[0] = 0;
    for (uint32_t f = 0; f < inc->flow_count; f++)
        if (!inc->flow[f].removed)
            list_flow(inc, list, f);
    list->problem.link_count = inc->link_count;
    list->problem.capacity = list->capacity;
    list->problem.weight = list->weight;
    list->problem.cap = list->cap;
    list->problem.first = list->first;
    list->problem.link = list->link;
    list->problem.share = inc->share != NULL ? list->share : NULL;
    return 0;
}

void weir_incremental_list_free(struct weir_incremental_list *list)
{
    free(list->flow);
    free(list->rate);
    free(list->holder);
    free(list->weight);
    free(list->cap);
    free(list->first);
    free(list->link);
    free(list->share);
    free(list->capacity);
    *list = (struct weir_incremental_list){ 0 };
}

/* Returns the distance of a rate from that of solving anew, as a part of the latter. */
static double distance(double rate, double anew)
{
    if (anew > 0)
        return fabs(rate - anew) / anew;
    return rate > 0 ? INFINITY : 0;
}

int weir_incremental_compare(const struct weir_incremental *inc, struct weir_incremental_difference *difference,
                             struct weir_err *err)
{
    struct weir_incremental_list list;
    int code = weir_incremental_list(inc, &list, err);
    *difference = (struct weir_incremental_difference){ .flow = UINT32_MAX };
    if (code != 0)
        return code;
    code = weir_maxmin_solve(&list.problem, list.rate, NULL, err);
    for (uint32_t i = 0; code == 0 && i < list.problem.flow_count; i++) {
        double apart = distance(inc->flow[list.flow[i]].rate, list.rate[i]);
        if (apart > difference->largest || difference->flow == UINT32_MAX) {
            difference->largest = apart;
            difference->flow = list.flow[i];
        }
    }
    weir_incremental_list_free(&list);
    return code;
}

/* Takes everything off the links that inc_put() has put there. */
static void clear_links(struct weir_incremental *inc)
{
    for (uint32_t l = 0; l < inc->link_count; l++) {
        struct inc_link *link = &inc->link[l];
        link->load = link->held = (struct weir_sum){ 0 };
        link->held_count = 0;
        link->free_part = 1;
        link->within = link->need = inc->within;
        link->touched = link->queued = false;
        inc->level[l] = INFINITY;
    }
    inc->out.count = inc->touched_count = 0;
}

/* Returns the rate per weight at which the solver has held a flow; links get the largest of theirs as their level. */
static void set_levels(struct weir_incremental *inc, const struct weir_incremental_list *list)
{
    for (uint32_t i = 0; i < list->problem.flow_count; i++) {
        uint32_t holder = list->holder[i];
        double level = list->rate[i] / list->weight[i];
        if (holder != WEIR_MAXMIN_NONE && (isinf(inc->level[holder]) || inc->level[holder] < level))
            inc->level[holder] = level;
    }
}

int inc_solve(struct weir_incremental *inc, struct weir_err *err)
{
    struct weir_incremental_list list;
    int code = weir_incremental_list(inc, &list, err);
    if (code != 0)
        return code;
    code = weir_maxmin_solve(&list.problem, list.rate, list.holder, err);
    if (code == 0) {
        clear_links(inc);
        set_levels(inc, &list);
        for (uint32_t i = 0; i < list.problem.flow_count; i++)
            inc_reset(inc, list.flow[i], list.holder[i], list.rate[i]);
        inc_set_all_within(inc);
    }
    weir_incremental_list_free(&list);
    return code;
}
