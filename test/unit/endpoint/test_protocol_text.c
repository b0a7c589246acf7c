/* test/unit/endpoint/test_protocol_text.c - what two ends compare: the protocol's name and the keys that were set. */
#include "test/unit/weir_test.h"
#include "test/unit/endpoint/internals.h"
#include "test/unit/refusal.h"
#include "core/err.h"
#include "core/host_params.h"
#include "core/path.h"
#include "wire/wire.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct weir_path path = {
    .base_rtt_ps = 100000000, .rate_bps = UINT64_C(10000000000), .bdp_bytes = 125000, .mss_bytes = 1423
};

static const struct weir_framing framing = { 1423, 95, 20, 84, 135 };

static int any(const struct weir_protocol_reader *how, const struct weir_protocol *protocol, struct weir_err *err)
{
    (void)how, (void)protocol, (void)err;
    return 0;
}

static void *allocate(void *context, size_t bytes)
{
    (void)context;
    return calloc(1, bytes);
}

static int read(const char *text, char *said, size_t size, struct weir_err *err)
{
    const struct weir_protocol_reader how = { .label = "cc",
                                              .example = "sird",
                                              .preset = "udp",
                                              .path = &path,
                                              .framing = &framing,
                                              .check = any,
                                              .allocate = allocate,
                                              .said = said,
                                              .said_bytes = size };
    const struct weir_protocol *protocol = NULL;
    void *config = NULL;
    int code = weir_protocol_read(&how, text, &protocol, &config, err);
    free(config);
    return code;
}

static void what_was_set_is_said_in_the_order_of_the_table(void **state)
{
    static const struct {
        const char *text, *said;
    } cases[] = {
        { "sird preset=paper", "sird" },
        { "sird preset=paper SThr=40KB B=200000B", "sird B=200 KB SThr=40 KB" },
        { "  sird  B=1.5BDP   preset=paper", "sird B=1.5 BDP" },
        { "sird preset=paper priorities=unscheduled", "sird priorities=unscheduled" }, /* also if it is the default */
        { "sird preset=paper g=0.1 g=0.05", "sird g=0.05" },
        { "ndp", "ndp" },
    };
    char said[WEIR_WIRE_LAW_MAX + 1];
    struct weir_err err = { 0 };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        assert_int_equal(read(cases[i].text, said, sizeof(said), &err), 0);
        assert_string_equal(said, cases[i].said);
    }
}

/* Keys of a preset count as set: it has another name in other releases perhaps, and the same keys. */
static void the_keys_of_a_preset_are_said(void **state)
{
    char by_preset[WEIR_WIRE_LAW_MAX + 1], by_hand[WEIR_WIRE_LAW_MAX + 1];
    struct weir_err err = { 0 };
    (void)state;
    assert_int_equal(read("homa preset=paper", by_preset, sizeof(by_preset), &err), 0);
    assert_string_equal(by_preset, "homa boost_tail=1 BDP");
    assert_int_equal(read("homa preset=paper overcommit=4", by_hand, sizeof(by_hand), &err), 0);
    assert_string_equal(by_hand, "homa overcommit=4 boost_tail=1 BDP");
}

static void what_does_not_fit_is_refused(void **state)
{
    char said[25];
    struct weir_err err = { 0 };
    (void)state;
    assert_int_equal(read("sird preset=paper SThr=40KB B=200KB", said, sizeof(said), &err), 0);
    assert_string_equal(said, "sird B=200 KB SThr=40 KB");
    assert_int_equal(read("sird preset=paper SThr=40KB B=200KB", said, sizeof(said) - 1, &err), -EINVAL);
    assert_refusal(&err, WEIR_E_RANGE, "", "cc");
    assert_non_null(strstr(err.text, "take more than 23 bytes"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_set_is_said_in_the_order_of_the_table),
        cmocka_unit_test(the_keys_of_a_preset_are_said),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests_name("endpoint/protocol_text", tests, NULL, NULL);
}
