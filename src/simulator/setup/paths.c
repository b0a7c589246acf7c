/* src/simulator/setup/paths.c - what a law needs of every switch on its paths. Only fabric.switches makes switches
 * differ, so only runs with that list are checked. Of a pair of first-hop switches all equal paths count; where hosts
 * have several NICs, of a pair of hosts those from the NICs that the sender takes. */
#include "core/assert.h"
#include "model/nics.h"
#include "setup/features.h"
#include "topology/route.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

struct path_need { /* a need that each switch on a path must meet by itself: one bit of enum weir_need */
    uint32_t bit;
    bool works; /* the law works without, so a warning is enough */
    const char *text, *lack, *hint;
};

static const struct path_need path_needs[] = {
    { WEIR_NEED_QDELAY, false, "needs queueing delays of every switch on a path", "has fabric.maxqd off",
      "leave maxqd on there, or keep the protocol's traffic off that switch" },
    { WEIR_NEED_RCP, false, "needs rates of every switch on a path", "has fabric.rcp off",
      "leave rcp on there, or keep the protocol's traffic off that switch" },
    { WEIR_NEED_FAIR_RATE, true, "gets no rates", "has fabric.fair_rate off", NULL },
    { WEIR_NEED_ECN, true, "gets no marks", "does not mark", NULL },
};

struct paths { /* state while one need of one law is checked */
    const struct weir_setup *s;
    uint32_t law;
    bool *lacks;               /* by switch: it does not meet the need */
    uint32_t *miss;            /* by switch, for one destination: a switch that lacks, from here on; or NONE */
    uint32_t edges;            /* what pairs are of: first-hop switches, or hosts if these have several NICs */
    uint8_t *wanted;           /* [to][from] of `edges`: the law has messages between them */
    uint32_t *senders, *peers; /* a few hosts of each of `edges`: find_few() */
    /* what was found: a switch, two hosts with a path through it, and how many pairs there are */
    uint32_t sw, src, dst, pairs;
};

/* --- which pairs there are --- */

/* Returns the position of a pair of hosts in p->wanted. */
static size_t pair_of(const struct paths *p, uint32_t src, uint32_t dst)
{
    return (size_t)weir_route_target(p->s->model.routes, dst) * p->edges + weir_route_target(p->s->model.routes, src);
}

/* Tests whether messages of an item from a host may have the law. With a section `deploy` they may have both laws,
 * whatever the share is: what runs at one share runs at all. */
static bool law_sends(const struct paths *p, uint32_t item, uint32_t src)
{
    if (p->s->scn->deploy[item].share_ppm != WEIR_SHARE_NONE)
        return weir_setup_law_sends(p->s, p->law, item);
    return weir_model_law_of(&p->s->model, item, src) == p->law;
}

/* Tests whether a host sends or receives messages of an item: whether it has a rank of the item's program, or is in the
 * range. Items with a program need not have a range. */
static bool takes_part(const struct paths *p, uint32_t item, const struct weir_host_range *range, uint32_t host)
{
    const struct weir_programs *all = &p->s->programs;
    if (weir_item_has_program(&p->s->workload.item[item]))
        return all->program[all->of_item[item]].rank_of[host] != WEIR_NO_RANK;
    return weir_host_range_index(range, host) != UINT32_MAX;
}

/* Lists the first two hosts of a range at each first-hop switch, or all that have several NICs. With two, a sender
 * there has another host to send to. sends: only hosts that send messages of the item by the law. @return how many
 * hosts are listed in out */
static uint32_t find_few(const struct paths *p, uint32_t item, const struct weir_host_range *range, bool sends,
                         uint32_t *out)
{
    const struct weir_topology *topo = &p->s->topo;
    uint32_t count = 0;
    for (uint32_t h = 0; h < topo->host_count; h++) {
        uint32_t same = 0;
        if (!takes_part(p, item, range, h) || (sends && !law_sends(p, item, h)))
            continue;
        /* hosts of one switch need not be neighbours by number, but nearly always are */
        for (uint32_t i = p->s->model.nics != NULL ? 0 : count; i-- > 0 && same < 2;)
            same += weir_route_target(p->s->model.routes, out[i]) == weir_route_target(p->s->model.routes, h);
        if (same < 2)
            out[count++] = h;
    }
    return count;
}

/* Calls each(p, src, dst) for messages of an item from one range of hosts to another, at least once for each pair of
 * first-hop switches. @return true = each() returned true, and nothing more is called */
static bool each_between(struct paths *p, uint32_t item, const struct weir_host_range *from,
                         const struct weir_host_range *to, bool (*each)(struct paths *p, uint32_t src, uint32_t dst))
{
    uint32_t senders = find_few(p, item, from, true, p->senders);
    uint32_t peers = find_few(p, item, to, false, p->peers);
    for (uint32_t a = 0; a < senders; a++)
        for (uint32_t b = 0; b < peers; b++)
            if (p->senders[a] != p->peers[b] && each(p, p->senders[a], p->peers[b]))
                return true;
    return false;
}

/* Calls each(p, src, dst) for messages of an item of kind poisson or session or one with a program, and for its
 * replies, as each_between(). */
