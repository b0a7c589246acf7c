/* src/sim/arena.c - blocks come zeroed from calloc, which maps them lazily: what is not touched costs no memory. */
#include "sim/arena.h"
#include <stdlib.h>

static const size_t BLOCK_BYTES = (size_t)1 << 20, ALIGN = 64;

struct weir_arena_block {
    struct weir_arena_block *older;
};

static unsigned char *arena_block(struct weir_arena *arena, size_t payload)
{
    struct weir_arena_block *block;
    if (payload > SIZE_MAX - 2 * ALIGN)
        return NULL;
    block = calloc(1, payload + 2 * ALIGN);
    if (block == NULL)
        return NULL;
    block->older = arena->block;
    arena->block = block;
    return (unsigned char *)(((uintptr_t)block + sizeof(*block) + ALIGN - 1) / ALIGN * ALIGN);
}

void *weir_arena_take(void *ctx, size_t size)
{
    struct weir_arena *arena = ctx;
    unsigned char *got;
    if (size > SIZE_MAX - ALIGN)
        return NULL;
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (size > BLOCK_BYTES / 4) { /* a block of its own; the current one goes on */
        got = arena_block(arena, size);
    } else {
        if ((size_t)(arena->end - arena->next) < size) {
            arena->next = arena_block(arena, BLOCK_BYTES);
            arena->end = arena->next != NULL ? arena->next + BLOCK_BYTES : NULL;
        }
        got = arena->next;
        arena->next = got != NULL ? got + size : NULL;
    }
    arena->taken_bytes += got != NULL ? size : 0;
    return got;
}

void weir_arena_free(struct weir_arena *arena)
{
    while (arena->block != NULL) {
        struct weir_arena_block *older = arena->block->older;
        free(arena->block);
        arena->block = older;
    }
    arena->next = arena->end = NULL;
}
