/* src/algorithms/features/cables/expand.c - events of cables, switches and hosts to events of cables alone. A cable is
 * up while it is, and both its ends are. */
#include "features/cables/cables.h"
#include "core/assert.h"

struct target {    /* what an event names: a cable, or a node with all its cables */
    uint32_t link; /* the lower link of the cable; UINT32_MAX = a node */
    uint32_t node;
};

struct expansion {
    const struct weir_cables_config *cfg;
    const struct weir_fabric_env *env;
    struct weir_cables_model *m;
    struct weir_err *err;
    struct target target[WEIR_EVENTS_MAX];
    uint32_t order[WEIR_EVENTS_MAX]; /* numbers of the items by time, of equals in the order of the file */
};

/* Returns the name that an event has for its target. */
static const char *name_of(const struct weir_event_keys *keys)
{
    if (keys->sw[0] != '\0')
        return keys->sw;
    return keys->host[0] != '\0' ? keys->host : keys->cable;
}

/* Tests whether an item takes cables down or up. */
static bool moves(const struct weir_event_keys *keys)
{
    return keys->state == WEIR_STATE_DOWN || keys->state == WEIR_STATE_UP;
}

/* Finds the switch or host of item i. @return 0, or a code with err */
static int find_node(struct expansion *x, uint32_t i)
{
    const struct weir_event_keys *keys = &x->cfg->event[i];
    const char *what = keys->host[0] != '\0' ? "host" : "switch", *name = name_of(keys);
    bool wants_host = keys->host[0] != '\0';
    uint32_t node = x->env->network->node(x->env, name);
    WEIR_ASSERT(name[0] != '\0' && keys->state != WEIR_STATE_LOSS && keys->state != WEIR_STATE_RATE);
    x->target[i] = (struct target){ .link = UINT32_MAX, .node = node };
    if (node != UINT32_MAX && x->env->network->is_host(x->env, node) == wants_host)
        return 0;
    if (node != UINT32_MAX)
        return weir_fail(x->err, WEIR_E_CONFLICT, &keys->where, wants_host ? "write switch" : "write host",
                         "events[%u]: '%s' is a %s, not a %s", (unsigned)i, name, wants_host ? "switch" : "host", what);
    return weir_fail(x->err, WEIR_E_UNKNOWN, &keys->where,
                     wants_host ? "a name as in 'host 3'; weir topology --cables has all"
                                : "a switch as a whole, as in 'leaf 0'; one port of it goes down with its cable",
                     "events[%u]: there is no %s '%s'", (unsigned)i, what, name);
}

/* Finds the cable of item i, and refuses a rate above the one for which it was built. @return 0, or a code with err */
static int find_cable(struct expansion *x, uint32_t i)
{
    const struct weir_event_keys *keys = &x->cfg->event[i];
    uint32_t link = x->env->network->cable(x->env, keys->cable);
    WEIR_ASSERT(keys->sw[0] == '\0' && keys->host[0] == '\0');
    if (link == UINT32_MAX)
        return weir_fail(x->err, WEIR_E_UNKNOWN, &keys->where,
                         "the two ends of a cable as in 'leaf 0 - spine 1' or 'host 3 - leaf 0'",
                         "events[%u]: there is no cable '%s'", (unsigned)i, keys->cable);
    WEIR_ASSERT(link < x->env->link_count);
    if (keys->rate.bps > x->env->network->cable_rate_bps(x->env, link))
        return weir_fail(x->err, WEIR_E_RANGE, &keys->where, "the same rate or less: less is slow, the same heals it",
                         "events[%u]: '%s' was built for %llu bps", (unsigned)i, keys->cable,
                         (unsigned long long)x->env->network->cable_rate_bps(x->env, link));
    x->target[i] = (struct target){ .link = link, .node = UINT32_MAX };
    return 0;
}

