/* src/simulator/coupled/deferred.c - chooses which windows of a coupled switch have deferred hooks, and switches over
 * between the two ways. Results are the same to the bit either way.
 * For each in-link and class the switch keeps an upper bound of the bytes that it holds: the bytes held at first, plus
 * all bytes that have come since. Nothing is subtracted. Hooks can be deferred while no feature has anything to do
 * below that bound and no control frame comes.
 * When the bound does not suffice, it is made exact by the log of forwarded packets. If the exact value does not
 * suffice either, the switch changes to step by step. Then packets that have not started are taken back out of the
 * FIFOs of links. No node can have seen them: they arrive after the clock of every neighbour. */
#include "core/feature.h"
#include "coupled/internal.h"
#include "state/emit.h"

enum { SETTLE_LEAST = 64, SETTLE_LEAST_LANES = 16 };

/* Returns the length at which the log is settled next. The length is greater where nobody needs bounds, and smaller
 * with virtual lanes. If the log is settled often, the sum of all held bytes seldom exceeds the threshold of one
 * lane, and features need not test each lane. */
static uint32_t settle_at(const struct coupled_deferred *deferred)
{
    uint32_t least = deferred->classes > SIM_LANES ? SETTLE_LEAST_LANES : SETTLE_LEAST;
    return (deferred->is_bounded ? 2 : 4) * deferred->log_count + least;
}

void weir_sim_deferred_log_room(const struct coupled_run *r, uint32_t n)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    uint32_t capacity = deferred->log_capacity == 0 ? 256 : deferred->log_capacity;
    struct deferred_entry *bigger;
    if (WEIR_LIKELY(deferred->log_count + n <= deferred->log_capacity))
        return;
    while (capacity < deferred->log_count + n)
        capacity *= 2;
    bigger = weir_arena_take(&r->th->arena, capacity * sizeof(*bigger));
    if (bigger == NULL)
        longjmp(r->th->out_of_memory, 1);
    if (deferred->log_count > 0)
        memcpy(bigger, deferred->log, deferred->log_count * sizeof(*bigger));
    deferred->log = bigger;
    deferred->log_capacity = capacity;
}

/* Removes from the log the packets whose transmission ended before now_ps, and subtracts their bytes from the bounds.
 * Has no branch in the loop: it would be mispredicted half of the time. */
SIM_COPIED static inline void settle(const struct coupled_run *r, uint64_t now_ps, bool is_bounded)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    uint32_t kept = 0, count = deferred->log_count;
    uint64_t left_bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct deferred_entry e = deferred->log[i];
        bool left = e.end_ps < now_ps;
        uint64_t bytes = left ? e.bytes : 0u;
        if (is_bounded)
            deferred->held[deferred_held_index(deferred, e.in, e.class_id)] -= bytes;
        left_bytes += bytes;
        deferred->log[kept] = e;
        kept += !left;
    }
    WEIR_ASSERT(!is_bounded || left_bytes <= r->sw->used_bytes);
    if (is_bounded)
        r->sw->used_bytes -= left_bytes;
    deferred->log_count = kept;
    deferred->settle_at = settle_at(deferred);
}

static void deferred_settle(const struct coupled_run *r, uint64_t now_ps)
{
    if (r->c->deferred.is_bounded)
        settle(r, now_ps, true);
    else
        settle(r, now_ps, false);
}

/* Adds the arrivals of a window to the bounds, or subtracts them, for deferred_expect() with virtual lanes. Goes packet
 * by packet, since a switch has more lanes than packets that arrive in a window. */
static void deferred_expect_lanes(const struct coupled_run *r, uint32_t n, bool undo)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    const struct sim_thread *th = r->th;
    uint64_t sum_bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bytes = th->arrived[i]->wire_bytes;
        uint32_t in_class = deferred_class(deferred, th->arrived[i]->class_id);
        deferred->held[deferred_held_index(deferred, th->arrived_in[i], in_class)] += undo ? 0 - bytes : bytes;
        sum_bytes += bytes;
    }
    r->sw->used_bytes += undo ? 0 - sum_bytes : sum_bytes;
}

