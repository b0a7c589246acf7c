/* src/commands/live/delay_fifo.h - frames that wait in a delay line, in order, in a memory of fixed size. Each has the
 * time at which it is due in front of it. */
#ifndef WEIR_LIVE_DELAY_FIFO_H
#define WEIR_LIVE_DELAY_FIFO_H
#include "core/assert.h"
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define WEIR_DELAY_ALIGN 16u
#define WEIR_DELAY_SKIP UINT32_MAX /* length of a mark: the next frame begins at the start of the memory */

struct weir_delay_frame { /* what precedes a frame in the memory */
    uint64_t due_ns;
    uint32_t bytes; /* of the frame, or WEIR_DELAY_SKIP */
    uint32_t unused;
    unsigned char data[]; /* aligned as the frame's struct */
};
_Static_assert(sizeof(struct weir_delay_frame) == WEIR_DELAY_ALIGN, "a mark fits wherever a frame may end");

struct weir_delay_fifo {
    unsigned char *memory;           /* aligned to WEIR_DELAY_ALIGN */
    uint64_t room_bytes;             /* a multiple of WEIR_DELAY_ALIGN */
    uint64_t head_bytes, tail_bytes; /* written and removed since the start; they lie at these modulo room_bytes */
    uint64_t used_max_bytes;
    uint64_t frames; /* that wait */
};

static inline uint64_t weir_delay_fifo_bytes(uint32_t frame_bytes)
{
    return (sizeof(struct weir_delay_frame) + frame_bytes + WEIR_DELAY_ALIGN - 1) / WEIR_DELAY_ALIGN * WEIR_DELAY_ALIGN;
}

static inline struct weir_delay_frame *weir_delay_fifo_at(const struct weir_delay_fifo *f, uint64_t at_bytes)
{
    return (struct weir_delay_frame *)(void *)(f->memory + at_bytes % f->room_bytes);
}

/* Appends a copy of a frame. @return false = there is no room, and nothing has changed */
static inline bool weir_delay_fifo_put(struct weir_delay_fifo *f, uint64_t due_ns, const void *data, uint32_t bytes)
{
    uint64_t need = weir_delay_fifo_bytes(bytes), left = f->room_bytes - f->head_bytes % f->room_bytes;
    uint64_t skip = left < need ? left : 0;
    WEIR_ASSERT(bytes != WEIR_DELAY_SKIP);
    if (f->head_bytes + skip + need - f->tail_bytes > f->room_bytes)
        return false;
    if (skip > 0)
        weir_delay_fifo_at(f, f->head_bytes)->bytes = WEIR_DELAY_SKIP;
    f->head_bytes += skip;
    struct weir_delay_frame *frame = weir_delay_fifo_at(f, f->head_bytes);
    frame->due_ns = due_ns;
    frame->bytes = bytes;
    memcpy(frame->data, data, bytes);
    f->head_bytes += need;
    f->frames++;
    if (f->head_bytes - f->tail_bytes > f->used_max_bytes)
        f->used_max_bytes = f->head_bytes - f->tail_bytes;
    return true;
}

/* Returns the frame at *at_bytes, and moves *at_bytes behind it; NULL = there is none. *at_bytes: at first
 * f->tail_bytes. The frame stays until weir_delay_fifo_pop(). */
static inline struct weir_delay_frame *weir_delay_fifo_next(const struct weir_delay_fifo *f, uint64_t *at_bytes)
{
    if (*at_bytes == f->head_bytes)
        return NULL;
    struct weir_delay_frame *frame = weir_delay_fifo_at(f, *at_bytes);
    if (frame->bytes == WEIR_DELAY_SKIP) {
        *at_bytes += f->room_bytes - *at_bytes % f->room_bytes;
        frame = weir_delay_fifo_at(f, *at_bytes);
    }
    WEIR_ASSERT(*at_bytes + weir_delay_fifo_bytes(frame->bytes) <= f->head_bytes);
    *at_bytes += weir_delay_fifo_bytes(frame->bytes);
    return frame;
}

/* Removes the oldest frames, up to `at_bytes`. count: how many that are */
static inline void weir_delay_fifo_pop(struct weir_delay_fifo *f, uint64_t at_bytes, uint64_t count)
{
    WEIR_ASSERT(at_bytes <= f->head_bytes && count <= f->frames);
    f->tail_bytes = at_bytes;
    f->frames -= count;
}

/* Returns when the oldest frame is due; UINT64_MAX = none waits. */
static inline uint64_t weir_delay_fifo_due_ns(const struct weir_delay_fifo *f)
{
    uint64_t at_bytes = f->tail_bytes;
    const struct weir_delay_frame *frame = weir_delay_fifo_next(f, &at_bytes);
    return frame != NULL ? frame->due_ns : UINT64_MAX;
}
#endif
