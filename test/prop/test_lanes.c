/* test/prop/test_lanes.c - virtual lanes, deflection and PFC in engine and oracle: the cycle of four channels in which two lanes stop, and random
 * lossless networks, which end. */
#define _GNU_SOURCE                                                                                                    \
    1 /* memfd_create(); NOLINT(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): the C library's own name */
#include "test/prop/rig.h"
#include "core/rng.h"
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define US WEIR_PS_PER_US

static run_fn *const simulators[] = { weir_oracle_run, weir_sim_run };

/* ---- the cycle of four channels ---- */

enum { P1, P2, F1, F2, R1, R2 };

/* By delay T3 reaches T2 over A1 and T1 over A2, T1 reaches T2 over A2, and T2 reaches T1 over A1. The two ports that F1 and F2 fill are slow.
 * P1 meets the one of A1 and is deflected to T1, the only way left, P2 likewise at A2 to T2:
 * P1 goes T3 A1 T1 A2 T2, P2 goes T3 A2 T2 A1 T1. */
static const char network[] = "defaults: {rate: 10 Gbps, delay: 1 us}\nhosts: [p1, p2, f1, f2, r1, r2]\n"
                              "switches: [T1, T2, T3, A1, A2]\ncables:\n"
                              "  - {a: p1, b: T3}\n  - {a: p2, b: T3}\n  - {a: f1, b: T3}\n  - {a: f2, b: T3}\n"
                              "  - {a: r1, b: T1}\n  - {a: r2, b: T2}\n  - {a: T3, b: A1}\n  - {a: T3, b: A2}\n"
                              "  - {a: A1, b: T1, delay: 1200 ns, delay_back: 2 us}\n"
                              "  - {a: A1, b: T2, rate: 1 Gbps, rate_back: 5 Gbps}\n"
                              "  - {a: A2, b: T1, rate: 1 Gbps, rate_back: 5 Gbps}\n"
                              "  - {a: A2, b: T2, delay: 1200 ns, delay_back: 2 us}\n";

/* rules: further keys of fabric.deflect */
static void begin_cycle(const char *lanes, const char *xoff, const char *rules)
{
    char path[64], text[1024];
    int fd = memfd_create("net", 0);
    FILE *file = fdopen(fd, "w");
    assert_non_null(file);
    (void)fputs(network, file);
    (void)fflush(file);
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    (void)snprintf(text, sizeof(text),
                   "topology: {kind: file, file: %s}\nprotocol: {name: dctcp, init_cwnd: 1 MB}\n"
                   "host: {rto_min: 50 ms, rto_init: 50 ms}\nfabric:\n"
                   "  {priorities: 2, lanes: %s, routing: {metric: delay}, ecn: {threshold: 1 MB},\n"
                   "   pfc: {kind: static, xoff: %s}, deflect: {threshold: 3 KB, tokens: 4, short: 10 MB%s}}\n"
                   "traffic:\n  - {kind: permutation, size: 1 B}\nrun: {warmup: 0 us, measure: all}\n",
                   path, lanes, xoff, rules);
    begin(text);
    (void)fclose(file);
    list(P1, R2, 300000, 15 * US);
    list(P2, R1, 300000, 15 * US);
    list(F1, R2, 12000, 0);
    list(F2, R1, 12000, 0);
    use_list();
}

/* What the diagnosis says of the cycle, without the times: one line per port. */
static void read_cycle(FILE *diagnosis, char *out, size_t size)
{
    char line[256];
    size_t used = 0;
    bool inside = false;
    out[0] = '\0';
    rewind(diagnosis);
    while (fgets(line, sizeof(line), diagnosis) != NULL) {
        char *since = strstr(line, ", paused since");
        if (inside && since != NULL) {
            *since = '\0';
            used += (size_t)snprintf(out + used, size - used, "%s\n", line + strlen("    port of "));
        }
        inside |= strstr(line, "wait for each other in a circle") != NULL;
    }
}