/* Adds the bytes of the n packets that arrive in this window to the bounds; with `undo` subtracts them again. */
static void deferred_expect(const struct coupled_run *r, uint32_t n, bool undo)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    uint64_t sum_bytes = 0;
    if (!deferred->is_bounded)
        return;
    if (deferred->classes > SIM_LANES) {
        deferred_expect_lanes(r, n, undo);
        return;
    }
    for (uint32_t i = 0; i < r->sw->in_count * deferred->classes; i++) {
        deferred->held[i] += undo ? 0 - deferred->coming[i] : deferred->coming[i];
        sum_bytes += deferred->coming[i];
    }
    r->sw->used_bytes += undo ? 0 - sum_bytes : sum_bytes;
}

/* Returns an upper bound of the bytes that the NOTICEs of this window take: one NOTICE for each packet. NOTICEs join
 * without admission. n: number of packets that arrive in the window */
static uint64_t deferred_notices_bytes(const struct coupled_run *r, uint32_t n, uint64_t end_ps)
{
    const struct coupled_deferred *deferred = &r->c->deferred;
    uint64_t pkts = n;
    if (r->c->step_ps >= end_ps)
        return 0;
    if (deferred->active)
        pkts += (uint64_t)deferred->log_count + deferred->undecided;
    for (uint32_t p = 0; !deferred->active && p < r->sw->out_count; p++)
        pkts += r->out[p].waiting_pkts + 1;
    return pkts * deferred->notice_bytes;
}

/* Returns the held bytes of the switch as hooks receive them: upper bounds, or exact sums right after settling. */
static struct weir_held deferred_held(const struct coupled_run *r)
{
    return (struct weir_held){ .bytes = r->c->deferred.held,
                               .sum_bytes = r->sw->used_bytes,
                               .ports = r->sw->in_count,
                               .classes = r->c->deferred.classes };
}

/* Returns the sum of deferred.held over all in-links, the switch's own packets included, and all classes. */
static uint64_t deferred_sum_bytes(const struct coupled_run *r)
{
    uint64_t sum_bytes = 0;
    for (size_t i = 0; i < deferred_held_index(&r->c->deferred, r->sw->in_count + 1, 0); i++)
        sum_bytes += r->c->deferred.held[i];
    return sum_bytes;
}

/* Tests whether the bounds permit deferred hooks in this window. The memory must suffice, the window must not be longer
 * than wait_ps, and no feature may have anything to do. */
static bool deferred_fits(const struct coupled_run *r, uint32_t n, uint64_t start_ps, uint64_t end_ps)
{
    const struct coupled_deferred *deferred = &r->c->deferred;
    const struct weir_held most = deferred_held(r);
    if (r->sw->memory_bytes != UINT64_MAX &&
        r->sw->used_bytes + deferred_notices_bytes(r, n, end_ps) > r->sw->memory_bytes)
        return false;
    /* else a packet could join in this window and wait in it until it is dropped */
    if (end_ps - start_ps > deferred->wait_ps)
        return false;
    for (uint32_t i = 0; i < deferred->idle_count; i++)
        if (!deferred->idle[i]->row->is_idle(&deferred->idle[i]->here, &most))
            return false;
    return true;
}

/* ---- to the step-by-step way ---- */

/* Returns when the transmission of a logged packet starts. */
static uint64_t entry_start_ps(const struct coupled_run *r, const struct deferred_entry *e)
{
    return e->end_ps - (uint64_t)e->bytes * r->out[e->port].ps_per_byte;
}

/* Puts a packet that was taken back into its class FIFO in port p, and counts its bytes as held. */
static void steps_enqueue(const struct coupled_run *r, uint32_t p, const struct sim_stepped *entry)
{
    weir_sim_coupled_enqueue(r, p, entry);
    r->c->port[p].held_bytes += entry->pkt.wire_bytes;
}

/* Sets the packet in transmission of a port to a logged packet that has started. The transmission may end at this
 * very instant. The packet is in the last slot in front of the slots that are taken back. */
