/* src/scenario/topology/audit.h - what a network has before anything runs on it: capacity tier by tier, the shortest
 * paths between hosts, and whether the two directions of a pair have alike ones. */
#ifndef WEIR_TOPOLOGY_AUDIT_H
#define WEIR_TOPOLOGY_AUDIT_H
#include "topology/route.h"

#define WEIR_AUDIT_TIERS_MAX 16u /* of switches; farther ones are counted with the last */
#define WEIR_AUDIT_EDGES_MAX                                                                                           \
    1024u /* first-hop switches whose pairs are compared; of more, that many evenly spaced ones */

struct weir_audit_tier { /* its switches, all together and one by one */
    uint32_t switches, hosts;
    uint32_t cables_down, cables_up, cables_across; /* to lower tiers or hosts, to higher ones, within the tier */
    uint64_t down_bps, up_bps;                      /* up: with across; into and out of the tier on the way up */
    uint32_t worst;                        /* the switch with most of down for its up; UINT32_MAX = none goes up */
    uint64_t worst_down_bps, worst_up_bps; /* of that switch */
};

struct weir_audit_way { /* all shortest paths from the lowest host of one first-hop switch to that of another */
    uint64_t count;     /* of equal paths; saturates */
    uint64_t delay_min_ps, delay_max_ps;
    uint64_t rate_min_bps; /* of the slowest link on any of them */
    uint32_t links_min, links_max;
};

enum weir_audit_unlike { WEIR_UNLIKE_COUNT, WEIR_UNLIKE_LINKS, WEIR_UNLIKE_DELAY, WEIR_UNLIKE_RATE, WEIR_UNLIKE_KINDS };

struct weir_audit_pair { /* two hosts, with the paths each way */
    uint32_t src, dst;   /* UINT32_MAX = there is no such pair */
    struct weir_audit_way out, back;
};

struct weir_audit {
    struct weir_audit_tier tier[WEIR_AUDIT_TIERS_MAX + 1]; /* [1 .. tier_count] */
    uint32_t tier_count;
    uint32_t cables, cables_unlike_rate, cables_unlike_delay; /* unlike: their two directions */
    uint32_t edges;                                           /* first-hop switches that were compared */
    uint64_t pairs, pairs_cut;                                /* unordered, of those; cut: without a path */
    uint64_t unlike[WEIR_UNLIKE_KINDS];                       /* pairs whose directions differ in it */
    uint64_t unlike_any;
    struct weir_audit_pair longest;      /* most links */
    struct weir_audit_pair fewest, most; /* equal paths */
    struct weir_audit_pair first_unlike;
};

/**
 * Audits a network: tiers, cables, and the shortest paths between hosts.
 * @param routes  of topo; not symmetric in a graph, whose directions are alike by rule. Equal paths are those of its
 *                tables
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_audit(struct weir_audit *out, const struct weir_topology *topo, const struct weir_routes *routes,
               struct weir_err *err);
#endif
