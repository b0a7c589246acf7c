/* test/oracle/generate.c - a random scenario from a seed, the plain dice: open loop, DCTCP, Homa, dcPIM, NDP and SIRD over ports of every kind, most of it
 * in combination. Every draw is a statement of its own: the order in which arguments are evaluated is the compiler's choice. */
#include "test/oracle/generate.h"
#include "core/math.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

struct gen gen_begin(uint32_t dice, uint64_t seed, char *text)
{
    text[0] = '\0';
    return (struct gen){ .rng = { .key = weir_rng_key(seed, dice, WEIR_RNG_TEST, 0) }, .seed = seed, .text = text };
}

uint32_t gen_below(struct gen *g, uint32_t n)
{
    return weir_rng_below(weir_rng_next(&g->rng), n);
}

bool gen_one_in(struct gen *g, uint32_t n)
{
    return gen_below(g, n) == 0;
}

void gen_put(struct gen *g, const char *format, ...)
{
    va_list args;
    int n;
    va_start(args, format);
    n = vsnprintf(g->text + g->used, TWIN_TEXT_MAX - g->used, format, args);
    va_end(args);
    WEIR_ASSERT(n >= 0 && (size_t)n < TWIN_TEXT_MAX - g->used);
    g->used += (size_t)n;
}

/* --- protocol --- */

/* Both rule sets, every policy. Without recovery what is lost stays lost, which is fine where a run has an end. */
void gen_put_sird(struct gen *g, bool with_preset)
{
    static const char *const sender[] = { "mix", "fair", "largest" };
    static const char *const receiver[] = { "srpt", "round-robin", "least-in-flight" };
    static const char *const classes[] = { "none", "control", "unscheduled" };
    uint32_t tenths = gen_below(g, 10), ones = 1 + gen_below(g, 3), class_rule = gen_below(g, 3);
    uint32_t receiver_policy = gen_below(g, 3), sender_policy = gen_below(g, 3);
    gen_put(g, ", sender_policy: %s, receiver_policy: %s, priorities: %s, B: %" PRIu32 ".%" PRIu32 " BDP",
            sender[sender_policy], receiver[receiver_policy], classes[class_rule], ones, tenths);
    if (with_preset && gen_one_in(g, 2))
        gen_put(g, ", preset: ns2");
    if (gen_one_in(g, 4))
        gen_put(g, ", UnschT: %s", gen_one_in(g, 2) ? "0 B" : "all");
    if (gen_one_in(g, 4))
        gen_put(g, ", csn_rule: paper, bucket_test: ns2, unsched_accounting: charged");
    if (g->to_the_end || gen_one_in(g, 2))
        gen_put(g, ", loss_timeout: 3 ms");
    if (gen_one_in(g, 3))
        gen_put(g, ", pace: 97%%");
}

void gen_put_levels(struct gen *g, uint32_t priorities)
{
    uint32_t levels = 2 + gen_below(g, priorities - 1), unsched = 1 + gen_below(g, levels - 1);
    gen_put(g, ", priorities: %" PRIu32 ", unsched_levels: %" PRIu32 ", overcommit: %" PRIu32, levels, unsched,
            1 + gen_below(g, levels - unsched));
}

/* Any levels that fit the ports, any limits. What was lost is granted again soon. */
static void put_homa(struct gen *g, uint32_t priorities)
{
    gen_put(g, "protocol: {name: homa");
    gen_put_levels(g, priorities);
    if (gen_one_in(g, 2))
        gen_put(g, ", unsched_max: %" PRIu32 " KB", gen_below(g, 100));
    if (gen_one_in(g, 2))
        gen_put(g, ", window: %" PRIu32 " KB", 10 + gen_below(g, 100));
    if (gen_one_in(g, 3))
        gen_put(g, ", grant: %" PRIu32, 1 + gen_below(g, 5));
    if (gen_one_in(g, 3))
        gen_put(g, ", sender_policy: round-robin");
    if (gen_one_in(g, 3))
        gen_put(g, ", boost_tail: %" PRIu32 " KB", gen_below(g, 100));
    gen_put(g, ", loss_timeout: 1 ms}\n");
}

void gen_put_control_rtt(struct gen *g, uint64_t path_ns)
{
    gen_put(g, ", control_rtt: %" PRIu64 " ns", path_ns + 8 * (8 * UINT64_C(4200) / g->host_gbps));
}

