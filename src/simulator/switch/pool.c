/* src/simulator/switch/pool.c - see pool.h. */
#include "switch/pool.h"
#include "core/assert.h"

enum { BLOCK_PKTS = 1024, LINE_BYTES = 64 };

void weir_switch_pool_init(struct weir_switch_pool *pool, const struct weir_mem *mem, uint32_t most, bool has_more)
{
    size_t bytes = sizeof(struct weir_switch_pkt) + (has_more ? sizeof(struct weir_switch_more) : 0);
    WEIR_ASSERT(most > 0);
    *pool = (struct weir_switch_pool){
        .mem = *mem, .stride = (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES, .left = most, .has_more = has_more
    };
}

bool weir_switch_pool_grow(struct weir_switch_pool *pool)
{
    uint32_t count = pool->left < BLOCK_PKTS ? pool->left : BLOCK_PKTS;
    unsigned char *block = count > 0 ? pool->mem.grow(pool->mem.ctx, count * pool->stride) : NULL;
    WEIR_ASSERT(pool->free == NULL);
    if (block == NULL)
        return false;
    pool->left -= count;
    for (uint32_t i = 0; i < count; i++)
        weir_switch_pkt_give(pool, (struct weir_switch_pkt *)(void *)(block + i * pool->stride));
    return true;
}
