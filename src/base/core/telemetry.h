/* src/base/core/telemetry.h - INT records: one per hop, written by switches for senders. A record is not part of the
 * packet: it is kept in a side channel.
 *
 * A packed record has 16 bytes, so that a packet and the five records of a fat-tree's longest path have 128. The host
 * that uses a record unpacks it to struct weir_int_hop, which a law reads. Times wrap at 2^44 ps (17.6 s), bytes sent
 * at 2^48: a law uses differences between two packets of one flow. */
#ifndef WEIR_CORE_TELEMETRY_H
#define WEIR_CORE_TELEMETRY_H
#include "core/units.h"

struct weir_int_hop { /* one INT record, unpacked: the state of a port when the packet left it */
    uint64_t ts_ps, tx_bytes, rate_bps;
    uint32_t queue_bytes;
};

#define WEIR_TELEMETRY_HOPS_MAX 8u /* most records of a packet, so most switches on a path; a fat-tree has 5 */

/* Quantised telemetry (HPCC, SIGCOMM 2019). The values of a record are whole units, rounded down. Time and bytes sent
 * wrap to 0 at 2^bits units. Fields of struct weir_int_hop hold units times the unit's size, so that laws read exact
 * and quantised records alike. The two units in bytes are multiplied by `multi`, by default the host link rate divided
 * by WEIR_INT_MULTI_BPS. */
#define WEIR_INT_TS_UNIT_PS WEIR_PS_PER_NS
#define WEIR_INT_TS_BITS 24u
#define WEIR_INT_TS_WRAP_PS (WEIR_INT_TS_UNIT_PS << WEIR_INT_TS_BITS) /* 16.8 ms */
#define WEIR_INT_TX_UNIT_BYTES UINT64_C(128)
#define WEIR_INT_TX_BITS 20u
#define WEIR_INT_TX_WRAP_BYTES (WEIR_INT_TX_UNIT_BYTES << WEIR_INT_TX_BITS) /* 134 MB * multi */
#define WEIR_INT_QUEUE_UNIT_BYTES UINT64_C(80)
#define WEIR_INT_QUEUE_MAX_UNITS 65535u /* longer queues are written as this: 5.24 MB * multi */
#define WEIR_INT_MULTI_BPS UINT64_C(25000000000)

#define WEIR_TELEMETRY_RATES_MAX 16u /* most different link rates of a topology; set-up refuses more */
#define WEIR_TELEMETRY_TS_BITS 44u
#define WEIR_TELEMETRY_TX_BITS 48u

struct weir_telemetry {    /* one INT record, packed */
    uint64_t ts_ps : 44;   /* time modulo 2^44 */
    uint64_t rate_id : 4;  /* index into struct weir_telemetry_rates */
    uint64_t tx_high : 16; /* bytes sent, bits 32 .. 47 */
    uint32_t tx_low;
    uint32_t queue_bytes; /* queue length; saturates */
};
_Static_assert(sizeof(struct weir_telemetry) == 16, "eight hops are two cache lines");

struct weir_telemetry_read { /* the kind of records that a protocol reads, by its keys */
    bool any;                /* true = the protocol reads records of either kind */
    bool quantised;          /* records with HPCC's 24 and 20 bits; else exact ones */
    /* quantised: factor of the units 128 and 80 bytes; 0 = derived from the host link's rate */
    uint32_t multi;
};

/* Tests whether a quantised record can encode the rate: 25, 50, 100, 200 or 400 Gb/s; HPCC, SIGCOMM 2019. */
struct weir_delay_read { /* the queueing delays that a protocol with WEIR_NEED_QDELAY reads, by its keys */
    bool phantom;        /* of virtual queues (fabric.phantom), not of real ones */
    uint64_t longest_ps; /* with phantom: the longest target */
    uint64_t span_ps;    /* with phantom: between the delays of the highest and the lowest rate per weight */
};

static inline bool weir_telemetry_has_code(uint64_t rate_bps)
{
    for (uint64_t coded = WEIR_INT_MULTI_BPS; coded <= 16 * WEIR_INT_MULTI_BPS; coded *= 2) {
        if (rate_bps == coded)
            return true;
    }
    return false;
}

struct weir_telemetry_rates { /* all different link rates of a run; weir_telemetry.rate_id is an index into bps */
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
