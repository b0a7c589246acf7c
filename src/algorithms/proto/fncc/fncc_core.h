/* src/algorithms/proto/fncc/fncc_core.h - the additions of FNCC to HPCC, at the sender and at the receiver. Includes
 * core/ and HPCC. */
#ifndef WEIR_PROTO_FNCC_CORE_H
#define WEIR_PROTO_FNCC_CORE_H
#include "proto/fncc/fncc.h"
#include "proto/hpcc/hpcc_core.h"

/* Tests whether the last hop's queue alone accounts for a U above alpha: a port sends at most at its rate, so the queue
 * is more than alpha - 1 BDPs. If it is not, U is above alpha only because records are rounded. last_queue_bytes: queue
 * of the last hop in the record before this one; like U, this function uses the lesser of the two */
static inline bool weir_fncc_is_queued(const struct weir_fncc_config *cfg, uint64_t bdp_bytes,
                                       uint32_t last_queue_bytes, const struct weir_int_hop *hop)
{
    uint64_t queue_bytes = weir_min_u64(last_queue_bytes, hop->queue_bytes);
    return queue_bytes * 1000000 > bdp_bytes * (cfg->alpha_ppm - 1000000); /* 2^32 * 2^20, 2^40 * 2^24 fit */
}

/* Applies the last-hop shortcut (UpdateWc): sets W^c to B T beta / N, within HPCC's bounds; equation 3 with the drain
 * factor beta. Acts only with key lhcs, if the ACK carries N, the last hop is the busiest, and its unsmoothed U is
 * above alpha. Keys lhcs_once, lhcs_lower_only and lhcs_needs_queue restrict the shortcut further. last_queue_bytes: as
 * for weir_fncc_is_queued(). @return true if W^c was set */
static inline bool weir_fncc_last_hop(struct weir_fncc *f, const struct weir_fncc_config *cfg,
                                      const struct weir_hpcc_seen *seen, const struct weir_ack *ack,
                                      uint32_t last_queue_bytes)
{
    uint64_t alpha_q30 = ((uint64_t)cfg->alpha_ppm << 30) / 1000000; /* 2^54 fits */
    if (!cfg->lhcs || ack->share_count == 0 || seen->hop != WEIR_FNCC_LAST_HOP || seen->u_q30 <= alpha_q30)
        return false;
    if (cfg->lhcs_once && ack->acked_seq <= f->lhcs_seq && f->lhcs_seq != 0)
        return false;
    uint64_t bdp_bytes =
        weir_mul_div_u64(ack->hop[WEIR_FNCC_LAST_HOP].rate_bps, f->hpcc.base_rtt_ps, 8 * WEIR_PS_PER_S); /* <= 2^40 */
    if (cfg->lhcs_needs_queue && !weir_fncc_is_queued(cfg, bdp_bytes, last_queue_bytes, &ack->hop[WEIR_FNCC_LAST_HOP]))
        return false;
    uint64_t share_bytes = bdp_bytes * cfg->beta_ppm / (UINT64_C(1000000) * ack->share_count); /* 2^40 * 2^20 fits */
    uint32_t wc_bytes = weir_hpcc_clamp(&f->hpcc, share_bytes);
    if (cfg->lhcs_lower_only && wc_bytes >= f->hpcc.wc_bytes)
        return false;
    f->hpcc.wc_bytes = wc_bytes;
    f->lhcs_seq = ack->next_seq;
    return true;
}

static inline void weir_fncc_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    struct weir_fncc *fncc = (struct weir_fncc *)cc;
    struct weir_hpcc *f = &fncc->hpcc;
    const struct weir_fncc_config *cfg = config;
    struct weir_hpcc_seen seen;
    uint32_t last_queue_bytes = f->hop[WEIR_FNCC_LAST_HOP].queue_bytes; /* weir_hpcc_measure() replaces the record */
    if (!weir_hpcc_measure(f, ack, &seen))
        return;
    if (!weir_fncc_last_hop(fncc, cfg, &seen, ack, last_queue_bytes) || !cfg->lhcs_direct) {
        weir_hpcc_react(f, &cfg->hpcc, ack);
        return;
    }
    weir_hpcc_answer(f, f->wc_bytes);
    if (ack->acked_seq > f->update_seq)
        f->update_seq = ack->next_seq;
}

/* Sets echo->share_count, which the ACK carries as N, to one of three counts by the host. With n_counts
 * WEIR_FNCC_ESTABLISHED it is the connections that ever sent data here; with lhcs_recent, those that sent recently.
 * Otherwise share_count keeps the host's value, the connections with an unfinished message. */
static inline void weir_fncc_rx_data(void *rx, const void *config, const struct weir_data *data, struct weir_echo *echo)
{
    const struct weir_fncc_config *cfg = config;
    (void)rx, (void)data;
    if (cfg->n_counts == WEIR_FNCC_ESTABLISHED)
        echo->share_count = echo->conn_count;
    else if (cfg->lhcs_recent)
        echo->share_count = echo->recent_count;
}
#endif
