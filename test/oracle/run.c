/* test/oracle/run.c - the loop: everything that lies outside the network's own events, then the earliest event, and again. */
#include "core/cable.h"
#include "core/feature_counter.h"
#include "test/oracle/oracle_impl.h"
#include <stdlib.h>
#include <string.h>

void *oracle_alloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    WEIR_ASSERT(memory != NULL);
    return memory;
}

/* The four children of an entry share a cache line: entry[1] is aligned to 64. */
void oracle_heap_grow(struct oracle_heap *heap)
{
    uint32_t capacity = heap->capacity == 0 ? 1024 : heap->capacity * 2;
    void *memory = oracle_alloc(capacity + 12, sizeof(oracle_event));
    oracle_event *entry = (oracle_event *)(((uintptr_t)memory + 63) & ~(uintptr_t)63) + 3;
    for (uint32_t i = 0; i < capacity + 4; i++)
        entry[i] = i < heap->count ? heap->entry[i] : ORACLE_NO_EVENT;
    free(heap->memory);
    heap->memory = memory;
    heap->entry = entry;
    heap->capacity = capacity;
}

/* Tables for the state of the cables right after each event, on a copy of the links. */
static int routes_init(struct oracle *o, struct weir_err *err)
{
    const struct weir_model *m = o->model;
    struct weir_topology topo = *o->topo;
    int failed;
    o->routes = oracle_alloc(m->event_count + 1, sizeof(*o->routes));
    topo.link = oracle_alloc(topo.link_count, sizeof(*topo.link));
    memcpy(topo.link, o->topo->link, topo.link_count * sizeof(*topo.link));
    failed = weir_routes_build(&o->routes[0], &topo, m->routing, m->metric, m->seed, err);
    for (uint32_t e = 0; e < m->event_count && failed == 0; e++) {
        struct weir_link *link = &topo.link[m->event[e].link];
        link->up = topo.link[link->reverse].up = m->event[e].up;
        failed = weir_routes_build(&o->routes[e + 1], &topo, m->routing, m->metric, m->seed, err);
    }
    free(topo.link);
    return failed;
}

static uint64_t next_cable_ps(const struct oracle *o)
{
    const struct weir_model *m = o->model;
    uint64_t at_ps = WEIR_NEVER;
    if (o->events_done < m->event_count)
        at_ps = m->event[o->events_done].at_ps;
    if (o->reroutes_done < m->event_count)
        at_ps = weir_min_u64(at_ps, m->event[o->reroutes_done].at_ps + m->reroute_delay_ps);
    return at_ps;
}

static uint64_t next_restart_ps(const struct oracle *o)
{
    const struct weir_model *m = o->model;
    return o->restarts_done < m->restart_count ? m->restart[o->restarts_done].at_ps : WEIR_NEVER;
}

/* All of this instant first, then what may start: down and up at one instant is one change. What may start, switches know. */
static void cable_events(struct oracle *o)
{
    const struct weir_model *m = o->model;
    uint32_t first = o->events_done;
    for (; o->events_done < m->event_count && m->event[o->events_done].at_ps == o->now_ps; o->events_done++) {
        const struct weir_cable_event *e = &m->event[o->events_done];
        oracle_link_event(o, &o->link[e->link], e);
        oracle_link_event(o, &o->link[o->topo->link[e->link].reverse], e);
    }
    for (uint32_t i = first; i < o->events_done; i++) {
        const struct oracle_link *link[2] = { &o->link[m->event[i].link],
                                              &o->link[o->topo->link[m->event[i].link].reverse] };
        for (int d = 0; d < 2; d++)
            if (!link[d]->of_switch)
                oracle_host_wake(o, link[d]->src);
    }
    while (o->reroutes_done < m->event_count && m->event[o->reroutes_done].at_ps + m->reroute_delay_ps == o->now_ps)
        o->reroutes_done++;
    for (uint32_t n = o->topo->host_count; n < o->topo->node_count; n++)
        weir_switch_set_routes(o->node[n].sw, &o->routes[o->reroutes_done]);
}

/* An entry whose reason is gone: a timer that moved, an arrival that was cut off. */
static bool is_stale(const struct oracle *o, oracle_event e)
{
    const struct oracle_link *link;
    if (oracle_event_kind(e) == ORACLE_TIMER)
        return weir_host_next_ps(o->host[oracle_event_node(e)].host) > oracle_event_ps(e);
    if (oracle_event_kind(e) != ORACLE_ARRIVE)
        return false;
    link = &o->link[oracle_event_index(e)];
    return link->flight.head == NULL || link->flight.head->pkt.arrival_ps != oracle_event_ps(e);
}

/* Does a host want to send? If nothing is on the heap, its own cable is down. */
static bool host_waits(const struct oracle *o)
{
    for (uint32_t h = 0; h < o->topo->host_count; h++)
        if (weir_host_ready(o->host[h].host))
            return true;
    return false;
}

/* A run to the last delivery has nothing more to do; it has, as long as packets wait behind a cable that will come back. */
static bool is_over(const struct oracle *o)
{
    if (!o->model->until_done)
        return false;
    return next_cable_ps(o) == WEIR_NEVER || (o->alive == 0 && !host_waits(o));
}

