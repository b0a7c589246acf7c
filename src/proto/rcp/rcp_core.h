/* src/proto/rcp/rcp_core.h - what an RCP sender decides. Includes core/ only. */
#ifndef WEIR_PROTO_RCP_CORE_H
#define WEIR_PROTO_RCP_CORE_H
#include "core/rcp_code.h"
#include "proto/rcp/rcp.h"

/* One packet may leave, which is to bring the rate. */
static inline void weir_rcp_begin_flow(struct weir_rcp *r)
{
    r->cc.rate_bps = r->line_bps;
    r->cc.cwnd_bytes = r->mss_bytes;
}

/* The newest rate holds; an ACK without one changes nothing. */
static inline void weir_rcp_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    struct weir_rcp *r = (struct weir_rcp *)cc;
    (void)config;
    if (ack->rate_stamp == 0)
        return;
    cc->rate_bps = weir_min_u64(weir_rcp_rate_bps(ack->rate_stamp), r->line_bps);
    cc->cwnd_bytes = WEIR_CWND_MAX_BYTES;
}
#endif
