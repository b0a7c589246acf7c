/* test/unit/workload/test_text.c - files, rows with comments and blanks, numbers with and without units. */
#include "test/unit/refusal.h"
#include "workload/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct weir_field field(const char *text)
{
    return (struct weir_field){ .text = text, .length = (uint32_t)strlen(text), .col = 1 };
}

static void rows_skip_comments_and_blank_lines_and_keep_their_position(void **state)
{
    struct weir_csv csv = weir_csv_of("f.csv", "\xEF\xBB\xBF# head\n\n  a , b\r\n1,2 # why\n  ,\n 3");
    (void)state;
    assert_true(weir_csv_next(&csv));
    assert_int_equal(csv.line, 3);
    assert_int_equal(csv.field_count, 2);
    assert_int_equal(csv.field[0].col, 3);
    assert_int_equal(csv.field[0].length, 1);
    assert_int_equal(csv.field[1].col, 7);
    assert_int_equal(csv.field[1].length, 1); /* the carriage return belongs to the end of the line */
    assert_true(weir_csv_is_header(&csv));
    assert_true(weir_csv_next(&csv));
    assert_int_equal(csv.line, 4);
    assert_int_equal(csv.field[1].length, 1);
    assert_false(weir_csv_is_header(&csv));
    assert_true(weir_csv_next(&csv));
    assert_int_equal(csv.field_count, 2); /* two empty fields are a row, and somebody will complain about it */
    assert_false(weir_csv_is_header(&csv));
    assert_true(weir_csv_next(&csv));
    assert_int_equal(csv.line, 6);
    struct weir_tok tok = weir_csv_tok(&csv, 0);
    assert_string_equal(tok.file, "f.csv");
    assert_int_equal(tok.line, 6);
    assert_int_equal(tok.col, 2);
    assert_false(weir_csv_next(&csv));
    assert_false(weir_csv_next(&csv));
}

static void a_row_without_a_comma_is_split_at_blanks(void **state)
{
    struct weir_csv csv = weir_csv_of("f", "  ab  7\t x # why\n1, 2 3\n1 2 3 4 5 6 7 8 9\n5");
    (void)state;
    assert_true(weir_csv_next(&csv));
    weir_csv_split(&csv);
    assert_int_equal(csv.field_count, 3);
    assert_memory_equal(csv.field[0].text, "ab", 2);
    assert_int_equal(csv.field[0].length, 2);
    assert_int_equal(csv.field[0].col, 3);
    assert_int_equal(csv.field[1].col, 7);
    assert_int_equal(csv.field[2].length, 1);
    assert_true(weir_csv_next(&csv));
    weir_csv_split(&csv); /* has a comma: blanks within a field stay */
    assert_int_equal(csv.field_count, 2);
    assert_int_equal(csv.field[1].length, 3);
    assert_true(weir_csv_next(&csv));
    weir_csv_split(&csv);
    assert_int_equal(csv.field_count, 9); /* more than are kept */
    assert_true(weir_csv_next(&csv));
    weir_csv_split(&csv);
    assert_int_equal(csv.field_count, 1);
}

static void files_that_are_no_text_are_read_as_bytes(void **state)
{
    char name[] = "/tmp/weir_text_XXXXXX", *bytes = NULL;
    struct weir_err err;
    size_t size = 0;
    int fd = mkstemp(name);
    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "a\0b", 3), 3);
    assert_int_equal(close(fd), 0);
    assert_true(weir_text_exists(name, NULL));
    assert_int_equal(weir_text_bytes(name, NULL, &bytes, &size, &err), 0);
    assert_int_equal(size, 3);
    assert_memory_equal(bytes, "a\0b", 4); /* and a byte 0 behind it */
    free(bytes);
    assert_int_equal(unlink(name), 0);
    assert_false(weir_text_exists(name, NULL));
    assert_int_equal(weir_text_bytes(name, NULL, &bytes, &size, &err), WEIR_E_FILE);
    assert_null(bytes);
}

static void a_row_of_too_many_fields_is_counted_but_not_kept(void **state)
{
    struct weir_csv csv = weir_csv_of("f.csv", "1,2,3,4,5,6,7,8,9,10");
    (void)state;
    assert_true(weir_csv_next(&csv));
    assert_int_equal(csv.field_count, 10);
    assert_int_equal(*csv.field[7].text, '8');
}

static void whole_numbers_are_digits_that_fit_64_bits(void **state)
{
    static const char *const bad[] = { "", "-1", "+1", "1.0", "1 ", "x", "0x10", "1e3" };
    struct weir_field f = field("18446744073709551615");
    uint64_t value = 0;
    (void)state;
    assert_int_equal(weir_text_u64(&f, &value), WEIR_TEXT_OK);
    assert_int_equal(value, UINT64_MAX);
    f = field("18446744073709551616");
    assert_int_equal(weir_text_u64(&f, &value), WEIR_TEXT_BIG);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        f = field(bad[i]);
        assert_int_equal(weir_text_u64(&f, &value), WEIR_TEXT_BAD);
    }
}

