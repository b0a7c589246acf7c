/* src/base/core/sizes.h - the distribution of message sizes of a run, for protocols that derive parameters from it. */
#ifndef WEIR_CORE_SIZES_H
#define WEIR_CORE_SIZES_H
#include "core/host_params.h"

struct weir_path;

#define WEIR_SIZES_ONE (1u << 22) /* sum of all weights, approximately; so a sum of weighted bytes fits 64 bits */

struct weir_size_share {
    uint64_t bytes;  /* size of a message, 1 .. */
    uint64_t weight; /* fraction of all messages that have this size, in units of 1 / WEIR_SIZES_ONE */
};

struct weir_message_sizes {
    const struct weir_size_share *share; /* count entries, in any order; a size may occur twice */
    uint32_t count;                      /* 0 = the sizes are unknown before the run, as on a real network */
};

/* The facts from which a protocol may derive values of its configuration, before the configuration is checked. */
struct weir_fit {
    const struct weir_path *path;
    const struct weir_framing *framing;
    struct weir_message_sizes sizes;
};
#endif
