/* src/simulator/setup/hosts.c - hosts whose links have several rates. Where all have one nothing is kept by host. */
#include "setup/setup.h"
#include "core/math.h"
#include "core/need.h"
#include "core/rng.h"
#include "core/round.h"
#include <stdlib.h>
#include <string.h>

int weir_setup_hosts(struct weir_setup *s, struct weir_err *err)
{
    for (uint32_t i = 0; i < s->scn->hosts_count; i++) {
        const struct weir_host_item *item = &s->scn->hosts[i];
        if (weir_topology_set_host_link(&s->topo, item->at, item->link_bps) == 0)
            return weir_fail(err, WEIR_E_UNKNOWN, &s->scn->where_hosts[i],
                             "host 3, host 0..7, rack 3, or a first-hop switch; weir topology --cables names them",
                             "hosts[%u]: no host is at '%s'", (unsigned)i, item->at);
    }
    return 0;
}

/* Returns the rates of a host: of its one NIC, or of its slowest transport. */
static struct weir_host_link link_of(const struct weir_setup *s, uint32_t host)
{
    const struct weir_link *up = &s->topo.link[s->topo.node[host].first_out];
    struct weir_host_link least = { UINT64_MAX, UINT64_MAX };
    if (s->model.nics == NULL)
        return (struct weir_host_link){ .up_bps = up->rate_bps, .down_bps = s->topo.link[up->reverse].rate_bps };
    for (uint32_t t = 0; t < s->nics.transports; t++) {
        const struct weir_host_link *link = &s->nics.link[(size_t)t * s->topo.host_count + host];
        least.up_bps = weir_min_u64(least.up_bps, link->up_bps);
        least.down_bps = weir_min_u64(least.down_bps, link->down_bps);
    }
    WEIR_ASSERT(least.up_bps > 0 && least.down_bps > 0);
    return least;
}

uint64_t weir_setup_path_bps(const struct weir_setup *s)
{
    uint64_t most_bps = 0;
    if (s->model.nics == NULL)
        return s->topo.host_link_bps;
    for (uint32_t h = 0; h < s->topo.host_count; h++)
        most_bps = weir_max_u64(most_bps, link_of(s, h).up_bps);
    return most_bps;
}

int weir_setup_links(struct weir_setup *s, struct weir_err *err)
{
    const struct weir_topology *topo = &s->topo;
    if (!topo->has_unlike_hosts)
        return 0;
    s->links = calloc(topo->host_count, sizeof(*s->links));
    s->host_bps = calloc(topo->host_count, sizeof(*s->host_bps));
    if (s->links == NULL || s->host_bps == NULL)
        return weir_fail_memory(err);
    for (uint32_t h = 0; h < topo->host_count; h++) {
        s->links[h] = link_of(s, h);
        s->host_bps[h] = s->model.nics != NULL ? s->nics.host_bps[h] : s->links[h].up_bps;
        WEIR_ASSERT(s->host_bps[h] <= topo->host_link_bps);
    }
    for (uint32_t k = 0; k < s->law_count; k++)
        s->law[k].links = s->links;
    return 0;
}

/* Returns the host whose link is the slowest, in either direction; of equals the first. */
static uint32_t slowest(const struct weir_setup *s)
{
    uint32_t host = 0;
    for (uint32_t h = 1; h < s->topo.host_count; h++) {
        const struct weir_host_link *a = &s->links[h], *b = &s->links[host];
        if (weir_min_u64(a->up_bps, a->down_bps) < weir_min_u64(b->up_bps, b->down_bps))
            host = h;
    }
    return host;
}

int weir_setup_check_links(const struct weir_setup *s, uint32_t k, struct weir_err *err)
{
    const struct weir_scenario_law keys = weir_scenario_law(s->scn, k);
    const struct weir_protocol *p = keys.protocol;
    const struct weir_host_link *link;
    struct weir_path path = s->law[k].path;
    char name[WEIR_NODE_NAME];
    struct weir_err wrong;
    uint32_t host;
    if (s->links == NULL)
        return 0;
    host = slowest(s);
    link = &s->links[host];
    weir_topology_node_name(&s->topo, host, name, sizeof(name));
    if ((weir_host_needs(&s->law[k]) & WEIR_NEED_ONE_CLOCK) != 0)
        return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_topology,
                         "give all hosts one rate, or set another protocol",
                         "topology: hosts have several rates, and protocol %s has common rounds at one rate", p->name);
    path.rate_bps = weir_min_u64(link->up_bps, link->down_bps);
    path.bdp_bytes = weir_mul_div_u64(path.bdp_bytes, path.rate_bps, s->law[k].path.rate_bps);
    if (p->check == NULL || p->check(keys.config, &path, &wrong) == 0)
        return 0;
    return weir_fail(err, wrong.code, keys.where, wrong.hint, "protocol %s: for %s, the slowest: %s", p->name, name,
                     wrong.text);
}

