/* test/unit/workload/flow_file.h - item 0 as a flow list of a given text, in an unnamed file that /dev/fd knows. */
#ifndef WEIR_TEST_FLOW_FILE_H
#define WEIR_TEST_FLOW_FILE_H
#include "test/unit/workload/workload_fixture.h"

static FILE *flow_file;

static inline int flow_file_close(void **state)
{
    if (flow_file != NULL)
        (void)fclose(flow_file);
    flow_file = NULL;
    return fix_teardown(state);
}

static inline void flow_file_set(const char *text)
{
    if (flow_file != NULL)
        (void)fclose(flow_file);
    flow_file = tmpfile();
    assert_non_null(flow_file);
    assert_true(fputs(text, flow_file) >= 0);
    assert_int_equal(fflush(flow_file), 0);
    fix_items = 1;
    fix_item[0] = FLOWS(.load_ppm = 0);
    fix_limits.base_dir = "/dev/fd";
    (void)snprintf(fix_item[0].file, sizeof(fix_item[0].file), "%d", fileno(flow_file));
}

struct flow_refusal {
    const char *text, *key;
    uint32_t line, col;
    enum weir_err_code code;
};

/* Each text is refused with its code, at its position in the file. */
static inline void flow_file_refuse(const struct flow_refusal *r, uint32_t count, uint32_t start_unit)
{
    for (uint32_t i = 0; i < count; i++) {
        flow_file_set(r[i].text);
        fix_item[0].start_unit = start_unit;
        int got = fix_try();
        assert_refusal(&fix_err, r[i].code, NULL, r[i].key);
        assert_int_equal(got, r[i].code);
        assert_string_equal(fix_err.file, fix_item[0].file);
        if (fix_err.line != r[i].line || fix_err.col != r[i].col)
            fail_msg("'%s': %u:%u, not %u:%u", r[i].text, fix_err.line, fix_err.col, r[i].line, r[i].col);
        assert_null(fix_wl.listed);
    }
}
#endif
