/* test/unit/endpoint/test_rekey.c - a connection gets another secret while messages run over it, in virtual time: begun by
 * either end or by both, with packets lost, and with nobody to answer. */
#include "test/unit/endpoint/keyed_test.h"

static void connect_both(void)
{
    assert_int_equal(send_bytes(0, 1, "a", 1, 1), 0);
    run(1 * MS);
    release_all(1);
    seen_count[0] = seen_count[1] = 0;
}

/* Both ends have the same secret, the n-th, and nothing is left of the change. */
static void check_phase(uint32_t phase)
{
    struct weir_peer *p = peer(0, 1), *q = peer(1, 0);
    assert_int_equal(p->state, EP_PEER_UP);
    assert_int_equal(q->state, EP_PEER_UP);
    assert_int_equal(p->seal->phase, phase);
    assert_int_equal(q->seal->phase, phase);
    assert_memory_equal(p->seal->seal.secret, q->seal->seal.secret, WEIR_KEY_BYTES);
    assert_int_equal(p->seal->seal.direction, 1 - q->seal->seal.direction);
    assert_null(p->opening);
    assert_null(q->opening);
    assert_null(p->pending);
    assert_null(q->pending);
}

static void nothing_is_refused_or_sent_again(void)
{
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(stats(i).refused_packets, 0);
        assert_int_equal(stats(i).retransmissions + stats(i).duplicates, 0);
        assert_int_equal(stats(i).resets, 0);
    }
}

static void begin_rekey(uint32_t i)
{
    ep_clock(ep[i]);
    ep_rekey_begin(ep[i], peer(i, 1 - i), 0);
}

/* Messages of 30 KB from each end to the other, one after the other. Each arrives once, as it was. */
static void talk(uint32_t rounds)
{
    unsigned char *big = noise(30000, 3);
    for (uint32_t n = 0; n < rounds; n++) {
        assert_int_equal(send_bytes(0, 1, big, 30000, 5), 0);
        assert_int_equal(send_bytes(1, 0, big, 30000, 6), 0);
        run(1 * MS);
        for (uint32_t i = 0; i < 2; i++) {
            expect_count(i, 2);
            for (int k = 0; k < 2; k++) {
                assert_int_equal(seen[i][k].result, 0);
                if (seen[i][k].type == WEIR_EV_MESSAGE)
                    assert_memory_equal(seen[i][k].data, big, 30000);
            }
            release_all(i);
            seen_count[i] = 0;
        }
    }
    free(big);
}

/* A limit of 100 packets: both ends change it over and over, at once and one after the other. */
static void secrets_change_under_messages_without_loss(void **state)
{
    (void)state;
    connect_both();
    for (uint32_t limit = 7; limit <= 151; limit += 36) {
        ep[0]->keys->rekey_pkts = limit;
        ep[1]->keys->rekey_pkts = limit + 3;
        talk(20);
    }
    assert_true(peer(0, 1)->seal->phase > 20);
    ep[0]->keys->rekey_pkts = ep[1]->keys->rekey_pkts = WEIR_SEAL_PKTS_MAX;
    run(100 * MS);
    check_phase(peer(0, 1)->seal->phase);
    nothing_is_refused_or_sent_again();
    run(4 * SECOND);
    assert_null(peer(0, 1)->rekey);
    assert_null(peer(1, 0)->rekey);
}

/* Four one-way delays: OPEN, READY, PING, PONG. */
static void a_change_takes_two_round_trips(void **state)
{
    (void)state;
    connect_both();
    begin_rekey(1);
    run(19 * US);
    assert_int_equal(peer(1, 0)->seal->phase, 0);
    assert_int_equal(peer(0, 1)->seal->phase, 1);
    run(2 * US);
    check_phase(1);
    assert_string_equal(weir_peer_identity(peer(0, 1)), "fleet");
    talk(1);
    nothing_is_refused_or_sent_again();
}

/* The number of the secret is a byte: after 255 comes 1, because 0 is that of the first handshake. */
static void the_number_of_the_secret_wraps(void **state)
{
    (void)state;
    connect_both();
    peer(0, 1)->seal->phase = peer(1, 0)->seal->phase = 254;
    for (uint32_t k = 0; k < 3; k++) {
        begin_rekey(0);
        run(1 * MS);
        check_phase(k == 0 ? 255 : k);
        talk(1);
    }
    nothing_is_refused_or_sent_again();
}

