/* test/unit/model/test_account.c - message records, denominators, rows, each message's part of the digest. Host 0
 * and host 1 on one switch, 10 Gb/s, 2 us of cable; no engine: the test says what the hosts would say. */
#include "test/unit/sim_fixture.h"
#include "output/messages_csv.h"
#include "measure/digest.h"
#include <stdio.h>

static struct weir_account acc;
static struct weir_arena arena[2];
static struct weir_host_sink sink[2];

static void make(const char *text, uint32_t shards)
{
    struct weir_mem mem[2];
    struct weir_sim_options options = { .rows = weir_messages_csv_rows };
    const struct weir_model *model = fix_model(text);
    for (uint32_t i = 0; i < 2; i++) {
        arena[i] = (struct weir_arena){ 0 };
        mem[i] = (struct weir_mem){ .grow = weir_arena_take, .ctx = &arena[i] };
    }
    assert_int_equal(weir_account_init(&acc, model, &options, shards, mem, &fix_err), 0);
    weir_account_place(&acc, 1, shards - 1);
    for (uint32_t h = 0; h < 2; h++)
        sink[h] = weir_account_sink(&acc, h);
}

static int end(void **state)
{
    weir_account_free(&acc);
    weir_arena_free(&arena[0]);
    weir_arena_free(&arena[1]);
    return fix_end(state);
}

/* Host src starts a message to the other host. @return its handle */
static uint32_t start(uint32_t src, uint64_t id, uint64_t bytes, uint64_t now_ps)
{
    struct weir_message m = { .id = id, .start_ps = now_ps, .bytes = bytes, .src = src, .dst = 1 - src };
    uint32_t handle = UINT32_MAX;
    assert_int_equal(weir_account_start(&acc.host[src], &m, &handle), 0);
    return handle;
}

static void deliver(uint32_t src, uint32_t handle, uint64_t now_ps, uint32_t marks)
{
    sink[1 - src].delivered(sink[1 - src].ctx, src, handle, now_ps, marks);
}

static void finish(uint32_t src, uint32_t handle, uint64_t now_ps)
{
    sink[src].finished(sink[src].ctx, handle, now_ps);
}

/* As lines of the messages file. */
static void rows_are(const char *text)
{
    struct weir_sim_options options = { .rows = weir_messages_csv_rows };
    char is[2048];
    size_t length;
    FILE *file = tmpfile();
    assert_non_null(file);
    options.rows_ctx = file;
    assert_int_equal(weir_account_rows(&acc, &options), 0);
    rewind(file);
    length = fread(is, 1, sizeof(is) - 1, file);
    is[length] = '\0';
    (void)fclose(file);
    assert_string_equal(is, text);
}

#define TWO STAR("2") PERM("1 KB") "run: {warmup: 10 us, measure: 90 us}\n"

/* Known to its sender after the measured part, or never: then it has not ended. */
static void a_message_may_end_when_its_sender_knows(void **state)
{
    (void)state;
    make(STAR("2") PERM("1 KB") "run: {warmup: 10 us, measure: 90 us, complete_at: sender}\n", 2);
    const uint32_t early = start(0, 1, 100, 0), late = start(0, 2, 100, 0), never = start(0, 3, 100, 0);
    deliver(0, early, 20000000, 0);
    deliver(0, late, 90000000, 0);
    deliver(0, never, 95000000, 0);
    assert_int_equal(acc.shard[0].recorder.delivered_measured + acc.shard[1].recorder.delivered_measured, 0);
    finish(0, early, 30000000);
    finish(0, late, 100000000);
    assert_int_equal(acc.shard[0].recorder.delivered_measured, 1);
    assert_int_equal(acc.shard[0].recorder.delivered_measured_bytes, 100);
    weir_account_close(&acc, 100000000);
    assert_true(acc.shard[0].digest ==
                weir_digest_message(1, 0, 30000000, 0, 0) + weir_digest_message(2, 0, 100000000, 0, 0));
}

