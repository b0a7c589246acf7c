/* test/unit/endpoint/test_shake.c - the handshake: in either order, at once, with words lost, with strangers, and with
 * the restarted. */
#include "test/unit/endpoint/endpoint_test.h"

static void inject_word(uint32_t from, uint32_t to, struct weir_wire_handshake word)
{
    struct weir_net_addr a = mem_addr(from + 1, 4000), b = mem_addr(to + 1, 4000);
    unsigned char bytes[2000];
    word.version = WEIR_WIRE_VERSION;
    word.ports = 1;
    word.counter = 1;
    word.mss_bytes = MSS;
    uint32_t length = weir_wire_encode_handshake(&word, bytes, word.type == WEIR_WIRE_HELLO ? 1472 : sizeof(bytes));
    mem_inject(mem, &a, &b, bytes, length);
}

static void a_first_message_takes_six_one_way_delays(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    expect_count(1, 1);
    expect(1, 0, WEIR_EV_MESSAGE, 0, 0);
    assert_int_equal(seen_ns[1][0], 25 * US); /* HELLO, COOKIE, OPEN, READY, DATA */
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, 0, 5);
    assert_int_equal(seen_ns[0][0], 30 * US); /* DONE */
    assert_int_equal(stats(0).handshakes, 1);
    assert_int_equal(stats(1).handshakes, 1);
    assert_int_equal(stats(0).packets_sent, 3); /* HELLO, OPEN, DATA */
    assert_int_equal(stats(1).packets_sent, 3);
    weir_release(ep[1], seen[1][0].lease);
    /* and back: connected already */
    assert_int_equal(send_bytes(1, 0, "y", 1, 6), 0);
    run(1 * MS);
    assert_int_equal(seen_ns[0][1], 1 * MS + 5 * US);
    weir_release(ep[0], seen[0][1].lease);
}

static void simultaneous_handshakes_connect(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "a", 1, 1), 0);
    assert_int_equal(send_bytes(1, 0, "b", 1, 2), 0);
    run(100 * MS);
    for (uint32_t i = 0; i < 2; i++) {
        expect_count(i, 2);
        assert_int_equal(stats(i).handshakes, 1);
        assert_int_equal(stats(i).resets, 0);
        assert_int_equal(stats(i).peers, 1);
        for (int k = 0; k < 2; k++)
            weir_release(ep[i], seen[i][k].lease);
    }
}

/* Each is asked for again 20 ms after the first word. */
static void any_handshake_packet_may_be_lost(void **state)
{
    static const struct {
        uint32_t by, type;
        uint64_t then_ns; /* what is left of the six ways */
    } lost[] = { { 0, WEIR_WIRE_HELLO, 30 * US },
                 { 1, WEIR_WIRE_COOKIE, 30 * US },
                 { 0, WEIR_WIRE_OPEN, 20 * US },
                 { 1, WEIR_WIRE_READY, 20 * US } };
    for (uint32_t i = 0; i < 4; i++) {
        setup(state);
        shim[lost[i].by].lose[lost[i].type] = 1;
        assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
        run(100 * MS);
        expect_count(0, 1);
        expect(0, 0, WEIR_EV_SENT, 0, 5);
        assert_int_equal(seen_ns[0][0], 20 * MS + lost[i].then_ns);
        expect_count(1, 1);
        assert_int_equal(stats(1).handshakes, 1);
        weir_release(ep[1], seen[1][0].lease);
        teardown(state);
    }
}

static void an_expired_cookie_is_requested_again(void **state)
{
    (void)state;
    shim[0].lose[WEIR_WIRE_OPEN] = 3;
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(900 * MS);
    /* OPEN after 10 us, 20 ms, 60 ms; after 140 ms HELLO again, and the six ways */
    expect(0, 0, WEIR_EV_SENT, 0, 5);
    assert_int_equal(seen_ns[0][0], 140 * MS + 30 * US);
    weir_release(ep[1], seen[1][0].lease);
}

static void an_unreachable_peer_fails_after_its_timeout(void **state)
{
    (void)state;
    kill_ep(1);
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(999 * MS);
    expect_count(0, 0);
    run(1 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, -EHOSTUNREACH, 5);
    assert_int_equal(stats(0).ops_pending, 0);
}

static void sends_from(uint32_t i, const struct weir_net_addr *own)
{
    assert_memory_equal(&shim[i].from, own, sizeof(*own));
}

