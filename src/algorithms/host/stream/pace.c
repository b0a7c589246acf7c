/* src/algorithms/host/stream/pace.c - timers of laws, and pacing. If a law asks for an earlier time than before, its
 * present timer entry is superseded, and is ignored later. The next packet of a connection waits for the transmission
 * time of the packet before at the law's rate, or for host.overhead. That time counts from when the packet before might
 * have left, not from when it left. So a connection that only waited for its NIC makes up for the wait, by one packet
 * at most. */
#include "host/common/table.h"
#include "host/stream/inbound.h"
#include "host/stream/pace.h"
#include "host/stream/timers.h"

/* Returns the flow record that holds the law's state of f. *index: number of f; set to the number of the returned
 * record */
static inline struct host_flow *law_record(const struct weir_host *h, uint32_t *index, struct host_flow *f)
{
    if (WEIR_UNLIKELY(host_stream_of(h)->per_peer && !f->shared))
        *index = host_member_of(f)->shared;
    return host_law_flow(h, f);
}

/* Returns the address of the armed time of timer entry `id`: an entry with another time is superseded. NULL = entries
 * of this kind are always valid. */
static const uint64_t *armed_of(const struct weir_host *h, uint64_t id)
{
    uint32_t index = HOST_TIMER_INDEX(id);
    if (HOST_TIMER_KIND(id) == HOST_TIMER_LAW)
        return host_law_armed(h, host_flow_at(h, index));
    if (HOST_TIMER_KIND(id) != HOST_TIMER_NOTICE)
        return NULL;
    return index == HOST_NONE ? &host_stream_of(h)->rx_law_armed_ps : &host_rx_state_at(h, index)->armed_ps;
}

/* Tests whether a timer entry is valid, not superseded. Counts a valid entry in law_entries if it is of a law. */
static bool counts(void *ctx, const struct weir_heap_entry *e)
{
    struct weir_host *h = ctx;
    const uint64_t *armed = armed_of(h, e->id);
    if (armed != NULL && *armed != e->at_ps)
        return false;
    host_stream_of(h)->law_entries += armed != NULL;
    return true;
}

static void drop_superseded(struct weir_host *h)
{
    host_stream_of(h)->law_entries = 0;
    weir_timers_keep(&h->timers, counts, h);
}

/* Arms a timer of the law for at_ps if that is earlier than *armed, and sets *armed. If at_ps is later, the present
 * entry runs first, and the law's time is then read again. WEIR_NEVER arms no timer. index, kind: of the entry */
void host_law_arm(struct weir_host *h, uint64_t *armed, uint64_t at_ps, uint32_t index, enum host_timer kind)
{
    struct host_stream *s = host_stream_of(h);
    if (WEIR_LIKELY(at_ps >= *armed)) /* first, so that compilers test it where they call */
        return;
    uint32_t laws = s->rx_states.count + (s->armed_offset != 0 ? s->flows.count : 0) + (s->rx_law != NULL);
    WEIR_ASSERT(kind == HOST_TIMER_LAW || kind == HOST_TIMER_NOTICE);
    WEIR_ASSERT(laws > 0);
    *armed = WEIR_NEVER; /* supersedes the entry in the heap, if there is one */
    if (s->law_entries >= 2 * laws)
        drop_superseded(h); /* at least half of the entries: the pushes that superseded them pay for the work */
    *armed = at_ps;
    s->law_entries++;
    host_timer_push(h, at_ps, index, kind);
}

/* Removes superseded entries from the pace heap. */
static void drop_superseded_paces(struct weir_host *h)
{
    struct host_stream *s = host_stream_of(h);
    struct weir_heap old = s->paced;
    s->paced.count = 0;
    for (uint32_t i = 0; i < old.count; i++) {
        struct weir_heap_entry e = old.entry[i]; /* read before it is overwritten: count never passes i */
        if (HOST_RECORD(struct host_pacer, &s->pacers, (uint32_t)e.id)->armed_ps == e.at_ps)
            weir_heap_push(&s->paced, e.at_ps, e.id);
    }
}

/* Adds an entry to the pace heap for p->next_ps, unless the heap has an entry for that time or an earlier one.
 * host_pace_due() then adds the entry for p->next_ps. */