/* Rounds long enough for data phases of some packets, whatever the network: the round trip and a few packets' time. */
static void put_dcpim(struct gen *g, uint32_t priorities)
{
    uint32_t far =
        g->kind == WEIR_DRAGONFLY || g->kind == WEIR_TORUS ? 2 : 1; /* a way by a tree is up to twice as long */
    uint64_t gbps = weir_min_u64(g->host_gbps, g->core_gbps), core = far * g->core_hops, links = 2 + core;
    uint64_t path_ns = 2 * (2 * g->host_ns + core * g->core_ns + links * 8 * 100 / gbps + links);
    uint32_t rounds = 2 + gen_below(g, 4), channels = 1 + gen_below(g, 6), size_rounds = gen_below(g, 3);
    g->one_rate = true;
    gen_put(g, "protocol: {name: dcpim, rounds: %" PRIu32 ", channels: %" PRIu32 ", size_rounds: %" PRIu32, rounds,
            channels, size_rounds);
    gen_put_control_rtt(g, path_ns);
    if (priorities >= 7 && gen_one_in(g, 2))
        gen_put(g, ", levels: size, level_factor: %" PRIu32, 2 + gen_below(g, 8));
    if (gen_one_in(g, 3))
        gen_put(g, ", alpha: 1.%" PRIu32, gen_below(g, 10));
    if (gen_one_in(g, 3))
        gen_put(g, ", short: %" PRIu32 " KB", 1 + gen_below(g, 90));
    if (gen_one_in(g, 3))
        gen_put(g, ", window: %" PRIu32 " KB", 1 + gen_below(g, 90));
    if (gen_one_in(g, 3))
        gen_put(g, ", window_timeout: 0.%" PRIu32 " BDP", 1 + gen_below(g, 9));
    if (gen_one_in(g, 3))
        gen_put(g, ", resend_timeout: 0.%" PRIu32 " BDP", 1 + gen_below(g, 9));
    if (gen_one_in(g, 4))
        gen_put(g, ", prompt: false");
    if (gen_one_in(g, 4))
        gen_put(g, ", hold: false");
    gen_put(g, "}\n");
}

static void put_protocol(struct gen *g, uint32_t priorities)
{
    static const char *const preset[] = { "rfc8257", "sigcomm2010", "ns2" };
    uint32_t which = gen_below(g, 12);
    g->acks = which != 0;
    if (which == 1 && priorities > 1) {
        put_homa(g, priorities);
        return;
    }
    if ((which == 2 || which == 3) && priorities >= 3) {
        put_dcpim(g, priorities);
        return;
    }
    gen_put(g, "protocol: {name: %s", which == 0 ? "none" : which == 1 ? "ndp" : which >= 8 ? "sird" : "dctcp");
    if (which == 1 && gen_one_in(g, 2))
        gen_put(g, ", window: %" PRIu32 " KB, loss_timeout: 1 ms", 5 + gen_below(g, 100));
    if (which >= 8)
        gen_put_sird(g, true);
    else if (which >= 4)
        gen_put(g, ", preset: %s", preset[gen_below(g, 3)]);
    gen_put(g, "}\n");
}

void gen_put_framing(struct gen *g)
{
    g->payload_bytes = 1460;
    if (gen_one_in(g, 3)) {
        g->payload_bytes = 1000;
        gen_put(g, "framing: {preset: hpcc}\n");
    } else if (gen_one_in(g, 4)) {
        g->payload_bytes = 100 + gen_below(g, 4000);
        gen_put(g, "framing: {payload: %" PRIu32 " B, header: 40 B, gap: 0 B, min_wire: 40 B, ack_wire: 40 B}\n",
                g->payload_bytes);
    }
}

/* --- host --- */

static void put_classes(struct gen *g, uint32_t priorities)
{
    uint32_t ack_class = gen_below(g, priorities);
    g->data_class = gen_below(g, priorities);
    if (g->data_last) {
        g->data_class = priorities - 1;
        ack_class = ack_class < g->data_class ? ack_class : 0;
    }
    gen_put(g, ", data_class: %" PRIu32 ", ack_class: %" PRIu32, g->data_class, ack_class);
}

