/* src/simulator/coupled/deferred_pass.c - a window with deferred hooks: a coupled switch forwards packets as
 * visit_switch.c does. Timers and samples split the sorted arrivals. Forwarded packets are logged, since they may have
 * to be taken back: see deferred.c. */
#include "coupled/internal.h"
#include "port/port_body.h"
#include "port/visit.h"

/* ---- the lower lane ---- */

/* Decides on the oldest undecided packet of port p if it starts before end_ps, and logs it. Without start hooks there
 * is no branch. *log must have room for an entry; it advances only if a packet was decided on. @return the state of the
 * lane afterwards */
SIM_COPIED static inline struct sim_due deferred_decide_one(const struct coupled_run *r, const struct sim_link *link,
                                                            struct deferred_port *port, uint32_t p, struct sim_due due,
                                                            uint64_t end_ps, bool has_starts,
                                                            struct deferred_entry **log)
{
    uint64_t joined_ps = sim_arrival(due.slot) & ~SIM_UNDECIDED;
    struct sim_due after = sim_decide_one(link, due, end_ps);
    bool decided = after.slot != due.slot;
    uint32_t first = port->first, origin = port->origin[first];
    **log = (struct deferred_entry){ .end_ps = after.busy_until_ps,
                                     .joined_ps = joined_ps,
                                     .bytes = (uint16_t)due.slot->wire_bytes,
                                     .port = (uint16_t)p,
                                     .origin = origin };
    if (has_starts && decided)
        deferred_note_start(r, p,
                            (struct deferred_start){ .slot = due.slot,
                                                     .start_ps = weir_max_u64(due.busy_until_ps, joined_ps),
                                                     .joined_ps = joined_ps,
                                                     .bytes = (uint16_t)due.slot->wire_bytes,
                                                     .in = (uint16_t)origin },
                            /* starts_may_wait(): hooks for packets of the lower lane read no other port */
                            false);
    *log += decided;
    port->count -= decided;
    port->first = (first + decided) & (port->capacity - 1);
    return after;
}

/* Makes the decisions of port p's lower lane that are due before end_ps. *log: advances by one entry for each, and must
 * have room */
SIM_COPIED static inline void deferred_decide(const struct coupled_run *r, uint32_t p, uint64_t end_ps, bool has_starts,
                                              struct deferred_entry **log)
{
    struct deferred_port *port = &r->c->deferred.port[p];
    struct sim_link *link = &r->out[p];
    struct sim_due due = sim_due_of(link);
    while (sim_due_start_ps(due) < end_ps)
        due = deferred_decide_one(r, link, port, p, due, end_ps, has_starts, log);
    link->undecided = due.slot;
    link->busy_until_ps = due.busy_until_ps;
}

void weir_sim_deferred_decide_log(const struct coupled_run *r, uint32_t p, uint64_t end_ps, struct deferred_entry **log)
{
    deferred_decide(r, p, end_ps, true, log);
}

/* Makes the decisions of port p's lower lane that are due before end_ps, logs them at the end of the log, and makes
 * room there. Updates deferred.undecided. */
SIM_COPIED static inline void deferred_decide_here(const struct coupled_run *r, uint32_t p, uint64_t end_ps,
                                                   bool has_starts)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    struct deferred_entry *log;
    uint32_t before = deferred->port[p].count;
    weir_sim_deferred_log_room(r, before + 1);
    log = deferred->log + deferred->log_count;
    deferred_decide(r, p, end_ps, has_starts, &log);
    WEIR_ASSERT(before - deferred->port[p].count <= deferred->undecided);
    deferred->undecided -= before - deferred->port[p].count;
    deferred->log_count = (uint32_t)(log - deferred->log);
}

static __attribute__((noinline)) void deferred_decide_with_starts(const struct coupled_run *r, uint32_t p,
                                                                  uint64_t end_ps)
{
    weir_sim_deferred_start_room(r, r->c->deferred.port[p].count);
    deferred_decide_here(r, p, end_ps, true);
}

void weir_sim_deferred_decide(const struct coupled_run *r, uint32_t p, uint64_t end_ps)
{
    if (WEIR_UNLIKELY(r->c->deferred.starts != DEFERRED_NO_STARTS))
        deferred_decide_with_starts(r, p, end_ps);
    else
        deferred_decide_here(r, p, end_ps, false);
}

