/* src/algorithms/features/cables/cables.c - failures: keys, set-up and the row. */
#include "features/cables/cables.h"
#include "core/cause.h"
#include "core/feature.h"
#include "core/units.h"

#define RUN_MAX (100000 * WEIR_PS_PER_S)

static const char *const states[] = {
    [WEIR_STATE_DOWN] = "down", [WEIR_STATE_UP] = "up",           [WEIR_STATE_LOSS] = "loss",
    [WEIR_STATE_RATE] = "rate", [WEIR_STATE_RESTART] = "restart", NULL
};
static const char *const queues[] = { [WEIR_CABLE_FLUSH] = "flush", [WEIR_CABLE_WAIT] = "wait", NULL };

static const struct weir_param event_params[] = {
    WEIR_PARAM_NAMED("time", struct weir_event_keys, at_ps, WEIR_KIND_TIME, 0, RUN_MAX, 0, "when; required"),
    WEIR_PARAM_TEXT("cable", struct weir_event_keys, cable, 1, "",
                    "a cable by its two ends, 'leaf 0 - spine 1'; a cable, a switch, a host or a NIC is required"),
    WEIR_PARAM_TEXT("switch", struct weir_event_keys, sw, 1, "", "a switch, 'leaf 0': all its cables, and its queues"),
    WEIR_PARAM_TEXT("host", struct weir_event_keys, host, 1, "", "a host, 'host 3': its cables"),
    WEIR_PARAM_TEXT("nic", struct weir_event_keys, nic, 1, "",
                    "a NIC of a host by its number from 0, 'host 3/1': its cable"),
    WEIR_PARAM_CHOICE(
        "state", struct weir_event_keys, state, states, WEIR_STATE_DOWN,
        "what becomes of it, both directions; loss: of a cable, from then on it loses packets at random; rate: of a "
        "cable, from then on it is slow; restart: of a host, it loses its state, and begins anew"),
    WEIR_PARAM_CHOICE("queue", struct weir_event_keys, queue, queues, WEIR_CABLE_FLUSH,
                      "of a cable that goes down: flush = its ports drop what waits there, and what comes until it is "
                      "up; wait = packets wait for it"),
    WEIR_PARAM_NAMED("rate", struct weir_event_keys, rate, WEIR_KIND_SHARE_OR_RATE, WEIR_RATE_MIN_BPS,
                     WEIR_RATE_MAX_BPS, 0,
                     "loss: the probability that a packet is lost, 0 heals the cable; rate: the cable's rate from then "
                     "on, at most that of the network, which heals it. Required there"),
    { 0 },
};

static const struct weir_renamed_key renamed[] = {
    { "at", "time" }, { "link", "cable" }, { "action", "state" }, { 0 }
};
static const char *const required[] = { "time", NULL };
static const struct weir_feature_list event_list = {
    .key = "events",
    .text = "A list: cables, switches and hosts that fail and come back.",
    .example = "{time: 2 ms, cable: leaf 0 - spine 1, state: down}",
    .params = event_params,
    .renamed = renamed,
    .required = required,
    .max = WEIR_EVENTS_MAX,
    .bytes = sizeof(struct weir_event_keys),
    .offset = offsetof(struct weir_cables_config, event),
    .where_offset = offsetof(struct weir_event_keys, where),
    .count_offset = offsetof(struct weir_cables_config, count),
};

static const char *const cuttables[] = { [WEIR_CUTTABLE_NONE] = "none",
                                         [WEIR_CUTTABLE_CORE] = "core",
                                         [WEIR_CUTTABLE_HOSTS] = "hosts",
                                         [WEIR_CUTTABLE_ALL] = "all",
                                         NULL };

static const struct weir_param cables_params[] = {
    WEIR_PARAM_NAMED("reroute_delay", struct weir_cables_config, reroute_delay_ps, WEIR_KIND_TIME, 0, RUN_MAX, 0,
                     "from a link going down or up until routes follow"),
    WEIR_PARAM_CHOICE("cuttable", struct weir_cables_config, cuttable, cuttables, WEIR_CUTTABLE_NONE,
                      "which cables a program may take down and up in a session: between switches, those of hosts, or "
                      "all; such a run has no events of the scenario that do so"),
    { 0 },
};

/* Refuses a `rate` that does not fit the state: a loss is a share of packets, a rate has a unit. @return 0, or
 * WEIR_E_CONFLICT with err */
static int check_rate(const struct weir_event_keys *keys, uint32_t i, struct weir_err *err)
{
    bool has_loss = keys->rate.ppb != WEIR_NO_SHARE, has_rate = keys->rate.bps != 0;
    bool is_loss = keys->state == WEIR_STATE_LOSS, is_rate = keys->state == WEIR_STATE_RATE;
    if (is_loss == has_loss && is_rate == has_rate)
        return 0;
    if (is_loss)
        return weir_fail(err, WEIR_E_CONFLICT, &keys->where, "for example {.., state: loss, rate: 1%}",
                         has_rate ? "events[%u]: the rate of state loss is a share of packets, not bits per second"
                                  : "events[%u]: state loss needs a rate",
                         (unsigned)i);
    if (is_rate)
        return weir_fail(err, WEIR_E_CONFLICT, &keys->where, "for example {.., state: rate, rate: 25 Gbps}",
                         has_loss ? "events[%u]: the rate of state rate is in bits per second, not a share"
                                  : "events[%u]: state rate needs a rate",
                         (unsigned)i);
    return weir_fail(err, WEIR_E_CONFLICT, &keys->where, "for example {.., state: loss, rate: 1%}",
                     "events[%u]: a rate is of state loss or state rate", (unsigned)i);
}

