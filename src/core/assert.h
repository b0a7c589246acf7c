/* src/core/assert.h - what a caller promised and what we promise; stays on in release builds. */
#ifndef WEIR_CORE_ASSERT_H
#define WEIR_CORE_ASSERT_H

/* Reports a condition that does not hold, and never returns. core/ has a weak one that traps; a program or a test links
 * its own, which prints the condition. */
_Noreturn void weir_assert_failed(const char *file, int line, const char *condition);

/* Not evaluated in BPF: the verifier checks what a program accesses, and there is no function to call. */
#if defined(__bpf__)
#define WEIR_ASSERT(condition) ((void)sizeof(!(condition)))
#else
#define WEIR_ASSERT(condition) ((condition) ? (void)0 : weir_assert_failed(__FILE__, __LINE__, #condition))
#endif

#define WEIR_LIKELY(x) __builtin_expect(!!(x), 1)
#define WEIR_UNLIKELY(x) __builtin_expect(!!(x), 0)
#endif
