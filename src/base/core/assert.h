/* src/base/core/assert.h - what a caller promised and what we promise. */
#ifndef WEIR_CORE_ASSERT_H
#define WEIR_CORE_ASSERT_H

/* Reports a condition that does not hold, and never returns. core/ has a weak one that traps; a program or a test links
 * its own, which prints the condition. */
_Noreturn void weir_assert_failed(const char *file, int line, const char *condition);

/* Compiles a condition without evaluating it. */
#define WEIR_UNCHECKED(condition) ((void)sizeof(!(condition)))

/* Stays on in release builds. Not evaluated in BPF: the verifier checks what a program accesses, and there is no
 * function to call. */
#if defined(__bpf__)
#define WEIR_ASSERT(condition) WEIR_UNCHECKED(condition)
#else
#define WEIR_ASSERT(condition) ((condition) ? (void)0 : weir_assert_failed(__FILE__, __LINE__, #condition))
#endif

/* An assertion on the way of every packet: in builds with meson's option `checks`, those for tests and the sanitized
 * ones. In others it is not evaluated, so its condition changes nothing. */
#if defined(WEIR_CHECKS)
#define WEIR_CHECK(condition) WEIR_ASSERT(condition)
#else
#define WEIR_CHECK(condition) WEIR_UNCHECKED(condition)
#endif

#define WEIR_LIKELY(x) __builtin_expect(!!(x), 1)
#define WEIR_UNLIKELY(x) __builtin_expect(!!(x), 0)
#endif
