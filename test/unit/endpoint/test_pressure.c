/* test/unit/endpoint/test_pressure.c - memory of a receiver that is short of it: slow peers, silent peers, and those who
 * want more than their share. Endpoint 1 receives. Host 0 is slow, host 2 has a link of 10 Gb/s. */
#include "test/unit/endpoint/endpoint_test.h"

enum { MB = 1000000, RX = 16 << 20, MOST = RX - RX / 8 };

static unsigned char bytes[12 * MB];

static void begin_with_rate(uint64_t slow_bps)
{
    begin();
    for (uint32_t i = 0; i < EPS; i++)
        opts[i].peer_timeout_ns = 20 * SECOND;
    opts[0].rate_bps = slow_bps;
    opts[1].rx_bytes = RX;
    start_all();
}

static struct weir_peer *host(uint32_t i)
{
    return &ep[1]->peers[peer(1, i)->number - 1];
}

/* Runs for so long, and gives back at once what endpoint 1 was lent. */
static void run_and_release(uint64_t for_ns)
{
    for (uint64_t end = now_ns() + for_ns; now_ns() < end;) {
        run(weir_min_u64(end - now_ns(), 10 * MS));
        release_all(1);
    }
}

/* Host 0 sends 10 MB at 1 Mb/s, which takes 84 s. The 10 MB of host 2 begin after a second and a little. */
static void a_slow_peer_keeps_nobody_out(void **state)
{
    (void)state;
    begin_with_rate(MB);
    assert_int_equal(send_bytes(0, 1, bytes, 10 * MB, 1), 0);
    assert_int_equal(send_bytes(0, 1, "x", 1, 2), 0);
    run_and_release(5 * SECOND);
    expect(0, 0, WEIR_EV_SENT, 0, 2);
    assert_int_equal(stats(1).messages_arriving, 1);
    assert_int_equal(send_bytes(2, 1, bytes, 10 * MB, 3), 0);
    run_and_release(1 * SECOND);
    expect_count(2, 0);
    run_and_release(1300 * MS); /* measured from the first try on, for a second, seen at most 0.1 s late */
    expect_count(2, 1);
    expect(2, 0, WEIR_EV_SENT, 0, 3);
    expect_count(0, 2);
    expect(0, 1, WEIR_EV_SENT, -ENOBUFS, 1);
    assert_int_equal(stats(1).resets, 0); /* only this message ended */
    assert_int_equal(send_bytes(0, 1, bytes, 100000, 4), 0);
    run_and_release(2 * SECOND);
    expect(0, 2, WEIR_EV_SENT, 0, 4);
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
}

static void a_slow_peer_goes_on_while_nobody_else_asks(void **state)
{
    (void)state;
    begin_with_rate(MB);
    assert_int_equal(send_bytes(0, 1, bytes, 2 * MB, 1), 0);
    run_and_release(5 * SECOND);
    assert_int_equal(send_bytes(2, 1, bytes, 8 * MB, 3), 0); /* there is room for both */
    run_and_release(15 * SECOND);
    expect(2, 0, WEIR_EV_SENT, 0, 3);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
}

/* Two hosts: each has a right to half of what large messages may use. */
static void a_slow_peer_keeps_its_share(void **state)
{
    uint64_t share = MOST / 2;
    for (int over = 0; over < 2; over++) {
        begin_with_rate(MB);
        (void)state;
        /* blocks have four sizes per doubling: 7 MiB is one of them, and 8 MiB the next */
        assert_int_equal(send_bytes(0, 1, bytes, (7 << 20) + (uint32_t)over, 1), 0);
        run(SECOND);
        assert_int_equal(ep_share(ep[1]), share);
        assert_int_equal(host(0)->arriving_bytes, (7 + over) << 20);
        assert_int_equal(send_bytes(2, 1, bytes, 10 * MB, 3), 0);
        run_and_release(4 * SECOND);
        expect_count(2, over);
        expect_count(0, over);
        teardown(NULL);
    }
    begin(); /* for the teardown */
}

/* At 3 Mb/s it is not too slow: 2 Mb/s is the least. */
static void a_peer_that_is_not_slow_completes(void **state)
{
    (void)state;
    begin_with_rate(3 * MB);
    assert_int_equal(send_bytes(0, 1, bytes, 10 * MB, 1), 0);
    run(SECOND);
    assert_int_equal(send_bytes(2, 1, bytes, 10 * MB, 3), 0);
    run_and_release(10 * SECOND);
    expect_count(2, 0);
    expect_count(0, 0);
    run_and_release(30 * SECOND);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    expect(2, 0, WEIR_EV_SENT, 0, 3);
}

