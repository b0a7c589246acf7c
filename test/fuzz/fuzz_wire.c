/* test/fuzz/fuzz_wire.c - any bytes as a datagram, as they are and with their checksum put right, so that what lies behind it is reached.
 * Nothing is read beyond the length; what decodes is within its bounds and, encoded again, the same bytes. */
#include "core/assert.h"
#include "wire/crc32c.h"
#include "wire/wire.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { DATAGRAM_MAX = 65507 }; /* of UDP over IPv4 */

static const struct weir_framing framing = { 1432, 86, 20, 84, 126 };

static void as_packet(const unsigned char *bytes, uint32_t length)
{
    struct weir_wire_head head;
    unsigned char again[WEIR_WIRE_HEAD_BYTES];
    if (weir_wire_decode(bytes, length, &framing, &head) != WEIR_WIRE_OK)
        return;
    WEIR_ASSERT(head.pkt.kind == weir_wire_type(bytes, length));
    WEIR_ASSERT(head.pkt.payload_bytes == length - WEIR_WIRE_HEAD_BYTES);
    WEIR_ASSERT((head.pkt.payload_bytes > 0) == (head.pkt.kind == WEIR_PKT_DATA));
    WEIR_ASSERT(head.pkt.payload_bytes <= WEIR_WIRE_PAYLOAD_MAX);
    WEIR_ASSERT(head.pkt.wire_bytes > head.pkt.payload_bytes && head.pkt.class_id < 8);
    WEIR_ASSERT(!(head.pkt.flags & WEIR_PKT_CE));
    WEIR_ASSERT((head.pkt.src | head.pkt.dst | head.pkt.hash | head.pkt.arrival_ps | head.pkt.hops) == 0);
    weir_wire_encode(&head.pkt, head.token, head.checked, bytes + WEIR_WIRE_HEAD_BYTES, again);
    WEIR_ASSERT(memcmp(bytes, again, WEIR_WIRE_HEAD_BYTES) == 0);
}

static void as_word(const unsigned char *bytes, uint32_t length, unsigned char *room)
{
    struct weir_wire_handshake word;
    if (weir_wire_decode_handshake(bytes, length, &word) != WEIR_WIRE_OK)
        return;
    WEIR_ASSERT(word.type == weir_wire_type(bytes, length));
    WEIR_ASSERT(word.mss_bytes <= WEIR_WIRE_PAYLOAD_MAX);
    WEIR_ASSERT(weir_wire_encode_handshake(&word, room, length - 1) != length); /* it was as short as could be */
    WEIR_ASSERT(weir_wire_encode_handshake(&word, room, length) == length);
    WEIR_ASSERT(memcmp(bytes, room, length) == 0);
}

/* As if its sender had written it. Both ways to a checksum are asked. */
static void repair(unsigned char *bytes, uint32_t length)
{
    bool head_only = weir_wire_type(bytes, length) < (int)WEIR_WIRE_HELLO && !(bytes[2] & 0x80);
    uint32_t covered = head_only && length > WEIR_WIRE_HEAD_BYTES ? WEIR_WIRE_HEAD_BYTES : length, crc;
    memset(bytes + 4, 0, 4);
    crc = weir_crc32c_table(0, bytes, covered);
    WEIR_ASSERT(crc == weir_crc32c(0, bytes, covered));
    for (uint32_t i = 0; i < 4; i++)
        bytes[4 + i] = (unsigned char)(crc >> (24 - 8 * i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t length = size < DATAGRAM_MAX ? (uint32_t)size : DATAGRAM_MAX;
    unsigned char *copy = malloc(length + 1), *room = malloc(length + 1);
    WEIR_ASSERT(copy != NULL && room != NULL);
    as_packet(data, length);
    as_word(data, length, room);
    memcpy(copy, data, length);
    if (length >= 8)
        repair(copy, length);
    as_packet(copy, length);
    as_word(copy, length, room);
    free(copy);
    free(room);
    return 0;
}
