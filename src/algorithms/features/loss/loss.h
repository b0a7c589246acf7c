/* src/algorithms/features/loss/loss.h - random loss on every link, to test recovery. A lost frame occupies the wire for
 * its transmission time, and does not arrive. */
#ifndef WEIR_FEATURES_LOSS_LOSS_H
#define WEIR_FEATURES_LOSS_LOSS_H
#include <stdint.h>

struct weir_feature;

struct weir_loss_config { /* keys of section `fabric` */
    uint32_t loss_ppb;
};

struct weir_loss_model {
    uint32_t loss_ppb; /* probability that a frame is lost, in billionths; 1 .. 1e9 */
};

struct weir_loss_port {
    uint64_t key; /* key of its random draws */
};

extern const struct weir_feature weir_loss_feature;
#endif
