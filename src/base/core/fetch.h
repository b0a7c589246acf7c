/* src/base/core/fetch.h - prefetching: memory that will be needed is brought into the cache during other work. */
#ifndef WEIR_CORE_FETCH_H
#define WEIR_CORE_FETCH_H

/* Prefetches the cache line at `at` for writing; any address will do. The empty asm is for gcc 12: it takes a function
 * that does nothing else for one without effect, and leaves out its calls. */
static inline void weir_fetch(const void *at)
{
    __builtin_prefetch(at, 1);
    __asm__ volatile("");
}

/* Prefetches the cache line at `at` for reading: other threads keep their copies. */
static inline void weir_fetch_read(const void *at)
{
    __builtin_prefetch(at, 0);
    __asm__ volatile("");
}
#endif
