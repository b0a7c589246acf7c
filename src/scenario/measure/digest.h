/* src/scenario/measure/digest.h - hashes for the digest of a run. A digest is a sum of hashes, so it does not depend on
 * their order. Runs with equal digests delivered the same messages at the same times and counted the same at every
 * port, but for a collision of hashes. */
#ifndef WEIR_MEASURE_DIGEST_H
#define WEIR_MEASURE_DIGEST_H
#include "core/rng.h"

/* Returns the hash of a message that has ended. It is added to the digest, modulo 2^64, once per message. */
static inline uint64_t weir_digest_message(uint64_t id, uint64_t start_ps, uint64_t end_ps, uint64_t retransmissions,
                                           uint64_t marks)
{
    uint64_t h = weir_mix_u64(id + 1);
    h = weir_mix_u64(h ^ start_ps);
    h = weir_mix_u64(h + end_ps);
    return weir_mix_u64(h ^ (retransmissions << 32 | marks));
}

/* Returns the hash of the counts of a port over the whole run. It is added to the digest once per link. drops: with
 * losses on the wire; bytes: on the wire */
static inline uint64_t weir_digest_port(uint64_t link, uint64_t drops, uint64_t marks, uint64_t bytes)
{
    uint64_t h = weir_mix_u64(link + UINT64_C(0x706f7274));
    h = weir_mix_u64(h ^ drops);
    h = weir_mix_u64(h + marks);
    return weir_mix_u64(h ^ bytes);
}

/* Returns the hash of the queue of a port. It is added to the digest of queues, which is separate, since queues are
 * known for the measured part only. area: A of doc/model.md [counting.area], modulo 2^64 */
static inline uint64_t weir_digest_queue(uint64_t link, uint64_t area)
{
    return weir_mix_u64(weir_mix_u64(link + UINT64_C(0x71756575)) + area);
}
#endif