/* Takes entries off the head of the heap whose reason is gone. */
static void prune(struct oracle *o)
{
    if (o->heap.hole)
        oracle_heap_close(&o->heap);
    while (o->heap.count > 0 && is_stale(o, o->heap.entry[0])) {
        oracle_event stale = o->heap.entry[0];
        oracle_heap_close(&o->heap);
        if (oracle_event_kind(stale) == ORACLE_TIMER)
            oracle_host_disarm(o, oracle_event_node(stale), oracle_event_ps(stale));
    }
}

/* Time of the earliest event; WEIR_NEVER = none, but for what comes again for ever. */
static uint64_t next_event_ps(struct oracle *o)
{
    if (o->heap.count == o->ticks && (o->ticks == 0 || is_over(o)))
        return WEIR_NEVER;
    return oracle_event_ps(o->heap.entry[0]);
}

/* The node has something to do by itself: a NIC may be free from now on. */
static void node_event(struct oracle *o, uint32_t node)
{
    o->node[node].armed_ps = WEIR_NEVER;
    weir_switch_open(o->node[node].sw, o->now_ps);
    if (node < o->topo->host_count)
        oracle_host_wake(o, node);
}

/* The two kinds that make up nine tenths come first: a table of jumps would be guessed wrong half the time. */
static void dispatch(struct oracle *o, oracle_event e)
{
    uint32_t node = oracle_event_node(e);
    enum oracle_kind kind = oracle_event_kind(e);
    o->open = node;
    if (kind == ORACLE_ARRIVE) {
        oracle_link_arrives(o, &o->link[oracle_event_index(e)]);
    } else if (kind == ORACLE_NODE) {
        node_event(o, node);
    } else if (kind == ORACLE_TRANSMIT) {
        oracle_host_transmit(o, node);
    } else if (kind == ORACLE_TIMER) {
        oracle_host_timer(o, node);
    } else if (kind == ORACLE_CONTROL) {
        oracle_link_control(o, &o->link[oracle_event_index(e)]);
    } else if (kind == ORACLE_TICK) {
        /* the switch calls its timers when the instant ends */
    } else if (kind == ORACLE_START) {
        oracle_host_start(o, node);
    } else if (kind == ORACLE_REPLY) {
        oracle_host_reply(o, node, oracle_event_index(e));
    } else if (kind == ORACLE_RELEASE) {
        oracle_jobs_start(o, oracle_event_index(e));
    } else if (kind == ORACLE_CHANGE) {
        oracle_jobs_change(o, oracle_event_index(e));
    } else {
        oracle_jobs_told(o, oracle_event_index(e));
    }
}

/* Nothing new arrived anywhere for stall_ps while messages wait. Looked at once per stall_ps. */
static void stall_check(struct oracle *o)
{
    uint64_t bytes = 0;
    for (uint32_t h = 0; h < o->topo->host_count; h++)
        bytes += weir_host_stats(o->host[h].host)->rx_new_bytes;
    o->stalled = bytes == o->stall_bytes && weir_account_awaited_bytes(&o->account) > 0;
    o->stall_bytes = bytes;
    o->stall_check_ps = o->now_ps + o->model->stall_ps;
}

/* Until world_ps nothing happens but the network's own events. */
static void plan_world(struct oracle *o)
{
    o->world_ps = weir_min_u64(
        weir_min_u64(weir_min_u64(next_cable_ps(o), weir_min_u64(o->next_policy_ps, o->next_batch_ps)),
                     weir_min_u64(weir_min_u64(o->next_bin_ps, o->next_quarter_ps), o->next_snapshot_ps)),
        weir_min_u64(weir_min_u64(o->next_tell_ps, o->stall_check_ps), weir_min_u64(next_restart_ps(o), o->end_ps)));
}

/* The network has nothing to do before world_ps. @return false when nothing is left to do at all */
static bool world(struct oracle *o, uint64_t event_ps)
{
    if (o->world_ps >= o->end_ps)
        return false;
    if (event_ps == WEIR_NEVER && is_over(o))
        return false;
    o->now_ps = o->world_ps;
    if (o->next_batch_ps == o->now_ps)
        oracle_batch(o);
    else if (o->next_quarter_ps == o->now_ps)
        oracle_quarter(o);
    else if (o->next_bin_ps == o->now_ps)
        oracle_bin(o);
    else if (o->next_policy_ps == o->now_ps)
        oracle_jobs_tick(o);
    else if (o->next_tell_ps == o->now_ps)
        oracle_tell_on(o);
    else if (o->next_snapshot_ps == o->now_ps)
        oracle_snapshot(o);
    else if (next_restart_ps(o) == o->now_ps)
        oracle_hosts_restart(o);
    else if (next_cable_ps(o) == o->now_ps)
        cable_events(o);
    else
        stall_check(o);
    plan_world(o);
    return o->broken == NULL && !o->stalled && o->error == 0;
}

