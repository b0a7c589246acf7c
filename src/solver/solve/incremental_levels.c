/* src/solver/solve/incremental_levels.c - brings the links of struct weir_incremental into balance, lowest first. A
 * link computes its level from all its flows, or for a small step from those alone that it holds. */
#include "solve/incremental_state.h"
#include <math.h>

#define ROUNDING 1e-14 /* of a capacity: so much the sum of rates may be off it by rounding alone */
#define WORK_FACTOR 4  /* steps per use of the network that balancing may take; solving anew takes about as long */
#define STEP_MOST 0.01 /* of a level: after a larger step all flows of the link count */
#define STEP_FLOWS 4   /* of a link of fewer flows all count, always */

void inc_touch(struct weir_incremental *inc, uint32_t link)
{
    struct inc_link *l = &inc->link[link];
    if (l->touched)
        return;
    l->touched = true;
    WEIR_ASSERT(inc->touched_count < inc->link_count);
    inc->touched[inc->touched_count++] = link;
}

/* Notes the rate that a flow had before the change, once. */
static void note_move(struct weir_incremental *inc, uint32_t f, double before)
{
    struct inc_flow *flow = &inc->flow[f];
    if (flow->moved || (flow->rate <= before && flow->rate >= before))
        return;
    flow->moved = true;
    inc->moved[inc->moved_count++] = (struct weir_incremental_moved){ .flow = f, .before = before };
}

static void swap_entries(struct weir_incremental *inc, struct inc_link *l, uint32_t a, uint32_t b)
{
    struct inc_entry x = l->entry[a];
    l->entry[a] = l->entry[b];
    l->entry[b] = x;
    inc->use[l->entry[a].use].entry = a;
    inc->use[l->entry[b].use].entry = b;
}

/* Enters the flow of a use among those that the link holds, or takes it out of them. weight: at this link */
static void set_held(struct weir_incremental *inc, uint32_t use, bool held, double weight)
{
    struct inc_link *l = &inc->link[inc->use[use].link];
    WEIR_ASSERT(held ? l->held_count < l->count : l->held_count > 0);
    weir_sum_add(&l->held, held ? weight : -weight);
    if (held)
        swap_entries(inc, l, inc->use[use].entry, l->held_count++);
    else
        swap_entries(inc, l, inc->use[use].entry, --l->held_count);
}

void inc_put(struct weir_incremental *inc, uint32_t f, uint32_t holder, double rate)
{
    struct inc_flow *flow = &inc->flow[f];
    double before = flow->rate;
    uint32_t from = flow->holder;
    WEIR_ASSERT(rate >= 0 && rate < INFINITY);
    if (rate >= before && rate <= before && holder == from)
        return;
    for (uint32_t u = flow->first; u < flow->first + flow->count; u++) {
        uint32_t link = inc->use[u].link;
        struct inc_link *l = &inc->link[link];
        double share = inc_share(inc, u);
        inc_touch(inc, link);
        weir_sum_add(&l->load, rate * share);
        weir_sum_add(&l->load, -before * share);
        if (from != holder && (link == from || link == holder))
            set_held(inc, u, link == holder, flow->weight * share);
    }
    flow->rate = rate;
    flow->holder = holder;
    note_move(inc, f, before);
}

void inc_reset(struct weir_incremental *inc, uint32_t f, uint32_t holder, double rate)
{
    struct inc_flow *flow = &inc->flow[f];
    double before = flow->rate;
    bool moved = flow->moved;
    flow->rate = 0;
    flow->holder = WEIR_MAXMIN_NONE;
    flow->moved = true;
    inc_put(inc, f, holder, rate);
    flow->moved = moved;
    note_move(inc, f, before);
}

/* Returns what a link has left; negative if it carries too much. */
static double left_of(const struct inc_link *l)
{
    return (l->capacity - l->load.high) - l->load.low;
}

/* Tests whether a link has to compute its level: its balance would move flows by more than it may keep. */
static bool is_out(const struct weir_incremental *inc, uint32_t link)
{
    const struct inc_link *l = &inc->link[link];
    double left = left_of(l), least = l->capacity * ROUNDING;
    if (isinf(inc->level[link]))
        return left < -least;
    double held = inc->level[link] * weir_sum_value(l->held) * (left > 0 ? l->free_part : 1);
    return fabs(left) > fmax(least, l->within * held);
}

