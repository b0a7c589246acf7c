/* test/oracle/generate.c - a random scenario from a seed: every feature is on in some, and most in combination. */
#include "test/oracle/twin.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

struct gen {
    struct weir_rng rng;
    char *text;
    size_t used;
    uint32_t kind, hosts; /* of the topology: enum weir_topology_kind */
    uint64_t host_gbps, measure_us;
    uint32_t payload_bytes, load_percent; /* of a full packet; of the poisson traffic */
    const char *sizes;
    bool acks;       /* the protocol acknowledges */
    bool to_the_end; /* measure: all */
};

static uint32_t below(struct gen *g, uint32_t n)
{
    return weir_rng_below(weir_rng_next(&g->rng), n);
}

static bool one_in(struct gen *g, uint32_t n)
{
    return below(g, n) == 0;
}

__attribute__((format(printf, 2, 3))) static void put(struct gen *g, const char *format, ...)
{
    va_list args;
    int n;
    va_start(args, format);
    n = vsnprintf(g->text + g->used, TWIN_TEXT_MAX - g->used, format, args);
    va_end(args);
    WEIR_ASSERT(n >= 0 && (size_t)n < TWIN_TEXT_MAX - g->used);
    g->used += (size_t)n;
}

/* Speeds with whole picoseconds per byte and, one in three, without (8000 / 56, 8000 / 33, 8000 / 7 are not whole). */
static uint64_t a_rate(struct gen *g)
{
    static const uint64_t whole[] = { 10, 25, 40, 100, 200 }, odd[] = { 56, 33, 7, 112 };
    return one_in(g, 3) ? odd[below(g, 4)] : whole[below(g, 5)];
}

static uint32_t a_delay_ns(struct gen *g)
{
    static const uint32_t some[] = { 100, 300, 500, 1000, 1250, 2500, 10000, 40000 };
    return one_in(g, 4) ? 50 + below(g, 3000) : some[below(g, 8)];
}

static void put_topology(struct gen *g)
{
    uint64_t core_gbps;
    g->kind = below(g, 5);
    g->host_gbps = a_rate(g);
    core_gbps = one_in(g, 2) ? g->host_gbps * (1 + below(g, 4)) : a_rate(g);
    put(g, "topology: {kind: %s, ", weir_topology_kinds[g->kind]);
    switch ((enum weir_topology_kind)g->kind) {
    case WEIR_LEAF_SPINE: {
        uint32_t racks = 2 + below(g, 3);
        g->hosts = racks * (2 + below(g, 6));
        put(g, "hosts: %" PRIu32 ", racks: %" PRIu32 ", spines: %" PRIu32 ", ", g->hosts, racks, 1 + below(g, 4));
        break;
    }
    case WEIR_FAT_TREE:
        g->hosts = 16;
        put(g, "k: 4, ");
        break;
    case WEIR_DUMBBELL:
        g->hosts = 4 + below(g, 16);
        put(g, "hosts: %" PRIu32 ", ", g->hosts);
        break;
    case WEIR_CHAIN:
        g->hosts = 6 + below(g, 12);
        put(g, "hosts: %" PRIu32 ", switches: %" PRIu32 ", ", g->hosts, 2 + below(g, 4));
        break;
    case WEIR_GRAPH: /* not drawn here */
    case WEIR_STAR:
        g->hosts = 3 + below(g, 14);
        put(g, "hosts: %" PRIu32 ", ", g->hosts);
        break;
    }
    put(g,
        "host_link: %" PRIu64 " Gbps, core_link: %" PRIu64 " Gbps, host_delay: %" PRIu32 " ns, core_delay: %" PRIu32
        " ns, bdp: %" PRIu32 " KB}\n",
        g->host_gbps, core_gbps, a_delay_ns(g), a_delay_ns(g), 20 + below(g, 150));
}

/* Both rule sets, every policy. Without recovery what is lost stays lost, which is fine where a run has an end. */
static void put_sird(struct gen *g)
{
    static const char *const sender[] = { "mix", "fair", "largest" };
    static const char *const receiver[] = { "srpt", "round-robin", "least-in-flight" };
    static const char *const classes[] = { "none", "control", "unscheduled" };
    put(g,
        "protocol: {name: sird, sender_policy: %s, receiver_policy: %s, priorities: %s, B: %" PRIu32 ".%" PRIu32 " BDP",
        sender[below(g, 3)], receiver[below(g, 3)], classes[below(g, 3)], 1 + below(g, 3), below(g, 10));
    if (one_in(g, 2))
        put(g, ", preset: ns2");
    if (one_in(g, 4))
        put(g, ", UnschT: %s", one_in(g, 2) ? "0 B" : "all");
    if (one_in(g, 4))
        put(g, ", csn_rule: paper, bucket_test: ns2, unsched_accounting: charged");
    if (g->to_the_end || one_in(g, 2))
        put(g, ", loss_timeout: 3 ms");
    if (one_in(g, 3))
        put(g, ", pace: 97%%");
    put(g, "}\n");
}

