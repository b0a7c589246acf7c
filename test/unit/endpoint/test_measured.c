/* test/unit/endpoint/test_measured.c - time-outs and credit that follow what is measured: a path whose round trips vary
 * 1:50, a process that is not scheduled, and a link whose rate nobody stated. */
#include "test/unit/endpoint/endpoint_test.h"

enum { LONG = 8 << 20, UNDER_WAY = 4 };

static unsigned char *data;

static void begin_adaptive(void)
{
    begin();
    for (uint32_t i = 0; i < EPS; i++) {
        opts[i].rate_bps = 0;
        assert_int_equal(start(i), 0);
    }
}

static int adaptive_setup(void **state)
{
    (void)state;
    data = noise(LONG, 1);
    begin_adaptive();
    return 0;
}

static int fixed_setup(void **state)
{
    data = noise(LONG, 1);
    return setup(state);
}

static int end(void **state)
{
    int code = teardown(state);
    free(data);
    return code;
}

/* Sends messages from 0 to 1 for so long, UNDER_WAY at a time. vary: sets the path anew after each step; NULL = nothing
 * does. @return bytes that arrived */
static uint64_t transfer(uint64_t for_ns, uint64_t step_ns, void (*vary)(uint64_t step))
{
    uint64_t until = now_ns() + for_ns, before = stats(1).bytes_received;
    for (uint64_t step = 0; now_ns() < until; step++) {
        if (vary != NULL)
            vary(step);
        while (stats(0).ops_pending < UNDER_WAY)
            assert_int_equal(send_bytes(0, 1, data, LONG, 1), 0);
        run(step_ns);
        release_all(1);
        for (int k = 0; k < seen_count[0]; k++)
            assert_int_equal(seen[0][k].result, 0);
        seen_count[0] = seen_count[1] = 0;
    }
    return stats(1).bytes_received - before;
}

/* 1 ms to 50 ms, in no order. */
static void one_to_fifty(uint64_t step)
{
    uint64_t rtt_us = 1000 + weir_mix_u64(step) % 49001;
    mem_set_delay(mem, rtt_us * US / 2);
}

/* Three in four are 1 ms, the others 50 ms: the mean says nothing. */
static void one_or_fifty(uint64_t step)
{
    mem_set_delay(mem, (step % 4 == 3 ? 50 : 1) * MS / 2);
}

/* 29 s of paths that the constant of 10 ms does not know. The first 50 ms may be taken for a loss, nothing after that. */
static void spurious_once(void (*vary)(uint64_t step))
{
    uint64_t first;
    (void)transfer(2 * SECOND, 130 * MS, vary);
    first = stats(1).spurious_retransmissions;
    assert_int_equal(first, stats(0).retransmissions); /* nothing was lost */
    assert_true(transfer(27 * SECOND, 130 * MS, vary) > 0);
    assert_int_equal(stats(1).spurious_retransmissions, first);
    assert_int_equal(stats(0).retransmissions, first);
    assert_true(stats(1).timeouts <= 2 * UNDER_WAY);
}

static void round_trips_of_1_to_50_are_learnt_from_the_first(void **state)
{
    (void)state;
    spurious_once(one_to_fifty);
}

static void round_trips_of_1_or_50_are_learnt_from_the_first(void **state)
{
    (void)state;
    spurious_once(one_or_fifty);
}

/* What waits in its own queue is not silent. Two batches and more wait after each sleep of 30 ms. */
static void a_process_that_was_not_scheduled_reads_its_queue_before_it_judges(void **state)
{
    (void)state;
    (void)transfer(20 * MS, 10 * MS, NULL);
    for (int i = 0; i < 20; i++) {
        asleep[1] = true;
        (void)transfer(30 * MS, 30 * MS, NULL);
        asleep[1] = false;
        (void)transfer(1 * MS, 1 * MS, NULL);
    }
    assert_int_equal(stats(1).timeouts, 0);
    assert_int_equal(stats(0).retransmissions, 0);
}

