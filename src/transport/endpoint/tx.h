/* src/transport/endpoint/tx.h - sends message packets: the pace of the link, batches, and deferred packets. */
#ifndef WEIR_ENDPOINT_TX_H
#define WEIR_ENDPOINT_TX_H
#include "endpoint/endpoint.h"

/* Runs the host's due timers, and sends packets as far as the link's pace and the driver allow. Some packets are
 * deferred. */
void ep_tx_run(struct weir_ep *ep);

/* Sends the deferred packets now, as far as the driver allows. Called when the application may not poll for a while. */
void ep_tx_put_off_no_more(struct weir_ep *ep);

/* Sends the deferred packets, because there is nothing else to do. If they are CREDIT alone, does nothing until a
 * quantum has passed since CREDIT last left. */
void ep_tx_idle(struct weir_ep *ep);

/* Removes the DATA packets of an operation from the send queue: the application will own their memory again. */
void ep_tx_drop_op(struct weir_ep *ep, const struct ep_op *op);

/* Removes all packets to a peer from the send queue and from the deferred packets. */
void ep_tx_drop_peer(struct weir_ep *ep, const struct weir_peer *peer);

/* Returns the time at which packets can leave or a timer of the host is due, which may be past; WEIR_NEVER =
 * neither. */
uint64_t ep_tx_next_ps(const struct weir_ep *ep);

/* Ends the collecting of packets: a message of one packet must not wait until packets of a long message are
 * collected. */
void ep_tx_hurry(struct weir_ep *ep);

/* Returns the number by which a message of a sender-driven protocol is refused: connections and handles are used again,
 * and a late REFUSE must not end another message. conn: number of its connection; first: number of its first packet */
static inline uint32_t ep_stream_number(uint32_t conn, uint32_t first)
{
    return (uint32_t)weir_mix_u64((uint64_t)conn << 32 | first);
}
#endif
