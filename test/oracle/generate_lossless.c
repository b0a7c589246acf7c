/* test/oracle/generate_lossless.c - a random scenario whose switches often change between calm and exact windows: thresholds of PFC that a
 * few packets reach, one class or two, or virtual lanes. Only telemetry, which some protocols need, keeps a switch exact all the time. */
#include "test/oracle/generate.h"
#include <inttypes.h>

enum { DCTCP_END = 2, DEFLECT_END = 6 };

/* HPCC brings telemetry in data, FNCC in ACKs, RoCC rates of switches; twice as likely are those that can be calm. Homa's, NDP's and SIRD's hosts are
 * receiver-driven. @return which: below DCTCP_END DCTCP, below DEFLECT_END one that goes with deflection */
static uint32_t put_protocol(struct gen *g, uint32_t classes)
{
    static const char *const name[] = {
        "dctcp", "dctcp", "dcqcn, link_rate: any", "timely", "rocc", "rocc", "hpcc", "fncc", "ndp", "sird"
    };
    uint32_t which = gen_below(g, 10);
    g->acks = which < 8;
    bool homa = which == 8 && classes == 2 && gen_one_in(g, 2);
    gen_put(g, "protocol: {name: %s", homa ? "homa, priorities: 2, unsched_levels: 1, overcommit: 1" : name[which]);
    if (which == 3 && gen_one_in(g, 2))
        gen_put(g, ", form: window");
    if (which == 9)
        gen_put_sird(g, false);
    gen_put(g, "}\n");
    return which;
}

/* Fixed thresholds or shared ones. Buffers are large enough for all headroom. */
static void put_pfc(struct gen *g)
{
    const char *which = gen_one_in(g, 2) || g->data_class == 0 || !g->acks
                            ? "all"
                            : "data"; /* data must be in a class that is paused */
    uint32_t kb = gen_one_in(g, 4) ? 12 + gen_below(g, 60) : 4 + gen_below(g, 9), shift = 3 + gen_below(g, 6);
    if (gen_one_in(g, 3)) {
        gen_put(g, ", buffer: %" PRIu32 " MB, pfc: {kind: dynamic, classes: %s, alpha_shift: %" PRIu32 "}",
                20 + gen_below(g, 40), which, shift);
        return;
    }
    if (gen_one_in(g, 2))
        gen_put(g, ", buffer: 64 MB");
    gen_put(g, ", pfc: {kind: static, classes: %s, xoff: %" PRIu32 " KB}", which, kb);
}

/* With two classes virtual lanes, one for each number of tokens left, or two, of which a paused packet may leave the upper one. */
static void put_deflect(struct gen *g, uint32_t classes)
{
    uint32_t tokens = 1 + gen_below(g, 5), bytes = gen_below(g, 1900), short_kb = 2 + gen_below(g, 60);
    uint32_t entries = 1 + gen_below(g, 10), lanes = gen_one_in(g, 2) ? 2 : tokens + 1;
    bool escapes = gen_one_in(g, 2) && classes == 2 && lanes == 2;
    if (classes == 2)
        gen_put(g, ", lanes: %" PRIu32, lanes);
    gen_put(g,
            ", deflect: {threshold: %" PRIu32 " B, entries: %" PRIu32 ", tokens: %" PRIu32 ", short: %" PRIu32 " KB%s}",
            bytes, entries, tokens, short_kb, escapes ? ", escape: paused" : "");
}

/* With DCTCP. CoDel keeps a switch exact while packets wait for long. */
static void put_rpm(struct gen *g)
{
    uint32_t entries = 1 + gen_below(g, 64), target_ns = 1000 + gen_below(g, 10000);
    bool codel = gen_one_in(g, 2), per_port = gen_one_in(g, 2);
    gen_put(g, ", rpm: {cells: %s, entries: %" PRIu32 "}", per_port ? "port" : "flow", entries);
    if (codel)
        gen_put(g, ", codel: {variant: %s, target: %" PRIu32 " ns, interval: 20 us}",
                gen_one_in(g, 2) ? "p4" : "rfc8289", target_ns);
}

void twin_generate_lossless(uint64_t seed, char *text)
{
    struct gen g = gen_begin(6, seed, text);
    uint32_t classes = 1 + gen_below(&g, 2), protocol;
    bool deflects = !gen_one_in(&g, 3);
    g.rates = GEN_RATES_CODED;
    g.nic = GEN_NIC_PULL;
    g.acks = true;
    g.to_the_end = gen_one_in(&g, 8);
    gen_put_topology(&g);
    protocol = put_protocol(&g, classes);
    deflects = deflects && protocol < DEFLECT_END && (g.kind == WEIR_LEAF_SPINE || g.kind == WEIR_FAT_TREE);
    g.data_last = deflects;
    gen_put_framing(&g);
    gen_choose_traffic(&g);
    g.measure_us = gen_span_us(&g) / 2;
    gen_bound_load(&g);
    gen_put_host(&g, deflects ? classes : 1);
    gen_put(&g, "}\n");
    gen_put(&g, "fabric: {priorities: %" PRIu32 ", routing: symmetric", classes);
    put_pfc(&g);
    if (deflects)
        put_deflect(&g, classes);
    if (protocol < DCTCP_END && !(deflects && classes == 2) && !gen_one_in(&g, 3))
        put_rpm(&g);
    gen_put_ecn(&g);
    gen_put(&g, "}");
    if (gen_one_in(&g, 3))
        gen_put_events(&g);
    gen_put(&g, "}\ntraffic:\n");
    gen_put_incast(&g);
    gen_put_poisson(&g);
    gen_put_run(&g, "1 s", "");
}
