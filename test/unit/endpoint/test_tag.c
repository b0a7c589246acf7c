/* test/unit/endpoint/test_tag.c - the tag of an endpoint changes every minute, in virtual time: who hears of it when, who does not, and
 * which queue packets come by. The endpoints were opened at the same instant, so their minutes begin together. */
#include "test/unit/endpoint/keyed_test.h"

#define MINUTE (60 * SECOND)
#define TAG_OF(token) ((token)&0xffff)

static int start_guarded(void)
{
    for (uint32_t i = 0; i < EPS; i++)
        can_guard[i] = true;
    start_all();
    return 0;
}

static int setup_guarded(void **state)
{
    (void)state;
    begin();
    return start_guarded();
}

/* The same with keys; without a library for them, as setup_guarded(). */
static int setup_keyed(void **state)
{
    const char *const all[EPS] = { "mac", "mac", "mac" }, *const keys[EPS] = { KEY_A, KEY_A, KEY_A };
    if (!weir_crypto_ready())
        return setup_guarded(state);
    begin_keyed(all, keys);
    return start_guarded();
}

static void run_until(uint64_t at_ns) /* since START_NS */
{
    assert_true(now_ns() <= at_ns);
    run(at_ns - now_ns());
}

/* Endpoint 0 has both others as peers, by a message to each. */
static void connect_both(void)
{
    assert_int_equal(send_bytes(0, 1, "a", 1, 1), 0);
    assert_int_equal(send_bytes(0, 2, "b", 1, 2), 0);
    run(10 * MS);
    release_all(1);
    release_all(2);
    assert_int_equal(stats(0).peers, 2);
}

/* The tag that endpoint i writes into packets to endpoint 0. */
static uint64_t tag_from(uint32_t i)
{
    return TAG_OF(peer(i, 0)->tx_token);
}

static void reports_are_spread_over_the_first_half_of_a_minute(void **state)
{
    uint16_t first;
    (void)state;
    connect_both();
    first = ep[0]->tag.present;
    assert_int_equal(tag_from(1), first);
    assert_int_equal(tag_from(2), first);
    run_until(MINUTE - US);
    assert_int_equal(ep[0]->tag.present, first);
    assert_int_equal(shim[0].tag_changes, 0);
    run_until(MINUTE + 20 * US);
    assert_true(ep[0]->tag.present != first);
    assert_int_equal(shim[0].tag_changes, 1);
    assert_int_equal(shim[0].tag, ep[0]->tag.present);
    assert_int_equal(shim[0].last, first);
    assert_int_equal(tag_from(1), ep[0]->tag.present); /* the first of two peers, at once */
    assert_int_equal(tag_from(2), first);
    run_until(MINUTE + 15 * SECOND);
    assert_int_equal(tag_from(2), first);
    run_until(MINUTE + 15 * SECOND + 10 * US); /* the second one half of 30 s later */
    assert_int_equal(tag_from(2), ep[0]->tag.present);
    run_until(2 * MINUTE + 40 * SECOND);
    assert_int_equal(shim[0].tag_changes, 2);
    assert_int_equal(tag_from(1), ep[0]->tag.present);
    assert_int_equal(tag_from(2), ep[0]->tag.present);
}

/* A call each second for six minutes: no packet of a peer comes by the queue of strangers, and no PING beyond the reports. */
static void peers_that_hear_of_it_stay_in_their_queue(void **state)
{
    struct weir_stats before, after;
    uint32_t calls = 0;
    (void)state;
    connect_both();
    before = stats(0);
    while (now_ns() + SECOND < 6 * MINUTE) {
        assert_int_equal(send_bytes(1, 0, "x", 1, 9), 0);
        run(SECOND);
        release_all(0);
        seen_count[0] = seen_count[1] = 0;
        calls++;
    }
    after = stats(0);
    assert_int_equal(after.stranger_packets, before.stranger_packets);
    assert_int_equal(after.messages_received - before.messages_received, calls);
    /* a DONE per message; per change two reports and two answers, and one of each for the tag of endpoint 1 and of 2 */
    assert_int_equal(after.packets_sent - before.packets_sent, calls + 5 * 4);
    assert_int_equal(stats(1).retransmissions, 0);
}

