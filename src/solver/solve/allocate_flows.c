/* src/solver/solve/allocate_flows.c - weir_allocate_flows(): lists the flows that share the network, with their weights
 * and path hashes. */
#include "solve/allocate.h"
#include "core/assert.h"
#include "core/rng.h"
#include "model/nics.h"
#include "workload/jobs.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct row { /* a flow while the list is built */
    struct weir_network_flow flow;
    uint64_t start_ps;      /* WEIR_NEVER = not known, and sorted last */
    uint32_t number, order; /* number: as in struct weir_allocate_flows; order: flows added before this one */
};

struct taker { /* state while the list is built */
    const struct weir_setup *setup;
    const struct weir_allocate_options *options;
    struct row *row;          /* memory for as many flows as there may be */
    uint32_t count, untagged; /* count: flows so far; untagged: those of them without a tag */
};

static void take(struct taker *t, uint32_t src, uint32_t dst, uint64_t start_ps, double weight, uint32_t tag)
{
    t->row[t->count] = (struct row){
        .flow = { .weight = weight, .src = src, .dst = dst },
        .start_ps = start_ps,
        .number = tag != 0 ? tag : t->setup->workload.tag_count + ++t->untagged,
        .order = t->count,
    };
    t->count++;
}

static double weight_of(uint64_t weight_q20)
{
    return (double)weight_q20 / (double)WEIR_WEIGHT_ONE;
}

static void take_listed(struct taker *t)
{
    const struct weir_workload *wl = &t->setup->workload;
    for (uint32_t src = 0; src < wl->hosts; src++)
        for (uint64_t i = wl->listed_first[src]; i < wl->listed_first[src + 1]; i++)
            if (wl->listed[i].start_ps <= t->options->at_ps)
                take(t, src, wl->listed[i].dst, wl->listed[i].start_ps, weight_of(wl->listed[i].weight_q20),
                     wl->listed[i].tag);
}

/* Adds the flows of jobs. A flow that waits for other flows starts when those end; the solver does not know that time.
 * So flows that wait are left out unless options->at_ps is WEIR_NEVER. */
static void take_jobs(struct taker *t)
{
    const struct weir_jobs *jobs = t->setup->workload.jobs;
    uint64_t at_ps = t->options->at_ps;
    for (uint32_t f = 0; jobs != NULL && f < jobs->flow_count; f++) {
        const struct weir_job_flow *flow = &jobs->flow[f];
        uint64_t weight_q20 = flow->weight_q20;
        if (at_ps != WEIR_NEVER && (flow->start_ps > at_ps || flow->after_count > 0))
            continue;
        for (uint32_t i = flow->change_first; i < flow->change_first + flow->change_count && at_ps != WEIR_NEVER; i++)
            if (jobs->change[i].at_ps <= at_ps)
                weight_q20 = jobs->change[i].weight_q20;
        take(t, flow->src, flow->dst, flow->after_count > 0 ? WEIR_NEVER : flow->start_ps, weight_of(weight_q20),
             t->setup->workload.tag_count - jobs->flow_count + f + 1);
    }
}

/* Adds options->flows random pairs of different hosts, uniformly drawn, with weights uniform in 1 .. 10. */
static void take_random(struct taker *t)
{
    uint32_t hosts = t->setup->topo.host_count;
    uint64_t key = weir_rng_key(t->setup->model.seed, 0, WEIR_RNG_ALLOCATE, 0);
    for (uint64_t i = 0; i < t->options->flows; i++) {
        uint32_t src = weir_rng_below(weir_rng_at(key, 3 * i), hosts);
        uint32_t dst = weir_rng_below(weir_rng_at(key, 3 * i + 1), hosts - 1);
        double part = (double)(weir_rng_at(key, 3 * i + 2) >> 11) * 0x1p-53;
        take(t, src, dst + (dst >= src), 0, 1 + 9 * part, (uint32_t)i + 1);
    }
}

/* Refuses items whose messages come as the run goes on, of kinds poisson and cbr and those with a program. */
static int refuse_drawn(const struct weir_setup *setup, struct weir_err *err)
{
    const struct weir_scenario *scn = setup->scn;
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        if (scn->traffic[i].kind == WEIR_TRAFFIC_POISSON || scn->traffic[i].kind == WEIR_TRAFFIC_CBR ||
            weir_item_has_program(&scn->traffic[i]))
            return weir_fail(err, WEIR_E_CONFLICT, &scn->where_traffic[i],
                             "--flows N draws N random pairs with random weights instead",
                             "traffic[%" PRIu32 "]: a %s item has no list of flows to share the network", i,
                             weir_traffic_kinds[scn->traffic[i].kind]);
    return 0;
}

static int most_flows(const struct taker *t, uint64_t *most, struct weir_err *err)
{
    const struct weir_workload *wl = &t->setup->workload;
    int code = 0;
    *most = t->options->flows;
    if (*most == 0) {
        code = refuse_drawn(t->setup, err);
        *most = wl->listed_first[wl->hosts] + (wl->jobs != NULL ? wl->jobs->flow_count : 0);
    }
    if (code == 0 && *most > WEIR_MAXMIN_FLOWS_MAX)
        return weir_fail(err, WEIR_E_RANGE, &t->setup->scn->where_run, "a shorter run or a longer period has fewer",
                         "the scenario lists %" PRIu64 " flows, and at most %u can be solved for", *most,
                         WEIR_MAXMIN_FLOWS_MAX);
    return code;
}

