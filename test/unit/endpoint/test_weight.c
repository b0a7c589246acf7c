/* test/unit/endpoint/test_weight.c - weights of messages: their ranges, and the shares that Soze makes of them. Its
 * signal here is the round trip: no switch raises a delay. */
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rates_are_in_proportion_to_weights, setup_soze, teardown_soze),
        cmocka_unit_test_setup_teardown(a_peer_has_a_weight_for_messages_without_one, setup_soze, teardown_soze),
        cmocka_unit_test_setup_teardown(weights_out_of_range_are_refused, setup_soze, teardown_soze),
    };
    return cmocka_run_group_tests_name("endpoint/weight", tests, NULL, NULL);
}
