/* src/algorithms/features/ecn/ecn.c - keys, set-up and the row of ECN marking. */
#include "features/ecn/ecn.h"
#include "core/feature.h"

#define K_MAX UINT64_C(16000000000) /* below 2^34 products with pmax fit 64 bits: ecn_core.h */
#define ROW(name, field, kind, lo, hi, def, text)                                                                      \
    WEIR_PARAM_KEYWORD(name, struct weir_ecn_config, field, kind, lo, hi, UINT64_MAX, &(def), text)

static const struct weir_keyword off = { "off", UINT64_MAX };
static const struct weir_keyword none = { "none", UINT64_MAX };
static const char *const wheres[] = { [WEIR_ECN_ALL] = "all", [WEIR_ECN_CORE] = "core", NULL };
static const char *const scales[] = { "none", "rate", NULL };

static const struct weir_param ecn_params[] = {
    WEIR_PARAM_CHOICE("at", struct weir_ecn_config, where, wheres, WEIR_ECN_ALL,
                      "which ports mark: all, or those between switches"),
    ROW("threshold", threshold, WEIR_KIND_BDP, 0, K_MAX, off,
        "K: a packet that finds this much queued is marked (SIGCOMM 2010: 65 packets at 10 Gb/s)"),
    ROW("kmin", kmin, WEIR_KIND_BDP, 0, K_MAX, none, "instead of threshold: marking begins here (DCQCN, SIGCOMM 2015)"),
    ROW("kmax", kmax, WEIR_KIND_BDP, 0, K_MAX, none, "with kmin: from here on everything is marked"),
    WEIR_PARAM_NAMED("pmax", struct weir_ecn_config, pmax_ppb, WEIR_KIND_PPB, 0, 1000000000, 1000000000,
                     "share marked just below kmax; rises in a straight line from 0 at kmin"),
    WEIR_PARAM_CHOICE("scale", struct weir_ecn_config, by_rate, scales, 0,
                      "rate: the thresholds are those of ports at the host link's rate, others have them in proportion "
                      "to theirs"),
    { 0 },
};

static const struct weir_alternative ecn_alternatives[] = {
    { "threshold", { "kmin", "kmax" } },
    { "kmin", { "threshold" } },
    { "kmax", { "threshold" } },
    { 0 },
};

static const struct weir_renamed_key ecn_renamed[] = { { "where", "at" }, { 0 } };

static const char *const by_threshold[] = { "ecn.threshold: 30 KB", NULL };
static const char *const by_ramp[] = { "ecn.kmin: 20 KB", "ecn.kmax: 100 KB", "ecn.pmax: 10%", "ecn.scale: rate",
                                       NULL };
static const struct weir_preset ecn_examples[] = {
    { "threshold", "as DCTCP wants it", by_threshold },
    { "ramp", "as DCQCN wants it", by_ramp },
    { 0 },
};

static int ecn_check(const void *config, const struct weir_tok *where, struct weir_err *err)
{
    const struct weir_ecn_config *cfg = config;
    bool has_ramp = cfg->kmin.bytes != UINT64_MAX;
    if (has_ramp != (cfg->kmax.bytes != UINT64_MAX))
        return weir_fail(err, WEIR_E_CONFLICT, where, "for a single step use threshold",
                         "fabric.ecn: %s is set without %s", has_ramp ? "kmin" : "kmax", has_ramp ? "kmax" : "kmin");
    if (has_ramp && cfg->threshold.bytes != UINT64_MAX)
        return weir_fail(err, WEIR_E_CONFLICT, where, "give threshold, or kmin and kmax",
                         "fabric.ecn: threshold and kmin exclude each other");
    if (has_ramp && (cfg->kmin.bdp_milli == 0) == (cfg->kmax.bdp_milli == 0) &&
        (cfg->kmin.bytes > cfg->kmax.bytes || cfg->kmin.bdp_milli > cfg->kmax.bdp_milli))
        return weir_fail(err, WEIR_E_CONFLICT, where, NULL, "fabric.ecn: kmin is above kmax");
    return 0;
}

