/* src/transport/endpoint/sealed.h - writes sealed datagrams of connections, and opens those that came. */
#ifndef WEIR_ENDPOINT_SEALED_H
#define WEIR_ENDPOINT_SEALED_H
#include "endpoint/keys.h"

/* Returns the counter of the next packet to a peer; with keys a number that the seal replaces. */
static inline uint64_t ep_next_counter(const struct weir_ep *ep, struct weir_peer *p)
{
    return ep->keys != NULL ? 1 : ++p->tx_counter;
}

/* Writes a sealed packet of a message: header, payload and tag.
 * @param head     its counter is not used
 * @param payload  head->pkt.payload_bytes bytes, if it is DATA: elsewhere, or where the payload goes in out
 * @param out      room for weir_wire_head_bytes(head), the payload and WEIR_TAG_BYTES
 * @return its length */
uint32_t ep_sealed_packet(struct weir_peer *peer, struct weir_wire_head *head, const void *payload, unsigned char *out);

/* Writes a sealed REFUSE, PING or later type; its counter is not used. @return its length */
uint32_t ep_sealed_own(struct ep_seal *s, struct weir_wire_handshake *packet, unsigned char *out, uint32_t room);

/* Opens a datagram in place. in->length is then without the tag. @return WEIR_OPENED, or why it is refused: its bytes
 * may have changed then */
enum weir_opened ep_sealed_open(struct ep_seal *s, struct weir_net_in *in);

/* Counts a datagram that is refused, and why. */
void ep_sealed_count(struct weir_ep *ep, enum weir_opened result);
#endif