void weir_sim_deferred_wait(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint32_t origin,
                            uint64_t joined_ps)
{
    struct deferred_port *port = &r->c->deferred.port[p];
    struct sim_link *link = &r->out[p];
    if (port->count == port->capacity)
        weir_sim_deferred_lane_grow(r->th, port);
    port->origin[(port->first + port->count++) & (port->capacity - 1)] = origin;
    r->c->deferred.undecided++;
    sim_copy_body(link->write[SIM_LANE_LOW], pkt);
    link->write[SIM_LANE_LOW] = sim_fifo_publish(&r->th->pool, link->write[SIM_LANE_LOW], joined_ps | SIM_UNDECIDED);
}

/* ---- a packet joins ---- */

struct deferred_arrival {
    /* in the in-link's FIFO, where no other thread reads it any more; on_forward may write to it */
    struct weir_pkt *pkt;
    uint32_t in, port; /* in: as deferred_in_index() */
    uint64_t now_ps;
    bool last; /* no later arrival and no timer step at this instant; false is always right */
};

/* Calls the on_arrive hooks of the port that leads back to the node from which the packet came. @return WEIR_PKT_ECE if
 * a hook answers WEIR_ECHO, else 0 */
static inline uint8_t deferred_arrive(const struct coupled_run *r, const struct deferred_arrival *a)
{
    const struct weir_chain *chain = &r->out[a->in].port->chain;
    uint32_t answer;
    if (WEIR_LIKELY(r->c->deferred.one_arrive_hook))
        answer = chain->arrive->call(&chain->arrive->here, a->pkt, a->now_ps);
    else
        answer = weir_chain_arrive(chain, a->pkt, a->now_ps);
    return (answer & WEIR_ECHO) != 0 ? WEIR_PKT_ECE : 0;
}

/* The kind of a switch with deferred hooks; a constant in each instance of the loop. hooks: there are on_arrive or
 * on_join hooks to call; lanes: ports have two lanes; forwards: there are on_forward hooks. */
struct deferred_kind {
    bool hooks, lanes, forwards;
    enum deferred_start_kind starts;
};

/* Calls the start hooks of a packet that has joined port a->port, or notes the packet for later. The packet is in
 * `slot` and starts at start_ps. More than half of all packets start at once. Their hooks are called now if a->last
 * is true and no hook that reads another port is noted for this instant or an earlier one. */
SIM_COPIED static inline void deferred_add_start(const struct coupled_run *r, const struct deferred_arrival *a,
                                                 struct weir_pkt *slot, uint64_t start_ps,
                                                 enum deferred_start_kind starts, struct deferred_entry **log)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    const struct deferred_start s = { .slot = slot,
                                      .start_ps = start_ps,
                                      .joined_ps = a->now_ps,
                                      .bytes = (uint16_t)slot->wire_bytes,
                                      .in = (uint16_t)a->in };
    bool other = starts >= DEFERRED_OTHER_PORT && deferred_reads_other(deferred, slot->kind);
    bool now = a->last && start_ps == a->now_ps;
    if (starts >= DEFERRED_OTHER_PORT && deferred->other_starts.count > 0)
        now = now && deferred->other_starts.entry[0].at_ps > start_ps;
    if (now && other)
        weir_sim_deferred_sync_port(r, a->in, a->port, start_ps, log);
    if (now) {
        deferred_call_start(r, a->port, &s);
        return;
    }
    r->sw->waiting_bytes[a->port] += s.bytes;
    deferred_note_start(r, a->port, s, other);
}

/* Notes a packet that has joined if on_dequeue may have to act on it; the hook is called later. Also notes every
 * packet that joins while a noted packet waits: only the start of the noted packet shows whether the hook must act
 * on those behind it. Lowers deferred.drop_ps if the packet may be dropped. Only for DEFERRED_DEQUEUE. */
SIM_COPIED static inline void deferred_add_dequeue(const struct coupled_run *r, struct deferred_port *port,
                                                   const struct deferred_arrival *a, struct weir_pkt *slot,
                                                   uint64_t start_ps, struct deferred_entry **log)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    bool quiet = start_ps - a->now_ps < deferred->wait_ps && start_ps <= port->quiet_until_ps;
    if (WEIR_LIKELY(quiet && port->start_first == 0))
        return;
    if (deferred_may_drop(deferred, port, slot->flags, a->now_ps, start_ps))
        deferred->drop_ps = weir_min_u64(deferred->drop_ps, start_ps);
    deferred_add_start(r, a, slot, start_ps, DEFERRED_DEQUEUE, log);
}

