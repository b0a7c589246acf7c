/* test/unit/trace/test_labels.c - labels are found again, also among many, and not after they are cleared. */
#include "test/unit/weir_test.h"
#include "trace/labels.h"
#include <stdio.h>
#include <string.h>

enum { COUNT = 5000 };
static char text[COUNT][8];

static uint32_t text_of(uint32_t i)
{
    return (uint32_t)snprintf(text[i], sizeof(text[i]), "l%u", i);
}

static void labels_are_found_until_they_are_cleared(void **state)
{
    struct trace_labels labels = { .room = 0 };
    (void)state;
    assert_null(weir_trace_label_find(&labels, "l0", 2));
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            struct trace_label label = { .text = text[i], .length = text_of(i), .node = i + round, .line = 7 * i };
            assert_null(weir_trace_label_find(&labels, text[i], label.length));
            assert_true(weir_trace_label_add(&labels, &label));
        }
        for (uint32_t i = 0; i < COUNT; i++) {
            const struct trace_label *label = weir_trace_label_find(&labels, text[i], (uint32_t)strlen(text[i]));
            assert_non_null(label);
            assert_int_equal(label->node, i + round);
            assert_int_equal(label->line, 7 * i);
        }
        assert_null(weir_trace_label_find(&labels, "l", 1));      /* a beginning of others */
        assert_null(weir_trace_label_find(&labels, "l10000", 6)); /* others begin so */
        weir_trace_labels_clear(&labels);
        assert_null(weir_trace_label_find(&labels, "l0", 2));
    }
    weir_trace_labels_free(&labels);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(labels_are_found_until_they_are_cleared) };
    return cmocka_run_group_tests_name("trace/labels", tests, NULL, NULL);
}
