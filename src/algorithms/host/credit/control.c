/* src/algorithms/host/credit/control.c - queues control packets, and keeps the clock of the protocol's sender half. */
#include "core/math.h"
#include "host/common/table.h"
#include "host/credit/control.h"

/* Appends a control packet for a peer to the queue that leaves before any DATA; the caller sets its other fields.
 * @return NULL = queue full or no memory, counted in refused_pkts: recovery repeats what is lost */
struct weir_pkt *host_credit_control(struct weir_host *h, const struct credit_peer *peer, enum weir_pkt_kind kind)
{
    struct weir_pkt *pkt;
    if (WEIR_UNLIKELY(!host_ring_room(h, &h->acks, sizeof(struct weir_pkt), h->acks.count + 1, HOST_ACKS_MAX))) {
        h->stats.refused_pkts++;
        return NULL;
    }
    pkt = host_ring_at(&h->acks, h->acks.count++, sizeof(struct weir_pkt));
    *pkt = (struct weir_pkt){
        .hash = credit_hash(h, peer),
        .src_word = h->self_word,
        .dst_word = WEIR_PKT_DST_WORD(peer->id, kind),
        .size_word = h->ack_size_word,
    };
    return pkt;
}

/* Queues the REQUEST of a message, or its ABORT if it was cancelled. */
void host_credit_announce(struct weir_host *h, const struct credit_peer *peer, struct credit_tx *t)
{
    bool live = (t->flags & CREDIT_TX_ABORTED) == 0;
    struct weir_pkt *pkt = host_credit_control(h, peer, live ? WEIR_PKT_REQUEST : WEIR_PKT_ABORT);
    if (pkt == NULL)
        return;
    pkt->conn = t->number;
    pkt->msg = t->msg;
    pkt->msg_bytes = t->bytes | (uint64_t)credit_tx_state(t)->unsched_pkts << CREDIT_LENGTH_BITS;
}

/* Queues one control packet of the protocol's own, or the REQUEST that the protocol asks for. */
static void control_send(struct weir_host *h, const struct weir_own_pkt *control)
{
    struct credit_peer *peer = credit_peer_of(control->peer);
    struct credit_tx *t = control->tx != NULL ? credit_tx_of(control->tx) : NULL;
    if (control->kind == WEIR_CONTROL_REQUEST) {
        WEIR_ASSERT(t != NULL); /* a REQUEST announces a message */
        host_credit_announce(h, peer, t);
        return;
    }
    struct weir_pkt *pkt = host_credit_control(h, peer, WEIR_PKT_CONTROL);
    if (pkt == NULL)
        return;
    WEIR_ASSERT(control->kind < WEIR_CONTROL_KINDS);
    WEIR_ASSERT(control->class_id < WEIR_CLASSES_MAX);
    WEIR_ASSERT(control->wire_bytes <= WEIR_WIRE_MAX_BYTES);
    pkt->value = control->value;
    pkt->conn = WEIR_PKT_NO_CONN;
    pkt->msg = UINT32_MAX;
    pkt->seq = control->kind;
    pkt->ack = control->sequence;
    pkt->size_word = WEIR_PKT_SIZE_WORD(control->wire_bytes != 0 ? control->wire_bytes : host_ack_wire_bytes(h),
                                        control->class_id, 0);
    if (t != NULL) {
        pkt->conn = t->number;
        pkt->msg = t->msg;
    } else if (control->rx != NULL) {
        const struct credit_rx *r = credit_rx_of(control->rx);
        pkt->conn = r->number;
        pkt->msg = r->msg;
        pkt->flags = WEIR_PKT_OWN;
    }
}

/* Queues all control packets that the protocol has made ready. */
HOST_COLD void host_credit_controls(struct weir_host *h)
{
    const struct host_credit *c = host_credit_of(h);
    while (c->state->controls > 0) {
        struct weir_own_pkt control = { .now_ps = 0 };
        c->ops->control_next(c->config, c->state, &control);
        control_send(h, &control);
    }
}

/* Reads the time at which the clock of the sender half is due next, and updates h->next_ps. */
HOST_COLD void host_credit_clock(struct weir_host *h)
{
    struct host_credit *c = host_credit_of(h);
    c->tx_at_ps = c->ops->tx_next_ps(c->config, c->state);
    h->next_ps = weir_min_u64(weir_min_u64(c->rx_at_ps, c->tx_at_ps), h->timers.next_ps);
}
