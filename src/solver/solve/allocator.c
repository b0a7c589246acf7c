/* src/solver/solve/allocator.c - see allocator.h. */
#include "solve/allocator.h"
#include "text/clock.h"
#include <stdlib.h>
#include <string.h>

struct weir_allocator {
    struct weir_setup *setup;
    struct weir_allocate_flows flows; /* all that were ever there; those that are gone, too */
    struct weir_routes routes;
    struct weir_paths paths;
    struct weir_incremental *inc; /* its flow i is flows.flow[i] */
    uint64_t routes_ns, solve_ns;
};

static int find_and_solve(struct weir_allocator *a, const struct weir_allocate_options *options, double within,
                          struct weir_err *err)
{
    const struct weir_model *m = &a->setup->model;
    struct weir_solution s;
    int code = weir_allocate_paths(&s, &a->routes, a->setup, options, &a->flows, err);
    if (code != 0)
        return code;
    a->routes_ns = s.routes_ns;
    struct weir_maxmin_problem problem = weir_network_problem(&s.net);
    uint64_t start_ns = weir_wall_ns();
    a->inc = weir_incremental_new(&problem, within, err);
    a->solve_ns = weir_wall_ns() - start_ns;
    weir_solution_free(&s);
    if (a->inc == NULL)
        return (int)err->code;
    return weir_paths_init(&a->paths, &a->setup->topo, &a->routes, m->nics, m->routing == WEIR_ROUTE_SPRAY, err);
}

struct weir_allocator *weir_allocator_open(struct weir_setup *setup, const struct weir_allocate_options *options,
                                           double within, struct weir_err *err)
{
    struct weir_allocator *a = NULL;
    if (options->acks == WEIR_ACKS_COUNTED) {
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "leave --acks out",
                        "--acks counted: changes are followed without acknowledgements alone");
        return NULL;
    }
    a = calloc(1, sizeof(*a));
    if (a == NULL) {
        (void)weir_fail_memory(err);
        return NULL;
    }
    a->setup = setup;
    if (weir_allocate_flows(&a->flows, setup, options, err) == 0 && find_and_solve(a, options, within, err) == 0)
        return a;
    weir_allocator_close(a);
    return NULL;
}

void weir_allocator_close(struct weir_allocator *a)
{
    if (a == NULL)
        return;
    weir_incremental_free(a->inc);
    weir_paths_free(&a->paths);
    weir_routes_free(&a->routes);
    weir_allocate_flows_free(&a->flows);
    free(a);
}

/* ---- changes ---- */

static int check_host(const struct weir_allocator *a, uint32_t host, const struct weir_tok *where, struct weir_err *err)
{
    uint32_t hosts = a->setup->topo.host_count;
    if (host < hosts)
        return 0;
    return weir_fail(err, WEIR_E_RANGE, where, NULL, "host %u does not exist: the topology has %u hosts (0 to %u)",
                     host, hosts, hosts - 1);
}

static int check_weight(double weight, const struct weir_tok *where, struct weir_err *err)
{
    if (weight >= WEIR_CHANGE_WEIGHT_MIN && weight <= WEIR_CHANGE_WEIGHT_MAX)
        return 0;
    return weir_fail(err, WEIR_E_RANGE, where, NULL, "weight %g: must be a number from %g to %.0f", weight,
                     WEIR_CHANGE_WEIGHT_MIN, WEIR_CHANGE_WEIGHT_MAX);
}

/* Finds the flow that a change names. @return its index; UINT32_MAX with err = there is none */
static uint32_t find_named(const struct weir_allocator *a, uint32_t number, const struct weir_tok *where,
                           struct weir_err *err)
{
    uint32_t flow = weir_allocator_find(a, number);
    if (flow == UINT32_MAX)
        (void)weir_fail(err, WEIR_E_RANGE, where, "numbers are those of --csv, and go on from the last",
                        "there is no flow %u, or no longer", number);
    return flow;
}

static int add(struct weir_allocator *a, const struct weir_change *change, const struct weir_tok *where,
               struct weir_incremental_effect *effect, struct weir_err *err)
{
    int code = check_host(a, change->src, where, err);
    if (code == 0)
        code = check_host(a, change->dst, where, err);
    if (code == 0 && change->src == change->dst)
        code = weir_fail(err, WEIR_E_RANGE, where, NULL, "host %u cannot send to itself", change->src);
    if (code == 0)
        code = check_weight(change->weight, where, err);
    if (code == 0 && a->flows.count == WEIR_MAXMIN_FLOWS_MAX)
        code = weir_fail(err, WEIR_E_RANGE, where, NULL, "at most %u flows can be added", WEIR_MAXMIN_FLOWS_MAX);
    if (code == 0)
        code = weir_allocate_flows_add(&a->flows, a->setup, change->src, change->dst, change->weight, err);
    if (code == 0)
        code = weir_paths_find(&a->paths, &a->flows.flow[a->flows.count - 1], err);
    if (code != 0)
        return code;
    return weir_incremental_add(a->inc, change->weight, a->paths.link,
                                weir_paths_have_parts(&a->paths) ? a->paths.share : NULL, a->paths.count, effect, err);
}