static void steps_take_sending(const struct coupled_run *r, const struct deferred_entry *e)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    struct sim_link *link = &r->out[e->port];
    struct coupled_port *cp = &r->c->port[e->port];
    bool low = e->class_id > 0;
    WEIR_ASSERT(!cp->is_sending);
    cp->is_sending = true;
    cp->sending = *sim_fifo_back(low ? link->undecided : deferred->port[e->port].slot, 1);
    cp->sending_in = deferred_in_port(r, e->in);
    cp->sending_class = e->class_id;
    cp->held_bytes += e->bytes;
    cp->wire_ps = link->busy_until_ps = e->end_ps;
    coupled_arm(r->c, e->port, e->end_ps);
    WEIR_ASSERT(cp->sending.wire_bytes == e->bytes);
}

/* Takes the packets that wait in the lower lane of port p back into class FIFOs. None of them is due to start before
 * now_ps: such a start would have been decided in an earlier window. */
static void steps_take_low(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct deferred_port *port = &r->c->deferred.port[p];
    struct sim_link *link = &r->out[p];
    struct weir_pkt *slot = link->undecided;
    if (port->count == 0)
        return;
    WEIR_ASSERT(sim_due_start_ps(sim_due_of(link)) >= now_ps);
    for (; port->count > 0; port->count--, slot = sim_fifo_skip(slot, 1)) {
        uint32_t origin = port->origin[port->first];
        struct sim_stepped q = { .pkt = *slot,
                                 .in = deferred_in_port(r, origin & UINT16_MAX),
                                 .class_id = (uint16_t)deferred_class(&r->c->deferred, slot->class_id),
                                 .in_class = (uint16_t)(origin >> 16) };
        q.pkt.arrival_ps = sim_arrival(slot) & ~SIM_UNDECIDED;
        q.tx_ps = (uint64_t)q.pkt.wire_bytes * link->ps_per_byte;
        steps_enqueue(r, p, &q);
        port->first = (port->first + 1) & (port->capacity - 1);
    }
    sim_fifo_unpublish(&r->th->pool, link->undecided, link->write[SIM_LANE_LOW]);
    link->write[SIM_LANE_LOW] = link->undecided;
}

/* Resets the step-by-step state of port p. Sets deferred_port.slot to the first slot of the first lane whose packet has
 * not started. */
static void steps_reset_port(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    struct coupled_port *cp = &r->c->port[p];
    struct sim_link *link = &r->out[p];
    deferred->port[p].slot = sim_fifo_back(link->write[SIM_LANE_FIRST], deferred->port[p].inside[SIM_LANE_FIRST]);
    cp->held_bytes = 0;
    cp->is_sending = false;
    cp->wire_ps = link->busy_until_ps = now_ps;
}

/* Sets inside[SIM_LANE_FIRST] of each port to the number of its logged packets that have not started at now_ps. All of
 * these are in the first lane: a packet of the lower lane is logged only after its decision, so it has started. */
static void steps_count_waiting(const struct coupled_run *r, uint64_t now_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    for (uint32_t p = 0; p < r->sw->out_count; p++)
        deferred->port[p].inside[SIM_LANE_FIRST] = 0;
    for (uint32_t i = 0; i < deferred->log_count; i++) {
        const struct deferred_entry *e = &deferred->log[i];
        deferred->port[e->port].inside[SIM_LANE_FIRST] += entry_start_ps(r, e) >= now_ps;
    }
}

/* Takes back the logged packets that have not started, and sets the packet in transmission of each port. In the log the
 * packets of one class of a port are in the order in which they joined. */
