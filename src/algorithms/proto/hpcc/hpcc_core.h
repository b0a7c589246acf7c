/* src/algorithms/proto/hpcc/hpcc_core.h - the decisions of an HPCC sender per ACK. Includes core/ only. FNCC includes
 * this file. */
#ifndef WEIR_PROTO_HPCC_CORE_H
#define WEIR_PROTO_HPCC_CORE_H
#include "proto/hpcc/hpcc.h"

struct weir_hpcc_seen { /* the measurement of one ACK's records, not smoothed */
    uint64_t u_q30;     /* inflight bytes of the busiest hop, in BDPs */
    uint64_t tau_ps;    /* time between the last two records of the busiest hop, at most T; 0 = nothing measured */
    uint32_t hop;       /* index of the busiest hop's record */
};

/* Returns the picoseconds per byte, 8e12 / rate_bps, if that is a whole number, else 0. last: the result for the
 * previous record of the same hop, which is returned again while it fits. So a hop needs one division. */
static inline uint32_t weir_hpcc_ps_per_byte(uint64_t rate_bps, uint32_t last)
{
    if (WEIR_LIKELY(last * rate_bps == 8 * WEIR_PS_PER_S)) /* 64 bits wrap only at Tb/s after Mb/s; the result is not
                                                            * 8e12 then */
        return last;
    return rate_bps != 0 && 8 * WEIR_PS_PER_S % rate_bps == 0 ? (uint32_t)(8 * WEIR_PS_PER_S / rate_bps) : 0;
}

/* Returns the transmission time of bytes on a link, in ps. ps_per_byte: 0 = not a whole number. A port sends no faster
 * than its rate: the product is at most the time between two records, or the time in which the buffer drains. So it
 * fits. (False counts near 2^48 B would wrap: see weir_hpcc_of_one_port().) */
static inline uint64_t weir_hpcc_wire_ps(uint64_t bytes, uint32_t ps_per_byte, uint64_t rate_bps)
{
    return WEIR_LIKELY(ps_per_byte != 0) ? bytes * ps_per_byte : weir_mul_div_u64(bytes, 8 * WEIR_PS_PER_S, rate_bps);
}

static inline uint64_t weir_hpcc_ratio_q30(uint64_t part_ps, uint64_t whole_ps)
{
    if (part_ps == 0) /* most queues are empty: saves the division */
        return 0;
    return part_ps >> 34 == 0 ? (part_ps << 30) / whole_ps : weir_mul_div_u64(part_ps, WEIR_HPCC_ONE_Q30, whole_ps);
}

/* Returns now - before for a counter modulo `wrap`. */
static inline uint64_t weir_hpcc_since(uint64_t now, uint64_t before, uint64_t wrap)
{
    return now >= before ? now - before : now - before + wrap;
}

/* Returns the time between two records of a hop; 0 = no time. Exact times wrap after 17.6 s, and a difference of half
 * of that or more gives 0: the new record is the older one (a reordered ACK). Quantised times wrap after 16.8 ms, and
 * reordering is not detected. */
static inline uint64_t weir_hpcc_dt_ps(uint64_t now_ps, uint64_t before_ps, uint64_t tx_wrap_bytes)
{
    if (tx_wrap_bytes != WEIR_HPCC_TX_WRAP_EXACT)
        return weir_hpcc_since(now_ps, before_ps, WEIR_INT_TS_WRAP_PS);
    uint64_t dt_ps = weir_hpcc_since(now_ps, before_ps, WEIR_HPCC_TS_WRAP_EXACT);
    return dt_ps < WEIR_HPCC_TS_WRAP_EXACT / 2 ? dt_ps : 0;
}

enum {
    WEIR_HPCC_SLACK_BYTES = 16384,
    WEIR_HPCC_MOST_BITS = 40, /* 2^40 B at 1 Mb/s take 2^63 ps: no product wraps up to this */
};

/* Tests whether a port could have sent tx_bytes within dt_ps. ppb: ps per byte, or 0. The byte counts of two records of
 * one port differ by no more than its rate allows, except for a frame and rounding (WEIR_HPCC_SLACK_BYTES). If they
 * differ by more, the records are of two ports, because packets took another path in between, or the time between them
 * has wrapped. */
static inline bool weir_hpcc_of_one_port(uint64_t tx_bytes, uint64_t dt_ps, uint32_t ppb, uint64_t rate_bps)
{
    uint64_t least_bytes = tx_bytes > WEIR_HPCC_SLACK_BYTES ? tx_bytes - WEIR_HPCC_SLACK_BYTES : 0;
    return tx_bytes >> WEIR_HPCC_MOST_BITS == 0 && weir_hpcc_wire_ps(least_bytes, ppb, rate_bps) <= dt_ps;
}

