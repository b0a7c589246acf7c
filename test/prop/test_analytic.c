/* test/prop/test_analytic.c - runs whose answer is known without running: latency of an idle path, a window per round trip, M/D/1, fair shares, DCTCP's
 * queue, conservation. */
#include "test/prop/rig.h"
#include <math.h>
#include <stdio.h>

/* --- latency of an idle path --- */

/* Full packets of 1538 bytes and a last one, store and forward: a packet starts on a link when all of it has arrived and its
 * predecessor has left. */
static uint64_t by_hand_ps(uint64_t bytes, const uint64_t *ps_per_byte, const uint64_t *delay_ps, uint32_t links)
{
    uint64_t free_ps[4] = { 0 }, at_ps = 0;
    for (uint64_t left = bytes; left > 0; left -= left < 1460 ? left : 1460) {
        uint64_t payload = left < 1460 ? left : 1460, wire = payload + 78 < 84 ? 84 : payload + 78;
        at_ps = 0;
        for (uint32_t l = 0; l < links; l++) {
            free_ps[l] = (at_ps > free_ps[l] ? at_ps : free_ps[l]) + wire * ps_per_byte[l];
            at_ps = free_ps[l] + delay_ps[l];
        }
    }
    return at_ps;
}

static const uint64_t sizes[] = { 1, 6, 7, 100, 1459, 1460, 1461, 2920, 3000, 4380, 8761, 14600 };
enum { SIZES = sizeof(sizes) / sizeof(sizes[0]), APART_US = 200 };

/* Reads what a run wrote, row by row, in the order of the messages' start. */
static void check_latencies(FILE *messages, uint32_t far, const uint64_t *near_expected, const uint64_t *far_expected)
{
    char line[512];
    uint32_t rows = 0;
    rewind(messages);
    while (fgets(line, sizeof(line), messages) != NULL) {
        uint64_t id, bytes, start, finish, ideal;
        uint32_t src, dst, size = rows / 2;
        assert_int_equal(sscanf(line,
                                "%" SCNu64 ",%" SCNu32 ",%" SCNu32 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64, &id,
                                &src, &dst, &bytes, &start, &finish, &ideal),
                         7);
        assert_int_equal(bytes, sizes[size]);
        assert_int_equal(dst, rows % 2 == 0 ? 1 : far);
        assert_int_equal(finish - start, rows % 2 == 0 ? near_expected[size] : far_expected[size]);
        assert_int_equal(ideal, finish - start);
        rows++;
    }
    assert_int_equal(rows, 2 * SIZES);
}

static void idle_path(const char *topology, uint32_t far, const uint64_t *ps_per_byte, const uint64_t *delay_ps,
                      uint32_t far_links)
{
    uint64_t near_expected[SIZES], far_expected[SIZES], edge_rate[2] = { ps_per_byte[0], ps_per_byte[0] },
                                                        edge_delay[2] = { delay_ps[0], delay_ps[0] };
    run_fn *both[] = { weir_sim_run, weir_oracle_run };
    char text[1024];
    (void)snprintf(text, sizeof(text),
                   "%sprotocol: {name: dctcp, init_cwnd: 60 KB}\nfabric: {ecn: {threshold: 1 MB}}\n"
                   "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, measure: all}\n",
                   topology);
    begin(text);
    for (uint32_t i = 0; i < SIZES; i++) {
        list(0, 1, sizes[i], (1 + 2 * i) * APART_US * WEIR_PS_PER_US + 12345 * i);
        list(0, far, sizes[i], (2 + 2 * i) * APART_US * WEIR_PS_PER_US + 54321 * i);
        near_expected[i] = by_hand_ps(sizes[i], edge_rate, edge_delay, 2);
        far_expected[i] = by_hand_ps(sizes[i], ps_per_byte, delay_ps, far_links);
    }
    use_list();
    for (int b = 0; b < 2; b++) {
        FILE *messages = tmpfile();
        assert_non_null(messages);
        (void)run(both[b], messages);
        check_latencies(messages, far, near_expected, far_expected);
        (void)fclose(messages);
    }
    end();
}

