/* src/scenario/topology/topology.h - hosts, switches and directed links, and how they are numbered.
 * Nodes: hosts are 0 .. host_count - 1, switches follow. A cable is two directed links, one in each direction. A host
 * has a NIC for each of its cables: one to WEIR_NICS_MAX, most often one. NIC i of a host is its port i.
 * Links are sorted by (src, dst, parallel number). So the out-links of a node are contiguous, and port p of node n
 * feeds link node[n].first_out + p. The in-links of a node are ordered by (src, parallel number). The index of a link
 * in that order is its in_index, which breaks ties between simultaneous arrivals. It is also the port of the reverse
 * link. */
#ifndef WEIR_TOPOLOGY_TOPOLOGY_H
#define WEIR_TOPOLOGY_TOPOLOGY_H
#include "core/err.h"
#include "core/param.h"
#include "core/pkt.h"
#include "core/units.h"

struct weir_fabric_port;

#define WEIR_HOSTS_MAX (WEIR_PKT_HOSTS_MAX - 1u)
#define WEIR_EDGES_MAX 65535u      /* first-hop switches: their index in weir_topology.edge_of has 16 bits */
#define WEIR_PORTS_MAX 65535u      /* ports of one node */
#define WEIR_NICS_MAX 16u          /* cables of a host */
#define WEIR_TOPOLOGY_HOPS_MAX 66u /* links of a path; if the shortest path has more, there is no way */
#define WEIR_LINK_DELAY_MAX_PS WEIR_PS_PER_S
#define WEIR_CABLES_MAX (1u << 22) /* 320 MB of links; a fat-tree of 250000 hosts has 750000 */
#define WEIR_TIERS_MAX 4u          /* tiers of a kind: hosts, first-hop switches, aggregation, core */
#define WEIR_NODE_NAME 32          /* bytes of a node's name, with the NUL */
#define WEIR_LINK_NAME 96          /* bytes of a link's name, with the NUL: two node names, " > " and " #65535" */

/* The kinds of topologies, as KIND(number, row, name): WEIR_ and `number` is its value of enum weir_topology_kind,
 * weir_kind_ and `row` its row (plan.h), `name` its name in scenarios. GRAPH must be the last one: it is read from a
 * file (graph.h), and weir_topology_build() lays out all others. doc/add-a-topology.md shows how to add a kind. */
#define WEIR_TOPOLOGY_KINDS(KIND)                                                                                      \
    KIND(LEAF_SPINE, leaf_spine, "leaf-spine")                                                                         \
    KIND(FAT_TREE, fat_tree, "fat-tree")                                                                               \
    KIND(DUMBBELL, dumbbell, "dumbbell")                                                                               \
    KIND(CHAIN, chain, "chain")                                                                                        \
    KIND(STAR, star, "star")                                                                                           \
    KIND(DRAGONFLY, dragonfly, "dragonfly")                                                                            \
    KIND(TORUS, torus, "torus")                                                                                        \
    KIND(PLANES, planes, "planes")                                                                                     \
    KIND(RAIL, rail, "rail")                                                                                           \
    KIND(GRAPH, graph, "file")

#define WEIR_TOPOLOGY_NUMBER(number, row, name) WEIR_##number,
enum weir_topology_kind { WEIR_TOPOLOGY_KINDS(WEIR_TOPOLOGY_NUMBER) };
_Static_assert(WEIR_GRAPH < 32, "struct weir_param.kinds has a bit for each");
extern const char *const weir_topology_kinds[]; /* "leaf-spine", .., "file", in enum order, NULL-terminated */

/* The format of the file of kind WEIR_GRAPH. AUTO: recognised by the beginning of the file. */
enum weir_topology_format { WEIR_TOPOLOGY_AUTO, WEIR_TOPOLOGY_YAML, WEIR_TOPOLOGY_HTSIM, WEIR_TOPOLOGY_HPCC };

/* The values of the keys of the scenario section `topology`. Each field's comment names the kinds that use the field;
 * other kinds ignore it. A field whose comment names no kind is for all kinds. */