/* Measures one hop, the body of the paper's loop: u_i = min(qlen, L.qlen) / (B T) + txRate / B. Both summands are
 * computed as quotients of two times. Stores the record in *last. Sets *u_q30 if there is a measurement. @return time
 * since the previous record of the hop; 0 = no measurement */
WEIR_APART uint64_t weir_hpcc_hop_seen(struct weir_hpcc_hop *last, const struct weir_int_hop *now, uint64_t base_rtt_ps,
                                       uint64_t tx_wrap_bytes, uint64_t *u_q30)
{
    if (!WEIR_GIVEN(last != NULL && now != NULL && u_q30 != NULL))
        return 0;
    const struct weir_hpcc_hop before = *last;
    uint32_t ppb = weir_hpcc_ps_per_byte(now->rate_bps, before.ps_per_byte);
    uint64_t dt_ps = weir_hpcc_dt_ps(now->ts_ps, before.ts_ps, tx_wrap_bytes);
    *last = (struct weir_hpcc_hop){ now->ts_ps, now->tx_bytes, now->queue_bytes, ppb };
    if (dt_ps == 0)
        return 0;
    uint64_t tx_bytes = weir_hpcc_since(now->tx_bytes, before.tx_bytes, tx_wrap_bytes);
    uint64_t queue_bytes = weir_min_u64(now->queue_bytes, before.queue_bytes);
    uint64_t queue_q30 = weir_hpcc_ratio_q30(weir_hpcc_wire_ps(queue_bytes, ppb, now->rate_bps), base_rtt_ps);
    uint64_t tx_ps = weir_hpcc_wire_ps(tx_bytes, ppb, now->rate_bps);
    if (WEIR_UNLIKELY(tx_ps > dt_ps || tx_bytes >> WEIR_HPCC_MOST_BITS != 0) &&
        !weir_hpcc_of_one_port(tx_bytes, dt_ps, ppb, now->rate_bps))
        return 0;
    uint64_t tx_q30 = weir_hpcc_ratio_q30(tx_ps, dt_ps);
    *u_q30 = weir_min_u64(queue_q30, WEIR_HPCC_U_MAX_Q30) + weir_min_u64(tx_q30, WEIR_HPCC_U_MAX_Q30);
    return dt_ps;
}

/* Updates the smoothed U = (1 - tau / T) U + (tau / T) u, with u and tau from *seen. tau <= T, so U never passes u. */
static inline void weir_hpcc_smooth(struct weir_hpcc *f, const struct weir_hpcc_seen *seen)
{
    uint64_t u_q30 = weir_min_u64(seen->u_q30, WEIR_HPCC_U_MAX_Q30);
    if (u_q30 >= f->u_q30)
        f->u_q30 += weir_mul_div_u64(u_q30 - f->u_q30, seen->tau_ps, f->base_rtt_ps);
    else
        f->u_q30 -= weir_mul_div_u64(f->u_q30 - u_q30, seen->tau_ps, f->base_rtt_ps);
}

/* Updates the busiest hop from *seen. But if the present busiest hop has no new record (busy_is_old) and *seen is less
 * busy, clears *seen instead. Reason: if switches refresh their records periodically, an ACK may carry new records of
 * some hops only. A less busy hop, used instead of the busiest, would hold U too low, and the flow above its share. */
static inline void weir_hpcc_busiest(struct weir_hpcc *f, struct weir_hpcc_seen *seen, bool busy_is_old)
{
    uint32_t u_q16 = weir_clamp_u32(seen->u_q30 >> 14, 0, (1u << 28) - 1);
    if (busy_is_old && u_q16 < f->busy_u_q16) {
        *seen = (struct weir_hpcc_seen){ 0 };
    } else if (seen->tau_ps != 0) {
        f->busy_hop = seen->hop & 15;
        f->busy_u_q16 = u_q16 & ((1u << 28) - 1);
    }
}

static inline void weir_hpcc_store(struct weir_hpcc *f, const struct weir_ack *ack)
{
    for (uint32_t i = 0; i < ack->hop_count && i < WEIR_TELEMETRY_HOPS_MAX; i++) {
        const struct weir_int_hop *now = &ack->hop[i];
        f->hop[i] = (struct weir_hpcc_hop){ now->ts_ps, now->tx_bytes, now->queue_bytes,
                                            weir_hpcc_ps_per_byte(now->rate_bps, f->hop[i].ps_per_byte) };
    }
    f->hop_count = (uint8_t)ack->hop_count;
    f->path_id = ack->path_id;
    f->busy_u_q16 = 0;
}

