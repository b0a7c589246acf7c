/* src/scenario/topology/audit.c - the implementation of audit.h. Shortest paths towards one switch form a graph without
 * cycles. So the summary of all paths from a switch is combined from those of its next hops, once per switch and
 * target. */
#include "topology/audit.h"
#include "core/math.h"
#include <stdlib.h>
#include <string.h>

struct walk {
    const struct weir_topology *topo;
    const struct weir_routes *r;
    /* switch_count: the paths from each switch to the target; links_max 0 = not computed yet */
    struct weir_audit_way *way;
    uint32_t target; /* index of the target among first-hop switches */
};

struct pairs {
    struct walk walk;
    uint32_t *edge;             /* count first-hop switches that are compared, by their index */
    struct weir_audit_way *way; /* [from][to] */
    uint32_t *hosts;            /* hosts of each */
    uint32_t count;
};

static const struct weir_audit_pair no_pair = { .src = UINT32_MAX, .dst = UINT32_MAX };

/* --- paths --- */

static uint64_t add_sat(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static struct weir_audit_way behind(const struct weir_link *link, const struct weir_audit_way *rest)
{
    return (struct weir_audit_way){ .count = rest->count,
                                    .delay_min_ps = link->delay_ps + rest->delay_min_ps,
                                    .delay_max_ps = link->delay_ps + rest->delay_max_ps,
                                    .rate_min_bps = weir_min_u64(link->rate_bps, rest->rate_min_bps),
                                    .links_min = rest->links_min + 1,
                                    .links_max = rest->links_max + 1 };
}

static void join(struct weir_audit_way *all, const struct weir_audit_way *one)
{
    if (all->count == 0) {
        *all = *one;
        return;
    }
    all->count = add_sat(all->count, one->count);
    all->delay_min_ps = weir_min_u64(all->delay_min_ps, one->delay_min_ps);
    all->delay_max_ps = weir_max_u64(all->delay_max_ps, one->delay_max_ps);
    all->rate_min_bps = weir_min_u64(all->rate_min_bps, one->rate_min_bps);
    all->links_min = one->links_min < all->links_min ? one->links_min : all->links_min;
    all->links_max = one->links_max > all->links_max ? one->links_max : all->links_max;
}

/* Returns the summary of the paths from a switch to the target; count 0 = there is no path. The recursion is as deep as
 * a path has links. */
static const struct weir_audit_way *way_from(struct walk *w, uint32_t sw)
{
    struct weir_audit_way *way = &w->way[sw];
    uint32_t entry = w->r->entry[(size_t)sw * w->r->edge_count + w->target];
    uint32_t first_out = w->topo->node[w->r->first_switch + sw].first_out;
    if (way->links_max != 0 || entry == 0)
        return way;
    for (uint32_t i = 0; i < entry >> WEIR_ROUTE_FIRST_BITS; i++) {
        const struct weir_link *link = &w->topo->link[first_out + w->r->port[(entry & WEIR_ROUTE_FIRST_MASK) + i]];
        struct weir_audit_way one = behind(link, way_from(w, link->dst - w->r->first_switch));
        join(way, &one);
    }
    return way;
}

static uint32_t host_of(const struct weir_topology *topo, uint32_t edge)
{
    return topo->link[topo->node[topo->edge_node[edge]].first_out].dst;
}

/* Returns the summary of the paths between the lowest hosts of two first-hop switches, the hosts' links included; count
 * 0 = there is no path. from, to: index among first-hop switches; `to` must be the target */
static struct weir_audit_way between_hosts(struct walk *w, uint32_t from, uint32_t to)
{
    const struct weir_topology *topo = w->topo;
    const struct weir_link *up = &topo->link[weir_topology_link_from(topo, host_of(topo, from))];
    const struct weir_link *down = &topo->link[weir_topology_link_to(topo, host_of(topo, to))];
    struct weir_audit_way way = *way_from(w, topo->edge_node[from] - w->r->first_switch);
    if (way.count == 0)
        return way;
    way = behind(up, &way);
    return behind(down, &way); /* the summary does not depend on the order of links */
}

static void aim(struct walk *w, uint32_t edge)
{
    w->target = edge;
    memset(w->way, 0, w->topo->switch_count * sizeof(*w->way));
    w->way[w->topo->edge_node[edge] - w->r->first_switch] =
        (struct weir_audit_way){ .count = 1, .rate_min_bps = UINT64_MAX };
}

/* --- pairs --- */

static void keep(struct weir_audit_pair *best, bool better, const struct weir_audit_pair *pair)
{
    if (best->src == UINT32_MAX || better)
        *best = *pair;
}

static void compare_ways(struct weir_audit *a, const struct weir_audit_pair *pair)
{
    const struct weir_audit_way *x = &pair->out, *y = &pair->back;
    const bool unlike[WEIR_UNLIKE_KINDS] = {
        [WEIR_UNLIKE_COUNT] = x->count != y->count,
        [WEIR_UNLIKE_LINKS] = x->links_min != y->links_min || x->links_max != y->links_max,
        [WEIR_UNLIKE_DELAY] = x->delay_min_ps != y->delay_min_ps || x->delay_max_ps != y->delay_max_ps,
        [WEIR_UNLIKE_RATE] = x->rate_min_bps != y->rate_min_bps,
    };
    bool any = false;
    for (int i = 0; i < WEIR_UNLIKE_KINDS; i++) {
        a->unlike[i] += unlike[i];
        any = any || unlike[i];
    }
    a->unlike_any += any;
    if (any)
        keep(&a->first_unlike, false, pair);
}

static uint32_t hosts_of(const struct weir_topology *topo, uint32_t edge)
{
    const struct weir_node *node = &topo->node[topo->edge_node[edge]];
    uint32_t hosts = 0;
    while (hosts < node->out_count && topo->link[node->first_out + hosts].dst < topo->host_count)
        hosts++;
    return hosts;
}

/* Counts `pairs` ordered pairs of hosts that are `links` apart. */
static void note_links(struct weir_audit *a, uint64_t pairs, uint32_t links)
{
    WEIR_ASSERT(links >= 2); /* the links of the two hosts */
    if (pairs == 0)
        return;
    a->host_links_min = a->host_pairs == 0 || links < a->host_links_min ? links : a->host_links_min;
    a->host_links_max = links > a->host_links_max ? links : a->host_links_max;
    a->host_pairs += pairs;
    a->host_links += pairs * links; /* 2^40 pairs of 2^7 links fit */
}

static void note_pair(struct weir_audit *a, const struct pairs *p, uint32_t i, uint32_t j)
{
    struct weir_audit_pair pair = { .src = host_of(p->walk.topo, p->edge[i]),
                                    .dst = host_of(p->walk.topo, p->edge[j]),
                                    .out = p->way[(size_t)i * p->count + j],
                                    .back = p->way[(size_t)j * p->count + i] };
    a->pairs++;
    if (pair.out.count == 0 || pair.back.count == 0) {
        a->pairs_cut++;
        return;
    }
    note_links(a, (uint64_t)p->hosts[i] * p->hosts[j], pair.out.links_min);
    note_links(a, (uint64_t)p->hosts[i] * p->hosts[j], pair.back.links_min);
    keep(&a->longest, pair.out.links_max > a->longest.out.links_max, &pair);
    keep(&a->fewest, pair.out.count < a->fewest.out.count, &pair);
    keep(&a->most, pair.out.count > a->most.out.count, &pair);
    compare_ways(a, &pair);
}

static void note_pairs(struct weir_audit *a, struct pairs *p)
{
    for (uint32_t j = 0; j < p->count; j++) {
        aim(&p->walk, p->edge[j]);
        for (uint32_t i = 0; i < p->count; i++)
            if (i != j)
                p->way[(size_t)i * p->count + j] = between_hosts(&p->walk, p->edge[i], p->edge[j]);
    }
    for (uint32_t i = 0; i < p->count; i++) {
        p->hosts[i] = hosts_of(p->walk.topo, p->edge[i]);
        note_links(a, (uint64_t)p->hosts[i] * (p->hosts[i] - 1), 2); /* at one switch; every one has a host */
    }
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t j = i + 1; j < p->count; j++)
            note_pair(a, p, i, j);
}

