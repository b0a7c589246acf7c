/* test/prop/test_sird.c - SIRD on one switch, where what must happen can be said beforehand: the small scenarios of the authors'
 * example configurations (BDP 72 KB, B 108 KB, SThr 25 packets of 1458 B), and the outcast of figure 4. */
#include "test/prop/rig.h"

#define US WEIR_PS_PER_US
#define BDP UINT64_C(72000)
#define STHR UINT64_C(36450)
/* 5.76 us of round trip: 4 links of 1.375 us, a full packet out, a word back */
#define STAR(protocol)                                                                                                 \
    "topology: {kind: star, hosts: 5, host_link: 100 Gbps, host_delay: 1.375 us, bdp: 72 KB}\n"                        \
    "protocol: {name: sird, " protocol "}\ntraffic: [{kind: permutation, size: 1 B}]\n"
#define SMALL STAR("SThr: 36450 B")

enum { LOOKS_MAX = 4096 };

static struct { /* what the looks saw, 1 us apart; and who sent the messages, as they finished */
    uint32_t count, finished;
    uint64_t arrived[LOOKS_MAX][5], held[LOOKS_MAX][5], outstanding[LOOKS_MAX]; /* of all receivers */
    uint32_t src[8];
} seen;

static int note_rows(void *ctx, const struct weir_account_row *row, size_t count)
{
    (void)ctx;
    for (size_t i = 0; i < count && seen.finished < 8; i++)
        seen.src[seen.finished++] = row[i].d.src;
    return 0;
}

static int snapshot(void *ctx, const struct weir_snapshot *now)
{
    (void)ctx;
    if (seen.count == LOOKS_MAX)
        return 0;
    for (uint32_t h = 0; h < 5; h++) {
        seen.arrived[seen.count][h] = now->host[h].arrived_bytes;
        seen.held[seen.count][h] = now->host[h].credit_held_bytes;
    }
    seen.outstanding[seen.count++] = now->credit_held_bytes + now->credit_in_flight_bytes;
    return 0;
}

/* The engine with looks, the oracle beside it: same digest. */
static struct weir_result run_both(void)
{
    struct weir_sim_options options = {
        .threads = 1, .check = true, .snapshot_ps = US, .snapshot = snapshot, .rows = note_rows
    };
    struct weir_result result = { 0 }, other;
    struct weir_err err = { 0 };
    seen.count = seen.finished = 0;
    use_list();
    if (weir_sim_run(&rig.setup.model, &options, &result, &err) != 0)
        fail_msg("%s", err.text);
    keep(&result);
    other = run(weir_oracle_run, NULL);
    assert_true(result.digest == other.digest);
    assert_int_equal(result.messages_completed, rig.listed_count);
    return result;
}

/* Payload rate at a host between two looks, Mbit/s. */
static uint64_t rate_mbps(uint32_t host, uint32_t from_us, uint32_t until_us)
{
    uint64_t bytes = seen.arrived[until_us - 1][host] - seen.arrived[from_us - 1][host];
    return bytes * 8 / (until_us - from_us);
}

/* Mean credit held by a sender between two looks. */
static uint64_t held_mean(uint32_t host, uint32_t from_us, uint32_t until_us)
{
    uint64_t sum = 0;
    for (uint32_t i = from_us; i < until_us; i++)
        sum += seen.held[i - 1][host];
    return sum / (until_us - from_us);
}

#define LINE_MBPS UINT64_C(94798) /* 1458 of 1538 bytes at 100 Gb/s */

/* 3 x (685 x 1538 + 1350) bytes must cross one downlink at 80 ps each. Before the first of them: request, credit, and the packet's
 * own way to that link, 2 x 1.375 us and two hops of 84 bytes each for the words. Once they flow the downlink rests only when the last
 * sender is alone: its bucket of a BDP holds 46 packets, and 46 x 1538 of 72000 bytes are 98.26 % of the line. */
static void an_incast_takes_what_the_downlink_takes(void **state)
{
    uint64_t wire_ps = 3 * (685 * 1538 + 1350) * 80, word_ps = 2750000 + 2 * 6720;
    uint64_t least_ps = 100000 + 2 * word_ps + 2750000 + 1538 * 80 + wire_ps;
    (void)state;
    begin(SMALL "run: {warmup: 0 us, measure: all}\n");
    for (uint32_t h = 0; h < 3; h++)
        list(h, 3, 1000000, 100000);
    struct weir_result r = run_both();
    uint64_t alone_ps = wire_ps / 3 * 72000 / (46 * 1538) - wire_ps / 3;
    assert_in_range(r.sim_ps, least_ps,
                    least_ps + alone_ps + 2 * 6720 + 123040); /* requests of the others come between */
    assert_true(r.port_queue.max_bytes <= BDP / 2 + 1538);    /* B - BDP */
    assert_in_range(seen.arrived[80][3], 840000, 866000);     /* at 81 us: 71.1 us of line rate */
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(seen.src[i], i); /* equally long: first come, first served */
    end();
}

