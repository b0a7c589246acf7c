/* test/unit/features/test_buffer.c - what a port may hold of a switch's memory: by itself, and by what is free. */
#include "core/feature.h"
#include "test/unit/weir_test.h"
#include "features/buffer/buffer_core.h"

static bool admits(const struct weir_buffer_model *m, uint64_t used, uint64_t held, uint32_t bytes)
{
    const struct weir_admit a = { .memory_bytes = 100000, .used_bytes = used, .held_bytes = held, .bytes = bytes };
    return weir_buffer_feature.admit(&(struct weir_here){ .model = m }, &a) == 0;
}

static void a_port_has_a_limit_of_its_own(void **state)
{
    const struct weir_buffer_model m = { .port_bytes = 5000 };
    (void)state;
    assert_true(admits(&m, 90000, 4000, 1000));
    assert_false(admits(&m, 90000, 4001, 1000));
}

/* alpha 1/2: half of what is free. */
static void a_dynamic_threshold_follows_what_is_free(void **state)
{
    const struct weir_buffer_model m = { .port_bytes = UINT64_MAX, .alpha_q10 = 512 };
    (void)state;
    assert_true(admits(&m, 0, 49000, 1000));
    assert_false(admits(&m, 0, 49001, 1000));
    assert_true(admits(&m, 80000, 9000, 1000));
    assert_false(admits(&m, 80000, 9001, 1000));
}

static uint32_t answer(const struct weir_buffer_model *m, uint64_t used, uint64_t held)
{
    const struct weir_admit a = { .memory_bytes = 100000, .used_bytes = used, .held_bytes = held, .bytes = 1000 };
    return weir_buffer_feature.admit(&(struct weir_here){ .model = m }, &a);
}

/* Of both the port's own limit comes first. */
static void a_refusal_names_its_rule(void **state)
{
    const struct weir_buffer_model m = { .port_bytes = 20000, .alpha_q10 = 512 };
    const struct weir_rule *rule = weir_buffer_feature.rules;
    (void)state;
    assert_int_equal(answer(&m, 0, 19001) & (WEIR_RULE(1) - 1), WEIR_DROP);
    assert_string_equal(rule[answer(&m, 0, 19001) >> WEIR_RULE_SHIFT].name, "port");
    assert_int_equal(answer(&m, 80000, 9001) & (WEIR_RULE(1) - 1), WEIR_DROP);
    assert_string_equal(rule[answer(&m, 80000, 9001) >> WEIR_RULE_SHIFT].name, "alpha");
    assert_string_equal(rule[answer(&m, 80000, 19001) >> WEIR_RULE_SHIFT].name, "port");
}

/* The engine asks with upper bounds first, so less used and less held may never be refused where more is admitted. */
static void admission_is_monotone(void **state)
{
    uint64_t x = 2463534242u; /* fixed: a failure repeats */
    (void)state;
    for (int i = 0; i < 100000; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        const struct weir_buffer_model m = { .port_bytes = x % 60000, .alpha_q10 = (uint32_t)(x >> 20) % 3000 };
        uint64_t used = (x >> 32) % 98000, held = (x >> 12) % 60000;
        if (admits(&m, used, held, 1500))
            assert_true(admits(&m, used - used % 1000, held - held % 1000, 1500));
    }
}

static void lossless_classes_are_not_limited_by_ports(void **state)
{
    const struct weir_buffer_model m = { .port_bytes = 1, .alpha_q10 = 1 };
    const struct weir_admit a = { .memory_bytes = 100000, .held_bytes = 50000, .bytes = 1500, .lossless = true };
    (void)state;
    assert_int_equal(weir_buffer_admits(&m, &a), WEIR_BUFFER_ADMITS);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_port_has_a_limit_of_its_own),
                                        cmocka_unit_test(a_dynamic_threshold_follows_what_is_free),
                                        cmocka_unit_test(a_refusal_names_its_rule),
                                        cmocka_unit_test(admission_is_monotone),
                                        cmocka_unit_test(lossless_classes_are_not_limited_by_ports) };
    return cmocka_run_group_tests_name("features/buffer", tests, NULL, NULL);
}
