/* test/unit/host/test_schedule.c - host.nic_schedule: weighted: the order of packets at one NIC, by hand. Every full packet is 1100 B on
 * the wire, 88 ns; a connection of weight w has its next start 1100 / w after this one. */
#include "pair.h"
#include "core/cc.h"

enum { OPEN = 400 }; /* packets of a window that never closes */
#define ONE (UINT64_C(1) << 20)

static struct weir_cc_ops ops;
static uint64_t rate_bps;

static void law_init(struct weir_cc *cc, const void *config, const struct weir_path *path)
{
    (void)config, (void)path;
    *cc = (struct weir_cc){ .rate_bps = rate_bps, .timer_ps = WEIR_NEVER, .cwnd_bytes = OPEN * PAIR_MSS };
}

static struct pair *reset(void)
{
    struct pair *p = pair_reset();
    ops = (struct weir_cc_ops){ .name = "law", .state_bytes = sizeof(struct weir_cc), .init = law_init };
    rate_bps = WEIR_RATE_OPEN;
    p->cfg.cc = &ops;
    p->cfg.track = true;
    p->cfg.params.nic_schedule = WEIR_NIC_WEIGHTED;
    return p;
}

static void send(struct pair *p, uint32_t msg, uint64_t bytes, uint64_t weight_q20)
{
    pair_send(p, msg, bytes);
    assert_int_equal(weir_host_weight(p->host[0], p->now_ps, msg, weight_q20), 0);
}

/* Compares the messages of the packets from number `from` on with `order`, a digit each. */
static void sent_in_order(const struct pair *p, uint32_t from, const char *order)
{
    char got[256] = "";
    for (uint32_t i = 0; order[i] != '\0'; i++) {
        assert_true(from + i < p->logged);
        got[i] = (char)('0' + p->log[from + i].msg);
    }
    assert_string_equal(got, order);
}

/* Starts of 0: 0, 1100, ..; of 1: 0, 550, ..; of 2: 0, 275, .. Of equal ones the first of the ring goes. */
static void weights_of_1_2_and_4_send_in_proportion(void **state)
{
    struct pair *p = reset();
    (void)state;
    pair_start(p);
    send(p, 0, OPEN * PAIR_MSS, ONE);
    send(p, 1, OPEN * PAIR_MSS, 2 * ONE);
    send(p, 2, OPEN * PAIR_MSS, 4 * ONE);
    pair_run(p, 28 * 88000);
    sent_in_order(p, 0,
                  "0122122"
                  "0122122"
                  "0122122"
                  "0122122");
}

static void equal_weights_alternate(void **state)
{
    struct pair *p = reset();
    (void)state;
    pair_start(p);
    pair_send(p, 0, OPEN * PAIR_MSS);
    pair_send(p, 1, OPEN * PAIR_MSS);
    pair_run(p, 6 * 88000);
    sent_in_order(p, 0, "010101");
}

/* 1 : 4, the last starts are 1100 and 1925; with 4 : 1 the next ones are 1375, which counts as 1925, and 3025. */
static void a_new_weight_counts_at_once(void **state)
{
    struct pair *p = reset();
    (void)state;
    pair_start(p);
    send(p, 0, OPEN * PAIR_MSS, ONE);
    send(p, 1, OPEN * PAIR_MSS, 4 * ONE);
    pair_run(p, 10 * 88000);
    sent_in_order(p, 0, "0111101111");
    assert_int_equal(weir_host_weight(p->host[0], p->now_ps, 0, 4 * ONE), 0);
    assert_int_equal(weir_host_weight(p->host[0], p->now_ps, 1, ONE), 0);
    pair_run(p, 21 * 88000);
    sent_in_order(p, 10, "00001000010");
}