static bool each_of_item(struct paths *p, uint32_t item, bool (*each)(struct paths *p, uint32_t src, uint32_t dst))
{
    const struct weir_workload *wl = &p->s->workload;
    return each_between(p, item, &wl->from[item], &wl->to[item], each) ||
           (wl->reply_bytes[item] > 0 && each_between(p, item, &wl->to[item], &wl->from[item], each));
}

/* Calls each(p, src, dst) for one message, if it may have the law. @return what each() returned, or false */
static bool one(struct paths *p, uint32_t item, uint32_t src, uint32_t dst,
                bool (*each)(struct paths *p, uint32_t src, uint32_t dst))
{
    return law_sends(p, item, src) && each(p, src, dst);
}

/* Calls each(p, src, dst) for all messages of the law, as each_of_item(): those of lists and jobs one by one. @return
 * true = each() returned true */
static bool each_message(struct paths *p, bool (*each)(struct paths *p, uint32_t src, uint32_t dst))
{
    const struct weir_workload *wl = &p->s->workload;
    for (uint32_t i = 0; i < wl->item_count; i++)
        if ((wl->gap_mean_fs[i] > 0 || wl->item[i].kind == WEIR_TRAFFIC_SESSION ||
             weir_item_has_program(&wl->item[i])) &&
            each_of_item(p, i, each))
            return true;
    for (uint32_t src = 0; src < wl->hosts; src++) {
        for (uint64_t m = wl->listed_first[src]; m < wl->listed_first[src + 1]; m++) {
            const struct weir_listed *listed = &wl->listed[m];
            if (one(p, listed->item, src, listed->dst, each) ||
                (wl->reply_bytes[listed->item] > 0 && one(p, listed->item, listed->dst, src, each)))
                return true;
        }
    }
    for (uint32_t f = 0; f < p->s->jobs.flow_count; f++)
        if (one(p, p->s->jobs.flow[f].item, p->s->jobs.flow[f].src, p->s->jobs.flow[f].dst, each))
            return true;
    return false;
}

static bool note_pair(struct paths *p, uint32_t src, uint32_t dst)
{
    p->wanted[pair_of(p, src, dst)] = 1;
    return false;
}

/* --- what is on their paths --- */

/* Fills p->miss for a destination: of each switch one that lacks on some of its paths there, itself included. Repeats
 * until nothing changes, which is at most once for each link of a path. */
static void find_misses(struct paths *p, uint32_t edge)
{
    const struct weir_routes *r = p->s->model.routes;
    const struct weir_topology *topo = &p->s->topo;
    bool changed = true;
    for (uint32_t sw = 0; sw < r->switch_count; sw++)
        p->miss[sw] = p->lacks[sw] ? sw : NONE;
    while (changed) {
        changed = false;
        for (uint32_t sw = 0; sw < r->switch_count; sw++) {
            uint32_t entry = weir_route_entry(r, sw, edge);
            const uint16_t *port = &r->port[entry & WEIR_ROUTE_FIRST_MASK];
            for (uint32_t i = 0; i < entry >> WEIR_ROUTE_FIRST_BITS && p->miss[sw] == NONE; i++) {
                uint32_t next = topo->link[topo->node[r->first_switch + sw].first_out + port[i]].dst;
                if (next < r->first_switch)
                    continue; /* the destination */
                p->miss[sw] = p->miss[next - r->first_switch];
                changed = changed || p->miss[sw] != NONE;
            }
        }
    }
}

/* Tests whether a message has the pair of first-hop switches that p->wanted marks with 2; if so notes its hosts. */
static bool is_marked(struct paths *p, uint32_t src, uint32_t dst)
{
    if (p->wanted[pair_of(p, src, dst)] != 2)
        return false;
    p->src = src;
    p->dst = dst;
    return true;
}

/* Returns a switch that lacks on a path between a pair; NONE = there is none. p->miss must be of `to`. */
static uint32_t miss_between(const struct paths *p, uint32_t from, uint32_t to)
{
    const struct weir_topology *topo = &p->s->topo;
    uint32_t sw = NONE, nics;
    if (p->s->model.nics == NULL)
        return p->miss[topo->edge_node[from] - topo->host_count];
    WEIR_ASSERT(from != to);
    for (nics = weir_nics_between(p->s->model.nics, from, to); nics != 0 && sw == NONE; nics &= nics - 1) {
        uint32_t at = topo->link[topo->node[from].first_out + (uint32_t)__builtin_ctz(nics)].dst;
        sw = at >= topo->host_count ? p->miss[at - topo->host_count] : NONE;
    }
    return sw;
}

/* Finds the pairs with a switch that lacks on a path: sets p->pairs, and of the first of them p->sw, src and dst. */
static void find_pairs(struct paths *p)
{
    uint32_t edges = p->edges;
    (void)each_message(p, note_pair);
    for (uint32_t to = 0; to < edges; to++) {
        find_misses(p, to);
        for (uint32_t from = 0; from < edges; from++) {
            uint8_t *wanted = &p->wanted[(size_t)to * edges + from];
            uint32_t sw = *wanted != 0 ? miss_between(p, from, to) : NONE;
            if (sw == NONE)
                continue;
            if (p->pairs++ > 0)
                continue;
            *wanted = 2;
            p->sw = sw;
        }
    }
    if (p->pairs > 0)
        (void)each_message(p, is_marked);
}

