/* src/scenario/workload/plan.c - plans the messages of incasts and permutations, and sorts all planned messages. */
#include "workload/plan.h"
#include "core/math.h"
#include <stdlib.h>

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the list of messages");
}

int weir_plan_add(struct weir_plan *plan, uint32_t src, const struct weir_listed *what, struct weir_err *err)
{
    if (plan->count == WEIR_LISTED_MAX)
        return weir_fail(
            err, WEIR_E_RANGE, NULL, "a shorter run, a longer period, or a poisson item, which needs no list",
            "more than %llu messages in lists (incast, permutation, flows)", (unsigned long long)WEIR_LISTED_MAX);
    if (plan->count == plan->room) {
        uint64_t room = plan->room == 0 ? 1024 : 2 * plan->room;
        struct weir_planned *larger = realloc(plan->row, room * sizeof(*larger));
        if (larger == NULL)
            return no_memory(err);
        plan->row = larger;
        plan->room = room;
    }
    plan->row[plan->count] = (struct weir_planned){ .what = *what, .src = src, .order = plan->count };
    plan->count++;
    return 0;
}

int weir_plan_announce(struct weir_plan *plan, uint32_t group, uint32_t sender, struct weir_err *err)
{
    if (!plan->has_groups)
        return 0;
    if (plan->announced_count == plan->announced_room) {
        uint64_t room = plan->announced_room == 0 ? 1024 : 2 * plan->announced_room;
        struct weir_announced *larger = realloc(plan->announced, room * sizeof(*larger));
        if (larger == NULL)
            return no_memory(err);
        plan->announced = larger;
        plan->announced_room = room;
    }
    plan->announced[plan->announced_count++] = (struct weir_announced){ group, sender };
    return 0;
}

void weir_plan_free(struct weir_plan *plan)
{
    free(plan->row);
    free(plan->announced);
    *plan = (struct weir_plan){ 0 };
}

/* Plans one event of an incast: draws a target, and fan_in different other hosts as senders. Floyd's algorithm draws
 * the subset without a shuffle: each draw is from one candidate more than the draw before. If the draw hits a host that
 * is taken, the new candidate is taken instead. seen[s] = k: candidate s is taken in event k; the candidates are the
 * hosts of `from` without the target, counted from 0. @return 0, or a code with err */
static int plan_event(struct weir_plan *plan, const struct weir_incast *incast, const struct weir_listed *what,
                      uint64_t k, uint64_t *seen, struct weir_err *err)
{
    const struct weir_workload_limits *limits = incast->limits;
    struct weir_rng rng = { .key = weir_rng_key(limits->seed, k, WEIR_RNG_INCAST, what->item) };
    uint64_t jitter_key = weir_rng_key(limits->seed, k, WEIR_RNG_JITTER, what->item);
    struct weir_listed one = *what;
    one.dst = incast->to.first + weir_rng_below(weir_rng_next(&rng), incast->to.count) * incast->to.step;
    bool is_one = one.dst - incast->from.first < incast->from.count; /* the target is in the range of senders */
    uint32_t others = incast->from.count - is_one;
    one.group = plan->has_groups ? ++plan->group : 0;
    for (uint32_t j = others - incast->item->fan_in; j < others; j++) {
        uint32_t sender = weir_rng_below(weir_rng_next(&rng), (uint64_t)j + 1);
        if (seen[sender] == k)
            sender = j;
        seen[sender] = k;
        one.start_ps = what->start_ps + weir_mul_hi_u64(weir_rng_at(jitter_key, j), incast->item->jitter_ps);
        sender += incast->from.first;
        sender += is_one && sender >= one.dst;
        int code = weir_plan_announce(plan, one.group, sender, err);
        if (code == 0 && one.start_ps < weir_item_until_ps(incast->item, limits->end_ps))
            code = weir_plan_add(plan, sender, &one, err);
        if (code != 0)
            return code;
    }
    return 0;
}

int weir_plan_incast(struct weir_plan *plan, const struct weir_incast *incast, struct weir_err *err)
{
    const struct weir_traffic_config *item = incast->item;
    const struct weir_workload_limits *limits = incast->limits;
    uint64_t until_ps = weir_item_until_ps(item, limits->end_ps), after_ps = 0, frac_fs = 0;
    uint64_t gap_key = weir_rng_key(limits->seed, 0, WEIR_RNG_ARRIVAL, incast->index);
    uint64_t *seen = calloc(limits->hosts, sizeof(*seen));
    int code = 0;
    if (seen == NULL)
        return no_memory(err);
    for (uint64_t k = 1; code == 0; k++) {
        if (item->arrivals == WEIR_ARRIVALS_POISSON) {
            uint64_t gap_fs = weir_exponential(incast->period_fs, weir_rng_at(gap_key, k)) + frac_fs;
            after_ps += gap_fs / 1000; /* below 2^62 before, and the gap below 2^54 */
            frac_fs = gap_fs % 1000;
        } else {
            after_ps = weir_mul_div_u64(k, incast->period_fs, 1000); /* saturates at a time after every end */
        }
        if (item->start_ps >= until_ps || after_ps >= until_ps - item->start_ps)
            break;
        struct weir_listed what = { .start_ps = item->start_ps + after_ps,
                                    .bytes = item->size.bytes,
                                    .item = incast->index,
                                    .weight_q20 = WEIR_WEIGHT_ONE };
        code = plan_event(plan, incast, &what, k, seen, err);
    }
    free(seen);
    return code;
}

