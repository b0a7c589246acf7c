/* src/sim/port.c - ports off the fast path: limited buffers, loss, ramps, fractional rates, priorities, cable events.
 * The fast path knows a packet's departure when it joins; here a frame may have to wait for a decision that later
 * arrivals influence. Such packets stay in class FIFOs and the port catches up ("replays") once it is known what had
 * arrived before each decision. */
#include "sim/ring.h"
#include "sim/lost.h"

/* Its unsent work stands still at times, or goes at once: it is summed up decision by decision. */
static bool port_is_counted(const struct sim_link *link)
{
    uint32_t why = SIM_GENERAL_CABLE | SIM_GENERAL_DEQUEUE | SIM_GENERAL_GATE;
    return (link->general & SIM_GENERAL_QUEUE) != 0 && (link->general & why) != 0;
}

uint64_t weir_sim_port_up_ps(const struct sim_port *port, uint64_t at_ps)
{
    bool up = true;
    for (uint32_t i = 0; i < port->event_count; i++) {
        if (port->event[i].at_ps > at_ps && up)
            return at_ps;
        at_ps = up ? at_ps : weir_max_u64(at_ps, port->event[i].at_ps);
        up = port->event[i].up;
    }
    return up ? at_ps : WEIR_NEVER;
}

bool weir_sim_port_cut(const struct sim_port *port, uint64_t start_ps, uint64_t arrival_ps)
{
    for (uint32_t i = 0; i < port->event_count; i++)
        if (!port->event[i].up && port->event[i].at_ps > start_ps && port->event[i].at_ps < arrival_ps)
            return true;
    return false;
}

uint32_t weir_sim_port_start_hooks(struct sim_port *port, struct weir_pkt *pkt, uint64_t joined_ps, uint64_t start_ps,
                                   uint64_t tx_ps)
{
    struct weir_start start = { .pkt = pkt,
                                .now_ps = start_ps,
                                .joined_ps = joined_ps,
                                .tx_ps = tx_ps,
                                .begun = port->begun++,
                                .in_port = WEIR_PORT_NONE };
    return weir_answer_cause(weir_chain_start(&port->chain, &start));
}

#define PORT_STARTS ((uint32_t)(SIM_GENERAL_START | SIM_GENERAL_CABLE | SIM_GENERAL_TAP))

/* What PORT_STARTS is for, when the frame in the slot starts. @return why it is lost on the wire; WEIR_CAUSE_NONE = it
 * is not */
static inline uint32_t port_start(struct sim_thread *th, const struct sim_link *link, struct weir_pkt *slot,
                                  const struct sim_tapped *at)
{
    uint64_t arrival_ps = at->start_ps + at->tx_ps + link->delay_ps;
    uint32_t cause = WEIR_CAUSE_NONE;
    if ((link->general & SIM_GENERAL_START) != 0)
        cause = weir_sim_port_start_hooks(link->port, slot, at->joined_ps, at->start_ps, at->tx_ps);
    if (cause == WEIR_CAUSE_NONE && (link->general & SIM_GENERAL_CABLE) != 0 &&
        weir_sim_port_cut(link->port, at->start_ps, arrival_ps))
        cause = th->engine->cut_cause;
    if (WEIR_UNLIKELY((link->general & SIM_GENERAL_TAP) != 0))
        weir_sim_tap_start(th, link, slot, at, cause);
    return cause;
}

/* The frame, which joined at joined_ps, starts: onto the wire, or lost on it. */
static void port_begin(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint8_t flags,
                       uint64_t joined_ps, uint64_t start_ps, uint64_t tx_ps)
{
    const struct sim_tapped at = { .joined_ps = joined_ps, .start_ps = start_ps, .tx_ps = tx_ps };
    struct weir_pkt *slot = link->write[SIM_LANE_FIRST];
    uint32_t cause;
    sim_copy_body(slot, pkt);
    slot->flags_low = flags;
    cause = (link->general & PORT_STARTS) != 0 ? port_start(th, link, slot, &at) : WEIR_CAUSE_NONE;
    if (WEIR_UNLIKELY(cause != WEIR_CAUSE_NONE)) {
        weir_sim_lose(th, link, slot, start_ps, cause);
        return;
    }
    sim_emit(th, link, start_ps + tx_ps + link->delay_ps);
}