/* Reports are lost for two minutes: the peer's packets come by the queue of strangers, are served, and answered by the report. */
static void a_peer_that_misses_the_reports_is_served_and_told(void **state)
{
    struct weir_stats before;
    uint16_t first;
    (void)state;
    connect_both();
    first = ep[0]->tag.present;
    shim[0].lose[WEIR_WIRE_PING] = 4;
    run_until(2 * MINUTE + 50 * SECOND);
    assert_int_equal(shim[0].lose[WEIR_WIRE_PING], 0);
    assert_int_equal(tag_from(1), first);
    assert_false(weir_tag_is_valid(&ep[0]->tag, first));
    before = stats(0);
    assert_int_equal(send_bytes(1, 0, "late", 4, 3), 0);
    run(MS);
    assert_int_equal(stats(0).messages_received - before.messages_received, 1);
    assert_true(stats(0).stranger_packets > before.stranger_packets);
    assert_int_equal(stats(0).refused_packets, before.refused_packets);
    assert_int_equal(tag_from(1), ep[0]->tag.present);
    before = stats(0);
    assert_int_equal(send_bytes(1, 0, "next", 4, 4), 0);
    run(MS);
    assert_int_equal(stats(0).messages_received - before.messages_received, 1);
    assert_int_equal(stats(0).stranger_packets, before.stranger_packets);
    release_all(0);
}

/* One that hears no report at all is answered once a second, however much it sends. */
static void a_lost_report_is_repeated_once_a_second(void **state)
{
    uint64_t before;
    (void)state;
    connect_both();
    shim[0].lose[WEIR_WIRE_PING] = 1000;
    run_until(MINUTE + SECOND); /* it has been sent, and was lost */
    before = 1000 - shim[0].lose[WEIR_WIRE_PING];
    assert_int_equal(before, 1);
    for (uint32_t n = 0; n < 100; n++) {
        assert_int_equal(send_bytes(1, 0, "x", 1, 3), 0);
        run(100 * MS);
    }
    release_all(0);
    assert_int_equal(1000 - shim[0].lose[WEIR_WIRE_PING] - before, 10);
    /* the other peer's is due later: its packets draw none yet, though their tag is the last one */
    before = shim[0].lose[WEIR_WIRE_PING];
    assert_int_equal(send_bytes(2, 0, "x", 1, 3), 0);
    run(MS);
    assert_int_equal(shim[0].lose[WEIR_WIRE_PING], before);
    release_all(0);
}

static void an_earlier_report_changes_nothing(void **state)
{
    struct weir_peer *p;
    uint64_t token;
    (void)state;
    connect_both();
    p = peer(1, 0);
    token = p->tx_token;
    ep_tag_take(p, 10, 0xabcd0000beef);
    assert_int_equal(TAG_OF(p->tx_token), 0xbeef);
    assert_true(ep_same_token(p->tx_token, token)); /* the tag alone is taken */
    ep_tag_take(p, 10, 1);
    ep_tag_take(p, 9, 2);
    assert_int_equal(TAG_OF(p->tx_token), 0xbeef);
    ep_tag_take(p, 11, 3);
    assert_int_equal(TAG_OF(p->tx_token), 3);
    p->tag_counter = UINT32_MAX; /* numbers are compared modulo 2^32 */
    ep_tag_take(p, UINT64_C(1) << 32, 4);
    assert_int_equal(TAG_OF(p->tx_token), 4);
}

/* Each packet of a handshake is the one that is lost just before the tags change. */
static void a_handshake_survives_the_change(void **state)
{
    static const uint8_t types[] = { WEIR_WIRE_HELLO, WEIR_WIRE_COOKIE, WEIR_WIRE_OPEN, WEIR_WIRE_READY };
    (void)state;
    for (uint32_t k = 0; k < 4; k++) {
        run_until((k + 1) * MINUTE - 10 * MS);
        shim[k % 2 == 0 ? 1 : 0].lose[types[k]] = 1;
        assert_int_equal(send_bytes(1, 0, "a", 1, k), 0);
        run_until((k + 1) * MINUTE + 40 * MS); /* it is sent again after 20 ms, with the new tag */
        expect(1, (int)k, WEIR_EV_SENT, 0, k);
        release_all(0);
        assert_int_equal(weir_peer_put(ep[1], peer(1, 0)), 0);
        assert_int_equal(stats(0).resets + stats(1).resets, 2 * k);
        ep_peer_end(ep[1], peer(1, 0), -ECONNRESET);
        ep_peer_end(ep[0], peer(0, 1), -ECONNRESET);
    }
}

