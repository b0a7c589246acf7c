/* src/base/core/path.h - the network as a flow knows it. */
#ifndef WEIR_CORE_PATH_H
#define WEIR_CORE_PATH_H
#include <stdint.h>

#define WEIR_CWND_MAX_BYTES (1u << 30) /* in flight: products with a Q20 fraction stay below 2^50 */

/* The network of a flow, passed once. */
struct weir_path {
    uint64_t base_rtt_ps;      /* full packet out, acknowledgement back, idle network, longest path */
    uint64_t control_rtt_ps;   /* control packet out, another back, likewise; 0 = unknown */
    uint64_t rate_bps;         /* of the host's link */
    uint64_t bdp_bytes;        /* as the scenario defines it */
    uint32_t mss_bytes;        /* payload of a full packet; 1 .. 9216 */
    uint32_t wire_bytes;       /* that packet on a link, headers and gap included; 0 = unknown, as mss_bytes */
    uint64_t least_weight_q20; /* of the flows, as far as is known before they begin; 0 = unknown, 1 */
    uint32_t hops;             /* switches on the longest path; with WEIR_NEED_HOPS on the flow's own; 0 = unknown */
};

/* Returns the bytes of a full packet on a link. */
static inline uint32_t weir_path_wire_bytes(const struct weir_path *path)
{
    return path->wire_bytes != 0 ? path->wire_bytes : path->mss_bytes;
}
#endif
