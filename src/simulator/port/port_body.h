/* src/simulator/port/port_body.h - the port body: how a packet joins a port, waits and leaves. It serves NICs, and
 * ports of switches whose ports are independent. port_kinds.c makes an instance of it for each frequent kind of port,
 * with the kind as a constant, and one with the kind as a variable. The text is the same in all instances: a kind
 * without an instance of its own is slower, but never wrong. Coupled switches use parts of the body. */
#ifndef WEIR_PORT_PORT_BODY_H
#define WEIR_PORT_PORT_BODY_H
#include "port/port.h"
#include "state/emit.h"
#include "state/fate.h"
#include "state/lanes.h"
#include "state/ring.h"
#include "state/tap.h"

struct sim_via { /* in-port and class of a packet that joins, as in struct weir_join */
    uint32_t in_port, class_id;
};

/* ---- parts.c: steps that no packet of a frequent kind of port needs ---- */

/* Asks the on_join hooks, then the on_mark hooks, whether a packet that joins is marked. Counts the mark by its cause,
 * but not in link->marks. port->offered already includes the packet. @return 1 = set CE, 0 = do not */
uint32_t weir_sim_port_asks_join(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                 struct sim_via via, uint64_t backlog_ps, uint64_t now_ps);
/* Asks the on_dequeue hooks about the packet that is to leave a port next. If they mark the packet, sets CE and
 * counts the mark. Fills dequeue->pkt and .joined_ps; the caller fills the other fields. @return WEIR_CAUSE_NONE =
 * the packet leaves; else the cause of its drop: the caller removes the packet from its queue and calls
 * weir_sim_drop() */
uint32_t weir_sim_port_asks_dequeue(struct sim_thread *th, struct sim_link *link, struct weir_dequeue *dequeue,
                                    struct weir_pkt *pkt, uint64_t tx_ps);
/* Asks the admit hooks and the memory limit whether a packet may join, and if so adds its bytes to the memory held. sw:
 * NULL at a host, whose NIC shares no memory. @return WEIR_CAUSE_NONE = admitted; else the cause of its drop */
uint32_t weir_sim_port_admits(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw,
                              const struct weir_pkt *pkt, uint64_t now_ps);
/* Records that a packet holds its memory until end_ps, when its transmission ends or it is dropped. For one port,
 * end_ps must not decrease from call to call. */
void weir_sim_port_hold(struct sim_thread *th, struct sim_link *link, uint64_t end_ps, uint32_t bytes);
/* Copies a packet to the end of its class FIFO, where it waits for a decision. @return the copy, valid until the next
 * packet joins or leaves this FIFO */
struct weir_pkt *weir_sim_port_enqueue(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                       uint64_t now_ps, uint64_t tx_ps);
/* Asks the on_dequeue hooks about q, the first packet of a class, which is to leave at now_ps. If they drop q,
 * counts the drop and ends the use of its memory. The caller removes q from its FIFO in both cases. @return false =
 * q was dropped */
bool weir_sim_port_dequeue(struct sim_thread *th, struct sim_link *link, uint32_t class_id, struct sim_queued *q,
                           uint64_t now_ps);

/* Returns how long a frame with this much work is on the wire if it starts at start_ps: longer than the work if the
 * cable has a lower rate then. Only of a port with kind.cable */
uint64_t weir_sim_port_duration_ps(const struct sim_link *link, uint64_t start_ps, uint64_t work_ps);
/* Records the same of a frame that starts. @return its time on the wire */
uint64_t weir_sim_port_wire_ps(struct sim_link *link, uint64_t start_ps, uint64_t work_ps);
/* The same of a PULL port, whose counters have counted the frame by its work: counts the time on the wire. */
uint64_t weir_sim_port_pull_ps(struct sim_link *link, uint64_t start_ps, uint64_t work_ps, bool measuring);

/* Returns when the next event takes place at which the port drops what waits; WEIR_NEVER = there is none. Only of a
 * port with class FIFOs whose cable goes down. */
uint64_t weir_sim_port_flush_ps(const struct sim_port *port);
/* Drops all that waits at such a port at now_ps, and executes the events of its cable up to now_ps. All decisions
 * before now_ps must have been made, and nothing may have joined at now_ps. */
void weir_sim_port_flush(struct sim_thread *th, struct sim_link *link, uint64_t now_ps);
/* Executes the events of the cable of such a port up to and including now_ps, and the decisions before now_ps. Called
 * before a packet joins at now_ps, so an event never drops what joins after it. */
