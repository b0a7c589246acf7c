/* src/base/core/fetch.h - prefetch: brings memory that will be needed soon into the cache, while other work goes on. */
#ifndef WEIR_CORE_FETCH_H
#define WEIR_CORE_FETCH_H

/* Prefetches the cache line at `at` for writing; any address is allowed, valid or not. The empty asm is for gcc 12,
 * which removes calls of a function that has no visible effect. */
static inline void weir_fetch(const void *at)
{
    __builtin_prefetch(at, 1);
    __asm__ volatile("");
}

/* Prefetches the cache line at `at` for reading; any address is allowed. Copies in the caches of other threads stay
 * valid. */
static inline void weir_fetch_read(const void *at)
{
    __builtin_prefetch(at, 0);
    __asm__ volatile("");
}
#endif
