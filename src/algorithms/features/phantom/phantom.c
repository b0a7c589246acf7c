/* src/algorithms/features/phantom/phantom.c - virtual queues: keys, set-up, the hook and the row. */
#include "core/feature.h"
#include "core/hook_coupled.h"
#include "features/phantom/phantom_core.h"

#define CAP_MAX_PS (15 * WEIR_PS_PER_MS)
#define UNIT_MAX_PS (256 * WEIR_PS_PER_NS) /* 65535 such units are below 2^34 ps, as struct weir_ack.qdelay_max_ps */
#define CAP_SPANS 4u
#define UNITS_OF_SPAN 4096u

static const char *const modes[] = { [WEIR_PHANTOM_AUTO] = "auto",
                                     [WEIR_PHANTOM_OFF] = "off",
                                     [WEIR_PHANTOM_DATA] = "data",
                                     [WEIR_PHANTOM_ACK] = "ack",
                                     NULL };
static const struct weir_keyword automatic = { "auto", 0 };

static const struct weir_param phantom_params[] = {
    WEIR_PARAM_CHOICE(
        "mode", struct weir_phantom_config, mode, modes, WEIR_PHANTOM_AUTO,
        "data: each port raises the delay in data to its own; ack: the delay in an ACK is raised to that of the port "
        "that its data left by; auto = ack if the protocol reads the delays of virtual queues"),
    WEIR_PARAM_NAMED("rho", struct weir_phantom_config, rho_ppm, WEIR_KIND_PPM, 100000, 999999, 990000,
                     "the virtual queue drains at this part of the link's rate (HULL, NSDI 2012: 0.95)"),
    WEIR_PARAM_NAMED("rho_min", struct weir_phantom_config, rho_min_ppm, WEIR_KIND_PPM, 100000, 999999, 700000,
                     "and at this part once the real queue is a base round trip longer than slack; linear between"),
    WEIR_PARAM_NAMED("slack", struct weir_phantom_config, slack_bytes, WEIR_KIND_SIZE, 0, 1000000000, 8000,
                     "real queue up to which it drains at rho; a few packets that meet by chance"),
    WEIR_PARAM_KEYWORD("cap", struct weir_phantom_config, cap, WEIR_KIND_RTT, WEIR_PS_PER_NS, CAP_MAX_PS, 0, &automatic,
                       "longest virtual queue, in time; auto = 4 p of the protocol"),
    WEIR_PARAM_KEYWORD("queue_max", struct weir_phantom_config, queue_max, WEIR_KIND_RTT, WEIR_PS_PER_NS, CAP_MAX_PS, 0,
                       &automatic,
                       "of the real queue, so much counts in the delay; auto = a base round trip, since a burst is no "
                       "level"),
    WEIR_PARAM_KEYWORD(
        "unit", struct weir_phantom_config, unit_ps, WEIR_KIND_TIME, 1, UNIT_MAX_PS, 0, &automatic,
        "what the 16 bits of a packet count; auto = a 4096th of p of the protocol, or more if they could not "
        "hold cap and queue_max"),
    { 0 },
};

static const char *const back[] = { "protocol.name: soze", "protocol.preset: phantom", NULL };
static const char *const forward[] = { "protocol.name: soze", "protocol.preset: phantom", "protocol.p: 6 RTT",
                                       "phantom.mode: data", NULL };
static const struct weir_preset phantom_examples[] = {
    { "return", "into ACKs, as Soze's preset phantom wants it", back },
    { "forward", "into data, for routes whose directions differ: the loop is longer, and so is p", forward },
    { 0 },
};

/* Checks whether what the protocol reads is what ports are to write. @return 0, or WEIR_E_CONFLICT with err */
static int check_readers(const struct weir_phantom_config *cfg, const struct weir_fabric_env *env,
                         const struct weir_fabric_law *law, struct weir_err *err)
{
    if (law == NULL && (cfg->mode == WEIR_PHANTOM_DATA || cfg->mode == WEIR_PHANTOM_ACK))
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set protocol: {name: soze, preset: phantom}",
                         "fabric.phantom: protocol %s does not read the delays of virtual queues", env->protocol);
    if (law != NULL && cfg->mode == WEIR_PHANTOM_OFF)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set fabric.phantom: auto, or leave it out",
                         "fabric.phantom: it is off, and protocol %s reads the delays of virtual queues",
                         law->protocol);
    if (law != NULL && weir_fabric_reads_delays(env, false) != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, env->where_protocol, "one signal for all traffic",
                         "protocol %s: delays of real and of virtual queues are read, and packets have one field",
                         env->protocol);
    return 0;
}