uint64_t weir_sim_port_backlog_ps(const struct sim_link *link, uint64_t now_ps)
{
    const struct sim_port *port = link->port;
    if ((link->general & SIM_GENERAL_COUPLED) != 0)
        return weir_sim_coupled_backlog_ps(link, now_ps);
    if (!port_is_counted(link))
        return sim_fifo_backlog_ps(link, now_ps);
    return port->waiting_ps + (link->busy_until_ps > now_ps ? link->busy_until_ps - now_ps : 0);
}

sim_area weir_sim_port_area(const struct sim_link *link, uint64_t now_ps)
{
    const struct sim_port *port = link->port;
    uint64_t left;
    sim_area area;
    if ((link->general & SIM_GENERAL_COUPLED) != 0)
        return weir_sim_coupled_area(link, now_ps);
    if (!port_is_counted(link)) {
        left = sim_fifo_backlog_ps(link, now_ps);
        return link->area - (sim_area)left * left;
    }
    left = link->busy_until_ps > now_ps ? link->busy_until_ps - now_ps : 0;
    area = port->area - (sim_area)left * left;
    for (uint32_t c = 0; c < WEIR_CLASSES_MAX; c++) {
        for (uint32_t i = 0; i < port->waiting[c].count; i++) {
            const struct sim_queued *q = ring_at(&port->waiting[c], sizeof(*q), i);
            if (q->pkt.arrival_ps < now_ps)
                area += (sim_area)q->tx_ps * 2 * (now_ps - q->pkt.arrival_ps);
        }
    }
    return area;
}

/* Takes the memory of frames that ended by now off the account. Replayed first: a decision may have begun such a frame. */
static void port_settle(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw, uint64_t now_ps)
{
    struct sim_port *port = link->port;
    weir_sim_port_replay(th, link, now_ps);
    while (port->held.count > 0) {
        const struct sim_held *oldest = ring_at(&port->held, sizeof(*oldest), 0);
        if (oldest->end_ps > now_ps)
            break;
        port->held_bytes -= oldest->bytes;
        if (sw != NULL)
            sw->used_bytes -= oldest->bytes;
        ring_pop(&port->held);
    }
}

static uint32_t port_class(const struct sim_thread *th, const struct weir_pkt *pkt)
{
    uint32_t classes = th->engine->model->classes;
    return pkt->class_id < classes ? pkt->class_id : classes - 1;
}

/* sw: NULL at a host, whose NIC does not share its memory. @return as weir_chain_admits() */
static uint32_t port_ask(const struct sim_thread *th, const struct sim_link *link, const struct sim_switch *sw,
                         const struct weir_pkt *pkt)
{
    const struct sim_port *port = link->port;
    return weir_chain_admits(
        &port->chain, &(struct weir_admit){ .memory_bytes = sw != NULL ? th->engine->model->memory_bytes : UINT64_MAX,
                                            .used_bytes = sw != NULL ? sw->used_bytes : port->held_bytes,
                                            .held_bytes = port->held_bytes,
                                            .bytes = pkt->wire_bytes,
                                            .in_port = WEIR_PORT_NONE,
                                            .in_class = port_class(th, pkt) });
}

/* Upper bounds first: what they admit, the exact sums admit too. @return why it is refused, by the exact ones;
 * WEIR_CAUSE_NONE = it is not */