static void a_filter_that_cannot_change_is_tried_again(void **state)
{
    uint16_t first;
    (void)state;
    connect_both();
    first = ep[0]->tag.present;
    shim[0].tag_refused = true;
    run_until(MINUTE + 500 * MS);
    assert_int_equal(shim[0].tag, first);
    shim[0].tag_refused = false;
    run_until(MINUTE + 1100 * MS);
    assert_int_equal(shim[0].tag, ep[0]->tag.present);
    assert_int_equal(shim[0].tag_changes, 1);
}

/* Whoever is gone is told for three minutes, and again once it is heard. */
static void a_silent_peer_is_told_no_more(void **state)
{
    (void)state;
    connect_both();
    asleep[1] = asleep[2] = true;
    shim[0].lose[WEIR_WIRE_PING] = 1000;
    run_until(10 * MINUTE);
    assert_int_equal(1000 - shim[0].lose[WEIR_WIRE_PING],
                     2 * 2 + 1); /* of one peer the third is due just before, of the other after three minutes */
    asleep[1] = false;
    shim[0].lose[WEIR_WIRE_PING] = 0;
    assert_int_equal(send_bytes(1, 0, "x", 1, 3), 0);
    run(MS);
    assert_int_equal(tag_from(1), ep[0]->tag.present);
    release_all(0);
}

/* No report arrives any more: peers hear of no change, and are heard only if they have a message. */
static void lose_reports(void)
{
    for (uint32_t i = 0; i < EPS; i++)
        shim[i].lose[WEIR_WIRE_PING] = 1000;
}

static uint64_t reports(void) /* of endpoint 0, since lose_reports() */
{
    return 1000 - shim[0].lose[WEIR_WIRE_PING];
}

/* Of a peer that was last heard that long after the first change, and never again: reports to it by the end of the fourth. */
static uint64_t reports_to_one_heard_at(int64_t after_ns)
{
    uint64_t heard_ns = MINUTE + (uint64_t)after_ns;
    start_guarded();
    assert_int_equal(send_bytes(1, 0, "a", 1, 1), 0);
    run(10 * MS);
    assert_int_equal(stats(0).peers, 1);
    lose_reports();
    run_until(heard_ns - 5 * US);
    assert_int_equal(send_bytes(1, 0, "b", 1, 2), 0);
    run_until(2 * MINUTE - SECOND);
    assert_int_equal(peer(0, 1)->heard_ps, heard_ns * WEIR_PS_PER_NS);
    run_until(5 * MINUTE - SECOND);
    release_all(0);
    return reports();
}

/* It is told at each change, which it does not hear, until it has been silent for exactly three minutes. */
static void three_minutes_of_silence_are_silence(void **state)
{
    for (int64_t after_ns = -1; after_ns <= 1; after_ns++) {
        begin();
        assert_int_equal(reports_to_one_heard_at(after_ns), after_ns == 1 ? 4 : 3);
        if (after_ns < 1)
            teardown(state);
    }
}

/* Its packet comes with a tag that is no longer valid, before its turn of this minute: it is told then, and not again. */
static void one_that_was_told_early_is_told_once(void **state)
{
    (void)state;
    connect_both();
    lose_reports();
    run_until(2 * MINUTE + SECOND);
    assert_int_equal(reports(), 3); /* two of the first change, one of the second */
    assert_false(weir_tag_is_valid(&ep[0]->tag, tag_from(2)));
    assert_int_equal(send_bytes(2, 0, "x", 1, 3), 0);
    run(MS);
    assert_int_equal(reports(), 4);
    assert_int_equal(TAG_OF(peer(0, 2)->rx_token), ep[0]->tag.present);
    run_until(3 * MINUTE - SECOND); /* its turn was 15 s after the change */
    assert_int_equal(reports(), 4);
    release_all(0);
}

