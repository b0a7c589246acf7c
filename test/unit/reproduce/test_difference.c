/* test/unit/reproduce/test_difference.c - pairs of runs, groups of pairs, and which numbers have moved. */
#include "test/unit/weir_test.h"
#include "reproduce/difference.h"
#include <math.h>
#include <string.h>

enum { RUNS = 8, METRICS = 2 };

static struct weir_difference d;
static struct weir_difference_metric metric[METRICS];
static struct weir_difference_run run[2][RUNS];
static double value[2][RUNS][METRICS];
static struct weir_err err;

static int setup(void **state)
{
    (void)state;
    memset(&d, 0, sizeof(d));
    memset(run, 0, sizeof(run));
    for (int m = 0; m < METRICS; m++)
        metric[m] = (struct weir_difference_metric){ .name = m == 0 ? "goodput_gbps" : "drops", .has = { true, true } };
    d.arena = weir_tree_arena_new();
    d.metric = metric;
    d.metric_count = METRICS;
    for (int s = 0; s < 2; s++)
        d.file[s] = (struct weir_difference_file){ .path = s == 0 ? "a.db" : "b.db", .run = run[s] };
    return d.arena != NULL ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    weir_tree_arena_free(d.arena);
    return 0;
}

static struct weir_difference_run *add(int side, const char *label, uint64_t seed, double first)
{
    uint32_t i = d.file[side].count++;
    value[side][i][0] = first;
    value[side][i][1] = NAN;
    run[side][i] = (struct weir_difference_run){ .id = i + 1,
                                                 .seed = seed,
                                                 .label = label,
                                                 .figure = "",
                                                 .scenario = seed == 1   ? "run:\n  seed: 1\n"
                                                             : seed == 2 ? "run:\n  seed: 2\n"
                                                                         : "run:\n  seed: 3\n",
                                                 .status = "done",
                                                 .digest = "00",
                                                 .value = value[side][i] };
    return &run[side][i];
}

static void solve(void)
{
    assert_int_equal(weir_difference_pair(&d, &err), 0);
    assert_int_equal(weir_difference_solve(&d, &err), 0);
}

static void a_label_loses_the_last_part_that_is_the_seed(void **state)
{
    static const struct {
        const char *label, *rest;
        uint64_t seed;
    } row[] = { { "50-0.25_BDP-1", "50-0.25_BDP", 1 },
                { "dctcp seed 12", "dctcp", 12 },
                { "1-1", "1", 1 },
                { "a-3-b", "a-b", 3 },
                { "star", "star", 1 },
                { "a-31", "a-31", 3 },
                { "seed 4", "seed", 4 },
                { "", "", 0 } };
    char out[32];
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        weir_difference_label(out, sizeof(out), row[i].label, row[i].seed);
        assert_string_equal(out, row[i].rest);
    }
}

static void three_pairs_move_beyond_the_interval_of_their_differences(void **state)
{
    const struct weir_difference_number *n;
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        add(0, "x", seed, (double)(10 * seed));
        add(1, "x", 4 - seed, (double)(10 * (4 - seed)) + (4 - seed == 1 ? 1 : 2));
    }
    solve();
    assert_int_equal(d.group_count, 1);
    assert_int_equal(d.group[0].count, 3);
    n = &d.group[0].number[0];
    assert_true(fabs(n->change.mean - 5.0 / 3) < 1e-12); /* of 1, 2, 2: s = 0.577 */
    assert_true(fabs(n->change.half_width - 4.303 / 3) < 1e-9);
    assert_true(n->moved);
    assert_true(n->before == 20);
    assert_int_equal(d.compared, 1); /* no run has the second number */
    assert_int_equal(d.moved, 1);
}

static void differences_that_scatter_have_not_moved(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        add(0, "x", seed, 10);
        add(1, "x", seed, 10 + (double)seed - 1.5);
    }
    solve();
    assert_false(d.group[0].number[0].moved);
    assert_int_equal(d.moved, 0);
}

