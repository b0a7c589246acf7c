/* src/commands/testbed/reaction.c - see reaction.h. */
#include "testbed/reaction.h"
#include "core/assert.h"
#include "core/units.h"
#include <stdlib.h>

enum { ROOM = 4096 };

bool weir_arrivals_add(struct weir_arrivals *a, uint64_t at_ps)
{
    WEIR_ASSERT(a->count == 0 || at_ps >= a->at_ps[a->count - 1]);
    if (a->count == a->room) {
        size_t room = a->room > 0 ? 2 * a->room : ROOM;
        uint64_t *more = realloc(a->at_ps, room * sizeof(*more));
        if (more == NULL)
            return false;
        a->at_ps = more;
        a->room = room;
    }
    a->at_ps[a->count++] = at_ps;
    return true;
}

void weir_arrivals_free(struct weir_arrivals *a)
{
    free(a->at_ps);
    *a = (struct weir_arrivals){ .at_ps = NULL };
}

/* Returns how many came before a time. */
static size_t before(const struct weir_arrivals *a, uint64_t at_ps)
{
    size_t low = 0, high = a->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (a->at_ps[middle] < at_ps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Tests whether a frame of the second sender is a join that can be measured: the first one sends before and after. */
static bool is_join(const struct weir_arrivals *first, const struct weir_arrivals *second, size_t i, uint64_t after_ps)
{
    uint64_t at_ps = second->at_ps[i];
    if (i > 0 && at_ps - second->at_ps[i - 1] < WEIR_REACTION_SILENCE_PS)
        return false;
    return first->count > 0 && at_ps >= WEIR_REACTION_BEFORE_PS && first->at_ps[0] < at_ps - WEIR_REACTION_BEFORE_PS &&
           first->at_ps[first->count - 1] >= at_ps + after_ps;
}

/* Returns how many frames of the first came from from_ps on and before to_ps, relative to a join, over all joins. */
static uint64_t count_around(const struct weir_arrivals *first, const struct weir_arrivals *joins, int64_t from_ps,
                             int64_t to_ps)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < joins->count; i++) {
        int64_t at_ps = (int64_t)joins->at_ps[i];
        WEIR_ASSERT(at_ps + from_ps >= 0);
        sum += before(first, (uint64_t)(at_ps + to_ps)) - before(first, (uint64_t)(at_ps + from_ps));
    }
    return sum;
}

static int compute(const struct weir_arrivals *first, const struct weir_arrivals *joins, uint64_t rtt_ps,
                   uint32_t fallen, struct weir_reaction *reaction, struct weir_err *err)
{
    int64_t rtt = (int64_t)rtt_ps, half = rtt / 4; /* of a window */
    uint64_t old = count_around(first, joins, -(int64_t)WEIR_REACTION_BEFORE_PS, 0);
    double usual = (double)old * (double)(2 * half) / (double)WEIR_REACTION_BEFORE_PS; /* in a window, of all joins */
    reaction->joins = (uint32_t)joins->count;
    reaction->before_per_ms = (double)old / (double)joins->count / (double)(WEIR_REACTION_BEFORE_PS / WEIR_PS_PER_MS);
    reaction->least_percent = 100;
    for (int64_t at = half - (int64_t)WEIR_REACTION_BEFORE_PS; at < WEIR_REACTION_RTTS_MAX * rtt;
         at += rtt / WEIR_REACTION_STEPS) {
        double percent = 100 * (double)count_around(first, joins, at - half, at + half) / usual;
        if (at < -half && percent < reaction->least_percent)
            reaction->least_percent = percent;
        if (at < 0 || percent >= fallen)
            continue;
        reaction->after_ps = (uint64_t)at;
        return 0;
    }
    return weir_fail(err, WEIR_E_RUN, NULL, NULL,
                     "the first sender does not fall below %u %% of its rate within %d round trips", (unsigned)fallen,
                     WEIR_REACTION_RTTS_MAX);
}

int weir_reaction(const struct weir_arrivals *first, const struct weir_arrivals *second, uint64_t rtt_ps,
                  uint32_t percent, struct weir_reaction *reaction, struct weir_err *err)
{
    struct weir_arrivals joins = { .at_ps = NULL };
    int code = 0;
    WEIR_ASSERT(percent >= 1 && percent <= 99);
    WEIR_ASSERT(rtt_ps >= WEIR_PS_PER_US && rtt_ps <= WEIR_REACTION_BEFORE_PS / 2);
    *reaction = (struct weir_reaction){ .joins = 0 };
    for (size_t i = 0; i < second->count && code == 0; i++)
        if (is_join(first, second, i, (WEIR_REACTION_RTTS_MAX + 1) * rtt_ps) &&
            !weir_arrivals_add(&joins, second->at_ps[i]))
            code = weir_fail_memory(err);
    if (code == 0 && (joins.count == 0 || count_around(first, &joins, -(int64_t)WEIR_REACTION_BEFORE_PS, 0) == 0))
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "no second sender joins a first one");
    if (code == 0)
        code = compute(first, &joins, rtt_ps, percent, reaction, err);
    weir_arrivals_free(&joins);
    return code;
}