/* Is an event of the node and the instant that are on? */
static bool is_open(const struct oracle *o, oracle_event e)
{
    return oracle_event_ps(e) == o->now_ps && oracle_event_node(e) == o->open;
}

/* @return false when the run is over */
static bool step(struct oracle *o)
{
    uint64_t event_ps;
    prune(o);
    if (o->open != ORACLE_NO_NODE && !is_open(o, o->heap.entry[0])) {
        oracle_node_finish(o);
        return o->broken == NULL;
    }
    event_ps = next_event_ps(o);
    if (WEIR_UNLIKELY(event_ps >= o->world_ps))
        return world(o, event_ps);
    o->now_ps = event_ps;
    o->heap.hole = true;
    dispatch(o, o->heap.entry[0]);
    return o->error == 0;
}

static bool stop_asked(const struct oracle *o, uint64_t steps)
{
    return o->options->stop != NULL && steps % 65536 == 0 && *o->options->stop != 0;
}

/* What features counted. */
static void features_result(struct oracle *o, struct weir_result *result)
{
    uint32_t counts = weir_features_counts(&o->model->features, NULL);
    result->feature_count = calloc((size_t)counts + 1, sizeof(*result->feature_count));
    WEIR_ASSERT(result->feature_count != NULL);
    result->feature_counts = weir_features_counts(&o->model->features, result->feature_count);
    for (uint32_t i = 0; i < o->topo->link_count; i++) {
        const struct weir_chain *chain = weir_switch_chain(o->link[i].sw, o->link[i].port);
        weir_chain_end(chain, o->end_ps);
        weir_chain_add_counts(chain, i, o->topo->link[i].reverse, result->feature_count, result->feature_counts);
    }
}

static int run_to_end(struct oracle *o, struct weir_result *result, struct weir_err *err)
{
    oracle_check_init(o);
    oracle_network_init(o);
    oracle_hosts_init(o);
    oracle_snapshots_init(o);
    oracle_jobs_init(o);
    oracle_programs_init(o);
    plan_world(o);
    for (uint64_t steps = 1; step(o); steps++) {
        if (stop_asked(o, steps)) {
            o->interrupted = true;
            break;
        }
    }
    if (o->stalled || o->interrupted)
        o->end_ps = o->now_ps;
    else if (o->model->until_done)
        o->end_ps = o->account.shard->last_delivery_ps;
    else
        o->now_ps = o->end_ps;
    if (o->model->until_done && !o->interrupted)
        o->stalled |= weir_account_waits(&o->account); /* nobody recovers what was lost */
    if (o->options->check && o->broken == NULL)
        o->broken = oracle_check(o);
    if (o->options->snapshot != NULL && o->options->snapshot_ps > 0 && o->broken == NULL && o->error == 0)
        oracle_tell(o, o->end_ps);
    oracle_result(o, result);
    features_result(o, result);
    oracle_causes_result(o, result);
    result->packet_hops = o->packet_hops;
    result->stale_pkts = o->stale;
    result->threads = 1;
    result->ranks = 1;
    result->stalled = o->stalled;
    result->interrupted = o->interrupted;
    if (o->broken != NULL)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "oracle at %llu ps: %s", (unsigned long long)o->now_ps,
                         o->broken);
    return o->error != 0 ? weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "oracle: a message could not be started") : 0;
}

static int tell_rows(struct oracle *o, struct weir_err *err)
{
    int code = o->options->rows != NULL ? weir_account_rows(&o->account, o->options) : 0;
    return code != 0 ? weir_fail(err, code, NULL, NULL, "oracle: messages could not be written") : 0;
}

int weir_oracle_run_taped(const struct weir_model *model, const struct weir_sim_options *options,
                          const struct weir_oracle_tape *tape, struct weir_result *result, struct weir_err *err)
{
    struct oracle o = { .model = model, .options = options, .topo = model->topo, .tape = tape, .open = ORACLE_NO_NODE };
    int failed;
    *result = (struct weir_result){ 0 };
    o.mem = (struct weir_mem){ .grow = oracle_lend, .ctx = &o };
    failed = weir_account_init(&o.account, model, options, 1, &o.mem, err);
    if (failed != 0)
        return failed;
    o.end_ps = model->until_done ? WEIR_NEVER : model->warmup_ps + model->measure_ps;
    o.stall_check_ps = model->stall_ps;
    oracle_heap_grow(&o.heap);
    failed = routes_init(&o, err);
    if (failed == 0)
        failed = run_to_end(&o, result, err);
    if (failed == 0)
        failed = tell_rows(&o, err);
    oracle_snapshots_free(&o);
    oracle_jobs_free(&o);
    oracle_programs_free(&o);
    oracle_hosts_free(&o);
    for (uint32_t e = 0; e <= model->event_count; e++)
        weir_routes_free(&o.routes[e]);
    free(o.routes);
    free(o.heap.memory);
    weir_account_free(&o.account);
    return failed;
}

int weir_oracle_run(const struct weir_model *model, const struct weir_sim_options *options, struct weir_result *result,
                    struct weir_err *err)
{
    return weir_oracle_run_taped(model, options, NULL, result, err);
}
