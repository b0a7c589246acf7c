/* src/algorithms/features/cables/cables.c - cables that go down and come up: keys, set-up and the row. */
#include "features/cables/cables.h"
#include "core/assert.h"
#include "core/cause.h"
#include "core/feature.h"

#define RUN_MAX (100000 * WEIR_PS_PER_S)

static const char *const actions[] = { [WEIR_CABLE_DOWN] = "down", [WEIR_CABLE_UP] = "up", NULL };
static const char *const queues[] = { [WEIR_CABLE_FLUSH] = "flush", [WEIR_CABLE_WAIT] = "wait", NULL };

static const struct weir_param event_params[] = {
    WEIR_PARAM_NAMED("at", struct weir_cable_keys, at_ps, WEIR_KIND_TIME, 0, RUN_MAX, 0, "when; required"),
    WEIR_PARAM_TEXT("link", struct weir_cable_keys, cable, 1, "",
                    "a cable by its two ends, 'leaf 0 - spine 1'; required"),
    WEIR_PARAM_CHOICE("action", struct weir_cable_keys, action, actions, WEIR_CABLE_DOWN,
                      "what happens to it, both directions"),
    WEIR_PARAM_CHOICE("queue", struct weir_cable_keys, queue, queues, WEIR_CABLE_FLUSH,
                      "of a cable that goes down: flush = its ports drop what waits there, and what comes until it is "
                      "up; wait = packets wait for it"),
    { 0 },
};

static const char *const required[] = { "at", "link", NULL };
static const struct weir_feature_list event_list = {
    .key = "events",
    .text = "A list: cables that go down and come up.",
    .example = "{at: 2 ms, link: leaf 0 - spine 1, action: down}",
    .params = event_params,
    .required = required,
    .max = WEIR_CABLE_EVENTS_MAX,
    .bytes = sizeof(struct weir_cable_keys),
    .offset = offsetof(struct weir_cables_config, event),
    .where_offset = offsetof(struct weir_cable_keys, where),
    .count_offset = offsetof(struct weir_cables_config, count),
};

static const struct weir_param cables_params[] = {
    WEIR_PARAM_NAMED("reroute_delay", struct weir_cables_config, reroute_delay_ps, WEIR_KIND_TIME, 0, RUN_MAX, 0,
                     "from a link going down or up until routes follow"),
    { 0 },
};

static bool is_before(const struct weir_cable_event *a, const struct weir_cable_event *b)
{
    return a->at_ps != b->at_ps ? a->at_ps < b->at_ps : a->link < b->link;
}

/* Inserts *event into sorted[], which holds n sorted events and has room for one more. */
static void insert(struct weir_cable_event *sorted, uint32_t n, const struct weir_cable_event *event)
{
    WEIR_ASSERT(n < WEIR_CABLE_EVENTS_MAX);
    for (; n > 0 && is_before(event, &sorted[n - 1]); n--)
        sorted[n] = sorted[n - 1];
    sorted[n] = *event;
}

static int cables_setup(const void *config, const struct weir_fabric_env *env, void *model,
                        struct weir_feature_plan *plan, struct weir_err *err)
{
    const struct weir_cables_config *cfg = config;
    struct weir_cables_model *m = model;
    WEIR_ASSERT(cfg->count <= WEIR_CABLE_EVENTS_MAX);
    for (uint32_t i = 0; i < cfg->count; i++) {
        const struct weir_cable_keys *keys = &cfg->event[i];
        const struct weir_cable_event event = { .at_ps = keys->at_ps,
                                                .link = env->network->cable(env, keys->cable),
                                                .up = keys->action == WEIR_CABLE_UP,
                                                .flush = keys->action == WEIR_CABLE_DOWN &&
                                                         keys->queue == WEIR_CABLE_FLUSH };
        if (event.link == UINT32_MAX)
            return weir_fail(err, WEIR_E_UNKNOWN, &keys->where,
                             "the two ends of a cable as in 'leaf 0 - spine 1' or 'host 3 - leaf 0'",
                             "events[%u]: there is no cable '%s'", (unsigned)i, keys->cable);
        WEIR_ASSERT(event.link < env->link_count);
        for (uint32_t j = 0; j < i; j++)
            if (m->event[j].link == event.link && m->event[j].at_ps == event.at_ps)
                return weir_fail(err, WEIR_E_CONFLICT, &keys->where, NULL,
                                 "events[%u]: '%s' has another event at the same time", (unsigned)i, keys->cable);
        insert(m->event, i, &event);
    }
    *plan = (struct weir_feature_plan){
        .on = cfg->count > 0, .event = m->event, .event_count = cfg->count, .reroute_delay_ps = cfg->reroute_delay_ps
    };
    return 0;
}

static const struct weir_rule cables_rules[] = {
    [WEIR_CUT_FRAME] = { "cut", "cables.down", WEIR_FATE_LOST },
    [WEIR_CUT_FLUSH] = { "flush", "cables.flush", WEIR_FATE_DROPPED },
    [WEIR_CUT_DISCARD] = { "down", "cables.discard", WEIR_FATE_DROPPED },
    { 0 },
};

const struct weir_feature weir_cables_feature = {
    .name = "cable-events",
    .hint = "cables go down and come up at given times; routes follow after a delay",
    .params = cables_params,
    .list = &event_list,
    .everywhere = "they are of cables, by name",
    .config_bytes = sizeof(struct weir_cables_config),
    .model_bytes = sizeof(struct weir_cables_model),
    .setup = cables_setup,
    .rules = cables_rules,
    .cuts = true,
};
