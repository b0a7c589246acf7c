/* src/simulator/setup/setup.c - combines the sections of a scenario into a model: topology, paths, BDP, features,
 * protocol, traffic. Checks that they fit each other, so that the engine receives only models that can run. */
#include "setup/setup.h"
#include "config/jobs_file.h"
#include "config/topology_file.h"
#include "core/cc.h"
#include "setup/features.h"
#include "setup/sizes.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STALL_PS (100 * WEIR_PS_PER_MS) /* run.stall: auto, where timers are not longer */

/* Refuses a topology in which two hosts have no path of WEIR_TOPOLOGY_HOPS_MAX links or fewer, with every cable up.
 * With metric delay the shortest path may be one of many links. @return 0, or WEIR_E_RANGE with err */
static int check_paths(const struct weir_setup *s, const struct weir_routes *routes, struct weir_err *err)
{
    char from[WEIR_NODE_NAME], to[WEIR_NODE_NAME];
    uint32_t src, dst;
    if (!weir_route_gap(routes, &s->topo, &src, &dst))
        return 0;
    weir_topology_node_name(&s->topo, src, from, sizeof(from));
    weir_topology_node_name(&s->topo, dst, to, sizeof(to));
    return weir_fail(err, WEIR_E_RANGE, &s->scn->where_topology,
                     s->model.metric == WEIR_METRIC_DELAY ? "fewer switches in a row, or fabric.routing.metric: hops"
                                                          : "fewer switches in a row",
                     "topology: the path from %s to %s has more than %u links", from, to, WEIR_TOPOLOGY_HOPS_MAX);
}

/* Adds the position of the topology section to a WEIR_E_RANGE error of the routes, which do not know it. @return
 * code */
static int blame_topology(const struct weir_setup *s, int code, struct weir_err *err)
{
    struct weir_err why = *err;
    if (code != WEIR_E_RANGE || err->file[0] != '\0')
        return code;
    return weir_fail(err, why.code, &s->scn->where_topology, why.hint, "topology: %s", why.text);
}

/* Sets model.host.hops: the number of switches between the hosts of each two first-hop switches. Does nothing for a
 * protocol without WEIR_NEED_HOPS. @return 0, or WEIR_E_MEMORY with err */
static int setup_hops(struct weir_setup *s, const struct weir_routes *routes, struct weir_err *err)
{
    size_t edges = s->topo.edge_count;
    if ((weir_protocol_needs(s->scn->protocol) & WEIR_NEED_HOPS) == 0)
        return 0;
    s->switches = malloc(edges * edges);
    if (s->switches == NULL)
        return weir_fail_memory(err);
    weir_route_switches(routes, &s->topo, s->switches);
    s->model.host.hops = (struct weir_host_hops){ s->topo.edge_of, s->switches, s->topo.edge_count };
    return 0;
}

/* Sets model.group_edge[], the message sizes that separate the groups of slowdowns. Unless the scenario sets a size
 * (run.group_bytes), it follows from the network alone, so that runs of different protocols can be compared. The
 * packet and the BDP are then those of plain Ethernet frames, whatever frames the protocol's preset sets. */
static void setup_groups(struct weir_setup *s, const struct weir_routes *routes)
{
    const struct weir_framing *plain = &weir_framing_plain;
    uint64_t given_bytes = s->scn->topology.bdp.bytes, bdp_bytes = given_bytes;
    if (given_bytes == UINT64_MAX)
        bdp_bytes =
            weir_mul_div_u64(weir_route_base_rtt_ps(routes, &s->topo, weir_framing_wire(plain, plain->payload_bytes),
                                                    plain->ack_wire_bytes),
                             s->topo.host_link_bps, 8 * WEIR_PS_PER_S);
    s->model.group_edge[0] = plain->payload_bytes;
    s->model.group_edge[1] = bdp_bytes;
    s->model.group_edge[2] = 8 * bdp_bytes;
    for (int i = 0; i < 3; i++)
        if (s->scn->run.group_bytes[i] != UINT64_MAX)
            s->model.group_edge[i] = s->scn->run.group_bytes[i];
}

