/* test/unit/live/test_live.c - what weir serve, ping and load share, as far as it needs no network. */
#include "test/unit/refusal.h"
#include "live/live.h"
#include "core/units.h"
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

static struct weir_err err;

static void a_call_asks_for_its_reply_and_nothing_else_looks_like_it(void **state)
{
    unsigned char call[16] = { 0 };
    uint32_t bytes = 7;
    (void)state;
    assert_false(weir_live_asks(call, sizeof(call), &bytes));
    weir_live_ask(call, 0x01020304);
    assert_int_equal(call[4], 1);
    assert_int_equal(call[7], 4);
    assert_true(weir_live_asks(call, sizeof(call), &bytes));
    assert_int_equal(bytes, 0x01020304);
    assert_true(weir_live_asks(call, WEIR_LIVE_ASK_BYTES, &bytes));
    assert_false(weir_live_asks(call, WEIR_LIVE_ASK_BYTES - 1, &bytes));
    call[0] ^= 1;
    assert_false(weir_live_asks(call, sizeof(call), &bytes));
}

static void the_line_says_what_flows_and_what_is_held(void **state)
{
    const struct weir_stats stats = { .rx_bytes_held = 1500000,
                                      .tx_bytes_held = 500000,
                                      .credit_outstanding_bytes = 324000 };
    char text[WEIR_PROGRESS_WIDTH + 1];
    (void)state;
    weir_live_text(text, sizeof(text), 12000000000, 34567, 4970000000, &stats);
    assert_string_equal(text, "12 s  34,567 messages/s  4.970 Gbps  2.00 MB held  324 KB credit out");
}

static void rates_are_per_second(void **state)
{
    (void)state;
    assert_int_equal(weir_live_per_s(10, 2000000000), 5);
    assert_int_equal(weir_live_per_s(UINT64_C(1) << 40, 1000000000), UINT64_C(1) << 40);
}

static void addresses_need_a_port(void **state)
{
    struct sockaddr_storage addr;
    socklen_t len;
    char text[64];
    (void)state;
    assert_int_equal(weir_live_address("127.0.0.1:7000", &addr, &len, &err), 0);
    assert_int_equal(len, sizeof(struct sockaddr_in));
    assert_int_equal(ntohs(((struct sockaddr_in *)&addr)->sin_port), 7000);
    weir_live_address_text((struct sockaddr *)&addr, len, text, sizeof(text));
    assert_string_equal(text, "127.0.0.1:7000");
    assert_int_equal(weir_live_address("127.0.0.1", &addr, &len, &err), WEIR_E_SYNTAX);
    assert_refusal(&err, WEIR_E_SYNTAX, "", "127.0.0.1");
    assert_int_equal(weir_live_address(":7000", &addr, &len, &err), WEIR_E_SYNTAX);
    assert_int_equal(weir_live_address("host:", &addr, &len, &err), WEIR_E_SYNTAX);
    for (size_t i = 0; i < 3; i++) { /* 82967 is 17431 modulo 2^16 */
        static const char *const text_of[] = { "127.0.0.1:0", "127.0.0.1:82967", "127.0.0.1:7000x" };
        assert_int_equal(weir_live_address(text_of[i], &addr, &len, &err), WEIR_E_RANGE);
        assert_refusal(&err, WEIR_E_RANGE, "", "port");
    }
    assert_int_equal(weir_live_address("127.0.0.1:65535", &addr, &len, &err), 0);
    assert_int_equal(weir_live_address("0.0.0.0:7000", &addr, &len, &err), WEIR_E_RANGE);
    assert_refusal(&err, WEIR_E_RANGE, "", "0.0.0.0:7000");
    assert_int_equal(weir_live_address("[::]:7000", &addr, &len, &err), WEIR_E_RANGE);
}

static void what_a_word_of_the_peer_means_depends_on_the_transport(void **state)
{
    const struct weir_live_args keyless = { 0 }, keyed = { .key = "keys" };
    struct weir_live sird = { .transport = &weir_live_weir, .args = &keyless };
    struct weir_live tcp = { .transport = &weir_live_tcp, .args = &keyless };
    (void)state;
    assert_string_equal(weir_live_why(&sird, -EPROTO), weir_strerror(-EPROTO));
    (void)snprintf(sird.trouble, sizeof(sird.trouble), "both numbers");
    assert_string_equal(weir_live_why(&sird, -EPROTO), "both numbers");
    assert_string_equal(weir_live_why(&sird, -ETIMEDOUT), weir_strerror(-ETIMEDOUT));
    sird.args = &keyed; /* then it may have another key */
    assert_string_equal(weir_live_why(&sird, -ETIMEDOUT), "both numbers");
    assert_string_equal(weir_live_why(&tcp, -EPROTO), "what answers there is no weir serve --transport tcp");
    assert_string_equal(weir_live_why(&tcp, -EHOSTUNREACH), weir_strerror(-EHOSTUNREACH));
}

static void options_of_the_other_transport_are_refused(void **state)
{
    struct weir_live_args args = { .transport = WEIR_LIVE_TCP, .cc = "sird" };
    (void)state;
    assert_int_equal(weir_live_args_check(&args, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "--cc");
    args = (struct weir_live_args){ .transport = WEIR_LIVE_WEIR, .tcp_cc = "bbr" };
    assert_int_equal(weir_live_args_check(&args, &err), WEIR_E_CONFLICT);
    assert_refusal(&err, WEIR_E_CONFLICT, "", "--tcp-cc");
    args = (struct weir_live_args){ .every_ps = WEIR_PS_PER_MS };
    assert_int_equal(weir_live_args_check(&args, &err), WEIR_E_CONFLICT);
    args.series = "x.csv";
    assert_int_equal(weir_live_args_check(&args, &err), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_call_asks_for_its_reply_and_nothing_else_looks_like_it),
        cmocka_unit_test(the_line_says_what_flows_and_what_is_held),
        cmocka_unit_test(rates_are_per_second),
        cmocka_unit_test(addresses_need_a_port),
        cmocka_unit_test(what_a_word_of_the_peer_means_depends_on_the_transport),
        cmocka_unit_test(options_of_the_other_transport_are_refused),
    };
    return cmocka_run_group_tests_name("live/live", tests, NULL, NULL);
}
