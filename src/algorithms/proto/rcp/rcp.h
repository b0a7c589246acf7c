/* src/algorithms/proto/rcp/rcp.h - RCP sender: it sends at the rate that the switches of its path have written into its
 * packets.
 * Source: Dukkipati et al., "Processor Sharing Flows in the Internet", IWQoS 2005. The switch's part is
 * src/algorithms/features/rcp.
 * Departs from the paper:
 * - No SYN: a new flow sends its first packet and waits for its ACK, which carries the rate.
 * - No REF packets: a flow with a low rate sends a packet of data once per round trip instead, see `refresh`. An idle
 *   flow sends nothing; with restart it learns the rate anew at its next message.
 * - After a timeout a flow begins anew, too, because the rate that it knows is old. */
#ifndef WEIR_PROTO_RCP_H
#define WEIR_PROTO_RCP_H
#include "core/cc.h"
#include "core/err.h"
#include "core/param.h"

struct weir_rcp_config {  /* one per run, read-only during the run */
    uint32_t restart;     /* 1: every message begins as a new flow */
    uint32_t refresh_ppm; /* least rate, in millionths of a full packet per round trip; 0 .. 1000000 */
};

struct weir_rcp {      /* one per flow */
    struct weir_cc cc; /* cwnd_bytes: one packet until a rate is known, then WEIR_CWND_MAX_BYTES */
    uint64_t line_bps; /* rate of the host's link */
    uint64_t rtt_ps;   /* the newest sample; the base round trip before there is one */
    uint32_t mss_bytes, wire_bytes;
};
_Static_assert(offsetof(struct weir_rcp, cc) == 0, "host/ casts between the two");
_Static_assert(sizeof(struct weir_rcp) <= 64, "one cache line");

extern const struct weir_cc_ops weir_rcp_ops;
extern const struct weir_param weir_rcp_params[];
extern const struct weir_preset weir_rcp_presets[]; /* scripts (default), module */
extern const char *const weir_rcp_recommends[];     /* core/recommend.h */
#endif
