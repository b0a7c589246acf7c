/* test/oracle/fabric_case.c - random telemetry, PFC, RoCC and queueing delays on top of a scenario, and a law that lets nothing of them
 * pass unseen. */
#include "core/credit_ops.h"
#include "core/feature.h"
#include "core/rng.h"
#include "features/codel/codel.h"
#include "features/deflect/deflect.h"
#include "features/lanes/lanes.h"
#include "features/ecn/ecn.h"
#include "features/fair_rate/fair_rate.h"
#include "features/int/int_core.h"
#include "features/maxqd/maxqd.h"
#include "features/pfc/pfc.h"
#include "features/rcp/rcp_core.h"
#include "features/rpm/rpm.h"
#include "features/wrr/wrr.h"
#include "hooks/features.h"
#include "test/oracle/hash_law.h"
#include "test/oracle/twin.h"
#include "workload/jobs.h"

static void echo_on_ack(struct weir_cc *cc, const void *config, const struct weir_ack *ack)
{
    struct hash_law *l = (struct hash_law *)cc;
    (void)config;
    for (uint32_t i = 0; i < ack->hop_count; i++) {
        const struct weir_int_hop *hop = &ack->hop[i];
        hash_law_hear(l, hop->ts_ps ^ hop->tx_bytes << 20 ^ (uint64_t)hop->queue_bytes << 40);
        hash_law_hear(l, hop->rate_bps);
    }
    hash_law_hear(l, ack->marked_bytes ^ (uint64_t)ack->qdelay_max_ps << 32 ^ (uint64_t)ack->share_count << 20);
}

static void echo_on_notice(struct weir_cc *cc, const void *config, const struct weir_notice *notice)
{
    (void)config;
    hash_law_hear((struct hash_law *)cc, notice->value ^ (uint64_t)notice->source << 40 ^ notice->kind);
}

/* A receiver-driven protocol, but for marks: DATA counts as marked by a hash of the records it came with. */
static const struct weir_credit_ops *unmarked;

static bool marked_by_records(const void *config, void *host, void *peer, void *rx, const struct weir_data *data)
{
    struct weir_data read = *data;
    uint64_t hash = 0;
    for (uint32_t i = 0; i < data->hop_count; i++) {
        const struct weir_int_hop *hop = &data->hop[i];
        hash = weir_mix_u64(hash ^ hop->ts_ps ^ hop->tx_bytes << 20 ^ (uint64_t)hop->queue_bytes << 40);
        hash = weir_mix_u64(hash ^ hop->rate_bps);
    }
    if ((hash & 3) == 3)
        read.flags |= WEIR_DATA_CE;
    return unmarked->rx_packet(config, host, peer, rx, &read);
}

static const struct weir_credit_ops *by_records(const struct weir_credit_ops *credit)
{
    static struct weir_credit_ops ops;
    if (credit == &ops)
        return credit;
    unmarked = credit;
    ops = *credit;
    ops.rx_packet = marked_by_records;
    return &ops;
}

#define ECHO(n)                                                                                                        \
    {                                                                                                                  \
        .name = "echo", .state_bytes = sizeof(struct hash_law), .needs = (n), .init = hash_law_init,                   \
        .on_ack = echo_on_ack, .on_loss = hash_law_on_loss, .on_notice = echo_on_notice                                \
    }
enum { RECORDS_NONE, RECORDS_IN_DATA, RECORDS_IN_ACKS };
static const struct weir_cc_ops echo[] = {
    [RECORDS_NONE] = ECHO(WEIR_NEED_ECN),
    [RECORDS_IN_DATA] = ECHO(WEIR_NEED_ECN | WEIR_NEED_INT),
    [RECORDS_IN_ACKS] = ECHO(WEIR_NEED_ECN | WEIR_NEED_ACK_INT),
};
static const struct weir_cc_ops echo_delays[] = {
    [RECORDS_NONE] = ECHO(WEIR_NEED_ECN | WEIR_NEED_QDELAY),
    [RECORDS_IN_DATA] = ECHO(WEIR_NEED_ECN | WEIR_NEED_QDELAY | WEIR_NEED_INT),
    [RECORDS_IN_ACKS] = ECHO(WEIR_NEED_ECN | WEIR_NEED_QDELAY | WEIR_NEED_ACK_INT),
};
static const struct weir_cc_ops echo_rates = ECHO(WEIR_NEED_ECN | WEIR_NEED_RCP);