/* Tests whether two items change the same property of their target: whether it is up, its loss, or its rate. */
static bool same_property(const struct weir_event_keys *a, const struct weir_event_keys *b)
{
    return moves(a) == moves(b) && (moves(a) || a->state == b->state);
}

/* Refuses item i if an item before it changes the same property of the same target at the same time. @return 0, or
 * WEIR_E_CONFLICT with err */
static int check_once(struct expansion *x, uint32_t i)
{
    const struct weir_event_keys *keys = &x->cfg->event[i];
    for (uint32_t j = 0; j < i; j++)
        if (x->target[j].link == x->target[i].link && x->target[j].node == x->target[i].node &&
            x->cfg->event[j].at_ps == keys->at_ps && same_property(&x->cfg->event[j], keys))
            return weir_fail(x->err, WEIR_E_CONFLICT, &keys->where, NULL,
                             "events[%u]: '%s' has another event at the same time", (unsigned)i, name_of(keys));
    return 0;
}

/* Finds the targets of all items, and sorts the items by time. @return 0, or a code with err */
static int find_targets(struct expansion *x)
{
    int code = 0;
    for (uint32_t i = 0; i < x->cfg->count && code == 0; i++) {
        uint32_t n = i;
        code = x->cfg->event[i].cable[0] != '\0' ? find_cable(x, i) : find_node(x, i);
        if (code == 0)
            code = check_once(x, i);
        for (; n > 0 && x->cfg->event[x->order[n - 1]].at_ps > x->cfg->event[i].at_ps; n--)
            x->order[n] = x->order[n - 1];
        x->order[n] = i;
    }
    return code;
}

/* Tests whether an item names this cable, or a node at one of its ends. */
static bool concerns(const struct expansion *x, uint32_t i, uint32_t link)
{
    uint32_t end[2];
    if (!moves(&x->cfg->event[i]))
        return false;
    if (x->target[i].link != UINT32_MAX)
        return x->target[i].link == link;
    x->env->network->ends(x->env, link, end);
    WEIR_ASSERT(end[0] != end[1]);
    return x->target[i].node == end[0] || x->target[i].node == end[1];
}

/* Returns the event of a cable after the first `count` items in order, of which those from `first` on are of this
 * instant. The cable is up unless it, or a node at one of its ends, was last said to be down. */
static struct weir_cable_event cable_after(const struct expansion *x, uint32_t link, uint32_t first, uint32_t count)
{
    WEIR_ASSERT(count > first);
    struct weir_cable_event event = { .at_ps = x->cfg->event[x->order[count - 1]].at_ps, .link = link, .up = true };
    for (uint32_t k = 0; k < count; k++) {
        uint32_t i = x->order[k];
        bool is_last = true;
        if (!concerns(x, i, link))
            continue;
        for (uint32_t later = k + 1; later < count; later++)
            is_last = is_last && (!moves(&x->cfg->event[x->order[later]]) ||
                                  x->target[x->order[later]].link != x->target[i].link ||
                                  x->target[x->order[later]].node != x->target[i].node);
        if (!is_last || x->cfg->event[i].state == WEIR_STATE_UP)
            continue;
        WEIR_ASSERT(x->cfg->event[i].at_ps <= event.at_ps);
        event.up = false;
        event.flush |= k >= first && x->cfg->event[i].queue == WEIR_CABLE_FLUSH;
    }
    return event;
}

/* Adds the event of one cable at the instant of the items from `first` on, in the order of links. @return 0, or
 * WEIR_E_RANGE with err */
