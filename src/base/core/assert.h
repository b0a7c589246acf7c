/* src/base/core/assert.h - assertions: preconditions of a caller, and invariants of our own code. */
#ifndef WEIR_CORE_ASSERT_H
#define WEIR_CORE_ASSERT_H

/* Handles a failed assertion, and never returns. core/ has a weak definition that traps; a program or test may link its
 * own, which prints the condition. */
_Noreturn void weir_assert_failed(const char *file, int line, const char *condition);

/* Compiles a condition without evaluating it. */
#define WEIR_UNCHECKED(condition) ((void)sizeof(!(condition)))

/* An assertion that release builds keep. BPF does not evaluate it: there is no function to call, and the verifier
 * checks all accesses of a program. */
#if defined(__bpf__)
#define WEIR_ASSERT(condition) WEIR_UNCHECKED(condition)
#elif defined(__wasm__) /* the place alone: a page loads the texts of all conditions before it can begin */
#define WEIR_ASSERT(condition) ((condition) ? (void)0 : weir_assert_failed(__FILE_NAME__, __LINE__, ""))
#else
#define WEIR_ASSERT(condition) ((condition) ? (void)0 : weir_assert_failed(__FILE__, __LINE__, #condition))
#endif

/* An assertion on the per-packet path. Evaluated only in builds with meson's option `checks`: for tests and sanitizers.
 * The condition must have no side effect. */
#if defined(WEIR_CHECKS)
#define WEIR_CHECK(condition) WEIR_ASSERT(condition)
#else
#define WEIR_CHECK(condition) WEIR_UNCHECKED(condition)
#endif

/* Asserts at compile time how a struct lies in cache lines, where pointers have 64 bits. Where they have 32, as in
 * WebAssembly, another layout costs speed alone. */
#define WEIR_LAYOUT_ASSERT(condition, text) _Static_assert(sizeof(void *) != 8 || (condition), text)

#define WEIR_LIKELY(x) __builtin_expect(!!(x), 1)
#define WEIR_UNLIKELY(x) __builtin_expect(!!(x), 0)
#endif
