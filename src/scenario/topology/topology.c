/* src/scenario/topology/topology.c - the scenario keys of topologies, and the numbering of links from a list of
 * cables. */
#include "topology/topology.h"
#include "core/assert.h"
#include "core/feature_setup.h"
#include "topology/plan.h"
#include <stdlib.h>
#include <string.h>

#define NAME_OF(number, row, name) [WEIR_##number] = (name),
const char *const weir_topology_kinds[] = { WEIR_TOPOLOGY_KINDS(NAME_OF) NULL };

#define ROW_OF(number, row, name) [WEIR_##number] = &weir_kind_##row,
const struct weir_kind *const weir_topology_rows[] = { WEIR_TOPOLOGY_KINDS(ROW_OF) };

static const char *const formats[] = { [WEIR_TOPOLOGY_AUTO] = "auto",
                                       [WEIR_TOPOLOGY_YAML] = "yaml",
                                       [WEIR_TOPOLOGY_HTSIM] = "htsim",
                                       [WEIR_TOPOLOGY_HPCC] = "hpcc",
                                       NULL };
static const struct weir_keyword automatic = { "auto", UINT64_MAX }, gpus_of_server = { "gpus", 0 };

#define GBPS UINT64_C(1000000000)
#define BDP_MAX_BYTES UINT64_C(1000000000000) /* the bytes that 8 Tbps carry in one second */
#define ROW(field, lo, hi, def, ...) WEIR_PARAM_U32(struct weir_topology_config, field, lo, hi, def, __VA_ARGS__)
#define LINK_ROW(key, field, k, lo, hi, def, ...)                                                                      \
    WEIR_PARAM_NAMED(key, struct weir_topology_config, field, k, lo, hi, def, __VA_ARGS__)

#define KINDS "all kinds but file: " /* a file has rates and delays of its own */
#define OF(kind) (1u << WEIR_##kind)
#define CABLED (~OF(GRAPH))

