/* src/algorithms/features/buffer/buffer.h - how the ports of a switch share its memory: a limit for each, or a dynamic
 * threshold. The memory itself (fabric.buffer) is the switch's. Source and rule: buffer_core.h. */
#ifndef WEIR_FEATURES_BUFFER_BUFFER_H
#define WEIR_FEATURES_BUFFER_BUFFER_H
#include <stdint.h>

struct weir_feature;

struct weir_buffer_config { /* keys of `fabric` */
    uint64_t port_bytes;    /* static limit of one port; UINT64_MAX = none */
    uint32_t alpha_ppm;     /* dynamic threshold factor, millionths; 0 = off */
};

struct weir_buffer_model {
    uint64_t port_bytes;
    uint32_t alpha_q10; /* 1024 = alpha of 1; 0 = static only */
};

enum weir_buffer_verdict {
    WEIR_BUFFER_ADMITS,
    WEIR_BUFFER_PORT_FULL,   /* above port_bytes */
    WEIR_BUFFER_ABOVE_ALPHA, /* above alpha times what is free */
};

extern const struct weir_feature weir_buffer_feature;
#endif
