/* test/unit/workload/test_plan.c - incast to the picosecond, permutations without fixed point, the order of lists. */
#include "test/unit/refusal.h"
#include "test/unit/workload/workload_fixture.h"
#include "workload/plan.h"
#include "core/math.h"
#include <stdlib.h>

/* L = 50 Gb/s per host, 144 hosts, 7 % of it in events of 30 x 500 KB:
 * T = 30 * 500000 * 8 / (0.07 * 50e9 * 144) s = 238.095238 us. */
static void incast_events_come_at_multiples_of_the_period(void **state)
{
    static const uint64_t at_ps[] = { 238095238, 476190476, 714285714, 952380952 };
    uint32_t senders[4] = { 0 };
    (void)state;
    fix_add(POISSON(.sizes = "wkc", .load_ppm = 500000));
    fix_add(INCAST(.share_ppm = 70000));
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 120);
    for (uint64_t i = 0; i < 120; i++) {
        const struct weir_listed *m = &fix_wl.listed[i];
        uint32_t k = 0;
        while (k < 3 && at_ps[k] != m->start_ps)
            k++;
        assert_int_equal(m->start_ps, at_ps[k]);
        assert_int_equal(m->bytes, 500000);
        assert_int_equal(m->item, 1);
        senders[k]++;
    }
    for (int k = 0; k < 4; k++)
        assert_int_equal(senders[k], 30);
}

static void an_event_has_one_target_and_different_senders(void **state)
{
    uint32_t targets[144] = { 0 }, events = 0, sent[144] = { 0 };
    uint64_t dst_of[1001] = { 0 };
    (void)state;
    fix_limits.end_ps = 1001 * WEIR_PS_PER_US;
    fix_add(INCAST(.period_ps = WEIR_PS_PER_US, .size.bytes = 1000));
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 30 * 1000);
    for (uint32_t src = 0; src < 144; src++) {
        uint64_t last_ps = 0;
        for (uint64_t i = fix_wl.listed_first[src]; i < fix_wl.listed_first[src + 1]; i++) {
            const struct weir_listed *m = &fix_wl.listed[i];
            uint64_t k = m->start_ps / WEIR_PS_PER_US;
            assert_true(m->start_ps > last_ps); /* a host takes part once in an event */
            assert_int_not_equal(m->dst, src);
            assert_true(dst_of[k] == 0 || dst_of[k] == m->dst + 1);
            dst_of[k] = m->dst + 1;
            last_ps = m->start_ps;
            sent[src]++;
        }
    }
    for (uint32_t k = 1; k <= 1000; k++)
        targets[dst_of[k] - 1]++, events++;
    assert_int_equal(events, 1000);
    for (uint32_t h = 0; h < 144; h++) {
        assert_in_range(targets[h], 0, 22); /* 6.9 expected, deviation 2.6 */
        assert_in_range(sent[h], 142, 275); /* 208 expected, deviation 13 */
    }
}

/* Each list has the senders of the messages that name it, and those go to one host. */
static void the_senders_of_an_event_are_a_group(void **state)
{
    uint32_t dst[5] = { 0 }, listed[5] = { 0 };
    (void)state;
    fix_limits.end_ps = 5001;
    fix_limits.groups = true;
    fix_add(INCAST(.period_ps = 1000, .size.bytes = 10));
    fix_build();
    assert_int_equal(fix_wl.group_count, 5);
    for (uint32_t src = 0; src < 144; src++)
        for (uint64_t i = fix_wl.listed_first[src]; i < fix_wl.listed_first[src + 1]; i++) {
            const struct weir_listed *m = &fix_wl.listed[i];
            const struct weir_sender_group *group = &fix_wl.group[m->group - 1];
            assert_int_equal(m->start_ps, 1000 * group->id);
            assert_true(dst[m->group - 1] == 0 || dst[m->group - 1] == m->dst + 1);
            dst[m->group - 1] = m->dst + 1;
            for (uint32_t j = 0; j < group->count; j++)
                listed[m->group - 1] += group->sender[j] == src;
        }
    for (uint32_t g = 0; g < 5; g++) {
        assert_int_equal(fix_wl.group[g].count, 30);
        assert_int_equal(listed[g], 30);
    }
}

static void every_host_sends_when_fan_in_is_all_but_the_target(void **state)
{
    (void)state;
    fix_limits.hosts = 5;
    fix_add(INCAST(.fan_in = 4, .period_ps = 400 * WEIR_PS_PER_US));
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 8);
    for (uint32_t src = 0; src < 5; src++)
        assert_in_range(fix_wl.listed_first[src + 1] - fix_wl.listed_first[src], 0, 2);
}

