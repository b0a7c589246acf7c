/* src/simulator/setup/laws.c - the part of the set-up that is done once for each law of a run: paths, host keys,
 * timers, needs and checks. A run with one protocol has one law. */
#include "core/cc.h"
#include "core/credit_ops.h"
#include "setup/features.h"
#include "setup/sizes.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STALL_PS (100 * WEIR_PS_PER_MS) /* run.stall: auto, where timers are not longer */

static struct weir_scenario_law keys_of(const struct weir_setup *s, uint32_t k)
{
    return weir_scenario_law(s->scn, k);
}

/* ---- before features ---- */

int weir_setup_laws_framing(const struct weir_setup *s, struct weir_err *err)
{
    for (uint32_t k = 0; k < s->law_count; k++) {
        const struct weir_framing *f = keys_of(s, k).framing;
        uint32_t full = weir_framing_wire(f, f->payload_bytes);
        if (full > WEIR_WIRE_MAX_BYTES || f->ack_wire_bytes > WEIR_WIRE_MAX_BYTES)
            return weir_fail(err, WEIR_E_RANGE, NULL, "jumbo frames have a payload of up to about 8900 B",
                             "framing: a full packet takes %" PRIu32 " B on the wire; at most %u B are possible", full,
                             WEIR_WIRE_MAX_BYTES);
    }
    return 0;
}

int weir_setup_law_path(struct weir_setup *s, uint32_t k, const struct weir_routes *routes, struct weir_err *err)
{
    const struct weir_framing *f = keys_of(s, k).framing;
    uint32_t wire = weir_framing_wire(f, f->payload_bytes);
    uint64_t bdp_bytes = s->scn->topology.bdp.bytes, rate_bps = weir_setup_path_bps(s);
    uint64_t base_rtt_ps = weir_route_base_rtt_ps(routes, &s->topo, wire, f->ack_wire_bytes);
    uint64_t control_rtt_ps = weir_route_base_rtt_ps(routes, &s->topo, f->ack_wire_bytes, f->ack_wire_bytes);
    if (base_rtt_ps == UINT64_MAX || control_rtt_ps == UINT64_MAX)
        return weir_fail_memory(err);
    if (bdp_bytes == UINT64_MAX)
        bdp_bytes = weir_mul_div_u64(base_rtt_ps, rate_bps, 8 * WEIR_PS_PER_S);
    s->law[k].path = (struct weir_path){ .base_rtt_ps = base_rtt_ps,
                                         .control_rtt_ps = control_rtt_ps,
                                         .rate_bps = rate_bps,
                                         .bdp_bytes = bdp_bytes,
                                         .mss_bytes = f->payload_bytes,
                                         .wire_bytes = wire,
                                         .hops = s->path_links - 1 };
    return 0;
}

int weir_setup_law_hops(struct weir_setup *s, const struct weir_routes *routes, struct weir_err *err)
{
    size_t edges = routes->edge_count;
    for (uint32_t k = 0; k < s->law_count; k++) {
        if ((weir_protocol_needs(keys_of(s, k).protocol) & WEIR_NEED_HOPS) == 0)
            continue;
        if (s->switches == NULL) {
            s->switches = malloc(edges * edges);
            s->number_of = s->model.nics != NULL ? weir_setup_numbers(s) : NULL;
            if (s->switches == NULL || (s->model.nics != NULL && s->number_of == NULL))
                return weir_fail_memory(err);
            weir_route_switches(routes, &s->topo, s->switches);
        }
        s->law[k].hops = (struct weir_host_hops){ s->number_of != NULL ? s->number_of : s->topo.edge_of, s->switches,
                                                  (uint32_t)edges };
    }
    return 0;
}

/* ---- host keys ---- */

/* Returns the reordering threshold in packets: a packet counts as lost when one that was sent so many packets later
 * has arrived. Without host.reorder it is 3, and with spraying one BDP, but at least 3 and at most a quarter of
 * host.window. Spraying reorders packets by up to a queue on the longest path, which is taken to be one BDP. */
