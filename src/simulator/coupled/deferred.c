/* src/simulator/coupled/deferred.c - which windows of a coupled switch have deferred hooks, and the switch-over from
 * one way to the other. Results are the same to the bit either way.
 *
 * For each in-link and class there is a bound of what is held: what was held at first, plus all that has come since;
 * nothing is taken off. As long as no feature has anything to do below that bound, and no control frame comes, the
 * switch does what one without coupled features does. When the bound does not suffice, it is made exact by the log of
 * what was forwarded. If that does not suffice either, the switch changes to the step-by-step way: packets that have
 * not started are taken back out of the FIFOs. No node can have seen them: they arrive later than any neighbour's
 * clock. */
#include "core/feature.h"
#include "coupled/internal.h"

enum { SETTLE_LEAST = 64, SETTLE_LEAST_LANES = 16 };

/* Returns how long the log may become before it is settled. It may be longer where nobody needs bounds. It is shorter
 * with virtual lanes: then the sum of what is held is seldom above the threshold of one lane, so that features need not
 * test each lane. */
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

/* Takes what has left before now off the log, and off the bounds. There is no branch: it would be mispredicted half of
 * the time. */
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

/* Changes the bounds for deferred_expect() with virtual lanes, packet by packet: a switch has more lanes than packets
 * arrive. */
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

/* Adds the n packets that arrive in this window to the bounds, or with `undo` takes them off again. */
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

/* Returns the most memory that NOTICEs of this window take, which need no admission: one for each packet. n: packets
 * that arrive */
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

/* Returns what the switch holds, for features: bounds, or exact sums after settling. */
static struct weir_held deferred_held(const struct coupled_run *r)
{
    return (struct weir_held){ .bytes = r->c->deferred.held,
                               .sum_bytes = r->sw->used_bytes,
                               .ports = r->sw->in_count,
                               .classes = r->c->deferred.classes };
}

/* Sums up the accounts of all in-links and classes. */
static uint64_t deferred_sum_bytes(const struct coupled_run *r)
{
    uint64_t sum_bytes = 0;
    for (size_t i = 0; i < deferred_held_index(&r->c->deferred, r->sw->in_count + 1, 0); i++)
        sum_bytes += r->c->deferred.held[i];
    return sum_bytes;
}

/* Tests whether the memory suffices for the bounds, and no feature has anything to do below them. */
static bool deferred_fits(const struct coupled_run *r, uint32_t n, uint64_t start_ps, uint64_t end_ps)
{
    const struct coupled_deferred *deferred = &r->c->deferred;
    const struct weir_held most = deferred_held(r);
    if (r->model->memory_bytes != UINT64_MAX &&
        r->sw->used_bytes + deferred_notices_bytes(r, n, end_ps) > r->model->memory_bytes)
        return false;
    if (end_ps - start_ps > deferred->wait_ps) /* in this window a packet could join and wait until it is dropped */
        return false;
    for (uint32_t i = 0; i < deferred->idle_count; i++)
        if (!deferred->idle[i]->row->is_idle(&deferred->idle[i]->here, &most))
            return false;
    return true;
}

/* ---- to the step-by-step way ---- */

/* Returns when the transmission of an entry of the log starts. */
static uint64_t entry_start_ps(const struct coupled_run *r, const struct deferred_entry *e)
{
    return e->end_ps - (uint64_t)e->bytes * r->out[e->port].ps_per_byte;
}

/* Puts a packet back where it waits in port p. */
static void steps_enqueue(const struct coupled_run *r, uint32_t p, const struct sim_stepped *entry)
{
    weir_sim_coupled_enqueue(r, p, entry);
    r->c->port[p].held_bytes += entry->pkt.wire_bytes;
}

/* Takes over the packet in transmission, which may end now. It is in the last slot before those that are taken back. */
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

/* Takes back what waits in the lower lane. No decision is due: it would have been made in an earlier window. */
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

/* Empties the state of port p, and finds the first slot of the first lane whose packet has not started. */
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

/* Counts, by port, the packets of the log that have not started at now. They are in the first lane: decisions of lower
 * lanes are due before now. */
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

/* Takes back the packets of the log that have not started, and takes over those in transmission. In the log the packets
 * of one class of a port are in the order in which they joined. */
static void steps_take_log(const struct coupled_run *r, uint64_t now_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    for (uint32_t i = 0; i < deferred->log_count; i++) { /* before slots move on */
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

/* Keeps A of doc/model.md [counting.area] as it was before the switch-over; see weir_sim_port_area(). */
static void steps_keep_area(struct sim_link *link, sim_area area, uint64_t now_ps)
{
    link->port->area += area - weir_sim_port_area(link, now_ps);
}

/* Changes to the step-by-step way at now, the start of a window. The log is settled, and nothing of this window is in
 * the bounds. */
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
            link->write[SIM_LANE_FIRST] = link->notified[SIM_LANE_FIRST] = first;
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

/* Tests whether the step-by-step way may end at now, as far as the ports are concerned. It may not while a class is
 * closed, a control frame waits or is in transmission, or a port has a decision to make. */
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

/* Tests whether a packet that waits might be dropped before end, with DEFERRED_DEQUEUE. */
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

/* Appends an entry to the log. in: may be SIM_NO_IN; e: its other fields */
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

/* Notes a packet that waits and starts at start_ps if there are start hooks. It will be in the slot to be written
 * next. */
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

/* Sends the packets that wait in the port's first class one after the other, behind the one in transmission. @return
 * when the last of them has left */
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

/* Puts the packets that wait in all other classes into the lower lane, the oldest first. */
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

/* Changes port p from the step-by-step way to deferred hooks. */
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
    if (deferred->starts == DEFERRED_NO_STARTS) /* else it is still counted */
        r->sw->waiting_bytes[p] = 0;
    link->waiting_pkts = link->waiting_classes = 0;
    link->free_at_ps = now_ps + backlog_ps;
    link->kind.serve = deferred->lanes ? SIM_SERVE_LANES : SIM_SERVE_FIFO;
    link->area = area + (sim_area)backlog_ps * backlog_ps;
}

/* Changes to deferred hooks at now, the start of a window. */
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

/* Tests whether hooks stay deferred in this window; settles the log where that helps or is due. control: a control
 * frame comes in this window */
static bool deferred_may_stay(const struct coupled_run *r, uint32_t n, uint64_t start_ps, uint64_t end_ps, bool control)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    bool fits;
    if (deferred->drop_ps < end_ps) /* it may have become later */
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