static void put_acks(struct gen *g)
{
    uint32_t delay_us = 1;
    if (g->slow_timers || gen_one_in(g, 3)) {
        uint32_t every = 1 + gen_below(g, 5);
        delay_us = 1 + gen_below(g, 50);
        gen_put(g, ", ack_every: %" PRIu32 ", ack_delay: %" PRIu32 " us", every, delay_us);
    }
    if (gen_one_in(g, 3))
        gen_put(g, ", connections: %" PRIu32, 1 + gen_below(g, 4));
    if (gen_one_in(g, 6))
        gen_put(g, ", reply_bytes: 4");
    if (g->slow_timers || gen_one_in(g, 2))
        gen_put(g, ", rto_min: %" PRIu32 " us, rto_init: 200 us",
                weir_clamp_u32(10 + gen_below(g, 190), delay_us, 200)); /* no less than ack_delay */
}

void gen_put_host(struct gen *g, uint32_t priorities)
{
    g->data_class = 1;
    if (g->nic == GEN_NIC_ANY)
        g->nic = gen_one_in(g, 3) ? GEN_NIC_UNLIMITED : GEN_NIC_PULL;
    gen_put(g, "host: {nic_queue: %s", g->nic == GEN_NIC_UNLIMITED ? "unlimited" : "pull");
    if (priorities > 1 || gen_one_in(g, 4))
        put_classes(g, priorities);
    if (g->acks)
        put_acks(g);
    if (g->to_the_end) /* or the last message may wait for a second, in which nothing is learned */
        gen_put(g, ", rto_max: %d ms", g->noticed ? 5 : 20);
    if (g->acks && gen_one_in(g, 4))
        gen_put(g, ", reorder: %" PRIu32, 1 + gen_below(g, 100));
}

/* Any choice that the network and the queues allow. */
static void put_nics(struct gen *g)
{
    static const char *const choice[] = { "flow-hash", "spray", "least-queued", "rail" };
    bool pull = g->nic == GEN_NIC_PULL, rails = g->kind == WEIR_PLANES;
    uint32_t which = gen_below(g, rails ? 4 : 3);
    if (g->has_nics)
        gen_put(g, ", nics: %s", choice[which == 2 && !pull ? 0 : which]);
}

/* --- fabric --- */

void gen_put_buffer(struct gen *g)
{
    if (gen_one_in(g, 2)) {
        gen_put(g, ", buffer: %" PRIu32 " KB", 5 + gen_below(g, 400));
        if (gen_one_in(g, 2)) {
            uint32_t tenths = 1 + gen_below(g, 9), ones = gen_below(g, 4);
            gen_put(g, ", alpha: %" PRIu32 ".%" PRIu32, ones, tenths);
        }
    }
}

void gen_put_port_buffer(struct gen *g)
{
    if (gen_one_in(g, 4))
        gen_put(g, ", port_buffer: %" PRIu32 " KB", 5 + gen_below(g, 100));
}

/* Random loss, and delays that vary. */
void gen_put_loss(struct gen *g)
{
    if (gen_one_in(g, 4))
        gen_put(g, ", loss: 0.%" PRIu32 "%%", 1 + gen_below(g, 90));
    if (gen_one_in(g, 6))
        gen_put(g, ", delay_variation: %" PRIu32 " ns", 1 + gen_below(g, gen_one_in(g, 3) ? 20000 : 500));
}

void gen_put_ecn(struct gen *g)
{
    const char *where = gen_one_in(g, 3) ? "core" : "all";
    uint32_t kb = 2 + gen_below(g, 100);
    if (gen_one_in(g, 4)) { /* as good as off, which DCTCP would refuse */
        gen_put(g, ", ecn: {threshold: 1 GB");
    } else if (gen_one_in(g, 2)) {
        gen_put(g, ", ecn: {threshold: %" PRIu32 " KB, where: %s", kb, where);
    } else {
        uint32_t percent = 1 + gen_below(g, 100), more_kb = 1 + gen_below(g, 100);
        gen_put(g, ", ecn: {kmin: %" PRIu32 " KB, kmax: %" PRIu32 " KB, pmax: %" PRIu32 "%%, where: %s", kb,
                kb + more_kb, percent, where);
    }
}

