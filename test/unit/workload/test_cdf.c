/* test/unit/workload/test_cdf.c - parsing, means and exact samples of size distributions. */
#include "test/unit/refusal.h"
#include "core/rng.h"
#include "workload/cdf.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct weir_cdf cdf;
static struct weir_err err;

static int teardown(void **state)
{
    (void)state;
    weir_cdf_free(&cdf);
    return 0;
}

static void parse(const char *text, int interpolate)
{
    weir_cdf_free(&cdf);
    assert_int_equal(weir_cdf_parse(&cdf, "t.csv", text, interpolate, &err), 0);
}

/* The size at u = share of 2^32. */
static uint64_t size_at(uint64_t u_q32)
{
    return weir_cdf_sample(&cdf, u_q32 << 32 | 0x12345678); /* the lower half does not count */
}

#define Q32(x) ((uint64_t)((x)*4294967296.0))

static void linear_samples_are_those_computed_by_hand(void **state)
{
    (void)state;
    parse("size_bytes,cdf\n100,0\n200,0.5\n401,1\n", 0);
    assert_int_equal(cdf.count, 3);
    assert_false(cdf.log_linear);
    assert_int_equal(size_at(0), 100);
    assert_int_equal(size_at(Q32(0.25)), 150);
    assert_int_equal(size_at(Q32(0.5) - 1), 199); /* 199.99999.., cut */
    assert_int_equal(size_at(Q32(0.5)), 200);
    assert_int_equal(size_at(Q32(0.75)), 300); /* 300.5, cut */
    assert_int_equal(size_at(UINT32_MAX), 400);
    assert_int_equal(cdf.mean_millibytes, 225250); /* (150 + 300.5) / 2 */
    assert_int_equal(cdf.nominal_millibytes, 225250);
}

/* The same distribution as a fraction, in percent, and with blanks between its columns as HPCC has it. */
static void percent_and_blanks_are_another_way_to_write_it(void **state)
{
    static const char *const texts[] = { "size,cdf\n100,0\n200,0.125\n401,1\n", "100,0\n200,12.5\n401,100\n",
                                         "100 0\n200 12.5\n401 100\n", "size cdf\n100\t0\n 200  0.125 \n401 1.0\n" };
    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        parse(texts[i], 0);
        assert_int_equal(cdf.count, 3);
        assert_true(cdf.point[1].below_q32 == Q32(0.125));
        assert_true(cdf.point[2].below_q32 == UINT64_C(1) << 32);
        assert_int_equal(cdf.mean_millibytes, 281688); /* 150 / 8 + 300.5 * 7 / 8 = 281.6875 */
    }
    parse("0 0\n10000 15\n30000000 100\n", 0); /* 0.15 * 2^32 = 644245094.4 */
    assert_true(cdf.point[1].below_q32 == 644245094);
}

static void log_linear_samples_are_those_computed_by_hand(void **state)
{
    (void)state;
    parse("100,0\n200,0.5\n400,1\n", 1);
    assert_true(cdf.log_linear);
    assert_int_equal(size_at(0), 100);
    assert_int_equal(size_at(Q32(0.25)), 141);        /* 100 * sqrt 2 = 141.42 */
    assert_int_equal(size_at(Q32(0.5) - 65536), 199); /* 199.996, cut */
    assert_int_equal(size_at(Q32(0.5)), 200);
    assert_int_equal(size_at(Q32(0.625)), 237);           /* 200 * 2^(1/4) = 237.84 */
    assert_int_equal(size_at(Q32(0.75)), 282);            /* 282.84 */
    assert_int_equal(size_at(UINT32_MAX), 400);           /* nearer to 400 than 2^-16 */
    assert_in_range(cdf.mean_millibytes, 216404, 216405); /* (100 + 200) / ln 2 / 2 = 216.40426 */
}

static void repeated_sizes_are_point_masses_and_repeated_cdfs_gaps(void **state)
{
    (void)state;
    for (int interpolate = 0; interpolate <= 1; interpolate++) {
        parse("10,0\n10,0.25\n20,0.25\n30,0.25\n40,0.5\n40,1\n40,1\n90,1\n", interpolate);
        assert_int_equal(size_at(0), 10);
        assert_int_equal(size_at(Q32(0.25) - 1), 10);
        assert_int_equal(size_at(Q32(0.25)), 30); /* 10 to 30 is never drawn */
        assert_int_equal(size_at(Q32(0.5) - 65536), 39);
        assert_int_equal(size_at(Q32(0.5)), 40);
        assert_int_equal(size_at(UINT32_MAX), 40); /* nor 40 to 90 */
    }
}

static void a_drawn_size_is_at_least_one_byte(void **state)
{
    (void)state;
    parse("0,0\n0,0.5\n4,1\n", -1);
    assert_false(cdf.log_linear); /* there is no logarithm of 0 */
    assert_int_equal(size_at(0), 1);
    assert_int_equal(size_at(Q32(0.5)), 1);
    assert_int_equal(size_at(Q32(0.75)), 2);
    parse("1,0\n4,1\n", -1);
    assert_true(cdf.log_linear);
    assert_int_equal(size_at(Q32(0.5)), 2);
}