struct weir_topology_config {
    uint32_t kind; /* enum weir_topology_kind */
    /* leaf-spine, dumbbell (both sides together), chain, star, planes: hosts of the network; dragonfly, torus: of a
     * switch */
    uint32_t hosts;
    uint32_t racks;            /* leaf-spine, planes: hosts is a multiple of racks */
    uint32_t spines;           /* leaf-spine, planes (of each plane), rail: each leaf has one link to each spine */
    uint32_t k;                /* fat-tree: even; k^3/4 hosts at oversubscription 1 */
    uint32_t oversubscription; /* fat-tree: an edge switch has k/2 * oversubscription hosts */
    /* fat-tree: pods and the next four fields replace k and oversubscription; 0 = not given */
    uint32_t pods;
    uint32_t edges, aggs; /* fat-tree: edge and aggregation switches of each pod */
    /* fat-tree: links up from each aggregation switch; there are aggs * uplinks core switches */
    uint32_t uplinks;
    uint32_t edge_hosts; /* fat-tree: hosts of each edge switch */
    /* chain: number of switches in a row; host i hangs on switch i * switches / hosts. dragonfly: of each group */
    uint32_t switches;
    uint32_t groups, global_links; /* dragonfly: groups; cables of each switch to other groups */
    struct weir_number_list dims;  /* torus: switches of each dimension, 2 or more; 1 to 5 dimensions */
    uint32_t planes;               /* planes: networks side by side, 2 .. WEIR_NICS_MAX; as many NICs of each host */
    uint32_t servers, gpus;        /* rail: servers; hosts of each */
    uint32_t rails;                /* rail: leaf switches; divides gpus; 0 = one for each GPU of a server */
    /* all kinds but file: rates of links of hosts, and of links between switches; WEIR_RATE_MIN_BPS .. _MAX_BPS */
    uint64_t host_link_bps, core_link_bps;
    /* all kinds but file: delays of the same links, one way; 1 .. WEIR_LINK_DELAY_MAX_PS */
    uint64_t host_delay_ps, core_delay_ps;
    uint64_t server_link_bps, server_delay_ps; /* rail: rate and delay of the cables from GPUs to NVSwitches */
    struct weir_size bdp;     /* bytes; `auto` (UINT64_MAX) = host rate x base round trip of the longest path */
    char file[WEIR_TEXT_MAX]; /* file: path of the file */
    uint32_t format;          /* file: enum weir_topology_format */
};
extern const struct weir_param weir_topology_params[];

struct weir_cable {
    uint32_t a, b;                         /* nodes */
    uint64_t rate_bps, delay_ps;           /* from a to b */
    uint64_t back_rate_bps, back_delay_ps; /* from b to a */
    uint32_t loss_ppb;                     /* probability that a packet is lost, in each direction */
};

/* Returns a cable with the same rate and delay in both directions. */
static inline struct weir_cable weir_cable_of(uint32_t a, uint32_t b, uint64_t rate_bps, uint64_t delay_ps)
{
    return (struct weir_cable){ a, b, rate_bps, delay_ps, rate_bps, delay_ps, 0 };
}

struct weir_link {
    uint64_t rate_bps, delay_ps;
    uint32_t src, dst; /* nodes */
    uint32_t in_index; /* index among dst's in-links */
    uint32_t reverse;  /* the link of the other direction of the cable */
    uint32_t loss_ppb; /* probability that a packet is lost, as a file of the network says */
    bool up;           /* routes may use the link */
};

struct weir_node {
    uint32_t first_out, out_count; /* the node's out-links: first and number */
    uint32_t first_in, in_count;   /* the node's in-links: first index in weir_topology.in_link[], and number */
    uint32_t tier;                 /* least number of links to a host: 0 = host, 1 = first-hop switch, .. */
};

#define WEIR_HOST_ITEMS_MAX 64u

struct weir_host_item {     /* one item of `hosts`: some hosts that differ from the others */
    char at[WEIR_TEXT_MAX]; /* where they are: weir_topology_host_is_at() */
    uint64_t link_bps;      /* rate of their links, each direction; 0 = as the topology has it */
};
extern const struct weir_param weir_host_item_params[];

