/* test/equality/record.c - records which differences of its two operands each comparison has seen: -1, 0 or +1. Linked into
 * programs that clang compiled with -fsanitize-coverage=trace-cmp (tools/equality), which then call a function with both operands
 * before each comparison. At the end the addresses go to a file of the folder WEIR_EQUALITY. */
#define _GNU_SOURCE 1 /* dladdr() */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SITES = 1 << 17, NEAR = 1, EQUAL = 2, BEYOND = 4 }; /* NEAR: the first operand is one more than the second */

struct site {
    uintptr_t pc; /* 0 = free */
    uint32_t seen;
};
static struct site sites[SITES];

/* Finds or takes the entry of an address. Threads may come at once. */
static struct site *site_of(uintptr_t pc)
{
    for (uint32_t i = (uint32_t)(pc * UINT64_C(0x9e3779b97f4a7c15) >> 40);; i++) {
        struct site *s = &sites[i % SITES];
        uintptr_t is = __atomic_load_n(&s->pc, __ATOMIC_RELAXED);
        if (is == pc)
            return s;
        if (is == 0 && __atomic_compare_exchange_n(&s->pc, &is, pc, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
            return s;
        if (is == pc) /* another thread was faster */
            return s;
    }
}

static void see(uintptr_t pc, uint64_t difference)
{
    struct site *s = site_of(pc);
    uint32_t seen = difference == 0 ? EQUAL : difference == 1 ? NEAR : difference == UINT64_MAX ? BEYOND : 0;
    if ((s->seen & seen) != seen)
        (void)__atomic_fetch_or(&s->seen, seen, __ATOMIC_RELAXED);
}

/* The function for a constant receives it first, wherever it stands in the source. */
#define HOOK(name, type, wide, difference)                                                                             \
    void name(type a, type b);                                                                                         \
    void name(type a, type b)                                                                                          \
    {                                                                                                                  \
        see((uintptr_t)__builtin_return_address(0), (uint64_t)(int64_t)(wide)(type)(difference));                      \
    }
HOOK(__sanitizer_cov_trace_cmp1, uint8_t, int8_t, a - b)
HOOK(__sanitizer_cov_trace_cmp2, uint16_t, int16_t, a - b)
HOOK(__sanitizer_cov_trace_cmp4, uint32_t, int32_t, a - b)
HOOK(__sanitizer_cov_trace_cmp8, uint64_t, int64_t, a - b)
HOOK(__sanitizer_cov_trace_const_cmp1, uint8_t, int8_t, b - a)
HOOK(__sanitizer_cov_trace_const_cmp2, uint16_t, int16_t, b - a)
HOOK(__sanitizer_cov_trace_const_cmp4, uint32_t, int32_t, b - a)
HOOK(__sanitizer_cov_trace_const_cmp8, uint64_t, int64_t, b - a)

/* Comparisons are traced only where something else is, too: the calls of functions. */
void __sanitizer_cov_trace_pc_guard_init(uint32_t *begin, const uint32_t *end);
void __sanitizer_cov_trace_pc_guard_init(uint32_t *begin, const uint32_t *end)
{
    (void)begin, (void)end;
}

void __sanitizer_cov_trace_pc_guard(uint32_t *guard);
void __sanitizer_cov_trace_pc_guard(uint32_t *guard)
{
    (void)guard;
}

void __sanitizer_cov_trace_switch(uint64_t value, const uint64_t *cases);
void __sanitizer_cov_trace_switch(uint64_t value, const uint64_t *cases)
{
    (void)value, (void)cases; /* not of order */
}

__attribute__((destructor)) static void write_all(void)
{
    const char *folder = getenv("WEIR_EQUALITY");
    char path[4096];
    FILE *file;
    (void)snprintf(path, sizeof(path), "%s/%d", folder != NULL ? folder : "", (int)getpid());
    file = folder != NULL ? fopen(path, "a") : NULL; /* the tests' library has a copy of this, too */
    for (uint32_t i = 0; file != NULL && i < SITES; i++) {
        Dl_info of;
        if (sites[i].pc == 0 || dladdr((const void *)sites[i].pc, &of) == 0) /* NOLINT: an address of code */
            continue;
        /* the call is before the address it returns to */
        (void)fprintf(file, "%s %llx %u\n", of.dli_fname,
                      (unsigned long long)(sites[i].pc - 1 - (uintptr_t)of.dli_fbase), (unsigned)sites[i].seen);
    }
    if (file != NULL)
        (void)fclose(file);
}