const struct weir_param weir_topology_params[] = {
    WEIR_PARAM_CHOICE("kind", struct weir_topology_config, kind, weir_topology_kinds, WEIR_LEAF_SPINE,
                      "how hosts and switches are cabled; the default is the two-tier network of SIRD's evaluation"),
    WEIR_PARAM_TEXT(
        "file", struct weir_topology_config, file, 1, "",
        "file: a YAML file of hosts, switches and cables (doc/topology.md), or another simulator's topology "
        "(doc/files.md), relative to the scenario",
        .kinds = OF(GRAPH)),
    WEIR_PARAM_CHOICE("format", struct weir_topology_config, format, formats, WEIR_TOPOLOGY_AUTO,
                      "file: what it is; auto = as it begins, which differs (doc/files.md)", .kinds = OF(GRAPH)),
    ROW(hosts, 1, WEIR_HOSTS_MAX, 144,
        "all kinds but fat-tree and rail and file: hosts of the whole network, a multiple of racks in a leaf-spine or "
        "planes; in a dragonfly or torus hosts of each switch, and 1 if left out",
        .kinds = CABLED & ~(OF(FAT_TREE) | OF(RAIL))),
    ROW(racks, 1, WEIR_EDGES_MAX, 9,
        "leaf-spine, planes: racks, each with one leaf switch, of every plane; 9 of 16 hosts in SIRD's evaluation",
        .kinds = OF(LEAF_SPINE) | OF(PLANES)),
    ROW(spines, 0, WEIR_SPINES_MAX, 4,
        "leaf-spine, planes, rail: spine switches, of every plane, each with one link to every leaf; 4 in SIRD's "
        "evaluation; 0 = one leaf alone",
        .kinds = OF(LEAF_SPINE) | OF(PLANES) | OF(RAIL)),
    ROW(k, 2, WEIR_FAT_TREE_K_MAX, 8,
        "fat-tree: even number of ports of a switch, k pods and k^3/4 hosts; 8 in FNCC's evaluation, 16 in Soze's",
        .kinds = OF(FAT_TREE)),
    ROW(oversubscription, 1, WEIR_OVERSUBSCRIPTION_MAX, 1,
        "fat-tree: an edge switch has k/2 times this many hosts; 1 is full bisection", .kinds = OF(FAT_TREE)),
    ROW(pods, 1, WEIR_HOSTS_MAX, 0,
        "fat-tree: instead of k and oversubscription, together with edges, aggs, uplinks and edge_hosts; 16 in Dart's "
        "evaluation",
        .kinds = OF(FAT_TREE)),
    ROW(edges, 1, WEIR_HOSTS_MAX, 0, "fat-tree: edge switches of each pod; 4 in Dart's evaluation",
        .kinds = OF(FAT_TREE)),
    ROW(aggs, 1, WEIR_SPINES_MAX, 0,
        "fat-tree: aggregation switches of each pod, each with a link to every edge switch of it; 4 in Dart's "
        "evaluation",
        .kinds = OF(FAT_TREE)),
    ROW(uplinks, 1, WEIR_SPINES_MAX, 0,
        "fat-tree: links from each aggregation switch to core switches, of which there are aggs x uplinks; 4 in Dart's "
        "evaluation",
        .kinds = OF(FAT_TREE)),
    ROW(edge_hosts, 1, WEIR_HOSTS_MAX, 0, "fat-tree: hosts of each edge switch; 16 in Dart's evaluation",
        .kinds = OF(FAT_TREE)),
    ROW(switches, 2, WEIR_GROUP_SWITCHES_MAX, 3,
        "chain, dragonfly: switches in a row, host i hangs on switch i * switches / hosts; or of each group",
        .kinds = OF(CHAIN) | OF(DRAGONFLY)),
    ROW(groups, 2, WEIR_EDGES_MAX, 4,
        "dragonfly: groups of switches, at most switches x global_links + 1; each two are joined (ISCA 2008)",
        .kinds = OF(DRAGONFLY)),
    ROW(global_links, 1, WEIR_GLOBAL_LINKS_MAX, 1, "dragonfly: cables of each switch to other groups",
        .kinds = OF(DRAGONFLY)),
    WEIR_PARAM_NAMED("dims", struct weir_topology_config, dims, WEIR_KIND_NUMBERS, 2, WEIR_EDGES_MAX, 0,
                     "torus: switches of each of 1 to 5 dimensions, [8, 8, 8]; neighbours are joined, the last to the "
                     "first",
                     .kinds = OF(TORUS), .text_fallback = "4, 4"),
    ROW(planes, 2, WEIR_PLANES_MAX, 2, "planes: leaf-spines side by side; NIC i of every host is in plane i",
        .kinds = OF(PLANES)),
    ROW(servers, 1, WEIR_EDGES_MAX, 4, "rail: servers, each with an NVSwitch that joins its GPUs", .kinds = OF(RAIL)),
    ROW(gpus, 1, WEIR_PORTS_MAX, 8,
        "rail: GPUs of each server, each a host with a NIC to the NVSwitch and one to its rail; 1 = no NVSwitch",
        .kinds = OF(RAIL)),
    WEIR_PARAM_KEYWORD(
        "rails", struct weir_topology_config, rails, WEIR_KIND_U32, 1, WEIR_PORTS_MAX, 0, &gpus_of_server,
        "rail: leaf switches; GPU g of a server is at leaf g mod rails, which divides gpus", .kinds = OF(RAIL)),
    LINK_ROW("host_link", host_link_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, 100 * GBPS,
             KINDS "rate of every host's link, each direction; 100 Gbps in SIRD's evaluation", .kinds = CABLED),
    LINK_ROW("core_link", core_link_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, 400 * GBPS,
             KINDS "rate of every link between switches, each direction; 400 Gbps in SIRD's evaluation",
             .kinds = CABLED),
    LINK_ROW("host_delay", host_delay_ps, WEIR_KIND_TIME, 1, WEIR_LINK_DELAY_MAX_PS, 1250 * WEIR_PS_PER_NS,
             KINDS
             "one-way delay of a host's link, end-host and switch processing included; 1.25 us in SIRD's evaluation",
             .kinds = CABLED),
    LINK_ROW("core_delay", core_delay_ps, WEIR_KIND_TIME, 1, WEIR_LINK_DELAY_MAX_PS, 500 * WEIR_PS_PER_NS,
             KINDS "one-way delay of a link between switches, processing included; 0.5 us in SIRD's evaluation",
             .kinds = CABLED),
    LINK_ROW(
        "server_link", server_link_bps, WEIR_KIND_RATE, WEIR_RATE_MIN_BPS, WEIR_RATE_MAX_BPS, 2400 * GBPS,
        "rail: rate of the cable from a GPU to its NVSwitch, each direction; 2400 Gbps in SimAI's networks of A100",
        .kinds = OF(RAIL)),
    LINK_ROW("server_delay", server_delay_ps, WEIR_KIND_TIME, 1, WEIR_LINK_DELAY_MAX_PS, 25 * WEIR_PS_PER_NS,
             "rail: one-way delay of the same cable; 25 ns in SimAI's networks", .kinds = OF(RAIL)),
    WEIR_PARAM_KEYWORD(
        "bdp", struct weir_topology_config, bdp.bytes, WEIR_KIND_SIZE, 1, BDP_MAX_BYTES, UINT64_MAX, &automatic,
        "what 1 BDP is in other values; auto = host_link x base round trip of the longest path, SIRD says 100 KB"),
    { 0 },
};

