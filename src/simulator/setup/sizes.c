/* src/simulator/setup/sizes.c - the implementation of sizes.h. */
#include "setup/sizes.h"
#include "core/math.h"
#include "program/program.h"
#include "workload/jobs.h"
#include <stdlib.h>

#define LONG_RUN_PS (1000 * WEIR_PS_PER_S) /* an item that lasts longer counts as if it lasted so long */

struct sizes_of { /* a workload, and the traffic items whose messages count */
    const struct weir_workload *wl;
    const struct weir_programs *programs;
    uint32_t items; /* bit i: item i counts */
};

static bool sizes_count(const struct sizes_of *of, uint32_t item)
{
    return (of->items >> item & 1) != 0;
}

static const struct weir_program *program_of(const struct sizes_of *of, uint32_t item)
{
    const struct weir_program *program = &of->programs->program[of->programs->of_item[item]];
    WEIR_ASSERT(program->item == item);
    return program;
}

/* Returns about the expected number of messages of a traffic item in the whole run: of a program all, of kind session
 * one per host if it says sizes. @return 0 = the item does not count, is of another kind than these and poisson, or
 * does not start before the end of the run */
static uint64_t sizes_expected(const struct sizes_of *of, uint32_t i)
{
    const struct weir_workload *wl = of->wl;
    uint64_t until_ps = weir_min_u64(wl->item[i].stop_ps, wl->end_ps);
    if (weir_item_has_program(&wl->item[i]))
        return sizes_count(of, i) ? weir_min_u64(program_of(of, i)->messages, UINT64_MAX >> 8) : 0;
    if (wl->item[i].kind == WEIR_TRAFFIC_SESSION)
        return sizes_count(of, i) && wl->cdf[i].count > 0 ? wl->hosts : 0;
    if (!sizes_count(of, i) || wl->gap_mean_fs[i] == 0 || until_ps <= wl->item[i].start_ps)
        return 0;
    uint64_t time_ps = weir_min_u64(until_ps - wl->item[i].start_ps, LONG_RUN_PS);
    /* at most 10^18: one message per femtosecond */
    uint64_t per_host = weir_mul_div_u64(time_ps, 1000, wl->gap_mean_fs[i]);
    return weir_min_u64(per_host, UINT64_MAX >> 24) * wl->from[i].count + 1;
}

/* Writes the sizes of an item's distribution and their shares of all messages. weight: the item's own share, in
 * units of 1 / WEIR_SIZES_ONE. @return the entry behind the last one written */
static struct weir_size_share *sizes_of_item(const struct weir_cdf *cdf, uint64_t weight, struct weir_size_share *share)
{
    uint64_t before_q32 = 0;
    for (uint32_t p = 0; p < cdf->count; p++) {
        uint64_t part_q32 = cdf->point[p].below_q32 - before_q32;
        before_q32 = cdf->point[p].below_q32;
        if (part_q32 != 0)
            *share++ = (struct weir_size_share){ .bytes = weir_max_u64(cdf->point[p].bytes, 1),
                                                 .weight = (part_q32 * weight + (UINT64_C(1) << 31)) >> 32 };
    }
    return share;
}

/* Counts the sizes of an item: points of its distribution, or sizes of its program's messages. */
static uint32_t sizes_points(const struct sizes_of *of, uint32_t i)
{
    uint32_t count = 0;
    if (!weir_item_has_program(&of->wl->item[i]))
        return of->wl->cdf[i].count;
    while (weir_program_size(program_of(of, i), count) != 0)
        count++;
    return count;
}

/* Writes the sizes of a program's messages, which have equal shares; else as sizes_of_item(). */
static struct weir_size_share *sizes_of_program(const struct sizes_of *of, uint32_t i, uint64_t weight,
                                                struct weir_size_share *share)
{
    struct weir_size_share *first = share;
    uint64_t bytes;
    while ((bytes = weir_program_size(program_of(of, i), (uint32_t)(share - first))) != 0)
        *share++ = (struct weir_size_share){ .bytes = bytes };
    for (struct weir_size_share *s = first; s < share; s++)
        s->weight = weight / (uint64_t)(share - first);
    return share;
}

static uint32_t sizes_drawn(const struct sizes_of *of, struct weir_size_share *share)
{
    const struct weir_workload *wl = of->wl;
    struct weir_size_share *end = share;
    uint64_t all = 0;
    for (uint32_t i = 0; i < wl->item_count; i++)
        all += sizes_expected(of, i);
    for (uint32_t i = 0; i < wl->item_count; i++) {
        uint64_t weight = all > 0 ? weir_mul_div_u64(sizes_expected(of, i), WEIR_SIZES_ONE, all) : 0;
        if (sizes_expected(of, i) == 0)
            continue;
        end = weir_item_has_program(&wl->item[i]) ? sizes_of_program(of, i, weight, end)
                                                  : sizes_of_item(&wl->cdf[i], weight, end);
    }
    return (uint32_t)(end - share);
}

/* Returns the size of known message n: listed messages come first, then flows of jobs. 0 = it does not count */
static uint64_t sizes_known(const struct sizes_of *of, uint64_t n)
{
    const struct weir_workload *wl = of->wl;
    uint64_t listed = wl->listed_first[wl->hosts];
    WEIR_ASSERT(n < listed || wl->jobs != NULL);
    uint32_t item = n < listed ? wl->listed[n].item : wl->jobs->flow[n - listed].item;
    if (!sizes_count(of, item))
        return 0;
    return n < listed ? wl->listed[n].bytes : wl->jobs->flow[n - listed].bytes;
}

/* Writes the sizes of known messages, every step-th of them, with equal shares. known: their number. @return number of
 * entries written */
static uint32_t sizes_listed(const struct sizes_of *of, uint64_t known, uint64_t step, struct weir_size_share *share)
{
    uint32_t count = 0;
    for (uint64_t n = 0; n < known; n += step) {
        share[count].bytes = sizes_known(of, n);
        count += share[count].bytes != 0;
    }
    for (uint32_t n = 0; n < count; n++)
        share[n].weight = WEIR_SIZES_ONE / count;
    return count;
}

struct weir_size_share *weir_setup_sizes(const struct weir_workload *wl, const struct weir_programs *programs,
                                         uint32_t items, uint32_t *count)
{
    const struct sizes_of all = { .wl = wl, .programs = programs, .items = items }, *of = &all;
    uint64_t points = 0, known = wl->listed_first[wl->hosts] + (wl->jobs != NULL ? wl->jobs->flow_count : 0);
    uint64_t step = 1 + known / WEIR_SIZES_LISTED_MAX;
    for (uint32_t i = 0; i < wl->item_count; i++)
        points += sizes_expected(of, i) != 0 ? sizes_points(of, i) : 0;
    struct weir_size_share *share = calloc(points + known / step + 1, sizeof(*share));
    if (share != NULL)
        *count = points != 0 ? sizes_drawn(of, share) : sizes_listed(of, known, step, share);
    return share;
}
