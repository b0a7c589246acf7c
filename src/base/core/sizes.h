/* src/base/core/sizes.h - the sizes of a run's messages, for protocols whose parameters follow from them. */
#ifndef WEIR_CORE_SIZES_H
#define WEIR_CORE_SIZES_H
#include "core/host_params.h"

struct weir_path;

#define WEIR_SIZES_ONE (1u << 22) /* what all weights add up to, nearly; so a sum of weighted bytes fits 64 bits */

struct weir_size_share {
    uint64_t bytes;  /* of a message, 1 .. */
    uint64_t weight; /* its part of all messages, of WEIR_SIZES_ONE */
};

struct weir_message_sizes {
    const struct weir_size_share *share; /* count of them, in any order; a size may be there twice */
    uint32_t count;                      /* 0 = unknown before the run, as on a real network */
};

/* The facts to which a configuration may be fitted before it is checked. */
struct weir_fit {
    const struct weir_path *path;
    const struct weir_framing *framing;
    struct weir_message_sizes sizes;
};
#endif