static void an_answer_comes_from_the_address_that_was_written_to(void **state)
{
    const struct weir_net_addr none = { 0 };
    (void)state;
    shim[1].own = mem_addr(9, 4000);
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(12 * US); /* HELLO, COOKIE */
    sends_from(1, &shim[1].own);
    run(1 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 5);
    sends_from(1, &shim[1].own); /* DONE */
    sends_from(0, &none);
    weir_release(ep[1], seen[1][0].lease);
    kill_ep(0);
    assert_int_equal(send_bytes(1, 0, "y", 1, 6), 0);
    run(1500 * MS);
    expect(1, 1, WEIR_EV_SENT, -ETIMEDOUT, 6);
    assert_int_equal(send_bytes(1, 0, "y", 1, 7), 0);
    run(1 * MS);
    sends_from(1, &shim[1].own); /* HELLO */
    run(1 * SECOND);
    expect(1, 2, WEIR_EV_SENT, -EHOSTUNREACH, 7);
    assert_int_equal(send_bytes(1, 0, "y", 1, 8), 0);
    run(1 * MS);
    sends_from(1, &none); /* perhaps that address is no longer its own */
}

static void another_mtu_is_refused_at_both_ends(void **state)
{
    (void)state;
    begin();
    opts[1].mtu = 1400;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    assert_int_equal(send_bytes(1, 0, "y", 1, 6), 0);
    run(1 * MS);
    expect(0, 0, WEIR_EV_SENT, -EPROTO, 5);
    expect(1, 0, WEIR_EV_SENT, -EPROTO, 6);
    assert_int_equal(stats(0).peers, 0);
    assert_int_equal(stats(1).peers, 0);
    assert_string_equal(
        weir_peer_error(peer(0, 1)),
        "10.0.0.2:4000 sends packets with 1323 bytes of payload, and this endpoint with 1423: set the MTU "
        "of both ends to the smaller one");
    assert_string_equal(
        weir_peer_error(peer(1, 0)),
        "10.0.0.1:4000 sends packets with 1423 bytes of payload, and this endpoint with 1323: set the MTU "
        "of both ends to the smaller one");
}

/* Both are told both laws, with the keys that were set: by the text, or by a preset. */
static void another_law_is_refused_at_both_ends(void **state)
{
    static const struct {
        const char *cc[2], *said[2];
    } cases[] = {
        { { "sird preset=paper B=200KB", "sird preset=paper B=250KB" }, { "B=200 KB", "B=250 KB" } },
        { { "homa preset=paper", "sird preset=paper" }, { "'homa", "'sird" } },
        { { "sird preset=paper", "sird preset=paper SThr=40KB" }, { "'sird", "SThr=40 KB" } },
        { { "ndp", "homa" }, { "'ndp", "'homa" } },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        begin();
        for (uint32_t k = 0; k < 2; k++) {
            opts[k].cc = cases[i].cc[k];
            assert_int_equal(start(k), 0);
        }
        assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
        run(1 * MS);
        expect(0, 0, WEIR_EV_SENT, -EPROTO, 5);
        assert_int_equal(stats(0).peers + stats(1).peers, 0);
        for (uint32_t k = 0; k < 2; k++) {
            const char *error = weir_peer_error(peer(k, 1 - k));
            assert_non_null(strstr(error, cases[i].said[0]));
            assert_non_null(strstr(error, cases[i].said[1]));
            assert_non_null(strstr(error, ep[k]->law));
        }
        teardown(state);
    }
}

/* The order in which keys are given, and how values are written, does not matter. */
static void the_same_law_in_other_words_is_accepted(void **state)
{
    (void)state;
    begin();
    opts[0].cc = "sird SThr=40KB B=200KB";
    opts[1].cc = "sird  B=200000B SThr=40000B preset=udp";
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    assert_string_equal(ep[0]->law, ep[1]->law);
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 5);
    release_all(1);
}

static uint32_t pings, pongs; /* datagrams of a type that were sent */

static void count_pings(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                        const unsigned char *bytes, uint32_t length)
{
    (void)ctx, (void)from, (void)to;
    pings += weir_wire_type(bytes, length) == WEIR_WIRE_PING;
    pongs += weir_wire_type(bytes, length) == WEIR_WIRE_PONG;
}

