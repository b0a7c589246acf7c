/* test/unit/setup/test_laws.c - what the set-up of several laws does for each, and what it refuses. */
#include "test/unit/setup/setup_fixture.h"
#include "features/maxqd/maxqd.h"
#include "hooks/features.h"
#include "proto/soze/soze.h"

#define STAR "topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 2 us}\n"
#define PERM "kind: permutation, size: 1 KB"
#define RUN "run: {warmup: 0 us, measure: 1 ms}\n"

static void of(const char *fabric, const char *first, const char *second)
{
    char text[2048];
    (void)snprintf(text, sizeof(text), STAR "fabric: {%s}\ntraffic:\n  - {" PERM ", %s}\n  - {" PERM ", %s}\n" RUN,
                   fabric, first, second);
    parse("dir/a.yaml", text);
}

static void one_law_is_no_list(void **state)
{
    (void)state;
    of("", "protocol: cubic", "protocol: cubic");
    assert_null(is_accepted()->host.law);
    assert_string_equal(setup.law_names, "cubic");
}

static void each_law_has_the_path_of_its_frames_and_timers_of_its_own(void **state)
{
    const struct weir_model *m;
    (void)state;
    of("routing: spray, priorities: 2, ecn: {threshold: 20 KB}", "protocol: dctcp",
       "protocol: sird, host: {rto_init: 9 ms}");
    m = is_accepted();
    assert_int_equal(m->host.law_count, 2);
    assert_ptr_equal(m->host.law, setup.law);
    assert_int_equal(m->law_of_item[1], 1);
    assert_int_equal(setup.law[0].path.mss_bytes, setup.law[0].framing.payload_bytes);
    assert_int_equal(setup.law[1].path.mss_bytes, setup.law[1].framing.payload_bytes);
    assert_true(setup.law[0].path.mss_bytes != setup.law[1].path.mss_bytes);
    assert_int_equal(setup.law[0].params.rto_init_ps, 5 * WEIR_PS_PER_MS);
    assert_int_equal(setup.law[1].params.rto_init_ps, 9 * WEIR_PS_PER_MS);
    assert_int_equal(setup.law[1].law_number, 1);
}

static void the_host_marks_by_what_waits_of_all_laws(void **state)
{
    (void)state;
    parse("dir/a.yaml", STAR "host: {mark: 20 KB}\ntraffic:\n  - {" PERM "}\n  - {" PERM ", protocol: cubic}\n" RUN);
    assert_int_equal(is_accepted()->host.params.mark_bytes, 20000);
    assert_int_equal(setup.law[0].params.mark_bytes + setup.law[1].params.mark_bytes, 0);
}

static void a_field_is_of_the_laws_that_read_it_alone(void **state)
{
    const struct weir_feature_on *maxqd;
    (void)state;
    of("", "protocol: dctcp", "protocol: soze");
    maxqd = weir_features_find(&is_accepted()->features, "maxqd");
    assert_non_null(maxqd);
    assert_int_equal(maxqd->laws, 2);
    assert_int_equal(((const struct weir_maxqd_model *)maxqd->model)->foreign_laws, 0xd);
    assert_int_equal(setup.law[0].qdelay_unit_ps, 0);
    assert_true(setup.law[1].qdelay_unit_ps > 0);
    of("", "protocol: rcp", "protocol: soze"); /* both use the field, each in its own packets */
    maxqd = weir_features_find(&is_accepted()->features, "maxqd");
    assert_int_equal(maxqd->laws, 2);
    assert_int_equal(weir_features_find(&setup.model.features, "rcp")->laws, 1);
    assert_int_equal(setup.law[0].qdelay_unit_ps, 1);
    assert_true(setup.law[0].rtt_unit_ps > 0 && setup.law[1].rtt_unit_ps == 0);
    of("routing: ecmp, priorities: 2", "protocol: ndp", "protocol: soze"); /* NDP has the length of messages there */
    (void)is_accepted();
    of("routing: ecmp", "protocol: dctcp", "protocol: hpcc");
    (void)is_accepted();
    assert_null(setup.law[0].rates);
    assert_non_null(setup.law[1].rates);
}

/* A law in another class waits elsewhere: its packets are not measured. */
static void delays_are_of_the_classes_of_the_laws_that_read_them(void **state)
{
    const struct weir_maxqd_model *m;
    (void)state;
    of("priorities: 3", "protocol: dctcp, class: 1", "protocol: soze, class: 2");
    m = weir_features_find(&is_accepted()->features, "maxqd")->model;
    assert_int_equal(m->data_apart_mask, 3);
    assert_int_equal(m->apart_mask, 3);
}

