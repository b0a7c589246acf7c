/* src/scenario/topology/route.h - the routes of a network: for each switch and each first-hop switch, a set of ports.
 * The set holds the ports of all shortest paths, by number of links or by delay, over the links that are up. With
 * spanning trees the set holds one port per tree. A packet's hash chooses among the ports of a set.
 * Hosts are never transit nodes. Whether the cable of a host with one NIC is up is ignored: packets to the host wait at
 * its switch while the cable is down.
 * Where hosts have several NICs, a path to a host is one to any of its NICs. The host itself chooses among those of its
 * NICs from which the fewest links lead there (weir_route_nics()). A NIC is not used while its cable is down, unless
 * all cables of the host are. */
#ifndef WEIR_TOPOLOGY_ROUTE_H
#define WEIR_TOPOLOGY_ROUTE_H
#include "core/assert.h"
#include "core/rng.h"
#include "topology/topology.h"

/* The scenario key fabric.routing.mode: how the path of a packet is chosen among equal ones.
 * ECMP: by a hash of (src, dst, connection).
 * SPRAY: by a hash that each packet draws anew.
 * SYMMETRIC: by a hash that is the same in both directions; so is the path. In a layered topology, equal salts within a
 * tier ensure this (except while cables are down and the path goes down and up again). In a graph, both directions take
 * the path from the first-hop switch with the lower number to the other: see weir_route_back().
 * TREES: by a hash that is the same in both directions and names a spanning tree (topology/tree.h). All switches have
 * the same salt then, so each takes the port of the same tree. */
enum weir_routing {
    WEIR_ROUTE_ECMP,
    WEIR_ROUTE_SYMMETRIC,
    WEIR_ROUTE_SPRAY,
    WEIR_ROUTE_TREES,
};

/* Tests whether both directions of a connection take the same path. */
static inline bool weir_routing_is_symmetric(enum weir_routing routing)
{
    return routing == WEIR_ROUTE_SYMMETRIC || routing == WEIR_ROUTE_TREES;
}

/* The scenario key fabric.routing.metric: the measure by which paths are shortest. DELAY sums the delays of links
 * between switches, in the direction of the packet. Transmission times do not count. */
enum weir_route_metric {
    WEIR_METRIC_HOPS,
    WEIR_METRIC_DELAY,
};

/* No port: above every port number, of which there are at most WEIR_PORTS_MAX */
#define WEIR_ROUTE_PORT_NONE UINT16_MAX
/* entries of routes that are searched for: switches x first-hop switches; 256 MB */
#define WEIR_ROUTE_ENTRIES_MAX (1u << 26)
/* Largest number of hosts with a by_host table: a switch's part is 1 KiB, which stays in the cache */
#define WEIR_ROUTE_BY_HOST_MAX 256u

struct weir_route_host { /* the position of a host in the network */
    uint16_t edge, port; /* edge: index of the host's first-hop switch; port: that switch's port to the host */
};

struct weir_route_step { /* the other end of a link that leaves a switch */
    uint32_t node;       /* node to which the link leads */
    uint32_t back;       /* port of that node that leads back */
};

struct weir_route_range { /* consecutive first-hop switches, by index */
    uint32_t first, end;
};

