/* src/sim/calm.c - when a coupled switch may be calm, and the hand-over from one way to the other, both exact to the
 * bit.
 *
 * For each in-link and class there is a bound of what is held: what was held, plus all that came since; nothing is
 * taken off. As long as no feature has anything to do below that bound, and no control frame comes, all is as at a
 * switch without coupled features. A log of what was forwarded makes the bound exact when it no longer suffices.
 * If it still does not, the switch goes over to the exact way: what has not begun to be sent is taken back out of
 * the FIFOs. No node can have seen it: it arrives later than any neighbour's clock may be. */
#include "sim/coupled.h"

enum { SETTLE_LEAST = 64, SETTLE_LEAST_LANES = 16 };

/* How long the log may become. Where nobody needs the bound, longer: it is gone through less often. With virtual lanes
 * shorter: the sum of what is held is then seldom above the threshold of one lane, and no lane has to be looked at. */
static uint32_t settle_at(const struct coupled_calm *calm)
{
    uint32_t least = calm->classes > SIM_LANES ? SETTLE_LEAST_LANES : SETTLE_LEAST;
    return (calm->is_bounded ? 2 : 4) * calm->log_count + least;
}

void weir_sim_calm_log_room(const struct coupled_run *r, uint32_t n)
{
    struct coupled_calm *calm = &r->c->calm;
    uint32_t capacity = calm->log_capacity == 0 ? 256 : calm->log_capacity;
    struct calm_entry *bigger;
    if (WEIR_LIKELY(calm->log_count + n <= calm->log_capacity))
        return;
    while (capacity < calm->log_count + n)
        capacity *= 2;
    bigger = weir_arena_take(&r->th->arena, capacity * sizeof(*bigger));
    if (bigger == NULL)
        longjmp(r->th->out_of_memory, 1);
    if (calm->log_count > 0)
        memcpy(bigger, calm->log, calm->log_count * sizeof(*bigger));
    calm->log = bigger;
    calm->log_capacity = capacity;
}

/* Takes what has left before now off the log, and off the bounds. A branch would be mispredicted half of the time. */
SIM_COPIED static inline void settle(const struct coupled_run *r, uint64_t now_ps, bool is_bounded)
{
    struct coupled_calm *calm = &r->c->calm;
    uint32_t kept = 0, count = calm->log_count;
    uint64_t gone_bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct calm_entry e = calm->log[i];
        bool gone = e.end_ps < now_ps;
        uint64_t bytes = gone ? e.bytes : 0u;
        if (is_bounded)
            calm->held[calm_place(calm, e.in, e.class_id)] -= bytes;
        gone_bytes += bytes;
        calm->log[kept] = e;
        kept += !gone;
    }
    if (is_bounded)
        r->sw->used_bytes -= gone_bytes;
    calm->log_count = kept;
    calm->settle_at = settle_at(calm);
}

static void calm_settle(const struct coupled_run *r, uint64_t now_ps)
{
    if (r->c->calm.is_bounded)
        settle(r, now_ps, true);
    else
        settle(r, now_ps, false);
}

/* calm_expect() with virtual lanes: a switch has more of them than packets come. */
static void calm_expect_lanes(const struct coupled_run *r, uint32_t n, bool off)
{
    struct coupled_calm *calm = &r->c->calm;
    const struct sim_thread *th = r->th;
    uint64_t sum_bytes = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t bytes = th->taken[i]->wire_bytes;
        uint32_t in_class = calm_class(calm, th->taken[i]->class_id);
        calm->held[calm_place(calm, th->taken_in[i], in_class)] += off ? 0 - bytes : bytes;
        sum_bytes += bytes;
    }
    r->sw->used_bytes += off ? 0 - sum_bytes : sum_bytes;
}

/* What comes in this window, n packets, joins what is held, or is taken off again. */
static void calm_expect(const struct coupled_run *r, uint32_t n, bool off)
{
    struct coupled_calm *calm = &r->c->calm;
    uint64_t sum_bytes = 0;
    if (!calm->is_bounded)
        return;
    if (calm->classes > SIM_LANES) {
        calm_expect_lanes(r, n, off);
        return;
    }
    for (uint32_t i = 0; i < r->sw->in_count * calm->classes; i++) {
        calm->held[i] += off ? 0 - calm->coming[i] : calm->coming[i];
        sum_bytes += calm->coming[i];
    }
    r->sw->used_bytes += off ? 0 - sum_bytes : sum_bytes;
}