/* Makes the decisions of a port with two lanes before the arrival *a, then lets the packet join its lane.
 * @return when the packet's transmission would end if no packet of the lower lane were ahead of it */
SIM_COPIED static inline uint64_t deferred_join_lane(const struct coupled_run *r, struct deferred_port *port,
                                                     const struct deferred_arrival *a, uint32_t in_class,
                                                     uint64_t tx_ps, struct deferred_kind kind,
                                                     struct deferred_entry **log)
{
    struct sim_link *link = &r->out[a->port];
    bool high = a->pkt->class_id == 0, has_starts = kind.starts != DEFERRED_NO_STARTS;
    struct sim_due due = deferred_decide_one(r, link, port, a->port, sim_due_of(link), a->now_ps, has_starts, log);
    uint64_t free_ps;
    while (WEIR_UNLIKELY(sim_due_start_ps(due) < a->now_ps))
        due = deferred_decide_one(r, link, port, a->port, due, a->now_ps, has_starts, log);
    link->undecided = due.slot;
    free_ps = weir_max_u64(due.busy_until_ps, a->now_ps) + tx_ps;
    link->busy_until_ps = weir_pick_u64(high, free_ps, due.busy_until_ps);
    if (WEIR_UNLIKELY(port->count == port->capacity))
        weir_sim_deferred_lane_grow(r->th, port);
    port->origin[(port->first + port->count) & (port->capacity - 1)] = deferred_origin(a->in, in_class);
    port->count += !high;
    return free_ps;
}

/* Lets an arrived packet join its out-port: calls its hooks, and makes the decisions of the lower lane that are due
 * before. Logs each packet whose departure is thereby known. *log must have room for these packets, and advances. */
SIM_COPIED static inline void deferred_join(const struct coupled_run *r, struct deferred_port *ports,
                                            struct deferred_arrival *a, bool measuring, struct deferred_kind kind,
                                            struct deferred_entry **log)
{
    bool lanes = kind.lanes;
    const struct weir_pkt *pkt = a->pkt;
    bool high = !lanes || pkt->class_id == 0;
    /* without on_forward, every packet of the lower lane has class 1 */
    uint32_t in_class = kind.forwards ? deferred_class(&r->c->deferred, pkt->class_id) : 1;
    struct sim_link *link;
    struct weir_pkt *slot;
    struct sim_port_kind k = { .serve = lanes ? SIM_SERVE_LANES : SIM_SERVE_FIFO };
    uint64_t backlog_ps, tx_ps, free_ps;
    uint8_t flags, set = 0;
    if (kind.hooks && (r->c->deferred.arrive_kinds >> pkt->kind & 1) != 0)
        set = deferred_arrive(r, a);
    if (kind.forwards && pkt->kind == WEIR_PKT_DATA)
        a->port = weir_sim_coupled_forward(r, a->port, a->pkt, a->in, a->now_ps);
    link = &r->out[a->port];
    slot = link->write[!high];
    k.join = kind.hooks && link->kind.join;
    if (k.join)
        link->port->offered++;
    backlog_ps = sim_fifo_backlog_ps(link, a->now_ps);
    flags =
        set | port_mark(r->th, link, pkt,
                        (struct sim_via){ a->in, lanes && kind.forwards ? deferred_class(&r->c->deferred, pkt->class_id)
                                                                        : !high },
                        backlog_ps, a->now_ps, k);
    tx_ps = port_count(link, pkt->wire_bytes, backlog_ps, a->now_ps, measuring, k);
    free_ps = lanes ? deferred_join_lane(r, &ports[a->port], a, in_class, tx_ps, kind, log) : link->free_at_ps;
    **log = (struct deferred_entry){ .end_ps = free_ps,
                                     .joined_ps = a->now_ps,
                                     .bytes = (uint16_t)pkt->wire_bytes,
                                     .port = (uint16_t)a->port,
                                     .origin = deferred_origin(a->in, 0) };
    *log += high;
    sim_copy_body(slot, pkt);
    slot->flags_low = flags;
    link->write[!high] =
        sim_fifo_publish(&r->th->pool, slot, weir_pick_u64(high, free_ps + link->delay_ps, a->now_ps | SIM_UNDECIDED));
    if (kind.starts == DEFERRED_DEQUEUE)
        deferred_add_dequeue(r, &ports[a->port], a, slot, free_ps - tx_ps, log);
    if (kind.starts == DEFERRED_NO_STARTS || kind.starts == DEFERRED_DEQUEUE)
        return;
    deferred_starts(r, a->port, a->now_ps);
    if (high)
        deferred_add_start(r, a, slot, free_ps - tx_ps, kind.starts, log);
    else
        r->sw->waiting_bytes[a->port] += pkt->wire_bytes;
}