/* Computes the base round trip, the longest path and the BDP, fills model.host.path, and resolves sizes that are given
 * in BDP. The topology must be built. @return 0, or a code with err */
static int setup_path(struct weir_setup *s, struct weir_err *err)
{
    const struct weir_topology_config *t = &s->scn->topology;
    const struct weir_framing *f = &s->scn->framing;
    struct weir_routes routes;
    uint64_t control_rtt_ps;
    int code;
    s->model.metric = s->scn->routing.metric;
    if (s->scn->routing.mode == WEIR_ROUTE_TREES && s->model.metric != WEIR_METRIC_HOPS)
        return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_fabric, "leave metric out, or set mode: symmetric",
                         "fabric.routing: spanning trees are of the fewest links, not of the least delay");
    code = weir_routes_build(&routes, &s->topo, s->scn->routing.mode, s->model.metric, 0, err);
    if (code != 0)
        return blame_topology(s, code, err);
    code = check_paths(s, &routes, err);
    s->base_rtt_ps =
        weir_route_base_rtt_ps(&routes, &s->topo, weir_framing_wire(f, f->payload_bytes), f->ack_wire_bytes);
    control_rtt_ps = weir_route_base_rtt_ps(&routes, &s->topo, f->ack_wire_bytes, f->ack_wire_bytes);
    s->path_links = weir_route_links_max(&routes, &s->topo);
    setup_groups(s, &routes);
    if (code == 0)
        code = setup_hops(s, &routes, err);
    weir_routes_free(&routes);
    if (code == 0 && (s->base_rtt_ps == UINT64_MAX || control_rtt_ps == UINT64_MAX || s->path_links == 0))
        code = weir_fail_memory(err);
    if (code != 0)
        return code;
    s->bdp_bytes = t->bdp.bytes;
    if (s->bdp_bytes == UINT64_MAX)
        s->bdp_bytes = weir_mul_div_u64(s->base_rtt_ps, s->topo.host_link_bps, 8 * WEIR_PS_PER_S);
    s->model.host.path = (struct weir_path){ .base_rtt_ps = s->base_rtt_ps,
                                             .control_rtt_ps = control_rtt_ps,
                                             .rate_bps = s->topo.host_link_bps,
                                             .bdp_bytes = s->bdp_bytes,
                                             .mss_bytes = f->payload_bytes,
                                             .wire_bytes = weir_framing_wire(f, f->payload_bytes),
                                             .hops = s->path_links - 1 };
    code = weir_setup_links(s, err);
    return code != 0 ? code : weir_scenario_resolve_bdp(s->scn, s->bdp_bytes, err);
}

static int setup_framing(const struct weir_scenario *scn, struct weir_err *err)
{
    const struct weir_framing *f = &scn->framing;
    uint32_t full = weir_framing_wire(f, f->payload_bytes);
    if (full > WEIR_WIRE_MAX_BYTES || f->ack_wire_bytes > WEIR_WIRE_MAX_BYTES)
        return weir_fail(err, WEIR_E_RANGE, NULL, "jumbo frames have a payload of up to about 8900 B",
                         "framing: a full packet takes %" PRIu32 " B on the wire; at most %u B are possible", full,
                         WEIR_WIRE_MAX_BYTES);
    return 0;
}

/* Returns the reordering threshold in packets: a packet counts as lost when one that was sent so many packets later
 * has arrived. Without host.reorder it is 3, and with spraying one BDP, but at least 3 and at most a quarter of
 * host.window. Spraying reorders packets by up to a queue on the longest path, which is taken to be one BDP. */
static uint32_t setup_reorder(const struct weir_setup *s)
{
    uint32_t given = s->scn->host.reorder_pkts;
    if (given != 0)
        return given;
    if (s->scn->routing.mode != WEIR_ROUTE_SPRAY)
        return 3;
    return weir_clamp_u32(s->bdp_bytes / s->scn->framing.payload_bytes, 3, s->scn->host.window_pkts / 4);
}

