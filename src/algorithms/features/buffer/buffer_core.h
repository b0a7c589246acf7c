/* src/algorithms/features/buffer/buffer_core.h - decides whether the limits of a port admit a packet, and which limit
 * refuses it. Source of the dynamic threshold: Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory
 * packet switches", IEEE/ACM ToN 6(2), 1998. A queue may hold up to alpha times the free memory. */
#ifndef WEIR_FEATURES_BUFFER_BUFFER_CORE_H
#define WEIR_FEATURES_BUFFER_BUFFER_CORE_H
#include "core/hook.h"
#include "features/buffer/buffer.h"

struct weir_admit;

/* Decides whether the limits admit the packet of *a: first the static limit, then the dynamic threshold. Limits do not
 * apply to lossless classes: PFC pauses their in-links instead. */
static inline enum weir_buffer_verdict weir_buffer_admits(const struct weir_buffer_model *m, const struct weir_admit *a)
{
    uint64_t held_bytes = a->held_bytes + a->bytes, free_bytes;
    if (a->lossless)
        return WEIR_BUFFER_ADMITS;
    if (held_bytes > m->port_bytes)
        return WEIR_BUFFER_PORT_FULL;
    free_bytes = a->used_bytes < a->memory_bytes ? a->memory_bytes - a->used_bytes : 0;
    /* memory <= 2^40 where alpha is on, and alpha_q10 <= 2^20 (alpha = 1024): fits */
    if (m->alpha_q10 != 0 && held_bytes > free_bytes * m->alpha_q10 >> 10)
        return WEIR_BUFFER_ABOVE_ALPHA;
    return WEIR_BUFFER_ADMITS;
}
#endif
