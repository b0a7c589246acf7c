/* src/scenario/program/run.c - see run.h. */
#include "program/run.h"
#include "core/assert.h"
#include "core/math.h"
#include "workload/jobs.h"
#include <stdlib.h>

static struct weir_rank_visit visit_of(const struct weir_programs_run *run, uint32_t item, uint32_t here,
                                       uint64_t now_ps)
{
    const struct weir_program *program = &run->programs->program[run->programs->of_item[item]];
    WEIR_ASSERT(program->item == item && here < run->programs->hosts);
    WEIR_ASSERT(program->rank_of[here] != WEIR_NO_RANK);
    return (struct weir_rank_visit){
        .inbox = &run->inbox[here], .program = program, .rank = program->rank_of[here], .now_ps = now_ps
    };
}

static void *state_of(const struct weir_programs_run *run, const struct weir_rank_visit *visit)
{
    return run->state[run->programs->of_item[visit->program->item]];
}

bool weir_programs_run_init(struct weir_programs_run *run, const struct weir_programs *programs,
                            struct weir_inbox *inbox)
{
    *run = (struct weir_programs_run){ .programs = programs, .inbox = inbox };
    for (uint32_t p = 0; p < programs->count; p++) {
        const struct weir_program *program = &programs->program[p];
        run->state[p] = program->ops->init(program);
        if (run->state[p] == NULL)
            return false;
        for (uint32_t r = 0; r < program->ranks; r++) {
            struct weir_rank_visit visit = visit_of(run, program->item, program->host_of[r], 0);
            program->ops->start(run->state[p], &visit);
            if (visit.failed)
                return false;
        }
    }
    return true;
}

void weir_programs_run_free(struct weir_programs_run *run)
{
    for (uint32_t p = 0; run->programs != NULL && p < run->programs->count; p++)
        if (run->state[p] != NULL)
            run->programs->program[p].ops->free(run->state[p]);
    *run = (struct weir_programs_run){ 0 };
}

bool weir_programs_arrived(struct weir_programs_run *run, uint32_t here, uint32_t src, uint32_t row, uint64_t now_ps)
{
    const struct weir_inbox_row *r = weir_inbox_row(&run->inbox[src], row);
    struct weir_rank_visit visit = visit_of(run, r->item, here, now_ps);
    WEIR_ASSERT(!r->waits && r->dst == here);
    visit.program->ops->arrived(state_of(run, &visit), &visit, visit.program->rank_of[src], r->user);
    return !visit.failed;
}

bool weir_programs_known(struct weir_programs_run *run, uint32_t here, uint32_t row, uint64_t now_ps)
{
    const struct weir_inbox_row *r = weir_inbox_row(&run->inbox[here], row);
    struct weir_rank_visit visit = visit_of(run, r->item, here, now_ps);
    uint64_t user = r->user;
    WEIR_ASSERT(r->dst != WEIR_INBOX_TIMER);
    weir_inbox_give(&run->inbox[here], row);
    visit.program->ops->known(state_of(run, &visit), &visit, user);
    return !visit.failed;
}

bool weir_programs_timer(struct weir_programs_run *run, uint32_t here, uint32_t row, uint64_t now_ps)
{
    const struct weir_inbox_row *r = weir_inbox_row(&run->inbox[here], row);
    struct weir_rank_visit visit = visit_of(run, r->item, here, now_ps);
    uint64_t user = r->user;
    WEIR_ASSERT(r->dst == WEIR_INBOX_TIMER && r->start_ps == now_ps);
    weir_inbox_give(&run->inbox[here], row);
    visit.program->ops->timer(state_of(run, &visit), &visit, user);
    return !visit.failed;
}

uint32_t weir_programs_results(const struct weir_programs *programs)
{
    uint32_t results = 0;
    for (uint32_t p = 0; p < programs->count; p++)
        results += programs->program[p].results;
    return results;
}

void weir_programs_fold(const struct weir_programs_run *run, const struct weir_program_merge *merge)
{
    WEIR_ASSERT(merge->merge != NULL);
    for (uint32_t p = 0; p < run->programs->count; p++)
        run->programs->program[p].ops->fold(run->state[p], merge);
}

void weir_programs_result(const struct weir_programs_run *run, struct weir_job_result *out)
{
    for (uint32_t p = 0; p < run->programs->count; p++) {
        run->programs->program[p].ops->result(run->state[p], out);
        out += run->programs->program[p].results;
    }
}

/* --- what a rank may do --- */

static void put(struct weir_rank_visit *visit, uint64_t at_ps, const struct weir_inbox_row *row)
{
    WEIR_ASSERT(at_ps >= visit->now_ps);
    visit->failed |= weir_inbox_put(visit->inbox, at_ps, true, row) == WEIR_INBOX_FULL;
}

void weir_rank_send(struct weir_rank_visit *visit, uint32_t to, uint64_t bytes, uint64_t user)
{
    const struct weir_program *program = visit->program;
    WEIR_ASSERT(to < program->ranks && to != visit->rank);
    WEIR_ASSERT(bytes > 0 && bytes <= WEIR_CDF_SIZE_MAX);
    put(visit, visit->now_ps,
        &(struct weir_inbox_row){ .bytes = bytes,
                                  .weight_q20 = WEIR_WEIGHT_ONE,
                                  .user = user,
                                  .dst = program->host_of[to],
                                  .item = (uint8_t)program->item });
}

void weir_rank_timer(struct weir_rank_visit *visit, uint64_t at_ps, uint64_t user)
{
    /* so that no sum of times ever overflows */
    at_ps = weir_max_u64(weir_min_u64(at_ps, WEIR_RANK_TIME_MAX), visit->now_ps);
    put(visit, at_ps,
        &(struct weir_inbox_row){ .user = user, .dst = WEIR_INBOX_TIMER, .item = (uint8_t)visit->program->item });
}

bool weir_programs_wait(const struct weir_programs_run *run)
{
    uint32_t results = weir_programs_results(run->programs);
    struct weir_job_result *result = calloc((size_t)results + 1, sizeof(*result)); /* + 1: never of size 0 */
    bool wait = false;
    if (result == NULL)
        return false;
    weir_programs_result(run, result);
    for (uint32_t i = 0; i < results; i++)
        wait = wait || result[i].end_ps == WEIR_NEVER;
    free(result);
    return wait;
}