void weir_sim_port_pass_events(struct sim_thread *th, struct sim_link *link, uint64_t now_ps);

/* Returns the index of the class FIFO of a packet: its class_id, or the last class of the port if that is lower. */
static inline uint32_t sim_port_class(const struct sim_port *port, const struct weir_pkt *pkt)
{
    return pkt->class_id < port->last_class ? pkt->class_id : port->last_class;
}

/* ---- joining ---- */

/* Returns the backlog b(now) that a packet finds when it joins; 0 at a PULL port. At a counted port the decisions
 * before now_ps are made first, since the backlog depends on them. */
SIM_COPIED static inline uint64_t port_backlog_ps(struct sim_thread *th, struct sim_link *link, uint64_t now_ps,
                                                  struct sim_port_kind k)
{
    uint64_t left_ps;
    if (k.serve == SIM_SERVE_PULL)
        return 0;
    if (!sim_kind_is_counted(k))
        return sim_fifo_backlog_ps(link, now_ps);
    if (link->waiting_pkts > 0 && (!k.gate || link->port->gate_next_ps < now_ps))
        (void)sim_port_decide(th, link, now_ps);
    left_ps = link->busy_until_ps > now_ps ? link->busy_until_ps - now_ps : 0;
    return (link->waiting_pkts > 0 ? link->port->waiting_ps : 0) +
           (k.cable ? sim_port_rest_ps(link->port, left_ps) : left_ps);
}

/* Asks the gate whether a packet may join; it always may if its class is not gated. @return as weir_chain_admits() */
static inline uint32_t port_gate_admits(const struct sim_port *port, const struct weir_pkt *pkt)
{
    uint32_t class_id = sim_port_class(port, pkt);
    if (!weir_chain_is_gated(&port->chain, class_id))
        return WEIR_CAUSE_NONE;
    return weir_chain_gate_admits(&port->chain, port->waiting_bytes[class_id], pkt->wire_bytes);
}

/* Asks whether a packet may join: first the cable, then the gate, then the admit hooks and the memory limit, as far as
 * the kind has them. @return as weir_chain_admits() */
SIM_COPIED static inline uint32_t port_refuses(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw,
                                               const struct weir_pkt *pkt, uint64_t now_ps, struct sim_port_kind k)
{
    uint32_t cause = WEIR_CAUSE_NONE;
    if (k.cable && k.serve == SIM_SERVE_QUEUE && weir_sim_port_discards(link->port, now_ps))
        return th->engine->discard_cause;
    if (k.gate)
        cause = port_gate_admits(link->port, pkt);
    if (k.memory && cause == WEIR_CAUSE_NONE)
        cause = weir_sim_port_admits(th, link, sw, pkt, now_ps);
    return cause;
}

/* Decides whether a packet that finds this backlog is marked, and counts the mark. @return the packet's flags, with CE
 * if it is marked. They are not written into *pkt: a load of a packet that was just changed would wait for all stores
 * before it */
SIM_COPIED static inline uint8_t port_mark(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                           struct sim_via via, uint64_t backlog_ps, uint64_t now_ps,
                                           struct sim_port_kind k)
{
    uint32_t mark = 0;
    if (k.serve == SIM_SERVE_PULL)
        return pkt->flags_low;
    if (!k.join)
        mark = (uint32_t)(backlog_ps >= link->mark_ps) & pkt->flags_low & WEIR_PKT_ECT;
    else if (WEIR_UNLIKELY(backlog_ps >= link->mark_ps))
        mark = weir_sim_port_asks_join(th, link, pkt, via, backlog_ps, now_ps);
    link->marks += mark;
    return (uint8_t)(pkt->flags_low | mark * WEIR_PKT_CE);
}

/* Counts a packet that joins: adds its bytes, and sets link->free_at_ps to the end of the unsent work. If measuring
 * is true, also updates area and longest queue, since only their values in the measured part are reported. @return
 * the transmission time of the packet */
SIM_COPIED static inline uint64_t port_count(struct sim_link *link, uint32_t bytes, uint64_t backlog_ps,
                                             uint64_t now_ps, bool measuring, struct sim_port_kind k)
{
    uint64_t tx_ps =
        k.fraction ? weir_tx_clock_advance(&link->port->clock, bytes) : (uint64_t)bytes * link->ps_per_byte;
    if (measuring && !sim_kind_is_counted(k))
        link->area += (sim_area)tx_ps * (2 * backlog_ps + tx_ps);
    if (measuring && k.serve != SIM_SERVE_PULL)
        link->backlog_max_ps = weir_max_u64(link->backlog_max_ps, backlog_ps + tx_ps);
    link->free_at_ps = now_ps + backlog_ps + tx_ps;
    link->bytes += bytes;
    return tx_ps;
}