static int ecn_setup(const void *config, const struct weir_fabric_env *env, void *model, struct weir_feature_plan *plan,
                     struct weir_err *err)
{
    const struct weir_ecn_config *cfg = config;
    struct weir_ecn_model *m = model;
    bool ramp = cfg->kmin.bytes != UINT64_MAX;
    int code = ecn_check(config, env->where, err);
    if (code != 0)
        return code;
    if (ramp && cfg->kmin.bytes > cfg->kmax.bytes) /* one was given in BDP: its bytes are known only now */
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "for example ecn: {kmin: 100 KB, kmax: 400 KB, pmax: 20%}",
                         "fabric.ecn: kmin is above kmax");
    m->ramp = (struct weir_ecn_ramp){ .kmin_bytes = ramp ? cfg->kmin.bytes : cfg->threshold.bytes,
                                      .kmax_bytes = ramp ? cfg->kmax.bytes : cfg->threshold.bytes,
                                      .pmax_ppb = cfg->pmax_ppb };
    m->at_bps = cfg->by_rate != 0 ? env->host_link_bps : 0;
    m->where = cfg->where;
    WEIR_ASSERT(m->ramp.kmin_bytes <= m->ramp.kmax_bytes);
    WEIR_ASSERT(m->ramp.pmax_ppb <= 1000000000);
    plan->on = m->ramp.kmin_bytes != UINT64_MAX;
    plan->offers = WEIR_NEED_ECN;
    plan->marks_by_queue = true;
    plan->mark_bytes = m->ramp.kmin_bytes;
    return 0;
}

static bool ecn_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    const struct weir_ecn_model *m = here->model;
    struct weir_ecn_port *p = here->port;
    p->ramp = weir_ecn_scaled(&m->ramp, port->rate_bps, m->at_bps);
    WEIR_ASSERT(p->ramp.kmin_bytes <= p->ramp.kmax_bytes);
    p->key = weir_rng_key(port->seed, port->link, WEIR_RNG_LINK_MARK, 0);
    return port->has_queue && (m->where == WEIR_ECN_ALL || (!port->from_host && !port->to_host));
}

static bool ecn_join_threshold(const struct weir_here *here, uint64_t *queue_bytes)
{
    const struct weir_ecn_port *p = here->port;
    *queue_bytes = p->ramp.kmin_bytes;
    return p->ramp.kmin_bytes == p->ramp.kmax_bytes;
}

enum { RULE_THRESHOLD, RULE_RAMP };

static uint32_t ecn_on_join(const struct weir_here *here, const struct weir_join *join)
{
    const struct weir_ecn_port *p = here->port;
    if ((join->pkt->flags & WEIR_PKT_ECT) == 0)
        return 0;
    if (!weir_ecn_marks(&p->ramp, join->queue_bytes, weir_rng_at(p->key, join->offered)))
        return 0;
    return WEIR_MARK | (p->ramp.kmin_bytes == p->ramp.kmax_bytes ? WEIR_RULE(RULE_THRESHOLD) : WEIR_RULE(RULE_RAMP));
}

/* RULE_THRESHOLD must be index 0: ports that do nothing else mark by rule 0 without a call of the hook. */
static const struct weir_rule ecn_rules[] = {
    [RULE_THRESHOLD] = { "threshold", "join.mark", WEIR_FATE_MARKED, "the queue had grown to the threshold" },
    [RULE_RAMP] = { "ramp", "join.mark", WEIR_FATE_MARKED, "the queue was within or above the ramp" },
    { 0 },
};

const struct weir_feature weir_ecn_feature = {
    .name = "ecn",
    .hint = "marks packets that find a queue of K bytes or more, or with a probability that rises from kmin to kmax",
    .source = "Alizadeh et al., SIGCOMM 2010, section 3.1; Zhu et al., SIGCOMM 2015",
    .section = "ecn",
    .section_text = "Marking: one step at `threshold`, or a ramp from `kmin` to `kmax`. `ecn: off` is short for `ecn: "
                    "{threshold: off}`.",
    .short_key = "threshold",
    .params = ecn_params,
    .alternatives = ecn_alternatives,
    .renamed = ecn_renamed,
    .examples = ecn_examples,
    .config_bytes = sizeof(struct weir_ecn_config),
    .model_bytes = sizeof(struct weir_ecn_model),
    .rules = ecn_rules,
    .check = ecn_check,
    .setup = ecn_setup,
    .when = WEIR_WHEN_JOIN,
    .port_bytes = sizeof(struct weir_ecn_port),
    .port_init = ecn_port_init,
    .join_threshold = ecn_join_threshold,
    .on_join = ecn_on_join,
};
