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

enum { HEAD_MAX = 4 + WEIR_WIRE_AREA_BYTES(31) + WEIR_WIRE_ACK_BYTES + 15 * 8 + 15 * 16 };

/* All that the length of a header can hold is inside the datagram, and is read. */
static void read_lists(const struct weir_wire_head *head, const unsigned char *bytes, uint32_t end)
{
    struct weir_wire_slot slot;
    unsigned char again[WEIR_WIRE_SLOT_BYTES];
    uint32_t start, pkts;
    WEIR_ASSERT((head->slots != NULL) == (head->slot_count > 0) && (head->echo != NULL) == (head->echo_count > 0));
    WEIR_ASSERT(head->slots == NULL || (head->slots == bytes + 8 && head->slot_count <= WEIR_WIRE_SLOTS_MAX));
    for (uint32_t i = 0; i < head->range_count; i++) {
        weir_wire_get_range(head->ranges + (size_t)i * WEIR_WIRE_RANGE_BYTES, &start, &pkts);
        weir_wire_put_range(start, pkts, again);
        WEIR_ASSERT(memcmp(again, head->ranges + (size_t)i * WEIR_WIRE_RANGE_BYTES, WEIR_WIRE_RANGE_BYTES) == 0);
    }
    for (uint32_t i = 0; i < head->echo_count; i++) {
        const unsigned char *at = head->echo + (size_t)i * WEIR_WIRE_SLOT_BYTES;
        WEIR_ASSERT(at + WEIR_WIRE_SLOT_BYTES <= bytes + end);
        weir_wire_get_slot(at, &slot);
        weir_wire_put_slot(&slot, again);
        WEIR_ASSERT(memcmp(again, at, WEIR_WIRE_SLOT_BYTES) == 0);
    }
}

/* What weir_wire_measure() says is in the datagram. sealed: as after its seal was opened */
static enum weir_wire_result read_packet(const unsigned char *bytes, uint32_t length, bool sealed,
                                         struct weir_wire_head *head)
{
    struct weir_wire_parts parts;
    enum weir_wire_result result;
    if (!sealed)
        return weir_wire_decode(bytes, length, &framing, head);
    if (weir_wire_measure(bytes, length, &parts) != WEIR_WIRE_OK)
        return WEIR_WIRE_SHORT;
    WEIR_ASSERT(parts.head_end >= 20 + parts.area_bytes && parts.head_end <= length);
    result = weir_wire_decode_opened(bytes, length, &framing, head);
    WEIR_ASSERT(result != WEIR_WIRE_OK || parts.head_end == weir_wire_head_bytes(head));
    return result;
}

static void as_packet(const unsigned char *bytes, uint32_t length, bool sealed)
{
    struct weir_wire_head head;
    unsigned char again[HEAD_MAX];
    uint32_t own, payload;
    if (read_packet(bytes, length, sealed, &head) != WEIR_WIRE_OK)
        return;
    WEIR_ASSERT(head.sealed == sealed);
    own = weir_wire_head_bytes(&head);
    payload = length - own;
    WEIR_ASSERT((int)weir_wire_type_of(head.pkt.kind, head.stream) == weir_wire_type(bytes, length));
    WEIR_ASSERT(own <= length && own <= HEAD_MAX && payload <= WEIR_WIRE_PAYLOAD_MAX);
    WEIR_ASSERT((payload > 0) == (head.pkt.kind == WEIR_PKT_DATA));
    WEIR_ASSERT(head.pkt.kind == WEIR_PKT_ACK || head.pkt.payload_bytes == payload);
    WEIR_ASSERT(head.pkt.wire_bytes > payload && head.pkt.class_id < 8 && head.counter > 0);
    WEIR_ASSERT(!(head.pkt.flags & WEIR_PKT_CE));
    WEIR_ASSERT((head.pkt.src | head.pkt.dst | head.pkt.hash | head.pkt.arrival_ps | head.pkt.hops) == 0);
    WEIR_ASSERT(head.msg_bytes >> 48 == 0 && head.area_kind < WEIR_WIRE_AREA_KINDS);
    read_lists(&head, bytes, own);
    weir_wire_encode(&head, bytes + own, again);
    WEIR_ASSERT(memcmp(bytes, again, own) == 0);
}

static void as_word(const unsigned char *bytes, uint32_t length, bool sealed, unsigned char *room)
{
    struct weir_wire_handshake word;
    enum weir_wire_result result = sealed ? weir_wire_decode_opened_handshake(bytes, length, &word)
                                          : weir_wire_decode_handshake(bytes, length, &word);
    if (result != WEIR_WIRE_OK)
        return;
    WEIR_ASSERT(word.sealed == sealed && (word.mac != NULL) == (word.protection != WEIR_WIRE_NONE));
    WEIR_ASSERT(word.type == weir_wire_type(bytes, length));
    WEIR_ASSERT(word.mss_bytes <= WEIR_WIRE_PAYLOAD_MAX);
    WEIR_ASSERT(weir_wire_encode_handshake(&word, room, length) == length);
    WEIR_ASSERT(memcmp(bytes, room, length) == 0);
}

/* As if its seal had been opened: there is no checksum. */
static void clear(unsigned char *bytes, uint32_t length)
{
    uint32_t after = 4 + (bytes[2] >> 5 != 0 ? WEIR_WIRE_AREA_BYTES(bytes[2] & 31u) : 0);
    if (length >= after + 20)
        memset(bytes + after + 16, 0, 4);
}

/* As if its sender had written it. Both ways to a checksum are asked. */
static void repair(unsigned char *bytes, uint32_t length)
{
    uint32_t after = 4 + (bytes[2] >> 5 != 0 ? WEIR_WIRE_AREA_BYTES(bytes[2] & 31u) : 0), covered = length, crc;
    uint32_t heads[] = { [WEIR_PKT_DATA] = 45, [WEIR_WIRE_STREAM] = 51 };
    if (length < after + 46)
        after = length < 28 ? length : 4;
    if (length < after + 20)
        return;
    if ((bytes[1] == WEIR_PKT_DATA || bytes[1] == WEIR_WIRE_STREAM) && length > after + 51 &&
        !(bytes[after + 44] & 0x80))
        covered = after + heads[bytes[1]];
    memset(bytes + after + 16, 0, 4);
    crc = weir_crc32c_table(weir_crc32c_table(0, bytes, 4), bytes + after, covered - after);
    WEIR_ASSERT(crc == weir_crc32c(weir_crc32c(0, bytes, 4), bytes + after, covered - after));
    for (uint32_t i = 0; i < 4; i++)
        bytes[after + 16 + i] = (unsigned char)(crc >> (24 - 8 * i));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint32_t length = size < DATAGRAM_MAX ? (uint32_t)size : DATAGRAM_MAX;
    unsigned char *copy = malloc(length + 1), *room = malloc(length + 1);
    WEIR_ASSERT(copy != NULL && room != NULL);
    as_packet(data, length, false);
    as_word(data, length, false, room);
    memcpy(copy, data, length);
    if (length >= 24)
        repair(copy, length);
    as_packet(copy, length, false);
    as_word(copy, length, false, room);
    if (length >= 24)
        clear(copy, length);
    as_packet(copy, length, true);
    as_word(copy, length, true, room);
    free(copy);
    free(room);
    return 0;
}
