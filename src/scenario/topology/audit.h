/* src/scenario/topology/audit.h - the audit of a network before a run: capacity of each tier, the shortest paths
 * between hosts, and whether the paths of the two directions are alike. */
#ifndef WEIR_TOPOLOGY_AUDIT_H
#define WEIR_TOPOLOGY_AUDIT_H
#include "topology/route.h"

#define WEIR_AUDIT_TIERS_MAX 16u /* tiers of switches; switches of higher tiers count in the last */
/* Most first-hop switches whose pairs are compared; if there are more, evenly spaced ones are chosen. Where hosts have
 * several NICs, pairs of hosts are compared instead; if there are more, some are drawn at random, always the same. */
#define WEIR_AUDIT_EDGES_MAX 1024u

struct weir_audit_tier {      /* the switches of a tier: sums over all, and the most oversubscribed one */
    uint32_t switches, hosts; /* hosts: those with a NIC to one of the switches */
    uint32_t alone;           /* of several switches those that have cables to hosts alone: scale-up switches */
    /* cables to lower tiers or hosts, to higher tiers, within the tier */
    uint32_t cables_down, cables_up, cables_across;
    uint64_t down_bps, up_bps; /* rates from below, and to switches above or in the same tier */
    uint64_t over_bps;         /* down_bps without that of the switches alone: oversubscription is over_bps / up_bps */
    /* the switch with the largest down / up; UINT32_MAX = no switch has a cable up or across */
    uint32_t worst;
    uint64_t worst_down_bps, worst_up_bps; /* down_bps and up_bps of that switch */
};

/* Summary of all shortest paths from one host to another, host links included. Each is the host with the lowest number
 * at its first-hop switch; the two switches differ. Hosts with several NICs are compared one by one: then the paths are
 * those by all NICs from which the fewest links lead to the other host. */
struct weir_audit_way {
    uint64_t count; /* number of equal paths; saturates */
    uint64_t delay_min_ps, delay_max_ps;
    uint64_t rate_min_bps; /* rate of the slowest link on any of the paths */
    uint32_t links_min, links_max;
};

#define WEIR_AUDIT_RATES_MAX 6u /* different rates of cables; cables of any other rate count in the last */

struct weir_audit_rate { /* the cables of a rate, from the end with the lower node number; or the NICs of a rate */
    uint64_t rate_bps;
    uint32_t cables;
};

/* Counts a cable or a NIC by its rate, among *rates rates in ascending order. */
void weir_audit_note_rate(struct weir_audit_rate *rate, uint32_t *rates, uint64_t rate_bps);

/* Returns the tier of a node by its name (weir_topology_tier()), at most WEIR_AUDIT_TIERS_MAX. */
uint32_t weir_audit_tier_of(const struct weir_topology *topo, uint32_t node);

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
    struct weir_audit_rate rate[WEIR_AUDIT_RATES_MAX]; /* rates in ascending order */
    uint32_t rates;
    uint32_t nics_min, nics_max;                           /* NICs of a host */
    struct weir_audit_rate nic_rate[WEIR_AUDIT_RATES_MAX]; /* likewise, NICs by their rates towards the network */
    uint32_t nic_rates;
    uint32_t ports_min, ports_max; /* cables of a switch */
    /* ordered pairs of hosts of the compared switches that have a path, the sum of their links, and the fewest and the
     * most; of equal paths the fewest links count */
    uint64_t host_pairs, host_links;
    uint32_t host_links_min, host_links_max;
    uint64_t bisection_bps; /* weir_bisection() */
    uint32_t edges;         /* number of first-hop switches that were compared; of hosts if these have several NICs */
    /* unordered pairs of the compared switches; pairs without a path in some direction */
    uint64_t pairs, pairs_cut;
    uint64_t unlike[WEIR_UNLIKE_KINDS]; /* pairs whose directions differ in this property */
    uint64_t unlike_any;
    struct weir_audit_pair longest;      /* the pair with most links on a path from src to dst */
    struct weir_audit_pair fewest, most; /* the pairs with fewest, and with most, equal paths from src to dst */
    struct weir_audit_pair first_unlike;
};

/**
 * Computes the least sum of rates of links between switches that separates the first half of the hosts, by number, from
 * the last. The middle host of an odd number is of the first half, and so is a switch with hosts of both. Direction:
 * from the first half to the last.
 * Where hosts have several NICs, the links of hosts count, too: all NICs of the first half send, and all of the last
 * half receive. No path leads through a host.
 * @param out_bps  0 = no switch has only hosts of the last half, or the search takes too long
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_bisection(const struct weir_topology *topo, uint64_t *out_bps, struct weir_err *err);

/**
 * Audits a network: tiers, cables, and the shortest paths between hosts.
 * @param routes  routes of topo, built with WEIR_ROUTE_ECMP, so that its tables give the equal paths of each direction
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_audit(struct weir_audit *out, const struct weir_topology *topo, const struct weir_routes *routes,
               struct weir_err *err);
#endif
