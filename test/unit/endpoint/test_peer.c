/* test/unit/endpoint/test_peer.c - places of peers, their silence, and their end. */
#include "test/unit/endpoint/endpoint_test.h"

static void a_silent_peer_fails_after_its_timeout(void **state)
{
    unsigned char *data = noise(1000000, 1);
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    release_all(1);
    mem_unplug(shim[1].inner);
    assert_int_equal(send_bytes(0, 1, data, 1000000, 2), 0); /* its silence counts from here: 1 ms */
    run(SECOND - MS);
    expect_count(0, 1);
    run(1 * MS);
    expect_count(0, 2);
    expect(0, 1, WEIR_EV_SENT, -ETIMEDOUT, 2);
    assert_int_equal(seen_ns[0][1], SECOND + MS);
    assert_int_equal(stats(0).peers, 0);
    free(data);
}

static void partial_messages_of_a_silent_peer_are_freed(void **state)
{
    unsigned char *data = noise(4000000, 1);
    (void)state;
    assert_int_equal(send_bytes(1, 0, data, 4000000, 1), 0);
    run(1 * MS);
    assert_true(stats(0).rx_bytes_held > 4000000);
    mem_unplug(shim[1].inner);
    run(2 * SECOND);
    assert_int_equal(stats(0).rx_bytes_held, ep[0]->msg_block_bytes);
    assert_int_equal(stats(0).peers, 0);
    expect_count(0, 0);
    free(data);
}

/* A message takes longer than peer_timeout_ns: as long as packets come nobody has failed. */
static void a_slow_peer_does_not_fail(void **state)
{
    unsigned char *data = noise(1000000, 1);
    (void)state;
    begin();
    opts[0].peer_timeout_ns = opts[1].peer_timeout_ns = 20 * MS;
    opts[0].rate_bps = opts[1].rate_bps = 100000000;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    assert_int_equal(send_bytes(0, 1, data, 1000000, 1), 0);
    run(200 * MS); /* 80 ms of link and more */
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    assert_true(seen_ns[0][0] > 80 * MS);
    release_all(1);
    free(data);
}

static void peers_do_not_fail_while_we_did_not_poll(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    release_all(1);
    assert_int_equal(send_bytes(0, 1, "y", 1, 2), 0);
    asleep[0] = true;
    run(30 * SECOND);
    asleep[0] = false;
    run(1 * SECOND);
    expect(0, 1, WEIR_EV_SENT, 0, 2);
    assert_int_equal(stats(0).resets, 0);
    release_all(1);
}

static void a_waiting_caller_detects_a_restart(void **state)
{
    (void)state;
    assert_int_equal(call_bytes(0, 1, "x", 1, 1, 0), 0);
    run(5 * SECOND); /* thinking about it is no silence, whatever peer_timeout_ns says */
    expect_count(0, 0);
    kill_ep(1);
    assert_int_equal(start(1), 0);
    run(1 * SECOND + 10 * US);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_REPLY, -ECONNRESET, 1);
}

/* Its host lost power after the request had arrived: PINGs are not answered. */
static void a_call_to_a_host_without_power_ends(void **state)
{
    (void)state;
    assert_int_equal(call_bytes(0, 1, "x", 1, 1, 0), 0);
    run(5 * SECOND);
    kill_ep(1);
    run(900 * MS);
    expect_count(0, 0);
    run(1100 * MS); /* it answered the last PING at most a second before, and is silent for peer_timeout */
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_REPLY, -ETIMEDOUT, 1);
    assert_int_equal(start(1), 0); /* for the teardown */
}

static void a_request_whose_caller_is_gone_cannot_be_answered(void **state)
{
    struct iovec iov = { "r", 1 };
    (void)state;
    assert_int_equal(call_bytes(0, 1, "x", 1, 1, 0), 0);
    run(1 * MS);
    assert_int_equal(weir_close(ep[0]), 0);
    ep[0] = NULL;
    run(1 * MS);
    assert_memory_equal(seen[1][0].data, "x", 1); /* still lent */
    assert_int_equal(weir_reply(ep[1], seen[1][0].rpc, &iov, 1, 2, NULL), -ENOENT);
    release_all(1);
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
}

