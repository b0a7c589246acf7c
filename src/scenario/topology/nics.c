/* src/scenario/topology/nics.c - routes where hosts have several NICs: which NICs lead to a host, and the costliest of
 * all shortest paths. */
#include "topology/nics.h"
#include "core/math.h"
#include <stdlib.h>
#include <string.h>

#define UNKNOWN UINT64_MAX

uint32_t weir_route_nics(const struct weir_routes *r, const struct weir_topology *topo, uint32_t src, uint32_t dst)
{
    const struct weir_node *node = &topo->node[src];
    const uint8_t *links_from;
    uint32_t nics = 0, fewest = UINT32_MAX;
    if (r->links == NULL)
        return 1;
    links_from = &r->links[(size_t)dst * r->switch_count];
    for (uint32_t i = 0; i < node->out_count; i++) {
        uint32_t to = topo->link[node->first_out + i].dst, links = to == dst; /* a direct cable: no path is shorter */
        if (to >= r->first_switch && links_from[to - r->first_switch] != 0)
            links = 1u + links_from[to - r->first_switch];
        if (links == 0 || links > fewest || (r->nics[src] >> i & 1) == 0)
            continue;
        nics = links < fewest ? 1u << i : nics | 1u << i;
        fewest = links;
    }
    return nics;
}

uint32_t weir_route_nic_by(const struct weir_routes *r, uint32_t nics, uint32_t hash)
{
    uint32_t count = (uint32_t)__builtin_popcount(nics);
    uint32_t pick = (uint32_t)((uint64_t)((hash ^ r->nic_salt) * UINT32_C(0x9e3779b1)) * count >> 32);
    WEIR_ASSERT(nics != 0);
    while (pick-- > 0)
        nics &= nics - 1;
    return (uint32_t)__builtin_ctz(nics);
}

bool weir_nics_gap(const struct weir_routes *r, const struct weir_topology *topo, uint32_t *src, uint32_t *dst)
{
    for (uint32_t from = 0; from < topo->host_count; from++)
        for (uint32_t to = 0; to < topo->host_count; to++)
            if (from != to && weir_route_nics(r, topo, from, to) == 0) {
                *src = from;
                *dst = to;
                return true;
            }
    return false;
}

/* ---- the costliest paths ---- */

struct costs {       /* of one kind of frame */
    uint64_t *out;   /* link_count: on this link */
    uint64_t *worst; /* switch_count: largest cost of a path from each switch to the host; UNKNOWN = not computed yet */
};

struct walk {
    const struct weir_routes *r;
    const struct weir_topology *topo;
    uint32_t dst;
    bool same_nic; /* packets come back by the NIC by which others left; else by any */
};

static uint64_t worst_from(const struct walk *w, const struct costs *c, uint32_t sw);

/* Returns the largest cost of a path to w->dst that begins with a link. */
static uint64_t worst_by(const struct walk *w, const struct costs *c, uint32_t link)
{
    uint32_t to = w->topo->link[link].dst, sw = to - w->r->first_switch;
    if (to == w->dst)
        return c->out[link];
    return c->out[link] + (c->worst[sw] != UNKNOWN ? c->worst[sw] : worst_from(w, c, sw));
}

/* Computes the largest cost of a path from a switch to w->dst. The recursion is as deep as a path has links. */
static uint64_t worst_from(const struct walk *w, const struct costs *c, uint32_t sw)
{
    uint32_t entry = weir_route_entry(w->r, sw, w->dst);
    uint32_t first_out = w->topo->node[w->r->first_switch + sw].first_out;
    uint64_t worst = 0;
    WEIR_ASSERT(entry != 0); /* every switch on a path has a port towards the host */
    for (uint32_t i = 0; i < entry >> WEIR_ROUTE_FIRST_BITS; i++)
        worst = weir_max_u64(worst, worst_by(w, c, first_out + w->r->port[(entry & WEIR_ROUTE_FIRST_MASK) + i]));
    c->worst[sw] = worst;
    return worst;
}

/* Returns the largest cost of a path from a NIC of host src to w->dst. */
static uint64_t worst_of_nic(const struct walk *w, const struct costs *c, uint32_t src, uint32_t nic)
{
    return worst_by(w, c, w->topo->node[src].first_out + nic);
}

static bool alloc_costs(struct costs *c, const struct weir_topology *topo)
{
    c->out = malloc(topo->link_count * sizeof(*c->out));
    c->worst = malloc((topo->switch_count + (size_t)1) * sizeof(*c->worst));
    return c->out != NULL && c->worst != NULL;
}

static void free_costs(struct costs *c)
{
    free(c->out);
    free(c->worst);
}

static void forget(const struct weir_topology *topo, struct costs *c)
{
    memset(c->worst, 0xff, topo->switch_count * sizeof(*c->worst)); /* all UNKNOWN */
}