/* Tests whether arrival *key is the last event of its instant: no later key has this instant, and no timer step
 * follows. end: end of the sorted keys. not_last: time within this window of the next timer step, which may make
 * packets */
static inline bool deferred_is_last(const uint64_t *key, const uint64_t *end, uint64_t not_last)
{
    uint64_t at = *key >> SIM_KEY_TIME_SHIFT;
    return at != not_last && (key + 1 == end || key[1] >> SIM_KEY_TIME_SHIFT != at);
}

/* Forwards the arrivals of key .. end - 1. The log must have room for all of them and for all packets that wait for a
 * decision. */
SIM_COPIED static inline void forward(const struct coupled_run *r, const uint64_t *key, const uint64_t *end,
                                      uint64_t start_ps, struct deferred_kind kind)
{
    const struct sim_thread *th = r->th;
    struct coupled_deferred *deferred = &r->c->deferred;
    struct weir_pkt *const *arrived = th->arrived;
    const uint16_t *arrived_in = th->arrived_in;
    struct deferred_entry *first = deferred->log + deferred->log_count, *log = first;
    struct deferred_port *ports = deferred->port;
    bool measuring = th->counting, track = r->sw->track_sum;
    bool asks_last = kind.starts == DEFERRED_OWN_PORT || kind.starts == DEFERRED_OTHER_PORT;
    uint32_t n = (uint32_t)(end - key);
    uint64_t not_last = r->c->step_ps - start_ps;
    for (; key < end; key++) {
        uint32_t i = sim_key_arrival(*key);
        struct deferred_arrival a = { .pkt = arrived[i],
                                      .in = arrived_in[i],
                                      .port = sim_key_port(*key),
                                      .now_ps = start_ps + (*key >> SIM_KEY_TIME_SHIFT),
                                      .last = asks_last && deferred_is_last(key, end, not_last) };
        while (kind.starts >= DEFERRED_OTHER_PORT && deferred->other_starts.count > 0 &&
               deferred->other_starts.entry[0].at_ps < a.now_ps)
            weir_sim_deferred_other_start(r, &log);
        deferred_join(r, ports, &a, measuring, kind, &log);
        if (track)
            sim_watch_sum(r->th, r->sw, a.pkt->wire_bytes, a.now_ps);
    }
    deferred->log_count += (uint32_t)(log - first);
    WEIR_ASSERT(deferred->log_count <= deferred->log_capacity);
    deferred->undecided += n - (uint32_t)(log - first); /* a packet is logged only when it is decided on */
}

/* Forwards at a switch with on_forward hooks, by the loop for its lanes and start hooks. All these loops also call
 * on_arrive and on_join hooks. */
static void forward_deflecting(const struct coupled_run *r, const uint64_t *key, const uint64_t *end, uint64_t start_ps)
{
    const struct coupled_deferred *deferred = &r->c->deferred;
    const struct deferred_kind one = { .hooks = true, .forwards = true },
                               two = { .hooks = true, .lanes = true, .forwards = true };
    if (deferred->starts == DEFERRED_NO_STARTS && deferred->lanes)
        forward(r, key, end, start_ps, two);
    else if (deferred->starts == DEFERRED_NO_STARTS)
        forward(r, key, end, start_ps, one);
    else if (deferred->starts == DEFERRED_DEQUEUE)
        forward(r, key, end, start_ps,
                (struct deferred_kind){ .hooks = true, .forwards = true, .starts = DEFERRED_DEQUEUE });
    else if (deferred->lanes)
        forward(r, key, end, start_ps,
                (struct deferred_kind){ .hooks = true, .lanes = true, .forwards = true, .starts = DEFERRED_OWN_PORT });
    else
        forward(r, key, end, start_ps,
                (struct deferred_kind){ .hooks = true, .forwards = true, .starts = DEFERRED_OWN_PORT });
}