/* Refuses a host.reorder that is not below host.window: no later packet of a window could then show that a packet is
 * lost. */
static int setup_check_reorder(const struct weir_scenario *scn, struct weir_err *err)
{
    const struct weir_host_params *p = &scn->host;
    if (p->reorder_pkts < p->window_pkts)
        return 0;
    return weir_fail(
        err, WEIR_E_CONFLICT, &scn->where_host,
        "a packet is lost when one `reorder` packets later arrived, and no more than `window` are in flight",
        "host: reorder is not below window, which is %" PRIu32, p->window_pkts);
}

/* Sets the timers that the scenario leaves to set-up, in the scenario too, so that a result file has their values. They
 * depend on the fabric, so features must be set up before.
 * - retransmission timeouts: weir_host_settle_timers();
 * - run.stall: 100 ms, and at least four times rto_init. A sender's second timeout comes after three times rto_init at
 *   most, and what it sends then must have time to arrive. */
static void setup_timers(struct weir_setup *s)
{
    struct weir_scenario *scn = s->scn;
    weir_host_settle_timers(&scn->host, s->model.features.lossless != 0);
    if (scn->run.stall_ps == 0) {
        scn->run.stall_ps = STALL_PS;
        if (scn->protocol->credit == NULL)
            scn->run.stall_ps = weir_max_u64(STALL_PS, 4 * scn->host.rto_init_ps);
    }
    /* the time may be too short for links with long delays */
    s->model.stall_ps = weir_max_u64(scn->run.stall_ps, 10 * s->base_rtt_ps);
}

static int setup_timeouts(const struct weir_scenario *scn, struct weir_err *err)
{
    const struct weir_host_params *p = &scn->host;
    static const char *const hint = "rto_min <= rto_init <= rto_max; rto_max is 1 s unless set, the others follow";
    if (p->rto_min_ps > p->rto_max_ps)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_host, hint, "host: rto_min is above rto_max");
    if (p->rto_min_ps > p->rto_init_ps)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_host, hint, "host: rto_min is above rto_init");
    if (p->rto_init_ps > p->rto_max_ps)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_host, hint, "host: rto_init is above rto_max");
    if (p->ack_every > 1 && p->ack_delay_ps > p->rto_min_ps)
        return weir_fail(
            err, WEIR_E_CONFLICT, &scn->where_host,
            "a packet whose acknowledgement waits would be sent again; RFC 5681 allows 500 ms, and RFC 6298 "
            "a timeout of 1 s",
            "host: ack_delay is above rto_min");
    return 0;
}

static int setup_check_ecn(const struct weir_scenario *scn, struct weir_err *err)
{
    if (scn->host.ecn != WEIR_ECN_OFF || (weir_protocol_needs(scn->protocol) & WEIR_NEED_ECN) == 0)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, &scn->where_host, "leave host.ecn out",
                     "host: ecn is off, and protocol %s needs marks", scn->protocol->name);
}

/* Refuses hosts whose links have different rates in the two directions, for receiver-driven protocols. Such a receiver
 * gives credit at the rate at which its host sends. */
static int check_downlinks(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_topology *topo = &s->topo;
    if (s->scn->protocol->credit == NULL)
        return 0;
    for (uint32_t h = 0; h < topo->host_count; h++) {
        const struct weir_link *up = &topo->link[topo->node[h].first_out];
        char name[WEIR_NODE_NAME];
        if (topo->link[up->reverse].rate_bps == up->rate_bps)
            continue;
        weir_topology_node_name(topo, h, name, sizeof(name));
        return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_topology,
                         "leave rate_back out for cables of hosts, or use a sender-driven protocol",
                         "topology: host %s sends and receives at unlike rates, and protocol %s paces both at one",
                         name, s->scn->protocol->name);
    }
    return 0;
}

