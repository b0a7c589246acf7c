/* src/results/reproduce/comparison.c - see comparison.h. */
#include "reproduce/comparison.h"
#include "core/assert.h"
#include "output/metrics.h"
#include "means/interval.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

#define ROUNDING 1e-12
/* The usual metrics. `drops` leaves out the credits that a credit gate drops: they are the protocol's signal, not
 * data. */
static const struct {
    const char *name, *less, *head[2]; /* head: heading of the column, in two lines; head[1] NULL = as in the row of the
                                          metric */
    bool is_counted;                   /* shown only, not judged */
} usual[] = {
    { .name = "slowdown.all.p50", .head = { "p50", "of all" } },
    { .name = "slowdown.all.p99", .head = { "p99", "of all" } },
    { .name = "slowdown.A.p99" },
    { .name = "slowdown.B.p99" },
    { .name = "slowdown.C.p99" },
    { .name = "slowdown.D.p99" },
    { .name = "goodput_gbps" },
    { .name = "tor_queue_bytes.p99" },
    { .name = "tor_queue_bytes.max" },
    { .name = "drops", .less = "features.credit-gate.dropped", .is_counted = true },
    { .name = "losses", .is_counted = true },
    { .name = "features.pfc.pause_frames", .head = { "", "pauses" }, .is_counted = true },
    { .name = "unfinished.messages", .is_counted = true },
};
#define USUAL (sizeof(usual) / sizeof(usual[0]))
_Static_assert(USUAL <= WEIR_COMPARISON_METRICS_MAX, "there is room for all of them");

/* Tests whether a metric is of one size group, as "slowdown.A.p99" is. A run without messages of the group does not
 * have such a number. */
static bool is_of_group(const char *name)
{
    const char *dot = strchr(name, '.');
    return dot != NULL && dot[1] >= 'A' && dot[1] <= 'D' && dot[2] == '.';
}

void weir_comparison_usual(struct weir_comparison *c)
{
    c->metric_count = 0;
    for (size_t i = 0; i < USUAL; i++) {
        struct weir_comparison_metric *m = &c->metric[c->metric_count++];
        bool found = weir_metric_find(usual[i].name, &m->row);
        WEIR_ASSERT(found);
        (void)snprintf(m->name, sizeof(m->name), "%s", usual[i].name);
        m->less = usual[i].less;
        m->judged = !usual[i].is_counted;
        m->is_group = is_of_group(m->name);
        for (int line = 0; line < 2 && usual[i].head[1] != NULL; line++)
            m->row.head[line] = usual[i].head[line];
    }
}

void weir_comparison_lead_jobs(struct weir_comparison *c, bool bandwidths)
{
    static const char *const of_jobs[] = { "job_completion_us.mean", "job_completion_us.p99", "job_completion_us.max",
                                           "algbw_gbytes_s.mean", "busbw_gbytes_s.mean" };
    uint32_t count = bandwidths ? 5 : 3;
    WEIR_ASSERT(c->metric_count + count <= WEIR_COMPARISON_METRICS_MAX);
    memmove(c->metric + count, c->metric, c->metric_count * sizeof(*c->metric));
    c->metric_count += count;
    for (uint32_t i = 0; i < count; i++) {
        struct weir_comparison_metric *m = &c->metric[i];
        bool found;
        *m = (struct weir_comparison_metric){ .judged = true, .is_of_jobs = true };
        found = weir_metric_find(of_jobs[i], &m->row);
        WEIR_ASSERT(found);
        (void)snprintf(m->name, sizeof(m->name), "%s", of_jobs[i]);
    }
}

