/* src/reproduce/comparison.c - see comparison.h. */
#include "reproduce/comparison.h"
#include "core/assert.h"
#include "store/interval.h"
#include <math.h>
#include <stddef.h>

#define ROUNDING 1e-12
#define SLOWDOWN(what) "slowdown." what

/* Credits that a gate drops are the protocol's signal, and no data. */
const struct weir_comparison_metric weir_comparison_metrics[] = {
    { "p50", "p50 slowdown", { "p50", "of all" }, SLOWDOWN("all.p50"), NULL, 1, false, true, false },
    { "p99", "p99 slowdown", { "p99", "of all" }, SLOWDOWN("all.p99"), NULL, 1, false, true, false },
    { "p99_A", "p99 slowdown of group A", { "p99 of", "group A" }, SLOWDOWN("A.p99"), NULL, 1, false, true, true },
    { "p99_B", "p99 slowdown of group B", { "p99 of", "group B" }, SLOWDOWN("B.p99"), NULL, 1, false, true, true },
    { "p99_C", "p99 slowdown of group C", { "p99 of", "group C" }, SLOWDOWN("C.p99"), NULL, 1, false, true, true },
    { "p99_D", "p99 slowdown of group D", { "p99 of", "group D" }, SLOWDOWN("D.p99"), NULL, 1, false, true, true },
    { "goodput", "goodput in Gbps", { "goodput", "Gbps" }, "goodput_gbps", NULL, 1, true, true, false },
    { "tor_p99",
      "p99 of a ToR's queues in KB",
      { "ToR KB", "p99" },
      "tor_queue_bytes.p99",
      NULL,
      1e3,
      false,
      true,
      false },
    { "tor_max", "largest ToR queue in KB", { "ToR KB", "max" }, "tor_queue_bytes.max", NULL, 1e3, false, true, false },
    { "drops", "drops", { "", "drops" }, "drops", "features.credit-gate.dropped", 1, false, false, false },
    { "pauses", "pause frames", { "", "pauses" }, "features.pfc.pause_frames", NULL, 1, false, false, false },
    { "unfinished",
      "unfinished messages",
      { "un-", "finished" },
      "messages_started",
      "messages_completed",
      1,
      false,
      false,
      false },
    { .path = NULL },
};
_Static_assert(sizeof(weir_comparison_metrics) / sizeof(weir_comparison_metrics[0]) <= WEIR_COMPARISON_METRICS_MAX + 1,
               "a run has room for all of them");

struct weir_estimate weir_estimate_of(const double *number, uint32_t count)
{
    struct weir_estimate e = { 0 };
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        e.count += !isnan(number[i]);
        sum += isnan(number[i]) ? 0 : number[i];
    }
    if (e.count == 0)
        return e;
    e.mean = sum / e.count;
    for (uint32_t i = 0; i < count; i++)
        squares += isnan(number[i]) ? 0 : (number[i] - e.mean) * (number[i] - e.mean);
    if (e.count >= WEIR_INTERVAL_RUNS_MIN)
        e.half_width = weir_half_width_95(squares, e.count);
    if (e.half_width < fabs(e.mean) * ROUNDING)
        e.half_width = 0; /* of equal numbers, whose mean is rounded */
    return e;
}

struct weir_estimate weir_estimate_paired(const double *a, const double *b, uint32_t count)
{
    double difference[WEIR_COMPARISON_SEEDS_MAX];
    WEIR_ASSERT(count <= WEIR_COMPARISON_SEEDS_MAX);
    for (uint32_t i = 0; i < count; i++)
        difference[i] = a[i] - b[i]; /* NAN if either is */
    return weir_estimate_of(difference, count);
}

static double number_of(const struct weir_comparison *c, uint32_t law, uint32_t metric, uint32_t seed)
{
    const struct weir_comparison_run *run = &c->law[law].run[seed];
    return run->is_done ? run->value[metric] : (double)NAN;
}

static void numbers_of(const struct weir_comparison *c, uint32_t law, uint32_t metric,
                       double number[WEIR_COMPARISON_SEEDS_MAX])
{
    for (uint32_t s = 0; s < c->seed_count; s++)
        number[s] = number_of(c, law, metric, s);
}

bool weir_comparison_is_sound(const struct weir_comparison *c, uint32_t law)
{
    return c->law[law].done == c->seed_count && c->law[law].doubtful == 0;
}

