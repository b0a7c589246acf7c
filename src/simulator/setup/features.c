/* src/simulator/setup/features.c - sets up the switch features of a model: which are on, with which models, and in
 * which order. Checks whether they fit each other, the hosts and the protocol. All of this follows from the rows of
 * weir_features[]. */
#include "setup/features.h"
#include "core/credit_ops.h"
#include "core/feature.h"
#include "core/math.h"
#include "hooks/features.h"
#include <stdlib.h>
#include <string.h>

struct setting_up { /* set-up of one row of weir_features[]: its plan and its model */
    struct weir_feature_plan plan;
    void *model;
};

static size_t whole_units(size_t bytes)
{
    return (bytes + 15u) & ~(size_t)15;
}

/* Allocates s->feature_models, one block for the list of features that are on and the models of all rows. Points
 * model.features into it. @return one entry for each row, pointing to its model, to be freed by the caller; NULL = no
 * memory */
static struct setting_up *features_alloc(struct weir_setup *s)
{
    uint32_t count = s->scn->feature_count;
    struct setting_up *row = calloc((size_t)count + 1, sizeof(*row));
    size_t bytes = whole_units(count * sizeof(*s->model.features.on)) + 1;
    char *at;
    for (uint32_t i = 0; i < count; i++)
        bytes += whole_units(s->scn->feature[i].row->model_bytes);
    at = s->feature_models = calloc(1, bytes);
    if (row == NULL || at == NULL) {
        free(row);
        return NULL;
    }
    s->model.features.on = s->feature_models;
    s->model.features.room = count;
    at += whole_units(count * sizeof(*s->model.features.on));
    for (uint32_t i = 0; i < count; i++) {
        row[i].model = at;
        at += whole_units(s->scn->feature[i].row->model_bytes);
    }
    return row;
}

/* Replaces *err, the error about a row that does not suit the hosts, if a feature that is on excludes the row. Then
 * err becomes that conflict, which is the better reason. */
static void features_check_rivals(const struct weir_scenario *scn, const struct setting_up *all, uint32_t row,
                                  struct weir_err *err)
{
    for (uint32_t i = 0; i < scn->feature_count; i++)
        if (all[i].plan.on && i != row &&
            weir_feature_check_pair(scn->feature[i].row, scn->feature[row].row, &scn->where_fabric, err) != 0)
            return;
}

/* Calls the set-up of some rows, and after each updates *env by the row's plan, for the rows after it. shapes_ports:
 * true = the rows with shapes_ports, false = all other rows. @return 0, or a code with err */
static int features_plan(struct weir_setup *s, struct weir_fabric_env *env, bool shapes_ports, struct setting_up *all,
                         struct weir_err *err)
{
    const struct weir_scenario *scn = s->scn;
    int code = 0;
    for (uint32_t i = 0; i < scn->feature_count && code == 0; i++) {
        const struct weir_feature_keys *keys = &scn->feature[i];
        struct weir_feature_plan *plan = &all[i].plan;
        if (keys->row->shapes_ports != shapes_ports || keys->row->setup == NULL)
            continue;
        /* a feature without keys was turned on by the protocol */
        env->where = keys->is_set ? &keys->where : &scn->where_protocol;
        env->is_set = keys->is_set;
        code = keys->row->setup(keys->config, env, all[i].model, plan, err);
        if (code == 0)
            code = weir_setup_variants(s, env, i, all[i].model, plan, err);
        /* reported even if setup() failed: this reason is easier to understand */
        if (plan->on && weir_feature_check_hosts(keys->row, env, plan->laws, err) != 0) {
            features_check_rivals(scn, all, i, err);
            code = WEIR_E_CONFLICT;
        }
        env->classes = plan->classes > 0 ? plan->classes : env->classes;
        env->lanes += plan->aged_classes;
        if (plan->on && plan->marks_by_queue && plan->mark_bytes < env->mark_bytes)
            env->mark_bytes = plan->mark_bytes;
        env->data_apart |= plan->on && keys->row->queue_of != NULL;
        if (plan->loss_count > 0) {
            env->loss = plan->loss;
            env->loss_count = plan->loss_count;
        }
        if (plan->on && plan->late_count > 0) {
            env->late = plan->late;
            env->late_count = plan->late_count;
        }
        if (plan->failure_count > 0) {
            env->failure = plan->failure;
            env->failure_count = plan->failure_count;
            env->where_failures = &keys->where;
        }
    }
    return code;
}

