/* src/core/fetch.h - prefetching: memory that will be needed is brought into the cache during other work. */
#ifndef WEIR_CORE_FETCH_H
#define WEIR_CORE_FETCH_H

/* Begins to bring the cache line at `at` in, to be written to; any address will do. The empty asm is for gcc 12, which takes a function that
 * does nothing else for one without effect, and leaves out its calls. */
static inline void weir_fetch(const void *at)
{
    __builtin_prefetch(at, 1);
    __asm__ volatile("");
}

/* To be read only: other threads keep their copies. */
static inline void weir_fetch_read(const void *at)
{
    __builtin_prefetch(at, 0);
    __asm__ volatile("");
}
#endif