static void a_full_peer_table_recycles_only_idle_strangers(void **state)
{
    struct weir_net_addr addr = mem_addr(50, 1);
    struct sockaddr_storage sa;
    struct weir_peer *p;
    socklen_t len;
    (void)state;
    begin();
    opts[0].max_peers = 2;
    start_all();
    /* both places are taken by strangers whose messages nobody has looked at: they cannot be recycled */
    asleep[0] = false;
    assert_int_equal(send_bytes(1, 0, "", 0, 1), 0);
    assert_int_equal(send_bytes(2, 0, "", 0, 2), 0);
    run(1 * MS);
    assert_int_equal(stats(0).peers, 2);
    len = weir_net_addr_to(&addr, &sa);
    assert_int_equal(weir_peer_get(ep[0], (const struct sockaddr *)&sa, len, &p), -ENOSPC);
    assert_null(p);
    assert_ptr_equal(peer(0, 1), seen[0][0].peer);
}

static void an_idle_stranger_is_recycled_for_the_next(void **state)
{
    struct weir_net_addr addr = mem_addr(50, 1);
    struct sockaddr_storage sa;
    struct weir_peer *p;
    (void)state;
    begin();
    opts[0].max_peers = 2;
    opts[0].rx_bytes = 65536;
    start_all();
    unsigned char *data = noise(100000, 1);
    assert_int_equal(send_bytes(1, 0, data, 100000, 1), 0); /* too large: refused, nothing is heard of it */
    assert_int_equal(send_bytes(2, 0, data, 100000, 2), 0);
    run(1 * MS);
    expect(1, 0, WEIR_EV_SENT, -EMSGSIZE, 1);
    assert_int_equal(stats(0).peers, 2);
    socklen_t len = weir_net_addr_to(&addr, &sa);
    assert_int_equal(weir_peer_get(ep[0], (const struct sockaddr *)&sa, len, &p), 0);
    assert_int_equal(stats(0).peers, 1);
    run(1 * MS);
    assert_int_equal(stats(1).peers + stats(2).peers, 1); /* it was told */
    free(data);
}

/* One with room for two. */
static void begin_with_two_places(void)
{
    begin();
    opts[0].max_peers = 2;
    start_all();
    assert_int_equal(send_bytes(1, 0, "a", 1, 1), 0);
    assert_int_equal(send_bytes(2, 0, "b", 1, 2), 0);
    run(1 * MS);
    expect_count(0, 2);
}

static void a_peer_put_back_is_recycled_for_the_next(void **state)
{
    struct weir_peer *p, *first, *again;
    struct iovec iov = { "x", 1 };
    (void)state;
    begin_with_two_places();
    first = seen[0][0].peer;
    weir_peer_set_context(first, seen);
    assert_int_equal(peer_at(0, 50, &p), -ENOSPC);
    assert_int_equal(weir_peer_put(ep[0], first), 0);
    assert_int_equal(weir_peer_put(ep[0], first), -EINVAL);
    assert_int_equal(weir_peer_put(ep[0], NULL), -EINVAL);
    assert_int_equal(weir_peer_put(ep[1], seen[0][1].peer), -EINVAL);
    assert_int_equal(weir_send(ep[0], first, &iov, 1, 3, NULL), -EINVAL);
    assert_int_equal(weir_call(ep[0], first, &iov, 1, 3, NULL), -EINVAL);
    assert_int_equal(weir_recv_into(ep[0], first, &iov, 0, 1, 3), -EINVAL);
    again = peer(0, 1); /* nobody needed its place yet */
    assert_ptr_equal(again, first);
    assert_null(weir_peer_context(again));
    assert_int_equal(weir_peer_put(ep[0], first), 0);
    assert_int_equal(peer_at(0, 50, &p), 0);
    assert_ptr_equal(p, first);
    run(1 * MS);
    assert_int_equal(stats(1).peers, 0); /* it was told */
    assert_int_equal(stats(2).peers, 1);
    release_all(0);
}

/* Handles are given back, and the only place there is stays taken: until an operation, a message or a request ends. */
static void what_goes_on_with_a_peer_keeps_its_record(void **state)
{
    unsigned char *data = noise(3000000, 1);
    struct weir_peer *p;
    (void)state;
    begin();
    opts[0].max_peers = 1;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    assert_int_equal(send_bytes(0, 1, data, 3000000, 1), 0); /* an operation, pending */
    assert_int_equal(weir_peer_put(ep[0], peer(0, 1)), 0);
    assert_int_equal(peer_at(0, 50, &p), -ENOSPC);
    run(10 * MS);
    release_all(1);
    assert_int_equal(send_bytes(1, 0, data, 3000000, 2), 0); /* a message, arriving */
    run(500 * US);
    assert_int_equal(weir_peer_put(ep[0], peer(0, 1)), 0);
    assert_int_equal(peer_at(0, 50, &p), -ENOSPC);
    run(10 * MS);
    release_all(0);
    assert_int_equal(call_bytes(1, 0, "x", 1, 3, 0), 0); /* a request, unanswered */
    run(1 * MS);
    release_all(0);
    assert_int_equal(weir_peer_put(ep[0], peer(0, 1)), 0);
    assert_int_equal(peer_at(0, 50, &p), -ENOSPC);
    assert_int_equal(weir_reply(ep[0], seen[0][seen_count[0] - 1].rpc, NULL, 0, 4, NULL), 0);
    run(1 * MS);
    assert_int_equal(weir_peer_put(ep[0], peer(0, 1)), 0);
    assert_int_equal(peer_at(0, 50, &p), 0); /* nothing goes on */
    free(data);
}

