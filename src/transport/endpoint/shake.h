/* src/transport/endpoint/shake.h - the handshake: packets that come. */
#ifndef WEIR_ENDPOINT_SHAKE_H
#define WEIR_ENDPOINT_SHAKE_H
#include "endpoint/endpoint.h"

/* Processes a datagram that has the type of one of the endpoint's own packets. A sealed one is opened in place. */
void ep_shake_packet(struct weir_ep *ep, struct weir_net_in *in);

/* Counts a datagram of another version of the format, takes note of it for weir_peer_error(), and answers VERSIONS to a
 * later version. */
void ep_shake_other_version(struct weir_ep *ep, const struct weir_net_in *in);
#endif