static uint32_t port_admits(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw,
                            const struct weir_pkt *pkt, uint64_t now_ps)
{
    uint32_t cause = port_ask(th, link, sw, pkt);
    if (cause != WEIR_CAUSE_NONE) {
        for (uint32_t i = 0; sw != NULL && i < sw->out_count; i++)
            port_settle(th, &th->engine->link[sw->first_out + i], sw, now_ps);
        if (sw == NULL)
            port_settle(th, link, NULL, now_ps);
        cause = port_ask(th, link, sw, pkt);
    }
    if (cause == WEIR_CAUSE_NONE) {
        link->port->held_bytes += pkt->wire_bytes;
        if (sw != NULL)
            sw->used_bytes += pkt->wire_bytes;
    }
    return cause;
}

static void port_hold(struct sim_thread *th, struct sim_link *link, uint64_t end_ps, uint32_t bytes)
{
    if ((link->general & SIM_GENERAL_BUFFER) != 0)
        *(struct sim_held *)ring_push(th, &link->port->held, sizeof(struct sim_held)) =
            (struct sim_held){ .end_ps = end_ps, .bytes = bytes };
}

static void port_count_join(struct sim_link *link, uint32_t bytes, uint64_t backlog_ps, uint64_t tx_ps)
{
    link->bytes += bytes;
    link->area += (sim_area)tx_ps * (2 * backlog_ps + tx_ps);
    link->backlog_max_ps = weir_max_u64(link->backlog_max_ps, backlog_ps + tx_ps);
}

struct weir_pkt *weir_sim_port_enqueue(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                       uint64_t now_ps, uint64_t tx_ps)
{
    struct sim_port *port = link->port;
    uint32_t class_id = port_class(th, pkt);
    struct sim_queued *q = ring_push(th, &port->waiting[class_id], sizeof(*q));
    link->waiting_classes |= 1u << class_id;
    q->pkt = *pkt;
    q->pkt.arrival_ps = now_ps;
    q->tx_ps = tx_ps;
    port->waiting_ps += tx_ps;
    port->waiting_bytes[class_id] += pkt->wire_bytes;
    link->waiting_pkts++;
    return &q->pkt;
}

/* Calls the port's features when a packet joins. @return true if it is marked */
static bool port_marks(const struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t offered,
                       uint64_t backlog_ps, uint64_t now_ps)
{
    if (backlog_ps < link->mark_ps)
        return false;
    if ((link->general & SIM_GENERAL_JOIN) == 0)
        return (pkt->flags & WEIR_PKT_ECT) != 0;
    struct weir_join join = { .pkt = pkt,
                              .now_ps = now_ps,
                              .queue_bytes = sim_queue_bytes(link, backlog_ps),
                              .offered = offered,
                              .in_port = WEIR_PORT_NONE,
                              .class_id = port_class(th, pkt) };
    return (weir_chain_join(&link->port->chain, &join) & WEIR_MARK) != 0;
}

/* When the head of a class may start, the wire being free: its gate may hold it back. */
static inline uint64_t port_may_ps(const struct sim_link *link, uint32_t class_id, const struct sim_queued *head)
{
    const struct weir_chain *chain = &link->port->chain;
    uint64_t may_ps = weir_max_u64(link->busy_until_ps, head->pkt.arrival_ps);
    if (weir_chain_is_gated(chain, class_id))
        may_ps = weir_max_u64(may_ps, weir_chain_gate_opens_ps(chain, head->pkt.wire_bytes));
    return may_ps;
}

/* GENERAL_GATE: the next decision, when a packet may start; of those that may then it is the one of the lowest class. */
static void port_gate_look(const struct sim_link *link)
{
    struct sim_port *port = link->port;
    port->gate_next_ps = WEIR_NEVER;
    for (uint32_t left = link->waiting_classes; left != 0; left &= left - 1) {
        uint32_t c = (uint32_t)__builtin_ctz(left);
        uint64_t may_ps = port_may_ps(link, c, ring_at(&port->waiting[c], sizeof(struct sim_queued), 0));
        if (may_ps < port->gate_next_ps) {
            port->gate_next_ps = may_ps;
            port->gate_next_class = c;
        }
    }
}

