/* test/unit/workload/test_foreign.c - files of other kinds are named for what they are, after a reader has refused them. */
#include "test/unit/refusal.h"
#include "workload/foreign.h"

static void each_kind_is_recognised(void **state)
{
    static const struct {
        const char *text;
        enum weir_foreign is;
    } texts[] = {
        { "num_ranks 2\nrank 0 {\n", WEIR_FOREIGN_GOAL },
        { "# made by hand\n\n  num_ranks 16\n", WEIR_FOREIGN_GOAL },
        { "{\"schema\": \"1.1.0-chakra.0.0.4\", \"nodes\": []}", WEIR_FOREIGN_CHAKRA },
        { "{\"nodes\": [{\"id\": 3, \"name\": \"COMM_SEND_NODE\"}]}", WEIR_FOREIGN_CHAKRA },
        { "{name: chakra, topology: {kind: star}}", WEIR_FOREIGN_NONE },
        { "0 0\n10000 15\n30000000 100\n", WEIR_FOREIGN_SIZES },
        { "size_bytes,cdf\n0,0\n1e4,15.5\n2e4,100\n", WEIR_FOREIGN_SIZES },
        { "0\t0\n10000 \t 0.15\n30000000 1\n", WEIR_FOREIGN_SIZES },
        { "0 0\n10000 15\n30000000 99\n", WEIR_FOREIGN_NONE },
        { "0 0\n10000 15\n9000 100\n", WEIR_FOREIGN_NONE },
        { "0 0\n10000 15 7\n30000000 100\n", WEIR_FOREIGN_NONE },
        { "100 100\n", WEIR_FOREIGN_NONE },
        { "1,2,3,4 us\n", WEIR_FOREIGN_NONE },
        { "topology: {kind: star}\n", WEIR_FOREIGN_NONE },
        { "", WEIR_FOREIGN_NONE },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_int_equal(weir_foreign_of(texts[i].text), texts[i].is);
}

static void only_a_refusal_of_the_content_is_replaced(void **state)
{
    static const char goal[] = "num_ranks 2\n", cdf[] = "0 0\n9 1\n";
    struct weir_err err;
    (void)state;
    assert_int_equal(weir_foreign_name(0, "f", goal, WEIR_FOREIGN_NONE, &err), 0);
    (void)weir_fail(&err, WEIR_E_MEMORY, NULL, NULL, "no memory");
    assert_int_equal(weir_foreign_name(WEIR_E_MEMORY, "f", goal, WEIR_FOREIGN_NONE, &err), WEIR_E_MEMORY);
    assert_string_equal(err.text, "no memory");
    (void)weir_fail(&err, WEIR_E_RANGE, NULL, NULL, "too large");
    assert_int_equal(weir_foreign_name(WEIR_E_RANGE, "f", cdf, WEIR_FOREIGN_SIZES, &err), WEIR_E_RANGE);
    assert_string_equal(err.text, "too large");
    assert_int_equal(weir_foreign_name(WEIR_E_RANGE, "f", cdf, WEIR_FOREIGN_NONE, &err), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, NULL, "distribution");
    assert_int_equal(weir_foreign_name(WEIR_E_UNKNOWN, "f", goal, WEIR_FOREIGN_NONE, &err), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, NULL, "GOAL");
    assert_string_equal(err.file, "f");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_is_recognised),
        cmocka_unit_test(only_a_refusal_of_the_content_is_replaced),
    };
    return cmocka_run_group_tests_name("workload/foreign", tests, NULL, NULL);
}
