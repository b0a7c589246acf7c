/* src/base/core/mem.h - where a host's tables get room to grow: from the world that owns it, never from malloc(). */
#ifndef WEIR_CORE_MEM_H
#define WEIR_CORE_MEM_H
#include <stddef.h>

struct weir_mem {
    /* Returns size zeroed bytes aligned to 64, valid until the end of the run; NULL = no more to be had. */
    void *(*grow)(void *ctx, size_t size);
    void *ctx;
};
#endif
