/* src/base/core/telemetry.h - what switches write for senders: one record per hop, carried in a side channel of the
 * packet, never in it.
 *
 * A record is 16 bytes, so that the five of a fat-tree's longest path and the packet make 128. A law reads struct
 * weir_int_hop, unpacked when the packet reaches the host that uses it. Times count modulo 2^44 ps
 * (17.6 s), bytes sent modulo 2^48: a law takes differences between two packets of one flow. */
#ifndef WEIR_CORE_TELEMETRY_H
#define WEIR_CORE_TELEMETRY_H
#include "core/units.h"

struct weir_int_hop { /* one telemetry record, as written by a switch when the packet left it */
    uint64_t ts_ps, tx_bytes, rate_bps;
    uint32_t queue_bytes;
};

#define WEIR_TELEMETRY_HOPS_MAX 8u /* records a packet can hold, so switches on a path: a fat-tree's longest has 5 */

/* Quantised telemetry (HPCC, SIGCOMM 2019): a record's values are whole units, rounded down, and begin again
 * at 0 after 2^bits of them. The field holds units * size of the unit, so exact and quantised records read alike. The
 * byte units are times `multi`, the host link's rate in 25 Gb/s. */
#define WEIR_INT_TS_UNIT_PS WEIR_PS_PER_NS
#define WEIR_INT_TS_BITS 24u
#define WEIR_INT_TS_WRAP_PS (WEIR_INT_TS_UNIT_PS << WEIR_INT_TS_BITS) /* 16.8 ms */
#define WEIR_INT_TX_UNIT_BYTES UINT64_C(128)
#define WEIR_INT_TX_BITS 20u
#define WEIR_INT_TX_WRAP_BYTES (WEIR_INT_TX_UNIT_BYTES << WEIR_INT_TX_BITS) /* 134 MB * multi */
#define WEIR_INT_QUEUE_UNIT_BYTES UINT64_C(80)
#define WEIR_INT_QUEUE_MAX_UNITS 65535u /* what is longer reads as this: 5.24 MB * multi */
#define WEIR_INT_MULTI_BPS UINT64_C(25000000000)

#define WEIR_TELEMETRY_RATES_MAX 16u /* different link rates in one topology; more are refused before a run */
#define WEIR_TELEMETRY_TS_BITS 44u
#define WEIR_TELEMETRY_TX_BITS 48u

struct weir_telemetry {    /* one hop, packed */
    uint64_t ts_ps : 44;   /* modulo 2^44 */
    uint64_t rate_id : 4;  /* index into struct weir_telemetry_rates */
    uint64_t tx_high : 16; /* bytes sent, bits 32 .. 47 */
    uint32_t tx_low;
    uint32_t queue_bytes; /* saturates */
};
_Static_assert(sizeof(struct weir_telemetry) == 16, "eight hops are two cache lines");

struct weir_telemetry_read { /* which records a protocol reads, as its keys say */
    bool any;                /* true = its keys do not say, and it takes what there is */
    bool quantised;          /* HPCC's 24 and 20 bits; else exact counts */
    uint32_t multi;          /* quantised: byte units are this many times 128 and 80; 0 = from the host link's rate */
};

/* Tests whether a quantised record has a code for the rate: {25, 50, 100, 200, 400} Gb/s; HPCC, SIGCOMM 2019. */
static inline bool weir_telemetry_has_code(uint64_t rate_bps)
{
    for (uint64_t coded = WEIR_INT_MULTI_BPS; coded <= 16 * WEIR_INT_MULTI_BPS; coded *= 2) {
        if (rate_bps == coded)
            return true;
    }
    return false;
}

struct weir_telemetry_rates { /* of the links of a run */
    uint64_t bps[WEIR_TELEMETRY_RATES_MAX];
    uint32_t count;
};

static inline struct weir_telemetry weir_telemetry_pack(uint64_t ts_ps, uint64_t tx_bytes, uint64_t queue_bytes,
                                                        uint32_t rate_id)
{
    return (struct weir_telemetry){
        .ts_ps = ts_ps & ((UINT64_C(1) << WEIR_TELEMETRY_TS_BITS) - 1),
        .rate_id = rate_id & 15,
        .tx_high = tx_bytes >> 32 & 0xffff,
        .tx_low = (uint32_t)tx_bytes,
        .queue_bytes = queue_bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)queue_bytes,
    };
}

static inline struct weir_int_hop weir_telemetry_unpack(const struct weir_telemetry *t,
                                                        const struct weir_telemetry_rates *rates)
{
    return (struct weir_int_hop){
        .ts_ps = t->ts_ps,
        .tx_bytes = (uint64_t)t->tx_high << 32 | t->tx_low,
        .rate_bps = rates->bps[t->rate_id],
        .queue_bytes = t->queue_bytes,
    };
}
#endif