/* With 1 : 10000 the second packet of 0 would wait for 10000 of 1. With its new weight it started long ago. */
static void a_higher_weight_ends_the_wait_at_once(void **state)
{
    struct pair *p = reset();
    (void)state;
    pair_start(p);
    send(p, 0, OPEN * PAIR_MSS, ONE / 100);
    send(p, 1, OPEN * PAIR_MSS, 100 * ONE);
    pair_run(p, 6 * 88000);
    sent_in_order(p, 0, "011111");
    assert_int_equal(weir_host_weight(p->host[0], p->now_ps, 0, 200 * ONE), 0);
    pair_run(p, 14 * 88000);
    sent_in_order(p, 6, "00100100"); /* 44, 49.5 and 55 of 0; 55 of 1 is first in the ring */
}

/* 1 begins when 0 has sent ten packets: from then on they alternate. */
static void what_was_not_sent_is_not_made_up_for(void **state)
{
    struct pair *p = reset();
    (void)state;
    pair_start(p);
    pair_send(p, 0, OPEN * PAIR_MSS);
    pair_run(p, 10 * 88000);
    pair_send(p, 1, OPEN * PAIR_MSS);
    pair_run(p, 16 * 88000);
    sent_in_order(p, 0, "0000000000");
    assert_int_equal(p->log[10].msg + p->log[11].msg, 1);
    assert_int_equal(p->log[12].msg + p->log[13].msg, 1);
    assert_int_equal(p->log[14].msg + p->log[15].msg, 1);
}

/* 1 sends a packet at first, and has no more before 0 has sent twelve. */
static void a_connection_that_had_nothing_starts_now(void **state)
{
    struct pair *p = reset();
    (void)state;
    p->cfg.params.connections = 2;
    p->delay_ps = 1000;
    pair_start(p);
    pair_send(p, 0, OPEN * PAIR_MSS);
    pair_send(p, 1, PAIR_MSS);
    pair_run(p, 13 * 88000);
    sent_in_order(p, 0, "0100000000000");
    pair_send(p, 2, 4 * PAIR_MSS); /* on the connection of 1 */
    assert_int_equal(host_stream_of(p->host[0])->flows.count, 2);
    pair_run(p, 21 * 88000);
    for (uint32_t i = 13; i < 21; i += 2)
        assert_int_equal(p->log[i].msg + p->log[i + 1].msg, 2);
}

/* Messages of 100 B are 200 B on the wire. 1 has one on each of five connections; 0 has full packets of 1100 B and a weight of 5.5. */
static void bytes_on_the_wire_count(void **state)
{
    struct pair *p = reset();
    (void)state;
    pair_start(p);
    send(p, 0, OPEN * PAIR_MSS, ONE * 11 / 2);
    pair_send(p, 1, 1124);
    pair_run(p, 8 * 88000);
    sent_in_order(p, 0,
                  "01"
                  "00000"
                  "1"); /* starts of 0: 0, 200, .. 1000; the second packet of 1, of 224 B, has 1100 */
    assert_int_equal(p->log[7].wire_bytes, 224);
}

static void the_next_message_of_a_connection_starts_where_the_last_has_finished(void **state)
{
    struct pair *p = reset();
    struct weir_pkt pkt;
    (void)state;
    p->cfg.params.connections = 1;
    pair_start(p);
    send(p, 0, PAIR_MSS, ONE / 4); /* finishes at 4400 */
    pair_run(p, WEIR_NEVER);
    assert_int_equal(weir_host_send(p->host[0], p->now_ps, 1, 1, 3 * PAIR_MSS), 0);
    assert_int_equal(weir_host_weight(p->host[0], p->now_ps, 1, ONE / 4), 0);
    assert_int_equal(weir_host_send(p->host[0], p->now_ps, 2, 2, 30 * PAIR_MSS), 0);
    for (uint32_t i = 0; i < 4; i++) { /* starts of 0 to 3300 */
        assert_int_equal(weir_host_tx(p->host[0], p->now_ps, &pkt, 1), 1);
        assert_int_equal(pkt.msg, 2);
    }
    for (uint32_t i = 0, sum = 0; i < 2; i++) { /* then both have 4400 */
        assert_int_equal(weir_host_tx(p->host[0], p->now_ps, &pkt, 1), 1);
        sum += pkt.msg;
        assert_true(i == 0 || sum == 3);
    }
}

