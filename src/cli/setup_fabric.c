/* src/cli/setup_fabric.c - telemetry, PFC and fair rates of a model: what is on, with which parameters, and whether this network
 * can do it. Where a scenario leaves something open, the protocol's needs decide. */
#include "cli/setup_fabric.h"
#include "config/param.h"
#include "core/rocc_cp_core.h"
#include "fabric/int_core.h"
#include "fabric/pfc_core.h"
#include <inttypes.h>
#include <string.h>

enum { NAME = 64 };

static uint32_t protocol_needs(const struct weir_scenario *scn)
{
    return scn->protocol->cc != NULL ? scn->protocol->cc->needs : scn->protocol->credit->needs;
}

static enum weir_telemetry_mode telemetry_mode(const struct weir_scenario *scn)
{
    static const enum weir_telemetry_mode said[] = {
        [WEIR_INT_OFF] = WEIR_TELEMETRY_NONE, [WEIR_INT_DATA] = WEIR_TELEMETRY_DATA, [WEIR_INT_ACK] = WEIR_TELEMETRY_ACK
    };
    uint32_t needs = protocol_needs(scn);
    if (scn->telemetry.mode != WEIR_INT_AUTO)
        return said[scn->telemetry.mode];
    if ((needs & WEIR_NEED_INT) != 0)
        return WEIR_TELEMETRY_DATA;
    return (needs & WEIR_NEED_ACK_INT) != 0 ? WEIR_TELEMETRY_ACK : WEIR_TELEMETRY_NONE;
}

/* Who wanted telemetry: the section, or the protocol. */
static const struct weir_tok *where_telemetry(const struct weir_scenario *scn)
{
    return scn->telemetry.mode != WEIR_INT_AUTO ? &scn->where_int : &scn->where_protocol;
}

/* --- telemetry --- */

/* A record names its port's rate by a number of 4 bits. */
static int collect_rates(struct weir_setup *s, struct weir_err *err)
{
    s->rates.count = 0;
    for (uint32_t l = 0; l < s->topo.link_count; l++) {
        uint64_t rate_bps = s->topo.link[l].rate_bps;
        if (weir_int_rate_id(&s->rates, rate_bps) < s->rates.count)
            continue;
        if (s->rates.count == WEIR_TELEMETRY_RATES_MAX)
            return weir_fail(err, WEIR_E_RANGE, &s->scn->where_topology,
                             "fewer different rates in the topology, or fabric.int: off",
                             "topology: links of more than %u different rates, and telemetry can tell no more apart",
                             WEIR_TELEMETRY_RATES_MAX);
        s->rates.bps[s->rates.count++] = rate_bps;
    }
    return 0;
}

/* A key of the protocol by its name; absent if it has none. CHOICE and U32 rows are 32 bits wide. */
static uint32_t protocol_key(const struct weir_scenario *scn, const char *key, uint32_t absent)
{
    const struct weir_param *row = weir_param_find(scn->protocol->params, key);
    uint32_t value = absent;
    if (row != NULL && (row->kind == WEIR_KIND_CHOICE || row->kind == WEIR_KIND_U32))
        memcpy(&value, scn->protocol_config + row->offset, sizeof(value));
    return value;
}

/* Quantised or not, and in which units; what the fabric writes must be what the protocol reads. */
static int telemetry_format(const struct weir_setup *s, struct weir_telemetry_model *t, struct weir_err *err)
{
    static const char *const word[] = { "exact", "quantised" };
    const struct weir_scenario *scn = s->scn;
    uint32_t by_rate = (uint32_t)weir_max_u64(1, s->topo.host_link_bps / WEIR_INT_MULTI_BPS);
    uint32_t said = scn->telemetry.format, read = protocol_key(scn, "int", UINT32_MAX), read_multi;
    bool quantised = said != WEIR_INT_AS_READ ? said == WEIR_INT_QUANTISED : read == 1;
    t->quantised = quantised;
    t->multi = 1;
    if (read != UINT32_MAX && (read == 1) != quantised)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_int, "leave fabric.int.format out, or change protocol.int",
                         "fabric.int: records are %s, and protocol %s reads %s ones", word[quantised],
                         scn->protocol->name, word[!quantised]);
    if (!quantised)
        return 0;
    read_multi = protocol_key(scn, "int_multi", 0);
    read_multi = read_multi != 0 ? read_multi : by_rate;
    t->multi = scn->telemetry.multi != 0 ? scn->telemetry.multi : read_multi;
    if (read != UINT32_MAX && t->multi != read_multi)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_int,
                         "leave fabric.int.multi out, or change protocol.int_multi",
                         "fabric.int: multi is %" PRIu32 ", and protocol %s reads units of multi %" PRIu32, t->multi,
                         scn->protocol->name, read_multi);
    return 0;
}

