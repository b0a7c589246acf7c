/* src/solver/solve/constants.c - Soze's constants from the traffic: lists the instants at which rates change, and
 * solves for each of them. */
#include "solve/constants.h"
#include "core/cable.h"
#include "core/math.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#define P_PS (20 * WEIR_PS_PER_US)          /* OSDI 2025, section 4 */
#define P_APPENDIX_PS (37 * WEIR_PS_PER_US) /* OSDI 2025, appendix D: targets of 3 to 40 us */
#define P_SLOPE_PS (13 * WEIR_PS_PER_US)    /* Weir's: 1 us more of delay asks for 8 % less rate */
#define K_PS (3 * WEIR_PS_PER_US)           /* OSDI 2025, section 4 */
#define LEAST_SPAN 2                        /* least alpha / beta */

struct search { /* state of weir_levels_find() */
    struct weir_levels *levels;
    struct weir_setup *setup;
    const struct weir_allocate_options *options;
    struct weir_err *err;
    uint64_t *instant; /* instant_count times, WEIR_NEVER = all flows at once; owned */
    uint64_t instant_count;
};

static uint32_t most(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void add_instant(struct search *s, uint64_t at_ps)
{
    if (at_ps < s->setup->workload.end_ps)
        s->instant[s->instant_count++] = at_ps;
}

static void add_starts(struct search *s)
{
    const struct weir_workload *wl = &s->setup->workload;
    for (uint64_t i = 0; i < wl->listed_first[wl->hosts]; i++)
        add_instant(s, wl->listed[i].start_ps);
    for (uint32_t f = 0; wl->jobs != NULL && f < wl->jobs->flow_count; f++)
        if (wl->jobs->flow[f].after_count == 0)
            add_instant(s, wl->jobs->flow[f].start_ps);
}

/* Adds the instants at which weights, routes or rates change. */
static void add_changes(struct search *s)
{
    const struct weir_jobs *jobs = s->setup->workload.jobs;
    const struct weir_model *m = &s->setup->model;
    for (uint32_t c = 0; jobs != NULL && c < jobs->change_count; c++)
        add_instant(s, jobs->change[c].at_ps);
    for (uint32_t i = 0; i < m->event_count; i++)
        add_instant(s, m->event[i].at_ps + m->reroute_delay_ps);
    for (uint32_t i = 0; i < m->rate_count; i++)
        add_instant(s, m->rate[i].at_ps);
}

/* Sorts the instants, and keeps each once. Those before the first start, of which first_ps is the time, become that
 * time. */
static void sort_instants(struct search *s, uint64_t first_ps)
{
    uint64_t kept = 0;
    for (uint64_t i = 0; i < s->instant_count; i++)
        s->instant[i] = weir_max_u64(s->instant[i], first_ps);
    qsort(s->instant, s->instant_count, sizeof(*s->instant), by_time);
    for (uint64_t i = 0; i < s->instant_count; i++)
        if (kept == 0 || s->instant[kept - 1] != s->instant[i])
            s->instant[kept++] = s->instant[i];
    s->instant_count = kept;
}

static bool some_flow_waits(const struct weir_jobs *jobs)
{
    for (uint32_t f = 0; jobs != NULL && f < jobs->flow_count; f++)
        if (jobs->flow[f].after_count > 0)
            return true;
    return false;
}

/* Lists the instants to solve for, in s->instant. Without a flow that starts at a known time, that is WEIR_NEVER alone.
 * @return 0, or a code with s->err */
static int list_instants(struct search *s)
{
    const struct weir_workload *wl = &s->setup->workload;
    const struct weir_jobs *jobs = wl->jobs;
    uint64_t room = wl->listed_first[wl->hosts] + s->setup->model.event_count + s->setup->model.rate_count + 1;
    if (jobs != NULL)
        room += (uint64_t)jobs->flow_count + jobs->change_count;
    s->instant = malloc(room * sizeof(*s->instant));
    if (s->instant == NULL)
        return weir_fail(s->err, WEIR_E_MEMORY, NULL, NULL, "no memory for %" PRIu64 " times", room);
    if (s->options->flows != 0 || s->options->at_ps != WEIR_NEVER) {
        s->instant[s->instant_count++] = s->options->at_ps;
        return 0;
    }
    add_starts(s);
    if (s->instant_count > 0) {
        uint64_t first_ps = WEIR_NEVER;
        for (uint64_t i = 0; i < s->instant_count; i++)
            first_ps = weir_min_u64(first_ps, s->instant[i]);
        add_changes(s);
        sort_instants(s, first_ps);
    }
    if (s->instant_count == 0 || some_flow_waits(jobs))
        s->instant[s->instant_count++] = WEIR_NEVER;
    WEIR_ASSERT(s->instant_count <= room);
    if (s->instant_count > WEIR_CONSTANTS_INSTANTS_MAX)
        return weir_fail(s->err, WEIR_E_RANGE, NULL, "--at TIME takes the flows and weights of one instant",
                         "%s: rates change at %" PRIu64 " instants, and at most %u are solved for", s->options->file,
                         s->instant_count, WEIR_CONSTANTS_INSTANTS_MAX);
    return 0;
}

/* Counts the flows whose bottleneck has a queue. crossing: scratch memory, zeroed, one number per link */
static void count_queued(struct search *s, const struct weir_allocate_flows *flows,
                         const struct weir_solution *solution, uint32_t *crossing)
{
    const struct weir_network *net = &solution->net;
    const struct weir_topology *topo = &s->setup->topo;
    uint32_t queued = 0, at_host_ports = 0;
    for (uint32_t u = 0; u < net->first[flows->count]; u++)
        crossing[net->link[u]]++;
    for (uint32_t f = 0; f < flows->count; f++) {
        uint32_t link = solution->bottleneck[f];
        const struct weir_link *at;
        bool is_host;
        if (link == WEIR_MAXMIN_NONE)
            continue;
        at = &topo->link[link];
        is_host = at->rate_bps >= topo->host_link_bps || /* a NIC of several is slower than its host */
                  (weir_topology_has_nics(topo) && at->src < topo->host_count);
        if (crossing[link] < 2 && is_host)
            continue;
        queued++;
        at_host_ports += at->src < topo->host_count;
    }
    s->levels->queued = most(s->levels->queued, queued);
    s->levels->at_host_ports = most(s->levels->at_host_ports, at_host_ports);
}

/* Updates s->levels by the shares at one instant. */
static void take_levels(struct search *s, uint64_t at_ps, const struct weir_allocate_flows *flows,
                        const struct weir_solution *solution)
{
    struct weir_levels *levels = s->levels;
    for (uint32_t f = 0; f < flows->count; f++) {
        struct weir_level level = { solution->rate[f] / flows->flow[f].weight, at_ps, flows->number[f] };
        if (solution->bottleneck[f] == WEIR_MAXMIN_NONE || level.bps <= 0)
            continue;
        if (level.bps > levels->high.bps)
            levels->high = level;
        if (levels->low.bps <= 0 || level.bps < levels->low.bps)
            levels->low = level;
        levels->alone_bps = fmax(levels->alone_bps, (double)s->setup->topo.host_link_bps / flows->flow[f].weight);
    }
    levels->flows = most(levels->flows, flows->count);
    levels->instants++;
}

static int solve_at(struct search *s, uint64_t at_ps)
{
    struct weir_allocate_options options = *s->options;
    struct weir_allocate_flows flows;
    struct weir_solution solution = { 0 };
    uint32_t *crossing = calloc(s->setup->topo.link_count, sizeof(*crossing));
    options.at_ps = at_ps;
    options.capacity = WEIR_CAPACITY_WIRE;
    if (crossing == NULL)
        return weir_fail(s->err, WEIR_E_MEMORY, NULL, NULL, "no memory for %" PRIu32 " links",
                         s->setup->topo.link_count);
    int code = weir_allocate_flows(&flows, s->setup, &options, s->err);
    if (code == 0)
        code = weir_allocate_solve(&solution, s->setup, &options, &flows, s->err);
    if (code == 0) {
        take_levels(s, at_ps, &flows, &solution);
        count_queued(s, &flows, &solution, crossing);
    }
    weir_solution_free(&solution);
    weir_allocate_flows_free(&flows);
    free(crossing);
    return code;
}

int weir_levels_find(struct weir_levels *levels, struct weir_setup *setup, const struct weir_allocate_options *options,
                     struct weir_err *err)
{
    struct search s = { .levels = levels, .setup = setup, .options = options, .err = err };
    *levels = (struct weir_levels){ 0 };
    int code = list_instants(&s);
    for (uint64_t i = 0; code == 0 && i < s.instant_count; i++)
        code = solve_at(&s, s.instant[i]);
    free(s.instant);
    if (code == 0 && levels->queued == 0)
        code = weir_fail(err, WEIR_E_CONFLICT, NULL, "alpha: auto and beta: auto do not depend on the traffic",
                         "%s: no two flows share a full link, and no link is slower than its hosts: no queue forms "
                         "whose delay could depend on alpha and beta",
                         options->file);
    return code;
}

struct weir_constants weir_constants_of(double high_bps, double low_bps)
{
    WEIR_ASSERT(low_bps > 0);
    WEIR_ASSERT(high_bps >= low_bps);
    double alpha_bps = fmax(high_bps, LEAST_SPAN), beta_bps = fmin(low_bps, alpha_bps / LEAST_SPAN);
    return (struct weir_constants){
        .alpha_bps = (uint64_t)llround(alpha_bps),
        .beta_bps = weir_max_u64(1, (uint64_t)llround(beta_bps)),
        .widened = beta_bps < low_bps,
        .p_ps = P_PS,
        .k_ps = K_PS,
        .p_appendix_ps = P_APPENDIX_PS,
        .p_slope_ps = (uint64_t)llround(P_SLOPE_PS * log(alpha_bps / beta_bps)),
    };
}
