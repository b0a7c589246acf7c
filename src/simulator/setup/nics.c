/* src/simulator/setup/nics.c - hosts with several NICs: what they cannot be combined with, their transports, and the
 * rates of these. */
#include "setup/setup.h"
#include "core/assert.h"
#include "core/cc.h"
#include "core/math.h"
#include "core/parts.h"
#include "topology/nics.h"
#include <stdlib.h>

bool weir_setup_spreads(const struct weir_setup *s)
{
    return weir_topology_has_nics(&s->topo) && weir_nics_spread(s->scn->host.nics);
}

bool weir_setup_sprays(const struct weir_setup *s)
{
    return s->scn->routing.mode == WEIR_ROUTE_SPRAY || weir_setup_spreads(s);
}

/* Returns the position of the section host; NULL = there is none. */
static const struct weir_tok *where_host(const struct weir_setup *s)
{
    return s->scn->where_host.file != NULL ? &s->scn->where_host : NULL;
}

/* Refuses a key of the NIC where packets do not wait in the host, or where a receiver decides what leaves.
 * @return 0, or WEIR_E_CONFLICT with err */
static int check_pulled(const struct weir_setup *s, const char *key, struct weir_err *err)
{
    if (s->scn->host.nic_queue != WEIR_NIC_PULL)
        return weir_fail(err, WEIR_E_CONFLICT, where_host(s), "set nic_queue: pull",
                         "host.%s needs a NIC that takes a packet when it is free, and host.nic_queue is unlimited",
                         key);
    for (uint32_t k = 0; k < s->law_count; k++) {
        const struct weir_scenario_law law = weir_scenario_law(s->scn, k);
        if (law.protocol->credit != NULL)
            return weir_fail(err, WEIR_E_CONFLICT, where_host(s), "use a sender-driven protocol",
                             "host.%s is for senders that decide, and protocol %s is receiver-driven", key,
                             law.protocol->name);
    }
    return 0;
}

/* Checks host.nic_schedule and host.nic_rate. @return 0, or WEIR_E_CONFLICT with err */
static int check_nic_keys(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_host_params *host = &s->scn->host;
    bool weighted = host->nic_schedule == WEIR_NIC_WEIGHTED, slower = host->nic_rate_ppm < 1000000;
    const struct weir_protocol *protocol = weir_scenario_law(s->scn, 0).protocol;
    int code = weighted || slower ? check_pulled(s, weighted ? "nic_schedule" : "nic_rate", err) : 0;
    if (code != 0 || !weighted)
        return code;
    if (s->law_count > 1)
        return weir_fail(err, WEIR_E_CONFLICT, where_host(s), "one protocol for all traffic",
                         "host.nic_schedule: weights are compared within one protocol, and the run has several");
    if ((weir_protocol_needs(protocol) & WEIR_NEED_NO_ACKS) != 0)
        return weir_fail(err, WEIR_E_CONFLICT, where_host(s), "leave nic_schedule out",
                         "host.nic_schedule: protocol %s has no connections to choose from", protocol->name);
    return 0;
}

int weir_setup_check_nics(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_routing_config *routing = &s->scn->routing;
    int code = check_nic_keys(s, err);
    if (code != 0)
        return code;
    if (!weir_topology_has_nics(&s->topo))
        return 0;
    if (routing->metric != WEIR_METRIC_HOPS)
        return weir_fail(
            err, WEIR_E_CONFLICT, &s->scn->where_fabric, "leave metric out",
            "fabric.routing: where hosts have several NICs, the shortest paths are those of the fewest links");
    if (routing->mode == WEIR_ROUTE_TREES || (routing->mode == WEIR_ROUTE_SYMMETRIC && !s->topo.layered))
        return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_fabric, "mode: ecmp or spray, or another topology",
                         "fabric.routing: hosts have several NICs, and then both directions of a path may differ");
    if (s->scn->host.nics == WEIR_NICS_LEAST_QUEUED && s->scn->host.nic_queue != WEIR_NIC_PULL)
        return weir_fail(err, WEIR_E_CONFLICT, where_host(s), "nic_queue: pull, or nics: spray",
                         "host.nics: least-queued, and unlimited queues: a NIC would never be free");
    if (s->law_count > 1)
        return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_topology, "one protocol for all traffic",
                         "topology: hosts have several NICs, and the run has several protocols");
    if (s->topo.host_count > WEIR_EDGES_MAX)
        return weir_fail(err, WEIR_E_RANGE, &s->scn->where_topology, NULL,
                         "topology: %u hosts, and with several NICs at most %u are possible", s->topo.host_count,
                         WEIR_EDGES_MAX);
    return 0;
}

