/* src/transport/endpoint/shake.h - the handshake: how a connection begins, how long a peer may be silent, and the
 * packets that end it. */
#ifndef WEIR_ENDPOINT_SHAKE_H
#define WEIR_ENDPOINT_SHAKE_H
#include "endpoint/endpoint.h"

/* Begins a handshake. Its first packet leaves with the next poll: no connection begins inside the application's
 * call. */
void ep_shake_begin(struct weir_ep *ep, struct weir_peer *peer);

/* Does what is due for a peer, a call for ep_timer_due(): repeats the handshake, checks whether the peer is alive, or
 * ends what a silent peer owes. */
void ep_shake_timer(struct weir_ep *ep, struct weir_peer *peer);

/* Takes a datagram that is a handshake packet by its type. */
void ep_shake_packet(struct weir_ep *ep, const struct weir_net_in *in);

/* Answers a packet of no connection. While we shake hands with its sender it may only be early. */
void ep_shake_stranger(struct weir_ep *ep, const struct weir_net_in *in, uint64_t token);

/* Notes that a valid packet of the peer came. */
void ep_shake_heard(struct weir_ep *ep, struct weir_peer *peer);
#endif