/* ---- leaving ---- */

/* Calls the on_start hooks, tests whether the cable cuts the packet off, and logs the start for the tap. A port that
 * knows starts in advance may have one at or after the end of the run. The run counts nothing of it: no hook is called,
 * and no cable cuts the packet off. slot: the packet as it goes onto the wire; hooks may write it. at: late_ps is set.
 * @return why the packet is lost on the wire; WEIR_CAUSE_NONE = it is not lost */
SIM_COPIED static inline uint32_t port_start(struct sim_thread *th, struct sim_link *link, struct weir_pkt *slot,
                                             struct sim_tapped *at, struct sim_port_kind k)
{
    uint32_t cause = WEIR_CAUSE_NONE;
    bool counts = at->start_ps < th->engine->end_ps;
    if (k.start && counts) {
        struct weir_start start = { .pkt = slot,
                                    .now_ps = at->start_ps,
                                    .joined_ps = at->joined_ps,
                                    .tx_ps = at->tx_ps,
                                    .begun = link->port->begun++,
                                    .in_port = WEIR_PORT_NONE };
        cause = weir_answer_cause(weir_chain_start(&link->port->chain, &start));
        at->late_ps = start.late_ps;
    }
    if (k.cable && counts && cause == WEIR_CAUSE_NONE &&
        weir_sim_port_cut(link->port, at->start_ps, at->start_ps + at->tx_ps + link->delay_ps + at->late_ps))
        cause = th->engine->cut_cause;
    if (k.tap)
        weir_sim_tap_start(th, link, slot, at, cause);
    return cause;
}

/* Sends a packet whose start is known: writes it into the link's FIFO, or loses it on the wire. flags: those that it
 * leaves with. in_slot: pkt is already the slot to be written next, so nothing is copied */
SIM_COPIED static inline void port_depart(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                          uint8_t flags, struct sim_tapped at, bool in_slot, struct sim_port_kind k)
{
    struct weir_pkt *slot = link->write[SIM_LANE_FIRST];
    uint32_t cause;
    if (k.memory)
        weir_sim_port_hold(th, link, at.start_ps + at.tx_ps, pkt->wire_bytes);
    if (!in_slot)
        sim_copy_body(slot, pkt);
    slot->flags_low = flags;
    cause = port_start(th, link, slot, &at, k);
    if (WEIR_UNLIKELY(cause != WEIR_CAUSE_NONE)) {
        weir_sim_lose(th, link, slot, cause);
        return;
    }
    sim_emit(th, link, at.start_ps + at.tx_ps + link->delay_ps + at.late_ps);
}

/* ---- decisions of class FIFOs ---- */

struct port_decision { /* the next decision of a port: when, and which class starts; WEIR_NEVER = no packet waits */
    uint64_t at_ps;
    uint32_t class_id;
};

/* Returns the first packet of a class FIFO, which must not be empty. */
static inline const struct sim_queued *port_head(const struct sim_link *link, uint32_t class_id)
{
    return ring_at(&link->port->waiting[class_id], sizeof(struct sim_queued), 0);
}

/* Returns the earliest time at which a waiting packet joined. Some packet must wait. */
static inline uint64_t port_oldest_ps(const struct sim_link *link)
{
    uint64_t oldest_ps = WEIR_NEVER;
    for (uint32_t left = link->waiting_classes; left != 0; left &= left - 1)
        oldest_ps = weir_min_u64(oldest_ps, port_head(link, (uint32_t)__builtin_ctz(left))->pkt.arrival_ps);
    return oldest_ps;
}

/* Returns the class that a decision at decision_ps chooses. This is the highest class whose first packet has joined
 * by then, and is not held back by a gate then. There must be such a class. */
SIM_COPIED static inline uint32_t port_pick(const struct sim_link *link, uint64_t decision_ps, struct sim_port_kind k)
{
    const struct weir_chain *chain = &link->port->chain;
    for (uint32_t left = link->waiting_classes; left != 0; left &= left - 1) {
        uint32_t c = (uint32_t)__builtin_ctz(left);
        const struct sim_queued *head = port_head(link, c);
        if (head->pkt.arrival_ps <= decision_ps &&
            (!k.gate || !weir_chain_is_gated(chain, c) ||
             weir_chain_gate_opens_ps(chain, head->pkt.wire_bytes) <= decision_ps))
            return c;
    }
    WEIR_ASSERT(false);
    return 0;
}