struct weir_topology {
    uint32_t host_count, switch_count, node_count, link_count;
    uint32_t edge_count;    /* first-hop switches: switches with a host */
    bool layered;           /* a tree, or shortest paths go up tier by tier, then down by a unique way */
    uint64_t host_link_bps; /* of the fastest host's link towards the network */
    bool has_unlike_hosts;  /* the links of hosts towards the network have several rates */
    uint32_t nics_max;      /* cables of the host that has the most */
    struct weir_node *node; /* node_count */
    struct weir_link *link; /* link_count */
    uint32_t *in_link;      /* link_count: link numbers, sorted by (dst, src, parallel number) */
    uint32_t *edge_node;    /* edge_count: the node of the i-th first-hop switch */
    /* host_count: index in edge_node of the host's first-hop switch; of several the first by NIC; 0 = it has none */
    uint16_t *edge_of;
    uint16_t *host_port; /* host_count: the port of that switch to the host */
    /* node_count: names of a graph's nodes; NULL = nodes are named by tier and number */
    char (*name)[WEIR_NODE_NAME];
    /* host_count: ids of hosts in the file, ascending; NULL = a host's id is its number */
    uint32_t *host_id;
    /* a sentence for the user about parts of the file without effect; NULL = none. Not owned */
    const char *note;
    /* name of each tier: "host", "leaf", "spine"; NULL = nodes have numbers alone */
    const char *const *tier_name;
    /* nodes of each tier by name, which have consecutive numbers; 0 for a graph */
    uint32_t tier_count[WEIR_TIERS_MAX];
};

/**
 * Builds a topology of any kind but WEIR_GRAPH; every link is up. weir_topology_free() frees it.
 * Switches are numbered tier by tier: leaves before spines; edge before aggregation before core switches; NVSwitches
 * before leaves. Edge and aggregation switches are numbered pod by pod, leaves and spines of planes plane by plane.
 * Hosts fill first-hop switches in order. Switch 0 of a dumbbell has the first half of the hosts, rounded up.
 * @param where  the position of the topology in its file, for err; may be NULL
 * @return 0, or with err and *topo all zeros: WEIR_E_RANGE or WEIR_E_CONFLICT (odd k, hosts not a multiple of
 *         racks, too many hosts or ports, delay 0, ..), WEIR_E_UNKNOWN (kind), WEIR_E_MEMORY
 */
int weir_topology_build(struct weir_topology *topo, const struct weir_topology_config *cfg,
                        const struct weir_tok *where, struct weir_err *err);
/* Frees all memory that a topology owns, and zeroes *topo. A zeroed topology may be freed. */
void weir_topology_free(struct weir_topology *topo);

/* Returns the number of a link's cable: the lower number of its two links. */
static inline uint32_t weir_topology_cable(const struct weir_topology *topo, uint32_t link)
{
    uint32_t reverse = topo->link[link].reverse;
    return link < reverse ? link : reverse;
}

/* Tests whether hosts have several NICs, or cables to each other: then routes choose among a host's NICs. Hosts of one
 * NIC have a cable to each other only if there are two and no switch. */
static inline bool weir_topology_has_nics(const struct weir_topology *topo)
{
    return topo->nics_max > 1 || topo->edge_count == 0;
}

/* Returns the rate of all NICs of a host together. */
static inline uint64_t weir_topology_host_bps(const struct weir_topology *topo, uint32_t host)
{
    uint64_t sum_bps = 0;
    for (uint32_t i = 0; i < topo->node[host].out_count; i++)
        sum_bps += topo->link[topo->node[host].first_out + i].rate_bps;
    return sum_bps;
}

/* Returns the number of a switch's cables to hosts. Hosts have the lowest numbers, so these are its first ports.
 * node: of the switch */
static inline uint32_t weir_topology_host_ports(const struct weir_topology *topo, uint32_t node)
{
    const struct weir_node *sw = &topo->node[node];
    uint32_t hosts = 0;
    while (hosts < sw->out_count && topo->link[sw->first_out + hosts].dst < topo->host_count)
        hosts++;
    return hosts;
}

