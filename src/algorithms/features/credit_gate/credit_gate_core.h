/* src/algorithms/features/credit_gate/credit_gate_core.h - the token bucket of a port, stored as the time at which it
 * will be full. It is exact: the rate is a ratio of whole numbers, and remainders of divisions are kept. */
#ifndef WEIR_FEATURES_CREDIT_GATE_CREDIT_GATE_CORE_H
#define WEIR_FEATURES_CREDIT_GATE_CREDIT_GATE_CORE_H
#include "core/math.h"
#include "core/units.h"
#include "features/credit_gate/credit_gate.h"

/* Initialises a full bucket in zeroed memory. The token rate is rate_bps * credit / (credit + data). rate_bps:
 * WEIR_RATE_MIN_BPS or more; only whole kb/s count */
static inline void weir_credit_gate_begin(const struct weir_credit_gate_model *m, struct weir_credit_gate_port *p,
                                          uint64_t rate_bps)
{
    WEIR_ASSERT(rate_bps >= WEIR_RATE_MIN_BPS);
    WEIR_ASSERT(m->credit_bytes > 0);
    WEIR_ASSERT(m->credit_bytes <= WEIR_WIRE_MAX_BYTES);
    WEIR_ASSERT(m->data_bytes > 0);
    WEIR_ASSERT(m->data_bytes <= WEIR_WIRE_MAX_BYTES);
    WEIR_ASSERT(m->depth_bytes <= WEIR_CREDIT_GATE_DEPTH_MAX);
    uint64_t den = m->credit_bytes * (rate_bps / 1000);                                      /* 2^14 * 2^33 fits */
    uint64_t num = ((uint64_t)m->credit_bytes + m->data_bytes) * 8 * (WEIR_PS_PER_S / 1000); /* 2^15 * 2^33 fits */
    p->byte_ps = num / den;
    p->byte_part = num % den;
    p->part_den = den;
    p->depth_bytes = m->depth_bytes;
}

static inline bool weir_credit_gate_admits(const struct weir_credit_gate_model *m, uint64_t waiting_bytes,
                                           uint32_t bytes)
{
    return waiting_bytes + bytes <= m->queue_bytes;
}

/* Returns the first picosecond at which the bucket has tokens for a packet of `bytes`. A packet larger than the bucket
 * needs a full one. */
static inline uint64_t weir_credit_gate_opens_ps(const struct weir_credit_gate_port *p, uint32_t bytes)
{
    uint64_t spare_bytes = bytes < p->depth_bytes ? p->depth_bytes - bytes : 0;
    uint64_t before_ps = spare_bytes * p->byte_ps;              /* 2^16 * 2^45 fits */
    uint64_t before_part = spare_bytes * p->byte_part;          /* 2^16 * 2^47 fits */
    uint64_t at_ps = p->full_ps + (before_part < p->full_part); /* rounded up to a whole picosecond */
    if (before_part > p->full_part)
        before_ps += (before_part - p->full_part) / p->part_den;
    return at_ps > before_ps ? at_ps - before_ps : 0;
}

/* Takes the tokens of a packet of `bytes` whose transmission starts at now_ps. */
static inline void weir_credit_gate_take(struct weir_credit_gate_port *p, uint32_t bytes, uint64_t now_ps)
{
    uint64_t part;
    if (p->full_ps < now_ps) {
        p->full_ps = now_ps;
        p->full_part = 0;
    }
    part = p->full_part + bytes * p->byte_part; /* 2^47 + 2^14 * 2^47 fits */
    p->full_ps += bytes * p->byte_ps + part / p->part_den;
    p->full_part = part % p->part_den;
}
#endif