static void idle_latency_in_leaf_spine_is_exact(void **state)
{
    const uint64_t rate[] = { 80, 20, 20, 80 }, delay[] = { 1250000, 500000, 500000, 1250000 };
    (void)state;
    assert_int_equal(by_hand_ps(1460, rate, delay, 4), 2 * (1538 * 80 + 1250000) + 2 * (1538 * 20 + 500000));
    assert_int_equal(by_hand_ps(1, rate, delay, 4), 2 * (84 * 80 + 1250000) + 2 * (84 * 20 + 500000));
    assert_int_equal(by_hand_ps(14600, rate, delay, 4), 11 * 1538 * 80 + 2 * 1538 * 20 + 3500000);
    idle_path("topology: {kind: leaf-spine, hosts: 144, racks: 9, spines: 4, host_link: 100 Gbps, core_link: 400 Gbps, "
              "host_delay: 1.25 us, core_delay: 0.5 us}\n",
              143, rate, delay, 4);
}

static void idle_latency_across_a_slower_core_is_exact(void **state)
{
    const uint64_t rate[] = { 80, 320, 80 }, delay[] = { 700000, 3000000, 700000 };
    (void)state;
    idle_path("topology: {kind: dumbbell, hosts: 8, host_link: 100 Gbps, core_link: 25 Gbps, host_delay: 0.7 us, "
              "core_delay: 3 us}\n",
              7, rate, delay, 3);
}

static void idle_latency_in_a_fat_tree_pod_is_exact(void **state)
{
    const uint64_t rate[] = { 200, 80, 80, 200 }, delay[] = { 400000, 900000, 900000, 400000 };
    (void)state;
    idle_path("topology: {kind: fat-tree, k: 4, host_link: 40 Gbps, core_link: 100 Gbps, host_delay: 0.4 us, "
              "core_delay: 0.9 us}\n",
              3, rate, delay, 4); /* host 3: other edge switch of the same pod */
}

/* --- run.complete_at --- */

/* From start to end of the message of so many bytes. */
static uint64_t completion_ps(FILE *messages, uint64_t bytes)
{
    char line[512];
    rewind(messages);
    while (fgets(line, sizeof(line), messages) != NULL) {
        uint64_t start, finish, size;
        assert_int_equal(sscanf(line, "%*u,%*u,%*u,%" SCNu64 ",%" SCNu64 ",%" SCNu64, &size, &start, &finish), 3);
        if (size == bytes)
            return finish - start;
    }
    fail_msg("no message of %" PRIu64 " B", bytes);
    return 0;
}

/* 3000 bytes over two links of 10 Gb/s and 1 us: three packets, then what tells the sender: 84 bytes over two links. */
static void a_message_ends_when_its_last_byte_is_here_or_when_its_sender_knows(void **state)
{
    static const char *const protocols[] = { "dctcp, init_cwnd: 60 KB", "ndp, window: 60 KB" };
    const uint64_t ps[] = { 800, 800 }, delay_ps[] = { 1000000, 1000000 }, here_ps = by_hand_ps(3000, ps, delay_ps, 2);
    run_fn *both[] = { weir_sim_run, weir_oracle_run };
    (void)state;
    for (uint32_t i = 0; i < 8; i++) {
        FILE *messages = tmpfile();
        bool at_sender = i / 2 % 2;
        char text[512];
        (void)snprintf(text, sizeof(text),
                       "topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}\n"
                       "protocol: {name: %s}\nframing: ethernet\nfabric: {priorities: 2, ecn: {threshold: 1 GB}}\n"
                       "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, measure: all%s}\n",
                       protocols[i / 4], at_sender ? ", complete_at: sender" : "");
        begin(text);
        list(0, 1, 3000, 50 * WEIR_PS_PER_US);
        use_list();
        assert_non_null(messages);
        struct weir_result r = run(both[i % 2], messages);
        uint64_t expected_ps = here_ps + (at_sender ? 2 * (84 * 800 + UINT64_C(1000000)) : 0);
        assert_int_equal(completion_ps(messages, 3000), expected_ps);
        assert_int_equal(r.messages_completed, 1);
        assert_int_equal(r.messages_measured, 1);
        (void)fclose(messages);
        end();
    }
}

