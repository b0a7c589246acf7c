/* test/unit/endpoint/test_weight.c - weights of messages: their ranges, and the shares that Soze makes of them. Its
 * signal here is the round trip: no switch raises a delay. And priorities of messages. */
#include "test/unit/endpoint/endpoint_test.h"

#define RATE_BPS UINT64_C(10000000000)
enum { LEN = 80 << 20 };

static unsigned char *data;
static uint64_t arrived[2]; /* payload that went to endpoint 2, by sender */

static void count(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                  const unsigned char *bytes, uint32_t length)
{
    struct weir_net_addr third = mem_addr(3, 4000);
    (void)ctx;
    if (weir_wire_type(bytes, length) != WEIR_WIRE_STREAM || memcmp(to, &third, sizeof(third)) != 0)
        return;
    for (uint32_t i = 0; i < 2; i++) {
        struct weir_net_addr sender = mem_addr(i + 1, 4000);
        arrived[i] += memcmp(from, &sender, sizeof(sender)) == 0 ? length : 0;
    }
}

/* Two senders, and a receiver behind a link of 10 Gb/s whose queue they share. */
static int setup_soze(void **state)
{
    (void)state;
    begin();
    mem_free(mem);
    mem = mem_new(&(struct mem_config){ .delay_ns = 5 * US, .rate_bps = RATE_BPS, .start_ns = START_NS });
    assert_non_null(mem);
    mem_tap(mem, count, NULL);
    data = noise(LEN, 1);
    for (uint32_t i = 0; i < EPS; i++) {
        opts[i].cc = "soze";
        opts[i].base_rtt_ns = 20 * US;
        assert_int_equal(start(i), 0);
    }
    for (uint32_t i = 0; i < 2; i++) { /* each has seen the path without a queue */
        assert_int_equal(send_bytes(i, 2, "", 0, 0), 0);
        run(1 * MS);
    }
    return 0;
}

static int teardown_soze(void **state)
{
    free(data);
    return teardown(state);
}

static int send_weighted(uint32_t from, uint64_t number, uint32_t weight_milli)
{
    struct iovec iov = { data, LEN };
    struct weir_sendopt opt = { .size = sizeof(opt), .weight_milli = weight_milli };
    return weir_send(ep[from], peer(from, 2), &iov, 1, number, &opt);
}

/* Bytes of sender 1 for each of sender 0, in thousandths, over a time. */
static uint64_t share_milli(uint64_t for_ns)
{
    arrived[0] = arrived[1] = 0;
    run(for_ns);
    assert_true(arrived[0] + arrived[1] > RATE_BPS / 8 * for_ns / SECOND * 9 / 10); /* the link is full */
    return arrived[1] * 1000 / arrived[0];
}

static void rates_are_in_proportion_to_weights(void **state)
{
    (void)state;
    assert_int_equal(send_weighted(0, 1, 0), 0); /* 1000 */
    assert_int_equal(send_weighted(1, 2, 3000), 0);
    run(15 * MS);
    uint64_t three = share_milli(5 * MS);
    assert_int_equal(weir_set_weight(ep[1], 2, 1000), 1);
    run(15 * MS);
    uint64_t one = share_milli(5 * MS);
    print_message("weights 1:3 share 1:%u.%03u, then 1:1 share 1:%u.%03u\n", (unsigned)(three / 1000),
                  (unsigned)(three % 1000), (unsigned)(one / 1000), (unsigned)(one % 1000));
    assert_in_range(three, 2940, 3060);
    assert_in_range(one, 980, 1020);
    assert_int_equal(stats(0).raised_delays + stats(1).raised_delays, 0);
}

static void a_peer_has_a_weight_for_messages_without_one(void **state)
{
    (void)state;
    assert_int_equal(weir_peer_set_weight(ep[1], peer(1, 2), 3000), 0);
    assert_int_equal(send_weighted(0, 1, 0), 0);
    assert_int_equal(send_weighted(1, 2, 0), 0);
    run(15 * MS);
    assert_in_range(share_milli(5 * MS), 2940, 3060);
}

static void weights_out_of_range_are_refused(void **state)
{
    (void)state;
    assert_int_equal(send_weighted(0, 1, WEIR_WEIGHT_MILLI_MAX + 1), -EINVAL);
    assert_int_equal(send_weighted(0, 1, WEIR_WEIGHT_MILLI_MAX), 0);
    assert_int_equal(send_weighted(0, 2, 1), 0);
    struct weir_sendopt opt = { .size = sizeof(opt), .reserved = 1 };
    assert_int_equal(weir_send(ep[0], peer(0, 2), NULL, 0, 3, &opt), -EINVAL);
    assert_int_equal(weir_peer_set_weight(ep[0], peer(0, 2), WEIR_WEIGHT_MILLI_MAX + 1), -EINVAL);
    assert_int_equal(weir_peer_set_weight(ep[0], peer(0, 2), WEIR_WEIGHT_MILLI_MAX), 0);
    assert_int_equal(weir_peer_set_weight(ep[0], peer(0, 2), 0), 0);
    assert_int_equal(weir_peer_set_weight(ep[0], peer(1, 2), 1), -EINVAL); /* of another endpoint */
    assert_int_equal(weir_set_weight(ep[0], 1, 0), -EINVAL);
    assert_int_equal(weir_set_weight(ep[0], 1, WEIR_WEIGHT_MILLI_MAX + 1), -EINVAL);
    assert_int_equal(weir_set_weight(ep[0], 7, 1), 0); /* nobody's */
    assert_int_equal(weir_set_weight(ep[0], 1, 1), 1);
    assert_int_equal(weir_set_weight(ep[0], 2, WEIR_WEIGHT_MILLI_MAX), 1);
    run(1 * MS);
    assert_int_equal(weir_cancel(ep[0], 1) + weir_cancel(ep[0], 2), 2);
    assert_int_equal(weir_set_weight(ep[0], 1, 5), 0); /* it has ended */
    run(10 * MS);
}

