/* src/transport/endpoint/shake.h - the handshake, and the timeout of silent peers. */
#ifndef WEIR_ENDPOINT_SHAKE_H
#define WEIR_ENDPOINT_SHAKE_H
#include "endpoint/endpoint.h"

/* Begins a handshake with a peer whose state is EP_PEER_IDLE. HELLO leaves with the next weir_poll(), not inside this
 * call of the application. */
void ep_shake_begin(struct weir_ep *ep, struct weir_peer *peer);

/* Runs the timer of a peer, which is due. It repeats the handshake, checks whether the peer is alive, or ends the
 * connection of a peer that is silent for too long. */
void ep_shake_timer(struct weir_ep *ep, struct weir_peer *peer);

/* Processes a datagram that has the type of a handshake packet. */
void ep_shake_packet(struct weir_ep *ep, const struct weir_net_in *in);

/* Answers a message packet of no connection with RESET, if the ration allows. Sends none during a handshake with the
 * sender of the packet, because the packet may have overtaken READY. */
void ep_shake_stranger(struct weir_ep *ep, const struct weir_net_in *in, uint64_t token);

/* Notes that a valid packet of the peer came, which restarts the time that the peer may be silent. */
void ep_shake_heard(struct weir_ep *ep, struct weir_peer *peer);

/* Counts a datagram of another version of the format, takes note of it for weir_peer_error(), and answers VERSIONS to a
 * later version. */
void ep_shake_other_version(struct weir_ep *ep, const struct weir_net_in *in);
#endif