bool weir_comparison_is_same(const struct weir_comparison *c, uint32_t metric, uint32_t law, uint32_t other)
{
    double a[WEIR_COMPARISON_SEEDS_MAX], b[WEIR_COMPARISON_SEEDS_MAX];
    numbers_of(c, law, metric, a);
    numbers_of(c, other, metric, b);
    for (uint32_t s = 0; s < c->seed_count; s++)
        if (!(a[s] == b[s])) /* NAN is like nothing */
            return false;
    return true;
}

uint32_t weir_comparison_base(const struct weir_comparison *c, uint32_t metric)
{
    return c->baseline != WEIR_COMPARISON_NONE ? c->baseline : c->best[metric];
}

/* What laws are ordered by: means over the seeds of which every law has a number, since a mean over fewer seeds is of other traffic. Laws
 * without any number are left out; theirs is NAN. Where no seed is shared, the means as they are. */
static void order_by(const struct weir_comparison *c, uint32_t metric, double value[WEIR_COMPARISON_LAWS_MAX])
{
    double sum[WEIR_COMPARISON_LAWS_MAX] = { 0 };
    uint32_t shared = 0;
    for (uint32_t s = 0; s < c->seed_count; s++) {
        bool all = true;
        for (uint32_t l = 0; l < c->law_count && all; l++) {
            value[l] = number_of(c, l, metric, s);
            all = !isnan(value[l]) || c->law[l].metric[metric].count == 0;
        }
        for (uint32_t l = 0; l < c->law_count && all; l++)
            sum[l] += value[l];
        shared += all;
    }
    for (uint32_t l = 0; l < c->law_count; l++) {
        const struct weir_estimate *e = &c->law[l].metric[metric];
        value[l] = e->count == 0 ? (double)NAN : shared > 0 ? sum[l] / shared : e->mean;
    }
}

/* A law with doubtful runs is best only where no other has a number. */
static bool is_better(const struct weir_comparison *c, uint32_t metric, const double *value, uint32_t law,
                      uint32_t than)
{
    bool sound = weir_comparison_is_sound(c, law);
    if (sound != weir_comparison_is_sound(c, than))
        return sound;
    return weir_comparison_metrics[metric].more_is_better ? value[law] > value[than] : value[law] < value[than];
}

static void solve_metric(struct weir_comparison *c, uint32_t metric)
{
    double number[WEIR_COMPARISON_SEEDS_MAX], other[WEIR_COMPARISON_SEEDS_MAX], value[WEIR_COMPARISON_LAWS_MAX];
    uint32_t base;
    c->best[metric] = WEIR_COMPARISON_NONE;
    for (uint32_t l = 0; l < c->law_count; l++) {
        numbers_of(c, l, metric, number);
        c->law[l].metric[metric] = weir_estimate_of(number, c->seed_count);
    }
    order_by(c, metric, value);
    for (uint32_t l = 0; l < c->law_count; l++)
        if (!isnan(value[l]) &&
            (c->best[metric] == WEIR_COMPARISON_NONE || is_better(c, metric, value, l, c->best[metric])))
            c->best[metric] = l;
    base = weir_comparison_base(c, metric);
    for (uint32_t l = 0; l < c->law_count && base != WEIR_COMPARISON_NONE; l++) {
        struct weir_estimate *d = &c->law[l].difference[metric];
        numbers_of(c, l, metric, number);
        numbers_of(c, base, metric, other);
        *d = weir_estimate_paired(number, other, c->seed_count);
        c->law[l].is_beyond[metric] = d->count >= 3 && fabs(d->mean) > d->half_width;
    }
}

bool weir_comparison_ignores_seeds(const struct weir_comparison *c)
{
    bool any = false;
    for (uint32_t m = 0; weir_comparison_metrics[m].path != NULL; m++)
        for (uint32_t l = 0; l < c->law_count; l++) {
            const struct weir_estimate *e = &c->law[l].metric[m];
            if (e->count >= 3 && e->half_width > 0)
                return false;
            any = any || e->count >= 3;
        }
    return any;
}

void weir_comparison_solve(struct weir_comparison *c)
{
    WEIR_ASSERT(c->law_count <= WEIR_COMPARISON_LAWS_MAX);
    WEIR_ASSERT(c->seed_count <= WEIR_COMPARISON_SEEDS_MAX);
    for (uint32_t l = 0; l < c->law_count; l++) {
        c->law[l].done = c->law[l].doubtful = 0;
        for (uint32_t s = 0; s < c->seed_count; s++) {
            c->law[l].done += c->law[l].run[s].is_done;
            c->law[l].doubtful += c->law[l].run[s].is_done && c->law[l].run[s].doubt[0] != '\0';
        }
    }
    for (uint32_t m = 0; weir_comparison_metrics[m].path != NULL; m++)
        solve_metric(c, m);
}
