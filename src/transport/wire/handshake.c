/* src/transport/wire/handshake.c - encodes and decodes the endpoint's own packets. */
#include "core/assert.h"
#include "wire/bytes.h"
#include "wire/wire.h"

/* A field: offset and length (1, 2, 4 or 8) on the wire, and offset in struct weir_wire_handshake, where it has the
 * same length. */
struct field {
    uint8_t at, bytes;
    uint16_t member;
};
#define FIELD(at, name)                                                                                                \
    {                                                                                                                  \
        at, sizeof(((struct weir_wire_handshake *)NULL)->name), offsetof(struct weir_wire_handshake, name)             \
    }
#define OFFER FIELD(24, version), FIELD(25, protection), FIELD(26, ports), FIELD(28, mss_bytes)

#define FIELDS_MAX 8u

/* Layout of a type: the bytes before the text of the law, whose length is the last field, or all bytes; then the
 * fields. least, most: bounds of the datagram's length; most 0 = as much as least. */
struct layout {
    uint8_t type;
    bool has_law;  /* the text follows */
    bool padded;   /* zeros follow, up to the datagram's end */
    bool counted;  /* of a connection: counter is above 0; else it is 0 */
    uint16_t head; /* bytes before the text */
    uint16_t least, most;
    struct field field[FIELDS_MAX];
};
#define ANY_LENGTH UINT16_MAX

static const struct layout layouts[] = {
    { WEIR_WIRE_HELLO, true, true, false, 32, WEIR_WIRE_HELLO_MIN, ANY_LENGTH, { OFFER, FIELD(30, law_bytes) } },
    { WEIR_WIRE_COOKIE, false, false, false, 36, 36, 36, { FIELD(24, cookie), FIELD(32, cookie_epoch) } },
    { WEIR_WIRE_OPEN,
      true,
      true,
      false,
      44,
      WEIR_WIRE_OPEN_BYTES,
      WEIR_WIRE_OPEN_BYTES,
      { OFFER, FIELD(30, law_bytes), FIELD(32, cookie), FIELD(40, cookie_epoch) } },
    { WEIR_WIRE_READY,
      true,
      false,
      false,
      40,
      40,
      40 + WEIR_WIRE_LAW_MAX,
      { OFFER, FIELD(30, law_bytes), FIELD(32, own_token) } },
    { WEIR_WIRE_RESET, false, false, false, 24, 24, 24, { { 0 } } },
    { WEIR_WIRE_REFUSE, false, false, true, 32, 32, 32, { FIELD(24, number), FIELD(28, msg) } },
    { WEIR_WIRE_VERSIONS, false, false, false, 28, 28, 28, { FIELD(24, lowest), FIELD(25, highest) } },
    { WEIR_WIRE_PING, false, false, true, 32, 32, 32, { FIELD(24, value) } },
    { WEIR_WIRE_PONG, false, false, true, 32, 32, 32, { FIELD(24, value) } },
    { WEIR_WIRE_CLOSE, false, false, true, 24, 24, 24, { { 0 } } },
};
_Static_assert(44 + WEIR_WIRE_LAW_MAX <= WEIR_WIRE_OPEN_BYTES, "the longest law fits");
_Static_assert(40 + WEIR_WIRE_LAW_MAX <= WEIR_WIRE_OPEN_BYTES, "no READY is longer than the OPEN that it answers");

/* Returns the layout of a type; NULL = there is no such type. */
static const struct layout *find(uint32_t type)
{
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
        if (layouts[i].type == type)
            return &layouts[i];
    return NULL;
}

static void put_field(const struct field *field, const struct weir_wire_handshake *packet, unsigned char *out)
{
    const unsigned char *member = (const unsigned char *)packet + field->member;
    uint64_t wide;
    uint32_t narrow;
    uint16_t small;
    if (field->bytes == 8) {
        memcpy(&wide, member, 8);
        put64(out + field->at, wide);
    } else if (field->bytes == 4) {
        memcpy(&narrow, member, 4);
        put32(out + field->at, narrow);
    } else if (field->bytes == 2) {
        memcpy(&small, member, 2);
        put16(out + field->at, small);
    } else {
        WEIR_ASSERT(field->bytes == 1);
        out[field->at] = *member;
    }
}

static void get_field(const struct field *field, const unsigned char *bytes, struct weir_wire_handshake *packet)
{
    unsigned char *member = (unsigned char *)packet + field->member;
    if (field->bytes == 8)
        memcpy(member, &(uint64_t){ get64(bytes + field->at) }, 8);
    else if (field->bytes == 4)
        memcpy(member, &(uint32_t){ get32(bytes + field->at) }, 4);
    else if (field->bytes == 2)
        memcpy(member, &(uint16_t){ get16(bytes + field->at) }, 2);
    else
        *member = bytes[field->at];
}

/* Returns the length of a packet with this text; a padded one may be longer. */
static uint32_t filled(const struct layout *layout, uint32_t law_bytes)
{
    return layout->head + (layout->has_law ? law_bytes : 0);
}