/* Measures the hops by an ACK's records, writes the measurement to *seen, and smooths U (MeasureInflight). @return
 * false if there is nothing to compare with: the ACK has no records, or the first ones of the flow or of another path.
 * The first records are only stored */
static inline bool weir_hpcc_measure(struct weir_hpcc *f, const struct weir_ack *ack, struct weir_hpcc_seen *seen)
{
    WEIR_ASSERT(ack->hop_count <= WEIR_TELEMETRY_HOPS_MAX);
    *seen = (struct weir_hpcc_seen){ 0 };
    if (ack->hop_count == 0)
        return false;
    if (WEIR_UNLIKELY(ack->hop_count != f->hop_count || ack->path_id != f->path_id)) {
        if (f->hop_count == 0)
            f->update_seq = ack->next_seq;
        weir_hpcc_store(f, ack);
        return false;
    }
    bool busy_is_old = false;
    for (uint32_t i = 0; i < ack->hop_count && i < WEIR_TELEMETRY_HOPS_MAX; i++) {
        uint64_t u_q30 = 0,
                 dt_ps = weir_hpcc_hop_seen(&f->hop[i], &ack->hop[i], f->base_rtt_ps, f->tx_wrap_bytes, &u_q30);
        busy_is_old |= dt_ps == 0 && i == f->busy_hop;
        if (dt_ps != 0 && u_q30 > seen->u_q30)
            *seen = (struct weir_hpcc_seen){ u_q30, weir_min_u64(dt_ps, f->base_rtt_ps), i };
    }
    weir_hpcc_busiest(f, seen, busy_is_old);
    weir_hpcc_smooth(f, seen);
    return true;
}

static inline uint32_t weir_hpcc_clamp(const struct weir_hpcc *f, uint64_t bytes)
{
    return weir_clamp_u32(bytes, f->min_bytes, f->init_bytes);
}

/* Sets the pace R = W / T, and cwnd to the window W, but at least to one packet. With key pace_only cwnd is
 * WEIR_CWND_MAX_BYTES: the pace alone limits. At W_init R is exactly the link's rate, so that a lone flow fills the
 * link. */
static inline void weir_hpcc_answer(struct weir_hpcc *f, uint32_t window_bytes)
{
    f->cc.cwnd_bytes = window_bytes < f->cwnd_min_bytes ? f->cwnd_min_bytes : window_bytes;
    f->cc.rate_bps =
        window_bytes == f->init_bytes ? f->line_bps : weir_mul_div_u64(window_bytes, 8 * WEIR_PS_PER_S, f->base_rtt_ps);
}

/* Computes the window and sets it (ComputeWind): a multiplicative step if U has reached eta or max_stage additive steps
 * were made, else an additive one; either adds w_ai. Each step starts from W^c, so that the ACKs of one round trip do
 * not add up. update: true = the result becomes W^c. The result is limited before it is stored, because U may be near
 * 0. */
static inline void weir_hpcc_compute(struct weir_hpcc *f, const struct weir_hpcc_config *cfg, bool update)
{
    uint64_t eta_q30 = ((uint64_t)cfg->eta_ppm << 30) / 1000000, window = f->wc_bytes; /* 2^50 fits */
    uint32_t stage = 0;
    if (f->u_q30 >= eta_q30 || f->stage >= cfg->max_stage)
        window = f->u_q30 == 0 ? f->init_bytes : window * eta_q30 / f->u_q30; /* 2^30 * 2^30 fits */
    else
        stage = f->stage + 1u;
    uint32_t clamped = weir_hpcc_clamp(f, window + cfg->w_ai_bytes);
    weir_hpcc_answer(f, clamped);
    if (update) {
        f->stage = (uint8_t)stage;
        f->wc_bytes = clamped;
    }
}

/* Reacts to an ACK after weir_hpcc_measure() (the rest of NewAck): sets the window, and once per round trip also
 * W^c. */
static inline void weir_hpcc_react(struct weir_hpcc *f, const struct weir_hpcc_config *cfg, const struct weir_ack *ack)
{
    bool update = ack->acked_seq > f->update_seq;
    weir_hpcc_compute(f, cfg, update);
    if (update)
        f->update_seq = ack->next_seq;
}

static inline void weir_hpcc_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    struct weir_hpcc *f = (struct weir_hpcc *)cc;
    struct weir_hpcc_seen seen;
    if (weir_hpcc_measure(f, ack, &seen))
        weir_hpcc_react(f, config, ack);
}
#endif
