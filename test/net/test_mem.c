/* test/net/test_mem.c - the network of memory itself: when datagrams arrive, which are dropped, who is answered. */
#include "test/unit/weir_test.h"
#include "test/net/mem.h"
#include <errno.h>
#include <string.h>
#include <unistd.h>

static struct mem *mem;
static struct weir_net *a, *b;
static const unsigned char zeros[2000];

/* 10 Gb/s: 800 ps per byte */
static void begin(const struct mem_config *cfg)
{
    struct weir_net_addr at_a = mem_addr(1, 80), at_b = mem_addr(2, 80);
    mem = mem_new(cfg);
    assert_non_null(mem);
    assert_int_equal(mem_plug(mem, &at_a, &a), 0);
    assert_int_equal(mem_plug(mem, &at_b, &b), 0);
}

static int end(void **state)
{
    (void)state;
    a->driver->close(a);
    b->driver->close(b);
    mem_free(mem);
    return 0;
}

static void put_to(const struct weir_net_addr *to, uint32_t length, uint8_t ecn)
{
    struct weir_net_out out = {
        .to = to, .head = zeros, .head_bytes = 40, .body = zeros, .body_bytes = (uint16_t)(length - 40), .ecn = ecn
    };
    assert_int_equal(a->driver->send(a, &out, 1), 1);
}

static void put(uint32_t length, uint8_t ecn)
{
    put_to(&b->local, length, ecn);
}

static int take(struct weir_net_in *in, uint32_t count)
{
    return b->driver->recv(b, in, count);
}

static void datagrams_arrive_after_delay_and_transmission(void **state)
{
    struct weir_net_in in[8];
    (void)state;
    begin(&(struct mem_config){ .delay_ns = 5000, .rate_bps = 10000000000, .start_ns = 1000 });
    assert_true(mem_next_ns(b) == UINT64_MAX);
    put(100, 0);                            /* 166 bytes on the wire: 132.8 ns */
    put(1400, 0);                           /* 1466: 1172.8 ns, behind the first */
    assert_int_equal(mem_next_ns(b), 6133); /* 1000 + 5000 + 132.8, the first whole one after */
    mem_advance(mem, 6132);
    assert_int_equal(take(in, 8), 0);
    mem_advance(mem, 6133);
    mem_advance(mem, 20); /* time does not go back */
    assert_int_equal(take(in, 8), 1);
    assert_int_equal(in[0].length, 100);
    assert_memory_equal(&in[0].from, &a->local, sizeof(a->local));
    assert_int_equal(mem_next_ns(b), 7306); /* 6000 + 1305.6 */
    mem_advance(mem, 9000);
    put(40, 0); /* 106 bytes: the link was idle meanwhile */
    assert_int_equal(take(in, 8), 1);
    assert_int_equal(in[0].length, 1400);
    assert_int_equal(mem_next_ns(b), 14085); /* 14000 + 84.8 */
    assert_int_equal(mem_stats(mem)->sent, 3);
    assert_int_equal(mem_stats(mem)->bytes_sent, 1540);
    assert_int_equal(mem_stats(mem)->arrived, 2);
}

static void a_full_link_drops_and_a_long_queue_marks(void **state)
{
    struct weir_net_in in[8];
    (void)state;
    begin(&(struct mem_config){ .delay_ns = 10, .rate_bps = 10000000000, .queue_bytes = 4500, .mark_bytes = 1466 });
    put(1400, WEIR_NET_ECT0);    /* finds nothing */
    put(1400, WEIR_NET_ECT0);    /* finds 1466: marked */
    put(1400, WEIR_NET_NOT_ECT); /* cannot be marked */
    put(1400, WEIR_NET_ECT0);    /* 4398 wait, 1466 more are too many */
    put(40, WEIR_NET_NOT_ECT);   /* 106 more are 4504 */
    assert_int_equal(mem_stats(mem)->dropped_queue, 2);
    assert_int_equal(mem_stats(mem)->marked, 1);
    mem_advance(mem, 1000000);
    assert_int_equal(take(in, 8), 3);
    assert_int_equal(in[0].ecn, WEIR_NET_ECT0);
    assert_int_equal(in[1].ecn, WEIR_NET_CE);
    assert_int_equal(in[2].ecn, WEIR_NET_NOT_ECT);
}

