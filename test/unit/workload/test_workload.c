/* test/unit/workload/test_workload.c - loads become gaps and periods to the femtosecond; what cannot be is refused. */
#include "test/unit/refusal.h"
#include "test/unit/workload/workload_fixture.h"
#include "workload/plan.h"

static void a_load_becomes_a_mean_gap(void **state)
{
    (void)state;
    fix_add(POISSON(.sizes = "1460 B", .load_ppm = 500000));
    fix_build();
    assert_int_equal(fix_wl.gap_mean_fs[0], 233600000); /* 1460 * 8 bits / 50 Gb/s = 233.6 ns */
    assert_int_equal(fix_wl.offered_bps_per_host, 50000000000);
    assert_true(fix_wl.endless);
    assert_int_equal(fix_wl.finite_messages, 0);
}

static void incast_takes_its_share_from_the_poisson_items(void **state)
{
    (void)state;
    fix_add(POISSON(.sizes = "1460 B", .load_ppm = 500000));
    fix_add(INCAST(.share_ppm = 70000));
    fix_build();
    assert_int_equal(fix_wl.gap_mean_fs[0], 251182795); /* 233.6 ns / 0.93 */
    assert_int_equal(fix_wl.gap_mean_fs[1], 0);
    assert_int_equal(fix_wl.offered_bps_per_host, 50000000000); /* 46.5 + 3.5 */
    fix_item[1].load_ppm = 500000;                              /* saying the total once more changes nothing */
    fix_build();
    assert_int_equal(fix_wl.gap_mean_fs[0], 251182795);
    assert_int_equal(fix_wl.finite_messages, 120);
}

static void incast_alone_may_have_a_load_of_its_own(void **state)
{
    (void)state;
    fix_add(INCAST(.load_ppm = 35000)); /* 3.5 Gb/s per host: the events of the example above */
    fix_build();
    assert_int_equal(fix_wl.listed[0].start_ps % 238095238, 0);
    assert_int_equal(fix_wl.finite_messages, 120);
    assert_int_equal(fix_wl.offered_bps_per_host, 3500000000);
    fix_item[0] = INCAST(.load_ppm = 500000, .share_ppm = 70000); /* the same, as a share of 50 % */
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 120);
    assert_int_equal(fix_wl.offered_bps_per_host, 3500000000);
    fix_item[0] = INCAST(.period_ps = 238095238); /* the same, as a period */
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 120);
    assert_in_range(fix_wl.offered_bps_per_host, 3499999990, 3500000010);
}

static void the_nominal_mean_sets_the_rate_and_the_true_one_what_is_offered(void **state)
{
    (void)state;
    fix_add(POISSON(.sizes = "wkc", .load_ppm = 500000));
    fix_build();
    assert_in_range(fix_wl.gap_mean_fs[0], 396620428000, 396620432000); /* 2478877.685 * 8 / 50 Gb/s */
    fix_item[0].load_mean = 1;
    fix_build();
    assert_int_equal(fix_wl.gap_mean_fs[0], 402537184000);                  /* 2515857.4 * 8 / 50 Gb/s */
    assert_in_range(fix_wl.offered_bps_per_host, 49265000000, 49265100000); /* 98.53 % of it */
    fix_item[0] = POISSON(.sizes = "websearch", .load_ppm = 500000, .load_mean = 1);
    fix_build(); /* nobody said another mean */
    assert_int_equal(fix_wl.offered_bps_per_host, 50000000000);
}

static void sizes_may_be_a_name_a_file_or_a_size(void **state)
{
    (void)state;
    fix_limits.base_dir = "data";
    fix_add(POISSON(.sizes = "heavy-middle", .load_ppm = 100000));
    fix_add(POISSON(.sizes = "heavy-middle", .load_ppm = 100000, .interpolate = 1));
    fix_add(POISSON(.sizes = "workloads/websearch_dctcp.csv", .load_ppm = 100000));
    fix_add(POISSON(.sizes = "workloads/wkc_websearch.csv", .load_ppm = 100000));
    fix_add(POISSON(.sizes = "workloads/wkc_websearch.csv", .load_ppm = 100000, .interpolate = 1));
    fix_add(POISSON(.sizes = "64 KiB", .load_ppm = 100000));
    fix_add(POISSON(.sizes = "websearch", .load_ppm = 100000, .interpolate = 0));
    fix_build();
    assert_in_range(fix_wl.cdf[0].mean_millibytes, 2387000, 2387100);
    assert_in_range(fix_wl.cdf[1].mean_millibytes, 2408900, 2409000);
    assert_false(fix_wl.cdf[2].log_linear); /* begins at 0 */
    assert_true(fix_wl.cdf[3].log_linear);
    assert_false(fix_wl.cdf[4].log_linear);
    assert_int_equal(fix_wl.cdf[5].mean_millibytes, 65536000);
    assert_false(fix_wl.cdf[6].log_linear);
}

