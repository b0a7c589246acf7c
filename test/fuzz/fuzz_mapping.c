/* test/fuzz/fuzz_mapping.c - any bytes as an Ethernet frame, given to a mapping; then changes as hooks make them, also drawn from the input.
 * No byte outside the frame is read. Only fields that hooks write change, a checksum that was right stays right, and the changes are read
 * back. The first two bytes of an input choose the fields in use and the changes; the frame follows. */
#include "core/assert.h"
#include "mapping/mapping.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HOSTS = 4, MTU = 1500, FRAME_MAX = 2048, SETS = 5 };
#define NOW_PS (UINT64_C(900) * WEIR_PS_PER_MS)

static const struct weir_telemetry_rates rates = { .bps = { 200000000, 100000000 }, .count = 2 };
static const struct weir_mapping_fields fields[SETS] = {
    { 0 }, { .qdelay_unit_ps = 256 * WEIR_PS_PER_NS }, { .records_max = 5 }, { .weights = true }, { .rates = true },
};

static void *grow(void *ctx, size_t size)
{
    void **memory = ctx;
    *memory = calloc(1, size);
    return *memory;
}

static uint32_t get16(const unsigned char *from)
{
    return (uint32_t)from[0] << 8 | from[1];
}

static uint32_t add(uint32_t sum, const unsigned char *data, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++) {
        sum += i % 2 == 0 ? (uint32_t)data[i] << 8 : data[i];
        sum = (sum & 0xffff) + (sum >> 16);
    }
    return sum;
}

/* Returns the checksum's sum over what is behind the header of IP, with the pseudo header, which nothing changes. */
static uint32_t sum_behind(const struct weir_mapping_at *at, const unsigned char *frame, uint32_t length)
{
    uint32_t end = at->is_v6 ? 54 + get16(frame + 18) : 14 + get16(frame + 16);
    uint32_t from = at->is_v6 ? 22 : 26, protocol = at->shape == WEIR_SHAPE_TCP ? 6 : 17, bytes;
    unsigned char tail[4] = { 0, (unsigned char)protocol };
    WEIR_ASSERT(at->l4_at < end && end <= length);
    bytes = end - at->l4_at;
    if (protocol == 17)
        bytes = get16(frame + at->l4_at + 4);
    tail[2] = (unsigned char)(bytes >> 8);
    tail[3] = (unsigned char)bytes;
    return add(add(add(0, frame + from, at->is_v6 ? 32 : 8), tail, 4), frame + at->l4_at, bytes);
}

static bool is_udp_without(const struct weir_mapping_at *at, const unsigned char *frame)
{
    return at->sum_at == at->l4_at + 6 && get16(frame + at->sum_at) == 0;
}

/* Changes a packet as hooks do, by the bits of `how`. */
static void decide(const struct weir_mapping_fields *f, uint32_t how, struct weir_pkt *pkt, struct weir_telemetry *hop)
{
    if ((how & 1) != 0 && (pkt->flags & WEIR_PKT_ECT) != 0)
        pkt->flags |= WEIR_PKT_CE;
    if ((how & 2) != 0 && pkt->kind == WEIR_PKT_ACK)
        pkt->flags |= WEIR_PKT_ECE;
    if ((how & 4) != 0 && pkt->kind == WEIR_PKT_DATA && (f->rates || f->qdelay_unit_ps != 0))
        pkt->qdelay = (uint16_t)(pkt->qdelay + (65535u - pkt->qdelay) * (how >> 4) / 16);
    if ((how & 8) != 0 && pkt->tokens > 0)
        pkt->tokens = WEIR_PKT_TOKENS(pkt->tokens - 1u);
    for (uint32_t i = how >> 4 & 3; f->records_max > 0 && i > 0 && pkt->hops < WEIR_TELEMETRY_HOPS_MAX; i--)
        hop[pkt->hops++] = weir_telemetry_pack(NOW_PS - how, how * UINT64_C(100000007), (uint64_t)how * 77, i & 1);
}

/* Tests whether a byte of a frame is one that weir_mapping_write() may change. */
static bool may_change(const struct weir_mapping_at *at, uint32_t i)
{
    uint32_t slots = at->slots_at != 0 ? WEIR_WIRE_SLOT_BYTES * at->slots : 0;
    return i == 15 || (!at->is_v6 && (i == 24 || i == 25)) ||
           (at->sum_at != 0 && (i == at->sum_at || i == at->sum_at + 1u)) ||
           (at->delay_at != 0 && (i == at->delay_at || i == at->delay_at + 1u)) ||
           (at->shape == WEIR_SHAPE_TCP && i == at->l4_at + 13u) ||
           (at->signal_at != 0 && i >= at->signal_at && i < at->signal_at + 4u) ||
           (slots > 0 && i >= at->slots_at && i < at->slots_at + slots);
}

