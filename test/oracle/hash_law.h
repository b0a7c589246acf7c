/* test/oracle/hash_law.h - a law that is wrong on purpose: window and rate are a hash of all that it was ever told. A bit that is wrong,
 * late or told twice soon shows in every number. */
#ifndef WEIR_TEST_HASH_LAW_H
#define WEIR_TEST_HASH_LAW_H
#include "core/cc.h"
#include "core/rng.h"

struct hash_law {
    struct weir_cc cc;
    uint64_t hash, line_bps;
    uint32_t mss_bytes;
};

static inline void hash_law_answer(struct hash_law *l)
{
    l->cc.cwnd_bytes = l->mss_bytes * (1 + (uint32_t)(l->hash & 63));
    l->cc.rate_bps = (l->hash >> 6 & 1) != 0 ? WEIR_RATE_OPEN : l->line_bps / (1 + (l->hash >> 7 & 7));
}

static inline void hash_law_hear(struct hash_law *l, uint64_t word)
{
    l->hash = weir_mix_u64(l->hash ^ word);
    hash_law_answer(l);
}

static inline void hash_law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    struct hash_law *l = (struct hash_law *)cc;
    (void)config;
    *l = (struct hash_law){
        .cc = { .timer_ps = WEIR_NEVER }, .hash = 31, .line_bps = path->rate_bps, .mss_bytes = path->mss_bytes
    };
    hash_law_answer(l);
}

static inline void hash_law_on_loss(struct weir_cc *cc, const void *config, const struct weir_loss *loss)
{
    (void)config, (void)loss;
    cc->cwnd_bytes = ((struct hash_law *)cc)->mss_bytes;
}
#endif
