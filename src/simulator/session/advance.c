/* src/simulator/session/advance.c - simulated time advances to the next instant with events. */
#include "session/session.h"
#include "core/math.h"
#include <stdlib.h>

static bool handed_room(struct weir_sim *sim, size_t count)
{
    size_t room = sim->handed_room;
    struct weir_sim_event *larger;
    if (count <= room)
        return true;
    while (room < count)
        room = room == 0 ? 16 : 2 * room;
    larger = realloc(sim->handed, room * sizeof(*larger));
    if (larger == NULL)
        return false;
    sim->handed = larger;
    sim->handed_room = room;
    return true;
}

static long fail_memory(struct weir_sim *sim)
{
    sim->failed = true;
    return session_fail(sim, WEIR_SIM_E_MEMORY, NULL, "not enough memory for events");
}

/* Hands out the notes of the first instant. An answer may begin a reaction later. */
static long hand_notes(struct weir_sim *sim)
{
    uint64_t at_ps = sim->note[sim->next_note].at_ps;
    size_t count = 0;
    while (sim->next_note + count < sim->notes && sim->note[sim->next_note + count].at_ps == at_ps)
        count++;
    if (!handed_room(sim, count))
        return fail_memory(sim);
    for (size_t i = 0; i < count; i++)
        sim->handed[i] = sim->note[sim->next_note++].event;
    WEIR_ASSERT(at_ps >= sim->now_ps);
    sim->now_ps = at_ps;
    sim->floor_ps = weir_max_u64(sim->floor_ps, at_ps + sim->opts.reaction_ps);
    return (long)count;
}

/* Hands out the timers of the session that are due at at_ps, where the run has paused: nothing of that instant has
 * happened. */
static long hand_timers(struct weir_sim *sim, uint64_t at_ps)
{
    size_t count = 0;
    while (sim->timers.count > 0 && sim->timers.entry[0].at_ps == at_ps) {
        uint32_t index = (uint32_t)sim->timers.entry[0].id;
        if (!handed_room(sim, count + 1))
            return fail_memory(sim);
        sim->handed[count++] = (struct weir_sim_event){ .at_ps = at_ps,
                                                        .user = sim->timer[index].user,
                                                        .kind = WEIR_SIM_TIMER,
                                                        .src = SESSION_NO_HOST,
                                                        .dst = SESSION_NO_HOST };
        weir_heap_pop(&sim->timers);
        sim->timer[index].next_free = sim->timer_free;
        sim->timer_free = index + 1;
    }
    sim->now_ps = at_ps;
    sim->floor_ps = weir_max_u64(sim->floor_ps, at_ps);
    return (long)count;
}

int session_go(struct weir_sim *sim, uint64_t pause_ps, bool on_note)
{
    struct sim_engine *e = sim->engine;
    struct weir_err err = { 0 };
    uint64_t due_ps = WEIR_NEVER;
    int code;
    sim->pause.at_ps = pause_ps;
    sim->pause.on_note = on_note;
    sim->pause.noted = e->thread[0].window.noted;
    for (uint32_t t = 0; t < e->thread_count; t++)
        due_ps = weir_min_u64(due_ps, e->thread[t].due_ps[SIM_GROUP_HOSTS]);
    if (weir_account_awaited_bytes(&e->account) == 0 && due_ps != WEIR_NEVER)
        e->last_new_ps = due_ps; /* as long as nothing is awaited, nothing stalls */
    code = weir_sim_engine_go(e, &err);
    if (code == 0 && e->over)
        code = weir_sim_engine_verdict(e, &err);
    if (code == 0 && session_collect(sim))
        return 0;
    sim->failed = true;
    return code == 0 ? session_fail(sim, WEIR_SIM_E_MEMORY, NULL, "not enough memory for events")
                     : session_blame_run(sim, code, &err);
}

/* Sets the floor where nothing is left to happen: a reaction after what ended last. If messages are left that will
 * never end, hosts have run on: then it is beyond their clock. */