/* --- traffic.reply --- */

/* 3000 bytes as above. Then the ACK of their last packet leaves, and behind it the reply, whose answer has none. When a message counts as
 * ended changes nothing of that. */
static void a_reply_leaves_when_all_of_the_message_is_here(void **state)
{
    const uint64_t ps[] = { 800, 800 }, delay_ps[] = { 1000000, 1000000 };
    const uint64_t end_ps =
        50 * WEIR_PS_PER_US + by_hand_ps(3000, ps, delay_ps, 2) + 84 * 800 + by_hand_ps(1461, ps, delay_ps, 2);
    run_fn *both[] = { weir_sim_run, weir_oracle_run };
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        char text[512];
        (void)snprintf(
            text, sizeof(text),
            "topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}\n"
            "protocol: {name: dctcp, init_cwnd: 60 KB}\nframing: ethernet\nfabric: {ecn: {threshold: 1 GB}}\n"
            "traffic:\n  - {kind: permutation, size: 1 B, reply: 1461 B}\n"
            "run: {warmup: 0 us, measure: all%s}\n",
            i / 2 == 0 ? "" : ", complete_at: sender");
        begin(text);
        list(0, 1, 3000, 50 * WEIR_PS_PER_US);
        use_list();
        rig.wl.finite_messages = 2;
        struct weir_result r = run(both[i % 2], NULL);
        assert_int_equal(r.sim_ps, end_ps);
        assert_int_equal(r.messages_completed, 2);
        assert_int_equal(r.messages_measured, 1);
        assert_int_equal(r.slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_ALL].count, 1);
        assert_int_equal(r.jain_ppm, 1000000); /* of one host: the other offered nothing */
        end();
    }
}

/* --- host.short --- */

/* A star of 10 Gb/s whose switch has a class for ACKs and two for data, which host.short uses. */
static void begin_two_classes(bool short_first, const char *fabric)
{
    char text[512];
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: star, hosts: 4, host_link: 10 Gbps, host_delay: 1 us}\n"
                   "protocol: {name: dctcp, init_cwnd: 1 MB}\n%sfabric: {priorities: 3, ecn: {threshold: 1 GB}%s}\n"
                   "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, measure: all}\n",
                   short_first ? "host: {short: 2 KB}\n" : "", fabric);
    begin(text);
}

/* Two hosts have filled the port of a third with long messages; a packet from a fourth has the class before them. It takes two links of
 * 10 Gb/s and 1 us, 2.2304 us each, and waits for the packet in transmission at most. */
static void a_short_message_waits_for_one_packet_at_most(void **state)
{
    run_fn *both[] = { weir_sim_run, weir_oracle_run };
    const uint64_t packet_ps = 1538 * 800, idle_ps = 2 * (packet_ps + WEIR_PS_PER_US);
    (void)state;
    for (int i = 0; i < 4; i++) {
        FILE *messages = tmpfile();
        assert_non_null(messages);
        begin_two_classes(i >= 2, "");
        list(0, 2, 100 * 1460, 0);
        list(1, 2, 100 * 1460, 0);
        list(3, 2, 1460, 50 * WEIR_PS_PER_US); /* about 40 packets wait */
        use_list();
        (void)run(both[i % 2], messages);
        if (i < 2)
            assert_true(completion_ps(messages, 1460) > idle_ps + 30 * packet_ps);
        else
            assert_in_range(completion_ps(messages, 1460), idle_ps, idle_ps + packet_ps);
        (void)fclose(messages);
        end();
    }
}