/* Returns the source or destination node of directed link d of the plan. Link d belongs to cable d / 2, and goes from a
 * to b if d is even. */
static uint32_t plan_end(const struct weir_plan *plan, uint32_t d, bool source)
{
    const struct weir_cable *c = &plan->cable[d / 2];
    return (d % 2 == 0) == source ? c->a : c->b;
}

/* Sorts the topo->link_count directed links of `in` into `out` by source or destination node (counting sort). Links
 * with equal nodes keep their order. start: memory for node_count + 1 numbers */
static void sort_by_end(const struct weir_topology *topo, const struct weir_plan *plan, bool source, const uint32_t *in,
                        uint32_t *out, uint32_t *start)
{
    memset(start, 0, (topo->node_count + (size_t)1) * sizeof(*start));
    for (uint32_t i = 0; i < topo->link_count; i++)
        start[plan_end(plan, in[i], source) + 1]++;
    for (uint32_t n = 0; n < topo->node_count; n++)
        start[n + 1] += start[n];
    for (uint32_t i = 0; i < topo->link_count; i++)
        out[start[plan_end(plan, in[i], source)]++] = in[i];
}

/* Numbers the links. Sets order[i] to the directed link of the plan that becomes link i, and inverse[order[i]] to i.
 * Links end up sorted by (source, destination, cable): first a sort by destination, then a stable sort by source.
 * start: as in sort_by_end() */
static void order_links(const struct weir_topology *topo, const struct weir_plan *plan, uint32_t *order,
                        uint32_t *inverse, uint32_t *start)
{
    for (uint32_t d = 0; d < topo->link_count; d++)
        order[d] = d;
    sort_by_end(topo, plan, false, order, inverse, start);
    sort_by_end(topo, plan, true, inverse, order, start);
    for (uint32_t i = 0; i < topo->link_count; i++)
        inverse[order[i]] = i;
}

static void fill_links(struct weir_topology *topo, const struct weir_plan *plan, const uint32_t *order,
                       const uint32_t *inverse)
{
    for (uint32_t i = 0; i < topo->link_count; i++) {
        const struct weir_cable *c = &plan->cable[order[i] / 2];
        bool back = order[i] % 2 != 0;
        topo->link[i] = (struct weir_link){
            .rate_bps = back ? c->back_rate_bps : c->rate_bps,
            .delay_ps = back ? c->back_delay_ps : c->delay_ps,
            .src = plan_end(plan, order[i], true),
            .dst = plan_end(plan, order[i], false),
            .reverse = inverse[order[i] ^ 1],
            .loss_ppb = c->loss_ppb,
            .up = true,
        };
        topo->node[topo->link[i].src].out_count++;
    }
}

/* Fills topo->node, topo->in_link and the in_index of links. The in-links of a node, by (source, parallel number), are
 * the reverses of its out-links in the same order, since a cable is two links. */