/* 50 addresses one after the other call an endpoint with places for two, which forgets all handles. */
static void a_server_that_lends_handles_serves_any_number_of_peers(void **state)
{
    struct weir_peer *p;
    (void)state;
    for (int lends = 0; lends < 2; lends++) {
        begin();
        opts[0].max_peers = 2;
        opts[0].flags = lends ? WEIR_OPEN_LEND_PEERS : 0;
        assert_int_equal(start(0), 0);
        for (uint32_t n = 0; n < 50; n++) {
            opts[1].peer_timeout_ns = 10 * MS;
            place[1] = 10 + n;
            assert_int_equal(start(1), 0);
            assert_int_equal(call_bytes(1, 0, "x", 1, n, 0), 0);
            run(20 * MS);
            for (int k = 0; k < seen_count[0]; k++)
                if (seen[0][k].type == WEIR_EV_CALL)
                    assert_int_equal(weir_reply(ep[0], seen[0][k].rpc, NULL, 0, 1, NULL), 0);
            release_all(0);
            seen_count[0] = 0;
            run(1 * MS);
            expect(1, 0, WEIR_EV_REPLY, lends || n < 2 ? 0 : -EHOSTUNREACH, n);
            assert_int_equal(weir_close(ep[1]), 0);
            ep[1] = NULL;
            seen_count[1] = 0;
        }
        assert_int_equal(stats(0).peers_refused > 0, !lends);
        assert_int_equal(peer_at(0, 99, &p), lends ? 0 : -ENOSPC);
        teardown(NULL);
    }
    begin(); /* for the teardown */
}

/* It is the application's until the next weir_poll(), and beyond it if weir_peer_get() named it. */
static void a_lent_handle_ends_with_the_next_poll(void **state)
{
    struct weir_peer *p;
    struct weir_event one;
    struct iovec iov = { "x", 1 };
    (void)state;
    begin();
    opts[0].flags = WEIR_OPEN_LEND_PEERS;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    for (int keeps = 0; keeps < 2; keeps++) {
        assert_int_equal(send_bytes(1, 0, "", 0, 1), 0);
        while (weir_poll(ep[0], &one, 1, 0) == 0) {
            assert_true(weir_poll(ep[1], NULL, 0, 0) == 0);
            mem_advance(mem, mem_now_ns(mem) + 1 * US);
        }
        p = one.peer;
        assert_null(weir_peer_context(p));
        weir_peer_set_context(p, &one);
        assert_int_equal(weir_peer_set_weight(ep[0], p, 7000), 0);
        assert_int_equal(weir_send(ep[0], p, &iov, 1, 3, NULL), 0);
        if (keeps)
            assert_ptr_equal(peer(0, 1), p);
        assert_int_equal(weir_poll(ep[0], NULL, 0, 0), 0);
        assert_int_equal(weir_send(ep[0], p, &iov, 1, 3, NULL), keeps ? 0 : -EINVAL);
        assert_ptr_equal(weir_peer_context(peer(0, 1)), keeps ? &one : NULL);
        assert_int_equal(p->weight_milli, keeps ? 7000 : 0);
        assert_int_equal(weir_peer_put(ep[0], p), 0);
        assert_int_equal(weir_peer_put(ep[0], p), -EINVAL);
        run(1 * MS);
        release_all(1);
    }
}

static void disconnected_peers_are_recycled_before_connected_ones(void **state)
{
    struct weir_peer *p;
    (void)state;
    begin_with_two_places();
    release_all(0);
    assert_int_equal(weir_peer_put(ep[0], seen[0][0].peer), 0);
    assert_int_equal(weir_peer_put(ep[0], seen[0][1].peer), 0);
    assert_int_equal(weir_close(ep[2]), 0);
    ep[2] = NULL;
    run(1 * MS);
    assert_int_equal(peer_at(0, 50, &p), 0);
    assert_ptr_equal(p, seen[0][1].peer);
    assert_int_equal(stats(1).peers, 1);
}