/* Forwards at a switch with start hooks and without on_forward, by the loop for its lanes and start hooks. */
static void forward_with_starts(const struct coupled_run *r, const uint64_t *key, const uint64_t *end,
                                uint64_t start_ps)
{
    bool lanes = r->c->deferred.lanes, other = r->c->deferred.starts == DEFERRED_OTHER_PORT;
    if (r->c->deferred.starts == DEFERRED_DEQUEUE)
        forward(r, key, end, start_ps, (struct deferred_kind){ .hooks = true, .starts = DEFERRED_DEQUEUE });
    else if (!lanes && !other)
        forward(r, key, end, start_ps, (struct deferred_kind){ .hooks = true, .starts = DEFERRED_OWN_PORT });
    else if (!lanes)
        forward(r, key, end, start_ps, (struct deferred_kind){ .hooks = true, .starts = DEFERRED_OTHER_PORT });
    else if (!other)
        forward(r, key, end, start_ps,
                (struct deferred_kind){ .hooks = true, .lanes = true, .starts = DEFERRED_OWN_PORT });
    else
        forward(r, key, end, start_ps,
                (struct deferred_kind){ .hooks = true, .lanes = true, .starts = DEFERRED_OTHER_PORT });
}

/* Forwards the arrivals of key .. end - 1 by the loop for this kind of switch. */
static void deferred_forward(const struct coupled_run *r, const uint64_t *key, const uint64_t *end, uint64_t start_ps)
{
    bool hooks = r->c->deferred.joins || r->c->deferred.arrive_kinds != 0;
    bool lanes = r->c->deferred.lanes;
    if (r->c->deferred.forwards)
        forward_deflecting(r, key, end, start_ps);
    else if (r->c->deferred.starts != DEFERRED_NO_STARTS)
        forward_with_starts(r, key, end, start_ps);
    else if (!lanes && !hooks)
        forward(r, key, end, start_ps, (struct deferred_kind){ 0 });
    else if (!lanes)
        forward(r, key, end, start_ps, (struct deferred_kind){ .hooks = true });
    else if (!hooks)
        forward(r, key, end, start_ps, (struct deferred_kind){ .lanes = true });
    else
        forward(r, key, end, start_ps, (struct deferred_kind){ .hooks = true, .lanes = true });
}

/* Lets a packet that the switch made itself join its port. Such packets are rare, so one instance serves all kinds of
 * switches. */
static __attribute__((noinline)) void deferred_join_own(const struct coupled_run *r, struct deferred_arrival *a,
                                                        struct deferred_entry **log)
{
    const struct deferred_kind kind = { .hooks = false,
                                        .lanes = r->c->deferred.lanes,
                                        .starts = r->c->deferred.starts };
    deferred_join(r, r->c->deferred.port, a, r->th->counting, kind, log);
}

void weir_sim_deferred_put(const struct coupled_run *r, uint32_t p, const struct weir_pkt *pkt, uint64_t now_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    struct weir_pkt own = *pkt;
    struct deferred_arrival a = { .pkt = &own, .in = r->sw->in_count, .port = p, .now_ps = now_ps };
    struct sim_link *link = &r->out[p];
    uint32_t class_id = deferred_class(deferred, pkt->class_id);
    uint64_t mark_ps = link->mark_ps;
    struct deferred_entry *log, *before;
    weir_sim_deferred_log_room(r, deferred->undecided + 2);
    if (deferred->starts != DEFERRED_NO_STARTS)
        weir_sim_deferred_start_room(r, deferred->undecided + 2);
    deferred->held[deferred_held_index(deferred, r->sw->in_count, class_id)] += pkt->wire_bytes;
    r->sw->used_bytes += pkt->wire_bytes;
    deferred->port[p].inside[SIM_LANE_FIRST] += class_id == 0;
    link->mark_ps = WEIR_NEVER; /* packets that the switch makes itself are not marked */
    log = deferred->log + deferred->log_count;
    before = log;
    deferred_join_own(r, &a, &log);
    deferred->log_count += (uint32_t)(log - before);
    deferred->undecided += 1 - (uint32_t)(log - before);
    link->mark_ps = mark_ps;
    if (r->sw->track_sum)
        sim_watch_sum(r->th, r->sw, pkt->wire_bytes, now_ps);
}

