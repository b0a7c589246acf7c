/* test/unit/endpoint/test_contract.c - sentences of weir.h that no other test holds. contract.list has them all. */
#include "test/unit/endpoint/endpoint_test.h"
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RX = 1 << 20, MOST = RX / 4 * 3, BIG = 1000000 };

static unsigned char bytes[BIG];
static struct weir_event one;

/* Three endpoints, of which endpoint 1 has 1 MiB for messages. */
static int setup_small(void **state)
{
    (void)state;
    begin();
    opts[1].rx_bytes = RX;
    start_all();
    return 0;
}

/* --- messages --- */

static void the_largest_message_is_three_quarters_of_rx_bytes(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, bytes, MOST, 1), 0);
    run(10 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    release_all(1);
    assert_int_equal(send_bytes(0, 1, bytes, MOST + 1, 2), 0);
    run(10 * MS);
    expect(0, 1, WEIR_EV_SENT, -EMSGSIZE, 2);
    assert_true(stats(1).refused_packets > 0);
    expect_count(1, 1);
}

static void a_short_message_overtakes_a_long_one(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, bytes, BIG, 1), 0);
    run(200 * US);
    assert_int_equal(send_bytes(0, 1, "x", 1, 2), 0);
    run(10 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 2);
    expect(0, 1, WEIR_EV_SENT, 0, 1);
    assert_int_equal(seen[1][0].len, 1);
    assert_int_equal(seen[1][1].len, BIG);
    release_all(1);
}

static void nothing_leaves_before_weir_poll(void **state)
{
    struct weir_sendopt local = { .size = sizeof(local), .flags = WEIR_COPY | WEIR_LOCAL };
    struct iovec iov = { bytes, 100 };
    uint64_t before;
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    assert_int_equal(stats(0).packets_sent, 0); /* nor does the handshake */
    run(1 * MS);
    release_all(1);
    before = stats(0).packets_sent;
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 2, &local), 0);
    assert_int_equal(call_bytes(0, 1, "y", 1, 3, 0), 0);
    mem_advance(mem, mem_now_ns(mem) + 5 * MS);
    assert_int_equal(stats(0).packets_sent, before);
    assert_int_equal(stats(0).events_pending, 1); /* the local one: it waits for weir_poll(), too */
    assert_int_equal(weir_poll(ep[0], &one, 1, 0), 1);
    assert_int_equal(one.user_data, 2);
    assert_true(stats(0).packets_sent > before);
    run(1 * MS);
    release_all(1);
}

static void lent_memory_stays_as_it_is_until_it_is_released(void **state)
{
    unsigned char *data = noise(2000, 1);
    (void)state;
    assert_int_equal(send_bytes(0, 1, data, 2000, 1), 0);
    run(1 * MS);
    for (uint64_t i = 0; i < 100; i++) {
        assert_int_equal(send_bytes(0, 1, bytes, 2000, i), 0);
        run(100 * US);
        if (i % 2)
            weir_release(ep[1], seen[1][1 + i].lease), seen[1][1 + i].lease = NULL;
    }
    assert_int_equal(weir_close(ep[0]), 0); /* nor does it go with its sender */
    ep[0] = NULL;
    run(1 * MS);
    assert_memory_equal(seen[1][0].data, data, 2000);
    release_all(1);
    free(data);
}

static void a_full_endpoint_receives_into_offered_memory(void **state)
{
    static unsigned char into[40000];
    (void)state;
    begin();
    opts[1].rx_bytes = 65536;
    start_all();
    for (uint64_t i = 0; i < 2; i++)
        assert_int_equal(send_bytes(0, 1, bytes, sizeof(into), i), 0);
    run(5 * SECOND);
    expect_count(1, 1); /* lent, and there is no more memory */
    assert_int_equal(weir_recv_into(ep[1], NULL, into, 0, sizeof(into), 7), 0);
    run(2 * SECOND);
    expect(1, 1, WEIR_EV_RECEIVED, 0, 7);
    expect_count(0, 2);
    release_all(1);
}

