/* test/prop/test_allocation.c - Soze comes to the weighted max-min shares: random networks, routes and weights, simulated and
 * compared with the solver. A few networks in a check; as a soak:
 *   test_allocation --seed N --count N [--flows MOST] [--preset NAME] [--rounds N]
 *   test_allocation --ladder --seed N --count N [--flows MOST] [--rounds N]
 * --ladder: one table, from the published law to ours, one change a row, and with constants of the traffic, all on the same networks.
 *   test_allocation --phantom --seed N --count N [--flows MOST] [--us LENGTH] [--row TEXT] [--delay NS] [--mixed 1]
 * --phantom: delays of virtual queues beside those of real ones, on the same networks from a cold start, with hosts that keep weights
 * (doc/phantom.md). --us: length of these runs. --row: only those whose name has the text. --delay: of each cable. --mixed: links of hosts and
 * of the core have 25, 50, 100 or 200 Gb/s each.
 * --rounds: length of the run in round trips. Weights change in its middle: what flows begin with is not yet where queues will stand,
 * and settling is to be that of the change. Levels of max-min settle one after the other, so networks with many take long.
 *
 * The law's constants follow from the network: alpha is the highest rate per weight there is, beta the lowest, as OSDI 2025 has it; in our
 * preset p grows with ln(alpha / beta). Round trips have the queues of several hops in them, and differ: preset network keeps m in proportion. Data queues
 * at the host's port and is stamped there too; acknowledgements have a class of their own, so that one direction's queues do not
 * delay the other's news. Ports smooth their delay over a part of a round trip: of two queues that are nearly as long a flow hears the one
 * that chance makes the longer, and it gets too little by as much as they swing. Longer than a third of one it would be felt as delay. */
#include "test/unit/weir_test.h"
#include "solve/compare.h"
#include "core/math.h"
#include "core/rng.h"
#include "engine/sim.h"
#include "model/account.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define K_S 6e-6              /* target delay of the flow with the highest rate per weight */
#define SLOPE_S 26.1e-6       /* p per e-fold of rate per weight: 120 us for two decades */
#define SLOPE_TRAFFIC_S 13e-6 /* the same for the published law, whose k and filter are shorter */
#define HOPS 2                /* with queues, as a rule */
enum { TEXT = 2048, CHECKED = 8, FLOWS_CHECKED = 60, ROUNDS = 400, KINDS = 4 };

/* FIXED, SOLVED: ours; SOLVED: alpha and beta of the network. TRAFFIC: alpha and beta of the network, as OSDI 2025 has them, with its k, its filter,
 * and p: 20 us of its section 4, 37 us of its appendix D, or 13 us ln(alpha / beta), as weir allocate --soze prints them. HUNDREDTH: alpha is
 * the host link's rate over the least weight, beta alpha / 100, which is in no paper. */
enum constants {
    CONSTANTS_HUNDREDTH,
    CONSTANTS_FIXED,
    CONSTANTS_SOLVED,
    CONSTANTS_TRAFFIC_20,
    CONSTANTS_TRAFFIC_37,
    CONSTANTS_TRAFFIC_LN
};

/* How a network is run: the law, its constants and what surrounds them. */
struct variant {
    const char *name, *preset;
    enum constants constants;
    bool hosts_report, acks_apart, at_shares;
};

struct
    cold { /* a run of --phantom: name, preset and constants of a variant, further keys of the law, the section fabric */
    struct variant how;
    const char *keys, *fabric;
};

struct network { /* as drawn */
    char topology[160];
    uint32_t kind, hosts, flows;
    uint64_t seed;
};

struct outcome { /* sums over networks */
    uint64_t flows, within, moved, settled;
    uint64_t kind_flows[KINDS], kind_within[KINDS];
    double utilisation_min;
    double *settle_rtts; /* settling medians of the networks; count of them */
    uint32_t count;
    double queue_bytes, queue_max_bytes; /* of bottlenecks at switches: sum of the means of networks, largest mean */
    uint32_t queues;                     /* networks with such a bottleneck */
};

