/* src/algorithms/features/cables/expand.c - events of cables, switches and hosts to events of cables alone. A cable is
 * up while it is, and both its ends are. */
#include "features/cables/cables.h"
#include "core/assert.h"

#define CHANGES_MAX (WEIR_EVENTS_MAX + 2 * WEIR_FAILURES_MAX)

struct part { /* something that is up or down by itself: a cable, a node with all its cables, or one of these by the
                      random process */
    uint32_t link; /* the lower link of the cable; UINT32_MAX = a node */
    uint32_t node;
    bool by_process, is_down;
    uint64_t flush_ps; /* when it last went down with `queue: flush`; UINT64_MAX = never */
};

struct change { /* an item of the list, or the beginning or end of a failure of the random process */
    uint64_t at_ps;
    uint32_t part;  /* index in expansion.part */
    uint32_t item;  /* index in cfg->event; UINT32_MAX = of the random process */
    bool moves, up; /* moves: the part goes down, or up */
};

struct expansion {
    const struct weir_cables_config *cfg;
    const struct weir_fabric_env *env;
    struct weir_cables_model *m;
    struct weir_err *err;
    struct part part[CHANGES_MAX];
    struct change change[CHANGES_MAX]; /* by time, of equals in the order of the file */
    uint32_t parts, changes;
};

/* Tests whether an item takes cables down or up. */
static bool moves(const struct weir_event_keys *keys)
{
    return keys->state == WEIR_STATE_DOWN || keys->state == WEIR_STATE_UP;
}

/* Returns the index of a part, which is added if it is new. link: UINT32_MAX = node is a switch or host */
static uint32_t part_of(struct expansion *x, uint32_t link, uint32_t node, bool by_process)
{
    const struct part *part = x->part;
    uint32_t i = 0;
    while (i < x->parts && (part[i].link != link || part[i].node != node || part[i].by_process != by_process))
        i++;
    WEIR_ASSERT(i < CHANGES_MAX);
    if (i == x->parts)
        x->part[x->parts++] =
            (struct part){ .link = link, .node = node, .by_process = by_process, .flush_ps = UINT64_MAX };
    return i;
}

/* Finds the switch or host of item i. @return 0, or a code with err */
static int find_node(struct expansion *x, uint32_t i, uint32_t *part)
{
    const struct weir_event_keys *keys = &x->cfg->event[i];
    const char *what = keys->host[0] != '\0' ? "host" : "switch", *name = weir_event_name(keys);
    bool wants_host = keys->host[0] != '\0';
    uint32_t node = x->env->network->node(x->env, name);
    WEIR_ASSERT(name[0] != '\0' && keys->state != WEIR_STATE_LOSS && keys->state != WEIR_STATE_RATE);
    if (node != UINT32_MAX && x->env->network->is_host(x->env, node) == wants_host) {
        *part = part_of(x, UINT32_MAX, node, false);
        return 0;
    }
    if (node != UINT32_MAX)
        return weir_fail(x->err, WEIR_E_CONFLICT, &keys->where, wants_host ? "write switch" : "write host",
                         "events[%u]: '%s' is a %s, not a %s", (unsigned)i, name, wants_host ? "switch" : "host", what);
    return weir_fail(x->err, WEIR_E_UNKNOWN, &keys->where,
                     wants_host ? "a name as in 'host 3'; weir topology --cables has all"
                                : "a switch as a whole, as in 'leaf 0'; one port of it goes down with its cable",
                     "events[%u]: there is no %s '%s'", (unsigned)i, what, name);
}

/* Returns the cable of a NIC, "host 3/1"; UINT32_MAX = there is no such NIC. */
static uint32_t cable_of_nic(const struct expansion *x, const char *nic)
{
    char host[WEIR_NODE_TEXT_MAX];
    uint32_t length = 0, number = 0, node, digits = 0;
    for (uint32_t i = 0; nic[i] != '\0'; i++)
        length = nic[i] == '/' ? i : length;
    for (uint32_t i = 0; i < length; i++)
        host[i] = nic[i];
    host[length] = '\0';
    for (const char *digit = nic + length + 1; length > 0 && *digit >= '0' && *digit <= '9' && digits < 4; digit++) {
        number = 10 * number + (uint32_t)(*digit - '0');
        digits++;
    }
    WEIR_ASSERT(length < WEIR_NODE_TEXT_MAX);
    if (digits == 0 || nic[length + 1 + digits] != '\0')
        return UINT32_MAX;
    node = x->env->network->node(x->env, host);
    if (node == UINT32_MAX || !x->env->network->is_host(x->env, node) ||
        number >= x->env->network->cables(x->env, node))
        return UINT32_MAX;
    return x->env->network->node_cable(x->env, node, number);
}

