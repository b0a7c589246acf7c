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

#define POISSON "kind: poisson, sizes: 1400 B, load: 20%"

static uint32_t deployed_senders(const char *share)
{
    char text[1024];
    uint32_t hosts = 0;
    (void)snprintf(text, sizeof(text), "%straffic:\n  - {%s, deploy: {share: %s, by: hosts, protocol: cubic}}\n%s",
                   STAR, POISSON, share, RUN);
    parse("dir/a.yaml", text);
    const struct weir_model *m = is_accepted();
    for (uint32_t h = 0; h < 4; h++)
        hosts |= (uint32_t)weir_model_law_of(m, 0, h) << h;
    return hosts;
}

static void a_share_of_hosts_is_in_every_larger_one(void **state)
{
    uint32_t quarter = deployed_senders("25%"), half = deployed_senders("50%");
    (void)state;
    assert_int_equal(deployed_senders("0%"), 0);
    assert_int_equal(__builtin_popcount(quarter), 1);
    assert_int_equal(__builtin_popcount(half), 2);
    assert_int_equal(half & quarter, quarter);
    assert_int_equal(deployed_senders("37.5%"), half); /* 1.5 hosts */
    assert_int_equal(deployed_senders("100%"), 15);
}

static void a_share_of_messages_is_drawn_and_in_every_larger_one(void **state)
{
    struct weir_model m;
    uint32_t few = 0, both = 0;
    (void)state;
    parse("dir/a.yaml",
          STAR "traffic:\n  - {" POISSON "}\n  - {" POISSON ", deploy: {share: 25%, protocol: cubic}}\n" RUN);
    m = *is_accepted();
    assert_null(m.law_of_sender);
    for (uint32_t n = 0; n < 4000; n++) {
        bool is_in = weir_model_deploys(&m, 1, n % 4, n / 4);
        assert_false(weir_model_deploys(&m, 0, n % 4, n / 4));
        few += is_in;
        m.deploy[1].share_ppm = 500000;
        both += is_in && weir_model_deploys(&m, 1, n % 4, n / 4);
        m.deploy[1].share_ppm = 250000;
    }
    assert_in_range(few, 900, 1100); /* standard deviation 27 */
    assert_int_equal(both, few);
    m.deploy[1].share_ppm = 1000000;
    for (uint32_t n = 0; n < 4000; n++)
        assert_true(weir_model_deploys(&m, 1, n % 4, n / 4));
}

static void the_last_item_about_a_host_says_by_which_law_it_sends(void **state)
{
    const struct weir_model *m;
    (void)state;
    parse("dir/a.yaml", STAR "hosts: [{at: host 0..2, protocol: cubic}, {at: host 1, protocol: dctcp}]\n"
                             "traffic:\n  - {" POISSON "}\n  - {" POISSON ", protocol: swift}\n" RUN);
    m = is_accepted();
    assert_int_equal(weir_model_law_of(m, 0, 0), 1);
    assert_int_equal(weir_model_law_of(m, 0, 1), 0);
    assert_int_equal(weir_model_law_of(m, 0, 2), 1);
    assert_int_equal(weir_model_law_of(m, 0, 3), 0);
    assert_int_equal(weir_model_law_of(m, 1, 0), 2);
}

static void what_a_deployed_law_needs_is_asked_of_its_item(void **state)
{
    (void)state;
    parse("dir/a.yaml", STAR "traffic:\n  - {" POISSON ", deploy: {share: 0%, protocol: cubic, class: 1}}\n" RUN);
    is_refused(3, WEIR_E_CONFLICT, "class");
    parse("dir/a.yaml",
          STAR "traffic:\n  - {kind: permutation, size: 10 KB, deploy: {share: 0%, protocol: none}}\n" RUN);
    is_refused(3, WEIR_E_CONFLICT, "none");
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
        cmocka_unit_test_teardown(a_share_of_hosts_is_in_every_larger_one, end),
        cmocka_unit_test_teardown(a_share_of_messages_is_drawn_and_in_every_larger_one, end),
        cmocka_unit_test_teardown(the_last_item_about_a_host_says_by_which_law_it_sends, end),
        cmocka_unit_test_teardown(what_a_deployed_law_needs_is_asked_of_its_item, end),
        cmocka_unit_test_teardown(credit_that_ports_hold_back_has_a_class_of_its_own, end),
    };
    return cmocka_run_group_tests_name("setup/laws", tests, NULL, NULL);
}