/* The receiver half of a host: notices that come at once or later, to whoever sent last, with a hash of all that it was told. */
struct hash_rx {
    uint64_t hash, next_ps; /* 0 = none */
    uint32_t src;
    bool due;
};

static void hash_rx_hear(struct hash_rx *rx, uint64_t now_ps, uint32_t src, uint64_t word)
{
    rx->hash = weir_mix_u64(rx->hash ^ now_ps ^ word ^ (uint64_t)src << 40);
    rx->src = src;
    rx->due = (rx->hash & 7) == 0;
    if (rx->next_ps == 0 && (rx->hash & 0x70) == 0)
        rx->next_ps = now_ps + 1 + (rx->hash >> 8 & 0x1ffffff); /* up to 34 us */
}

static void hash_rx_begin(void *rx, const void *config, const struct weir_rx_event *event)
{
    (void)config;
    hash_rx_hear(rx, event->now_ps, event->src, event->msg);
}

static void hash_rx_end(void *rx, const void *config, const struct weir_rx_event *event)
{
    (void)config;
    hash_rx_hear(rx, event->now_ps, event->src, ~(uint64_t)event->msg);
}

static void hash_rx_data(void *rx, const void *config, const struct weir_data *data, struct weir_echo *answer)
{
    struct hash_rx *r = rx;
    uint64_t word = data->payload_bytes ^ (uint64_t)data->flags << 20 ^ (uint64_t)answer->share_count << 30;
    (void)config;
    for (uint32_t i = 0; i < data->hop_count; i++)
        word ^= weir_mix_u64(data->hop[i].ts_ps ^ data->hop[i].queue_bytes);
    hash_rx_hear(r, data->now_ps, data->src, word);
    answer->share_count = r->hash & 0xfff;
}

static bool hash_rx_notice(void *rx, const void *config, uint64_t now_ps, struct weir_notice *out)
{
    struct hash_rx *r = rx;
    (void)config;
    if (r->next_ps != 0 && r->next_ps <= now_ps)
        r->next_ps = 0;
    else if (!r->due)
        return false;
    r->due = false;
    *out = (struct weir_notice){
        .now_ps = now_ps, .value = r->hash, .kind = r->hash & 15, .dst = r->src, .source = (uint32_t)(r->hash >> 40)
    };
    return true;
}

static uint64_t hash_rx_next_ps(const void *rx, const void *config)
{
    const struct hash_rx *r = rx;
    (void)config;
    return r->next_ps != 0 ? r->next_ps : WEIR_NEVER;
}

/* One state per destination, and one per receiving host. */
static const struct weir_cc_ops *shared_by_hosts(const struct weir_cc_ops *law, bool receives)
{
    static struct weir_cc_ops ops;
    ops = *law;
    ops.per_peer = true;
    if (!receives)
        return &ops;
    ops.rx_bytes = sizeof(struct hash_rx);
    ops.rx_begin = hash_rx_begin;
    ops.rx_end = hash_rx_end;
    ops.rx_data = hash_rx_data;
    ops.rx_notice = hash_rx_notice;
    ops.rx_next_ps = hash_rx_next_ps;
    return &ops;
}

static uint32_t records_of(const struct weir_model *m)
{
    const struct weir_feature_on *on = weir_features_find(&m->features, "int");
    if (on == NULL)
        return RECORDS_NONE;
    return ((const struct weir_int_model *)on->model)->into_acks ? RECORDS_IN_ACKS : RECORDS_IN_DATA;
}

static uint32_t below(struct weir_rng *rng, uint32_t n)
{
    return weir_rng_below(weir_rng_next(rng), n);
}

/* Its own copy of what marks, to be changed: every scenario of the generator has it. */
static struct weir_ecn_model *marking(struct weir_model *m)
{
    static struct weir_ecn_model own;
    struct weir_feature_on *on = NULL;
    for (uint32_t i = 0; i < m->features.count; i++)
        if (m->features.on[i].row == &weir_ecn_feature)
            on = &m->features.on[i];
    WEIR_ASSERT(on != NULL);
    if (on->model != &own)
        own = *(const struct weir_ecn_model *)on->model;
    on->model = &own;
    return &own;
}

