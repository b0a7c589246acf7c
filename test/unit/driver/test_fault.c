/* test/unit/driver/test_fault.c - drives the shim over a driver that only writes down and plays back. */
#include "test/unit/weir_test.h"
#include "driver/fault.h"
#include <errno.h>
#include <string.h>

enum { LOG_MAX = 1024, BYTES = 100, START_NS = 5000 };

static struct stub {
    struct weir_net net;
    uint64_t now_ns, waited_ns;
    uint32_t sent, room, closed;       /* room: datagrams that can still be sent */
    unsigned char log[LOG_MAX][BYTES]; /* sent */
    struct weir_net_addr to[LOG_MAX];
    uint32_t queued, fetched;
    unsigned char queue[LOG_MAX][BYTES]; /* to be received; byte 0 is its number */
} stub;
static struct weir_net *net;
static unsigned char head[LOG_MAX][40], body[LOG_MAX][BYTES - 40];

static int stub_send(struct weir_net *n, const struct weir_net_out *out, uint32_t count)
{
    (void)n;
    assert_int_equal(count, 1);
    if (stub.room == 0)
        return 0;
    stub.room--;
    assert_int_equal(out->head_bytes + out->body_bytes, BYTES);
    assert_int_equal(out->ecn, WEIR_NET_ECT0);
    assert_int_equal(out->class_id, 3);
    memcpy(stub.log[stub.sent], out->head, out->head_bytes);
    if (out->body_bytes > 0)
        memcpy(stub.log[stub.sent] + out->head_bytes, out->body, out->body_bytes);
    stub.to[stub.sent++] = *out->to;
    return 1;
}

static int stub_recv(struct weir_net *n, struct weir_net_in *in, uint32_t count)
{
    uint32_t i = 0;
    (void)n;
    for (; i < count && stub.fetched < stub.queued; i++, stub.fetched++)
        in[i] = (struct weir_net_in){ .bytes = stub.queue[stub.fetched],
                                      .length = BYTES,
                                      .ecn = WEIR_NET_CE,
                                      .from = { .port = 7, .family = AF_INET } };
    return (int)i;
}

static int stub_wait(struct weir_net *n, uint64_t until_ns, int wake_fd)
{
    (void)n, (void)wake_fd;
    stub.waited_ns = until_ns;
    return 0;
}

static void stub_close(struct weir_net *n)
{
    (void)n;
    stub.closed++;
}

static uint64_t stub_now_ns(struct weir_net *n)
{
    (void)n;
    return stub.now_ns;
}

static const struct weir_net_driver stub_driver = {
    .name = "stub", .send = stub_send, .recv = stub_recv, .wait = stub_wait, .close = stub_close
};

static void wrap(const struct weir_fault_config *cfg)
{
    struct weir_err err;
    memset(&stub, 0, sizeof(stub));
    stub.net = (struct weir_net){
        .driver = &stub_driver, .now_ns = stub_now_ns, .local = { .port = 9, .family = AF_INET }, .fd = 33, .mtu = 1500
    };
    stub.now_ns = START_NS;
    stub.room = LOG_MAX;
    assert_int_equal(weir_fault_wrap(&net, &stub.net, cfg, &err), 0);
}

static int unwrap(void **state)
{
    (void)state;
    net->driver->close(net);
    assert_int_equal(stub.closed, 1);
    return 0;
}

/* Sends datagrams first .. first + count - 1; byte 0 is the number's low half, byte 1 its high one. */
static int put(uint32_t first, uint32_t count)
{
    static const struct weir_net_addr to = { .ip = { 10, 0, 0, 2 }, .port = 80, .family = AF_INET };
    struct weir_net_out out[WEIR_NET_BATCH];
    for (uint32_t i = 0; i < count; i++) {
        memset(head[i], 0x55, sizeof(head[i]));
        memset(body[i], 0xaa, sizeof(body[i]));
        head[i][0] = (unsigned char)(first + i);
        head[i][1] = (unsigned char)((first + i) >> 8);
        out[i] = (struct weir_net_out){ .to = &to,
                                        .head = head[i],
                                        .body = body[i],
                                        .head_bytes = 40,
                                        .body_bytes = BYTES - 40,
                                        .ecn = WEIR_NET_ECT0,
                                        .class_id = 3 };
    }
    return net->driver->send(net, out, count);
}

static uint32_t sent_number(uint32_t i)
{
    return stub.log[i][0] | (uint32_t)stub.log[i][1] << 8;
}

static void queue(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, stub.queued++)
        stub.queue[stub.queued][0] = (unsigned char)stub.queued;
}

static int take(struct weir_net_in *in, uint32_t count)
{
    return net->driver->recv(net, in, count);
}

