/* src/host/stream/pace.c - what waits for a time: paced connections, and the timers of connections and of delayed ACKs. */
#include "host/stream/rto.h"

/* Where a law with a timer has its armed instant: behind its state. WEIR_NEVER = no entry in the heap. */
static inline uint64_t *law_armed(const struct weir_host *h, struct host_flow *f)
{
    return (uint64_t *)((unsigned char *)f + host_stream_of(h)->armed_offset);
}

/* Where the instant is kept that the entry `id` of the timer heap must agree with; NULL = it always counts. */
static const uint64_t *armed_of(const struct weir_host *h, uint64_t id)
{
    uint32_t index = HOST_TIMER_INDEX(id);
    if (HOST_TIMER_KIND(id) == HOST_TIMER_LAW)
        return law_armed(h, host_flow_at(h, index));
    if (HOST_TIMER_KIND(id) != HOST_TIMER_NOTICE)
        return NULL;
    return index == HOST_NONE ? &host_stream_of(h)->rx_law_armed_ps : &host_rx_state_at(h, index)->armed_ps;
}

/* Room for every entry the timer heap may hold, so that none is refused later. These are an RTO per sending connection, a delayed
 * ACK per receiving one, and two for each half of a law, as one may be superseded. @return false = no memory */
bool host_time_room(struct weir_host *h)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t need = s->flows.count * (s->armed_offset != 0 ? 3 : 1);
    if (h->cfg->params.ack_every > 1)
        need += s->rxs.count;
    if (s->rx_states.stride != 0)
        need += 2 * s->rxs.count;
    if (s->rx_law != NULL)
        need += 2;
    return host_timers_room(h, need);
}

/* Only the entry that agrees with armed_of() counts; the others were superseded by an earlier one. */
static bool counts(void *ctx, const struct weir_heap_entry *e)
{
    struct weir_host *h = ctx;
    const uint64_t *armed = armed_of(h, e->id);
    if (armed != NULL && *armed != e->at_ps)
        return false;
    host_stream_of(h)->law_entries += armed != NULL;
    return true;
}

struct of_host { /* the receiving connections from a host */
    struct weir_host *h;
    uint32_t src;
};

/* Entries for delayed ACKs and for laws' receiver halves of those go. */
static bool is_of_others(void *ctx, const struct weir_heap_entry *e)
{
    const struct of_host *of = ctx;
    uint32_t kind = HOST_TIMER_KIND(e->id), index = HOST_TIMER_INDEX(e->id);
    if ((kind != HOST_TIMER_ACK && kind != HOST_TIMER_NOTICE) || index == HOST_NONE)
        return true;
    if (host_rx_at(of->h, index)->src != of->src)
        return true;
    host_stream_of(of->h)->law_entries -= kind == HOST_TIMER_NOTICE;
    return false;
}

void host_rx_timers_drop(struct weir_host *h, uint32_t src)
{
    weir_timers_keep(&h->timers, is_of_others, &(struct of_host){ h, src });
}

static void drop_superseded(struct weir_host *h)
{
    host_stream_of(h)->law_entries = 0;
    weir_timers_keep(&h->timers, counts, h);
}

/* Moves a law's entry forward where it asks for an earlier instant than *armed. */
static void law_arm(struct weir_host *h, uint64_t *armed, uint64_t at_ps, uint32_t index, enum host_timer kind)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t laws = s->rx_states.count + (s->armed_offset != 0 ? s->flows.count : 0) + (s->rx_law != NULL);
    if (at_ps >= *armed)
        return;          /* none wanted, or the entry there is comes first and will be put back */
    *armed = WEIR_NEVER; /* what is in the heap for this connection, if anything, is superseded */
    if (s->law_entries >= 2 * laws)
        drop_superseded(h); /* at least half of them: each is paid for by the push that superseded it */
    *armed = at_ps;
    s->law_entries++;
    host_timer_push(h, at_ps, index, kind);
}

/* Of a law with a timer. */
void host_law_arm_timer(struct weir_host *h, uint32_t index, struct host_flow *f)
{
    law_arm(h, law_armed(h, f), host_cc(h, f)->timer_ps, index, HOST_TIMER_LAW);
}

/* Of a law whose receiver half wants to be asked. index: of the receiving connection; HOST_NONE = the half is the host's */
void host_rx_state_arm(struct weir_host *h, uint32_t index, uint64_t *armed_ps, uint64_t at_ps)
{
    law_arm(h, armed_ps, at_ps, index, HOST_TIMER_NOTICE);
}