static int add_event(struct expansion *x, uint32_t link, uint32_t first, uint32_t count)
{
    struct weir_cable_event event = cable_after(x, link, first, count);
    uint32_t n = x->m->event_count;
    for (uint32_t i = n; i > 0 && x->m->event[i - 1].at_ps == event.at_ps; i--)
        if (x->m->event[i - 1].link == link)
            return 0; /* two nodes of this instant share the cable */
    if (n == WEIR_CABLE_EVENTS_MAX)
        return weir_fail(x->err, WEIR_E_RANGE, &x->cfg->event[x->order[count - 1]].where, "fewer events of switches",
                         "events: they come to more than %u events of cables", WEIR_CABLE_EVENTS_MAX);
    WEIR_ASSERT(n == 0 || x->m->event[n - 1].at_ps <= event.at_ps);
    for (; n > 0 && x->m->event[n - 1].at_ps == event.at_ps && x->m->event[n - 1].link > link; n--)
        x->m->event[n] = x->m->event[n - 1];
    x->m->event[n] = event;
    x->m->event_count++;
    return 0;
}

/* Adds a restart, in the order of time and then of hosts. @return 0, or WEIR_E_RANGE with err */
static int add_restart(struct expansion *x, uint32_t i)
{
    const struct weir_event_keys *keys = &x->cfg->event[i];
    struct weir_restart restart = { .at_ps = keys->at_ps, .host = x->target[i].node };
    uint32_t n = x->m->restart_count;
    WEIR_ASSERT(x->env->network->is_host(x->env, restart.host));
    if (n == WEIR_RESTARTS_MAX)
        return weir_fail(x->err, WEIR_E_RANGE, &keys->where, NULL, "events: at most %u restarts are possible",
                         WEIR_RESTARTS_MAX);
    for (; n > 0 && x->m->restart[n - 1].at_ps == restart.at_ps && x->m->restart[n - 1].host > restart.host; n--)
        x->m->restart[n] = x->m->restart[n - 1];
    x->m->restart[n] = restart;
    x->m->restart_count++;
    return 0;
}

/* Adds the events of all cables at the instant of the items first .. count - 1, in order. @return 0, or a code with
 * err */
static int add_instant(struct expansion *x, uint32_t first, uint32_t count)
{
    const struct weir_fabric_network *network = x->env->network;
    int code = 0;
    WEIR_ASSERT(first < count && count <= x->cfg->count);
    for (uint32_t k = first; k < count && code == 0; k++) {
        uint32_t i = x->order[k], node = x->target[i].node;
        uint32_t cables = node != UINT32_MAX ? network->cables(x->env, node) : 1;
        const struct weir_event_keys *keys = &x->cfg->event[i];
        if (keys->state == WEIR_STATE_LOSS)
            x->m->loss[x->m->loss_count++] =
                (struct weir_loss_step){ .at_ps = keys->at_ps, .cable = x->target[i].link, .loss_ppb = keys->rate.ppb };
        if (keys->state == WEIR_STATE_RATE)
            x->m->rate[x->m->rate_count++] =
                (struct weir_rate_step){ .at_ps = keys->at_ps, .bps = keys->rate.bps, .cable = x->target[i].link };
        if (keys->state == WEIR_STATE_RESTART)
            code = add_restart(x, i);
        for (uint32_t c = 0; c < cables && code == 0 && moves(keys); c++)
            code = add_event(x, node != UINT32_MAX ? network->node_cable(x->env, node, c) : x->target[i].link, first,
                             count);
    }
    return code;
}

int weir_cables_expand(const struct weir_cables_config *cfg, const struct weir_fabric_env *env,
                       struct weir_cables_model *m, struct weir_err *err)
{
    struct expansion x = { .cfg = cfg, .env = env, .m = m, .err = err };
    int code = find_targets(&x);
    WEIR_ASSERT(cfg->count <= WEIR_EVENTS_MAX);
    m->event_count = m->loss_count = m->restart_count = m->rate_count = 0;
    for (uint32_t first = 0, count; first < cfg->count && code == 0; first = count) {
        uint64_t at_ps = cfg->event[x.order[first]].at_ps;
        for (count = first + 1; count < cfg->count && cfg->event[x.order[count]].at_ps == at_ps;)
            count++;
        code = add_instant(&x, first, count);
    }
    return code;
}
