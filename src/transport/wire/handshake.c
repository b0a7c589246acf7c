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
#define OFFER                                                                                                          \
    FIELD(AT_OFFER, version), FIELD(AT_PROTECTION, protection), FIELD(26, ports), FIELD(28, mss_bytes),                \
        FIELD(30, law_bytes)
#define KEYED_OFFER OFFER, FIELD(AT_CIPHER, cipher), FIELD(AT_KEY, key_number)

enum { /* offsets in HELLO, OPEN and READY; those from MAC on only with keys */
       AT_OFFER = 24,
       AT_PROTECTION = 25,
       AT_CIPHER = 27,
       OFFER_END = 32,
       AT_MAC = 32,
       AT_KEY = 48,
       AT_KEY_END = 50, /* two bytes 0 */
       AT_NOISE = 52,
       AT_KEYED_OWN = 116, /* READY: own token */
};

#define FIELDS_MAX 9u

/* Layout of a type: the bytes before the text of the law, whose length is law_bytes, or all bytes; then the
 * fields. least, most: bounds of the datagram's length; most 0 = as much as least. */
struct layout {
    uint8_t type;
    bool has_law;  /* the text follows */
    bool padded;   /* zeros follow, up to the datagram's end */
    bool counted;  /* of a connection: counter is above 0; else it is 0 */
    uint8_t noise; /* bytes at AT_NOISE; 0 = without keys */
    uint16_t head; /* bytes before the text */
    uint16_t least, most;
    struct field field[FIELDS_MAX];
};
#define ANY_LENGTH UINT16_MAX

static const struct layout layouts[] = {
    { WEIR_WIRE_HELLO, true, true, false, 0, 32, WEIR_WIRE_HELLO_MIN, ANY_LENGTH, { OFFER } },
    { WEIR_WIRE_COOKIE, false, false, false, 0, 36, 36, 36, { FIELD(24, cookie), FIELD(32, cookie_epoch) } },
    { WEIR_WIRE_OPEN,
      true,
      true,
      false,
      0,
      44,
      WEIR_WIRE_OPEN_BYTES,
      WEIR_WIRE_OPEN_BYTES,
      { OFFER, FIELD(32, cookie), FIELD(40, cookie_epoch) } },
    { WEIR_WIRE_READY, true, false, false, 0, 40, 40, 40 + WEIR_WIRE_LAW_MAX, { OFFER, FIELD(32, own_token) } },
    { WEIR_WIRE_RESET, false, false, false, 0, 24, 24, 24, { { 0 } } },
    { WEIR_WIRE_REFUSE, false, false, true, 0, 32, 32, 32, { FIELD(24, number), FIELD(28, msg) } },
    { WEIR_WIRE_VERSIONS, false, false, false, 0, 28, 28, 28, { FIELD(24, lowest), FIELD(25, highest) } },
    { WEIR_WIRE_PING, false, false, true, 0, 32, 32, 32, { FIELD(24, value) } },
    { WEIR_WIRE_PONG, false, false, true, 0, 32, 32, 32, { FIELD(24, value) } },
    { WEIR_WIRE_CLOSE, false, false, true, 0, 24, 24, 24, { { 0 } } },
    { WEIR_WIRE_CHALLENGE, false, false, true, 0, 32, 32, 32, { FIELD(24, value) } },
    { WEIR_WIRE_RESPONSE, false, false, true, 0, 32, 32, 32, { FIELD(24, value) } },
    /* with keys */
    { WEIR_WIRE_HELLO, true, true, false, WEIR_WIRE_NOISE_BYTES, 100, 100, ANY_LENGTH, { KEYED_OFFER } },
    { WEIR_WIRE_OPEN,
      true,
      true,
      false,
      WEIR_WIRE_NOISE_BYTES,
      112,
      WEIR_WIRE_OPEN_BYTES,
      WEIR_WIRE_OPEN_BYTES,
      { KEYED_OFFER, FIELD(100, cookie), FIELD(108, cookie_epoch) } },
    { WEIR_WIRE_READY,
      true,
      false,
      false,
      WEIR_WIRE_NOISE_END_BYTES,
      124,
      124,
      124 + WEIR_WIRE_KEYED_LAW_MAX,
      { KEYED_OFFER, FIELD(AT_KEYED_OWN, own_token) } },
};
_Static_assert(44 + WEIR_WIRE_LAW_MAX <= WEIR_WIRE_OPEN_BYTES, "the longest law fits");
_Static_assert(40 + WEIR_WIRE_LAW_MAX <= WEIR_WIRE_OPEN_BYTES, "no READY is longer than the OPEN that it answers");
_Static_assert(124 + WEIR_WIRE_KEYED_LAW_MAX <= WEIR_WIRE_OPEN_BYTES, "the same with keys");
_Static_assert(AT_MAC + WEIR_WIRE_MAC_BYTES == AT_KEY, "no gap");
_Static_assert(AT_NOISE + WEIR_WIRE_NOISE_BYTES == 100 && AT_NOISE + WEIR_WIRE_NOISE_END_BYTES == AT_KEYED_OWN,
               "no gap");
