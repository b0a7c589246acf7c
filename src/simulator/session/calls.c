/* src/simulator/session/calls.c - what a program gives a session: messages and timers, and takes back. Also in a
 * call-back, for the host that it is called for. */
#include "session/session.h"
#include "core/assert.h"
#include "core/math.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MESSAGE_LEAST offsetof(struct weir_sim_message, group) /* bytes that every program's messages have */

/* ---- may it be done here and now? ---- */

int session_check_time(struct weir_sim *sim, uint64_t at_ps, uint64_t floor_ps)
{
    if (at_ps < floor_ps)
        return session_fail(sim, WEIR_SIM_E_PAST, "weir_sim_floor() is the earliest time",
                            "%llu ps is in the past: nothing before %llu ps can be changed any more",
                            (unsigned long long)at_ps, (unsigned long long)floor_ps);
    if (at_ps >= UINT64_C(1) << 62)
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, NULL, "%llu ps: times are below 2^62 ps",
                            (unsigned long long)at_ps);
    return 0;
}

int session_check_run(struct weir_sim *sim)
{
    if (sim->failed)
        return WEIR_SIM_E_RUN; /* the sentence is that of the failure */
    if (sim->engine->over)
        return session_fail(sim, WEIR_SIM_E_OVER, "run.measure: all, or a longer one", "the run is over");
    return 0;
}

/* Tests whether a call for a host, at a time, is allowed. @return 0, or a code */
static int check_call(struct weir_sim *sim, uint32_t host, uint64_t at_ps)
{
    int code = session_check_run(sim);
    if (code != 0)
        return code;
    if (host >= sim->setup->topo.host_count)
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, NULL, "host %u: the topology has hosts 0 to %u", host,
                            sim->setup->topo.host_count - 1);
    if (session_in_visit(sim) && host != session_visit.host)
        return session_fail(sim, WEIR_SIM_E_CALL, "give it after weir_sim_advance(), from weir_sim_floor() on",
                            "a call-back of host %u cannot do anything for host %u", session_visit.host, host);
    return session_check_time(sim, at_ps, session_in_visit(sim) ? session_visit.now_ps : sim->floor_ps);
}

int session_put_row(struct weir_sim *sim, uint32_t host, uint64_t at_ps, const struct weir_inbox_row *row, uint64_t *id)
{
    struct sim_engine *e = sim->engine;
    struct sim_thread *th = &e->thread[e->owner[host]];
    struct weir_inbox *inbox = &sim->inbox[host];
    bool is_full = inbox->free_head == 0 && inbox->used >= SESSION_ROWS_MAX;
    uint32_t number = is_full ? WEIR_INBOX_FULL : weir_inbox_put(inbox, at_ps, session_in_visit(sim), row);
    if (number == WEIR_INBOX_FULL)
        return session_fail(sim, WEIR_SIM_E_MEMORY, NULL, "not enough memory for one more message");
    th->given.given++;
    th->given.messages += row->dst != WEIR_INBOX_TIMER;
    weir_source_refresh(&e->host[host].source);
    if (id != NULL)
        *id = session_id(host, number, weir_inbox_row(&sim->inbox[host], number)->epoch);
    if (session_in_visit(sim)) /* the visit goes on, and finds it */
        return 0;
    sim_due_between(e, host, at_ps);
    return 0;
}

/* ---- messages ---- */

/* Reads a weight. @return 0, or a code */
static int read_number(struct weir_sim *sim, double weight, uint64_t *weight_q20)
{
    if (!(weight >= 0.001 && weight <= 1e6))
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, NULL, "weight %g: must be from 0.001 to 1000000", weight);
    *weight_q20 = weir_max_u64((uint64_t)llround(weight * (double)WEIR_WEIGHT_ONE), WEIR_WEIGHT_MIN);
    return 0;
}

/* Tests whether an item says that this weight may come. */
static bool is_announced(const struct weir_sim *sim, uint32_t item, uint64_t weight_q20)
{
    return weight_q20 >= sim->least_q20[item] && weight_q20 <= sim->most_q20[item];
}