/* Likewise, when a packet has joined: it matters where it is the first of its class. */
static void port_gate_joined(const struct sim_link *link, uint32_t class_id)
{
    struct sim_port *port = link->port;
    const struct sim_ring *ring = &port->waiting[class_id];
    uint64_t may_ps;
    if (ring->count > 1)
        return;
    may_ps = port_may_ps(link, class_id, ring_at(ring, sizeof(struct sim_queued), 0));
    if (link->waiting_pkts == 1 || may_ps < port->gate_next_ps ||
        (may_ps == port->gate_next_ps && class_id < port->gate_next_class)) {
        port->gate_next_ps = may_ps;
        port->gate_next_class = class_id;
    }
}

/* Has the gate room for it, if its class is gated? The port is replayed. @return as weir_chain_admits() */
static inline uint32_t port_gate_admits(const struct sim_thread *th, const struct sim_port *port,
                                        const struct weir_pkt *pkt)
{
    uint32_t class_id = port_class(th, pkt);
    if (!weir_chain_is_gated(&port->chain, class_id))
        return WEIR_CAUSE_NONE;
    return weir_chain_gate_admits(&port->chain, port->waiting_bytes[class_id], pkt->wire_bytes);
}

/* Asks the gate, then the memory. @return as weir_chain_admits() */
static inline uint32_t port_refuses(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw,
                                    const struct weir_pkt *pkt, uint64_t now_ps)
{
    uint32_t cause = WEIR_CAUSE_NONE;
    if (WEIR_UNLIKELY((link->general & SIM_GENERAL_GATE) != 0))
        cause = port_gate_admits(th, link->port, pkt);
    if (cause == WEIR_CAUSE_NONE && (link->general & SIM_GENERAL_BUFFER) != 0)
        cause = port_admits(th, link, sw, pkt, now_ps);
    return cause;
}

bool weir_sim_port_join(struct sim_thread *th, struct sim_link *link, struct sim_switch *sw, const struct weir_pkt *pkt,
                        uint64_t now_ps)
{
    struct sim_port *port = link->port;
    uint64_t offered = port->offered++, backlog_ps, tx_ps;
    uint32_t cause;
    uint8_t flags =
        pkt->flags_low; /* not in the packet: a copy changed and read at once waits for all stores before it */
    if (port_is_counted(link))
        weir_sim_port_replay(th, link, now_ps);
    backlog_ps = weir_sim_port_backlog_ps(link, now_ps);
    cause = port_refuses(th, link, sw, pkt, now_ps);
    if (WEIR_UNLIKELY(cause != WEIR_CAUSE_NONE)) {
        weir_sim_drop(th, link, pkt, now_ps, cause);
        return false;
    }
    if (port_marks(th, link, pkt, offered, backlog_ps, now_ps)) {
        flags |= WEIR_PKT_CE;
        link->marks++;
    }
    tx_ps = weir_tx_clock_advance(&port->clock, pkt->wire_bytes);
    port_count_join(link, pkt->wire_bytes, backlog_ps, tx_ps);
    link->free_at_ps = now_ps + backlog_ps + tx_ps;
    if ((link->general & SIM_GENERAL_QUEUE) != 0) {
        weir_sim_port_enqueue(th, link, pkt, now_ps, tx_ps)->flags_low = flags;
        if ((link->general & SIM_GENERAL_GATE) != 0)
            port_gate_joined(link, port_class(th, pkt));
        return true;
    }
    port_hold(th, link, link->free_at_ps, pkt->wire_bytes);
    port_begin(th, link, pkt, flags, now_ps, now_ps + backlog_ps, tx_ps);
    return true;
}

