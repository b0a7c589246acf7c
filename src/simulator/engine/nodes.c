/* src/simulator/engine/nodes.c - the set-up of nodes: their features, links and ports, then hosts, then switches. */
#include "core/feature_setup.h"
#include "engine/engine.h"
#include "coupled/coupled.h"
#include "observe/observe.h"
#include "port/jobs_run.h"
#include "port/port.h"
#include "ranks/ranks.h"
#include "state/lanes.h"
#include "state/nics.h"
#include "state/tap.h"
#include "model/nics.h"
#include <stdlib.h>

/* Sets port->event and event_count: copies the events before the end of the run that concern the cable of `link`.
 * @return false = no memory */
static bool link_events(struct sim_thread *th, struct sim_port *port, const struct weir_model *m, uint32_t link)
{
    struct weir_cable_event *own;
    if (m->event_count == 0)
        return true;
    own = weir_arena_take(&th->arena, m->event_count * sizeof(*own));
    if (own == NULL)
        return false;
    for (uint32_t i = 0; i < m->event_count && m->event[i].at_ps < th->engine->end_ps;
         i++) /* later events do not happen */
        if (m->event[i].link == link || m->event[i].link == m->topo->link[link].reverse) {
            WEIR_ASSERT(port->event_count == 0 || own[port->event_count - 1].at_ps <= m->event[i].at_ps);
            own[port->event_count++] = m->event[i];
        }
    port->event = own;
    port->event_room = m->event_count;
    return true;
}

/* Sets port->rate and rate_count: copies the changes of the rate of the cable of `link` before the end of the run.
 * @return false = no memory */
static bool link_rates(struct sim_thread *th, struct sim_port *port, const struct weir_model *m, uint32_t link)
{
    struct weir_rate_step *own;
    if (m->rate_count == 0)
        return true;
    own = weir_arena_take(&th->arena, m->rate_count * sizeof(*own));
    if (own == NULL)
        return false;
    for (uint32_t i = 0; i < m->rate_count && m->rate[i].at_ps < th->engine->end_ps; i++)
        if (m->rate[i].cable == link || m->rate[i].cable == m->topo->link[link].reverse) {
            WEIR_ASSERT(port->rate_count == 0 || own[port->rate_count - 1].at_ps <= m->rate[i].at_ps);
            own[port->rate_count++] = m->rate[i];
        }
    port->rate = own;
    return true;
}

/* Tests whether a port of this kind needs a struct sim_port besides its link. */
static bool link_needs_port(struct sim_port_kind k)
{
    return !sim_kind_is_plain(k) || (k.serve != SIM_SERVE_FIFO && k.serve != SIM_SERVE_PULL);
}

/* Returns the marking threshold of a port as unsent work, in ps. If a hook does more than mark at a threshold, returns
 * the least unsent work at which on_join hooks are called. WEIR_NEVER = there is no such threshold. */
static uint64_t link_mark_ps(const struct weir_chain *chain, uint32_t ps_per_byte)
{
    uint64_t bytes = chain->is_threshold ? chain->threshold_bytes : chain->join_bytes;
    WEIR_ASSERT(ps_per_byte > 0);
    return bytes < UINT64_MAX / ps_per_byte ? bytes * ps_per_byte : WEIR_NEVER;
}

/* Fills port[], one entry per port of a node: the description of the port that features receive. */
static void node_describe(const struct weir_model *m, const struct weir_node *node, struct weir_fabric_port *port)
{
    for (uint32_t p = 0; p < node->out_count; p++) {
        port[p] = weir_topology_port(m->topo, node->first_out + p);
        port[p].seed = m->seed;
        port[p].has_queue = !port[p].from_host || m->host.params.nic_queue != WEIR_NIC_PULL;
    }
}

/* Tests whether the FIFO of a link is made with its first packet: the link has one lane, and nobody keeps slots of it.
 * Hosts write records of telemetry into the slot of a packet that is sent already. */
static bool link_is_made_late(const struct sim_engine *e, const struct weir_link *from, struct sim_port_kind k)
{
    return k.serve != SIM_SERVE_LANES && k.serve != SIM_SERVE_STEPS &&
           !(sim_has_records(e->model) && from->src < e->model->topo->host_count);
}