/* Reads the weight of a message. @return 0, or a code */
static int read_weight(struct weir_sim *sim, const struct weir_sim_message *m, uint32_t item, uint64_t *weight_q20)
{
    const char *says = sim->scn->traffic[item].weights;
    int code = read_number(sim, m->weight == 0 ? 1 : m->weight, weight_q20);
    if (code == 0 && !is_announced(sim, item, *weight_q20))
        code = session_fail(sim, WEIR_SIM_E_ARGUMENT, "for example traffic: [{kind: session, weights: 1..8}]",
                            "weight %g: the item of kind session says %s", m->weight,
                            says[0] != '\0' ? says : "no weights");
    return code;
}

/* Reads the group of a message. @return 0, or a code */
static int read_group(struct weir_sim *sim, const struct weir_sim_message *m, uint32_t item, uint32_t *number)
{
    const struct weir_workload *wl = &sim->setup->workload;
    const struct weir_session_group *group;
    if (m->group == 0)
        return 0;
    if (m->group > wl->session_count[item])
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, "for example traffic: [{kind: session, groups: [0..7, 8..15]}]",
                            "group %u: the item of kind session has %u", m->group, wl->session_count[item]);
    group = &wl->session_group[wl->session_first[item] + m->group - 1];
    if (weir_host_range_index(&group->senders, m->src) == UINT32_MAX)
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, NULL, "group %u: host %u is none of its senders", m->group,
                            m->src);
    if (weir_host_range_index(&group->senders, m->dst) != UINT32_MAX)
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, NULL, "group %u: host %u is one of its senders, and receives",
                            m->group, m->dst);
    WEIR_ASSERT(group->group <= wl->group_count);
    *number = group->group;
    return 0;
}

static int read_message(struct weir_sim *sim, const struct weir_sim_message *m, struct weir_inbox_row *row)
{
    uint32_t hosts = sim->setup->topo.host_count, item;
    int code;
    if (m->item >= sim->items)
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, NULL, "item %u: the scenario has %u of kind session", m->item,
                            sim->items);
    item = sim->item[m->item];
    WEIR_ASSERT(sim->scn->traffic[item].kind == WEIR_TRAFFIC_SESSION);
    if (m->dst >= hosts)
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, NULL, "host %u: the topology has hosts 0 to %u", m->dst,
                            hosts - 1);
    if (m->src == m->dst)
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, NULL, "a message from host %u to itself", m->src);
    if (m->bytes < 1 || m->bytes > WEIR_CDF_SIZE_MAX)
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, NULL, "%llu bytes: a message has 1 to %llu",
                            (unsigned long long)m->bytes, (unsigned long long)WEIR_CDF_SIZE_MAX);
    *row = (struct weir_inbox_row){ .bytes = m->bytes,
                                    .user = m->user,
                                    .dst = m->dst,
                                    .item = (uint8_t)item,
                                    .number = session_in_visit(sim) ? WEIR_INBOX_NO_NUMBER : sim->messages };
    code = read_group(sim, m, item, &row->group);
    return code != 0 ? code : read_weight(sim, m, item, &row->weight_q20);
}

/* Returns a weight as a whole number of 10^-9, which rounds to the same 2^-20. It fits: 2^40 * 10^9 / 2^20. */
static uint64_t weight_e9(uint64_t weight_q20)
{
    return weir_mul_div_u64(weight_q20, 1000000000, WEIR_WEIGHT_ONE);
}

/* Counts a message that was given, and records it. */
static void record_message(struct weir_sim *sim, const struct weir_sim_message *m, uint64_t weight_q20)
{
    struct weir_session_args args = { .given = WEIR_SESSION_BIT(SRC) | WEIR_SESSION_BIT(DST) | WEIR_SESSION_BIT(BYTES) |
                                               WEIR_SESSION_BIT(START) | WEIR_SESSION_BIT(USER),
                                      .src = m->src,
                                      .dst = m->dst,
                                      .bytes = m->bytes,
                                      .start_ps = m->start_ps,
                                      .user = m->user,
                                      .item = m->item,
                                      .group = m->group };
    sim->messages++;
    if (m->item != 0)
        args.given |= WEIR_SESSION_BIT(ITEM);
    if (m->group != 0)
        args.given |= WEIR_SESSION_BIT(GROUP);
    if (weight_q20 != WEIR_WEIGHT_ONE) {
        args.given |= WEIR_SESSION_BIT(WEIGHT);
        args.weight_e9 = weight_e9(weight_q20);
    }
    session_record_call(sim->record, WEIR_SESSION_INJECT, &args);
}