static uint64_t pause_frames(const struct weir_result *r)
{
    for (uint32_t i = 0; i < r->feature_counts; i++)
        if (strcmp(r->feature_count[i].counter->name, "pause_frames") == 0)
            return r->feature_count[i].value;
    return 0;
}

/* Three hosts fill the port of a fourth, whose switch has paused their long messages: a pause lasts a few packets' time. A packet of a short
 * message leaves at once, but for one packet in transmission at its host and one at the switch. Without host.short it is in the class that is
 * paused. */
static void a_pause_of_long_messages_does_not_stop_a_short_one(void **state)
{
    run_fn *both[] = { weir_sim_run, weir_oracle_run };
    const uint64_t packet_ps = 1538 * 800, idle_ps = 2 * (packet_ps + WEIR_PS_PER_US);
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct weir_result r;
        FILE *messages = tmpfile();
        assert_non_null(messages);
        begin_two_classes(i >= 2, ", pfc: {kind: static, xoff: 20 KB}");
        list(0, 3, 100 * 1460, 0);
        list(1, 3, 100 * 1460, 0);
        list(2, 3, 100 * 1460, 0);
        list(2, 3, 1460, 100 * WEIR_PS_PER_US);
        use_list();
        r = run(both[i % 2], messages);
        assert_int_equal(r.drops, 0);
        assert_true(pause_frames(&r) > 10);
        if (i < 2)
            assert_true(completion_ps(messages, 1460) > idle_ps + 10 * packet_ps);
        else
            assert_in_range(completion_ps(messages, 1460), idle_ps, idle_ps + 2 * packet_ps);
        (void)fclose(messages);
        end();
    }
}

/* --- host.overhead --- */

/* When the first and the last of the run's messages have arrived. */
static void first_and_last_ps(FILE *messages, uint64_t *first_ps, uint64_t *last_ps)
{
    char line[512];
    *first_ps = UINT64_MAX;
    *last_ps = 0;
    rewind(messages);
    while (fgets(line, sizeof(line), messages) != NULL) {
        uint64_t finish;
        assert_int_equal(sscanf(line, "%*u,%*u,%*u,%*u,%*u,%" SCNu64, &finish), 1);
        *first_ps = finish < *first_ps ? finish : *first_ps;
        *last_ps = finish > *last_ps ? finish : *last_ps;
    }
}

/* A message alone has arrived 50 us later. The overheads of two connections overlap: together they last as long as one of both lengths. */
static void software_delays_each_message_of_a_connection(void **state)
{
    run_fn *both[] = { weir_sim_run, weir_oracle_run };
    const uint64_t ps_per_byte[] = { 800, 800 }, delay_ps[] = { WEIR_PS_PER_US, WEIR_PS_PER_US };
    (void)state;
    for (int i = 0; i < 4; i++) {
        uint64_t first_ps, last_ps, count = 1 + (uint64_t)i / 2;
        FILE *messages = tmpfile();
        assert_non_null(messages);
        begin("topology: {kind: star, hosts: 2, host_link: 10 Gbps, host_delay: 1 us}\n"
              "protocol: {name: dctcp, init_cwnd: 60 KB}\nhost: {overhead: 50 us}\nfabric: {ecn: {threshold: 1 MB}}\n"
              "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, measure: all}\n");
        for (uint64_t m = 0; m < count; m++)
            list(0, 1, UINT64_C(3) * 1460, 0);
        use_list();
        (void)run(both[i % 2], messages);
        first_and_last_ps(messages, &first_ps, &last_ps);
        assert_int_equal(last_ps, 50 * WEIR_PS_PER_US + by_hand_ps(count * 3 * 1460, ps_per_byte, delay_ps, 2));
        (void)fclose(messages);
        end();
    }
}

/* Messages of 64 KiB without headers, one after another to one destination: 9.362 us on a link of 56 Gb/s and 2.83 us before each, so
 * 43.0 Gb/s. A time rounded up to a whole picosecond may add one to each of its 16 packets. */