/* Returns the next decision of a port with class FIFOs, given that no packet joins. */
SIM_COPIED static inline struct port_decision port_next(const struct sim_link *link, struct sim_port_kind k)
{
    const struct sim_port *port = link->port;
    struct port_decision next = { WEIR_NEVER, 0 };
    if (link->waiting_pkts == 0)
        return next;
    if (k.gate) {
        next = (struct port_decision){ port->gate_next_ps, port->gate_next_class };
    } else if ((link->waiting_classes & (link->waiting_classes - 1)) == 0) { /* nothing to choose */
        next.class_id = (uint32_t)__builtin_ctz(link->waiting_classes);
        next.at_ps = weir_max_u64(link->busy_until_ps, port_head(link, next.class_id)->pkt.arrival_ps);
    } else {
        next.at_ps = weir_max_u64(link->busy_until_ps, port_oldest_ps(link));
        next.class_id = port_pick(link, next.at_ps, k);
    }
    if (k.cable) { /* other packets may have joined by the time the cable is up */
        next.at_ps = weir_sim_port_up_ps(port, next.at_ps);
        next.class_id = port_pick(link, next.at_ps, k);
    }
    return next;
}

/* Returns the earliest instant at which the first packet of a class may start: the wire is free, the packet has joined,
 * and the gate does not hold it back. */
static inline uint64_t port_may_ps(const struct sim_link *link, uint32_t class_id)
{
    const struct weir_chain *chain = &link->port->chain;
    const struct sim_queued *head = port_head(link, class_id);
    uint64_t may_ps = weir_max_u64(link->busy_until_ps, head->pkt.arrival_ps);
    if (weir_chain_is_gated(chain, class_id))
        may_ps = weir_max_u64(may_ps, weir_chain_gate_opens_ps(chain, head->pkt.wire_bytes));
    return may_ps;
}

/* Finds the next decision of a port with a gate, and stores it in the port. It is at the earliest instant at which the
 * first packet of some class may start, and chooses the highest such class. WEIR_NEVER = no packet waits. */
static inline void port_gate_find(const struct sim_link *link)
{
    struct sim_port *port = link->port;
    port->gate_next_ps = WEIR_NEVER;
    for (uint32_t left = link->waiting_classes; left != 0; left &= left - 1) {
        uint32_t c = (uint32_t)__builtin_ctz(left);
        uint64_t may_ps = port_may_ps(link, c);
        if (may_ps < port->gate_next_ps) {
            port->gate_next_ps = may_ps;
            port->gate_next_class = c;
        }
    }
}

/* Updates the next decision of a port with a gate after a packet has joined a class. The decision can change only if
 * the packet is the first of its class. */
static inline void port_gate_joined(const struct sim_link *link, uint32_t class_id)
{
    struct sim_port *port = link->port;
    uint64_t may_ps;
    if (port->waiting[class_id].count > 1)
        return;
    may_ps = port_may_ps(link, class_id);
    if (link->waiting_pkts == 1 || may_ps < port->gate_next_ps ||
        (may_ps == port->gate_next_ps && class_id < port->gate_next_class)) {
        port->gate_next_ps = may_ps;
        port->gate_next_class = class_id;
    }
}

/* Removes the first packet of a class at now: starts its transmission, or drops it if the on_dequeue hooks decide
 * so. */
SIM_COPIED static inline void port_leave(struct sim_thread *th, struct sim_link *link, uint32_t class_id,
                                         uint64_t now_ps, struct sim_port_kind k)
{
    struct sim_port *port = link->port;
    struct sim_ring *ring = &port->waiting[class_id];
    struct sim_queued *q = ring_at(ring, sizeof(*q), 0);
    port->waiting_ps -= q->tx_ps;
    port->waiting_bytes[class_id] -= q->pkt.wire_bytes;
    link->waiting_pkts--;
    if (!k.dequeue || weir_sim_port_dequeue(th, link, class_id, q, now_ps)) {
        if (k.gate && weir_chain_is_gated(&port->chain, class_id))
            weir_chain_gate_passed(&port->chain, q->pkt.wire_bytes, now_ps);
        uint64_t wire_ps = k.cable ? weir_sim_port_wire_ps(link, now_ps, q->tx_ps) : q->tx_ps;
        link->busy_until_ps = now_ps + wire_ps;
        if (sim_kind_is_counted(k))
            port->area += (sim_area)q->tx_ps * (2 * (now_ps - q->pkt.arrival_ps) + wire_ps);
        port_depart(th, link, &q->pkt, q->pkt.flags_low, (struct sim_tapped){ q->pkt.arrival_ps, now_ps, wire_ps, 0 },
                    false, k);
    } else if (link->busy_until_ps < now_ps) {
        link->busy_until_ps =
            now_ps; /* the next decision is at now or later, even if a gate is open earlier for a smaller packet */
    }
    ring_pop(ring);
    link->waiting_classes &= ~((uint32_t)(ring->count == 0) << class_id);
    if (k.gate)
        port_gate_find(link);
}

