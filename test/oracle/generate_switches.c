/* test/oracle/generate_switches.c - a random list `fabric.switches` for a scenario that some generator has written: features on and off by
 * switch, other thresholds, other memories. Draws of its own, so that the rest of the scenario stays as it was. */
#include "test/oracle/generate.h"
#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { DICE = 10, ITEMS_MAX = 4 };

static const struct locations { /* of a kind of topology: some of which every network of it has */
    const char *kind, *at[6];
} locations[] = {
    { "kind: leaf-spine", { "leaf", "spine", "leaf 0", "leaf 0..1", "[leaf 1, spine 0]", "spine 0" } },
    { "kind: fat-tree", { "edge", "agg", "core", "edge 0..1", "[edge 1, core]", "agg 0" } },
    { "kind: dumbbell", { "switch", "switch 0", "switch 1", "switch 0..1", "[switch 0, switch 1]", "switch 1" } },
    { "kind: chain", { "switch", "switch 0", "switch 1", "switch 0..1", "[switch 0, switch 1]", "switch 1" } },
    { "kind: star", { "switch", "switch 0", "switch", "switch 0", "switch 0..0", "switch" } },
    { "kind: dragonfly", { "switch", "switch 0", "switch 1", "switch 0..1", "[switch 0, switch 1]", "switch 1" } },
    { "kind: torus", { "switch", "switch 0", "switch 2", "switch 0..1", "[switch 1, switch 2]", "switch 1" } },
    { "kind: planes", { "leaf", "leaf 0", "leaf 1", "leaf 0..1", "[leaf 0, leaf 1]", "leaf 1" } },
    { "kind: rail", { "nvswitch", "leaf", "nvswitch 0", "leaf 0", "[nvswitch 1, leaf]", "nvswitch 0..1" } },
    { "kind: file", { "edge", "core", "edge", "core", "[edge, core]", "edge" } },
};

static bool says(const struct gen *g, const char *what)
{
    return strstr(g->text, what) != NULL;
}

static void put_marking(struct gen *g)
{
    uint32_t kmin_kb = 2 + gen_below(g, 60), more_kb = 1 + gen_below(g, 60), percent = 1 + gen_below(g, 100);
    switch (gen_below(g, 4)) {
    case 0:
        gen_put(g, ", ecn: off");
        break;
    case 1:
        gen_put(g, ", ecn: %" PRIu32 " KB", kmin_kb);
        break;
    case 2:
        gen_put(g, ", ecn: {threshold: 0.%" PRIu32 " BDP, at: core}", 1 + gen_below(g, 9));
        break;
    default:
        gen_put(g, ", ecn: {kmin: %" PRIu32 " KB, kmax: %" PRIu32 " KB, pmax: %" PRIu32 "%%}", kmin_kb,
                kmin_kb + more_kb, percent);
        break;
    }
}

/* pull: coupled features are possible */
static void put_queue(struct gen *g, bool pull)
{
    uint32_t target_us = 1 + gen_below(g, 20), more_us = gen_below(g, 50);
    if (gen_one_in(g, 4))
        gen_put(g, ", codel: off");
    else if (gen_one_in(g, 3))
        gen_put(g, ", codel: {variant: %s, target: %" PRIu32 " us, interval: %" PRIu32 " us}",
                gen_one_in(g, 2) ? "p4" : "rfc8289", target_us, target_us + more_us);
    if (pull && gen_one_in(g, 2) && (says(g, "ecn: ") || says(g, "codel: ")))
        gen_put(g, ", rpm: %s", gen_one_in(g, 3) ? "off" : gen_one_in(g, 2) ? "on" : "{cells: port, expiry: 30 us}");
}

static void put_memory(struct gen *g)
{
    uint32_t kb = 40 + gen_below(g, 400), port_kb = 20 + gen_below(g, 100);
    if (!says(g, "pfc:") && !says(g, "measure: all")) {
        gen_put(g, ", buffer: %" PRIu32 " KB", kb);
        if (gen_one_in(g, 2))
            gen_put(g, ", alpha: 0.%" PRIu32, 1 + gen_below(g, 9));
    }
    if (!says(g, "pfc:") && gen_one_in(g, 3))
        gen_put(g, ", port_buffer: %" PRIu32 " KB", port_kb);
}

/* Keys of what a law needs; off is refused, or warned of, where the law's messages come by. */
static void put_needed(struct gen *g)
{
    if (says(g, "soze"))
        gen_put(g, gen_one_in(g, 6) ? ", maxqd: off" : ", maxqd: {filter: %" PRIu32 " us}", gen_below(g, 30));
    if (says(g, "rcp"))
        gen_put(g, gen_one_in(g, 6) ? ", rcp: off" : ", rcp: {alpha: 0.%" PRIu32 "}", 1 + gen_below(g, 9));
    if (says(g, "rocc") && gen_one_in(g, 2))
        gen_put(g, ", fair_rate: off");
}

static void put_item(struct gen *g, const struct locations *p, bool pull)
{
    gen_put(g, "{at: %s", p->at[gen_below(g, 6)]);
    if (gen_one_in(g, 2))
        put_marking(g);
    if (gen_one_in(g, 2))
        put_queue(g, pull);
    if (gen_one_in(g, 3))
        put_memory(g);
    if (gen_one_in(g, 3))
        put_needed(g);
    gen_put(g, "}");
}

void twin_put_switches(uint64_t seed, char *text)
{
    char rest[TWIN_TEXT_MAX];
    char *fabric = strstr(text, "\nfabric: {"), *end = fabric != NULL ? strstr(fabric, "}\n") : NULL;
    const struct locations *p = locations;
    struct gen g;
    if (end == NULL)
        return;
    while (strstr(text, p->kind) == NULL) {
        p++;
        assert(p < locations + sizeof(locations) / sizeof(*locations));
    }
    (void)snprintf(rest, sizeof(rest), "%s", end);
    g = (struct gen){ .rng = { .key = weir_rng_key(seed, DICE, WEIR_RNG_TEST, 0) }, .seed = seed, .text = text };
    g.used = (size_t)(end - text);
    *end = '\0';
    uint32_t items = 1 + gen_below(&g, ITEMS_MAX);
    bool pull = !says(&g, "unlimited");
    gen_put(&g, "%sswitches: [", end[-1] == '{' ? "" : ", ");
    for (uint32_t i = 0; i < items; i++) {
        gen_put(&g, i > 0 ? ", " : "");
        put_item(&g, p, pull);
    }
    gen_put(&g, "]%s", rest);
}
