/* src/solver/solve/incremental_within.c - how far each link of struct weir_incremental may be out of balance, so that
 * no rate is far from that of solving anew.
 *
 * A link that is out of balance by a part e of what it holds would move its flows by e. They cross other links. A link
 * that holds little takes it out of that little: the error is larger there. It is as much larger as these flows take
 * more of that link than it holds. Errors of several links add up as their squares, since their signs differ. So each
 * link says how exact the links have to be that hold its other flows (`need`). And each link is as exact as those that
 * its flows cross need it. */
#include "solve/incremental_state.h"
#include <math.h>
#include <stdlib.h>

#define WITHIN_LEAST 1e-12 /* no link has to be more exact */
#define NEED_PART 2.0      /* part of `within` that the errors of all others may add to a link */

void inc_set_free(struct inc_link *l, double free_weight)
{
    double held = weir_sum_value(l->held);
    l->free_part = held > 0 ? fmin(1, free_weight / held) : 0;
}

/* Adds a load to what another link holds of the one that is computed. */
static void add_here(struct weir_incremental *inc, uint32_t other, double load)
{
    if (!(inc->link[other].here > 0))
        inc->other[inc->other_count++] = other;
    inc->link[other].here += load;
}

/* Returns what a link needs of the others that inc_see() has seen: they hold its flows, or would hold them if they were
 * lower by `within`. Leaves these others in inc->other. */
static double find_need(struct weir_incremental *inc, uint32_t link)
{
    const struct inc_link *l = &inc->link[link];
    double level = inc->level[link], held = level * weir_sum_value(l->held), squares = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct inc_seen *seen = &inc->seen[i];
        if (seen->other != WEIR_MAXMIN_NONE && seen->limit <= level * (1 + inc->within) && seen->limit > 0)
            add_here(inc, seen->other, seen->part * fmin(seen->limit, level));
    }
    for (uint32_t i = 0; i < inc->other_count; i++) {
        struct inc_link *other = &inc->link[inc->other[i]];
        squares += other->here * other->here;
        other->here = 0;
    }
    return squares > 0 ? fmin(1, NEED_PART * held / sqrt(squares)) : 1;
}

/* Sets how exact a link has to be, by the needs of the links that its flows cross. Those flows count that it holds, or
 * would hold if it were lower by `within`. */
static void find_within(struct weir_incremental *inc, uint32_t link)
{
    struct inc_link *l = &inc->link[link];
    double least = inc->within, lowest = inc->level[link] * (1 - inc->within), free_weight = 0;
    for (uint32_t i = 0; i < l->count; i++) {
        const struct inc_seen *seen = &inc->seen[i];
        const struct inc_flow *flow = &inc->flow[seen->flow];
        if (flow->holder == link && seen->limit > inc->level[link] * (1 + inc->within))
            free_weight += seen->part;
        if (flow->holder != link && seen->limit < lowest)
            continue;
        for (uint32_t u = flow->first; u < flow->first + flow->count; u++)
            if (inc->use[u].link != link)
                least = fmin(least, inc->link[inc->use[u].link].need);
    }
    inc_set_free(l, free_weight);
    l->within = fmax(least, WITHIN_LEAST);
}

void inc_set_within(struct weir_incremental *inc, uint32_t link)
{
    struct inc_link *l = &inc->link[link];
    l->need = inc->within;
    if (isinf(inc->level[link]))
        return;
    find_within(inc, link);
    l->need = fmax(inc->within * find_need(inc, link), WITHIN_LEAST);
    for (uint32_t i = 0; i < inc->other_count; i++) {
        struct inc_link *other = &inc->link[inc->other[i]];
        if (l->need >= other->within)
            continue;
        other->within = l->need;
        inc_touch(inc, inc->other[i]);
    }
    inc->other_count = 0;
}

static int by_level(const void *a, const void *b)
{
    const struct weir_heap_entry *x = a, *y = b;
    return x->at_ps < y->at_ps ? 1 : x->at_ps > y->at_ps ? -1 : 0;
}

/* Goes from the highest level down: a link has to be as exact as those above it need it. */
void inc_set_all_within(struct weir_incremental *inc)
{
    struct weir_heap_entry *order = inc->out.entry; /* nothing is out of balance */
    uint32_t count = 0;
    for (uint32_t link = 0; link < inc->link_count; link++)
        if (!isinf(inc->level[link]))
            order[count++] = (struct weir_heap_entry){ weir_level_key(inc->level[link]), link };
    qsort(order, count, sizeof(*order), by_level);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t link = (uint32_t)order[i].id;
        inc_see(inc, link);
        inc->link[link].highest = inc->level[link];
        inc_set_within(inc, link);
    }
    for (uint32_t i = 0; i < inc->touched_count; i++)
        inc->link[inc->touched[i]].touched = false;
    inc->touched_count = 0;
}