static void handles_count_up_and_the_last_one_freed_is_used_first(void **state)
{
    (void)state;
    make(TWO, 1);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(start(0, i, 100, 0), i);
    assert_int_equal(start(1, 7, 100, 0), 0); /* each host counts for itself */
    deliver(0, 0, 10, 0);
    deliver(0, 2, 10, 0);
    finish(0, 2, 20);
    finish(0, 0, 21);
    assert_int_equal(start(0, 3, 100, 30), 0);
    assert_int_equal(start(0, 4, 100, 30), 2);
    assert_int_equal(start(0, 5, 100, 30), 3);
    assert_int_equal(acc.host[0].used, 4);
}

/* Blocks hold 64, 128, 256 .. records: the borders are at 64, 192, 448. */
static void every_handle_has_a_record_of_its_own_across_blocks(void **state)
{
    (void)state;
    make(TWO, 1);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(start(0, i, 1, 0), i);
    for (uint32_t i = 0; i < 1000; i++)
        assert_int_equal(weir_account_msg(&acc.host[0], i)->id, i);
    assert_ptr_equal(weir_account_msg(&acc.host[0], 63) + 1, acc.host[0].block[0] + 64);
    assert_ptr_equal(weir_account_msg(&acc.host[0], 64), acc.host[0].block[1]);
    assert_ptr_equal(weir_account_msg(&acc.host[0], 191) + 1, acc.host[0].block[1] + 128);
    assert_ptr_equal(weir_account_msg(&acc.host[0], 192), acc.host[0].block[2]);
}

/* One frame: twice (tx + delay). Of n equal frames each further one comes a tx later. The last frame may be short. */
static void ideal_latencies_are_those_of_an_idle_star(void **state)
{
    static const struct {
        uint64_t bytes, ideal_ps;
    } row[] = {
        { 1460, 2 * (FULL_PS + DELAY_PS) },
        { 1, 2 * (84 * 800 + DELAY_PS) }, /* the least a frame takes: 84 B */
        { 2920, 2 * (FULL_PS + DELAY_PS) + FULL_PS },
        { 1461, 2 * (FULL_PS + DELAY_PS) + 84 * 800 },
        { 1460000, 2 * (FULL_PS + DELAY_PS) + (uint64_t)999 * FULL_PS },
    };
    (void)state;
    make(TWO, 1);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        uint64_t ideal_ps, payload_ps;
        weir_account_ideal(&acc, 0, 0, 1, row[i].bytes, &ideal_ps, &payload_ps);
        assert_int_equal(ideal_ps, row[i].ideal_ps);
        assert_int_equal(payload_ps, 2 * DELAY_PS + row[i].bytes * 800); /* no headers, no store-and-forward */
    }
}

/* Across a 2.5 Gb/s core payload bits take 3200 ps a byte: SIRD's denominator takes the slower of the two rates there only. */
static void the_payload_denominator_takes_the_core_rate_through_the_core_only(void **state)
{
    uint64_t ideal_ps, payload_ps;
    (void)state;
    make("topology: {kind: dumbbell, hosts: 4, host_link: 10 Gbps, core_link: 2.5 Gbps, host_delay: 2 us, core_delay: "
         "3 us}\n" PERM("1 KB") "run: {warmup: 10 us, measure: 90 us}\n",
         1);
    weir_account_ideal(&acc, 0, 0, 1, 1000, &ideal_ps, &payload_ps);
    assert_int_equal(payload_ps, 4000000 + 1000 * 800);
    assert_int_equal(ideal_ps, 4000000 + 2 * 1078 * 800);
    weir_account_ideal(&acc, 0, 0, 2, 1000, &ideal_ps, &payload_ps);
    assert_int_equal(payload_ps, 7000000 + 1000 * 3200);
    assert_int_equal(ideal_ps, 7000000 + 2 * 1078 * 800 + 1078 * 3200);
}

static void a_faster_core_does_not_speed_up_the_payload_denominator(void **state)
{
    uint64_t ideal_ps, payload_ps;
    (void)state;
    make("topology: {kind: dumbbell, hosts: 4, host_link: 10 Gbps, core_link: 100 Gbps, host_delay: 2 us, core_delay: "
         "3 us}\n" PERM("1 KB") "run: {warmup: 10 us, measure: 90 us}\n",
         1);
    weir_account_ideal(&acc, 0, 0, 2, 1000, &ideal_ps, &payload_ps);
    assert_int_equal(payload_ps, 7000000 + 1000 * 800);
}

