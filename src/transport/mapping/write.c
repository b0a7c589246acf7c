/* src/transport/mapping/write.c - what hooks have changed in a packet, into its frame. Checksums follow by RFC 1624: a
 * wrong one stays wrong, and the receiver still finds it. */
#include "core/assert.h"
#include "mapping/headers.h"
#include "mapping/units.h"
#include "wire/delay_option.h"
#include "wire/internet.h"

enum { AT_TOS = AT_IP + IP4_TOS, AT_IP4_SUM = AT_IP + IP4_SUM }; /* of IPv6 the byte has the ECN bits, too */

#define IP6_ECN_SHIFT 4u

/* Sets CE. In IPv4 its header's checksum covers it, in IPv6 none does. */
static void put_ce(unsigned char *frame, bool is_v6)
{
    uint16_t before = get16(frame + AT_IP);
    frame[AT_TOS] |= (unsigned char)(is_v6 ? ECN_CE << IP6_ECN_SHIFT : ECN_CE);
    if (!is_v6)
        put16(frame + AT_IP4_SUM, weir_sum_update(get16(frame + AT_IP4_SUM), before, get16(frame + AT_IP)));
}

/* Writes some bytes behind the header of IP, and corrects the checksum of TCP or UDP, byte by byte: an option may lie
 * at an odd offset. */
static void put_bytes(const struct weir_mapping_at *at, unsigned char *frame, uint32_t to, const unsigned char *bytes,
                      uint32_t count)
{
    unsigned char *sum_at = frame + at->sum_at;
    uint16_t sum = get16(sum_at);
    bool is_udp = at->sum_at == at->l4_at + UDP_SUM, no_sum = is_udp && sum == 0;
    WEIR_CHECK(to > at->l4_at);
    for (uint32_t i = 0; i < count; i++) {
        if (frame[to + i] == bytes[i])
            continue;
        uint32_t shift = (to + i - at->l4_at) % 2 == 0 ? 8 : 0;
        sum = weir_sum_update(sum, (uint16_t)(frame[to + i] << shift), (uint16_t)(bytes[i] << shift));
        frame[to + i] = bytes[i];
    }
    if (no_sum)
        return;
    put16(sum_at, is_udp && sum == 0 ? UINT16_MAX : sum);
}

static void put_echo(const struct weir_mapping_at *at, unsigned char *frame)
{
    unsigned char flags = (unsigned char)(frame[at->l4_at + TCP_FLAGS] | TCP_ECE);
    put_bytes(at, frame, at->l4_at + (uint32_t)TCP_FLAGS, &flags, 1);
}

/* Returns the delay that a frame gets, if its packet's was raised. That is at least one unit of the packet more than
 * the frame has, so it is not less after rounding. */
static uint32_t raised(const struct weir_mapping *m, const struct weir_mapping_at *at, const struct weir_pkt *pkt)
{
    const struct weir_mapping_fields *f = &m->config.fields;
    uint64_t unit_ps =
        at->shape == WEIR_SHAPE_TCP ? WEIR_TCP_DELAY_UNIT_NS * WEIR_PS_PER_NS : mapping_area_unit_ps(at->area_kind);
    WEIR_CHECK(pkt->qdelay > at->qdelay);
    return f->rates ? pkt->qdelay : mapping_units(pkt->qdelay, f->qdelay_unit_ps, unit_ps);
}

/* Writes new records behind those that are there. @return how many found no slot */
static uint32_t put_records(const struct weir_mapping *m, const struct weir_mapping_at *at, unsigned char *frame,
                            const struct weir_pkt *pkt, const struct weir_telemetry *hop, uint64_t now_ps)
{
    uint32_t added = (uint32_t)(pkt->hops - at->hops), fit = (uint32_t)weir_min_u64(added, at->slots - at->records);
    for (uint32_t i = 0; i < fit; i++) {
        unsigned char bytes[WEIR_WIRE_SLOT_BYTES];
        struct weir_wire_slot slot = mapping_slot(&hop[at->hops + i], m->config.rates, now_ps);
        weir_wire_put_slot(&slot, bytes);
        put_bytes(at, frame, at->slots_at + (at->records + i) * WEIR_WIRE_SLOT_BYTES, bytes, sizeof(bytes));
    }
    return added - fit;
}

/* Writes the signal of the area, but the delay. records: that the frame has now */
static void put_signal(const struct weir_mapping_at *at, unsigned char *frame, const struct weir_pkt *pkt,
                       uint32_t records)
{
    uint32_t before = get32(frame + at->signal_at), byte = WEIR_WIRE_SIGNAL_BYTE(before),
             tokens = WEIR_WIRE_SIGNAL_TOKENS(before), ece = WEIR_WIRE_SIGNAL_ECE(before);
    unsigned char bytes[4];
    byte = records > at->records ? records : byte;
    tokens = pkt->tokens != at->tokens ? pkt->tokens : tokens;
    ece |= (pkt->flags & ~(uint32_t)at->flags & WEIR_PKT_ECE) != 0;
    weir_wire_put_signal(WEIR_WIRE_SIGNAL(WEIR_WIRE_SIGNAL_DELAY(before), byte, tokens, ece) | (before & 15u), bytes);
    put_bytes(at, frame, at->signal_at, bytes, sizeof(bytes));
}

/* Raises the delay. @return false = the frame has no field for it */
static bool put_delay(const struct weir_mapping *m, const struct weir_mapping_at *at, unsigned char *frame,
                      const struct weir_pkt *pkt)
{
    unsigned char bytes[2];
    if (at->delay_at == 0)
        return false;
    put16(bytes, raised(m, at, pkt));
    WEIR_CHECK(get16(bytes) >= get16(frame + at->delay_at));
    put_bytes(at, frame, at->delay_at, bytes, sizeof(bytes));
    return true;
}

/* Sets the flags that hooks have set, but ECE in an area. @return WEIR_LACK_ECE, or 0 */
static uint32_t put_flags(const struct weir_mapping_at *at, unsigned char *frame, uint32_t set)
{
    if ((set & WEIR_PKT_CE) != 0 && (at->flags & WEIR_PKT_ECT) != 0)
        put_ce(frame, at->is_v6);
    if ((set & WEIR_PKT_ECE) == 0 || at->signal_at != 0)
        return 0;
    if (at->shape != WEIR_SHAPE_TCP)
        return WEIR_LACK_ECE;
    put_echo(at, frame);
    return 0;
}

uint32_t weir_mapping_write(struct weir_mapping *m, const struct weir_mapping_at *at, unsigned char *frame,
                            const struct weir_pkt *pkt, const struct weir_telemetry *hop, uint64_t now_ps)
{
    const struct weir_mapping_fields *f = &m->config.fields;
    bool has_delay = pkt->kind == WEIR_PKT_DATA && (f->rates || f->qdelay_unit_ps != 0);
    uint32_t lacks = put_flags(at, frame, pkt->flags & ~(uint32_t)at->flags), records = at->records;
    if (f->records_max > 0 && pkt->hops > at->hops) {
        uint32_t left = put_records(m, at, frame, pkt, hop, now_ps);
        records += pkt->hops - at->hops - left;
        lacks |= left > 0 ? WEIR_LACK_RECORDS : 0u;
    }
    if (has_delay && pkt->qdelay > at->qdelay && !put_delay(m, at, frame, pkt))
        lacks |= WEIR_LACK_QDELAY;
    if (at->signal_at != 0)
        put_signal(at, frame, pkt, records);
    for (uint32_t i = 0; i < WEIR_MAPPING_LACKS; i++)
        m->counts.lack[i] += lacks >> i & 1;
    return lacks;
}