static void collect_rates(const struct weir_topology *topo, struct weir_telemetry_rates *rates)
{
    rates->count = 0;
    for (uint32_t i = 0; i < topo->link_count; i++)
        if (weir_int_rate_id(rates, topo->link[i].rate_bps) == rates->count)
            rates->bps[rates->count++] = topo->link[i].rate_bps;
}

/* A feature with a model of the test's own, in place of what the scenario may have said of it. */
static void put_feature(struct weir_model *m, const struct weir_feature *row, const void *model,
                        const struct weir_feature_plan *plan)
{
    for (uint32_t i = 0; i < m->features.count; i++)
        if (m->features.on[i].row == row)
            m->features.on[i] = m->features.on[--m->features.count];
    weir_features_add(&m->features, row, model, plan);
}

static void choose_telemetry(struct weir_model *m, struct weir_rng *rng)
{
    static struct weir_int_model t;
    uint32_t records = below(rng, 3), hops_max = 1 + below(rng, WEIR_TELEMETRY_HOPS_MAX);
    t = (struct weir_int_model){ .into_acks = records == RECORDS_IN_ACKS };
    collect_rates(m->topo, &t.rates);
    t.multi = 1 + below(rng, 8);
    t.quantised = below(rng, 2);
    if (t.into_acks && below(rng, 2) == 0)
        t.period_ps = 1 + below(rng, 5000000);
    if (records == RECORDS_NONE)
        return;
    m->host.rates = &t.rates;
    put_feature(m, &weir_int_feature, &t, &(struct weir_feature_plan){ .records_max = hops_max });
}

static void choose_pfc(struct weir_model *m, struct weir_rng *rng)
{
    static struct weir_pfc_model p;
    bool on = below(rng, 4) != 0;
    p = (struct weir_pfc_model){ .is_static = below(rng, 2), .host_link_bps = m->host.path.rate_bps };
    p.lossless = (uint8_t)(m->classes == 1 ? 1 : 1 + below(rng, 255));
    p.mtu_bytes = WEIR_WIRE_MAX_BYTES;
    p.fixed_headroom = below(rng, 4) == 0; /* often too small */
    p.headroom_bytes = below(rng, 10000);
    p.xoff_bytes = below(rng, below(rng, 2) == 0 ? 10000 : 100000);
    p.xon_bytes = p.xoff_bytes / 2 + 1 + below(rng, 3000); /* 0 held must be below it */
    p.xon_bytes = weir_min_u64(p.xon_bytes, p.xoff_bytes + 1);
    p.alpha_shift = below(rng, 5);
    p.reserve_bytes = below(rng, 8192);
    p.resume_offset_bytes = below(rng, 4096);
    p.storm_ps = below(rng, 50000000);
    if (m->memory_bytes == UINT64_MAX && below(rng, 2) == 0)
        m->memory_bytes = 50000 + below(rng, 1000000);
    p.memory_bytes = m->memory_bytes;
    if (on)
        put_feature(
            m, &weir_pfc_feature, &p,
            &(struct weir_feature_plan){ .lossless = p.lossless, .lanes = (uint32_t)__builtin_popcount(p.lossless) });
}

static bool rocc_has_parameters(const struct weir_topology *topo)
{
    struct weir_rocc_cp_config cfg;
    for (uint32_t i = 0; i < topo->link_count; i++)
        if (!weir_rocc_cp_config_for(topo->link[i].rate_bps, &cfg))
            return false;
    return true;
}

/* Units from a picosecond, where 16 bits soon say no more, to some microseconds. Replaces what the scenario may have said of it. */
static void choose_maxqd(struct weir_model *m, struct weir_rng *rng)
{
    static struct weir_maxqd_model q;
    q = (struct weir_maxqd_model){ .unit_ps = 1 + below(rng, 1u << below(rng, 23)) };
    q.filter_ps = below(rng, 3) == 0 ? 0 : 1 + below(rng, 1u << below(rng, 26));
    q.apart_mask = (uint8_t)below(rng, 256);
    q.at = m->host.params.nic_queue != WEIR_NIC_PULL && (q.unit_ps & 1) != 0 ? WEIR_AT_ALL : WEIR_AT_SWITCHES;
    put_feature(m, &weir_maxqd_feature, &q, &(struct weir_feature_plan){ .qdelay_unit_ps = q.unit_ps });
    m->host.qdelay_unit_ps = q.unit_ps;
    m->host.cc = &echo_delays[records_of(m)];
}