/* Flushes a port before its next decision, if an event of its cable comes before that and before end_ps. Sets
 * next->at_ps to the time of an event at end_ps or later that comes before the decision. @return true = it was flushed:
 * find the next decision anew */
static inline bool port_flushes_first(struct sim_thread *th, struct sim_link *link, struct port_decision *next,
                                      uint64_t end_ps)
{
    uint64_t flush_ps = link->waiting_pkts > 0 ? weir_sim_port_flush_ps(link->port) : WEIR_NEVER;
    if (flush_ps == WEIR_NEVER || flush_ps > next->at_ps)
        return false;
    if (flush_ps < end_ps)
        weir_sim_port_flush(th, link, flush_ps);
    else
        next->at_ps = flush_ps;
    return flush_ps < end_ps;
}

/* Makes the decisions of a port before end_ps. @return when the next decision, or the event at which all that waits is
 * dropped, is due; WEIR_NEVER = no packet waits */
SIM_COPIED static inline uint64_t port_decide(struct sim_thread *th, struct sim_link *link, uint64_t end_ps,
                                              struct sim_port_kind k)
{
    struct port_decision next;
    if (k.serve == SIM_SERVE_LANES)
        return sim_lanes_decide(link, end_ps);
    if (k.serve != SIM_SERVE_QUEUE)
        return WEIR_NEVER;
    for (;;) {
        next = port_next(link, k);
        if (k.cable && port_flushes_first(th, link, &next, end_ps))
            continue;
        if (next.at_ps >= end_ps)
            return next.at_ps;
        port_leave(th, link, next.class_id, next.at_ps, k);
    }
}

/* ---- the three ways to wait ---- */

/* Puts a packet into one of the two lanes of a link. First makes all decisions before now_ps: on average one per
 * packet. A packet of the higher class leaves before all undecided packets, so its departure is known now. A packet
 * of the lower class waits, undecided, in the lower lane. */
SIM_COPIED static inline void port_lanes(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                         uint8_t flags, uint64_t now_ps, uint64_t tx_ps)
{
    bool high = pkt->class_id == 0;
    struct weir_pkt **write = &link->write[!high], *slot = *write;
    struct sim_due due = sim_decide_one(link, sim_due_of(link), now_ps);
    uint64_t free_ps;
    while (WEIR_UNLIKELY(sim_due_start_ps(due) < now_ps))
        due = sim_decide_one(link, due, now_ps);
    free_ps = weir_max_u64(due.busy_until_ps, now_ps) + tx_ps;
    link->busy_until_ps = weir_pick_u64(high, free_ps, due.busy_until_ps);
    link->undecided = due.slot;
    sim_copy_body(slot, pkt);
    slot->flags_low = flags;
    *write = sim_fifo_publish(&th->pool, slot, weir_pick_u64(high, free_ps + link->delay_ps, now_ps | SIM_UNDECIDED));
}

/* Decides at once about a packet that finds a counted port idle: starts or drops it, without a class FIFO. @return
 * false = nothing was done: the gate holds the packet back, and it must wait */