/* Makes the empty FIFO of one lane of a link. Leaves by longjmp if there is no memory. */
static void link_lane(struct sim_thread *th, struct sim_link *link, enum sim_lane lane)
{
    struct weir_pkt **notified = lane == SIM_LANE_FIRST ? &link->notified : &link->notified_low;
    link->read[lane] = link->write[lane] = *notified = sim_fifo_init(&th->pool);
}

/* Sets up the end of a link that comes from a node of another process: its FIFO, into which ranks/arrive.c writes what
 * the other process sends. Leaves by longjmp if a FIFO gets no memory. @return false = no memory */
static bool link_init_end(struct sim_engine *e, uint32_t id)
{
    const struct weir_link *from = &e->model->topo->link[id];
    struct sim_thread *th = sim_lead(e);
    struct sim_link *link = &e->link[id];
    WEIR_ASSERT(sim_is_mine(e, from->dst) && !sim_is_mine(e, from->src));
    link->kind.tap = weir_sim_is_tapped(e, id);
    link->src = from->src, link->dst = from->dst;
    link->delay_ps = from->delay_ps;
    link->dst_group = e->group[from->dst];
    link->mark_cause = WEIR_CAUSE_NONE;
    link->read[SIM_LANE_FIRST] = &e->never;
    link->write[SIM_LANE_FIRST] = link->notified = th->scratch;
    if (sim_priorities(e->model) == SIM_LANES)
        link_lane(th, link, SIM_LANE_LOW);
    else
        link->read[SIM_LANE_LOW] = &e->never;
    link->undecided = link->write[SIM_LANE_LOW];
    return weir_sim_control_init(th, e->model, link);
}

/* Sets up link `id` and the port that feeds it. Copies *chain, the hooks of that port. Leaves by
 * longjmp if a FIFO gets no memory. @return false = no memory */
static bool link_init(struct sim_engine *e, uint32_t id, const struct weir_chain *chain)
{
    const struct weir_model *m = e->model;
    const struct weir_link *from = &m->topo->link[id];
    struct sim_thread *th = &e->thread[e->owner[from->src]];
    struct sim_link *link = &e->link[id];
    struct sim_port port = { .clock = weir_tx_clock_of(weir_model_link_bps(m, id)),
                             .chain = *chain,
                             .last_class = m->classes - 1 };
    if (!link_events(th, &port, m, id) || !link_rates(th, &port, m, id))
        return false;
    link->kind =
        weir_sim_port_kind(m, from, chain, port.event_count + port.rate_count > 0 || weir_model_is_cuttable(m, id),
                           weir_sim_is_tapped(e, id));
    link->row = weir_sim_port_row(link->kind, e->options->general);
    if (link_needs_port(link->kind) || chain->has_control) {
        link->port = weir_arena_take(&th->arena, sizeof(port));
        if (link->port == NULL)
            return false;
        *link->port = port;
    }
    link->rate_bps = weir_model_link_bps(m, id);
    link->ps_per_byte = port.clock.ps_per_byte;
    link->delay_ps = from->delay_ps;
    link->mark_ps = link_mark_ps(chain, link->ps_per_byte);
    link->mark_cause = link->kind.join ? WEIR_CAUSE_NONE : chain->threshold_cause;
    link->src = from->src, link->dst = from->dst;
    link->wake = sim_wake_of(th, from->dst);
    link->block_wake = sim_block_wake_of(th, from->dst);
    link->dst_group = e->group[from->dst];
    if (link_is_made_late(e, from, link->kind)) {
        WEIR_ASSERT(!sim_fifo_is_made(th->scratch));
        link->read[SIM_LANE_FIRST] = &e->never;
        link->write[SIM_LANE_FIRST] = link->notified = th->scratch;
    } else {
        link_lane(th, link, SIM_LANE_FIRST);
    }
    if (link->kind.serve == SIM_SERVE_LANES || (sim_priorities(m) == SIM_LANES && link->kind.serve == SIM_SERVE_STEPS &&
                                                weir_sim_can_defer(m, chain, link->kind)))
        link_lane(th, link, SIM_LANE_LOW);
    else
        link->read[SIM_LANE_LOW] = &e->never;
    link->undecided = link->write[SIM_LANE_LOW];
    return weir_sim_control_init(th, m, link);
}

