/* test/unit/core/test_utf8.c - the edges of each row of RFC 3629's table. */
#include "test/unit/weir_test.h"
#include "core/utf8.h"

static size_t length(const char *text)
{
    return weir_utf8_length((const unsigned char *)text);
}

static void valid_sequences_have_their_length(void **state)
{
    (void)state;
    assert_int_equal(length(""), 1);
    assert_int_equal(length("\x7f"), 1);
    assert_int_equal(length("\xc2\x80"), 2);
    assert_int_equal(length("\xdf\xbf"), 2);
    assert_int_equal(length("\xe0\xa0\x80"), 3);
    assert_int_equal(length("\xed\x9f\xbf"), 3);
    assert_int_equal(length("\xef\xbf\xbf"), 3);
    assert_int_equal(length("\xf0\x90\x80\x80"), 4);
    assert_int_equal(length("\xf4\x8f\xbf\xbf"), 4);
}

static void invalid_sequences_have_length_0(void **state)
{
    static const char *const none[] = {
        "\x80",
        "\xbf",
        "\xc2",
        "\xc2\x41",
        "\xe2\x82",
        "\xf0\x9f\x98", /* cut, stray */
        "\xc1\xbf",
        "\xe0\x9f\xbf",
        "\xf0\x8f\xbf\xbf", /* overlong */
        "\xed\xa0\x80",
        "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80",
        "\xff", /* a surrogate, beyond the end */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        assert_int_equal(length(none[i]), 0);
}

static void a_mark_at_the_begin_is_skipped_once(void **state)
{
    static const char marked[] = "\xEF\xBB\xBF"
                                 "a",
                      twice[] = "\xEF\xBB\xBF\xEF\xBB\xBF", cut[] = "\xEF\xBB", inside[] = "a\xEF\xBB\xBF";
    (void)state;
    assert_ptr_equal(weir_utf8_text(marked), marked + 3);
    assert_ptr_equal(weir_utf8_text(twice), twice + 3);
    assert_ptr_equal(weir_utf8_text(cut), cut);
    assert_ptr_equal(weir_utf8_text(inside), inside);
    assert_string_equal(weir_utf8_text(""), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(valid_sequences_have_their_length),
        cmocka_unit_test(invalid_sequences_have_length_0),
        cmocka_unit_test(a_mark_at_the_begin_is_skipped_once),
    };
    return cmocka_run_group_tests_name("core/utf8", tests, NULL, NULL);
}