/* Returns the links of the shortest paths from a host to another; 0 = there is none. */
static uint32_t links_between(const struct weir_routes *r, const struct weir_topology *topo, uint32_t src, uint32_t dst)
{
    uint32_t nics = weir_route_nics(r, topo, src, dst), to;
    if (nics == 0)
        return 0;
    to = topo->link[topo->node[src].first_out + (uint32_t)__builtin_ctz(nics)].dst;
    return to == dst ? 1 : 1u + r->links[(size_t)dst * r->switch_count + (to - r->first_switch)];
}

void weir_nics_switches(const struct weir_routes *r, const struct weir_topology *topo, uint8_t *out)
{
    for (uint32_t src = 0; src < topo->host_count; src++)
        for (uint32_t dst = 0; dst < topo->host_count; dst++) {
            uint32_t links = src != dst ? links_between(r, topo, src, dst) : 2;
            *out++ = (uint8_t)(links > 0 ? links - 1 : 1);
        }
}

uint32_t weir_nics_links_max(const struct weir_routes *r, const struct weir_topology *topo)
{
    uint64_t links = 0;
    for (uint32_t dst = 0; dst < topo->host_count; dst++)
        for (uint32_t src = 0; src < topo->host_count; src++)
            links = weir_max_u64(links, src != dst ? links_between(r, topo, src, dst) : 0);
    return (uint32_t)links;
}

/* Computes the round trips of one target. longest_ps: see weir_nics_round_trips(). @return false = some host has no
 * path */
static bool add_target(const struct walk *w, const struct costs *data, const struct costs *ack, uint64_t *longest_ps)
{
    const struct weir_topology *topo = w->topo;
    for (uint32_t src = 0; src < topo->host_count; src++) {
        uint32_t nics = src != w->dst ? weir_route_nics(w->r, topo, src, w->dst) : 0;
        uint64_t data_ps = 0, ack_ps = 0;
        if (nics == 0 && src != w->dst)
            return false;
        for (uint32_t left = nics; left != 0; left &= left - 1) {
            data_ps = weir_max_u64(data_ps, worst_of_nic(w, data, src, (uint32_t)__builtin_ctz(left)));
            ack_ps = weir_max_u64(ack_ps, worst_of_nic(w, ack, src, (uint32_t)__builtin_ctz(left)));
        }
        for (; nics != 0; nics &= nics - 1) {
            uint32_t nic = (uint32_t)__builtin_ctz(nics);
            uint64_t *at = &longest_ps[(size_t)src * WEIR_NICS_MAX + nic], trip_ps = data_ps + ack_ps;
            if (w->same_nic)
                trip_ps = worst_of_nic(w, data, src, nic) + worst_of_nic(w, ack, src, nic);
            *at = weir_max_u64(*at, trip_ps);
        }
    }
    return true;
}

/* Computes both directions for one target at a time. A path is as short in both directions, so a way back is a way out
 * the other way round: its cost is that of acknowledgements on the reverse links. */
enum weir_nics_trips weir_nics_round_trips(const struct weir_routes *r, const struct weir_topology *topo,
                                           uint32_t data_wire_bytes, uint32_t ack_wire_bytes, bool same_nic,
                                           uint64_t *longest_ps)
{
    struct walk w = { .r = r, .topo = topo, .same_nic = same_nic };
    struct costs data = { 0 }, ack = { 0 };
    bool ok = alloc_costs(&data, topo), joined = true;
    ok = alloc_costs(&ack, topo) && ok;
    memset(longest_ps, 0, (size_t)topo->host_count * WEIR_NICS_MAX * sizeof(*longest_ps));
    for (uint32_t l = 0; ok && l < topo->link_count; l++) {
        data.out[l] = weir_link_ps(&topo->link[l], data_wire_bytes);
        ack.out[l] = weir_link_ps(&topo->link[topo->link[l].reverse], ack_wire_bytes);
    }
    for (w.dst = 0; ok && joined && w.dst < topo->host_count; w.dst++) {
        forget(topo, &data);
        forget(topo, &ack);
        joined = add_target(&w, &data, &ack, longest_ps);
    }
    free_costs(&data);
    free_costs(&ack);
    return !ok ? WEIR_NICS_NO_MEMORY : joined ? WEIR_NICS_JOINED : WEIR_NICS_APART;
}

uint64_t weir_nics_base_rtt_ps(const struct weir_routes *r, const struct weir_topology *topo, uint32_t data_wire_bytes,
                               uint32_t ack_wire_bytes)
{
    uint64_t *all_ps = malloc((size_t)topo->host_count * WEIR_NICS_MAX * sizeof(*all_ps)), longest_ps = 0;
    enum weir_nics_trips found = WEIR_NICS_NO_MEMORY;
    if (all_ps != NULL)
        found = weir_nics_round_trips(r, topo, data_wire_bytes, ack_wire_bytes, false, all_ps);
    for (size_t i = 0; found == WEIR_NICS_JOINED && i < (size_t)topo->host_count * WEIR_NICS_MAX; i++)
        longest_ps = weir_max_u64(longest_ps, all_ps[i]);
    free(all_ps);
    return found == WEIR_NICS_NO_MEMORY ? UINT64_MAX : longest_ps;
}
