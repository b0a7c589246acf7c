/* src/solver/solve/incremental_flows.c - struct weir_incremental and its changes.
 * Keeps the flows, the links, and who uses what. */
#include "core/math.h"
#include "solve/incremental_state.h"
#include <math.h>
#include <stdlib.h>

enum { ROOM_FIRST = 64, ROOM_PART = 4 }; /* lists grow by a ROOM_PART-th of their length */

static int no_memory(const struct weir_incremental *inc, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to follow the changes of %u flows", inc->live);
}

/* Makes an array longer. @return false = no memory; the array is as before */
static bool grow(void *array, uint32_t room, size_t size)
{
    void *larger = realloc(*(void **)array, (size_t)room * size);
    if (larger == NULL)
        return false;
    *(void **)array = larger;
    return true;
}

/* Returns a room for `least` entries, with some more for those that follow. */
static uint32_t larger_room(uint32_t least, uint32_t most)
{
    return (uint32_t)weir_min_u64((uint64_t)least + least / ROOM_PART + ROOM_FIRST, most);
}

/* ---- the entries of links ---- */

static bool room_for_entry(struct weir_incremental *inc, struct inc_link *l)
{
    if (l->count == l->room) {
        uint32_t room = larger_room(l->count + 1, UINT32_MAX);
        if (!grow(&l->entry, room, sizeof(*l->entry)))
            return false;
        l->room = room;
    }
    if (l->room > inc->seen_room) {
        if (!grow(&inc->seen, l->room, sizeof(*inc->seen)))
            return false;
        inc->seen_room = l->room;
    }
    return true;
}

/* Enters a flow at the link of one of its uses, which has room. */
static void enter(struct weir_incremental *inc, uint32_t f, uint32_t use)
{
    struct inc_link *l = &inc->link[inc->use[use].link];
    inc->use[use].entry = l->count;
    l->entry[l->count++] = (struct inc_entry){ .flow = f, .use = use };
    weir_sum_add(&l->weight, inc->flow[f].weight * inc_share(inc, use));
}

/* Takes a flow, which no link holds, out of the link of one of its uses: the last entry takes its place. */
static void leave(struct weir_incremental *inc, uint32_t use)
{
    struct inc_link *l = &inc->link[inc->use[use].link];
    uint32_t entry = inc->use[use].entry;
    WEIR_ASSERT(entry >= l->held_count);
    weir_sum_add(&l->weight, -inc->flow[l->entry[entry].flow].weight * inc_share(inc, use));
    l->entry[entry] = l->entry[--l->count];
    inc->use[l->entry[entry].use].entry = entry;
}

/* ---- the uses of flows ---- */

/* Moves uses together, over those of flows that were removed. */
static void compact(struct weir_incremental *inc)
{
    uint32_t to = 0;
    for (uint32_t f = 0; f < inc->flow_count; f++) {
        struct inc_flow *flow = &inc->flow[f];
        uint32_t from = flow->first;
        flow->first = to;
        for (uint32_t u = from; u < from + flow->count; u++, to++) {
            inc->use[to] = inc->use[u];
            if (inc->share != NULL)
                inc->share[to] = inc->share[u];
            inc->link[inc->use[to].link].entry[inc->use[to].entry].use = to;
        }
    }
    inc->uses = to;
    inc->removed_uses = 0;
}

static bool room_for_uses(struct weir_incremental *inc, uint32_t count)
{
    uint64_t needed = (uint64_t)inc->uses + count;
    if (needed > inc->use_room && inc->removed_uses > inc->uses / 2) {
        compact(inc);
        needed = (uint64_t)inc->uses + count;
    }
    if (needed <= inc->use_room)
        return true;
    if (needed > WEIR_MAXMIN_USES_MAX)
        return false;
    uint32_t room = larger_room((uint32_t)needed, WEIR_MAXMIN_USES_MAX);
    if (!grow(&inc->use, room, sizeof(*inc->use)))
        return false;
    if (inc->share != NULL && !grow(&inc->share, room, sizeof(*inc->share)))
        return false;
    inc->use_room = room;
    return true;
}

/* Makes shares of a network in which all parts were 1. */
static bool begin_shares(struct weir_incremental *inc)
{
    inc->share = malloc(((size_t)inc->use_room + 1) * sizeof(*inc->share));
    for (uint32_t u = 0; inc->share != NULL && u < inc->uses; u++)
        inc->share[u] = 1;
    return inc->share != NULL;
}

static bool room_for_flow(struct weir_incremental *inc)
{
    if (inc->flow_count < inc->flow_room)
        return true;
    uint32_t room = larger_room(inc->flow_count + 1, WEIR_MAXMIN_FLOWS_MAX);
    if (!grow(&inc->flow, room, sizeof(*inc->flow)) || !grow(&inc->moved, room, sizeof(*inc->moved)))
        return false;
    inc->flow_room = room;
    return true;
}

