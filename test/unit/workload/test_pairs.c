/* test/unit/workload/test_pairs.c - random pairs: hosts and weights in range, changes where they are asked for, the same draws for the
 * same seed. */
#include "test/unit/refusal.h"
#include "core/units.h"
#include "workload/pairs.h"
#include <stdio.h>
#include <string.h>

enum { HOSTS = 5, MANY = 1000 };

static struct weir_jobs jobs;
static struct weir_err err;
static const struct weir_workload_limits limits = { .hosts = HOSTS, .seed = 7 };
static struct weir_traffic_config item;

static int setup(void **state)
{
    (void)state;
    err = (struct weir_err){ 0 };
    item = (struct weir_traffic_config){ .kind = WEIR_TRAFFIC_PAIRS, .count = MANY, .size.bytes = 1000, .start_ps = 5 };
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    weir_jobs_free(&jobs);
    return 0;
}

static void add(void)
{
    assert_int_equal(weir_pairs_add(&jobs, &item, 3, &limits, &err), 0);
    assert_int_equal(weir_jobs_finish(&jobs, HOSTS, NULL, &err), 0);
}

static void flows_join_different_hosts_with_the_items_size_and_start(void **state)
{
    (void)state;
    add();
    assert_int_equal(jobs.flow_count, MANY);
    assert_int_equal(jobs.change_count, 0);
    assert_string_equal(jobs.job[0].name, "pairs");
    for (uint32_t f = 0; f < MANY; f++) {
        const struct weir_job_flow *flow = &jobs.flow[f];
        assert_true(flow->src < HOSTS && flow->dst < HOSTS && flow->src != flow->dst);
        assert_int_equal(flow->bytes, 1000);
        assert_int_equal(flow->start_ps, 5);
        assert_int_equal(flow->item, 3);
        assert_int_equal(flow->weight_q20, WEIR_WEIGHT_ONE); /* nothing was said */
    }
}

/* Uniform over 1 .. 10: half are below 5.5; in the logarithm half are below 3.16. */
static void weights_are_spread_as_asked(void **state)
{
    (void)state;
    for (item.draw = WEIR_DRAW_UNIFORM; item.draw <= WEIR_DRAW_LOG_UNIFORM; item.draw++) {
        uint64_t middle_q20 = item.draw == WEIR_DRAW_UNIFORM ? 5767168 : 3315907;
        uint32_t below = 0;
        (void)strcpy(item.weights, "1..10");
        weir_jobs_free(&jobs);
        add();
        for (uint32_t f = 0; f < MANY; f++) {
            assert_in_range(jobs.flow[f].weight_q20, WEIR_WEIGHT_ONE, 10 * WEIR_WEIGHT_ONE);
            below += jobs.flow[f].weight_q20 < middle_q20;
        }
        assert_in_range(below, 450, 550);
    }
}

static void a_part_of_the_weights_changes_and_one_at_least(void **state)
{
    (void)state;
    (void)strcpy(item.weights, "1..10");
    item.changes_ppm = 10000;
    item.change_at_ps = 99;
    add();
    assert_int_equal(jobs.change_count, 10);
    for (uint32_t f = 0; f < MANY; f++)
        assert_int_equal(jobs.flow[f].change_count, f % 100 == 0);
    assert_int_equal(jobs.change[0].at_ps, 99);
    assert_true(jobs.change[0].weight_q20 != jobs.flow[0].weight_q20);
    weir_jobs_free(&jobs);
    item.count = 10;
    add();
    assert_int_equal(jobs.change_count, 1);
}

/* Flow 0 of few is flow 0 of many. */
static void more_flows_leave_the_first_as_they_are(void **state)
{
    (void)state;
    struct weir_job_flow few;
    item.count = 10;
    add();
    few = jobs.flow[9];
    weir_jobs_free(&jobs);
    item.count = MANY;
    add();
    assert_int_equal(jobs.flow[9].src, few.src);
    assert_int_equal(jobs.flow[9].dst, few.dst);
}

static void refuses(const char *weights, uint32_t changes_ppm, uint64_t change_at_ps, enum weir_err_code code,
                    const char *key)
{
    (void)snprintf(item.weights, sizeof(item.weights), "%s", weights);
    item.changes_ppm = changes_ppm;
    item.change_at_ps = change_at_ps;
    assert_int_equal(weir_pairs_add(&jobs, &item, 0, &limits, &err), code);
    assert_refusal(&err, code, NULL, key);
}

/* A pair at least, between two hosts at least. */
static void one_pair_of_two_hosts_is_the_least(void **state)
{
    (void)state;
    item.count = 0;
    refuses("1", 0, 0, WEIR_E_SYNTAX, "count");
    assert_int_equal(jobs.job_count, 0);
    item.count = 1;
    for (uint32_t hosts = 1; hosts <= 2; hosts++) {
        const struct weir_workload_limits few = { .hosts = hosts, .seed = 7 };
        assert_int_equal(weir_pairs_add(&jobs, &item, 0, &few, &err), hosts == 1 ? WEIR_E_RANGE : 0);
        assert_int_equal(jobs.flow_count, hosts - 1);
    }
    assert_int_equal(jobs.flow[0].src + jobs.flow[0].dst, 1); /* one is host 0, the other host 1 */
}

static void invalid_keys_are_refused(void **state)
{
    (void)state;
    refuses("0", 0, 0, WEIR_E_RANGE, "weights");
    refuses("-1..2", 0, 0, WEIR_E_RANGE, "weights");
    refuses("10..1", 0, 0, WEIR_E_RANGE, "weights");
    refuses("1..", 0, 0, WEIR_E_RANGE, "weights");
    refuses("1..inf", 0, 0, WEIR_E_RANGE, "weights");
    refuses("1..1000001", 0, 0, WEIR_E_RANGE, "weights");
    refuses("1..2", 10000, 0, WEIR_E_CONFLICT, "changes");
    refuses("1..2", 0, 10000, WEIR_E_CONFLICT, "changes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(flows_join_different_hosts_with_the_items_size_and_start, setup, teardown),
        cmocka_unit_test_setup_teardown(weights_are_spread_as_asked, setup, teardown),
        cmocka_unit_test_setup_teardown(a_part_of_the_weights_changes_and_one_at_least, setup, teardown),
        cmocka_unit_test_setup_teardown(more_flows_leave_the_first_as_they_are, setup, teardown),
        cmocka_unit_test_setup_teardown(one_pair_of_two_hosts_is_the_least, setup, teardown),
        cmocka_unit_test_setup_teardown(invalid_keys_are_refused, setup, teardown),
    };
    return cmocka_run_group_tests_name("workload/pairs", tests, NULL, NULL);
}
