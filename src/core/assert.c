/* src/core/assert.c - the last resort when no program says it better. */
#include "core/assert.h"

__attribute__((weak)) _Noreturn void weir_assert_failed(const char *file, int line, const char *condition)
{
    (void)file, (void)line, (void)condition;
    __builtin_trap();
}
