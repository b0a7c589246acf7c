/* src/scenario/topology/plan.h - the kinds of topologies as rows, and the plan of a network before its links are
 * numbered. Only files of this room, and its tests, include it. How to add a kind: doc/add-a-topology.md. */
#ifndef WEIR_TOPOLOGY_PLAN_H
#define WEIR_TOPOLOGY_PLAN_H
#include "topology/topology.h"

#define WEIR_SPINES_MAX 4095u            /* largest number of equal paths in a routing entry */
#define WEIR_FAT_TREE_K_MAX 160u         /* 1024000 hosts; 162 has more than WEIR_HOSTS_MAX */
#define WEIR_OVERSUBSCRIPTION_MAX 32767u /* half of the ports of a switch */
#define WEIR_GROUP_SWITCHES_MAX 1024u    /* switches of a group of a dragonfly */
#define WEIR_GLOBAL_LINKS_MAX 1024u
#define WEIR_TORUS_DIMS_MAX 5u
#define WEIR_PLANES_MAX WEIR_NICS_MAX
#define WEIR_CHAIN_SWITCHES_MAX (WEIR_TOPOLOGY_HOPS_MAX - 1u) /* n switches are n + 1 links from end to end */

struct weir_shape {
    uint32_t tier[WEIR_TIERS_MAX]; /* nodes of each tier; [0] = hosts; nodes are numbered tier after tier */
    uint32_t cable_count;
};

struct weir_plan {
    struct weir_shape shape;
    struct weir_cable *cable; /* memory for shape.cable_count cables */
    uint32_t laid;            /* number of cables written so far */
};

struct weir_refusal { /* how a check reports: the position in the file, and the error to fill */
    const struct weir_tok *where;
    struct weir_err *err;
};

/* A kind of network, as a row: how many nodes and cables there are, and which nodes the cables join. */
struct weir_kind {
    /* names of the nodes of each tier; NULL = the kind has no such tier. Two tiers may be as near to hosts */
    const char *tier[WEIR_TIERS_MAX];
    /* a tree, or shortest paths go up tier by tier, then down by a unique way; so PFC cannot deadlock */
    bool layered;
    bool own_hosts; /* the number of hosts follows from keys other than `hosts` */
    /* Refuses a config that cannot be built. Links, and `hosts` unless own_hosts, are checked for all kinds by the
     * caller. @return 0, or a code with to->err */
    int (*check)(const struct weir_topology_config *cfg, const struct weir_refusal *to);
    /* Returns the number of nodes of each tier and of cables. cfg has passed check(). */
    struct weir_shape (*shape)(const struct weir_topology_config *cfg);
    /* Lays all cables: those of hosts by weir_plan_hosts() or weir_plan_host(), of which each makes a NIC, and those
     * between switches by weir_plan_core(). Cables of other rates: weir_plan_cable(). */
    void (*lay)(const struct weir_topology_config *cfg, struct weir_plan *plan);
};

#define WEIR_TOPOLOGY_ROW(number, row, name) extern const struct weir_kind weir_kind_##row;
WEIR_TOPOLOGY_KINDS(WEIR_TOPOLOGY_ROW)
extern const struct weir_kind *const weir_topology_rows[]; /* one row per kind, indexed by enum weir_topology_kind */

/* Each appends a cable to the plan. a, b: node numbers; hosts come first, then switches tier after tier.
 * weir_plan_host(): from a host to a switch, counted from 0, with the rate and delay of host links.
 * weir_plan_core(): between switches a and b, with those of core links. */
void weir_plan_cable(struct weir_plan *plan, uint32_t a, uint32_t b, uint64_t rate_bps, uint64_t delay_ps);
void weir_plan_host(const struct weir_topology_config *cfg, struct weir_plan *plan, uint32_t host, uint32_t sw);
void weir_plan_core(const struct weir_topology_config *cfg, struct weir_plan *plan, uint32_t a, uint32_t b);

/* Appends one cable of each host, by weir_plan_host(). switch_of: returns the switch of a host, counted from 0 */
void weir_plan_hosts(const struct weir_topology_config *cfg, struct weir_plan *plan,
                     uint32_t (*switch_of)(const struct weir_topology_config *cfg, uint32_t host));

/* Refuses a switch with more than WEIR_PORTS_MAX ports. host_ports, core_ports: ports of the largest first-hop switch
 * to hosts, and to switches. @return 0, or WEIR_E_CONFLICT with to->err */
int weir_check_ports(const struct weir_refusal *to, uint64_t host_ports, uint32_t core_ports);

/* Refuses a rate or a delay that a link cannot have. @return 0, or WEIR_E_RANGE with to->err that names the key */
int weir_check_rate(const struct weir_refusal *to, const char *key, uint64_t rate_bps);
int weir_check_delay(const struct weir_refusal *to, const char *key, uint64_t delay_ps);

/* Refuses too many switches, hosts or cables between switches, or fewer than two hosts, where every switch has the same
 * number of hosts. @return 0, or WEIR_E_CONFLICT with to->err */
int weir_check_switches(const struct weir_refusal *to, uint64_t switches, uint32_t hosts, uint64_t cables);

/* Returns the switch of a host where every switch has cfg->hosts hosts. For weir_plan_hosts(). */
uint32_t weir_switch_of_equal(const struct weir_topology_config *cfg, uint32_t host);

/* Each refuses a config from which its kind of topology cannot be built (check.c; the rows are in shape.c). @return 0,
 * or a code with to->err */
int weir_check_leaf_spine(const struct weir_topology_config *cfg, const struct weir_refusal *to);
int weir_check_fat_tree(const struct weir_topology_config *cfg, const struct weir_refusal *to);
int weir_check_dumbbell(const struct weir_topology_config *cfg, const struct weir_refusal *to);
int weir_check_chain(const struct weir_topology_config *cfg, const struct weir_refusal *to);
int weir_check_star(const struct weir_topology_config *cfg, const struct weir_refusal *to);

/**
 * Refuses a config from which no topology can be built.
 * @return 0, or with err WEIR_E_UNKNOWN (kind), WEIR_E_RANGE (one value is at fault) or WEIR_E_CONFLICT (two values do
 *         not fit)
 */
int weir_topology_check(const struct weir_topology_config *cfg, const struct weir_tok *where, struct weir_err *err);

struct weir_fat_tree { /* numbers of a fat-tree, by either set of keys */
    uint32_t pods, edges, aggs, uplinks, edge_hosts;
};

/* Returns the numbers of a fat-tree: those of the keys pods, edges, aggs, uplinks and edge_hosts if pods is not 0;
 * otherwise computed from k and oversubscription. */
struct weir_fat_tree weir_fat_tree_of(const struct weir_topology_config *cfg);

/* Lays all cables of a kind. The caller has set plan->shape by the row's shape(), made room in plan->cable, and set
 * plan->laid to 0. */
void weir_topology_lay(const struct weir_topology_config *cfg, struct weir_plan *plan);

/**
 * Builds a topology from a finished plan: numbers links and ports, finds the tiers of nodes, and lists in-links and
 * first-hop switches. Every host must have 1 to WEIR_NICS_MAX cables. The caller sets name, tier_name, tier_count and
 * layered afterwards.
 * @return 0, or WEIR_E_MEMORY with err; then *topo is all zeros
 */
int weir_topology_index(struct weir_topology *topo, const struct weir_plan *plan, struct weir_err *err);
#endif
