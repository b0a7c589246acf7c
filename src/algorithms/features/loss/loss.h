/* src/algorithms/features/loss/loss.h - random loss on links, to test recovery: on all, on named cables, and from a
 * time on. A lost frame occupies the wire for its transmission time, and does not arrive. */
#ifndef WEIR_FEATURES_LOSS_LOSS_H
#define WEIR_FEATURES_LOSS_LOSS_H
#include "core/cable.h"
#include "core/err.h"
#include "core/param.h"
#include <stdint.h>

struct weir_feature;

#define WEIR_LOSS_ITEMS_MAX 64u

struct weir_loss_keys {        /* one item of the list `fabric.loss` */
    char cable[WEIR_TEXT_MAX]; /* the cable by its two ends; empty = all cables */
    uint32_t loss_ppb;
    struct weir_tok where;
};

struct weir_loss_config { /* keys of section `fabric`: a number, or a list of which the later item wins */
    uint32_t loss_ppb;
    uint32_t count;
    struct weir_loss_keys item[WEIR_LOSS_ITEMS_MAX];
};

struct weir_loss_of { /* the loss of one cable, or of all */
    uint32_t cable;   /* the lower of the cable's two links; UINT32_MAX = all cables */
    uint32_t loss_ppb;
};

struct weir_loss_model {
    bool given;        /* the scenario says what cables lose; else the topology does, weir_fabric_port.loss_ppb */
    uint32_t loss_ppb; /* given: probability that a frame is lost, in billionths; 0 .. 1e9 */
    uint32_t count;
    struct weir_loss_of item[WEIR_LOSS_ITEMS_MAX];
    const struct weir_loss_step *step; /* step_count changes, ordered by time; lent for the run */
    uint32_t step_count;
};

struct weir_loss_port {
    uint64_t key;      /* key of its random draws */
    uint64_t until_ps; /* loss_ppb holds for transmissions that start before this time, from since_ps on */
    uint64_t since_ps;
    uint32_t cable;     /* the lower link of the port's cable */
    uint32_t first_ppb; /* before the first step */
    uint32_t loss_ppb;
};

extern const struct weir_feature weir_loss_feature;
#endif
