/* test/prop/test_expresspass.c - ExpressPass with its gates, where what must happen can be computed or bounded beforehand: credits that come
 * to a port at one instant, how long data queues get, how soon links are full and shared, and that every message arrives once. */
#include "core/math.h"
#include "test/prop/rig.h"
#include "test/oracle/generate.h"

#define START_PS UINT64_C(100000)
#define NONE_MORE "traffic: [{kind: permutation, size: 1 B}]\n"
#define TO_THE_END "run: {warmup: 0 us, measure: all}\n"
#define PACKET_BYTES 1538u
#define GATE_PS UINT64_C(129760) /* that the tokens of 84 B take at 100 Gb/s */

/* ---- what one host receives, as the oracle tapes it ---- */

enum { TAPED_MAX = 32, BINS_MAX = 512 };

static struct {
    uint32_t host;
    uint64_t first_credit_ps[TAPED_MAX]; /* when the first credit of each other host came */
    uint32_t first_credits;
    uint64_t from_ps, bin_ps;
    uint64_t bytes[TAPED_MAX][BINS_MAX]; /* payload from each host in each round trip */
} taped;

static void tape_note(void *ctx, const struct weir_oracle_note *n)
{
    (void)ctx;
    if (n->edge != WEIR_EDGE_RX || n->pkt.src >= TAPED_MAX)
        return;
    if (n->pkt.kind == WEIR_PKT_CONTROL && n->host == taped.host && n->pkt.class_id == 0 && n->pkt.ack == 0)
        taped.first_credit_ps[taped.first_credits++] = n->at_ps;
    if (n->pkt.kind == WEIR_PKT_DATA && n->at_ps >= taped.from_ps && taped.bin_ps > 0 &&
        (n->at_ps - taped.from_ps) / taped.bin_ps < BINS_MAX)
        taped.bytes[n->pkt.src][(n->at_ps - taped.from_ps) / taped.bin_ps] += n->pkt.payload_bytes;
}

/* The list by the oracle, taped, and by the engine: they agree. @return the engine's */
static struct weir_result run_taped(void)
{
    const struct weir_sim_options options = { .threads = 1, .check = true };
    const struct weir_oracle_tape tape = { .note = tape_note };
    struct weir_result oracle = { 0 }, engine;
    struct weir_err err = { 0 };
    use_list();
    if (weir_oracle_run_taped(&rig.setup.model, &options, &tape, &oracle, &err) != 0)
        fail_msg("%s", err.text);
    keep(&oracle);
    engine = run(weir_sim_run, NULL);
    assert_true(engine.digest == oracle.digest);
    assert_true(engine.queues_digest == oracle.queues_digest);
    return engine;
}

/* ---- a port ---- */

/* Requests leave host 0 one after the other, 6.72 ns apart, for 12 hosts, each 3.36 ns nearer than the one before. So the answers, credits of 84 B,
 * come back to the switch at one instant. */
static void of_12_credits_at_one_instant_4_are_dropped_and_the_others_leave_at_the_gates_rate(void **state)
{
    char network[2048], path[64], text[512];
    struct gen file = gen_begin(0, 0, network);
    int fd = -1;
    (void)state;
    memset(&taped, 0, sizeof(taped));
    gen_put(&file, "hosts: [h0..h12]\nswitches: [s0]\ncables:\n  - {a: h0, b: s0, rate: 100 Gbps, delay: 5 us}\n");
    for (uint32_t i = 0; i < 12; i++)
        gen_put(&file, "  - {a: h%u, b: s0, rate: 100 Gbps, delay: %u ps}\n", (unsigned)i + 1, 5000000 - i * 3360);
    gen_write_file(&file, &fd, path, sizeof(path));
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: file, file: %s}\n"
                   "protocol: {name: expresspass, credit_min: 84 B, credit_max: 84 B}\n" NONE_MORE TO_THE_END,
                   path);
    begin(text);
    for (uint32_t i = 0; i < 12; i++)
        list(0, i + 1, 1460, START_PS);
    (void)run_taped();
    assert_int_equal(taped.first_credits, 8);
    for (uint32_t i = 0; i < 8; i++)
        assert_int_equal(taped.first_credit_ps[i] - taped.first_credit_ps[0], i == 0   ? 0
                                                                              : i == 1 ? 84 * 80
                                                                                       : (i - 1) * GATE_PS);
    end();
}

