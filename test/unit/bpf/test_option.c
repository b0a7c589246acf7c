/* test/unit/bpf/test_option.c - weights of SO_PRIORITY, and the option's bytes. */
#include "test/unit/weir_test.h"
#include "bpf/option.h"
#include <stddef.h>

static void a_priority_is_a_weight(void **state)
{
    static const struct {
        uint32_t priority, weight_milli;
    } row[] = { { 0, 1000 },        { 1, 1000 },          { 2, 2000 },          { 6, 6000 },
                { 7, 1000 },        { 999, 1000 },        { 1000, 1000 },       { 1001, 1001 },
                { 999999, 999999 }, { 1000000, 1000000 }, { 1000001, 1000000 }, { UINT32_MAX, 1000000 } };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(*row); i++)
        assert_int_equal(weir_weight_of_priority(row[i].priority), row[i].weight_milli);
}

static void the_option_is_eight_bytes_with_delay_and_echo_last(void **state)
{
    (void)state;
    assert_int_equal(offsetof(struct weir_tcp_option, bytes), 1);
    assert_int_equal(offsetof(struct weir_tcp_option, magic), 2);
    assert_int_equal(offsetof(struct weir_tcp_option, delay), 4);
    assert_int_equal(offsetof(struct weir_tcp_option, echo), 6);
    assert_int_equal(UINT64_C(65535) * WEIR_TCP_DELAY_UNIT_NS / 1000, 16776); /* us */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_priority_is_a_weight),
                                        cmocka_unit_test(the_option_is_eight_bytes_with_delay_and_echo_last) };
    return cmocka_run_group_tests_name("bpf/option", tests, NULL, NULL);
}