static void incast_keeps_to_its_start_and_stop(void **state)
{
    (void)state;
    fix_add(INCAST(.fan_in = 1, .size.bytes = 1, .period_ps = 100, .start_ps = 1000, .stop_ps = 1200));
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 1); /* 1100; 1200 is stop */
    fix_item[0].stop_ps = 1201;
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 2);
    fix_item[0].start_ps = WEIR_PS_PER_S, fix_item[0].stop_ps = WEIR_NEVER; /* after the end of the run */
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 0);
}

/* Gaps of mean 1 us: 10 ms have 10,000 events, deviation 100. Their squares' mean is 2 (1 us)^2. */
static void poisson_events_have_exponential_gaps(void **state)
{
    uint64_t last_ps = 0, count = 0, targets = 0;
    double squares = 0;
    (void)state;
    fix_limits.end_ps = 10 * WEIR_PS_PER_MS;
    fix_limits.hosts = 2;
    fix_add(INCAST(.fan_in = 1, .size.bytes = 1, .period_ps = WEIR_PS_PER_US, .arrivals = WEIR_ARRIVALS_POISSON));
    fix_build();
    count = fix_wl.finite_messages;
    assert_in_range(count, 9600, 10400);
    targets = fix_wl.listed_first[1]; /* of host 1 */
    assert_in_range(targets, count / 2 - 200, count / 2 + 200);
    for (uint64_t a = 0, b = targets, n = 0; n < count; n++) { /* the two hosts' lists, merged by time */
        bool first = b == count || (a < targets && fix_wl.listed[a].start_ps < fix_wl.listed[b].start_ps);
        uint64_t at_ps = fix_wl.listed[first ? a++ : b++].start_ps;
        double gap = (double)(at_ps - last_ps) / WEIR_PS_PER_US;
        squares += gap * gap;
        last_ps = at_ps;
    }
    assert_in_range((uint64_t)(100 * squares / (double)count), 180, 220);
}

static void an_incast_keeps_to_its_hosts(void **state)
{
    (void)state;
    fix_add(INCAST(.fan_in = 3, .size.bytes = 1, .period_ps = WEIR_PS_PER_US, .from = "2..5", .to = "5..6"));
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 3 * 999);
    for (uint32_t src = 0; src < 144; src++) {
        for (uint64_t i = fix_wl.listed_first[src]; i < fix_wl.listed_first[src + 1]; i++) {
            assert_in_range(src, 2, 5);
            assert_in_range(fix_wl.listed[i].dst, 5, 6);
            assert_int_not_equal(fix_wl.listed[i].dst, src);
        }
    }
    fix_item[0].fan_in = 4; /* host 5 may be the target, and then three are left */
    fix_refuse(WEIR_E_RANGE, 10, "fan_in");
    strcpy(fix_item[0].to, "6");
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 4 * 999);
    strcpy(fix_item[0].to, "1..9/5"); /* 1 and 6: none of them sends */
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 4 * 999);
    for (uint64_t i = 0; i < fix_wl.finite_messages; i++)
        assert_true(fix_wl.listed[i].dst == 1 || fix_wl.listed[i].dst == 6);
}

static void messages_of_an_event_are_spread_over_its_jitter(void **state)
{
    uint64_t least_ps = UINT64_MAX, most_ps = 0;
    (void)state;
    fix_add(INCAST(.fan_in = 100, .period_ps = 600 * WEIR_PS_PER_US, .jitter_ps = 100 * WEIR_PS_PER_US));
    fix_build();
    assert_int_equal(fix_wl.finite_messages, 100);
    for (uint32_t i = 0; i < 100; i++) {
        least_ps = weir_min_u64(least_ps, fix_wl.listed[i].start_ps);
        most_ps = weir_max_u64(most_ps, fix_wl.listed[i].start_ps);
    }
    assert_in_range(least_ps, 600 * WEIR_PS_PER_US, 610 * WEIR_PS_PER_US);
    assert_in_range(most_ps, 690 * WEIR_PS_PER_US, 700 * WEIR_PS_PER_US - 1);
    fix_item[0].stop_ps = 650 * WEIR_PS_PER_US;
    fix_build();
    assert_in_range(fix_wl.finite_messages, 30, 70); /* those later than that do not start */
}

static void poisson_events_are_at_most_288_seconds_apart(void **state)
{
    (void)state;
    fix_add(INCAST(.fan_in = 1, .period_ps = 289 * WEIR_PS_PER_S, .arrivals = WEIR_ARRIVALS_POISSON));
    fix_refuse(WEIR_E_RANGE, 10, "arrivals");
}