/* ideal 6460800, payload 5168000; slowdown 2 and 1.5 and a millionth rounded down. */
static void rows_are_sorted_by_sender_completion_then_by_id(void **state)
{
    uint32_t a, b, c;
    (void)state;
    make(TWO, 2);
    a = start(0, 5, 1460, 1000);
    b = start(1, 4, 1460, 0);
    c = start(0, 3, 1460, 0);
    sink[0].retransmitted(sink[0].ctx, c);
    sink[0].retransmitted(sink[0].ctx, c);
    deliver(0, a, 1000 + 12921600, 0);
    deliver(1, b, 9691200, 1);
    deliver(0, c, 6460801, 3);
    finish(0, a, 20000000);
    finish(1, b, 20000000);
    finish(0, c, 19000000);
    rows_are("3,0,1,1460,0,6460801,6460800,5168000,1.000000,2,3,0\n"
             "4,1,0,1460,0,9691200,6460800,5168000,1.500000,0,1,0\n"
             "5,0,1,1460,1000,12922600,6460800,5168000,2.000000,0,0,0\n");
    rows_are(""); /* each row once */
}

static int refuse(void *ctx, const struct weir_account_row *row, size_t count)
{
    *(uint64_t *)ctx += count * 1000 + row[0].d.id;
    return WEIR_E_FILE;
}

/* What the asker says is the answer; rows that it was shown are not shown again. */
static void rows_are_passed_in_one_batch_and_only_if_there_are_any(void **state)
{
    uint64_t seen = 0;
    struct weir_sim_options options = { .rows = refuse, .rows_ctx = &seen };
    (void)state;
    make(TWO, 1);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t handle = start(0, 9 - i, 10, 0);
        deliver(0, handle, 100, 0);
        finish(0, handle, 200);
    }
    assert_int_equal(weir_account_rows(&acc, &options), WEIR_E_FILE);
    assert_int_equal(seen, 3007);
    assert_int_equal(weir_account_rows(&acc, &options), 0);
    assert_int_equal(seen, 3007);
}

/* At 10 Gb/s a byte is 800 ps: A = 2 T m for a mean work m of 3 bytes, 2400 ps; and 1.5 bytes count as 2. */
static void averages_are_means_of_areas_to_the_nearest_byte(void **state)
{
    static struct weir_histogram h;
    struct weir_port_count part = { .area_lo = UINT64_C(2) * 1000000 * 2400 };
    uint64_t sum = 0;
    (void)state;
    memset(&h, 0, sizeof(h));
    make(TWO, 1);
    assert_int_equal(weir_account_mean_millibytes(&part, 1000000, UINT64_C(10000000000)), 3000);
    weir_account_average(&h, &sum, 3000, 1);
    weir_account_average(&h, &sum, 1500, 1);
    weir_account_average(&h, &sum, 1499, 1);
    assert_int_equal(sum, 6);
    assert_int_equal(h.total, 3);
    assert_int_equal(h.count[3], 1);
    assert_int_equal(h.count[2], 1);
    assert_int_equal(h.count[1], 1);
}

static void credit_in_flight_is_granted_minus_held(void **state)
{
    struct weir_account_credit sum = { .outstanding_bytes = 100000, .held_bytes = 30000 };
    (void)state;
    make(TWO, 1);
    assert_int_equal(weir_account_credit_in_flight(&sum), 70000);
    sum.held_bytes = 100001; /* a grant that was lost and settled on one side only */
    assert_int_equal(weir_account_credit_in_flight(&sum), 0);
    sum.outstanding_bytes = -5;
    sum.held_bytes = 0;
    assert_int_equal(weir_account_credit_in_flight(&sum), 0);
}

