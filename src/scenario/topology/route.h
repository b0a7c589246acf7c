/* src/scenario/topology/route.h - shortest paths: for each switch and each first-hop switch, the set of ports that lead
 * closer. Or spanning trees: the port in each tree.
 * All shortest paths by number of links or by delay, over the links that are up; among them a packet's hash
 * decides, as it does among trees. Hosts are never transit. A host's own cable is not considered: packets for it wait
 * at its switch while it is down. */
#ifndef WEIR_TOPOLOGY_ROUTE_H
#define WEIR_TOPOLOGY_ROUTE_H
#include "core/assert.h"
#include "core/rng.h"
#include "topology/topology.h"

/* Scenario key fabric.routing.mode. The hash of a packet is of (src, dst, connection); with SPRAY each packet draws
 * one. With SYMMETRIC it is the same in both directions, and so is the path. In a layered topology equal salts see to
 * that (unless cables are down and the path is a detour: down and up again). In a graph both directions take the path
 * from the first-hop switch of the lower number to that of the higher: see weir_route_back(). With TREES the hash, the
 * same in both directions, names a spanning tree (topology/tree.h). All switches have the same salt then, so each takes
 * the port of the same tree. */
enum weir_routing {
    WEIR_ROUTE_ECMP,
    WEIR_ROUTE_SYMMETRIC,
    WEIR_ROUTE_SPRAY,
    WEIR_ROUTE_TREES,
};

/* Asks whether both directions of a connection take the same path. */
static inline bool weir_routing_is_symmetric(enum weir_routing routing)
{
    return routing == WEIR_ROUTE_SYMMETRIC || routing == WEIR_ROUTE_TREES;
}

/* Scenario key fabric.routing.metric: which paths are shortest. Delays are those of links between switches, in the
 * direction of the packet; transmission times do not count. */
enum weir_route_metric {
    WEIR_METRIC_HOPS,
    WEIR_METRIC_DELAY,
};

#define WEIR_ROUTE_PORT_NONE UINT16_MAX   /* one more than any port: WEIR_PORTS_MAX */
#define WEIR_ROUTE_ENTRIES_MAX (1u << 26) /* switches x first-hop switches: 256 MB */
#define WEIR_ROUTE_BY_HOST_MAX 256u       /* a switch's entries by host, 1 KiB, then fit next to all else it touches */

struct weir_route_host { /* where a host hangs */
    uint16_t edge, port; /* first-hop switch, counted among those; its port that leads to the host */
};

struct weir_route_step { /* of a link between switches, or from a switch to a host */
    uint32_t node;       /* where it leads */
    uint32_t back;       /* port of that node which leads back */
};

struct weir_routes {
    uint32_t edge_count, switch_count, first_switch;
    uint32_t *entry;   /* [switch][edge]: first | count << 20; count 0 = no way (or the edge itself) */
    uint32_t *by_host; /* [switch][host]: down to the host too; NULL = above WEIR_ROUTE_BY_HOST_MAX hosts */
    uint16_t *port; /* shared port lists that entries point into; [0]: WEIR_ROUTE_PORT_NONE, for those without a list */
    uint32_t port_len;
    uint32_t
        tree_count; /* spanning trees of a connected part, at most: lists have a port for each; 0 = shortest paths */
    uint32_t *salt; /* per switch; symmetric: the same within a tier */
    uint32_t *own_edge;           /* per switch: its index among first-hop switches; UINT32_MAX = none of them */
    struct weir_route_host *host; /* host_count */
    const uint32_t *edge_node;    /* of the topology, which must outlive this */
    /* symmetric in a graph only; else NULL */
    struct weir_route_step *step; /* links that leave switches, in their order */
    uint32_t *first_step;         /* per switch */
};

#define WEIR_ROUTE_FIRST_BITS 20
#define WEIR_ROUTE_FIRST_MASK ((1u << WEIR_ROUTE_FIRST_BITS) - 1)

