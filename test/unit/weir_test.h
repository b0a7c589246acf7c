/* test/unit/weir_test.h - cmocka with the four headers it wants before it, and the report of assertions of src/ that do
 * not hold. A test with a handler of its own defines WEIR_TEST_OWN_HANDLER first. */
#ifndef WEIR_TEST_H
#define WEIR_TEST_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#ifndef WEIR_TEST_OWN_HANDLER
#include "core/assert.h"
#include <stdlib.h>

/* Prints the condition and ends the program. A test that went on would clean up after a call that never returned. */
__attribute__((weak)) _Noreturn void weir_assert_failed(const char *file, int line, const char *condition)
{
    print_error("%s:%d: %s does not hold\n", file, line, condition);
    abort();
}
#endif
#endif