static int audit_pairs(struct weir_audit *a, const struct weir_topology *topo, const struct weir_routes *r,
                       struct weir_err *err)
{
    struct pairs p = { .walk = { .topo = topo, .r = r },
                       .count = topo->edge_count < WEIR_AUDIT_EDGES_MAX ? topo->edge_count : WEIR_AUDIT_EDGES_MAX };
    int code = 0;
    p.walk.way = calloc(topo->switch_count, sizeof(*p.walk.way));
    p.edge = calloc(p.count, sizeof(*p.edge));
    p.hosts = calloc(p.count, sizeof(*p.hosts));
    p.way = calloc((size_t)p.count * p.count, sizeof(*p.way));
    a->edges = p.count;
    if (p.walk.way == NULL || p.edge == NULL || p.hosts == NULL || p.way == NULL) {
        code = weir_fail_memory(err);
    } else {
        for (uint32_t i = 0; i < p.count; i++)
            p.edge[i] = (uint32_t)((uint64_t)i * topo->edge_count / p.count);
        note_pairs(a, &p);
    }
    free(p.walk.way);
    free(p.edge);
    free(p.hosts);
    free(p.way);
    return code;
}

/* --- tiers --- */

static uint32_t tier_of(const struct weir_topology *topo, uint32_t node)
{
    uint32_t tier = weir_topology_tier(topo, node);
    return tier < WEIR_AUDIT_TIERS_MAX ? tier : WEIR_AUDIT_TIERS_MAX;
}

