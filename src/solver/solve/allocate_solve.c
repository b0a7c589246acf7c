/* src/solver/solve/allocate_solve.c - weir_allocate_solve(): computes the weighted max-min shares of a scenario's
 * flows: finds the paths of flows and acknowledgements, and calls the solver. */
#include "core/cable.h"
#include "core/math.h"
#include "solve/allocate.h"
#include "core/rng.h"
#include "solve/acks.h"
#include "text/clock.h"
#include <stdlib.h>

#define GAP_MAX 1e-6 /* largest gap accepted: rounding gives 1e-15 to 1e-9, and the rounds with acknowledgements 1e-9 */

struct solving { /* arguments of weir_allocate_solve() */
    struct weir_solution *s;
    struct weir_setup *setup;
    const struct weir_allocate_options *options;
    const struct weir_allocate_flows *flows;
};

/* Sets the cables to the state that routes know at options->at_ps: routes know an event only reroute_delay_ps after it.
 * at_ps WEIR_NEVER counts as 0, the beginning of the run. */
static void set_cables(const struct solving *a)
{
    const struct weir_model *m = &a->setup->model;
    uint64_t at_ps = a->options->at_ps == WEIR_NEVER ? 0 : a->options->at_ps;
    for (uint32_t i = 0; i < m->event_count; i++) {
        struct weir_link *link = &a->setup->topo.link[m->event[i].link];
        if (m->event[i].at_ps + m->reroute_delay_ps <= at_ps)
            link->up = a->setup->topo.link[link->reverse].up = m->event[i].up;
    }
}

/* Lowers the capacity of links whose cables are slow at options->at_ps. part: of a link's rate that flows share */
static void set_rates(const struct solving *a, const struct weir_network *net, double part)
{
    const struct weir_model *m = &a->setup->model;
    const struct weir_topology *topo = &a->setup->topo;
    uint64_t at_ps = a->options->at_ps == WEIR_NEVER ? 0 : a->options->at_ps;
    for (uint32_t i = 0; i < m->rate_count && m->rate[i].at_ps <= at_ps; i++) {
        uint32_t link[2] = { m->rate[i].cable, topo->link[m->rate[i].cable].reverse };
        for (int k = 0; k < 2; k++) {
            uint64_t bps = weir_min_u64(topo->link[link[k]].rate_bps, m->rate[i].bps);
            net->capacity[link[k]] = topo->link[link[k]].up ? (double)bps * part : 0;
        }
    }
}

/* Returns the part of a link's rate that flows share: 1 if capacity counts all bytes on the wire, else the part of
 * payload in a full packet. */
static double shared_part(const struct solving *a)
{
    const struct weir_framing *f = &a->setup->scn->framing;
    if (a->options->capacity == WEIR_CAPACITY_WIRE)
        return 1;
    return (double)f->payload_bytes / weir_framing_wire(f, f->payload_bytes);
}

/* Returns the bytes of acknowledgements per byte of DATA, both on the wire. */
static double ack_part(const struct solving *a)
{
    const struct weir_framing *f = &a->setup->scn->framing;
    return (double)f->ack_wire_bytes / ((double)a->setup->scn->host.ack_every * weir_framing_wire(f, f->payload_bytes));
}

