/* src/state/arena.h - memory of one thread: grows by blocks, is freed as a whole. */
#ifndef WEIR_SIM_ARENA_H
#define WEIR_SIM_ARENA_H
#include "core/mem.h"
#include <stdint.h>

struct weir_arena_block;
struct weir_arena {
    struct weir_arena_block *block; /* newest first */
    unsigned char *next, *end;      /* free part of the newest ordinary block */
    uint64_t taken_bytes;           /* given out */
};

/* size bytes, zeroed, aligned to 64; NULL = no more to be had. Same contract as weir_mem.grow; ctx: the struct
 * weir_arena. */
void *weir_arena_take(void *ctx, size_t size);
void weir_arena_free(struct weir_arena *arena);
#endif