struct law {
    double alpha_bps, beta_bps, p_s, rtt_s; /* rtt: as it will be, about */
};

static struct weir_scenario scn;
static struct weir_setup setup;
static struct weir_compared compared;
static struct variant ours = {
    "our law, our constants, from the shares", "network", CONSTANTS_SOLVED, true, true, true
};
static uint32_t rounds = ROUNDS; /* round trips of a run */
static uint32_t phantom_us = 2500, phantom_delay_ns;
static bool mixed_rates;
static const char *phantom_row = "";
static const struct cold *cold; /* the run of --phantom; NULL = none */

static uint32_t below(struct weir_rng *rng, uint32_t count)
{
    return weir_rng_below(weir_rng_next(rng), count);
}

/* From 10 to most, as many between 10 and 100 as between 100 and 1000. */
static uint32_t draw_flows(struct weir_rng *rng, uint32_t most)
{
    double part = (double)(weir_rng_next(rng) >> 11) * 0x1p-53;
    return (uint32_t)(10 * pow(most / 10.0, part));
}

/* So many hosts that some 14 flows meet at each: with weights over two decades the least still has a packet per round trip. */
static void draw_network(struct network *n, uint64_t seed, uint32_t flows_most)
{
    struct weir_rng rng = { .key = weir_rng_key(seed, 0, WEIR_RNG_TEST, 0) };
    uint32_t kind = below(&rng, KINDS);
    n->kind = kind;
    n->seed = seed;
    n->flows = draw_flows(&rng, flows_most);
    uint32_t least = n->flows / 14 > 4 ? n->flows / 14 : 4;
    n->hosts = least + below(&rng, least);
    if (kind == 0)
        (void)snprintf(n->topology, sizeof(n->topology), "kind: star, hosts: %u", n->hosts);
    if (kind == 1) {
        n->hosts += n->hosts & 1;
        (void)snprintf(n->topology, sizeof(n->topology), "kind: dumbbell, hosts: %u, core_link: %u Gbps", n->hosts,
                       100 * (1 + below(&rng, n->hosts / 2)));
    }
    if (kind == 2) {
        uint32_t racks = 2 + below(&rng, 3), core = 1 + below(&rng, 4), spines = 1 + below(&rng, 4);
        n->hosts = (n->hosts + racks - 1) / racks * racks;
        (void)snprintf(n->topology, sizeof(n->topology),
                       "kind: leaf-spine, hosts: %u, racks: %u, spines: %u, core_link: %u Gbps", n->hosts, racks,
                       spines, 100 * core);
    }
    if (kind == 3) {
        uint32_t k = n->flows > 200 ? 8 : 4;
        n->hosts = k * k * k / 4;
        (void)snprintf(n->topology, sizeof(n->topology), "kind: fat-tree, k: %u, core_link: %u Gbps", k,
                       100 * (1 + below(&rng, 2)));
    }
}

static bool is_published(enum constants constants)
{
    return constants != CONSTANTS_FIXED && constants != CONSTANTS_SOLVED;
}

/* The fixed ones: alpha is the host link's rate over the least weight; p has the slope of those that are solved. */
static void put_constants(char *out, size_t size, enum constants constants, const struct law *law)
{
    double p_s = constants == CONSTANTS_TRAFFIC_20   ? 20e-6
                 : constants == CONSTANTS_TRAFFIC_37 ? 37e-6
                                                     : SLOPE_TRAFFIC_S * log(law->alpha_bps / law->beta_bps);
    if (constants == CONSTANTS_SOLVED)
        (void)snprintf(out, size, ", alpha: %.0f bps, beta: %.0f bps, p: %.0f ns, k: %.0f ns", law->alpha_bps,
                       law->beta_bps, law->p_s * 1e9, K_S * 1e9);
    else if (constants == CONSTANTS_FIXED)
        (void)snprintf(out, size, ", min_weight: 0.1, p: %.0f ns, k: %.0f ns", SLOPE_S * log(100) * 1e9, K_S * 1e9);
    else if (constants != CONSTANTS_HUNDREDTH)
        (void)snprintf(out, size, ", alpha: %.0f bps, beta: %.0f bps, p: %.0f ns, k: 3 us", law->alpha_bps,
                       law->beta_bps, p_s * 1e9);
    else
        (void)snprintf(out, size, ", min_weight: 0.1");
}