/* Tests whether some port has no whole number of picoseconds per byte. The threshold of such a port, in bytes, has
 * no exact equivalent in time. */
static bool node_has_fractions(const struct weir_model *m, const struct weir_fabric_port *port, uint32_t ports)
{
    for (uint32_t p = 0; p < ports; p++)
        if (weir_tx_clock_of(weir_model_link_bps(m, port[p].link)).rem_num != 0)
            return true;
    return false;
}

/* Allocates waiting_bytes of a coupled switch, one count per port, which its features read. *out: the array; it is not
 * written for other nodes. @return false = no memory */
static bool node_waiting(struct sim_engine *e, uint32_t node_id, uint64_t **out)
{
    if (!sim_is_coupled(e->model, node_id))
        return true;
    *out =
        weir_arena_take(&e->thread[e->owner[node_id]].arena, e->model->topo->node[node_id].out_count * sizeof(**out));
    e->sw[node_id - e->model->topo->host_count].waiting_bytes = *out;
    return *out != NULL;
}

/* Fills chain[], one per port of a node. Chains need no memory if three conditions hold: no feature at the node is
 * coupled, each port has whole picoseconds per byte, and each port only marks at a threshold. @return false = no
 * memory */
static bool node_chains(struct sim_engine *e, uint32_t node_id, struct weir_chain *chain)
{
    const struct weir_node *node = &e->model->topo->node[node_id];
    const struct weir_features *features = &e->model->features;
    struct weir_mem mem = { .grow = weir_arena_take, .ctx = &e->thread[e->owner[node_id]].arena };
    struct weir_fabric_port *port = calloc(node->out_count, sizeof(*port));
    uint64_t *waiting_bytes = NULL;
    bool done;
    if (port == NULL || !node_waiting(e, node_id, &waiting_bytes)) {
        free(port);
        return false;
    }
    node_describe(e->model, node, port);
    done = !sim_is_coupled(e->model, node_id) && !node_has_fractions(e->model, port, node->out_count) &&
           weir_chains_of_thresholds(chain, features, port, node->out_count);
    done = done || weir_chains_init(chain, features, port, node->out_count, waiting_bytes, &mem);
    free(port);
    return done;
}

/* Sets up the out-links of a node and their ports. @return false = no memory */
static bool node_links(struct sim_engine *e, uint32_t node_id)
{
    const struct weir_node *node = &e->model->topo->node[node_id];
    struct weir_chain *chain;
    bool done = true;
    if (!sim_is_mine(e, node_id)) {
        for (uint32_t l = node->first_out; done && l < node->first_out + node->out_count; l++)
            done = !sim_is_mine(e, e->model->topo->link[l].dst) || link_init_end(e, l);
        return done;
    }
    chain = calloc(node->out_count, sizeof(*chain));
    done = chain != NULL && node_chains(e, node_id, chain);
    for (uint32_t p = 0; done && p < node->out_count; p++)
        done = link_init(e, node->first_out + p, &chain[p]);
    free(chain);
    return done;
}

/* Sets up the NICs of a host that has several. @return false = no memory */
static bool host_nics(struct sim_engine *e, uint32_t h)
{
    const struct weir_topology *topo = e->model->topo;
    const struct weir_node *node = &topo->node[h];
    struct weir_arena *arena = &e->thread[e->owner[h]].arena;
    struct sim_nics *n;
    if (e->model->nics == NULL)
        return true;
    n = weir_arena_take(arena, sizeof(*n));
    if (n == NULL)
        return false;
    *n = (struct sim_nics){ .count = node->out_count,
                            .transports = e->model->nics->count[h],
                            .out = &e->link[node->first_out] };
    WEIR_ASSERT(node->in_count == node->out_count && node->out_count <= WEIR_NICS_MAX);
    WEIR_ASSERT(n->transports >= 1 && n->transports <= n->count);
    for (uint32_t i = 0; i < node->in_count; i++)
        n->in[i] = &e->link[topo->in_link[node->first_in + i]];
    n->transport = weir_arena_take(arena, n->transports * sizeof(*n->transport));
    if (n->transport == NULL)
        return false;
    e->host[h].nics = n;
    return true;
}

