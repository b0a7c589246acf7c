/* test/unit/core/test_assert.c - assertions and checks whose condition does not hold. */
#define WEIR_TEST_OWN_HANDLER
#include "test/unit/weir_test.h"
#include "core/assert.h"

static jmp_buf caught;
static const char *condition_of;

_Noreturn void weir_assert_failed(const char *file, int line, const char *condition)
{
    (void)file, (void)line;
    condition_of = condition;
    longjmp(caught, 1);
}

static void an_assertion_that_does_not_hold_names_its_condition(void **state)
{
    int two = 2;
    (void)state;
    condition_of = NULL;
    if (setjmp(caught) == 0)
        WEIR_ASSERT(two == 3);
    assert_string_equal(condition_of, "two == 3");
}

static void an_assertion_that_holds_does_nothing(void **state)
{
    int two = 2;
    (void)state;
    condition_of = NULL;
    if (setjmp(caught) == 0)
        WEIR_ASSERT(two == 2);
    assert_null(condition_of);
}

/* Without checks the condition is not even evaluated. */
static void a_check_is_an_assertion_in_builds_with_checks_alone(void **state)
{
    volatile int evaluated = 0;
    (void)state;
    condition_of = NULL;
    if (setjmp(caught) == 0)
        WEIR_CHECK(++evaluated == 2);
#if defined(WEIR_CHECKS)
    assert_string_equal(condition_of, "++evaluated == 2");
    assert_int_equal(evaluated, 1);
#else
    assert_null(condition_of);
    assert_int_equal(evaluated, 0);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_assertion_that_does_not_hold_names_its_condition),
        cmocka_unit_test(an_assertion_that_holds_does_nothing),
        cmocka_unit_test(a_check_is_an_assertion_in_builds_with_checks_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