static int setup_protocol(struct weir_setup *s, struct weir_err *err)
{
    static const enum weir_host_hash hash_of[] = { [WEIR_ROUTE_ECMP] = WEIR_HASH_FLOW,
                                                   [WEIR_ROUTE_SYMMETRIC] = WEIR_HASH_SYMMETRIC,
                                                   [WEIR_ROUTE_SPRAY] = WEIR_HASH_PACKET,
                                                   [WEIR_ROUTE_TREES] = WEIR_HASH_SYMMETRIC };
    struct weir_scenario *scn = s->scn;
    struct weir_host_config *h = &s->model.host;
    int code;
    setup_timers(s);
    h->params = scn->host;
    h->params.reorder_pkts = setup_reorder(s);
    h->framing = scn->framing;
    h->cc = scn->protocol->cc;
    h->credit = scn->protocol->credit;
    h->cc_config = scn->protocol_config;
    h->hash = hash_of[scn->routing.mode];
    h->seed = scn->run.seed;
    code = weir_setup_needs(s, err);
    if (code == 0)
        code = setup_check_ecn(scn, err);
    if (code == 0)
        code = setup_check_reorder(scn, err);
    if (code == 0)
        code = check_downlinks(s, err);
    return code != 0 ? code : setup_timeouts(scn, err);
}

/* Calls the protocol's fit(), if it has one: sets the keys that follow from the path, the frames and the sizes of
 * messages. @return 0, or WEIR_E_MEMORY with err */
static int setup_fit_protocol(const struct weir_setup *s, struct weir_err *err)
{
    struct weir_scenario *scn = s->scn;
    struct weir_fit fit = { .path = &s->model.host.path, .framing = &scn->framing };
    if (scn->protocol->fit == NULL)
        return 0;
    struct weir_size_share *share = weir_setup_sizes(&s->workload, &fit.sizes.count);
    if (share == NULL)
        return weir_fail_memory(err);
    fit.sizes.share = share;
    scn->protocol->fit(scn->protocol_config, &fit);
    free(share);
    return 0;
}

/* Refuses protocol keys that do not fit each other, the path or the weights. @return 0, or a code with err */
static int setup_check_protocol(struct weir_setup *s, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    const struct weir_protocol *p = scn->protocol;
    struct weir_err wrong;
    s->model.host.path.qdelay_most_ps = s->model.host.qdelay_unit_ps * WEIR_PKT_QDELAY_MAX;
    if (p->check == NULL || p->check(scn->protocol_config, &s->model.host.path, &wrong) == 0)
        return weir_setup_check_links(s, err);
    return weir_fail(err, wrong.code, &scn->where_protocol, wrong.hint, "protocol %s: %s", p->name, wrong.text);
}

static void setup_fabric(struct weir_setup *s)
{
    const struct weir_scenario *scn = s->scn;
    struct weir_model *m = &s->model;
    m->memory_bytes = scn->fabric.buffer_bytes;
    m->routing = scn->routing.mode;
}

/* Refuses a list of a group's senders that does not fit into the first packet of a message. The receiver of a
 * message reads the list when the message begins. @return 0, or WEIR_E_CONFLICT with err */
static int setup_check_groups(const struct weir_setup *s, struct weir_err *err)
{
    for (uint32_t g = 0; g < s->workload.group_count; g++) {
        uint32_t bytes = weir_group_bytes(&s->workload.group[g]);
        if (bytes > s->scn->framing.payload_bytes)
            return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_protocol,
                             "set protocol.look_ahead: false, or let fewer senders take part",
                             "protocol %s: a look-ahead list of %" PRIu32 " senders takes %" PRIu32
                             " B, and a first packet has %" PRIu32 " B",
                             s->scn->protocol->name, s->workload.group[g].count, bytes, s->scn->framing.payload_bytes);
    }
    return 0;
}

static int setup_check_tenants(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    const struct weir_host_config *h = &s->model.host;
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        if (scn->traffic[i].tenant != 0 && (weir_cc_heads(h->cc, h->cc_config) & WEIR_HEAD_TENANT) == 0)
            return weir_fail(err, WEIR_E_CONFLICT, &scn->where_traffic[i],
                             "set protocol: {name: dart, tenants: true}, or leave tenant out",
                             "tenant: protocol %s does not keep tenants apart", scn->protocol->name);
    return 0;
}

