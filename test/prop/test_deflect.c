/* test/prop/test_deflect.c - deflection in engine and oracle: latencies computed by hand, order of every message, and no trace where it cannot act. */
#define _GNU_SOURCE                                                                                                    \
    1 /* memfd_create(); NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the C library's own name */
#include "test/prop/rig.h"
#include <sys/mman.h>
#include <unistd.h>

#define US WEIR_PS_PER_US
#define NS (US / 1000)

static run_fn *const simulators[] = { weir_oracle_run, weir_sim_run };

/* ---- a detour of two links ---- */

enum { FILLERS = 15, SENDER = FILLERS, RECEIVER, SINK, PAYLOAD = 1460 };

/* 15 hosts at S, one at A, two at B; A - S - B is the way, S - X - Y - B the only other. From X the way back by S is the longer one. All of 10 Gb/s
 * and 1 us, so that a link takes 1500 bytes 2.2 us. */
static void begin_network(const char *deflect)
{
    char path[64], text[2048];
    int fd = memfd_create("net", 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    (void)fprintf(file, "defaults: {rate: 10 Gbps, delay: 1 us}\nhosts: [");
    for (uint32_t i = 0; i < FILLERS; i++)
        (void)fprintf(file, "f%" PRIu32 ", ", i);
    (void)fprintf(file, "a, b, c]\nswitches: [S, A, B, X, Y]\ncables:\n");
    for (uint32_t i = 0; i < FILLERS; i++)
        (void)fprintf(file, "  - {a: f%" PRIu32 ", b: S}\n", i);
    (void)fprintf(file, "  - {a: a, b: A}\n  - {a: b, b: B}\n  - {a: c, b: B}\n  - {a: A, b: S}\n  - {a: S, b: B}\n"
                        "  - {a: S, b: X, delay_back: 5 us}\n  - {a: X, b: Y}\n  - {a: Y, b: B}\n");
    (void)fflush(file);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: file, file: %s}\nprotocol: {name: dctcp}\nframing: {preset: ns2}\n"
                   "host: {rto_min: 1 s, rto_init: 1 s}\n"
                   "fabric: {routing: {metric: delay}, ecn: {threshold: 1 MB}, deflect: {short: 2 KB, %s}}\n"
                   "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, measure: all}\n",
                   path, deflect);
    begin(text);
    (void)fclose(file);
}

/* When the message of one packet that starts at 0 has arrived. fillers: messages of two packets, whose first ones join the port to B right
 * before it. */
static void takes(const char *deflect, uint32_t fillers, uint64_t wanted_ps, uint64_t messages)
{
    for (size_t i = 0; i < 2; i++) {
        FILE *rows = tmpfile();
        uint64_t id = 0, bytes = 0, start_ps = 0, end_ps = 0;
        uint32_t src = 0, dst = 0;
        struct weir_result result;
        char line[512];
        assert_non_null(rows);
        begin_network(deflect);
        for (uint32_t f = 0; f < fillers; f++)
            list(f, SINK, UINT64_C(2) * PAYLOAD, 2200 * NS);
        list(SENDER, RECEIVER, PAYLOAD, 0);
        use_list();
        result = run(simulators[i], rows);
        rewind(rows);
        while (dst != RECEIVER && fgets(line, sizeof(line), rows) != NULL)
            assert_int_equal(sscanf(line, "%" SCNu64 ",%" SCNu32 ",%" SCNu32 ",%" SCNu64 ",%" SCNu64 ",%" SCNu64, &id,
                                    &src, &dst, &bytes, &start_ps, &end_ps),
                             6);
        assert_int_equal(dst, RECEIVER);
        assert_int_equal(end_ps - start_ps, wanted_ps);
        assert_int_equal(feature_count(&result, "messages"), messages);
        assert_int_equal(result.retransmissions, 0);
        (void)fclose(rows);
        end();
    }
}

static void four_links_take_8800_ns(void **state)
{
    (void)state;
    takes("tokens: 4", 0, 8800 * NS, 0);
}

