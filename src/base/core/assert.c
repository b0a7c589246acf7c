/* src/base/core/assert.c - the handler of failed assertions in programs that do not define their own. */
#include "core/assert.h"

__attribute__((weak)) _Noreturn void weir_assert_failed(const char *file, int line, const char *condition)
{
    (void)file, (void)line, (void)condition;
    __builtin_trap();
}
