/* src/scenario/topology/topology.h - hosts, switches and directed links, in the numbering every other room relies on.
 * Nodes: hosts are 0 .. host_count - 1, switches follow. A cable is two directed links. Links are sorted by (src, dst,
 * parallel number), so the out-links of a node are contiguous and port p of node n is link node[n].first_out + p.
 * In-links of a node are ordered by (src, parallel number); a link's index in that order is its in_index, the tie-break
 * of simultaneous arrivals. A link's in_index is the port of its reverse. A host has exactly one cable. */
#ifndef WEIR_TOPOLOGY_TOPOLOGY_H
#define WEIR_TOPOLOGY_TOPOLOGY_H
#include "core/err.h"
#include "core/param.h"
#include "core/pkt.h"
#include "core/units.h"

struct weir_fabric_port;

#define WEIR_HOSTS_MAX (WEIR_PKT_HOSTS_MAX - 1u)
#define WEIR_EDGES_MAX 65535u      /* first-hop switches: 16 bits in weir_topology.edge_of */
#define WEIR_PORTS_MAX 65535u      /* of one node */
#define WEIR_TOPOLOGY_HOPS_MAX 16u /* links on a path; farther is as good as no way */
#define WEIR_LINK_DELAY_MAX_PS WEIR_PS_PER_S
#define WEIR_CABLES_MAX (1u << 22) /* 320 MB of links; a fat-tree of 250000 hosts has 750000 */
#define WEIR_TIERS_MAX 4u          /* of a kind: hosts, first-hop switches, aggregation, core */
#define WEIR_NODE_NAME 32          /* bytes of a node's name, with the NUL */
#define WEIR_LINK_NAME 96          /* two of them, " > " and " #65535" */

/* Every kind: its number WEIR_.., its row weir_kind_.. (plan.h), its name in scenarios. GRAPH, the last one, is from a
 * file (graph.h); the others are laid out by weir_topology_build(). doc/add-a-topology.md adds one. */
#define WEIR_TOPOLOGY_KINDS(KIND)                                                                                      \
    KIND(LEAF_SPINE, leaf_spine, "leaf-spine")                                                                         \
    KIND(FAT_TREE, fat_tree, "fat-tree")                                                                               \
    KIND(DUMBBELL, dumbbell, "dumbbell")                                                                               \
    KIND(CHAIN, chain, "chain")                                                                                        \
    KIND(STAR, star, "star")                                                                                           \
    KIND(GRAPH, graph, "file")

#define WEIR_TOPOLOGY_NUMBER(number, row, name) WEIR_##number,
enum weir_topology_kind { WEIR_TOPOLOGY_KINDS(WEIR_TOPOLOGY_NUMBER) };
_Static_assert(WEIR_GRAPH < 32, "struct weir_param.kinds has a bit for each");
extern const char *const weir_topology_kinds[]; /* "leaf-spine", .., "file", in enum order, NULL-terminated */

/* The form of the file of WEIR_GRAPH. AUTO: as the file begins, which differs. */
enum weir_topology_format { WEIR_TOPOLOGY_AUTO, WEIR_TOPOLOGY_YAML, WEIR_TOPOLOGY_HTSIM, WEIR_TOPOLOGY_HPCC };

/* One struct for every kind: the scenario section `topology`. What a kind does not use is ignored. */
struct weir_topology_config {
    uint32_t kind;             /* enum weir_topology_kind */
    uint32_t hosts;            /* leaf-spine, dumbbell (both sides together), chain, star */
    uint32_t racks, spines;    /* leaf-spine; hosts is a multiple of racks; each leaf has one link to each spine */
    uint32_t k;                /* fat-tree: even; k^3/4 hosts at oversubscription 1 */
    uint32_t oversubscription; /* fat-tree: hosts per edge switch = k/2 * this */
    uint32_t pods;             /* fat-tree, instead of the two above, with the next four; 0 = not given */
    uint32_t edges, aggs;      /* fat-tree: edge and aggregation switches of each pod */
    uint32_t uplinks;          /* fat-tree: of each aggregation switch; aggs * uplinks core switches */
    uint32_t edge_hosts;       /* fat-tree: of each edge switch */
    uint32_t switches;         /* chain: how many in a row; host i hangs on switch i * switches / hosts */
    uint64_t host_link_bps, core_link_bps; /* core: every switch-to-switch link; WEIR_RATE_MIN_BPS .. _MAX_BPS */
    uint64_t host_delay_ps, core_delay_ps; /* one way, per link; 1 .. WEIR_LINK_DELAY_MAX_PS */
    struct weir_size bdp;     /* bytes; `auto` (UINT64_MAX) = host rate x base round trip of the longest path */
    char file[WEIR_TEXT_MAX]; /* file */
    uint32_t format;          /* file: enum weir_topology_format */
};
extern const struct weir_param weir_topology_params[];