static void a_run_of_finite_items_knows_its_messages(void **state)
{
    uint64_t taken = 0;
    (void)state;
    fix_limits.hosts = 10;
    fix_limits.end_ps = WEIR_NEVER;
    fix_add(POISSON(.sizes = "1460 B", .load_ppm = 500000, .stop_ps = 100 * WEIR_PS_PER_US));
    fix_add(PERMUTATION(.start_ps = 0));
    fix_build();
    assert_false(fix_wl.endless);
    assert_int_equal(fix_wl.offered_bps_per_host, 0);
    for (uint32_t host = 0; host < 10; host++) {
        struct weir_source src;
        struct weir_message m;
        for (weir_source_init(&src, &fix_wl, host); weir_source_next_ps(&src) != WEIR_NEVER; taken++)
            weir_source_take(&src, &m);
    }
    assert_int_equal(fix_wl.finite_messages, taken);
    assert_in_range(taken, 10 + 4280 - 330, 10 + 4280 + 330); /* 100 us / 233.6 ns * 10, five deviations */
    fix_item[0].reply_bytes = 4;
    fix_build();
    assert_int_equal(fix_wl.finite_replies, taken - 10);
    assert_int_equal(fix_wl.finite_messages, 2 * taken - 10);
    fix_item[1].reply_bytes = 4;
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 2 * taken);
}

static void items_that_follow_each_other_do_not_add_up(void **state)
{
    (void)state;
    fix_add(POISSON(.sizes = "1460 B", .load_ppm = 700000, .stop_ps = 1000));
    fix_add(POISSON(.sizes = "1460 B", .load_ppm = 700000, .start_ps = 1000));
    fix_build();
    assert_int_equal(fix_wl.offered_bps_per_host, 70000000000);
    fix_item[1].start_ps = 999;
    fix_refuse(WEIR_E_CONFLICT, 11, "load");
}

static void loads_of_100_percent_are_refused(void **state)
{
    (void)state;
    fix_add(POISSON(.sizes = "wkc", .load_ppm = 1200000));
    fix_refuse(WEIR_E_RANGE, 10, "load");
    fix_item[0].load_ppm = 1000000;
    fix_refuse(WEIR_E_RANGE, 10, "load");
    fix_item[0].load_ppm = 600000;
    fix_add(POISSON(.sizes = "wka", .load_ppm = 399999));
    fix_build();
    fix_item[1].load_ppm = 400000;
    fix_refuse(WEIR_E_CONFLICT, 10, "load");
    fix_item[1] = INCAST(.period_ps = 100 * WEIR_PS_PER_US); /* 15 MB per 100 us and 144 hosts: 8.3333 % */
    fix_item[0].load_ppm = 916700;
    fix_refuse(WEIR_E_CONFLICT, 10, "load");
    fix_item[1].period_ps = WEIR_PS_PER_NS;
    fix_refuse(WEIR_E_CONFLICT, 10, "load");
    fix_item[1].period_ps = 1;
    assert_int_equal(fix_try(), WEIR_E_CONFLICT); /* beyond 64 bits, and still refused */
    fix_item[1] = INCAST(.share_ppm = 1000000);
    fix_refuse(WEIR_E_RANGE, 11, "share");
}

static void shares_must_be_of_something_and_leave_something(void **state)
{
    (void)state;
    fix_add(INCAST(.share_ppm = 75000));
    fix_refuse(WEIR_E_CONFLICT, 10, "share");
    fix_add(POISSON(.sizes = "wkc", .load_ppm = 500000));
    fix_build();
    fix_item[0].load_ppm = 400000;
    fix_refuse(WEIR_E_CONFLICT, 10, "load");
    fix_item[0] = INCAST(.share_ppm = 600000);
    fix_add(INCAST(.share_ppm = 400000));
    fix_refuse(WEIR_E_CONFLICT, 12, "incast");
}