static void the_digest_takes_each_delivered_message_once(void **state)
{
    uint64_t want = weir_digest_message(8, 100, 900, 1, 2) + weir_digest_message(9, 200, 950, 0, 0);
    uint32_t a, b;
    (void)state;
    make(TWO, 2);
    a = start(0, 8, 10, 100);
    b = start(1, 9, 10, 200);
    (void)start(1, 10, 10, 300); /* never delivered: no part */
    sink[0].retransmitted(sink[0].ctx, a);
    deliver(0, a, 900, 2);
    deliver(1, b, 950, 0);
    assert_int_equal(acc.shard[0].digest + acc.shard[1].digest, 0);
    finish(0, a, 1000);
    assert_int_equal(acc.shard[0].digest, weir_digest_message(8, 100, 900, 1, 2));
    weir_account_close(&acc, 2000); /* b arrived, its sender has not heard of it */
    assert_int_equal(acc.shard[0].digest + acc.shard[1].digest, want);
    rows_are("8,0,1,10,100,900,4140800,4008000,0.000193,1,2,0\n9,1,0,10,200,950,4140800,4008000,0.000181,0,0,0\n");
}

static void shards_count_what_their_hosts_started_and_received(void **state)
{
    uint32_t a, b;
    (void)state;
    make(TWO, 2);
    a = start(0, 1, 1000, 9999999); /* before the measured part */
    b = start(0, 2, 200, 10000000);
    assert_int_equal(acc.shard[0].started, 2);
    assert_int_equal(acc.shard[0].started_bytes, 1200);
    assert_int_equal(acc.shard[0].started_measured_bytes, 200);
    assert_int_equal(weir_account_unfinished_bytes(&acc), 1200);
    deliver(0, a, 20000000, 0); /* counted at the receiver's */
    assert_int_equal(acc.shard[1].delivered, 1);
    assert_int_equal(acc.shard[1].delivered_bytes, 1000);
    assert_int_equal(acc.shard[1].last_delivery_ps, 20000000);
    assert_int_equal(acc.shard[0].delivered, 0);
    assert_int_equal(weir_account_unfinished_bytes(&acc), 200);
    deliver(0, b, 30000000, 0);
    assert_int_equal(weir_account_unfinished_bytes(&acc), 0);
    finish(0, a, 31000000);
    finish(0, b, 31000000);
    assert_int_equal(acc.shard[0].finished, 2);
}

/* Without acknowledgements nobody tells the sender: a message is settled when it arrives, its handle free again on one thread. */
static void unacknowledged_messages_are_settled_on_arrival(void **state)
{
    (void)state;
    make(STAR("2") "protocol: none\n" PERM("1 KB") "run: {warmup: 10 us, measure: 90 us}\n", 1);
    assert_int_equal(start(0, 1, 1000, 0), 0);
    deliver(0, 0, 5724800, 0);
    assert_int_equal(acc.shard[0].digest, weir_digest_message(1, 0, 5724800, 0, 0));
    assert_int_equal(start(0, 2, 1000, 0), 0);
    weir_account_close(&acc, 6000000);
    rows_are("1,0,1,1000,0,5724800,5724800,4800000,1.000000,0,0,0\n");
}

static struct weir_delivery replied[2];
static uint32_t replied_count, asked_host, asked_to;

static void ask(void *ctx, uint32_t host, uint32_t to, uint32_t item, uint64_t now_ps)
{
    assert_ptr_equal(ctx, &acc);
    assert_int_equal(item, 0);
    assert_int_equal(now_ps, 6000000);
    asked_host = host;
    asked_to = to;
}

static int keep_replies(void *ctx, const struct weir_account_row *row, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count; i++)
        replied[replied_count++] = row[i].d;
    return 0;
}