static void put_protocol(struct gen *g)
{
    static const char *const preset[] = { "rfc8257", "sigcomm2010", "ns2" };
    uint32_t which = below(g, 12);
    g->acks = which != 0;
    if (!g->acks)
        put(g, "protocol: {name: none}\n");
    else if (which >= 8)
        put_sird(g);
    else if (which < 4)
        put(g, "protocol: {name: dctcp}\n");
    else
        put(g, "protocol: {name: dctcp, preset: %s}\n", preset[below(g, 3)]);
}

static void put_framing(struct gen *g)
{
    g->payload_bytes = 1460;
    if (one_in(g, 3)) {
        g->payload_bytes = 1000;
        put(g, "framing: {preset: hpcc}\n");
    } else if (one_in(g, 4)) {
        g->payload_bytes = 100 + below(g, 4000);
        put(g, "framing: {payload: %" PRIu32 " B, header: 40 B, gap: 0 B, min_wire: 40 B, ack_wire: 40 B}\n",
            g->payload_bytes);
    }
}

static void put_host(struct gen *g, uint32_t priorities)
{
    put(g, "host: {nic_queue: %s", one_in(g, 3) ? "unlimited" : "pull");
    if (priorities > 1 || one_in(g, 4))
        put(g, ", data_class: %" PRIu32 ", ack_class: %" PRIu32, below(g, priorities), below(g, priorities));
    if (g->acks && one_in(g, 3))
        put(g, ", ack_every: %" PRIu32 ", ack_delay: %" PRIu32 " us", 2 + below(g, 4), 1 + below(g, 50));
    if (g->acks && one_in(g, 3))
        put(g, ", connections: %" PRIu32, 1 + below(g, 4));
    if (g->acks && one_in(g, 6))
        put(g, ", reply_bytes: 4");
    if (g->acks && one_in(g, 2))
        put(g, ", rto_min: %" PRIu32 " us, rto_init: 200 us", 10 + below(g, 190));
    if (g->to_the_end) /* or the last message may wait for a second, in which nothing is learned */
        put(g, ", rto_max: 20 ms");
    if (g->acks && one_in(g, 4))
        put(g, ", reorder: %" PRIu32, 1 + below(g, 100));
    put(g, "}\n");
}

static void put_ecn(struct gen *g)
{
    const char *where = one_in(g, 3) ? "core" : "all";
    uint32_t kb = 2 + below(g, 100);
    if (one_in(g, 4)) /* as good as off, which DCTCP would refuse */
        put(g, ", ecn: {threshold: 1 GB}");
    else if (one_in(g, 2))
        put(g, ", ecn: {threshold: %" PRIu32 " KB, where: %s}", kb, where);
    else
        put(g, ", ecn: {kmin: %" PRIu32 " KB, kmax: %" PRIu32 " KB, pmax: %" PRIu32 "%%, where: %s}", kb,
            kb + 1 + below(g, 100), 1 + below(g, 100), where);
}

/* A cable that the topology surely has; every second time one that a host hangs on. */
static void make_cable(struct gen *g, char *out, size_t size)
{
    uint32_t host = below(g, g->hosts), two = below(g, 2);
    bool core = one_in(g, 2);
    if (g->kind == WEIR_LEAF_SPINE && core)
        (void)snprintf(out, size, "leaf %" PRIu32 " - spine 0", two);
    else if (g->kind == WEIR_LEAF_SPINE)
        (void)snprintf(out, size, "host 0 - leaf 0");
    else if (g->kind == WEIR_FAT_TREE && core)
        (void)snprintf(out, size, "edge %" PRIu32 " - agg 0", two);
    else if (g->kind == WEIR_FAT_TREE)
        (void)snprintf(out, size, "host %" PRIu32 " - edge %" PRIu32, host, host / 2);
    else if (g->kind != WEIR_STAR && core)
        (void)snprintf(out, size, "switch 0 - switch 1");
    else
        (void)snprintf(out, size, "host 0 - switch 0");
}

