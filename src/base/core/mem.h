/* src/base/core/mem.h - memory for the tables of a host that grow: the world provides it, not malloc(). */
#ifndef WEIR_CORE_MEM_H
#define WEIR_CORE_MEM_H
#include <stddef.h>

struct weir_mem {
    /* Returns size zeroed bytes, aligned to 64, valid until the end of the run; NULL = no memory left. */
    void *(*grow)(void *ctx, size_t size);
    void *ctx;
};
#endif
