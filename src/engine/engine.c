/* src/engine/engine.c - sets the engine up, runs it, takes it down. */
#include "engine/engine.h"
#include "coupled/coupled.h"
#include "observe/observe.h"
#include "port/port.h"
#include "state/fate.h"
#include "state/tap.h"
#include "engine/barrier.h"
#include "port/jobs_run.h"
#include <pthread.h>
#include <stdlib.h>

/* Nodes go to threads so that each has its share of the traffic and neighbours stay together. The switches of a
 * tier go in contiguous blocks (racks, pods), each host with its first-hop switch, until that thread has its share
 * of hosts. */
static void engine_place(struct sim_engine *e)
{
    const struct weir_topology *topo = e->model->topo;
    uint32_t threads = e->thread_count, quota = (topo->host_count + threads - 1) / threads, tier_count[8] = { 0 },
             seen[8] = { 0 };
    uint32_t *hosts_of =
        calloc(threads, sizeof(*hosts_of)); /* no room: all hosts follow their switch, which is only slower */
    for (uint32_t n = topo->host_count; n < topo->node_count; n++)
        tier_count[topo->node[n].tier & 7]++;
    for (uint32_t n = topo->host_count; n < topo->node_count; n++) {
        uint32_t tier = topo->node[n].tier & 7;
        e->owner[n] = (uint32_t)((uint64_t)seen[tier]++ * threads / tier_count[tier]);
    }
    for (uint32_t h = 0; h < topo->host_count; h++) {
        uint32_t t = e->owner[topo->edge_node[topo->edge_of[h]]];
        for (uint32_t i = 0; hosts_of != NULL && hosts_of[t] >= quota && i < threads; i++)
            t = (t + 1) % threads;
        if (hosts_of != NULL)
            hosts_of[t]++;
        e->owner[h] = t;
    }
    free(hosts_of);
}

/* A switch has the colour that its first coloured neighbour has not. Where the topology is layered, as it nearly
 * always is, no link then joins switches of one colour; elsewhere a group's lookahead is only shorter. With hosts
 * at switches of both colours all three groups are neighbours. Windows are then but half as long again, and
 * switches of the other colour stand still: threads fare better with one group of all. */
static void engine_groups(struct sim_engine *e)
{
    const struct weir_topology *topo = e->model->topo;
    uint32_t colours = 0; /* of switches with hosts; bit g: group g */
    for (uint32_t n = topo->host_count; n < topo->node_count; n++) {
        const struct weir_node *node = &topo->node[n];
        e->group[n] = SIM_GROUP_SWITCHES;
        for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
            uint32_t neighbour = topo->link[l].dst;
            if (neighbour >= topo->host_count && neighbour < n) {
                e->group[n] = SIM_GROUP_SWITCHES + (e->group[neighbour] == SIM_GROUP_SWITCHES);
                break;
            }
        }
        if (node->tier == 1)
            colours |= 1u << e->group[n];
    }
    if (e->thread_count > 1 && colours == 3u << SIM_GROUP_SWITCHES)
        memset(e->group, 0, topo->node_count * sizeof(*e->group));
}

/* The longest window a group can have. Conservative lookahead: the minimum over neighbour groups of the outbound
 * plus the return delay. */
static uint64_t engine_window_ps(const struct sim_engine *e, uint32_t group)
{
    uint64_t longest_ps = e->lookahead_ps[group][group];
    for (uint32_t g = 0; g < SIM_GROUPS; g++)
        if (g != group)
            longest_ps = weir_min_u64(longest_ps, e->lookahead_ps[group][g] + e->lookahead_ps[g][group]);
    return longest_ps;
}