struct quantity {
    const char *text;
    enum weir_text_status status;
    uint64_t value;
};

static void check_quantities(const struct quantity *q, size_t count, const struct weir_text_unit *units)
{
    for (size_t i = 0; i < count; i++) {
        struct weir_field f = field(q[i].text);
        uint64_t value = 0;
        assert_int_equal(weir_text_quantity(&f, units, &value), q[i].status);
        assert_int_equal(value, q[i].value);
    }
}

static void times_are_exact_or_refused(void **state)
{
    static const struct weir_text_unit units[] = { { "ps", 1 },          { "ns", 1000 },         { "us", 1000000 },
                                                   { "ms", 1000000000 }, { "s", 1000000000000 }, { NULL, 0 } };
    static const struct quantity times[] = {
        { "12 us", WEIR_TEXT_OK, 12000000 },
        { "3.5ms", WEIR_TEXT_OK, 3500000000 },
        { "250", WEIR_TEXT_UNIT, 0 },
        { "0.000000000000000000000000 s", WEIR_TEXT_OK, 0 },
        { "0.000000000001 s", WEIR_TEXT_OK, 1 },
        { ".5 ns", WEIR_TEXT_OK, 500 },
        { "1.000000000000 s", WEIR_TEXT_OK, 1000000000000 },
        { "18446744 s", WEIR_TEXT_OK, UINT64_C(18446744000000000000) },
        { "18446745 s", WEIR_TEXT_BIG, 0 },
        { "99999999999999999999999 ps", WEIR_TEXT_BIG, 0 },
        { "0.5 ps", WEIR_TEXT_FINE, 0 },
        { "0.0000000000001 s", WEIR_TEXT_FINE, 0 },
        { "0.00000000000000000000000001 s", WEIR_TEXT_FINE, 0 },
        { "1.0000000000000000001 ms", WEIR_TEXT_FINE, 0 },
        { "1 hour", WEIR_TEXT_UNIT, 0 },
        { "1 US", WEIR_TEXT_UNIT, 0 },
        { "1.2.3 us", WEIR_TEXT_UNIT, 0 },
        { "us", WEIR_TEXT_BAD, 0 },
        { "", WEIR_TEXT_BAD, 0 },
        { ".", WEIR_TEXT_BAD, 0 },
        { "-1 us", WEIR_TEXT_BAD, 0 },
    };
    (void)state;
    check_quantities(times, sizeof(times) / sizeof(times[0]), units);
}

static void sizes_know_thousands_from_1024s(void **state)
{
    static const struct quantity sizes[] = {
        { "1460", WEIR_TEXT_OK, 1460 },
        { "1460 B", WEIR_TEXT_OK, 1460 },
        { "500 KB", WEIR_TEXT_OK, 500000 },
        { "64KiB", WEIR_TEXT_OK, 65536 },
        { "1.5 MB", WEIR_TEXT_OK, 1500000 },
        { "2 GiB", WEIR_TEXT_OK, UINT64_C(1) << 31 },
        { "1 TiB", WEIR_TEXT_OK, UINT64_C(1) << 40 },
        { "1.0001 KB", WEIR_TEXT_FINE, 0 },
        { "3 us", WEIR_TEXT_UNIT, 0 },
    };
    (void)state;
    check_quantities(sizes, sizeof(sizes) / sizeof(sizes[0]), weir_text_size_units);
}