/* Fills to[0 .. n) with a random permutation that is one cycle through all elements, so that none stays in its place.
 * Sattolo, "An algorithm to generate a random cyclic permutation", Inf. Proc. Letters 22, 1986. */
static void shuffle_cyclic(uint32_t *to, uint32_t n, uint64_t key)
{
    struct weir_rng rng = { .key = key };
    for (uint32_t i = 0; i < n; i++)
        to[i] = i;
    for (uint32_t i = n - 1; i > 0; i--) {
        uint32_t j = weir_rng_below(weir_rng_next(&rng), i), other = to[j];
        to[j] = to[i];
        to[i] = other;
    }
}

int weir_plan_permutation(struct weir_plan *plan, const struct weir_traffic_config *item, uint32_t index,
                          const struct weir_workload_limits *limits, struct weir_err *err)
{
    uint32_t *to = calloc(limits->hosts, sizeof(*to));
    int code = 0;
    if (to == NULL)
        return no_memory(err);
    shuffle_cyclic(to, limits->hosts, weir_rng_key(limits->seed, 0, WEIR_RNG_PERMUTE, index));
    bool starts = item->start_ps < weir_item_until_ps(item, limits->end_ps);
    for (uint32_t src = 0; code == 0 && starts && src < limits->hosts; src++) {
        struct weir_listed what = { .start_ps = item->start_ps,
                                    .bytes = item->size.bytes,
                                    .dst = to[src],
                                    .item = index,
                                    .weight_q20 = WEIR_WEIGHT_ONE };
        code = weir_plan_add(plan, src, &what, err);
    }
    free(to);
    return code;
}

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_planned(const void *left, const void *right)
{
    const struct weir_planned *a = left, *b = right;
    int by = compare_u64(a->src, b->src);
    if (by == 0)
        by = compare_u64(a->what.start_ps, b->what.start_ps);
    if (by == 0)
        by = compare_u64(a->what.item, b->what.item);
    return by != 0 ? by : compare_u64(a->order, b->order);
}

/* Builds the lists of senders of all groups in wl->group_sender, in the order of the groups. Within a list the order is
 * that of weir_plan_announce(). @return 0, or WEIR_E_MEMORY with err */
static int finish_groups(const struct weir_plan *plan, struct weir_workload *wl, struct weir_err *err)
{
    uint32_t *at;
    if (plan->group == 0)
        return 0;
    wl->group_count = plan->group;
    wl->group = calloc(plan->group, sizeof(*wl->group));
    at = wl->group_sender = calloc(plan->announced_count + 1, sizeof(*wl->group_sender));
    if (wl->group == NULL || wl->group_sender == NULL)
        return no_memory(err);
    for (uint64_t i = 0; i < plan->announced_count; i++)
        wl->group[plan->announced[i].group - 1].count++;
    for (uint32_t g = 0; g < plan->group; g++) {
        wl->group[g].id = g + 1;
        wl->group[g].sender = at;
        at += wl->group[g].count;
        wl->group[g].count = 0;
    }
    for (uint64_t i = 0; i < plan->announced_count; i++) {
        struct weir_sender_group *group = &wl->group[plan->announced[i].group - 1];
        wl->group_sender[(group->sender - wl->group_sender) + group->count++] = plan->announced[i].sender;
    }
    return 0;
}

int weir_plan_finish(struct weir_plan *plan, struct weir_workload *wl, struct weir_err *err)
{
    wl->listed_first = calloc((size_t)wl->hosts + 1, sizeof(*wl->listed_first));
    wl->listed = calloc(plan->count + 1, sizeof(*wl->listed)); /* never of size 0, for which calloc() may return NULL */
    if (wl->listed_first == NULL || wl->listed == NULL)
        return no_memory(err);
    if (plan->count > 0)
        qsort(plan->row, plan->count, sizeof(*plan->row), compare_planned);
    for (uint64_t i = 0; i < plan->count; i++) {
        wl->listed[i] = plan->row[i].what;
        wl->listed_first[plan->row[i].src + 1] = i + 1;
        wl->weighted |= plan->row[i].what.weight_q20 != WEIR_WEIGHT_ONE;
    }
    for (uint32_t h = 0; h < wl->hosts; h++) /* a host without messages begins and ends where the one before it ends */
        wl->listed_first[h + 1] = weir_max_u64(wl->listed_first[h], wl->listed_first[h + 1]);
    wl->finite_messages = plan->count;
    wl->tag_count = plan->tags;
    int code = finish_groups(plan, wl, err);
    weir_plan_free(plan);
    return code;
}
