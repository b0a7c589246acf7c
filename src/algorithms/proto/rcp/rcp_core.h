/* src/algorithms/proto/rcp/rcp_core.h - the decisions of an RCP sender. Apart from rcp.h, includes core/ only. */
#ifndef WEIR_PROTO_RCP_CORE_H
#define WEIR_PROTO_RCP_CORE_H
#include "core/rcp_code.h"
#include "proto/rcp/rcp.h"

/* Begins a flow with a window of one packet, paced at the rate of the host's link. The ACK of that packet brings the
 * rate of the path. */
static inline void weir_rcp_begin_flow(struct weir_rcp *r)
{
    r->cc.rate_bps = r->line_bps;
    r->cc.cwnd_bytes = r->mss_bytes;
}

/* Returns the least rate of a flow, in bit/s on the wire: refresh_ppm millionths of a full packet per latest round
 * trip. Without this bound, a flow of a few packets per second would learn of a higher rate only by its next packet.
 * wire_bytes < 2^14 and refresh_ppm <= 2^20, so the first factor fits. 10^-6 bit per ps is 10^6 bit/s. */
static inline uint64_t weir_rcp_least_bps(const struct weir_rcp *r, const struct weir_rcp_config *cfg)
{
    return weir_mul_div_u64(UINT64_C(8) * r->wire_bytes * cfg->refresh_ppm, 1000000, r->rtt_ps);
}

/* Handles an ACK: sets the pace to the rate in the ACK, limited to the least rate .. the link's rate, and the window to
 * WEIR_CWND_MAX_BYTES. An ACK without a rate (rate_stamp 0) changes neither. Also stores the round-trip sample of the
 * ACK, if it has one. */
static inline void weir_rcp_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    struct weir_rcp *r = (struct weir_rcp *)cc;
    if (ack->rtt_ps != 0)
        r->rtt_ps = ack->rtt_ps;
    if (ack->rate_stamp == 0)
        return;
    cc->rate_bps =
        weir_min_u64(weir_max_u64(weir_rcp_rate_bps(ack->rate_stamp), weir_rcp_least_bps(r, config)), r->line_bps);
    cc->cwnd_bytes = WEIR_CWND_MAX_BYTES;
}
#endif
