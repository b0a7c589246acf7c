/* test/unit/measure/test_causes.c - the causes of a run: their names, their numbers, and sums over what they took. */
#include "core/feature.h"
#include "core/feature_set.h"
#include "test/unit/weir_test.h"
#include "measure/causes.h"

static const struct weir_rule one[] = { { "full", "gate.limit", WEIR_FATE_DROPPED, "why" }, { 0 } };
static const struct weir_rule two[] = { { "random", "loss", WEIR_FATE_LOST, "why" },
                                        { "late", "loss", WEIR_FATE_LOST, "why" },
                                        { 0 } };
static const struct weir_feature gate = { .name = "gate", .rules = one }, none = { .name = "none" },
                                 lossy = { .name = "lossy", .rules = two, .cuts = true };
static struct weir_feature_on on[] = { { .row = &gate }, { .row = &none }, { .row = &lossy } };
static const struct weir_features features = { .on = on, .count = 3, .room = 3 };

static void assert_cause(uint32_t number, const char *feature, const char *rule)
{
    struct weir_cause cause = weir_cause_of(&features, number);
    assert_string_equal(cause.feature, feature);
    assert_string_equal(cause.rule->name, rule);
}

static void rules_of_features_follow_those_of_the_world(void **state)
{
    (void)state;
    assert_cause(WEIR_CAUSE_MEMORY, "switch", "memory");
    assert_cause(WEIR_CAUSE_NO_ROUTE, "switch", "no-route");
    assert_cause(WEIR_CAUSES_OF_WORLD, "gate", "full");
    assert_cause(WEIR_CAUSES_OF_WORLD + 1, "lossy", "random");
    assert_cause(WEIR_CAUSES_OF_WORLD + 2, "lossy", "late");
    assert_int_equal(weir_features_cause(&features, features.count), WEIR_CAUSES_OF_WORLD + 3);
    assert_int_equal(weir_features_cut(&features, WEIR_CUT_FRAME), WEIR_CAUSES_OF_WORLD + 1);
    assert_int_equal(weir_features_cut(&features, WEIR_CUT_FLUSH), WEIR_CAUSES_OF_WORLD + 2);
}

static void a_run_has_a_row_for_each_cause_and_link(void **state)
{
    struct weir_causes *causes = weir_causes_new(&features, 2, 5);
    (void)state;
    assert_non_null(causes);
    assert_int_equal(causes->count, WEIR_CAUSES_OF_WORLD + 3);
    assert_string_equal(causes->row[WEIR_CAUSES_OF_WORLD].cause.rule->name, "full");
    assert_int_equal(causes->of_link[5 * causes->count - 1], 0);
    assert_int_equal(weir_causes_times(causes, WEIR_FATE_DROPPED) + weir_causes_times(causes, WEIR_FATE_LOST), 0);
    weir_causes_free(causes);
    weir_causes_free(NULL);
}

static void drops_and_losses_are_summed_up_apart(void **state)
{
    struct weir_causes *causes = weir_causes_new(&features, 2, 0);
    struct weir_cause_count *full = &causes->row[WEIR_CAUSES_OF_WORLD], *late = full + 2;
    (void)state;
    full->pkts[WEIR_LOST_CREDIT][0] = 3;
    full->pkts[WEIR_LOST_DATA][1] = 4;
    late->pkts[WEIR_LOST_DATA][1] = 10;
    assert_int_equal(weir_cause_times(full), 7);
    assert_int_equal(weir_cause_class(full, 1), 4);
    assert_int_equal(weir_cause_kind(full, WEIR_LOST_CREDIT), 3);
    assert_int_equal(weir_causes_times(causes, WEIR_FATE_DROPPED), 7);
    assert_int_equal(weir_causes_times(causes, WEIR_FATE_LOST), 10);
    assert_int_equal(weir_causes_kind(causes, WEIR_FATE_DROPPED, WEIR_LOST_DATA), 4);
    assert_int_equal(weir_causes_kind(causes, WEIR_FATE_LOST, WEIR_LOST_DATA), 10);
    weir_causes_free(causes);
}

static void packets_are_counted_as_data_acks_credit_or_control(void **state)
{
    static const struct {
        uint32_t kind, seq;
        enum weir_lost_kind lost;
    } row[] = { { WEIR_PKT_DATA, 7, WEIR_LOST_DATA },       { WEIR_PKT_ACK, 1, WEIR_LOST_ACK },
                { WEIR_PKT_DONE, 1, WEIR_LOST_ACK },        { WEIR_PKT_REPLY, 1, WEIR_LOST_ACK },
                { WEIR_PKT_CREDIT, 1, WEIR_LOST_CREDIT },   { WEIR_PKT_REQUEST, 1, WEIR_LOST_CONTROL },
                { WEIR_PKT_NOTICE, 1, WEIR_LOST_CONTROL },  { WEIR_PKT_CONTROL, 1, WEIR_LOST_CREDIT },
                { WEIR_PKT_CONTROL, 0, WEIR_LOST_CONTROL }, { WEIR_PKT_CONTROL, 33, WEIR_LOST_CONTROL } };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        const struct weir_pkt pkt = { .kind = row[i].kind & 15, .seq = row[i].seq };
        assert_int_equal(weir_lost_kind(&pkt, 1u << 1), row[i].lost); /* its own packets of kind 1 are credit */
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_of_features_follow_those_of_the_world),
        cmocka_unit_test(a_run_has_a_row_for_each_cause_and_link),
        cmocka_unit_test(drops_and_losses_are_summed_up_apart),
        cmocka_unit_test(packets_are_counted_as_data_acks_credit_or_control),
    };
    return cmocka_run_group_tests_name("measure/causes", tests, NULL, NULL);
}
