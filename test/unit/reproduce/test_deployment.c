/* test/unit/reproduce/test_deployment.c - the table of a deployment curve. */
#include "test/unit/weir_test.h"
#include "reproduce/comparison_text.h"
#include "reproduce/deployment.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHARES = 2, SEEDS = 3 };

static struct weir_comparison c;
static struct weir_comparison_run run[SHARES][SEEDS];
static const struct weir_deployment deployment = {
    .deployed = "sird", .background = "cubic", .by = "messages", .deployed_law = 1
};

static int begin(void **state)
{
    (void)state;
    c = (struct weir_comparison){ .law_count = SHARES, .seed_count = SEEDS, .baseline = WEIR_COMPARISON_NONE };
    weir_deployment_metrics(&c, &deployment);
    for (uint32_t l = 0; l < SHARES; l++) {
        c.law[l] = (struct weir_comparison_law){ .name = l == 0 ? "0 %" : "50 %", .run = run[l] };
        for (uint32_t s = 0; s < SEEDS; s++) {
            run[l][s] = (struct weir_comparison_run){ .is_done = true };
            for (uint32_t m = 0; m < WEIR_COMPARISON_METRICS_MAX; m++)
                run[l][s].value[m] = NAN;
        }
    }
    return 0;
}

static void put(uint32_t share, const char *name, double value, double step)
{
    uint32_t m = 0;
    while (strcmp(c.metric[m].name, name) != 0)
        assert_true(++m < c.metric_count);
    for (uint32_t s = 0; s < SEEDS; s++)
        run[share][s].value[m] = value + s * step;
}

static void metrics_are_of_both_laws_and_of_all(void **state)
{
    (void)state;
    for (uint32_t m = 0; m < c.metric_count; m++)
        assert_false(c.metric[m].judged);
    assert_string_equal(c.metric[0].name, "sird.messages_completed");
    assert_string_equal(c.metric[0].path, "laws[1].messages_completed");
    assert_string_equal(c.metric[15].name, "cubic.slowdown.all.p99");
    assert_string_equal(c.metric[15].path, "laws[0].slowdown.all.p99");
    assert_string_equal(c.metric[c.metric_count - 1].name, "slowdown.D.p99");
    assert_string_equal(c.metric[c.metric_count - 1].path, "");
}

static void a_part_has_a_line_for_each_share(void **state)
{
    static const char expected[] = "net: sird beside cubic, by its share of the messages; seeds 4 to 6; means over "
                                   "seeds +- half of their 95 % intervals (Student's t)\n"
                                   "\n"
                                   "sird        messages   goodput       p99\n"
                                   "share          ended      Gbps    of all\n"
                                   "0 % !              0         -         -\n"
                                   "50 %              10      2.50      4.00\n"
                                   "                 +-0    +-0.25       +-0\n"
                                   "\n"
                                   "cubic       messages   goodput       p99\n"
                                   "share          ended      Gbps    of all\n"
                                   "0 % !              -         -      9.50\n"
                                   "50 %               -         -         -\n"
                                   "\n"
                                   "together    messages   goodput       p99\n"
                                   "share          ended      Gbps    of all\n"
                                   "0 % !              -         -         -\n"
                                   "50 %               -         -         -\n"
                                   "slowdown: 1 = ideal; messages are the same at every share\n"
                                   "! in doubt, and without intervals:\n"
                                   "size groups: A below 1 B, B below 2 B, C below 3 B, D all above; the same for all\n"
                                   "! 0 %: 1 of 3 runs: too short\n"
                                   "fullest link: a > b, given 50 % of what it can carry (50 %, seed 5)\n";
    struct weir_comparison_page page = {
        .deployment = &deployment, .comparison = &c, .scenario = "net", .first_seed = 4, .group_bytes = { 1, 2, 3 }
    };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    put(0, "sird.messages_completed", 0, 0);
    put(1, "sird.messages_completed", 10, 0);
    put(1, "sird.goodput_gbps", 2.4, 0.1);
    put(1, "sird.slowdown.all.p99", 4, 0);
    put(0, "cubic.slowdown.all.p99", 9.5, 0);
    strcpy(run[1][1].fullest[WEIR_FULLEST_LINK], "a > b");
    run[1][1].fullest_value[WEIR_FULLEST_LINK] = 0.5;
    strcpy(run[0][1].doubt, "too short");
    weir_comparison_solve(&c);
    weir_deployment_print(out, &page);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
    free(text);
}

/* A comparison that is no curve: the laws of its runs have tables of their own. */
static void laws_of_runs_have_a_table_each(void **state)
{
    static const char expected[] = "\n"
                                   "law 0: dctcp, sird  messages       p50\n"
                                   "law                    ended    of all\n"
                                   "0 %                       12         -\n"
                                   "                         +-0\n"
                                   "50 %                       -         -\n"
                                   "\n"
                                   "law 1: cubic        messages       p50\n"
                                   "law                    ended    of all\n"
                                   "0 %                        -         -\n"
                                   "50 %                       -      2.10\n"
                                   "                                +-0.25\n";
    struct weir_run_laws laws = { .count = 2, .title = { "law 0: dctcp, sird", "law 1: cubic" } };
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    (void)state;
    c.metric_count = 0;
    weir_run_laws_add(&c, &laws);
    assert_int_equal(c.metric_count, 1 + 2 * 4);
    assert_string_equal(c.metric[0].name, "laws_jain");
    assert_string_equal(c.metric[5].name, "laws[1].messages_completed");
    put(0, "laws_jain", 0.9, 0);
    put(0, "laws[0].messages_completed", 12, 0);
    put(1, "laws[1].slowdown.all.p50", 2, 0.1);
    weir_comparison_solve(&c);
    for (uint32_t m = 0; m < c.metric_count; m++)
        assert_int_equal(weir_comparison_is_shown(&c, m), m == 0); /* in the table of the comparison */
    weir_run_laws_print(out, &c, &laws);
    assert_int_equal(fclose(out), 0);
    assert_string_equal(text, expected);
    free(text);
}

static void runs_with_one_law_have_no_such_tables(void **state)
{
    struct weir_run_laws laws = { .count = 0 };
    uint32_t before = c.metric_count;
    (void)state;
    weir_run_laws_add(&c, &laws);
    assert_int_equal(c.metric_count, before);
    weir_run_laws_print(NULL, &c, &laws);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(metrics_are_of_both_laws_and_of_all, begin),
        cmocka_unit_test_setup(a_part_has_a_line_for_each_share, begin),
        cmocka_unit_test_setup(laws_of_runs_have_a_table_each, begin),
        cmocka_unit_test_setup(runs_with_one_law_have_no_such_tables, begin),
    };
    return cmocka_run_group_tests_name("reproduce/deployment", tests, NULL, NULL);
}