static void count_versions(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                           const unsigned char *bytes, uint32_t length)
{
    (void)ctx, (void)from, (void)to;
    pings += length > 16 && weir_wire_type(bytes, length) == WEIR_WIRE_VERSIONS && bytes[0] >> 4 == 4;
}

/* What an endpoint of version 3 says is counted and not answered; who waits for it is told. */
static void a_peer_of_version_3_is_counted_and_named(void **state)
{
    struct weir_net_addr from = mem_addr(2, 4000), to = mem_addr(1, 4000);
    unsigned char old[1472] = { 0x3a };
    (void)state;
    kill_ep(1);
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    uint64_t refused = stats(0).refused_packets;
    pings = 0;
    mem_tap(mem, count_versions, NULL);
    mem_inject(mem, &from, &to, old, sizeof(old));
    mem_inject(mem, &from, &to, old, 1);
    run(1 * SECOND);
    assert_int_equal(stats(0).other_version_packets, 2);
    assert_int_equal(stats(0).refused_packets, refused + 2);
    assert_int_equal(pings, 0);
    expect(0, 0, WEIR_EV_SENT, -EHOSTUNREACH, 5);
    assert_string_equal(
        weir_peer_error(peer(0, 1)),
        "10.0.0.2:4000 speaks version 3 of the packet format, and this endpoint version 4: both ends need "
        "the same release of libweir");
}

/* A later version is answered by what we have, unless the answer were longer than the datagram. */
static void a_later_version_is_answered(void **state)
{
    struct weir_net_addr from = mem_addr(77, 4000), other = mem_addr(78, 4000), to = mem_addr(1, 4000);
    unsigned char later[64] = { 0x50 };
    (void)state;
    mem_inject(mem, &other, &to, later, 27);
    run(1 * MS);
    assert_int_equal(mem_stats(mem)->answers, 0);
    mem_inject(mem, &from, &to, later, 28);
    run(1 * MS);
    assert_int_equal(mem_stats(mem)->answers, 1);
    assert_int_equal(mem_stats(mem)->answers_larger, 0);
    assert_int_equal(stats(0).other_version_packets, 2);
}

/* An endpoint that has later versions alone ends our handshake at once; one that has ours too means somebody else. */
static void versions_end_a_handshake(void **state)
{
    (void)state;
    kill_ep(1);
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    struct weir_wire_handshake word = { .type = WEIR_WIRE_VERSIONS, .token = 99, .lowest = 5, .highest = 6 };
    inject_word(1, 0, word);
    word.token = peer(0, 1)->own_token;
    word.lowest = 4;
    inject_word(1, 0, word);
    run(1 * MS);
    expect_count(0, 0);
    assert_int_equal(stats(0).refused_packets, 2);
    word.lowest = 5;
    inject_word(1, 0, word);
    run(1 * MS);
    expect(0, 0, WEIR_EV_SENT, -EPROTO, 5);
    assert_non_null(strstr(weir_peer_error(peer(0, 1)), "speaks version 5 of the packet format"));
}

/* A peer that only owes a reply is asked each second whether it is there; each PING has its PONG. */
static void a_call_that_waits_pings_its_peer(void **state)
{
    (void)state;
    pings = pongs = 0;
    mem_tap(mem, count_pings, NULL);
    assert_int_equal(call_bytes(0, 1, "x", 1, 6, 0), 0);
    run(5500 * MS); /* five times peer_timeout_ns, a PING in each quarter of it */
    expect_count(0, 0);
    assert_in_range(pings, 21, 22);
    assert_int_equal(pongs, pings);
    assert_int_equal(stats(0).refused_packets + stats(1).refused_packets, 0);
    kill_ep(1);
    assert_int_equal(start(1), 0); /* it does not know the connection */
    seen_count[1] = 0;
    run(1 * SECOND);
    expect(0, 0, WEIR_EV_REPLY, -ECONNRESET, 6);
}

static void a_restarted_peer_fails_pending_operations_once(void **state)
{
    unsigned char *big = noise(1000000, 1);
    (void)state;
    assert_int_equal(send_bytes(0, 1, big, 1000000, 5), 0);
    assert_int_equal(call_bytes(0, 1, "x", 1, 6, 0), 0);
    run(200 * US);
    kill_ep(1);
    assert_int_equal(start(1), 0);
    seen_count[1] = 0;
    run(100 * MS); /* what is on its way has a token that the new one does not know */
    expect_count(0, 2);
    expect(0, 0, WEIR_EV_SENT, -ECONNRESET, 5);
    expect(0, 1, WEIR_EV_REPLY, -ECONNRESET, 6);
    assert_int_equal(send_bytes(0, 1, "again", 5, 7), 0);
    run(1 * MS);
    expect(0, 2, WEIR_EV_SENT, 0, 7);
    expect_count(1, 1);
    assert_memory_equal(seen[1][0].data, "again", 5);
    weir_release(ep[1], seen[1][0].lease);
    free(big);
}