void host_pace_arm(struct weir_host *h, uint32_t index, struct host_pacer *p)
{
    struct host_stream *s = host_stream_of(h);
    if (p->next_ps >= p->armed_ps)
        return;
    WEIR_ASSERT(index < s->pacers.count);
    p->armed_ps = WEIR_NEVER;
    if (s->paced.count >= 2 * s->pacers.count)
        drop_superseded_paces(h);
    p->armed_ps = p->next_ps;
    WEIR_ASSERT(s->paced.count <= 2 * s->pacers.count);
    bool room = host_heap_room(h, &s->paced, s->paced.count + 1);
    WEIR_ASSERT(room); /* 32 bytes per paced connection: without that memory the run cannot go on */
    h->next_ps = weir_min_u64(h->next_ps, p->next_ps);
    weir_heap_push(&s->paced, p->next_ps, index);
}

/* Returns the transmission time of a packet at a rate, rounded up so that the rate is never exceeded; 0 if the rate is
 * WEIR_RATE_OPEN. Wire bytes count, so a law that sets the link's rate gets the whole link. */
static uint64_t pace_ps(uint32_t wire_bytes, uint64_t rate_bps)
{
    uint64_t ps_bits = (uint64_t)wire_bytes * 8 * WEIR_PS_PER_S; /* < 2^57 */
    WEIR_ASSERT(rate_bps > 0);
    return rate_bps == WEIR_RATE_OPEN ? 0 : ps_bits / rate_bps + (ps_bits % rate_bps != 0);
}

/* Makes the pacer of flow record `index`, and those of all lower numbers that have none yet. */
static HOST_COLD void pacer_open(struct weir_host *h, uint32_t index)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t last;
    while (s->pacers.count <= index) {
        struct host_pacer *p = host_table_add(h, &s->pacers, HOST_BLOCK_SHIFT, &last);
        WEIR_ASSERT(p != NULL); /* as in host_pace_arm() */
        *p = (struct host_pacer){ .rate_bps = WEIR_RATE_OPEN, .armed_ps = WEIR_NEVER, .is_new = true };
    }
    s->timed_law = true;
}

/* Returns when rate and host.overhead admit the next packet. */
static inline uint64_t pacer_due_ps(const struct host_pacer *p)
{
    return weir_max_u64(p->from_ps + pace_ps(p->wire_bytes, p->rate_bps), p->hold_ps);
}

static inline void pacer_wait(struct weir_host *h, uint32_t index, struct host_flow *f, struct host_pacer *p)
{
    p->next_ps = pacer_due_ps(p);
    f->flags |= HOST_PACED;
    host_pace_arm(h, index, p);
}

/* Returns when the interval after a packet that leaves at now_ps begins: when pace, window and data admitted the
 * packet, but at most interval_ps before now_ps. Without that limit, a connection could send a burst after a long wait.
 * interval_ps: the packet's own time at the law's rate */
static uint64_t pace_from_ps(const struct host_pacer *p, uint64_t now_ps, uint64_t interval_ps)
{
    uint64_t admitted_ps = p->is_new ? now_ps : weir_max_u64(p->next_ps, p->open_ps);
    uint64_t least_ps = now_ps - weir_min_u64(interval_ps, now_ps);
    return weir_min_u64(weir_max_u64(admitted_ps, least_ps), now_ps);
}

/* Returns the rate at which a flow record with a law's state is paced. */
static inline uint64_t paced_bps(const struct weir_host *h, struct host_flow *f)
{
    return weir_max_u64(host_cc(h, f)->rate_bps, h->cfg->least_rate_bps);
}

/* Restarts the pacer after a packet of wire_bytes left. The next packet waits for the transmission time of that packet
 * at the law's rate. is_open: data and window admit the next packet */