static void queue_touched(struct weir_incremental *inc)
{
    for (uint32_t i = 0; i < inc->touched_count; i++) {
        uint32_t link = inc->touched[i];
        struct inc_link *l = &inc->link[link];
        l->touched = false;
        if (l->queued || !is_out(inc, link))
            continue;
        l->queued = true;
        weir_heap_push(&inc->out, weir_level_key(inc->level[link]), link);
    }
    inc->touched_count = 0;
}

/* Returns the lowest link of a flow, but for `without`; WEIR_MAXMIN_NONE = the flow has no other. */
static uint32_t lowest_but(const struct weir_incremental *inc, const struct inc_flow *flow, uint32_t without)
{
    uint32_t lowest = WEIR_MAXMIN_NONE;
    for (uint32_t u = flow->first; u < flow->first + flow->count; u++) {
        uint32_t link = inc->use[u].link;
        if (link != without && (lowest == WEIR_MAXMIN_NONE || inc->level[link] < inc->level[lowest]))
            lowest = link;
    }
    return lowest;
}

void inc_see(struct weir_incremental *inc, uint32_t link)
{
    const struct inc_link *l = &inc->link[link];
    for (uint32_t i = 0; i < l->count; i++) {
        const struct inc_flow *flow = &inc->flow[l->entry[i].flow];
        uint32_t other = flow->holder;
        if (other == link || other == WEIR_MAXMIN_NONE)
            other = lowest_but(inc, flow, link);
        inc->seen[i] = (struct inc_seen){
            .limit = other == WEIR_MAXMIN_NONE ? INFINITY : inc->level[other],
            .part = flow->weight * inc_share(inc, l->entry[i].use),
            .flow = l->entry[i].flow,
            .other = other,
        };
    }
}

/* Computes what flows take of a link at a level: limited, of those whose other links are at most that high; rising, the
 * weight of all others. */
static void take(const struct weir_incremental *inc, uint32_t count, double level, double *limited, double *rising)
{
    struct weir_sum rates = { 0 }, weights = { 0 };
    for (uint32_t i = 0; i < count; i++)
        if (inc->seen[i].limit <= level)
            weir_sum_add(&rates, inc->seen[i].part * inc->seen[i].limit);
        else
            weir_sum_add(&weights, inc->seen[i].part);
    *limited = weir_sum_value(rates);
    *rising = weir_sum_value(weights);
}

/* Computes the level at which a link is full, by Newton's method; INFINITY = its flows do not fill it. What its flows
 * take is a concave function of the level, made of straight lines. So from a level that is too low each step leads to
 * a higher one that is not too high, and the last one is exact. From one that is too high the first step may lead far
 * below. It need not go below `even`: at that level all flows together would fill the link, if none were limited. */
static double find_level(const struct weir_incremental *inc, uint32_t link)
{
    const struct inc_link *l = &inc->link[link];
    double even = l->capacity / weir_sum_value(l->weight), level = inc->level[link], limited, rising;
    if (isinf(level))
        level = even;
    for (bool first = true;; first = false) {
        double next = even;
        take(inc, l->count, level, &limited, &rising);
        if (rising > 0)
            next = fmax(even, (l->capacity - limited) / rising);
        else if (limited <= l->capacity)
            return INFINITY;
        if (!first && next <= level)
            return level;
        level = next;
    }
}

/* Moves the flows of a link, which inc_see() has seen, to its level. */
static void move_flows(struct weir_incremental *inc, uint32_t link)
{
    uint32_t count = inc->link[link].count;
    double level = inc->level[link];
    for (uint32_t i = 0; i < count; i++) {
        const struct inc_seen *seen = &inc->seen[i];
        const struct inc_flow *flow = &inc->flow[seen->flow];
        bool is_here = flow->holder == link || flow->holder == WEIR_MAXMIN_NONE;
        if (level > seen->limit && is_here)
            inc_put(inc, seen->flow, seen->other, flow->weight * seen->limit);
        else if (level < seen->limit || (is_here && level <= seen->limit))
            inc_put(inc, seen->flow, link, flow->weight * level);
    }
}