static uint32_t classes[8]; /* STREAM packets by their class */

static void count_classes(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                          const unsigned char *bytes, uint32_t length)
{
    (void)ctx, (void)from, (void)to;
    if (weir_wire_type(bytes, length) == WEIR_WIRE_STREAM)
        classes[bytes[0] >> 1 & 7]++;
}

static int send_urgent(const void *bytes, size_t len, uint64_t number, uint8_t priority)
{
    struct iovec iov = { (void *)(uintptr_t)bytes, len };
    struct weir_sendopt opt = { .size = sizeof(opt), .priority = priority };
    return weir_send(ep[0], peer(0, 1), &iov, 1, number, &opt);
}

static void start_two(const char *cc)
{
    two_of(cc);
    data = noise(8 << 20, 1);
    mem_tap(mem, count_classes, NULL);
    memset(classes, 0, sizeof(classes));
}

/* The line sends 1538 bytes in 1.23 us. Eight packets of the short message follow what has left for the next 8 us, at most 64 packets,
 * and take 9.8 us and the way of 5 us: 94 us at most. The long one takes 7 ms. */
static void the_most_urgent_message_is_sent_first(void **state)
{
    (void)state;
    start_two("dctcp");
    assert_int_equal(send_urgent(data, 8 << 20, 1, 7), 0);
    run(1 * MS);
    expect_count(1, 0);
    uint64_t from_ns = now_ns();
    assert_int_equal(send_urgent(data, 8 * 1400, 2, 1), 0);
    run(1 * MS);
    expect_count(1, 1);
    assert_int_equal(seen[1][0].len, 8 * 1400);
    print_message("after %d ns\n", (int)(seen_ns[1][0] - from_ns));
    assert_true(seen_ns[1][0] - from_ns < 94 * US);
    assert_int_equal(classes[1], 8);
    run(20 * MS);
    expect_count(1, 2);
    expect_count(0, 2);
    assert_int_equal(classes[7], ((8 << 20) + EP_HEAD_BYTES + ep[0]->mss - 1) / ep[0]->mss);
    assert_int_equal(classes[0], 0);
    release_all(1);
}

static void priorities_out_of_range_are_refused(void **state)
{
    (void)state;
    start_two("dctcp");
    assert_int_equal(send_urgent("x", 1, 1, 8), -EINVAL);
    assert_int_equal(send_urgent("x", 1, 1, 255), -EINVAL);
    struct iovec iov = { (void *)(uintptr_t) "x", 1 };
    struct weir_sendopt opt = { .size = sizeof(opt), .unused = 1 };
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 1, &opt), -EINVAL);
    opt = (struct weir_sendopt){ .size = sizeof(opt), .reserved = 0x8000 };
    assert_int_equal(weir_send(ep[0], peer(0, 1), &iov, 1, 1, &opt), -EINVAL);
    assert_int_equal(send_urgent("x", 1, 1, 7), 0);
    run(1 * MS);
    expect(0, 0, WEIR_EV_SENT, 0, 1);
    release_all(1);
}

/* Two messages of one kind, the first of 2 MB and the second of 4 MB. @return which one ends first */
static uint64_t first_of_two(const char *cc, uint8_t priority, uint8_t priority_of_longer)
{
    start_two(cc);
    assert_int_equal(send_urgent(data, 2 << 20, 1, priority), 0);
    run(100 * US);
    assert_int_equal(send_urgent(data, 4 << 20, 2, priority_of_longer), 0);
    run(20 * MS);
    expect_count(0, 2);
    for (uint32_t c = 0; c < 8; c++)
        assert_int_equal(classes[c], 0); /* no STREAM */
    release_all(1);
    return seen[0][0].user_data;
}

/* Else the shorter one ends first, which also began first. */
static void sird_sends_the_most_urgent_message_first(void **state)
{
    static const struct {
        uint8_t shorter, longer;
        uint64_t first;
    } rows[] = { { 0, 0, 1 }, { 7, 7, 1 }, { 0, 1, 1 }, { 1, 0, 2 }, { 7, 6, 2 } };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (i > 0)
            teardown_soze(state);
        assert_int_equal(first_of_two("sird", rows[i].shorter, rows[i].longer), rows[i].first);
    }
}

static void homa_and_ndp_ignore_priorities(void **state)
{
    assert_int_equal(first_of_two("homa", 7, 0), 1);
    teardown_soze(state);
    uint64_t first = first_of_two("ndp", 0, 0); /* pulls go round robin */
    teardown_soze(state);
    assert_int_equal(first_of_two("ndp", 7, 0), first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rates_are_in_proportion_to_weights, setup_soze, teardown_soze),
        cmocka_unit_test_setup_teardown(a_peer_has_a_weight_for_messages_without_one, setup_soze, teardown_soze),
        cmocka_unit_test_setup_teardown(weights_out_of_range_are_refused, setup_soze, teardown_soze),
        cmocka_unit_test_teardown(the_most_urgent_message_is_sent_first, teardown_soze),
        cmocka_unit_test_teardown(priorities_out_of_range_are_refused, teardown_soze),
        cmocka_unit_test_teardown(sird_sends_the_most_urgent_message_first, teardown_soze),
        cmocka_unit_test_teardown(homa_and_ndp_ignore_priorities, teardown_soze),
    };
    return cmocka_run_group_tests_name("endpoint/weight", tests, NULL, NULL);
}
