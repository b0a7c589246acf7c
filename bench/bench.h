/* bench/bench.h - what benches of whole runs share: a clock, and how they give up. */
#ifndef WEIR_BENCH_H
#define WEIR_BENCH_H
#include "core/err.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline double bench_s(clockid_t clock)
{
    struct timespec t;
    (void)clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline void bench_die(const struct weir_err *err)
{
    (void)fprintf(stderr, "bench: %s\n", err->text);
    exit(1);
}
#endif