static void behind_22500_bytes_it_is_26800_ns(void **state)
{
    (void)state;
    takes("tokens: 0", FILLERS, 26800 * NS, 0);
    takes("tokens: 4, threshold: 22500 B", FILLERS, 26800 * NS, 0); /* it is above the threshold that deflects */
}

static void one_detour_of_two_links_takes_13200_ns(void **state)
{
    (void)state;
    takes("tokens: 4", FILLERS, 13200 * NS, 1);
    takes("tokens: 1, threshold: 22499 B", FILLERS, 13200 * NS, 1);
}

/* ---- random networks ---- */

static void begin_random(uint64_t seed, const char *fabric)
{
    static const char *const topology[] = {
        "{kind: leaf-spine, hosts: 12, racks: 4, spines: 3, host_link: 10 Gbps, core_link: 10 Gbps, host_delay: 1 us, "
        "core_delay: 1 us}",
        "{kind: leaf-spine, hosts: 16, racks: 2, spines: 2, host_link: 10 Gbps, core_link: 20 Gbps, host_delay: 0.5 "
        "us, core_delay: 3 us}",
        "{kind: fat-tree, k: 4, host_link: 10 Gbps, core_link: 10 Gbps, host_delay: 1 us, core_delay: 0.2 us}",
        "{kind: fat-tree, pods: 2, edges: 3, aggs: 2, uplinks: 2, edge_hosts: 3, host_link: 10 Gbps, core_link: 10 "
        "Gbps,"
        " host_delay: 1 us, core_delay: 1 us}",
    };
    char text[2048];
    (void)snprintf(text, sizeof(text),
                   "topology: %s\nprotocol: {name: dctcp}\n"
                   "host: {rto_min: 1 s, rto_init: 1 s, reliability: go-back-n}\n"
                   "fabric: {ecn: {threshold: 60 KB}%s}\ntraffic:\n  - {kind: poisson, sizes: wkb, load: 60%%}\n"
                   "  - {kind: incast, fan_in: 5, size: %" PRIu64 " KB, load: 15%%}\n"
                   "run: {warmup: 0 us, measure: 3 ms, seed: %" PRIu64 "}\n",
                   topology[seed % 4], fabric, 6 + seed % 7 * 4, seed);
    begin(text);
}

/* A quarter of these networks, with the paper's table: packets overtake others, and are asked for again. */
static void by_message_alone_packets_are_out_of_order(void **state)
{
    uint64_t again = 0;
    (void)state;
    for (uint64_t seed = 4; seed <= 24; seed += 4) {
        struct weir_result result, oracle;
        begin_random(seed, ", deflect: {threshold: 1 KB, entries: 9, tokens: 7, short: 10 MB, key: message}");
        result = run(weir_sim_run, NULL);
        oracle = run(weir_oracle_run, NULL);
        assert_int_equal(result.digest, oracle.digest);
        assert_int_equal(result.drops, 0);
        again += result.retransmissions;
        end();
    }
    (void)printf("%" PRIu64 " packets sent again\n", again);
    assert_true(again > 0);
}

/* With go-back-N a receiver that misses a packet asks for it again. Nothing is lost here: it does so only out of order. */
static void every_message_stays_in_order(void **state)
{
    uint64_t messages = 0, full = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 24; seed++) {
        char fabric[128];
        struct weir_result result;
        (void)snprintf(fabric, sizeof(fabric),
                       ", deflect: {threshold: %" PRIu64 " B, entries: %" PRIu64 ", tokens: %" PRIu64
                       ", short: 10 MB, hash: %s}",
                       seed * 250, 1 + seed % 9, 1 + seed % 7, seed / 4 % 2 == 0 ? "keep" : "new");
        begin_random(seed, fabric);
        result = run(weir_sim_run, NULL);
        assert_int_equal(result.drops, 0);
        assert_int_equal(result.retransmissions, 0);
        messages += feature_count(&result, "messages");
        full += feature_count(&result, "table_full");
        end();
    }
    (void)printf("%" PRIu64 " messages deflected, %" PRIu64 " tables full\n", messages, full);
    assert_true(messages > 5000 && full > 1000); /* or nothing was tried */
}