/* ---- flows ---- */

static int check_flow(const struct weir_incremental *inc, double weight, const uint32_t *link, const double *share,
                      uint32_t count, struct weir_err *err)
{
    if (inc->flow_count == WEIR_MAXMIN_FLOWS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "at most %u flows can be added", WEIR_MAXMIN_FLOWS_MAX);
    if (!(weight >= WEIR_MAXMIN_WEIGHT_MIN && weight <= WEIR_MAXMIN_WEIGHT_MAX))
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "the weight of flow %u is out of its range", inc->flow_count);
    for (uint32_t i = 0; i < count; i++)
        if (link[i] >= inc->link_count || (share != NULL && !(share[i] >= WEIR_MAXMIN_SHARE_MIN && share[i] <= 1)))
            return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "a link of flow %u, or its share, is out of its range",
                             inc->flow_count);
    return 0;
}

/* Adds a flow without a rate. @return its number; UINT32_MAX = no memory */
static uint32_t append(struct weir_incremental *inc, double weight, const uint32_t *link, const double *share,
                       uint32_t count)
{
    if (!room_for_flow(inc) || !room_for_uses(inc, count) ||
        (share != NULL && inc->share == NULL && !begin_shares(inc)))
        return UINT32_MAX;
    uint32_t f = inc->flow_count++, first = inc->uses;
    inc->flow[f] = (struct inc_flow){ .weight = weight, .first = first, .count = count, .holder = WEIR_MAXMIN_NONE };
    inc->live++;
    inc->uses += count;
    for (uint32_t i = 0; i < count; i++) {
        if (!room_for_entry(inc, &inc->link[link[i]]))
            return UINT32_MAX;
        inc->use[first + i].link = link[i];
        if (inc->share != NULL)
            inc->share[first + i] = share != NULL ? share[i] : 1;
        enter(inc, f, first + i);
    }
    return f;
}

/* ---- the state ---- */

static bool alloc_links(struct weir_incremental *inc, const struct weir_maxmin_problem *p)
{
    size_t links = (size_t)p->link_count + 1;
    inc->link = calloc(links, sizeof(*inc->link));
    inc->level = malloc(links * sizeof(*inc->level));
    inc->touched = malloc(links * sizeof(*inc->touched));
    inc->other = malloc(links * sizeof(*inc->other));
    inc->out.entry = malloc(links * sizeof(*inc->out.entry));
    inc->out.capacity = p->link_count + 1;
    inc->link_count = p->link_count;
    if (inc->link == NULL || inc->level == NULL || inc->touched == NULL || inc->other == NULL || inc->out.entry == NULL)
        return false;
    for (uint32_t l = 0; l < p->link_count; l++)
        inc->link[l].capacity = p->capacity[l];
    return true;
}

/* Adds the flows of a problem that the solver has accepted. */
static bool append_all(struct weir_incremental *inc, const struct weir_maxmin_problem *p)
{
    for (uint32_t f = 0; f < p->flow_count; f++) {
        uint32_t first = p->first[f];
        if (append(inc, p->weight[f], &p->link[first], p->share != NULL ? &p->share[first] : NULL,
                   p->first[f + 1] - first) == UINT32_MAX)
            return false;
    }
    return true;
}

/* Refuses caps: of a flow without links the cap must be 0, as of one that has no way. */
static int check_caps(const struct weir_maxmin_problem *p, struct weir_err *err)
{
    for (uint32_t f = 0; f < p->flow_count && p->cap != NULL; f++)
        if (!isinf(p->cap[f]) && (p->cap[f] > 0 || p->first[f + 1] > p->first[f]))
            return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "flow %u has a cap, and caps cannot follow changes", f);
    return 0;
}

static int begin(struct weir_incremental *inc, const struct weir_maxmin_problem *p, struct weir_err *err)
{
    int code = check_caps(p, err);
    if (code == 0 && !(inc->within >= WEIR_INCREMENTAL_WITHIN_MIN && inc->within <= WEIR_INCREMENTAL_WITHIN_MAX))
        code = weir_fail(err, WEIR_E_RANGE, NULL, NULL, "within = %g: must be %g to %g", inc->within,
                         WEIR_INCREMENTAL_WITHIN_MIN, WEIR_INCREMENTAL_WITHIN_MAX);
    if (code == 0)
        code = weir_maxmin_check(p, err);
    if (code == 0 && (!alloc_links(inc, p) || !append_all(inc, p)))
        code = no_memory(inc, err);
    return code != 0 ? code : inc_solve(inc, err);
}

struct weir_incremental *weir_incremental_new(const struct weir_maxmin_problem *p, double within, struct weir_err *err)
{
    struct weir_incremental *inc = calloc(1, sizeof(*inc));
    if (inc == NULL) {
        (void)weir_fail_memory(err);
        return NULL;
    }
    inc->within = within;
    if (begin(inc, p, err) == 0)
        return inc;
    weir_incremental_free(inc);
    return NULL;
}