/* A cable that the topology surely has; every second time one that a host hangs on. */
static void make_cable(struct gen *g, char *out, size_t size)
{
    uint32_t host = gen_below(g, g->hosts), two = gen_below(g, 2);
    bool core = gen_one_in(g, 2);
    if (g->kind == WEIR_LEAF_SPINE && core)
        (void)snprintf(out, size, "leaf %" PRIu32 " - spine 0", two);
    else if (g->kind == WEIR_LEAF_SPINE)
        (void)snprintf(out, size, "host 0 - leaf 0");
    else if (g->has_nics && core && g->core_hops > 0)
        (void)snprintf(out, size, "leaf 0 - spine 0");
    else if (g->has_nics)
        (void)snprintf(out, size, "host 0 - %s 0", g->kind == WEIR_RAIL && two == 0 ? "nvswitch" : "leaf");
    else if (g->kind == WEIR_FAT_TREE && core)
        (void)snprintf(out, size, "edge %" PRIu32 " - agg 0", two);
    else if (g->kind == WEIR_FAT_TREE)
        (void)snprintf(out, size, "host %" PRIu32 " - edge %" PRIu32, host, host / 2);
    else if (g->kind != WEIR_STAR && core)
        (void)snprintf(out, size, "switch 0 - switch 1");
    else
        (void)snprintf(out, size, "host 0 - switch 0");
}

void gen_put_queue(struct gen *g, const char *place)
{
    static const char *const text[] = { ", queue: flush}", "}", ", queue: wait}" };
    gen_put(g, "%s", text[gen_below(g, strncmp(place, "switch", 6) == 0 ? 2 : 3)]);
}

/* A place of an event: a cable, or every third time a switch or a host. */
static void make_place(struct gen *g, char *out, size_t size)
{
    static const char *const sw[WEIR_GRAPH] = {
        [WEIR_LEAF_SPINE] = "leaf", [WEIR_FAT_TREE] = "agg", [WEIR_PLANES] = "leaf", [WEIR_RAIL] = "nvswitch"
    };
    char cable[64];
    make_cable(g, cable, sizeof(cable));
    if (!gen_one_in(g, 3))
        (void)snprintf(out, size, "cable: %s", cable);
    else if (gen_one_in(g, 2))
        (void)snprintf(out, size, "host: host %" PRIu32, gen_below(g, g->hosts));
    else
        (void)snprintf(out, size, "switch: %s 0", sw[g->kind] != NULL ? sw[g->kind] : "switch");
}

void gen_put_restart(struct gen *g, uint64_t at_us, const char *host)
{
    gen_put(g, ", {time: %" PRIu64 " us, host: '%s', state: restart}", at_us, host);
}

/* Restarts of hosts, in half of the scenarios with events. */
static void put_restarts(struct gen *g)
{
    uint64_t at_us = 1 + gen_below(g, (uint32_t)g->measure_us);
    for (uint32_t i = 0, n = gen_one_in(g, 2) ? 1 + gen_below(g, 4) : 0; i < n; i++, at_us += 1 + gen_below(g, 80)) {
        char host[32];
        (void)snprintf(host, sizeof(host), "host %" PRIu32, gen_below(g, g->hosts));
        gen_put_restart(g, at_us, host);
    }
}

void gen_put_lossy(struct gen *g, const char *place, uint64_t at_us)
{
    if (strncmp(place, "cable", 5) != 0 || !gen_one_in(g, 4))
        return;
    gen_put(g, ", {time: %" PRIu64 " us, %s, state: loss, rate: %" PRIu32 "%%}", at_us + 1, place, 1 + gen_below(g, 9));
    if (gen_one_in(g, 2))
        gen_put(g, ", {time: %" PRIu64 " us, %s, state: loss, rate: 0}", at_us + 2 + gen_below(g, 90), place);
}

void gen_put_slow(struct gen *g, const char *place, uint64_t at_us, uint64_t max_mbps)
{
    uint64_t at_ns = 1000 * at_us + 1 + gen_below(g, 60000), mbps = 1 + max_mbps * (1 + gen_below(g, 19)) / 20;
    if (strncmp(place, "cable", 5) != 0 || !gen_one_in(g, 3))
        return;
    gen_put(g, ", {time: %" PRIu64 " ns, %s, state: rate, rate: %" PRIu64 " Mbps}", at_ns, place, mbps);
    if (gen_one_in(g, 2))
        gen_put(g, ", {time: %" PRIu64 " ns, %s, state: rate, rate: %" PRIu64 " Mbps}", at_ns + 1 + gen_below(g, 90000),
                place, max_mbps);
}

