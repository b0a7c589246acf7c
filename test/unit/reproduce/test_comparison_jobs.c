/* test/unit/reproduce/test_comparison_jobs.c - single jobs of a comparison: few have a line each, many one for each name. */
#include "test/unit/weir_test.h"
#include "reproduce/comparison_jobs.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { JOBS = 4, LAWS = 2, SEEDS = 3 };

static char *names[JOBS] = { "ring/tp0#1", "ring/tp1#1", "ring/tp0#2", "query" };
static double number[JOBS][WEIR_JOB_NUMBERS][LAWS][SEEDS];
static struct weir_comparison_jobs jobs = {
    .count = JOBS, .law_count = LAWS, .seed_count = SEEDS, .name = names, .number = &number[0][0][0][0]
};
static struct weir_comparison c = { .law_count = LAWS, .seed_count = SEEDS };
static char *text;

/* Law l takes (10 + j) (l + 1) us for job j, with seed s as many more; the query has no bandwidth. */
static int setup(void **state)
{
    (void)state;
    c.law[0].name = "dctcp";
    c.law[1].name = "homa";
    for (int j = 0; j < JOBS; j++)
        for (int l = 0; l < LAWS; l++)
            for (int s = 0; s < SEEDS; s++) {
                number[j][WEIR_JOB_COMPLETION_US][l][s] = (10 + j) * (l + 1) + s;
                number[j][WEIR_JOB_ALGBW][l][s] = j < 3 ? 1 + l : (double)NAN;
                number[j][WEIR_JOB_BUSBW][l][s] = j < 3 ? 2 + l : (double)NAN;
            }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    free(text);
    text = NULL;
    return 0;
}

static void print(uint32_t lines)
{
    size_t size;
    FILE *out;
    free(text);
    out = open_memstream(&text, &size);
    assert_non_null(out);
    weir_comparison_jobs_print(out, &c, &jobs, lines);
    assert_int_equal(fclose(out), 0);
}

static void has(const char *line)
{
    if (strstr(text, line) == NULL)
        fail_msg("no '%s' in:\n%s", line, text);
}

static void few_jobs_have_a_line_each(void **state)
{
    (void)state;
    print(JOBS);
    has("\njob completion (us)                      dctcp            homa\n");
    has("\nring/tp0#1                         11.0 +-2.48     21.0 +-2.48\n");
    has("\nquery                              14.0 +-2.48     27.0 +-2.48\n");
    has("\nbus bandwidth (GB/s)                     dctcp            homa\n");
    has("\nring/tp0#2                            2.00 +-0        3.00 +-0\n");
    has("\nquery                                        -               -\n");
}

static void many_jobs_have_a_line_for_each_name(void **state)
{
    (void)state;
    print(JOBS - 1);
    has("\nring (3)                           12.0 +-2.48     23.0 +-2.48\n"); /* of 10, 11 and 12, and a mean seed of 1 */
    has("\nquery                              14.0 +-2.48     27.0 +-2.48\n");
    assert_null(strstr(text, "tp0"));
    print(1);
    has("1 more with --json\n");
}

static void a_mean_is_of_the_jobs_that_ended(void **state)
{
    (void)state;
    for (int s = 0; s < SEEDS; s++)
        number[0][WEIR_JOB_COMPLETION_US][0][s] = (double)NAN;
    print(2);
    has("\nring (3)                           12.5 +-2.48     23.0 +-2.48\n");
    number[3][WEIR_JOB_COMPLETION_US][0][1] = (double)NAN; /* two seeds: no interval */
    print(2);
    has("\nquery                                     14.0     27.0 +-2.48\n");
}

static void without_jobs_there_is_no_table(void **state)
{
    const struct weir_comparison_jobs all = jobs;
    (void)state;
    jobs = (struct weir_comparison_jobs){ .law_count = LAWS, .seed_count = SEEDS };
    print(12);
    assert_string_equal(text, "");
    jobs = all;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(few_jobs_have_a_line_each, setup, teardown),
        cmocka_unit_test_setup_teardown(many_jobs_have_a_line_for_each_name, setup, teardown),
        cmocka_unit_test_setup_teardown(a_mean_is_of_the_jobs_that_ended, setup, teardown),
        cmocka_unit_test_setup_teardown(without_jobs_there_is_no_table, setup, teardown),
    };
    return cmocka_run_group_tests_name("reproduce/comparison_jobs", tests, NULL, NULL);
}