static int by_number(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int by_start(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    if (x->start_ps != y->start_ps)
        return x->start_ps < y->start_ps ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* Returns the transport of a host for its next flow, to dst. */
static uint32_t transport_of(struct weir_connections *c, const struct weir_setup *setup, uint32_t src, uint32_t dst)
{
    const struct weir_nics *nics = setup->model.nics;
    uint32_t next = c->next_nic[src];
    if (nics == NULL)
        return 0;
    if (nics->choice != WEIR_NICS_RAIL)
        return weir_nics_of_pair(nics, src, dst);
    c->next_nic[src] = next + 1 < nics->count[src] ? next + 1 : 0;
    return next;
}

/* Sets a flow's transport and path hash as a run does, if it is the next one of its host. Connections of a transport
 * are numbered in the order in which its flows start; with a receiver-driven protocol all flows have connection number
 * 0. */
static void find_path(struct weir_connections *c, const struct weir_setup *setup, struct weir_network_flow *flow)
{
    const struct weir_host_config *host = &setup->model.host;
    uint32_t conn = 0;
    flow->transport = transport_of(c, setup, flow->src, flow->dst);
    WEIR_ASSERT(flow->transport < c->transports);
    if (host->credit == NULL)
        conn = c->opened[(size_t)flow->src * c->transports + flow->transport]++;
    flow->hash = weir_rng_path(host->seed, flow->src, flow->dst, conn, host->hash == WEIR_HASH_SYMMETRIC);
}

static int deliver(struct taker *t, struct weir_allocate_flows *out)
{
    qsort(t->row, t->count, sizeof(*t->row), by_start);
    for (uint32_t i = 0; i < t->count; i++)
        find_path(&out->connections, t->setup, &t->row[i].flow);
    qsort(t->row, t->count, sizeof(*t->row), by_number);
    out->flow = malloc(((size_t)t->count + 1) * sizeof(*out->flow)); /* + 1: never of size 0 */
    out->number = malloc(((size_t)t->count + 1) * sizeof(*out->number));
    if (out->flow == NULL || out->number == NULL)
        return WEIR_E_MEMORY;
    out->count = t->count;
    out->room = t->count + 1;
    for (uint32_t i = 0; i < t->count; i++) {
        out->flow[i] = t->row[i].flow;
        out->number[i] = t->row[i].number;
    }
    return 0;
}

static int fill(struct taker *t, struct weir_allocate_flows *out, struct weir_err *err)
{
    int code;
    if (t->options->flows != 0) {
        take_random(t);
    } else {
        take_listed(t);
        take_jobs(t);
    }
    if (t->count == 0 && !t->options->may_be_empty)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "a later --at, or a list of flows in the scenario",
                         "%s: no flow is active", t->options->file);
    code = deliver(t, out);
    return code != 0 ? weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for %" PRIu32 " flows", t->count) : 0;
}

static bool connections_alloc(struct weir_connections *c, const struct weir_setup *setup)
{
    size_t hosts = setup->topo.host_count;
    c->transports = setup->model.nics != NULL ? setup->model.nics->transports : 1;
    c->opened = calloc(hosts * c->transports, sizeof(*c->opened));
    c->next_nic = calloc(hosts, sizeof(*c->next_nic));
    return c->opened != NULL && c->next_nic != NULL;
}

int weir_allocate_flows(struct weir_allocate_flows *out, const struct weir_setup *setup,
                        const struct weir_allocate_options *options, struct weir_err *err)
{
    struct taker t = { .setup = setup, .options = options };
    uint64_t most;
    int code = most_flows(&t, &most, err);
    *out = (struct weir_allocate_flows){ 0 };
    if (code != 0)
        return code;
    t.row = malloc((most + 1) * sizeof(*t.row));
    if (t.row == NULL || !connections_alloc(&out->connections, setup))
        code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for %" PRIu64 " flows", most);
    else
        code = fill(&t, out, err);
    free(t.row);
    if (code != 0)
        weir_allocate_flows_free(out);
    return code;
}

int weir_allocate_flows_add(struct weir_allocate_flows *flows, const struct weir_setup *setup, uint32_t src,
                            uint32_t dst, double weight, struct weir_err *err)
{
    if (flows->count == flows->room) {
        uint32_t room = flows->room + flows->room / 4 + 64;
        struct weir_network_flow *flow = realloc(flows->flow, room * sizeof(*flow));
        uint32_t *number = flow != NULL ? realloc(flows->number, room * sizeof(*number)) : NULL;
        flows->flow = flow != NULL ? flow : flows->flow;
        flows->number = number != NULL ? number : flows->number;
        if (number == NULL)
            return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for %u flows", flows->count + 1);
        flows->room = room;
    }
    flows->flow[flows->count] = (struct weir_network_flow){ .weight = weight, .src = src, .dst = dst };
    find_path(&flows->connections, setup, &flows->flow[flows->count]);
    flows->number[flows->count] = flows->count > 0 ? flows->number[flows->count - 1] + 1 : 1;
    flows->count++;
    return 0;
}

void weir_allocate_flows_free(struct weir_allocate_flows *flows)
{
    free(flows->flow);
    free(flows->number);
    free(flows->connections.opened);
    free(flows->connections.next_nic);
    *flows = (struct weir_allocate_flows){ 0 };
}
