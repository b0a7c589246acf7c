/* test/oracle/generate_mixed.c - a random scenario from a seed: several laws side by side, in classes of their own or not, over fabrics
 * that offer what they need. Some pairs exclude each other, so that more scenarios are refused than of other kinds. */
#include "test/oracle/generate.h"
#include <inttypes.h>
#include <string.h>

enum { DICE = 9, ITEMS_MAX = 4 };

enum {                /* what a law asks of the fabric; it is drawn where that is so */
       PULL = 1,      /* NICs that pull */
       UNLIMITED = 2, /* NICs that do not */
       ORDER = 4,     /* one path per connection */
       SAME = 8,      /* ACKs go the way of their data */
       EIGHT = 16,    /* eight priorities, or three */
       THREE = 32,
       ONE = 64,  /* messages of one packet */
       OWN = 128, /* it chooses its classes itself */
};

struct law { /* keys: besides the name */
    const char *name, *keys;
    uint32_t asks;
};

static const struct law laws[] = {
    { "dctcp", "", 0 },
    { "dctcp", ", g: 0.3", 0 },
    { "cubic", ", preset: datacenter", 0 },
    { "newreno", ", preset: datacenter", 0 },
    { "aimd", "", 0 },
    { "swift", "", 0 },
    { "soze", "", 0 },
    { "rcp", "", PULL },
    { "hpcc", "", PULL | ORDER },
    { "dcqcn", ", link_rate: any", 0 },
    { "sird", "", OWN },
    { "sird", ", loss_timeout: 1 ms, priorities: none", OWN },
    { "ndp", ", loss_timeout: 1 ms", OWN },
    { "homa", "", OWN | EIGHT },
    { "dcpim", "", OWN | THREE },
    { "dart", "", 0 },
    { "fncc", "", PULL | ORDER | SAME },
    { "rocc", "", PULL },
    { "none", "", ONE },
    { "timely", ", t_low: 400 us, t_high: 600 us", 0 },
    { "expresspass", "", UNLIMITED | SAME | OWN },
};
enum { LAWS = sizeof(laws) / sizeof(laws[0]), COMMON = 12 /* the first of them are drawn more often */ };

/* has: what the fabric is, of the same bits */
static const struct law *a_law(struct gen *g, uint32_t has)
{
    const struct law *law;
    do
        law = &laws[gen_one_in(g, 3) ? gen_below(g, LAWS) : gen_below(g, COMMON)];
    while ((law->asks & ~(has | ONE | OWN)) != 0);
    return law;
}

/* Keys of an item's law: a protocol of its own or not, host keys, a class. */
static void put_law(struct gen *g, const struct law *law, bool own, uint32_t priorities)
{
    bool hosts = gen_one_in(g, 2);
    if (own)
        gen_put(g, ", protocol: {name: %s%s}", law->name, law->keys);
    if (!(law->asks & OWN) && priorities > 1 && gen_one_in(g, 2))
        gen_put(g, ", class: %" PRIu32, gen_below(g, priorities));
    if (hosts && !(law->asks & OWN)) {
        uint32_t connections = 1 + gen_below(g, 4), ack_class = gen_below(g, priorities);
        gen_put(g, ", host: {rto_min: 100 us, rto_init: 200 us, connections: %" PRIu32 ", ack_class: %" PRIu32 "%s}",
                connections, ack_class, gen_one_in(g, 3) ? ", ack_every: 2, ack_delay: 20 us" : "");
    }
}

/* A part of the item's messages, or of its hosts, has another law. */
static void put_deploy(struct gen *g, const struct law *law, uint32_t priorities)
{
    uint32_t percent = gen_below(g, 101);
    bool by_hosts = gen_one_in(g, 3);
    gen_put(g, ", deploy: {share: %" PRIu32 "%%, by: %s", percent, by_hosts ? "hosts" : "messages");
    put_law(g, law, true, priorities);
    gen_put(g, "}");
}

/* Some hosts send by a law of their own. */
static void put_hosts(struct gen *g, const struct law *law, uint32_t priorities)
{
    uint32_t first = gen_below(g, g->hosts), last = first + gen_below(g, g->hosts - first);
    gen_put(g, "hosts:\n  - {at: host %" PRIu32 "..%" PRIu32 ", protocol: {name: %s%s}", first, last, law->name,
            law->keys);
    if (!(law->asks & OWN) && gen_one_in(g, 3))
        gen_put(g, ", host: {data_class: %" PRIu32 "}", gen_below(g, priorities));
    gen_put(g, "}\n");
}