static void items_must_be_complete(void **state)
{
    (void)state;
    fix_add(POISSON(.load_ppm = 500000));
    fix_refuse(WEIR_E_SYNTAX, 10, "sizes");
    fix_item[0] = POISSON(.sizes = "wkc");
    fix_refuse(WEIR_E_SYNTAX, 10, "load");
    fix_item[0] = FLOWS(.start_ps = 0);
    fix_refuse(WEIR_E_SYNTAX, 10, "file");
    fix_item[0] = INCAST(.start_ps = 0);
    fix_refuse(WEIR_E_CONFLICT, 10, "incast");
}

static void keys_of_another_kind_are_refused(void **state)
{
    (void)state;
    fix_add(INCAST(.sizes = "wkc", .load_ppm = 1000));
    fix_refuse(WEIR_E_CONFLICT, 10, "sizes");
    fix_item[0] = PERMUTATION(.load_ppm = 1000);
    fix_refuse(WEIR_E_CONFLICT, 10, "load");
    fix_item[0] = POISSON(.sizes = "wkc", .load_ppm = 1000, .share_ppm = 1000);
    fix_refuse(WEIR_E_CONFLICT, 10, "share");
    fix_item[0] = FLOWS(.file = "f.csv", .period_ps = 1000);
    fix_refuse(WEIR_E_CONFLICT, 10, "period");
    fix_item[0] = POISSON(.sizes = "wkc", .load_ppm = 1000, .file = "f.csv");
    fix_refuse(WEIR_E_CONFLICT, 10, "file");
    fix_item[0] = POISSON(.sizes = "wkc", .load_ppm = 1000, .connections = WEIR_CONNECTIONS_WEIGHT);
    fix_refuse(WEIR_E_CONFLICT, 10, "connections");
    fix_item[0] = FLOWS(.file = "f.csv", .policy = "given");
    fix_refuse(WEIR_E_CONFLICT, 10, "policy");
    fix_item[0] = FLOWS(.file = "f.csv", .apart_ps = 1);
    fix_refuse(WEIR_E_CONFLICT, 10, "apart");
    fix_item[0] = fix_defaults(
        (struct weir_traffic_config){ .kind = WEIR_TRAFFIC_JOBS, .file = "j.yaml", .stop_ps = WEIR_PS_PER_MS });
    fix_refuse(WEIR_E_CONFLICT, 10, "stop");
    fix_item[0] = fix_defaults((struct weir_traffic_config){ .kind = WEIR_TRAFFIC_JOBS });
    fix_refuse(WEIR_E_SYNTAX, 10, "file");
}

static void incast_values_are_checked(void **state)
{
    (void)state;
    fix_add(INCAST(.fan_in = 144, .load_ppm = 1000));
    fix_refuse(WEIR_E_RANGE, 10, "fan_in");
    fix_item[0].fan_in = 0;
    fix_refuse(WEIR_E_RANGE, 10, "fan_in");
    fix_item[0] = INCAST(.load_ppm = 1000, .period_ps = 1000);
    fix_refuse(WEIR_E_CONFLICT, 10, "period");
    fix_item[0] = INCAST(.load_ppm = 1000);
    fix_item[0].size.bytes = 0;
    fix_refuse(WEIR_E_RANGE, 10, "size");
    fix_item[0] = PERMUTATION(.size.bytes = WEIR_CDF_SIZE_MAX + 1);
    fix_refuse(WEIR_E_RANGE, 10, "size");
    fix_item[0] = INCAST(.load_ppm = 1, .size.bytes = WEIR_CDF_SIZE_MAX);
    fix_refuse(WEIR_E_RANGE, 10, "period");
}

static void inconsistent_times_are_refused(void **state)
{
    (void)state;
    fix_add(POISSON(.sizes = "wkc", .load_ppm = 1000, .start_ps = 5, .stop_ps = 5));
    fix_refuse(WEIR_E_CONFLICT, 10, "stop");
    fix_item[0] = POISSON(.sizes = "wkc", .load_ppm = 1000, .start_ps = WEIR_TRAFFIC_TIME_MAX + 1);
    fix_refuse(WEIR_E_RANGE, 10, "period");
    fix_item[0] = POISSON(.sizes = "wkc", .load_ppm = 1000);
    fix_limits.end_ps = WEIR_NEVER;
    fix_refuse(WEIR_E_CONFLICT, 10, "");
    fix_item[0] = INCAST(.load_ppm = 1000);
    fix_refuse(WEIR_E_CONFLICT, 10, "incast");
    fix_item[0] = POISSON(.sizes = "1 TiB", .load_ppm = 1);
    fix_limits.end_ps = WEIR_PS_PER_MS;
    fix_refuse(WEIR_E_RANGE, 10, "load");
}