struct weir_routes {
    uint32_t edge_count, switch_count, first_switch;
    /* Each entry is first | count << 20 of a list in port[]; count 0 = no way. Entries are in blocks, each towards
     * block_mask + 1 edges, a power of two. Equal blocks are stored once, and so are rows of blocks: see
     * weir_route_entry(). If the routes were searched for, a row is one block, and each switch has its own. */
    uint32_t *entry;
    uint32_t *row;    /* [row][block]: index in entry[] of a block's first entry */
    uint32_t *row_of; /* per switch: index in row[] of its row's first block */
    uint32_t block_shift, block_mask;
    /* per switch: the first-hop switches below it, if the network is in layers (layers.h) and all its cables are up;
     * NULL = the routes were searched for */
    struct weir_route_range *below;
    /* [switch][host]: an entry, with the port to the host at its own switch; NULL = above WEIR_ROUTE_BY_HOST_MAX
     * hosts */
    uint32_t *by_host;
    uint16_t *port; /* port lists, shared by entries; [0] is WEIR_ROUTE_PORT_NONE, for entries without a list */
    uint32_t port_len;
    /* largest number of spanning trees of a connected part: a list has one port per tree; 0 = shortest paths */
    uint32_t tree_count;
    bool is_shared;               /* nothing but salt is owned: weir_routes_share() */
    uint32_t *salt;               /* per switch; with SYMMETRIC in a layered topology the same within a tier */
    uint32_t *own_edge;           /* per switch: its index among first-hop switches; UINT32_MAX = it has no hosts */
    struct weir_route_host *host; /* host_count */
    const uint32_t *edge_node;    /* weir_topology.edge_node of the topology, which must outlive the routes */
    /* The next two are for SYMMETRIC in a topology that is not layered; else NULL. */
    struct weir_route_step *step; /* one per link that leaves a switch, in the order of links */
    uint32_t *first_step;         /* per switch: index in step[] of its first out-link */
    /* The next two are for hosts with several NICs; else NULL. With them every host is an edge of its own:
     * edge_count is the number of hosts, and own_edge and edge_node have nothing. entry and by_host are one table,
     * [switch][host], which has the ports to a host at its own switches, too. */
    uint8_t *links;    /* [host][switch]: links of the shortest paths from the switch to the host; 0 = no way */
    uint16_t *nics;    /* host_count: the NICs that packets may take, as bits: those whose cable is up, or all */
    uint32_t nic_salt; /* of the hosts' choices, for all the same */
};

#define WEIR_ROUTE_FIRST_BITS 20
#define WEIR_ROUTE_FIRST_MASK ((1u << WEIR_ROUTE_FIRST_BITS) - 1)

/**
 * Computes the routes over the links that are up. A switch has no way to a first-hop switch if its shortest path to the
 * latter has more than WEIR_TOPOLOGY_HOPS_MAX - 2 links. With TREES, see weir_trees_find().
 * Salts are the high halves of weir_rng_key(seed, switch counted from 0, WEIR_RNG_SWITCH_SALT, 0). SYMMETRIC in a
 * layered topology: of weir_rng_key(seed, tier, WEIR_RNG_SWITCH_SALT, 1). TREES: of weir_rng_key(seed, 0,
 * WEIR_RNG_SWITCH_SALT, 2).
 * @param metric  must be WEIR_METRIC_HOPS for TREES
 * @return 0, or with err WEIR_E_MEMORY or WEIR_E_RANGE; then nothing needs freeing. WEIR_E_RANGE: more than
 *         WEIR_ROUTE_ENTRIES_MAX entries of a search, 2^20 ports in all lists, 4095 ports in one list, or 4095 trees
 */
int weir_routes_build(struct weir_routes *routes, const struct weir_topology *topo, enum weir_routing routing,
                      enum weir_route_metric metric, uint64_t seed, struct weir_err *err);
/**
 * Makes routes of another seed: tables are those of `of`, which must outlive them.
 * @param topo, routing  as `of` was built with
 * @return 0, or WEIR_E_MEMORY with err; then nothing needs freeing
 */
int weir_routes_share(struct weir_routes *routes, const struct weir_routes *of, const struct weir_topology *topo,
                      enum weir_routing routing, uint64_t seed, struct weir_err *err);
void weir_routes_free(struct weir_routes *routes);

/* Returns the target of weir_route_entry() that leads to a host: its first-hop switch, or where hosts have several NICs
 * the host. */
static inline uint32_t weir_route_target(const struct weir_routes *r, uint32_t host)
{
    return r->links != NULL ? host : r->host[host].edge;
}

/* Returns the entry of a switch towards a target; count 0 = no way, or the switch is the target. sw: counted from the
 * first switch */
static inline uint32_t weir_route_entry(const struct weir_routes *r, uint32_t sw, uint32_t target)
{
    if (r->own_edge[sw] == target)
        return 0;
    return r->entry[r->row[r->row_of[sw] + (target >> r->block_shift)] + (target & r->block_mask)];
}

