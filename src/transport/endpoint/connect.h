/* src/transport/endpoint/connect.h - a handshake has succeeded: tokens of the connection, and its waiting operations
 * begin. */
#ifndef WEIR_ENDPOINT_CONNECT_H
#define WEIR_ENDPOINT_CONNECT_H
#include "endpoint/endpoint.h"

/* Returns the token of packets from the endpoint with own token `sender` to the endpoint with own token `receiver`. It
 * depends on both, because two processes may have the same address one after the other. Late packets of the first must
 * not be accepted as packets of the second. The low 16 bits are those of `receiver`; the others do not depend on tags,
 * which may change during the handshake. */
uint64_t ep_connect_token(uint64_t receiver, uint64_t sender);

struct ep_other_end { /* what a handshake has said of a peer */
    uint64_t remote_token;
    struct weir_net_addr to; /* our address that the peer uses */
    uint8_t ports;           /* that it sends from */
};

/* Connects a peer, and begins its waiting operations. With keys, peer->seal is set. */
void ep_connect(struct weir_ep *ep, struct weir_peer *peer, const struct ep_other_end *end);

/* Notes that a valid packet of the peer came, which restarts the time that the peer may be silent. */
void ep_connect_heard(struct weir_ep *ep, struct weir_peer *peer);
#endif
