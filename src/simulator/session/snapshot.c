/* src/simulator/session/snapshot.c - describes queues, rates and bytes of links, and messages at hosts, where all nodes
 * have stopped. */
#include "core/math.h"
#include "port/port.h"
#include "session/session.h"
#include <stdlib.h>
#include <string.h>

/* Allocates what snapshots lend, at the first one. @return false = no memory */
static bool snapshot_room(struct weir_sim *sim)
{
    const struct weir_topology *topo = &sim->setup->topo;
    if (sim->link == NULL)
        sim->link = calloc(topo->link_count, sizeof(*sim->link));
    if (sim->host == NULL)
        sim->host = calloc(topo->host_count, sizeof(*sim->host));
    if (sim->left_bytes == NULL)
        sim->left_bytes = calloc(topo->link_count, sizeof(*sim->left_bytes));
    return sim->link != NULL && sim->host != NULL && sim->left_bytes != NULL;
}

static void describe_link(struct weir_sim *sim, uint32_t number, uint64_t now_ps)
{
    const struct sim_link *link = &sim->engine->link[number];
    uint64_t span_ps = now_ps - sim->snapshot_ps, left_bytes;
    struct weir_sim_link *out = &sim->link[number];
    *out = (struct weir_sim_link){ .src = link->src,
                                   .dst = link->dst,
                                   .rate_bps = link->rate_bps,
                                   .queue_bytes = sim_queue_bytes(link, weir_sim_port_backlog_ps(link, now_ps)),
                                   .bytes = link->bytes,
                                   .marks = link->marks,
                                   .drops = link->drops + link->unrouted,
                                   .losses = link->losses };
    WEIR_ASSERT(out->queue_bytes <= out->bytes);
    left_bytes = out->bytes - out->queue_bytes;
    if (span_ps > 0)
        out->sent_bps = weir_mul_div_u64(left_bytes - sim->left_bytes[number], 8 * WEIR_PS_PER_S, span_ps);
    sim->left_bytes[number] = left_bytes;
}

static void describe_host(struct weir_sim *sim, uint32_t number)
{
    const struct weir_host *h = sim->engine->host[number].h;
    const struct weir_host_stats *stats = weir_host_stats(h);
    const struct weir_inbox *inbox = &sim->inbox[number];
    struct weir_sim_host *out = &sim->host[number];
    struct weir_host_pending p;
    *out = (struct weir_sim_host){ .acked_bytes = stats->tx_acked_bytes,
                                   .arrived_bytes = stats->rx_new_bytes,
                                   .retransmissions = stats->retransmissions };
    for (uint32_t i = 0; i < inbox->waiting.count; i++) {
        const struct weir_inbox_row *row = weir_inbox_row(inbox, (uint32_t)inbox->waiting.entry[i].id);
        WEIR_ASSERT(row->waits);
        if (row->is_cancelled || row->dst == WEIR_INBOX_TIMER ||
            sim->scn->traffic[row->item].kind != WEIR_TRAFFIC_SESSION) /* messages of collectives wait there, too */
            continue;
        out->waiting_messages++;
        out->waiting_bytes += row->bytes;
    }
    for (uint64_t cursor = 0; weir_host_next_pending(h, &cursor, &p);) {
        out->open_messages++;
        out->unsent_pkts += p.left_pkts;
    }
}

int session_stands(struct weir_sim *sim)
{
    if (sim->now_ps >= sim->beyond_ps || sim->engine->over)
        return 0;
    return session_fail(sim, WEIR_SIM_E_CALL, "set a timer by weir_sim_at() beforehand, or advance further",
                        "nodes may have gone on beyond %llu ps, up to %llu ps", (unsigned long long)sim->now_ps,
                        (unsigned long long)sim->beyond_ps);
}

int weir_sim_snapshot(struct weir_sim *sim, struct weir_sim_snapshot *snapshot)
{
    const struct weir_topology *topo = &sim->setup->topo;
    struct weir_sim_snapshot now = { .link_count = topo->link_count, .host_count = topo->host_count };
    uint32_t size = snapshot->size;
    if (session_in_visit(sim))
        return session_fail(sim, WEIR_SIM_E_CALL, NULL, "a call-back cannot take a snapshot: other hosts are at work");
    if (sim->failed)
        return WEIR_SIM_E_RUN;
    if (size < sizeof(now))
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, "set snapshot.size to sizeof(struct weir_sim_snapshot)",
                            "snapshot.size is %u", size);
    if (session_stands(sim) != 0)
        return WEIR_SIM_E_CALL;
    if (!snapshot_room(sim))
        return session_fail(sim, WEIR_SIM_E_MEMORY, NULL, "not enough memory for a snapshot");
    for (uint32_t i = 0; i < topo->link_count; i++)
        describe_link(sim, i, sim->now_ps);
    for (uint32_t h = 0; h < topo->host_count; h++)
        describe_host(sim, h);
    now.at_ps = sim->now_ps;
    now.since_ps = sim->snapshot_ps;
    now.link = sim->link;
    now.host = sim->host;
    sim->snapshot_ps = sim->now_ps;
    memcpy(snapshot, &now, sizeof(now));
    snapshot->size = size;
    return 0;
}

int weir_sim_node_name(struct weir_sim *sim, uint32_t node, char *name, size_t size)
{
    if (node >= sim->setup->topo.node_count)
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, NULL, "node %u: the topology has nodes 0 to %u", node,
                            sim->setup->topo.node_count - 1);
    weir_topology_node_name(&sim->setup->topo, node, name, size);
    return 0;
}
