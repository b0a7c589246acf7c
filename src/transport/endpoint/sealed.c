/* src/transport/endpoint/sealed.c - see sealed.h. A counter is taken whenever a datagram is sealed. Whoever cannot send
 * it keeps it as it is, or drops it. */
#include "endpoint/sealed.h"

_Static_assert(WEIR_TAG_BYTES == WEIR_WIRE_TAG_BYTES, "what switches leave out");

uint32_t ep_sealed_packet(struct weir_peer *p, struct weir_wire_head *head, const void *payload, unsigned char *out)
{
    uint32_t own = weir_wire_head_bytes(head), data = head->pkt.kind == WEIR_PKT_DATA ? head->pkt.payload_bytes : 0;
    struct weir_seal_range range = { .head_end = own, .end = own + data };
    WEIR_ASSERT(p->seal != NULL);
    if (head->area_kind != WEIR_WIRE_AREA_NONE)
        range.area_bytes = WEIR_WIRE_AREA_BYTES(head->slot_count);
    head->sealed = true;
    head->key_phase = p->seal->phase;
    weir_wire_encode(head, NULL, out);
    weir_seal_packet(&p->seal->seal, out, &range, data > 0 ? payload : out + own);
    return range.end + WEIR_TAG_BYTES;
}

uint32_t ep_sealed_own(struct ep_seal *s, struct weir_wire_handshake *packet, unsigned char *out, uint32_t room)
{
    struct weir_seal_range range;
    WEIR_ASSERT(s != NULL && room > WEIR_TAG_BYTES);
    packet->sealed = true;
    packet->key_phase = s->phase;
    range.area_bytes = 0;
    range.head_end = range.end = weir_wire_encode_handshake(packet, out, room - WEIR_TAG_BYTES);
    WEIR_ASSERT(range.end > 0);
    weir_seal_packet(&s->seal, out, &range, out + range.end);
    return range.end + WEIR_TAG_BYTES;
}

void ep_sealed_count(struct weir_ep *ep, enum weir_opened result)
{
    WEIR_ASSERT(result != WEIR_OPENED);
    ep->stats.refused_packets++;
    ep->stats.forged_packets += result == WEIR_OPEN_FORGED || result == WEIR_OPEN_EPOCH;
    ep->stats.repeated_packets += result == WEIR_OPEN_REPEATED;
    ep->stats.late_packets += result == WEIR_OPEN_OLD;
}

enum weir_opened ep_sealed_open(struct ep_seal *s, struct weir_net_in *in)
{
    uint32_t length = in->length < WEIR_TAG_BYTES ? 0 : in->length - WEIR_TAG_BYTES;
    uint64_t counts[WEIR_OPEN_RESULTS] = { 0 };
    struct weir_wire_parts parts;
    enum weir_opened result;
    bool own = weir_wire_type(in->bytes, in->length) >= WEIR_WIRE_OWN;
    if ((own ? weir_wire_measure_handshake(in->bytes, length, &parts) : weir_wire_measure(in->bytes, length, &parts)) !=
        WEIR_WIRE_OK)
        return WEIR_OPEN_SHORT;
    result = weir_seal_open(&s->seal, in->bytes, in->length, parts.area_bytes, parts.head_end, counts);
    if (result == WEIR_OPENED)
        in->length = length;
    return result;
}