/* One wrong tag before the limit nothing happens; at the limit another secret comes, and the connection goes on. */
static void a_worn_secret_is_replaced(void **state)
{
    struct weir_net_addr a = mem_addr(1, 4000), b = mem_addr(2, 4000);
    unsigned char bytes[200] = { 0x40, WEIR_PKT_DONE };
    (void)state;
    connect_both();
    for (unsigned i = 0; i < 8; i++) {
        bytes[4 + i] = (unsigned char)(peer(1, 0)->rx_token >> (56 - 8 * i));
        bytes[12 + i] = i == 7 ? 200 : 0;
    }
    peer(1, 0)->seal->seal.failed = WEIR_SEAL_FAILED_MAX - 2;
    mem_inject(mem, &a, &b, bytes, WEIR_WIRE_HEAD_BYTES + WEIR_TAG_BYTES);
    run(1 * MS);
    assert_int_equal(stats(1).forged_packets, 1);
    check_phase(0);
    mem_inject(mem, &a, &b, bytes, WEIR_WIRE_HEAD_BYTES + WEIR_TAG_BYTES);
    assert_int_equal(send_bytes(0, 1, "under way", 9, 2), 0);
    run(1 * MS);
    check_phase(1);
    assert_int_equal(peer(1, 0)->seal->seal.failed, 0);
    expect(0, 0, WEIR_EV_SENT, 0, 2);
    release_all(1);
    seen_count[0] = seen_count[1] = 0;
    talk(1);
    assert_int_equal(stats(0).resets + stats(1).resets, 0);
}

/* Either begins first, by 0 to 31 us: every point of the other's handshake. */
static void both_ends_may_begin_at_once(void **state)
{
    (void)state;
    connect_both();
    for (uint32_t k = 0; k < 64; k++) {
        uint32_t phase = peer(0, 1)->seal->phase;
        begin_rekey(k % 2);
        run(k / 2 * US);
        begin_rekey(1 - k % 2);
        run(100 * MS);
        assert_in_range(peer(0, 1)->seal->phase, phase + 1, phase + 2);
        check_phase(peer(0, 1)->seal->phase);
        talk(1);
    }
    assert_int_equal(stats(0).resets + stats(1).resets, 0);
    assert_int_equal(stats(0).retransmissions + stats(1).retransmissions, 0);
}

static void any_packet_of_a_change_may_be_lost(void **state)
{
    static const uint32_t lost[] = { WEIR_WIRE_OPEN, WEIR_WIRE_READY, WEIR_WIRE_PING, WEIR_WIRE_PONG };
    uint32_t phase = 0;
    (void)state;
    connect_both();
    for (uint32_t both = 0; both < 2; both++)
        for (size_t i = 0; i < sizeof(lost) / sizeof(lost[0]); i++)
            for (uint32_t n = 1; n < 5; n++) {
                shim[0].lose[lost[i]] = shim[1].lose[lost[i]] = n;
                begin_rekey(0);
                if (both)
                    begin_rekey(1);
                talk(30);
                shim[0].lose[lost[i]] = shim[1].lose[lost[i]] = 0;
                run(2 * SECOND);
                phase++;
                check_phase(phase);
            }
    assert_int_equal(stats(0).resets + stats(1).resets, 0);
    assert_int_equal(stats(0).retransmissions + stats(1).retransmissions, 0);
}

/* For ten seconds the connection goes on as it was. */
static void a_change_that_nobody_answers_ends_the_connection(void **state)
{
    (void)state;
    connect_both();
    shim[0].lose[WEIR_WIRE_OPEN] = 1000;
    begin_rekey(0);
    talk(90);
    run(9900 * MS);
    assert_int_equal(peer(0, 1)->seal->phase, 0);
    assert_in_range(1000 - shim[0].lose[WEIR_WIRE_OPEN], 10, 25);
    assert_int_equal(call_bytes(0, 1, "x", 1, 6, 0), 0);
    run(20 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_REPLY, -ECONNRESET, 6);
    release_all(1);
    seen_count[0] = seen_count[1] = 0;
    shim[0].lose[WEIR_WIRE_OPEN] = 0;
    talk(1); /* a new connection */
    check_phase(0);
}

/* The handshake itself succeeds, but its secret is of the one before, too. */
static void a_key_alone_takes_no_connection_over(void **state)
{
    (void)state;
    connect_both();
    peer(0, 1)->seal->seal.secret[0] ^= 1; /* somebody else, who knows the token */
    begin_rekey(0);
    talk(100);
    assert_non_null(peer(0, 1)->rekey->next);
    assert_int_equal(peer(0, 1)->seal->phase, 0);
    assert_int_equal(peer(1, 0)->seal->phase, 0);
    assert_true(stats(1).forged_packets > 0);
}