uint32_t weir_wire_encode_handshake(const struct weir_wire_handshake *packet, unsigned char *out, uint32_t room)
{
    const struct layout *layout = find(packet->type);
    uint32_t bytes, crc;
    WEIR_ASSERT(layout != NULL);
    WEIR_ASSERT(packet->law_bytes <= WEIR_WIRE_LAW_MAX);
    WEIR_ASSERT(!layout->counted || packet->counter > 0);
    bytes = filled(layout, packet->law_bytes);
    if (layout->padded)
        bytes = layout->most == ANY_LENGTH ? room : layout->least;
    if (room < bytes || bytes < layout->least || bytes < filled(layout, packet->law_bytes))
        return 0;
    memset(out, 0, bytes);
    for (uint32_t i = 0; i < FIELDS_MAX && layout->field[i].bytes > 0; i++)
        put_field(&layout->field[i], packet, out);
    if (layout->has_law && packet->law_bytes > 0)
        memcpy(out + layout->head, packet->law, packet->law_bytes);
    crc = wire_put_front((WEIR_WIRE_VERSION << 4 | WIRE_OWN) << 24 | (uint32_t)packet->type << 16, packet->token,
                         layout->counted ? packet->counter : 0, out, out + FRONT_BYTES);
    crc = weir_crc32c(crc, out + WEIR_WIRE_FRONT_BYTES, bytes - WEIR_WIRE_FRONT_BYTES);
    put32(out + FRONT_BYTES + AFTER_CHECKSUM, crc);
    return bytes;
}

/* Tests whether all bytes from `at` to the end are 0. */
static bool is_zero(const unsigned char *bytes, uint32_t at, uint32_t length)
{
    return at == length || (bytes[at] == 0 && memcmp(bytes + at, bytes + at + 1, length - at - 1) == 0);
}

static bool is_printable(const unsigned char *text, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        if (text[i] < ' ' || text[i] > '~')
            return false;
    return true;
}

/* Checks version, type and length of a packet of the endpoint's own. */
static enum weir_wire_result check_length(const unsigned char *bytes, uint32_t length)
{
    const struct layout *layout;
    if (length == 0)
        return WEIR_WIRE_SHORT;
    if (weir_wire_version(bytes) != WEIR_WIRE_VERSION)
        return WEIR_WIRE_VERSION_OTHER;
    if (length < FRONT_BYTES)
        return WEIR_WIRE_SHORT;
    layout = find(bytes[AT_TYPE]);
    if (layout == NULL)
        return WEIR_WIRE_TYPE;
    return length >= layout->least && length <= layout->most ? WEIR_WIRE_OK : WEIR_WIRE_SHORT;
}

/* Tests whether the bytes that a type does not use are 0. They are in the front, among the fields of an offer, behind
 * those of VERSIONS, and in the padding. end: where the fields and the text end */
static bool unused_are_zero(const struct layout *layout, const unsigned char *bytes, uint32_t end, uint32_t length)
{
    if (bytes[AT_VERSION] != (WEIR_WIRE_VERSION << 4 | WIRE_OWN) || bytes[AT_AREA] != 0 || bytes[AT_PHASE] != 0)
        return false;
    if (layout->has_law && bytes[27] != 0)
        return false;
    if (layout->type == WEIR_WIRE_VERSIONS && get16(bytes + 26) != 0)
        return false;
    return is_zero(bytes, end, length);
}

/* Checks the ranges of the fields of an offer: HELLO, OPEN and READY. */
static bool offer_is_valid(const struct weir_wire_handshake *packet)
{
    return packet->mss_bytes >= 1 && packet->mss_bytes <= WEIR_WIRE_PAYLOAD_MAX && packet->ports >= 1 &&
           packet->ports <= WEIR_WIRE_PORTS_MAX;
}

/* Checks everything but length and checksum, and reads the text of the law. */
static bool read_rest(const struct layout *layout, const unsigned char *bytes, uint32_t length,
                      struct weir_wire_handshake *packet)
{
    uint32_t end = filled(layout, packet->law_bytes);
    if (end > length || (!layout->padded && end != length) || packet->law_bytes > WEIR_WIRE_LAW_MAX)
        return false;
    if (!unused_are_zero(layout, bytes, end, length) || layout->counted != (packet->counter != 0))
        return false;
    if (!layout->has_law)
        return true;
    if (packet->law_bytes > 0)
        packet->law = (const char *)bytes + layout->head;
    return offer_is_valid(packet) && is_printable(bytes + layout->head, packet->law_bytes);
}

enum weir_wire_result weir_wire_decode_handshake(const unsigned char *bytes, uint32_t length,
                                                 struct weir_wire_handshake *out)
{
    enum weir_wire_result result = check_length(bytes, length);
    struct weir_wire_handshake packet = { 0 };
    const struct layout *layout;
    if (result != WEIR_WIRE_OK)
        return result;
    if (!wire_sum_is_right(bytes, FRONT_BYTES, length))
        return WEIR_WIRE_CHECKSUM;
    layout = find(bytes[AT_TYPE]);
    WEIR_ASSERT(layout != NULL);
    packet.type = bytes[AT_TYPE];
    packet.token = get64(bytes + FRONT_BYTES + AFTER_TOKEN);
    packet.counter = get64(bytes + FRONT_BYTES + AFTER_COUNTER);
    for (uint32_t i = 0; i < FIELDS_MAX && layout->field[i].bytes > 0; i++)
        get_field(&layout->field[i], bytes, &packet);
    if (!read_rest(layout, bytes, length, &packet))
        return WEIR_WIRE_RESERVED;
    *out = packet;
    return WEIR_WIRE_OK;
}