static void a_restarted_peer_that_connects_first_is_recognised_by_its_token(void **state)
{
    (void)state;
    assert_int_equal(call_bytes(0, 1, "x", 1, 6, 0), 0);
    run(1 * MS); /* the call waits for its reply, nothing is under way */
    kill_ep(1);
    assert_int_equal(start(1), 0);
    seen_count[1] = 0;
    assert_int_equal(send_bytes(1, 0, "new", 3, 8), 0);
    run(1 * MS);
    expect_count(0, 2);
    expect(0, 0, WEIR_EV_REPLY, -ECONNRESET, 6);
    expect(0, 1, WEIR_EV_MESSAGE, 0, 0);
    expect(1, 0, WEIR_EV_SENT, 0, 8);
    weir_release(ep[0], seen[0][1].lease);
}

static void a_closed_peer_sends_reset(void **state)
{
    (void)state;
    assert_int_equal(call_bytes(0, 1, "x", 1, 6, 0), 0);
    run(1 * MS);
    assert_int_equal(weir_close(ep[1]), 0);
    ep[1] = NULL;
    run(1 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_REPLY, -ECONNRESET, 6);
    assert_int_equal(seen_ns[0][0], 1 * MS + 5 * US);
}

static void forged_handshake_packets_change_nothing(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 5), 0);
    run(1 * MS);
    weir_release(ep[1], seen[1][0].lease);
    uint64_t before = stats(1).refused_packets;
    inject_word(0, 1, (struct weir_wire_handshake){ .type = WEIR_WIRE_OPEN, .token = 99, .cookie = 1 });
    inject_word(0, 1, (struct weir_wire_handshake){ .type = WEIR_WIRE_RESET, .token = 99 });
    inject_word(0, 1, (struct weir_wire_handshake){ .type = WEIR_WIRE_COOKIE, .token = 99 });
    inject_word(0, 1, (struct weir_wire_handshake){ .type = WEIR_WIRE_REFUSE, .token = 99 });
    inject_word(0, 1, (struct weir_wire_handshake){ .type = WEIR_WIRE_READY, .token = 99, .own_token = 3 });
    run(1 * MS); /* the READY is answered by a RESET, which endpoint 0 does not believe either */
    assert_int_equal(stats(1).refused_packets - before, 5);
    assert_int_equal(stats(0).refused_packets, 1);
    assert_int_equal(stats(0).resets + stats(1).resets, 0);
    assert_int_equal(send_bytes(0, 1, "y", 1, 6), 0);
    run(1 * MS);
    expect(0, 1, WEIR_EV_SENT, 0, 6);
    weir_release(ep[1], seen[1][1].lease);
}

/* Nothing sends them yet, so whoever does is not answered, and nothing ends. */
static void a_challenge_is_refused(void **state)
{
    static const uint8_t types[] = { WEIR_WIRE_CHALLENGE, WEIR_WIRE_RESPONSE };
    (void)state;
    assert_int_equal(send_bytes(0, 1, "a", 1, 1), 0);
    run(1 * MS);
    for (uint32_t i = 0; i < 2; i++) {
        struct weir_stats before = stats(1), after;
        inject_word(0, 1,
                    (struct weir_wire_handshake){ .type = types[i], .token = peer(1, 0)->rx_token, .counter = 9 });
        run(1 * MS);
        after = stats(1);
        assert_int_equal(after.refused_packets - before.refused_packets, 1);
        assert_int_equal(after.packets_sent, before.packets_sent);
        assert_int_equal(after.peers, 1);
    }
    release_all(1);
}