static void software_limits_the_rate_of_messages_that_go_in_turn(void **state)
{
    run_fn *both[] = { weir_sim_run, weir_oracle_run };
    const uint64_t message_ps = UINT64_C(65536) * 8000 / 56 + 2830000;
    enum { MESSAGES = 20 };
    (void)state;
    assert_int_equal(UINT64_C(65536) * 8 * WEIR_PS_PER_S / message_ps / 10000000, 4300);
    for (int b = 0; b < 2; b++) {
        uint64_t first_ps, last_ps;
        FILE *messages = tmpfile();
        assert_non_null(messages);
        begin("topology: {kind: star, hosts: 2, host_link: 56 Gbps, host_delay: 2.9 us}\n"
              "framing: {payload: 4096 B, header: 0 B, gap: 0 B}\nprotocol: {name: dart}\nhost: {overhead: 2.83 us}\n"
              "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, measure: all}\n");
        for (uint32_t m = 0; m < MESSAGES; m++)
            list(0, 1, 65536, 0);
        use_list();
        (void)run(both[b], messages);
        first_and_last_ps(messages, &first_ps, &last_ps);
        assert_in_range(last_ps - first_ps, (MESSAGES - 1) * message_ps, (MESSAGES - 1) * (message_ps + 16));
        (void)fclose(messages);
        end();
    }
}

/* --- host.window --- */

/* One message on a star of 10 Gb/s whose path holds 16,256 packets, with no limit but host.window. A window leaves at line rate, and
 * each of its packets lets the next window's go one round trip later; where the path holds less than the window, the line rate is
 * all. */
static void one_message(const char *host, uint32_t pkts, uint64_t expected_ps)
{
    run_fn *both[] = { weir_sim_run, weir_oracle_run };
    char text[512];
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: star, hosts: 2, host_link: 10 Gbps, host_delay: 5 ms}\n"
                   "protocol: {name: dctcp, init_cwnd: 1 GB}\n%sfabric: {ecn: {threshold: 1 GB}}\n"
                   "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, measure: all}\n",
                   host);
    begin(text);
    list(0, 1, pkts * UINT64_C(1460), 0);
    use_list();
    for (int b = 0; b < 2; b++) {
        uint64_t start, finish;
        FILE *messages = tmpfile();
        assert_non_null(messages);
        (void)run(both[b], messages);
        rewind(messages);
        assert_int_equal(fscanf(messages, "%*u,%*u,%*u,%*u,%" SCNu64 ",%" SCNu64, &start, &finish), 2);
        assert_int_equal(finish - start, expected_ps);
        (void)fclose(messages);
    }
    end();
}

static void a_window_leaves_per_round_trip_and_a_large_one_fills_the_path(void **state)
{
    const uint64_t packet_ps = 1538 * 800, ack_ps = 84 * 800, delay_ps = 5 * WEIR_PS_PER_MS;
    const uint64_t there_ps = 2 * (packet_ps + delay_ps), rtt_ps = there_ps + 2 * (ack_ps + delay_ps);
    enum { WINDOWS = 4 };
    (void)state;
    assert_int_equal(rtt_ps / packet_ps, 16256);
    for (uint32_t window = 100; window <= 16000; window *= 12) { /* 100, 1200, 14400 */
        char host[64];
        (void)snprintf(host, sizeof(host), "host: {window: %" PRIu32 ", rto_init: 1 s}\n", window);
        one_message(host, WINDOWS * window, (WINDOWS - 1) * rtt_ps + (window - 1) * packet_ps + there_ps);
    }
    one_message("host: {rto_init: 1 s}\n", WINDOWS * 8192, (WINDOWS - 1) * rtt_ps + 8191 * packet_ps + there_ps);
    one_message("host: {window: 262144, rto_init: 1 s}\n", WINDOWS * 8192, (WINDOWS * 8192 - 1) * packet_ps + there_ps);
}

/* --- M/D/1 --- */