/* Cables that go down and mostly come back: always, where the run waits for the last message. */
void gen_put_events(struct gen *g)
{
    uint64_t at_us = 1 + gen_below(g, (uint32_t)g->measure_us);
    gen_put(g, ", reroute_delay: %" PRIu32 " us, events: [", gen_one_in(g, 2) ? 0 : gen_below(g, 60));
    for (uint32_t i = 0, n = 1 + gen_below(g, 3); i < n; i++) {
        char place[80];
        make_place(g, place, sizeof(place));
        gen_put(g, "%s{time: %" PRIu64 " us, %s, state: down", i > 0 ? ", " : "", at_us, place);
        gen_put_queue(g, place);
        at_us += 1 + gen_below(g, 100);
        if (g->to_the_end || !gen_one_in(g, 4))
            gen_put(g, ", {time: %" PRIu64 " us, %s, state: up}", at_us, place);
        gen_put_lossy(g, place, at_us);
        gen_put_slow(g, place, at_us, 1000 * weir_min_u64(g->host_gbps / 2, g->core_gbps));
        if (i == 0)
            put_restarts(g);
        at_us += 1 + gen_below(g, 100);
    }
    gen_put(g, "]");
}

static void put_fabric(struct gen *g, uint32_t priorities)
{
    static const char *const routing[] = { "ecmp", "symmetric", "spray", "trees" };
    gen_put(g, "fabric: {priorities: %" PRIu32 ", routing: %s", priorities,
            routing[gen_below(g, g->has_nics ? 3 : 4)]); /* trees need hosts of one NIC */
    gen_put_buffer(g);
    gen_put_port_buffer(g);
    gen_put_loss(g);
    gen_put_ecn(g);
    gen_put(g, "}");
    if (gen_one_in(g, 3))
        gen_put_events(g);
    gen_put(g, "}\n");
}

/* --- traffic --- */

/* Without acknowledgements a message is one packet of at most the framing's payload: 100 bytes fit all. */
void gen_choose_traffic(struct gen *g)
{
    static const char *const sizes[] = { "wkb", "wkb", "wka", "websearch", "1460 B", "100 B", "30 KB" };
    uint32_t which = gen_below(g, 7);
    if (g->paced && which == 5) /* 15 times as many flows */
        which = 4;
    g->sizes = g->acks ? sizes[which] : "100 B";
    g->load_percent = 10 + gen_below(g, 60);
    if (!g->acks || which == 5)
        g->payload_bytes = 100;
}

/* Of one packet where nothing is acknowledged. */
void gen_put_reply(struct gen *g)
{
    if (g->replies || gen_one_in(g, 6))
        gen_put(g, ", reply: %" PRIu32 " B", 1 + gen_below(g, g->acks ? 5000 : 100));
}

static void put_stop(struct gen *g)
{
    gen_put_reply(g);
    if (g->to_the_end)
        gen_put(g, ", stop: %" PRIu64 " us", g->measure_us);
    if (g->tenants && gen_one_in(g, 2))
        gen_put(g, ", tenant: %" PRIu32, gen_below(g, 4));
    gen_put(g, "}\n");
}

void gen_put_permutation(struct gen *g)
{
    gen_put(g, "  - {kind: permutation, size: %" PRIu32 " %s", 1 + gen_below(g, 100), g->acks ? "KB" : "B");
    gen_put_reply(g);
    gen_put(g, "}\n");
}

void gen_put_incast(struct gen *g)
{
    uint32_t percent = 2 + gen_below(g, 20), size = 1 + gen_below(g, 100), fan_in = 2 + gen_below(g, g->hosts - 2);
    if (!g->acks)
        size =
            50 + size / 2; /* of a few bytes there would be a hundred times as many packets as gen_span_us() expects */
    else if (g->paced)
        size = 10 + size * 9 / 10;
    gen_put(g, "  - {kind: incast, fan_in: %" PRIu32 ", size: %" PRIu32 " %s, load: %" PRIu32 "%%", fan_in, size,
            g->acks ? "KB" : "B", percent);
    put_stop(g);
}