/* The NIC is free for good at 88 ns; a start long ago counts as now. */
static void a_paced_connection_is_not_behind_after_its_pause(void **state)
{
    struct pair *p = reset();
    (void)state;
    rate_bps = UINT64_C(10000000000); /* 880 ns a packet */
    pair_start(p);
    send(p, 0, 10 * PAIR_MSS, ONE);
    send(p, 1, 10 * PAIR_MSS, 3 * ONE);
    pair_run(p, 9 * 880000);
    for (uint32_t i = 0; i < 10; i += 2) { /* both at every 880 ns, whatever the weights: none is in the other's way */
        assert_int_equal(p->log[i].sent_ps, i / 2 * UINT64_C(880000));
        assert_int_equal(p->log[i + 1].sent_ps, i / 2 * UINT64_C(880000) + 88000);
        assert_int_equal(p->log[i].msg + p->log[i + 1].msg, 1);
    }
}

static void short_messages_go_before_the_least_start(void **state)
{
    struct pair *p = reset();
    (void)state;
    p->cfg.params.short_bytes = 2 * PAIR_MSS;
    pair_start(p);
    send(p, 0, OPEN * PAIR_MSS, 100 * ONE);
    send(p, 1, 2 * PAIR_MSS, ONE / 100);
    send(p, 2, 2 * PAIR_MSS, ONE / 50);
    pair_run(p, 8 * 88000);
    /* both short ones start at 0; 2 finishes first, so its second packet starts first */
    sent_in_order(p, 0,
                  "1221"
                  "0000");
}

static void the_clock_begins_again_and_the_order_stays(void **state)
{
    struct pair *p = reset();
    const uint32_t steps = 60000; /* of 9728 B at the least weights: more than 2^63 each */
    uint64_t ahead;
    (void)state;
    pair_start(p);
    send(p, 0, OPEN * PAIR_MSS, 1);
    send(p, 1, OPEN * PAIR_MSS, 2);
    struct host_flow *f[2] = { host_flow_at(p->host[0], 0), host_flow_at(p->host[0], 1) };
    uint32_t count[2] = { 0, 0 };
    for (uint32_t i = 0; i < steps; i++) {
        uint64_t start[2] = { host_schedule_start(p->host[0], 0, f[0]), host_schedule_start(p->host[0], 1, f[1]) };
        uint32_t next = start[1] < start[0];
        assert_true(start[0] < UINT64_C(1) << 63 && start[1] < UINT64_C(1) << 63);
        count[next]++;
        host_schedule_sent(p->host[0], next, f[next], 9728);
    }
    assert_in_range(count[1], 2 * count[0] - 2, 2 * count[0] + 2);
    ahead = host_schedule_start(p->host[0], 0, f[0]);
    assert_true(ahead < UINT64_C(1) << 62); /* it has begun again */
}

/* Steps of 2^49: the packet that starts at 2^62 is the first that sets all back, to 2^52. A connection whose packet finished long before starts
 * with the clock. */
static void the_clock_begins_again_at_its_end(void **state)
{
    struct pair *p = reset();
    (void)state;
    pair_start(p);
    send(p, 0, OPEN * PAIR_MSS, ONE);
    send(p, 1, OPEN * PAIR_MSS, 1);
    struct host_flow *early = host_flow_at(p->host[0], 0), *f = host_flow_at(p->host[0], 1);
    host_schedule_sent(p->host[0], 0, early, 1000);
    for (uint64_t i = 0; i < 8192; i++) {
        assert_int_equal(host_schedule_start(p->host[0], 1, f), i << 49);
        host_schedule_sent(p->host[0], 1, f, 8192);
    }
    assert_int_equal(host_schedule_start(p->host[0], 0, early), UINT64_C(8191) << 49);
    assert_int_equal(host_schedule_start(p->host[0], 1, f), UINT64_C(1) << 62);
    host_schedule_sent(p->host[0], 1, f, 8192);
    assert_int_equal(host_schedule_start(p->host[0], 0, early), UINT64_C(1) << 52);
    assert_int_equal(host_schedule_start(p->host[0], 1, f), (UINT64_C(1) << 52) + (UINT64_C(1) << 49));
}

