/* src/algorithms/features/buffer/buffer.h - limits on the memory of a switch that one port may hold: a static limit per
 * port, and a dynamic threshold. The key fabric.buffer sets the memory itself. Source and rule: buffer_core.h. */
#ifndef WEIR_FEATURES_BUFFER_BUFFER_H
#define WEIR_FEATURES_BUFFER_BUFFER_H
#include <stdint.h>

struct weir_feature;

struct weir_buffer_config { /* keys of section `fabric` */
    uint64_t port_bytes;    /* static limit of one port; UINT64_MAX = none */
    uint32_t alpha_ppm;     /* dynamic threshold factor, millionths; 0 = off */
};

struct weir_buffer_model { /* limits that hold at every port */
    uint64_t port_bytes;   /* static limit of one port; UINT64_MAX = none */
    uint32_t alpha_q10;    /* factor of the dynamic threshold, 1024 = 1; 0 = no dynamic threshold */
};

/* Result of weir_buffer_admits(): whether the limits admit a packet, and which one refuses it. */
enum weir_buffer_verdict {
    WEIR_BUFFER_ADMITS,
    WEIR_BUFFER_PORT_FULL,   /* the port would hold more than port_bytes */
    WEIR_BUFFER_ABOVE_ALPHA, /* the port would hold more than alpha times the free memory */
};

extern const struct weir_feature weir_buffer_feature;
#endif