static void a_request_uses_a_little_of_rx_bytes_until_it_is_answered(void **state)
{
    uint64_t held;
    (void)state;
    for (uint64_t i = 0; i < 65; i++) /* 64 records are a block */
        assert_int_equal(call_bytes(0, 1, "x", 1, i, 0), 0);
    run(1 * MS);
    release_all(1);
    held = stats(1).rx_bytes_held;
    assert_in_range(held, 65 * 64, 65 * 512);
    for (int k = 0; k < 65; k++)
        assert_int_equal(weir_reply(ep[1], seen[1][k].rpc, NULL, 0, 1, NULL), 0);
    run(1 * MS);
    for (uint64_t i = 0; i < 128; i++) /* their records are free again: no more memory is taken */
        assert_int_equal(send_bytes(0, 1, "", 0, i), 0);
    run(1 * MS);
    assert_int_equal(stats(1).rx_bytes_held, held);
}

static void a_lease_that_is_released_twice_ends_the_program(void **state)
{
    int status;
    pid_t pid;
    (void)state;
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        (void)signal(SIGABRT, SIG_DFL);
        (void)close(2);
        for (int i = 0; i < 2; i++)
            weir_release(ep[1], seen[1][0].lease);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    release_all(1);
}

/* --- arguments --- */

static void every_struct_begins_with_its_size(void **state)
{
    struct weir_sendopt opt = { .size = 3 };
    struct weir_limits_info limits = { .size = 3 };
    struct weir_stats s = { .size = 3 };
    (void)state;
    assert_int_equal(weir_send(ep[0], peer(0, 1), NULL, 0, 1, &opt), -EINVAL);
    assert_int_equal(weir_limits(ep[0], &limits), -EINVAL);
    assert_int_equal(weir_stats(ep[0], &s), -EINVAL);
    opt.size = limits.size = s.size = 4;
    assert_int_equal(weir_send(ep[0], peer(0, 1), NULL, 0, 1, &opt), 0);
    assert_int_equal(weir_limits(ep[0], &limits), 0);
    assert_int_equal(weir_stats(ep[0], &s), 0);
    assert_int_equal(limits.mtu + s.peers, 0); /* there was no room for more than the size */
    run(1 * MS);
}

static void messages_have_up_to_1024_segments(void **state)
{
    static struct iovec iov[1025];
    (void)state;
    for (int i = 0; i < 1025; i++)
        iov[i] = (struct iovec){ &bytes[i], 1 };
    assert_int_equal(weir_send(ep[0], peer(0, 1), iov, 1025, 1, NULL), -EINVAL);
    assert_int_equal(weir_send(ep[0], peer(0, 1), iov, 1024, 2, NULL), 0);
    run(1 * MS);
    assert_int_equal(seen[1][0].len, 1024);
    release_all(1);
}

/* Up to two segments are kept in the operation's record, more in memory of tx_bytes. */
static void lists_of_more_than_two_segments_take_tx_bytes(void **state)
{
    struct iovec iov[3] = { { bytes, 1 }, { bytes, 1 }, { bytes, 1 } };
    (void)state;
    begin();
    opts[0].tx_bytes = 47; /* a list of three has 48 */
    opts[1].tx_bytes = 127;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    assert_int_equal(weir_send(ep[0], peer(0, 1), iov, 2, 1, NULL), 0);
    assert_int_equal(weir_send(ep[0], peer(0, 1), iov, 3, 1, NULL), -EMSGSIZE);
    assert_int_equal(weir_send(ep[1], peer(1, 0), iov, 3, 1, NULL), 0);
    assert_int_equal(stats(1).tx_bytes_held, 64);
    assert_int_equal(weir_send(ep[1], peer(1, 0), iov, 3, 1, NULL), -EAGAIN);
    run(1 * MS);
    assert_int_equal(stats(1).tx_bytes_held, 0);
    release_all(0);
    release_all(1);
}