/* The memory for NOTICEs in this window, which need no admission: at most one for each packet. n: that come */
static uint64_t calm_notices_bytes(const struct coupled_run *r, uint32_t n, uint64_t end_ps)
{
    const struct coupled_calm *calm = &r->c->calm;
    uint64_t pkts = n;
    if (r->c->step_ps >= end_ps)
        return 0;
    if (calm->now)
        pkts += (uint64_t)calm->log_count + calm->undecided;
    for (uint32_t p = 0; !calm->now && p < r->sw->out_count; p++)
        pkts += r->out[p].waiting_pkts + 1;
    return pkts * calm->notice_bytes;
}

static struct weir_held calm_held(const struct coupled_run *r)
{
    return (struct weir_held){ .bytes = r->c->calm.held,
                               .sum_bytes = r->sw->used_bytes,
                               .ports = r->sw->in_count,
                               .classes = r->c->calm.classes };
}

/* Has no feature anything to do, and does the memory suffice? */
static bool calm_fits(const struct coupled_run *r, uint32_t n, uint64_t start_ps, uint64_t end_ps)
{
    const struct coupled_calm *calm = &r->c->calm;
    const struct weir_held most = calm_held(r);
    if (r->model->memory_bytes != UINT64_MAX &&
        r->sw->used_bytes + calm_notices_bytes(r, n, end_ps) > r->model->memory_bytes)
        return false;
    if (end_ps - start_ps > calm->wait_ps) /* a packet could join, wait for too long and be dropped in it */
        return false;
    for (uint32_t i = 0; i < calm->idle_count; i++)
        if (!calm->idle[i]->row->is_idle(&calm->idle[i]->here, &most))
            return false;
    return true;
}

/* ---- to the exact way ---- */

static uint64_t entry_start_ps(const struct coupled_run *r, const struct calm_entry *e)
{
    return e->end_ps - (uint64_t)e->bytes * r->out[e->port].ps_per_byte;
}

/* A packet goes back to where it waits. */
static void exact_wait(const struct coupled_run *r, uint32_t p, const struct coupled_queued *entry)
{
    weir_sim_coupled_enqueue(r, p, entry);
    r->c->port[p].held_bytes += entry->pkt.wire_bytes;
}

/* The frame whose transmission has begun and has not ended, or ends now: the last slot before those taken back. */
static void exact_send(const struct coupled_run *r, const struct calm_entry *e)
{
    struct coupled_calm *calm = &r->c->calm;
    struct sim_link *link = &r->out[e->port];
    struct coupled_port *cp = &r->c->port[e->port];
    bool low = e->class_id > 0;
    WEIR_ASSERT(!cp->is_sending);
    cp->is_sending = true;
    cp->sending = *sim_fifo_back(low ? link->undecided : calm->port[e->port].slot, 1);
    cp->sending_in = calm_in_back(r, e->in);
    cp->sending_class = e->class_id;
    cp->held_bytes += e->bytes;
    cp->wire_ps = link->busy_until_ps = e->end_ps;
    coupled_arm(r->c, e->port, e->end_ps);
    WEIR_ASSERT(cp->sending.wire_bytes == e->bytes);
}

/* What waits in the lower lane. No decision is due: there would have been a window for it. */
static void exact_take_low(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct calm_port *port = &r->c->calm.port[p];
    struct sim_link *link = &r->out[p];
    struct weir_pkt *slot = link->undecided;
    if (port->count == 0)
        return;
    WEIR_ASSERT(sim_due_start_ps(sim_due_of(link)) >= now_ps);
    for (; port->count > 0; port->count--, slot = sim_fifo_skip(slot, 1)) {
        uint32_t came = port->in[port->first];
        struct coupled_queued q = { .pkt = *slot,
                                    .in = calm_in_back(r, came & UINT16_MAX),
                                    .class_id = (uint16_t)calm_class(&r->c->calm, slot->class_id),
                                    .in_class = (uint16_t)(came >> 16) };
        q.pkt.arrival_ps = sim_arrival(slot) & ~SIM_UNDECIDED;
        q.tx_ps = (uint64_t)q.pkt.wire_bytes * link->ps_per_byte;
        exact_wait(r, p, &q);
        port->first = (port->first + 1) & (port->capacity - 1);
    }
    sim_fifo_unpublish(&r->th->pool, link->undecided, link->write[SIM_LANE_LOW]);
    link->write[SIM_LANE_LOW] = link->undecided;
}

