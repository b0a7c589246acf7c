/* src/algorithms/host/stream/notes.c - see notes.h. Of a period all calls of the law are noted, with its answers. A
 * law's state may have clocks of its own, as the window of observation of DCTCP has, and is no part of the host's state
 * that is compared. Instead the same calls are made again, once for each period. As long as the law answers the same,
 * the hosts do the same. Of its window that means: it admits the same packets. So windows may grow where something else
 * limits the sender. */
#include "host/common/table.h"
#include "host/stream/notes.h"
#include <string.h>

#define NOTES_MAX (1u << 20) /* most calls of one host in a period */

/* Tests whether an ACK leaves a paced connection with one packet in flight at most. From when its timer counts then
 * depends on when the timer's entry is looked at (timeout.c), and that is no part of the state. */
static bool leaves_one_packet(const struct weir_host *h, uint32_t index, const struct weir_ack *ack)
{
    return index < host_stream_of(h)->pacers.count && ack->inflight_bytes <= h->mss_bytes;
}

/* Returns the windows that admit the same packets as cwnd_bytes does between two calls of the law. Meanwhile bytes in
 * flight grow from from_bytes to to_bytes, by full packets. The window is asked at each step. Those packets were
 * admitted, and one more may be or not. With nothing in flight the window is not asked. */
static struct host_windows windows_like(const struct weir_host *h, uint32_t cwnd_bytes, uint32_t from_bytes,
                                        uint32_t to_bytes)
{
    struct host_windows w = { 0, UINT32_MAX };
    uint32_t next_bytes = to_bytes + h->mss_bytes;
    WEIR_ASSERT(to_bytes >= from_bytes);
    if (to_bytes > from_bytes && to_bytes > h->mss_bytes)
        w.least_bytes = to_bytes;
    if (to_bytes > 0 && next_bytes <= cwnd_bytes)
        w.least_bytes = next_bytes;
    else if (to_bytes > 0)
        w.most_bytes = next_bytes - 1;
    return w;
}

/* Ends the time since the last call for connection `index`, or since the beginning of the period, with to_bytes in
 * flight. */
static void notes_pass(struct host_notes *notes, uint32_t index, uint32_t to_bytes)
{
    struct host_noted_flow *flow = &notes->flow[index];
    struct host_noted *last;
    WEIR_ASSERT(index < notes->flow_count);
    if (flow->last == HOST_NONE) {
        flow->window = windows_like(notes->h, flow->cwnd_bytes, flow->inflight_bytes, to_bytes);
        return;
    }
    last = host_ring_at(&notes->call, flow->last, sizeof(*last));
    last->window = windows_like(notes->h, last->cwnd_bytes, last->ack.inflight_bytes, to_bytes);
}

void host_notes_ack(struct host_notes *notes, struct host_flow *f, const struct weir_ack *ack)
{
    struct weir_host *h = notes->h;
    const struct weir_cc *cc = host_cc(h, f);
    struct host_ring *call = &notes->call;
    uint32_t index = 0, at = call->count;
    struct host_noted *noted;
    WEIR_ASSERT(notes->h != NULL && call->head == 0);
    if (notes->other)
        return;
    while (index < notes->flow_count && host_flow_at(h, index) != f)
        index++;
    if (index == notes->flow_count || ack->hop != NULL || leaves_one_packet(h, index, ack) ||
        !host_ring_room(h, call, sizeof(*noted), at + 1, NOTES_MAX)) {
        notes->other = true;
        return;
    }
    notes_pass(notes, index, ack->inflight_bytes + ack->acked_bytes);
    call->count++;
    noted = host_ring_at(call, at, sizeof(*noted));
    *noted = (struct host_noted){
        .ack = *ack, .rate_bps = cc->rate_bps, .timer_ps = cc->timer_ps, .cwnd_bytes = cc->cwnd_bytes, .next = HOST_NONE
    };
    if (notes->flow[index].first == HOST_NONE)
        notes->flow[index].first = at;
    else
        ((struct host_noted *)host_ring_at(call, notes->flow[index].last, sizeof(*noted)))->next = at;
    notes->flow[index].last = at;
    notes->flow[index].bytes += ack->acked_bytes;
}