/* Refuses routes by which an ACK does not pass the switches of its DATA. @return 0, or WEIR_E_CONFLICT with err */
static int check_return(const struct weir_fabric_env *env, struct weir_err *err)
{
    if (env->routes_spray)
        return weir_fail(err, WEIR_E_CONFLICT, env->where_fabric,
                         weir_fabric_path_hint(env, "set fabric.routing: symmetric, or fabric.phantom: data"),
                         "fabric.phantom: delays in ACKs are of the ports their data passed only on one path, and %s",
                         env->nics_spread ? "host.nics spreads packets" : "routing sprays packets");
    if (!weir_fabric_returns(env))
        return weir_fail(
            err, WEIR_E_CONFLICT, env->where_fabric, "set fabric.routing: symmetric or trees, or fabric.phantom: data",
            "fabric.phantom: delays in ACKs are of the ports their data passed only if routing is symmetric");
    return 0;
}

/* Returns the least unit in which a packet can carry whatever a port may report. */
static uint64_t least_unit_ps(const struct weir_phantom_model *m)
{
    return ((m->cap_q20 >> 20) + m->queue_max_ps + WEIR_PKT_QDELAY_MAX - 1) / WEIR_PKT_QDELAY_MAX;
}

/* Checks keys against each other and the protocol's targets. @return 0, or WEIR_E_CONFLICT with err */
static int check_keys(const struct weir_phantom_config *cfg, const struct weir_fabric_env *env,
                      const struct weir_phantom_model *m, const struct weir_fabric_law *law, struct weir_err *err)
{
    uint64_t cap_ps = m->cap_q20 >> 20, most_ps = cap_ps + m->queue_max_ps;
    if (cfg->rho_min_ppm > cfg->rho_ppm)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "the drain falls as the real queue grows",
                         "fabric.phantom: rho_min is above rho");
    if (cap_ps < law->delays.longest_ps)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "2 to 4 times p do",
                         "fabric.phantom: cap is %llu ns, and the longest target of protocol %s is %llu ns",
                         (unsigned long long)(cap_ps / WEIR_PS_PER_NS), law->protocol,
                         (unsigned long long)(law->delays.longest_ps / WEIR_PS_PER_NS));
    if (least_unit_ps(m) > UNIT_MAX_PS)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set them to less",
                         "fabric.phantom: cap and queue_max are %llu ns, and 16 bits hold at most %llu ns",
                         (unsigned long long)(most_ps / WEIR_PS_PER_NS),
                         (unsigned long long)(UNIT_MAX_PS * WEIR_PKT_QDELAY_MAX / WEIR_PS_PER_NS));
    if (m->unit_ps < least_unit_ps(m))
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set a longer unit, or leave unit out",
                         "fabric.phantom: unit is too small: 16 bits hold %llu ns, and cap and queue_max are %llu ns",
                         (unsigned long long)(m->unit_ps * WEIR_PKT_QDELAY_MAX / WEIR_PS_PER_NS),
                         (unsigned long long)(most_ps / WEIR_PS_PER_NS));
    return 0;
}

static uint32_t q20_of_ppm(uint32_t ppm)
{
    WEIR_ASSERT(ppm < 1000000);
    return (uint32_t)((((uint64_t)ppm << 20) + 500000) / 1000000);
}