/* Arrivals of 1 s are compared with 250,000 bytes, of a peer that has credit. */
static void a_peer_is_slow_below_250_kb_a_second_with_credit(void **state)
{
    static const struct {
        uint64_t after_ms;
        uint32_t bytes;
        bool credit, slow;
    } table[] = {
        { 1000, 249999, true, true }, { 1000, 250000, true, false }, { 1000, 249999, false, false },
        { 999, 0, true, false },      { 1999, 499749, true, true },  { 1999, 499750, true, false },
        { 2000, 0, true, false },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        begin_with_rate(MB);
        assert_int_equal(send_bytes(0, 1, bytes, 10 * MB, 1), 0);
        run(SECOND);
        struct weir_peer *q = host(0);
        ep[1]->relieved_ps = 0;
        ep[1]->now_ps = ep[1]->last_poll_ps = 10 * WEIR_PS_PER_S;
        q->heard_ps = ep[1]->now_ps;
        q->measured_ps = ep[1]->now_ps - table[i].after_ms * WEIR_PS_PER_MS;
        q->data_bytes = table[i].bytes;
        q->granted = q->spent + (table[i].credit ? 1 : 0);
        (void)ep_pressure_relieve(ep[1]);
        assert_int_equal(q->lags, table[i].slow);
        teardown(NULL);
    }
    begin(); /* for the teardown */
}

/* The slow one asks for more memory itself, more often than the other: that one is served all the same. */
static void a_slow_peer_that_asks_for_more_is_slow(void **state)
{
    (void)state;
    begin_with_rate(MB);
    for (uint64_t i = 0; i < 20; i++)
        assert_int_equal(send_bytes(0, 1, bytes, 8 * MB, i), 0);
    run_and_release(5 * SECOND);
    expect_count(0, 0); /* it keeps itself out, and nobody else */
    assert_int_equal(send_bytes(2, 1, bytes, 10 * MB, 30), 0);
    run_and_release(4 * SECOND);
    expect(2, 0, WEIR_EV_SENT, 0, 30);
    assert_int_equal(stats(1).resets, 0);
    assert_in_range(seen_count[0], 1, 2);
    expect(0, 0, WEIR_EV_SENT, -ENOBUFS, seen[0][0].user_data);
}

/* It is slow, and does not confirm that its message was refused: REFUSE is lost again and again. */
static void a_slow_peer_that_does_not_obey_is_ended(void **state)
{
    (void)state;
    begin_with_rate(MB);
    assert_int_equal(send_bytes(0, 1, bytes, 10 * MB, 1), 0);
    run(3 * SECOND);
    shim[1].lose[WEIR_WIRE_REFUSE] = 1000;
    assert_int_equal(send_bytes(2, 1, bytes, 10 * MB, 3), 0);
    run_and_release(1900 * MS);
    expect_count(0, 0);
    run_and_release(1300 * MS); /* for host 2 asks every 0.64 s */
    expect(0, 0, WEIR_EV_SENT, -ECONNRESET, 1);
    expect(2, 0, WEIR_EV_SENT, 0, 3);
    assert_int_equal(shim[1].lose[WEIR_WIRE_REFUSE], 1000 - 10); /* once in 0.1 s */
}

/* Two thirds of the memory in use are lent to the application of endpoint 1, which does not release them. The rest is
 * the slow peer's, and more than its share. */
static void nobody_is_refused_while_the_application_holds_the_memory(void **state)
{
    struct weir_peer *third;
    (void)state;
    begin_with_rate(MB);
    for (uint64_t i = 0; i < 2; i++)
        assert_int_equal(send_bytes(2, 1, bytes, 4 << 20, i), 0);
    assert_int_equal(send_bytes(0, 1, bytes, 5 << 20, 10), 0);
    run(1 * SECOND);
    expect_count(1, 2);
    assert_int_equal(peer_at(1, 50, &third), 0);
    ep[1]->holders++; /* as if it held a little */
    assert_int_equal(send_bytes(2, 1, bytes, 4 << 20, 3), 0);
    run(5 * SECOND);
    assert_true(host(0)->lags && host(0)->arriving_bytes > ep_share(ep[1]));
    run_and_release(90 * SECOND); /* nor is anybody once there is memory */
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, 0, 10);
    expect(2, 2, WEIR_EV_SENT, 0, 3);
    ep[1]->holders--;
}