/* Finds the parts of the network that cables between switches join: core/parts.h, of switches counted from 0. */
static void find_parts(const struct weir_topology *topo, uint32_t *part)
{
    for (uint32_t sw = 0; sw < topo->switch_count; sw++)
        part[sw] = sw;
    for (uint32_t l = 0; l < topo->link_count; l++) {
        const struct weir_link *link = &topo->link[l];
        if (link->src >= topo->host_count && link->dst >= topo->host_count)
            weir_part_join(part, link->src - topo->host_count, link->dst - topo->host_count);
    }
}

/* Tests whether NIC i of a host is in the same part of the network as NIC i of host 0, and in another one than the NICs
 * before it. */
static bool has_rails(const struct weir_topology *topo, uint32_t *part, uint32_t host)
{
    uint32_t seen[WEIR_NICS_MAX];
    if (topo->node[host].out_count != topo->nics_max)
        return false;
    for (uint32_t i = 0; i < topo->nics_max; i++) {
        uint32_t to = topo->link[topo->node[host].first_out + i].dst,
                 at_0 = topo->link[topo->node[0].first_out + i].dst;
        if (to < topo->host_count || at_0 < topo->host_count)
            return false;
        seen[i] = weir_part_of(part, to - topo->host_count);
        if (seen[i] != weir_part_of(part, at_0 - topo->host_count))
            return false;
        for (uint32_t k = 0; k < i; k++)
            if (seen[k] == seen[i])
                return false;
    }
    return true;
}

/* Refuses host.nics: rail unless NIC i of each host leads to NIC i of all others, and to no other. @return 0, or
 * WEIR_E_CONFLICT or WEIR_E_MEMORY with err */
static int check_rails(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_topology *topo = &s->topo;
    uint32_t *part = calloc(topo->switch_count + (size_t)1, sizeof(*part)), host = 0;
    char name[WEIR_NODE_NAME];
    if (part == NULL)
        return weir_fail_memory(err);
    find_parts(topo, part);
    while (host < topo->host_count && has_rails(topo, part, host))
        host++;
    free(part);
    if (host == topo->host_count)
        return 0;
    weir_topology_node_name(topo, host, name, sizeof(name));
    return weir_fail(err, WEIR_E_CONFLICT, where_host(s),
                     "kind: planes has rails: a network of its own for the first NIC of all hosts, and so on",
                     "host.nics: rail, and there are none: not every NIC of %s has a network of its own", name);
}

int weir_setup_nics(struct weir_setup *s, struct weir_err *err)
{
    int code;
    if (!weir_topology_has_nics(&s->topo))
        return 0;
    code = weir_nics_build(&s->nics, &s->topo, s->scn->routing.mode, s->scn->host.nics, s->scn->run.seed, err);
    if (code != 0)
        return code;
    s->topo.host_link_bps = 0;
    s->topo.has_unlike_hosts = false;
    for (uint32_t h = 0; h < s->topo.host_count; h++) {
        s->topo.host_link_bps = weir_max_u64(s->topo.host_link_bps, s->nics.host_bps[h]);
        s->topo.has_unlike_hosts |= s->nics.host_bps[h] != s->nics.host_bps[0];
    }
    s->model.nics = &s->nics;
    return s->scn->host.nics == WEIR_NICS_RAIL ? check_rails(s, err) : 0;
}

/* Returns the rates of a transport number at all hosts, if there are unlike ones; else NULL. */
static const struct weir_host_link *links_of(const struct weir_setup *s, uint32_t transport)
{
    const struct weir_host_link *link = &s->nics.link[(size_t)transport * s->topo.host_count];
    bool alike = true;
    WEIR_ASSERT(link[0].up_bps > 0 && link[0].down_bps > 0);
    for (uint32_t h = 0; h < s->topo.host_count; h++)
        alike = alike && link[h].up_bps == link[0].up_bps && link[h].down_bps == link[0].up_bps;
    return alike ? NULL : link;
}

/* Returns the longest of the round trips of the NICs of a transport number, at all hosts. */
static uint64_t longest_ps(const struct weir_nics *nics, const uint64_t *trip_ps, uint32_t transport)
{
    uint64_t longest = 0;
    for (uint32_t h = 0; h < nics->topo->host_count; h++)
        for (uint32_t i = 0; i < nics->topo->node[h].out_count; i++)
            if (nics->transport_of[(size_t)h * WEIR_NICS_MAX + i] == transport)
                longest = weir_max_u64(longest, trip_ps[(size_t)h * WEIR_NICS_MAX + i]);
    return longest;
}