static void fill_nodes(struct weir_topology *topo)
{
    uint32_t first = 0;
    for (uint32_t node = 0; node < topo->node_count; node++) {
        struct weir_node *n = &topo->node[node];
        WEIR_ASSERT(n->out_count <= WEIR_PORTS_MAX);
        *n = (struct weir_node){ first, n->out_count, first, n->out_count, 0 };
        first += n->out_count;
    }
    for (uint32_t i = 0; i < topo->link_count; i++) {
        topo->in_link[i] = topo->link[i].reverse;
        topo->link[topo->link[i].reverse].in_index = i - topo->node[topo->link[i].src].first_out;
    }
}

void weir_topology_find_host_rates(struct weir_topology *topo)
{
    uint64_t first_bps = topo->link[0].rate_bps;
    topo->host_link_bps = first_bps;
    topo->has_unlike_hosts = false;
    for (uint32_t l = 0; l < topo->link_count && topo->link[l].src < topo->host_count; l++) { /* these come first */
        uint64_t rate_bps = topo->link[l].rate_bps;
        topo->has_unlike_hosts = topo->has_unlike_hosts || rate_bps != first_bps;
        topo->host_link_bps = rate_bps > topo->host_link_bps ? rate_bps : topo->host_link_bps;
    }
}

/* Sets edge_of and host_port of a host, if it has a cable to a switch. */
static void find_edge(struct weir_topology *topo, uint32_t host, const uint32_t *index_of)
{
    const struct weir_node *node = &topo->node[host];
    for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
        if (topo->link[l].dst < topo->host_count)
            continue;
        topo->edge_of[host] = (uint16_t)index_of[topo->link[l].dst];
        topo->host_port[host] = (uint16_t)topo->link[l].in_index; /* port i of a switch: the reverse of its in-link i */
        return;
    }
}

/* Lists the first-hop switches in the order of their numbers, and sets edge_of and host_port of each host. index_of:
 * memory for node_count numbers, all 0 */
static void fill_edges(struct weir_topology *topo, uint32_t *index_of)
{
    for (uint32_t h = 0; h < topo->host_count; h++) {
        WEIR_ASSERT(topo->node[h].out_count >= 1 && topo->node[h].out_count <= WEIR_NICS_MAX);
        topo->nics_max = topo->node[h].out_count > topo->nics_max ? topo->node[h].out_count : topo->nics_max;
        for (uint32_t i = 0; i < topo->node[h].out_count; i++)
            index_of[topo->link[topo->node[h].first_out + i].dst] = 1;
    }
    for (uint32_t n = topo->host_count; n < topo->node_count; n++)
        if (index_of[n] != 0) {
            index_of[n] = topo->edge_count;
            topo->edge_node[topo->edge_count++] = n;
        }
    for (uint32_t h = 0; h < topo->host_count; h++)
        find_edge(topo, h, index_of);
    weir_topology_find_host_rates(topo);
}

/* Sets the tier of every switch by a breadth-first search from all first-hop switches at once. queue: memory for
 * switch_count numbers */
static void find_tiers(struct weir_topology *topo, uint32_t *queue)
{
    uint32_t tail = 0;
    for (uint32_t e = 0; e < topo->edge_count; e++) {
        topo->node[topo->edge_node[e]].tier = 1;
        queue[tail++] = topo->edge_node[e];
    }
    for (uint32_t head = 0; head < tail; head++) {
        const struct weir_node *node = &topo->node[queue[head]];
        for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++) {
            uint32_t next = topo->link[l].dst;
            if (next < topo->host_count || topo->node[next].tier != 0)
                continue;
            topo->node[next].tier = node->tier + 1;
            queue[tail++] = next;
        }
    }
}