static void the_largest_sizes_do_not_overflow(void **state)
{
    (void)state;
    for (int interpolate = 0; interpolate <= 1; interpolate++) {
        parse("1,0\n1099511627776,1\n", interpolate);
        assert_int_equal(size_at(0), 1);
        assert_in_range(size_at(UINT32_MAX), (UINT64_C(1) << 40) - 30000, UINT64_C(1) << 40);
    }
    assert_int_equal(size_at(Q32(0.5)), 1u << 20);
    long double mean = 1000 * (ldexpl(1, 40) - 1) / (40 * logl(2));
    assert_true(fabsl((long double)cdf.mean_millibytes - mean) < mean * 1e-9L);
}

/* (hi - lo) / ln(hi / lo), from neighbours of one byte's distance to the widest pair. */
static void the_mean_of_a_log_linear_segment_is_good_to_a_millionth(void **state)
{
    static const uint64_t sizes[] = { 1,       2,        3,        50,       1442,     65536,
                                      9999999, 10000000, 10000001, 20000000, 20000002, 223092956 };
    enum { COUNT = sizeof(sizes) / sizeof(sizes[0]) };
    char text[128];
    (void)state;
    for (int i = 0; i < COUNT; i++)
        for (int j = i + 1; j < COUNT; j++) {
            (void)snprintf(text, sizeof(text), "%llu,0\n%llu,1\n", (unsigned long long)sizes[i],
                           (unsigned long long)sizes[j]);
            parse(text, 1);
            long double gap = (long double)(sizes[j] - sizes[i]);
            long double mean = 1000 * gap / log1pl(gap / (long double)sizes[i]);
            assert_true(fabsl((long double)cdf.mean_millibytes - mean) < mean * 1e-6L + 0.51L);
        }
}

