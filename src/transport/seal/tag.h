/* src/transport/seal/tag.h - the 16-bit tag of an endpoint, which is in every token that it hands out, and changes.
 *
 * A filter in the kernel puts packets without a valid tag into the queue of strangers. A peer that has left knows the
 * tag. If the tag never changed, such a peer could fill the queue of the peers for ever. So the tag is a keyed hash of
 * the endpoint's secret and of the epoch, WEIR_TAG_EPOCH_PS long. Valid are those of the present epoch and of the last.
 *
 * A connection lives longer than a tag. The endpoint reports the present tag to each of its peers within the first
 * half of an epoch, in a packet that the peer believes. From then on the peer has it in the low 16 bits of the tokens
 * that it sends. A peer that misses the report is a stranger for the filter, and for nothing else. Its 48 other bits
 * still name its connection: its packets are served after those of the peers, and answered by the report. */
#ifndef WEIR_SEAL_TAG_H
#define WEIR_SEAL_TAG_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_TAG_EPOCH_PS (UINT64_C(60) * 1000000000000) /* a minute */
#define WEIR_TAG_MASK UINT64_C(0xffff)                   /* where the tag is in a token */

struct weir_tag { /* one endpoint */
    /* A keyed hash that nobody can compute without the key, as SipHash; the same in builds without libsodium. */
    uint64_t (*hash)(const uint64_t key[2], const void *data, size_t size);
    uint64_t key[2]; /* secret */
    uint64_t epoch;
    uint16_t shard,
        shard_mask;         /* the bits of mask are those of shard in every tag; mask 0 = the endpoint is no shard */
    uint16_t present, last; /* tags of epoch and epoch - 1 */
};

/* Begins in the epoch of now_ps. Its last tag is valid, too, though nobody has it. The caller has set shard and
 * shard_mask; all else is overwritten. */
void weir_tag_init(struct weir_tag *t, uint64_t (*hash)(const uint64_t key[2], const void *data, size_t size),
                   const uint64_t key[2], uint64_t now_ps);

/* Returns a number of which the bits that name the shard are those of the shard. */
static inline uint64_t weir_tag_name_shard(const struct weir_tag *t, uint64_t number)
{
    return (number & ~(uint64_t)t->shard_mask) | t->shard;
}

/* Goes to the epoch of now_ps. @return true if the tags have changed: the filter needs the new ones, and the peers the
 * present one */
bool weir_tag_advance(struct weir_tag *t, uint64_t now_ps);

/* Returns when weir_tag_advance() is due next; saturates. */
uint64_t weir_tag_next_ps(const struct weir_tag *t);

/* Tests whether a token has a valid tag. */
static inline bool weir_tag_is_valid(const struct weir_tag *t, uint64_t token)
{
    return (token & WEIR_TAG_MASK) == t->present || (token & WEIR_TAG_MASK) == t->last;
}

/* Returns the token with the present tag in place of its own. */
static inline uint64_t weir_tag_renew(const struct weir_tag *t, uint64_t token)
{
    return (token & ~WEIR_TAG_MASK) | t->present;
}
#endif
