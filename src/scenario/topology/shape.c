/* src/scenario/topology/shape.c - the rows of the kinds: number of nodes and cables, and which nodes the cables
 * join. */
#include "core/assert.h"
#include "topology/plan.h"

struct weir_fat_tree weir_fat_tree_of(const struct weir_topology_config *cfg)
{
    uint32_t half = cfg->k / 2;
    if (cfg->pods != 0)
        return (struct weir_fat_tree){ cfg->pods, cfg->edges, cfg->aggs, cfg->uplinks, cfg->edge_hosts };
    return (struct weir_fat_tree){ cfg->k, half, half, half, half * cfg->oversubscription };
}

void weir_plan_cable(struct weir_plan *plan, uint32_t a, uint32_t b, uint64_t rate_bps, uint64_t delay_ps)
{
    WEIR_ASSERT(a != b);
    WEIR_ASSERT(plan->laid < plan->shape.cable_count);
    plan->cable[plan->laid++] = weir_cable_of(a, b, rate_bps, delay_ps);
}

void weir_plan_host(const struct weir_topology_config *cfg, struct weir_plan *plan, uint32_t host, uint32_t sw)
{
    WEIR_ASSERT(host < plan->shape.tier[0]);
    weir_plan_cable(plan, host, plan->shape.tier[0] + sw, cfg->host_link_bps, cfg->host_delay_ps);
}

void weir_plan_core(const struct weir_topology_config *cfg, struct weir_plan *plan, uint32_t a, uint32_t b)
{
    WEIR_ASSERT(a >= plan->shape.tier[0] && b >= plan->shape.tier[0]);
    weir_plan_cable(plan, a, b, cfg->core_link_bps, cfg->core_delay_ps);
}

void weir_plan_hosts(const struct weir_topology_config *cfg, struct weir_plan *plan,
                     uint32_t (*switch_of)(const struct weir_topology_config *cfg, uint32_t host))
{
    for (uint32_t h = 0; h < plan->shape.tier[0]; h++)
        weir_plan_host(cfg, plan, h, switch_of(cfg, h));
}

uint32_t weir_switch_of_equal(const struct weir_topology_config *cfg, uint32_t host)
{
    WEIR_ASSERT(cfg->hosts > 0);
    return host / cfg->hosts;
}

/* --- leaf-spine --- */

static struct weir_shape leaf_spine_shape(const struct weir_topology_config *cfg)
{
    return (struct weir_shape){ { cfg->hosts, cfg->racks, cfg->spines }, cfg->hosts + cfg->racks * cfg->spines };
}

static uint32_t leaf_of(const struct weir_topology_config *cfg, uint32_t host)
{
    return host / (cfg->hosts / cfg->racks);
}

static void lay_leaf_spine(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    uint32_t leaf = plan->shape.tier[0], spine = leaf + cfg->racks;
    weir_plan_hosts(cfg, plan, leaf_of);
    for (uint32_t l = 0; l < cfg->racks; l++)
        for (uint32_t s = 0; s < cfg->spines; s++)
            weir_plan_core(cfg, plan, leaf + l, spine + s);
}

const struct weir_kind weir_kind_leaf_spine = {
    .tier = { "host", "leaf", "spine" },
    .layered = true,
    .check = weir_check_leaf_spine,
    .shape = leaf_spine_shape,
    .lay = lay_leaf_spine,
};

/* --- fat-tree --- */

static struct weir_shape fat_tree_shape(const struct weir_topology_config *cfg)
{
    struct weir_fat_tree t = weir_fat_tree_of(cfg);
    uint32_t edges = t.pods * t.edges, aggs = t.pods * t.aggs, hosts = edges * t.edge_hosts;
    return (struct weir_shape){ { hosts, edges, aggs, t.aggs * t.uplinks }, hosts + edges * t.aggs + aggs * t.uplinks };
}

static uint32_t edge_of(const struct weir_topology_config *cfg, uint32_t host)
{
    return host / weir_fat_tree_of(cfg).edge_hosts;
}