static int setup_check_end(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    if (!s->model.ends_at_sender || (weir_host_needs(&s->model.host) & WEIR_NEED_NO_ACKS) == 0)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, &scn->where_protocol, "leave run.complete_at out",
                     "run: complete_at is sender, and protocol %s has no acknowledgements: no sender ever knows",
                     scn->protocol->name);
}

/* Refuses messages of more than one packet for a protocol without acknowledgements (WEIR_NEED_NO_ACKS): there one
 * packet is a whole message. */
static int setup_check_sizes(const struct weir_setup *s, struct weir_err *err)
{
    uint64_t most = 0;
    if ((weir_host_needs(&s->model.host) & WEIR_NEED_NO_ACKS) == 0)
        return 0;
    for (uint32_t i = 0; i < s->workload.item_count; i++)
        most = weir_max_u64(most, s->workload.reply_bytes[i]);
    for (uint32_t i = 0; i < s->workload.item_count; i++)
        if (s->workload.gap_mean_fs[i] > 0)
            most = weir_max_u64(most, s->workload.cdf[i].point[s->workload.cdf[i].count - 1].bytes);
    for (uint64_t i = 0; i < s->workload.listed_first[s->workload.hosts]; i++)
        most = weir_max_u64(most, s->workload.listed[i].bytes);
    for (uint32_t f = 0; f < s->jobs.flow_count; f++)
        most = weir_max_u64(most, s->jobs.flow[f].bytes);
    if (most <= s->scn->framing.payload_bytes)
        return 0;
    return weir_fail(
        err, WEIR_E_CONFLICT, &s->scn->where_protocol, "use sizes of one packet, for example sizes: 1460 B",
        "protocol %s sends single packets of up to %" PRIu32 " B, and the traffic has messages of up to %" PRIu64 " B",
        s->scn->protocol->name, s->scn->framing.payload_bytes, most);
}

/* Builds the jobs, then the workload, which refers to them. @return 0, or a code with err; then both are freed */
static int setup_workload(struct weir_setup *s, struct weir_workload_limits *limits, struct weir_err *err)
{
    struct weir_scenario *scn = s->scn;
    bool jobs = false;
    int code = 0;
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        jobs |= scn->traffic[i].kind == WEIR_TRAFFIC_JOBS || scn->traffic[i].kind == WEIR_TRAFFIC_PAIRS;
    if (jobs) {
        code = weir_jobs_load(&s->jobs, scn->traffic, scn->traffic_count, limits, scn->where_traffic, err);
        limits->jobs = &s->jobs;
    }
    if (code == 0)
        code = weir_workload_build(&s->workload, scn->traffic, scn->traffic_count, limits, scn->where_traffic, err);
    if (code != 0)
        weir_jobs_free(&s->jobs);
    return code;
}

/* Returns the traffic items whose messages count in results by message: bit i is item i. */
static uint32_t setup_measured_items(const struct weir_scenario *scn)
{
    uint32_t always = 0, automatic = 0, incasts = 0;
    for (uint32_t i = 0; i < scn->traffic_count; i++) {
        const struct weir_traffic_config *item = &scn->traffic[i];
        always |= (uint32_t)(item->measured == WEIR_MEASURED_TRUE) << i;
        automatic |= (uint32_t)(item->measured == WEIR_MEASURED_AUTO) << i;
        incasts |= (uint32_t)(item->kind == WEIR_TRAFFIC_INCAST) << i;
    }
    if ((always | (automatic & ~incasts)) == 0) /* only incasts are left, so they are measured */
        return automatic;
    return always | (automatic & ~incasts);
}