int weir_sim_inject(struct weir_sim *sim, const struct weir_sim_message *message, uint64_t *id)
{
    struct weir_sim_message m = { 0 };
    struct weir_inbox_row row = { 0 };
    int code;
    if (!session_take(&m, sizeof(m), message, message->size, MESSAGE_LEAST))
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, "set message.size to sizeof(struct weir_sim_message)",
                            "message.size is %u", message->size);
    code = check_call(sim, m.src, m.start_ps);
    if (code == 0)
        code = read_message(sim, &m, &row);
    if (code == 0)
        code = session_put_row(sim, m.src, m.start_ps, &row, id);
    if (code == 0 && !session_in_visit(sim))
        record_message(sim, &m, row.weight_q20);
    return code;
}

/* Adds a call about a message to the record. One of a call-back has no number. args: without the message */
static void record_about(struct weir_sim *sim, uint32_t number, enum weir_session_call call,
                         struct weir_session_args args)
{
    args.given |= WEIR_SESSION_BIT(MESSAGE);
    args.message = number;
    if (sim->record != NULL && number == WEIR_INBOX_NO_NUMBER)
        sim->record->is_foreign = true;
    else
        session_record_call(sim->record, call, &args);
}

int weir_sim_cancel(struct weir_sim *sim, uint64_t id)
{
    uint32_t host = SESSION_HOST_OF(id), row = SESSION_ROW_OF(id);
    int code = check_call(sim, host, (UINT64_C(1) << 62) - 1); /* no time is given */
    struct weir_inbox_row *r;
    if (code != 0)
        return code;
    if (id == 0 || row >= sim->inbox[host].used)
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, NULL, "no message has the id %llu", (unsigned long long)id);
    r = weir_inbox_row(&sim->inbox[host], row);
    if (session_id(host, row, r->epoch) != id || !r->waits || r->is_cancelled)
        return session_fail(sim, WEIR_SIM_E_STARTED, NULL, "the message has started, ended or been cancelled");
    if (!session_in_visit(sim) && r->start_ps < sim->floor_ps) /* some hosts may have gone beyond it */
        return session_fail(sim, WEIR_SIM_E_PAST, "weir_sim_floor() is the earliest time",
                            "the message starts at %llu ps: nothing before %llu ps can be changed any more",
                            (unsigned long long)r->start_ps, (unsigned long long)sim->floor_ps);
    if (!session_in_visit(sim))
        record_about(sim, r->number, WEIR_SESSION_CANCEL, (struct weir_session_args){ .given = 0 });
    session_drop_changes(sim, host, r);
    weir_inbox_cancel(&sim->inbox[host], row);
    sim->engine->thread[sim->engine->owner[host]].given.done++;
    sim->engine->thread[sim->engine->owner[host]].given.messages--;
    weir_source_refresh(&sim->engine->host[host].source);
    return 0;
}

/* ---- changes of weights ---- */

/* Changes nothing if the message has ended. Whether it has depends on threads between the last event and the floor. So
 * a change that waits is taken back when its message ends, as if it had never been given. */