static int change_it(struct weir_allocator *a, const struct weir_change *change, const struct weir_tok *where,
                     uint32_t *flow, struct weir_incremental_effect *effect, struct weir_err *err)
{
    int code;
    if (change->kind == WEIR_CHANGE_ADD) {
        code = add(a, change, where, effect, err);
        *flow = a->flows.count - 1;
        return code;
    }
    *flow = find_named(a, change->flow, where, err);
    if (*flow == UINT32_MAX)
        return WEIR_E_RANGE;
    if (change->kind == WEIR_CHANGE_REMOVE)
        return weir_incremental_remove(a->inc, *flow, effect, err);
    code = check_weight(change->weight, where, err);
    if (code != 0)
        return code;
    a->flows.flow[*flow].weight = change->weight;
    return weir_incremental_weigh(a->inc, *flow, change->weight, effect, err);
}

int weir_allocator_change(struct weir_allocator *a, const struct weir_change *change, const struct weir_tok *where,
                          struct weir_changed *changed, struct weir_err *err)
{
    struct weir_incremental_effect effect = { 0 };
    uint32_t flow;
    int code = change_it(a, change, where, &flow, &effect, err);
    if (code != 0)
        return code;
    *changed = (struct weir_changed){ .flow = a->flows.number[flow],
                                      .flows = effect.flows,
                                      .moved = effect.moved,
                                      .largest = effect.largest,
                                      .steps = effect.steps,
                                      .solved = effect.solved };
    return 0;
}

/* ---- what there is ---- */

uint32_t weir_allocator_number(const struct weir_allocator *a, uint32_t flow)
{
    return a->flows.number[flow];
}

uint32_t weir_allocator_find(const struct weir_allocator *a, uint32_t number)
{
    uint32_t low = 0, high = a->flows.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (a->flows.number[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < a->flows.count && a->flows.number[low] == number && weir_incremental_has(a->inc, low);
    return found ? low : UINT32_MAX;
}

const struct weir_incremental *weir_allocator_rates(const struct weir_allocator *a)
{
    return a->inc;
}

int weir_allocator_compare(const struct weir_allocator *a, struct weir_incremental_difference *difference,
                           struct weir_err *err)
{
    int code = weir_incremental_compare(a->inc, difference, err);
    difference->flow = difference->flow != UINT32_MAX ? a->flows.number[difference->flow] : 0;
    return code;
}

/* Makes a solution of a list of flows, which it takes over. */
static void take_list(const struct weir_allocator *a, struct weir_incremental_list *list, struct weir_solution *s)
{
    const struct weir_maxmin_problem *p = &list->problem;
    s->net = (struct weir_network){ .capacity = list->capacity,
                                    .weight = list->weight,
                                    .cap = list->cap,
                                    .share = list->share,
                                    .first = list->first,
                                    .link = list->link,
                                    .link_count = p->link_count,
                                    .flow_count = p->flow_count,
                                    .use_room = p->first[p->flow_count] };
    for (uint32_t f = 0; f < p->flow_count; f++)
        s->net.lost_count += p->first[f + 1] == p->first[f];
    s->rate = list->rate;
    s->bottleneck = list->holder;
    s->routes_ns = a->routes_ns;
    s->solve_ns = a->solve_ns;
    *list = (struct weir_incremental_list){ .flow = list->flow };
}

int weir_allocator_result(const struct weir_allocator *a, struct weir_allocate_flows *flows,
                          struct weir_solution *solution, struct weir_err *err)
{
    struct weir_incremental_list list;
    int code = weir_incremental_list(a->inc, &list, err);
    *flows = (struct weir_allocate_flows){ 0 };
    *solution = (struct weir_solution){ 0 };
    if (code != 0)
        return code;
    uint32_t count = list.problem.flow_count;
    take_list(a, &list, solution);
    flows->flow = malloc(((size_t)count + 1) * sizeof(*flows->flow));
    flows->number = malloc(((size_t)count + 1) * sizeof(*flows->number));
    if (flows->flow == NULL || flows->number == NULL) {
        code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for %u flows", count);
    } else {
        struct weir_maxmin_problem problem = weir_network_problem(&solution->net);
        for (uint32_t i = 0; i < count; i++) {
            flows->flow[i] = a->flows.flow[list.flow[i]];
            flows->number[i] = a->flows.number[list.flow[i]];
        }
        flows->count = flows->room = count;
        code = weir_maxmin_gap(&problem, solution->rate, &solution->gap, err);
    }
    weir_incremental_list_free(&list);
    if (code != 0) {
        weir_allocate_flows_free(flows);
        weir_solution_free(solution);
    }
    return code;
}