/* A packet of a SIM_GENERAL_GATED port starts at now. */
static inline void port_gate_begin(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt,
                                   uint32_t class_id, uint64_t now_ps, uint64_t tx_ps)
{
    const struct weir_chain *chain = &link->port->chain;
    if (weir_chain_is_gated(chain, class_id))
        weir_chain_gate_passed(chain, pkt->wire_bytes, now_ps);
    link->busy_until_ps = now_ps + tx_ps;
    sim_copy_body(link->write[SIM_LANE_FIRST], pkt);
    sim_emit(th, link, link->busy_until_ps + link->delay_ps);
}

/* Such a port makes its decisions before end. */
static void port_gate_replay(struct sim_thread *th, struct sim_link *link, uint64_t end_ps)
{
    struct sim_port *port = link->port;
    while (link->waiting_pkts > 0 && port->gate_next_ps < end_ps) {
        uint64_t now_ps = port->gate_next_ps;
        uint32_t class_id = port->gate_next_class;
        struct sim_ring *ring = &port->waiting[class_id];
        const struct sim_queued *q = ring_at(ring, sizeof(*q), 0);
        port->waiting_ps -= q->tx_ps;
        port->waiting_bytes[class_id] -= q->pkt.wire_bytes;
        port->area += (sim_area)q->tx_ps * (2 * (now_ps - q->pkt.arrival_ps) + q->tx_ps);
        port_gate_begin(th, link, &q->pkt, class_id, now_ps, q->tx_ps);
        ring_pop(ring);
        link->waiting_pkts--;
        link->waiting_classes &= ~((uint32_t)(ring->count == 0) << class_id);
        port_gate_look(link);
    }
}

/* b(now) of such a port, its decisions before that made. */
static inline uint64_t port_gate_backlog_ps(struct sim_thread *th, struct sim_link *link, uint64_t now_ps)
{
    if (link->waiting_pkts > 0)
        port_gate_replay(th, link, now_ps);
    return (link->waiting_pkts > 0 ? link->port->waiting_ps : 0) +
           (link->busy_until_ps > now_ps ? link->busy_until_ps - now_ps : 0);
}

/* It finds such a port idle, and nothing else comes at this instant. @return false = its gate holds it back */
static bool port_gate_idle(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint32_t class_id,
                           uint64_t now_ps, uint64_t tx_ps)
{
    const struct weir_chain *chain = &link->port->chain;
    if (weir_chain_is_gated(chain, class_id) && weir_chain_gate_opens_ps(chain, pkt->wire_bytes) > now_ps)
        return false;
    link->backlog_max_ps = weir_max_u64(link->backlog_max_ps, tx_ps);
    link->port->area += (sim_area)tx_ps * tx_ps;
    link->free_at_ps = now_ps + tx_ps;
    port_gate_begin(th, link, pkt, class_id, now_ps, tx_ps);
    return true;
}

bool weir_sim_port_gate_join(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps,
                             bool alone)
{
    uint32_t class_id = port_class(th, pkt);
    uint64_t tx_ps = (uint64_t)pkt->wire_bytes * link->ps_per_byte;
    uint64_t backlog_ps = port_gate_backlog_ps(th, link, now_ps);
    uint32_t cause = port_gate_admits(th, link->port, pkt);
    if (cause != WEIR_CAUSE_NONE) {
        weir_sim_drop(th, link, pkt, now_ps, cause);
        return false;
    }
    link->bytes += pkt->wire_bytes;
    if (alone && backlog_ps == 0 && link->waiting_pkts == 0 && port_gate_idle(th, link, pkt, class_id, now_ps, tx_ps))
        return true;
    link->backlog_max_ps = weir_max_u64(link->backlog_max_ps, backlog_ps + tx_ps);
    link->free_at_ps = now_ps + backlog_ps + tx_ps;
    (void)weir_sim_port_enqueue(th, link, pkt, now_ps, tx_ps);
    port_gate_joined(link, class_id);
    return true;
}

