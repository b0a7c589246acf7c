/* src/algorithms/host/stream/track.c - a table from a message's handle to its connection and its weight, for worlds
 * that read the progress of messages or change weights. It is indexed by handle, so handles should be small numbers.
 * There is no table without cfg->track, nor for protocols without acknowledgements. */
#include "host/common/table.h"
#include "host/stream/law.h"
#include "host/stream/ready.h"
#include "host/stream/track.h"

#define TRACK_WEIGHT_ONE (UINT64_C(1) << 20)

/* Decides whether there is a table: only with cfg->track and with acknowledgements. */
void host_track_init(struct weir_host *h)
{
    struct host_stream *s = host_stream_of(h);
    s->tracks.free = HOST_NONE;
    s->tracks.stride =
        h->cfg->track && (s->cc->needs & WEIR_NEED_NO_ACKS) == 0 ? (uint32_t)sizeof(struct host_track) : 0;
}

static struct host_track *track_at(const struct weir_host *h, uint32_t msg)
{
    WEIR_ASSERT(msg < host_stream_of(h)->tracks.count);
    return host_at(&host_stream_of(h)->tracks, HOST_BLOCK_SHIFT, msg);
}

/* Returns the record of message msg; NULL = there is no such message. */
static struct host_track *track_find(const struct weir_host *h, uint32_t msg)
{
    if (msg >= host_stream_of(h)->tracks.count)
        return NULL;
    struct host_track *t = track_at(h, msg);
    return t->slot == 0 ? NULL : t;
}

/* Searches all connections for the one that carries message msg. @return HOST_NONE = none does */
static uint32_t search(const struct weir_host *h, uint32_t msg)
{
    for (uint32_t i = 0; i < host_stream_of(h)->flows.count; i++) {
        const struct host_flow *f = host_flow_at(h, i);
        if (f->flags & HOST_BUSY && f->msg == msg)
            return i;
    }
    return HOST_NONE;
}

/* Returns the connection that carries message msg; HOST_NONE = none does. Without a table it searches
 * all connections. */
uint32_t host_track_connection(const struct weir_host *h, uint32_t msg)
{
    const struct host_track *t = track_find(h, msg);
    if (host_stream_of(h)->tracks.stride == 0)
        return search(h, msg);
    WEIR_ASSERT(t == NULL || t->slot == HOST_TRACK_WAITS || t->slot <= host_stream_of(h)->flows.count);
    return t == NULL || t->slot == HOST_TRACK_WAITS ? HOST_NONE : t->slot - 1;
}

/* Makes records for all handles up to msg, if there are none yet. @return false = no memory */
bool host_track_room(struct weir_host *h, uint32_t msg)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t last;
    while (s->tracks.count <= msg) { /* new records are zeroed: slot 0 */
        if (host_table_add(h, &s->tracks, HOST_BLOCK_SHIFT, &last) == NULL)
            return false;
    }
    return true;
}

/* Starts the record of a message that waits for a connection. */
void host_track_wait(struct weir_host *h, uint32_t msg)
{
    *track_at(h, msg) = (struct host_track){ .weight_q20 = TRACK_WEIGHT_ONE, .slot = HOST_TRACK_WAITS };
}

/* Sets the priority of a message, see weir_host_priority(). From the first such call on, the choice of the next packet
 * takes the general path. */
int host_track_set_priority(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint32_t priority)
{
    struct host_track *t = track_find(h, msg);
    if (host_stream_of(h)->tracks.stride == 0)
        return 0;
    if (t == NULL)
        return WEIR_E_UNKNOWN;
    if (priority == 0 && !host_stream_of(h)->urgent)
        return 0;
    WEIR_ASSERT(t->slot == HOST_TRACK_WAITS || host_flow_at(h, t->slot - 1)->dst == dst);
    host_stream_of(h)->urgent = true;
    h->hold |= HOST_HOLD_BY_CLASS;
    h->extended |= HOST_EXTENDED_DATA;
    t->priority = (uint8_t)priority;
    if (t->slot == HOST_TRACK_WAITS)
        host_peer_requeue(h, dst, msg, priority);
    else
        host_flow_reorder(h, now_ps, t->slot - 1);
    return 0;
}

static void notify(struct weir_host *h, struct host_flow *f, const struct weir_notice *notice)
{
    const struct weir_cc_ops *law = host_stream_of(h)->cc;
    if ((law->needs & WEIR_NEED_WEIGHTS) && law->on_notice != NULL)
        host_law_notify(h, f, notice);
}

static struct weir_notice weight_notice(uint64_t now_ps, uint64_t weight_q20)
{
    return (struct weir_notice){ .now_ps = now_ps, .value = weight_q20, .kind = WEIR_NOTICE_WEIGHT };
}