static bool engine_alloc(struct sim_engine *e)
{
    const struct weir_topology *topo = e->model->topo;
    e->link = aligned_alloc(64, topo->link_count * sizeof(*e->link));
    e->thread = aligned_alloc(64, e->thread_count * sizeof(*e->thread));
    e->sw = calloc(topo->switch_count, sizeof(*e->sw));
    e->host = calloc(topo->host_count, sizeof(*e->host));
    e->due_ps = calloc(topo->node_count, sizeof(*e->due_ps));
    e->wake = calloc((size_t)topo->node_count * e->thread_count * 2, sizeof(*e->wake));
    e->owner = calloc(topo->node_count, sizeof(*e->owner));
    e->group = calloc(topo->node_count, sizeof(*e->group));
    e->base_area = calloc(topo->link_count, sizeof(*e->base_area));
    e->sample_area = calloc(topo->link_count, sizeof(*e->sample_area));
    e->reroute = calloc(e->model->event_count + 1u, sizeof(*e->reroute));
    e->control_count = calloc(topo->node_count, sizeof(*e->control_count));
    e->depot = weir_sim_depot_new();
    e->records_depot = weir_sim_depot_new();
    e->barrier = weir_sim_barrier_new(e->thread_count);
    if (e->link != NULL)
        memset(e->link, 0, topo->link_count * sizeof(*e->link));
    if (e->thread != NULL)
        memset(e->thread, 0, e->thread_count * sizeof(*e->thread));
    return e->link != NULL && e->thread != NULL && e->sw != NULL && e->host != NULL && e->due_ps != NULL &&
           e->wake != NULL && e->owner != NULL && e->group != NULL && e->base_area != NULL && e->sample_area != NULL &&
           e->reroute != NULL && e->control_count != NULL && e->depot != NULL && e->records_depot != NULL &&
           e->barrier != NULL && weir_sim_snapshot_init(e);
}

