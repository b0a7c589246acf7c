/* src/scenario/topology/audit.c - the implementation of audit.h. Shortest paths towards one switch form a graph without
 * cycles. So the summary of all paths from a switch is combined from those of its next hops, once per switch and
 * target. */
#include "topology/audit.h"
#include "core/math.h"
#include "core/rng.h"
#include <stdlib.h>
#include <string.h>

struct walk {
    const struct weir_topology *topo;
    const struct weir_routes *r;
    /* switch_count: the paths from each switch to the target; links_max 0 = not computed yet */
    struct weir_audit_way *way;
    uint32_t target; /* index of the target among first-hop switches; with several NICs the target is a host */
};

struct pairs {
    struct walk walk;
    uint32_t *edge;             /* count targets that are compared: first-hop switches by their index, or hosts */
    struct weir_audit_way *way; /* [from][to] */
    uint32_t *hosts;            /* hosts of each */
    uint32_t count;
};

static const struct weir_audit_pair no_pair = { .src = UINT32_MAX, .dst = UINT32_MAX };
static const struct weir_audit_way arrived = { .count = 1, .rate_min_bps = UINT64_MAX }; /* no link is left */

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

static const struct weir_audit_way *way_from(struct walk *w, uint32_t sw);

/* Returns the summary of the paths from the end of a link to the target. */
static const struct weir_audit_way *way_beyond(struct walk *w, const struct weir_link *link)
{
    return link->dst < w->topo->host_count ? &arrived : way_from(w, link->dst - w->r->first_switch);
}

/* Returns the summary of the paths from a switch to the target; count 0 = there is no path. The recursion is as deep as
 * a path has links. */
static const struct weir_audit_way *way_from(struct walk *w, uint32_t sw)
{
    struct weir_audit_way *way = &w->way[sw];
    uint32_t entry = weir_route_entry(w->r, sw, w->target);
    uint32_t first_out = w->topo->node[w->r->first_switch + sw].first_out;
    if (way->links_max != 0 || entry == 0)
        return way;
    for (uint32_t i = 0; i < entry >> WEIR_ROUTE_FIRST_BITS; i++) {
        const struct weir_link *link = &w->topo->link[first_out + w->r->port[(entry & WEIR_ROUTE_FIRST_MASK) + i]];
        struct weir_audit_way one = behind(link, way_beyond(w, link));
        join(way, &one);
    }
    return way;
}

/* Returns the summary of the paths from a host to the target, by all NICs that lead there; count 0 = there is none. */
static struct weir_audit_way way_by_nics(struct walk *w, uint32_t src)
{
    struct weir_audit_way all = { 0 };
    WEIR_ASSERT(src != w->target);
    for (uint32_t nics = weir_route_nics(w->r, w->topo, src, w->target); nics != 0; nics &= nics - 1) {
        const struct weir_link *link = &w->topo->link[w->topo->node[src].first_out + (uint32_t)__builtin_ctz(nics)];
        struct weir_audit_way one = behind(link, way_beyond(w, link));
        WEIR_ASSERT(one.count > 0); /* by the choice of NICs */
        join(&all, &one);
    }
    return all;
}

/* Returns the host that stands for a target: the lowest host of a first-hop switch, or the target itself. */
static uint32_t host_of(const struct weir_topology *topo, uint32_t edge)
{
    return weir_topology_has_nics(topo) ? edge : topo->link[topo->node[topo->edge_node[edge]].first_out].dst;
}

/* Returns the summary of the paths between the lowest hosts of two first-hop switches, the hosts' links included; count
 * 0 = there is no path. from, to: index among first-hop switches, or hosts; `to` must be the target */
static struct weir_audit_way between_hosts(struct walk *w, uint32_t from, uint32_t to)
{
    const struct weir_topology *topo = w->topo;
    const struct weir_link *up, *down;
    struct weir_audit_way way;
    if (weir_topology_has_nics(topo))
        return way_by_nics(w, from);
    up = &topo->link[weir_topology_link_from(topo, host_of(topo, from))];
    down = &topo->link[weir_topology_link_to(topo, host_of(topo, to))];
    way = *way_from(w, topo->edge_node[from] - w->r->first_switch);
    if (way.count == 0)
        return way;
    way = behind(up, &way);
    return behind(down, &way); /* the summary does not depend on the order of links */
}

