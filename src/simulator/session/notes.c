/* src/simulator/session/notes.c - the notes that hosts make in their visits, and how they come to be in order. */
#include "session/session.h"
#include "core/math.h"
#include <stdlib.h>
#include <string.h>

_Thread_local struct session_visit session_visit;

/* ---- in the visit of a host ---- */

static struct sim_thread *thread_of(const struct weir_sim *sim, uint32_t host)
{
    return &sim->engine->thread[sim->engine->owner[host]];
}

/* Calls the program, and keeps the event for weir_sim_advance() if the program wants it there. */
static void report(struct weir_sim *sim, uint32_t here, const struct weir_sim_event *event)
{
    struct sim_thread *th = thread_of(sim, here);
    struct session_visit before = session_visit; /* a call-back may drive another session */
    struct session_note *note;
    if (sim->opts.on_event != NULL) {
        session_visit = (struct session_visit){ .sim = sim, .host = here, .now_ps = event->at_ps };
        sim->opts.on_event(sim->opts.ctx, event, here);
        session_visit = before;
    }
    if ((sim->opts.events & event->kind) == 0)
        return;
    note = weir_sim_row_log_add(&sim->noted[th->index], sizeof(*note));
    if (note == NULL)
        longjmp(th->out_of_memory, 1);
    *note = (struct session_note){ .at_ps = event->at_ps, .order = here, .event = *event };
    th->noted++;
}

void session_drop_changes(struct weir_sim *sim, uint32_t host, struct weir_inbox_row *message)
{
    struct weir_inbox *inbox = &sim->inbox[host];
    if (message->change_head == 0)
        return;
    for (uint32_t next = message->change_head; next != 0;) {
        uint32_t row = next - 1;
        next = weir_inbox_row(inbox, row)->next_free;
        weir_inbox_cancel(inbox, row);
        thread_of(sim, host)->given.done++;
    }
    message->change_head = 0;
    weir_source_refresh(&sim->engine->host[host].source);
}

void session_noted(void *ctx, uint32_t here, uint32_t src, const struct weir_account_msg *m, enum weir_note what,
                   uint64_t now_ps)
{
    struct weir_sim *sim = ctx;
    struct sim_thread *th = thread_of(sim, here);
    uint32_t row = m->tag - 1;
    struct weir_inbox_row *r = weir_inbox_row(&sim->inbox[src], row);
    bool is_last = what == WEIR_NOTED_COMPLETED; /* before it the sender's thread may just count one more */
    const struct weir_sim_event event = { .at_ps = now_ps,
                                          .user = r->user,
                                          .id = session_id(src, row, r->epoch),
                                          .start_ps = m->start_ps,
                                          .bytes = m->bytes,
                                          .kind =
                                              what == WEIR_NOTED_DELIVERED ? WEIR_SIM_DELIVERED : WEIR_SIM_COMPLETED,
                                          .src = src,
                                          .dst = m->dst,
                                          .retransmissions = is_last ? m->retransmissions : 0 };
    th->given.delivered += what == WEIR_NOTED_DELIVERED;
    th->given.done += is_last;
    th->noted_ps = weir_max_u64(th->noted_ps, now_ps);
    if (is_last) {
        session_drop_changes(sim, src, r);
        weir_inbox_give(&sim->inbox[src], row);
    }
    report(sim, here, &event);
}

void session_began(void *ctx, uint32_t host, uint32_t tag, uint32_t handle)
{
    struct weir_sim *sim = ctx;
    struct weir_inbox_row *r = weir_inbox_row(&sim->inbox[host], tag - 1);
    WEIR_ASSERT(!r->waits && !r->is_cancelled && r->dst != WEIR_INBOX_TIMER);
    r->handle = handle;
}

/* Takes a change that is due out of those of its message. */
static void forget_change(struct weir_inbox *inbox, uint32_t row)
{
    const struct weir_inbox_row *change = weir_inbox_row(inbox, row);
    uint32_t *at = &weir_inbox_row(inbox, SESSION_ROW_OF(change->user))->change_head;
    while (*at != row + 1) {
        WEIR_ASSERT(*at != 0);
        at = &weir_inbox_row(inbox, *at - 1)->next_free;
    }
    *at = change->next_free;
}