/* Copies the requests of a feature that is on from its plan to the configuration of one law. */
static void features_take_law(struct weir_host_config *host, const struct weir_feature_plan *plan)
{
    host->wrr |= plan->weights_in_data;
    if (plan->qdelay_unit_ps != 0)
        host->qdelay_unit_ps = plan->qdelay_unit_ps;
    host->path.qdelay_is_phantom |= plan->qdelay_is_phantom;
    if (plan->tokens != 0) {
        host->tokens = plan->tokens;
        host->token_bytes = plan->token_bytes;
    }
    if (plan->aged_classes != 0)
        host->lanes = plan->aged_classes;
    if (plan->rtt_unit_ps != 0)
        host->rtt_unit_ps = plan->rtt_unit_ps;
    if (plan->rates != NULL)
        host->rates = plan->rates;
}

/* Copies the requests of a feature that is on from its plan to the model, the laws that it is for, s->offers, and the
 * scenario's buffer size. */
static void features_take(struct weir_setup *s, const struct weir_feature_plan *plan)
{
    struct weir_model *m = &s->model;
    s->offers |= plan->offers;
    for (uint32_t k = 0; k < s->law_count; k++)
        if (plan->laws == 0 || (plan->laws >> k & 1) != 0)
            features_take_law(&s->law[k], plan);
    if (plan->aged_classes != 0)
        m->aged_classes = plan->aged_classes;
    m->escapes |= plan->escapes;
    if (plan->memory_bytes != 0)
        m->memory_bytes = s->scn->fabric.buffer_bytes = plan->memory_bytes;
    if (plan->event_count > 0) {
        m->event = plan->event;
        m->event_count = plan->event_count;
        m->reroute_delay_ps = plan->reroute_delay_ps;
    }
    for (uint32_t i = 0; i < plan->late_count; i++)
        m->late_ps = weir_max_u64(m->late_ps, plan->late[i].up_to_ps);
    if (plan->cuttable != WEIR_CUTTABLE_NONE) {
        m->cuttable = plan->cuttable;
        m->reroute_delay_ps = plan->reroute_delay_ps;
    }
    if (plan->rate_count > 0) {
        m->rate = plan->rate;
        m->rate_count = plan->rate_count;
    }
    if (plan->restart_count > 0) {
        m->restart = plan->restart;
        m->restart_count = plan->restart_count;
    }
}

/* Tests whether some switch that has the feature also marks packets. */
static bool some_switch_marks(const struct weir_setup *s, const struct weir_feature *row)
{
    const struct weir_features *f = &s->model.features;
    for (uint32_t n = s->topo.host_count; n < s->topo.node_count; n++) {
        uint32_t offers = 0;
        bool on = false;
        for (uint32_t i = 0; i < f->count; i++) {
            const struct weir_feature_variant here = weir_feature_at(&f->on[i], n);
            on = on || (here.on && f->on[i].row == row);
            offers |= here.offers;
        }
        if (on && (offers & WEIR_NEED_ECN) != 0)
            return true;
    }
    return false;
}

/* Refuses a feature that needs marks if no switch marks packets, or none that has the feature. @return 0, or
 * WEIR_E_CONFLICT with err */
static int features_check_marks(const struct weir_setup *s, const struct setting_up *all, struct weir_err *err)
{
    for (uint32_t i = 0; i < s->scn->feature_count; i++) {
        const struct weir_feature_keys *keys = &s->scn->feature[i];
        const char *title = keys->row->title != NULL ? keys->row->title : keys->row->name;
        if (all[i].plan.on && keys->row->needs_marks && (s->offers & WEIR_NEED_ECN) == 0)
            return weir_fail(err, WEIR_E_CONFLICT, &keys->where,
                             "set fabric: {codel: p4}, or fabric: {ecn: {threshold: 1 BDP}}",
                             "fabric: %s needs switches that mark, and the fabric does not mark", title);
        if (all[i].plan.on && keys->row->needs_marks && !some_switch_marks(s, keys->row))
            return weir_fail(err, WEIR_E_CONFLICT, keys->is_set ? &keys->where : &s->scn->switches[0].where,
                             "let fabric.switches name switches that mark",
                             "fabric: %s needs switches that mark, and no switch that has it does", title);
    }
    return 0;
}

/* Returns the mechanism that excludes host.short, since it divides or orders DATA itself; NULL = there is none. The
 * mechanism is returned as the end of a sentence. */
static const char *rival_of_short(const struct weir_fabric_env *env, const struct weir_fabric_law *law)
{
    if (law->receiver_driven)
        return "a receiver-driven protocol orders it by itself";
    if ((law->needs & WEIR_NEED_NO_ACKS) != 0)
        return "without connections there is nothing to order";
    if ((law->needs & WEIR_NEED_QDELAY) != 0)
        return "delays of queues are measured in one class";
    if (env->data_apart)
        return "weighted round robin serves flows in turn";
    return env->lanes > 0 ? "fabric.lanes has classes of its own for it" : NULL;
}