static int setup_traffic(struct weir_setup *s, struct weir_err *err)
{
    struct weir_scenario *scn = s->scn;
    struct weir_model *m = &s->model;
    struct weir_workload_limits limits = { .hosts = s->topo.host_count,
                                           .host_rate_bps = s->topo.host_link_bps,
                                           .host_bps = s->host_bps,
                                           .end_ps = m->until_done ? WEIR_NEVER : m->warmup_ps + m->measure_ps,
                                           .seed = scn->run.seed,
                                           .base_dir = scn->base_dir,
                                           .host_id = s->topo.host_id,
                                           .note = s->note,
                                           .groups = weir_cc_heads(m->host.cc, m->host.cc_config) & WEIR_HEAD_GROUP };
    int code = setup_workload(s, &limits, err);
    if (code != 0)
        return code;
    m->workload = &s->workload;
    m->measured_items = setup_measured_items(scn);
    code = setup_check_sizes(s, err);
    if (code == 0)
        code = setup_check_end(s, err);
    if (code == 0)
        code = setup_check_groups(s, err);
    if (code == 0)
        code = setup_check_tenants(s, err);
    if (code == 0) {
        weir_setup_weights(s);
        code = setup_fit_protocol(s, err);
    }
    if (code == 0)
        return 0;
    weir_workload_free(&s->workload);
    weir_jobs_free(&s->jobs);
    return code;
}

static void setup_run(struct weir_setup *s)
{
    const struct weir_scenario *scn = s->scn;
    struct weir_model *m = &s->model;
    m->topo = &s->topo;
    m->warmup_ps = scn->run.warmup_ps;
    m->until_done = scn->run.measure_ps == WEIR_NEVER;
    m->measure_ps = m->until_done ? 0 : scn->run.measure_ps;
    m->sample_ps = scn->run.sample_ps;
    m->sample_average = scn->run.sample_average != 0;
    m->seed = scn->run.seed;
    m->short_bytes = scn->run.short_bytes;
    m->sample_limit = WEIR_SAMPLES_MAX;
    m->ends_at_sender = scn->run.complete_at == WEIR_COMPLETE_SENDER;
}

int weir_setup_network(struct weir_setup *s, struct weir_scenario *scn, struct weir_err *err)
{
    int code;
    *s = (struct weir_setup){ .scn = scn };
    if ((code = setup_framing(scn, err)) != 0 ||
        (code = weir_topology_load(&s->topo, &scn->topology, scn->base_dir, &scn->where_topology, err)) != 0)
        return code;
    if ((code = weir_setup_hosts(s, err)) == 0)
        code = setup_path(s, err);
    if (code == 0)
        return 0;
    weir_setup_free_links(s);
    weir_topology_free(&s->topo);
    return code;
}

int weir_setup_init_for_shares(struct weir_setup *s, struct weir_scenario *scn, struct weir_err *err)
{
    int code = weir_setup_network(s, scn, err);
    if (code != 0)
        return code;
    setup_run(s);
    setup_fabric(s);
    if ((code = weir_setup_features(s, err)) != 0 || (code = setup_protocol(s, err)) != 0 ||
        (code = setup_traffic(s, err)) != 0) {
        free(s->feature_models);
        weir_setup_free_links(s);
        weir_topology_free(&s->topo);
    }
    return code;
}

int weir_setup_init(struct weir_setup *s, struct weir_scenario *scn, struct weir_err *err)
{
    int code = weir_setup_init_for_shares(s, scn, err);
    if (code != 0)
        return code;
    code = weir_setup_check_weights(s, err);
    if (code == 0)
        code = setup_check_protocol(s, err);
    if (code != 0)
        weir_setup_free(s);
    return code;
}

const char *weir_setup_link_name(const struct weir_setup *s, uint32_t link, char out[WEIR_LINK_NAME])
{
    if (link < s->topo.link_count)
        weir_topology_link_name(&s->topo, link, out, WEIR_LINK_NAME);
    else
        (void)snprintf(out, WEIR_LINK_NAME, "no way");
    return out;
}

void weir_setup_free(struct weir_setup *s)
{
    weir_workload_free(&s->workload);
    weir_jobs_free(&s->jobs);
    free(s->feature_models);
    weir_setup_free_links(s);
    weir_topology_free(&s->topo);
}