/* The codes a quantised record has for rates; HPCC, SIGCOMM 2019. */
static bool has_code(uint64_t rate_bps)
{
    for (uint64_t coded = WEIR_INT_MULTI_BPS; coded <= 16 * WEIR_INT_MULTI_BPS; coded *= 2) {
        if (rate_bps == coded)
            return true;
    }
    return false;
}

static int check_telemetry(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    const struct weir_telemetry_model *t = &s->model.fabric.telemetry;
    if (t->hops_max > WEIR_TELEMETRY_HOPS_MAX)
        return weir_fail(err, WEIR_E_RANGE, &scn->where_topology, "fewer switches in topology, or fabric.int: off",
                         "topology: the longest path has %" PRIu32
                         " switches, and a packet has room for the telemetry of %u",
                         t->hops_max, WEIR_TELEMETRY_HOPS_MAX);
    if (t->mode == WEIR_TELEMETRY_ACK && scn->routing.mode != WEIR_ROUTE_SYMMETRIC)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_fabric, "set fabric.routing: symmetric",
                         "fabric: telemetry in ACKs is of the ports their data passed only if routing is symmetric");
    if (scn->routing.mode == WEIR_ROUTE_SPRAY)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_fabric, "set fabric.routing: ecmp or symmetric",
                         "fabric: telemetry is compared with the last of the same path, and routing sprays packets");
    for (uint32_t i = 0; t->quantised && i < s->rates.count; i++) {
        if (!has_code(s->rates.bps[i]))
            return weir_fail(err, WEIR_E_CONFLICT, where_telemetry(scn),
                             "use 25, 50, 100, 200 or 400 Gbps in topology, or exact records (fabric.int.format and "
                             "protocol.int)",
                             "fabric.int: quantised records have no code for links of %" PRIu64 " Mb/s",
                             s->rates.bps[i] / 1000000);
    }
    return 0;
}

static int setup_telemetry(struct weir_setup *s, struct weir_err *err)
{
    struct weir_telemetry_model *t = &s->model.fabric.telemetry;
    int code;
    *t = (struct weir_telemetry_model){ .mode = telemetry_mode(s->scn) };
    if (t->mode == WEIR_TELEMETRY_NONE)
        return 0;
    if ((code = collect_rates(s, err)) != 0)
        return code;
    t->rates = s->model.host.rates = &s->rates;
    if (t->mode == WEIR_TELEMETRY_ACK)
        t->period_ps = s->scn->telemetry.period_ps;
    t->hops_max = s->path_links - 1;
    code = telemetry_format(s, t, err);
    return code != 0 ? code : check_telemetry(s, err);
}

/* --- PFC --- */

/* Data must be in a class that is paused, else PFC does nothing. */
static int pfc_classes(const struct weir_scenario *scn, struct weir_pfc_model *pfc, struct weir_err *err)
{
    uint32_t classes = scn->fabric.priorities, all = (1u << classes) - 1;
    uint32_t data = scn->host.data_class < classes ? scn->host.data_class : classes - 1;
    pfc->lossless = (uint8_t)(classes > 1 && scn->pfc.classes == 0 ? all & ~1u : all);
    if ((pfc->lossless >> data & 1) != 0)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, &scn->where_pfc, "set host.data_class: 1, or fabric.pfc.classes: all",
                     "fabric.pfc: host.data_class is 0, the class that is not lossless");
}