/* Refuses host.short of law k (short messages first, in a class of their own) if another mechanism orders DATA or ports
 * have too few classes. @return 0, or WEIR_E_CONFLICT with err */
static int features_check_short(const struct weir_setup *s, const struct weir_fabric_env *env, uint32_t k,
                                struct weir_err *err)
{
    const struct weir_scenario_law keys = weir_scenario_law(s->scn, k);
    const char *rival = rival_of_short(env, &env->law[k]);
    if (keys.host->short_bytes == 0)
        return 0;
    if (rival != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, keys.where_host, "leave host.short out",
                         "host.short divides data into two classes, and %s", rival);
    if (env->classes < keys.host->data_class + 2)
        return weir_fail(err, WEIR_E_CONFLICT, keys.where_host, "set fabric.priorities: 3 and host.data_class: 1",
                         "host.short needs a class for longer messages below data_class, and ports have %u",
                         (unsigned)env->classes);
    return 0;
}

int weir_setup_features(struct weir_setup *s, struct weir_err *err)
{
    struct weir_fabric_env env = weir_setup_env(s);
    const struct weir_scenario *scn = s->scn;
    struct weir_features *f = &s->model.features;
    struct setting_up *all = features_alloc(s);
    int code;
    if (all == NULL)
        return weir_fail_memory(err);
    code = features_plan(s, &env, true, all, err);
    if (code == 0)
        code = features_plan(s, &env, false, all, err);
    for (uint32_t i = 0; i < scn->feature_count && code == 0; i++) {
        if (!all[i].plan.on)
            continue;
        weir_features_add(f, scn->feature[i].row, all[i].model, &all[i].plan);
        if (s->variants != NULL && s->variants[i].count > 0) {
            f->on[f->count - 1].variant = s->variants[i].variant;
            f->on[f->count - 1].variant_of = s->variants[i].variant_of;
        }
        features_take(s, &all[i].plan);
    }
    s->model.classes = env.classes;
    if (code == 0)
        code = features_check_marks(s, all, err);
    free(all);
    for (uint32_t k = 0; k < s->law_count && code == 0; k++)
        code = features_check_short(s, &env, k, err);
    if (code == 0)
        code = weir_features_check(f, &scn->where_fabric, err);
    return code != 0 ? code : weir_features_order(f, scn->fabric.order, &scn->where_fabric, err);
}

/* --- what the protocol needs --- */

struct need { /* a need that a fabric can meet: one bit of enum weir_need */
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
    { WEIR_NEED_FAIR_RATE, "needs switches that notify flows of their rate, and fabric.fair_rate is off",
      "leave fabric.fair_rate out" },
    { WEIR_NEED_QDELAY, "needs queueing delays from switches, and fabric.maxqd is off",
      "set fabric.maxqd: auto, or leave it out" },
    { WEIR_NEED_GATE, "needs ports that hold credit back, and fabric.credit_gate is off",
      "set fabric.credit_gate: auto, or leave it out" },
    { WEIR_NEED_RCP, "needs switches that write rates into data, and fabric.rcp is off",
      "set fabric.rcp: auto, or leave it out" },
};

/* Refuses ports with fewer classes than the protocol needs. Without this check, packets of classes beyond the last
 * would use the last class, which would make it another protocol. @return 0, or WEIR_E_CONFLICT with err */
static int check_classes(const struct weir_setup *s, const struct weir_scenario_law *law, struct weir_err *err)
{
    const struct weir_credit_ops *ops = law->protocol->credit;
    uint32_t least = ops != NULL && ops->classes != NULL ? ops->classes(law->config) : 1;
    if (s->model.classes >= least)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, &s->scn->where_fabric,
                     "set fabric.priorities, or leave it to the protocol's preset",
                     "fabric: protocol %s needs %u priorities, and ports have %u", law->protocol->name, (unsigned)least,
                     (unsigned)s->model.classes);
}

int weir_setup_needs(const struct weir_setup *s, uint32_t k, struct weir_err *err)
{
    const struct weir_scenario_law law = weir_scenario_law(s->scn, k);
    uint32_t missing = weir_host_needs(&s->law[k]) & ~s->offers;
    for (size_t i = 0; i < sizeof(need_list) / sizeof(need_list[0]); i++) {
        if ((missing & need_list[i].bit) != 0)
            return weir_fail(err, WEIR_E_CONFLICT, law.where, need_list[i].hint, "protocol %s %s", law.protocol->name,
                             need_list[i].text);
    }
    return check_classes(s, &law, err);
}