void weir_sim_deferred_count(const struct coupled_run *r, uint64_t now_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        if (deferred->port[p].count > 0)
            weir_sim_deferred_decide(r, p, now_ps);
        deferred->port[p].inside[SIM_LANE_FIRST] = deferred->port[p].inside[SIM_LANE_LOW] = 0;
    }
    for (uint32_t i = 0; i < deferred->log_count; i++)
        deferred->port[deferred->log[i].port].inside[deferred->log[i].class_id > 0] += deferred->log[i].end_ps > now_ps;
}

/* ---- the window ---- */

/* Makes all decisions that are due before end_ps, then calls the start hooks that read another port and are due before
 * end_ps. */
static void deferred_other_before(const struct coupled_run *r, uint64_t end_ps)
{
    for (uint32_t p = 0; p < r->sw->out_count; p++)
        if (r->c->deferred.port[p].count > 0)
            weir_sim_deferred_decide(r, p, end_ps);
    weir_sim_deferred_other_starts(r, end_ps);
}

/* Makes all decisions that are due before end_ps, then calls all start hooks that are due before end_ps. */
static void deferred_starts_before(const struct coupled_run *r, uint64_t end_ps)
{
    deferred_other_before(r, end_ps);
    for (uint32_t p = 0; p < r->sw->out_count; p++)
        deferred_starts(r, p, end_ps);
}

/* Ends a window: makes the decisions that are due before end_ps, calls their start hooks, then wakes the nodes at the
 * other ends of links. @return the earliest of the next decision, the next start with a hook, and a timer step at which
 * packets are in a port */
static uint64_t deferred_finish(const struct coupled_run *r, uint64_t end_ps)
{
    struct coupled_deferred *deferred = &r->c->deferred;
    uint64_t next_ps = WEIR_NEVER;
    if (deferred->starts >= DEFERRED_OTHER_PORT)
        deferred_other_before(r, end_ps);
    for (uint32_t p = 0; p < r->sw->out_count; p++) {
        struct sim_link *link = &r->out[p];
        if (deferred->lanes && link->undecided != link->write[SIM_LANE_LOW]) {
            weir_sim_deferred_decide(r, p, end_ps);
            if (deferred->port[p].count > 0)
                next_ps = weir_min_u64(next_ps, sim_due_start_ps(sim_due_of(link)));
        }
        if (deferred->starts != DEFERRED_NO_STARTS) {
            deferred_starts(r, p, end_ps);
            next_ps = weir_min_u64(next_ps, deferred->start[deferred->port[p].start_first].start_ps);
        }
        if (r->c->step_ps != WEIR_NEVER && link->free_at_ps > r->c->step_ps)
            next_ps = weir_min_u64(next_ps, r->c->step_ps);
        sim_wake(r->th, link, r->sw->lanes); /* no control frame was sent, so coupled_wake() is not needed */
    }
    WEIR_ASSERT(next_ps >= end_ps);
    return next_ps;
}

/* Makes room in the log, and for noted packets, for n packets that arrive and all that wait for a decision. */
static void deferred_room(const struct coupled_run *r, uint32_t n)
{
    weir_sim_deferred_log_room(r, n + r->c->deferred.undecided + 1);
    if (r->c->deferred.starts != DEFERRED_NO_STARTS)
        weir_sim_deferred_start_room(r, n + r->c->deferred.undecided + 1);
}

uint64_t weir_sim_deferred_pass(const struct coupled_run *r, const uint64_t *key, uint32_t n, uint64_t start_ps,
                                uint64_t end_ps)
{
    const uint64_t *end = n > 0 ? key + n : key; /* key is NULL if n is 0 */
    deferred_room(r, n);
    for (;;) {
        uint64_t sample_ps = r->sw->sample_ps, step_ps = r->c->step_ps;
        bool step =
            step_ps < sample_ps; /* at one instant a sample comes first, and a timer step comes after the arrivals */
        const uint64_t *first = key;
        if (weir_min_u64(sample_ps, step_ps) >= end_ps)
            break;
        while (key < end && start_ps + (*key >> SIM_KEY_TIME_SHIFT) < (step ? step_ps + 1 : sample_ps))
            key++;
        deferred_forward(r, first, key, start_ps);
        if (step && r->c->deferred.starts != DEFERRED_NO_STARTS)
            deferred_starts_before(r, step_ps);
        if (step)
            weir_sim_timers_step(r, step_ps);
        else
            weir_sim_sample_switch(r->th, r->sw, sample_ps + 1);
        deferred_room(r, (uint32_t)(end - key));
    }
    deferred_forward(r, key, end, start_ps);
    return deferred_finish(r, end_ps);
}