static void two_pairs_move_by_any_change_beyond_the_tolerance(void **state)
{
    (void)state;
    add(0, "x", 1, 100);
    add(0, "x", 2, 100);
    add(1, "x", 1, 99);
    add(1, "x", 2, 101);
    solve();
    assert_true(d.group[0].number[0].moved); /* though the mean is the same */
    d.tolerance_ppm = 10000;
    assert_int_equal(weir_difference_solve(&d, &err), 0);
    assert_false(d.group[0].number[0].moved);
    value[1][0][0] = 98.9;
    assert_int_equal(weir_difference_solve(&d, &err), 0);
    assert_true(d.group[0].number[0].moved);
}

static void a_tolerance_holds_for_three_pairs_too(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        add(0, "x", seed, 100);
        add(1, "x", seed, 102);
    }
    d.tolerance_ppm = 20000;
    solve();
    assert_false(d.group[0].number[0].moved);
    d.tolerance_ppm = 19999;
    assert_int_equal(weir_difference_solve(&d, &err), 0);
    assert_true(d.group[0].number[0].moved);
}

static void a_number_of_one_side_alone_has_moved(void **state)
{
    (void)state;
    add(0, "x", 1, NAN);
    add(1, "x", 1, 5);
    value[0][0][1] = value[1][0][1] = 3;
    solve();
    assert_true(d.group[0].number[0].moved);
    assert_int_equal(d.group[0].number[0].one_sided, 1);
    assert_false(d.group[0].number[1].moved);
    metric[0].has[0] = false; /* but not if no run of the file has it */
    assert_int_equal(weir_difference_solve(&d, &err), 0);
    assert_false(d.group[0].number[0].moved);
}

static void runs_without_a_partner_are_listed(void **state)
{
    (void)state;
    add(0, "x", 1, 1);
    add(0, "x", 2, 1);
    add(0, "y", 1, 1);
    add(1, "x", 1, 1);
    add(1, "x", 2, 1)->status = "failed";
    add(1, "z", 1, 1);
    solve();
    assert_int_equal(d.pair_count, 1);
    assert_int_equal(d.alone_count[0], 2);
    assert_int_equal(d.alone_count[1], 1);
    assert_string_equal(d.alone[0][0]->partner, "failed");
    assert_null(d.alone[0][1]->partner);
    assert_string_equal(d.alone[1][0]->label, "z");
}

static void settings_that_differ_make_groups_of_their_own(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        add(s, "x", 1, 1);
        add(s, "x", 2, 1);
        add(s, "x", 3, 1)->scenario = "run:\n  seed: 3\n  sample: 1 us\n";
    }
    solve();
    assert_int_equal(d.group_count, 2);
    assert_int_equal(d.group[0].count, 2);
}

/* measure: auto finds another length for each seed. A key that differs in several pairs of a group counts once, also if
 * it does not differ in the first. */
static void lengths_that_differ_by_seed_make_no_groups(void **state)
{
    (void)state;
    for (int s = 0; s < 2; s++) {
        add(s, "x", 1, 1)->scenario = "run:\n  warmup: 1 ms\n  measure: 1 ms\n  seed: 1\n";
        add(s, "x", 2, 1)->scenario = "run:\n  warmup: 2 ms\n  measure: 4 ms\n  seed: 2\n";
        add(s, "x", 3, 1)->scenario = s == 0 ? "run:\n  warmup: 3 ms\n  measure: 5 ms\n  seed: 3\n"
                                             : "run:\n  warmup: 3 ms\n  measure: 6 ms\n  seed: 3\n";
        add(s, "y", 1, 1)->scenario =
            s == 0 ? "run:\n  measure: 1 ms\n  seed: 1\n" : "run:\n  measure: 2 ms\n  seed: 1\n";
        add(s, "y", 2, 1)->scenario =
            s == 0 ? "run:\n  measure: 1 ms\n  seed: 2\n" : "run:\n  measure: 2 ms\n  seed: 2\n";
    }
    solve();
    assert_int_equal(d.group_count, 2);
    assert_int_equal(d.group[0].count, 3);
    assert_int_equal(weir_difference_keys(&d, false, &err), 0);
    assert_int_equal(d.key_count, 1);
    assert_string_equal(d.key[0].path, "run.measure");
    assert_string_equal(d.key[0].after, "6 ms");
    assert_int_equal(d.key[0].groups, 2);
}