static void stops(const char *lanes, const char *xoff, const char *cycle)
{
    for (size_t i = 0; i < 2; i++) {
        FILE *diagnosis = tmpfile();
        const struct weir_sim_options options = { .threads = 1, .check = true, .diagnosis = diagnosis };
        struct weir_result result = { 0 };
        struct weir_err err = { 0 };
        char named[512];
        assert_non_null(diagnosis);
        begin_cycle(lanes, xoff, "");
        if (simulators[i](&rig.setup.model, &options, &result, &err) != 0)
            fail_msg("%s", err.text);
        keep(&result);
        assert_true(result.stalled);
        assert_int_equal(result.messages_completed, 2);
        assert_int_equal(feature_count(&result, "messages"), 2);
        assert_int_equal(result.drops, 0);
        read_cycle(diagnosis, named, sizeof(named));
        assert_string_equal(named, simulators[i] == weir_sim_run ? cycle : ""); /* the oracle explains nothing */
        (void)fclose(diagnosis);
        end();
    }
}

static void one_lane_and_two_stop_in_a_cycle_of_four_channels(void **state)
{
    (void)state;
    stops("off", "12 KB", "A1 to T1, class 1\nT1 to A2, class 1\nA2 to T2, class 1\nT2 to A1, class 1\n");
    stops("2", "12 KB", "A1 to T1, lane 1\nT1 to A2, lane 1\nA2 to T2, lane 1\nT2 to A1, lane 1\n");
}

/* Runs the cycle in engine and oracle: all messages end, the two long ones were deflected, and the digests are equal. also: further
 * assertions about each result */
static void both_end(const char *lanes, const char *xoff, const char *rules,
                     void (*also)(const struct weir_result *result))
{
    uint64_t digest = 0;
    for (size_t i = 0; i < 2; i++) {
        struct weir_result result;
        begin_cycle(lanes, xoff, rules);
        result = run(simulators[i], NULL);
        assert_false(result.stalled);
        assert_int_equal(result.messages_completed, 4);
        assert_int_equal(feature_count(&result, "messages"), 2);
        also(&result);
        assert_true(i == 0 || result.digest == digest);
        digest = result.digest;
        end();
    }
}

static void paused_and_in_order(const struct weir_result *result)
{
    assert_true(feature_count(result, "pause_frames") > 100);
    assert_int_equal(result->retransmissions, 0);
}

static void with_a_lane_for_each_token_both_messages_end(void **state)
{
    (void)state;
    both_end("5", "12 KB", "", paused_and_in_order);
}

static void escaped_and_lossless(const struct weir_result *result)
{
    assert_true(feature_count(result, "escaped") > 0);
    assert_int_equal(result->drops, 0);
    (void)printf("%" PRIu64 " packets escaped, %" PRIu64 " sent again\n", feature_count(result, "escaped"),
                 result->retransmissions);
}

/* As the paper has it: a packet of the paused lane 1 leaves in lane 0, where its way from there on goes up and then down. */
static void two_lanes_end_where_a_paused_packet_may_change(void **state)
{
    (void)state;
    stops("2", "14 KB", "A1 to T1, lane 1\nT1 to A2, lane 1\nA2 to T2, lane 1\nT2 to A1, lane 1\n");
    both_end("2", "14 KB", ", escape: paused", escaped_and_lossless);
}

/* ---- random networks ---- */

static uint32_t below(struct weir_rng *rng, uint32_t n)
{
    return weir_rng_below(weir_rng_next(rng), n);
}

static void draw_topology(struct weir_rng *rng, char *out, size_t size)
{
    uint32_t gbps = 10 << below(rng, 2), host_ns = 100 + below(rng, 2000), core_ns = 100 + below(rng, 2000);
    if (below(rng, 2) == 0) {
        uint32_t racks = 2 + below(rng, 4), spines = 2 + below(rng, 3), hosts = racks * (1 + below(rng, 4));
        (void)snprintf(out, size,
                       "{kind: leaf-spine, hosts: %" PRIu32 ", racks: %" PRIu32 ", spines: %" PRIu32
                       ", host_link: 10 Gbps, core_link: %" PRIu32 " Gbps, host_delay: %" PRIu32
                       " ns, core_delay: %" PRIu32 " ns}",
                       hosts, racks, spines, gbps, host_ns, core_ns);
    } else {
        uint32_t pods = 2 + below(rng, 3), edges = 2 + below(rng, 2), aggs = 1 + below(rng, 3);
        uint32_t uplinks = 1 + below(rng, 2) + (aggs == 1), edge_hosts = 1 + below(rng, 3);
        (void)snprintf(out, size,
                       "{kind: fat-tree, pods: %" PRIu32 ", edges: %" PRIu32 ", aggs: %" PRIu32 ", uplinks: %" PRIu32
                       ", edge_hosts: %" PRIu32 ", host_link: 10 Gbps, core_link: %" PRIu32
                       " Gbps, host_delay: %" PRIu32 " ns, core_delay: %" PRIu32 " ns}",
                       pods, edges, aggs, uplinks, edge_hosts, gbps, host_ns, core_ns);
    }
}

