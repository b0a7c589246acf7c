/* src/transport/endpoint/path.h - peers with keys that change their address. */
#ifndef WEIR_ENDPOINT_PATH_H
#define WEIR_ENDPOINT_PATH_H
#include "endpoint/keys.h"

/* Notes a packet of a connected peer that came from another address than the peer's, and that its secret has opened. It
 * has the highest number of all that came. Sends CHALLENGE to that address, in no more bytes than came from it. */
void ep_path_note(struct weir_ep *ep, struct weir_peer *peer, const struct weir_net_in *in);

/* Answers a CHALLENGE of a peer. in: the datagram; to our address in it the peer sends from now on */
void ep_path_answer(struct weir_ep *ep, struct weir_peer *peer, const struct weir_net_in *in, uint64_t value);

/* Processes a RESPONSE of a peer: if it answers our CHALLENGE from the address that was challenged, the peer is there
 * from now on. */
void ep_path_response(struct weir_ep *ep, struct weir_peer *peer, const struct weir_net_in *in, uint64_t value);
#endif