/* Fills the paths of transports: each is of the fastest host, and of its own longest round trip. A BDP that the
 * scenario gives is that of the law's path. @return 0, or WEIR_E_MEMORY with err */
static int fill_paths(struct weir_setup *s, struct weir_err *err)
{
    const struct weir_framing *f = weir_scenario_law(s->scn, 0).framing;
    const struct weir_path *all = &s->law[0].path;
    size_t bytes = (size_t)s->topo.host_count * WEIR_NICS_MAX * sizeof(uint64_t);
    uint64_t *data_ps = malloc(bytes), *control_ps = malloc(bytes);
    enum weir_nics_trips found = WEIR_NICS_NO_MEMORY;
    if (data_ps != NULL && control_ps != NULL)
        found = weir_nics_round_trips(&s->nics.routes, &s->topo, all->wire_bytes, f->ack_wire_bytes,
                                      !weir_nics_spread(s->nics.choice), data_ps);
    if (found != WEIR_NICS_NO_MEMORY)
        found = weir_nics_round_trips(&s->nics.routes, &s->topo, f->ack_wire_bytes, f->ack_wire_bytes,
                                      !weir_nics_spread(s->nics.choice), control_ps);
    for (uint32_t t = 0; t < s->nics.transports && found != WEIR_NICS_NO_MEMORY; t++) {
        struct weir_path *path = &s->transport[t].path;
        *path = *all;
        path->base_rtt_ps = longest_ps(&s->nics, data_ps, t);
        path->control_rtt_ps = longest_ps(&s->nics, control_ps, t);
        path->rate_bps = 0;
        for (uint32_t h = 0; h < s->topo.host_count; h++)
            path->rate_bps = weir_max_u64(path->rate_bps, s->nics.link[(size_t)t * s->topo.host_count + h].up_bps);
        path->bdp_bytes = weir_mul_div_u64(path->base_rtt_ps, path->rate_bps, 8 * WEIR_PS_PER_S);
        if (s->scn->topology.bdp.bytes != UINT64_MAX)
            path->bdp_bytes = weir_mul_div_u64(all->bdp_bytes, path->rate_bps, all->rate_bps);
    }
    free(data_ps);
    free(control_ps);
    return found == WEIR_NICS_NO_MEMORY ? weir_fail_memory(err) : 0;
}

int weir_setup_transports(struct weir_setup *s, struct weir_err *err)
{
    if (s->model.nics == NULL)
        return 0;
    s->transport = calloc(s->nics.transports, sizeof(*s->transport));
    if (s->transport == NULL)
        return weir_fail_memory(err);
    return fill_paths(s, err);
}

/* Returns the transport of a pair of hosts: for struct weir_host_nics. */
static uint32_t of_pair(const void *ctx, uint32_t self, uint32_t peer)
{
    return weir_nics_of_pair(ctx, self, peer);
}

/* Returns how many transports a host has: likewise. */
static uint32_t count_of(const void *ctx, uint32_t self)
{
    return ((const struct weir_nics *)ctx)->count[self];
}

void weir_setup_fill_transports(struct weir_setup *s)
{
    const struct weir_nics *nics = &s->nics;
    if (s->model.nics == NULL)
        return;
    WEIR_ASSERT(nics->transports <= WEIR_NICS_MAX && s->law_count == 1);
    if (nics->transports == 1) { /* a host of one transport needs no shell */
        s->model.host.path = s->transport[0].path;
        s->model.host.links = links_of(s, 0);
        return;
    }
    for (uint32_t t = 0; t < nics->transports; t++) {
        struct weir_path path = s->transport[t].path;
        s->transport[t] = s->model.host;
        s->transport[t].nics = NULL;
        s->transport[t].path = path;
        s->transport[t].links = links_of(s, t);
    }
    s->host_nics = (struct weir_host_nics){ .transport = s->transport,
                                            .count = nics->transports,
                                            .of_pair = nics->choice == WEIR_NICS_RAIL ? NULL : of_pair,
                                            .count_of = count_of,
                                            .ctx = nics };
    s->model.host.nics = &s->host_nics;
}

uint16_t *weir_setup_numbers(const struct weir_setup *s)
{
    uint16_t *number_of = malloc(s->topo.host_count * sizeof(*number_of));
    for (uint32_t h = 0; number_of != NULL && h < s->topo.host_count; h++)
        number_of[h] = (uint16_t)h;
    return number_of;
}

void weir_setup_free_nics(struct weir_setup *s)
{
    weir_nics_free(&s->nics);
    free(s->transport);
    free(s->number_of);
}