uint32_t session_find_message(const struct weir_sim *sim, uint32_t host, uint64_t message)
{
    const struct weir_account_host *from = &sim->engine->account.host[host];
    for (uint32_t i = 0; i < from->used; i++) {
        const struct weir_account_msg *m = weir_account_msg(from, i);
        if (m->in_use == 1 && m->id == message)
            return i;
    }
    return UINT32_MAX;
}

/* Sets the weight of a message of the scenario's own traffic; nothing if it has ended. */
static void change_listed(struct weir_sim *sim, uint32_t host, const struct weir_inbox_row *change, uint64_t now_ps)
{
    uint32_t handle = session_find_message(sim, host, change->user);
    if (handle != UINT32_MAX &&
        weir_host_weight(sim->engine->host[host].h, now_ps, handle, change->weight_q20) == WEIR_E_MEMORY)
        longjmp(thread_of(sim, host)->out_of_memory, 1);
}

/* Sets the weight of a message of a host, as a row of its inbox says. */
static void change_weight(struct weir_sim *sim, uint32_t host, const struct weir_inbox_row *change, uint64_t now_ps)
{
    uint64_t id = change->user;
    struct weir_inbox_row *r = weir_inbox_row(&sim->inbox[host], SESSION_ROW_OF(id));
    WEIR_ASSERT(session_id(host, SESSION_ROW_OF(id), r->epoch) == id); /* else it would have been taken back */
    if (r->waits)
        r->weight_q20 = change->weight_q20;
    else if (weir_host_weight(sim->engine->host[host].h, now_ps, r->handle, change->weight_q20) == WEIR_E_MEMORY)
        longjmp(thread_of(sim, host)->out_of_memory, 1);
}

void session_timer_due(void *ctx, uint32_t host, uint32_t tag, uint64_t now_ps)
{
    struct weir_sim *sim = ctx;
    const struct weir_inbox_row row = *weir_inbox_row(&sim->inbox[host], tag - 1);
    const struct weir_sim_event event = {
        .at_ps = now_ps, .user = row.user, .kind = WEIR_SIM_TIMER, .src = host, .dst = host
    };
    thread_of(sim, host)->given.done++;
    thread_of(sim, host)->noted_ps = weir_max_u64(thread_of(sim, host)->noted_ps, now_ps);
    if (row.is_change && !row.is_listed)
        forget_change(&sim->inbox[host], tag - 1);
    weir_inbox_give(&sim->inbox[host], tag - 1);
    if (row.is_listed)
        change_listed(sim, host, &row, now_ps);
    else if (row.is_change)
        change_weight(sim, host, &row, now_ps);
    else
        report(sim, host, &event);
}

/* ---- between windows ---- */

static int by_time(const void *a, const void *b)
{
    const struct session_note *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static bool note_room(struct weir_sim *sim, size_t more)
{
    size_t room = sim->note_room;
    struct session_note *larger;
    if (sim->notes + more <= room)
        return true;
    while (room < sim->notes + more)
        room = room == 0 ? 64 : 2 * room;
    larger = realloc(sim->note, room * sizeof(*larger));
    if (larger == NULL)
        return false;
    sim->note = larger;
    sim->note_room = room;
    return true;
}

bool session_collect(struct weir_sim *sim)
{
    size_t first;
    if (sim->next_note > 0) { /* what is left, to the front */
        sim->notes -= sim->next_note;
        memmove(sim->note, sim->note + sim->next_note, sim->notes * sizeof(*sim->note));
        sim->next_note = 0;
    }
    first = sim->notes;
    for (uint32_t t = 0; t < sim->engine->thread_count; t++) {
        struct sim_row_log *log = &sim->noted[t];
        if (!note_room(sim, log->count))
            return false;
        if (log->count > 0)
            memcpy(sim->note + sim->notes, log->row, log->count * sizeof(*sim->note));
        sim->notes += log->count;
        log->count = 0;
    }
    /* a host's notes are in one log and in order: their numbers keep them so where time and host are equal */
    for (size_t i = first; i < sim->notes; i++)
        sim->note[i].order = sim->note[i].order << 32 | (uint32_t)(i - first);
    if (sim->notes > first + 1)
        qsort(sim->note + first, sim->notes - first, sizeof(*sim->note), by_time);
    return true;
}
