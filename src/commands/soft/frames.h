/* src/commands/soft/frames.h - the frames that are in a switch of real frames, and the memory of its tables. */
#ifndef WEIR_SOFT_FRAMES_H
#define WEIR_SOFT_FRAMES_H
#include "mapping/mapping.h"

#define SOFT_NO_FRAME UINT64_C(0)

struct soft_frame {
    struct weir_mapping_at at;
    uint32_t length;
    uint32_t next; /* of a free one: number of the next; 0 = none */
    unsigned char bytes[];
};

struct soft_frames {
    unsigned char *memory;
    size_t stride;
    uint32_t free;                /* number of a free one that was used before; 0 = none */
    uint32_t touched, used, most; /* numbers 1 .. touched were used; used = are taken */
};

/* Sets up `most` frames of at most `bytes` each. A frame's memory is the system's until it is first used.
 * @return false = no memory */
bool soft_frames_init(struct soft_frames *f, uint32_t most, uint32_t bytes);
void soft_frames_free(struct soft_frames *f);

/* Takes a frame. @return its number; SOFT_NO_FRAME = there is none left */
uint64_t soft_frame_take(struct soft_frames *f);
/* Gives a frame back. number: SOFT_NO_FRAME = does nothing */
void soft_frame_give(struct soft_frames *f, uint64_t number);
/* Returns a frame that is taken; NULL for SOFT_NO_FRAME. */
struct soft_frame *soft_frame_of(const struct soft_frames *f, uint64_t number);

struct soft_memory { /* blocks that live as long as the switch */
    void **block;
    uint32_t count, room;
};

/* Returns an allocator of such blocks. */
struct weir_mem soft_memory(struct soft_memory *memory);
void soft_memory_free(struct soft_memory *memory);
#endif