void weir_sim_port_send(struct sim_thread *th, struct sim_link *link, const struct weir_pkt *pkt, uint64_t now_ps)
{
    uint64_t tx_ps = weir_tx_clock_advance(&link->port->clock, pkt->wire_bytes);
    port_count_join(link, pkt->wire_bytes, 0, tx_ps);
    link->free_at_ps = now_ps + tx_ps;
    port_begin(th, link, pkt, pkt->flags_low, now_ps, now_ps, tx_ps);
}

/* When the oldest waiting packet of any class joined. */
static uint64_t port_oldest_ps(const struct sim_link *link)
{
    const struct sim_port *port = link->port;
    uint64_t oldest = WEIR_NEVER;
    for (uint32_t left = link->waiting_classes; left != 0; left &= left - 1) {
        const struct sim_queued *head = ring_at(&port->waiting[__builtin_ctz(left)], sizeof(*head), 0);
        oldest = weir_min_u64(oldest, head->pkt.arrival_ps);
    }
    return oldest;
}

uint64_t weir_sim_port_next_ps(const struct sim_link *link)
{
    const struct sim_port *port = link->port;
    uint64_t at_ps;
    if (link->waiting_pkts == 0)
        return WEIR_NEVER;
    if ((link->general & SIM_GENERAL_GATE) != 0)
        at_ps = port->gate_next_ps;
    else
        at_ps = weir_max_u64(link->busy_until_ps, port_oldest_ps(link));
    return port->event_count > 0 ? weir_sim_port_up_ps(port, at_ps) : at_ps;
}

/* The lowest class number whose head had arrived by the decision, and may start. There is one. */
static uint32_t port_pick(const struct sim_link *link, uint64_t decision_ps)
{
    const struct sim_port *port = link->port;
    for (uint32_t left = link->waiting_classes; left != 0; left &= left - 1) {
        uint32_t c = (uint32_t)__builtin_ctz(left);
        const struct sim_queued *head = ring_at(&port->waiting[c], sizeof(*head), 0);
        if (head->pkt.arrival_ps <= decision_ps &&
            (!weir_chain_is_gated(&port->chain, c) ||
             weir_chain_gate_opens_ps(&port->chain, head->pkt.wire_bytes) <= decision_ps))
            return c;
    }
    WEIR_ASSERT(false);
    return 0;
}

/* Priorities alone, and one class waits: nothing to choose, it leaves in order. */
static void port_drain(struct sim_thread *th, struct sim_link *link, uint64_t end_ps)
{
    struct sim_port *port = link->port;
    struct sim_ring *ring = &port->waiting[__builtin_ctz(link->waiting_classes)];
    uint64_t busy_until_ps = link->busy_until_ps, *bytes = &port->waiting_bytes[__builtin_ctz(link->waiting_classes)];
    while (ring->count > 0) {
        const struct sim_queued *q = ring_at(ring, sizeof(*q), 0);
        uint64_t at_ps = weir_max_u64(busy_until_ps, q->pkt.arrival_ps);
        if (at_ps >= end_ps)
            break;
        busy_until_ps = at_ps + q->tx_ps;
        port->waiting_ps -= q->tx_ps;
        *bytes -= q->pkt.wire_bytes;
        sim_copy_body(link->write[SIM_LANE_FIRST], &q->pkt);
        sim_emit(th, link, busy_until_ps + link->delay_ps);
        ring_pop(ring);
    }
    link->busy_until_ps = busy_until_ps;
    link->waiting_pkts = ring->count; /* of this class alone */
    link->waiting_classes &= 0u - (uint32_t)(ring->count > 0);
}