/* Lays the cables of a fat-tree. In a pod every edge switch has a cable to every aggregation switch.
 * The i-th aggregation switch of every pod has cables to the i-th group of core switches. So a core switch has one
 * cable to each pod. */
static void lay_fat_tree(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    struct weir_fat_tree t = weir_fat_tree_of(cfg);
    uint32_t edge = plan->shape.tier[0], agg = edge + plan->shape.tier[1], core = agg + plan->shape.tier[2];
    weir_plan_hosts(cfg, plan, edge_of);
    for (uint32_t pod = 0; pod < t.pods; pod++)
        for (uint32_t i = 0; i < t.aggs; i++) {
            for (uint32_t j = 0; j < t.edges; j++)
                weir_plan_core(cfg, plan, edge + pod * t.edges + j, agg + pod * t.aggs + i);
            for (uint32_t j = 0; j < t.uplinks; j++)
                weir_plan_core(cfg, plan, agg + pod * t.aggs + i, core + i * t.uplinks + j);
        }
}

const struct weir_kind weir_kind_fat_tree = {
    .tier = { "host", "edge", "agg", "core" },
    .layered = true,
    .own_hosts = true,
    .check = weir_check_fat_tree,
    .shape = fat_tree_shape,
    .lay = lay_fat_tree,
};

/* --- dumbbell, chain, star: switches in a row --- */

/* Lays the cables between switches. */
static void lay_row(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    uint32_t first = plan->shape.tier[0];
    for (uint32_t s = 1; s < plan->shape.tier[1]; s++)
        weir_plan_core(cfg, plan, first + s - 1, first + s);
}

static struct weir_shape dumbbell_shape(const struct weir_topology_config *cfg)
{
    return (struct weir_shape){ { cfg->hosts, 2 }, cfg->hosts + 1 };
}

static uint32_t half_of(const struct weir_topology_config *cfg, uint32_t host)
{
    return host >= (cfg->hosts + 1) / 2; /* of an odd number of hosts, switch 0 has one more */
}

static void lay_dumbbell(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    weir_plan_hosts(cfg, plan, half_of);
    lay_row(cfg, plan);
}

const struct weir_kind weir_kind_dumbbell = {
    .tier = { "host", "switch" },
    .layered = true,
    .check = weir_check_dumbbell,
    .shape = dumbbell_shape,
    .lay = lay_dumbbell,
};

static struct weir_shape chain_shape(const struct weir_topology_config *cfg)
{
    return (struct weir_shape){ { cfg->hosts, cfg->switches }, cfg->hosts + cfg->switches - 1 };
}

static uint32_t chain_switch_of(const struct weir_topology_config *cfg, uint32_t host)
{
    return host * cfg->switches / cfg->hosts; /* 2^20 * 65 fits */
}

static void lay_chain(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    weir_plan_hosts(cfg, plan, chain_switch_of);
    lay_row(cfg, plan);
}

const struct weir_kind weir_kind_chain = {
    .tier = { "host", "switch" },
    .layered = true,
    .check = weir_check_chain,
    .shape = chain_shape,
    .lay = lay_chain,
};

static struct weir_shape star_shape(const struct weir_topology_config *cfg)
{
    return (struct weir_shape){ { cfg->hosts, 1 }, cfg->hosts };
}

static void lay_star(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    for (uint32_t h = 0; h < cfg->hosts; h++)
        weir_plan_host(cfg, plan, h, 0);
}

const struct weir_kind weir_kind_star = {
    .tier = { "host", "switch" },
    .layered = true,
    .check = weir_check_star,
    .shape = star_shape,
    .lay = lay_star,
};

const struct weir_kind weir_kind_graph = { .own_hosts = true }; /* a graph is never laid out by its row */

/* --- all kinds --- */

void weir_topology_lay(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    weir_topology_rows[cfg->kind]->lay(cfg, plan);
    WEIR_ASSERT(plan->laid == plan->shape.cable_count);
}