void gen_put_poisson(struct gen *g)
{
    gen_put(g, "  - {kind: poisson, sizes: %s, load: %" PRIu32 "%%", g->sizes, g->load_percent);
    if (gen_one_in(g, 8))
        gen_put(g, ", from: 0..%" PRIu32, gen_below(g, g->hosts));
    if (gen_one_in(g, 8))
        gen_put(g, ", to: %" PRIu32 "..%" PRIu32, gen_below(g, g->hosts - 1), g->hosts - 1);
    put_stop(g);
}

static uint64_t pkts_per_ms(const struct gen *g)
{
    return g->hosts * g->host_gbps * 1250 * g->load_percent / g->payload_bytes;
}

/* A packet makes about 4 hops and so does its acknowledgement: measure long enough for some 200,000 of them. */
uint64_t gen_span_us(const struct gen *g)
{
    return 50 + 200000000 / (g->acks ? 8 : 4) / (1 + pkts_per_ms(g));
}

enum { PACKETS_MAX = 40000, PACED_MAX = 5000 };

/* (Seen: 213,000 messages of 100 B on 20 fast hosts, each with credit of its own; minutes of CPU for 200,000 packet-hops.) */
void gen_bound_load(struct gen *g)
{
    uint64_t pkts = pkts_per_ms(g) * g->measure_us / 1000, most = g->paced ? PACED_MAX : PACKETS_MAX;
    if (pkts > most)
        g->load_percent = weir_clamp_u32(g->load_percent * most / pkts, 1, g->load_percent);
}

void gen_put_run(struct gen *g, const char *stall, const char *more)
{
    /* of the seed alone, so that the dice fall as before */
    const char *statistics = g->seed * UINT64_C(0x9e3779b97f4a7c15) >> 62 == 0 ? ", statistics: sampled" : "";
    if (g->to_the_end)
        gen_put(g, "run: {warmup: 0 us, measure: all, stall: %s, seed: %" PRIu64 ", sample: %" PRIu64 " ns%s%s}\n",
                stall, g->seed, 500 + g->seed % 1000, statistics, more);
    else
        gen_put(g,
                "run: {warmup: %" PRIu64 " us, measure: %" PRIu64 " us, seed: %" PRIu64 ", sample: %" PRIu32
                " ns%s%s}\n",
                g->measure_us / 5, g->measure_us, g->seed, 500 + gen_below(g, 1000), statistics, more);
}

static void generate(uint64_t seed, char *text, bool shapes);

void twin_generate(uint64_t seed, char *text)
{
    generate(seed, text, false);
}

void twin_draw(enum twin_kind kind, uint64_t seed, char *text, FILE *show)
{
    if (kind == TWIN_WHOLE)
        twin_generate_whole(seed, text, show);
    else if (kind == TWIN_LOSSLESS)
        twin_generate_lossless(seed, text);
    else if (kind == TWIN_MIXED)
        twin_generate_mixed(seed, text);
    else if (kind == TWIN_STEADY)
        twin_generate_steady(seed, text);
    else
        generate(seed, text, kind == TWIN_SHAPES);
    if (kind == TWIN_MIXED && seed % 3 == 0)
        twin_put_switches(seed, text);
}

uint64_t twin_refusals_max(enum twin_kind kind, uint64_t count)
{
    if (kind == TWIN_MIXED)
        return count / 2;
    return kind == TWIN_WHOLE || kind == TWIN_LOSSLESS ? count / 10 : 0;
}

static void generate(uint64_t seed, char *text, bool shapes)
{
    struct gen g = gen_begin(0, seed, text);
    uint32_t priorities = gen_one_in(&g, 2) ? 1 : 2 + gen_below(&g, 7);
    g.shapes = shapes;
    g.to_the_end = gen_one_in(&g, 8) && !shapes; /* PFC may stop these for good, which takes all of run.stall */
    gen_put_topology(&g);
    put_protocol(&g, priorities);
    gen_put_framing(&g);
    gen_choose_traffic(&g);
    g.measure_us = gen_span_us(&g);
    gen_put_host(&g, priorities);
    put_nics(&g);
    gen_put(&g, "}\n");
    put_fabric(&g, priorities);
    gen_put(&g, "traffic:\n");
    if (gen_one_in(&g, 3))
        gen_put_permutation(&g);
    if (gen_one_in(&g, 3))
        gen_put_incast(&g);
    gen_put_poisson(&g);
    gen_put_run(&g, "1 s", "");
    if (!g.one_rate && gen_one_in(&g, 3))
        gen_put_hosts(&g);
}