/* Of a port: nothing is in it yet. slot: of the first that has not begun. */
static void exact_begin(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct coupled_calm *calm = &r->c->calm;
    struct coupled_port *cp = &r->c->port[p];
    struct sim_link *link = &r->out[p];
    calm->port[p].slot = sim_fifo_back(link->write[SIM_LANE_FIRST], calm->port[p].inside[SIM_LANE_FIRST]);
    cp->held_bytes = 0;
    cp->is_sending = false;
    cp->wire_ps = link->busy_until_ps = now_ps;
}

/* Packets that have not begun at now, by port: of the log only of the first lane. */
static void exact_count(const struct coupled_run *r, uint64_t now_ps)
{
    struct coupled_calm *calm = &r->c->calm;
    for (uint32_t p = 0; p < r->sw->out_count; p++)
        calm->port[p].inside[SIM_LANE_FIRST] = 0;
    for (uint32_t i = 0; i < calm->log_count; i++) {
        const struct calm_entry *e = &calm->log[i];
        calm->port[e->port].inside[SIM_LANE_FIRST] += entry_start_ps(r, e) >= now_ps;
    }
}

/* In order of the log, which of a port's class is that of joining. */
static void exact_take_log(const struct coupled_run *r, uint64_t now_ps)
{
    struct coupled_calm *calm = &r->c->calm;
    for (uint32_t i = 0; i < calm->log_count; i++) { /* before slots move on */
        const struct calm_entry *e = &calm->log[i];
        if (entry_start_ps(r, e) < now_ps)
            exact_send(r, e);
    }
    for (uint32_t i = 0; i < calm->log_count; i++) {
        const struct calm_entry *e = &calm->log[i];
        struct calm_port *port = &calm->port[e->port];
        uint64_t start_ps = entry_start_ps(r, e);
        struct coupled_queued q;
        if (start_ps < now_ps)
            continue;
        q = (struct coupled_queued){ .pkt = *port->slot, .tx_ps = e->end_ps - start_ps, .in = calm_in_back(r, e->in) };
        WEIR_ASSERT(q.pkt.wire_bytes == e->bytes && q.pkt.arrival_ps == e->end_ps + r->out[e->port].delay_ps);
        q.pkt.arrival_ps = e->joined_ps;
        exact_wait(r, e->port, &q);
        port->slot = sim_fifo_skip(port->slot, 1);
    }
}

/* A of doc/model.md [counting.area] stays as it was; see weir_sim_coupled_area(). */
static void exact_keep_area(struct sim_link *link, sim_area area, uint64_t now_ps)
{
    link->port->area += area - weir_sim_coupled_area(link, now_ps);
}

/* From now on, the start of a window, all goes the exact way. The log is settled, and nothing of this window is in the
 * bounds. */
static void calm_leave(const struct coupled_run *r, uint64_t now_ps)
{
    struct coupled_calm *calm = &r->c->calm;
    const struct weir_held held = calm_held(r);
    exact_count(r, now_ps);
    weir_sim_calm_starts_clear(r);
    coupled_arm_none(r->c, r->sw->out_count);
    for (uint32_t p = 0; p < r->sw->out_count; p++)
        exact_begin(r, p, now_ps);
    exact_take_log(r, now_ps);
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct sim_link *link = &r->out[p];
        struct weir_pkt *first = sim_fifo_back(calm->port[p].slot, calm->port[p].inside[SIM_LANE_FIRST]);
        sim_area area = weir_sim_port_area(link, now_ps);
        WEIR_ASSERT(calm->port[p].slot == link->write[SIM_LANE_FIRST]);
        if (calm->port[p].inside[SIM_LANE_FIRST] > 0) {
            sim_fifo_unpublish(&r->th->pool, first, link->write[SIM_LANE_FIRST]);
            link->write[SIM_LANE_FIRST] = link->notified[SIM_LANE_FIRST] = first;
        }
        exact_take_low(r, p, now_ps);
        link->kind.serve = SIM_SERVE_STEPS;
        exact_keep_area(link, area, now_ps);
    }
    for (uint32_t i = 0; i < calm->idle_count; i++)
        calm->idle[i]->row->set_held(&calm->idle[i]->here, &held);
    calm->log_count = calm->undecided = 0;
    calm->now = r->sw->by_time = false;
    calm->handovers++;
}

