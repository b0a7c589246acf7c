/* src/algorithms/host/stream/room.c - messages for which their receiver has no memory now, which says so by a NOTICE.
 * Such packets are no sign of congestion: they are taken back without a call of the law. The message waits for the
 * NOTICE that there is room, or until the retransmission timer is due, whose time doubles with each refusal. Then one
 * packet tries, and the others follow once it is acknowledged. Our own choice; no source. */
#include "host/stream/law.h"
#include "host/stream/ready.h"
#include "host/stream/room.h"

/* Tests whether a NOTICE that there is no room concerns the present message of a connection. Once any of its packets
 * has arrived, its receiver has memory for all of it: the NOTICE is late. */
static bool concerns(const struct weir_host *h, const struct host_flow *f, const struct weir_pkt *pkt)
{
    const struct host_board *b = host_board_of(h, f);
    WEIR_ASSERT(pkt->kind == WEIR_PKT_NOTICE);
    bool present = f->flags & HOST_BUSY && !host_flow_aborts(f) && pkt->msg == f->msg && pkt->value >> 32 == f->first;
    return present && f->una == f->first && f->next != f->una && (b == NULL || (!b->waits && b->high == f->una));
}

/* Takes back the packets in flight of a message that its receiver has refused, and lets the message wait. Does nothing
 * without memory for a scoreboard: the retransmission timer then finds the packets lost. */
static void refused(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f)
{
    uint32_t lowest;
    struct host_board *b = host_board_open(h, f);
    WEIR_ASSERT(f->flags & HOST_BUSY && f->una == f->first);
    if (b == NULL || !host_board_room(h, f, b, f->next))
        return;
    (void)host_board_lose(h, f, b, f->una, f->next, &lowest);
    WEIR_ASSERT(f->inflight_bytes == 0 && b->lost_pkts == f->next - f->una);
    b->scan = f->next;
    b->resent = false;
    b->waits = b->tries = true;
    f->flags &= (uint8_t)~HOST_REPAIR;
    if (f->backoff < HOST_BACKOFF_MAX)
        f->backoff++;
    host_rto_restart(h, now_ps, index, f);
    host_flow_update(h, now_ps, index, f);
}

/* Lets a message that waits for room try again. */
static void opened(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt, struct host_flow *f)
{
    if (!host_room_waits(h, f) || pkt->msg != f->msg)
        return;
    WEIR_ASSERT(f->flags & HOST_BUSY);
    host_room_try(h, f);
    host_rto_restart(h, now_ps, pkt->conn, f);
    host_flow_update(h, now_ps, pkt->conn, f);
}

/* Processes a NOTICE about memory. @return false = pkt is another NOTICE, of a law */
bool host_room_notice(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt)
{
    if (pkt->seq != WEIR_NOTICE_NO_ROOM && pkt->seq != WEIR_NOTICE_ROOM)
        return false;
    struct host_flow *f = host_flow_of(h, pkt);
    if (f == NULL)
        return true;
    h->stats.rx_notice_pkts++;
    if (pkt->seq == WEIR_NOTICE_ROOM)
        opened(h, now_ps, pkt, f);
    else if (!host_stream_of(h)->newreno && !host_stream_of(h)->go_back && concerns(h, f, pkt))
        refused(h, now_ps, pkt->conn, f);
    return true;
}
