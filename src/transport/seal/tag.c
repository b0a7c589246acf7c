/* src/transport/seal/tag.c - the tag of an endpoint by its epoch. */
#include "seal/tag.h"
#include "core/assert.h"

static uint16_t tag_of(const struct weir_tag *t, uint64_t epoch)
{
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(epoch >> (56 - 8 * i));
    return (uint16_t)weir_tag_name_shard(t, t->hash(t->key, bytes, sizeof(bytes)));
}

static void compute(struct weir_tag *t, uint64_t epoch)
{
    t->epoch = epoch;
    t->present = tag_of(t, epoch);
    t->last = tag_of(t, epoch - 1); /* of epoch 0: of 2^64 - 1, which is as secret as any */
}

void weir_tag_init(struct weir_tag *t, uint64_t (*hash)(const uint64_t key[2], const void *data, size_t size),
                   const uint64_t key[2], uint64_t now_ps)
{
    WEIR_ASSERT((t->shard & ~t->shard_mask) == 0);
    *t = (struct weir_tag){ .hash = hash, .key = { key[0], key[1] }, .shard = t->shard, .shard_mask = t->shard_mask };
    compute(t, now_ps / WEIR_TAG_EPOCH_PS);
}

bool weir_tag_advance(struct weir_tag *t, uint64_t now_ps)
{
    uint64_t epoch = now_ps / WEIR_TAG_EPOCH_PS;
    WEIR_ASSERT(epoch >= t->epoch);
    if (epoch == t->epoch)
        return false;
    compute(t, epoch);
    return true;
}

uint64_t weir_tag_next_ps(const struct weir_tag *t)
{
    return t->epoch + 1 > UINT64_MAX / WEIR_TAG_EPOCH_PS ? UINT64_MAX : (t->epoch + 1) * WEIR_TAG_EPOCH_PS;
}