/* A packet that is really lost still comes, after a time-out of the measured path. */
static void a_loss_is_recovered_after_the_measured_time(void **state)
{
    uint64_t at_ns, before;
    (void)state;
    mem_set_delay(mem, 20 * MS);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(send_bytes(0, 1, data, 400000, 1), 0);
        run(SECOND / 2);
    }
    assert_int_equal(stats(0).ops_pending, 0);
    before = stats(0).retransmissions; /* of the first message: 10 ms were too short */
    assert_int_equal(stats(1).spurious_retransmissions, before);
    at_ns = now_ns();
    assert_int_equal(send_bytes(0, 1, data, 100000, 1), 0); /* unscheduled as a whole */
    shim[0].lose[WEIR_PKT_DATA] = 1;
    run(SECOND / 2);
    assert_int_equal(stats(0).ops_pending, 0);
    assert_int_equal(stats(0).retransmissions, before + 1);
    assert_int_equal(stats(1).spurious_retransmissions, before);
    /* 20 ms, then a silence of three times 40 ms, found by a check every 10 ms; CREDIT, DATA and DONE take 60 ms */
    assert_in_range(seen_ns[0][seen_count[0] - 1] - at_ns, 160 * MS, 220 * MS);
}

/* 200 ms at 4 ms of round trip. A BDP of 125 KB would be 0.25 Gb/s, B of it 0.375. */
static void credit_grows_until_the_link_is_full(void **state)
{
    uint64_t bytes;
    (void)state;
    mem_set_delay(mem, 2 * MS);
    mem_set_rate(mem, UINT64_C(2000000000)); /* a BDP of 1 MB */
    (void)transfer(3 * SECOND, 10 * MS, NULL);
    bytes = transfer(2 * SECOND, 10 * MS, NULL);
    assert_in_range(bytes, 400000000, 500000000);              /* of 500 MB, with headers */
    assert_true(stats(1).credit_outstanding_bytes <= 4500000); /* at most twice what was of use, times 1.5 */
    assert_int_equal(stats(0).retransmissions, 0);
}

