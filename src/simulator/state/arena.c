/* src/simulator/state/arena.c - an arena maps its blocks with mmap(): they are zeroed, and take physical memory only
 * where they are touched. Huge pages are requested, because the visits of one window touch the state of the whole run:
 * with small pages every second access would miss the TLB too. */
/* Makes madvise() visible: the name is the C library's.
 * NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#define _DEFAULT_SOURCE
#include "state/arena.h"
#include "core/assert.h"
#include <sys/mman.h>

static const size_t BLOCK_BYTES = (size_t)16 << 20, HUGE_BYTES = (size_t)2 << 20, ALIGN = 64;

struct weir_arena_block { /* header at the beginning of each mapping */
    struct weir_arena_block *older;
    size_t bytes; /* size of the mapping, this header included */
};

/* Maps a zeroed block that begins at a multiple of HUGE_BYTES. bytes: its size, a multiple of HUGE_BYTES. @return NULL
 * = no memory */
static struct weir_arena_block *arena_map(size_t bytes)
{
    unsigned char *all = mmap(NULL, bytes + HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED)
        return NULL;
    size_t before = (HUGE_BYTES - (uintptr_t)all % HUGE_BYTES) % HUGE_BYTES;
    if (before > 0)
        (void)munmap(all, before);
    (void)munmap(all + before + bytes, HUGE_BYTES - before);
#ifdef MADV_HUGEPAGE
    (void)madvise(all + before, bytes, MADV_HUGEPAGE); /* an error is ignored: small pages are only slower */
#endif
    return (struct weir_arena_block *)(void *)(all + before);
}

/* Maps a block with room for `payload` bytes and puts the block in front of the list of blocks. @return the first byte
 * of the room, aligned to ALIGN; NULL = no memory */
static unsigned char *arena_block(struct weir_arena *arena, size_t payload)
{
    struct weir_arena_block *block;
    if (payload > SIZE_MAX - 2 * HUGE_BYTES - ALIGN)
        return NULL;
    size_t bytes = (payload + ALIGN + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
    block = arena_map(bytes);
    if (block == NULL)
        return NULL;
    *block = (struct weir_arena_block){ arena->block, bytes };
    arena->block = block;
    return (unsigned char *)block + ALIGN;
}

void *weir_arena_take(void *ctx, size_t size)
{
    struct weir_arena *arena = ctx;
    unsigned char *got;
    if (size > SIZE_MAX - ALIGN)
        return NULL;
    size = (size + ALIGN - 1) / ALIGN * ALIGN;
    if (size > BLOCK_BYTES / 4) { /* a block for this request alone; the current block stays in use */
        got = arena_block(arena, size);
    } else {
        if ((size_t)(arena->end - arena->next) < size) {
            arena->next = arena_block(arena, BLOCK_BYTES - ALIGN);
            arena->end = arena->next != NULL ? arena->next + (BLOCK_BYTES - ALIGN) : NULL;
        }
        got = arena->next;
        arena->next = got != NULL ? got + size : NULL;
        WEIR_ASSERT(arena->next <= arena->end);
    }
    WEIR_ASSERT((uintptr_t)got % ALIGN == 0);
    arena->used_bytes += got != NULL ? size : 0;
    return got;
}

void weir_arena_free(struct weir_arena *arena)
{
    while (arena->block != NULL) {
        struct weir_arena_block *older = arena->block->older;
        (void)munmap(arena->block, arena->block->bytes);
        arena->block = older;
    }
    arena->next = arena->end = NULL;
}