/* A message whose event was not taken, and memory offered to it, keep a place that was given back. */
static void an_undelivered_event_keeps_its_peer(void **state)
{
    struct weir_peer *p;
    char room[8];
    (void)state;
    begin_with_two_places();
    release_all(0);
    assert_int_equal(weir_recv_into(ep[0], seen[0][1].peer, room, 0, sizeof(room), 9), 0);
    assert_int_equal(send_bytes(1, 0, "c", 1, 3), 0);
    run(0);
    asleep[0] = true; /* progress without taking events */
    for (int i = 0; i < 40; i++) {
        run(1 * US);
        assert_int_equal(weir_poll(ep[0], &seen[0][2], 0, 0), 0);
    }
    assert_int_equal(stats(0).events_pending, 1);
    assert_int_equal(weir_peer_put(ep[0], seen[0][0].peer), 0);
    assert_int_equal(weir_peer_put(ep[0], seen[0][1].peer), 0);
    assert_int_equal(peer_at(0, 50, &p), -ENOSPC);
    asleep[0] = false;
    run(0);
    expect(0, 2, WEIR_EV_MESSAGE, 0, 0);
    assert_ptr_equal(seen[0][2].peer, seen[0][0].peer);
    assert_int_equal(weir_cancel(ep[0], 9), 1);
    assert_int_equal(peer_at(0, 50, &p), -ENOSPC); /* its event names the second, and the first is known again */
    run(0);
    expect(0, 3, WEIR_EV_RECEIVED, -ECANCELED, 9);
    assert_int_equal(weir_peer_put(ep[0], seen[0][3].peer), 0);
    assert_int_equal(peer_at(0, 50, &p), 0);
    assert_ptr_equal(p, seen[0][1].peer);
    release_all(0);
}

static void a_token_is_valid_only_from_its_peers_address(void **state)
{
    (void)state;
    struct weir_peer *p = peer(0, 1), *q = peer(0, 2);
    assert_int_equal(p->own_token & 0xffff, ep[0]->tag.present);
    assert_int_equal(q->own_token & 0xffff, ep[0]->tag.present);
    assert_true(p->own_token != q->own_token);
    assert_ptr_equal(ep_peer_of_token(ep[0], p->own_token, &p->addr), p);
    assert_null(ep_peer_of_token(ep[0], p->own_token, &q->addr));
    assert_null(ep_peer_of_token(ep[0], p->own_token ^ 1u << 20, &p->addr));
    assert_null(ep_peer_of_token(ep[0], 3, &p->addr));
    assert_null(ep_peer_of_token(ep[0], 0, &p->addr));
    uint64_t before = p->own_token;
    ep_peer_end(ep[0], p, -ECONNRESET);
    assert_true(p->own_token != before);
    assert_int_equal(p->own_token & 0xffff, ep[0]->tag.present);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_silent_peer_fails_after_its_timeout, setup, teardown),
        cmocka_unit_test_setup_teardown(partial_messages_of_a_silent_peer_are_freed, setup, teardown),
        cmocka_unit_test_teardown(a_slow_peer_does_not_fail, teardown),
        cmocka_unit_test_setup_teardown(peers_do_not_fail_while_we_did_not_poll, setup, teardown),
        cmocka_unit_test_setup_teardown(a_waiting_caller_detects_a_restart, setup, teardown),
        cmocka_unit_test_setup_teardown(a_call_to_a_host_without_power_ends, setup, teardown),
        cmocka_unit_test_setup_teardown(a_request_whose_caller_is_gone_cannot_be_answered, setup, teardown),
        cmocka_unit_test_teardown(a_full_peer_table_recycles_only_idle_strangers, teardown),
        cmocka_unit_test_teardown(an_idle_stranger_is_recycled_for_the_next, teardown),
        cmocka_unit_test_teardown(a_peer_put_back_is_recycled_for_the_next, teardown),
        cmocka_unit_test_teardown(what_goes_on_with_a_peer_keeps_its_record, teardown),
        cmocka_unit_test_teardown(a_server_that_lends_handles_serves_any_number_of_peers, teardown),
        cmocka_unit_test_teardown(a_lent_handle_ends_with_the_next_poll, teardown),
        cmocka_unit_test_teardown(disconnected_peers_are_recycled_before_connected_ones, teardown),
        cmocka_unit_test_teardown(an_undelivered_event_keeps_its_peer, teardown),
        cmocka_unit_test_setup_teardown(a_token_is_valid_only_from_its_peers_address, setup, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/peer", tests, NULL, NULL);
}
