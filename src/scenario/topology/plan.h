/* src/scenario/topology/plan.h - inside this room: the plan of a kind before its links are numbered. How to add a kind:
 * doc/add-a-topology.md. */
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

struct weir_refusal { /* where and to whom */
    const struct weir_tok *where;
    struct weir_err *err;
};

/* A kind of network: what it consists of, and who is cabled to whom. Every host hangs on one first-hop switch. */
struct weir_kind {
    const char *tier[WEIR_TIERS_MAX]; /* what the nodes of each tier are called; NULL = it does not have the tier */
    bool layered;   /* shortest paths go up tier by tier, then down by one way: as in a tree, so PFC cannot deadlock */
    bool own_hosts; /* the number of hosts follows from other keys than `hosts` */
    /* Refuses what cannot be built; hosts and links are checked for all kinds. @return 0, or a code with to->err */
    int (*check)(const struct weir_topology_config *cfg, const struct weir_refusal *to);
    struct weir_shape (*shape)(const struct weir_topology_config *cfg); /* how many of everything; cfg was checked */
    uint32_t (*switch_of)(const struct weir_topology_config *cfg,
                          uint32_t host); /* counted from 0; NULL = all on one */
    /* Lays the cables between switches by weir_plan_core(); NULL = there are none. */
    void (*lay)(const struct weir_topology_config *cfg, struct weir_plan *plan);
};

#define WEIR_TOPOLOGY_ROW(number, row, name) extern const struct weir_kind weir_kind_##row;
WEIR_TOPOLOGY_KINDS(WEIR_TOPOLOGY_ROW)
extern const struct weir_kind *const weir_topology_rows[]; /* by enum weir_topology_kind */

/* Lays a cable between two switches, by their numbers as nodes: hosts come first, then tier after tier. */
void weir_plan_core(const struct weir_topology_config *cfg, struct weir_plan *plan, uint32_t a, uint32_t b);

/* Refuses more ports than a switch has. host_ports, core_ports: of the largest first-hop switch. */
int weir_check_ports(const struct weir_refusal *to, uint64_t host_ports, uint32_t core_ports);

/* Refuses a config of which a kind of shape.c cannot be built; in check.c. @return 0, or a code with to->err */
int weir_check_leaf_spine(const struct weir_topology_config *cfg, const struct weir_refusal *to);
int weir_check_fat_tree(const struct weir_topology_config *cfg, const struct weir_refusal *to);
int weir_check_dumbbell(const struct weir_topology_config *cfg, const struct weir_refusal *to);
int weir_check_chain(const struct weir_topology_config *cfg, const struct weir_refusal *to);
int weir_check_star(const struct weir_topology_config *cfg, const struct weir_refusal *to);

/**
 * Refuses what cannot be built.
 * @return 0, or WEIR_E_RANGE (one value is at fault) or WEIR_E_CONFLICT (two do not fit) with err
 */
int weir_topology_check(const struct weir_topology_config *cfg, const struct weir_tok *where, struct weir_err *err);

struct weir_fat_tree { /* what a fat-tree's keys come to */
    uint32_t pods, edges, aggs, uplinks, edge_hosts;
};

/* Computes the five numbers of a fat-tree from k and oversubscription unless they are given. */
struct weir_fat_tree weir_fat_tree_of(const struct weir_topology_config *cfg);

/* Writes every cable. plan->shape is of cfg, plan->cable has room, plan->laid is 0. */
void weir_topology_lay(const struct weir_topology_config *cfg, struct weir_plan *plan);

/**
 * Numbers links and ports of a finished plan; every host has exactly one cable.
 * @return 0, or WEIR_E_MEMORY; topo then needs no free
 */
int weir_topology_index(struct weir_topology *topo, const struct weir_plan *plan, struct weir_err *err);
#endif