static void steps_take_log(const struct coupled_run *r, uint64_t now_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    for (uint32_t i = 0; i < deferred->log_count; i++) { /* first, since the second loop moves port->slot */
        const struct deferred_entry *e = &deferred->log[i];
        if (entry_start_ps(r, e) < now_ps)
            steps_take_sending(r, e);
    }
    for (uint32_t i = 0; i < deferred->log_count; i++) {
        const struct deferred_entry *e = &deferred->log[i];
        struct deferred_port *port = &deferred->port[e->port];
        uint64_t start_ps = entry_start_ps(r, e);
        struct sim_stepped q;
        if (start_ps < now_ps)
            continue;
        q = (struct sim_stepped){ .pkt = *port->slot, .tx_ps = e->end_ps - start_ps, .in = deferred_in_port(r, e->in) };
        WEIR_ASSERT(q.pkt.wire_bytes == e->bytes && q.pkt.arrival_ps == e->end_ps + r->out[e->port].delay_ps);
        q.pkt.arrival_ps = e->joined_ps;
        steps_enqueue(r, e->port, &q);
        port->slot = sim_fifo_skip(port->slot, 1);
    }
}

/* Adjusts the area of the port so that A of doc/model.md [counting.area] is `area`, its value before the switch-over;
 * see weir_sim_port_area(). */
static void steps_keep_area(struct sim_link *link, sim_area area, uint64_t now_ps)
{
    link->port->area += area - weir_sim_port_area(link, now_ps);
}

/* Changes from deferred hooks to step by step at now_ps, the start of a window. The log must be settled, and the bounds
 * must not contain packets of this window. */
static void deferred_leave(const struct coupled_run *r, uint64_t now_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    const struct weir_held held = deferred_held(r);
    WEIR_ASSERT(deferred->active);
    WEIR_ASSERT(!deferred->is_bounded || deferred_sum_bytes(r) == r->sw->used_bytes);
    steps_count_waiting(r, now_ps);
    weir_sim_deferred_starts_clear(r);
    coupled_arm_none(r->c, r->sw->out_count);
    for (uint32_t p = 0; p < r->sw->out_count; p++)
        steps_reset_port(r, p, now_ps);
    steps_take_log(r, now_ps);
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct sim_link *link = &r->out[p];
        struct weir_pkt *first = sim_fifo_back(deferred->port[p].slot, deferred->port[p].inside[SIM_LANE_FIRST]);
        sim_area area = weir_sim_port_area(link, now_ps);
        WEIR_ASSERT(deferred->port[p].slot == link->write[SIM_LANE_FIRST]);
        if (deferred->port[p].inside[SIM_LANE_FIRST] > 0) {
            sim_fifo_unpublish(&r->th->pool, first, link->write[SIM_LANE_FIRST]);
            link->write[SIM_LANE_FIRST] = link->notified = first;
        }
        steps_take_low(r, p, now_ps);
        link->kind.serve = SIM_SERVE_STEPS;
        steps_keep_area(link, area, now_ps);
    }
    for (uint32_t i = 0; i < deferred->idle_count; i++)
        deferred->idle[i]->row->set_held(&deferred->idle[i]->here, &held);
    deferred->log_count = deferred->undecided = 0;
    deferred->active = r->sw->by_time = false;
    deferred->switch_overs++;
}

/* ---- to the deferred-hook way ---- */

/* Tests whether the state of the ports permits deferred hooks from now_ps on. It does not if a class is closed, a
 * control frame waits or is in transmission, or packets wait while the wire is free. */
static bool steps_may_end(const struct coupled_run *r, uint64_t now_ps)
{
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        const struct coupled_port *cp = &r->c->port[p];
        const struct sim_link *link = &r->out[p];
        bool closed = link->control != NULL && link->control->closed != 0;
        bool control = cp->wire_ps > now_ps && cp->wire_ps != link->busy_until_ps;
        if (closed || control || cp->control.count > 0 || (link->waiting_pkts > 0 && !cp->is_sending))
            return false;
    }
    return true;
}