/* Records the connection of message f->msg, and notifies the law of the message's weight. Without that the law could
 * still use the weight of the connection's last message. The caller then calls host_flow_update(). */
void host_track_begin(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    struct host_track *t = track_at(h, f->msg);
    if (t->slot != HOST_TRACK_WAITS)
        *t = (struct host_track){ .weight_q20 = TRACK_WEIGHT_ONE, .slot = t->slot };
    WEIR_ASSERT(t->slot == 0 || t->slot == HOST_TRACK_WAITS); /* the handle was free */
    t->slot = index + 1;
    struct weir_notice notice = weight_notice(now_ps, t->weight_q20);
    notify(h, f, &notice);
}

/* Tests whether message msg waits for a connection. */
bool host_track_waits(const struct weir_host *h, uint32_t msg)
{
    const struct host_track *t = track_find(h, msg);
    return t != NULL && t->slot == HOST_TRACK_WAITS;
}

/* Lets a message that waits for a connection begin with one packet. @return false = it does not wait */
bool host_track_try(struct weir_host *h, uint32_t msg)
{
    if (!host_track_waits(h, msg))
        return false;
    track_at(h, msg)->tries = true;
    return true;
}

/* Tests whether message msg, which has begun, was to begin with one packet. */
bool host_track_tries(const struct weir_host *h, uint32_t msg)
{
    return track_at(h, msg)->tries;
}

/* Ends the record of a message; its handle is free. */
void host_track_end(struct weir_host *h, uint32_t msg)
{
    WEIR_ASSERT(track_at(h, msg)->slot != 0);
    track_at(h, msg)->slot = 0;
}

/* Returns the weight of message msg, Q20; 1.0 if no table has one. */
uint64_t host_track_weight_q20(const struct weir_host *h, uint32_t msg)
{
    const struct host_track *t = track_find(h, msg);
    return t == NULL ? TRACK_WEIGHT_ONE : t->weight_q20;
}

/* Returns the weight that DATA of message msg carries: rounded, 1 .. 255. */
uint8_t host_track_weight(const struct weir_host *h, uint32_t msg)
{
    uint64_t weight_q20 = host_track_weight_q20(h, msg);
    return (uint8_t)weir_clamp_u32((weight_q20 >> 20) + (weight_q20 >> 19 & 1), 1, UINT8_MAX);
}

/* Notifies the law of a message's connection, and updates the ready ring. Does nothing if the message waits for a
 * connection. @return 0 */
static int notify_law_of(struct weir_host *h, const struct host_track *t, const struct weir_notice *notice)
{
    if (t->slot == HOST_TRACK_WAITS)
        return 0;
    struct host_flow *f = host_flow_at(h, t->slot - 1);
    notify(h, f, notice);
    host_flow_update(h, notice->now_ps, t->slot - 1, f);
    return 0;
}

/* Sets the weight of a message, see weir_host_weight(). */
int host_track_set_weight(struct weir_host *h, uint64_t now_ps, uint32_t msg, uint64_t weight_q20)
{
    if (host_stream_of(h)->tracks.stride == 0)
        return 0;
    struct host_track *t = track_find(h, msg);
    if (t == NULL)
        return WEIR_E_UNKNOWN;
    t->weight_q20 = weight_q20;
    struct weir_notice notice = weight_notice(now_ps, weight_q20);
    return notify_law_of(h, t, &notice);
}

/* Sets the initial rate of a message, see weir_host_rate(). */
int host_track_set_rate(struct weir_host *h, uint64_t now_ps, uint32_t msg, const struct weir_allotment *allotment)
{
    struct weir_notice notice = { .now_ps = now_ps, .allotment = allotment, .kind = WEIR_NOTICE_RATE };
    if (host_stream_of(h)->tracks.stride == 0)
        return 0;
    const struct host_track *t = track_find(h, msg);
    return t == NULL ? WEIR_E_UNKNOWN : notify_law_of(h, t, &notice);
}

/* Writes the progress of message msg to *out, see weir_host_flow(). *out must be zeroed before. @return false = no such
 * message, or it waits for a connection: *out is unchanged */
bool host_track_flow(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out)
{
    const struct host_track *t = track_find(h, msg);
    if (t == NULL || t->slot == HOST_TRACK_WAITS)
        return false;
    struct host_flow *f = host_flow_at(h, t->slot - 1);
    out->sent_bytes = host_seq_of(h, f, f->next) - f->msg_seq;
    out->acked_bytes = host_seq_of(h, f, f->una) - f->msg_seq;
    out->rate_bps = host_cc(h, f)->rate_bps;
    out->cwnd_bytes = host_cc(h, f)->cwnd_bytes;
    return true;
}