/* Returns the link from a host to its switch, by its first NIC. */
static inline uint32_t weir_topology_link_from(const struct weir_topology *topo, uint32_t host)
{
    return topo->node[host].first_out;
}

/* Returns the link from its switch to a host, to its first NIC. */
static inline uint32_t weir_topology_link_to(const struct weir_topology *topo, uint32_t host)
{
    return topo->link[topo->node[host].first_out].reverse;
}

/* Returns a description of the port that feeds `link`, and of the in-link of the same cable, for switch features. The
 * caller sets seed and has_queue. */
struct weir_fabric_port weir_topology_port(const struct weir_topology *topo, uint32_t link);

/* Returns the tier of a node by its name: 0 = host, 1 = the first tier of switches. Two tiers of a kind may be as near
 * to hosts: NVSwitches are 1, and the leaves of rails 2. In a graph it is weir_node.tier. */
uint32_t weir_topology_tier(const struct weir_topology *topo, uint32_t node);

/* Writes the name of a node to out, which has `size` bytes; a longer name is cut off. For a graph it is the name in its
 * file. Else it is one of "host 3", "leaf 2", "spine 1", "edge 4", "agg 7", "core 0", "switch 1", where numbers count
 * from 0 in each tier. Without tier names it is "node 5". */
void weir_topology_node_name(const struct weir_topology *topo, uint32_t node, char *out, size_t size);

/* Returns the node with this name; UINT32_MAX = there is none, or topo has neither node names nor tier names. name: as
 * weir_topology_node_name() writes it. Blanks around the name do not matter, nor do additional blanks before the number
 * of "leaf 2". */
uint32_t weir_topology_find_node(const struct weir_topology *topo, const char *name);

/* Sets topo->host_link_bps and has_unlike_hosts from the links of hosts. */
void weir_topology_find_host_rates(struct weir_topology *topo);

/* Tests whether a host is at a location. That is the name of a host, "host 3", or of a first-hop switch, "leaf 3", to
 * which some NIC of the host leads. Or it is a range by number: "host 0..7", or "rack 3", the hosts of first-hop switch
 * number 3, from 0. */
bool weir_topology_host_is_at(const struct weir_topology *topo, uint32_t host, const char *at);

/* Sets the rates of both directions of the cables of all hosts at a location. If this is a switch or a rack, only of
 * the cables that lead to it. rate_bps: 0 = leaves them as they are.
 * @return the number of these hosts; 0 = no host is there */
uint32_t weir_topology_set_host_link(struct weir_topology *topo, const char *at, uint64_t rate_bps);

enum weir_location { WEIR_LOCATION_SWITCHES, WEIR_LOCATION_HOSTS, WEIR_LOCATION_UNKNOWN };

/* Sets is_at[] of the switches at some locations, one entry per node; other entries keep their values. at: locations,
 * separated by commas. A location is the name of a switch, "leaf 0", or of a tier, "leaf", or some of a tier, "leaf
 * 0..3". In a graph "edge" are the first-hop switches and "core" the others, unless a node has that name.
 * @return WEIR_LOCATION_SWITCHES; or what the first location is that is none of these, and then `name` is that
 * location */
enum weir_location weir_topology_mark_switches(const struct weir_topology *topo, const char *at, bool *is_at,
                                               char name[WEIR_TEXT_MAX]);

/* Writes the name of a link to out, which has `size` bytes: "leaf 0 > spine 1"; of parallel cables the second is "leaf
 * 0 > spine 1 #2". A longer name is cut off. */
void weir_topology_link_name(const struct weir_topology *topo, uint32_t link, char *out, size_t size);

/* Returns the link from the first to the second end of a cable, which is named "leaf 0 - spine 1"; UINT32_MAX = there
 * is no such cable. "leaf 0 - spine 1 #2" names the second of parallel cables. */
uint32_t weir_topology_find_link(const struct weir_topology *topo, const char *name);
#endif