static void rate_and_mtu_are_the_devices_by_default(void **state)
{
    static const struct {
        uint64_t rate_bps, rate_then_bps;
        uint32_t mtu, mtu_then;
    } table[] = {
        { 0, UINT64_C(10000000000), 0, 1500 },
        { UINT64_C(25000000000), UINT64_C(25000000000), 9000, 1500 },
        { 1000000, 1000000, 1280, 1280 },
    };
    (void)state;
    begin();
    for (uint32_t i = 0; i < 3; i++) {
        struct weir_limits_info l = { .size = sizeof(l) };
        struct weir_net_addr addr = mem_addr(i + 1, 4000);
        struct weir_opts o = { .size = sizeof(o) };
        struct weir_net *net;
        struct weir_err err;
        assert_int_equal(mem_plug(mem, &addr, &net), 0);
        net->rate_bps = table[i].rate_bps;
        net->mtu = table[i].mtu;
        assert_int_equal(weir_ep_open_net(&ep[i], &o, net, 1, &err), 0);
        assert_int_equal(weir_limits(ep[i], &l), 0);
        assert_true(l.rate_bps == table[i].rate_then_bps);
        assert_int_equal(l.mtu, table[i].mtu_then);
        assert_int_equal(l.payload_bytes, l.mtu - 28 - WEIR_WIRE_HEAD_BYTES);
    }
}

/* "about 1 KB per operation and 1.5 KB per peer": the record, two timers, what the host may take. An operation's record is
 * there twice, for an answer. */
static void tables_take_about_a_kilobyte_per_entry(void **state)
{
    struct weir_opts few = { .size = sizeof(few), .max_ops = 1, .max_peers = 1, .rx_bytes = 65536 }, many = few;
    uint64_t grown[3];
    (void)state;
    begin();
    opts[0] = few;
    many.max_ops = 1001;
    opts[1] = many;
    many.max_ops = 1;
    many.max_peers = 1001;
    opts[2] = many;
    for (uint32_t i = 0; i < EPS; i++) {
        assert_int_equal(start(i), 0);
        grown[i] = ep[i]->grown_most;
    }
    assert_true(grown[0] <= (16 << 20) + 32768 + 2048);
    assert_in_range((grown[1] - grown[0]) / 1000 + 2 * (sizeof(struct ep_op) + 2 * sizeof(struct weir_heap_entry)), 512,
                    1100);
    assert_in_range((grown[2] - grown[0]) / 1000 + sizeof(struct weir_peer) + 2 * sizeof(struct weir_heap_entry), 512,
                    1600);
}

/* --- operations --- */

static void without_copy_local_has_no_effect_and_calls_ignore_it(void **state)
{
    struct weir_sendopt opt = { .size = sizeof(opt), .flags = WEIR_LOCAL };
    struct iovec iov = { bytes, 1 };
    (void)state;
    asleep[1] = true;
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 1, &opt), 0);
    opt.flags = WEIR_LOCAL | WEIR_COPY;
    assert_int_equal(weir_call(ep[0], peer(0, 1), &iov, 1, 2, &opt), 0);
    run(100 * MS);
    expect_count(0, 0);
    asleep[1] = false;
    run(100 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    for (int k = 0; k < 2; k++)
        if (seen[1][k].rpc != 0)
            assert_int_equal(weir_reply(ep[1], seen[1][k].rpc, NULL, 0, 3, NULL), 0);
    run(1 * MS);
    expect(0, 1, WEIR_EV_REPLY, 0, 2);
    release_all(1);
}

static void replied_means_that_the_callers_transport_has_the_reply(void **state)
{
    (void)state;
    assert_int_equal(call_bytes(0, 1, "x", 1, 1, 0), 0);
    run(1 * MS);
    release_all(1);
    asleep[0] = true;
    assert_int_equal(weir_reply(ep[1], seen[1][0].rpc, NULL, 0, 2, NULL), 0);
    run(500 * MS);
    expect_count(1, 1);
    assert_int_equal(weir_poll(ep[0], NULL, 0, 0), 0); /* it has, and its application has not */
    assert_int_equal(weir_poll(ep[0], NULL, 0, 0), 0);
    run(1 * MS);
    expect(1, 1, WEIR_EV_REPLIED, 0, 2);
}