static int pfc_thresholds(const struct weir_scenario *scn, struct weir_pfc_model *pfc, struct weir_err *err)
{
    const struct weir_pfc_config *cfg = &scn->pfc;
    uint32_t full = weir_framing_wire(&scn->framing, scn->framing.payload_bytes);
    pfc->mtu_bytes = (uint32_t)weir_max_u64(full, scn->framing.ack_wire_bytes);
    pfc->mtu_bytes = (uint32_t)weir_max_u64(pfc->mtu_bytes, WEIR_PFC_FRAME_BYTES); /* notices are no longer */
    pfc->fixed_headroom = cfg->headroom_bytes != UINT64_MAX;
    pfc->headroom_bytes = pfc->fixed_headroom ? cfg->headroom_bytes : 0;
    pfc->storm_ps = cfg->storm_ps;
    if (!pfc->is_static) {
        pfc->alpha_shift = cfg->alpha_shift;
        pfc->reserve_bytes = cfg->reserve_bytes;
        pfc->resume_offset_bytes = cfg->resume_offset_bytes;
        return 0;
    }
    pfc->xoff_bytes = pfc->xon_bytes = cfg->xoff_bytes;
    if (cfg->xon_bytes != UINT64_MAX)
        pfc->xon_bytes = cfg->xon_bytes;
    else if (cfg->xoff_bytes > 2 * (uint64_t)pfc->mtu_bytes)
        pfc->xon_bytes = cfg->xoff_bytes - 2 * (uint64_t)pfc->mtu_bytes;
    if (pfc->xon_bytes > pfc->xoff_bytes)
        return weir_fail(err, WEIR_E_CONFLICT, &scn->where_pfc, "leave fabric.pfc.xon out: two packets below xoff",
                         "fabric.pfc: xon is above xoff");
    return 0;
}

/* What the buffer must hold beside the pool that dynamic thresholds share, or at all. */
static int pfc_fits(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_pfc_model *pfc = &s->model.fabric.pfc;
    uint64_t buffer_bytes = s->model.memory_bytes;
    for (uint32_t n = s->topo.host_count; n < s->topo.node_count; n++) {
        uint64_t sum_bytes = 0; /* 65535 ports * 8 classes * 2^35 B fits */
        char name[NAME];
        for (uint32_t i = 0; i < s->topo.node[n].in_count; i++) {
            const struct weir_link *link = &s->topo.link[s->topo.in_link[s->topo.node[n].first_in + i]];
            const struct weir_link *back = &s->topo.link[link->reverse];
            struct weir_pfc_cable cable = { link->rate_bps, link->delay_ps, back->rate_bps, back->delay_ps };
            struct weir_pfc_in in = weir_pfc_in_of(pfc, &cable, s->topo.host_link_bps);
            sum_bytes += weir_pfc_in_bytes(pfc, &in);
        }
        if (sum_bytes < buffer_bytes || (pfc->is_static && sum_bytes == buffer_bytes))
            continue;
        weir_topology_node_name(&s->topo, n, name, sizeof(name));
        return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_pfc,
                         "a larger fabric.buffer, or a smaller fabric.pfc.xoff, .headroom or .reserve",
                         "fabric.pfc: %s needs %" PRIu64 " B for its %" PRIu32
                         " in-links to lose nothing, and fabric.buffer has %" PRIu64 " B",
                         name, sum_bytes, s->topo.node[n].in_count, buffer_bytes);
    }
    return 0;
}

static int setup_pfc(struct weir_setup *s, struct weir_err *err)
{
    struct weir_scenario *scn = s->scn;
    struct weir_pfc_model *pfc = &s->model.fabric.pfc;
    int code;
    *pfc =
        (struct weir_pfc_model){ .on = scn->pfc.kind != WEIR_PFC_OFF, .is_static = scn->pfc.kind == WEIR_PFC_STATIC };
    if (!pfc->on)
        return 0;
    if (!pfc->is_static && scn->fabric.buffer_bytes == UINT64_MAX) /* 16 MiB per 50 Gb/s: HPCC's simulator */
        s->model.memory_bytes = scn->fabric.buffer_bytes =
            weir_max_u64(1, weir_mul_div_u64(UINT64_C(16) << 20, s->topo.host_link_bps, UINT64_C(50000000000)));
    code = pfc_classes(scn, pfc, err);
    if (code == 0)
        code = pfc_thresholds(scn, pfc, err);
    return code != 0 ? code : pfc_fits(s, err);
}

/* --- fair rates --- */

static bool tells_rates(const struct weir_scenario *scn)
{
    return (protocol_needs(scn) & WEIR_NEED_FAIR_RATE) != 0 && scn->fabric.fair_rate == 0;
}