/* A request of host 1 and a credit of host 2 come to host 0's port at one instant. The request comes by the lower link, and joins first. */
static void a_credit_goes_before_what_came_with_it(void **state)
{
    const uint64_t link_ps = 1250000, short_ps = 84 * 80;
    (void)state;
    memset(&taped, 0, sizeof(taped));
    begin("topology: {kind: star, hosts: 3, host_link: 100 Gbps, host_delay: 1.25 us}\n"
          "protocol: {name: expresspass, credit_min: 84 B, credit_max: 84 B}\n" NONE_MORE TO_THE_END);
    list(0, 2, 1460, START_PS);
    list(1, 0, 1460, START_PS + 2 * (short_ps + link_ps)); /* when host 2 has the request of host 0 */
    (void)run_taped();
    assert_int_equal(taped.first_credits, 1);
    assert_int_equal(taped.first_credit_ps[0], START_PS + 4 * (short_ps + link_ps));
    end();
}

/* ---- queues ---- */

/* Data that a port sends was let come by credits that passed the gate at the far end of its link: two at once, and then one per 129.76 ns,
 * the time that 1622 B take. Data comes later than its credit by a time that varies by no more than what credit waits at further gates, 8
 * credits each, behind one full packet, and by the difference of the paths. In that time come so many packets more than leave; and the short packets
 * of data's class, three per message. spread: that time. @return bytes */
static uint64_t queue_bound(uint64_t spread_ps, uint32_t messages)
{
    return (2 + 1 + spread_ps / GATE_PS) * PACKET_BYTES + messages * 3 * 84;
}

static void on_a_star_no_queue_of_data_passes_its_bound(void **state)
{
    const uint64_t spread_ps =
        8 * GATE_PS + 2 * 123040; /* one gate, and a packet on the wire before it and at the sender */
    (void)state;
    begin("topology: {kind: star, hosts: 17, host_link: 100 Gbps, host_delay: 1.25 us}\n"
          "protocol: {name: expresspass, preset: dart}\n" NONE_MORE TO_THE_END);
    for (uint32_t src = 0; src < 16; src++) {
        list(src, 16, 300000, START_PS);
        list(src, (src + 1) % 16, 300000, START_PS);
    }
    use_list();
    struct weir_result r = run(weir_sim_run, NULL);
    assert_int_equal(r.messages_completed, 32);
    assert_int_equal(r.retransmissions, 0);
    print_message("longest queue %" PRIu64 " B, bound %" PRIu64 " B\n", r.port_queue.max_bytes,
                  queue_bound(spread_ps, 16));
    assert_true(r.port_queue.max_bytes <= queue_bound(spread_ps, 16));
    assert_true(r.port_queue.max_bytes > 2 * PACKET_BYTES); /* or nothing ever waited */
    end();
}

/* Data to a host comes from its rack and from others, over 2 us more of path and two more gates, of links four times as fast. */
static void over_symmetric_paths_no_queue_of_data_passes_its_bound(void **state)
{
    const uint64_t spread_ps = 8 * GATE_PS + 2 * (8 * GATE_PS / 4) + 2 * 1000000 + 4 * 123040;
    (void)state;
    begin("topology: {kind: leaf-spine, hosts: 24, racks: 3, spines: 2, host_link: 100 Gbps, core_link: 400 Gbps, "
          "host_delay: 1.25 us, core_delay: 0.5 us}\n"
          "protocol: {name: expresspass, preset: sird}\n" NONE_MORE TO_THE_END);
    for (uint32_t src = 0; src < 24; src++)
        for (uint32_t i = 1; i < 5; i++)
            list(src, (src + 5 * i) % 24, 200000, START_PS);
    use_list();
    struct weir_result r = run(weir_sim_run, NULL);
    assert_int_equal(r.messages_completed, 96);
    assert_int_equal(r.retransmissions, 0);
    print_message("longest queue %" PRIu64 " B, bound %" PRIu64 " B\n", r.port_queue.max_bytes,
                  queue_bound(spread_ps, 8));
    assert_true(r.port_queue.max_bytes <= queue_bound(spread_ps, 8));
    end();
}

/* ---- convergence ---- */

enum { RATE_GBPS = 10 };

/* The first round trip, counted from 1, in which the first n hosts together send what their link carries within 5 %; or with each, in which
 * every one of them sends its share within 5 %. 1622 bytes of the link carry 1460 of payload. */