static void without_faults_datagrams_pass_unchanged(void **state)
{
    struct weir_net_in in[8];
    (void)state;
    wrap(&(struct weir_fault_config){ .seed = 1 });
    assert_int_equal(net->local.port, 9);
    assert_int_equal(net->fd, 33);
    assert_int_equal(net->mtu, 1500);
    assert_int_equal(net->now_ns(net), START_NS);
    assert_int_equal(put(0, 64), 64);
    assert_int_equal(stub.sent, 64);
    for (uint32_t i = 0; i < 64; i++) {
        assert_int_equal(sent_number(i), i);
        assert_int_equal(stub.log[i][39], 0x55);
        assert_int_equal(stub.log[i][40], 0xaa);
        assert_int_equal(stub.to[i].port, 80);
    }
    queue(5);
    assert_int_equal(take(in, 8), 5);
    for (uint32_t i = 0; i < 5; i++)
        assert_int_equal(in[i].bytes[0], i);
    assert_int_equal(in[4].ecn, WEIR_NET_CE);
    assert_int_equal(in[4].from.port, 7);
    assert_int_equal(take(in, 8), 0);
    assert_int_equal(weir_fault_stats(net)->out.passed, 64);
    assert_int_equal(weir_fault_stats(net)->in.passed, 5);
    assert_true(weir_fault_due_ns(net) == UINT64_MAX);
}

static void lost_datagrams_count_as_sent(void **state)
{
    struct weir_net_in in[8];
    (void)state;
    wrap(&(struct weir_fault_config){ .out.loss_ppm = 1000000, .in.loss_ppm = 1000000 });
    assert_int_equal(put(0, 10), 10);
    assert_int_equal(stub.sent, 0);
    assert_int_equal(weir_fault_stats(net)->out.lost, 10);
    queue(20);
    assert_int_equal(take(in, 8), 0); /* and all that had come was looked at: 0 means there is no more */
    assert_int_equal(stub.fetched, 20);
    assert_int_equal(weir_fault_stats(net)->in.lost, 20);
}

/* 10 % of 20000, each way: four standard deviations are 170. */
static void loss_has_the_configured_frequency(void **state)
{
    (void)state;
    wrap(&(struct weir_fault_config){ .out.loss_ppm = 100000, .seed = 7 });
    for (uint32_t i = 0; i < 20000 / 50; i++) {
        assert_int_equal(put(0, 50), 50);
        stub.sent = 0;
        stub.room = LOG_MAX;
    }
    assert_in_range(weir_fault_stats(net)->out.lost, 2000 - 170, 2000 + 170);
    assert_int_equal(weir_fault_stats(net)->out.lost + weir_fault_stats(net)->out.passed, 20000);
}

static void a_held_datagram_is_overtaken(void **state)
{
    const struct weir_fault_config none = { .seed = 1 }, hold = { .out.hold_ppm = 1000000, .in.hold_ppm = 1000000 };
    struct weir_net_in in[8];
    (void)state;
    wrap(&hold);
    assert_int_equal(put(0, 1), 1);
    assert_int_equal(stub.sent, 0);
    assert_int_equal(weir_fault_stats(net)->out.held, 1);
    assert_true(weir_fault_due_ns(net) == START_NS + 1000000);
    queue(1);
    assert_int_equal(take(in, 8), 0);
    weir_fault_set(net, &none);
    assert_int_equal(put(1, 2), 2);
    assert_int_equal(sent_number(0), 1);
    assert_int_equal(sent_number(1), 0);
    assert_int_equal(sent_number(2), 2);
    assert_int_equal(stub.log[1][99], 0xaa);
    queue(1);
    assert_int_equal(take(in, 8), 2);
    assert_int_equal(in[0].bytes[0], 1);
    assert_int_equal(in[1].bytes[0], 0);
    assert_int_equal(in[1].from.port, 7);
    assert_int_equal(in[1].ecn, WEIR_NET_CE);
}

static void held_datagrams_are_released_after_a_timeout(void **state)
{
    struct weir_net_in in[1];
    (void)state;
    wrap(&(struct weir_fault_config){
        .out.hold_ppm = 1000000, .in.hold_ppm = 1000000, .out.hold_pkts = 4, .in.hold_pkts = 4, .hold_ns = 300 });
    assert_int_equal(put(0, 3), 3);
    queue(2);
    assert_int_equal(take(in, 1), 0);
    assert_int_equal(net->driver->wait(net, 10000, -1), 0);
    assert_int_equal(stub.waited_ns, START_NS + 300);
    assert_int_equal(stub.sent, 0);
    stub.now_ns += 300;
    assert_int_equal(take(in, 1), 1); /* a place at a time */
    assert_int_equal(stub.sent, 3);
    stub.waited_ns = 0;
    assert_int_equal(net->driver->wait(net, 10000, -1), 0);
    assert_int_equal(stub.waited_ns, 0); /* the second one is due: no sleep */
    assert_int_equal(take(in, 1), 1);
    assert_int_equal(take(in, 1), 0);
    assert_int_equal(net->driver->wait(net, 10000, -1), 0);
    assert_int_equal(stub.waited_ns, 10000);
}