/* Tests whether a / b is above c / d. Each argument is a sum of rates of one switch: 2^16 ports of 2^43 bit/s are 2^59
 * at most. */
static bool ratio_above(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t left_hi = weir_mul_hi_u64(a, d), right_hi = weir_mul_hi_u64(c, b);
    return left_hi != right_hi ? left_hi > right_hi : a * d > c * b;
}

static void add_switch(struct weir_audit *a, const struct weir_topology *topo, uint32_t sw)
{
    uint32_t own = tier_of(topo, sw);
    struct weir_audit_tier *tier = &a->tier[own];
    const struct weir_node *node = &topo->node[sw];
    uint64_t down_bps = 0, up_bps = 0;
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
        const struct weir_link *out = &topo->link[l];
        uint32_t other = tier_of(topo, out->dst);
        tier->hosts += out->dst < topo->host_count;
        tier->cables_down += other < own;
        tier->cables_up += other > own;
        tier->cables_across += other == own;
        if (other < own)
            down_bps += topo->link[out->reverse].rate_bps;
        else
            up_bps += out->rate_bps;
    }
    tier->switches++;
    tier->down_bps += down_bps;
    tier->up_bps += up_bps;
    if (up_bps == 0 ||
        (tier->worst != UINT32_MAX && !ratio_above(down_bps, up_bps, tier->worst_down_bps, tier->worst_up_bps)))
        return;
    tier->worst = sw;
    tier->worst_down_bps = down_bps;
    tier->worst_up_bps = up_bps;
}

static void audit_tiers(struct weir_audit *a, const struct weir_topology *topo)
{
    for (uint32_t t = 0; t <= WEIR_AUDIT_TIERS_MAX; t++)
        a->tier[t].worst = UINT32_MAX;
    for (uint32_t n = topo->host_count; n < topo->node_count; n++) {
        uint32_t tier = tier_of(topo, n), ports = topo->node[n].out_count;
        a->ports_min = n == topo->host_count || ports < a->ports_min ? ports : a->ports_min;
        a->ports_max = ports > a->ports_max ? ports : a->ports_max;
        a->tier_count = tier > a->tier_count ? tier : a->tier_count;
        add_switch(a, topo, n);
    }
}

/* Counts a cable by its rate. */
static void note_rate(struct weir_audit *a, uint64_t rate_bps)
{
    uint32_t at = 0;
    while (at < a->rates && a->rate[at].rate_bps < rate_bps)
        at++;
    if (at == WEIR_AUDIT_RATES_MAX)
        at--;
    if (a->rates < WEIR_AUDIT_RATES_MAX && (at == a->rates || a->rate[at].rate_bps != rate_bps)) {
        memmove(&a->rate[at + 1], &a->rate[at], (a->rates - at) * sizeof(a->rate[0]));
        a->rate[at] = (struct weir_audit_rate){ .rate_bps = rate_bps };
        a->rates++;
    }
    a->rate[a->rate[at].rate_bps == rate_bps ? at : a->rates - 1].cables++;
}

static void audit_cables(struct weir_audit *a, const struct weir_topology *topo)
{
    for (uint32_t l = 0; l < topo->link_count; l++) {
        const struct weir_link *out = &topo->link[l], *back = &topo->link[out->reverse];
        if (l > out->reverse)
            continue;
        a->cables++;
        note_rate(a, out->rate_bps);
        a->cables_unlike_rate += out->rate_bps != back->rate_bps;
        a->cables_unlike_delay += out->delay_ps != back->delay_ps;
    }
}

int weir_audit(struct weir_audit *out, const struct weir_topology *topo, const struct weir_routes *routes,
               struct weir_err *err)
{
    int code;
    *out = (struct weir_audit){ .longest = no_pair, .fewest = no_pair, .most = no_pair, .first_unlike = no_pair };
    audit_tiers(out, topo);
    audit_cables(out, topo);
    code = audit_pairs(out, topo, routes, err);
    return code != 0 ? code : weir_bisection(topo, &out->bisection_bps, err);
}
