/* src/fabric/buffer_core.h - may this packet have memory in a switch whose ports share a buffer?
 * Source of the dynamic threshold: Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory packet switches",
 * IEEE/ACM ToN 6(2), 1998: a queue may hold up to alpha times what is free. */
#ifndef WEIR_FABRIC_BUFFER_CORE_H
#define WEIR_FABRIC_BUFFER_CORE_H
#include <stdbool.h>
#include <stdint.h>

struct weir_buffer_config {
    uint64_t shared_bytes; /* of the whole switch; UINT64_MAX = unlimited */
    uint64_t port_bytes;   /* static limit of one port; UINT64_MAX = none */
    uint32_t alpha_q10;    /* dynamic threshold, 1024 = alpha of 1; 0 = static only */
};

/* used: held by the switch; queue: held by the egress port; both without this packet, frames in transmission whole. */
static inline bool weir_buffer_admits(const struct weir_buffer_config *cfg, uint64_t used_bytes, uint64_t queue_bytes,
                                      uint32_t bytes)
{
    if (queue_bytes + bytes > cfg->port_bytes)
        return false;
    if (cfg->shared_bytes == UINT64_MAX)
        return true;
    if (used_bytes + bytes > cfg->shared_bytes)
        return false;
    /* shared <= 2^40 and alpha <= 2^20 (1024): fits */
    return cfg->alpha_q10 == 0 || queue_bytes + bytes <= (cfg->shared_bytes - used_bytes) * cfg->alpha_q10 >> 10;
}
#endif
