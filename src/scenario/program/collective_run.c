/* src/scenario/program/collective_run.c - collective operations in a run. A rank computes, then it begins its part of a
 * step. That has ended when all messages of the step have arrived at the rank, and it knows that all of its own have
 * arrived. Then it computes for the next step. Messages of a step that it has not begun are held until it begins. */
#include "core/assert.h"
#include "core/math.h"
#include "core/rng.h"
#include "program/collective.h"
#include "program/run.h"
#include <stdlib.h>
#include <string.h>

struct rank {         /* written by the thread of its host alone */
    uint64_t in, out; /* of the present step: messages that have arrived; own ones of which that is known */
    uint32_t step;    /* that goes on, or is computed for */
    bool active;      /* the step goes on */
    uint32_t held, held_room;
    uint64_t *held_user; /* of messages of later steps, in the order in which they arrived */
};

struct step {                  /* of a group; written by several threads, the results do not depend on their order */
    uint64_t start_ps, end_ps; /* the first begin of a rank, WEIR_NEVER = none has begun; the last arrival */
    uint64_t arrived;
};

struct collective_state {
    const struct weir_program *program;
    const struct weir_collective *c;
    struct rank *rank;
    struct step *step; /* [step * groups + group] */
    uint32_t *counter; /* counters of them for each rank */
    uint32_t counters;
    uint64_t messages; /* of a group in a step */
};

static void collective_free(void *state)
{
    struct collective_state *s = state;
    for (uint32_t r = 0; s->rank != NULL && r < s->program->ranks; r++)
        free(s->rank[r].held_user);
    free(s->rank);
    free(s->step);
    free(s->counter);
    free(s);
}

static void *collective_init(const struct weir_program *program)
{
    const struct weir_collective *c = program->what;
    struct collective_state *s = calloc(1, sizeof(*s));
    size_t steps = (size_t)c->groups * c->item->steps;
    if (s == NULL)
        return NULL;
    *s = (struct collective_state){ .program = program, .c = c };
    s->counters = c->algorithm->counters != NULL ? c->algorithm->counters(c) : 0;
    s->messages = program->messages / steps;
    s->rank = calloc(program->ranks, sizeof(*s->rank));
    s->step = calloc(steps, sizeof(*s->step));
    s->counter = calloc((size_t)program->ranks * s->counters + 1, sizeof(*s->counter));
    if (s->rank == NULL || s->step == NULL || s->counter == NULL) {
        collective_free(s);
        return NULL;
    }
    for (size_t i = 0; i < steps; i++)
        s->step[i].start_ps = WEIR_NEVER;
    return s;
}

/* --- steps --- */

