/* src/transport/endpoint/silence.h - the own packets of a handshake, and the timeout of silent peers. */
#ifndef WEIR_ENDPOINT_SILENCE_H
#define WEIR_ENDPOINT_SILENCE_H
#include "endpoint/endpoint.h"

/* Begins a handshake with a peer whose state is EP_PEER_IDLE. HELLO leaves with the next weir_poll(), not inside this
 * call of the application. */
void ep_shake_begin(struct weir_ep *ep, struct weir_peer *peer);

/* Sends HELLO or OPEN, by the state of the peer, and starts the timer of its repetition. */
void ep_shake_own(struct weir_ep *ep, struct weir_peer *peer);

/* Runs the timer of a peer, which is due. It repeats the handshake, checks whether the peer is alive, or ends the
 * connection of a peer that is silent for too long. */
void ep_shake_timer(struct weir_ep *ep, struct weir_peer *peer);

/* Notes what a packet without proof says: that a connected peer with keys does not know the connection, or is gone.
 * Sends it a PING, at most one a second. If it is silent for peer_timeout from now on, its connection ends. */
void ep_shake_hint(struct weir_ep *ep, struct weir_peer *peer, enum ep_hint hint);
#endif
