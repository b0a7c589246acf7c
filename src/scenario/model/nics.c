/* src/scenario/model/nics.c - see nics.h. */
#include "model/nics.h"
#include "core/assert.h"
#include "core/math.h"
#include <stdlib.h>
#include <string.h>

/* ---- transports ---- */

/* Numbers the transports of a host, where each NIC has its own. */
static void one_each(struct weir_nics *nics, uint32_t host)
{
    for (uint32_t i = 0; i < nics->topo->node[host].out_count; i++)
        nics->transport_of[host * WEIR_NICS_MAX + i] = (uint8_t)i;
    nics->count[host] = (uint8_t)nics->topo->node[host].out_count;
}

/* Returns the representative of a NIC's set. */
static uint32_t find(const uint8_t *set, uint32_t nic)
{
    while (set[nic] != nic)
        nic = set[nic];
    return nic;
}

/* Joins the sets of some NICs of a host, of which in the end the lowest NIC is the representative. */
static void join(uint8_t *set, uint32_t nics)
{
    uint32_t first = find(set, (uint32_t)__builtin_ctz(nics));
    for (nics &= nics - 1; nics != 0; nics &= nics - 1) {
        uint32_t other = find(set, (uint32_t)__builtin_ctz(nics)), low = other < first ? other : first;
        set[first] = set[other] = (uint8_t)low;
        first = low;
    }
}

/* Finds the transports of all hosts, where two NICs share one if both lead to some host. They are numbered by their
 * lowest NICs. A destination after the other: the links to it are read from one row of memory. */
static void share(struct weir_nics *nics)
{
    const struct weir_topology *topo = nics->topo;
    uint8_t *of = nics->transport_of;
    for (size_t i = 0; i < (size_t)topo->host_count * WEIR_NICS_MAX; i++)
        of[i] = (uint8_t)(i % WEIR_NICS_MAX);
    for (uint32_t dst = 0; dst < topo->host_count; dst++)
        for (uint32_t src = 0; src < topo->host_count; src++) {
            uint32_t ways = src != dst ? weir_route_nics(&nics->routes, topo, src, dst) : 0;
            if ((ways & (ways - 1)) != 0)
                join(&of[(size_t)src * WEIR_NICS_MAX], ways);
        }
    for (uint32_t h = 0; h < topo->host_count; h++, of += WEIR_NICS_MAX)
        for (uint32_t i = 0; i < topo->node[h].out_count; i++) /* those of lower NICs are numbers already */
            of[i] = of[i] == i ? nics->count[h]++ : of[of[i]];
}

/* Returns the least rate of the sets of NICs of a host that share a transport. */
static uint64_t least_bps(const struct weir_nics *nics, uint32_t host)
{
    const struct weir_node *node = &nics->topo->node[host];
    uint64_t sum_bps[WEIR_NICS_MAX] = { 0 }, least = UINT64_MAX;
    for (uint32_t i = 0; i < node->out_count; i++)
        sum_bps[nics->transport_of[(size_t)host * WEIR_NICS_MAX + i]] += nics->topo->link[node->first_out + i].rate_bps;
    for (uint32_t t = 0; t < nics->count[host]; t++)
        least = weir_min_u64(least, sum_bps[t]);
    return least;
}

static bool alloc_hosts(struct weir_nics *nics)
{
    size_t hosts = nics->topo->host_count;
    nics->host_bps = calloc(hosts, sizeof(*nics->host_bps));
    nics->count = calloc(hosts, sizeof(*nics->count));
    nics->transport_of = calloc(hosts * WEIR_NICS_MAX, sizeof(*nics->transport_of));
    return nics->host_bps != NULL && nics->count != NULL && nics->transport_of != NULL;
}

static bool alloc_transports(struct weir_nics *nics)
{
    size_t entries = (size_t)nics->topo->host_count * nics->transports;
    nics->own = calloc(entries, sizeof(*nics->own));
    nics->link = calloc(entries, sizeof(*nics->link));
    return nics->own != NULL && nics->link != NULL;
}

/* Sums up the NICs of each transport of a host. Transports that it does not have get the rates of its first one: two
 * hosts may use transports of different numbers. */
static void sum_up(struct weir_nics *nics, uint32_t host)
{
    const struct weir_topology *topo = nics->topo;
    for (uint32_t i = 0; i < topo->node[host].out_count; i++) {
        uint32_t transport = nics->transport_of[host * WEIR_NICS_MAX + i];
        const struct weir_link *out = &topo->link[topo->node[host].first_out + i];
        nics->own[(size_t)host * nics->transports + transport] |= (uint16_t)(1u << i);
        nics->link[(size_t)transport * topo->host_count + host].up_bps += out->rate_bps;
        nics->link[(size_t)transport * topo->host_count + host].down_bps += topo->link[out->reverse].rate_bps;
    }
    for (uint32_t t = nics->count[host]; t < nics->transports; t++)
        nics->link[(size_t)t * topo->host_count + host] = nics->link[host];
}