/* The ways to find the out-port of a packet; all switches of a network use the same one. */
enum weir_route_way {
    WEIR_ROUTE_BY_HOST,  /* in weir_routes.by_host, which has an entry for each host */
    WEIR_ROUTE_BY_EDGE,  /* in weir_routes.entry, by the first-hop switch of the host: three steps */
    WEIR_ROUTE_MIRRORED, /* in either table, but one direction of a pair of hosts follows the path of the other */
};

/* The part of the routes that one switch needs; a local copy during a visit keeps it in registers */
struct weir_route_here {
    const uint32_t *row, *entry; /* the switch's row of weir_routes.row; weir_routes.entry */
    const uint32_t *by_host;     /* the switch's row of weir_routes.by_host, or NULL */
    const uint16_t *port;
    const struct weir_route_host *host;
    const struct weir_routes *mirror; /* all routes, if one direction of a pair of hosts follows the other; else NULL */
    uint32_t salt, own_edge, node, block_shift, block_mask;
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
    return (struct weir_route_here){ .row = &r->row[r->row_of[sw]],
                                     .entry = r->entry,
                                     .by_host = r->by_host != NULL ? &r->by_host[(size_t)sw * r->first_switch] : NULL,
                                     .port = r->port,
                                     .host = r->host,
                                     .mirror = r->step != NULL ? r : NULL,
                                     .salt = r->salt[sw],
                                     .own_edge = r->own_edge[sw],
                                     .node = node,
                                     .block_shift = r->block_shift,
                                     .block_mask = r->block_mask };
}

/* Returns one of the ports of an entry, by the hash of the packet; WEIR_ROUTE_PORT_NONE if the entry has no ports.
 * hash: well mixed already. A salt and one multiplication by an odd constant (2^32 over the golden ratio) make the
 * choices of successive switches independent, as test_route measures. */
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

/* Returns the port towards host dst by its first-hop switch. Reads both the port to the host and the port towards the
 * switch, so that a conditional move can choose. A branch on whether the packet has reached its first-hop switch would
 * be mispredicted half of the time. */
static inline uint32_t weir_route_by_edge(const struct weir_route_here *here, uint32_t dst, uint32_t hash)
{
    struct weir_route_host to = here->host[dst];
    uint32_t entry = here->entry[here->row[to.edge >> here->block_shift] + (to.edge & here->block_mask)];
    uint32_t up = weir_route_choose(here, entry, hash);
    return to.edge == here->own_edge ? to.port : up;
}

/* Returns the port for a packet to host dst from the switch's row of by_host, or without that table from its row of
 * entry. */
static inline uint32_t weir_route_by_table(const struct weir_route_here *here, uint32_t dst, uint32_t hash)
{
    return here->by_host != NULL ? weir_route_by_host(here, dst, hash) : weir_route_by_edge(here, dst, hash);
}

/* Returns the port of switch `node` for a packet from src to dst, along the path of the reverse direction: from dst to
 * src, with this hash. Called with SYMMETRIC in a graph only, if dst's first-hop switch has a lower number than src's.
 * If the switch is not on that path, because routes have just changed, returns the port of its own tables. */
uint32_t weir_route_back(const struct weir_routes *r, uint32_t node, uint32_t src, uint32_t dst, uint32_t hash);

/* Returns the egress port of a switch for a packet from host src to host dst; WEIR_ROUTE_PORT_NONE = no link leads
 * there now. way: weir_route_way(here); a constant where speed counts */
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

/* Returns the egress port of switch `node` for a packet from host src to host dst; slower than weir_route_pick().
 * WEIR_ROUTE_PORT_NONE = no link leads there now. */
static inline uint32_t weir_route(const struct weir_routes *r, uint32_t node, uint32_t src, uint32_t dst, uint32_t hash)
{
    struct weir_route_here here = weir_route_here(r, node);
    return weir_route_pick(&here, weir_route_way(&here), src, dst, hash);
}

/* Returns the NICs of host src from which the fewest links lead to host dst, as bits; 0 = none leads there. */
uint32_t weir_route_nics(const struct weir_routes *r, const struct weir_topology *topo, uint32_t src, uint32_t dst);

/* Returns one of some NICs by a hash. nics: as bits, not 0 */
uint32_t weir_route_nic_by(const struct weir_routes *r, uint32_t nics, uint32_t hash);