static void answers_to_unknown_tokens_are_limited_to_4000_a_second(void **state)
{
    struct weir_net_addr a = mem_addr(77, 1), b = mem_addr(1, 4000);
    struct weir_pkt pkt = { .kind = WEIR_PKT_DONE };
    unsigned char bytes[WEIR_WIRE_HEAD_BYTES];
    (void)state;
    run(1 * SECOND); /* the ration is full: 256 */
    struct weir_wire_head head = { .pkt = pkt, .token = 12345, .counter = 1 };
    weir_wire_encode(&head, NULL, bytes);
    for (int i = 0; i < 1000; i++) {
        mem_inject(mem, &a, &b, bytes, sizeof(bytes));
        run(i % 10 == 9 ? 1 * MS : 0);
    }
    run(10 * MS);
    assert_int_equal(stats(0).refused_packets, 1000);
    /* the ration, and what 100 ms bring, of which the last is fully there when nobody asks any more */
    assert_in_range(mem_stats(mem)->answers, 256 + 396, 256 + 400);
    assert_int_equal(stats(0).unanswered_packets, 1000 - mem_stats(mem)->answers);
    assert_int_equal(mem_stats(mem)->answers_larger, 0);
}

static void setup_guarded(void)
{
    begin();
    can_guard[0] = can_guard[1] = true;
    start_all();
}

/* A datagram that nobody who talks to endpoint 0 would send: a HELLO, or with a token of nobody's. */
static void strange(uint32_t n)
{
    struct weir_net_addr from = mem_addr(1000 + n, 1), to = mem_addr(1, 4000);
    struct weir_wire_handshake hello = {
        .type = WEIR_WIRE_HELLO, .token = n, .version = WEIR_WIRE_VERSION, .ports = 1, .mss_bytes = MSS
    };
    struct weir_wire_head head = { .pkt = { .kind = WEIR_PKT_DONE }, .counter = 1 };
    unsigned char bytes[MSS + WEIR_WIRE_HEAD_BYTES] = { 0 };
    uint32_t length = WEIR_WIRE_HEAD_BYTES;
    if (n % 2 == 0)
        length = weir_wire_encode_handshake(&hello, bytes, n % 4 == 0 ? sizeof(bytes) : WEIR_WIRE_HELLO_MIN);
    else {
        head.token = weir_mix_u64(n) << 16 | (ep[0]->tag.present ^ 1);
        weir_wire_encode(&head, NULL, bytes);
    }
    mem_inject(mem, &from, &to, bytes, length);
}

/* 100,000 strangers a second for 100 ms: peers' calls go on, few strangers are read, fewer answered, by few system calls. */
static void strangers_take_nothing_from_peers(void **state)
{
    uint32_t sends;
    (void)state;
    setup_guarded();
    assert_int_equal(call_bytes(1, 0, "a", 1, 1, 0), 0);
    assert_int_equal(send_bytes(0, 2, "b", 1, 2), 0);
    run(10 * MS);
    assert_int_equal(stats(0).peers, 2);              /* both handshakes went through the strangers' queue */
    assert_in_range(stats(0).stranger_packets, 2, 3); /* HELLO and OPEN; answers to its own HELLO are not strange */
    sends = shim[0].sends;
    struct weir_stats before = stats(0);
    for (uint32_t n = 0; n < 10000; n++) {
        strange(n);
        if (n % 1000 == 500)
            assert_int_equal(send_bytes(1, 0, "c", 1, 3), 0);
        run(10 * US);
    }
    run(10 * MS);
    struct weir_stats after = stats(0);
    uint64_t read = after.stranger_packets - before.stranger_packets, answers = mem_stats(mem)->answers;
    assert_int_equal(read + shim[0].strangers_lost, 10000);
    assert_in_range(read, 3000, 110 * MS / (30 * US)); /* one in 30 us */
    assert_in_range(shim[0].strangers_most, 1, WEIR_NET_STRANGERS);
    assert_in_range(answers, 256 + 390, 256 + 440); /* 4000 a second */
    assert_int_equal(after.unanswered_packets - before.unanswered_packets, read - answers);
    assert_int_equal(mem_stats(mem)->answers_larger, 0);
    assert_int_equal(after.messages_received - before.messages_received, 10);
    assert_int_equal(after.peers, 2);
    assert_int_equal(after.rx_bytes_held - before.rx_bytes_held, 10 * 64); /* lent */
    assert_int_equal(stats(1).retransmissions + stats(1).timeouts, 0);
    assert_true(shim[0].sends - sends <= answers + 30);
    release_all(0);
    release_all(2);
}

static void later(uint64_t by_ns)
{
    mem_advance(mem, mem_now_ns(mem) + by_ns);
    (void)take(0);
}

