/* src/algorithms/features/credit_gate/credit_gate.c - the gate for credit: keys, set-up, hooks and the row. */
#include "core/feature.h"
#include "core/gate.h"
#include "features/credit_gate/credit_gate_core.h"

static const char *const modes[] = {
    [WEIR_CREDIT_GATE_AUTO] = "auto", [WEIR_CREDIT_GATE_OFF] = "off", [WEIR_CREDIT_GATE_ON] = "on", NULL
};
static const struct weir_keyword full_packet = { "auto", 0 };

static const struct weir_param credit_gate_params[] = {
    WEIR_PARAM_CHOICE("mode", struct weir_credit_gate_config, mode, modes, WEIR_CREDIT_GATE_AUTO,
                      "ports of switches and of hosts hold credit back (ExpressPass, SIGCOMM 2017); auto = if the "
                      "protocol needs it"),
    WEIR_PARAM_NAMED("class", struct weir_credit_gate_config, class_id, WEIR_KIND_U32, 0, WEIR_CLASSES_MAX - 1, 0,
                     "priority class of credit; no other packets may be in it"),
    WEIR_PARAM_NAMED("credit", struct weir_credit_gate_config, credit_bytes, WEIR_KIND_SIZE32, 1, WEIR_WIRE_MAX_BYTES,
                     84,
                     "a credit on the wire, on average: tokens come at credit / (credit + data) of the link's rate"),
    WEIR_PARAM_KEYWORD("data", struct weir_credit_gate_config, data_bytes, WEIR_KIND_SIZE32, 1, WEIR_WIRE_MAX_BYTES, 0,
                       &full_packet, "what one credit lets come back, on the wire; auto = a full packet"),
    WEIR_PARAM_NAMED("depth", struct weir_credit_gate_config, depth_bytes, WEIR_KIND_SIZE32, 1,
                     WEIR_CREDIT_GATE_DEPTH_MAX, 168, "most tokens of a port; two credits of 84 B in SIRD's runs"),
    WEIR_PARAM_NAMED("queue", struct weir_credit_gate_config, queue_bytes, WEIR_KIND_SIZE32, 1, 1 << 20, 672,
                     "credit beyond that is dropped; eight of 84 B in SIGCOMM 2017"),
    { 0 },
};

static const char *const for_expresspass[] = { "protocol.name: expresspass", "credit_gate.queue: 840 B", NULL };
static const char *const narrow[] = { "protocol.name: expresspass", "credit_gate.data: 4 KB",
                                      "credit_gate.depth: 100 B", "credit_gate.queue: 300 B", NULL };
static const struct weir_preset credit_gate_examples[] = {
    { "expresspass", "as ExpressPass wants it, with a longer queue", for_expresspass },
    { "narrow", "less credit, and a shorter queue", narrow },
    { 0 },
};

/* Checks whether the fabric and the keys suit the gate: queues at hosts, routes, classes, sizes. @return 0, or a code
 * with err */
static int credit_gate_fits(const struct weir_credit_gate_config *cfg, const struct weir_fabric_env *env,
                            struct weir_err *err)
{
    WEIR_ASSERT(env->classes > 0);
    WEIR_ASSERT(env->classes <= WEIR_CLASSES_MAX);
    if (env->nics_pull)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "set host.nic_queue: unlimited",
                         "fabric.credit_gate needs credit that queues at the host's port, and it waits in the host");
    if (!weir_fabric_returns(env))
        return weir_fail(err, WEIR_E_CONFLICT, env->where_fabric,
                         weir_fabric_path_hint(env, "set fabric.routing: symmetric or trees"),
                         "fabric.credit_gate: data comes back the way its credit went only if %s",
                         env->nics_spread ? "a message has one NIC" : "routing is symmetric");
    if (env->classes < 2)
        return weir_fail(err, WEIR_E_CONFLICT, env->where_fabric, "set fabric.priorities: 2",
                         "fabric.credit_gate needs a priority class for credit alone, and ports have one class");
    if (cfg->class_id >= env->classes || cfg->class_id == weir_clamp_u32(env->data_class, 0, env->classes - 1))
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "leave class out: it is then 0, where credit goes",
                         "fabric.credit_gate: class %u is not one of credit alone", (unsigned)cfg->class_id);
    for (uint32_t k = 0; k < env->law_count && env->law_count > 1; k++) {
        const struct weir_fabric_law *law = &env->law[k];
        uint32_t last = env->classes - 1;
        bool acks = (law->needs & WEIR_NEED_GATE) == 0 && weir_clamp_u32(law->ack_class, 0, last) == cfg->class_id;
        if (acks || weir_clamp_u32(law->data_class, 0, last) == cfg->class_id)
            return weir_fail(err, WEIR_E_CONFLICT, env->where, "set class: 1 and host: {ack_class: 1} for its traffic",
                             "fabric.credit_gate: class %u is of credit alone, and protocol %s sends %s in it",
                             (unsigned)cfg->class_id, law->protocol,
                             !acks                  ? "data"
                             : law->receiver_driven ? "control packets"
                                                    : "ACKs");
    }
    if (cfg->queue_bytes < cfg->credit_bytes)
        return weir_fail(err, WEIR_E_CONFLICT, env->where, "leave queue out: it is then 672 B",
                         "fabric.credit_gate: queue is less than one credit");
    return 0;
}