static void events_of_no_operation_and_of_no_peer(void **state)
{
    (void)state;
    begin();
    opts[0].max_ops = 1;
    assert_int_equal(start(0), 0);
    assert_int_equal(start(1), 0);
    assert_int_equal(weir_recv_into(ep[0], NULL, NULL, 0, 0, 1), 0);
    assert_int_equal(weir_recv_into(ep[0], NULL, NULL, 0, 0, 2), -EAGAIN);
    assert_int_equal(weir_cancel(ep[0], 1), 1);
    run(0);
    expect(0, 0, WEIR_EV_RECEIVED, -ECANCELED, 1);
    assert_null(seen[0][0].peer);
    expect(0, 1, WEIR_EV_WRITABLE, 0, 0);
    assert_null(seen[0][1].peer);
    assert_int_equal(call_bytes(1, 0, "x", 1, 3, 0), 0);
    run(1 * MS);
    expect(0, 2, WEIR_EV_CALL, 0, 0);
    assert_non_null(seen[0][2].peer);
    release_all(0);
}

/* The host may take no more memory: an operation is not accepted, or ends when its peer is connected. */
static void full_tables_are_enomem(void **state)
{
    uint64_t i = 0;
    int code = 0;
    (void)state;
    ep[0]->grown_most = ep[0]->grown_bytes;
    assert_int_equal(send_bytes(0, 1, "x", 1, 0), 0);
    run(1 * MS);
    expect(0, 0, WEIR_EV_SENT, -ENOMEM, 0);
    ep[0]->grown_most += 200000;
    asleep[1] = true;
    while (code == 0 && i < 20000)
        code = send_bytes(0, 1, "x", 1, ++i);
    assert_int_equal(code, -ENOMEM);
    assert_int_equal(stats(0).ops_pending, i - 1); /* it was not accepted */
}

static void an_operation_without_a_deadline_has_none(void **state)
{
    struct weir_sendopt never = { .size = sizeof(never), .deadline_ns = UINT64_MAX };
    struct iovec iov = { bytes, 1 };
    (void)state;
    assert_int_equal(call_bytes(0, 1, "x", 1, 1, 0), 0);
    assert_int_equal(weir_call(ep[0], peer(0, 1), &iov, 1, 2, &never), 0);
    run(3600 * SECOND);
    expect_count(0, 0);
    release_all(1);
}

/* Its DONE is lost. */
static void a_cancelled_message_may_have_arrived(void **state)
{
    (void)state;
    shim[1].lose[WEIR_PKT_DONE] = 1;
    assert_int_equal(send_bytes(0, 1, "x", 1, 1), 0);
    run(1 * MS);
    expect_count(1, 1);
    assert_int_equal(weir_cancel(ep[0], 1), 1);
    run(200 * MS);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, -ECANCELED, 1);
    expect_count(1, 1);
    release_all(1);
}

static void offers_stay_pending_after_shutdown(void **state)
{
    (void)state;
    assert_int_equal(weir_recv_into(ep[1], NULL, bytes, 0, 10, 1), 0);
    assert_int_equal(weir_shutdown(ep[1]), 0);
    assert_int_equal(send_bytes(0, 1, "x", 1, 2), 0);
    run(10 * SECOND);
    expect_count(1, 0);
    assert_int_equal(stats(1).ops_pending, 1);
    assert_int_equal(weir_cancel(ep[1], 1), 1);
    run(0);
    expect(1, 0, WEIR_EV_RECEIVED, -ECANCELED, 1);
    assert_int_equal(stats(1).ops_pending + stats(1).messages_arriving + stats(1).events_pending, 0);
}

/* --- counters --- */

static void counters_of_messages_count_whole_ones(void **state)
{
    struct weir_stats s;
    (void)state;
    assert_int_equal(send_bytes(0, 1, bytes, 5000, 1), 0);
    run(1 * MS);
    assert_int_equal(send_bytes(0, 1, bytes, BIG, 2), 0);
    run(200 * US);
    s = stats(0);
    assert_int_equal(s.messages_sent, 1);
    assert_int_equal(s.bytes_sent, 5000);
    s = stats(1);
    assert_int_equal(s.messages_received, 1);
    assert_int_equal(s.bytes_received, 5000);
    assert_int_equal(s.messages_arriving, 1);
    run(10 * MS);
    assert_int_equal(stats(0).bytes_sent, 5000 + BIG);
    assert_int_equal(stats(1).bytes_received, 5000 + BIG);
    assert_int_equal(stats(1).stranger_packets, 0); /* there is no queue for them */
    release_all(1);
}

