/* src/commands/soft/frames.c - see frames.h. */
#include "soft/frames.h"
#include "core/assert.h"
#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 64 };

bool soft_frames_init(struct soft_frames *f, uint32_t most, uint32_t bytes)
{
    size_t stride = (sizeof(struct soft_frame) + bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    WEIR_ASSERT(most > 0 && most < UINT32_MAX);
    *f = (struct soft_frames){ .memory = aligned_alloc(LINE_BYTES, stride * most), .stride = stride, .most = most };
    return f->memory != NULL;
}

void soft_frames_free(struct soft_frames *f)
{
    free(f->memory);
    *f = (struct soft_frames){ 0 };
}

struct soft_frame *soft_frame_of(const struct soft_frames *f, uint64_t number)
{
    WEIR_ASSERT(number <= f->touched);
    return number == SOFT_NO_FRAME ? NULL : (struct soft_frame *)(void *)(f->memory + (number - 1) * f->stride);
}

uint64_t soft_frame_take(struct soft_frames *f)
{
    uint32_t number = f->free;
    if (number != 0)
        f->free = soft_frame_of(f, number)->next;
    else if (f->touched < f->most)
        number = ++f->touched;
    f->used += number != 0;
    return number;
}

void soft_frame_give(struct soft_frames *f, uint64_t number)
{
    if (number == SOFT_NO_FRAME)
        return;
    WEIR_ASSERT(f->used > 0);
    soft_frame_of(f, number)->next = f->free;
    f->free = (uint32_t)number;
    f->used--;
}

static void *grow(void *ctx, size_t size)
{
    struct soft_memory *m = ctx;
    void **block;
    if (m->count == m->room) {
        block = realloc(m->block, (m->room + LINE_BYTES) * sizeof(*block));
        if (block == NULL)
            return NULL;
        m->block = block;
        m->room += LINE_BYTES;
    }
    size = (size + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    m->block[m->count] = aligned_alloc(LINE_BYTES, size > 0 ? size : LINE_BYTES);
    if (m->block[m->count] == NULL)
        return NULL;
    memset(m->block[m->count], 0, size);
    return m->block[m->count++];
}

struct weir_mem soft_memory(struct soft_memory *memory)
{
    return (struct weir_mem){ .grow = grow, .ctx = memory };
}

void soft_memory_free(struct soft_memory *memory)
{
    while (memory->count > 0)
        free(memory->block[--memory->count]);
    free(memory->block);
    *memory = (struct soft_memory){ 0 };
}
