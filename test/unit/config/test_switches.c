/* test/unit/config/test_switches.c - the list fabric.switches: what an item lays over the keys of the run, and what it may not have. */
#include "test/unit/refusal.h"
#include "config/scenario.h"
#include "core/feature.h"
#include "features/ecn/ecn.h"
#include "features/maxqd/maxqd.h"
#include "features/rpm/rpm.h"
#include "param/param.h"
#include <string.h>

#define TRAFFIC "\ntraffic: [{kind: permutation, size: 1 KB}]\n"

static struct weir_scenario scn;
static struct weir_err err;

static int end(void **state)
{
    (void)state;
    weir_scenario_free(&scn);
    return 0;
}

static int read_list(const char *fabric, const char *list, const char *set)
{
    const struct weir_override override = { .text = set };
    char text[1024];
    (void)snprintf(text, sizeof(text), "fabric: {%s%sswitches: %s}" TRAFFIC, fabric, fabric[0] != '\0' ? ", " : "",
                   list);
    weir_scenario_free(&scn);
    return weir_scenario_parse(&scn, "dir/a.yaml", text, strlen(text), &override, set != NULL, &err);
}

static void is_read(const char *fabric, const char *list)
{
    if (read_list(fabric, list, NULL) != 0)
        fail_msg("%s: %s (%s)", list, err.text, err.hint);
}

static void is_refused(const char *list, enum weir_err_code code, const char *text)
{
    int answer = read_list("", list, NULL);
    assert_refusal(&err, code, NULL, text);
    assert_int_equal(answer, code);
}

static uint32_t number_of(const char *name)
{
    uint32_t f = 0;
    while (strcmp(scn.feature[f].row->name, name) != 0)
        f++;
    return f;
}

static struct weir_ecn_config ecn_at(uint64_t items)
{
    struct weir_ecn_config ecn;
    (void)weir_scenario_feature_at(&scn, number_of("ecn"), items, &ecn);
    return ecn;
}

static void an_item_changes_the_keys_that_it_has(void **state)
{
    (void)state;
    is_read("ecn: {kmin: 10 KB, kmax: 90 KB, pmax: 20%}",
            "[{at: leaf 0, ecn: {kmax: 50 KB}}, {at: leaf, buffer: 2 MB}]");
    assert_int_equal(scn.switches_count, 2);
    assert_string_equal(scn.switches[0].at, "leaf 0");
    assert_false(scn.switches[0].has_buffer);
    assert_true(scn.switches[1].has_buffer && scn.switches[1].buffer_bytes == 2000000);
    assert_int_equal(ecn_at(0).kmax.bytes, 90000);
    assert_int_equal(ecn_at(1).kmax.bytes, 50000);
    assert_int_equal(ecn_at(1).kmin.bytes, 10000);
    assert_int_equal(ecn_at(1).pmax_ppb, 200000000);
    assert_int_equal(ecn_at(2).kmax.bytes, 90000); /* its item has no key of ecn */
}

static void of_several_items_the_last_holds(void **state)
{
    (void)state;
    is_read("", "[{at: leaf, ecn: {threshold: 10 KB, where: core}}, {at: [leaf 0, leaf 1], ecn: 20 KB}, {at: leaf 0, "
                "ecn: off}]");
    assert_string_equal(scn.switches[1].at, "leaf 0, leaf 1");
    assert_int_equal(ecn_at(1).threshold.bytes, 10000);
    assert_int_equal(ecn_at(3).threshold.bytes, 20000);
    assert_int_equal(ecn_at(3).where, WEIR_ECN_CORE);
    assert_true(ecn_at(7).threshold.bytes == UINT64_MAX);
}

static void a_key_replaces_those_to_which_it_is_an_alternative(void **state)
{
    (void)state;
    is_read("ecn: {kmin: 10 KB, kmax: 90 KB}", "[{at: leaf, ecn: 30 KB}, {at: leaf 0, ecn: {kmin: 1 KB, kmax: 2 KB}}]");
    assert_int_equal(ecn_at(1).threshold.bytes, 30000);
    assert_true(ecn_at(1).kmin.bytes == UINT64_MAX && ecn_at(1).kmax.bytes == UINT64_MAX);
    assert_true(ecn_at(3).threshold.bytes == UINT64_MAX);
    assert_int_equal(ecn_at(3).kmax.bytes, 2000);
}

static void a_section_turns_a_feature_on_where_the_item_is(void **state)
{
    struct weir_rpm_config rpm;
    (void)state;
    is_read("", "[{at: leaf 0, rpm: on}, {at: leaf 1, rpm: {}}]");
    assert_false(weir_scenario_feature_at(&scn, number_of("rpm"), 0, &rpm));
    assert_true(weir_scenario_feature_at(&scn, number_of("rpm"), 1, &rpm));
    assert_int_equal(rpm.mode, 1);
    assert_true(weir_scenario_feature_at(&scn, number_of("rpm"), 2, &rpm));
    assert_int_equal(read_list("", "[{at: leaf 0, rpm: on}]", "fabric.switches[0].rpm=off"), 0);
    assert_true(weir_scenario_feature_at(&scn, number_of("rpm"), 1, &rpm));
    assert_int_equal(rpm.mode, 0);
}

