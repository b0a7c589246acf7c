/* src/transport/endpoint/room.c - NOTICEs about memory for messages. Both are hints: the sender's timer makes up for a
 * lost NO_ROOM, and for a lost ROOM. */
#include "endpoint/room.h"
#include "core/cc.h"
#include "endpoint/msg.h"
#include "endpoint/tx.h"

_Static_assert(WEIR_NOTICE_NO_ROOM == WEIR_WIRE_NO_ROOM && WEIR_NOTICE_ROOM == WEIR_WIRE_ROOM, "one number each");

static struct weir_pkt notice(const struct weir_ep *ep, const struct weir_peer *p, uint32_t kind)
{
    return (struct weir_pkt){ .conn = WEIR_PKT_NO_CONN,
                              .seq = kind,
                              .dst = WEIR_PKT_HOST(p->number),
                              .kind = WEIR_PKT_NOTICE,
                              .wire_bytes = WEIR_PKT_BYTES(ep->host_config.framing.ack_wire_bytes) };
}

/* Tests whether a NOTICE that this message was refused was sent within the last round trip: many packets of a message
 * arrive together. */
static bool is_known(const struct weir_ep *ep, const struct weir_peer *p, const struct weir_pkt *pkt)
{
    return p->refused && p->refused_conn == pkt->conn && p->refused_first == pkt->ack &&
           ep->now_ps - p->refused_ps < ep->host_config.path.base_rtt_ps;
}

void ep_room_refuse(struct weir_ep *ep, struct weir_peer *p, const struct weir_pkt *pkt, uint64_t bytes)
{
    struct weir_pkt out = notice(ep, p, WEIR_NOTICE_NO_ROOM);
    WEIR_ASSERT(p->state == EP_PEER_UP && ep->stream);
    if (is_known(ep, p, pkt))
        return;
    ep->refused_peers += !p->refused;
    p->refused = true;
    p->refused_bytes = bytes;
    p->refused_conn = pkt->conn;
    p->refused_first = pkt->ack;
    p->refused_ps = ep->now_ps;
    out.conn = pkt->conn;
    out.msg = pkt->msg;
    out.value = pkt->ack;
    ep_tx_own(ep, &out);
}

void ep_room_heard(struct weir_ep *ep, const struct weir_peer *p, const struct weir_pkt *pkt)
{
    WEIR_ASSERT(pkt->kind == WEIR_PKT_NOTICE);
    struct ep_op *op = pkt->msg < ep->op_count ? &ep->ops[pkt->msg] : NULL;
    if (pkt->seq == WEIR_NOTICE_NO_ROOM && op != NULL && op->flags & EP_OP_IN_HOST && op->peer == p)
        op->again_tries = 0;
}

void ep_room_run(struct weir_ep *ep)
{
    ep->refused_given = ep->rx.given;
    for (uint32_t i = 0; i < ep->peer_count && ep->refused_peers > 0; i++) {
        struct weir_peer *p = &ep->peers[i];
        if (!p->refused || !ep_msg_has_room(ep, p->refused_bytes))
            continue;
        struct weir_pkt out = notice(ep, p, WEIR_NOTICE_ROOM);
        WEIR_ASSERT(p->state == EP_PEER_UP);
        if (!ep_tx_own(ep, &out))
            return; /* the others follow when more memory is given back, or their timers ask */
        p->refused = false;
        ep->refused_peers--;
    }
}