static void laws_that_exclude_each_other_are_refused_with_both_names(void **state)
{
    (void)state;
    of("routing: symmetric", "protocol: hpcc", "protocol: fncc");
    is_refused(4, WEIR_E_CONFLICT, "fncc");
    assert_non_null(strstr(err.text, "hpcc"));
    of("routing: ecmp", "protocol: rcp", "protocol: hpcc"); /* both use the byte of records */
    is_refused(2, WEIR_E_CONFLICT, "hpcc");
    assert_non_null(strstr(err.text, "rcp"));
    of("routing: symmetric, priorities: 2, int: off", "protocol: cubic", "protocol: hpcc");
    is_refused(5, WEIR_E_CONFLICT, "hpcc");
    assert_non_null(strstr(err.text, "cubic"));
    of("queues: per-flow, routing: ecmp, priorities: 2", "protocol: cubic", "protocol: ndp");
    is_refused(2, WEIR_E_CONFLICT, "ndp");
}

static void what_a_law_needs_is_asked_of_its_own_items(void **state)
{
    (void)state;
    parse("dir/a.yaml", STAR "traffic:\n  - {kind: permutation, size: 10 KB}\n"
                             "  - {kind: permutation, size: 1400 B, protocol: none}\n" RUN);
    (void)is_accepted();
    parse("dir/a.yaml", STAR "traffic:\n  - {kind: permutation, size: 10 KB}\n"
                             "  - {kind: permutation, size: 10 KB, protocol: none}\n" RUN);
    is_refused(4, WEIR_E_CONFLICT, "none");
    parse("dir/a.yaml", STAR "traffic:\n  - {kind: pairs, count: 3, size: 10 KB, weights: 1..9, protocol: soze}\n"
                             "  - {kind: permutation, size: 10 KB}\n" RUN);
    (void)is_accepted();
    parse("dir/a.yaml", STAR "traffic:\n  - {kind: pairs, count: 3, size: 10 KB, weights: 1..9}\n"
                             "  - {kind: permutation, size: 10 KB, protocol: soze}\n" RUN);
    is_refused(0, WEIR_E_CONFLICT, "dctcp");
}

static void a_class_that_no_port_has_is_refused(void **state)
{
    (void)state;
    of("", "protocol: cubic", "class: 1");
    is_refused(5, WEIR_E_CONFLICT, "class");
    of("priorities: 2", "protocol: cubic", "class: 2");
    is_refused(5, WEIR_E_CONFLICT, "class");
    of("priorities: 3", "protocol: cubic", "class: 2");
    (void)is_accepted();
}

static void credit_that_ports_hold_back_has_a_class_of_its_own(void **state)
{
    (void)state;
    parse("dir/a.yaml", STAR "host: {nic_queue: unlimited}\nfabric: {routing: symmetric, priorities: 2}\n"
                             "traffic:\n  - {" PERM ", protocol: expresspass}\n  - {" PERM ", protocol: cubic}\n" RUN);
    is_refused(5, WEIR_E_CONFLICT, "cubic");
    parse("dir/a.yaml", STAR "host: {nic_queue: unlimited}\nfabric: {routing: symmetric, priorities: 2}\n"
                             "traffic:\n  - {" PERM ", protocol: expresspass}\n  - {" PERM
                             ", protocol: cubic, host: {ack_class: 1}}\n" RUN);
    (void)is_accepted();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(one_law_is_no_list, end),
        cmocka_unit_test_teardown(each_law_has_the_path_of_its_frames_and_timers_of_its_own, end),
        cmocka_unit_test_teardown(the_host_marks_by_what_waits_of_all_laws, end),
        cmocka_unit_test_teardown(a_field_is_of_the_laws_that_read_it_alone, end),
        cmocka_unit_test_teardown(delays_are_of_the_classes_of_the_laws_that_read_them, end),
        cmocka_unit_test_teardown(laws_that_exclude_each_other_are_refused_with_both_names, end),
        cmocka_unit_test_teardown(what_a_law_needs_is_asked_of_its_own_items, end),
        cmocka_unit_test_teardown(a_class_that_no_port_has_is_refused, end),
        cmocka_unit_test_teardown(credit_that_ports_hold_back_has_a_class_of_its_own, end),
    };
    return cmocka_run_group_tests_name("setup/laws", tests, NULL, NULL);
}