int weir_sim_set_weight(struct weir_sim *sim, uint64_t id, uint64_t at_ps, double weight)
{
    uint32_t host = SESSION_HOST_OF(id), row = SESSION_ROW_OF(id), item = 0;
    struct weir_inbox_row change = {
        .user = id, .dst = WEIR_INBOX_TIMER, .item = WEIR_INBOX_NO_ITEM, .is_change = true
    };
    struct weir_inbox_row *r;
    uint64_t change_id = 0;
    int code = check_call(sim, host, at_ps);
    if (code == 0 && (id == 0 || row >= sim->inbox[host].used))
        code = session_fail(sim, WEIR_SIM_E_ARGUMENT, NULL, "no message has the id %llu", (unsigned long long)id);
    if (code == 0)
        code = read_number(sim, weight, &change.weight_q20);
    if (code != 0)
        return code;
    while (item < sim->items && !is_announced(sim, sim->item[item], change.weight_q20))
        item++;
    if (item == sim->items)
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, "for example traffic: [{kind: session, weights: 1..8}]",
                            "weight %g: no item of kind session says that it may come", weight);
    r = weir_inbox_row(&sim->inbox[host], row);
    if (session_id(host, row, r->epoch) != id || r->is_cancelled)
        return 0; /* it has ended */
    code = session_put_row(sim, host, at_ps, &change, &change_id);
    if (code != 0)
        return code;
    weir_inbox_row(&sim->inbox[host], SESSION_ROW_OF(change_id))->next_free = r->change_head;
    r->change_head = SESSION_ROW_OF(change_id) + 1;
    if (!session_in_visit(sim))
        record_about(sim, r->number, WEIR_SESSION_SET_WEIGHT,
                     (struct weir_session_args){ .given = WEIR_SESSION_BIT(AT) | WEIR_SESSION_BIT(WEIGHT),
                                                 .at_ps = at_ps,
                                                 .weight_e9 = weight_e9(change.weight_q20) });
    return code;
}

/* ---- timers ---- */

int weir_sim_host_at(struct weir_sim *sim, uint32_t host, uint64_t at_ps, uint64_t user)
{
    const struct weir_inbox_row row = { .user = user, .dst = WEIR_INBOX_TIMER, .item = WEIR_INBOX_NO_ITEM };
    const struct weir_session_args args = { .given = WEIR_SESSION_BIT(HOST) | WEIR_SESSION_BIT(AT) |
                                                     (user != 0 ? WEIR_SESSION_BIT(USER) : 0),
                                            .host = host,
                                            .at_ps = at_ps,
                                            .user = user };
    int code = check_call(sim, host, at_ps);
    if (code == 0)
        code = session_put_row(sim, host, at_ps, &row, NULL);
    if (code == 0 && !session_in_visit(sim))
        session_record_call(sim->record, WEIR_SESSION_HOST_AT, &args);
    return code;
}

static bool timer_room(struct weir_sim *sim)
{
    uint32_t room = sim->timer_room == 0 ? 16 : 2 * sim->timer_room;
    struct session_timer *timer;
    struct weir_heap_entry *entry;
    if (sim->timers_made < sim->timer_room || sim->timer_free != 0)
        return true;
    timer = realloc(sim->timer, room * sizeof(*timer));
    if (timer == NULL)
        return false;
    sim->timer = timer;
    entry = realloc(sim->timers.entry, room * sizeof(*entry));
    if (entry == NULL)
        return false;
    sim->timers.entry = entry;
    sim->timers.capacity = sim->timer_room = room;
    return true;
}

int weir_sim_at(struct weir_sim *sim, uint64_t at_ps, uint64_t user)
{
    const struct weir_session_args args = { .given = WEIR_SESSION_BIT(AT) | (user != 0 ? WEIR_SESSION_BIT(USER) : 0),
                                            .at_ps = at_ps,
                                            .user = user };
    uint32_t index;
    int code = check_call(sim, 0, at_ps);
    if (session_in_visit(sim))
        return session_fail(sim, WEIR_SIM_E_CALL, "weir_sim_host_at() sets one of the host",
                            "a call-back cannot set a timer of the session");
    if (code != 0)
        return code;
    if (!timer_room(sim))
        return session_fail(sim, WEIR_SIM_E_MEMORY, NULL, "not enough memory for one more timer");
    index = sim->timer_free != 0 ? sim->timer_free - 1 : sim->timers_made++;
    if (sim->timer_free != 0)
        sim->timer_free = sim->timer[index].next_free;
    sim->timer[index] = (struct session_timer){ .user = user };
    weir_heap_push(&sim->timers, at_ps, (uint64_t)sim->timer_calls++ << 32 | index);
    session_record_call(sim->record, WEIR_SESSION_AT_CALL, &args);
    return 0;
}