static void without_peers_nothing_is_due(void **state)
{
    (void)state;
    run(MS);
    assert_true(weir_deadline(ep[0]) == UINT64_MAX);
    connect_both();
    assert_true(weir_deadline(ep[0]) <= START_NS + MINUTE);
    mem_advance(mem, START_NS + 10 * MINUTE + SECOND); /* nobody has polled: nobody has been heard for long */
    run(MINUTE / 2);
    assert_true(tag_from(1) != ep[0]->tag.present);
    assert_int_equal(send_bytes(1, 0, "x", 1, 3), 0);
    run(MS);
    assert_int_equal(tag_from(1), ep[0]->tag.present);
    release_all(0);
    assert_int_equal(stats(0).resets, 0);
}

/* A packet with this token from an address that nobody has. @return whether it was answered */
static bool is_answered(uint64_t token)
{
    struct weir_net_addr from = mem_addr(77, 1), to = mem_addr(1, 4000);
    struct weir_wire_head head = { .pkt = { .kind = WEIR_PKT_DONE }, .token = token, .counter = 1 };
    unsigned char bytes[WEIR_WIRE_HEAD_BYTES];
    uint64_t before = mem_stats(mem)->answers;
    weir_wire_encode(&head, NULL, bytes);
    mem_inject(mem, &from, &to, bytes, sizeof(bytes));
    run(MS);
    return mem_stats(mem)->answers > before;
}

/* It may be of another endpoint's connection, which a RESET would end. */
static void an_endpoint_that_shares_its_port_answers_no_other_tag(void **state)
{
    uint64_t token = UINT64_C(0x1234567812340000);
    (void)state;
    begin();
    opts[0].flags = WEIR_OPEN_SHARED;
    start_all();
    run_until(MINUTE + SECOND);
    assert_false(is_answered(token | (ep[0]->tag.present ^ 1)));
    assert_true(is_answered(token | ep[0]->tag.present));
    assert_true(is_answered(token | ep[0]->tag.last));
    ep[0]->opts.flags = 0;
    assert_true(is_answered(token | (ep[0]->tag.present ^ 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reports_are_spread_over_the_first_half_of_a_minute, setup_guarded, teardown),
        cmocka_unit_test_setup_teardown(peers_that_hear_of_it_stay_in_their_queue, setup_guarded, teardown),
        cmocka_unit_test_setup_teardown(a_peer_that_misses_the_reports_is_served_and_told, setup_guarded, teardown),
        cmocka_unit_test_setup_teardown(a_lost_report_is_repeated_once_a_second, setup_guarded, teardown),
        cmocka_unit_test_setup_teardown(reports_are_spread_over_the_first_half_of_a_minute, setup_keyed,
                                        keyed_teardown),
        cmocka_unit_test_setup_teardown(peers_that_hear_of_it_stay_in_their_queue, setup_keyed, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_peer_that_misses_the_reports_is_served_and_told, setup_keyed, keyed_teardown),
        cmocka_unit_test_setup_teardown(a_handshake_survives_the_change, setup_keyed, keyed_teardown),
        cmocka_unit_test_setup_teardown(an_earlier_report_changes_nothing, setup_guarded, teardown),
        cmocka_unit_test_setup_teardown(a_handshake_survives_the_change, setup_guarded, teardown),
        cmocka_unit_test_setup_teardown(a_filter_that_cannot_change_is_tried_again, setup_guarded, teardown),
        cmocka_unit_test_setup_teardown(a_silent_peer_is_told_no_more, setup_guarded, teardown),
        cmocka_unit_test_teardown(three_minutes_of_silence_are_silence, teardown),
        cmocka_unit_test_setup_teardown(one_that_was_told_early_is_told_once, setup_guarded, teardown),
        cmocka_unit_test_setup_teardown(without_peers_nothing_is_due, setup_guarded, teardown),
        cmocka_unit_test_teardown(an_endpoint_that_shares_its_port_answers_no_other_tag, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/tag", tests, NULL, NULL);
}