/* More credit than the link's would only wait in its queue. */
static void credit_that_brings_nothing_is_not_kept(void **state)
{
    uint64_t most = 0;
    (void)state;
    mem_set_rate(mem, UINT64_C(200000000));
    (void)transfer(2 * SECOND, 10 * MS, NULL);
    for (int i = 0; i < 300; i++) {
        (void)transfer(10 * MS, 10 * MS, NULL);
        most += stats(1).credit_outstanding_bytes;
    }
    assert_in_range(most / 300, 6000, 18750); /* 12500 B are 500 us, and B is 1.5 BDP; four packets are the least */
    assert_int_equal(stats(0).retransmissions, 0);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Calls of 64 bytes from 2 to 1, one after the other, while 0 and 2 send. @return the median time of a call, in ns */
static uint64_t median_call(uint64_t for_ns)
{
    uint64_t until = now_ns() + for_ns, began, ns[512];
    int n = 0;
    struct iovec iov = { data, 64 };
    while (now_ns() < until && n < 512) {
        for (uint32_t from = 0; from <= 2; from += 2)
            while (stats(from).ops_pending < UNDER_WAY)
                assert_int_equal(send_bytes(from, 1, data, LONG, 1), 0);
        began = now_ns();
        assert_int_equal(call_bytes(2, 1, data, 64, 77, 0), 0);
        for (bool answered = false; !answered;) {
            run(20 * US);
            for (int k = 0; k < seen_count[1]; k++)
                if (seen[1][k].type == WEIR_EV_CALL)
                    assert_int_equal(weir_reply(ep[1], seen[1][k].rpc, &iov, 1, 5, NULL), 0);
            for (int k = 0; k < seen_count[2]; k++) {
                if (seen[2][k].type == WEIR_EV_REPLY) {
                    answered = true;
                    ns[n++] = seen_ns[2][k] - began;
                }
            }
            for (uint32_t i = 0; i < EPS; i++) {
                release_all(i);
                seen_count[i] = 0;
            }
        }
        run(1 * MS);
    }
    qsort(ns, (size_t)n, sizeof(ns[0]), compare);
    return ns[n / 2];
}

/* Two senders at a port whose rate nobody stated, and a caller next to them. Credit of the first BDP would wait for 1 ms
 * and 5 ms in the queues of the first two rows; a packet takes 64 us and 13 us. The last is a long way. */
static void a_queue_is_told_from_a_long_way(void **state)
{
    static const struct {
        uint64_t rate_mbps, delay_us;
        uint32_t least_bytes, most_bytes; /* of the BDP that is found */
        uint64_t most_us;                 /* of the median call */
    } table[] = {
        { 200, 5, 6000, 12500, 750 },         /* a round trip of 500 us counts as short: 12,500 B, and B is 1.5 BDP */
        { 1000, 100, 25000, 62500, 750 },     /* the same of 62,500 B. The path itself has 25,000 */
        { 1000, 1000, 125000, 500000, 4000 }, /* 250,000 within a factor of two */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct weir_host_measured m;
        uint64_t bytes, median_us, took_ns;
        teardown(NULL);
        begin_adaptive();
        mem_set_rate(mem, table[i].rate_mbps * 1000000);
        mem_set_delay(mem, table[i].delay_us * US);
        (void)median_call(SECOND);
        bytes = ep[1]->host_stats->rx_new_bytes;
        took_ns = now_ns();
        median_us = median_call(SECOND / 2) / US;
        bytes = ep[1]->host_stats->rx_new_bytes - bytes;
        took_ns = now_ns() - took_ns;
        assert_true(weir_host_measured(ep[1]->host, &m));
        print_message("%4d Mb/s, %4d us: BDP %d of %d; median call %d us; goodput %d Mb/s\n", (int)table[i].rate_mbps,
                      (int)(2 * table[i].delay_us), (int)m.bdp_bytes,
                      (int)(table[i].rate_mbps * 2 * table[i].delay_us / 8), (int)median_us,
                      (int)(bytes * 8000 / took_ns));
        assert_in_range(m.bdp_bytes, table[i].least_bytes, table[i].most_bytes);
        assert_in_range(median_us, 1, table[i].most_us);
        assert_true(bytes * 8000 / took_ns >= table[i].rate_mbps * 4 / 5);
    }
}

/* Two senders at a port of 200 Mb/s. All three processes get their processor for 2 ms, each 2 ms to 18 ms. */
static void busy_processors_keep_the_credit_that_they_need(void **state)
{
    uint64_t at[EPS] = { 0 }, bytes = 0;
    (void)state;
    mem_set_rate(mem, UINT64_C(200000000));
    for (uint64_t ms = 0; ms < 8000; ms += 2) {
        for (uint32_t i = 0; i < EPS; i++) {
            asleep[i] = ms < at[i];
            if (!asleep[i])
                at[i] = ms + 2 + weir_mix_u64(ms << 8 | i) % 9 * 2;
        }
        for (uint32_t from = 0; from <= 2; from += 2)
            while (!asleep[from] && stats(from).ops_pending < UNDER_WAY)
                assert_int_equal(send_bytes(from, 1, data, LONG, 1), 0);
        run(2 * MS);
        if (ms == 2000)
            bytes = ep[1]->host_stats->rx_new_bytes;
        for (uint32_t i = 0; i < EPS; i++) {
            release_all(i);
            seen_count[i] = 0;
        }
    }
    bytes = ep[1]->host_stats->rx_new_bytes - bytes;
    print_message("goodput %d Mb/s\n", (int)(bytes * 8 / 6 / 1000000));
    assert_in_range(bytes * 8 / 6, 165000000, 186000000); /* at most 186 are payload */
    for (uint32_t i = 0; i < EPS; i++)
        asleep[i] = false;
}

/* A stated rate is obeyed, and B stays what it is. */
static void a_stated_rate_fixes_credit(void **state)
{
    uint64_t most = 0;
    (void)state;
    mem_set_delay(mem, 2 * MS);
    for (int i = 0; i < 100; i++) {
        (void)transfer(10 * MS, 10 * MS, NULL);
        most = weir_max_u64(most, stats(1).credit_outstanding_bytes);
    }
    assert_in_range(most, 120000, 125000); /* of a single sender: a BDP */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(round_trips_of_1_to_50_are_learnt_from_the_first, fixed_setup, end),
        cmocka_unit_test_setup_teardown(round_trips_of_1_or_50_are_learnt_from_the_first, fixed_setup, end),
        cmocka_unit_test_setup_teardown(a_process_that_was_not_scheduled_reads_its_queue_before_it_judges, fixed_setup,
                                        end),
        cmocka_unit_test_setup_teardown(a_loss_is_recovered_after_the_measured_time, fixed_setup, end),
        cmocka_unit_test_setup_teardown(credit_grows_until_the_link_is_full, adaptive_setup, end),
        cmocka_unit_test_setup_teardown(credit_that_brings_nothing_is_not_kept, adaptive_setup, end),
        cmocka_unit_test_setup_teardown(a_queue_is_told_from_a_long_way, adaptive_setup, end),
        cmocka_unit_test_setup_teardown(busy_processors_keep_the_credit_that_they_need, adaptive_setup, end),
        cmocka_unit_test_setup_teardown(a_stated_rate_fixes_credit, fixed_setup, end),
    };
    return cmocka_run_group_tests_name("endpoint/measured", tests, NULL, NULL);
}
