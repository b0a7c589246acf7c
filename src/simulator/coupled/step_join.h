/* src/simulator/coupled/step_join.h - step by step: how a packet joins a port, and where it waits. Included by
 * visit_coupled.c, into whose loop these functions are inlined, and by coupled_parts.c. */
#ifndef WEIR_COUPLED_STEP_JOIN_H
#define WEIR_COUPLED_STEP_JOIN_H
#include "coupled/internal.h"
#include "port/port_body.h"
#include "port/visit.h"

/* ---- coupled_parts.c: the parts that few packets need ---- */

/* Drops a packet at port p: counts the drop by its cause, and frees the packet's telemetry records. */
void weir_sim_coupled_drop(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint64_t now_ps,
                           uint32_t cause);
/* Calls on_forward for the DATA packet of an entry whose route leads to port p. Updates entry->class_id, since the hook
 * may have changed the packet's virtual lane. @return the port by which the packet leaves */
uint32_t weir_sim_coupled_forward_entry(const struct coupled_run *r, uint32_t p, struct sim_stepped *entry,
                                        uint64_t now_ps);

/* ---- joining ---- */

/* Asks the admit hooks and the memory limit whether a packet of `bytes` may join port p. @return as
 * weir_chain_admits() */
static inline uint32_t coupled_admits(const struct coupled_run *r, uint32_t p, uint32_t in, uint32_t in_class,
                                      uint32_t bytes)
{
    const struct weir_admit admit = { .memory_bytes = r->sw->memory_bytes,
                                      .used_bytes = r->sw->used_bytes,
                                      .held_bytes = r->c->port[p].held_bytes,
                                      .bytes = bytes,
                                      .in_port = in,
                                      .in_class = in_class,
                                      .lossless = (r->model->features.lossless >> in_class & 1) != 0 };
    return weir_chain_admits(&r->out[p].port->chain, &admit);
}

/* Puts a packet into the class FIFO, or the queue of weighted round robin, of port p, and counts it as waiting. Leaves
 * by longjmp if there is no memory. */
SIM_COPIED static inline void coupled_enqueue(const struct coupled_run *r, uint32_t p, const struct sim_stepped *entry)
{
    struct sim_link *link = &r->out[p];
    struct sim_port *port = link->port;
    if (port->wrr != NULL && entry->class_id == COUPLED_WRR) {
        struct weir_waiting w = { .pkt = entry->pkt, .tx_ps = entry->tx_ps, .in_port = entry->in };
        if (!weir_wrr_put(port->wrr, &w))
            longjmp(r->th->out_of_memory, 1);
    } else {
        struct sim_stepped *q = ring_push(r->th, &port->waiting[entry->class_id], sizeof(*q));
        *q = *entry;
    }
    port->waiting_ps += entry->tx_ps;
    port->waiting_bytes[entry->class_id] += entry->pkt.wire_bytes;
    r->sw->waiting_bytes[p] += entry->pkt.wire_bytes;
    link->waiting_classes |= 1u << entry->class_id;
    link->waiting_pkts++;
}

/* Returns the address of the byte count of an in-link and class in deferred.held. The next window with deferred hooks
 * starts from these counts. in: in-link, or SIM_NO_IN */
static inline uint64_t *coupled_held(const struct coupled_run *r, uint32_t in, uint32_t in_class)
{
    return &r->c->deferred.held[deferred_held_index(&r->c->deferred, deferred_in_index(r, in), in_class)];
}

/* Counts a packet that joins port p: in the counters of the link, and in the accounts if ends_matter. backlog_ps:
 * unsent work that the packet finds */
static inline void coupled_count(const struct coupled_run *r, uint32_t p, const struct sim_stepped *entry,
                                 uint64_t backlog_ps, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    struct coupled_port *cp = &r->c->port[p];
    uint32_t bytes = entry->pkt.wire_bytes;
    link->bytes += bytes;
    link->free_at_ps = weir_max_u64(link->free_at_ps, now_ps) + entry->tx_ps; /* a lower bound if the port is paused */
    link->backlog_max_ps = weir_max_u64(link->backlog_max_ps, backlog_ps + entry->tx_ps);
    if (r->c->ends_matter) {
        cp->held_bytes += bytes;
        r->sw->used_bytes += bytes;
        if (r->c->deferred.port != NULL)
            *coupled_held(r, entry->in, entry->in_class) += bytes;
    }
}

/* Calls on_joined for a packet that has joined the port, and queues the control frames that the hooks make. */
static inline void coupled_notify_joined(const struct coupled_run *r, const struct weir_chain *chain,
                                         const struct weir_joined *joined)
{
    struct weir_chain_control made;
    for (uint32_t i = 0; weir_chain_joined(chain, &i, joined, &made);)
        weir_sim_control_put(r, &made);
}

/* Lets an admitted packet join port p at now_ps. Sets entry->tx_ps and entry->pkt.arrival_ps; the caller sets all other
 * fields. backlog_ps: unsent work that the packet finds */
SIM_COPIED static inline void coupled_put(const struct coupled_run *r, uint32_t p, struct sim_stepped *entry,
                                          uint64_t backlog_ps, uint64_t now_ps)
{
    struct sim_link *link = &r->out[p];
    uint32_t bytes = entry->pkt.wire_bytes;
    entry->pkt.arrival_ps = now_ps;
    entry->tx_ps = weir_tx_clock_advance(&link->port->clock, bytes);
    coupled_count(r, p, entry, backlog_ps, now_ps);
    coupled_enqueue(r, p, entry);
    if (r->c->port[p].wire_ps <= now_ps || r->c->armed_ps[p] == WEIR_NEVER)
        coupled_touch(r->c, p); /* else the port is visited when the wire is free */
    coupled_notify_joined(
        r, &link->port->chain,
        &(struct weir_joined){
            .pkt = &entry->pkt, .now_ps = now_ps, .in_port = entry->in, .in_class = entry->in_class });
    if (r->sw->track_sum)
        sim_watch_sum(r->th, r->sw, bytes, now_ps);
}

/* Lets a packet that came by in-link `in` join an out-port, or drops it. p: the port of its route; on_forward may
 * replace it */
static inline void coupled_join(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint32_t in,
                                uint64_t now_ps)
{
    struct sim_link *link;
    uint64_t backlog_ps;
    uint32_t cause;
    struct sim_stepped entry = { .pkt = *pkt, .in = in };
    if ((weir_chain_arrive(&r->out[in].port->chain, pkt, now_ps) & WEIR_ECHO) != 0)
        entry.pkt.flags |= WEIR_PKT_ECE;
    entry.class_id = entry.in_class = (uint16_t)coupled_class(r, &r->out[p], pkt);
    if (weir_chain_forwards(&r->out[in].port->chain, pkt))
        p = weir_sim_coupled_forward_entry(r, p, &entry, now_ps);
    link = &r->out[p];
    link->port->offered++;
    cause = link->kind.cable && weir_sim_port_discards(link->port, now_ps)
                ? r->th->engine->discard_cause
                : coupled_admits(r, p, in, entry.in_class, pkt->wire_bytes);
    if (WEIR_UNLIKELY(cause != WEIR_CAUSE_NONE)) {
        weir_sim_coupled_drop(r, p, &entry.pkt, now_ps, cause);
        return;
    }
    backlog_ps = sim_counted_backlog_ps(link, now_ps);
    entry.pkt.flags_low =
        port_mark(r->th, link, &entry.pkt, (struct sim_via){ in, entry.class_id }, backlog_ps, now_ps, link->kind);
    coupled_put(r, p, &entry, backlog_ps, now_ps);
}
#endif