/* Refuses a state that does not fit what an event names. @return 0, or a code with err */
static int check_state(const struct weir_event_keys *keys, uint32_t i, struct weir_err *err)
{
    const char *what = keys->sw[0] != '\0' ? "switch" : keys->nic[0] != '\0' ? "NIC" : "cable";
    if (keys->state == WEIR_STATE_RESTART && keys->host[0] == '\0')
        return weir_fail(err, WEIR_E_CONFLICT, &keys->where, "a switch, or a port by its cable, goes down and comes up",
                         "events[%u]: state restart is of a host, and '%s' is a %s", (unsigned)i, weir_event_name(keys),
                         what);
    if ((keys->state == WEIR_STATE_LOSS || keys->state == WEIR_STATE_RATE) && !weir_event_is_cable(keys))
        return weir_fail(err, WEIR_E_CONFLICT, &keys->where, "name a cable", "events[%u]: state %s is of a cable",
                         (unsigned)i, states[keys->state]);
    if (check_rate(keys, i, err) != 0)
        return WEIR_E_CONFLICT;
    if (keys->queue == WEIR_CABLE_WAIT && keys->sw[0] != '\0')
        return weir_fail(err, WEIR_E_CONFLICT, &keys->where, "leave queue out",
                         "events[%u]: a switch that goes down has no queue in which packets could wait", (unsigned)i);
    return 0;
}

static int cables_check(const void *config, const struct weir_tok *where, struct weir_err *err)
{
    const struct weir_cables_config *cfg = config;
    int code = 0;
    (void)where;
    for (uint32_t i = 0; i < cfg->count && code == 0; i++) {
        const struct weir_event_keys *keys = &cfg->event[i];
        int targets =
            (keys->cable[0] != '\0') + (keys->sw[0] != '\0') + (keys->host[0] != '\0') + (keys->nic[0] != '\0');
        if (targets != 1)
            return weir_fail(err, targets == 0 ? WEIR_E_SYNTAX : WEIR_E_CONFLICT, &keys->where, event_list.example,
                             targets == 0 ? "events[%u]: one of cable, switch, host and nic is required"
                                          : "events[%u]: an event is of one of cable, switch, host and nic",
                             (unsigned)i);
        code = check_state(keys, i, err);
    }
    return code;
}

static int cables_setup(const void *config, const struct weir_fabric_env *env, void *model,
                        struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_cables_config *cfg = config;
    struct weir_cables_model *m = model;
    int code = weir_cables_expand(cfg, env, m, err);
    if (code == 0 && cfg->cuttable != WEIR_CUTTABLE_NONE && m->event_count > 0)
        code = weir_fail(err, WEIR_E_CONFLICT, env->where, "let the program give these events, too",
                         "cuttable: %s, and the scenario takes cables down itself: who did so last would count",
                         cuttables[cfg->cuttable]);
    *plan = (struct weir_feature_plan){
        .on = code == 0 &&
              (m->event_count > 0 || m->restart_count > 0 || m->rate_count > 0 || cfg->cuttable != WEIR_CUTTABLE_NONE),
        .cuttable = cfg->cuttable,
        .event = m->event,
        .event_count = m->event_count,
        .reroute_delay_ps = cfg->reroute_delay_ps,
        .restart = m->restart,
        .restart_count = m->restart_count,
        .loss = m->loss,
        .loss_count = m->loss_count,
        .rate = m->rate,
        .rate_count = m->rate_count,
    };
    return code;
}

static const struct weir_rule cables_rules[] = {
    [WEIR_CUT_FRAME] = { "cut", "cables.down", WEIR_FATE_LOST, "a cable went down while they were on it" },
    [WEIR_CUT_FLUSH] = { "flush", "cables.flush", WEIR_FATE_DROPPED, "they waited for a cable that went down" },
    [WEIR_CUT_DISCARD] = { "down", "cables.discard", WEIR_FATE_DROPPED, "they came to a port whose cable was down" },
    { 0 },
};

const struct weir_feature weir_cables_feature = {
    .name = "cable-events",
    .hint =
        "cables, switches and hosts go down and come up at given times, and routes follow after a delay; cables become "
        "lossy or slow; hosts restart",
    .params = cables_params,
    .list = &event_list,
    .everywhere = "they are of cables, by name",
    .config_bytes = sizeof(struct weir_cables_config),
    .model_bytes = sizeof(struct weir_cables_model),
    .check = cables_check,
    .setup = cables_setup,
    .rules = cables_rules,
    .cuts = true,
};