static void aim(struct walk *w, uint32_t edge)
{
    w->target = edge;
    memset(w->way, 0, w->topo->switch_count * sizeof(*w->way));
    if (!weir_topology_has_nics(w->topo))
        w->way[w->topo->edge_node[edge] - w->r->first_switch] = arrived;
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

/* Returns how many hosts a target stands for: those of a first-hop switch, or one. */
static uint32_t hosts_of(const struct weir_topology *topo, uint32_t edge)
{
    return weir_topology_has_nics(topo) ? 1 : weir_topology_host_ports(topo, topo->edge_node[edge]);
}

/* Counts `pairs` ordered pairs of hosts that are `links` apart. */
static void note_links(struct weir_audit *a, uint64_t pairs, uint32_t links)
{
    if (pairs == 0)
        return;
    WEIR_ASSERT(links >= 1); /* 1: a cable between the two hosts */
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

/* Lists the targets that are compared. Of hosts some are drawn, each as likely: evenly spaced ones might all have the
 * same place in their servers. (Knuth, "Seminumerical Algorithms", 3.4.2, algorithm S) */
static void choose_targets(struct pairs *p)
{
    uint32_t all = p->walk.r->edge_count, chosen = 0;
    uint64_t key = weir_rng_key(0, 0, WEIR_RNG_SAMPLE, 0);
    if (!weir_topology_has_nics(p->walk.topo)) {
        for (uint32_t i = 0; i < p->count; i++)
            p->edge[i] = (uint32_t)((uint64_t)i * all / p->count);
        return;
    }
    for (uint32_t h = 0; h < all && chosen < p->count; h++)
        if (weir_rng_below(weir_rng_at(key, h), all - h) < p->count - chosen)
            p->edge[chosen++] = h;
    WEIR_ASSERT(chosen == p->count);
}

static int audit_pairs(struct weir_audit *a, const struct weir_topology *topo, const struct weir_routes *r,
                       struct weir_err *err)
{
    struct pairs p = { .walk = { .topo = topo, .r = r },
                       .count = r->edge_count < WEIR_AUDIT_EDGES_MAX ? r->edge_count : WEIR_AUDIT_EDGES_MAX };
    int code = 0;
    p.walk.way = calloc(topo->switch_count + (size_t)1, sizeof(*p.walk.way)); /* 1: hosts may be joined without any */
    p.edge = calloc(p.count, sizeof(*p.edge));
    p.hosts = calloc(p.count, sizeof(*p.hosts));
    p.way = calloc((size_t)p.count * p.count, sizeof(*p.way));
    a->edges = p.count;
    if (p.walk.way == NULL || p.edge == NULL || p.hosts == NULL || p.way == NULL) {
        code = weir_fail_memory(err);
    } else {
        choose_targets(&p);
        note_pairs(a, &p);
    }
    free(p.walk.way);
    free(p.edge);
    free(p.hosts);
    free(p.way);
    return code;
}

/* --- tiers --- */

uint32_t weir_audit_tier_of(const struct weir_topology *topo, uint32_t node)
{
    uint32_t tier = weir_topology_tier(topo, node);
    return tier < WEIR_AUDIT_TIERS_MAX ? tier : WEIR_AUDIT_TIERS_MAX;
}

void weir_audit_note_rate(struct weir_audit_rate *rate, uint32_t *rates, uint64_t rate_bps)
{
    uint32_t at = 0;
    while (at < *rates && rate[at].rate_bps < rate_bps)
        at++;
    if (at == WEIR_AUDIT_RATES_MAX)
        at--;
    if (*rates < WEIR_AUDIT_RATES_MAX && (at == *rates || rate[at].rate_bps != rate_bps)) {
        memmove(&rate[at + 1], &rate[at], (*rates - at) * sizeof(rate[0]));
        rate[at] = (struct weir_audit_rate){ .rate_bps = rate_bps };
        ++*rates;
    }
    rate[rate[at].rate_bps == rate_bps ? at : *rates - 1].cables++;
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
    uint32_t own = weir_audit_tier_of(topo, sw);
    struct weir_audit_tier *tier = &a->tier[own];
    const struct weir_node *node = &topo->node[sw];
    uint64_t down_bps = 0, up_bps = 0;
    bool alone = topo->switch_count > 1;
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
        const struct weir_link *out = &topo->link[l];
        uint32_t other = weir_audit_tier_of(topo, out->dst);
        alone = alone && out->dst < topo->host_count;
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
    tier->alone += alone;
    tier->over_bps += alone ? 0 : down_bps;
    if (up_bps == 0 ||
        (tier->worst != UINT32_MAX && !ratio_above(down_bps, up_bps, tier->worst_down_bps, tier->worst_up_bps)))
        return;
    tier->worst = sw;
    tier->worst_down_bps = down_bps;
    tier->worst_up_bps = up_bps;
}

/* Counts the hosts of each tier, and the NICs of hosts. */
static void add_host(struct weir_audit *a, const struct weir_topology *topo, uint32_t host)
{
    const struct weir_node *node = &topo->node[host];
    uint32_t tiers = 0;
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
        tiers |= 1u << weir_audit_tier_of(topo, topo->link[l].dst);
        weir_audit_note_rate(a->nic_rate, &a->nic_rates, topo->link[l].rate_bps);
    }
    for (uint32_t t = 1; t <= WEIR_AUDIT_TIERS_MAX; t++)
        a->tier[t].hosts += tiers >> t & 1;
    a->nics_min = host == 0 || node->out_count < a->nics_min ? node->out_count : a->nics_min;
    a->nics_max = node->out_count > a->nics_max ? node->out_count : a->nics_max;
}

static void audit_tiers(struct weir_audit *a, const struct weir_topology *topo)
{
    for (uint32_t t = 0; t <= WEIR_AUDIT_TIERS_MAX; t++)
        a->tier[t].worst = UINT32_MAX;
    for (uint32_t h = 0; h < topo->host_count; h++)
        add_host(a, topo, h);
    for (uint32_t n = topo->host_count; n < topo->node_count; n++) {
        uint32_t tier = weir_audit_tier_of(topo, n), ports = topo->node[n].out_count;
        a->ports_min = n == topo->host_count || ports < a->ports_min ? ports : a->ports_min;
        a->ports_max = ports > a->ports_max ? ports : a->ports_max;
        a->tier_count = tier > a->tier_count ? tier : a->tier_count;
        add_switch(a, topo, n);
    }
}

static void audit_cables(struct weir_audit *a, const struct weir_topology *topo)
{
    for (uint32_t l = 0; l < topo->link_count; l++) {
        const struct weir_link *out = &topo->link[l], *back = &topo->link[out->reverse];
        if (l > out->reverse)
            continue;
        a->cables++;
        weir_audit_note_rate(a->rate, &a->rates, out->rate_bps);
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