static int choose(struct weir_comparison *c, const struct weir_tok *name, struct weir_err *err)
{
    struct weir_comparison_metric *m = &c->metric[c->metric_count];
    struct weir_metric row;
    int code = weir_metric_need(name, &row, err);
    if (code != 0)
        return code;
    for (uint32_t i = 0; i < c->metric_count; i++)
        if (strcmp(c->metric[i].name, row.name) == 0)
            return weir_fail(err, WEIR_E_CONFLICT, name, NULL, "%.80s is there twice", row.name);
    if (c->metric_count == WEIR_COMPARISON_METRICS_MAX)
        return weir_fail(err, WEIR_E_RANGE, name, NULL, "more than %u", WEIR_COMPARISON_METRICS_MAX);
    *m = (struct weir_comparison_metric){ .row = row, .judged = row.better != WEIR_METRIC_NEITHER };
    (void)snprintf(m->name, sizeof(m->name), "%s", row.name);
    for (size_t i = 0; i < USUAL; i++) /* the same name is the same number, whether chosen by default or by the user */
        m->less = strcmp(usual[i].name, row.name) == 0 ? usual[i].less : m->less;
    m->is_group = is_of_group(row.name);
    m->is_asked = true;
    c->metric_count++;
    return 0;
}

int weir_comparison_choose(struct weir_comparison *c, const char *names, struct weir_err *err)
{
    char name[WEIR_COMPARISON_NAME];
    int code = 0;
    c->metric_count = 0;
    for (const char *at = names; code == 0; at++) {
        size_t length = strcspn(at, ",");
        (void)snprintf(name, sizeof(name), "%.*s", (int)length, at); /* no number has a longer name */
        code = choose(c, &(struct weir_tok){ .text = name, .file = "--metrics" }, err);
        at += length;
        if (*at == '\0')
            break;
    }
    return code;
}

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
        e.half_width = 0; /* the numbers are equal, and only their mean is rounded */
    return e;
}

bool weir_estimate_has_interval(const struct weir_estimate *e)
{
    return e->count >= WEIR_INTERVAL_RUNS_MIN && !e->is_doubtful;
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
        if (!(a[s] == b[s])) /* NAN equals no number */
            return false;
    return true;
}

uint32_t weir_comparison_base(const struct weir_comparison *c, uint32_t metric)
{
    return c->baseline != WEIR_COMPARISON_NONE ? c->baseline : c->best[metric];
}

/* Computes in value[] the numbers by which laws are ranked: means over the seeds with which every law has a number,
 * since other seeds have other traffic. A law without any number gets NAN, and does not restrict the seeds. If there is
 * no such seed, value[] has the mean of each law over all its seeds. */
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

/* Tests whether `law` ranks before `than`. A sound law ranks before one that is not sound. Otherwise value[] decides,
 * by the direction in the row of the metric. */
static bool is_better(const struct weir_comparison *c, uint32_t metric, const double *value, uint32_t law,
                      uint32_t than)
{
    bool sound = weir_comparison_is_sound(c, law);
    if (sound != weir_comparison_is_sound(c, than))
        return sound;
    return c->metric[metric].row.better == WEIR_METRIC_GREATEST ? value[law] > value[than] : value[law] < value[than];
}

static void solve_metric(struct weir_comparison *c, uint32_t metric)
{
    double number[WEIR_COMPARISON_SEEDS_MAX], other[WEIR_COMPARISON_SEEDS_MAX], value[WEIR_COMPARISON_LAWS_MAX];
    uint32_t base;
    c->best[metric] = WEIR_COMPARISON_NONE;
    for (uint32_t l = 0; l < c->law_count; l++) {
        numbers_of(c, l, metric, number);
        c->law[l].metric[metric] = weir_estimate_of(number, c->seed_count);
        c->law[l].metric[metric].is_doubtful = c->law[l].doubtful > 0;
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
        d->is_doubtful = c->law[l].doubtful > 0 || c->law[base].doubtful > 0;
        c->law[l].is_beyond[metric] = weir_estimate_has_interval(d) && fabs(d->mean) > d->half_width;
    }
}

bool weir_comparison_ignores_seeds(const struct weir_comparison *c)
{
    bool any = false;
    for (uint32_t m = 0; m < c->metric_count; m++)
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
    for (uint32_t m = 0; m < c->metric_count; m++)
        solve_metric(c, m);
}