void weir_incremental_free(struct weir_incremental *inc)
{
    if (inc == NULL)
        return;
    for (uint32_t l = 0; inc->link != NULL && l < inc->link_count; l++)
        free(inc->link[l].entry);
    free(inc->link);
    free(inc->level);
    free(inc->flow);
    free(inc->use);
    free(inc->share);
    free(inc->seen);
    free(inc->out.entry);
    free(inc->touched);
    free(inc->other);
    free(inc->moved);
    free(inc);
}

/* ---- changes ---- */

static void begin_change(struct weir_incremental *inc)
{
    for (uint32_t i = 0; i < inc->moved_count; i++)
        inc->flow[inc->moved[i].flow].moved = false;
    inc->moved_count = 0;
    inc->steps = 0;
}

/* Balances all links, and describes what the change of flow f has moved. @return 0, or WEIR_E_MEMORY with err */
static int end_change(struct weir_incremental *inc, uint32_t f, struct weir_incremental_effect *effect,
                      struct weir_err *err)
{
    *effect = (struct weir_incremental_effect){ 0 };
    int code = inc_balance(inc, &effect->solved, err);
    for (uint32_t i = 0; i < inc->moved_count; i++) {
        struct inc_flow *flow = &inc->flow[inc->moved[i].flow];
        double before = inc->moved[i].before, after = flow->rate;
        flow->moved = after < before || after > before; /* else it moved, and came back */
        if (!flow->moved)
            continue;
        if (inc->moved[i].flow != f)
            effect->largest = fmax(effect->largest, fabs(after - before) / fmax(after, before));
        inc->moved[effect->flows++] = inc->moved[i];
    }
    inc->moved_count = effect->flows;
    effect->moved = inc->moved;
    effect->steps = inc->steps;
    return code;
}

int weir_incremental_add(struct weir_incremental *inc, double weight, const uint32_t *link, const double *share,
                         uint32_t count, struct weir_incremental_effect *effect, struct weir_err *err)
{
    int code = check_flow(inc, weight, link, share, count, err);
    if (code != 0)
        return code;
    begin_change(inc);
    uint32_t f = append(inc, weight, link, share, count);
    if (f == UINT32_MAX)
        return no_memory(inc, err);
    inc_admit(inc, f);
    return end_change(inc, f, effect, err);
}

int weir_incremental_remove(struct weir_incremental *inc, uint32_t f, struct weir_incremental_effect *effect,
                            struct weir_err *err)
{
    WEIR_ASSERT(weir_incremental_has(inc, f));
    struct inc_flow *flow = &inc->flow[f];
    begin_change(inc);
    inc_put(inc, f, WEIR_MAXMIN_NONE, 0);
    for (uint32_t u = flow->first; u < flow->first + flow->count; u++) {
        inc_touch(inc, inc->use[u].link);
        leave(inc, u);
    }
    inc->removed_uses += flow->count;
    flow->count = 0;
    flow->removed = true;
    inc->live--;
    return end_change(inc, f, effect, err);
}

int weir_incremental_weigh(struct weir_incremental *inc, uint32_t f, double weight,
                           struct weir_incremental_effect *effect, struct weir_err *err)
{
    WEIR_ASSERT(weir_incremental_has(inc, f));
    struct inc_flow *flow = &inc->flow[f];
    uint32_t holder = flow->holder;
    if (!(weight >= WEIR_MAXMIN_WEIGHT_MIN && weight <= WEIR_MAXMIN_WEIGHT_MAX))
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "the weight of flow %u is out of its range", f);
    begin_change(inc);
    if (holder != WEIR_MAXMIN_NONE)
        inc_put(inc, f, WEIR_MAXMIN_NONE, 0);
    for (uint32_t u = flow->first; u < flow->first + flow->count; u++) {
        struct inc_link *l = &inc->link[inc->use[u].link];
        weir_sum_add(&l->weight, -flow->weight * inc_share(inc, u));
        weir_sum_add(&l->weight, weight * inc_share(inc, u));
    }
    flow->weight = weight;
    if (holder != WEIR_MAXMIN_NONE)
        inc_put(inc, f, holder, weight * inc->level[holder]);
    return end_change(inc, f, effect, err);
}

bool weir_incremental_has(const struct weir_incremental *inc, uint32_t flow)
{
    return flow < inc->flow_count && !inc->flow[flow].removed;
}

double weir_incremental_rate(const struct weir_incremental *inc, uint32_t flow)
{
    return inc->flow[flow].rate;
}

uint32_t weir_incremental_holder(const struct weir_incremental *inc, uint32_t flow)
{
    return inc->flow[flow].holder;
}
