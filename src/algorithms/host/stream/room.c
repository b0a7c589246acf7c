/* src/algorithms/host/stream/room.c - messages for which their receiver has no memory now. Their packets were dropped
 * for that, which is no sign of congestion: they are taken back without a call of the law. The message then waits
 * without a timer. The world decides when it tries again: one packet leaves, and the others once it is acknowledged.
 * Our own choice; no source. */
#include "host/stream/law.h"
#include "host/stream/ready.h"
#include "host/stream/room.h"
#include "host/stream/track.h"

/* Tests whether some of a connection's message has arrived, as far as ACKs report: then its receiver has memory for all
 * of it. */
static bool has_begun(const struct weir_host *h, const struct host_flow *f)
{
    const struct host_board *b = host_board_of(h, f);
    WEIR_ASSERT(f->flags & HOST_BUSY);
    return f->una != f->first || (b != NULL && host_before(f->una, b->high));
}

/* Takes back the packets in flight of a message that its receiver has refused, and lets the message wait.
 * @return false = no memory for a scoreboard: nothing was changed, and the retransmission timer finds the loss */
static bool refused(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    uint32_t lowest;
    struct host_board *b = host_board_open(h, f);
    WEIR_ASSERT(f->una == f->first);
    if (b == NULL || !host_board_room(h, f, b, f->next))
        return false;
    (void)host_board_lose(h, f, b, f->una, f->next, &lowest);
    WEIR_ASSERT(f->inflight_bytes == 0 && b->lost_pkts == f->next - f->una);
    b->scan = f->next;
    b->resent = false;
    b->waits = b->tries = true;
    f->flags &= (uint8_t)~HOST_REPAIR;
    f->since_ps = WEIR_NEVER;
    host_flow_update(h, now_ps, index, f);
    return true;
}

/* Holds message msg, see weir_host_hold(). */
int host_room_hold(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    uint32_t index = host_track_connection(h, msg);
    struct host_flow *f = index != HOST_NONE ? host_flow_at(h, index) : NULL;
    if (f != NULL && host_flow_aborts(f))
        return 0;
    if (f == NULL || f->next == f->una || has_begun(h, f) || host_stream_of(h)->newreno || host_stream_of(h)->go_back)
        return WEIR_E_UNKNOWN;
    return refused(h, now_ps, index, f) ? 0 : WEIR_E_MEMORY;
}

/* Tests whether some of message msg has arrived, see weir_host_begun(). */
bool host_room_begun(const struct weir_host *h, uint32_t msg)
{
    uint32_t index = host_track_connection(h, msg);
    return index != HOST_NONE && has_begun(h, host_flow_at(h, index));
}

/* Lets one packet of a connection's message leave, if nothing has arrived of it. Without memory for a scoreboard the
 * message begins as any other. */
void host_room_try(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    struct host_board *b;
    if (host_flow_aborts(f) || has_begun(h, f) || (b = host_board_open(h, f)) == NULL)
        return;
    WEIR_ASSERT(!b->waits || f->inflight_bytes == 0);
    WEIR_ASSERT(f->una == f->first);
    b->waits = false;
    b->tries = true;
    host_flow_update(h, now_ps, index, f);
}

/* Resumes message msg, see weir_host_resume(). */
int host_room_resume(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    uint32_t index = host_track_connection(h, msg);
    if (index == HOST_NONE)
        return host_track_waits(h, msg) ? 0 : WEIR_E_UNKNOWN;
    WEIR_ASSERT(host_flow_at(h, index)->msg == msg);
    if (host_room_waits(h, host_flow_at(h, index)))
        host_room_try(h, now_ps, index, host_flow_at(h, index));
    return 0;
}

/* Lets one packet of message msg leave, see weir_host_probe(). */
int host_room_probe(struct weir_host *h, uint64_t now_ps, uint32_t msg)
{
    uint32_t index = host_track_connection(h, msg);
    if (index == HOST_NONE)
        return host_track_try(h, msg) ? 0 : WEIR_E_UNKNOWN;
    WEIR_ASSERT(host_flow_at(h, index)->msg == msg);
    host_room_try(h, now_ps, index, host_flow_at(h, index));
    return 0;
}
