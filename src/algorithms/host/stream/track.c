/* src/algorithms/host/stream/track.c - from a message's handle to its connection and its weight, for worlds that ask or
 * change weights while it is under way. A dense table, so handles should be small numbers; there is none unless
 * cfg->track asks for it, nor for protocols without acknowledgements. */
#include "host/common/table.h"
#include "host/stream/law.h"
#include "host/stream/ready.h"
#include "host/stream/track.h"

struct host_track {      /* of one handle */
    uint64_t weight_q20; /* of the message */
    uint32_t slot;       /* connection + 1; TRACK_WAITS = has none yet; 0 = no such message */
};
#define TRACK_WAITS UINT32_MAX
#define TRACK_WEIGHT_ONE (UINT64_C(1) << 20)

/* Decides whether there is a table: where cfg->track asks for it and there are acknowledgements. */
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

/* Finds the record of a message under way. @return NULL = there is none */
static struct host_track *track_find(const struct weir_host *h, uint32_t msg)
{
    if (msg >= host_stream_of(h)->tracks.count)
        return NULL;
    struct host_track *t = track_at(h, msg);
    return t->slot == 0 ? NULL : t;
}

/* Makes sure that a handle has a record. @return false = no memory */
bool host_track_room(struct weir_host *h, uint32_t msg)
{
    struct host_stream *s = host_stream_of(h);
    uint32_t last;
    while (s->tracks.count <= msg) { /* host_grow() zeroes */
        if (host_table_add(h, &s->tracks, HOST_BLOCK_SHIFT, &last) == NULL)
            return false;
    }
    return true;
}

/* Begins the record of a message that waits for a connection. */
void host_track_wait(struct weir_host *h, uint32_t msg)
{
    *track_at(h, msg) = (struct host_track){ .weight_q20 = TRACK_WEIGHT_ONE, .slot = TRACK_WAITS };
}

static void notify(struct weir_host *h, struct host_flow *f, const struct weir_notice *notice)
{
    struct host_stream *s = host_stream_of(h);
    if (!(s->cc->needs & WEIR_NEED_WEIGHTS) || s->cc->on_notice == NULL)
        return;
    s->cc->on_notice(host_cc(h, f), h->cfg->cc_config, notice);
}

static struct weir_notice weight_notice(uint64_t now_ps, uint64_t weight_q20)
{
    return (struct weir_notice){ .now_ps = now_ps, .value = weight_q20, .kind = WEIR_NOTICE_WEIGHT };
}

/* Gives f->msg its connection; the law may still hold the weight of the message before. The caller then calls
 * host_flow_update(). */
void host_track_begin(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    struct host_track *t = track_at(h, f->msg);
    if (t->slot != TRACK_WAITS)
        t->weight_q20 = TRACK_WEIGHT_ONE;
    WEIR_ASSERT(t->slot == 0 || t->slot == TRACK_WAITS); /* the handle was free */
    t->slot = index + 1;
    struct weir_notice notice = weight_notice(now_ps, t->weight_q20);
    notify(h, f, &notice);
}

/* Ends the record of a message. */
void host_track_end(struct weir_host *h, uint32_t msg)
{
    WEIR_ASSERT(track_at(h, msg)->slot != 0);
    track_at(h, msg)->slot = 0;
}

/* Returns the weight of its message that a DATA packet carries, rounded, 1 .. 255. */
uint8_t host_track_weight(const struct weir_host *h, uint32_t msg)
{
    const struct host_track *t = track_find(h, msg);
    uint64_t weight_q20 = t == NULL ? TRACK_WEIGHT_ONE : t->weight_q20;
    return (uint8_t)weir_clamp_u32((weight_q20 >> 20) + (weight_q20 >> 19 & 1), 1, UINT8_MAX);
}

/* Notifies the law of a message's connection. One that waits for a connection has no law to notify yet. */
static int notify_law_of(struct weir_host *h, const struct host_track *t, const struct weir_notice *notice)
{
    if (t->slot == TRACK_WAITS)
        return 0;
    struct host_flow *f = host_flow_at(h, t->slot - 1);
    notify(h, f, notice);
    host_flow_update(h, notice->now_ps, t->slot - 1, f);
    return 0;
}

/* Sets a weight, see weir_host_weight(). */
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

/* Sets the rate that a message begins with, see weir_host_rate(). */
int host_track_set_rate(struct weir_host *h, uint64_t now_ps, uint32_t msg, const struct weir_allotment *allotment)
{
    struct weir_notice notice = { .now_ps = now_ps, .allotment = allotment, .kind = WEIR_NOTICE_RATE };
    if (host_stream_of(h)->tracks.stride == 0)
        return 0;
    const struct host_track *t = track_find(h, msg);
    return t == NULL ? WEIR_E_UNKNOWN : notify_law_of(h, t, &notice);
}

/* Reports a message as its law has it; *out is zeros before, and if it waits for a connection or there is none. */
bool host_track_flow(const struct weir_host *h, uint32_t msg, struct weir_host_flow *out)
{
    const struct host_track *t = track_find(h, msg);
    if (t == NULL || t->slot == TRACK_WAITS)
        return false;
    struct host_flow *f = host_flow_at(h, t->slot - 1);
    out->sent_bytes = host_seq_of(h, f, f->next) - f->msg_seq;
    out->acked_bytes = host_seq_of(h, f, f->una) - f->msg_seq;
    out->rate_bps = host_cc(h, f)->rate_bps;
    out->cwnd_bytes = host_cc(h, f)->cwnd_bytes;
    return true;
}