static void sizes_in_bdp_get_their_bytes(void **state)
{
    (void)state;
    is_read("ecn: 1 BDP", "[{at: leaf, ecn: 0.5 BDP}]");
    assert_int_equal(weir_scenario_resolve(&scn, &(struct weir_scenario_path){ 100000, 0 }, &err), 0);
    assert_int_equal(ecn_at(0).threshold.bytes, 100000);
    assert_int_equal(ecn_at(1).threshold.bytes, 50000);
    is_read("", "[{at: leaf, ecn: 4000 BDP}]");
    assert_int_equal(weir_scenario_resolve(&scn, &(struct weir_scenario_path){ UINT64_C(100000000), 0 }, &err),
                     WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, NULL, "fabric.switches[0].ecn");
}

static void what_all_switches_have_in_common_is_refused(void **state)
{
    (void)state;
    is_refused("[{at: leaf, routing: spray}]", WEIR_E_CONFLICT,
               "fabric.switches[0]: routing is the same at all switches");
    is_refused("[{at: leaf, order: [ecn]}]", WEIR_E_CONFLICT, "order is the same");
    is_refused("[{at: leaf, priorities: 2}]", WEIR_E_CONFLICT,
               "priorities is the same at all switches: packets have one");
    is_refused("[{at: leaf, int: data}]", WEIR_E_CONFLICT, "int is the same");
    is_refused("[{at: leaf, pfc: {kind: static}}]", WEIR_E_CONFLICT, "pfc is the same");
    is_refused("[{at: leaf, queues: per-flow}]", WEIR_E_CONFLICT, "queues is the same");
    is_refused("[{at: leaf, events: []}]", WEIR_E_CONFLICT, "events is the same");
    is_refused("[{at: leaf, maxqd: {unit: 8 ns}}]", WEIR_E_CONFLICT, "fabric.switches[0].maxqd: unit is the same");
    is_refused("[{at: leaf, codel: {at: nics}}]", WEIR_E_CONFLICT, "fabric.switches[0].codel: at is the same");
    is_refused("[{at: leaf}, {at: leaf, rcp: {period: 1 us}}]", WEIR_E_CONFLICT, "fabric.switches[1].rcp: period");
}

static void common_keys_are_keys_of_their_feature(void **state)
{
    (void)state;
    for (const struct weir_feature *const *row = weir_features; *row != NULL; row++)
        for (const char *const *key = (*row)->common_keys; key != NULL && *key != NULL; key++)
            assert_non_null(weir_param_find((*row)->params, *key));
}

static void what_is_no_item_is_refused(void **state)
{
    (void)state;
    is_refused("leaf", WEIR_E_SYNTAX, "fabric.switches: a list belongs here");
    is_refused("[leaf 0]", WEIR_E_SYNTAX, "fabric.switches[0]: a map belongs here");
    is_refused("[{rpm: on}]", WEIR_E_SYNTAX, "fabric.switches[0]: at is missing");
    is_refused("[{at: leaf, rmp: on}]", WEIR_E_UNKNOWN, "unknown key 'rmp' in fabric.switches[0]");
    is_refused("[{at: leaf, ecn: {tresh: 1 KB}}]", WEIR_E_UNKNOWN, "'tresh' in fabric.switches[0].ecn");
    is_refused("[{at: leaf, ecn: 3 ms}]", WEIR_E_UNIT, "threshold");
    is_refused("[{at: leaf, alpha: [1]}]", WEIR_E_SYNTAX, "alpha: a single value");
    is_refused("[{at: leaf, buffer: 0 B}]", WEIR_E_RANGE, "buffer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(an_item_changes_the_keys_that_it_has, end),
        cmocka_unit_test_teardown(of_several_items_the_last_holds, end),
        cmocka_unit_test_teardown(a_key_replaces_those_to_which_it_is_an_alternative, end),
        cmocka_unit_test_teardown(a_section_turns_a_feature_on_where_the_item_is, end),
        cmocka_unit_test_teardown(sizes_in_bdp_get_their_bytes, end),
        cmocka_unit_test_teardown(what_all_switches_have_in_common_is_refused, end),
        cmocka_unit_test(common_keys_are_keys_of_their_feature),
        cmocka_unit_test_teardown(what_is_no_item_is_refused, end),
    };
    return cmocka_run_group_tests_name("config/switches", tests, NULL, NULL);
}
