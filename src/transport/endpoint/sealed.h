/* src/transport/endpoint/sealed.h - writes sealed datagrams of connections, and opens those that came. */
#ifndef WEIR_ENDPOINT_SEALED_H
#define WEIR_ENDPOINT_SEALED_H
#include "endpoint/keys.h"

/* Writes a sealed packet of a message: header, payload and tag.
 * @param head     its counter is not used
 * @param payload  head->pkt.payload_bytes bytes, if it is DATA: elsewhere, or where the payload goes in out
 * @param out      room for weir_wire_head_bytes(head), the payload and WEIR_TAG_BYTES
 * @return its length */
uint32_t ep_sealed_packet(struct weir_peer *peer, struct weir_wire_head *head, const void *payload, unsigned char *out);

/* Writes a sealed REFUSE, PING, PONG or CLOSE; its counter is not used. @return its length */
uint32_t ep_sealed_own(struct weir_peer *peer, struct weir_wire_handshake *packet, unsigned char *out, uint32_t room);

/* Opens a datagram in place, and counts it if it is refused. in->length is then without the tag. @return false = it is
 * refused */
bool ep_sealed_open(struct weir_ep *ep, struct ep_seal *s, struct weir_net_in *in);
#endif
