/* src/base/core/path.h - the properties of the network that a host and its protocol know: rate, round trip, packet
 * sizes. */
#ifndef WEIR_CORE_PATH_H
#define WEIR_CORE_PATH_H
#include <stdbool.h>
#include <stdint.h>

#define WEIR_CWND_MAX_BYTES (1u << 30) /* largest cwnd; its product with a Q20 fraction is at most 2^50 */

/* The network as one flow sees it; passed to a protocol once, when the flow starts. */
struct weir_path {
    uint64_t base_rtt_ps;      /* full packet out and its ACK back, on the longest path of the idle network */
    uint64_t control_rtt_ps;   /* control packet out and another back, on the same path; 0 = unknown */
    uint64_t rate_bps;         /* of the host's link */
    uint64_t bdp_bytes;        /* as the scenario defines it */
    uint32_t mss_bytes;        /* payload of a full packet; 1 .. 9216 */
    uint32_t wire_bytes;       /* of a full packet on a link, headers and gap included; 0 = unknown: taken as
                                  mss_bytes */
    uint64_t least_weight_q20; /* least weight of all flows that are known before the run; 0 = unknown, treated as
                                  1.0 */
    uint64_t qdelay_most_ps;   /* longest queueing delay that DATA can carry; 0 = unknown */
    bool qdelay_is_phantom;    /* these delays are of virtual queues (fabric.phantom) */
    uint32_t hops;             /* switches on the longest path, with WEIR_NEED_HOPS on this flow's path; 0 = unknown */
};

/* Returns the bytes of a full packet on a link; mss_bytes if they are unknown. */
static inline uint32_t weir_path_wire_bytes(const struct weir_path *path)
{
    return path->wire_bytes != 0 ? path->wire_bytes : path->mss_bytes;
}
#endif