static int phantom_setup(const void *config, const struct weir_fabric_env *env, void *model,
                         struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_phantom_config *cfg = config;
    const struct weir_fabric_law *law = weir_fabric_reads_delays(env, true);
    struct weir_phantom_model *m = model;
    int code = check_readers(cfg, env, law, err);
    if (code != 0 || law == NULL)
        return code;
    uint64_t span_ps = law->delays.span_ps, cap_ps = cfg->cap.ps != 0 ? cfg->cap.ps : CAP_SPANS * span_ps;
    WEIR_ASSERT(span_ps > 0 && law->delays.longest_ps >= span_ps);
    WEIR_ASSERT(env->base_rtt_ps > 0);
    *m = (struct weir_phantom_model){ .base_rtt_ps = env->base_rtt_ps,
                                      .queue_max_ps = cfg->queue_max.ps != 0 ? cfg->queue_max.ps : env->base_rtt_ps,
                                      .cap_q20 = weir_min_u64(cap_ps, CAP_MAX_PS) << 20,
                                      .unit_ps = cfg->unit_ps,
                                      .slack_bytes = cfg->slack_bytes,
                                      .rho_q20 = q20_of_ppm(cfg->rho_ppm),
                                      .rho_min_q20 = q20_of_ppm(cfg->rho_min_ppm),
                                      .foreign_laws = weir_fabric_foreign(env, WEIR_NEED_QDELAY),
                                      .into_acks = cfg->mode != WEIR_PHANTOM_DATA };
    if (m->unit_ps == 0)
        m->unit_ps = weir_max_u64((span_ps + UNITS_OF_SPAN - 1) / UNITS_OF_SPAN, least_unit_ps(m));
    WEIR_ASSERT(m->unit_ps > 0);
    code = check_keys(cfg, env, m, law, err);
    if (code == 0 && m->into_acks)
        code = check_return(env, err);
    *plan = (struct weir_feature_plan){ .on = true,
                                        .offers = WEIR_NEED_QDELAY,
                                        .laws = weir_fabric_owners(env, WEIR_NEED_QDELAY),
                                        .qdelay_is_phantom = true,
                                        .qdelay_unit_ps = m->unit_ps,
                                        .skips_joined = true,
                                        .late_start = true,
                                        .other_port_kinds = m->into_acks ? WEIR_PKT_KIND_BIT(WEIR_PKT_ACK) : 0 };
    return code;
}

static bool phantom_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    WEIR_ASSERT(port->rate_bps > 0);
    *(struct weir_phantom_port *)here->port = weir_phantom_port_of(here->model, port->rate_bps, port->index);
    return !port->from_host;
}

/* Raises the delay in a packet to that of a port. */
static void raise_delay(const struct weir_here *here, const struct weir_phantom_port *of, uint64_t v_q20,
                        struct weir_pkt *pkt)
{
    WEIR_CHECK(pkt->kind == WEIR_PKT_DATA || pkt->kind == WEIR_PKT_ACK);
    uint32_t units = weir_phantom_units(here->model, of, v_q20, here->waiting_bytes[of->index]);
    pkt->qdelay = (uint16_t)weir_max_u64(pkt->qdelay, units);
}

static uint32_t phantom_on_start(const struct weir_here *here, struct weir_start *s)
{
    const struct weir_phantom_model *m = here->model;
    struct weir_phantom_port *p = here->port;
    uint32_t kind = m->into_acks ? WEIR_PKT_ACK : WEIR_PKT_DATA;
    bool own = s->pkt->kind == kind && (m->foreign_laws >> weir_pkt_law(s->pkt) & 1) == 0;
    WEIR_CHECK(here->waiting_bytes != NULL && s->now_ps >= p->start_ps);
    weir_phantom_start(m, p, s->now_ps, here->waiting_bytes[p->index], s->pkt->wire_bytes);
    if (!own)
        return 0;
    if (!m->into_acks) {
        raise_delay(here, p, p->v_q20, s->pkt);
    } else if (s->in_port != WEIR_PORT_NONE) { /* the port that leads back to where the ACK came from */
        const struct weir_phantom_port *of = weir_port_state(here, s->in_port, sizeof(*of));
        raise_delay(here, of, weir_phantom_v_q20(m, of, s->now_ps, here->waiting_bytes[of->index], 0), s->pkt);
    }
    return 0;
}

/* The feature raises a field of DATA, which ACKs carry back, or of ACKs. */
static const struct weir_extension phantom_extension = {
    .name = "delays of virtual queues",
    .parts = WEIR_PART_DELAY,
    .kinds = WEIR_PKT_KIND_BIT(WEIR_PKT_DATA) | WEIR_PKT_KIND_BIT(WEIR_PKT_ACK),
};

const struct weir_feature weir_phantom_feature = {
    .name = "phantom",
    .hint = "raises a field of ACKs, or of data, to the longest delay of virtual queues that drain slower than their "
            "links",
    .source = "phantom queues: Alizadeh et al. (HULL), NSDI 2012; for Soze: doc/phantom.md",
    .section = "phantom",
    .section_text =
        "The longest delay of the path's virtual queues. `phantom: data` is short for `phantom: {mode: data}`.",
    .short_key = "mode",
    .params = phantom_params,
    .examples = phantom_examples,
    .everywhere = "a law compares the delays of all switches of a path",
    .config_bytes = sizeof(struct weir_phantom_config),
    .model_bytes = sizeof(struct weir_phantom_model),
    .setup = phantom_setup,
    .extension = &phantom_extension,
    .when = WEIR_WHEN_COUPLED,
    .port_bytes = sizeof(struct weir_phantom_port),
    .port_init = phantom_port_init,
    .on_start = phantom_on_start,
};
