/* src/transport/mapping/units.h - values of a packet to those of a frame, and back. */
#ifndef WEIR_MAPPING_UNITS_H
#define WEIR_MAPPING_UNITS_H
#include "core/assert.h"
#include "core/math.h"
#include "core/rng.h"
#include "core/telemetry.h"
#include "wire/wire.h"

/* Returns weir_pkt.conn of a flow by its ports, as the sender of its data has them: a mix of 30 bits, since the top two
 * are of the law. */
static inline uint32_t mapping_conn(uint32_t from_port, uint32_t to_port)
{
    uint32_t conn = WEIR_PKT_CONN(weir_mix_u32(from_port << 16 | to_port));
    return conn == WEIR_PKT_NO_CONN ? 0 : conn;
}

/* Returns the unit of the delay in an area of this kind; 0 = it has none. */
static inline uint64_t mapping_area_unit_ps(uint32_t area_kind)
{
    if (area_kind == WEIR_WIRE_AREA_64NS)
        return 64 * WEIR_PS_PER_NS;
    return area_kind == WEIR_WIRE_AREA_US ? WEIR_PS_PER_US : 0;
}

/* Converts 16 bits of a delay from one unit to another, rounded down; saturates. Units are at most a millisecond, so
 * the product is below 2^46. */
static inline uint16_t mapping_units(uint32_t value, uint64_t from_ps, uint64_t to_ps)
{
    WEIR_ASSERT(to_ps > 0);
    return (uint16_t)weir_min_u64(value * from_ps / to_ps, UINT16_MAX);
}

/* Converts a record of a frame. */
static inline struct weir_telemetry mapping_record(const struct weir_wire_slot *slot,
                                                   const struct weir_telemetry_rates *rates)
{
    uint32_t id = 0;
    while (id < rates->count && rates->bps[id] / 100000 != slot->rate_100k)
        id++;
    return weir_telemetry_pack(slot->time_ns * WEIR_PS_PER_NS, slot->sent_bytes, slot->queue_bytes,
                               id < rates->count ? id : 0);
}

/* Converts a record to that of a frame. now_ps: not before the record; completes its 44 bits of time */
static inline struct weir_wire_slot mapping_slot(const struct weir_telemetry *record,
                                                 const struct weir_telemetry_rates *rates, uint64_t now_ps)
{
    struct weir_int_hop hop = weir_telemetry_unpack(record, rates);
    uint64_t age_ps = (now_ps - hop.ts_ps) & ((UINT64_C(1) << WEIR_TELEMETRY_TS_BITS) - 1);
    return (struct weir_wire_slot){
        .time_ns = (now_ps - age_ps) / WEIR_PS_PER_NS & ((UINT64_C(1) << 40) - 1),
        .sent_bytes = hop.tx_bytes & ((UINT64_C(1) << 40) - 1),
        .rate_100k = (uint32_t)weir_min_u64(hop.rate_bps / 100000, (1u << 24) - 1),
        .queue_bytes = (uint32_t)weir_min_u64(hop.queue_bytes, (1u << 24) - 1),
    };
}
#endif