/* Two hosts that send to each other: the only queues are those of their NICs, whose frames arrive at random and all take the
 * same time D. Pollaczek and Khinchine: mean wait = rho D / 2 (1 - rho). */
static void md1(uint32_t load_ppm, uint32_t measure_ms)
{
    char text[512];
    struct weir_result r;
    double rho = load_ppm * 1e-6 * 1538 / 1460, expected, wait;
    double frame_ns = 1538 * 0.08, idle_ns = 2 * (frame_ns + 1000);
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: star, hosts: 2, host_link: 100 Gbps, host_delay: 1 us}\n"
                   "protocol: {name: none}\nhost: {nic_queue: unlimited}\n"
                   "traffic:\n  - {kind: poisson, sizes: 1460 B, load: 0.%06" PRIu32 "}\n"
                   "run: {warmup: 1 ms, measure: %" PRIu32 " ms, seed: 5, sample: 1 ms}\n",
                   load_ppm, measure_ms);
    begin(text);
    r = run(weir_sim_run, NULL);
    end();
    expected = rho * frame_ns / (2 * (1 - rho));
    wait = (double)r.slowdown[WEIR_SLOWDOWN_IDEAL][WEIR_GROUP_ALL].mean_milli * 1e-9 * idle_ns - idle_ns;
    (void)printf("M/D/1 at %.3f: %" PRIu64 " packets, mean wait %.2f ns, theory %.2f ns, %+.2f %%\n", rho,
                 r.messages_measured, wait, expected, 100 * (wait / expected - 1));
    assert_true(fabs(wait / expected - 1) < 0.01);
}

/* How long: the relative error of the mean falls with the root of (packets * (1 - rho)^2 / 2). */
static void mean_wait_at_a_nic_is_that_of_an_md1_queue(void **state)
{
    (void)state;
    md1(284785, 200);
    md1(474642, 100);
    md1(664499, 200);
    md1(759428, 400);
    md1(854356, 1000);
}

/* --- shares of one bottleneck --- */

struct shared { /* n long flows into one port */
    struct weir_result result;
    double queue_mean_pkts, queue_max_pkts, rtt_pkts; /* rtt_pkts: C * RTT of the idle path */
};

static struct shared share(uint32_t n, uint32_t k_pkts, const char *delay)
{
    struct shared s;
    char text[512];
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: star, hosts: %" PRIu32 ", host_link: 10 Gbps, host_delay: %s}\n"
                   "protocol: {name: dctcp}\nfabric: {ecn: {threshold: %" PRIu32 " B}}\n"
                   "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 50 ms, measure: 300 ms, seed: 3}\n",
                   n + 1, delay, k_pkts * 1538);
    begin(text);
    for (uint32_t i = 0; i < n; i++)
        list(i, n, UINT64_C(1) << 32, i * 77 * WEIR_PS_PER_US);
    use_list();
    s.result = run(weir_sim_run, NULL);
    assert_int_equal(s.result.digest, run(weir_oracle_run, NULL).digest);
    s.queue_mean_pkts = (double)s.result.tor_queue.mean_millibytes / 1538000;
    s.queue_max_pkts = (double)s.result.port_queue.max_bytes / 1538;
    s.rtt_pkts = (double)rig.setup.base_rtt_ps / 800 / 1538; /* a byte takes 800 ps */
    end();
    return s;
}

static void long_flows_share_a_port_fairly(void **state)
{
    (void)state;
    for (uint32_t n = 2; n <= 16; n *= 2) {
        struct shared s = share(n, 65, "10 us");
        double goodput = (double)s.result.goodput_bps * (n + 1);
        (void)printf("%" PRIu32 " flows: Jain %.5f, %.3f Gb/s\n", n, (double)s.result.jain_ppm * 1e-6, goodput * 1e-9);
        assert_true(s.result.jain_ppm > 990000);
        assert_true(goodput > 0.99 * 1e10 * 1460 / 1538 && goodput <= 1e10 * 1460 / 1538 * 1.0001);
    }
}