/* Nothing that makes a port leave the fast path, an odd rate aside. */
static void make_plain(struct weir_model *m)
{
    m->classes = 1;
    m->aged_classes = m->host.lanes = 0;
    m->escapes = false;
    m->features.count = 1;
    (void)marking(m); /* which is the first of them */
    m->event_count = m->rate_count = 0;
    m->memory_bytes = UINT64_MAX;
    marking(m)->ramp.kmax_bytes = marking(m)->ramp.kmin_bytes;
}

static bool acknowledges(const struct weir_model *m)
{
    return m->host.credit == NULL && (m->host.cc->needs & WEIR_NEED_NO_ACKS) == 0;
}

static void choose_wrr(struct weir_model *m, struct weir_rng *rng)
{
    static struct weir_wrr_model w;
    if (m->aged_classes > 0)
        return;
    w = (struct weir_wrr_model){ .kind = 1 + below(rng, 2) };
    w.groups = 1 + below(rng, WEIR_GROUPS_MAX);
    for (uint32_t g = 0; g < w.groups; g++)
        w.group_weight[g] = (uint8_t)(1 + below(rng, 1u << below(rng, 8)));
    put_feature(m, &weir_wrr_feature, &w, &(struct weir_feature_plan){ .on = true });
    m->host.wrr = acknowledges(m);
}

/* From 1/512 to 300: beyond both ends of what a packet can say. Those of endless traffic stay 1. */
static void choose_weights(struct weir_setup *s, struct weir_rng *rng)
{
    struct weir_workload *wl = &s->workload;
    s->model.host.track = wl->weighted = true;
    for (uint64_t i = 0; i < wl->listed_first[s->workload.hosts]; i++) {
        uint32_t eighths = 2 + below(rng, 2400), shift = below(rng, 8);
        wl->listed[i].weight_q20 = eighths * (WEIR_WEIGHT_ONE >> shift) / 8;
    }
}

void twin_queues(struct weir_setup *s, uint64_t seed)
{
    struct weir_model *m = &s->model;
    struct weir_rng rng = { .key = weir_rng_key(seed, 2, WEIR_RNG_TEST, 0) };
    if (below(&rng, 2) == 0)
        make_plain(m);
    if (acknowledges(m))
        choose_maxqd(m, &rng);
    if (m->host.params.nic_queue != WEIR_NIC_PULL || below(&rng, 3) == 0)
        return;
    choose_wrr(m, &rng);
    if (m->host.wrr)
        choose_weights(s, &rng);
}

static void choose_fair_rate(struct weir_model *m, struct weir_rng *rng)
{
    bool on = below(rng, 3) == 0 && rocc_has_parameters(m->topo);
    uint64_t period_ps = 5000000 + below(rng, 40000000);
    if (on)
        put_feature(m, &weir_fair_rate_feature, NULL, &(struct weir_feature_plan){ .period_ps = period_ps });
}

static void choose_codel(struct weir_model *m, struct weir_rng *rng)
{
    static struct weir_codel_model codel;
    codel = (struct weir_codel_model){ .mtu_bytes = WEIR_WIRE_MAX_BYTES, .variant = below(rng, WEIR_CODEL_OFF) };
    codel.target_ps = 200000 + below(rng, 20000000);
    codel.interval_ps = codel.target_ps + below(rng, 100000000);
    put_feature(m, &weir_codel_feature, &codel, &(struct weir_feature_plan){ .on = true });
}

/* Few cells, so that flows meet in them, and expiries of about a round trip. */
static void choose_rpm(struct weir_model *m, struct weir_rng *rng)
{
    static struct weir_rpm_model rpm;
    size_t node_bytes;
    rpm = (struct weir_rpm_model){ .entries = below(rng, 3) == 0 ? 0 : 1 + below(rng, 1u << below(rng, 12)) };
    rpm.count_max = below(rng, 3) == 0 ? 1 : UINT8_MAX;
    rpm.expiry_ps = below(rng, 2) == 0 ? WEIR_PS_PER_S : 1 + below(rng, 1u << below(rng, 30));
    node_bytes = sizeof(struct weir_rpm_node) + rpm.entries * sizeof(struct weir_rpm_cell);
    put_feature(m, &weir_rpm_feature, &rpm, &(struct weir_feature_plan){ .node_bytes = node_bytes });
    if (below(rng, 2) == 0)
        choose_codel(m, rng);
}