static unsigned char kept[WEIR_WIRE_OPEN_BYTES];
static uint32_t kept_count;

static void keep(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                 const unsigned char *bytes, uint32_t length)
{
    (void)ctx, (void)from, (void)to;
    if (weir_wire_type(bytes, length) == WEIR_WIRE_OPEN && kept_count++ == 0)
        memcpy(kept, bytes, length);
}

static void a_replayed_open_changes_no_secret(void **state)
{
    struct weir_net_addr a = mem_addr(1, 4000), b = mem_addr(2, 4000);
    (void)state;
    connect_both();
    kept_count = 0;
    mem_tap(mem, keep, NULL);
    begin_rekey(0);
    run(1 * MS);
    assert_int_equal(kept_count, 1);
    mem_tap(mem, NULL, NULL);
    for (uint32_t k = 1; k < 3; k++) {
        check_phase(k);
        mem_inject(mem, &a, &b, kept, sizeof(kept));
        run(1 * MS);
        check_phase(k);
        begin_rekey(1);
        run(1 * MS);
    }
    assert_int_equal(stats(1).refused_packets, 2);
    talk(1);
}

/* Another text for the file of endpoint i, which it reads again. @return what weir_rekey() says */
static int read_again(uint32_t i, const char *text)
{
    (void)unlink(key_file[i]);
    return weir_rekey(ep[i], write_keys(i, text));
}

static void check_names(const char *name)
{
    assert_string_equal(weir_peer_identity(peer(0, 1)), name);
    assert_string_equal(weir_peer_identity(peer(1, 0)), name);
}

/* The three steps of doc/protection.md, each at one end before the other, under messages. */
static void a_key_is_replaced_in_three_steps(void **state)
{
    static const char *const steps[] = { KEY_A KEY_C, KEY_C KEY_A, KEY_C };
    (void)state;
    connect_both();
    for (uint32_t k = 0; k < 6; k++) {
        uint32_t phase = k < 4 ? 0 : 1;
        assert_int_equal(read_again(k % 2, steps[k / 2]), 0);
        assert_string_equal(weir_open_error(), "");
        talk(2);
        check_phase(phase);
        check_names(phase == 0 ? "fleet" : "pair-7");
    }
    nothing_is_refused_or_sent_again();
    assert_int_equal(send_bytes(2, 0, "x", 1, 3), 0); /* the third end has the old key alone */
    run(1200 * MS);
    expect_count(2, 1);
    expect(2, 0, WEIR_EV_SENT, -EHOSTUNREACH, 3);
    seen_count[2] = 0;
    assert_int_equal(read_again(2, KEY_C), 0);
    assert_int_equal(send_bytes(2, 0, "x", 1, 3), 0);
    run(1 * MS);
    expect(2, 0, WEIR_EV_SENT, 0, 3);
    assert_string_equal(weir_peer_identity(peer(0, 2)), "pair-7");
    release_all(0);
}

/* What one end removes, both replace at once, by the key that both have: it is the last of three. */
static void the_key_that_both_ends_have_is_found(void **state)
{
    static const char rest[] = "3 third BAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQ=\n"
                               "4 fourth BQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFBQU=\n" KEY_C;
    (void)state;
    connect_both();
    assert_int_equal(read_again(1, KEY_A KEY_C), 0);
    assert_int_equal(read_again(0, rest), 0);
    talk(100);
    assert_int_equal(peer(0, 1)->seal->phase, 0);
    run(200 * MS); /* six OPENs under the first two */
    check_phase(1);
    check_names("pair-7");
    assert_int_equal(stats(0).resets + stats(1).resets, 0);
}

/* The same number, and another key: that is another key. */
static void a_changed_key_is_a_removed_one(void **state)
{
    (void)state;
    connect_both();
    assert_int_equal(read_again(0, KEY_B), 0);
    assert_int_equal(read_again(1, KEY_B), 0);
    talk(10);
    check_phase(1);
    assert_int_equal(stats(0).resets + stats(1).resets, 0);
}

static void without_a_common_key_a_connection_ends_after_ten_seconds(void **state)
{
    (void)state;
    connect_both();
    assert_int_equal(read_again(0, KEY_C), 0);
    assert_int_equal(call_bytes(0, 1, "x", 1, 6, 0), 0);
    run(10 * SECOND - 100 * US);
    expect_count(0, 0);
    assert_int_equal(peer(1, 0)->state, EP_PEER_UP);
    run(200 * US);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_REPLY, -EPROTO, 6);
    assert_string_equal(weir_peer_error(peer(0, 1)),
                        "10.0.0.2:4000 is not connected any more: its key was removed, and it answered under no other "
                        "within 10 s");
    assert_int_equal(peer(1, 0)->state, EP_PEER_IDLE);
    assert_int_equal(stats(1).forged_packets > 5, true);
    release_all(1);
}