/* A scenario of --phantom: cold, no weight changes, the second half is measured. */
static void phantom_text(char *out, size_t size, const struct network *n, const struct variant *v,
                         const char *constants)
{
    struct weir_rng rng = { .key = weir_rng_key(n->seed, 1, WEIR_RNG_TEST, 0) };
    uint32_t host = mixed_rates ? 25u << below(&rng, 4) : 100, core = 25u << below(&rng, 4);
    char delays[80] = "", topology[192];
    (void)snprintf(topology, sizeof(topology), "%s", n->topology);
    if (mixed_rates && n->kind != 0) /* core_link is the last key */
        (void)snprintf(strstr(topology, "core_link"), 40, "core_link: %u Gbps", core);
    if (phantom_delay_ns > 0 && n->kind == 0)
        (void)snprintf(delays, sizeof(delays), ", host_delay: %u ns", phantom_delay_ns);
    else if (phantom_delay_ns > 0)
        (void)snprintf(delays, sizeof(delays), ", host_delay: %u ns, core_delay: %u ns", phantom_delay_ns,
                       phantom_delay_ns);
    (void)snprintf(out, size,
                   "topology: {%s, host_link: %u Gbps%s}\n"
                   "protocol: {name: soze, preset: %s%s%s, allow_unstable: true}\n"
                   "host: {connections: 60000, nic_schedule: weighted, nic_rate: 0.99}\n"
                   "fabric: {%s}\n"
                   "traffic:\n  - {kind: pairs, count: %u, weights: 0.1..10, draw: log-uniform, size: 1 TB}\n"
                   "run: {warmup: %u us, measure: %u us, seed: %" PRIu64 ", compare: allocation}\n",
                   topology, host, delays, v->preset, constants, cold->keys, cold->fabric, n->flows, phantom_us / 2,
                   phantom_us / 2, n->seed);
}

/* law NULL: constants to begin with, which only have to be accepted. */
static void open_scenario(const struct network *n, const struct law *law, const struct variant *v)
{
    char text[TEXT], constants[256];
    uint32_t run_us = law != NULL ? (uint32_t)(rounds * law->rtt_s * 1e6) : 10000;
    struct weir_err err = { 0 };
    static const struct law first = { .alpha_bps = 1, .beta_bps = 1 };
    put_constants(constants, sizeof(constants), law != NULL ? v->constants : CONSTANTS_HUNDREDTH,
                  law != NULL ? law : &first);
    (void)snprintf(text, sizeof(text),
                   "topology: {%s, host_link: 100 Gbps}\n"
                   "protocol: {name: soze, preset: %s, min_rate: 1 Mbps%s}\n"
                   "host: {connections: 60000, nic_queue: %s}\n"
                   "fabric: {priorities: %u, maxqd: {at: %s, filter: %u us}}\n"
                   "traffic:\n  - {kind: pairs, count: %u, weights: 0.1..10, draw: log-uniform, size: 1 TB, "
                   "changes: 5%%, change_at: %u us}\n"
                   "run: {warmup: 0 us, measure: %u us, seed: %" PRIu64 ", start: %s, compare: allocation}\n",
                   n->topology, v->preset, constants, v->hosts_report ? "unlimited" : "pull", v->acks_apart ? 2u : 1u,
                   v->hosts_report ? "all" : "switches", is_published(v->constants) ? 10u : 30u, n->flows, run_us / 2,
                   run_us, n->seed, v->at_shares ? "allocation" : "law");
    if (cold != NULL && law != NULL)
        phantom_text(text, sizeof(text), n, v, constants);
    if (weir_scenario_parse(&scn, "test", text, strlen(text), NULL, 0, &err) != 0 ||
        weir_setup_init(&setup, &scn, &err) != 0)
        fail_msg("%s: %" PRIu32 ":%" PRIu32 ": %s (%s)", n->topology, err.line, err.col, err.text, err.hint);
    setup.model.sample_limit = 65536;
}