static uint64_t held_most;

static void note_credit(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                        const unsigned char *datagram, uint32_t length)
{
    (void)ctx, (void)from, (void)to, (void)datagram, (void)length;
    held_most = weir_max_u64(held_most, stats(0).credit_held_bytes);
}

static void credit_is_outstanding_until_its_data_have_arrived(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, bytes, BIG, 1), 0);
    run(200 * US);
    assert_in_range(stats(1).credit_outstanding_bytes, 1, 187500); /* B */
    shim[0].no_room = true;                                        /* credit comes and is not used */
    run(20 * US);
    mem_tap(mem, note_credit, NULL);
    held_most = stats(0).credit_held_bytes;
    shim[0].no_room = false;
    run(20 * MS);
    mem_tap(mem, NULL, NULL);
    assert_in_range(held_most, 1, 187500);
    assert_int_equal(stats(1).credit_outstanding_bytes, 0);
    assert_int_equal(stats(0).credit_held_bytes, 0);
    release_all(1);
}

static void a_silent_message_is_a_timeout_of_its_receiver(void **state)
{
    (void)state;
    assert_int_equal(send_bytes(0, 1, bytes, BIG, 1), 0);
    run(200 * US);
    asleep[0] = true;
    run(300 * MS);
    assert_true(stats(1).timeouts > 0);
    assert_int_equal(stats(0).timeouts, 0);
    asleep[0] = false;
    run(200 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    release_all(1);
}

static void a_changed_packet_is_a_checksum_error(void **state)
{
    struct weir_net_addr from = mem_addr(1, 4000), to = mem_addr(2, 4000);
    unsigned char datagram[WEIR_WIRE_HEAD_BYTES];
    struct weir_wire_head done = { .pkt = { .kind = WEIR_PKT_DONE }, .token = 7, .counter = 1 };
    (void)state;
    weir_wire_encode(&done, NULL, datagram);
    datagram[24] ^= 1;
    mem_inject(mem, &from, &to, datagram, sizeof(datagram));
    run(1 * MS);
    assert_int_equal(stats(1).checksum_errors, 1);
    assert_int_equal(stats(1).refused_packets, 0);
}

/* --- polling --- */

static void a_poll_for_no_event_does_not_wait(void **state)
{
    (void)state;
    assert_int_equal(weir_poll(ep[0], NULL, 0, -1), 0);
    assert_int_equal(weir_poll(ep[0], &one, 0, -1), 0);
    assert_int_equal(now_ns(), 0);
    assert_int_equal(weir_poll(ep[0], &one, -1, 0), -EINVAL);
    weir_release(ep[0], NULL);
}

/* A look at the clock takes 1 us here. */
static void a_poll_looks_for_spin_us_before_it_sleeps(void **state)
{
    static const uint32_t spin_us[] = { 0, 50, UINT32_MAX };
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        uint64_t from;
        begin();
        opts[0].spin_us = spin_us[i];
        assert_int_equal(start(0), 0);
        tick_ns = US;
        from = now_ns();
        assert_int_equal(weir_poll(ep[0], &one, 1, (int64_t)(20 * US)), 0); /* 20 us are not over */
        assert_int_equal(shim[0].waits, 0);
        assert_int_equal(weir_poll(ep[0], &one, 1, (int64_t)(100 * US)), 0);
        assert_int_equal(shim[0].waits, spin_us[i] == UINT32_MAX ? 0 : 1);
        assert_true(now_ns() - from >= 120 * US);
        teardown(NULL);
    }
    begin(); /* for the teardown */
}

static void a_device_that_is_gone_is_reported_for_ever(void **state)
{
    (void)state;
    shim[0].broken = true;
    assert_int_equal(weir_poll(ep[0], &one, 1, -1), -EIO);
    assert_int_equal(weir_poll(ep[0], &one, 1, 0), -EIO);
}