/* ---- to the calm way ---- */

/* Can the exact way end at now, whatever features report? Not while a class is closed, a control frame waits or is
 * being sent, or a port has a decision to make. */
static bool exact_may_end(const struct coupled_run *r, uint64_t now_ps)
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

/* CALM_LEAVING: might a packet that waits be dropped before end? */
static bool exact_may_drop(const struct coupled_run *r, uint64_t now_ps, uint64_t end_ps)
{
    struct coupled_calm *calm = &r->c->calm;
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct sim_ring *ring = &r->out[p].port->waiting[0];
        uint64_t start_ps = r->out[p].busy_until_ps;
        if (ring->count > 0)
            weir_sim_calm_leaving_idle(r, p, now_ps);
        for (uint32_t i = 0; i < ring->count && start_ps < end_ps; i++) {
            const struct coupled_queued *q = ring_at(ring, sizeof(*q), i);
            if (calm_may_drop(calm, &calm->port[p], q->pkt.flags, q->pkt.arrival_ps, start_ps))
                return true;
            start_ps += q->tx_ps;
        }
    }
    return false;
}

static void calm_note(const struct coupled_run *r, uint32_t p, uint32_t in, uint32_t class_id, struct calm_entry e)
{
    struct coupled_calm *calm = &r->c->calm;
    e.in = (uint16_t)calm_in(r, in);
    e.port = (uint16_t)p;
    e.class_id = (uint16_t)class_id;
    weir_sim_calm_log_room(r, 1);
    calm->log[calm->log_count++] = e;
}

/* The start hooks of a packet that waits are still to be called; it will be in the slot to be written next. */
static void calm_take_start(const struct coupled_run *r, uint32_t p, const struct coupled_queued *q, uint64_t start_ps)
{
    struct coupled_calm *calm = &r->c->calm;
    if (calm->starts == CALM_NO_STARTS)
        return;
    weir_sim_calm_start_room(r, 1);
    calm_note_start(r, p,
                    (struct calm_start){ .slot = r->out[p].write[SIM_LANE_FIRST],
                                         .start_ps = start_ps,
                                         .joined_ps = q->pkt.arrival_ps,
                                         .bytes = (uint16_t)q->pkt.wire_bytes,
                                         .in = (uint16_t)calm_in(r, q->in) },
                    calm_is_far(calm, q->pkt.kind));
}

/* What waits in the port's first class leaves one after the other, behind the frame in transmission. @return when the
 * last of it has */
static uint64_t calm_take_first(const struct coupled_run *r, uint32_t p)
{
    struct sim_link *link = &r->out[p];
    struct sim_ring *ring = &link->port->waiting[0];
    uint64_t free_ps = link->busy_until_ps;
    for (; ring->count > 0; ring_pop(ring)) {
        const struct coupled_queued *q = ring_at(ring, sizeof(*q), 0);
        calm_take_start(r, p, q, free_ps);
        free_ps += q->tx_ps;
        sim_copy_body(link->write[SIM_LANE_FIRST], &q->pkt);
        sim_emit(r->th, link, free_ps + link->delay_ps);
        calm_note(r, p, q->in, 0,
                  (struct calm_entry){
                      .end_ps = free_ps, .joined_ps = q->pkt.arrival_ps, .bytes = (uint16_t)q->pkt.wire_bytes });
    }
    return free_ps;
}