static uint32_t law_reorder(const struct weir_setup *s, uint32_t k)
{
    const struct weir_scenario_law keys = keys_of(s, k);
    if (keys.host->reorder_pkts != 0)
        return keys.host->reorder_pkts;
    if (!weir_setup_sprays(s))
        return 3;
    return weir_clamp_u32(s->law[k].path.bdp_bytes / keys.framing->payload_bytes, 3, keys.host->window_pkts / 4);
}

/* Refuses a host.reorder that is not below host.window: no later packet of a window could then show that a packet is
 * lost. */
static int check_reorder(const struct weir_scenario_law *keys, struct weir_err *err)
{
    const struct weir_host_params *p = keys->host;
    if (p->reorder_pkts < p->window_pkts)
        return 0;
    return weir_fail(
        err, WEIR_E_CONFLICT, keys->where_host,
        "a packet is lost when one `reorder` packets later arrived, and no more than `window` are in flight",
        "host: reorder is not below window, which is %" PRIu32, p->window_pkts);
}

/* Sets the timers that the scenario leaves to set-up, in the scenario too, so that a result file has their values. They
 * depend on the fabric, so features must be set up before.
 * - retransmission timeouts of each law: weir_host_settle_timers();
 * - run.stall: 100 ms, and at least four times the longest rto_init. A sender's second timeout comes after three times
 *   rto_init at most, and what it sends then must have time to arrive. */
static void set_timers(struct weir_setup *s)
{
    struct weir_scenario *scn = s->scn;
    uint64_t stall_ps = STALL_PS;
    for (uint32_t k = 0; k < s->law_count; k++) {
        const struct weir_scenario_law keys = keys_of(s, k);
        weir_host_settle_timers(keys.host, s->model.features.lossless != 0);
        if (keys.protocol->credit == NULL)
            stall_ps = weir_max_u64(stall_ps, 4 * keys.host->rto_init_ps);
    }
    if (scn->run.stall_ps == 0)
        scn->run.stall_ps = stall_ps;
    /* the time may be too short for links with long delays */
    s->model.stall_ps = weir_max_u64(scn->run.stall_ps, 10 * s->base_rtt_ps);
}

static int check_timeouts(const struct weir_scenario_law *keys, struct weir_err *err)
{
    const struct weir_host_params *p = keys->host;
    static const char *const hint = "rto_min <= rto_init <= rto_max; rto_max is 1 s unless set, the others follow";
    if (p->rto_min_ps > p->rto_max_ps)
        return weir_fail(err, WEIR_E_CONFLICT, keys->where_host, hint, "host: rto_min is above rto_max");
    if (p->rto_min_ps > p->rto_init_ps)
        return weir_fail(err, WEIR_E_CONFLICT, keys->where_host, hint, "host: rto_min is above rto_init");
    if (p->rto_init_ps > p->rto_max_ps)
        return weir_fail(err, WEIR_E_CONFLICT, keys->where_host, hint, "host: rto_init is above rto_max");
    if (p->ack_every > 1 && p->ack_delay_ps > p->rto_min_ps)
        return weir_fail(
            err, WEIR_E_CONFLICT, keys->where_host,
            "a packet whose acknowledgement waits would be sent again; RFC 5681 allows 500 ms, and RFC 6298 "
            "a timeout of 1 s",
            "host: ack_delay is above rto_min");
    return 0;
}

static int check_ecn(const struct weir_scenario_law *keys, struct weir_err *err)
{
    if (keys->host->ecn != WEIR_ECN_OFF || (weir_protocol_needs(keys->protocol) & WEIR_NEED_ECN) == 0)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, keys->where_host, "leave host.ecn out",
                     "host: ecn is off, and protocol %s needs marks", keys->protocol->name);
}