static void rest(struct weir_sim *sim)
{
    const struct sim_engine *e = sim->engine;
    const struct sim_window *s = &e->thread[0].window;
    uint64_t last_ps = 0;
    for (uint32_t t = 0; t < e->thread_count; t++)
        last_ps = weir_max_u64(last_ps, weir_max_u64(e->thread[t].noted_ps, e->account.shard[t].last_delivery_ps));
    sim->floor_ps = weir_max_u64(sim->floor_ps, last_ps > 0 ? last_ps + sim->opts.reaction_ps : 0);
    if (s->due_ps == WEIR_NEVER)
        sim->floor_ps = weir_max_u64(sim->floor_ps, s->clock_ps[SIM_GROUP_HOSTS]);
}

/* Advances until there are notes, a timer is due, or until_ps is reached. @return number of events, or a code */
static long advance(struct weir_sim *sim, uint64_t until_ps)
{
    for (;;) {
        uint64_t timer_ps = sim->timers.count > 0 ? sim->timers.entry[0].at_ps : WEIR_NEVER;
        uint64_t pause_ps = weir_min_u64(until_ps, timer_ps);
        if (sim->next_note < sim->notes) {
            if (sim->note[sim->next_note].at_ps < pause_ps)
                return hand_notes(sim);
            if (timer_ps < until_ps) /* to save a session hosts went on beyond it */
                return hand_timers(sim, timer_ps);
            break;
        }
        if (!sim->engine->over) {
            int code = session_go(sim, pause_ps, true);
            if (code != 0)
                return code;
            if (sim->next_note < sim->notes)
                continue;
        }
        if (sim->engine->over)
            until_ps = weir_min_u64(until_ps, sim->engine->stopped_ps);
        if (timer_ps < until_ps)
            return hand_timers(sim, timer_ps);
        break;
    }
    if (until_ps != WEIR_NEVER) {
        sim->now_ps = weir_max_u64(sim->now_ps, until_ps);
        sim->floor_ps = weir_max_u64(sim->floor_ps, until_ps);
    } else {
        rest(sim);
    }
    return 0;
}

/* Updates how far nodes may have gone after a call that was allowed to go on to pause_ps. Windows end there. An event
 * may have stopped them earlier. Switches may then be ahead of it by the longest window: as far as no host can affect
 * them, and no host had passed the event. How far they really went depends on threads. */
static void note_beyond(struct weir_sim *sim, uint64_t pause_ps, long count)
{
    uint64_t beyond_ps = pause_ps;
    if (count > 0)
        beyond_ps = weir_min_u64(pause_ps, sim->now_ps + SIM_WINDOW_MAX_PS);
    else if (pause_ps == WEIR_NEVER)
        beyond_ps = sim->floor_ps + SIM_WINDOW_MAX_PS;
    sim->beyond_ps = weir_max_u64(sim->beyond_ps, beyond_ps);
    WEIR_ASSERT(sim->beyond_ps != WEIR_NEVER);
}

long weir_sim_advance(struct weir_sim *sim, uint64_t until_ps, const struct weir_sim_event **events)
{
    uint64_t pause_ps = until_ps;
    long count;
    if (session_in_visit(sim))
        return session_fail(sim, WEIR_SIM_E_CALL, NULL, "a call-back cannot advance time");
    if (sim->failed)
        return WEIR_SIM_E_RUN;
    if (until_ps >= UINT64_C(1) << 62 && until_ps != WEIR_NEVER)
        return session_fail(sim, WEIR_SIM_E_ARGUMENT, NULL, "%llu ps: times are below 2^62 ps",
                            (unsigned long long)until_ps);
    if (until_ps < sim->now_ps)
        return session_fail(sim, WEIR_SIM_E_PAST, NULL, "%llu ps is in the past: it is %llu ps",
                            (unsigned long long)until_ps, (unsigned long long)sim->now_ps);
    if (sim->timers.count > 0)
        pause_ps = weir_min_u64(pause_ps, sim->timers.entry[0].at_ps);
    count = advance(sim, until_ps);
    if (count >= 0)
        note_beyond(sim, pause_ps, count);
    if (count >= 0)
        session_record_advance(sim->record, until_ps);
    if (events != NULL)
        *events = sim->handed;
    return count;
}
