/* src/simulator/state/arena.h - memory of one thread: an arena grows block by block, and is freed as a whole. */
#ifndef WEIR_STATE_ARENA_H
#define WEIR_STATE_ARENA_H
#include "core/mem.h"
#include <stdint.h>

struct weir_arena_block;
/* An arena. All zeros = empty. */
struct weir_arena {
    struct weir_arena_block *block; /* all blocks, newest first */
    unsigned char *next, *end;      /* free part of the newest ordinary block */
    uint64_t used_bytes;            /* sum of the sizes given out, each rounded up to 64 */
};

/* Returns `size` zeroed bytes, aligned to 64, valid until weir_arena_free(). The contract is that of weir_mem.grow.
 * ctx: a struct weir_arena. size: above 0. @return NULL = no memory */
void *weir_arena_take(void *ctx, size_t size);
/* Unmaps all blocks: all memory that the arena gave out becomes invalid. used_bytes stays. */
void weir_arena_free(struct weir_arena *arena);
#endif