enum pausing {
    NO_PFC,
    ONE_LANE,
    TWO_LANES,
    ESCAPE,
    LANES,
    OPEN_LANE,
    OPEN_LANES
}; /* ESCAPE: two, and a paused packet may change to the lower; LANES: as many as tokens and one; OPEN: thresholds that nothing comes to */

/* A run to the last delivery of messages of 1 to 60 KB, of which those up to a random length may be deflected. */
static void begin_random(uint64_t seed, enum pausing pausing)
{
    struct weir_rng rng = { .key = weir_rng_key(seed, 7, WEIR_RNG_TEST, 0) };
    char topology[512], text[4096], lanes[32] = "", pfc[64] = "";
    uint32_t tokens = 1 + below(&rng, 6), xoff = 1600 + below(&rng, 9000), used;
    draw_topology(&rng, topology, sizeof(topology));
    if (pausing == LANES || pausing == OPEN_LANES)
        (void)snprintf(lanes, sizeof(lanes), ", lanes: %" PRIu32, tokens + 1);
    if (pausing == TWO_LANES || pausing == ESCAPE)
        (void)snprintf(lanes, sizeof(lanes), ", lanes: 2");
    if (pausing >= OPEN_LANE)
        xoff = 10000000;
    if (pausing != NO_PFC)
        (void)snprintf(pfc, sizeof(pfc), ", pfc: {kind: static, xoff: %" PRIu32 " B}", xoff);
    used = (uint32_t)snprintf(text, sizeof(text),
                              "topology: %s\nprotocol: {name: dctcp, init_cwnd: %" PRIu32 " KB}\n"
                              "host: {rto_min: 1 s, rto_init: 1 s, reliability: go-back-n}\n"
                              "fabric: {priorities: 2, ecn: {threshold: 1 MB}%s%s, deflect: {threshold: %" PRIu32
                              " B, entries: %" PRIu32 ", tokens: %" PRIu32 ", short: %" PRIu32 " KB%s}}\ntraffic:\n",
                              topology, 5 + below(&rng, 100), lanes, pfc, below(&rng, 3000), 1 + below(&rng, 40),
                              tokens, 10 + below(&rng, 90), pausing == ESCAPE ? ", escape: paused" : "");
    for (uint32_t i = 8 + below(&rng, 9); i > 0; i--)
        used += (uint32_t)snprintf(text + used, sizeof(text) - used, "  - {kind: permutation, size: %" PRIu32 " KB}\n",
                                   1 + below(&rng, 60));
    (void)snprintf(text + used, sizeof(text) - used, "run: {warmup: 0 us, measure: all, seed: %" PRIu64 "%s}\n", seed,
                   pausing == ESCAPE ? ", stall: 30 s"
                                     : ""); /* what is lost for want of order is sent again after a second */
    begin(text);
}

struct sums {
    uint64_t scenarios, messages, deflected, pauses, escaped, stalled, out_of_order, again, different;
};

/* With go-back-N a receiver that misses a packet asks for it again. Nothing is lost here: it does so only out of order. The oracle, which checks
 * each packet's links and lanes, runs too. Of a run that stops in a cycle of pauses the two agree on what had arrived; they notice it at
 * different instants, so that timeouts differ. */
static void add_scenario(struct sums *sum, uint64_t seed, enum pausing pausing)
{
    uint64_t digest = 0, completed = 0;
    for (size_t i = 0; i < 2; i++) {
        struct weir_result result;
        begin_random(seed, pausing);
        result = run(simulators[i], NULL);
        assert_int_equal(result.drops, 0);
        if (i == 1) {
            sum->scenarios++;
            sum->messages += result.messages_completed;
            sum->deflected += feature_count(&result, "messages");
            sum->pauses += feature_count(&result, "pause_frames");
            sum->escaped += feature_count(&result, "escaped");
            sum->again += result.retransmissions;
            sum->stalled += result.stalled || result.messages_completed < result.messages_started;
            sum->out_of_order += result.retransmissions > 0;
            sum->different += result.stalled ? result.messages_completed != completed : result.digest != digest;
        }
        completed = result.messages_completed;
        digest = result.digest;
        end();
    }
}

