/* test/oracle/programs.c - doc/model.md [collective]: what ranks do is src/scenario/program, as in the engine. Here is when. */
#include "test/oracle/oracle_impl.h"
#include <stdlib.h>

static void acted(struct oracle *o, uint32_t host, bool done)
{
    WEIR_ASSERT(done);
    weir_source_refresh(&o->host[host].source);
    oracle_host_arm_start(o, host);
}

static void noted(void *ctx, uint32_t here, uint32_t src, const struct weir_account_msg *m, enum weir_note what,
                  uint64_t now_ps)
{
    struct oracle *o = ctx;
    o->programs.arrived += what == WEIR_NOTED_DELIVERED;
    acted(o, here,
          what == WEIR_NOTED_DELIVERED ? weir_programs_arrived(&o->programs, here, src, m->tag - 1, now_ps)
                                       : weir_programs_known(&o->programs, here, m->tag - 1, now_ps));
}

void oracle_programs_timer(struct oracle *o, const struct weir_message *m)
{
    acted(o, m->src, weir_programs_timer(&o->programs, m->src, m->tag - 1, o->now_ps));
}

void oracle_programs_init(struct oracle *o)
{
    bool done;
    if (o->model->programs == NULL)
        return;
    o->inbox = oracle_alloc(o->topo->host_count, sizeof(*o->inbox));
    done = weir_programs_run_init(&o->programs, o->model->programs, o->inbox);
    for (uint32_t h = 0; h < o->topo->host_count; h++) {
        weir_source_session(&o->host[h].source, &o->inbox[h]);
        acted(o, h, done);
    }
    o->account.program = (struct weir_account_inbox){ .noted = noted, .ctx = o };
    o->account.programs = &o->programs;
}

void oracle_programs_free(struct oracle *o)
{
    weir_programs_run_free(&o->programs);
    for (uint32_t h = 0; o->inbox != NULL && h < o->topo->host_count; h++)
        weir_inbox_free(&o->inbox[h]);
    free(o->inbox);
}

bool oracle_programs_wait(const struct oracle *o)
{
    return o->inbox != NULL && o->programs.arrived < o->model->programs->messages;
}