static void unknown_sizes_are_refused_with_the_nearest_or_all_names(void **state)
{
    (void)state;
    fix_add(POISSON(.sizes = "wkd", .load_ppm = 1000));
    fix_refuse(WEIR_E_UNKNOWN, 10, "sizes");
    assert_string_equal(fix_err.hint, "did you mean 'wka'?");
    fix_item[0] = POISSON(.sizes = "nothing", .load_ppm = 1000);
    fix_refuse(WEIR_E_UNKNOWN, 10, "sizes");
    assert_non_null(strstr(fix_err.hint, " wka wkb wkc websearch "));
    assert_non_null(strstr(fix_err.hint, " heavy-middle"));
    fix_item[0] = POISSON(.sizes = "1460", .load_ppm = 1000);
    fix_refuse(WEIR_E_UNIT, 10, "sizes");
    fix_item[0] = POISSON(.sizes = "1.5 B", .load_ppm = 1000);
    fix_refuse(WEIR_E_RANGE, 10, "sizes");
    fix_item[0] = POISSON(.sizes = "0 B", .load_ppm = 1000);
    fix_refuse(WEIR_E_RANGE, 10, "");
    fix_item[0] = POISSON(.sizes = "none.csv", .load_ppm = 1000);
    fix_refuse(WEIR_E_FILE, 10, "");
    fix_item[0] = POISSON(.sizes = "websearch", .load_ppm = 1000, .interpolate = 2);
    assert_int_equal(fix_try(), WEIR_E_CONFLICT);
    assert_string_equal(fix_err.file, "websearch_dctcp.csv");
}

static void there_must_be_traffic_and_two_hosts(void **state)
{
    (void)state;
    assert_int_equal(fix_try(), WEIR_E_CONFLICT);
    assert_refusal(&fix_err, WEIR_E_CONFLICT, "", "traffic");
    fix_add(PERMUTATION(.start_ps = 0));
    fix_limits.hosts = 1;
    fix_refuse(WEIR_E_RANGE, 10, "traffic");
    fix_limits.hosts = 2;
    fix_build();
}

static void an_error_may_have_no_position(void **state)
{
    (void)state;
    fix_add(POISSON(.sizes = "none.csv", .load_ppm = 1000));
    assert_int_equal(weir_workload_build(&fix_wl, fix_item, 1, &fix_limits, NULL, &fix_err), WEIR_E_FILE);
    assert_string_equal(fix_err.file, "none.csv");
    assert_int_equal(fix_err.line, 0);
}

#define WL_TEST(name) cmocka_unit_test_setup_teardown(name, fix_setup, fix_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WL_TEST(a_load_becomes_a_mean_gap),
        WL_TEST(incast_takes_its_share_from_the_poisson_items),
        WL_TEST(incast_alone_may_have_a_load_of_its_own),
        WL_TEST(the_nominal_mean_sets_the_rate_and_the_true_one_what_is_offered),
        WL_TEST(sizes_may_be_a_name_a_file_or_a_size),
        WL_TEST(a_run_of_finite_items_knows_its_messages),
        WL_TEST(items_that_follow_each_other_do_not_add_up),
        WL_TEST(loads_of_100_percent_are_refused),
        WL_TEST(shares_must_be_of_something_and_leave_something),
        WL_TEST(items_must_be_complete),
        WL_TEST(keys_of_another_kind_are_refused),
        WL_TEST(incast_values_are_checked),
        WL_TEST(inconsistent_times_are_refused),
        WL_TEST(unknown_sizes_are_refused_with_the_nearest_or_all_names),
        WL_TEST(there_must_be_traffic_and_two_hosts),
        WL_TEST(an_error_may_have_no_position),
    };
    return cmocka_run_group_tests_name("workload/workload", tests, NULL, NULL);
}