/* Computes the paths of the acknowledgements of all flows, into a->s->back. @return 0, or a code with err */
static int find_paths_back(const struct solving *a, const struct weir_routes *routes, struct weir_err *err)
{
    const struct weir_model *m = &a->setup->model;
    struct weir_network_flow *flow = malloc(a->flows->count * sizeof(*flow));
    int code;
    if (flow == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the paths of %u flows", a->flows->count);
    for (uint32_t f = 0; f < a->flows->count; f++) {
        flow[f] = a->flows->flow[f];
        flow[f].src = a->flows->flow[f].dst;
        flow[f].dst = a->flows->flow[f].src;
        flow[f].hash = weir_rng_path_back(flow[f].hash, weir_routing_is_symmetric(m->routing));
        if (m->nics != NULL && m->nics->choice != WEIR_NICS_RAIL) /* with rail the NIC of the same number answers */
            flow[f].transport = weir_nics_of_pair(m->nics, flow[f].src, flow[f].dst);
    }
    code = weir_network_build(&a->s->back, &a->setup->topo, routes, m->nics, m->routing == WEIR_ROUTE_SPRAY, 1, flow,
                              a->flows->count, err);
    if (code == 0)
        set_rates(a, &a->s->back, 1);
    free(flow);
    return code;
}

/* Finds the paths of all flows, and of acknowledgements if they count. keep: as in weir_allocate_paths() */
static int find_paths(const struct solving *a, struct weir_routes *keep, struct weir_err *err)
{
    const struct weir_model *m = &a->setup->model;
    struct weir_routes routes;
    int code;
    set_cables(a);
    code = weir_routes_build(&routes, &a->setup->topo, m->routing, m->metric, m->seed, err);
    if (code != 0)
        return code;
    code = weir_network_build(&a->s->net, &a->setup->topo, &routes, m->nics, m->routing == WEIR_ROUTE_SPRAY,
                              shared_part(a), a->flows->flow, a->flows->count, err);
    if (code == 0)
        set_rates(a, &a->s->net, shared_part(a));
    if (code == 0 && a->options->acks == WEIR_ACKS_COUNTED)
        code = find_paths_back(a, &routes, err);
    if (code == 0 && keep != NULL)
        *keep = routes;
    else
        weir_routes_free(&routes);
    return code;
}

int weir_allocate_paths(struct weir_solution *s, struct weir_routes *keep, struct weir_setup *setup,
                        const struct weir_allocate_options *options, const struct weir_allocate_flows *flows,
                        struct weir_err *err)
{
    struct solving a = { .s = s, .setup = setup, .options = options, .flows = flows };
    uint32_t links = setup->topo.link_count;
    bool *up = malloc(links * sizeof(*up)); /* state of the links as a run begins, to be restored: the run may follow */
    *s = (struct weir_solution){ 0 };
    if (up == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the paths of %u flows", flows->count);
    for (uint32_t l = 0; l < links; l++)
        up[l] = setup->topo.link[l].up;
    uint64_t start_ns = weir_wall_ns();
    int code = find_paths(&a, keep, err);
    s->routes_ns = weir_wall_ns() - start_ns;
    for (uint32_t l = 0; l < links; l++)
        setup->topo.link[l].up = up[l];
    free(up);
    if (code != 0)
        weir_solution_free(s);
    return code;
}

static int solve(const struct solving *a, struct weir_err *err)
{
    struct weir_solution *s = a->s;
    struct weir_maxmin_problem problem = weir_network_problem(&s->net);
    s->rate = malloc(a->flows->count * sizeof(*s->rate));
    s->bottleneck = malloc(a->flows->count * sizeof(*s->bottleneck));
    if (s->rate == NULL || s->bottleneck == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the rates of %u flows", a->flows->count);
    uint64_t start_ns = weir_wall_ns();
    int code = a->options->acks == WEIR_ACKS_COUNTED
                   ? weir_acks_solve(&s->net, &s->back, ack_part(a), s->rate, s->bottleneck, err)
                   : weir_maxmin_solve(&problem, s->rate, s->bottleneck, err);
    s->solve_ns = weir_wall_ns() - start_ns;
    if (code == 0)
        code = weir_maxmin_gap(&problem, s->rate, &s->gap, err);
    if (code == 0 && s->gap > GAP_MAX)
        code = weir_fail(err, WEIR_E_RUN, NULL, "please report this with the scenario",
                         "the rates found are %.1e from max-min fair: this is a bug in Weir", s->gap);
    return code;
}

int weir_allocate_solve(struct weir_solution *s, struct weir_setup *setup, const struct weir_allocate_options *options,
                        const struct weir_allocate_flows *flows, struct weir_err *err)
{
    struct solving a = { .s = s, .setup = setup, .options = options, .flows = flows };
    int code = weir_allocate_paths(s, NULL, setup, options, flows, err);
    if (code != 0)
        return code;
    code = solve(&a, err);
    if (code != 0)
        weir_solution_free(s);
    return code;
}

void weir_solution_free(struct weir_solution *s)
{
    free(s->rate);
    free(s->bottleneck);
    weir_network_free(&s->net);
    weir_network_free(&s->back);
    *s = (struct weir_solution){ 0 };
}
