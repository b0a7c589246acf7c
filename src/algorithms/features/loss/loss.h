/* src/algorithms/features/loss/loss.h - random loss on the wire, on every link, to test recovery. A frame takes its
 * time on the wire and does not arrive. */
#ifndef WEIR_FEATURES_LOSS_LOSS_H
#define WEIR_FEATURES_LOSS_LOSS_H
#include <stdint.h>

struct weir_feature;

struct weir_loss_config { /* keys of `fabric` */
    uint32_t loss_ppb;
};

struct weir_loss_model {
    uint32_t loss_ppb; /* of frames, billionths; 1 .. 1e9 */
};

struct weir_loss_port {
    uint64_t key; /* of its random draws */
};

extern const struct weir_feature weir_loss_feature;
#endif