/* Sets up host h, and sets e->due_ps[h] to its first timer, message or job. Its links must be set up. @return false
 * = no memory */
static bool host_init(struct sim_engine *e, uint32_t h)
{
    const struct weir_topology *topo = e->model->topo;
    struct sim_thread *th = &e->thread[e->owner[h]];
    struct sim_host *host = &e->host[h];
    struct weir_mem mem = { .grow = weir_arena_take, .ctx = &th->arena };
    struct weir_host_sink sink = weir_account_sink(&e->account, h);
    void *memory;
    WEIR_ASSERT(topo->node[h].out_count == 1 || e->model->nics != NULL);
    weir_account_place(&e->account, h, th->index);
    e->due_ps[h] = WEIR_NEVER;
    if (!sim_is_mine(e, h))
        return true;
    memory = weir_arena_take(&th->arena, weir_host_bytes(&e->model->host));
    if (memory == NULL || !host_nics(e, h))
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
    host->has_control = host->nic->port != NULL && host->nic->port->chain.has_control;
    host->epoch = e->epoch;
    host->writes_through = host->writes_through && host->epoch == NULL && host->nics == NULL;
    host->quick = host->writes_through && host->jobs == NULL;
    e->due_ps[h] = weir_min_u64(host->timer_ps, weir_source_next_ps(&host->source));
    if (host->jobs != NULL)
        e->due_ps[h] = weir_min_u64(e->due_ps[h], sim_jobs_next_ps(host->jobs));
    th->due_ps[SIM_GROUP_HOSTS] = weir_min_u64(th->due_ps[SIM_GROUP_HOSTS], e->due_ps[h]);
    return true;
}

/* Returns an upper bound of the length of a group's windows. Conservative lookahead: the minimum over all other
 * groups of the outbound plus the return delay, and not more than the lookahead within the group. */
static uint64_t group_window_ps(const struct sim_engine *e, uint32_t group)
{
    uint64_t longest_ps = e->lookahead_ps[group][group];
    for (uint32_t g = 0; g < SIM_GROUPS; g++)
        if (g != group)
            longest_ps = weir_min_u64(longest_ps, e->lookahead_ps[group][g] + e->lookahead_ps[g][group]);
    WEIR_ASSERT(longest_ps > 0);
    return longest_ps;
}

/* Sets up switch s. Its links must be set up. @return false = no memory */
static bool switch_init(struct sim_engine *e, uint32_t s)
{
    const struct weir_topology *topo = e->model->topo;
    uint32_t id = topo->host_count + s;
    const struct weir_node *node = &topo->node[id];
    struct sim_switch *sw = &e->sw[s];
    e->due_ps[id] = WEIR_NEVER;
    if (!sim_is_mine(e, id)) {
        sw->node = id;
        return true;
    }
    *sw = (struct sim_switch){ .node = id,
                               .first_out = node->first_out,
                               .out_count = node->out_count,
                               .waiting_bytes = sw->waiting_bytes,
                               .memory_bytes = weir_model_memory_bytes(e->model, id),
                               .in_link = &topo->in_link[node->first_in],
                               .in_count = node->in_count,
                               .lanes = (uint8_t)sim_lanes(e->model) };
    WEIR_ASSERT(sw->in_count == sw->out_count);
    for (uint32_t i = 0; i < sw->in_count; i++) /* in-link i and port i belong to the same cable */
        WEIR_ASSERT(topo->link[sw->in_link[i]].reverse == sw->first_out + i);
    weir_sim_switch_prepare(sw, &e->link[node->first_out], group_window_ps(e, e->group[id]));
    sw->next_loud = e->thread[e->owner[id]].loud;
    e->thread[e->owner[id]].loud = sw;
    return weir_sim_coupled_init(&e->thread[e->owner[id]], e, sw);
}

