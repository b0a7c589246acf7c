/* test/oracle/generate_topology.c - the section topology of a random scenario: any kind, or of those whose networks have other shapes. */
#include "test/oracle/generate.h"
#include "core/math.h"
#include <inttypes.h>

/* Speeds with whole picoseconds per byte and, one in three, without (8000 / 56, 8000 / 33, 8000 / 7 are not whole). */
static uint64_t a_rate(struct gen *g)
{
    static const uint64_t whole[] = { 10, 25, 40, 100, 200 }, odd[] = { 56, 33, 7, 112 };
    static const uint64_t coded[] = { 25, 50, 100, 200, 400 };
    uint64_t rate;
    if (g->rates == GEN_RATES_CODED)
        return coded[gen_below(g, 5)];
    rate = gen_one_in(g, 3) ? odd[gen_below(g, 4)] : whole[gen_below(g, 5)];
    return g->rates == GEN_RATES_ROCC ? weir_max_u64(rate, 10) : rate;
}

static uint32_t a_delay_ns(struct gen *g)
{
    static const uint32_t some[] = { 100, 300, 500, 1000, 1250, 2500, 10000, 40000 };
    return gen_one_in(g, 4) ? 50 + gen_below(g, 3000) : some[gen_below(g, 8)];
}

static void put_leaf_spine(struct gen *g)
{
    uint32_t racks = 2 + gen_below(g, 3), per_rack = 2 + gen_below(g, 6), spines = 1 + gen_below(g, 4);
    g->hosts = racks * per_rack;
    g->ports_max = per_rack + spines > racks ? per_rack + spines : racks;
    g->core_hops = 2;
    g->one_path = spines == 1;
    gen_put(g, "hosts: %" PRIu32 ", racks: %" PRIu32 ", spines: %" PRIu32 ", ", g->hosts, racks, spines);
}

static void put_fat_tree(struct gen *g)
{
    g->hosts = 16;
    g->ports_max = g->core_hops = 4;
    gen_put(g, "k: 4, ");
}

static void put_dumbbell(struct gen *g)
{
    g->hosts = 4 + gen_below(g, 16);
    g->ports_max = g->hosts / 2 + 2;
    g->core_hops = 1;
    gen_put(g, "hosts: %" PRIu32 ", ", g->hosts);
}

static void put_chain(struct gen *g)
{
    uint32_t hosts = 6 + gen_below(g, 12), switches = 2 + gen_below(g, 4);
    g->hosts = hosts;
    g->ports_max = hosts / switches + 3;
    g->core_hops = switches - 1;
    gen_put(g, "hosts: %" PRIu32 ", switches: %" PRIu32 ", ", hosts, switches);
}

static void put_star(struct gen *g)
{
    g->ports_max = g->hosts = 3 + gen_below(g, 14);
    g->core_hops = 0;
    gen_put(g, "hosts: %" PRIu32 ", ", g->hosts);
}

/* Sometimes as many groups as can be joined, sometimes ports that are left over. */
static void put_dragonfly(struct gen *g)
{
    uint32_t switches = 2 + gen_below(g, 2), global = 1 + gen_below(g, 2), hosts = 1 + gen_below(g, 2);
    uint32_t groups = 2 + gen_below(g, switches * global < 4 ? switches * global : 4);
    g->hosts = groups * switches * hosts;
    g->ports_max = hosts + switches - 1 + global;
    g->core_hops = 3;
    gen_put(g, "groups: %" PRIu32 ", switches: %" PRIu32 ", hosts: %" PRIu32 ", global_links: %" PRIu32 ", ", groups,
            switches, hosts, global);
}

/* One to three dimensions, 2 to 5 switches long; at least three switches */
static void put_torus(struct gen *g)
{
    uint32_t x = 3 + gen_below(g, 3), y = 1 + gen_below(g, 3), z = y == 2 ? 1 + gen_below(g, 2) : 1;
    uint32_t hosts = x * y * z > 10 ? 1 : 1 + gen_below(g, 2);
    g->hosts = x * y * z * hosts;
    g->ports_max = hosts + 2 + (y > 1) + (y > 2) + (z > 1);
    g->core_hops = x / 2 + y / 2 + z / 2;
    gen_put(g, "hosts: %" PRIu32 ", dims: [%" PRIu32, hosts, x);
    if (y > 1)
        gen_put(g, ", %" PRIu32, y);
    if (z > 1)
        gen_put(g, ", %" PRIu32, z);
    gen_put(g, "], ");
}