static void the_newest_of_equal_runs_counts_and_unequal_ones_are_refused(void **state)
{
    (void)state;
    add(0, "x", 1, 1);
    add(0, "x", 1, 2);
    add(1, "x", 1, 2);
    solve();
    assert_int_equal(d.file[0].older, 1);
    assert_int_equal(d.moved, 0);
    teardown(NULL);
    setup(NULL);
    add(0, "x", 1, 1);
    add(0, "x", 1, 2)->scenario = "other";
    add(1, "x", 1, 2);
    assert_int_equal(weir_difference_pair(&d, &err), WEIR_E_CONFLICT);
}

static void figures_count_only_if_both_files_have_one_of_them(void **state)
{
    (void)state;
    add(0, "x", 1, 1)->figure = "old-name";
    add(1, "x", 1, 1)->figure = "new-name";
    solve();
    assert_int_equal(d.pair_count, 1);
    teardown(NULL);
    setup(NULL);
    add(0, "x", 1, 1)->figure = "fig1";
    add(0, "x", 1, 2)->figure = "fig2";
    add(1, "x", 1, 2)->figure = "fig2";
    solve();
    assert_int_equal(d.pair_count, 1);
    assert_string_equal(d.pair[0].before->figure, "fig2");
    assert_int_equal(d.alone_count[0], 1);
}

static void files_that_share_no_run_are_refused(void **state)
{
    (void)state;
    add(0, "x", 1, 1);
    add(1, "x", 2, 1);
    assert_int_equal(weir_difference_pair(&d, &err), WEIR_E_CONFLICT);
}

static void digests_are_counted(void **state)
{
    (void)state;
    add(0, "x", 1, 1);
    add(1, "x", 1, 1)->digest = "01";
    solve();
    assert_int_equal(d.digests, 1);
    assert_int_equal(d.moved, 0);
}

/* The first number is known with exact statistics alone: where one side has it not, that is no change. */
static void a_longest_sample_is_not_compared_with_a_longest_queue(void **state)
{
    (void)state;
    metric[0].row.of_exact = true;
    add(0, "x", 1, 5);
    add(1, "x", 1, NAN)->scenario = "run:\n  statistics: sampled\n  seed: 1\n";
    value[0][0][1] = 3;
    solve();
    assert_int_equal(d.unlike, 1);
    assert_false(d.group[0].number[0].moved);
    assert_int_equal(d.group[0].number[0].one_sided, 0);
    assert_true(d.group[0].number[1].moved); /* any other number of one side alone */
    run[1][0].scenario = "run:\n  statistics: exact\n  seed: 1\n";
    assert_int_equal(weir_difference_solve(&d, &err), 0);
    assert_true(d.group[0].number[0].moved);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_label_loses_the_last_part_that_is_the_seed),
        TEST(three_pairs_move_beyond_the_interval_of_their_differences),
        TEST(differences_that_scatter_have_not_moved),
        TEST(two_pairs_move_by_any_change_beyond_the_tolerance),
        TEST(a_tolerance_holds_for_three_pairs_too),
        TEST(a_number_of_one_side_alone_has_moved),
        TEST(runs_without_a_partner_are_listed),
        TEST(settings_that_differ_make_groups_of_their_own),
        TEST(lengths_that_differ_by_seed_make_no_groups),
        TEST(the_newest_of_equal_runs_counts_and_unequal_ones_are_refused),
        TEST(figures_count_only_if_both_files_have_one_of_them),
        TEST(files_that_share_no_run_are_refused),
        TEST(digests_are_counted),
        TEST(a_longest_sample_is_not_compared_with_a_longest_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
