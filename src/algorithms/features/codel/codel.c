/* src/algorithms/features/codel/codel.c - CoDel: keys, set-up, the hook and the row. */
#include "core/feature.h"
#include "features/codel/codel_core.h"

#define INTERVAL_MAX (100 * WEIR_PS_PER_S)

static const char *const variants[] = {
    [WEIR_CODEL_P4] = "p4", [WEIR_CODEL_RFC8289] = "rfc8289", [WEIR_CODEL_OFF] = "off", NULL
};
static const char *const places[] = WEIR_FEATURE_AT_WORDS;

static const struct weir_param codel_params[] = {
    WEIR_PARAM_CHOICE("variant", struct weir_codel_config, variant, variants, WEIR_CODEL_P4,
                      "p4: the program for switches that RPM builds on; rfc8289: as the RFC has it; off: not even if a "
                      "preset says so"),
    WEIR_PARAM_NAMED("target", struct weir_codel_config, target_ps, WEIR_KIND_TIME, 1, INTERVAL_MAX, WEIR_PS_PER_MS,
                     "a packet that waited for so long is late; 1 ms in RPM's runs, 5 ms in RFC 8289"),
    WEIR_PARAM_NAMED("interval", struct weir_codel_config, interval_ps, WEIR_KIND_TIME, 1, INTERVAL_MAX,
                     20 * WEIR_PS_PER_MS,
                     "packets may be late for so long, about a round trip; 20 ms in RPM's runs, 100 ms in RFC 8289"),
    WEIR_PARAM_CHOICE("at", struct weir_codel_config, at, places, WEIR_AT_SWITCHES,
                      "which ports: of switches, of hosts (with host.nic_queue: unlimited), or all"),
    { 0 },
};

static const char *const by_p4[] = { "codel.variant: p4", "codel.target: 5 us", "codel.interval: 20 us", NULL };
static const char *const by_rfc[] = { "codel.variant: rfc8289", "codel.target: 5 us", "codel.interval: 20 us", NULL };
static const struct weir_preset codel_examples[] = {
    { "p4", "in microseconds, for a datacenter", by_p4 },
    { "rfc8289", "the same as in the RFC", by_rfc },
    { 0 },
};

static int codel_check(const void *config, const struct weir_tok *where, struct weir_err *err)
{
    const struct weir_codel_config *cfg = config;
    if (cfg->target_ps <= cfg->interval_ps)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, where,
                     "target is about a twentieth of interval, as in {target: 1 ms, interval: 20 ms}",
                     "fabric.codel: target is above interval");
}

static int codel_setup(const void *config, const struct weir_fabric_env *env, void *model,
                       struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_codel_config *cfg = config;
    WEIR_ASSERT(cfg->variant <= WEIR_CODEL_OFF);
    WEIR_ASSERT(cfg->at <= WEIR_AT_ALL);
    *(struct weir_codel_model *)model = (struct weir_codel_model){ .target_ps = cfg->target_ps,
                                                                   .interval_ps = cfg->interval_ps,
                                                                   .mtu_bytes = env->mtu_bytes,
                                                                   .variant = cfg->variant,
                                                                   .at = cfg->at };
    plan->on = env->is_set && cfg->variant != WEIR_CODEL_OFF;
    plan->offers = WEIR_NEED_ECN;
    /* With coupled, hooks are deferred while no packet may be dropped: half the instructions of a call per dequeue. */
    plan->coupled = env->nics_pull;
    return codel_check(config, env->where, err);
}

static bool codel_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    const struct weir_codel_model *m = here->model;
    WEIR_ASSERT(m->interval_ps > 0);
    WEIR_ASSERT(m->target_ps <= m->interval_ps);
    return weir_feature_acts(m->at, port);
}

enum { RULE_DROP, RULE_MARK };
static const struct weir_rule codel_rules[] = {
    [RULE_DROP] = { "sojourn", "drop-on-leaving.drop", WEIR_FATE_DROPPED,
                    "the wait stayed above CoDel's target for an interval" },
    [RULE_MARK] = { "sojourn", "drop-on-leaving.ask", WEIR_FATE_MARKED,
                    "the wait stayed above CoDel's target for an interval" },
    { 0 },
};

static uint32_t codel_on_dequeue(const struct weir_here *here, struct weir_dequeue *d)
{
    const struct weir_codel_model *m = here->model;
    struct weir_codel_port *p = here->port;
    struct weir_codel_queue *q = &p->queue[d->class_id];
    bool may_mark = (d->pkt->flags & WEIR_PKT_ECT) != 0;
    bool event = m->variant == WEIR_CODEL_P4 ? weir_codel_p4(m, q, d) : weir_codel_rfc8289(m, q, d);
    if (!event)
        return 0;
    ++*(may_mark ? &p->marks : &p->drops);
    return may_mark ? WEIR_MARK | WEIR_RULE(RULE_MARK) : WEIR_DROP | WEIR_RULE(RULE_DROP);
}

static void codel_dequeue_idle(const struct weir_here *here, uint32_t class_id, uint64_t now_ps,
                               struct weir_dequeue_idle *idle)
{
    const struct weir_codel_port *p = here->port;
    WEIR_ASSERT(class_id < WEIR_CLASSES_MAX);
    weir_codel_idle(here->model, &p->queue[class_id], now_ps, idle);
}

static const struct weir_feature_counter codel_counters[] = {
    WEIR_COUNTER(struct weir_codel_port, marks, "marks", "packets marked"),
    WEIR_COUNTER(struct weir_codel_port, drops, "drops", "dropped"),
    { 0 },
};

static const char *const codel_common[] = { "at", NULL };

const struct weir_feature weir_codel_feature = {
    .name = "codel",
    .hint = "marks or drops a packet that is to leave when packets have waited too long for too long",
    .source = "RFC 8289; Kundel et al., ICC 2021",
    .section = "codel",
    .section_text = "CoDel: active queue management by waiting time. `codel: p4` is short for `codel: {variant: p4}`.",
    .section_enables = true,
    .short_key = "variant",
    .params = codel_params,
    .examples = codel_examples,
    .common_keys = codel_common,
    .config_bytes = sizeof(struct weir_codel_config),
    .model_bytes = sizeof(struct weir_codel_model),
    .check = codel_check,
    .setup = codel_setup,
    .port_bytes = sizeof(struct weir_codel_port),
    .port_init = codel_port_init,
    .counters = codel_counters,
    .rules = codel_rules,
    .on_dequeue = codel_on_dequeue,
    .dequeue_idle = codel_dequeue_idle,
};