int weir_nics_build(struct weir_nics *nics, const struct weir_topology *topo, enum weir_routing routing,
                    uint32_t choice, uint64_t seed, struct weir_err *err)
{
    int code;
    *nics = (struct weir_nics){ .topo = topo, .choice = choice, .seed = seed };
    code = weir_routes_build(&nics->routes, topo, routing, WEIR_METRIC_HOPS, seed, err);
    if (code != 0)
        return code;
    if (alloc_hosts(nics)) {
        share(nics);
        for (uint32_t h = 0; h < topo->host_count; h++) {
            nics->host_bps[h] = least_bps(nics, h);
            if (!weir_nics_spread(choice))
                one_each(nics, h);
            if (nics->count[h] > nics->transports)
                nics->transports = nics->count[h];
        }
        if (alloc_transports(nics)) {
            for (uint32_t h = 0; h < topo->host_count; h++)
                sum_up(nics, h);
            return 0;
        }
    }
    weir_nics_free(nics);
    return weir_fail_memory(err);
}

uint64_t weir_nics_most_bps(const struct weir_nics *nics)
{
    uint64_t most_bps = 0;
    for (uint32_t h = 0; h < nics->topo->host_count; h++)
        most_bps = weir_max_u64(most_bps, weir_topology_host_bps(nics->topo, h));
    return most_bps;
}

void weir_nics_free(struct weir_nics *nics)
{
    free(nics->count);
    free(nics->own);
    free(nics->transport_of);
    free(nics->link);
    free(nics->host_bps);
    weir_routes_free(&nics->routes);
    *nics = (struct weir_nics){ 0 };
}

/* ---- choices ---- */

uint32_t weir_nics_of_pair(const struct weir_nics *nics, uint32_t self, uint32_t peer)
{
    uint32_t ways;
    WEIR_ASSERT(nics->choice != WEIR_NICS_RAIL);
    if (nics->count[self] == 1)
        return 0;
    ways = weir_route_nics(&nics->routes, nics->topo, self, peer);
    WEIR_ASSERT(ways != 0);
    if (!weir_nics_spread(nics->choice))
        return weir_route_nic_by(&nics->routes, ways, weir_rng_path(nics->seed, self, peer, 0, true));
    return nics->transport_of[(size_t)self * WEIR_NICS_MAX + (uint32_t)__builtin_ctz(ways)];
}

uint32_t weir_nics_ways(const struct weir_nics *nics, const struct weir_routes *now, uint32_t src, uint32_t transport,
                        uint32_t dst)
{
    uint32_t own = nics->own[(size_t)src * nics->transports + transport], ways;
    if (nics->choice == WEIR_NICS_RAIL)
        return own;
    ways = weir_route_nics(now, nics->topo, src, dst);
    return (ways & own) != 0 ? ways & own : ways;
}

uint32_t weir_nics_between(const struct weir_nics *nics, uint32_t src, uint32_t dst)
{
    WEIR_ASSERT(src != dst);
    if (nics->choice == WEIR_NICS_RAIL)
        return (1u << nics->topo->node[src].out_count) - 1;
    return weir_nics_ways(nics, &nics->routes, src, weir_nics_of_pair(nics, src, dst), dst);
}

uint32_t weir_nics_asked(const struct weir_nics *nics, const struct weir_routes *now, uint32_t host, uint32_t transport)
{
    uint32_t own = nics->own[(size_t)host * nics->transports + transport];
    if (nics->choice == WEIR_NICS_RAIL || (own & now->nics[host]) == own)
        return own;
    return (own & now->nics[host]) != 0 ? own & now->nics[host] : now->nics[host];
}

/* ---- ideal times ---- */

/* Computes it for n packets over k NICs. One NIC has the least whole number that is not below n / k. A shorter last
 * packet spares it one full packet if no other NIC has as many. */
void weir_nics_ideal(const struct weir_nics *nics, const struct weir_framing *framing, uint32_t src, uint32_t dst,
                     uint64_t bytes, uint64_t *ideal_ps, uint64_t *payload_ps)
{
    uint32_t rest = (uint32_t)(bytes % framing->payload_bytes),
             full = weir_framing_wire(framing, framing->payload_bytes);
    uint32_t ways = weir_nics_between(nics, src, dst);
    uint32_t count = weir_nics_spread(nics->choice) ? (uint32_t)__builtin_popcount(ways) : 1;
    uint64_t packets = bytes / framing->payload_bytes + (rest > 0), own = (packets + count - 1) / count, best_bps = 0;
    bool ends_short =
        rest > 0 && packets % count == (count > 1); /* the NIC with most packets has the last one, alone */
    *ideal_ps = *payload_ps = UINT64_MAX;
    for (; ways != 0; ways &= ways - 1) {
        struct weir_route_path path;
        uint64_t delay_ps = 0;
        if (!weir_route_path_from(&nics->routes, nics->topo, src, (uint32_t)__builtin_ctz(ways), dst, 0, &path))
            continue;
        *ideal_ps = weir_min_u64(*ideal_ps, weir_route_ideal_ps(nics->topo, &path, own - ends_short, full,
                                                                ends_short ? weir_framing_wire(framing, rest) : 0));
        best_bps = weir_max_u64(best_bps, weir_route_path_bps(nics->topo, &path, &delay_ps));
        *payload_ps = weir_min_u64(*payload_ps, delay_ps);
    }
    WEIR_ASSERT(best_bps > 0); /* set-up refuses hosts without a path */
    *payload_ps += weir_mul_div_u64(bytes * 8, WEIR_PS_PER_S, best_bps * count); /* fits: bytes <= 2^40 */
}
