/* test/unit/endpoint/test_head.c - the 16 bytes in front of every message. */
#include "test/unit/weir_test.h"
#include "test/unit/endpoint/internals.h"
#include <string.h>

static uint8_t kind;
static uint32_t result;
static uint64_t rpc;

static void header_bytes_match_the_wire_format(void **state)
{
    static const unsigned char bytes[16] = { 3, 0, 0, 0, 0, 0, 0, 110, 1, 2, 3, 4, 5, 6, 7, 8 };
    unsigned char out[16];
    (void)state;
    ep_head_write(out, EP_REPLY, 110, UINT64_C(0x0102030405060708));
    assert_memory_equal(out, bytes, 16);
    assert_true(ep_head_read(bytes, &kind, &result, &rpc));
    assert_int_equal(kind, EP_REPLY);
    assert_int_equal(result, 110);
    assert_true(rpc == UINT64_C(0x0102030405060708));
}

static void invalid_headers_are_refused(void **state)
{
    static const struct {
        uint8_t at, value;
    } wrong[] = { { 0, 0 }, { 0, 5 }, { 1, 1 }, { 2, 1 }, { 3, 1 }, { 4, 1 }, { 7, 1 } };
    unsigned char good[16], bad[16];
    (void)state;
    ep_head_write(good, EP_CALL, 0, 77);
    assert_true(ep_head_read(good, &kind, &result, &rpc));
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        memcpy(bad, good, 16);
        bad[wrong[i].at] = wrong[i].value;
        assert_false(ep_head_read(bad, &kind, &result, &rpc));
    }
    ep_head_write(bad, EP_SEND, 0, 77); /* a one-way message has no rpc */
    assert_false(ep_head_read(bad, &kind, &result, &rpc));
    ep_head_write(bad, EP_REPLY, 4096, 77); /* no result is that large */
    assert_false(ep_head_read(bad, &kind, &result, &rpc));
}

/* As in releases before weir_reply_error(): so they pass its results on. */
static void results_of_replies_are_0_to_4095(void **state)
{
    static const uint32_t results[] = { 0, 1, WEIR_APP_ERROR, WEIR_APP_ERROR + WEIR_APP_ERROR_MAX };
    unsigned char bytes[16];
    (void)state;
    for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
        ep_head_write(bytes, EP_REPLY, results[i], 77);
        assert_true(ep_head_read(bytes, &kind, &result, &rpc));
        assert_int_equal(result, results[i]);
    }
    ep_head_write(bytes, EP_REPLY, WEIR_APP_ERROR + WEIR_APP_ERROR_MAX + 1, 77);
    assert_false(ep_head_read(bytes, &kind, &result, &rpc));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_bytes_match_the_wire_format),
        cmocka_unit_test(invalid_headers_are_refused),
        cmocka_unit_test(results_of_replies_are_0_to_4095),
    };
    return cmocka_run_group_tests_name("endpoint/head", tests, NULL, NULL);
}