/**
 * Computes routes over the links that are up. A switch from which a shortest path between hosts would have more links
 * than WEIR_TOPOLOGY_HOPS_MAX has no way.
 * Salts are the high halves of weir_rng_key(seed, switch counted from 0, WEIR_RNG_SWITCH_SALT, 0); symmetric in a
 * layered topology: of weir_rng_key(seed, tier, WEIR_RNG_SWITCH_SALT, 1); of trees: of weir_rng_key(seed, 0,
 * WEIR_RNG_SWITCH_SALT, 2).
 * @param metric  of trees WEIR_METRIC_HOPS
 * @return 0, or WEIR_E_RANGE when entries exceed WEIR_ROUTE_ENTRIES_MAX, port lists 2^20 ports, one list or the trees
 *         4095, WEIR_E_MEMORY; then nothing needs freeing
 */
int weir_routes_build(struct weir_routes *routes, const struct weir_topology *topo, enum weir_routing routing,
                      enum weir_route_metric metric, uint64_t seed, struct weir_err *err);
void weir_routes_free(struct weir_routes *routes);

/* The lookup of ports, the same at all switches of a network. */
enum weir_route_way {
    WEIR_ROUTE_BY_HOST,  /* in an entry for each host */
    WEIR_ROUTE_BY_EDGE,  /* in one for each first-hop switch: two steps */
    WEIR_ROUTE_MIRRORED, /* either, and one direction of a pair of hosts follows the other */
};

struct weir_route_here {     /* what one switch needs of the tables; a copy for a visit keeps it in registers */
    const uint32_t *row;     /* of entry */
    const uint32_t *by_host; /* of by_host, or NULL */
    const uint16_t *port;
    const struct weir_route_host *host;
    const struct weir_routes *mirror; /* the tables, if one direction of a pair follows the other; else NULL */
    uint32_t salt, own_edge, node;
};

static inline enum weir_route_way weir_route_way(const struct weir_route_here *here)
{
    if (here->mirror != NULL)
        return WEIR_ROUTE_MIRRORED;
    return here->by_host != NULL ? WEIR_ROUTE_BY_HOST : WEIR_ROUTE_BY_EDGE;
}

static inline struct weir_route_here weir_route_here(const struct weir_routes *r, uint32_t node)
{
    uint32_t sw = node - r->first_switch;
    return (struct weir_route_here){ .row = &r->entry[(size_t)sw * r->edge_count],
                                     .by_host = r->by_host != NULL ? &r->by_host[(size_t)sw * r->first_switch] : NULL,
                                     .port = r->port,
                                     .host = r->host,
                                     .mirror = r->step != NULL ? r : NULL,
                                     .salt = r->salt[sw],
                                     .own_edge = r->own_edge[sw],
                                     .node = node };
}

/* Picks one of an entry's ports. A packet's hash is well mixed already. A salt and one multiplication by an odd
 * constant (2^32 over the golden ratio) are enough to make the choices of successive switches independent, as
 * test_route measures. */
static inline uint32_t weir_route_choose(const struct weir_route_here *here, uint32_t entry, uint32_t hash)
{
    uint32_t count = entry >> WEIR_ROUTE_FIRST_BITS;
    uint32_t pick = (uint32_t)((uint64_t)((hash ^ here->salt) * UINT32_C(0x9e3779b1)) * count >> 32);
    return here->port[(entry & WEIR_ROUTE_FIRST_MASK) + pick];
}

static inline uint32_t weir_route_by_host(const struct weir_route_here *here, uint32_t dst, uint32_t hash)
{
    return weir_route_choose(here, here->by_host[dst], hash);
}

/* Picks a port by first-hop switch. Up and down are both read, so that a conditional move may pick one. A branch on
 * whether a packet has reached its first-hop switch is mispredicted half of the time. */
static inline uint32_t weir_route_by_edge(const struct weir_route_here *here, uint32_t dst, uint32_t hash)
{
    struct weir_route_host to = here->host[dst];
    uint32_t up = weir_route_choose(here, here->row[to.edge], hash);
    return to.edge == here->own_edge ? to.port : up;
}

/* Picks a port by the switch's own tables, for a packet to host dst. */
static inline uint32_t weir_route_by_table(const struct weir_route_here *here, uint32_t dst, uint32_t hash)
{
    return here->by_host != NULL ? weir_route_by_host(here, dst, hash) : weir_route_by_edge(here, dst, hash);
}

