/* src/simulator/state/arena.h - memory of one thread: grows by blocks, is freed as a whole. */
#ifndef WEIR_STATE_ARENA_H
#define WEIR_STATE_ARENA_H
#include "core/mem.h"
#include <stdint.h>

struct weir_arena_block;
struct weir_arena {
    struct weir_arena_block *block; /* newest first */
    unsigned char *next, *end;      /* free part of the newest ordinary block */
    uint64_t used_bytes;            /* given out */
};

/* Gives out `size` bytes, zeroed and aligned to 64. The contract is that of weir_mem.grow; ctx: the struct weir_arena.
 * @return NULL = no memory */
void *weir_arena_take(void *ctx, size_t size);
/* Gives all blocks back to the system. */
void weir_arena_free(struct weir_arena *arena);
#endif
