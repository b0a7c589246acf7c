/* src/base/core/rng.h - random numbers: each is a hash of (object, purpose, number of earlier draws). No two objects
 * share a generator. So results do not depend on threads or on the order of events, and engine and oracle draw the same
 * numbers.
 * Mixing: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 (the SplitMix64
 * finaliser with Stafford's variant 13 constants). */
#ifndef WEIR_CORE_RNG_H
#define WEIR_CORE_RNG_H
#include <stdbool.h>
#include <stdint.h>

enum weir_rng_use { /* purposes of random numbers; each has its own streams */
                    WEIR_RNG_LINK_LOSS = 1,
                    WEIR_RNG_LINK_MARK,
                    WEIR_RNG_HOST_SPRAY,
                    WEIR_RNG_HOST_CONN,
                    WEIR_RNG_SWITCH_SALT,
                    WEIR_RNG_ARRIVAL, /* traffic: inter-arrival time */
                    WEIR_RNG_SIZE,    /* traffic: message size */
                    WEIR_RNG_PEER,    /* traffic: destination */
                    WEIR_RNG_INCAST,
                    WEIR_RNG_PERMUTE,
                    WEIR_RNG_SAMPLE, /* measure: which values to keep if there is no room for all */
                    WEIR_RNG_TEST,
                    WEIR_RNG_TASK_HOST, /* jobs: hosts of tasks */
                    WEIR_RNG_JOB_ARRIVAL,
                    WEIR_RNG_ALLOCATE,   /* weir allocate: random pairs and their weights */
                    WEIR_RNG_PAIRS,      /* traffic: random pairs and their weights */
                    WEIR_RNG_JITTER,     /* traffic: how much later a listed flow starts */
                    WEIR_RNG_DEFLECT,    /* fabric: port by which a message is deflected */
                    WEIR_RNG_PROTOCOL,   /* draws of a protocol in a host */
                    WEIR_RNG_DEPLOY,     /* traffic: which messages or hosts have a law that is deployed in part */
                    WEIR_RNG_FAILURE,    /* fabric: when a cable or switch fails, and is repaired */
                    WEIR_RNG_LINK_DELAY, /* by how much a frame is late */
                    WEIR_RNG_PLACEMENT,  /* traffic: at which hosts ranks are */
                    WEIR_RNG_STRAGGLER,  /* traffic: which rank computes longer */
};

struct weir_rng {   /* one stream; a copy continues independently */
    uint64_t key;   /* from weir_rng_key() */
    uint64_t count; /* number of draws so far */
};

static inline uint64_t weir_mix_u64(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Returns the key of one stream. id: number of the link, host or other object; use: enum weir_rng_use; sub: number of
 * the stream among several of the same id and use, as of a traffic item */
static inline uint64_t weir_rng_key(uint64_t seed, uint64_t id, uint32_t use, uint32_t sub)
{
    uint64_t k = weir_mix_u64(seed + UINT64_C(0x9e3779b97f4a7c15));
    k = weir_mix_u64(k ^ (id + UINT64_C(0x9e3779b97f4a7c15)));
    return weir_mix_u64(k ^ ((uint64_t)use << 32 | sub));
}

/* Returns draw number `count`, from 0, of the stream with this key: uniform over 64 bits. */
static inline uint64_t weir_rng_at(uint64_t key, uint64_t count)
{
    return weir_mix_u64(key + (count + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

static inline uint64_t weir_rng_next(struct weir_rng *rng)
{
    return weir_rng_at(rng->key, rng->count++);
}

/* Mixes 32 bits at low cost, for path choices; every output bit depends on every input bit. */
static inline uint32_t weir_mix_u32(uint32_t x)
{
    x = (x ^ x >> 16) * UINT32_C(0x7feb352d);
    x = (x ^ x >> 15) * UINT32_C(0x846ca68b);
    return x ^ x >> 16;
}

/* Returns the path entropy (weir_pkt.hash) of DATA from host src to host dst on connection conn of src, without
 * spraying. symmetric: true = the result is the same if src and dst are exchanged. In core/, because the solver must
 * find the same paths. */
static inline uint32_t weir_rng_path(uint64_t seed, uint32_t src, uint32_t dst, uint32_t conn, bool symmetric)
{
    bool swap = symmetric && dst < src;
    uint64_t key = weir_rng_key(seed, swap ? dst : src, WEIR_RNG_HOST_CONN, swap ? src : dst);
    return (uint32_t)(weir_rng_at(key, conn) >> 32);
}

/* Returns the path entropy of a packet that answers one with path entropy `hash`; see weir_rng_path(). */
static inline uint32_t weir_rng_path_back(uint32_t hash, bool symmetric)
{
    return symmetric ? hash : weir_mix_u32(hash ^ UINT32_C(0x5bd1e995));
}

/* Maps a draw to a number in 0 .. n - 1, uniformly, by the high half of a 32 x 32 product. n: 1 .. 2^32; the bias is
 * below n / 2^32. */
static inline uint32_t weir_rng_below(uint64_t draw, uint64_t n)
{
    return (uint32_t)((draw >> 32) * n >> 32);
}

/* Returns true with a probability of ppb billionths: if the high half of the draw, scaled to 0 .. 1e9 - 1, is below
 * ppb. ppb: 0 .. 1e9; 2^32 * 2^30 fits. */
static inline bool weir_rng_hits(uint64_t draw, uint64_t ppb)
{
    return ((draw >> 32) * 1000000000 >> 32) < ppb;
}
#endif