/* The application of endpoint 1 waits for it. */
static void a_slow_reply_is_not_refused(void **state)
{
    struct iovec iov = { bytes, 10 * MB };
    (void)state;
    begin_with_rate(MB);
    assert_int_equal(call_bytes(1, 0, "x", 1, 1, 0), 0);
    run(10 * MS);
    assert_int_equal(weir_reply(ep[0], seen[0][0].rpc, &iov, 1, 2, NULL), 0);
    release_all(0);
    run(SECOND);
    assert_int_equal(stats(1).messages_arriving, 1);
    assert_int_equal(send_bytes(2, 1, bytes, 10 * MB, 3), 0);
    run_and_release(90 * SECOND);
    expect(1, 0, WEIR_EV_REPLY, 0, 1);
    expect(0, 1, WEIR_EV_REPLIED, 0, 2);
    expect(2, 0, WEIR_EV_SENT, 0, 3);
}

/* Host 0 has 14 messages for memory that takes 9, and is not slow. Host 2 has one: it waits for one of these, not for
 * most of them. */
static void a_fast_peer_takes_no_more_than_its_share_while_another_waits(void **state)
{
    (void)state;
    begin_with_rate(200 * (uint64_t)MB);
    for (uint64_t i = 0; i < 14; i++)
        assert_int_equal(send_bytes(0, 1, bytes, 1500000, i), 0);
    run_and_release(50 * MS);
    assert_true(host(0)->arriving_bytes > (uint64_t)MOST / 4 * 3);
    assert_int_equal(send_bytes(2, 1, bytes, 1500000, 100), 0);
    run_and_release(300 * MS); /* each message of host 0 takes 60 ms */
    expect(2, 0, WEIR_EV_SENT, 0, 100);
    assert_in_range(seen_count[0], 1, 8);
    assert_true(host(0)->arriving_bytes <= ep_share(ep[1]));
    run_and_release(20 * SECOND); /* nobody waits any more */
    expect_count(0, 14);
}

static void the_share_counts_peers_that_hold_memory(void **state)
{
    struct weir_peer *p;
    (void)state;
    begin_with_rate(MB);
    p = peer(1, 0);
    assert_int_equal(ep_share(ep[1]), MOST);
    assert_true(ep_share_allows(ep[1], p, MOST));
    assert_int_equal(send_bytes(0, 1, bytes, 3 << 20, 1), 0);
    run(SECOND);
    assert_int_equal(ep[1]->holders, 1);
    assert_true(ep_share_allows(ep[1], p, RX)); /* nobody else wants any */
    ep_share_note(ep[1], p, RX);
    assert_true(ep_share_allows(ep[1], p, RX));
    ep_share_note(ep[1], peer(1, 2), RX);
    assert_true(ep_share_allows(ep[1], p, 4 << 20)); /* 3 + 4 = 14 / 2 */
    assert_false(ep_share_allows(ep[1], p, (4 << 20) + 1));
    assert_true(ep_share_allows(ep[1], p, 65536)); /* small ones have memory of their own */
    assert_true(ep_share_allows(ep[1], peer(1, 2), RX));
    ep_share_note(ep[1], p, RX); /* it does, too */
    assert_false(ep_share_allows(ep[1], p, (4 << 20) + 1));
    ep[1]->now_ps += WEIR_PS_PER_S - 1;
    assert_false(ep_share_allows(ep[1], p, (4 << 20) + 1));
    ep[1]->now_ps++;
    assert_true(ep_share_allows(ep[1], p, (4 << 20) + 1)); /* a second ago */
    assert_int_equal(weir_cancel(ep[0], 1), 1);
    run(100 * MS);
    assert_int_equal(ep[1]->holders, 0);
    p->lags = true;
    p->measured_ps = ep[1]->now_ps;
    assert_true(ep_share_allows(ep[1], p, RX));
    ep[1]->now_ps += 10 * WEIR_PS_PER_S - 1;
    ep_share_note(ep[1], peer(1, 2), RX);
    assert_false(ep_share_allows(ep[1], p, 65537));
    assert_true(ep_share_allows(ep[1], p, 65536));
    ep[1]->now_ps++;
    assert_true(ep_share_allows(ep[1], p, RX));
}

