/* src/transport/bpf/switch_hist.h - buckets of sojourn times: 16 to each power of two, so a bucket is at most 1/16 of
 * its lower end wide. */
#ifndef WEIR_BPF_SWITCH_HIST_H
#define WEIR_BPF_SWITCH_HIST_H
#include "core/math.h"

#define WEIR_SWITCH_BUCKET_BITS 4u
#define WEIR_SWITCH_BUCKETS 576u /* up to 2^39 ns = 550 s */

/* Returns the bucket of a time; times beyond the last bucket belong to it. */
static inline uint32_t weir_switch_bucket(uint64_t ns)
{
    uint32_t octave, bucket;
    if (ns >> WEIR_SWITCH_BUCKET_BITS == 0)
        return (uint32_t)ns;
    octave = 63 - weir_leading_zeros_u64(ns) - WEIR_SWITCH_BUCKET_BITS;
    bucket =
        ((octave + 1) << WEIR_SWITCH_BUCKET_BITS) + (uint32_t)(ns >> octave & ((1u << WEIR_SWITCH_BUCKET_BITS) - 1));
    return bucket < WEIR_SWITCH_BUCKETS ? bucket : WEIR_SWITCH_BUCKETS - 1;
}

/* Returns the least time of a bucket, in ns. bucket: below WEIR_SWITCH_BUCKETS */
static inline uint64_t weir_switch_bucket_ns(uint32_t bucket)
{
    uint32_t octave = bucket >> WEIR_SWITCH_BUCKET_BITS, part = bucket & ((1u << WEIR_SWITCH_BUCKET_BITS) - 1);
    if (octave == 0)
        return part;
    return ((UINT64_C(1) << WEIR_SWITCH_BUCKET_BITS) + part) << (octave - 1);
}
#endif