/* SIGCOMM 2010, section 3.3, equations 4 to 8: n flows in step fill the queue to K + n packets and let it fall by
 * A = sqrt(2 n (C RTT + K)) / 2. Flows out of step swing less, so the mean lies between these two. */
static void the_queue_of_dctcp_swings_below_k_plus_n(void **state)
{
    const uint32_t k = 65, flows[] = { 2, 5, 10, 20 };
    (void)state;
    for (int i = 0; i < 4; i++) {
        uint32_t n = flows[i];
        struct shared s = share(n, k, "20 us");
        double swing = 0.5 * sqrt(2.0 * n * (s.rtt_pkts + k));
        (void)printf("%" PRIu32 " flows, K %" PRIu32
                     ", C RTT %.1f: queue mean %.1f max %.1f; theory max %.1f swing %.1f packets\n",
                     n, k, s.rtt_pkts, s.queue_mean_pkts, s.queue_max_pkts, (double)(k + n), swing);
        assert_true(fabs(s.queue_max_pkts - (k + n)) < 3); /* the frame that is marked, and the one in transmission */
        assert_true(s.queue_mean_pkts >= k + n - swing && s.queue_mean_pkts <= k + n);
    }
}

/* --- conservation --- */

static void what_was_offered_arrives_in_the_end_whatever_the_network_does(void **state)
{
    struct weir_result r;
    (void)state;
    begin("topology: {kind: leaf-spine, hosts: 24, racks: 3, spines: 2}\nprotocol: {name: dctcp}\n"
          "host: {nic_queue: unlimited, rto_min: 100 us, rto_init: 200 us, rto_max: 5 ms}\n"
          "fabric: {priorities: 2, routing: spray, buffer: 100 KB, alpha: 1, loss: 1%, reroute_delay: 20 us, events: ["
          "{at: 50 us, link: leaf 0 - spine 0, action: down}, {at: 300 us, link: leaf 0 - spine 0, action: up}]}\n"
          "traffic:\n  - {kind: permutation, size: 400 KB}\n  - {kind: incast, fan_in: 20, size: 20 KB, load: 10%, "
          "stop: 500 us}\n"
          "run: {warmup: 0 us, measure: all, seed: 9}\n");
    r = run(weir_sim_run, NULL);
    end();
    assert_true(r.drops > 100 && r.losses > 100 && r.retransmissions > 100);
    assert_int_equal(r.messages_completed, r.messages_started);
    assert_int_equal(r.goodput_bps, r.offered_bps);
    assert_int_equal(r.completed_bps, r.offered_bps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_latency_in_leaf_spine_is_exact),
        cmocka_unit_test(idle_latency_across_a_slower_core_is_exact),
        cmocka_unit_test(idle_latency_in_a_fat_tree_pod_is_exact),
        cmocka_unit_test(a_message_ends_when_its_last_byte_is_here_or_when_its_sender_knows),
        cmocka_unit_test(a_reply_leaves_when_all_of_the_message_is_here),
        cmocka_unit_test(a_short_message_waits_for_one_packet_at_most),
        cmocka_unit_test(a_pause_of_long_messages_does_not_stop_a_short_one),
        cmocka_unit_test(software_delays_each_message_of_a_connection),
        cmocka_unit_test(software_limits_the_rate_of_messages_that_go_in_turn),
        cmocka_unit_test(a_window_leaves_per_round_trip_and_a_large_one_fills_the_path),
        cmocka_unit_test(mean_wait_at_a_nic_is_that_of_an_md1_queue),
        cmocka_unit_test(long_flows_share_a_port_fairly),
        cmocka_unit_test(the_queue_of_dctcp_swings_below_k_plus_n),
        cmocka_unit_test(what_was_offered_arrives_in_the_end_whatever_the_network_does),
    };
    return cmocka_run_group_tests_name("prop/analytic", tests, NULL, NULL);
}