struct weir_cable {
    uint32_t a, b;                         /* nodes */
    uint64_t rate_bps, delay_ps;           /* from a to b */
    uint64_t back_rate_bps, back_delay_ps; /* from b to a */
};

/* Makes a cable whose two directions are alike. */
static inline struct weir_cable weir_cable_of(uint32_t a, uint32_t b, uint64_t rate_bps, uint64_t delay_ps)
{
    return (struct weir_cable){ a, b, rate_bps, delay_ps, rate_bps, delay_ps };
}

struct weir_link {
    uint64_t rate_bps, delay_ps;
    uint32_t src, dst; /* nodes */
    uint32_t in_index; /* index among dst's in-links */
    uint32_t reverse;  /* the cable's other direction */
    bool up;           /* routing uses it */
};

struct weir_node {
    uint32_t first_out, out_count; /* links */
    uint32_t first_in, in_count;   /* into weir_topology.in_link[] */
    uint32_t tier;                 /* 0 host, 1 first-hop switch, 2 .. above: links from hosts, whatever the graph */
};

struct weir_topology {
    uint32_t host_count, switch_count, node_count, link_count;
    uint32_t edge_count;                 /* first-hop switches: those with a host */
    bool layered;                        /* a kind: shortest paths go up tier by tier, then down by one way */
    uint64_t host_link_bps;              /* of every host's link towards the network */
    struct weir_node *node;              /* node_count */
    struct weir_link *link;              /* link_count */
    uint32_t *in_link;                   /* link_count: link ids by (dst, src, parallel number) */
    uint32_t *edge_node;                 /* edge_count: which node the i-th first-hop switch is */
    uint16_t *edge_of;                   /* host_count: index into edge_node */
    uint16_t *host_port;                 /* host_count: port of that switch which leads to the host */
    char (*name)[WEIR_NODE_NAME];        /* node_count: of a graph; NULL = a kind's, by tier and number */
    uint32_t *host_id;                   /* host_count: ids in the file, ascending; NULL = a host's id is its number */
    const char *note;                    /* what of the file has no effect, for the user; NULL = nothing. Not owned */
    const char *const *tier_name;        /* by tier: "host", "leaf", "spine"; NULL = nodes have numbers alone */
    uint32_t tier_count[WEIR_TIERS_MAX]; /* nodes of each, numbered tier after tier */
};

/**
 * Lays out a topology of a kind, which WEIR_GRAPH is not; every link is up.
 * Switches are numbered tier by tier: leaves, spines; edge, aggregation (both pod by pod), core switches.
 * Hosts fill first-hop switches in order: of a dumbbell the first half (of an odd number one more) is on switch 0.
 * @param where  its position in the file, for err
 * @return 0, or with err filled and nothing to free: WEIR_E_RANGE or WEIR_E_CONFLICT (odd k, hosts not a multiple of
 *         racks, too many hosts or ports, delay 0, ..), WEIR_E_UNKNOWN (kind), WEIR_E_MEMORY
 */
int weir_topology_build(struct weir_topology *topo, const struct weir_topology_config *cfg,
                        const struct weir_tok *where, struct weir_err *err);
void weir_topology_free(struct weir_topology *topo);

/* Returns a port and the in-link of the same cable, as switch features see them; seed and has_queue are the caller's to
 * set. link: that it feeds */
struct weir_fabric_port weir_topology_port(const struct weir_topology *topo, uint32_t link);

/* Writes the name of a node, for messages: "host 3" or "leaf 2", "spine 1", "edge 4", "agg 7", "core 0", "switch 1".
 * Numbers count from 0 in each tier. Writes at most size bytes. */
void weir_topology_node_name(const struct weir_topology *topo, uint32_t node, char *out, size_t size);

/* Returns the node of a name as above (blanks around it and between its two parts do not matter), or UINT32_MAX. */
uint32_t weir_topology_find_node(const struct weir_topology *topo, const char *name);

/* Writes the name of a link, "leaf 0 > spine 1"; of parallel cables the second is "leaf 0 > spine 1 #2". Writes at most
 * size bytes. */
void weir_topology_link_name(const struct weir_topology *topo, uint32_t link, char *out, size_t size);

/* Returns a link by the two ends of its cable, "leaf 0 - spine 1", or with " #2" the second of parallel ones; from the
 * first end to the second. UINT32_MAX = there is none. */
uint32_t weir_topology_find_link(const struct weir_topology *topo, const char *name);
#endif