/* Returns the port by which a packet to a first-hop switch of a lower number goes on: back along the path that leads
 * from dst to src with this hash. At a switch that is not on that path (routes have just changed) by the tables. */
uint32_t weir_route_back(const struct weir_routes *r, uint32_t node, uint32_t src, uint32_t dst, uint32_t hash);

/* Picks the egress port of a switch for a packet from host src to host dst; WEIR_ROUTE_PORT_NONE if no link leads there
 * now. way: that of `here`; a constant where speed counts */
static inline uint32_t weir_route_pick(const struct weir_route_here *here, enum weir_route_way way, uint32_t src,
                                       uint32_t dst, uint32_t hash)
{
    if (way == WEIR_ROUTE_BY_HOST)
        return weir_route_by_host(here, dst, hash);
    if (way == WEIR_ROUTE_BY_EDGE)
        return weir_route_by_edge(here, dst, hash);
    if (here->host[src].edge > here->host[dst].edge)
        return weir_route_back(here->mirror, here->node, src, dst, hash);
    return weir_route_by_table(here, dst, hash);
}

/* Picks the egress port for a single packet. */
static inline uint32_t weir_route(const struct weir_routes *r, uint32_t node, uint32_t src, uint32_t dst, uint32_t hash)
{
    struct weir_route_here here = weir_route_here(r, node);
    return weir_route_pick(&here, weir_route_way(&here), src, dst, hash);
}

struct weir_route_path { /* the links from one host to another, one of the equal ones */
    uint32_t link[WEIR_TOPOLOGY_HOPS_MAX];
    uint32_t count;
};

/**
 * Follows weir_route() from src to dst.
 * @return false if there is no path, or src is dst; then out is of no use
 */
bool weir_route_path(const struct weir_routes *r, const struct weir_topology *topo, uint32_t src, uint32_t dst,
                     uint32_t hash, struct weir_route_path *out);

/* Counts the links from a switch to host dst, for a packet of src that takes weir_route() from there on; 0 = there is
 * no way. */
uint32_t weir_route_links_from(const struct weir_routes *r, const struct weir_topology *topo, uint32_t node,
                               uint32_t src, uint32_t dst, uint32_t hash);

/**
 * Computes the least possible time from the first bit of a message leaving src to its last bit reaching dst on an idle
 * network. Store-and-forward: full packets of full_wire bytes, then one of last_wire (0 = the last one is full too).
 * Exact when every rate has whole picoseconds per byte; else low by less than one picosecond per packet and link.
 * @param full_packets  0 is allowed if last_wire is not
 * @param full_wire_bytes, last_wire_bytes  0 .. WEIR_WIRE_MAX_BYTES, last_wire not above full_wire
 * @return UINT64_MAX if it does not fit
 */
uint64_t weir_route_ideal_ps(const struct weir_topology *topo, const struct weir_route_path *path,
                             uint64_t full_packets, uint32_t full_wire_bytes, uint32_t last_wire_bytes);

/* Finds two hosts between which there is no path, the first such pair by their first-hop switches.
 * @return false = there is none */
bool weir_route_gap(const struct weir_routes *r, const struct weir_topology *topo, uint32_t *src, uint32_t *dst);

/* Computes the longest round trip on an idle network, over all pairs of hosts: one data frame out, one acknowledgement
 * back. Of equal paths the longest each way counts; where both directions share one (trees, symmetric in a graph), the
 * longest there and back.
 * @return 0 if some pair has no path, UINT64_MAX if there is no memory */
uint64_t weir_route_base_rtt_ps(const struct weir_routes *r, const struct weir_topology *topo, uint32_t data_wire_bytes,
                                uint32_t ack_wire_bytes);

/* Counts the switches on the path with hash 0 between hosts of each two first-hop switches: out[from * edge_count +
 * to], 1 within one. */
void weir_route_switches(const struct weir_routes *r, const struct weir_topology *topo, uint8_t *out);

/* Returns the most links of a path between hosts, equal paths included; 0 if there is no memory. */
uint32_t weir_route_links_max(const struct weir_routes *r, const struct weir_topology *topo);
#endif