void host_pace(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f, uint32_t wire_bytes,
               bool is_open)
{
    f = law_record(h, &index, f);
    if (WEIR_UNLIKELY(host_stream_of(h)->pacers.count <= index))
        pacer_open(h, index);
    struct host_pacer *p = HOST_RECORD(struct host_pacer, &host_stream_of(h)->pacers, index);
    WEIR_CHECK(now_ps >= p->since_ps);
    p->since_ps = now_ps;
    p->wire_bytes = wire_bytes;
    p->rate_bps = paced_bps(h, f);
    p->from_ps = pace_from_ps(p, now_ps, pace_ps(wire_bytes, p->rate_bps));
    p->open_ps = is_open ? now_ps : WEIR_NEVER;
    p->is_new = false;
    p->next_ps = pacer_due_ps(p);
    WEIR_CHECK(p->next_ps >= now_ps);
    if (WEIR_LIKELY(p->next_ps > now_ps)) /* else it has all of the credit, and stays ready */
        pacer_wait(h, index, f, p);
}

/* Notes whether data and window admit the next packet of flow record `index`, which has the law's state. Time before
 * they did is not made up for. */
void host_pace_open(struct weir_host *h, uint64_t now_ps, uint32_t index, bool is_open)
{
    struct host_pacer *p;
    if (WEIR_LIKELY(index >= host_stream_of(h)->pacers.count))
        return;
    p = HOST_RECORD(struct host_pacer, &host_stream_of(h)->pacers, index);
    WEIR_CHECK(p->open_ps == WEIR_NEVER || p->open_ps <= now_ps);
    p->open_ps = is_open ? weir_min_u64(p->open_ps, now_ps) : WEIR_NEVER;
}

/* Delays the next packet of a connection at least until at_ps + host.overhead. If the law is per_peer, this delays all
 * connections to the destination. */
HOST_COLD void host_overhead_hold(struct weir_host *h, uint32_t index, struct host_flow *f, uint64_t at_ps)
{
    WEIR_ASSERT(h->cfg->params.overhead_ps > 0);
    f = law_record(h, &index, f);
    if (host_stream_of(h)->pacers.count <= index)
        pacer_open(h, index);
    struct host_pacer *p = HOST_RECORD(struct host_pacer, &host_stream_of(h)->pacers, index);
    p->hold_ps = weir_max_u64(p->hold_ps, at_ps + h->cfg->params.overhead_ps);
    pacer_wait(h, index, f, p);
}

/* Delays the next message to the same destination after the last packet of a message was sent. The delay is
 * host.overhead from the end of that packet's transmission on. For laws that are per_peer: they send the messages to a
 * destination one after another. */
HOST_COLD void host_overhead_sent(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f,
                                  uint32_t wire_bytes)
{
    uint64_t rate_bps = h->cfg->links != NULL ? h->cfg->links[host_self(h)].up_bps : h->cfg->path.rate_bps;
    host_overhead_hold(h, index, f, now_ps + pace_ps(wire_bytes, rate_bps));
}

/* Applies a changed rate of the law to the time of the next packet. That time moves by size / new rate - size / old
 * rate, with the size of the latest packet. If the time has already come, a lower rate may move it into the future
 * again; a higher rate that lets a waiting packet go does so now, not earlier. Source: HPCC's public simulator. */
static void pace_again(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    struct host_pacer *p = HOST_RECORD(struct host_pacer, &host_stream_of(h)->pacers, index);
    uint64_t rate_bps = paced_bps(h, f);
    if (p->rate_bps == rate_bps)
        return;
    p->is_new |= p->rate_bps == WEIR_RATE_OPEN;
    p->rate_bps = rate_bps;
    if (pacer_due_ps(p) > now_ps) {
        pacer_wait(h, index, f, p);
        return;
    }
    p->next_ps = weir_min_u64(p->next_ps, now_ps);
    f->flags &= (uint8_t)~HOST_PACED;
}

/* Arms the law's timer, and applies the law's latest rate to the pacer; to be called after calls of the law. index, f:
 * a connection, or the flow record with the law's state */
void host_law_times(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    struct host_stream *s = host_stream_of(h);
    f = law_record(h, &index, f);
    if (s->armed_offset != 0)
        host_law_arm(h, host_law_armed(h, f), host_cc(h, f)->timer_ps, index, HOST_TIMER_LAW);
    if (index < s->pacers.count)
        pace_again(h, now_ps, index, f);
}
