/* src/host/pace.c - what waits for a time: paced connections, and the timers of connections and of delayed ACKs. */
#include "host/rto.h"

/* Where a law with a timer has its armed instant: behind its state. WEIR_NEVER = no entry in the heap. */
static inline uint64_t *law_armed(const struct weir_host *h, struct host_flow *f)
{
    return (uint64_t *)((unsigned char *)f + h->armed_offset);
}

/* A new entry; there is room, see host_time_room(). */
void host_timer_push(struct weir_host *h, uint64_t at_ps, uint32_t index, enum host_timer kind)
{
    h->next_ps = weir_min_u64(h->next_ps, at_ps);
    weir_heap_push(&h->timers, at_ps, (uint64_t)index << 2 | kind);
}

/* Room for every entry the timer heap may hold, so that none is refused later: an RTO per sending connection, two for a
 * law's timer (one may be superseded), a delayed ACK per receiving one. @return false = no memory */
bool host_time_room(struct weir_host *h)
{
    uint32_t need = h->flows.count * (h->armed_offset != 0 ? 3 : 1);
    if (h->cfg->params.ack_every > 1)
        need += h->rxs.count;
    return host_heap_room(h, &h->timers, need);
}

/* Only the entry that agrees with law_armed() counts; the others were superseded by an earlier one and go here. */
static void drop_superseded(struct weir_host *h)
{
    struct weir_heap old = h->timers;
    h->timers.count = h->law_entries = 0;
    for (uint32_t i = 0; i < old.count; i++) {
        struct weir_heap_entry e = old.entry[i]; /* read before it is overwritten: count never passes i */
        bool of_law = (e.id & 3) == HOST_TIMER_LAW;
        if (of_law && *law_armed(h, host_flow_at(h, (uint32_t)(e.id >> 2))) != e.at_ps)
            continue;
        h->law_entries += of_law;
        weir_heap_push(&h->timers, e.at_ps, e.id);
    }
}

/* Of a law with a timer: moves its entry forward where it asked for an earlier instant. */
void host_law_arm_timer(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    uint64_t *armed = law_armed(h, f), at = host_cc(f)->timer_ps;
    if (at >= *armed)
        return;          /* none wanted, or the entry there is comes first and will be put back */
    *armed = WEIR_NEVER; /* what is in the heap for this connection, if anything, is superseded */
    if (h->law_entries >= 2 * h->flows.count)
        drop_superseded(h); /* at least half of them: each is paid for by the push that superseded it */
    *armed = at;
    h->law_entries++;
    host_timer_push(h, at, index, HOST_TIMER_LAW);
}

static void law_due(struct weir_host *h, uint64_t now_ps, uint64_t at_ps, uint32_t index)
{
    struct host_flow *f = host_flow_at(h, index);
    h->law_entries--;
    if (*law_armed(h, f) != at_ps)
        return;
    *law_armed(h, f) = WEIR_NEVER;
    if (host_cc(f)->timer_ps <= now_ps) {
        host_cc(f)->timer_ps = WEIR_NEVER;
        h->cc->on_timer(host_cc(f), h->cfg->cc_config, now_ps);
    }
    host_law_arm(h, index, f);
    host_flow_update(h, index, f);
}

static void rto_due(struct weir_host *h, uint64_t now_ps, uint32_t index)
{
    struct host_flow *f = host_flow_at(h, index);
    f->flags &= (uint8_t)~HOST_TIMED;
    if (f->since_ps == WEIR_NEVER)
        return;
    if (host_rto_deadline_ps(h, f) <= now_ps)
        host_rto_expire(h, now_ps, index, f);
    f->flags |= HOST_TIMED;
    uint64_t at_ps = weir_min_u64(host_rto_deadline_ps(h, f), now_ps + h->cfg->params.rto_min_ps);
    host_timer_push(h, at_ps, index, HOST_TIMER_RTO);
}

/* Runs everything that is due by now_ps. */
void host_time_run(struct weir_host *h, uint64_t now_ps)
{
    while (h->timers.count > 0 && h->timers.entry[0].at_ps <= now_ps) {
        struct weir_heap_entry e = h->timers.entry[0];
        uint32_t index = (uint32_t)(e.id >> 2);
        weir_heap_pop(&h->timers);
        if ((e.id & 3) == HOST_TIMER_RTO)
            rto_due(h, now_ps, index);
        else if ((e.id & 3) == HOST_TIMER_LAW)
            law_due(h, now_ps, e.at_ps, index);
        else
            host_rx_ack_due(h, now_ps, index);
    }
    while (h->paced.count > 0 && h->paced.entry[0].at_ps <= now_ps) {
        uint32_t index = (uint32_t)h->paced.entry[0].id;
        struct host_flow *f = host_flow_at(h, index);
        weir_heap_pop(&h->paced);
        f->flags &= (uint8_t)~HOST_PACED;
        host_flow_update(h, index, f);
    }
    h->next_ps = h->timers.count > 0 ? h->timers.entry[0].at_ps : WEIR_NEVER;
    if (h->paced.count > 0)
        h->next_ps = weir_min_u64(h->next_ps, h->paced.entry[0].at_ps);
}

/* A packet of a paced connection left: the next one waits for as long as this one lasts at the law's rate, rounded up
 * so that the rate is never exceeded. wire_bytes counts, so a law that answers the link's rate gets the whole link. */
void host_pace(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f, uint32_t wire_bytes)
{
    uint64_t rate_bps = host_cc(f)->rate_bps, ps_bits = (uint64_t)wire_bytes * 8 * WEIR_PS_PER_S; /* < 2^57 */
    WEIR_ASSERT(rate_bps > 0);
    bool room = host_heap_room(h, &h->paced, h->paced.count + 1);
    WEIR_ASSERT(room); /* 16 bytes per paced connection: where they are missing the run cannot go on */
    f->flags |= HOST_PACED;
    uint64_t at_ps = now_ps + ps_bits / rate_bps + (ps_bits % rate_bps != 0);
    h->next_ps = weir_min_u64(h->next_ps, at_ps);
    weir_heap_push(&h->paced, at_ps, index);
}
