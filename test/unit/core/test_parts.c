/* test/unit/core/test_parts.c - things that are joined have the lowest of them as their part. */
#include "test/unit/weir_test.h"
#include "core/parts.h"

static void the_lowest_stands_for_its_part(void **state)
{
    uint32_t part[] = { 0, 1, 2, 3, 4, 5 };
    (void)state;
    weir_part_join(part, 5, 4);
    weir_part_join(part, 3, 2);
    weir_part_join(part, 4, 4);
    assert_int_equal(weir_part_of(part, 5), 4);
    weir_part_join(part, 3, 5); /* 2, 3 with 4, 5 */
    assert_int_equal(weir_part_of(part, 5), 2);
    assert_int_equal(weir_part_of(part, 4), 2);
    weir_part_join(part, 5, 0);
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(weir_part_of(part, i), i == 1 ? 1 : 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_lowest_stands_for_its_part),
    };
    return cmocka_run_group_tests_name("core/parts", tests, NULL, NULL);
}