static void close_scenario(void)
{
    weir_setup_free(&setup);
    weir_scenario_free(&scn);
}

/* @return the least share, bit/s of payload */
static double add_shares(struct law *law, uint64_t at_ps)
{
    double wire = (double)setup.model.host.path.wire_bytes / setup.model.host.path.mss_bytes, least = INFINITY;
    struct weir_shares shares;
    struct weir_err err = { 0 };
    assert_int_equal(weir_shares_find(&shares, &setup, at_ps, NULL, &err), 0);
    for (uint32_t i = 0; i < shares.flows.count; i++) {
        double x = shares.solution.rate[i] * wire / shares.flows.flow[i].weight;
        law->alpha_bps = fmax(law->alpha_bps, x);
        law->beta_bps = fmin(law->beta_bps, x);
        least = fmin(least, shares.solution.rate[i]);
    }
    weir_shares_free(&shares);
    return least;
}

/* From the rates per weight, on the wire, before the change and after it. @return packets of the least share per round trip */
static double find_law(struct law *law)
{
    *law = (struct law){ .alpha_bps = 0, .beta_bps = INFINITY };
    double least = fmin(add_shares(law, 0), add_shares(law, 10 * WEIR_PS_PER_MS));
    law->alpha_bps = fmax(law->alpha_bps, 2 * law->beta_bps); /* they must differ */
    law->p_s = SLOPE_S * log(law->alpha_bps / law->beta_bps);
    law->rtt_s = (double)setup.base_rtt_ps / WEIR_PS_PER_S + HOPS * (K_S + law->p_s / 2);
    return least * law->rtt_s / (8.0 * setup.model.host.path.mss_bytes);
}

static int take_snapshot(void *ctx, const struct weir_snapshot *snapshot)
{
    return weir_compare_snapshot(ctx, snapshot);
}

/* Adds the mean queues of the switch ports that are bottlenecks. */
static void add_queues(struct outcome *sum, const struct weir_result *result)
{
    const struct weir_topology *topo = &setup.topo;
    bool *seen = calloc(topo->link_count, sizeof(*seen));
    struct weir_shares shares;
    struct weir_err err = { 0 };
    double bytes = 0;
    uint32_t count = 0;
    assert_non_null(seen);
    assert_int_equal(weir_shares_find(&shares, &setup, WEIR_NEVER, NULL, &err), 0);
    for (uint32_t i = 0; i < shares.flows.count; i++) {
        uint32_t l = shares.solution.bottleneck[i];
        if (l >= topo->link_count || seen[l] || topo->link[l].src < topo->host_count)
            continue;
        seen[l] = true;
        double mean =
            (double)weir_account_mean_millibytes(&result->link[l], result->measured_ps, topo->link[l].rate_bps) / 1000;
        sum->queue_max_bytes = fmax(sum->queue_max_bytes, mean);
        bytes += mean;
        count++;
    }
    sum->queue_bytes += count > 0 ? bytes / count : 0;
    sum->queues += count > 0;
    weir_shares_free(&shares);
    free(seen);
}