/* Returns the size of a full packet of the law whose credit is gated. */
static uint32_t mtu_of_gate(const struct weir_fabric_env *env)
{
    WEIR_ASSERT(env->law_count <= WEIR_LAWS_MAX);
    for (uint32_t k = 0; k < env->law_count; k++)
        if ((env->law[k].needs & WEIR_NEED_GATE) != 0)
            return env->law[k].mtu_bytes;
    return env->mtu_bytes;
}

static int credit_gate_setup(const void *config, const struct weir_fabric_env *env, void *model,
                             struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_credit_gate_config *cfg = config;
    bool wanted = (env->needs & WEIR_NEED_GATE) != 0;
    if (cfg->mode == WEIR_CREDIT_GATE_ON && !wanted)
        return weir_fail(err, WEIR_E_CONFLICT, env->where,
                         "leave fabric.credit_gate.mode out: it is on where the protocol needs it",
                         "fabric.credit_gate: protocol %s sends no credit that ports may hold back", env->protocol);
    if (!wanted || cfg->mode == WEIR_CREDIT_GATE_OFF)
        return 0;
    *(struct weir_credit_gate_model *)model =
        (struct weir_credit_gate_model){ .class_id = cfg->class_id,
                                         .credit_bytes = cfg->credit_bytes,
                                         .data_bytes = cfg->data_bytes != 0 ? cfg->data_bytes : mtu_of_gate(env),
                                         .depth_bytes = cfg->depth_bytes,
                                         .queue_bytes = cfg->queue_bytes };
    plan->on = true;
    plan->offers = WEIR_NEED_GATE;
    return credit_gate_fits(cfg, env, err);
}

static bool credit_gate_port_init(const struct weir_here *here, const struct weir_fabric_port *port)
{
    weir_credit_gate_begin(here->model, here->port, weir_min_u64(port->rate_bps, port->in_rate_bps));
    return true;
}

static uint32_t credit_gate_classes(const struct weir_here *here)
{
    const struct weir_credit_gate_model *m = here->model;
    WEIR_ASSERT(m->class_id < WEIR_CLASSES_MAX);
    return 1u << m->class_id;
}

enum { RULE_FULL };
static const struct weir_rule credit_gate_rules[] = {
    [RULE_FULL] = { "full", "gate.limit", WEIR_FATE_DROPPED, "credit came faster than a port may send it" },
    { 0 },
};

static uint32_t credit_gate_admits(const struct weir_here *here, uint64_t waiting_bytes, uint32_t bytes)
{
    struct weir_credit_gate_port *p = here->port;
    bool admits = weir_credit_gate_admits(here->model, waiting_bytes, bytes);
    p->dropped += !admits;
    return admits ? 0 : WEIR_DROP | WEIR_RULE(RULE_FULL);
}

static uint64_t credit_gate_opens_ps(const struct weir_here *here, uint32_t bytes)
{
    return weir_credit_gate_opens_ps(here->port, bytes);
}

static void credit_gate_passed(const struct weir_here *here, uint32_t bytes, uint64_t now_ps)
{
    struct weir_credit_gate_port *p = here->port;
    weir_credit_gate_take(p, bytes, now_ps);
    p->passed++;
}

static const struct weir_gate credit_gate = {
    .classes = credit_gate_classes,
    .admits = credit_gate_admits,
    .opens_ps = credit_gate_opens_ps,
    .passed = credit_gate_passed,
};

static const struct weir_feature_conflict credit_gate_conflicts[] = {
    { "pfc", "data that credit was given for would wait behind a pause, and credit goes on" },
    { 0 },
};

static const struct weir_feature_counter credit_gate_counters[] = {
    WEIR_COUNTER(struct weir_credit_gate_port, passed, "passed", NULL),
    WEIR_COUNTER(struct weir_credit_gate_port, dropped, "dropped", "credits dropped"),
    { 0 },
};

const struct weir_feature weir_credit_gate_feature = {
    .name = "credit-gate",
    .title = "the gate for credit",
    .hint = "ports let credit through only as fast as the data that it stands for can come back, and drop the rest",
    .source = "Cho et al., SIGCOMM 2017",
    .section = "credit_gate",
    .section_text = "The gate for credit, where the protocol needs it. `credit_gate: off` is short for `credit_gate: "
                    "{mode: off}`.",
    .short_key = "mode",
    .params = credit_gate_params,
    .examples = credit_gate_examples,
    .everywhere = "data is sent for credit that every port of the path has let pass",
    .config_bytes = sizeof(struct weir_credit_gate_config),
    .model_bytes = sizeof(struct weir_credit_gate_model),
    .setup = credit_gate_setup,
    .conflicts = credit_gate_conflicts,
    .port_bytes = sizeof(struct weir_credit_gate_port),
    .port_init = credit_gate_port_init,
    .counters = credit_gate_counters,
    .rules = credit_gate_rules,
    .gate = &credit_gate,
};