static int setup_rocc(struct weir_setup *s, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    struct weir_rocc_cp_config port;
    if (!tells_rates(scn))
        return 0;
    for (uint32_t l = 0; l < s->topo.link_count; l++) {
        if (!weir_rocc_cp_config_for(s->topo.link[l].rate_bps, &port))
            return weir_fail(err, WEIR_E_RANGE, &scn->where_topology, "change topology.host_link or core_link",
                             "topology: switches compute fair rates for links of 10 to 800 Gb/s, not %" PRIu64 " Mb/s",
                             s->topo.link[l].rate_bps / 1000000);
        s->model.fabric.rocc = (struct weir_rocc_model){ .on = true, .period_ps = port.period_ps };
    }
    return 0;
}

/* --- together --- */

/* PFC, telemetry and fair rates are not for every host. */
static int check_hosts(const struct weir_scenario *scn, struct weir_err *err)
{
    bool pfc = scn->pfc.kind != WEIR_PFC_OFF, telemetry = telemetry_mode(scn) != WEIR_TELEMETRY_NONE;
    const char *what = pfc ? "PFC" : telemetry ? "telemetry" : "a fair rate";
    const struct weir_tok *where = pfc ? &scn->where_pfc : telemetry ? where_telemetry(scn) : &scn->where_protocol;
    if (!pfc && !telemetry && !tells_rates(scn))
        return 0;
    if (scn->protocol->credit != NULL)
        return weir_fail(
            err, WEIR_E_CONFLICT, where,
            pfc ? "set fabric.pfc: off, or another protocol.name" : "set fabric.int: off, or another protocol.name",
            "fabric: %s is for sender-driven protocols, and %s is receiver-driven", what, scn->protocol->name);
    if (scn->host.nic_queue != WEIR_NIC_PULL)
        return weir_fail(err, WEIR_E_CONFLICT, where, "set host.nic_queue: pull",
                         "fabric: %s needs hosts that send one packet at a time, and host.nic_queue is unlimited",
                         what);
    return 0;
}

int weir_setup_features(struct weir_setup *s, struct weir_err *err)
{
    int code;
    if ((code = weir_setup_features_on(s, protocol_needs(s->scn), err)) != 0 ||
        (code = check_hosts(s->scn, err)) != 0 || (code = setup_telemetry(s, err)) != 0 ||
        (code = setup_pfc(s, err)) != 0 || (code = setup_rocc(s, err)) != 0)
        return code;
    return weir_setup_queues(s, err);
}

/* --- what the protocol needs --- */

struct need { /* one row per bit that a fabric can offer */
    uint32_t bit;
    const char *text, *hint;
};
static const struct need need_list[] = {
    { WEIR_NEED_ECN, "needs ECN marking, and the fabric does not mark",
      "set fabric: {ecn: {threshold: 1 BDP}} or another threshold" },
    { WEIR_NEED_INT, "needs telemetry in data, and fabric.int says otherwise",
      "set fabric.int: data, or leave it out" },
    { WEIR_NEED_ACK_INT, "needs telemetry in ACKs, and fabric.int says otherwise",
      "set fabric.int: ack, or leave it out" },
    { WEIR_NEED_FAIR_RATE, "needs switches that tell flows their rate, and fabric.fair_rate is off",
      "leave fabric.fair_rate out" },
    { WEIR_NEED_QDELAY, "needs queueing delays from switches, and fabric.maxqd is off",
      "set fabric.maxqd: auto, or leave it out" },
};

static uint32_t fabric_offers(const struct weir_setup *s)
{
    const struct weir_model *m = &s->model;
    static const uint32_t of_mode[] = {
        [WEIR_TELEMETRY_NONE] = 0, [WEIR_TELEMETRY_DATA] = WEIR_NEED_INT, [WEIR_TELEMETRY_ACK] = WEIR_NEED_ACK_INT
    };
    return s->offers | of_mode[m->fabric.telemetry.mode] | (m->fabric.rocc.on ? WEIR_NEED_FAIR_RATE : 0);
}

int weir_setup_needs(const struct weir_setup *s, struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    uint32_t missing = weir_host_needs(&s->model.host) & ~fabric_offers(s);
    for (size_t i = 0; i < sizeof(need_list) / sizeof(need_list[0]); i++) {
        if ((missing & need_list[i].bit) != 0)
            return weir_fail(err, WEIR_E_CONFLICT, &scn->where_protocol, need_list[i].hint, "protocol %s %s",
                             scn->protocol->name, need_list[i].text);
    }
    return 0;
}