struct weir_route_path { /* the links of one path from a host to another */
    uint32_t link[WEIR_TOPOLOGY_HOPS_MAX];
    uint32_t count;
};

/**
 * Finds the path that packets with this hash take from src to dst, by weir_route(). Of several NICs of src it is the
 * first that may be taken.
 * @return false = there is no path, or src is dst; then *out must not be used
 */
bool weir_route_path(const struct weir_routes *r, const struct weir_topology *topo, uint32_t src, uint32_t dst,
                     uint32_t hash, struct weir_route_path *out);

/* Finds the path from a NIC of src; else as weir_route_path(). nic: one of weir_route_nics() */
bool weir_route_path_from(const struct weir_routes *r, const struct weir_topology *topo, uint32_t src, uint32_t nic,
                          uint32_t dst, uint32_t hash, struct weir_route_path *out);

/* Returns the number of links from `node` to host dst, by the ports that weir_route() returns for a packet of src. 0 =
 * there is no way, or node is dst. node: a switch, or dst itself */
uint32_t weir_route_links_from(const struct weir_routes *r, const struct weir_topology *topo, uint32_t node,
                               uint32_t src, uint32_t dst, uint32_t hash);

/* Returns how long a frame takes to be sent on a link. */
static inline uint64_t weir_link_frame_ps(const struct weir_link *link, uint32_t wire_bytes)
{
    struct weir_tx_clock clock = weir_tx_clock_of(link->rate_bps);
    return weir_tx_clock_advance(&clock, wire_bytes);
}

/* Returns how long it takes a frame to the other end of a link, from its first bit sent to its last one arrived. */
static inline uint64_t weir_link_ps(const struct weir_link *link, uint32_t wire_bytes)
{
    return weir_link_frame_ps(link, wire_bytes) + link->delay_ps;
}

/* Returns the rate of the slowest link of a path; adds the delays of all links to *delay_ps. */
uint64_t weir_route_path_bps(const struct weir_topology *topo, const struct weir_route_path *path, uint64_t *delay_ps);

/**
 * Computes the time from the first bit of a message leaving src to its last bit reaching dst on an idle network. Nodes
 * store and forward. The message is full_packets packets of full_wire_bytes, then one of last_wire_bytes (0 = there is
 * none). Exact if every rate has whole picoseconds per byte. Otherwise too low by less than one picosecond per packet
 * and link.
 * @param full_packets  may be 0 if last_wire_bytes is not
 * @param full_wire_bytes, last_wire_bytes  0 .. WEIR_WIRE_MAX_BYTES, the second not above the first
 * @return UINT64_MAX = the time does not fit
 */
uint64_t weir_route_ideal_ps(const struct weir_topology *topo, const struct weir_route_path *path,
                             uint64_t full_packets, uint32_t full_wire_bytes, uint32_t last_wire_bytes);

/* Finds two hosts such that no path leads from *src to *dst. Of all such pairs takes the first by (first-hop switch of
 * src, first-hop switch of dst), and the lowest host of each switch. Where hosts have several NICs: by (src, dst).
 * @return false = every pair has a path; then *src and *dst are not written */
bool weir_route_gap(const struct weir_routes *r, const struct weir_topology *topo, uint32_t *src, uint32_t *dst);

/* Computes the longest round trip on an idle network over all pairs of hosts: one data frame out, one acknowledgement
 * back. Of equal paths the longest counts, in each direction by itself. If both directions share a path (TREES,
 * SYMMETRIC in a graph), the longest sum of both counts.
 * @return 0 = some pair has no path; UINT64_MAX = no memory */
uint64_t weir_route_base_rtt_ps(const struct weir_routes *r, const struct weir_topology *topo, uint32_t data_wire_bytes,
                                uint32_t ack_wire_bytes);

/* Writes to out[from * edge_count + to] the number of switches between the hosts of each two first-hop switches, on the
 * path with hash 0. It is 1 within one switch, or if there is no path. */
void weir_route_switches(const struct weir_routes *r, const struct weir_topology *topo, uint8_t *out);

/* Returns the largest number of links of a path between hosts, equal paths included; 0 = no memory. */
uint32_t weir_route_links_max(const struct weir_routes *r, const struct weir_topology *topo);
#endif
