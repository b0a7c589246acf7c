/* src/topology/shape.c - what each kind consists of and who is cabled to whom. */
#include "core/assert.h"
#include "topology/plan.h"

struct weir_fat_tree weir_fat_tree_of(const struct weir_topology_config *cfg)
{
    uint32_t half = cfg->k / 2;
    if (cfg->pods != 0)
        return (struct weir_fat_tree){ cfg->pods, cfg->edges, cfg->aggs, cfg->uplinks, cfg->edge_hosts };
    return (struct weir_fat_tree){ cfg->k, half, half, half, half * cfg->oversubscription };
}

static struct weir_shape fat_tree_shape(struct weir_fat_tree t)
{
    uint32_t edges = t.pods * t.edges, aggs = t.pods * t.aggs, hosts = edges * t.edge_hosts;
    return (struct weir_shape){ { hosts, edges, aggs, t.aggs * t.uplinks }, hosts + edges * t.aggs + aggs * t.uplinks };
}

struct weir_shape weir_topology_shape(const struct weir_topology_config *cfg)
{
    switch ((enum weir_topology_kind)cfg->kind) {
    case WEIR_LEAF_SPINE:
        return (struct weir_shape){ { cfg->hosts, cfg->racks, cfg->spines }, cfg->hosts + cfg->racks * cfg->spines };
    case WEIR_FAT_TREE:
        return fat_tree_shape(weir_fat_tree_of(cfg));
    case WEIR_DUMBBELL:
        return (struct weir_shape){ { cfg->hosts, 2 }, cfg->hosts + 1 };
    case WEIR_CHAIN:
        return (struct weir_shape){ { cfg->hosts, cfg->switches }, cfg->hosts + cfg->switches - 1 };
    case WEIR_STAR:
    case WEIR_GRAPH:
        break;
    }
    return (struct weir_shape){ { cfg->hosts, 1 }, cfg->hosts };
}

/* Which first-hop switch a host hangs on, counted from 0. */
static uint32_t switch_of_host(const struct weir_topology_config *cfg, uint32_t host)
{
    switch ((enum weir_topology_kind)cfg->kind) {
    case WEIR_LEAF_SPINE:
        return host / (cfg->hosts / cfg->racks);
    case WEIR_FAT_TREE:
        return host / weir_fat_tree_of(cfg).edge_hosts;
    case WEIR_DUMBBELL:
        return host >= (cfg->hosts + 1) / 2; /* of an odd number the left side has one more */
    case WEIR_CHAIN:
        return host * cfg->switches / cfg->hosts; /* 2^20 * 15 fits */
    case WEIR_STAR:
    case WEIR_GRAPH:
        break;
    }
    return 0;
}

static void lay_cable(struct weir_plan *plan, uint32_t a, uint32_t b, uint64_t rate_bps, uint64_t delay_ps)
{
    WEIR_ASSERT(plan->laid < plan->shape.cable_count);
    plan->cable[plan->laid++] = weir_cable_of(a, b, rate_bps, delay_ps);
}

static void lay_core(const struct weir_topology_config *cfg, struct weir_plan *plan, uint32_t a, uint32_t b)
{
    lay_cable(plan, a, b, cfg->core_link_bps, cfg->core_delay_ps);
}

static void lay_leaf_spine(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    uint32_t leaf = plan->shape.tier[0], spine = leaf + cfg->racks;
    for (uint32_t l = 0; l < cfg->racks; l++)
        for (uint32_t s = 0; s < cfg->spines; s++)
            lay_core(cfg, plan, leaf + l, spine + s);
}

/* In a pod every edge switch meets every aggregation switch. The i-th aggregation switch of every pod meets the
 * i-th group of core switches, so a core switch has one link to each pod. */
static void lay_fat_tree(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    struct weir_fat_tree t = weir_fat_tree_of(cfg);
    uint32_t edge = plan->shape.tier[0], agg = edge + plan->shape.tier[1], core = agg + plan->shape.tier[2];
    for (uint32_t pod = 0; pod < t.pods; pod++)
        for (uint32_t i = 0; i < t.aggs; i++) {
            for (uint32_t j = 0; j < t.edges; j++)
                lay_core(cfg, plan, edge + pod * t.edges + j, agg + pod * t.aggs + i);
            for (uint32_t j = 0; j < t.uplinks; j++)
                lay_core(cfg, plan, agg + pod * t.aggs + i, core + i * t.uplinks + j);
        }
}

static void lay_row(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    uint32_t first = plan->shape.tier[0];
    for (uint32_t s = 1; s < plan->shape.tier[1]; s++)
        lay_core(cfg, plan, first + s - 1, first + s);
}

void weir_topology_lay(const struct weir_topology_config *cfg, struct weir_plan *plan)
{
    uint32_t hosts = plan->shape.tier[0];
    for (uint32_t h = 0; h < hosts; h++)
        lay_cable(plan, h, hosts + switch_of_host(cfg, h), cfg->host_link_bps, cfg->host_delay_ps);
    if (cfg->kind == WEIR_LEAF_SPINE)
        lay_leaf_spine(cfg, plan);
    else if (cfg->kind == WEIR_FAT_TREE)
        lay_fat_tree(cfg, plan);
    else
        lay_row(cfg, plan);
    WEIR_ASSERT(plan->laid == plan->shape.cable_count);
}
