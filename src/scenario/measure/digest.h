/* src/scenario/measure/digest.h - one number that two runs share if and only if they did the same: order-independent
 * sums of hashes. */
#ifndef WEIR_MEASURE_DIGEST_H
#define WEIR_MEASURE_DIGEST_H
#include "core/rng.h"

/* Hashes a delivered message; added (modulo 2^64) once for each, when the run is over. */
static inline uint64_t weir_digest_message(uint64_t id, uint64_t start_ps, uint64_t end_ps, uint64_t retransmissions,
                                           uint64_t marks)
{
    uint64_t h = weir_mix_u64(id + 1);
    h = weir_mix_u64(h ^ start_ps);
    h = weir_mix_u64(h + end_ps);
    return weir_mix_u64(h ^ (retransmissions << 32 | marks));
}

/* Hashes the counts of a port (link); added once for each. */
static inline uint64_t weir_digest_port(uint64_t link, uint64_t drops, uint64_t marks, uint64_t bytes)
{
    uint64_t h = weir_mix_u64(link + UINT64_C(0x706f7274));
    h = weir_mix_u64(h ^ drops);
    h = weir_mix_u64(h + marks);
    return weir_mix_u64(h ^ bytes);
}

/* Hashes the queue of a port. Queues are known of the measured part only, so they have a sum of their own. area: A of
 * doc/model.md [counting.area], modulo 2^64. */
static inline uint64_t weir_digest_queue(uint64_t link, uint64_t area)
{
    return weir_mix_u64(weir_mix_u64(link + UINT64_C(0x71756575)) + area);
}
#endif