static uint32_t settles_in(uint32_t n, bool each)
{
    uint64_t full = weir_mul_div_u64(taped.bin_ps, RATE_GBPS * UINT64_C(1460), 8 * UINT64_C(1000) * 1622);
    for (uint32_t bin = 0; bin < BINS_MAX; bin++) {
        uint64_t sum = 0;
        bool all = true;
        for (uint32_t src = 0; src < n; src++) {
            uint64_t part = taped.bytes[src][bin] * n;
            sum += taped.bytes[src][bin];
            all = all && part * 100 >= full * 95 && part * 100 <= full * 105;
        }
        if (each ? all : sum * 100 >= full * 95 && sum * 100 <= full * 105)
            return bin + 1;
    }
    return BINS_MAX;
}

/* Messages that do not end begin together. fan_in: all from the first n hosts to the last one; else from each to one of its own */
static void run_together(const char *topology, const char *preset, uint32_t n, bool fan_in)
{
    char text[512];
    (void)snprintf(text, sizeof(text),
                   "topology: {%s, host_link: %d Gbps, core_link: %d Gbps, "
                   "host_delay: %s, core_delay: %s}\n"
                   "protocol: {name: expresspass, preset: %s}\n" NONE_MORE "run: {warmup: 0 us, measure: 2 ms}\n",
                   topology, RATE_GBPS, RATE_GBPS, fan_in ? "3 us" : "10 us", fan_in ? "3 us" : "10 us", preset);
    begin(text);
    memset(&taped, 0, sizeof(taped));
    taped.from_ps = START_PS;
    taped.bin_ps = rig.setup.base_rtt_ps;
    for (uint32_t src = 0; src < n; src++)
        list(src, fan_in ? rig.setup.topo.host_count - 1 : n + src, 100000000, START_PS);
    (void)run_taped();
    end();
}

/* Dart's paper says 4 round trips. The first one passes before any data comes. */
static void two_of_two_share_a_dumbbell_within_a_few_round_trips(void **state)
{
    (void)state;
    run_together("kind: dumbbell, hosts: 4", "dart", 2, false);
    assert_in_range(settles_in(2, false), 2, 4);
    assert_in_range(settles_in(2, true), 2, 6);
    run_together("kind: dumbbell, hosts: 4", "paper", 2, false); /* from a sixteenth on */
    assert_in_range(settles_in(2, false), 4, 10);
}

/* Dart's paper says 20 round trips. The link is full much sooner. Shares go on swinging: with three packets a round trip for each no 5 % can
 * be seen. */
static void ten_fill_the_link_of_one_on_a_fat_tree_within_a_few_round_trips(void **state)
{
    (void)state;
    run_together("kind: fat-tree, k: 4", "dart", 10, true);
    assert_in_range(settles_in(10, false), 2, 5);
    run_together("kind: fat-tree, k: 4", "paper", 10, true);
    assert_in_range(settles_in(10, false), 2, 8);
}

/* ---- losses ---- */

/* Requests, credits, stops, data, what is granted by name and what says that a message is here are lost, one in 50. */
static void every_message_arrives_once_though_packets_are_lost(void **state)
{
    (void)state;
    begin("topology: {kind: star, hosts: 5, host_link: 100 Gbps, host_delay: 1.375 us}\n"
          "protocol: {name: expresspass, preset: sird, connections: 3, idle_timeout: 40 us, request_timeout: 20 us}\n"
          "fabric: {loss: 2%}\n" NONE_MORE TO_THE_END);
    for (uint32_t src = 0; src < 4; src++)
        for (uint32_t i = 0; i < 8; i++)
            list(src, (src + 1 + i % 4) % 5, 1 + i * UINT64_C(30011), START_PS + i * WEIR_PS_PER_US);
    memset(&taped, 0, sizeof(taped));
    struct weir_result r = run_taped();
    assert_int_equal(r.messages_completed, rig.listed_count);
    assert_true(r.retransmissions > 10);
    assert_true(r.timeouts > 10);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_12_credits_at_one_instant_4_are_dropped_and_the_others_leave_at_the_gates_rate),
        cmocka_unit_test(a_credit_goes_before_what_came_with_it),
        cmocka_unit_test(on_a_star_no_queue_of_data_passes_its_bound),
        cmocka_unit_test(over_symmetric_paths_no_queue_of_data_passes_its_bound),
        cmocka_unit_test(two_of_two_share_a_dumbbell_within_a_few_round_trips),
        cmocka_unit_test(ten_fill_the_link_of_one_on_a_fat_tree_within_a_few_round_trips),
        cmocka_unit_test(every_message_arrives_once_though_packets_are_lost),
    };
    return cmocka_run_group_tests_name("prop/expresspass", tests, NULL, NULL);
}
