/* src/transport/endpoint/shake_tx.h - handshake packets on their way out: sent at once, or as answers to a batch of
 * datagrams. */
#ifndef WEIR_ENDPOINT_SHAKE_TX_H
#define WEIR_ENDPOINT_SHAKE_TX_H
#include "endpoint/endpoint.h"

/* Sends a handshake packet at once, from the address by which the other end knows us. It is lost if the driver has no
 * room: whoever waits asks again. */
void ep_shake_send(struct weir_ep *ep, const struct weir_net_addr *to, const struct weir_net_addr *from,
                   const struct weir_wire_handshake *packet);

/* Adds an answer to the datagram in hand; it leaves with ep_shake_flush(). */
void ep_shake_answer(struct weir_ep *ep, const struct weir_net_addr *to, const struct weir_net_addr *from,
                     const struct weir_wire_handshake *packet);

/* Sends the answers made since the last time; they are lost if the driver has no room. */
void ep_shake_flush(struct weir_ep *ep);

/* Tests whether one more answer to a sender that we do not know, or do not trust, may go, and counts it. */
bool ep_shake_ration(struct weir_ep *ep);

/* Returns the READY that answers an OPEN. token: the opener's own; own_token: ours, 0 = refused for its MTU */
struct weir_wire_handshake ep_shake_ready(const struct weir_ep *ep, uint64_t token, uint64_t own_token);

/* Answers a packet with an unknown token with RESET. Every packet that can come here is longer than the answer. */
void ep_shake_reset(struct weir_ep *ep, const struct weir_net_in *in, uint64_t token);

/* Answers the announcement of a message that will never fit with REFUSE. */
void ep_shake_refuse(struct weir_ep *ep, const struct weir_peer *peer, const struct weir_pkt *pkt);

/* Sends a sign of life, at most one per every_ps: for a peer that is up a READY changes nothing. */
void ep_shake_alive(struct weir_ep *ep, struct weir_peer *peer, uint64_t every_ps);

/* Ends the connection at the peer's end: a RESET that names the token it uses for us. */
void ep_shake_close(struct weir_ep *ep, const struct weir_peer *peer);
#endif
