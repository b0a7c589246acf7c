/* test/unit/wire/vectors.h - reads vectors.txt: datagrams of each type, in hex; and knows where things are in them, from
 * doc/wire.md, not from the encoder. */
#ifndef WEIR_TEST_WIRE_VECTORS_H
#define WEIR_TEST_WIRE_VECTORS_H
#include "test/unit/weir_test.h"
#include "wire/crc32c.h"
#include "wire/wire.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { VECTORS = 40, VECTOR_PACKETS = 23, VECTOR_MAX = 512 }; /* the first VECTOR_PACKETS are of messages */

struct vector {
    char name[32];
    unsigned char bytes[VECTOR_MAX];
    uint32_t length;
};
static struct vector vectors[VECTORS];

static inline int nibble(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

static inline void add_bytes(struct vector *v, const char *line)
{
    for (; *line != '\0' && *line != '\n'; line++) {
        if (!isxdigit((unsigned char)line[0]))
            continue;
        assert_true(isxdigit((unsigned char)line[1]) && v->length < VECTOR_MAX);
        v->bytes[v->length++] = (unsigned char)(nibble(line[0]) << 4 | nibble(line[1]));
        line++;
    }
}

/* Run from the top of the tree. */
static inline int read_vectors(void **state)
{
    FILE *file = fopen("test/unit/wire/vectors.txt", "r");
    char line[256];
    uint32_t count = 0;
    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof(line), file) != NULL) {
        if (line[0] == '=') {
            assert_true(count < VECTORS);
            assert_int_equal(sscanf(line, "= %31s", vectors[count++].name), 1);
        } else if (line[0] != '#' && count > 0) {
            add_bytes(&vectors[count - 1], line);
        }
    }
    (void)fclose(file);
    assert_int_equal(count, VECTORS);
    return 0;
}

static inline const struct vector *vector(const char *name)
{
    for (uint32_t i = 0; i < VECTORS; i++)
        if (strcmp(vectors[i].name, name) == 0)
            return &vectors[i];
    fail_msg("no vector %s", name);
    return NULL;
}

/* MTU 1500: 1423 of payload; 49 + 8 + 20 + 18 of headers and 20 of gap. */
static const struct weir_framing framing = { 1423, 95, 20, 84, 135 };

/* Where the area ends. */
static inline uint32_t after(const unsigned char *bytes)
{
    return 4 + (bytes[2] >> 5 != 0 ? 4 + 16 * (bytes[2] & 31u) : 0);
}

static inline bool is_own(const unsigned char *bytes)
{
    return bytes[1] >= 32;
}

static inline bool is_data(const unsigned char *bytes)
{
    return bytes[1] == 0 || bytes[1] == 16;
}

/* Bytes of the header of a vector. */
static inline uint32_t head_of(const unsigned char *bytes)
{
    const unsigned char *counts = bytes + after(bytes) + 45;
    return after(bytes) + (bytes[1] == 16 ? 51 : bytes[1] == 1 ? 60 + 8u * (*counts >> 4) + 16u * (*counts & 15u) : 45);
}

/* Of either function: whoever knows the type. */
static inline enum weir_wire_result decode(const unsigned char *bytes, uint32_t length)
{
    struct weir_wire_head head;
    struct weir_wire_handshake word;
    return weir_wire_type(bytes, length) >= (int)WEIR_WIRE_OWN ? weir_wire_decode_handshake(bytes, length, &word)
                                                               : weir_wire_decode(bytes, length, &framing, &head);
}

/* Bytes under the checksum, from the front on; the area is not. */
static inline uint32_t covered(const unsigned char *bytes, uint32_t length)
{
    return is_data(bytes) && !(bytes[after(bytes) + 44] & 0x80) ? head_of(bytes) : length;
}

/* As a sender would have written it: the checksum is right, whatever the rest says. `from`: as it was, for where things
 * are */
static inline enum weir_wire_result decode_repaired(const unsigned char *changed, const struct vector *v,
                                                    uint32_t length)
{
    unsigned char bytes[2 * VECTOR_MAX];
    uint32_t at = after(v->bytes), crc, end = covered(v->bytes, length);
    if (is_data(v->bytes) && changed[at + 44] & 0x80)
        end = length;
    memcpy(bytes, changed, length);
    memset(bytes + at + 16, 0, 4);
    crc = weir_crc32c(weir_crc32c(0, bytes, 4), bytes + at, end - at);
    for (unsigned i = 0; i < 4; i++)
        bytes[at + 16 + i] = (unsigned char)(crc >> (24 - 8 * i));
    return decode(bytes, length);
}
#endif
