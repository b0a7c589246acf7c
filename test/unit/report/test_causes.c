/* test/unit/report/test_causes.c - lists of causes as result files have them, and the reason of each rule. */
#include "test/unit/weir_test.h"
#include "core/feature.h"
#include "registry.h"
#include "report/causes.h"
#include <string.h>

static void a_list_is_read_line_by_line(void **state)
{
    const char *at = "switch.memory[12,3,0,1]\na.b[0,0,2.5,0]";
    struct weir_cause_line line;
    (void)state;
    assert_true(weir_cause_next(&at, &line));
    assert_string_equal(line.name, "switch.memory");
    assert_true(line.pkts[WEIR_LOST_DATA] == 12 && line.pkts[WEIR_LOST_ACK] == 3);
    assert_true(line.pkts[WEIR_LOST_CREDIT] == 0 && line.pkts[WEIR_LOST_CONTROL] == 1);
    assert_true(weir_cause_next(&at, &line));
    assert_string_equal(line.name, "a.b");
    assert_true(line.pkts[WEIR_LOST_CREDIT] == 2.5);
    assert_false(weir_cause_next(&at, &line));
    at = "";
    assert_false(weir_cause_next(&at, &line));
}

/* A foreign file may have anything there. */
static void what_is_no_list_of_causes_is_read_to_its_end(void **state)
{
    char text[WEIR_CAUSE_NAME + 1];
    const char *at = text;
    struct weir_cause_line line;
    (void)state;
    memset(text, 'x', WEIR_CAUSE_NAME); /* one letter more than a name has */
    text[WEIR_CAUSE_NAME] = '\0';
    assert_true(weir_cause_next(&at, &line));
    assert_int_equal(strlen(line.name), WEIR_CAUSE_NAME - 1);
    assert_true(line.pkts[WEIR_LOST_DATA] == 0);
    assert_false(weir_cause_next(&at, &line));
    at = "a[1\nb[2,3,4,5,6]\n";
    assert_true(weir_cause_next(&at, &line));
    assert_true(line.pkts[WEIR_LOST_DATA] == 1 && line.pkts[WEIR_LOST_ACK] == 0);
    assert_true(weir_cause_next(&at, &line));
    assert_string_equal(line.name, "b");
    assert_true(line.pkts[WEIR_LOST_CONTROL] == 5);
    assert_false(weir_cause_next(&at, &line));
}

static void a_rule_that_drops_or_loses_has_a_reason(void **state)
{
    char name[WEIR_CAUSE_NAME];
    (void)state;
    assert_string_equal(weir_cause_reason("switch.memory"), "the memory of a switch was full");
    assert_string_equal(weir_cause_reason("switch.no-route"), "no way to the destination was left");
    for (const struct weir_feature *const *f = weir_features; *f != NULL; f++)
        for (uint32_t i = 0; i < weir_feature_rules(*f); i++) {
            const struct weir_rule *rule = &(*f)->rules[i];
            assert_non_null(rule->reason); /* of other fates, too: weir help prints them */
            (void)snprintf(name, sizeof(name), "%s.%s", (*f)->name, rule->name);
            if (weir_fate_ends(rule->fate))
                assert_ptr_equal(weir_cause_reason(name), rule->reason);
        }
}

static void a_name_that_is_no_such_rule_has_no_reason(void **state)
{
    (void)state;
    assert_null(weir_cause_reason("switch.none"));
    assert_null(weir_cause_reason("switch.memor"));
    assert_null(weir_cause_reason("switch.memory2"));
    assert_null(weir_cause_reason("loss_random"));
    assert_null(weir_cause_reason("ecn.threshold")); /* marks */
    assert_null(weir_cause_reason(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_read_line_by_line),
        cmocka_unit_test(what_is_no_list_of_causes_is_read_to_its_end),
        cmocka_unit_test(a_rule_that_drops_or_loses_has_a_reason),
        cmocka_unit_test(a_name_that_is_no_such_rule_has_no_reason),
    };
    return cmocka_run_group_tests_name("report/causes", tests, NULL, NULL);
}
