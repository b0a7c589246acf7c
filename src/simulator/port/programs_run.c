/* src/simulator/port/programs_run.c - see programs_run.h. */
#include "port/programs_run.h"
#include "core/math.h"
#include "state/wake.h"
#include "program/run.h"
#include <stdlib.h>

bool weir_sim_inboxes(struct sim_engine *e)
{
    if (e->account.inbox != NULL)
        return true;
    e->account.inbox = calloc(e->model->topo->host_count, sizeof(*e->account.inbox));
    for (uint32_t h = 0; e->account.inbox != NULL && h < e->model->topo->host_count; h++)
        if (sim_is_mine(e, h))
            weir_source_session(&e->host[h].source, &e->account.inbox[h]);
    return e->account.inbox != NULL;
}

/* Ends a visit in which a rank has acted: its messages are in the inbox. */
static void programs_acted(struct sim_engine *e, uint32_t here, bool done)
{
    if (!done)
        longjmp(e->thread[e->owner[here]].out_of_memory, 1);
    weir_source_refresh(&e->host[here].source);
}

/* Lets a rank act on what happened to a message: struct weir_account_inbox.noted. ctx: the engine */
static void programs_noted(void *ctx, uint32_t here, uint32_t src, const struct weir_account_msg *m,
                           enum weir_note what, uint64_t now_ps)
{
    struct sim_engine *e = ctx;
    WEIR_ASSERT(m->tag > 0 && (what == WEIR_NOTED_DELIVERED || here == src));
    programs_acted(e, here,
                   what == WEIR_NOTED_DELIVERED
                       ? weir_programs_arrived(e->account.programs, here, src, m->tag - 1, now_ps)
                       : weir_programs_known(e->account.programs, here, m->tag - 1, now_ps));
}

/* Lets a rank act on a timer that is due: struct weir_account_inbox.timer. ctx: the engine */
static void programs_timer(void *ctx, uint32_t host, uint32_t tag, uint64_t now_ps)
{
    struct sim_engine *e = ctx;
    WEIR_ASSERT(tag > 0);
    programs_acted(e, host, weir_programs_timer(e->account.programs, host, tag - 1, now_ps));
}

void weir_sim_inbox_timer(struct sim_thread *th, const struct weir_message *m, uint64_t now_ps)
{
    const struct weir_account *acc = &th->engine->account;
    const struct weir_account_inbox *inbox = m->item == WEIR_INBOX_NO_ITEM ? &acc->session : &acc->program;
    WEIR_ASSERT(m->dst == WEIR_INBOX_TIMER && inbox->timer != NULL);
    inbox->timer(inbox->ctx, m->src, m->tag, now_ps);
}

bool weir_sim_programs_init(struct sim_engine *e)
{
    if (e->model->programs == NULL)
        return true;
    if (!weir_sim_inboxes(e))
        return false;
    e->account.programs = calloc(1, sizeof(*e->account.programs));
    if (e->account.programs == NULL ||
        !weir_programs_run_init(e->account.programs, e->model->programs, e->account.inbox))
        return false;
    e->account.program = (struct weir_account_inbox){ .noted = programs_noted, .timer = programs_timer, .ctx = e };
    for (uint32_t h = 0; h < e->model->topo->host_count; h++) {
        uint64_t at_ps = weir_inbox_next_ps(&e->account.inbox[h]);
        if (!sim_is_mine(e, h))
            continue;
        weir_source_refresh(&e->host[h].source);
        if (at_ps != WEIR_NEVER)
            sim_due_between(e, h, at_ps);
    }
    return true;
}

void weir_sim_programs_free(struct sim_engine *e)
{
    if (e->account.programs != NULL)
        weir_programs_run_free(e->account.programs);
    for (uint32_t h = 0; e->account.inbox != NULL && h < e->model->topo->host_count; h++)
        weir_inbox_free(&e->account.inbox[h]);
    free(e->account.programs);
    free(e->account.inbox);
    e->account.programs = NULL;
    e->account.inbox = NULL;
}