static void fractions_are_rounded_to_nearest(void **state)
{
    static const struct quantity fractions[] = {
        { "0", WEIR_TEXT_OK, 0 },
        { "1", WEIR_TEXT_OK, UINT64_C(1) << 32 },
        { "1.000", WEIR_TEXT_OK, UINT64_C(1) << 32 },
        { "0.5", WEIR_TEXT_OK, UINT64_C(1) << 31 },
        { "0.1", WEIR_TEXT_OK, 429496730 },  /* 429496729.6 */
        { "0.15", WEIR_TEXT_OK, 644245094 }, /* 644245094.4 */
        { "9.5e-05", WEIR_TEXT_OK, 408022 }, /* 408021.9 */
        { "25E-2", WEIR_TEXT_OK, UINT64_C(1) << 30 },
        { "0.01e+2", WEIR_TEXT_OK, UINT64_C(1) << 32 },
        { "0e9", WEIR_TEXT_OK, 0 },
        { "1e-40", WEIR_TEXT_OK, 0 },
        { "0.0648826230027598", WEIR_TEXT_OK, 278668744 }, /* 278668743.9 */
        { "0.999999999999999999999999", WEIR_TEXT_OK, UINT64_C(1) << 32 },
        { "0.00000000000000000000000000000000001", WEIR_TEXT_OK, 0 },
        { "1.0001", WEIR_TEXT_BIG, 0 },
        { "25", WEIR_TEXT_BIG, 0 },
        { "1e1", WEIR_TEXT_BIG, 0 },
        { "99999999999999999999", WEIR_TEXT_BIG, 0 },
        { "-0.1", WEIR_TEXT_BAD, 0 },
        { "0.1x", WEIR_TEXT_BAD, 0 },
        { "1e", WEIR_TEXT_BAD, 0 },
        { "1e-x", WEIR_TEXT_BAD, 0 },
        { "1e99999", WEIR_TEXT_BAD, 0 },
        { "nan", WEIR_TEXT_BAD, 0 },
        { "", WEIR_TEXT_BAD, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(fractions) / sizeof(fractions[0]); i++) {
        struct weir_field f = field(fractions[i].text);
        uint64_t value = 0;
        assert_int_equal(weir_text_q32(&f, &value), fractions[i].status);
        assert_int_equal(value, fractions[i].value);
    }
}

static void weights_are_rounded_to_nearest(void **state)
{
    static const struct quantity weights[] = {
        { "1", WEIR_TEXT_OK, 1048576 },
        { "1.005", WEIR_TEXT_OK, 1053819 }, /* 1053818.88 */
        { "0.001", WEIR_TEXT_OK, 1049 },    /* 1048.576 */
        { "2.5", WEIR_TEXT_OK, 2621440 },
        { ".0000004768371583", WEIR_TEXT_OK, 1 },  /* 0.5000000001 */
        { "0.0000004768371582", WEIR_TEXT_OK, 0 }, /* 0.49999999999 */
        { "0.00000000000000000000000000000000001", WEIR_TEXT_OK, 0 },
        { "8796093022207", WEIR_TEXT_OK, (UINT64_C(1) << 63) - (1 << 20) },
        { "8796093022208", WEIR_TEXT_BIG, 0 }, /* 2^43 */
        { "99999999999999999999", WEIR_TEXT_BIG, 0 },
        { "1e3", WEIR_TEXT_BAD, 0 },
        { "-1", WEIR_TEXT_BAD, 0 },
        { "inf", WEIR_TEXT_BAD, 0 },
        { "", WEIR_TEXT_BAD, 0 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(weights) / sizeof(weights[0]); i++) {
        struct weir_field f = field(weights[i].text);
        uint64_t value = 0;
        assert_int_equal(weir_text_q20(&f, &value), weights[i].status);
        assert_int_equal(value, weights[i].value);
    }
}

static void each_refusal_has_a_message(void **state)
{
    (void)state;
    assert_string_equal(weir_text_error(WEIR_TEXT_BAD), "not a number");
    assert_string_equal(weir_text_error(WEIR_TEXT_UNIT), "the unit is missing or unknown");
    assert_string_equal(weir_text_error(WEIR_TEXT_FINE), "finer than the smallest unit");
    assert_string_equal(weir_text_error(WEIR_TEXT_BIG), "too large");
}

/* An unnamed file of this content; name gets "N", by which /dev/fd knows it. */
static FILE *unnamed_file(const char *content, size_t size, char name[16])
{
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(content, 1, size, file), size);
    assert_int_equal(fflush(file), 0);
    (void)snprintf(name, 16, "%d", fileno(file));
    return file;
}

static void files_are_read_whole_and_relative_to_the_folder_given(void **state)
{
    enum { SIZE = 200001 };
    char name[16], path[32], *text, *content = malloc(SIZE);
    struct weir_err err;
    (void)state;
    assert_non_null(content);
    memset(content, 'x', SIZE);
    FILE *file = unnamed_file(content, SIZE, name);
    assert_int_equal(weir_text_read(name, "/dev/fd", &text, &err), 0);
    assert_int_equal(strlen(text), SIZE);
    assert_memory_equal(text, content, SIZE);
    (void)fclose(file);
    free(content);
    free(text);
    file = unnamed_file("y", 1, name);
    (void)snprintf(path, sizeof(path), "/dev/fd/%s", name);
    assert_int_equal(weir_text_read(path, "data", &text, &err), 0); /* an absolute name stays what it is */
    assert_string_equal(text, "y");
    (void)fclose(file);
    free(text);
}

/* A pipe without a writer would block the opening, /dev/zero would fill the memory. */
static void only_regular_files_are_read(void **state)
{
    char folder[] = "/tmp/weir-text-XXXXXX", pipe_name[64], *text;
    const char *const refused[] = { pipe_name, folder, "/dev/zero", "/dev/null" };
    struct weir_err err;
    (void)state;
    assert_non_null(mkdtemp(folder));
    (void)snprintf(pipe_name, sizeof(pipe_name), "%s/pipe", folder);
    assert_int_equal(mkfifo(pipe_name, 0600), 0);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
        assert_int_equal(weir_text_read(refused[i], NULL, &text, &err), WEIR_E_FILE);
        assert_refusal(&err, WEIR_E_FILE, refused[i], refused[i]);
        assert_null(text);
    }
    assert_int_equal(unlink(pipe_name), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void files_that_are_not_text_are_refused(void **state)
{
    char name[16], *text;
    struct weir_err err;
    (void)state;
    FILE *file = unnamed_file("a\0b", 3, name);
    assert_int_equal(weir_text_read(name, "/dev/fd", &text, &err), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, NULL, "byte 0");
    assert_string_equal(err.file, name);
    assert_null(text);
    (void)fclose(file);
    assert_int_equal(weir_text_read("none.csv", "data/workloads", &text, &err), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE, "none.csv", "data/workloads/none.csv");
    assert_int_equal(weir_text_read("data/workloads", NULL, &text, &err), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE, "data/workloads", "data/workloads");
    assert_null(text);
}

static void a_path_longer_than_any_system_takes_is_refused(void **state)
{
    static char path[5000];
    char *text;
    struct weir_err err;
    (void)state;
    memset(path, 'p', sizeof(path) - 1);
    assert_int_equal(weir_text_read(path, NULL, &text, &err), WEIR_E_FILE);
    assert_refusal(&err, WEIR_E_FILE,
                   "ppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp"
                   "ppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppppp"
                   "ppppppppppppppppppppppppppppppppppppppppppppppppppppppppp",
                   "");
}

static void assert_scaled(const char *text, enum weir_text_status status, uint64_t value)
{
    struct weir_field f = field(text);
    uint64_t got = 0;
    assert_int_equal(weir_text_scaled(&f, UINT64_C(1000000000000), &got), status);
    assert_true(status != WEIR_TEXT_OK || got == value);
}

static void seconds_are_rounded_to_a_picosecond(void **state)
{
    (void)state;
    assert_scaled("0", WEIR_TEXT_OK, 0);
    assert_scaled("2", WEIR_TEXT_OK, 2000000000000);
    assert_scaled("2.000000001", WEIR_TEXT_OK, 2000000001000);
    assert_scaled("1e-05", WEIR_TEXT_OK, 10000000);
    assert_scaled("1.5E+3", WEIR_TEXT_OK, 1500000000000000);
    assert_scaled("0.0000000000014", WEIR_TEXT_OK, 1);
    assert_scaled("0.0000000000015", WEIR_TEXT_OK, 2);
    assert_scaled("1e-40", WEIR_TEXT_OK, 0);
    assert_scaled("0e9", WEIR_TEXT_OK, 0);
    assert_scaled("9223372.036854775807", WEIR_TEXT_OK, 9223372036854775800); /* from 18 digits */
    assert_scaled("9300000", WEIR_TEXT_BIG, 0);
    assert_scaled("1e7", WEIR_TEXT_BIG, 0);
    assert_scaled("1e400", WEIR_TEXT_BIG, 0);
    assert_scaled("99999999999999999999999", WEIR_TEXT_BIG, 0);
    assert_scaled("", WEIR_TEXT_BAD, 0);
    assert_scaled("-1", WEIR_TEXT_BAD, 0);
    assert_scaled("1 s", WEIR_TEXT_BAD, 0);
    assert_scaled("1e", WEIR_TEXT_BAD, 0);
    assert_scaled("inf", WEIR_TEXT_BAD, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_skip_comments_and_blank_lines_and_keep_their_position),
        cmocka_unit_test(a_row_without_a_comma_is_split_at_blanks),
        cmocka_unit_test(files_that_are_no_text_are_read_as_bytes),
        cmocka_unit_test(a_row_of_too_many_fields_is_counted_but_not_kept),
        cmocka_unit_test(whole_numbers_are_digits_that_fit_64_bits),
        cmocka_unit_test(times_are_exact_or_refused),
        cmocka_unit_test(sizes_know_thousands_from_1024s),
        cmocka_unit_test(fractions_are_rounded_to_nearest),
        cmocka_unit_test(weights_are_rounded_to_nearest),
        cmocka_unit_test(seconds_are_rounded_to_a_picosecond),
        cmocka_unit_test(each_refusal_has_a_message),
        cmocka_unit_test(files_are_read_whole_and_relative_to_the_folder_given),
        cmocka_unit_test(only_regular_files_are_read),
        cmocka_unit_test(files_that_are_not_text_are_refused),
        cmocka_unit_test(a_path_longer_than_any_system_takes_is_refused),
    };
    return cmocka_run_group_tests_name("workload/text", tests, NULL, NULL);
}
