/* src/transport/endpoint/shake_tx.h - sends handshake packets: at once, or as answers after a batch of datagrams. */
#ifndef WEIR_ENDPOINT_SHAKE_TX_H
#define WEIR_ENDPOINT_SHAKE_TX_H
#include "endpoint/endpoint.h"

#define EP_CONFIRM_PS (20 * WEIR_PS_PER_MS) /* shortest time between two PINGs that confirm our handshake of keys */

/* Sends a handshake packet at once. from: our address by which the other end knows us; family 0 = any. The packet is
 * lost if the driver has no room; the handshake repeats it. */
void ep_shake_send(struct weir_ep *ep, const struct weir_net_addr *to, const struct weir_net_addr *from,
                   const struct weir_wire_handshake *packet);

/* Writes a handshake packet, and its MAC if it names a key. @return its length; 0 = room is too small */
uint32_t ep_shake_encode(const struct weir_ep *ep, const struct weir_wire_handshake *packet, unsigned char *out,
                         uint32_t room);

/* Adds an answer to the answers that ep_shake_flush() will send. Flushes when WEIR_NET_BATCH are waiting. */
void ep_shake_answer(struct weir_ep *ep, const struct weir_net_addr *to, const struct weir_net_addr *from,
                     const struct weir_wire_handshake *packet);

/* Adds an answer that is already written, at most EP_ANSWER_BYTES. */
void ep_shake_answer_bytes(struct weir_ep *ep, const struct weir_net_addr *to, const struct weir_net_addr *from,
                           const unsigned char *datagram, uint32_t bytes);

/* Adds an answer of a connection to a connected peer: REFUSE, PING or PONG. Sets its token and counter. */
void ep_shake_answer_peer(struct weir_ep *ep, struct weir_peer *peer, struct weir_wire_handshake *packet);

/* Does the same, but sends it to another address. */
void ep_shake_answer_at(struct weir_ep *ep, struct weir_peer *peer, const struct weir_net_addr *to,
                        const struct weir_net_addr *from, struct weir_wire_handshake *packet);

/* Sends the answers added since the last flush. Those for which the driver has no room are lost. */
void ep_shake_flush(struct weir_ep *ep);

/* Tests whether the ration allows one more answer to a sender that is unknown or not trusted. Counts that answer
 * against the ration, or the packet as unanswered. */
bool ep_shake_ration(struct weir_ep *ep);

/* Tests whether the ration of 100 a second allows one more answer to somebody without keys. Counts as above. */
bool ep_shake_keyless_ration(struct weir_ep *ep);

/* Tests whether the ration of 2000 a second allows one more handshake of keys. Counts as above. */
bool ep_shake_agree_ration(struct weir_ep *ep);

/* Returns a HELLO, OPEN or READY with what this endpoint offers: version, protection, law and size of packets. With
 * keys, the caller adds key_number, noise, and a cipher that is not our first choice. */
struct weir_wire_handshake ep_shake_offer(const struct weir_ep *ep, enum weir_wire_type type, uint64_t token);

/* Returns a READY, which answers an OPEN, or a HELLO without keys. token: the own token of its receiver. own_token:
 * ours; 0 = refused: what it offers differs from ours */
struct weir_wire_handshake ep_shake_ready(const struct weir_ep *ep, uint64_t token, uint64_t own_token);

/* Answers a packet that has an unknown token with RESET, if the ration allows. RESET is shorter than every packet that
 * it answers. */
void ep_shake_reset(struct weir_ep *ep, const struct weir_net_in *in, uint64_t token);

/* Answers a datagram of a later version with the versions that this endpoint has, if the ration allows. Does nothing to
 * a datagram of an earlier version: version 3 does not know the answer. */
void ep_shake_versions(struct weir_ep *ep, const struct weir_net_in *in);

/* Refuses a message of a connected peer by REFUSE. The caller has a ration. number: ep_pkt_number() of it; msg: its
 * handle at the sender */
void ep_shake_refuse(struct weir_ep *ep, struct weir_peer *peer, uint32_t number, uint32_t msg);

/* Sends a NOTICE about a message of a connected peer, after the batch of datagrams: NO_ROOM or ROOM. Does nothing if
 * the peer's ration of 4000 a second is used up. about: gives number and handle of the message; value:
 * WEIR_WIRE_ROOM_VALUE() */
void ep_shake_notice(struct weir_ep *ep, struct weir_peer *peer, const struct weir_pkt *about, uint32_t kind,
                     uint64_t value);

/* Sends PING to a connected peer, after the batch of datagrams. */
void ep_shake_ping(struct weir_ep *ep, struct weir_peer *peer);

/* Sends PING to a connected peer, unless the last one was less than every_ps ago. The peer answers PONG, or RESET if it
 * was restarted. */
void ep_shake_alive(struct weir_ep *ep, struct weir_peer *peer, uint64_t every_ps);

/* Sends PING to a connected peer, sealed by a secret that is not the connection's yet. */
void ep_shake_confirm(struct weir_ep *ep, struct weir_peer *peer, struct ep_seal *seal);

/* Makes a connected peer end the connection, by a CLOSE. Our own state does not change: see ep_peer_end(). */
void ep_shake_close(struct weir_ep *ep, struct weir_peer *peer);
#endif
