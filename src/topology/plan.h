/* src/topology/plan.h - inside this room: the plan of a kind before its links are numbered. How to add a kind: doc/topology.md. */
#ifndef WEIR_TOPOLOGY_PLAN_H
#define WEIR_TOPOLOGY_PLAN_H
#include "topology/topology.h"

#define WEIR_SPINES_MAX 4095u            /* equal paths that fit a routing entry */
#define WEIR_FAT_TREE_K_MAX 100u         /* 250000 hosts; 102 needs more than WEIR_ROUTE_ENTRIES_MAX */
#define WEIR_OVERSUBSCRIPTION_MAX 32767u /* half the ports of a switch */
#define WEIR_CHAIN_SWITCHES_MAX (WEIR_TOPOLOGY_HOPS_MAX - 1u) /* n switches are n + 1 links from end to end */

struct weir_shape {
    uint32_t tier[WEIR_TIERS_MAX]; /* nodes per tier; [0] = hosts; numbered tier after tier */
    uint32_t cable_count;
};

struct weir_plan {
    struct weir_shape shape;
    struct weir_cable *cable; /* room for shape.cable_count */
    uint32_t laid;            /* how many are written */
};

/**
 * Refuses what cannot be built.
 * @return 0, or WEIR_E_RANGE (one value is at fault) or WEIR_E_CONFLICT (two do not fit) with err
 */
int weir_topology_check(const struct weir_topology_config *cfg, const struct weir_tok *where, struct weir_err *err);

/* What the nodes of each tier of a kind are called: WEIR_TIERS_MAX of them, NULL for tiers it does not have. */
const char *const *weir_topology_tier_names(enum weir_topology_kind kind);

struct weir_fat_tree { /* what a fat-tree's keys come to */
    uint32_t pods, edges, aggs, uplinks, edge_hosts;
};

/* From k and oversubscription unless the five are given. */
struct weir_fat_tree weir_fat_tree_of(const struct weir_topology_config *cfg);

/* How many of everything. cfg has passed weir_topology_check(). */
struct weir_shape weir_topology_shape(const struct weir_topology_config *cfg);

/* Writes every cable. plan->shape is of cfg, plan->cable has room, plan->laid is 0. */
void weir_topology_lay(const struct weir_topology_config *cfg, struct weir_plan *plan);

/**
 * Numbers links and ports of a finished plan; every host has exactly one cable.
 * @return 0, or WEIR_E_MEMORY; topo then needs no free
 */
int weir_topology_index(struct weir_topology *topo, const struct weir_plan *plan, struct weir_err *err);
#endif