static void each_duplicate_is_one_more_datagram(void **state)
{
    struct weir_net_in in[64];
    uint32_t times[10] = { 0 };
    int n;
    (void)state;
    wrap(&(struct weir_fault_config){ .out.copy_ppm = 1000000, .in.copy_ppm = 1000000, .in.hold_pkts = 3 });
    assert_int_equal(put(0, 10), 10);
    stub.now_ns += 1000000;
    queue(10);
    n = take(in, 64);
    assert_int_equal(stub.sent, 20);
    assert_int_equal(weir_fault_stats(net)->out.copied, 10);
    for (uint32_t i = 0; i < 20; i++)
        times[sent_number(i)]++;
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(times[i], 2);
    stub.now_ns += 1000000;
    for (int i = 0; i < n; i++)
        times[in[i].bytes[0]]++;
    assert_in_range(n, 10, 20);
    n += take(in, 64);
    assert_int_equal(n, 20);
    assert_int_equal(weir_fault_stats(net)->in.copied, 10);
}

static uint32_t different_bits(const unsigned char *bytes, uint32_t number)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < BYTES; i++) {
        uint32_t was = i == 0 ? number & 255 : i == 1 ? number >> 8 : i < 40 ? 0x55 : 0xaa;
        n += (uint32_t)__builtin_popcount(bytes[i] ^ was);
    }
    return n;
}

static void corruption_turns_one_to_three_bits(void **state)
{
    struct weir_net_in in[1];
    uint32_t seen[4] = { 0 };
    (void)state;
    wrap(&(struct weir_fault_config){ .out.corrupt_ppm = 1000000, .in.corrupt_ppm = 1000000 });
    for (uint32_t i = 0; i < 320; i += 64)
        assert_int_equal(put(i, 64), 64);
    for (uint32_t i = 0; i < 320; i++) {
        uint32_t bits = different_bits(stub.log[i], i);
        assert_in_range(bits, 1, 3);
        seen[bits]++;
    }
    assert_true(seen[1] > 0 && seen[2] > 0 && seen[3] > 0);
    assert_int_equal(weir_fault_stats(net)->out.corrupted, 320);
    assert_int_equal(head[0][0] & 63, 0); /* what the caller lent is as it was */
    assert_int_equal(body[63][0], 0xaa);
    queue(1);
    assert_int_equal(take(in, 1), 1);
    assert_int_equal(weir_fault_stats(net)->in.corrupted, 1);
}

static void a_black_hole_has_a_beginning_and_an_end(void **state)
{
    struct weir_net_in in[8];
    (void)state;
    wrap(&(struct weir_fault_config){ .seed = 1 });
    weir_fault_hole(net, START_NS + 10, START_NS + 20);
    queue(1);
    assert_int_equal(put(0, 1), 1);
    assert_int_equal(take(in, 8), 1);
    stub.now_ns += 10;
    queue(2);
    assert_int_equal(put(1, 3), 3);
    assert_int_equal(take(in, 8), 0);
    assert_int_equal(stub.sent, 1);
    stub.now_ns += 10;
    queue(1);
    assert_int_equal(put(4, 1), 1);
    assert_int_equal(take(in, 8), 1);
    assert_int_equal(in[0].bytes[0], 3);
    assert_int_equal(stub.sent, 2);
    assert_int_equal(weir_fault_stats(net)->out.swallowed, 3);
    assert_int_equal(weir_fault_stats(net)->in.swallowed, 2);
}

static void a_stall_has_the_configured_length(void **state)
{
    const struct weir_fault_config none = { .block_ns = 500 };
    (void)state;
    wrap(&(struct weir_fault_config){ .block_ppm = 1000000, .block_ns = 500 });
    assert_int_equal(put(0, 2), 0);
    weir_fault_set(net, &none);
    stub.now_ns += 499;
    assert_int_equal(put(0, 2), 0);
    stub.now_ns += 1;
    assert_int_equal(put(0, 2), 2);
    assert_int_equal(weir_fault_stats(net)->blocks, 1);
    assert_int_equal(weir_fault_stats(net)->blocked_calls, 2);
    assert_int_equal(net->stats.blocked, 2);
}