struct lot { /* a host, and what was drawn for it */
    uint64_t draw;
    uint32_t host;
};

static int compare_lots(const void *a, const void *b)
{
    const struct lot *x = a, *y = b;
    if (x->draw != y->draw)
        return x->draw < y->draw ? -1 : 1;
    return x->host < y->host ? -1 : x->host > y->host;
}

/* Draws the hosts of a section `deploy` by hosts: the first of all hosts in a random order, which is the same for every
 * share. */
static int draw_hosts(struct weir_setup *s, uint32_t item, struct weir_err *err)
{
    uint32_t hosts = s->topo.host_count;
    uint32_t count = (uint32_t)weir_mul_div_round_u64(hosts, s->scn->deploy[item].share_ppm, 1000000);
    struct lot *lot = malloc(hosts * sizeof(*lot));
    if (lot == NULL)
        return weir_fail_memory(err);
    for (uint32_t h = 0; h < hosts; h++)
        lot[h] =
            (struct lot){ weir_rng_at(weir_rng_key(s->scn->run.seed, h, WEIR_RNG_DEPLOY, WEIR_TRAFFIC_MAX), 0), h };
    qsort(lot, hosts, sizeof(*lot), compare_lots);
    WEIR_ASSERT(count <= hosts);
    for (uint32_t i = 0; i < count; i++)
        s->law_of_sender[(size_t)item * hosts + lot[i].host] = s->scn->law_of_deploy[item];
    free(lot);
    return 0;
}

/* Tests whether laws of items differ by host. */
static bool laws_differ_by_host(const struct weir_scenario *scn)
{
    bool differ = false;
    for (uint32_t i = 0; i < scn->hosts_count; i++)
        differ |= scn->law_of_hosts[i] != WEIR_LAW_NONE;
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        differ |= scn->deploy[i].share_ppm != WEIR_SHARE_NONE && scn->deploy[i].by == WEIR_DEPLOY_HOSTS;
    return differ;
}

/* Fills the laws of an item by sender: the item's, or that of the last entry of `hosts` about the host. */
static void fill_senders(struct weir_setup *s, uint32_t item)
{
    const struct weir_scenario *scn = s->scn;
    for (uint32_t h = 0; h < s->topo.host_count; h++) {
        uint8_t *law = &s->law_of_sender[(size_t)item * s->topo.host_count + h];
        *law = scn->law_of_item[item];
        for (uint32_t i = 0; i < scn->hosts_count && !scn->own_law[item]; i++)
            if (scn->law_of_hosts[i] != WEIR_LAW_NONE && weir_topology_host_is_at(&s->topo, h, scn->hosts[i].at))
                *law = scn->law_of_hosts[i];
    }
}

int weir_setup_senders(struct weir_setup *s, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    int code = 0;
    memcpy(s->model.law_of_item, scn->law_of_item, sizeof(s->model.law_of_item));
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        if (scn->deploy[i].share_ppm != WEIR_SHARE_NONE && scn->deploy[i].by == WEIR_DEPLOY_MESSAGES)
            s->model.deploy[i] = (struct weir_model_deploy){ scn->deploy[i].share_ppm, scn->law_of_deploy[i] };
    if (!laws_differ_by_host(scn))
        return 0;
    s->law_of_sender = malloc((size_t)scn->traffic_count * s->topo.host_count);
    if (s->law_of_sender == NULL)
        return weir_fail_memory(err);
    for (uint32_t i = 0; i < scn->traffic_count && code == 0; i++) {
        fill_senders(s, i);
        if (scn->deploy[i].share_ppm != WEIR_SHARE_NONE && scn->deploy[i].by == WEIR_DEPLOY_HOSTS)
            code = draw_hosts(s, i, err);
    }
    s->model.law_of_sender = s->law_of_sender;
    return code;
}

void weir_setup_free_links(struct weir_setup *s)
{
    free(s->links);
    free(s->host_bps);
    free(s->switches);
    free(s->law_of_sender);
}
