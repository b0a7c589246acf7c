/* src/algorithms/features/delay_variation/delay_variation.h - delays of cables that vary at random, on all or on named
 * cables: a frame arrives later than its cable says, by up to a limit. Frames of a link stay in order and arrive no
 * closer together than the link carries them: doc/model.md [variation]. */
#ifndef WEIR_FEATURES_DELAY_VARIATION_DELAY_VARIATION_H
#define WEIR_FEATURES_DELAY_VARIATION_DELAY_VARIATION_H
#include "core/cable.h"
#include "core/err.h"
#include "core/param.h"
#include <stdint.h>

struct weir_feature;

#define WEIR_DELAY_VARIATION_ITEMS_MAX 64u

struct weir_delay_variation_keys { /* one item of the list `fabric.delay_variation` */
    char cable[WEIR_TEXT_MAX];     /* the cable by its two ends; empty = all cables */
    uint64_t up_to_ps;
    struct weir_tok where;
};

struct weir_delay_variation_config { /* keys of section `fabric`: a time, or a list of which the later item wins */
    uint64_t up_to_ps;
    uint32_t count;
    struct weir_delay_variation_keys item[WEIR_DELAY_VARIATION_ITEMS_MAX];
};

struct weir_delay_variation_model {
    uint32_t count; /* at least 1: the first item is of all cables */
    struct weir_late item[1 + WEIR_DELAY_VARIATION_ITEMS_MAX];
};

struct weir_delay_variation_port {
    uint64_t key; /* key of its random draws */
    uint64_t up_to_ps;
    uint64_t
        last_ps; /* when the last frame would have ended with a fixed delay: its end, plus by how much it was late */
};

extern const struct weir_feature weir_delay_variation_feature;
#endif
