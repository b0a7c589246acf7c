/* src/algorithms/features/buffer/buffer_core.h - may this packet have memory at this port, if the switch has it? If
 * not, which rule refuses it? Source of the dynamic threshold: Choudhury and Hahne, "Dynamic queue length thresholds
 * for shared-memory packet switches", IEEE/ACM ToN 6(2), 1998. A queue may hold up to alpha times what is free. */
#ifndef WEIR_FEATURES_BUFFER_BUFFER_CORE_H
#define WEIR_FEATURES_BUFFER_BUFFER_CORE_H
#include "core/hook.h"
#include "features/buffer/buffer.h"

struct weir_admit;

/* Decides about one packet; the port's own limit comes first. Limits of ports are not for lossless classes: their
 * in-links are paused instead. */
static inline enum weir_buffer_verdict weir_buffer_admits(const struct weir_buffer_model *m, const struct weir_admit *a)
{
    uint64_t held_bytes = a->held_bytes + a->bytes, free_bytes;
    if (a->lossless)
        return WEIR_BUFFER_ADMITS;
    if (held_bytes > m->port_bytes)
        return WEIR_BUFFER_PORT_FULL;
    free_bytes = a->used_bytes < a->memory_bytes ? a->memory_bytes - a->used_bytes : 0;
    /* memory <= 2^40 where alpha is on, and alpha <= 2^20 (1024): fits */
    if (m->alpha_q10 != 0 && held_bytes > free_bytes * m->alpha_q10 >> 10)
        return WEIR_BUFFER_ABOVE_ALPHA;
    return WEIR_BUFFER_ADMITS;
}
#endif