static void a_full_driver_takes_a_part_of_the_batch(void **state)
{
    (void)state;
    wrap(&(struct weir_fault_config){ .seed = 1 });
    stub.room = 3;
    assert_int_equal(put(0, 5), 3);
    assert_int_equal(put(3, 2), 0);
    stub.room = 10;
    assert_int_equal(put(3, 2), 2);
    assert_int_equal(sent_number(4), 4);
}

static void the_clock_jumps_and_waiting_follows(void **state)
{
    (void)state;
    wrap(&(struct weir_fault_config){ .seed = 1 });
    weir_fault_jump(net, 1000);
    assert_int_equal(net->now_ns(net), START_NS + 1000);
    assert_int_equal(net->driver->wait(net, START_NS + 1700, -1), 0);
    assert_int_equal(stub.waited_ns, START_NS + 700);
    assert_int_equal(net->driver->wait(net, 999, -1), 0);
    assert_int_equal(stub.waited_ns, 0);
    assert_int_equal(net->driver->wait(net, UINT64_MAX, -1), 0);
    assert_true(stub.waited_ns == UINT64_MAX);
    weir_fault_jump(net, -3000);
    assert_int_equal(net->now_ns(net), START_NS - 2000);
    assert_int_equal(net->driver->wait(net, START_NS, -1), 0);
    assert_int_equal(stub.waited_ns, START_NS + 2000);
    weir_fault_jump(net, -4000);
    assert_int_equal(net->now_ns(net), 0);
    assert_int_equal(weir_fault_stats(net)->jumps, 3);
}

static void when_no_more_can_be_held_datagrams_pass(void **state)
{
    (void)state;
    wrap(&(struct weir_fault_config){ .out.hold_ppm = 1000000, .out.hold_pkts = 1000 });
    for (uint32_t i = 0; i < 256; i += 64)
        assert_int_equal(put(i, 64), 64);
    assert_int_equal(stub.sent, 0);
    assert_int_equal(put(256, 1), 1);
    assert_int_equal(sent_number(0), 256);
    assert_int_equal(weir_fault_stats(net)->out.held, 256);
    assert_int_equal(weir_fault_stats(net)->out.crowded, 1);
}

/* Held ones are handed on, and those handed on before stay as they are until the next recv(). */
static void held_memory_is_lent_until_the_next_recv(void **state)
{
    const struct weir_fault_config mixed = { .in = { .hold_ppm = 500000, .hold_pkts = 2, .copy_ppm = 300000 },
                                             .seed = 5 };
    struct weir_net_in in[16];
    uint32_t times[200] = { 0 };
    (void)state;
    wrap(&mixed);
    queue(200);
    for (int n = 1; n > 0 || stub.fetched < 200 || weir_fault_due_ns(net) != UINT64_MAX;) {
        n = take(in, 16);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < i; j++)
                assert_ptr_not_equal(in[i].bytes, in[j].bytes);
        for (int i = 0; i < n; i++)
            times[in[i].bytes[0]]++;
        stub.now_ns += 400000;
    }
    for (uint32_t i = 0; i < 200; i++)
        assert_in_range(times[i], 1, 2);
    assert_true(weir_fault_stats(net)->in.held > 50 && weir_fault_stats(net)->in.copied > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(without_faults_datagrams_pass_unchanged, unwrap),
        cmocka_unit_test_teardown(lost_datagrams_count_as_sent, unwrap),
        cmocka_unit_test_teardown(loss_has_the_configured_frequency, unwrap),
        cmocka_unit_test_teardown(a_held_datagram_is_overtaken, unwrap),
        cmocka_unit_test_teardown(held_datagrams_are_released_after_a_timeout, unwrap),
        cmocka_unit_test_teardown(each_duplicate_is_one_more_datagram, unwrap),
        cmocka_unit_test_teardown(corruption_turns_one_to_three_bits, unwrap),
        cmocka_unit_test_teardown(a_black_hole_has_a_beginning_and_an_end, unwrap),
        cmocka_unit_test_teardown(a_stall_has_the_configured_length, unwrap),
        cmocka_unit_test_teardown(a_full_driver_takes_a_part_of_the_batch, unwrap),
        cmocka_unit_test_teardown(the_clock_jumps_and_waiting_follows, unwrap),
        cmocka_unit_test_teardown(when_no_more_can_be_held_datagrams_pass, unwrap),
        cmocka_unit_test_teardown(held_memory_is_lent_until_the_next_recv, unwrap),
    };
    return cmocka_run_group_tests_name("driver/fault", tests, NULL, NULL);
}
