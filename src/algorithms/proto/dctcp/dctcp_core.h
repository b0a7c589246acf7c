/* src/algorithms/proto/dctcp/dctcp_core.h - a DCTCP sender: set-up, and decisions per ACK and per loss. Apart from
 * dctcp.h, includes core/ only, so that the simulator, sockets and a BPF program can share this file. */
#ifndef WEIR_PROTO_DCTCP_CORE_H
#define WEIR_PROTO_DCTCP_CORE_H
#include "proto/dctcp/dctcp.h"

static inline void weir_dctcp_set_cwnd(struct weir_dctcp *d, const struct weir_dctcp_config *cfg, uint64_t bytes)
{
    d->cc.cwnd_bytes = weir_clamp_u32(bytes, d->mss_bytes, (uint32_t)cfg->max_cwnd.bytes);
}

/* Closes the observation window: updates alpha <- (1 - g) alpha + g F, where F is the share of marked bytes in the
 * window (equation 1). alpha stays if no byte was acknowledged. The next observation window ends when end_seq is
 * acked. */
static inline void weir_dctcp_close_window(struct weir_dctcp *d, uint64_t g_ppm, uint64_t end_seq)
{
    if (d->acked_bytes > 0) {
        uint64_t share_q20 = ((uint64_t)d->marked_bytes << 20) / d->acked_bytes; /* 2^52 fits */
        uint64_t sum = (1000000 - g_ppm) * d->alpha_q20 + g_ppm * share_q20;     /* 2^41 fits */
        d->alpha_q20 = (uint32_t)(sum / 1000000);
    }
    WEIR_ASSERT(d->alpha_q20 <= WEIR_DCTCP_ONE_Q20);
    d->acked_bytes = d->marked_bytes = 0;
    d->window_end_seq = end_seq;
}

/* Sets cwnd to cwnd (1 - alpha / 2), at least min_cwnd_pkts packets (equation 2), and ssthresh to the same value.
 * Records end_seq: callers must not cut for marks again before end_seq is acked. */
static inline void weir_dctcp_cut(struct weir_dctcp *d, const struct weir_dctcp_config *cfg, uint32_t alpha_q20,
                                  uint64_t end_seq)
{
    uint64_t cut_bytes = ((uint64_t)d->cc.cwnd_bytes * alpha_q20) >> 21; /* 2^30 * 2^20 fits */
    uint64_t floor_bytes = (uint64_t)cfg->min_cwnd_pkts * d->mss_bytes;
    weir_dctcp_set_cwnd(d, cfg, weir_max_u64(d->cc.cwnd_bytes - cut_bytes, floor_bytes));
    d->ssthresh_bytes = d->cc.cwnd_bytes;
    d->grown_bytes = 0;
    d->cwr_end_seq = end_seq;
    d->cut_for_loss = false;
}

static inline void weir_dctcp_grow(struct weir_dctcp *d, const struct weir_dctcp_config *cfg, uint32_t acked_bytes)
{
    if (d->cc.cwnd_bytes < d->ssthresh_bytes) { /* slow start: doubles per round trip */
        weir_dctcp_set_cwnd(d, cfg, (uint64_t)d->cc.cwnd_bytes + acked_bytes);
        return;
    }
    d->grown_bytes = weir_add_sat_u32(d->grown_bytes, acked_bytes);
    if (d->grown_bytes >= d->cc.cwnd_bytes) { /* a whole window delivered: one MSS more */
        d->grown_bytes -= d->cc.cwnd_bytes;
        weir_dctcp_set_cwnd(d, cfg, (uint64_t)d->cc.cwnd_bytes + d->mss_bytes);
    }
}

static inline void weir_dctcp_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    struct weir_dctcp *d = (struct weir_dctcp *)cc;
    const struct weir_dctcp_config *cfg = config;
    WEIR_ASSERT(ack->marked_bytes <= ack->acked_bytes);
    WEIR_ASSERT(ack->acked_seq <= ack->next_seq);
    d->acked_bytes = weir_add_sat_u32(d->acked_bytes, ack->acked_bytes);
    d->marked_bytes = weir_add_sat_u32(d->marked_bytes, ack->marked_bytes);
    if (ack->acked_seq >= d->window_end_seq)
        weir_dctcp_close_window(d, cfg->g_ppm, ack->next_seq);
    bool was_cut = ack->acked_seq < d->cwr_end_seq; /* no growth until the cut window's last byte is acked .. */
    if (ack->marked_bytes > 0 && !was_cut)
        weir_dctcp_cut(d, cfg, d->alpha_q20, ack->next_seq);
    else if (cfg->grow_always)
        weir_dctcp_grow(d, cfg, ack->acked_bytes);
    else if (was_cut ? d->cc.cwnd_bytes < d->ssthresh_bytes /* .. but after a timeout slow start begins at once */
                     : !(ack->flags & WEIR_ACK_APP_LIMITED))
        weir_dctcp_grow(d, cfg, ack->acked_bytes);
}

static inline void weir_dctcp_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    const struct weir_dctcp_config *cfg = config;
    *(struct weir_dctcp *)cc = (struct weir_dctcp){
        .cc = { .rate_bps = WEIR_RATE_OPEN, .timer_ps = WEIR_NEVER, .cwnd_bytes = (uint32_t)cfg->init_cwnd.bytes },
        .alpha_q20 = (uint32_t)(((uint64_t)cfg->init_alpha_ppm << 20) / 1000000),
        .ssthresh_bytes = (uint32_t)cfg->ssthresh.bytes,
        .mss_bytes = (uint16_t)path->mss_bytes, /* at most 9216 */
    };
}

/* Handles a loss: halves the window as Reno does, whatever alpha is, because the marks came too late. A window is
 * halved once for losses. A cut for marks in the same window, which may have been very small, does not prevent the
 * halving. Linux does the same; RFC 3168 would let a sender skip it. After a timeout the window is one packet. ssthresh
 * is two packets at least then, and does not change while the same window times out again (RFC 5681, section 3.1). */
static inline void weir_dctcp_on_loss(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    struct weir_dctcp *d = (struct weir_dctcp *)cc;
    const struct weir_dctcp_config *cfg = config;
    if (loss->lost_seq >= d->cwr_end_seq || !d->cut_for_loss) {
        weir_dctcp_cut(d, cfg, WEIR_DCTCP_ONE_Q20, loss->next_seq);
        d->cut_for_loss = true;
    }
    if (loss->is_timeout) {
        d->ssthresh_bytes = (uint32_t)weir_max_u64(d->ssthresh_bytes, UINT64_C(2) * d->mss_bytes);
        weir_dctcp_set_cwnd(d, cfg, d->mss_bytes);
    }
}
#endif