/* Behind the class of DATA, where ACKs are above it. */
static void choose_lanes(struct weir_model *m, struct weir_rng *rng, struct weir_deflect_model *d)
{
    const struct weir_host_params *host = &m->host.params;
    uint32_t lanes = below(rng, 2) == 0 ? 2 : m->host.tokens + 1;
    if (below(rng, 2) == 0 || lanes < 2 || host->ack_class >= host->data_class ||
        host->data_class + lanes > WEIR_CLASSES_MAX)
        return;
    d->lanes = m->host.lanes = m->aged_classes = lanes;
    d->lane_class = host->data_class;
    m->escapes = d->escapes = lanes == 2 && below(rng, 2) == 0;
    d->lane_each = lanes == m->host.tokens + 1 && !d->escapes;
    m->classes = host->data_class + lanes;
    put_feature(m, &weir_lanes_feature, NULL, &(struct weir_feature_plan){ .classes = m->classes });
}

/* Also where set-up would refuse it: with telemetry, sprayed packets, one path, cables that go down. */
static void choose_deflect(struct weir_model *m, struct weir_rng *rng)
{
    static struct weir_deflect_model d;
    size_t node_bytes;
    d = (struct weir_deflect_model){ .threshold_bytes = below(rng, 3000), .entries = below(rng, 9) };
    d.timeout_ps = below(rng, 2) == 0 ? WEIR_PS_PER_S : 1 + below(rng, 1u << below(rng, 30));
    d.last_hop = below(rng, 4) == 0;
    m->host.tokens = below(rng, WEIR_PKT_TOKENS_MAX + 1);
    m->host.token_bytes = below(rng, 1u << below(rng, 24));
    choose_lanes(m, rng, &d);
    node_bytes = sizeof(struct weir_deflect_node) + d.entries * sizeof(struct weir_deflect_entry);
    put_feature(m, &weir_deflect_feature, &d, &(struct weir_feature_plan){ .node_bytes = node_bytes });
}

/* Where packets carry nothing else. */
static void choose_rcp(struct weir_model *m, struct weir_rng *rng)
{
    static struct weir_rcp_port_model p;
    uint64_t base_rtt_ps = m->host.path.base_rtt_ps;
    p = (struct weir_rcp_port_model){ .base_rtt_ps = base_rtt_ps, .unit_ps = weir_rcp_rtt_unit_ps(base_rtt_ps) };
    p.period_ps = base_rtt_ps / (1 + below(rng, 20));
    p.alpha_ppm = below(rng, 2000001);
    p.beta_ppm = below(rng, 2000001);
    p.gamma_ppm = 1000 + below(rng, 999001);
    p.floor_ppm = below(rng, 1u << below(rng, 26));
    p.init_ppm = 1 + below(rng, 1000000);
    if (m->host.qdelay_unit_ps != 0 || m->host.rates != NULL || m->host.wrr)
        return;
    put_feature(m, &weir_rcp_feature, &p,
                &(struct weir_feature_plan){ .period_ps = p.period_ps, .late_start = below(rng, 4) != 0 });
    m->host.qdelay_unit_ps = 1;
    m->host.rtt_unit_ps = p.unit_ps;
    m->host.cc = &echo_rates;
}

void twin_fabric(struct weir_model *m, uint64_t seed)
{
    struct weir_rng rng = { .key = weir_rng_key(seed, 1, WEIR_RNG_TEST, 0) };
    choose_telemetry(m, &rng);
    choose_pfc(m, &rng);
    if (m->host.credit != NULL)
        m->host.credit = by_records(m->host.credit);
    if (below(&rng, 2) == 0)
        marking(m)->at_bps = m->topo->link[0].rate_bps;
    if (!acknowledges(m))
        return;
    choose_fair_rate(m, &rng);
    if (below(&rng, 4) != 0)
        m->host.cc = &echo[records_of(m)];
    if (below(&rng, 3) == 0)
        choose_maxqd(m, &rng);
    if (below(&rng, 3) == 0)
        choose_rpm(m, &rng);
    if (below(&rng, 3) == 0 && m->routing != WEIR_ROUTE_TREES) /* set-up refuses it there: a way round may be longer */
        choose_deflect(m, &rng);
    if (below(&rng, 3) == 0)
        choose_rcp(m, &rng);
    if (below(&rng, 3) == 0)
        m->host.cc = shared_by_hosts(m->host.cc, below(&rng, 2) && m->host.cc->rx_flow_bytes == 0);
}