static void simulate(struct outcome *sum)
{
    struct weir_compare compare = { 0 };
    struct weir_result result = { 0 };
    struct weir_err err = { 0 };
    if (weir_compare_init(&compare, &setup, &err) != 0)
        fail_msg("%s", err.text);
    struct weir_sim_options options = { .threads = 1,
                                        .snapshot_ps = compare.snapshot_ps,
                                        .snapshot = take_snapshot,
                                        .snapshot_ctx = &compare,
                                        .snapshot_flows = true,
                                        .links = true };
    if (weir_sim_run(&setup.model, &options, &result, &err) != 0 || weir_compare_finish(&compare, &compared, &err) != 0)
        fail_msg("%s", err.text);
    add_queues(sum, &result);
    weir_result_free(&result);
    weir_compare_free(&compare);
}

/* Fewer flows until the slowest has a packet per round trip with the queues there will be. */
static void make_network(struct network *n, struct law *law)
{
    for (;;) {
        open_scenario(n, NULL, &ours);
        double pkts = find_law(law);
        close_scenario();
        if (pkts >= 1 || n->flows <= 10)
            return;
        n->flows = n->flows * 3 / 4;
    }
}

static void one_network(uint64_t seed, uint32_t flows_most, const struct variant *v, struct outcome *sum, FILE *log)
{
    struct network n;
    struct law law;
    draw_network(&n, seed, flows_most);
    make_network(&n, &law);
    open_scenario(&n, &law, v);
    simulate(sum);
    /* queues flatter a settling time in round trips with them */
    double rtt_s = cold != NULL ? (double)setup.base_rtt_ps / WEIR_PS_PER_S : compared.rtt_s;
    close_scenario();
    sum->flows += compared.flows;
    sum->within += compared.within;
    sum->kind_flows[n.kind] += compared.flows;
    sum->kind_within[n.kind] += compared.within;
    sum->moved += compared.moved;
    sum->settled += compared.settled;
    sum->utilisation_min = fmin(sum->utilisation_min, compared.utilisation_min);
    if (compared.moved > 0)
        sum->settle_rtts[sum->count++] = compared.settle_p50_s / rtt_s;
    (void)fprintf(log,
                  "seed %" PRIu64
                  ": %s: %u of %u within 3 %%, p99 %.2f %%, %u bottlenecks, least %.2f %%, settled %u of "
                  "%u, p50 %.1f RTT, together %.1f RTT of %.1f us\n",
                  seed, n.topology, compared.within, compared.flows, 100 * compared.error_p99, compared.links,
                  100 * compared.utilisation_min, compared.settled, compared.moved, compared.settle_p50_s / rtt_s,
                  compared.together_s / rtt_s, 1e6 * rtt_s);
    for (uint32_t i = 0; i < compared.miss_count; i++) {
        const struct weir_miss *m = &compared.miss[i];
        (void)fprintf(log,
                      "    flow %u: %.4f of its share, weight %.3f, %.2f packets per RTT, %.0f in the window, %s\n",
                      m->flow, m->got_bps / m->share_bps, m->weight, m->rtt_pkts, m->window_pkts, m->bottleneck);
    }
    (void)fflush(log);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static struct outcome networks(uint64_t seed, uint32_t count, uint32_t flows_most, const struct variant *v, FILE *log)
{
    struct outcome sum = { .utilisation_min = INFINITY, .settle_rtts = calloc(count, sizeof(double)) };
    assert_non_null(sum.settle_rtts);
    for (uint32_t i = 0; i < count; i++)
        one_network(seed + i, flows_most, v, &sum, log);
    qsort(sum.settle_rtts, sum.count, sizeof(double), by_value);
    (void)fprintf(log,
                  "%u networks: %" PRIu64 " of %" PRIu64
                  " flows within 3 %% (%.2f %%), least utilisation %.4f, median of "
                  "settling %.1f RTT\n",
                  count, sum.within, sum.flows, 100.0 * (double)sum.within / (double)sum.flows, sum.utilisation_min,
                  sum.count > 0 ? sum.settle_rtts[sum.count / 2] : 0);
    return sum;
}

/* A check of what doc/phantom.md says: the preset on a few networks, from a cold start, without a constant of the solver. */
static void virtual_queues_tell_the_shares(void **state)
{
    static const struct cold preset = { { .preset = "phantom", .constants = CONSTANTS_HUNDREDTH }, "", "phantom: ack" };
    (void)state;
    cold = &preset;
    struct outcome sum = networks(5000, CHECKED, 12, &preset.how, stdout);
    cold = NULL;
    assert_true((double)sum.within >= 0.98 * (double)sum.flows);
    assert_true(sum.utilisation_min >= 0.97);
    assert_true(sum.queue_max_bytes <= 5000);
    assert_true(sum.settle_rtts[sum.count / 2] <= 25);
    free(sum.settle_rtts);
}

static void rates_are_the_shares(void **state)
{
    (void)state;
    struct outcome sum = networks(1, CHECKED, FLOWS_CHECKED, &ours, stdout);
    assert_true((double)sum.within >= 0.99 * (double)sum.flows);
    assert_true(sum.utilisation_min >= 0.98);
    free(sum.settle_rtts);
}

enum {
    LADDER_FIRST = 0,
    LADDER_OURS = 7,
    LADDER_TRAFFIC = 10
}; /* LADDER_OURS: our preset; LADDER_TRAFFIC: the published law, p 13 us ln(alpha / beta) */

/* From the law with constants that are in no paper to ours: each row changes one thing more. Then the published law with constants of the
 * traffic, its surroundings, and mixtures. */
static const struct variant rungs[] = {
    { "algorithm 1, beta = alpha / 100, cold start", "algorithm-1", CONSTANTS_HUNDREDTH, .at_shares = false },
    { "the same law per ACK, as the published text", "paper", CONSTANTS_HUNDREDTH, .at_shares = false },
    { "and hosts' ports report their delay", "paper", CONSTANTS_HUNDREDTH, true, false, false },
    { "and ACKs have a class of their own", "paper", CONSTANTS_HUNDREDTH, true, true, false },
    { "and one fixed set of our constants for all networks", "paper", CONSTANTS_FIXED, true, true, false },
    { "and our law", "network", CONSTANTS_FIXED, true, true, false },
    { "and our constants, solved for each network", "network", CONSTANTS_SOLVED, true, true, false },
    { "and flows begin at their shares: our preset", "network", CONSTANTS_SOLVED, true, true, true },
    { "published law, alpha and beta of the traffic, p 20 us, cold start", "paper", CONSTANTS_TRAFFIC_20, true, true,
      false },
    { "the same with p 37 us", "paper", CONSTANTS_TRAFFIC_37, true, true, false },
    { "the same with p 13 us ln(alpha / beta)", "paper", CONSTANTS_TRAFFIC_LN, true, true, false },
    { "and as algorithm 1", "algorithm-1", CONSTANTS_TRAFFIC_LN, true, true, false },
    { "per ACK again, ACKs behind data", "paper", CONSTANTS_TRAFFIC_LN, true, false, false },
    { "ACKs apart again, but hosts' ports do not report", "paper", CONSTANTS_TRAFFIC_LN, false, true, false },
    { "neither", "paper", CONSTANTS_TRAFFIC_LN, false, false, false },
    { "our law, alpha and beta of the traffic, p 20 us, cold start", "network", CONSTANTS_TRAFFIC_20, true, true,
      false },
    { "our law, alpha and beta of the traffic, p 13 us ln(alpha / beta)", "network", CONSTANTS_TRAFFIC_LN, true, true,
      false },
    { "our law, beta = alpha / 100, cold start", "network", CONSTANTS_HUNDREDTH, true, true, false },
};

static double percent(uint64_t part, uint64_t of)
{
    return of == 0 ? 0 : 100.0 * (double)part / (double)of;
}

/* The table on stdout, each network on stderr. @return 0 if our preset has 99 % of the flows, the published law with constants of the traffic two
 * thirds, and with beta = alpha / 100 and without hosts' reports less than half */
static int ladder(uint64_t seed, uint32_t count, uint32_t flows_most)
{
    (void)printf(
        "| run | flows within 3 %% | share | stars, dumbbells, leaf-spines, fat trees | settled after a change |\n"
        "|---|---|---|---|---|\n");
    double share[sizeof(rungs) / sizeof(rungs[0])];
    for (size_t i = 0; i < sizeof(rungs) / sizeof(rungs[0]); i++) {
        struct outcome sum = networks(seed, count, flows_most, &rungs[i], stderr);
        share[i] = percent(sum.within, sum.flows);
        (void)printf("| %s | %" PRIu64 " of %" PRIu64 " | %.1f %% | ", rungs[i].name, sum.within, sum.flows, share[i]);
        for (uint32_t k = 0; k < KINDS; k++)
            (void)printf("%s%.0f", k == 0 ? "" : ", ", percent(sum.kind_within[k], sum.kind_flows[k]));
        (void)printf(" %% | %" PRIu64 " of %" PRIu64 " |\n", sum.settled, sum.moved);
        (void)fflush(stdout);
        free(sum.settle_rtts);
    }
    return share[LADDER_FIRST] < 50 && share[LADDER_TRAFFIC] >= 67 && share[LADDER_OURS] >= 99 ? 0 : 1;
}

/* A virtual queue that drains at the link's rate stays empty: what ports report is the delay of their real queues. */
#define REAL_RETURN "phantom: {mode: ack, rho: 0.999999, rho_min: 0.999999, queue_max: 12 RTT}"

static const struct cold phantoms[] = {
    { { .name = "real, forward: the published law, p 20 us", .preset = "paper", .constants = CONSTANTS_TRAFFIC_20 },
      "",
      "priorities: 2" },
    { { .name = "real, forward: the same, m 1", .preset = "paper", .constants = CONSTANTS_TRAFFIC_20 },
      ", m: 1",
      "priorities: 2" },
    { { .name = "real, forward: our preset network, p 20 us", .preset = "network", .constants = CONSTANTS_TRAFFIC_20 },
      "",
      "priorities: 2" },
    { { .name = "real, forward: the published law, beta = alpha / 100",
        .preset = "paper",
        .constants = CONSTANTS_HUNDREDTH },
      "",
      "priorities: 2" },
    { { .name = "real, return, p 3 RTT", .preset = "phantom", .constants = CONSTANTS_HUNDREDTH }, "", REAL_RETURN },
    { { .name = "real, return, p 3 RTT, m 0.25", .preset = "phantom", .constants = CONSTANTS_HUNDREDTH },
      ", m: 0.25",
      REAL_RETURN },
    { { .name = "real, return: alpha and beta of the traffic, p 20 us",
        .preset = "phantom",
        .constants = CONSTANTS_TRAFFIC_20 },
      "",
      REAL_RETURN },
    { { .name = "phantom, forward, p 3 RTT", .preset = "phantom", .constants = CONSTANTS_HUNDREDTH },
      "",
      "phantom: data" },
    { { .name = "phantom, forward, p 6 RTT", .preset = "phantom", .constants = CONSTANTS_HUNDREDTH },
      ", p: 6 RTT",
      "phantom: data" },
    { { .name = "phantom, forward, p 6 RTT, m 0.25", .preset = "phantom", .constants = CONSTANTS_HUNDREDTH },
      ", p: 6 RTT, m: 0.25",
      "phantom: data" },
    { { .name = "phantom, return, p 3 RTT: preset phantom", .preset = "phantom", .constants = CONSTANTS_HUNDREDTH },
      "",
      "phantom: ack" },
    { { .name = "the same, m 0.25", .preset = "phantom", .constants = CONSTANTS_HUNDREDTH },
      ", m: 0.25",
      "phantom: ack" },
    { { .name = "the same, p 4 RTT", .preset = "phantom", .constants = CONSTANTS_HUNDREDTH },
      ", p: 4 RTT",
      "phantom: ack" },
};

/* The table on stdout, each network on stderr. @return 0 if preset phantom has 99 % of the flows */
static int phantom_table(uint64_t seed, uint32_t count, uint32_t flows_most)
{
    double of_preset = 100; /* it may not be among the rows */
    (void)printf(
        "| run | flows within 3 %% | settling, base RTT: median, 90 %% | queue, KB: mean, worst | least used |\n"
        "|---|---|---|---|---|\n");
    for (size_t i = 0; i < sizeof(phantoms) / sizeof(phantoms[0]); i++) {
        if (strstr(phantoms[i].how.name, phantom_row) == NULL)
            continue;
        cold = &phantoms[i];
        struct outcome sum = networks(seed, count, flows_most, &phantoms[i].how, stderr);
        cold = NULL;
        double share = percent(sum.within, sum.flows), median = sum.settle_rtts[sum.count / 2];
        if (strcmp(phantoms[i].keys, "") == 0 && strcmp(phantoms[i].fabric, "phantom: ack") == 0)
            of_preset = share;
        (void)printf("| %s | %" PRIu64 " of %" PRIu64 ", %.2f %% | %.1f, %.1f | %.2f, %.2f | %.4f |\n",
                     phantoms[i].how.name, sum.within, sum.flows, share, median, sum.settle_rtts[sum.count * 9 / 10],
                     sum.queue_bytes / 1000 / (sum.queues > 0 ? sum.queues : 1), sum.queue_max_bytes / 1000,
                     sum.utilisation_min);
        (void)fflush(stdout);
        free(sum.settle_rtts);
    }
    return of_preset >= 99 ? 0 : 1;
}

static uint64_t number(const char *text)
{
    return strtoull(text, NULL, 10);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rates_are_the_shares),
        cmocka_unit_test(virtual_queues_tell_the_shares),
    };
    uint64_t seed = 1;
    uint32_t count = 200, flows = 2000;
    if (argc == 1)
        return cmocka_run_group_tests_name("prop/allocation", tests, NULL, NULL);
    bool with_ladder = strcmp(argv[1], "--ladder") == 0, with_phantom = strcmp(argv[1], "--phantom") == 0;
    for (int i = with_ladder || with_phantom ? 2 : 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seed") == 0)
            seed = number(argv[i + 1]);
        else if (strcmp(argv[i], "--count") == 0)
            count = (uint32_t)number(argv[i + 1]);
        else if (strcmp(argv[i], "--flows") == 0)
            flows = (uint32_t)number(argv[i + 1]);
        else if (strcmp(argv[i], "--preset") == 0)
            ours.preset = argv[i + 1];
        else if (strcmp(argv[i], "--rounds") == 0)
            rounds = (uint32_t)number(argv[i + 1]);
        else if (strcmp(argv[i], "--us") == 0)
            phantom_us = (uint32_t)number(argv[i + 1]);
        else if (strcmp(argv[i], "--row") == 0)
            phantom_row = argv[i + 1];
        else if (strcmp(argv[i], "--delay") == 0)
            phantom_delay_ns = (uint32_t)number(argv[i + 1]);
        else if (strcmp(argv[i], "--mixed") == 0)
            mixed_rates = number(argv[i + 1]) != 0;
    }
    if (with_phantom)
        return phantom_table(seed, count, flows);
    if (with_ladder)
        return ladder(seed, count, flows);
    struct outcome sum = networks(seed, count, flows, &ours, stdout);
    free(sum.settle_rtts);
    return (double)sum.within >= 0.99 * (double)sum.flows ? 0 : 1;
}