/* Keeps when a step begins: the earliest time at which a rank begins it. */
static void step_begun(struct step *step, uint64_t now_ps)
{
    uint64_t before_ps = __atomic_load_n(&step->start_ps, __ATOMIC_RELAXED);
    while (now_ps < before_ps &&
           !__atomic_compare_exchange_n(&step->start_ps, &before_ps, now_ps, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Counts a message of a step that arrives, and keeps the latest time. */
static void step_arrived(struct step *step, uint64_t now_ps)
{
    uint64_t before_ps = __atomic_load_n(&step->end_ps, __ATOMIC_RELAXED);
    while (now_ps > before_ps &&
           !__atomic_compare_exchange_n(&step->end_ps, &before_ps, now_ps, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
    (void)__atomic_add_fetch(&step->arrived, 1, __ATOMIC_RELAXED);
}

static struct step *step_of(const struct collective_state *s, uint32_t rank, uint32_t step)
{
    WEIR_ASSERT(step < s->c->item->steps);
    return &s->step[(size_t)step * s->c->groups + weir_collective_group(s->c, rank)];
}

/* Returns how long a rank computes before a step. */
static uint64_t compute_ps(const struct collective_state *s, uint32_t rank, uint32_t step)
{
    const struct weir_collective *c = s->c;
    uint64_t draw = (uint64_t)step * c->groups + weir_collective_group(c, rank), more_ps = 0;
    if (c->item->straggler_ppm > 0 && weir_rng_below(weir_rng_at(c->key, draw), c->n) == weir_collective_index(c, rank))
        more_ps = weir_mul_div_u64(c->item->compute_ps, c->item->straggler_ppm, 1000000); /* 2^54 * 1000 fits */
    return c->item->compute_ps + more_ps;
}

/* --- one rank --- */

struct call { /* a rank that acts: what weir_collective_send() needs */
    struct collective_state *s;
    struct weir_rank_visit *visit;
};

void weir_collective_send(const struct weir_collective_call *call, uint32_t to, uint32_t token, uint64_t bytes)
{
    const struct call *own = call->ctx;
    const struct weir_collective *c = call->c;
    uint32_t rank = own->visit->rank, other = rank + (to - call->index) * c->stride; /* of the same group */
    WEIR_ASSERT(to < c->n && to != call->index);
    weir_rank_send(own->visit, other, bytes, (uint64_t)own->s->rank[rank].step << 32 | token);
}

static struct weir_collective_call call_of(const struct call *own)
{
    const struct collective_state *s = own->s;
    return (struct weir_collective_call){ .c = s->c,
                                          .index = weir_collective_index(s->c, own->visit->rank),
                                          .counter = &s->counter[(size_t)own->visit->rank * s->counters],
                                          .ctx = (void *)own };
}

/* Ends the rank's part of a step if nothing is missing; the rank then computes for the next one. */
static void end_if_done(const struct call *own)
{
    const struct collective_state *s = own->s;
    struct rank *r = &s->rank[own->visit->rank];
    uint32_t index = weir_collective_index(s->c, own->visit->rank);
    if (!r->active || r->in < s->c->algorithm->receives(s->c, index) || r->out < s->c->algorithm->sends(s->c, index))
        return;
    r->active = false;
    r->step++;
    if (r->step < s->c->item->steps)
        weir_rank_timer(own->visit, own->visit->now_ps + compute_ps(s, own->visit->rank, r->step), r->step);
}

/* Takes a message of the step that goes on. */
static void take(const struct call *own, uint32_t token)
{
    const struct weir_collective_call call = call_of(own);
    own->s->rank[own->visit->rank].in++;
    WEIR_ASSERT(own->s->rank[own->visit->rank].in <= own->s->c->algorithm->receives(own->s->c, call.index));
    own->s->c->algorithm->arrived(&call, token);
}

/* Keeps a message of a later step. */
static void hold(struct rank *r, struct weir_rank_visit *visit, uint64_t user)
{
    if (r->held == r->held_room) {
        uint32_t room = r->held_room == 0 ? 4 : 2 * r->held_room;
        uint64_t *larger = realloc(r->held_user, room * sizeof(*larger));
        visit->failed |= larger == NULL;
        if (larger == NULL)
            return;
        r->held_user = larger;
        r->held_room = room;
    }
    r->held_user[r->held++] = user;
}

/* Takes the held messages of the step that has begun, in the order in which they arrived. */
static void take_held(const struct call *own, struct rank *r)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < r->held; i++) {
        if (r->held_user[i] >> 32 == r->step)
            take(own, (uint32_t)r->held_user[i]);
        else
            r->held_user[left++] = r->held_user[i];
    }
    r->held = left;
}

static void collective_start(void *state, struct weir_rank_visit *visit)
{
    const struct collective_state *s = state;
    weir_rank_timer(visit, s->c->item->start_ps + compute_ps(s, visit->rank, 0), 0);
}

/* Begins the rank's part of a step: it has computed. */
static void collective_timer(void *state, struct weir_rank_visit *visit, uint64_t user)
{
    struct collective_state *s = state;
    struct rank *r = &s->rank[visit->rank];
    const struct call own = { s, visit };
    const struct weir_collective_call call = call_of(&own);
    WEIR_ASSERT(!r->active && r->step == user);
    step_begun(step_of(s, visit->rank, r->step), visit->now_ps);
    r->active = true;
    r->in = r->out = 0;
    if (s->counters > 0)
        memset(call.counter, 0, s->counters * sizeof(*call.counter));
    s->c->algorithm->begin(&call);
    take_held(&own, r);
    end_if_done(&own);
}

static void collective_arrived(void *state, struct weir_rank_visit *visit, uint32_t from, uint64_t user)
{
    struct collective_state *s = state;
    struct rank *r = &s->rank[visit->rank];
    const struct call own = { s, visit };
    WEIR_ASSERT(weir_collective_group(s->c, from) == weir_collective_group(s->c, visit->rank));
    WEIR_ASSERT(user >> 32 >= r->step);
    step_arrived(step_of(s, visit->rank, (uint32_t)(user >> 32)), visit->now_ps);
    if (!r->active || user >> 32 != r->step) {
        hold(r, visit, user);
        return;
    }
    take(&own, (uint32_t)user);
    end_if_done(&own);
}

static void collective_known(void *state, struct weir_rank_visit *visit, uint64_t user)
{
    struct collective_state *s = state;
    struct rank *r = &s->rank[visit->rank];
    WEIR_ASSERT(r->active && user >> 32 == r->step);
    r->out++;
    end_if_done(&(struct call){ s, visit });
}

/* --- after the run --- */

static void merge_steps(void *sum, const void *of, size_t bytes)
{
    struct step *to = sum;
    const struct step *from = of;
    WEIR_ASSERT(bytes % sizeof(*to) == 0);
    for (size_t i = 0; i < bytes / sizeof(*to); i++) {
        to[i].start_ps = weir_min_u64(to[i].start_ps, from[i].start_ps);
        to[i].end_ps = weir_max_u64(to[i].end_ps, from[i].end_ps);
        to[i].arrived += from[i].arrived;
    }
}

static void collective_fold(void *state, const struct weir_program_merge *merge)
{
    const struct collective_state *s = state;
    merge->merge(merge->ctx, s->step, (size_t)s->c->groups * s->c->item->steps * sizeof(*s->step), merge_steps);
}

static void collective_result(const void *state, struct weir_job_result *out)
{
    const struct collective_state *s = state;
    const struct weir_collective *c = s->c;
    for (uint32_t i = 0; i < s->program->results; i++) {
        const struct step *step = &s->step[i];
        bool ended = step->arrived == s->messages, both = c->item->op == WEIR_ALL_REDUCE;
        WEIR_ASSERT(step->arrived <= s->messages);
        out[i] =
            (struct weir_job_result){ .name = c->name[i],
                                      .start_ps = step->start_ps != WEIR_NEVER ? step->start_ps : c->item->start_ps,
                                      .end_ps = ended ? step->end_ps : WEIR_NEVER,
                                      .flows = (uint32_t)weir_min_u64(s->messages, UINT32_MAX),
                                      .ended = (uint32_t)weir_min_u64(step->arrived, UINT32_MAX),
                                      .bytes = c->item->bytes,
                                      .bus_parts = c->item->op == WEIR_BROADCAST ? 1 : (both ? 2 : 1) * (c->n - 1),
                                      .bus_ranks = c->item->op == WEIR_BROADCAST ? 1 : c->n };
    }
}

const struct weir_program_ops weir_collective_program = { .init = collective_init,
                                                          .free = collective_free,
                                                          .start = collective_start,
                                                          .timer = collective_timer,
                                                          .arrived = collective_arrived,
                                                          .known = collective_known,
                                                          .fold = collective_fold,
                                                          .result = collective_result,
                                                          .free_what = weir_collective_free,
                                                          .size = weir_collective_size,
                                                          .note = weir_collective_note };