/* Checks what was read: within bounds, and of this frame. */
static void check_read(const struct weir_pkt *pkt, const struct weir_mapping_at *at, uint32_t length)
{
    WEIR_ASSERT(pkt->src == 0 && pkt->dst > 0 && pkt->dst < HOSTS);
    WEIR_ASSERT(pkt->wire_bytes == (length < 60 ? 84 : length + 24) && pkt->wire_bytes <= WEIR_WIRE_MAX_BYTES);
    WEIR_ASSERT(pkt->kind == WEIR_PKT_ACK || pkt->payload_bytes < length);
    WEIR_ASSERT(pkt->kind <= WEIR_PKT_SYN_ACK && weir_pkt_law(pkt) == 0 && pkt->arrival_ps == 0);
    WEIR_ASSERT(at->shape == WEIR_SHAPE_WEIR || pkt->kind == WEIR_PKT_DATA || pkt->kind == WEIR_PKT_ACK);
    WEIR_ASSERT(at->delay_at + 2u <= length && at->signal_at + 4u <= length && at->sum_at + 2u <= length);
    WEIR_ASSERT(at->slots_at + WEIR_WIRE_SLOT_BYTES * at->slots <= length && at->records <= at->slots);
}

/* Reads the frame again: what hooks wrote is there, unless the frame has no place for it. */
static void check_again(struct weir_mapping *m, const struct weir_mapping_at *at, unsigned char *frame, uint32_t length,
                        const struct weir_pkt *want, uint32_t lacks)
{
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
    struct weir_mapping_at again;
    struct weir_pkt pkt;
    WEIR_ASSERT(weir_mapping_read(m, 0, frame, length, &pkt, hop, &again) == WEIR_MAPPING_PACKET);
    WEIR_ASSERT(again.shape == at->shape && again.signal_at == at->signal_at && again.delay_at == at->delay_at);
    WEIR_ASSERT(pkt.conn == want->conn && pkt.hash == want->hash && pkt.kind == want->kind && pkt.seq == want->seq);
    WEIR_ASSERT(pkt.flags == want->flags || (lacks & WEIR_LACK_ECE) != 0);
    WEIR_ASSERT(pkt.tokens == want->tokens);
    WEIR_ASSERT(m->config.fields.records_max == 0 || pkt.hops == want->hops || (lacks & WEIR_LACK_RECORDS) != 0);
    WEIR_ASSERT(!m->config.fields.rates || want->kind != WEIR_PKT_DATA || pkt.qdelay == want->qdelay ||
                (lacks & WEIR_LACK_QDELAY) != 0);
}

static void pass(struct weir_mapping *m, unsigned char *frame, uint32_t length, uint32_t how)
{
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
    unsigned char before[FRAME_MAX];
    struct weir_mapping_at at;
    struct weir_pkt pkt;
    uint32_t lacks, sum = 0;
    bool has_sum, had_none = false;
    if (weir_mapping_read(m, 0, frame, length, &pkt, hop, &at) != WEIR_MAPPING_PACKET) {
        WEIR_ASSERT(at.cause < WEIR_MAPPING_CAUSES);
        return;
    }
    check_read(&pkt, &at, length);
    memcpy(before, frame, length);
    has_sum = at.sum_at != 0;
    if (has_sum) {
        had_none = is_udp_without(&at, frame);
        sum = sum_behind(&at, frame, length);
    }
    decide(&m->config.fields, how, &pkt, hop);
    lacks = weir_mapping_write(m, &at, frame, &pkt, hop, NOW_PS);
    for (uint32_t i = 0; i < length; i++)
        WEIR_ASSERT(frame[i] == before[i] || may_change(&at, i));
    WEIR_ASSERT(!has_sum || had_none == is_udp_without(&at, frame));
    WEIR_ASSERT(!has_sum || had_none || sum % 0xffff == sum_behind(&at, frame, length) % 0xffff);
    if (!at.is_v6)
        WEIR_ASSERT(add(0, before + 14, (before[14] & 15u) * 4) % 0xffff ==
                    add(0, frame + 14, (frame[14] & 15u) * 4) % 0xffff);
    check_again(m, &at, frame, length, &pkt, lacks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_mapping_config cfg = {
        .rates = &rates, .hosts = HOSTS, .addresses = 16, .mtu_bytes = MTU, .udp_port = { 7413 }, .learns = true
    };
    struct weir_mapping m;
    struct weir_err err;
    void *memory = NULL;
    const struct weir_mem mem = { .grow = grow, .ctx = &memory };
    uint32_t length;
    unsigned char *frame;
    if (size < 2)
        return 0;
    length = size - 2 < FRAME_MAX ? (uint32_t)size - 2 : FRAME_MAX;
    cfg.fields = fields[data[0] % SETS];
    WEIR_ASSERT(weir_mapping_init(&m, &cfg, &mem, &err) == 0);
    for (uint32_t h = 0; h < HOSTS; h++) {
        struct weir_mapping_address four = { .bytes = { 10, 0, 0, (uint8_t)(h + 1) }, .version = 4 };
        struct weir_mapping_address six = { .bytes = { 0xfd, [15] = (uint8_t)(h + 1) }, .version = 6 };
        WEIR_ASSERT(weir_mapping_add(&m, &four, h, &err) == 0 && weir_mapping_add(&m, &six, h, &err) == 0);
    }
    frame = malloc(length > 0 ? length : 1); /* of its length, so that a byte behind it is found */
    WEIR_ASSERT(frame != NULL);
    if (length > 0)
        memcpy(frame, data + 2, length);
    pass(&m, frame, length, data[1]);
    free(frame);
    free(memory);
    return 0;
}
