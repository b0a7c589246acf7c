/* src/transport/endpoint/agree.h - the handshake of keys with a peer: Noise NNpsk0, in HELLO, OPEN and READY. */
#ifndef WEIR_ENDPOINT_AGREE_H
#define WEIR_ENDPOINT_AGREE_H
#include "endpoint/keys.h"

/* Begins the own handshake with a peer: makes a key pair, and the Noise message of HELLO and OPEN. An earlier one ends.
 * key: one of ours; cipher: to be offered; phase: of the secret. @return 0, or -ENOMEM */
int ep_agree_begin(struct weir_ep *ep, struct weir_peer *peer, const struct weir_key *key, uint8_t cipher,
                   uint8_t phase);

/* Tests whether, if both ends have begun at once, ours is the handshake that counts: that of the larger own token. */
bool ep_agree_counts(const struct weir_peer *peer, uint64_t remote_token);

/* Returns the number by which the OPENs of a handshake are the same: the first bytes of its public key. */
uint64_t ep_agree_id(const struct weir_wire_handshake *open);

/* Returns the handshake of a peer that answers this OPEN, or NULL. */
struct ep_pending *ep_agree_find(const struct weir_peer *peer, const struct weir_wire_handshake *open);

/**
 * Answers the OPEN of a peer: puts a handshake in front of peer->pending, with a READY to be sent and repeated. Of
 * EP_PENDING_MAX the oldest ends, if it has had EP_PENDING_PS to be confirmed.
 * @param open  its MAC is right
 * @param key   that of the MAC
 * @return 0; -ENOMEM; -EBUSY: there is no place; -EBADMSG: the OPEN is not of somebody who has the key
 */
int ep_agree_answer(struct weir_ep *ep, struct weir_peer *peer, const struct weir_wire_handshake *open,
                    const struct weir_key *key);

/* Completes the own handshake by a READY whose MAC is right: makes the seal *out. @return 0; -ENOMEM; -EBADMSG: READY
 * does not answer our OPEN, and nothing has changed */
int ep_agree_complete(struct weir_ep *ep, struct weir_peer *peer, const struct weir_wire_handshake *ready,
                      struct ep_seal **out);

/* Makes a seal from a handshake of peer->pending, which is left as it is. @return NULL = the heap has no more */
struct ep_seal *ep_agree_seal(struct weir_ep *ep, const struct ep_pending *pending);

/* Wipes all secrets of a peer: its connection and its handshakes end. */
void ep_agree_forget(struct weir_ep *ep, struct weir_peer *peer);

/* Wipes the handshakes of a peer, once there is a connection. */
void ep_agree_settle(struct weir_ep *ep, struct weir_peer *peer);
#endif