static void a_fixed_size_is_always_that_size(void **state)
{
    (void)state;
    weir_cdf_free(&cdf);
    assert_int_equal(weir_cdf_fixed(&cdf, 1460, &err), 0);
    assert_int_equal(size_at(0), 1460);
    assert_int_equal(size_at(UINT32_MAX), 1460);
    assert_int_equal(cdf.mean_millibytes, 1460000);
    weir_cdf_free(&cdf);
    assert_int_equal(weir_cdf_fixed(&cdf, 0, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "bytes");
    assert_int_equal(weir_cdf_fixed(&cdf, WEIR_CDF_SIZE_MAX + 1, &err), WEIR_E_RANGE);
}

static void comments_blanks_and_exponents_are_read(void **state)
{
    (void)state;
    parse("# sizes of x\r\n\r\nsize, cdf\r\n 10 , 0 # least\r\n20,2.5e-1\r\n40,1.0", 0);
    assert_int_equal(cdf.count, 3);
    assert_int_equal(cdf.point[1].below_q32, UINT64_C(1) << 30);
}

struct refusal {
    const char *text, *key;
    uint32_t line, col;
    enum weir_err_code code;
    int interpolate;
};

static void each_error_is_refused_with_its_position(void **state)
{
    static const struct refusal refusals[] = {
        { "", "", 0, 0, WEIR_E_SYNTAX, -1 },
        { "# nothing\n\nsize_bytes,cdf\n", "", 0, 0, WEIR_E_SYNTAX, -1 },
        { "10,0\n9,1\n", "size", 2, 1, WEIR_E_RANGE, -1 },
        { "10,0\n20,0.6\n30,0.5\n40,1\n", "cdf", 3, 4, WEIR_E_RANGE, -1 },
        { "size,cdf\n10,0.1\n20,1\n", "cdf", 2, 4, WEIR_E_RANGE, -1 },
        { "10,0\n20,0.99\n\n\n", "cdf", 2, 4, WEIR_E_RANGE, -1 },
        { "10,0\n20,1.5\n", "cdf", 2, 4, WEIR_E_RANGE, -1 },
        { "10,0\n15,101\n20,100\n", "cdf", 2, 4, WEIR_E_RANGE, -1 },
        { "10,0\n20,100.5\n", "cdf", 2, 4, WEIR_E_RANGE, -1 },
        { "10 0\n20 1 7\n", "columns", 2, 1, WEIR_E_SYNTAX, -1 },
        { "10 0\n20 99\n", "cdf", 2, 4, WEIR_E_RANGE, -1 },
        { "10,0\n  x,1\n", "size", 2, 3, WEIR_E_SYNTAX, -1 },
        { "10,0\n2.5,1\n", "size", 2, 1, WEIR_E_SYNTAX, -1 },
        { "10,0\n20, one\n", "cdf", 2, 5, WEIR_E_SYNTAX, -1 },
        { "10,0\n20,\n", "cdf", 2, 4, WEIR_E_SYNTAX, -1 },
        { "10,0\nsize,cdf\n", "size", 2, 1, WEIR_E_SYNTAX, -1 },
        { "10,0\n20\n", "columns", 2, 1, WEIR_E_SYNTAX, -1 },
        { "10,0\n20,1,7\n", "columns", 2, 1, WEIR_E_SYNTAX, -1 },
        { "10,0\n1099511627777,1\n", "size", 2, 1, WEIR_E_RANGE, -1 },
        { "10,0\n99999999999999999999,1\n", "size", 2, 1, WEIR_E_RANGE, -1 },
        { "0,0\n0,1\n", "size", 2, 3, WEIR_E_RANGE, -1 },
        { "0,0\n10,1\n", "size", 0, 0, WEIR_E_CONFLICT, 1 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        const struct refusal *r = &refusals[i];
        assert_int_equal(weir_cdf_parse(&cdf, "t.csv", r->text, r->interpolate, &err), r->code);
        assert_refusal(&err, r->code, NULL, r->key);
        assert_string_equal(err.file, "t.csv");
        assert_int_equal(err.line, r->line);
        assert_int_equal(err.col, r->col);
        assert_null(cdf.point);
    }
}

static void too_many_points_are_refused_and_as_many_as_allowed_are_not(void **state)
{
    enum { ROW = 7 };
    size_t size = (size_t)(WEIR_CDF_POINTS_MAX + 2) * ROW;
    char *text = calloc(1, size), *at = text;
    (void)state;
    assert_non_null(text);
    for (uint32_t i = 0; i < WEIR_CDF_POINTS_MAX - 1; i++)
        at += snprintf(at, ROW, "%u,0\n", 1u);
    memcpy(at, "9,1\n", 5);
    parse(text, -1);
    assert_int_equal(cdf.count, WEIR_CDF_POINTS_MAX);
    assert_int_equal(cdf.point[0].bytes, 1);
    weir_cdf_free(&cdf);
    memcpy(at + 4, "9,1\n", 5);
    assert_int_equal(weir_cdf_parse(&cdf, "t.csv", text, -1, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "t.csv:65537:1", "points");
    assert_int_equal(err.line, WEIR_CDF_POINTS_MAX + 1);
    free(text);
}

static void files_are_loaded_and_missing_ones_refused(void **state)
{
    (void)state;
    weir_cdf_free(&cdf);
    assert_int_equal(weir_cdf_load(&cdf, "data/workloads/websearch_dctcp.csv", -1, &err), 0);
    assert_int_equal(cdf.count, 12);
    assert_false(cdf.log_linear);
    weir_cdf_free(&cdf);
    assert_int_equal(weir_cdf_load(&cdf, "data/workloads/none.csv", -1, &err), WEIR_E_FILE);
    assert_string_equal(err.file, "data/workloads/none.csv");
    assert_refusal(&err, WEIR_E_FILE, "data/workloads/none.csv", "data/workloads/none.csv");
    assert_int_equal(weir_cdf_load(&cdf, "/dev/null", -1, &err), WEIR_E_FILE); /* no regular file */
    assert_refusal(&err, WEIR_E_FILE, "/dev/null", "/dev/null");
    FILE *empty = tmpfile();
    assert_non_null(empty);
    assert_int_equal(dup2(fileno(empty), 99), 99); /* a name that is the same in every run */
    assert_int_equal(weir_cdf_load(&cdf, "/proc/self/fd/99", -1, &err), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "/proc/self/fd/99", "");
    (void)close(99);
    (void)fclose(empty);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(linear_samples_are_those_computed_by_hand, teardown),
        cmocka_unit_test_teardown(percent_and_blanks_are_another_way_to_write_it, teardown),
        cmocka_unit_test_teardown(log_linear_samples_are_those_computed_by_hand, teardown),
        cmocka_unit_test_teardown(repeated_sizes_are_point_masses_and_repeated_cdfs_gaps, teardown),
        cmocka_unit_test_teardown(a_drawn_size_is_at_least_one_byte, teardown),
        cmocka_unit_test_teardown(the_largest_sizes_do_not_overflow, teardown),
        cmocka_unit_test_teardown(the_mean_of_a_log_linear_segment_is_good_to_a_millionth, teardown),
        cmocka_unit_test_teardown(a_fixed_size_is_always_that_size, teardown),
        cmocka_unit_test_teardown(comments_blanks_and_exponents_are_read, teardown),
        cmocka_unit_test_teardown(each_error_is_refused_with_its_position, teardown),
        cmocka_unit_test_teardown(too_many_points_are_refused_and_as_many_as_allowed_are_not, teardown),
        cmocka_unit_test_teardown(files_are_loaded_and_missing_ones_refused, teardown),
    };
    return cmocka_run_group_tests_name("workload/cdf", tests, NULL, NULL);
}