/* h0 is alone until a second receiver wants it too: then it holds credit it cannot use, says so, and h3 turns to h1. */
static void a_congested_sender_sheds_credit_and_both_downlinks_stay_busy(void **state)
{
    (void)state;
    begin(SMALL "run: {warmup: 0 us, measure: all}\n");
    list(0, 3, 10000000, 100000);
    list(0, 2, 5000000, 220 * US);
    list(1, 3, 15000000, 200 * US);
    (void)run_both();
    assert_true(held_mean(0, 50, 200) < 2 * 1538);                   /* a lone sender spends what it gets */
    assert_true(rate_mbps(3, 50, 200) > LINE_MBPS * 98 / 100);       /* 46 packets in a bucket of 46.8 */
    assert_true(rate_mbps(3, 300, 550) > LINE_MBPS * 97 / 100);      /* fed by h1 meanwhile */
    assert_in_range(held_mean(0, 300, 550), STHR / 2, STHR * 5 / 4); /* so it says so */
    print_message("the shared sender gives h2 %ju Mb/s, h3 receives %ju Mb/s\n", (uintmax_t)rate_mbps(2, 300, 550),
                  (uintmax_t)rate_mbps(3, 300, 550));
    assert_true(rate_mbps(2, 300, 550) >
                LINE_MBPS * 55 / 100); /* its half of h0 and a little: (BDP + SThr) / 2 of credit each, Fig. 4 */
    end();
}

static void a_receiver_stays_busy_beside_a_sender_shared_by_three(void **state)
{
    (void)state;
    begin(SMALL "run: {warmup: 0 us, measure: all}\n");
    list(0, 1, 10000000, 100000);
    list(2, 1, 10000000, 100000);
    list(2, 3, 10000000, 100000);
    list(2, 4, 10000000, 100000);
    (void)run_both();
    assert_true(rate_mbps(1, 100, 800) > LINE_MBPS * 97 / 100);
    assert_true(rate_mbps(3, 100, 800) + rate_mbps(4, 100, 800) > LINE_MBPS * 60 / 100);
    end();
}

/* Figure 4: one sender, receivers joining at 0, 400, 800 us. Uninformed, each leaves a whole BDP at the sender beyond what the link takes;
 * informed, all of them together leave about SThr. out: mean credit outstanding, of all receivers. */
static void outcast(const char *text, uint64_t held[3], uint64_t out[3])
{
    begin(text);
    for (uint32_t i = 0; i < 3; i++)
        list(0, 1 + i, 20000000, 100000 + i * 400 * US);
    (void)run_both();
    for (uint32_t i = 0; i < 3; i++) {
        held[i] = held_mean(0, 200 + 400 * i, 400 + 400 * i);
        out[i] = 0;
        for (uint32_t at = 200 + 400 * i; at < 400 + 400 * i; at++)
            out[i] += seen.outstanding[at - 1] / 200;
    }
    end();
}

static void unused_credit_stays_near_sthr_instead_of_growing_with_receivers(void **state)
{
    uint64_t informed[3], blind[3], informed_out[3], blind_out[3];
    (void)state;
    outcast(SMALL "run: {warmup: 0 us, measure: all}\n", informed, informed_out);
    outcast(STAR("SThr: infinite") "run: {warmup: 0 us, measure: all}\n", blind, blind_out);
    print_message("credit at the sender, 1 2 3 receivers: SThr 36450 B: %" PRIu64 " %" PRIu64 " %" PRIu64
                  " B, infinite: %" PRIu64 " %" PRIu64 " %" PRIu64 " B\n",
                  informed[0], informed[1], informed[2], blind[0], blind[1], blind[2]);
    assert_true(informed[0] < 2 * 1538 && blind[0] < 2 * 1538);
    for (uint32_t i = 1; i < 3; i++) {
        assert_in_range(informed[i], STHR / 2, STHR * 5 / 4);
        assert_in_range(blind[i], i * BDP * 95 / 100, i * BDP * 105 / 100);
        /* buckets are all out: of n receivers (BDP + SThr) / n each where they are informed, whole BDPs where not */
        print_message("outstanding, %u receivers: %" PRIu64 " B, infinite %" PRIu64 " B\n", (unsigned)i + 1,
                      informed_out[i], blind_out[i]);
        assert_in_range(informed_out[i], (BDP + STHR) * 92 / 100, BDP + STHR);
        assert_in_range(blind_out[i], (i + 1) * BDP * 95 / 100, (i + 1) * BDP);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_incast_takes_what_the_downlink_takes),
        cmocka_unit_test(a_congested_sender_sheds_credit_and_both_downlinks_stay_busy),
        cmocka_unit_test(a_receiver_stays_busy_beside_a_sender_shared_by_three),
        cmocka_unit_test(unused_credit_stays_near_sthr_instead_of_growing_with_receivers),
    };
    return cmocka_run_group_tests_name("sird", tests, NULL, NULL);
}
