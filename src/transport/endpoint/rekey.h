/* src/transport/endpoint/rekey.h - another secret for a connection, which goes on meanwhile. */
#ifndef WEIR_ENDPOINT_REKEY_H
#define WEIR_ENDPOINT_REKEY_H
#include "endpoint/keys.h"

/* Begins to give a connected peer another secret, at a time that may be past; does nothing if that has begun. If it has
 * not succeeded 10 s from now, the connection ends: with -EPROTO if its key was removed, else with -ECONNRESET. */
void ep_rekey_begin(struct weir_ep *ep, struct weir_peer *peer, uint64_t at_ps);

/* Lets all peers take the keys that the endpoint has now. Connections whose key is in both sets go on untouched, the
 * others get another secret. If one has none 10 s from now it ends with -EPROTO. Own handshakes begin anew if their key
 * is gone. old: the keys before */
void ep_rekey_all(struct weir_ep *ep, const struct weir_keys *old);

/* Processes an OPEN or READY with a key phase above 0, whose MAC is right. key: that of the MAC */
void ep_rekey_packet(struct weir_ep *ep, const struct weir_net_in *in, const struct weir_wire_handshake *packet,
                     const struct weir_key *key);

/* Takes a new secret, which the peer has used: what leaves from now on is sealed by it. The one before still opens
 * packets for a while. seal: peer->rekey->next, or of a handshake of the peer */
void ep_rekey_switch(struct weir_ep *ep, struct weir_peer *peer, struct ep_seal *seal);

/* Goes on with what is due of peer->rekey, and sets the timer of the peer. @return false = the connection has ended */
bool ep_rekey_timer(struct weir_ep *ep, struct weir_peer *peer);
#endif