static void what_nobody_fetches_fills_the_buffer(void **state)
{
    struct weir_net_in in[8];
    (void)state;
    begin(&(struct mem_config){ .buffer_pkts = 4 });
    for (int i = 0; i < 6; i++)
        put(100, 0);
    assert_int_equal(mem_stats(mem)->dropped_buffer, 2);
    assert_int_equal(take(in, 3), 3);
    put(100, 0); /* what is lent still has its place */
    assert_int_equal(mem_stats(mem)->dropped_buffer, 3);
    assert_int_equal(take(in, 8), 1);
    put(100, 0);
    assert_int_equal(take(in, 8), 1);
    assert_int_equal(take(in, 8), 0);
}

static void an_unplugged_port_neither_sends_nor_receives(void **state)
{
    struct weir_net_addr at_b = mem_addr(2, 80);
    struct weir_net *again;
    struct weir_net_in in[8];
    (void)state;
    begin(&(struct mem_config){ .delay_ns = 10 });
    assert_int_equal(mem_plug(mem, &at_b, &again), -EADDRINUSE);
    assert_null(again);
    put(100, 0);
    mem_unplug(b);
    mem_advance(mem, 10);
    assert_int_equal(take(in, 8), 0);
    assert_int_equal(mem_stats(mem)->dropped_unplugged, 1);
    put(100, 0);
    assert_int_equal(mem_stats(mem)->nowhere, 1);
    assert_int_equal(mem_plug(mem, &at_b, &again), 0);
    b->driver->close(b);
    b = again;
    put(100, 0);
    mem_advance(mem, 20);
    assert_int_equal(take(in, 8), 1);
}

static void waiting_moves_time_to_what_happens_first(void **state)
{
    int fds[2];
    (void)state;
    begin(&(struct mem_config){ .delay_ns = 500, .start_ns = 100, .tick_ns = 3 });
    assert_int_equal(b->driver->wait(b, 300, -1), 0);
    assert_int_equal(mem_now_ns(mem), 300);
    assert_int_equal(b->now_ns(b), 303);
    put(100, 0);
    assert_int_equal(b->driver->wait(b, 5000, -1), 0);
    assert_int_equal(mem_now_ns(mem), 803);
    assert_int_equal(a->driver->wait(a, UINT64_MAX, -1), -EINTR);
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "", 1), 1);
    assert_int_equal(a->driver->wait(a, 9000, fds[0]), 0);
    assert_int_equal(mem_now_ns(mem), 803);
    assert_int_equal(close(fds[0]) | close(fds[1]), 0);
}

static uint32_t taps, tapped_bytes;
static void tap(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to, const unsigned char *bytes,
                uint32_t length)
{
    (void)ctx, (void)from, (void)to, (void)bytes;
    taps++;
    tapped_bytes += length;
}

static void answers_to_strangers_are_counted_and_measured(void **state)
{
    struct weir_net_addr stranger = mem_addr(77, 5), other = mem_addr(78, 5);
    struct weir_net_in in[8];
    (void)state;
    begin(&(struct mem_config){ .delay_ns = 10 });
    mem_tap(mem, tap, NULL);
    mem_inject(mem, &stranger, &b->local, zeros, 60);
    mem_advance(mem, 10);
    assert_int_equal(take(in, 8), 1);
    assert_memory_equal(&in[0].from, &stranger, sizeof(stranger));
    put_to(&stranger, 60, 0);
    assert_int_equal(mem_stats(mem)->answers, 1);
    assert_int_equal(mem_stats(mem)->answers_larger, 0);
    put_to(&stranger, 60, 0); /* it asked once */
    put_to(&other, 60, 0);    /* it never did */
    assert_int_equal(mem_stats(mem)->answers_uninvited, 2);
    mem_inject(mem, &stranger, &b->local, zeros, 60);
    put_to(&stranger, 61, 0);
    assert_int_equal(mem_stats(mem)->answers_larger, 1);
    assert_int_equal(taps, 6);
    assert_int_equal(tapped_bytes, 5 * 60 + 61);
    put_to(&stranger, 1473, 0); /* with 28 bytes before it more than an MTU of 1500 */
    assert_int_equal(mem_stats(mem)->too_long, 1);
    assert_int_equal(taps, 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(datagrams_arrive_after_delay_and_transmission, end),
        cmocka_unit_test_teardown(a_full_link_drops_and_a_long_queue_marks, end),
        cmocka_unit_test_teardown(what_nobody_fetches_fills_the_buffer, end),
        cmocka_unit_test_teardown(an_unplugged_port_neither_sends_nor_receives, end),
        cmocka_unit_test_teardown(waiting_moves_time_to_what_happens_first, end),
        cmocka_unit_test_teardown(answers_to_strangers_are_counted_and_measured, end),
    };
    return cmocka_run_group_tests_name("net/mem", tests, NULL, NULL);
}