static void a_bad_file_of_keys_changes_nothing(void **state)
{
    char before[sizeof(key_file[0])], text[300];
    (void)state;
    connect_both();
    (void)snprintf(before, sizeof(before), "%s", key_file[0]);
    assert_int_equal(weir_rekey(ep[0], "/no/such/file"), -EINVAL);
    assert_string_equal(weir_open_error(),
                        "key_file: /no/such/file: No such file or directory; weir key new makes a file of one key");
    assert_int_equal(weir_rekey(ep[0], NULL), -EINVAL);
    assert_string_equal(weir_open_error(), "weir_rekey: no file is named");
    assert_int_equal(read_again(0, KEY_C "2 other"), -EINVAL);
    (void)snprintf(text, sizeof(text), "key_file: %s:2: ", key_file[0]);
    assert_memory_equal(weir_open_error(), text, strlen(text));
    talk(1);
    check_phase(0);
    assert_null(peer(0, 1)->rekey);
    assert_int_equal(send_bytes(2, 0, "x", 1, 3), 0); /* under the key of before */
    run(1 * MS);
    expect(2, 0, WEIR_EV_SENT, 0, 3);
    assert_int_equal(weir_rekey(ep[0], key_file[1]), 0);
    assert_string_equal(weir_open_error(), "");
    check_phase(0);
    release_all(0);
}

/* Each packet of a handshake is the one before which the keys change: it goes on under the new one. */
static void a_handshake_goes_on_under_new_keys(void **state)
{
    (void)state;
    for (uint32_t us = 0; us < 30; us += 5) {
        assert_int_equal(send_bytes(0, 1, "x", 1, 4), 0);
        run(us * US);
        assert_int_equal(read_again(0, us % 2 == 0 ? KEY_C : KEY_A), 0);
        assert_int_equal(read_again(1, us % 2 == 0 ? KEY_C : KEY_A), 0);
        run(900 * MS);
        expect_count(0, 1);
        expect(0, 0, WEIR_EV_SENT, 0, 4);
        expect_count(1, 1);
        check_names(us % 2 == 0 ? "pair-7" : "fleet");
        assert_null(peer(0, 1)->opening);
        release_all(1);
        seen_count[0] = seen_count[1] = 0;
        ep_peer_end(ep[0], peer(0, 1), -ECONNRESET);
        ep_peer_end(ep[1], peer(1, 0), -ECONNRESET);
    }
}

/* An endpoint without keys has none to replace. */
static void without_protection_there_are_no_keys_to_replace(void **state)
{
    const char *file = write_keys(2, KEY_A);
    (void)state;
    begin();
    assert_int_equal(start(0), 0);
    assert_int_equal(weir_rekey(ep[0], file), -EINVAL);
    assert_string_equal(weir_open_error(),
                        "weir_rekey: opts.protection is none, so there are no keys; open it with mac or aead");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(secrets_change_under_messages_without_loss, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_change_takes_two_round_trips, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(the_number_of_the_secret_wraps, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_worn_secret_is_replaced, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(both_ends_may_begin_at_once, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(any_packet_of_a_change_may_be_lost, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_change_that_nobody_answers_ends_the_connection, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_key_alone_takes_no_connection_over, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_replayed_open_changes_no_secret, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_key_is_replaced_in_three_steps, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(the_key_that_both_ends_have_is_found, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_changed_key_is_a_removed_one, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(without_a_common_key_a_connection_ends_after_ten_seconds, keyed_setup,
                                        keyed_teardown),
        cmocka_unit_test_setup_teardown(a_bad_file_of_keys_changes_nothing, keyed_setup, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_handshake_goes_on_under_new_keys, keyed_setup, keyed_teardown),
    };
    const struct CMUnitTest always[] = { cmocka_unit_test_teardown(without_protection_there_are_no_keys_to_replace,
                                                                   keyed_teardown) };
    int failed = cmocka_run_group_tests_name("endpoint/rekey, also without ciphers", always, NULL, NULL);
    if (weir_crypto_ready())
        failed += cmocka_run_group_tests_name("endpoint/rekey", tests, NULL, NULL);
    return failed;
}