static void law_due(struct weir_host *h, uint64_t now_ps, uint64_t at_ps, uint32_t index)
{
    struct host_stream *s = host_stream_of(h);
    struct host_flow *f = host_flow_at(h, index);
    s->law_entries--;
    if (*law_armed(h, f) != at_ps)
        return;
    *law_armed(h, f) = WEIR_NEVER;
    if (host_cc(h, f)->timer_ps <= now_ps) {
        host_cc(h, f)->timer_ps = WEIR_NEVER;
        s->cc->on_timer(host_cc(h, f), h->cfg->cc_config, now_ps);
    }
    host_law_changed(h, now_ps, index, f);
    host_flow_update(h, index, f);
}

static inline struct host_pacer *pacer_at(const struct weir_host *h, uint32_t index)
{
    return host_at(&host_stream_of(h)->pacers, HOST_BLOCK_SHIFT, index);
}

/* A paced packet may leave long after the ACK that restarted the timer. While nothing is in flight, nothing can be late; a packet that
 * is alone in flight is late an RTO after it left (RFC 6298, section 5.1). */
static void rto_put_off(const struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    const struct host_stream *s = host_stream_of(h);
    if (s->per_peer || index >= s->pacers.count || f->una == f->end || host_flow_aborts(f))
        return;
    if (f->inflight_bytes == 0)
        f->since_ps = now_ps;
    else if (f->inflight_bytes <= h->mss_bytes)
        f->since_ps = weir_max_u64(f->since_ps, pacer_at(h, index)->since_ps);
}

static void rto_due(struct weir_host *h, uint64_t now_ps, uint32_t index)
{
    struct host_flow *f = host_flow_at(h, index);
    f->flags &= (uint8_t)~HOST_TIMED;
    if (f->since_ps == WEIR_NEVER)
        return;
    rto_put_off(h, now_ps, index, f);
    if (host_rto_deadline_ps(h, f) <= now_ps)
        host_rto_expire(h, now_ps, index, f);
    f->flags |= HOST_TIMED;
    uint64_t at_ps = weir_min_u64(host_rto_deadline_ps(h, f), now_ps + h->cfg->params.rto_min_ps);
    host_timer_push(h, at_ps, index, HOST_TIMER_RTO);
}

/* Entries of the pace heap that were superseded by an earlier one go. */
static void drop_superseded_paces(struct weir_host *h)
{
    struct host_stream *s = host_stream_of(h);
    struct weir_heap old = s->paced;
    s->paced.count = 0;
    for (uint32_t i = 0; i < old.count; i++) {
        struct weir_heap_entry e = old.entry[i]; /* read before it is overwritten: count never passes i */
        if (pacer_at(h, (uint32_t)e.id)->armed_ps == e.at_ps)
            weir_heap_push(&s->paced, e.at_ps, e.id);
    }
}

/* The connection must be looked at when its packet's time has come; an entry that comes before will be put back. */
static void pace_arm(struct weir_host *h, uint32_t index, struct host_pacer *p)
{
    struct host_stream *s = host_stream_of(h);
    if (p->next_ps >= p->armed_ps)
        return;
    p->armed_ps = WEIR_NEVER;
    if (s->paced.count >= 2 * s->pacers.count)
        drop_superseded_paces(h);
    p->armed_ps = p->next_ps;
    bool room = host_heap_room(h, &s->paced, s->paced.count + 1);
    WEIR_ASSERT(room); /* 32 bytes per paced connection: where they are missing the run cannot go on */
    h->next_ps = weir_min_u64(h->next_ps, p->next_ps);
    weir_heap_push(&s->paced, p->next_ps, index);
}

static void pace_due(struct weir_host *h, uint64_t now_ps, uint64_t at_ps, uint32_t index)
{
    struct host_flow *f = host_flow_at(h, index);
    struct host_pacer *p = pacer_at(h, index);
    if (p->armed_ps != at_ps)
        return; /* superseded */
    p->armed_ps = WEIR_NEVER;
    if (!(f->flags & HOST_PACED))
        return; /* a faster rate let it go before */
    if (p->next_ps > now_ps) {
        pace_arm(h, index, p);
        return;
    }
    f->flags &= (uint8_t)~HOST_PACED;
    host_flow_update(h, index, f);
}

/* Runs everything that is due by now_ps. */
void host_time_run(struct weir_host *h, uint64_t now_ps)
{
    struct host_stream *s = host_stream_of(h);
    while (h->timers.next_ps <= now_ps) {
        struct weir_heap_entry e = weir_timers_take(&h->timers);
        uint32_t index = HOST_TIMER_INDEX(e.id);
        if (HOST_TIMER_KIND(e.id) == HOST_TIMER_RTO)
            rto_due(h, now_ps, index);
        else if (HOST_TIMER_KIND(e.id) == HOST_TIMER_LAW)
            law_due(h, now_ps, e.at_ps, index);
        else if (HOST_TIMER_KIND(e.id) == HOST_TIMER_ACK)
            host_rx_ack_due(h, now_ps, index);
        else
            host_rx_state_due(h, now_ps, e.at_ps, index);
    }
    while (s->paced.count > 0 && s->paced.entry[0].at_ps <= now_ps) {
        struct weir_heap_entry e = s->paced.entry[0];
        weir_heap_pop(&s->paced);
        pace_due(h, now_ps, e.at_ps, (uint32_t)e.id);
    }
    h->next_ps = h->timers.next_ps;
    if (s->paced.count > 0)
        h->next_ps = weir_min_u64(h->next_ps, s->paced.entry[0].at_ps);
}