/* Two to four planes, sometimes stars: then no cable joins two switches. */
static void put_planes(struct gen *g)
{
    uint32_t planes = 2 + gen_below(g, 3), racks = 1 + gen_below(g, 3), per_rack = 2 + gen_below(g, 4);
    uint32_t spines = racks == 1 ? gen_below(g, 2) : 1 + gen_below(g, 3);
    per_rack += racks == 1 ? 2 : 0;
    g->hosts = racks * per_rack;
    g->ports_max = per_rack + spines > racks ? per_rack + spines : racks;
    g->core_hops = spines > 0 ? 2 : 0;
    g->has_nics = true;
    gen_put(g, "planes: %" PRIu32 ", hosts: %" PRIu32 ", racks: %" PRIu32 ", spines: %" PRIu32 ", ", planes, g->hosts,
            racks, spines);
}

/* Servers of two, four or six GPUs, on as many rails or fewer; with one rail sometimes no spines */
static void put_rail(struct gen *g)
{
    uint32_t gpus = 2 * (1 + gen_below(g, 3)), servers = 2 + gen_below(g, 3);
    uint32_t rails = gen_one_in(g, 2) ? gpus : gen_one_in(g, 2) ? gpus / 2 : 1;
    uint32_t spines = rails == 1 ? gen_below(g, 2) : 1 + gen_below(g, 3);
    g->hosts = servers * gpus;
    g->ports_max = g->hosts / rails + spines > gpus ? g->hosts / rails + spines : gpus;
    g->core_hops = spines > 0 ? 2 : 0;
    g->has_nics = true;
    gen_put(g, "servers: %" PRIu32 ", gpus: %" PRIu32 ", rails: %" PRIu32 ", spines: %" PRIu32, servers, gpus, rails,
            spines);
    gen_put(g, ", server_link: %" PRIu64 " Gbps, server_delay: %" PRIu32 " ns, ", g->host_gbps * (1 + gen_below(g, 4)),
            25 + gen_below(g, 500));
}

void gen_draw_rates(struct gen *g)
{
    g->host_gbps = a_rate(g);
    if (g->rates != GEN_RATES_CODED && gen_one_in(g, 2))
        g->core_gbps = g->host_gbps * (1 + gen_below(g, 4));
    else
        g->core_gbps = a_rate(g);
}

void gen_put_links(struct gen *g)
{
    uint32_t bdp_kb =
        20 + gen_below(g, 150) + (g->kind == WEIR_RAIL ? 80 : 0); /* that of slower NICs is a part of it */
    g->core_ns = a_delay_ns(g);
    g->host_ns = a_delay_ns(g);
    gen_put(g,
            "host_link: %" PRIu64 " Gbps, core_link: %" PRIu64 " Gbps, host_delay: %" PRIu32 " ns, core_delay: %" PRIu32
            " ns, bdp: %" PRIu32 " KB}\n",
            g->host_gbps, g->core_gbps, g->host_ns, g->core_ns, bdp_kb);
}

void gen_put_topology(struct gen *g)
{
    static void (*const put_kind[WEIR_GRAPH])(
        struct gen *) = { [WEIR_LEAF_SPINE] = put_leaf_spine, [WEIR_FAT_TREE] = put_fat_tree,
                          [WEIR_DUMBBELL] = put_dumbbell,     [WEIR_STAR] = put_star,
                          [WEIR_DRAGONFLY] = put_dragonfly,   [WEIR_TORUS] = put_torus,
                          [WEIR_PLANES] = put_planes,         [WEIR_RAIL] = put_rail };
    g->kind = g->shapes ? WEIR_DRAGONFLY + gen_below(g, 4) : gen_below(g, WEIR_PLANES);
    gen_draw_rates(g);
    gen_put(g, "topology: {kind: %s, ", weir_topology_kinds[g->kind]);
    (put_kind[g->kind] != NULL ? put_kind[g->kind] : put_chain)(g); /* also a kind that this table does not know */
    gen_put_links(g);
}

/* Hosts of one or two other rates, at least half that of the others: SIRD refuses a BDP of fewer than two packets. */
void gen_put_hosts(struct gen *g)
{
    gen_put(g, "hosts:\n");
    for (uint32_t i = 0, n = 1 + gen_below(g, 2); i < n; i++) {
        uint32_t first = gen_below(g, g->hosts), last = first + gen_below(g, g->hosts - first);
        uint64_t gbps = g->host_gbps - gen_below(g, (uint32_t)g->host_gbps / 2);
        gen_put(g, "  - {at: host %" PRIu32 "..%" PRIu32 ", link: %" PRIu64 " Gbps}\n", first, last, gbps);
    }
}
