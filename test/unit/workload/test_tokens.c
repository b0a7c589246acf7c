/* test/unit/workload/test_tokens.c - tokens and rows separated by blanks, and their positions. */
#include "test/unit/refusal.h"
#include "workload/tokens.h"
#include <string.h>

static void rows_keep_their_line_and_columns(void **state)
{
    struct weir_tokens tokens = weir_tokens_of("f", "\xEF\xBB\xBF# head\r\n\n  a\tbb \r\n#x\n c #d e\n1#2");
    struct weir_tokens_row row;
    (void)state;
    assert_true(weir_tokens_row(&tokens, &row));
    assert_int_equal(row.line, 3);
    assert_int_equal(row.count, 2);
    assert_int_equal(row.field[0].col, 3);
    assert_int_equal(row.field[1].col, 5);
    assert_int_equal(row.field[1].length, 2); /* the carriage return is none of it */
    assert_true(weir_tokens_row(&tokens, &row));
    assert_int_equal(row.line, 5);
    assert_int_equal(row.count, 1);
    assert_true(weir_tokens_row(&tokens, &row));
    assert_int_equal(row.field[0].length, 3); /* within a token '#' is a letter like others */
    assert_false(weir_tokens_row(&tokens, &row));
    assert_int_equal(weir_tokens_row_tok("f", &row, 3).col, 1);
}

static void tokens_may_be_taken_one_by_one_and_then_the_rest_of_the_line(void **state)
{
    struct weir_tokens tokens = weir_tokens_of("f", "1 2\n3 4 5\n");
    struct weir_text_token token;
    struct weir_tokens_row row;
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_true(weir_tokens_next(&tokens, &token));
    assert_int_equal(token.line, 2);
    assert_int_equal(weir_token_tok("f", &token).col, 1);
    assert_true(weir_tokens_row(&tokens, &row));
    assert_int_equal(row.count, 2);
    assert_int_equal(row.line, 2);
    assert_false(weir_tokens_next(&tokens, &token));
}

static void tokens_beyond_the_room_are_counted(void **state)
{
    char text[] = "7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 7 ";
    struct weir_tokens tokens;
    struct weir_tokens_row row;
    (void)state;
    tokens = weir_tokens_of("f", text);
    assert_true(weir_tokens_row(&tokens, &row));
    assert_int_equal(row.count, 30);
}

static struct weir_field field(const char *text)
{
    return (struct weir_field){ .text = text, .length = (uint32_t)strlen(text), .col = 9 };
}

static void tokens_are_compared_whole(void **state)
{
    struct weir_field f = field("Tier");
    (void)state;
    assert_true(weir_token_is(&f, "Tier"));
    assert_false(weir_token_is(&f, "Tiers"));
    assert_false(weir_token_is(&f, "tier"));
    assert_true(weir_token_is_folded(&f, "tier"));
    assert_false(weir_token_is_folded(&f, "tie"));
}

static void numbers_are_digits_within_a_limit(void **state)
{
    static const struct weir_tok where = { .file = "f", .line = 2, .col = 9 };
    struct weir_err err;
    uint64_t value;
    struct weir_field good = field("12"), big = field("13"), bad = field("-1"), huge = field("99999999999999999999");
    (void)state;
    assert_int_equal(weir_token_u64(&good, &where, "n", 12, &value, &err), 0);
    assert_int_equal(value, 12);
    (void)weir_token_u64(&big, &where, "n", 12, &value, &err);
    assert_refusal(&err, WEIR_E_RANGE, "f:2:9", "n");
    (void)weir_token_u64(&bad, &where, "n", 12, &value, &err);
    assert_refusal(&err, WEIR_E_SYNTAX, "f:2:9", "n");
    (void)weir_token_u64(&huge, &where, "n", UINT64_MAX, &value, &err);
    assert_refusal(&err, WEIR_E_RANGE, "f:2:9", "n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_keep_their_line_and_columns),
        cmocka_unit_test(tokens_may_be_taken_one_by_one_and_then_the_rest_of_the_line),
        cmocka_unit_test(tokens_beyond_the_room_are_counted),
        cmocka_unit_test(tokens_are_compared_whole),
        cmocka_unit_test(numbers_are_digits_within_a_limit),
    };
    return cmocka_run_group_tests_name("workload/tokens", tests, NULL, NULL);
}