/* Tests whether on_dequeue might drop a packet that waits now and starts before end_ps. Only for DEFERRED_DEQUEUE. */
static bool steps_may_drop(const struct coupled_run *r, uint64_t now_ps, uint64_t end_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct sim_ring *ring = &r->out[p].port->waiting[0];
        uint64_t start_ps = r->out[p].busy_until_ps;
        if (ring->count > 0)
            weir_sim_deferred_dequeue_idle(r, p, now_ps);
        for (uint32_t i = 0; i < ring->count && start_ps < end_ps; i++) {
            const struct sim_stepped *q = ring_at(ring, sizeof(*q), i);
            if (deferred_may_drop(deferred, &deferred->port[p], q->pkt.flags, q->pkt.arrival_ps, start_ps))
                return true;
            start_ps += q->tx_ps;
        }
    }
    return false;
}

/* Appends an entry to the log. in: in-link, or SIM_NO_IN; e: the fields other than port, in and class_id */
static void deferred_note(const struct coupled_run *r, uint32_t p, uint32_t in, uint32_t class_id,
                          struct deferred_entry e)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    e.in = (uint16_t)deferred_in_index(r, in);
    e.port = (uint16_t)p;
    e.class_id = (uint16_t)class_id;
    weir_sim_deferred_log_room(r, 1);
    deferred->log[deferred->log_count++] = e;
}

/* Notes a waiting packet of port p whose start at start_ps is now known, if the switch has start hooks. The caller then
 * writes the packet into the next slot of the first lane. */
static void deferred_take_start(const struct coupled_run *r, uint32_t p, const struct sim_stepped *q, uint64_t start_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    if (deferred->starts == DEFERRED_NO_STARTS)
        return;
    weir_sim_deferred_start_room(r, 1);
    deferred_note_start(r, p,
                        (struct deferred_start){ .slot = r->out[p].write[SIM_LANE_FIRST],
                                                 .start_ps = start_ps,
                                                 .joined_ps = q->pkt.arrival_ps,
                                                 .bytes = (uint16_t)q->pkt.wire_bytes,
                                                 .in = (uint16_t)deferred_in_index(r, q->in) },
                        deferred_reads_other(deferred, q->pkt.kind));
}

/* Sends the packets that wait in class 0 of port p back to back, behind the one in transmission, and logs them. @return
 * when the last of these transmissions ends */
static uint64_t deferred_take_first(const struct coupled_run *r, uint32_t p)
{
    struct sim_link *link = &r->out[p];
    struct sim_ring *ring = &link->port->waiting[0];
    uint64_t free_ps = link->busy_until_ps;
    for (; ring->count > 0; ring_pop(ring)) {
        const struct sim_stepped *q = ring_at(ring, sizeof(*q), 0);
        deferred_take_start(r, p, q, free_ps);
        free_ps += q->tx_ps;
        sim_copy_body(link->write[SIM_LANE_FIRST], &q->pkt);
        sim_emit(r->th, link, free_ps + link->delay_ps);
        deferred_note(r, p, q->in, 0,
                      (struct deferred_entry){
                          .end_ps = free_ps, .joined_ps = q->pkt.arrival_ps, .bytes = (uint16_t)q->pkt.wire_bytes });
    }
    return free_ps;
}

/* Puts the packets that wait in all classes but 0 of port p into the lower lane, in the order in which they joined. */
static void deferred_take_low(const struct coupled_run *r, uint32_t p)
{
    struct sim_link *link = &r->out[p];
    uint32_t ready = link->waiting_classes & ~1u;
    while (ready != 0) {
        uint32_t class_id = weir_sim_coupled_oldest(link->port, ready);
        struct sim_ring *ring = &link->port->waiting[class_id];
        const struct sim_stepped *q = ring_at(ring, sizeof(*q), 0);
        weir_sim_deferred_wait(r, p, &q->pkt, deferred_origin(deferred_in_index(r, q->in), q->in_class),
                               q->pkt.arrival_ps);
        ring_pop(ring);
        ready &= ~((uint32_t)(ring->count == 0) << class_id);
    }
}