SIM_COPIED static inline bool port_leave_now(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                             uint8_t flags, uint64_t now_ps, uint64_t tx_ps, struct sim_port_kind k)
{
    struct sim_port *port = link->port;
    uint32_t class_id = sim_port_class(port, pkt);
    bool gated = k.gate && weir_chain_is_gated(&port->chain, class_id);
    if (gated && weir_chain_gate_opens_ps(&port->chain, pkt->wire_bytes) > now_ps)
        return false;
    link->busy_until_ps = now_ps;
    if (k.dequeue) {
        struct sim_queued q = { .pkt = *pkt,
                                .tx_ps = tx_ps }; /* a copy for the hooks to write: *pkt is in another link's FIFO */
        q.pkt.arrival_ps = now_ps;
        q.pkt.flags_low = flags;
        if (!weir_sim_port_dequeue(th, link, class_id, &q, now_ps))
            return true;
        flags = q.pkt.flags_low;
    }
    if (gated)
        weir_chain_gate_passed(&port->chain, pkt->wire_bytes, now_ps);
    link->busy_until_ps = now_ps + tx_ps;
    port->area += (sim_area)tx_ps * tx_ps;
    port_depart(th, link, pkt, flags, (struct sim_tapped){ now_ps, now_ps, tx_ps, 0 }, false, k);
    return true;
}

/* Puts a packet into its class FIFO, or sends it if its departure is known already. This is so in two cases:
 * - It finds the port idle and is alone, so it starts at now_ps. At a counted port, the gate must also be open, and
 *   the cable must never go down.
 * - The port is not counted and the packet is of the highest class, so it starts before all other packets that
 * wait. */
SIM_COPIED static inline void port_queue(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                         uint8_t flags, uint64_t now_ps, uint64_t tx_ps, bool alone,
                                         struct sim_port_kind k)
{
    bool idle = (uint32_t)alone & (link->waiting_pkts == 0) & (link->busy_until_ps <= now_ps);
    if (sim_kind_is_counted(k)) {
        if (idle && !k.cable && port_leave_now(th, link, pkt, flags, now_ps, tx_ps, k))
            return;
    } else if ((uint32_t)idle | (pkt->class_id == 0)) {
        uint64_t start_ps;
        if (link->waiting_pkts > 0)
            (void)sim_port_decide(th, link, now_ps);
        start_ps = weir_max_u64(link->busy_until_ps, now_ps);
        link->busy_until_ps = start_ps + tx_ps;
        port_depart(th, link, pkt, flags, (struct sim_tapped){ now_ps, start_ps, tx_ps, 0 }, false, k);
        return;
    }
    weir_sim_port_enqueue(th, link, pkt, now_ps, tx_ps)->flags_low = flags;
    if (k.gate)
        port_gate_joined(link, sim_port_class(link->port, pkt));
}

/* ---- the body ---- */

/**
 * Lets a packet join a port at now_ps; at a PULL port its transmission starts.
 * @param sw         NULL at a host
 * @param alone      true only if no packet joins this port at now_ps after this one; false is always correct
 * @param measuring  true = in the measured part: area and longest queue are kept
 * @param in_slot    pkt is the slot of the link to be written next; only with FIFO and PULL
 * @return false = the packet was dropped
 */
SIM_COPIED static inline bool port_put(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw,
                                       const struct weir_pkt *pkt, uint64_t now_ps, bool alone, bool measuring,
                                       bool in_slot, struct sim_port_kind k)
{
    uint64_t backlog_ps, tx_ps;
    uint32_t cause;
    uint8_t flags;
    if (k.cable && k.serve == SIM_SERVE_QUEUE)
        weir_sim_port_pass_events(th, link, now_ps);
    backlog_ps = port_backlog_ps(th, link, now_ps, k);
    if (k.join)
        link->port->offered++;
    cause = port_refuses(th, link, sw, pkt, now_ps, k);
    if (WEIR_UNLIKELY(cause != WEIR_CAUSE_NONE)) {
        weir_sim_drop(th, link, pkt, now_ps, cause);
        return false;
    }
    flags = port_mark(th, link, pkt, (struct sim_via){ WEIR_PORT_NONE, k.join ? sim_port_class(link->port, pkt) : 0 },
                      backlog_ps, now_ps, k);
    tx_ps = port_count(link, pkt->wire_bytes, backlog_ps, now_ps, measuring, k);
    if (k.cable && k.serve == SIM_SERVE_PULL)
        tx_ps = weir_sim_port_pull_ps(link, now_ps, tx_ps, measuring);
    if (k.serve == SIM_SERVE_LANES)
        port_lanes(th, link, pkt, flags, now_ps, tx_ps);
    else if (k.serve == SIM_SERVE_QUEUE)
        port_queue(th, link, pkt, flags, now_ps, tx_ps, alone, k);
    else
        port_depart(th, link, pkt, flags, (struct sim_tapped){ now_ps, now_ps + backlog_ps, tx_ps, 0 }, in_slot, k);
    return true;
}
#endif