static int engine_threads(struct sim_engine *e, struct weir_err *err)
{
    const struct weir_topology *topo = e->model->topo;
    const struct weir_jobs *jobs = e->model->workload->jobs;
    struct weir_mem *mem = calloc(e->thread_count, sizeof(*mem));
    int code;
    if (mem == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory");
    for (uint32_t t = 0; t < e->thread_count; t++) {
        struct sim_thread *th = &e->thread[t];
        th->engine = e;
        th->index = t;
        th->node = weir_arena_take(&th->arena, (size_t)topo->node_count * sizeof(*th->node));
        th->pool = sim_chunk_pool(&th->arena, e->depot);
        th->records = sim_records_pool(e->model->features.records_max, &th->arena, e->records_depot);
        th->records.on_failure = &th->out_of_memory;
        for (uint32_t g = 0; g < SIM_GROUPS; g++)
            th->due_ps[g] = WEIR_NEVER;
        th->next_snapshot_ps =
            e->options->snapshot != NULL && e->options->snapshot_ps > 0 ? e->options->snapshot_ps : WEIR_NEVER;
        th->next_policy_ps = jobs != NULL && jobs->tick_ps > 0 ? jobs->tick_ps : WEIR_NEVER;
        th->next_route = 1;
        th->routes = &e->reroute[0].routes;
        mem[t] = (struct weir_mem){ .grow = weir_arena_take, .ctx = &th->arena };
        if (th->node == NULL) {
            free(mem);
            return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory");
        }
    }
    for (uint32_t g = 0; g < SIM_GROUPS; g++) {
        for (uint32_t n = 0; n < topo->node_count; n++) {
            struct sim_thread *th = &e->thread[e->owner[n]];
            if (e->group[n] == g)
                th->node[th->node_count++] = n;
        }
        for (uint32_t t = 0; t < e->thread_count; t++)
            e->thread[t].group_end[g] = e->thread[t].node_count;
    }
    code = weir_account_init(&e->account, e->model, e->options, e->thread_count, mem, err);
    free(mem);
    return code;
}

/* Routes before any event, and after each: over the cables that are up then. */
static int engine_routes(struct sim_engine *e, struct weir_err *err)
{
    const struct weir_model *m = e->model;
    struct weir_topology topo = *m->topo; /* its own link array, so that the model's stays as it is */
    int code;
    topo.link = malloc(topo.link_count * sizeof(*topo.link));
    if (topo.link == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory for routes");
    memcpy(topo.link, m->topo->link, topo.link_count * sizeof(*topo.link));
    code = weir_routes_build(&e->reroute[0].routes, &topo, m->routing, m->metric, m->seed, err);
    e->reroute_count = 1;
    for (uint32_t i = 0; code == 0 && i < m->event_count; i++) {
        struct weir_link *link = &topo.link[m->event[i].link];
        link->up = topo.link[link->reverse].up = m->event[i].up;
        if (i + 1 < m->event_count && m->event[i + 1].at_ps == m->event[i].at_ps)
            continue; /* one table for all that happens at once */
        e->reroute[e->reroute_count].at_ps = m->event[i].at_ps + m->reroute_delay_ps;
        code = weir_routes_build(&e->reroute[e->reroute_count].routes, &topo, m->routing, m->metric, m->seed, err);
        e->reroute_count++;
    }
    free(topo.link);
    return code;
}

/* Events of this cable, copied so that a port reads its own only. */
static bool engine_port_events(struct sim_thread *th, struct sim_port *port, const struct weir_model *m, uint32_t link)
{
    struct weir_cable_event *own;
    if (m->event_count == 0)
        return true;
    own = weir_arena_take(&th->arena, m->event_count * sizeof(*own));
    if (own == NULL)
        return false;
    for (uint32_t i = 0; i < m->event_count && m->event[i].at_ps < th->engine->end_ps;
         i++) /* later ones do not happen */
        if (m->event[i].link == link || m->event[i].link == m->topo->link[link].reverse)
            own[port->event_count++] = m->event[i];
    port->event = own;
    return true;
}

/* Returns whether all that a port does is known from the link alone. */
static bool engine_needs_port(struct sim_port_kind k)
{
    return !sim_kind_is_plain(k) || (k.serve != SIM_SERVE_FIFO && k.serve != SIM_SERVE_PULL);
}

/* The marking threshold as unsent work; of ports that call their features when a packet joins, from where on they
 * do. */
static uint64_t engine_mark_ps(const struct weir_chain *chain, uint32_t ps_per_byte)
{
    uint64_t bytes = chain->is_threshold ? chain->threshold_bytes : chain->join_bytes;
    return bytes < UINT64_MAX / ps_per_byte ? bytes * ps_per_byte : WEIR_NEVER;
}

/* What features receive about the ports of a node. */
static void engine_describe(const struct weir_model *m, const struct weir_node *node, struct weir_fabric_port *port)
{
    for (uint32_t p = 0; p < node->out_count; p++) {
        port[p] = weir_topology_port(m->topo, node->first_out + p);
        port[p].seed = m->seed;
        port[p].has_queue = !port[p].from_host || m->host.params.nic_queue != WEIR_NIC_PULL;
    }
}

static void engine_lane(struct sim_thread *th, struct sim_link *link, enum sim_lane lane)
{
    link->read[lane] = link->write[lane] = link->notified[lane] = sim_fifo_init(&th->pool);
}

static bool engine_link(struct sim_engine *e, uint32_t id, const struct weir_chain *chain)
{
    const struct weir_model *m = e->model;
    const struct weir_link *from = &m->topo->link[id];
    struct sim_thread *th = &e->thread[e->owner[from->src]];
    struct sim_link *link = &e->link[id];
    uint64_t *lookahead_ps = &e->lookahead_ps[e->group[from->src]][e->group[from->dst]];
    struct sim_port port = { .clock = weir_tx_clock_of(from->rate_bps), .chain = *chain };
    if (!engine_port_events(th, &port, m, id))
        return false;
    link->kind = weir_sim_port_kind(m, from, chain, port.event_count > 0, weir_sim_is_tapped(e, id));
    link->row = weir_sim_port_row(link->kind, e->options->general);
    if (engine_needs_port(link->kind) || chain->has_control) {
        link->port = weir_arena_take(&th->arena, sizeof(port));
        if (link->port == NULL)
            return false;
        *link->port = port;
    }
    link->rate_bps = from->rate_bps;
    link->ps_per_byte = port.clock.ps_per_byte;
    link->delay_ps = from->delay_ps;
    link->mark_ps = engine_mark_ps(chain, link->ps_per_byte);
    link->mark_cause = link->kind.join ? WEIR_CAUSE_NONE : chain->threshold_cause;
    link->src = from->src, link->dst = from->dst;
    link->wake = &e->wake[((size_t)th->index * m->topo->node_count + from->dst) * 2];
    link->dst_group = e->group[from->dst];
    engine_lane(th, link, SIM_LANE_FIRST);
    if (link->kind.serve == SIM_SERVE_LANES || (sim_priorities(m) == SIM_LANES && link->kind.serve == SIM_SERVE_STEPS &&
                                                weir_sim_can_defer(m, chain, link->kind)))
        engine_lane(th, link, SIM_LANE_LOW);
    else
        link->read[SIM_LANE_LOW] = &e->never;
    link->undecided = link->write[SIM_LANE_LOW];
    *lookahead_ps = weir_min_u64(*lookahead_ps, from->delay_ps);
    return weir_sim_control_init(th, m, link);
}

/* True if some port's queue in bytes is not simply its unsent work over a whole number: then a threshold in bytes is
 * none in time. */
static bool engine_has_fractions(const struct weir_fabric_port *port, uint32_t ports)
{
    for (uint32_t p = 0; p < ports; p++)
        if (weir_tx_clock_of(port[p].rate_bps).rem_num != 0)
            return true;
    return false;
}

/* A coupled switch passes to its features what waits in each port. *out stays as it is of other nodes. @return
 * false = no memory */
static bool engine_waiting(struct sim_engine *e, uint32_t node_id, uint64_t **out)
{
    uint32_t hosts = e->model->topo->host_count;
    if (!sim_is_coupled(e->model) || node_id < hosts)
        return true;
    *out =
        weir_arena_take(&e->thread[e->owner[node_id]].arena, e->model->topo->node[node_id].out_count * sizeof(**out));
    e->sw[node_id - hosts].waiting_bytes = *out;
    return *out != NULL;
}

/* Features of a node's ports. Where they are marking thresholds there is nothing to be remembered of them. */
static bool engine_chains(struct sim_engine *e, uint32_t node_id, struct weir_chain *chain)
{
    const struct weir_node *node = &e->model->topo->node[node_id];
    const struct weir_features *features = &e->model->features;
    struct weir_mem mem = { .grow = weir_arena_take, .ctx = &e->thread[e->owner[node_id]].arena };
    struct weir_fabric_port *port = calloc(node->out_count, sizeof(*port));
    uint64_t *waiting_bytes = NULL;
    bool done;
    if (port == NULL || !engine_waiting(e, node_id, &waiting_bytes)) {
        free(port);
        return false;
    }
    engine_describe(e->model, node, port);
    done = !sim_is_coupled(e->model) && !engine_has_fractions(port, node->out_count) &&
           weir_chains_of_thresholds(chain, features, port, node->out_count);
    done = done || weir_chains_init(chain, features, port, node->out_count, waiting_bytes, &mem);
    free(port);
    return done;
}

/* The out-links of a node. */
static bool engine_links(struct sim_engine *e, uint32_t node_id)
{
    const struct weir_node *node = &e->model->topo->node[node_id];
    struct weir_chain *chain = calloc(node->out_count, sizeof(*chain));
    bool done = chain != NULL && engine_chains(e, node_id, chain);
    for (uint32_t p = 0; done && p < node->out_count; p++)
        done = engine_link(e, node->first_out + p, &chain[p]);
    free(chain);
    return done;
}

static bool engine_host(struct sim_engine *e, uint32_t h)
{
    const struct weir_topology *topo = e->model->topo;
    struct sim_thread *th = &e->thread[e->owner[h]];
    struct sim_host *host = &e->host[h];
    struct weir_mem mem = { .grow = weir_arena_take, .ctx = &th->arena };
    struct weir_host_sink sink = weir_account_sink(&e->account, h);
    void *memory = weir_arena_take(&th->arena, weir_host_bytes(&e->model->host));
    if (memory == NULL)
        return false;
    host->h = weir_host_init(memory, &e->model->host, h, &mem, &sink);
    host->account = &e->account.host[h];
    host->nic = &e->link[topo->node[h].first_out];
    host->in = &e->link[topo->in_link[topo->node[h].first_in]];
    host->pull = e->model->host.params.nic_queue == WEIR_NIC_PULL;
    host->writes_through = sim_kind_is_plain(host->nic->kind) && host->nic->kind.serve != SIM_SERVE_QUEUE &&
                           e->owner[host->nic->dst] == e->owner[h];
    host->timer_ps = weir_host_next_ps(host->h);
    host->nic_ps = WEIR_NEVER;
    weir_source_init(&host->source, e->model->workload, h);
    weir_account_place(&e->account, h, th->index);
    host->has_control = host->nic->port != NULL && host->nic->port->chain.has_control;
    host->quick = host->writes_through && host->jobs == NULL;
    e->due_ps[h] = weir_min_u64(host->timer_ps, weir_source_next_ps(&host->source));
    if (host->jobs != NULL)
        e->due_ps[h] = weir_min_u64(e->due_ps[h], sim_jobs_next_ps(host->jobs));
    th->due_ps[SIM_GROUP_HOSTS] = weir_min_u64(th->due_ps[SIM_GROUP_HOSTS], e->due_ps[h]);
    return true;
}

static bool engine_nodes(struct sim_engine *e)
{
    const struct weir_topology *topo = e->model->topo;
    for (uint32_t g = 0; g < SIM_GROUPS; g++)
        for (uint32_t to = 0; to < SIM_GROUPS; to++)
            e->lookahead_ps[g][to] = SIM_WINDOW_MAX_PS;
    if (e->model->workload->jobs != NULL) /* hosts release flows of other hosts */
        e->lookahead_ps[SIM_GROUP_HOSTS][SIM_GROUP_HOSTS] = weir_min_u64(SIM_WINDOW_MAX_PS, e->jobs->notify_ps);
    e->samples_apart = e->end_ps != WEIR_NEVER;
    for (uint32_t n = 0; n < topo->node_count; n++)
        if (!engine_links(e, n))
            return false;
    for (uint32_t i = 0; i < topo->link_count; i++) {
        struct sim_port_kind k = e->link[i].kind; /* decisions that are made when the window is over? */
        if (topo->link[i].src >= topo->host_count && (k.serve == SIM_SERVE_QUEUE || k.cable))
            e->samples_apart = false;
    }
    for (uint32_t t = 0; t < e->thread_count; t++)
        e->thread[t].next_sample_ps = weir_sim_sample_every(e) != WEIR_NEVER ? e->model->warmup_ps : WEIR_NEVER;
    for (uint32_t h = 0; h < topo->host_count; h++)
        if (!engine_host(e, h))
            return false;
    for (uint32_t s = 0; s < topo->switch_count; s++) {
        const struct weir_node *node = &topo->node[topo->host_count + s];
        e->sw[s] = (struct sim_switch){ .node = topo->host_count + s,
                                        .first_out = node->first_out,
                                        .out_count = node->out_count,
                                        .waiting_bytes = e->sw[s].waiting_bytes,
                                        .in_link = &topo->in_link[node->first_in],
                                        .in_count = node->in_count,
                                        .sample_ps = e->samples_apart ? e->model->warmup_ps : WEIR_NEVER };
        weir_sim_switch_prepare(&e->sw[s], &e->link[node->first_out],
                                engine_window_ps(e, e->group[topo->host_count + s]));
        if (!weir_sim_coupled_init(&e->thread[e->owner[topo->host_count + s]], e, &e->sw[s]))
            return false;
        e->due_ps[topo->host_count + s] = WEIR_NEVER;
    }
    for (size_t i = 0; i < (size_t)topo->node_count * e->thread_count * 2; i++)
        e->wake[i] = WEIR_NEVER;
    return true;
}

/* The pools leave by longjmp when memory is gone; all threads' pools are filled by the caller here. */
static bool engine_nodes_guarded(struct sim_engine *e)
{
    jmp_buf no_memory;
    volatile bool done = false;
    for (uint32_t t = 0; t < e->thread_count; t++)
        e->thread[t].pool.on_failure = &no_memory;
    if (setjmp(no_memory) == 0)
        done = engine_nodes(e);
    for (uint32_t t = 0; t < e->thread_count; t++)
        e->thread[t].pool.on_failure = &e->thread[t].out_of_memory;
    return done;
}

int weir_sim_engine_init(struct sim_engine *e, const struct weir_model *model, const struct weir_sim_options *options,
                         struct weir_err *err)
{
    int code;
    *e = (struct sim_engine){ .model = model,
                              .options = options,
                              .thread_count = options->threads,
                              .never = { .arrival_ps = WEIR_NEVER },
                              .cause_count = weir_features_cause(&model->features, model->features.count),
                              .cut_cause = weir_features_cut(&model->features),
                              .tick_ps = WEIR_PS_PER_MS };
    if (options->threads < 1 || options->threads > WEIR_THREADS_MAX || options->threads > model->topo->node_count)
        return weir_fail(err, WEIR_E_RANGE, NULL,
                         "a thread needs at least one node; more than the machine's cores never help",
                         "%u threads: must be 1 to %u, and the topology has %u nodes", options->threads,
                         WEIR_THREADS_MAX, model->topo->node_count);
    if (sim_is_coupled(model) && model->host.params.nic_queue != WEIR_NIC_PULL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "set host.nic_queue: pull",
                         "switches that decide at the instant need hosts that send one packet at a time, and "
                         "host.nic_queue is unlimited");
    e->end_ps = model->until_done ? WEIR_NEVER : model->warmup_ps + model->measure_ps;
    if (!engine_alloc(e))
        code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory for %u nodes", model->topo->node_count);
    else if ((code = engine_routes(e, err)) == 0) {
        engine_place(e);
        engine_groups(e);
        if ((code = engine_threads(e, err)) == 0 &&
            (!weir_sim_fate_init(e) || !weir_sim_jobs_init(e) || !engine_nodes_guarded(e)))
            code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory for %u nodes", model->topo->node_count);
    }
    if (code != 0)
        weir_sim_engine_free(e);
    return code;
}

void weir_sim_engine_free(struct sim_engine *e)
{
    weir_account_free(&e->account);
    weir_sim_jobs_free(e);
    weir_sim_fate_free(e);
    for (uint32_t i = 0; e->reroute != NULL && i < e->reroute_count; i++)
        weir_routes_free(&e->reroute[i].routes);
    for (uint32_t t = 0; e->thread != NULL && t < e->thread_count; t++) {
        weir_arena_free(&e->thread[t].arena);
        weir_sim_row_log_free(&e->thread[t].control);
        weir_sim_row_log_free(&e->thread[t].tap);
    }
    weir_sim_barrier_free(e->barrier);
    weir_sim_depot_free(e->depot);
    weir_sim_depot_free(e->records_depot);
    free(e->control_count);
    free(e->reroute);
    free(e->snapshot_port_bytes);
    free(e->snapshot_host);
    free(e->snapshot_flow);
    free(e->sample_area);
    free(e->base_area);
    free(e->group);
    free(e->owner);
    free(e->wake);
    free(e->due_ps);
    free(e->host);
    free(e->sw);
    free(e->thread);
    free(e->link);
    *e = (struct sim_engine){ 0 };
}

/* Thread 0 is the caller's. */
static int engine_run_threads(struct sim_engine *e, struct weir_err *err)
{
    pthread_t id[WEIR_THREADS_MAX];
    uint32_t made = 1;
    for (; made < e->thread_count; made++)
        if (pthread_create(&id[made], NULL, weir_sim_thread_main, &e->thread[made]) != 0)
            break;
    /* The others wait at the first barrier for threads that will not come: stop them there. */
    if (made < e->thread_count) {
        for (uint32_t t = 1; t < made; t++) {
            (void)pthread_cancel(id[t]);
            (void)pthread_join(id[t], NULL);
        }
        return weir_fail(err, WEIR_E_MEMORY, NULL, "try fewer --threads", "the system gives no more than %u threads",
                         made);
    }
    (void)weir_sim_thread_main(&e->thread[0]);
    for (uint32_t t = 1; t < made; t++)
        (void)pthread_join(id[t], NULL);
    return 0;
}

static int engine_verdict(const struct sim_engine *e, struct weir_err *err)
{
    for (uint32_t t = 0; t < e->thread_count; t++)
        if (e->thread[t].failed != 0 || e->account.shard[t].out_of_memory)
            return weir_fail(err, WEIR_E_MEMORY, NULL, "a smaller load or a shorter run needs less",
                             "out of memory during the run");
    if (e->broken != NULL)
        return weir_fail(err, WEIR_E_RUN, NULL,
                         "this is a bug in Weir: please report it with the scenario and its seed",
                         "invariant broken: %s", e->broken);
    if (e->callback_code != 0)
        return weir_fail(err, e->callback_code, NULL, NULL, "what the run found cannot be written");
    return 0;
}

int weir_sim_run(const struct weir_model *model, const struct weir_sim_options *options, struct weir_result *result,
                 struct weir_err *err)
{
    struct sim_engine *e = malloc(sizeof(*e));
    int code;
    *result = (struct weir_result){ .threads = options->threads };
    if (e == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "not enough memory");
    code = weir_sim_engine_init(e, model, options, err);
    if (code == 0) {
        code = engine_run_threads(e, err);
        if (code == 0) {
            weir_sim_finish(e, result);
            code = engine_verdict(e, err);
        }
        weir_sim_engine_free(e);
    }
    free(e);
    return code;
}