/* Sets p->lacks. @return true if some switch lacks */
static bool find_lacks(struct paths *p, uint32_t bit)
{
    const struct weir_features *f = &p->s->model.features;
    bool any = false;
    for (uint32_t sw = 0; sw < p->s->topo.switch_count; sw++) {
        uint32_t offers = 0;
        for (uint32_t i = 0; i < f->count; i++)
            offers |= weir_feature_at(&f->on[i], p->s->topo.host_count + sw).offers;
        p->lacks[sw] = (offers & bit) == 0;
        any = any || p->lacks[sw];
    }
    return any;
}

/* --- the check --- */

/* Finds the feature that gets the next warning: the first that meets the need somewhere, else any. @return NULL = all
 * of them have a warning */
static struct weir_feature_on *find_unwarned(struct weir_setup *s, uint32_t bit)
{
    struct weir_feature_on *any = NULL;
    for (uint32_t i = 0; i < s->model.features.count; i++) {
        struct weir_feature_on *on = &s->model.features.on[i];
        if (on->warning != NULL)
            continue;
        if ((on->offers & bit) != 0)
            return on;
        any = on;
    }
    return any;
}

/* Refuses the law for what was found, or warns. @return 0, or WEIR_E_CONFLICT with err */
static int report(struct weir_setup *s, const struct paths *p, const struct path_need *need, struct weir_err *err)
{
    const struct weir_scenario_law law = weir_scenario_law(s->scn, p->law);
    char sw[WEIR_NODE_NAME], src[WEIR_NODE_NAME], dst[WEIR_NODE_NAME], more[64] = "",
                                                                       text[sizeof(s->switch_warning[0])];
    weir_topology_node_name(&s->topo, s->topo.host_count + p->sw, sw, sizeof(sw));
    weir_topology_node_name(&s->topo, p->src, src, sizeof(src));
    weir_topology_node_name(&s->topo, p->dst, dst, sizeof(dst));
    if (p->pairs > 1)
        (void)snprintf(more, sizeof(more), ", and so for %u more pair%s of %s", (unsigned)p->pairs - 1,
                       p->pairs == 2 ? "" : "s", s->model.nics != NULL ? "hosts" : "first-hop switches");
    if (need->works) {
        struct weir_feature_on *on = find_unwarned(s, need->bit);
        if (on == NULL || s->switch_warnings == WEIR_SWITCH_WARNINGS)
            return 0;
        on->warning = s->switch_warning[s->switch_warnings];
        (void)snprintf(s->switch_warning[s->switch_warnings++], sizeof(s->switch_warning[0]),
                       "fabric.switches: protocol %s %s of %s, on the way from %s to %s%s: it %s", law.protocol->name,
                       need->text, sw, src, dst, more, need->lack);
        return 0;
    }
    (void)snprintf(text, sizeof(text), "protocol %s %s, and %s, on the way from %s to %s, %s%s", law.protocol->name,
                   need->text, sw, src, dst, need->lack, more);
    return weir_fail(err, WEIR_E_CONFLICT, law.where, need->hint, "%s", text);
}

static int check_need(struct weir_setup *s, struct paths *p, const struct path_need *need, struct weir_err *err)
{
    if (!find_lacks(p, need->bit))
        return 0;
    memset(p->wanted, 0, (size_t)p->edges * p->edges);
    p->pairs = 0;
    find_pairs(p);
    return p->pairs > 0 ? report(s, p, need, err) : 0;
}

static int check(struct weir_setup *s, struct paths *p, struct weir_err *err)
{
    uint32_t needs = weir_host_needs(&s->law[p->law]);
    int code = 0;
    for (size_t i = 0; i < sizeof(path_needs) / sizeof(path_needs[0]) && code == 0; i++)
        if ((needs & path_needs[i].bit) != 0)
            code = check_need(s, p, &path_needs[i], err);
    return code;
}

int weir_setup_check_paths(struct weir_setup *s, uint32_t k, struct weir_err *err)
{
    size_t edges = s->model.nics != NULL ? s->topo.host_count : s->topo.edge_count;
    struct paths p = { .s = s, .law = k, .edges = (uint32_t)edges };
    int code;
    if (s->variants == NULL)
        return 0;
    p.lacks = calloc(s->topo.switch_count, sizeof(*p.lacks));
    p.miss = malloc(s->topo.switch_count * sizeof(*p.miss));
    p.wanted = malloc(edges * edges);
    p.senders = malloc(2 * edges * sizeof(*p.senders));
    p.peers = malloc(2 * edges * sizeof(*p.peers));
    if (p.lacks == NULL || p.miss == NULL || p.wanted == NULL || p.senders == NULL || p.peers == NULL)
        code = weir_fail_memory(err);
    else
        code = check(s, &p, err);
    free(p.lacks);
    free(p.miss);
    free(p.wanted);
    free(p.senders);
    free(p.peers);
    return code;
}