/* Strangers have used up the ration of answers. */
static void a_slow_peer_is_refused_without_the_ration(void **state)
{
    (void)state;
    begin_with_rate(MB);
    assert_int_equal(send_bytes(0, 1, bytes, 10 * MB, 1), 0);
    run(1 * SECOND);
    assert_int_equal(send_bytes(2, 1, "x", 1, 2), 0);
    run_and_release(10 * MS);
    ep[1]->ration_ps = 1000 * WEIR_PS_PER_S;
    assert_int_equal(send_bytes(2, 1, bytes, 10 * MB, 3), 0);
    run_and_release(4 * SECOND);
    expect(0, 0, WEIR_EV_SENT, -ENOBUFS, 1);
    expect(2, 1, WEIR_EV_SENT, 0, 3);
    assert_int_equal(stats(1).resets, 0);
}

/* Homa's CREDIT is no running total. */
static void a_slow_peer_of_another_protocol_is_slow(void **state)
{
    (void)state;
    begin();
    for (uint32_t i = 0; i < EPS; i++) {
        opts[i].peer_timeout_ns = 20 * SECOND;
        opts[i].cc = "homa";
    }
    opts[0].rate_bps = MB;
    opts[1].rx_bytes = RX;
    start_all();
    assert_int_equal(send_bytes(0, 1, bytes, 10 * MB, 1), 0);
    run_and_release(1 * SECOND);
    assert_int_equal(send_bytes(2, 1, bytes, 10 * MB, 3), 0);
    run_and_release(4 * SECOND);
    expect(0, 0, WEIR_EV_SENT, -ENOBUFS, 1);
    expect(2, 0, WEIR_EV_SENT, 0, 3);
    assert_int_equal(stats(1).resets, 0);
}

/* Memory was promised to messages of host 0, whose ROOM is lost. Host 2 waits, too. */
static void a_promise_counts_towards_the_share(void **state)
{
    (void)state;
    begin_with_rate(200 * (uint64_t)MB);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(send_bytes(2, 1, bytes, 3 << 20, i), 0);
    run(500 * MS);
    expect_count(1, 4);
    for (uint64_t i = 0; i < 4; i++)
        assert_int_equal(send_bytes(0, 1, bytes, 3 << 20, 10 + i), 0);
    run(500 * MS);
    assert_int_equal(send_bytes(2, 1, bytes, 10 * MB, 20), 0);
    run(10 * MS);
    assert_int_equal(ep[1]->wait_count, 5);
    shim[1].lose[WEIR_PKT_NOTICE] = 1000;
    release_all(1);
    run(1 * MS);
    assert_int_equal(host(0)->promised_bytes, 6 << 20); /* of 7 MiB; all four would be 12 */
    assert_int_equal(ep[1]->promised_bytes, 6 << 20);
    assert_int_equal(ep[1]->holders, 1);
    shim[1].lose[WEIR_PKT_NOTICE] = 0;
    run_and_release(10 * SECOND);
    expect_count(0, 4);
    expect_count(2, 5);
    assert_int_equal(ep[1]->holders, 0);
    assert_int_equal(ep[1]->promised_bytes, 0);
    assert_int_equal(host(0)->promised_bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_slow_peer_keeps_nobody_out, teardown),
        cmocka_unit_test_teardown(a_slow_peer_goes_on_while_nobody_else_asks, teardown),
        cmocka_unit_test_teardown(a_slow_peer_keeps_its_share, teardown),
        cmocka_unit_test_teardown(a_peer_that_is_not_slow_completes, teardown),
        cmocka_unit_test_teardown(a_peer_is_slow_below_250_kb_a_second_with_credit, teardown),
        cmocka_unit_test_teardown(a_slow_peer_that_asks_for_more_is_slow, teardown),
        cmocka_unit_test_teardown(a_slow_peer_that_does_not_obey_is_ended, teardown),
        cmocka_unit_test_teardown(nobody_is_refused_while_the_application_holds_the_memory, teardown),
        cmocka_unit_test_teardown(a_slow_reply_is_not_refused, teardown),
        cmocka_unit_test_teardown(a_fast_peer_takes_no_more_than_its_share_while_another_waits, teardown),
        cmocka_unit_test_teardown(the_share_counts_peers_that_hold_memory, teardown),
        cmocka_unit_test_teardown(a_slow_peer_is_refused_without_the_ration, teardown),
        cmocka_unit_test_teardown(a_slow_peer_of_another_protocol_is_slow, teardown),
        cmocka_unit_test_teardown(a_promise_counts_towards_the_share, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/pressure", tests, NULL, NULL);
}