/* Computes the level of a link from all its flows, and moves them to it. */
static void compute_whole(struct weir_incremental *inc, uint32_t link)
{
    struct inc_link *l = &inc->link[link];
    inc->steps += l->count;
    l->highest = INFINITY;
    if (l->count == 0) {
        inc->level[link] = INFINITY;
        return;
    }
    inc_see(inc, link);
    l->highest = inc->level[link] = find_level(inc, link);
    move_flows(inc, link);
    inc_set_within(inc, link);
}

/* Moves a link to a level that is little away, and the flows that it holds to their lowest links. Those that others
 * hold stay there, also if this link is lower now; these others move them. */
static void make_step(struct weir_incremental *inc, uint32_t link, double level)
{
    struct inc_link *l = &inc->link[link];
    double free_weight = 0, near = level * (1 + inc->within);
    inc->steps += l->held_count;
    inc->level[link] = level;
    l->highest = fmax(l->highest, level);
    for (uint32_t i = l->held_count; i-- > 0;) { /* one that leaves is replaced by the last, which is done */
        uint32_t f = l->entry[i].flow;
        const struct inc_flow *flow = &inc->flow[f];
        uint32_t other = lowest_but(inc, flow, link);
        double limit = other == WEIR_MAXMIN_NONE ? INFINITY : inc->level[other];
        if (limit > near)
            free_weight += flow->weight * inc_share(inc, l->entry[i].use);
        if (limit < level)
            inc_put(inc, f, other, flow->weight * limit);
        else
            inc_put(inc, f, link, flow->weight * level);
    }
    inc_set_free(l, free_weight);
}

/* Computes the level of a link. */
static void compute_link(struct weir_incremental *inc, uint32_t link)
{
    const struct inc_link *l = &inc->link[link];
    double level = inc->level[link], held = weir_sum_value(l->held), next = level + left_of(l) / held;
    bool is_small = l->count >= STEP_FLOWS && held > 0 && fabs(next - level) <= STEP_MOST * level;
    if (is_small && next >= l->highest * (1 - inc->within)) /* else flows of others may be above it by more than that */
        make_step(inc, link, next);
    else
        compute_whole(inc, link);
}

/* Returns the level that a link would have with a flow that nothing else limits. */
static double level_with(struct weir_incremental *inc, uint32_t link, uint32_t f)
{
    const struct inc_link *l = &inc->link[link];
    inc->steps += l->count;
    inc_see(inc, link);
    for (uint32_t i = 0; i < l->count; i++)
        if (inc->seen[i].flow == f)
            inc->seen[i].limit = INFINITY;
    return find_level(inc, link);
}

void inc_admit(struct weir_incremental *inc, uint32_t f)
{
    const struct inc_flow *flow = &inc->flow[f];
    uint32_t lowest = WEIR_MAXMIN_NONE;
    double least = INFINITY;
    for (uint32_t u = flow->first; u < flow->first + flow->count; u++) {
        double level = level_with(inc, inc->use[u].link, f);
        if (lowest == WEIR_MAXMIN_NONE || level < least) {
            lowest = inc->use[u].link;
            least = level;
        }
    }
    if (lowest != WEIR_MAXMIN_NONE)
        compute_whole(inc, lowest);
}

int inc_balance(struct weir_incremental *inc, bool *solved, struct weir_err *err)
{
    uint64_t most = WORK_FACTOR * ((uint64_t)inc->uses + inc->link_count);
    queue_touched(inc);
    while (inc->out.count > 0 && inc->steps <= most) {
        uint32_t link = (uint32_t)inc->out.entry[0].id;
        weir_heap_pop(&inc->out);
        inc->link[link].queued = false;
        if (!is_out(inc, link))
            continue;
        compute_link(inc, link);
        queue_touched(inc);
    }
    *solved = inc->out.count > 0;
    return *solved ? inc_solve(inc, err) : 0;
}