/* Message 7 of host 0 asks host 1 for a reply, which is its message 1 << 40; both sides read what each of them is. */
static void a_reply_has_the_id_of_the_message_that_it_answers(void **state)
{
    struct weir_sim_options options = { .rows = keep_replies };
    struct weir_message m = { .id = UINT64_C(1) << 40, .start_ps = 6000000, .bytes = 4, .src = 1, .is_reply = true };
    uint32_t call, reply = UINT32_MAX;
    (void)state;
    make(STAR("2") "traffic: [{kind: permutation, size: 1 KB, reply: 4 B}]\nrun: {warmup: 10 us, measure: 90 us}\n", 1);
    acc.asks = ask;
    acc.asks_ctx = &acc;
    replied_count = 0;
    call = start(0, 7, 1000, 0);
    assert_int_equal(sink[1].head(sink[1].ctx, 0, call).reply, WEIR_REPLY_EXPECTED);
    deliver(0, call, 6000000, 0);
    assert_int_equal(asked_host, 1);
    assert_int_equal(asked_to, 0);
    assert_int_equal(weir_account_start(&acc.host[1], &m, &reply), 0);
    assert_int_equal(sink[0].head(sink[0].ctx, 1, reply).reply, WEIR_REPLY_IS);
    assert_int_equal(sink[1].head(sink[1].ctx, 1, reply).weight_q20, WEIR_WEIGHT_ONE);
    finish(0, call, 7000000);
    deliver(1, reply, 8000000, 0);
    finish(1, reply, 9000000);
    assert_int_equal(weir_account_rows(&acc, &options), 0);
    assert_int_equal(replied_count, 2);
    assert_int_equal(replied[0].id, 7);
    assert_int_equal(replied[0].call, 0);
    assert_true(replied[1].is_reply);
    assert_int_equal(replied[1].call, 7);
}

#define ACCOUNT_TEST(f) cmocka_unit_test_setup_teardown(f, fix_begin, end)

/* Of a host that restarts: what had arrived has ended, the rest is lost, and all handles are free. */
static void messages_of_a_host_that_restarts_end_or_are_lost(void **state)
{
    uint32_t arrived, from, to;
    (void)state;
    make(TWO, 2);
    arrived = start(0, 1, 1000, 5);
    from = start(0, 2, 3000, 6);
    to = start(1, 3, 4000, 7);
    deliver(0, arrived, 50, 0);
    weir_account_restart(&acc, 0, 60);
    assert_false(weir_account_msg(&acc.host[0], arrived)->in_use);
    assert_false(weir_account_msg(&acc.host[0], from)->in_use);
    assert_false(weir_account_msg(&acc.host[1], to)->in_use);
    assert_int_equal(acc.shard[0].finished, 1);
    assert_int_equal(acc.shard[0].lost + acc.shard[1].lost, 2);
    assert_int_equal(acc.shard[0].lost_bytes, 3000);
    assert_int_equal(acc.shard[1].lost_bytes, 4000);
    assert_int_equal(weir_account_unfinished_bytes(&acc), 0);
    assert_int_equal(acc.shard[0].digest,
                     weir_digest_message(1, 5, 50, 0, 0) + weir_digest_message(2, 6, 60, 0, UINT32_MAX));
    weir_account_restart(&acc, 1, 61); /* nothing is left */
    assert_int_equal(acc.shard[0].lost + acc.shard[1].lost, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ACCOUNT_TEST(handles_count_up_and_the_last_one_freed_is_used_first),
        ACCOUNT_TEST(every_handle_has_a_record_of_its_own_across_blocks),
        ACCOUNT_TEST(ideal_latencies_are_those_of_an_idle_star),
        ACCOUNT_TEST(the_payload_denominator_takes_the_core_rate_through_the_core_only),
        ACCOUNT_TEST(a_faster_core_does_not_speed_up_the_payload_denominator),
        ACCOUNT_TEST(rows_are_sorted_by_sender_completion_then_by_id),
        ACCOUNT_TEST(rows_are_passed_in_one_batch_and_only_if_there_are_any),
        ACCOUNT_TEST(averages_are_means_of_areas_to_the_nearest_byte),
        ACCOUNT_TEST(credit_in_flight_is_granted_minus_held),
        ACCOUNT_TEST(the_digest_takes_each_delivered_message_once),
        ACCOUNT_TEST(shards_count_what_their_hosts_started_and_received),
        ACCOUNT_TEST(a_message_may_end_when_its_sender_knows),
        ACCOUNT_TEST(unacknowledged_messages_are_settled_on_arrival),
        ACCOUNT_TEST(a_reply_has_the_id_of_the_message_that_it_answers),
        ACCOUNT_TEST(messages_of_a_host_that_restarts_end_or_are_lost),
    };
    return cmocka_run_group_tests_name("model/account", tests, NULL, NULL);
}