static bool allocate(struct weir_topology *topo, const struct weir_plan *plan)
{
    topo->host_count = plan->shape.tier[0];
    for (uint32_t tier = 1; tier < WEIR_TIERS_MAX; tier++)
        topo->switch_count += plan->shape.tier[tier];
    topo->node_count = topo->host_count + topo->switch_count;
    topo->link_count = 2 * plan->laid;
    topo->node = calloc(topo->node_count, sizeof(*topo->node));
    topo->link = calloc(topo->link_count, sizeof(*topo->link));
    topo->in_link = calloc(topo->link_count, sizeof(*topo->in_link));
    topo->edge_node = calloc(topo->switch_count, sizeof(*topo->edge_node));
    topo->edge_of = calloc(topo->host_count, sizeof(*topo->edge_of));
    topo->host_port = calloc(topo->host_count, sizeof(*topo->host_port));
    return topo->node != NULL && topo->link != NULL && topo->in_link != NULL && topo->edge_node != NULL &&
           topo->edge_of != NULL && topo->host_port != NULL;
}

int weir_topology_index(struct weir_topology *topo, const struct weir_plan *plan, struct weir_err *err)
{
    uint32_t *order = NULL, *inverse = NULL, *start = NULL;
    bool ok;
    *topo = (struct weir_topology){ 0 };
    ok = allocate(topo, plan);
    if (ok) {
        order = calloc(topo->link_count, sizeof(*order));
        inverse = calloc(topo->link_count, sizeof(*inverse));
        start = calloc(topo->node_count + (size_t)1, sizeof(*start));
        ok = order != NULL && inverse != NULL && start != NULL;
    }
    if (ok) {
        order_links(topo, plan, order, inverse, start);
        fill_links(topo, plan, order, inverse);
        fill_nodes(topo);
        memset(start, 0, topo->node_count * sizeof(*start));
        fill_edges(topo, start);
        find_tiers(topo, start);
    }
    free(order);
    free(inverse);
    free(start);
    if (ok)
        return 0;
    weir_topology_free(topo);
    return weir_fail(err, WEIR_E_MEMORY, NULL, "a smaller topology needs less", "no memory for the topology");
}

int weir_topology_build(struct weir_topology *topo, const struct weir_topology_config *cfg,
                        const struct weir_tok *where, struct weir_err *err)
{
    struct weir_plan plan = { 0 };
    const struct weir_kind *row;
    int code = weir_topology_check(cfg, where, err);
    *topo = (struct weir_topology){ 0 };
    if (code != 0)
        return code;
    row = weir_topology_rows[cfg->kind];
    plan.shape = row->shape(cfg);
    plan.cable = calloc(plan.shape.cable_count, sizeof(*plan.cable));
    if (plan.cable == NULL)
        return weir_fail(err, WEIR_E_MEMORY, where, "a smaller topology needs less", "no memory for the topology");
    weir_topology_lay(cfg, &plan);
    code = weir_topology_index(topo, &plan, err);
    free(plan.cable);
    if (code != 0)
        return code;
    topo->layered = row->layered;
    topo->tier_name = row->tier;
    memcpy(topo->tier_count, plan.shape.tier, sizeof(topo->tier_count));
    return 0;
}

void weir_topology_free(struct weir_topology *topo)
{
    free(topo->node);
    free(topo->link);
    free(topo->in_link);
    free(topo->edge_node);
    free(topo->edge_of);
    free(topo->host_port);
    free(topo->name);
    free(topo->host_id);
    *topo = (struct weir_topology){ 0 };
}

struct weir_fabric_port weir_topology_port(const struct weir_topology *topo, uint32_t link)
{
    const struct weir_link *out = &topo->link[link], *in = &topo->link[out->reverse];
    return (struct weir_fabric_port){ .rate_bps = out->rate_bps,
                                      .delay_ps = out->delay_ps,
                                      .in_rate_bps = in->rate_bps,
                                      .in_delay_ps = in->delay_ps,
                                      .node = out->src,
                                      .link = link,
                                      .index = link - topo->node[out->src].first_out,
                                      .cable = weir_topology_cable(topo, link),
                                      .loss_ppb = out->loss_ppb,
                                      .from_host = out->src < topo->host_count,
                                      .to_host = out->dst < topo->host_count,
                                      .goes_up = out->src >= topo->host_count &&
                                                 topo->node[out->dst].tier > topo->node[out->src].tier };
}