/* Calls the features for the packet that is to leave next. @return false if it is dropped: gone at once, memory and all */
static bool port_dequeue(struct sim_thread *th, struct sim_link *link, uint32_t class_id, struct sim_queued *q,
                         uint64_t now_ps)
{
    struct weir_dequeue dequeue = { .now_ps = now_ps,
                                    .queue_bytes = link->port->waiting_bytes[class_id],
                                    .in_port = WEIR_PORT_NONE,
                                    .class_id = class_id };
    uint32_t cause = sim_port_drops(link, &dequeue, &q->pkt, q->tx_ps);
    if (cause == WEIR_CAUSE_NONE)
        return true;
    port_hold(th, link, now_ps, q->pkt.wire_bytes);
    weir_sim_drop(th, link, &q->pkt, now_ps, cause);
    return false;
}

/* The oldest packet of a class starts at now, or is dropped. */
static void port_leave(struct sim_thread *th, struct sim_link *link, uint32_t class_id, uint64_t now_ps)
{
    struct sim_port *port = link->port;
    struct sim_ring *ring = &port->waiting[class_id];
    struct sim_queued *q = ring_at(ring, sizeof(*q), 0);
    port->waiting_ps -= q->tx_ps;
    port->waiting_bytes[class_id] -= q->pkt.wire_bytes;
    link->waiting_pkts--;
    if ((link->general & SIM_GENERAL_DEQUEUE) == 0 || port_dequeue(th, link, class_id, q, now_ps)) {
        if (weir_chain_is_gated(&port->chain, class_id))
            weir_chain_gate_passed(&port->chain, q->pkt.wire_bytes, now_ps);
        link->busy_until_ps = now_ps + q->tx_ps;
        port->area += (sim_area)q->tx_ps * (2 * (now_ps - q->pkt.arrival_ps) + q->tx_ps);
        port_hold(th, link, link->busy_until_ps, q->pkt.wire_bytes);
        port_begin(th, link, &q->pkt, q->pkt.flags_low, q->pkt.arrival_ps, now_ps, q->tx_ps);
    } else if (link->busy_until_ps < now_ps) {
        link->busy_until_ps =
            now_ps; /* the next decision is not earlier, though a gate may be open for a smaller packet */
    }
    ring_pop(ring);
    link->waiting_classes &= ~((uint32_t)(ring->count == 0) << class_id);
    if ((link->general & SIM_GENERAL_GATE) != 0)
        port_gate_look(link);
}

void weir_sim_port_replay(struct sim_thread *th, struct sim_link *link, uint64_t end_ps)
{
    uint64_t at_ps;
    if (link->general == SIM_GENERAL_QUEUE && (link->waiting_classes & (link->waiting_classes - 1)) == 0) {
        if (link->waiting_classes != 0)
            port_drain(th, link, end_ps);
        return;
    }
    if (link->general == SIM_GENERAL_GATED) {
        port_gate_replay(th, link, end_ps);
        return;
    }
    while ((at_ps = weir_sim_port_next_ps(link)) < end_ps)
        port_leave(th, link, port_pick(link, at_ps), at_ps);
}

uint64_t weir_sim_switch_queue_bytes(struct sim_thread *th, const struct sim_switch *sw, uint64_t now_ps)
{
    uint64_t sum = 0;
    for (struct sim_link *link = &th->engine->link[sw->first_out], *end = link + sw->out_count; link < end; link++) {
        if (WEIR_LIKELY((link->general & (SIM_GENERAL_FRACTION | SIM_GENERAL_CABLE | SIM_GENERAL_COUPLED |
                                          SIM_GENERAL_DEQUEUE | SIM_GENERAL_GATE)) == 0)) {
            sum += sim_fifo_backlog_ps(link, now_ps) / link->ps_per_byte;
            continue;
        }
        if (link->general == SIM_GENERAL_GATED) {
            sum += port_gate_backlog_ps(th, link, now_ps) / link->ps_per_byte;
            continue;
        }
        if (port_is_counted(link))
            weir_sim_port_replay(th, link, now_ps);
        sum += sim_queue_bytes(link, weir_sim_port_backlog_ps(link, now_ps));
    }
    return sum;
}