/* Refuses hosts whose links have different rates in the two directions, for receiver-driven protocols. Such a receiver
 * gives credit at the rate at which its host sends. */
static int check_downlinks(const struct weir_setup *s, const struct weir_scenario_law *keys, struct weir_err *err)
{
    const struct weir_topology *topo = &s->topo;
    if (keys->protocol->credit == NULL)
        return 0;
    for (uint32_t h = 0; h < topo->host_count; h++) {
        const struct weir_node *node = &topo->node[h];
        char name[WEIR_NODE_NAME];
        bool alike = true;
        for (uint32_t l = node->first_out; l < node->first_out + node->out_count; l++)
            alike = alike && topo->link[topo->link[l].reverse].rate_bps == topo->link[l].rate_bps;
        if (alike)
            continue;
        weir_topology_node_name(topo, h, name, sizeof(name));
        return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_topology,
                         "leave rate_back out for cables of hosts, or use a sender-driven protocol",
                         "topology: host %s sends and receives at unlike rates, and protocol %s paces both at one",
                         name, keys->protocol->name);
    }
    return 0;
}

/* Refuses a class of a traffic item that ports do not have: its DATA would be served in the last class instead. of: ""
 * or ".deploy" */
static int check_class(const struct weir_setup *s, uint32_t item, const char *of, uint32_t class_id,
                       struct weir_err *err)
{
    uint32_t classes = s->model.classes;
    if (class_id == WEIR_TRAFFIC_CLASS_AUTO || class_id < classes)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_traffic[item],
                     "set fabric.priorities to the number of classes, which are numbered from 0",
                     "traffic[%u]%s: class is %u, and ports have %u class%s", (unsigned)item, of, (unsigned)class_id,
                     (unsigned)classes, classes == 1 ? "" : "es");
}

static void fill(struct weir_setup *s, uint32_t k)
{
    static const enum weir_host_hash hash_of[] = { [WEIR_ROUTE_ECMP] = WEIR_HASH_FLOW,
                                                   [WEIR_ROUTE_SYMMETRIC] = WEIR_HASH_SYMMETRIC,
                                                   [WEIR_ROUTE_SPRAY] = WEIR_HASH_PACKET,
                                                   [WEIR_ROUTE_TREES] = WEIR_HASH_SYMMETRIC };
    const struct weir_scenario_law keys = keys_of(s, k);
    struct weir_host_config *h = &s->law[k];
    h->params = *keys.host;
    h->params.reorder_pkts = law_reorder(s, k);
    h->framing = *keys.framing;
    h->cc = keys.protocol->cc;
    h->credit = keys.protocol->credit;
    h->cc_config = keys.config;
    h->hash = hash_of[s->scn->routing.mode];
    h->seed = s->scn->run.seed;
}

int weir_setup_laws(struct weir_setup *s, struct weir_err *err)
{
    int code = 0;
    set_timers(s);
    for (uint32_t k = 0; k < s->law_count && code == 0; k++) {
        const struct weir_scenario_law keys = keys_of(s, k);
        fill(s, k);
        code = weir_setup_needs(s, k, err);
        if (code == 0)
            code = check_ecn(&keys, err);
        if (code == 0)
            code = check_reorder(&keys, err);
        if (code == 0)
            code = check_downlinks(s, &keys, err);
        if (code == 0)
            code = check_timeouts(&keys, err);
    }
    for (uint32_t i = 0; i < s->scn->traffic_count && code == 0; i++) {
        code = check_class(s, i, "", s->scn->traffic[i].class_id, err);
        if (code == 0)
            code = check_class(s, i, ".deploy", s->scn->deploy[i].class_id, err);
    }
    return code;
}

/* ---- traffic ---- */

bool weir_setup_laws_read_groups(const struct weir_setup *s)
{
    bool all = true;
    for (uint32_t k = 0; k < s->law_count; k++)
        all = all && (weir_cc_heads(s->law[k].cc, s->law[k].cc_config) & WEIR_HEAD_GROUP) != 0;
    return all;
}

