/* src/scenario/topology/audit.h - the audit of a network before a run: capacity of each tier, the shortest paths
 * between hosts, and whether the paths of the two directions are alike. */
#ifndef WEIR_TOPOLOGY_AUDIT_H
#define WEIR_TOPOLOGY_AUDIT_H
#include "topology/route.h"

#define WEIR_AUDIT_TIERS_MAX 16u /* tiers of switches; switches of higher tiers count in the last */
/* Most first-hop switches whose pairs are compared; if there are more, evenly spaced ones are chosen. */
#define WEIR_AUDIT_EDGES_MAX 1024u

struct weir_audit_tier { /* the switches of a tier: sums over all, and the most oversubscribed one */
    uint32_t switches, hosts;
    /* cables to lower tiers or hosts, to higher tiers, within the tier */
    uint32_t cables_down, cables_up, cables_across;
    uint64_t down_bps, up_bps; /* rates from below, and to switches above or in the same tier */
    /* the switch with the largest down / up; UINT32_MAX = no switch has a cable up or across */
    uint32_t worst;
    uint64_t worst_down_bps, worst_up_bps; /* down_bps and up_bps of that switch */
};

/* Summary of all shortest paths from one host to another, host links included. Each is the host with the lowest number
 * at its first-hop switch; the two switches differ. */
struct weir_audit_way {
    uint64_t count; /* number of equal paths; saturates */
    uint64_t delay_min_ps, delay_max_ps;
    uint64_t rate_min_bps; /* rate of the slowest link on any of the paths */
    uint32_t links_min, links_max;
};

enum weir_audit_unlike { WEIR_UNLIKE_COUNT, WEIR_UNLIKE_LINKS, WEIR_UNLIKE_DELAY, WEIR_UNLIKE_RATE, WEIR_UNLIKE_KINDS };

struct weir_audit_pair { /* two hosts, with the paths in each direction */
    uint32_t src, dst;   /* UINT32_MAX = there is no such pair */
    struct weir_audit_way out, back;
};

struct weir_audit {
    struct weir_audit_tier tier[WEIR_AUDIT_TIERS_MAX + 1]; /* [1 .. tier_count] */
    uint32_t tier_count;
    /* cables; cables whose two directions differ in rate; cables whose two directions differ in delay */
    uint32_t cables, cables_unlike_rate, cables_unlike_delay;
    uint32_t edges; /* number of first-hop switches that were compared */
    /* unordered pairs of the compared switches; pairs without a path in some direction */
    uint64_t pairs, pairs_cut;
    uint64_t unlike[WEIR_UNLIKE_KINDS]; /* pairs whose directions differ in this property */
    uint64_t unlike_any;
    struct weir_audit_pair longest;      /* the pair with most links on a path from src to dst */
    struct weir_audit_pair fewest, most; /* the pairs with fewest, and with most, equal paths from src to dst */
    struct weir_audit_pair first_unlike;
};

/**
 * Audits a network: tiers, cables, and the shortest paths between hosts.
 * @param routes  routes of topo, built with WEIR_ROUTE_ECMP, so that its tables give the equal paths of each direction
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_audit(struct weir_audit *out, const struct weir_topology *topo, const struct weir_routes *routes,
               struct weir_err *err);
#endif