/* Finds the cable of item i, and refuses a rate above the one for which it was built. @return 0, or a code with err */
static int find_cable(struct expansion *x, uint32_t i, uint32_t *part)
{
    const struct weir_event_keys *keys = &x->cfg->event[i];
    bool is_nic = keys->nic[0] != '\0';
    uint32_t link = is_nic ? cable_of_nic(x, keys->nic) : x->env->network->cable(x->env, keys->cable);
    WEIR_ASSERT(keys->sw[0] == '\0' && keys->host[0] == '\0');
    if (link == UINT32_MAX && is_nic)
        return weir_fail(x->err, WEIR_E_UNKNOWN, &keys->where,
                         "a host and the number of its NIC, as in 'host 3/1'; weir topology --cables has all",
                         "events[%u]: there is no NIC '%s'", (unsigned)i, keys->nic);
    if (link == UINT32_MAX)
        return weir_fail(x->err, WEIR_E_UNKNOWN, &keys->where,
                         "the two ends of a cable as in 'leaf 0 - spine 1' or 'host 3 - leaf 0'",
                         "events[%u]: there is no cable '%s'", (unsigned)i, keys->cable);
    WEIR_ASSERT(link < x->env->link_count);
    if (keys->rate.bps > x->env->network->cable_rate_bps(x->env, link))
        return weir_fail(x->err, WEIR_E_RANGE, &keys->where, "the same rate or less: less is slow, the same heals it",
                         "events[%u]: '%s' was built for %llu Mbps", (unsigned)i, weir_event_name(keys),
                         (unsigned long long)(x->env->network->cable_rate_bps(x->env, link) / 1000000));
    *part = part_of(x, link, UINT32_MAX, false);
    return 0;
}

/* Tests whether two items change the same property of their target: whether it is up, its loss, or its rate. */
static bool same_property(const struct weir_event_keys *a, const struct weir_event_keys *b)
{
    return moves(a) == moves(b) && (moves(a) || a->state == b->state);
}

/* Refuses item i if an item before it changes the same property of the same target at the same time. @return 0, or
 * WEIR_E_CONFLICT with err */
static int check_once(struct expansion *x, uint32_t i, uint32_t part)
{
    const struct weir_event_keys *keys = &x->cfg->event[i];
    for (uint32_t k = 0; k < x->changes; k++)
        if (x->change[k].part == part && x->change[k].at_ps == keys->at_ps &&
            same_property(&x->cfg->event[x->change[k].item], keys))
            return weir_fail(x->err, WEIR_E_CONFLICT, &keys->where, NULL,
                             "events[%u]: '%s' has another event at the same time", (unsigned)i, weir_event_name(keys));
    return 0;
}

/* Adds a change behind those of its time. */
static void add_change(struct expansion *x, const struct change *change)
{
    uint32_t n = x->changes++;
    WEIR_ASSERT(n < CHANGES_MAX);
    for (; n > 0 && x->change[n - 1].at_ps > change->at_ps; n--)
        x->change[n] = x->change[n - 1];
    x->change[n] = *change;
}

/* Adds the changes of all items, and those of the random process. @return 0, or a code with err */
static int find_changes(struct expansion *x)
{
    int code = 0;
    for (uint32_t i = 0; i < x->cfg->count && code == 0; i++) {
        const struct weir_event_keys *keys = &x->cfg->event[i];
        struct change change = {
            .at_ps = keys->at_ps, .item = i, .moves = moves(keys), .up = keys->state == WEIR_STATE_UP
        };
        code = weir_event_is_cable(keys) ? find_cable(x, i, &change.part) : find_node(x, i, &change.part);
        if (code == 0)
            code = check_once(x, i, change.part);
        if (code == 0)
            add_change(x, &change);
    }
    WEIR_ASSERT(x->env->failure_count <= WEIR_FAILURES_MAX);
    for (uint32_t i = 0; i < x->env->failure_count && code == 0; i++) {
        const struct weir_failure *failure = &x->env->failure[i];
        uint32_t part = part_of(x, failure->link, failure->node, true);
        add_change(x, &(struct change){ failure->down_ps, part, UINT32_MAX, true, false });
        add_change(x, &(struct change){ failure->up_ps, part, UINT32_MAX, true, true });
    }
    return code;
}

/* Executes the changes first .. count - 1, of one instant, on the state of their parts. */
static void set_parts(struct expansion *x, uint32_t first, uint32_t count)
{
    for (uint32_t k = first; k < count; k++) {
        const struct change *change = &x->change[k];
        struct part *part = &x->part[change->part];
        if (!change->moves)
            continue;
        part->is_down = !change->up;
        if (!change->up && (change->item == UINT32_MAX || x->cfg->event[change->item].queue == WEIR_CABLE_FLUSH))
            part->flush_ps = change->at_ps;
    }
}

/* Returns the event of a cable at at_ps, once the parts are as they are then. The cable is up unless it, or a node at
 * one of its ends, is down. */