/* Refuses a list of a group's senders that does not fit into the first packet of a message. The receiver of a
 * message reads the list when the message begins. @return 0, or WEIR_E_CONFLICT with err */
static int check_groups(const struct weir_setup *s, uint32_t k, struct weir_err *err)
{
    const struct weir_scenario_law keys = keys_of(s, k);
    for (uint32_t g = 0; g < s->workload.group_count; g++) {
        uint32_t bytes = weir_group_bytes(&s->workload.group[g]);
        if (bytes > keys.framing->payload_bytes)
            return weir_fail(err, WEIR_E_CONFLICT, keys.where,
                             "set protocol.look_ahead: false, or let fewer senders take part",
                             "protocol %s: a look-ahead list of %" PRIu32 " senders takes %" PRIu32
                             " B, and a first packet has %" PRIu32 " B",
                             keys.protocol->name, s->workload.group[g].count, bytes, keys.framing->payload_bytes);
    }
    return 0;
}

static int check_tenants(const struct weir_setup *s, uint32_t k, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    const struct weir_host_config *h = &s->law[k];
    for (uint32_t i = 0; i < scn->traffic_count; i++)
        if (weir_setup_law_sends(s, k, i) && scn->traffic[i].tenant != 0 &&
            (weir_cc_heads(h->cc, h->cc_config) & WEIR_HEAD_TENANT) == 0)
            return weir_fail(err, WEIR_E_CONFLICT, &scn->where_traffic[i],
                             "set protocol: {name: dart, tenants: true}, or leave tenant out",
                             "tenant: protocol %s does not keep tenants apart", keys_of(s, k).protocol->name);
    return 0;
}

static int check_end(const struct weir_setup *s, uint32_t k, struct weir_err *err)
{
    if (!s->model.ends_at_sender || (weir_host_needs(&s->law[k]) & WEIR_NEED_NO_ACKS) == 0)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, keys_of(s, k).where, "leave run.complete_at out",
                     "run: complete_at is sender, and protocol %s has no acknowledgements: no sender ever knows",
                     keys_of(s, k).protocol->name);
}

/* Returns the bytes of the largest message of the items of law k. */
static uint64_t largest_message(const struct weir_setup *s, uint32_t k)
{
    const struct weir_workload *wl = &s->workload;
    uint64_t most = 0;
    for (uint32_t i = 0; i < wl->item_count; i++)
        if (weir_setup_law_sends(s, k, i))
            most = weir_max_u64(most, wl->reply_bytes[i]);
    for (uint32_t i = 0; i < wl->item_count; i++)
        if (weir_setup_law_sends(s, k, i) && wl->gap_mean_fs[i] > 0)
            most = weir_max_u64(most, wl->cdf[i].point[wl->cdf[i].count - 1].bytes);
    for (uint64_t i = 0; i < wl->listed_first[wl->hosts]; i++)
        if (weir_setup_law_sends(s, k, wl->listed[i].item))
            most = weir_max_u64(most, wl->listed[i].bytes);
    for (uint32_t f = 0; f < s->jobs.flow_count; f++)
        if (weir_setup_law_sends(s, k, s->jobs.flow[f].item))
            most = weir_max_u64(most, s->jobs.flow[f].bytes);
    return most;
}

/* Refuses messages of more than one packet for a protocol without acknowledgements (WEIR_NEED_NO_ACKS): there one
 * packet is a whole message. */
static int check_sizes(const struct weir_setup *s, uint32_t k, struct weir_err *err)
{
    const struct weir_scenario_law keys = keys_of(s, k);
    uint64_t most;
    if ((weir_host_needs(&s->law[k]) & WEIR_NEED_NO_ACKS) == 0)
        return 0;
    most = largest_message(s, k);
    if (most <= keys.framing->payload_bytes)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, keys.where, "use sizes of one packet, for example sizes: 1460 B",
                     "protocol %s sends single packets of up to %" PRIu32
                     " B, and the traffic has messages of up to %" PRIu64 " B",
                     keys.protocol->name, keys.framing->payload_bytes, most);
}

