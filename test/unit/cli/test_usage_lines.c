/* test/unit/cli/test_usage_lines.c - what a line of a usage is, and which options its head has. */
#include "test/unit/weir_test.h"
#include "cli/usage.h"
#include <string.h>

static struct weir_usage_line line;

static void assert_text(const char *text, int length, const char *wanted)
{
    assert_int_equal(length, strlen(wanted));
    assert_memory_equal(text, wanted, strlen(wanted));
}

static void a_line_is_what_its_begin_says(void **state)
{
    static const char more[] = "options:\n"
                               "  --cc 'sird KEY=..'    keys as in: --cc 'sird B=1KB'\n"
                               "                        and more\n"
                               "  0 done\n"
                               "\n"
                               "  --long-alone\n"
                               "end";
    static const struct {
        enum weir_usage_kind kind;
        const char *head, *text;
    } wanted[] = {
        { WEIR_USAGE_TEXT, "", "options:" },
        { WEIR_USAGE_OPTION, "--cc 'sird KEY=..'", "keys as in: --cc 'sird B=1KB'" },
        { WEIR_USAGE_GOES_ON, "", "and more" },
        { WEIR_USAGE_AS_IS, "", "0 done" },
        { WEIR_USAGE_BLANK, "", "" },
        { WEIR_USAGE_OPTION, "--long-alone", "" },
        { WEIR_USAGE_TEXT, "", "end" },
    };
    const char *at = more;
    (void)state;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        at = weir_usage_next(at, &line);
        assert_non_null(at);
        assert_int_equal(line.kind, wanted[i].kind);
        assert_text(line.head, line.head_length, wanted[i].head);
        assert_text(line.text, line.text_length, wanted[i].text);
    }
    assert_null(weir_usage_next(at, &line));
}

static void a_head_may_have_two_options_and_values_with_commas(void **state)
{
    static const char two[] = "--driver D, --device NAME", commas[] = "--point N,N-N,..", flag[] = "--json";
    struct weir_usage_option option;
    int used;
    (void)state;
    used = weir_usage_option(two, (int)strlen(two), &option);
    assert_text(option.name, option.name_length, "--driver");
    assert_text(option.value, option.value_length, "D");
    assert_int_equal(weir_usage_option(two + used, (int)strlen(two) - used, &option), (int)strlen(two) - used);
    assert_text(option.name, option.name_length, "--device");
    assert_text(option.value, option.value_length, "NAME");
    assert_int_equal(weir_usage_option(commas, (int)strlen(commas), &option), (int)strlen(commas));
    assert_text(option.value, option.value_length, "N,N-N,..");
    assert_int_equal(weir_usage_option(flag, (int)strlen(flag), &option), (int)strlen(flag));
    assert_text(option.name, option.name_length, "--json");
    assert_int_equal(option.value_length, 0);
    assert_int_equal(weir_usage_option(flag, 0, &option), 0);
}

/* A manual and a completion drop what they cannot read; a usage may have nothing of that kind. */
static void every_option_of_every_usage_is_read_whole(void **state)
{
    struct weir_usage_option option;
    const struct weir_usage *usage;
    (void)state;
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL; i++) {
        assert_ptr_equal(weir_usage_find(usage->name), usage);
        enum weir_usage_kind before = WEIR_USAGE_BLANK;
        for (const char *at = usage->more; (at = weir_usage_next(at, &line)) != NULL; before = line.kind) {
            int from = 0, used;
            if (line.kind == WEIR_USAGE_GOES_ON)
                assert_true(before == WEIR_USAGE_OPTION || before == WEIR_USAGE_GOES_ON);
            if (line.kind != WEIR_USAGE_OPTION)
                continue;
            assert_true(line.text_length > 0);
            while ((used = weir_usage_option(line.head + from, line.head_length - from, &option)) > 0) {
                assert_int_equal(option.name[0], '-');
                from += used;
            }
            assert_int_equal(from, line.head_length);
        }
    }
    assert_null(weir_usage_find("rnu"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_what_its_begin_says),
        cmocka_unit_test(a_head_may_have_two_options_and_values_with_commas),
        cmocka_unit_test(every_option_of_every_usage_is_read_whole),
    };
    return cmocka_run_group_tests_name("cli/usage_lines", tests, NULL, NULL);
}