/* deployed: law of a part of the messages; NULL = none */
static void put_item(struct gen *g, const struct law *law, bool own, const struct law *deployed, uint32_t priorities)
{
    uint32_t kind = gen_below(g, 4), percent = 8 + gen_below(g, 16), kb = 1 + gen_below(g, 60);
    const char *sizes = gen_one_in(g, 2) ? "wkb" : "30 KB";
    bool cbr = (law->asks & ONE) != 0 && gen_one_in(g, 2);
    if (cbr)
        gen_put(
            g, "  - {kind: cbr, rate: %" PRIu32 " Mbps, packet: %" PRIu32 " B, on: %" PRIu32 " us, off: %" PRIu32 " us",
            100 + percent, 50 * (1 + percent), 1 + kb, gen_below(g, 40));
    else if ((law->asks & ONE) != 0)
        gen_put(g, "  - {kind: poisson, sizes: 100 B, load: %" PRIu32 "%%", 1 + percent / 8);
    else if (kind == 0)
        gen_put(g, "  - {kind: permutation, size: %" PRIu32 " KB", kb);
    else if (kind == 1)
        gen_put(g, "  - {kind: incast, fan_in: %" PRIu32 ", size: %" PRIu32 " KB, load: %" PRIu32 "%%",
                2 + gen_below(g, g->hosts - 2), kb, percent);
    else
        gen_put(g, "  - {kind: poisson, sizes: %s, load: %" PRIu32 "%%", sizes, percent);
    if ((law->asks & ONE) == 0 && gen_one_in(g, 5))
        gen_put(g, ", reply: %" PRIu32 " B", 1 + gen_below(g, 5000));
    if (g->to_the_end && ((law->asks & ONE) != 0 || kind != 0))
        gen_put(g, ", stop: %" PRIu64 " us", g->measure_us);
    put_law(g, law, own, priorities);
    if (deployed != NULL)
        put_deploy(g, deployed, priorities);
    gen_put(g, "}\n");
}

static void put_fabric(struct gen *g, uint32_t priorities, const char *routing)
{
    bool pull = g->nic == GEN_NIC_PULL, lossless = pull && gen_one_in(g, 5);
    uint32_t kmin_kb = 5 + gen_below(g, 60), more_kb = gen_below(g, 60), percent = 1 + gen_below(g, 100);
    gen_put(g, "fabric: {priorities: %" PRIu32 ", routing: %s", priorities, routing);
    if (lossless)
        gen_put(g, ", buffer: 64 MB, pfc: {kind: static, classes: all, xoff: %" PRIu32 " KB}", 5 + gen_below(g, 100));
    else
        gen_put_buffer(g);
    if (!lossless)
        gen_put_loss(g);
    if (pull && gen_one_in(g, 6))
        gen_put(g, ", rpm: on");
    if (gen_one_in(g, 6))
        gen_put(g, ", codel: {variant: rfc8289, target: %" PRIu32 " us, interval: 30 us}", 1 + gen_below(g, 8));
    gen_put(g, ", ecn: {kmin: %" PRIu32 " KB, kmax: %" PRIu32 " KB, pmax: %" PRIu32 "%%, scale: none}", kmin_kb,
            kmin_kb + more_kb + 1, percent);
    if (gen_one_in(g, 5))
        gen_put_events(g);
    gen_put(g, "}\n");
}

void twin_generate_mixed(uint64_t seed, char *text)
{
    static const char *const routing[] = { "symmetric", "symmetric", "trees", "ecmp", "ecmp", "spray" };
    struct gen g = gen_begin(DICE, seed, text);
    uint32_t priorities = gen_one_in(&g, 6) ? 8 : 1 + gen_below(&g, 3), items = 2 + gen_below(&g, ITEMS_MAX - 1);
    uint32_t way = gen_below(&g, 6);
    g.nic = gen_one_in(&g, 4) ? GEN_NIC_UNLIMITED : GEN_NIC_PULL;
    uint32_t has = (g.nic == GEN_NIC_PULL ? PULL : UNLIMITED) | (way < 5 ? ORDER : 0) | (way < 3 ? SAME : 0) |
                   (priorities == 8 ? EIGHT : 0) | (priorities >= 3 ? THREE : 0);
    const struct law *run = a_law(&g, has);
    g.rates = GEN_RATES_ROCC;
    g.acks = true;
    g.to_the_end = gen_one_in(&g, 8);
    g.sizes = "wkb";
    g.load_percent = 60;
    g.payload_bytes = 1460;
    gen_put_topology(&g);
    gen_put(&g, "protocol: {name: %s%s}\n", run->name, run->keys);
    g.measure_us = gen_span_us(&g) / 2;
    gen_put(&g, "host: {nic_queue: %s, mark: %s}\n", g.nic == GEN_NIC_PULL ? "pull" : "unlimited",
            g.nic == GEN_NIC_PULL && gen_one_in(&g, 3) ? "4 KB" : "off");
    put_fabric(&g, priorities, routing[way]);
    /* part: a law that has a part of the traffic, so that there are fewer others */
    const struct law *part = gen_one_in(&g, 2) && (run->asks & ONE) == 0 ? a_law(&g, has) : NULL;
    part = part != NULL && (part->asks & ONE) == 0 ? part : NULL;
    bool of_hosts = part != NULL && gen_one_in(&g, 3);
    if (of_hosts)
        put_hosts(&g, part, priorities);
    gen_put(&g, "traffic:\n");
    for (uint32_t i = 0; i < (part != NULL ? 2 : items); i++) {
        bool own = !gen_one_in(&g, 4) && (i > 0 || part == NULL);
        const struct law *law = own ? a_law(&g, has) : run;
        bool deployed = part != NULL && (law->asks & ONE) == 0 && (i == 0 ? !of_hosts : gen_one_in(&g, 2));
        put_item(&g, law, own, deployed ? part : NULL, priorities);
    }
    gen_put_run(&g, "1 s", "");
}