/* Changes port p from step by step to deferred hooks. */
static void deferred_take_port(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    struct sim_link *link = &r->out[p];
    struct coupled_port *cp = &r->c->port[p];
    sim_area area = weir_sim_port_area(link, now_ps);
    uint64_t backlog_ps = sim_counted_backlog_ps(link, now_ps);
    if (cp->is_sending)
        deferred_note(
            r, p, cp->sending_in, cp->sending_class,
            (struct deferred_entry){ .end_ps = link->busy_until_ps, .bytes = (uint16_t)cp->sending.wire_bytes });
    cp->is_sending = false;
    link->busy_until_ps = deferred_take_first(r, p);
    deferred_take_low(r, p);
    link->port->waiting_ps = 0;
    memset(link->port->waiting_bytes, 0, deferred->classes * sizeof(link->port->waiting_bytes[0]));
    if (deferred->starts == DEFERRED_NO_STARTS) /* with start hooks the waiting packets stay counted until they start */
        r->sw->waiting_bytes[p] = 0;
    link->waiting_pkts = link->waiting_classes = 0;
    link->free_at_ps = now_ps + backlog_ps;
    link->kind.serve = deferred->lanes ? SIM_SERVE_LANES : SIM_SERVE_FIFO;
    link->area = area + (sim_area)backlog_ps * backlog_ps;
}

/* Starts deferred-hook windows: converts the state of all ports of the coupled switch at now_ps, the start of a window.
 * Until then the switch ran step by step; the log must be empty. */
static void deferred_begin(const struct coupled_run *r, uint64_t now_ps)
{
    WEIR_ASSERT(!r->c->deferred.active);
    WEIR_ASSERT(r->c->deferred.log_count == 0);
    WEIR_ASSERT(!r->c->deferred.is_bounded || deferred_sum_bytes(r) == r->sw->used_bytes);
    for (uint32_t p = 0; p < r->sw->out_count; p++)
        deferred_take_port(r, p, now_ps);
    for (uint32_t p = 0; p < r->sw->out_count && r->c->deferred.starts == DEFERRED_DEQUEUE; p++)
        weir_sim_deferred_dequeue_idle(r, p, now_ps);
    if (r->c->deferred.starts == DEFERRED_DEQUEUE)
        weir_sim_deferred_find_drops(r, now_ps);
    coupled_arm_none(r->c, r->sw->out_count);
    r->c->deferred.settle_at = settle_at(&r->c->deferred);
    r->c->deferred.active = r->sw->by_time = true;
}

/* ---- the choice ---- */

/* Tests whether hooks stay deferred in this window. Settles the log where that helps or is due. n: number of packets
 * that arrive; control: a control frame arrives in this window */
static bool deferred_may_stay(const struct coupled_run *r, uint32_t n, uint64_t start_ps, uint64_t end_ps, bool control)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    bool fits;
    if (deferred->drop_ps < end_ps) /* the earliest possible drop may have moved to a later time */
        weir_sim_deferred_find_drops(r, start_ps);
    control = control || deferred->drop_ps < end_ps;
    fits = !control && deferred_fits(r, n, start_ps, end_ps);
    if (fits && deferred->log_count < deferred->settle_at)
        return true;
    deferred_settle(r, start_ps);
    return fits || (!control && deferred_fits(r, n, start_ps, end_ps));
}

bool weir_sim_deferred_choose(const struct coupled_run *r, uint32_t n, uint64_t start_ps, uint64_t end_ps,
                              uint64_t control_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    bool control = control_ps < end_ps, defers;
    if (deferred->port == NULL) {
        deferred->step_windows++;
        return false;
    }
    deferred_expect(r, n, false);
    if (deferred->active)
        defers = deferred_may_stay(r, n, start_ps, end_ps, control);
    else
        defers = !control && deferred_fits(r, n, start_ps, end_ps) && steps_may_end(r, start_ps) &&
                 (deferred->starts != DEFERRED_DEQUEUE || !steps_may_drop(r, start_ps, end_ps));
    if (!defers)
        deferred_expect(r, n, true);
    if (!defers && deferred->active)
        deferred_leave(r, start_ps);
    else if (defers && !deferred->active)
        deferred_begin(r, start_ps);
    *(defers ? &deferred->windows : &deferred->step_windows) += 1;
    return defers;
}