/* With one state per destination the destinations share the NIC: to one there are messages of a packet, each on a connection of its own. */
static void laws_of_a_destination_share_by_destination(void **state)
{
    struct pair *p = reset();
    struct weir_pkt pkt;
    uint32_t to[2] = { 0, 0 };
    (void)state;
    ops.per_peer = true;
    pair_start(p);
    for (uint32_t i = 0; i < 12; i++)
        assert_int_equal(weir_host_send(p->host[0], 0, 1, i, PAIR_MSS), 0);
    assert_int_equal(weir_host_send(p->host[0], 0, 2, 12, 20 * PAIR_MSS), 0);
    assert_int_equal(weir_host_weight(p->host[0], 0, 12, 2 * ONE), 0);
    for (uint32_t i = 0; i < 12; i++) {
        assert_int_equal(weir_host_tx(p->host[0], i * UINT64_C(88000), &pkt, 1), 1);
        to[pkt.dst - 1]++;
    }
    assert_int_equal(to[0], 4);
    assert_int_equal(to[1], 8);
}

static void round_robin_reads_no_weight(void **state)
{
    struct pair *p = reset();
    (void)state;
    p->cfg.params.nic_schedule = WEIR_NIC_ROUND_ROBIN;
    pair_start(p);
    send(p, 0, OPEN * PAIR_MSS, ONE);
    send(p, 1, OPEN * PAIR_MSS, 4 * ONE);
    pair_run(p, 6 * 88000);
    sent_in_order(p, 0, "010101");
}

/* The rate of a NIC: rounded down, at least a megabit per second; without a key it is the line's. */
static void a_nic_has_its_part_of_the_line(void **state)
{
    static const struct {
        uint32_t ppm;
        uint64_t line_bps, bps;
    } row[] = { { 0, 100000000001, 100000000001 },     { 1000000, 100000000001, 100000000001 },
                { 990000, 100000000000, 99000000000 }, { 990000, 100000000001, 99000000000 },
                { 10000, 100000000, 1000000 },         { 10000, 99999999, 1000000 },
                { 10000, 100000199, 1000001 } };
    (void)state;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        struct weir_host_params params = { .nic_rate_ppm = row[i].ppm };
        assert_int_equal(weir_host_nic_bps(&params, row[i].line_bps), row[i].bps);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_of_1_2_and_4_send_in_proportion),
        cmocka_unit_test(equal_weights_alternate),
        cmocka_unit_test(a_new_weight_counts_at_once),
        cmocka_unit_test(a_higher_weight_ends_the_wait_at_once),
        cmocka_unit_test(what_was_not_sent_is_not_made_up_for),
        cmocka_unit_test(a_connection_that_had_nothing_starts_now),
        cmocka_unit_test(bytes_on_the_wire_count),
        cmocka_unit_test(the_next_message_of_a_connection_starts_where_the_last_has_finished),
        cmocka_unit_test(a_paced_connection_is_not_behind_after_its_pause),
        cmocka_unit_test(short_messages_go_before_the_least_start),
        cmocka_unit_test(the_clock_begins_again_and_the_order_stays),
        cmocka_unit_test(the_clock_begins_again_at_its_end),
        cmocka_unit_test(laws_of_a_destination_share_by_destination),
        cmocka_unit_test(round_robin_reads_no_weight),
        cmocka_unit_test(a_nic_has_its_part_of_the_line),
    };
    return cmocka_run_group_tests_name("host/schedule", tests, NULL, NULL);
}