/* Fills e->lookahead_ps: from one group to another the least delay of a link. */
static void nodes_lookahead(struct sim_engine *e)
{
    const struct weir_topology *topo = e->model->topo;
    for (uint32_t g = 0; g < SIM_GROUPS; g++)
        for (uint32_t to = 0; to < SIM_GROUPS; to++)
            e->lookahead_ps[g][to] = SIM_WINDOW_MAX_PS;
    if (e->model->workload->jobs != NULL) /* hosts release flows of other hosts */
        e->lookahead_ps[SIM_GROUP_HOSTS][SIM_GROUP_HOSTS] = weir_min_u64(SIM_WINDOW_MAX_PS, e->jobs->notify_ps);
    for (uint32_t i = 0; i < topo->link_count; i++) {
        uint64_t *ps = &e->lookahead_ps[e->group[topo->link[i].src]][e->group[topo->link[i].dst]];
        WEIR_ASSERT(topo->link[i].delay_ps > 0);
        *ps = weir_min_u64(*ps, topo->link[i].delay_ps);
    }
}

/* Tests whether each switch can take its own samples: no port has class FIFOs, and no cable goes down. Else the queue
 * is not known in the middle of a visit. */
static bool nodes_sample_apart(const struct sim_engine *e)
{
    uint64_t together = 0;
    for (uint32_t i = 0; i < e->model->topo->link_count; i++) {
        struct sim_port_kind k = e->link[i].kind;
        together +=
            e->model->topo->link[i].src >= e->model->topo->host_count && (k.serve == SIM_SERVE_QUEUE || k.cable);
    }
    weir_sim_ranks_sum(e, &together, 1); /* all ranks have to meet at the same instants */
    weir_sim_ranks_share(e, &together, sizeof(together));
    return together == 0;
}

void weir_sim_nodes_samples(struct sim_engine *e)
{
    WEIR_ASSERT(e->link != NULL && e->sw != NULL);
    e->samples_apart = nodes_sample_apart(e) && e->end_ps != WEIR_NEVER;
    for (uint32_t t = 0; t < e->thread_count; t++)
        e->thread[t].next_sample_ps = weir_sim_sample_every(e) != WEIR_NEVER ? e->model->warmup_ps : WEIR_NEVER;
    for (uint32_t s = 0; s < e->model->topo->switch_count; s++)
        e->sw[s].sample_ps = e->samples_apart ? e->model->warmup_ps : WEIR_NEVER;
}

/* Sets up the lookahead, all links, hosts and switches, and the wake tables. Leaves by longjmp if a pool gets no
 * memory. @return false = no memory */
static bool nodes_init(struct sim_engine *e)
{
    const struct weir_topology *topo = e->model->topo;
    nodes_lookahead(e);
    for (uint32_t t = e->first; t < e->first + e->own; t++)
        e->thread[t].scratch = sim_fifo_scratch(&e->thread[t].pool);
    WEIR_ASSERT(sim_arrival(sim_lead(e)->scratch) == WEIR_NEVER && sim_arrival(&e->never) == WEIR_NEVER);
    for (uint32_t n = 0; n < topo->node_count; n++)
        if (!node_links(e, n))
            return false;
    for (uint32_t h = 0; h < topo->host_count; h++)
        if (!host_init(e, h))
            return false;
    for (uint32_t s = 0; s < topo->switch_count; s++)
        if (!switch_init(e, s))
            return false;
    for (size_t i = 0; i < (size_t)topo->node_count * e->own * 2; i++)
        e->wake[i] = WEIR_NEVER;
    for (size_t i = 0; i < (size_t)e->block_count * e->own * 2; i++)
        e->block_wake[i] = WEIR_NEVER;
    for (uint32_t b = 0; b < e->block_count; b++)
        e->block_due_ps[b] = WEIR_NEVER;
    for (uint32_t n = 0; n < topo->node_count; n++)
        sim_due_at(e, n, e->due_ps[n]);
    return true;
}

/* Catches the longjmp of a pool that gets no memory. Here all pools of chunks have the same target, since one thread
 * sets up the nodes of all threads. Afterwards each pool has the target of its own thread. */
bool weir_sim_nodes_init(struct sim_engine *e)
{
    jmp_buf no_memory;
    volatile bool done = false;
    for (uint32_t t = 0; t < e->thread_count; t++)
        e->thread[t].pool.on_failure = &no_memory;
    if (setjmp(no_memory) == 0)
        done = nodes_init(e);
    for (uint32_t t = 0; t < e->thread_count; t++)
        e->thread[t].pool.on_failure = &e->thread[t].out_of_memory;
    return done;
}