/* An empty read would cost a system call. */
static void the_queue_of_strangers_is_seldom_read_if_it_is_empty(void **state)
{
    uint32_t asks;
    (void)state;
    setup_guarded();
    assert_int_equal(send_bytes(1, 0, "c", 1, 3), 0);
    run(1 * MS);
    asks = shim[0].strangers_asks;
    shim[0].net.strangers_none = true; /* as wait() found */
    later(100 * US);
    later(49 * US);
    assert_int_equal(shim[0].strangers_asks, asks);
    later(1 * US);
    assert_int_equal(shim[0].strangers_asks, asks + 1);
    later(49 * US);
    assert_int_equal(shim[0].strangers_asks, asks + 1);
    later(1 * US);
    assert_int_equal(shim[0].strangers_asks, asks + 2);
    for (int i = 0; i < 100; i++) { /* 5 ms in which datagrams come all the time */
        assert_int_equal(send_bytes(1, 0, "c", 1, 3), 0);
        (void)take(1);
        later(10 * US);
        assert_true(ep[0]->took);
        mem_advance(mem, mem_now_ns(mem) + 40 * US);
    }
    assert_in_range(shim[0].strangers_asks - asks - 2, 9, 11);
    strange(0);
    run(1 * MS);
    assert_int_equal(shim[0].strangers, 0);
    release_all(0);
}

/* 32 HELLOs that wait together are answered by one call of the driver. */
static void answers_to_strangers_leave_together(void **state)
{
    (void)state;
    setup_guarded();
    run(1 * MS);
    for (uint32_t n = 0; n < 64; n += 2)
        strange(n);
    run(52 * US); /* the last look is 50 us ago */
    assert_int_equal(shim[0].strangers_most, 32);
    assert_int_equal(mem_stats(mem)->answers, 32);
    assert_int_equal(shim[0].sends, 1);
    assert_int_equal(stats(0).packets_sent, 32);
    assert_int_equal(stats(0).stranger_packets, 32);
    for (uint32_t n = 0; n < 4; n += 2)
        strange(n);
    run(900 * US); /* 32 of them cost 960 us */
    assert_int_equal(stats(0).stranger_packets, 32);
    run(100 * US);
    assert_int_equal(stats(0).stranger_packets, 34);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_first_message_takes_six_one_way_delays, setup, teardown),
        cmocka_unit_test_setup_teardown(simultaneous_handshakes_connect, setup, teardown),
        cmocka_unit_test(any_handshake_packet_may_be_lost),
        cmocka_unit_test_setup_teardown(an_expired_cookie_is_requested_again, setup, teardown),
        cmocka_unit_test_setup_teardown(an_unreachable_peer_fails_after_its_timeout, setup, teardown),
        cmocka_unit_test_setup_teardown(an_answer_comes_from_the_address_that_was_written_to, setup, teardown),
        cmocka_unit_test_teardown(another_mtu_is_refused_at_both_ends, teardown),
        cmocka_unit_test(another_law_is_refused_at_both_ends),
        cmocka_unit_test_teardown(the_same_law_in_other_words_is_accepted, teardown),
        cmocka_unit_test_setup_teardown(a_peer_of_version_3_is_counted_and_named, setup, teardown),
        cmocka_unit_test_setup_teardown(a_later_version_is_answered, setup, teardown),
        cmocka_unit_test_setup_teardown(versions_end_a_handshake, setup, teardown),
        cmocka_unit_test_setup_teardown(a_call_that_waits_pings_its_peer, setup, teardown),
        cmocka_unit_test_setup_teardown(a_restarted_peer_fails_pending_operations_once, setup, teardown),
        cmocka_unit_test_setup_teardown(a_restarted_peer_that_connects_first_is_recognised_by_its_token, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_closed_peer_sends_reset, setup, teardown),
        cmocka_unit_test_setup_teardown(forged_handshake_packets_change_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(a_challenge_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(answers_to_unknown_tokens_are_limited_to_4000_a_second, setup, teardown),
        cmocka_unit_test_teardown(strangers_take_nothing_from_peers, teardown),
        cmocka_unit_test_teardown(answers_to_strangers_leave_together, teardown),
        cmocka_unit_test_teardown(the_queue_of_strangers_is_seldom_read_if_it_is_empty, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/shake", tests, NULL, NULL);
}