_Static_assert(OFFER_END - AT_OFFER + 8 == WEIR_WIRE_AGREED_BYTES, "and the own token");

/* Returns the layout of a type; NULL = there is no such type. protection: of HELLO, OPEN and READY */
static const struct layout *find(uint32_t type, uint32_t protection)
{
    for (size_t i = 0; i < sizeof(layouts) / sizeof(layouts[0]); i++)
        if (layouts[i].type == type &&
            (!layouts[i].has_law || (layouts[i].noise > 0) == (protection != WEIR_WIRE_NONE)))
            return &layouts[i];
    return NULL;
}

/* Returns the layout of a datagram of at least FRONT_BYTES; NULL = there is no such type. */
static const struct layout *layout_of(const unsigned char *bytes, uint32_t length)
{
    return find(bytes[AT_TYPE], length > AT_PROTECTION ? bytes[AT_PROTECTION] : WEIR_WIRE_NONE);
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

/* Returns the longest text of a law. */
static uint32_t law_most(const struct layout *layout)
{
    return layout->noise > 0 ? WEIR_WIRE_KEYED_LAW_MAX : WEIR_WIRE_LAW_MAX;
}

/* Writes MAC and Noise message of a HELLO, OPEN or READY, if they are given. */
static void put_keys(const struct layout *layout, const struct weir_wire_handshake *packet, unsigned char *out)
{
    if (packet->mac != NULL)
        memcpy(out + AT_MAC, packet->mac, WEIR_WIRE_MAC_BYTES);
    if (packet->noise != NULL)
        memcpy(out + AT_NOISE, packet->noise, layout->noise);
}

/* Tests whether a packet may have a key phase: a sealed one, and the OPEN and READY of keys. */
static bool has_phase(const struct layout *layout, bool sealed)
{
    return sealed || (layout->noise > 0 && layout->type != WEIR_WIRE_HELLO);
}

/* Writes what every datagram begins with, and the checksum if there is one. */
static void put_front(const struct layout *layout, const struct weir_wire_handshake *packet, unsigned char *out,
                      uint32_t bytes)
{
    uint32_t first = (WEIR_WIRE_VERSION << 4 | WIRE_OWN) << 24 | (uint32_t)packet->type << 16 | packet->key_phase, crc;
    uint64_t counter = layout->counted ? packet->counter : 0;
    if (packet->sealed) {
        wire_put_sealed_front(first, packet->token, counter, out, out + FRONT_BYTES);
        return;
    }
    crc = wire_put_front(first, packet->token, counter, out, out + FRONT_BYTES);
    crc = weir_crc32c(crc, out + WEIR_WIRE_FRONT_BYTES, bytes - WEIR_WIRE_FRONT_BYTES);
    put32(out + FRONT_BYTES + AFTER_CHECKSUM, crc);
}

uint32_t weir_wire_encode_handshake(const struct weir_wire_handshake *packet, unsigned char *out, uint32_t room)
{
    const struct layout *layout = find(packet->type, packet->protection);
    uint32_t bytes;
    WEIR_ASSERT(layout != NULL);
    WEIR_ASSERT(packet->law_bytes <= law_most(layout));
    WEIR_ASSERT(!packet->sealed || layout->counted);
    WEIR_ASSERT(packet->key_phase == 0 || has_phase(layout, packet->sealed));
    WEIR_ASSERT(!layout->counted || packet->counter > 0 || packet->sealed);
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
    if (layout->noise > 0)
        put_keys(layout, packet, out);
    put_front(layout, packet, out, bytes);
    return bytes;
}

void weir_wire_take_mac(unsigned char *bytes, unsigned char mac[WEIR_WIRE_MAC_BYTES])
{
    WEIR_ASSERT(bytes[AT_PROTECTION] != WEIR_WIRE_NONE);
    memcpy(mac, bytes + AT_MAC, WEIR_WIRE_MAC_BYTES);
    memset(bytes + AT_MAC, 0, WEIR_WIRE_MAC_BYTES);
    put32(bytes + FRONT_BYTES + AFTER_CHECKSUM, 0);
}

void weir_wire_put_mac(unsigned char *bytes, uint32_t length, const unsigned char mac[WEIR_WIRE_MAC_BYTES])
{
    WEIR_ASSERT(bytes[AT_PROTECTION] != WEIR_WIRE_NONE);
    WEIR_ASSERT(get32(bytes + FRONT_BYTES + AFTER_CHECKSUM) == 0);
    memcpy(bytes + AT_MAC, mac, WEIR_WIRE_MAC_BYTES);
    put32(bytes + FRONT_BYTES + AFTER_CHECKSUM, weir_crc32c(0, bytes, length));
}

void weir_wire_agreed(const struct weir_wire_handshake *ready, unsigned char out[WEIR_WIRE_AGREED_BYTES])
{
    WEIR_ASSERT(ready->type == WEIR_WIRE_READY);
    out[0] = ready->version;
    out[1] = ready->protection;
    out[2] = ready->ports;
    out[3] = ready->cipher;
    put16(out + 4, ready->mss_bytes);
    put16(out + 6, ready->law_bytes);
    put64(out + 8, ready->own_token);
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
    layout = layout_of(bytes, length);
    if (layout == NULL)
        return WEIR_WIRE_TYPE;
    return length >= layout->least && length <= layout->most ? WEIR_WIRE_OK : WEIR_WIRE_SHORT;
}

enum weir_wire_result weir_wire_measure_handshake(const unsigned char *bytes, uint32_t length,
                                                  struct weir_wire_parts *parts)
{
    enum weir_wire_result result = check_length(bytes, length);
    if (result != WEIR_WIRE_OK)
        return result;
    if (!layout_of(bytes, length)->counted)
        return WEIR_WIRE_TYPE;
    *parts = (struct weir_wire_parts){ .head_end = length };
    return WEIR_WIRE_OK;
}

/* Tests whether the bytes that a type does not use are 0. They are in the front, among the fields of an offer, behind
 * those of VERSIONS, and in the padding. end: where the fields and the text end */
static bool unused_are_zero(const struct layout *layout, const unsigned char *bytes, uint32_t end, uint32_t length,
                            bool sealed)
{
    if (bytes[AT_VERSION] != (WEIR_WIRE_VERSION << 4 | WIRE_OWN) || bytes[AT_AREA] != 0)
        return false;
    if (bytes[AT_PHASE] != 0 && !has_phase(layout, sealed))
        return false;
    if (layout->has_law && layout->noise == 0 && bytes[AT_CIPHER] != 0)
        return false;
    if (layout->noise > 0 && get16(bytes + AT_KEY_END) != 0)
        return false;
    if (layout->type == WEIR_WIRE_VERSIONS && get16(bytes + 26) != 0)
        return false;
    return is_zero(bytes, end, length);
}

/* Checks the ranges of the fields of an offer: HELLO, OPEN and READY. */
static bool offer_is_valid(const struct weir_wire_handshake *packet)
{
    if (packet->protection > WEIR_WIRE_AEAD || packet->cipher > WEIR_WIRE_CIPHERS)
        return false;
    if ((packet->protection == WEIR_WIRE_NONE) != (packet->cipher == 0))
        return false;
    return packet->mss_bytes >= 1 && packet->mss_bytes <= WEIR_WIRE_PAYLOAD_MAX && packet->ports >= 1 &&
           packet->ports <= WEIR_WIRE_PORTS_MAX;
}

/* Checks everything but length and checksum, and reads the text of the law. */
static bool read_rest(const struct layout *layout, const unsigned char *bytes, uint32_t length,
                      struct weir_wire_handshake *packet)
{
    uint32_t end = filled(layout, packet->law_bytes);
    if (end > length || (!layout->padded && end != length) || packet->law_bytes > law_most(layout))
        return false;
    if (!unused_are_zero(layout, bytes, end, length, packet->sealed) || layout->counted != (packet->counter != 0))
        return false;
    if (!layout->has_law)
        return true;
    if (packet->law_bytes > 0)
        packet->law = (const char *)bytes + layout->head;
    if (layout->noise > 0) {
        packet->mac = bytes + AT_MAC;
        packet->noise = bytes + AT_NOISE;
    }
    return offer_is_valid(packet) && is_printable(bytes + layout->head, packet->law_bytes);
}

/* Reads a datagram. sealed: as weir_wire_decode_opened_handshake() does */
static enum weir_wire_result decode(const unsigned char *bytes, uint32_t length, bool sealed,
                                    struct weir_wire_handshake *out)
{
    enum weir_wire_result result = check_length(bytes, length);
    struct weir_wire_handshake packet = { .sealed = sealed };
    const struct layout *layout;
    if (result != WEIR_WIRE_OK)
        return result;
    layout = layout_of(bytes, length);
    if (sealed && !layout->counted)
        return WEIR_WIRE_TYPE;
    if (sealed ? get32(bytes + FRONT_BYTES + AFTER_CHECKSUM) != 0 : !wire_sum_is_right(bytes, FRONT_BYTES, length))
        return WEIR_WIRE_CHECKSUM;
    packet.type = bytes[AT_TYPE];
    packet.key_phase = bytes[AT_PHASE];
    packet.token = get64(bytes + FRONT_BYTES + AFTER_TOKEN);
    packet.counter = get64(bytes + FRONT_BYTES + AFTER_COUNTER);
    for (uint32_t i = 0; i < FIELDS_MAX && layout->field[i].bytes > 0; i++)
        get_field(&layout->field[i], bytes, &packet);
    if (!read_rest(layout, bytes, length, &packet))
        return WEIR_WIRE_RESERVED;
    *out = packet;
    return WEIR_WIRE_OK;
}

enum weir_wire_result weir_wire_decode_handshake(const unsigned char *bytes, uint32_t length,
                                                 struct weir_wire_handshake *out)
{
    return decode(bytes, length, false, out);
}

enum weir_wire_result weir_wire_decode_opened_handshake(const unsigned char *bytes, uint32_t length,
                                                        struct weir_wire_handshake *out)
{
    return decode(bytes, length, true, out);
}