static struct weir_cable_event cable_now(const struct expansion *x, uint32_t link, uint64_t at_ps)
{
    struct weir_cable_event event = { .at_ps = at_ps, .link = link, .up = true };
    uint32_t end[2];
    x->env->network->ends(x->env, link, end);
    WEIR_ASSERT(end[0] != end[1]);
    for (uint32_t i = 0; i < x->parts; i++) {
        const struct part *part = &x->part[i];
        bool concerns = part->link != UINT32_MAX ? part->link == link : part->node == end[0] || part->node == end[1];
        if (!concerns || !part->is_down)
            continue;
        event.up = false;
        event.flush |= part->flush_ps == at_ps;
    }
    return event;
}

/* Returns the position in the scenario of a change, for messages. */
static const struct weir_tok *where_of(const struct expansion *x, const struct change *change)
{
    return change->item != UINT32_MAX ? &x->cfg->event[change->item].where : x->env->where_failures;
}

/* Adds the event of one cable at the instant of a change, in the order of links. @return 0, or WEIR_E_RANGE with err */
static int add_event(struct expansion *x, uint32_t link, const struct change *change)
{
    struct weir_cable_event event = cable_now(x, link, change->at_ps);
    uint32_t n = x->m->event_count;
    for (uint32_t i = n; i > 0 && x->m->event[i - 1].at_ps == event.at_ps; i--)
        if (x->m->event[i - 1].link == link)
            return 0; /* two nodes of this instant share the cable */
    if (n == WEIR_CABLE_EVENTS_MAX)
        return weir_fail(x->err, WEIR_E_RANGE, where_of(x, change), "fewer events of switches",
                         "events: they come to more than %u events of cables", WEIR_CABLE_EVENTS_MAX);
    WEIR_ASSERT(n == 0 || x->m->event[n - 1].at_ps <= event.at_ps);
    for (; n > 0 && x->m->event[n - 1].at_ps == event.at_ps && x->m->event[n - 1].link > link; n--)
        x->m->event[n] = x->m->event[n - 1];
    x->m->event[n] = event;
    x->m->event_count++;
    return 0;
}

/* Adds a restart, in the order of time and then of hosts. @return 0, or WEIR_E_RANGE with err */
static int add_restart(struct expansion *x, const struct change *change)
{
    const struct weir_event_keys *keys = &x->cfg->event[change->item];
    struct weir_restart restart = { .at_ps = keys->at_ps, .host = x->part[change->part].node };
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

/* Adds the events of all cables that a change of a part concerns. @return 0, or a code with err */
static int add_events(struct expansion *x, const struct change *change)
{
    const struct weir_fabric_network *network = x->env->network;
    const struct part *part = &x->part[change->part];
    uint32_t cables = part->link == UINT32_MAX ? network->cables(x->env, part->node) : 1;
    int code = 0;
    for (uint32_t c = 0; c < cables && code == 0; c++)
        code = add_event(x, part->link != UINT32_MAX ? part->link : network->node_cable(x->env, part->node, c), change);
    return code;
}

/* Adds what a change of another kind does. @return 0, or a code with err */
static int add_other(struct expansion *x, const struct change *change)
{
    const struct weir_event_keys *keys = &x->cfg->event[change->item];
    uint32_t cable = x->part[change->part].link;
    WEIR_ASSERT(change->item != UINT32_MAX);
    if (keys->state == WEIR_STATE_LOSS)
        x->m->loss[x->m->loss_count++] =
            (struct weir_loss_step){ .at_ps = keys->at_ps, .cable = cable, .loss_ppb = keys->rate.ppb };
    if (keys->state == WEIR_STATE_RATE)
        x->m->rate[x->m->rate_count++] =
            (struct weir_rate_step){ .at_ps = keys->at_ps, .bps = keys->rate.bps, .cable = cable };
    return keys->state == WEIR_STATE_RESTART ? add_restart(x, change) : 0;
}

int weir_cables_expand(const struct weir_cables_config *cfg, const struct weir_fabric_env *env,
                       struct weir_cables_model *m, struct weir_err *err)
{
    struct expansion x = { .cfg = cfg, .env = env, .m = m, .err = err };
    int code = find_changes(&x);
    WEIR_ASSERT(cfg->count <= WEIR_EVENTS_MAX);
    m->event_count = m->loss_count = m->restart_count = m->rate_count = 0;
    for (uint32_t first = 0, count; first < x.changes && code == 0; first = count) {
        for (count = first + 1; count < x.changes && x.change[count].at_ps == x.change[first].at_ps;)
            count++;
        set_parts(&x, first, count);
        for (uint32_t k = first; k < count && code == 0; k++)
            code = x.change[k].moves ? add_events(&x, &x.change[k]) : add_other(&x, &x.change[k]);
    }
    return code;
}