static void without_entries_or_tokens_nothing_changes(void **state)
{
    static const char *const fabric[] = { "", ", deflect: {threshold: 0 B, entries: 0, short: 10 MB}",
                                          ", deflect: {threshold: 0 B, tokens: 0, short: 10 MB}",
                                          ", deflect: {threshold: 0 B, short: 0 B}" };
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        uint64_t digest = 0;
        for (size_t f = 0; f < 4; f++) {
            struct weir_result result;
            begin_random(seed, fabric[f]);
            result = run(weir_sim_run, NULL);
            assert_int_equal(feature_count(&result, "messages"), 0);
            assert_true(f == 0 || feature_count(&result, f == 1 ? "table_full" : "no_token") > 0);
            assert_true(f == 0 || feature_count(&result, "links") == feature_count(&result, "load_increase"));
            assert_true(f == 0 || feature_count(&result, "short_links") == feature_count(&result, "path_dilation"));
            assert_true(f == 0 || result.digest == digest);
            digest = result.digest;
            end();
        }
    }
}

/* ---- with PFC ---- */

static const char lossless[] =
    "topology: {kind: fat-tree, k: 4, host_link: 10 Gbps, core_link: 10 Gbps, host_delay: 1 us, core_delay: 1 us}\n"
    "protocol: {name: dctcp}\n"
    "fabric: {ecn: {threshold: 1 MB}, pfc: {kind: static, xoff: 6 KB}%s}\ntraffic:\n"
    "  - {kind: permutation, size: 60 KB}\n  - {kind: permutation, size: 50 KB}\n  - {kind: permutation, size: 40 KB}\n"
    "  - {kind: permutation, size: 70 KB}\n  - {kind: permutation, size: 80 KB}\n  - {kind: permutation, size: 90 KB}\n"
    "run: {warmup: 0 us, measure: all, seed: 8}\n";

/* A fat tree whose routes have no cycle: deflected packets close one. */
static void without_lanes_deflected_packets_may_close_a_cycle_of_pauses(void **state)
{
    static const char *const fabric[] = { "", ", deflect: {threshold: 3 KB, entries: 100, tokens: 7, short: 10 MB}" };
    (void)state;
    for (size_t f = 0; f < 2; f++) {
        uint64_t digest[2], completed[2];
        char text[2048], line[256];
        bool cycle = false;
        FILE *diagnosis = tmpfile();
        assert_non_null(diagnosis);
        (void)snprintf(text, sizeof(text), lossless, fabric[f]);
        for (size_t i = 0; i < 2; i++) {
            const struct weir_sim_options options = { .threads = 1, .check = true, .diagnosis = diagnosis };
            struct weir_result result = { 0 };
            struct weir_err err = { 0 };
            begin(text);
            assert_int_equal(simulators[i](&rig.setup.model, &options, &result, &err), 0);
            keep(&result);
            assert_true(result.stalled == (f == 1));
            assert_int_equal(result.drops, 0);
            digest[i] = result.digest;
            completed[i] = result.messages_completed;
            end();
        }
        assert_true(f == 1 || digest[0] == digest[1]); /* each notices a stall at an instant of its own */
        assert_int_equal(completed[0], completed[1]);
        rewind(diagnosis);
        while (fgets(line, sizeof(line), diagnosis) != NULL)
            cycle |= strstr(line, "wait for each other in a circle") != NULL;
        (void)fclose(diagnosis);
        assert_true(cycle == (f == 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_links_take_8800_ns),
        cmocka_unit_test(behind_22500_bytes_it_is_26800_ns),
        cmocka_unit_test(one_detour_of_two_links_takes_13200_ns),
        cmocka_unit_test(by_message_alone_packets_are_out_of_order),
        cmocka_unit_test(every_message_stays_in_order),
        cmocka_unit_test(without_entries_or_tokens_nothing_changes),
        cmocka_unit_test(without_lanes_deflected_packets_may_close_a_cycle_of_pauses),
    };
    return cmocka_run_group_tests_name("prop/deflect", tests, NULL, NULL);
}
