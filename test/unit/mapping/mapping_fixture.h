/* test/unit/mapping/mapping_fixture.h - a mapping of four hosts with an IPv4 and an IPv6 address each, frames made by
 * hand, and an independent recomputation of their checksums. Host h has 10.0.0.(h + 1) and fd00::(h + 1). */
#ifndef WEIR_TEST_MAPPING_FIXTURE_H
#define WEIR_TEST_MAPPING_FIXTURE_H
#include "test/unit/weir_test.h"
#include "core/rng.h"
#include "mapping/mapping.h"
#include <stdlib.h>
#include <string.h>

enum { HOSTS = 4, MTU = 1500, PORT = 7413, FRAME_ROOM = WEIR_WIRE_MAX_BYTES };

static const struct weir_telemetry_rates fix_rates = { .bps = { 200000000, 100000000, 1000000000 }, .count = 3 };
static struct weir_mapping map;
static unsigned char frame[FRAME_ROOM];
static struct weir_pkt pkt;
static struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
static struct weir_mapping_at at;

static inline void *fix_grow(void *ctx, size_t size)
{
    (void)ctx;
    return calloc(1, size);
}

static inline struct weir_mapping_address fix_address(uint32_t version, uint32_t host)
{
    struct weir_mapping_address a = { .version = (uint8_t)version };
    if (version == 4)
        memcpy(a.bytes, (const uint8_t[]){ 10, 0, 0, (uint8_t)(host + 1) }, 4);
    else {
        a.bytes[0] = 0xfd;
        a.bytes[15] = (uint8_t)(host + 1);
    }
    return a;
}

/* Frees the mapping of a test before. */
static inline void fix_end(void)
{
    free(map.entry);
    map.entry = NULL;
}

static inline void fix_open(const struct weir_mapping_config *cfg)
{
    const struct weir_mem mem = { .grow = fix_grow };
    struct weir_err err;
    fix_end();
    assert_int_equal(weir_mapping_init(&map, cfg, &mem, &err), 0);
}

/* Opens a mapping that knows all addresses. */
static inline void fix_begin(struct weir_mapping_fields fields)
{
    struct weir_err err;
    fix_open(&(struct weir_mapping_config){ .rates = &fix_rates,
                                            .fields = fields,
                                            .hosts = HOSTS,
                                            .addresses = 2 * HOSTS,
                                            .mtu_bytes = MTU,
                                            .udp_port = { PORT } });
    for (uint32_t h = 0; h < HOSTS; h++) {
        struct weir_mapping_address four = fix_address(4, h), six = fix_address(6, h);
        assert_int_equal(weir_mapping_add(&map, &four, h, &err), 0);
        assert_int_equal(weir_mapping_add(&map, &six, h, &err), 0);
    }
}