/* What waits in all other classes, the oldest first. */
static void calm_take_low(const struct coupled_run *r, uint32_t p)
{
    struct sim_link *link = &r->out[p];
    uint32_t ready = link->waiting_classes & ~1u;
    while (ready != 0) {
        uint32_t class_id = weir_sim_coupled_oldest(link->port, ready);
        struct sim_ring *ring = &link->port->waiting[class_id];
        const struct coupled_queued *q = ring_at(ring, sizeof(*q), 0);
        weir_sim_calm_wait(r, p, &q->pkt, calm_came(calm_in(r, q->in), q->in_class), q->pkt.arrival_ps);
        ring_pop(ring);
        ready &= ~((uint32_t)(ring->count == 0) << class_id);
    }
}

static void calm_take_port(const struct coupled_run *r, uint32_t p, uint64_t now_ps)
{
    struct coupled_calm *calm = &r->c->calm;
    struct sim_link *link = &r->out[p];
    struct coupled_port *cp = &r->c->port[p];
    sim_area area = weir_sim_coupled_area(link, now_ps);
    uint64_t backlog_ps = coupled_backlog_ps(link, now_ps);
    if (cp->is_sending)
        calm_note(r, p, cp->sending_in, cp->sending_class,
                  (struct calm_entry){ .end_ps = link->busy_until_ps, .bytes = (uint16_t)cp->sending.wire_bytes });
    cp->is_sending = false;
    link->busy_until_ps = calm_take_first(r, p);
    calm_take_low(r, p);
    link->port->waiting_ps = 0;
    memset(link->port->waiting_bytes, 0, calm->classes * sizeof(link->port->waiting_bytes[0]));
    if (calm->starts == CALM_NO_STARTS) /* else what waits goes on to be counted */
        r->sw->waiting_bytes[p] = 0;
    link->waiting_pkts = link->waiting_classes = 0;
    link->free_at_ps = now_ps + backlog_ps;
    link->kind.serve = calm->lanes ? SIM_SERVE_LANES : SIM_SERVE_FIFO;
    link->area = area + (sim_area)backlog_ps * backlog_ps;
}

static void calm_begin(const struct coupled_run *r, uint64_t now_ps)
{
    for (uint32_t p = 0; p < r->sw->out_count; p++)
        calm_take_port(r, p, now_ps);
    for (uint32_t p = 0; p < r->sw->out_count && r->c->calm.starts == CALM_LEAVING; p++)
        weir_sim_calm_leaving_idle(r, p, now_ps);
    if (r->c->calm.starts == CALM_LEAVING)
        weir_sim_calm_find_drops(r, now_ps);
    coupled_arm_none(r->c, r->sw->out_count);
    r->c->calm.settle_at = settle_at(&r->c->calm);
    r->c->calm.now = r->sw->by_time = true;
}

/* ---- the choice ---- */

static bool calm_stays(const struct coupled_run *r, uint32_t n, uint64_t start_ps, uint64_t end_ps, bool control)
{
    struct coupled_calm *calm = &r->c->calm;
    bool fits;
    if (calm->drop_ps < end_ps) /* perhaps not any more, by what has happened since */
        weir_sim_calm_find_drops(r, start_ps);
    control = control || calm->drop_ps < end_ps;
    fits = !control && calm_fits(r, n, start_ps, end_ps);
    if (fits && calm->log_count < calm->settle_at)
        return true;
    calm_settle(r, start_ps);
    return fits || (!control && calm_fits(r, n, start_ps, end_ps));
}

bool weir_sim_calm_enter(const struct coupled_run *r, uint32_t n, uint64_t start_ps, uint64_t end_ps,
                         uint64_t control_ps)
{
    struct coupled_calm *calm = &r->c->calm;
    bool control = control_ps < end_ps, calmly;
    if (calm->port == NULL) {
        calm->exact_windows++;
        return false;
    }
    calm_expect(r, n, false);
    if (calm->now)
        calmly = calm_stays(r, n, start_ps, end_ps, control);
    else
        calmly = !control && calm_fits(r, n, start_ps, end_ps) && exact_may_end(r, start_ps) &&
                 (calm->starts != CALM_LEAVING || !exact_may_drop(r, start_ps, end_ps));
    if (!calmly)
        calm_expect(r, n, true);
    if (!calmly && calm->now)
        calm_leave(r, start_ps);
    else if (calmly && !calm->now)
        calm_begin(r, start_ps);
    *(calmly ? &calm->windows : &calm->exact_windows) += 1;
    return calmly;
}