static struct sums scenarios(uint64_t seed, uint64_t count, enum pausing pausing)
{
    static const char *const title[] = { "deflection alone", "PFC and one lane", "PFC and two lanes",
                                         "PFC and two lanes with escape", "PFC and lanes" };
    struct sums sum = { 0 };
    for (uint64_t i = 0; i < count; i++)
        add_scenario(&sum, seed + i, pausing);
    (void)printf("%s: %" PRIu64 " scenarios, %" PRIu64 " messages, %" PRIu64 " deflections, %" PRIu64
                 " pauses, %" PRIu64 " escapes; %" PRIu64 " stopped, %" PRIu64 " out of order (%" PRIu64
                 " packets sent again), %" PRIu64 " differ from the oracle\n",
                 title[pausing], sum.scenarios, sum.messages, sum.deflected, sum.pauses, sum.escaped, sum.stalled,
                 sum.out_of_order, sum.again, sum.different);
    return sum;
}

static bool all_hold(const struct sums *sum)
{
    return sum->stalled + sum->out_of_order + sum->different == 0;
}

static void random_lossless_networks_end_with_every_message_in_order(void **state)
{
    struct sums sum = scenarios(1, 12, LANES);
    (void)state;
    assert_true(all_hold(&sum));
    assert_true(sum.deflected > 200 && sum.pauses > 2000); /* or nothing was tried */
}

/* Of the same networks some stop with two lanes alone. With the change of a paused packet none does; but packets of a message may change at
 * different places, and then some overtake others. */
static void with_escape_random_networks_end_and_not_in_order(void **state)
{
    struct sums sum = scenarios(1, 12, ESCAPE);
    (void)state;
    assert_true(sum.stalled == 0 && sum.different == 0);
    assert_true(sum.escaped > 200 && sum.out_of_order > 0);
}

/* They are no priorities: the run is that without lanes. */
static void lanes_that_are_never_paused_are_one_queue(void **state)
{
    uint64_t messages = 0;
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        uint64_t digest = 0;
        for (uint32_t i = 0; i < 4; i++) {
            struct weir_result result;
            begin_random(seed, i < 2 ? OPEN_LANE : OPEN_LANES);
            result = run(simulators[i % 2], NULL);
            assert_int_equal(feature_count(&result, "pause_frames"), 0);
            assert_true(i == 0 || result.digest == digest);
            messages += feature_count(&result, "messages");
            digest = result.digest;
            end();
        }
    }
    assert_true(messages > 1000); /* deflected */
}

/* prop_lanes [--seed N --count N]: so many of each kind. With one lane some stop, with escape some are out of order */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_lane_and_two_stop_in_a_cycle_of_four_channels),
        cmocka_unit_test(with_a_lane_for_each_token_both_messages_end),
        cmocka_unit_test(two_lanes_end_where_a_paused_packet_may_change),
        cmocka_unit_test(random_lossless_networks_end_with_every_message_in_order),
        cmocka_unit_test(with_escape_random_networks_end_and_not_in_order),
        cmocka_unit_test(lanes_that_are_never_paused_are_one_queue),
    };
    struct sums sum[LANES + 1];
    uint64_t count;
    if (argc != 5 || strcmp(argv[1], "--seed") != 0 || strcmp(argv[3], "--count") != 0)
        return cmocka_run_group_tests_name("prop/lanes", tests, NULL, NULL);
    count = strtoull(argv[4], NULL, 10);
    sum[NO_PFC] = scenarios(strtoull(argv[2], NULL, 10), count, NO_PFC);
    sum[LANES] = scenarios(strtoull(argv[2], NULL, 10), count, LANES);
    sum[ONE_LANE] = scenarios(strtoull(argv[2], NULL, 10), count / 10, ONE_LANE);
    sum[TWO_LANES] = scenarios(strtoull(argv[2], NULL, 10), count / 10, TWO_LANES);
    sum[ESCAPE] = scenarios(strtoull(argv[2], NULL, 10), count, ESCAPE);
    return all_hold(&sum[NO_PFC]) && all_hold(&sum[LANES]) && sum[ONE_LANE].stalled > 0 &&
                   sum[ESCAPE].stalled + sum[ESCAPE].different == 0
               ? 0
               : 1;
}