/* Cables that go down and mostly come back: always, where the run waits for the last message. */
static void put_events(struct gen *g)
{
    uint64_t at_us = 1 + below(g, (uint32_t)g->measure_us);
    put(g, ", reroute_delay: %" PRIu32 " us, events: [", one_in(g, 2) ? 0 : below(g, 60));
    for (uint32_t i = 0, n = 1 + below(g, 3); i < n; i++) {
        char cable[64];
        make_cable(g, cable, sizeof(cable));
        put(g, "%s{at: %" PRIu64 " us, link: %s, action: down}", i > 0 ? ", " : "", at_us, cable);
        at_us += 1 + below(g, 100);
        if (g->to_the_end || !one_in(g, 4))
            put(g, ", {at: %" PRIu64 " us, link: %s, action: up}", at_us, cable);
        at_us += 1 + below(g, 100);
    }
    put(g, "]");
}

static void put_fabric(struct gen *g, uint32_t priorities)
{
    static const char *const routing[] = { "ecmp", "symmetric", "spray" };
    put(g, "fabric: {priorities: %" PRIu32 ", routing: %s", priorities, routing[below(g, 3)]);
    if (one_in(g, 2)) {
        put(g, ", buffer: %" PRIu32 " KB", 5 + below(g, 400));
        if (one_in(g, 2))
            put(g, ", alpha: %" PRIu32 ".%" PRIu32, below(g, 4), 1 + below(g, 9));
    }
    if (one_in(g, 4))
        put(g, ", port_buffer: %" PRIu32 " KB", 5 + below(g, 100));
    if (one_in(g, 4))
        put(g, ", loss: 0.%" PRIu32 "%%", 1 + below(g, 90));
    put_ecn(g);
    if (one_in(g, 3))
        put_events(g);
    put(g, "}\n");
}

/* Without acknowledgements a message is one packet of at most the framing's payload: 100 bytes fit all. */
static void choose_traffic(struct gen *g)
{
    static const char *const sizes[] = { "wkb", "wkb", "wka", "websearch", "1460 B", "100 B", "30 KB" };
    uint32_t which = below(g, 7);
    g->sizes = g->acks ? sizes[which] : "100 B";
    g->load_percent = 10 + below(g, 60);
    if (!g->acks || which == 5)
        g->payload_bytes = 100;
}

static void put_traffic(struct gen *g)
{
    const char *unit = g->acks ? "KB" : "B";
    char stop[64] = "";
    if (g->to_the_end)
        (void)snprintf(stop, sizeof(stop), ", stop: %" PRIu64 " us", g->measure_us);
    put(g, "traffic:\n");
    if (one_in(g, 3))
        put(g, "  - {kind: permutation, size: %" PRIu32 " %s}\n", 1 + below(g, 100), unit);
    if (one_in(g, 3))
        put(g, "  - {kind: incast, fan_in: %" PRIu32 ", size: %" PRIu32 " %s, load: %" PRIu32 "%%%s}\n",
            2 + below(g, g->hosts - 2), 1 + below(g, 100), unit, 2 + below(g, 20), stop);
    put(g, "  - {kind: poisson, sizes: %s, load: %" PRIu32 "%%%s}\n", g->sizes, g->load_percent, stop);
}

/* A packet makes about 4 hops and so does its acknowledgement: measure long enough for some 200,000 of them. */
static uint64_t a_span_us(const struct gen *g)
{
    uint64_t pkts_per_ms = g->hosts * g->host_gbps * 1250 * g->load_percent / g->payload_bytes;
    return 50 + 200000000 / (g->acks ? 8 : 4) / (1 + pkts_per_ms);
}

void twin_generate(uint64_t seed, char *text)
{
    struct gen g = { .rng = { .key = weir_rng_key(seed, 0, WEIR_RNG_TEST, 0) }, .text = text };
    uint32_t priorities;
    priorities = one_in(&g, 2) ? 1 : 2 + below(&g, 7);
    g.to_the_end = one_in(&g, 8);
    text[0] = '\0';
    put_topology(&g);
    put_protocol(&g);
    put_framing(&g);
    choose_traffic(&g);
    g.measure_us = a_span_us(&g);
    put_host(&g, priorities);
    put_fabric(&g, priorities);
    put_traffic(&g);
    if (g.to_the_end)
        put(&g, "run: {warmup: 0 us, measure: all, stall: 1 s, seed: %" PRIu64 "}\n", seed);
    else
        put(&g, "run: {warmup: %" PRIu64 " us, measure: %" PRIu64 " us, seed: %" PRIu64 ", sample: %" PRIu32 " ns}\n",
            g.measure_us / 5, g.measure_us, seed, 500 + below(&g, 1000));
}