/* Makes the notes of a host, or empties them. @return false = no memory */
static bool notes_open(struct weir_host *h)
{
    struct host_stream *s = host_stream_of(h);
    struct host_notes *notes = s->notes;
    WEIR_ASSERT((h->extended & HOST_EXTENDED_NOTED) == 0);
    if (notes == NULL) {
        s->notes = notes = host_grow(h, sizeof(*notes));
        if (notes == NULL)
            return false;
        notes->h = h;
    }
    notes->call.head = notes->call.count = 0;
    notes->other = false;
    notes->flow_count = 0;
    if (s->flows.count > notes->flow_room) {
        uint32_t room = 2 * s->flows.count;
        struct host_noted_flow *larger =
            host_widen(h, notes->flow, notes->flow_room * sizeof(*larger), 0, room * sizeof(*larger));
        if (larger == NULL)
            return false;
        notes->flow = larger;
        notes->flow_room = room;
    }
    notes->flow_count = s->flows.count;
    for (uint32_t i = 0; i < notes->flow_count; i++) {
        struct host_flow *f = host_flow_at(h, i);
        notes->flow[i] = (struct host_noted_flow){ .first = HOST_NONE,
                                                   .last = HOST_NONE,
                                                   .cwnd_bytes = host_cc(h, f)->cwnd_bytes,
                                                   .inflight_bytes = f->inflight_bytes };
    }
    return true;
}

bool host_stream_note(struct weir_host *h, bool on)
{
    struct host_notes *notes = host_stream_of(h)->notes;
    h->extended &= (uint8_t)~HOST_EXTENDED_NOTED;
    if (!on) {
        for (uint32_t i = 0; notes != NULL && !notes->other && i < notes->flow_count; i++)
            notes_pass(notes, i, host_flow_at(h, i)->inflight_bytes);
        return true;
    }
    if (!notes_open(h))
        return false;
    h->extended |= HOST_EXTENDED_NOTED;
    return true;
}

/* Tests whether a window admits what those noted did. */
static bool is_window(const struct weir_cc *cc, const struct host_windows *w)
{
    return cc->cwnd_bytes >= w->least_bytes && cc->cwnd_bytes <= w->most_bytes;
}

/* Tests whether a law has answered as it did by_ps before. */
static bool is_answer(const struct weir_cc *cc, const struct host_noted *noted, uint64_t by_ps)
{
    return is_window(cc, &noted->window) && cc->rate_bps == noted->rate_bps &&
           cc->timer_ps == (noted->timer_ps == WEIR_NEVER ? WEIR_NEVER : noted->timer_ps + by_ps);
}

/* Makes the calls of a connection's law once more, n periods later. @return false = its answers are others */
static bool replay_once(const struct weir_host *h, struct weir_cc *cc, const struct host_noted_flow *flow, uint64_t n,
                        uint64_t period_ps)
{
    const struct host_stream *s = host_stream_of(h);
    WEIR_CHECK(flow->first < s->notes->call.count);
    if (!is_window(cc, &flow->window))
        return false;
    for (uint32_t i = flow->first; i != HOST_NONE;) {
        const struct host_noted *noted = host_ring_at(&s->notes->call, i, sizeof(*noted));
        struct weir_ack ack = noted->ack;
        ack.now_ps += n * period_ps;
        ack.acked_seq += n * flow->bytes;
        ack.next_seq += n * flow->bytes;
        s->cc->on_ack(cc, h->cfg->cc_config, &ack);
        if (!is_answer(cc, noted, n * period_ps))
            return false;
        i = noted->next;
    }
    return true;
}

uint64_t host_stream_replay(struct weir_host *h, uint64_t first, uint64_t last, uint64_t period_ps, bool for_good)
{
    const struct host_stream *s = host_stream_of(h);
    _Alignas(64) unsigned char copy[HOST_LAW_COPY];
    WEIR_ASSERT(s->cc->state_bytes <= sizeof(copy));
    if (s->notes == NULL || s->notes->other || s->notes->flow_count != s->flows.count)
        return first - 1;
    for (uint32_t i = 0; i < s->notes->flow_count; i++) {
        const struct host_noted_flow *flow = &s->notes->flow[i];
        struct weir_cc *cc = host_cc(h, host_flow_at(h, i));
        if (flow->first == HOST_NONE)
            continue;
        if (!for_good) {
            memcpy(copy, cc, s->cc->state_bytes);
            cc = (struct weir_cc *)(void *)copy;
        }
        for (uint64_t n = first; n <= last; n++)
            if (!replay_once(h, cc, flow, n, period_ps)) {
                WEIR_ASSERT(!for_good);
                last = n - 1;
            }
    }
    return last;
}