/* How long a packet lasts at a rate, rounded up so that the rate is never exceeded. wire_bytes counts, so a law that
 * answers the link's rate gets the whole link. */
static uint64_t pace_ps(uint32_t wire_bytes, uint64_t rate_bps)
{
    uint64_t ps_bits = (uint64_t)wire_bytes * 8 * WEIR_PS_PER_S; /* < 2^57 */
    WEIR_ASSERT(rate_bps > 0);
    return rate_bps == WEIR_RATE_OPEN ? 0 : ps_bits / rate_bps + (ps_bits % rate_bps != 0);
}

/* The pacer of a connection that has none yet. */
static HOST_COLD void pacer_open(struct weir_host *h, uint32_t index)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t last;
    while (s->pacers.count <= index) {
        struct host_pacer *p = host_table_add(h, &s->pacers, HOST_BLOCK_SHIFT, &last);
        WEIR_ASSERT(p != NULL); /* as in pace_arm() */
        *p = (struct host_pacer){ .rate_bps = WEIR_RATE_OPEN, .armed_ps = WEIR_NEVER };
    }
    s->timed_law = true;
}

static inline void pacer_wait(struct weir_host *h, uint32_t index, struct host_flow *f, struct host_pacer *p)
{
    p->next_ps = weir_max_u64(p->since_ps + pace_ps(p->wire_bytes, p->rate_bps), p->hold_ps);
    f->flags |= HOST_PACED;
    pace_arm(h, index, p);
}

/* A packet left at the law's rate: the next one waits for as long as this one lasts. */
void host_pace(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f, uint32_t wire_bytes)
{
    index = host_law_index(h, index, f);
    f = host_law_flow(h, f);
    if (WEIR_UNLIKELY(host_stream_of(h)->pacers.count <= index))
        pacer_open(h, index);
    struct host_pacer *p = pacer_at(h, index);
    p->since_ps = now_ps;
    p->wire_bytes = wire_bytes;
    p->rate_bps = host_cc(h, f)->rate_bps;
    pacer_wait(h, index, f, p);
}

/* Nothing leaves for host.overhead from at_ps on, or as long as it is held already. */
static HOST_COLD void overhead_hold(struct weir_host *h, uint32_t index, struct host_flow *f, uint64_t at_ps)
{
    index = host_law_index(h, index, f);
    f = host_law_flow(h, f);
    if (host_stream_of(h)->pacers.count <= index)
        pacer_open(h, index);
    struct host_pacer *p = pacer_at(h, index);
    p->hold_ps = weir_max_u64(p->hold_ps, at_ps + h->cfg->params.overhead_ps);
    pacer_wait(h, index, f, p);
}

/* A message begins. Where messages to a destination go in turn, one behind others waits until the last of them has left. */
HOST_COLD void host_overhead_begin(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    if (!host_stream_of(h)->per_peer || !host_shared_waits(h, f))
        overhead_hold(h, index, f, now_ps);
}

/* The last packet of a message leaves, of those that go in turn: the next one's overhead begins at its end. */
HOST_COLD void host_overhead_sent(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f,
                                  uint32_t wire_bytes)
{
    overhead_hold(h, index, f, now_ps + pace_ps(wire_bytes, h->cfg->path.rate_bps));
}

/* The law spoke: if its rate changed, the packet that left last counts at the new one, so the next one's time moves by
 * size / new - size / old. Source: HPCC's public simulator. A time that had come already may lie in the future again. */
static void pace_again(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    struct host_pacer *p = pacer_at(h, index);
    if (p->rate_bps == host_cc(h, f)->rate_bps)
        return;
    p->rate_bps = host_cc(h, f)->rate_bps;
    if (weir_max_u64(p->since_ps + pace_ps(p->wire_bytes, p->rate_bps), p->hold_ps) > now_ps)
        pacer_wait(h, index, f, p);
    else
        f->flags &= (uint8_t)~HOST_PACED;
}

/* See host_law_changed(). */
void host_law_times(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    struct host_stream *s = host_stream_of(h);
    index = host_law_index(h, index, f);
    f = host_law_flow(h, f);
    if (s->armed_offset != 0)
        host_law_arm_timer(h, index, f);
    if (index < s->pacers.count)
        pace_again(h, now_ps, index, f);
}