static void an_event_comes_before_a_wake(void **state)
{
    (void)state;
    assert_int_equal(weir_recv_into(ep[0], NULL, NULL, 0, 0, 1), 0);
    assert_int_equal(weir_cancel(ep[0], 1), 1);
    assert_int_equal(weir_wake(ep[0]), 0);
    assert_int_equal(weir_poll(ep[0], &one, 1, -1), 1);
    assert_int_equal(weir_poll(ep[0], &one, 1, -1), -EINTR);
}

static void more_wakes_than_can_be_counted_are_reported(void **state)
{
    uint64_t most = UINT64_MAX - 1;
    (void)state;
    assert_int_equal(write(ep[0]->wake_fd, &most, sizeof(most)), sizeof(most));
    assert_int_equal(weir_wake(ep[0]), -EAGAIN);
    assert_int_equal(weir_poll(ep[0], &one, 1, -1), -EINTR);
    assert_int_equal(weir_wake(ep[0]), 0);
    assert_int_equal(weir_poll(ep[0], &one, 1, -1), -EINTR);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_largest_message_is_three_quarters_of_rx_bytes, setup_small, teardown),
        cmocka_unit_test_setup_teardown(a_short_message_overtakes_a_long_one, setup, teardown),
        cmocka_unit_test_setup_teardown(nothing_leaves_before_weir_poll, setup, teardown),
        cmocka_unit_test_setup_teardown(lent_memory_stays_as_it_is_until_it_is_released, setup, teardown),
        cmocka_unit_test_teardown(a_full_endpoint_receives_into_offered_memory, teardown),
        cmocka_unit_test_setup_teardown(a_request_uses_a_little_of_rx_bytes_until_it_is_answered, setup, teardown),
        cmocka_unit_test_setup_teardown(a_lease_that_is_released_twice_ends_the_program, setup, teardown),
        cmocka_unit_test_setup_teardown(every_struct_begins_with_its_size, setup, teardown),
        cmocka_unit_test_setup_teardown(messages_have_up_to_1024_segments, setup, teardown),
        cmocka_unit_test_teardown(lists_of_more_than_two_segments_take_tx_bytes, teardown),
        cmocka_unit_test_teardown(rate_and_mtu_are_the_devices_by_default, teardown),
        cmocka_unit_test_teardown(tables_take_about_a_kilobyte_per_entry, teardown),
        cmocka_unit_test_setup_teardown(without_copy_local_has_no_effect_and_calls_ignore_it, setup, teardown),
        cmocka_unit_test_setup_teardown(replied_means_that_the_callers_transport_has_the_reply, setup, teardown),
        cmocka_unit_test_teardown(events_of_no_operation_and_of_no_peer, teardown),
        cmocka_unit_test_setup_teardown(full_tables_are_enomem, setup, teardown),
        cmocka_unit_test_setup_teardown(an_operation_without_a_deadline_has_none, setup, teardown),
        cmocka_unit_test_setup_teardown(a_cancelled_message_may_have_arrived, setup, teardown),
        cmocka_unit_test_setup_teardown(offers_stay_pending_after_shutdown, setup, teardown),
        cmocka_unit_test_setup_teardown(counters_of_messages_count_whole_ones, setup, teardown),
        cmocka_unit_test_setup_teardown(credit_is_outstanding_until_its_data_have_arrived, setup, teardown),
        cmocka_unit_test_setup_teardown(a_silent_message_is_a_timeout_of_its_receiver, setup, teardown),
        cmocka_unit_test_setup_teardown(a_changed_packet_is_a_checksum_error, setup, teardown),
        cmocka_unit_test_setup_teardown(a_poll_for_no_event_does_not_wait, setup, teardown),
        cmocka_unit_test_teardown(a_poll_looks_for_spin_us_before_it_sleeps, teardown),
        cmocka_unit_test_setup_teardown(a_device_that_is_gone_is_reported_for_ever, setup, teardown),
        cmocka_unit_test_setup_teardown(an_event_comes_before_a_wake, setup, teardown),
        cmocka_unit_test_setup_teardown(more_wakes_than_can_be_counted_are_reported, setup, teardown),
    };
    return cmocka_run_group_tests_name("endpoint/contract", tests, NULL, NULL);
}