int weir_setup_laws_check_traffic(const struct weir_setup *s, struct weir_err *err)
{
    int code = 0;
    for (uint32_t k = 0; k < s->law_count && code == 0; k++) {
        code = check_sizes(s, k, err);
        if (code == 0)
            code = check_end(s, k, err);
        if (code == 0)
            code = check_groups(s, k, err);
        if (code == 0)
            code = check_tenants(s, k, err);
    }
    return code;
}

/* ---- protocols ---- */

/* Returns the traffic items that have messages of law k: bit i is item i. */
static uint32_t items_of(const struct weir_setup *s, uint32_t k)
{
    uint32_t items = 0;
    for (uint32_t i = 0; i < s->scn->traffic_count; i++)
        items |= (uint32_t)weir_setup_law_sends(s, k, i) << i;
    return items;
}

int weir_setup_laws_fit(const struct weir_setup *s, struct weir_err *err)
{
    for (uint32_t k = 0; k < s->law_count; k++) {
        const struct weir_scenario_law keys = keys_of(s, k);
        struct weir_fit fit = { .path = &s->law[k].path, .framing = keys.framing };
        if (keys.protocol->fit == NULL)
            continue;
        struct weir_size_share *share = weir_setup_sizes(&s->workload, &s->programs, items_of(s, k), &fit.sizes.count);
        if (share == NULL)
            return weir_fail_memory(err);
        fit.sizes.share = share;
        keys.protocol->fit(keys.config, &fit);
        free(share);
    }
    return 0;
}

int weir_setup_laws_check(struct weir_setup *s, struct weir_err *err)
{
    for (uint32_t k = 0; k < s->law_count; k++) {
        const struct weir_scenario_law keys = keys_of(s, k);
        struct weir_err wrong;
        s->law[k].path.qdelay_most_ps = s->law[k].qdelay_unit_ps * WEIR_PKT_QDELAY_MAX;
        if (keys.protocol->check != NULL && keys.protocol->check(keys.config, &s->law[k].path, &wrong) != 0)
            return weir_fail(err, wrong.code, keys.where, wrong.hint, "protocol %s: %s", keys.protocol->name,
                             wrong.text);
        int code = weir_setup_check_links(s, k, err);
        if (code != 0)
            return code;
    }
    s->model.host.path = s->law[0].path;
    return 0;
}

/* ---- messages ---- */

void weir_setup_law_names(struct weir_scenario *scn, char *out, size_t size)
{
    const char *names[WEIR_LAWS_MAX];
    uint32_t count = 0;
    size_t used = 0;
    for (uint32_t k = 0; k < scn->law_count; k++) {
        const char *name = weir_scenario_law(scn, k).protocol->name;
        bool known = false;
        for (uint32_t i = 0; i < count; i++)
            known |= names[i] == name;
        if (!known)
            names[count++] = name;
    }
    for (uint32_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ", "
                                                 : " and ",
                                 names[i]);
}

int weir_setup_laws_name(struct weir_scenario *scn, int code, struct weir_err *err)
{
    char names[128];
    bool all = true;
    struct weir_err why = *err;
    for (uint32_t k = 0; k < scn->law_count; k++)
        all = all && strstr(err->text, weir_scenario_law(scn, k).protocol->name) != NULL;
    if (code == 0 || code == WEIR_E_MEMORY || all || scn->law_count == 1)
        return code;
    weir_setup_law_names(scn, names, sizeof(names));
    if (strstr(names, " and ") == NULL)
        return code; /* one protocol with several keys */
    (void)snprintf(err->text, sizeof(err->text), "%.360s; the run has %s", why.text, names);
    return code;
}
