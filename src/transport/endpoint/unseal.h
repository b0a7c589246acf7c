/* src/transport/endpoint/unseal.h - opens sealed datagrams, and completes handshakes of peers by them. */
#ifndef WEIR_ENDPOINT_UNSEAL_H
#define WEIR_ENDPOINT_UNSEAL_H
#include "endpoint/endpoint.h"

/* Opens a datagram of a connection with keys, in place. A first datagram that the secret of a peer's new handshake
 * seals confirms that handshake, and connects the peer. in->length is then that without the tag.
 * @return the peer; NULL = it is refused, and counted */
struct weir_peer *ep_unseal(struct weir_ep *ep, struct weir_net_in *in);

/* Answers a packet of no connection with RESET, if the ration allows. Sends none during a handshake with the sender of
 * the packet, because the packet may have overtaken READY. With keys, sends none if the token has our tag, and the
 * address is of no peer: the token may be of a peer at another address. */
void ep_unseal_stranger(struct weir_ep *ep, const struct weir_net_in *in, uint64_t token);
#endif