static void a_permutation_has_no_fixed_point_and_meets_every_host_once(void **state)
{
    (void)state;
    fix_add(PERMUTATION(.start_ps = 7));
    for (fix_limits.hosts = 2; fix_limits.hosts <= 200; fix_limits.hosts++) {
        bool hit[200] = { false };
        fix_limits.seed = fix_limits.hosts * 31;
        fix_build();
        assert_int_equal(fix_wl.finite_messages, fix_limits.hosts);
        for (uint32_t src = 0; src < fix_limits.hosts; src++) {
            const struct weir_listed *m = &fix_wl.listed[src];
            assert_int_equal(fix_wl.listed_first[src], src);
            assert_int_equal(m->start_ps, 7);
            assert_int_equal(m->bytes, 500000);
            assert_in_range(m->dst, 0, fix_limits.hosts - 1);
            assert_int_not_equal(m->dst, src);
            assert_false(hit[m->dst]);
            hit[m->dst] = true;
        }
    }
}

static void permutations_differ_by_seed_and_item(void **state)
{
    uint32_t first[144], same_item = 0, same_seed = 0;
    (void)state;
    fix_add(PERMUTATION(.start_ps = 0));
    fix_add(PERMUTATION(.start_ps = 1));
    fix_build();
    for (uint32_t h = 0; h < 144; h++) {
        first[h] = fix_wl.listed[2 * h].dst;
        same_item += first[h] == fix_wl.listed[2 * h + 1].dst;
    }
    fix_limits.seed = 2;
    fix_build();
    for (uint32_t h = 0; h < 144; h++)
        same_seed += first[h] == fix_wl.listed[2 * h].dst;
    assert_in_range(same_item, 0, 8); /* 1 expected */
    assert_in_range(same_seed, 0, 8);
}

static void lists_are_sorted_by_host_time_item_and_order(void **state)
{
    static const uint32_t src[] = { 3, 1, 1, 1, 1, 0 }, item[] = { 0, 2, 1, 1, 1, 5 };
    static const uint64_t start[] = { 5, 9, 9, 9, 4, 8 }, want_bytes[] = { 6, 5, 3, 4, 2, 1 };
    static const uint64_t want_first[] = { 0, 1, 5, 5, 6, 6 };
    struct weir_plan plan = { 0 };
    struct weir_workload wl = { .hosts = 5 };
    (void)state;
    for (uint32_t i = 0; i < 6; i++)
        assert_int_equal(weir_plan_add(&plan, src[i],
                                       &(struct weir_listed){ .start_ps = start[i], .bytes = i + 1, .item = item[i] },
                                       &fix_err),
                         0);
    assert_int_equal(weir_plan_finish(&plan, &wl, &fix_err), 0);
    assert_null(plan.row);
    assert_int_equal(wl.finite_messages, 6);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(wl.listed[i].bytes, want_bytes[i]);
        assert_int_equal(wl.listed_first[i], want_first[i]);
    }
    weir_workload_free(&wl);
}

static void more_messages_than_a_list_may_hold_are_refused(void **state)
{
    struct weir_plan plan = { .count = WEIR_LISTED_MAX, .room = WEIR_LISTED_MAX };
    (void)state;
    assert_int_equal(weir_plan_add(&plan, 0, &(struct weir_listed){ .bytes = 1 }, &fix_err), WEIR_E_RANGE);
    assert_refusal(&fix_err, WEIR_E_RANGE, "", "messages");
}

#define PLAN_TEST(name) cmocka_unit_test_setup_teardown(name, fix_setup, fix_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAN_TEST(incast_events_come_at_multiples_of_the_period),
        PLAN_TEST(an_event_has_one_target_and_different_senders),
        PLAN_TEST(the_senders_of_an_event_are_a_group),
        PLAN_TEST(every_host_sends_when_fan_in_is_all_but_the_target),
        PLAN_TEST(incast_keeps_to_its_start_and_stop),
        PLAN_TEST(poisson_events_have_exponential_gaps),
        PLAN_TEST(an_incast_keeps_to_its_hosts),
        PLAN_TEST(messages_of_an_event_are_spread_over_its_jitter),
        PLAN_TEST(poisson_events_are_at_most_288_seconds_apart),
        PLAN_TEST(a_permutation_has_no_fixed_point_and_meets_every_host_once),
        PLAN_TEST(permutations_differ_by_seed_and_item),
        PLAN_TEST(lists_are_sorted_by_host_time_item_and_order),
        PLAN_TEST(more_messages_than_a_list_may_hold_are_refused),
    };
    return cmocka_run_group_tests_name("workload/plan", tests, NULL, NULL);
}