static inline uint32_t fix_hex(const char *hex, unsigned char *out)
{
    uint32_t n = (uint32_t)strlen(hex) / 2;
    for (uint32_t i = 0; i < n; i++) {
        const char pair[3] = { hex[2 * i], hex[2 * i + 1], '\0' };
        out[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    return n;
}

static inline enum weir_mapping_verdict fix_read(uint32_t host, uint32_t length)
{
    memset(&pkt, 0xa5, sizeof(pkt)); /* nothing may remain of what was there */
    memset(&at, 0xa5, sizeof(at));
    return weir_mapping_read(&map, host, frame, length, &pkt, hop, &at);
}

static inline uint32_t fix_get16(const unsigned char *from)
{
    return (uint32_t)from[0] << 8 | from[1];
}

static inline void fix_put16(unsigned char *to, uint32_t value)
{
    to[0] = (unsigned char)(value >> 8);
    to[1] = (unsigned char)value;
}

/* Adds 16-bit numbers one by one, with the carry added at once: slow and plain. */
static inline uint32_t fix_add(uint32_t sum, const unsigned char *data, uint32_t size)
{
    for (uint32_t i = 0; i < size; i++) {
        sum += i % 2 == 0 ? (uint32_t)data[i] << 8 : data[i];
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

/* Returns the sum of the pseudo header and of a segment without extension headers before it, checksum included. */
static inline uint32_t fix_sum4(const unsigned char *f, bool is_v6, uint32_t protocol, uint32_t l4, uint32_t bytes)
{
    unsigned char tail[4] = { 0, (unsigned char)protocol, (unsigned char)(bytes >> 8), (unsigned char)bytes };
    uint32_t sum = fix_add(0, f + (is_v6 ? 22 : 26), is_v6 ? 32 : 8);
    return fix_add(fix_add(sum, tail, 4), f + l4, bytes);
}

/* Tests all checksums of a frame of IPv4 without options or IPv6 without extension headers. */
static inline bool fix_sums_are_right(const unsigned char *f)
{
    bool is_v6 = fix_get16(f + 12) == 0x86dd;
    uint32_t l4 = is_v6 ? 54 : 34, protocol = f[is_v6 ? 20 : 23];
    uint32_t bytes = is_v6 ? fix_get16(f + 18) : fix_get16(f + 16) - 20;
    if (!is_v6 && fix_add(0, f + 14, 20) != 0xffff)
        return false;
    if (protocol == 17 && fix_get16(f + l4 + 6) == 0)
        return !is_v6;
    return fix_sum4(f, is_v6, protocol, l4, bytes) == 0xffff;
}

/* Writes the headers of Ethernet and IP. bytes: of what is behind them. @return where that begins */
static inline uint32_t fix_ip(uint32_t version, uint32_t protocol, uint32_t from, uint32_t to, uint32_t tos,
                              uint32_t bytes)
{
    const struct weir_mapping_address src = fix_address(version, from), dst = fix_address(version, to);
    uint32_t head = version == 4 ? 20 : 40;
    memset(frame, 0, sizeof(frame));
    memcpy(frame, (const unsigned char[]){ 2, 0, 0, 0, 0, (unsigned char)to, 2, 0, 0, 0, 0, (unsigned char)from }, 12);
    fix_put16(frame + 12, version == 4 ? 0x0800 : 0x86dd);
    if (version == 4) {
        fix_put16(frame + 14, 0x4500 | tos);
        fix_put16(frame + 16, 20 + bytes);
        frame[22] = 64;
        frame[23] = (unsigned char)protocol;
        memcpy(frame + 26, src.bytes, 4);
        memcpy(frame + 30, dst.bytes, 4);
        fix_put16(frame + 24, 0xffff - fix_add(0, frame + 14, 20));
    } else {
        fix_put16(frame + 14, 0x6000 | tos << 4);
        fix_put16(frame + 18, bytes);
        frame[20] = (unsigned char)protocol;
        frame[21] = 64;
        memcpy(frame + 22, src.bytes, 16);
        memcpy(frame + 38, dst.bytes, 16);
    }
    return 14 + head;
}

/* Writes the checksum of a segment at l4. sum_at: within it */
static inline void fix_put_sum(uint32_t l4, uint32_t sum_at, uint32_t protocol, uint32_t bytes)
{
    bool is_v6 = fix_get16(frame + 12) == 0x86dd;
    uint32_t sum;
    fix_put16(frame + l4 + sum_at, 0);
    sum = 0xffff - fix_sum4(frame, is_v6, protocol, l4, bytes);
    fix_put16(frame + l4 + sum_at, protocol == 17 && sum == 0 ? 0xffff : sum);
}

/* Makes a TCP segment from host 0 to host 1, ports 40000 and 5001. options: bytes of options, a multiple of four.
 * @return length of the frame */
static inline uint32_t fix_tcp(uint32_t version, uint32_t flags, uint32_t tos, const unsigned char *option,
                               uint32_t options, uint32_t payload)
{
    uint32_t bytes = 20 + options + payload, l4 = fix_ip(version, 6, 0, 1, tos, bytes);
    unsigned char *tcp = frame + l4;
    fix_put16(tcp, 40000);
    fix_put16(tcp + 2, 5001);
    fix_put16(tcp + 4, 0x0102);
    fix_put16(tcp + 6, 0x0304);
    fix_put16(tcp + 8, 0x0506);
    fix_put16(tcp + 10, 0x0708);
    tcp[12] = (unsigned char)((20 + options) / 4 << 4);
    tcp[13] = (unsigned char)flags;
    if (options > 0)
        memcpy(tcp + 20, option, options);
    memset(tcp + 20 + options, 0x5a, payload);
    fix_put_sum(l4, 16, 6, bytes);
    return l4 + bytes;
}

/* Makes a UDP datagram from host 0 to host 1. @return length of the frame */
static inline uint32_t fix_udp(uint32_t version, uint32_t from_port, uint32_t to_port, uint32_t tos,
                               const unsigned char *payload, uint32_t bytes)
{
    uint32_t l4 = fix_ip(version, 17, 0, 1, tos, 8 + bytes);
    fix_put16(frame + l4, from_port);
    fix_put16(frame + l4 + 2, to_port);
    fix_put16(frame + l4 + 4, 8 + bytes);
    if (bytes > 0)
        memcpy(frame + l4 + 8, payload, bytes);
    fix_put_sum(l4, 6, 17, 8 + bytes);
    return l4 + 8 + bytes;
}

/* Makes a message packet of libweir from host 0 to host 1, with payload if it is DATA. @return length of the frame */
static inline uint32_t fix_message(uint32_t version, const struct weir_wire_head *head)
{
    static unsigned char bytes[FRAME_ROOM];
    uint32_t own = weir_wire_head_bytes(head), payload = head->pkt.kind == WEIR_PKT_DATA ? head->pkt.payload_bytes : 0;
    memset(bytes + own, 0x5a, payload);
    weir_wire_encode(head, bytes + own, bytes);
    return fix_udp(version, 49153, PORT, 2, bytes, own + payload);
}

static inline uint64_t fix_random(uint64_t *count)
{
    return weir_rng_at(weir_rng_key(55, 1, WEIR_RNG_TEST, 0), (*count)++);
}
#endif
