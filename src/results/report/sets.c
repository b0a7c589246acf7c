/* src/results/report/sets.c - see sets.h. */
#include "report/sets.h"
#include "means/interval.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SHARE_STEPS 50    /* shares of a merged distribution in equal steps */
#define TAIL_PER_DECADE 8 /* more shares near 1, for the tail: this many for each factor of ten in 1 - share */
#define TAIL_DECADES 6

struct weir_set weir_set_first(const struct weir_run *run, size_t count)
{
    return (struct weir_set){ run, weir_runs_set(run, count) };
}

size_t weir_set_count(const struct weir_run *run, size_t count)
{
    size_t sets = 0;
    for (size_t i = 0; i < count; i += weir_runs_set(&run[i], count - i))
        sets++;
    return sets;
}

static bool is_done(const struct weir_run *run)
{
    return strcmp(weir_run_text_of(run, WEIR_RUN_STATUS), "done") == 0;
}

/* Counts the sets of the law of run[at] that are done, among all, and among those before it. */
static size_t sets_of_law(const struct weir_run *run, size_t count, size_t at, size_t *before)
{
    const char *law = weir_run_text_of(&run[at], WEIR_RUN_PROTOCOL);
    size_t sets = 0;
    *before = 0;
    for (size_t i = 0; i < count; i += weir_runs_set(&run[i], count - i)) {
        if (strcmp(weir_run_text_of(&run[i], WEIR_RUN_PROTOCOL), law) != 0 || !is_done(&run[i]))
            continue;
        sets++;
        *before += i < at;
    }
    return sets;
}

void weir_sets_style(struct weir_run *run, size_t count)
{
    for (size_t i = 0, n; i < count; i += n) {
        size_t variant, variants = sets_of_law(run, count, i, &variant);
        if (!is_done(&run[i])) /* it is thin, so the others need no other shade */
            variant = 0, variants = 1;
        struct weir_line_style style =
            weir_line_style_of(weir_run_text_of(&run[i], WEIR_RUN_PROTOCOL), variant, variants);
        n = weir_runs_set(&run[i], count - i);
        for (size_t k = 0; k < n; k++)
            run[i + k].style = style;
    }
}

bool weir_set_any_doubtful(const struct weir_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        if (weir_run_doubtful(&set->run[i]))
            return true;
    return false;
}

struct weir_spread weir_set_spread(const struct weir_set *set, enum weir_run_value value)
{
    struct weir_spread s = { .mean = (double)NAN, .low = (double)NAN, .high = (double)NAN, .half_width = (double)NAN };
    double sum = 0, squares = 0;
    for (size_t i = 0; i < set->count; i++) {
        double here = set->run[i].value[value];
        if (isnan(here))
            continue;
        s.low = s.count == 0 || here < s.low ? here : s.low;
        s.high = s.count == 0 || here > s.high ? here : s.high;
        sum += here;
        s.count++;
    }
    if (s.count > 0)
        s.mean = sum / (double)s.count;
    for (size_t i = 0; i < set->count; i++)
        if (!isnan(set->run[i].value[value]))
            squares += (set->run[i].value[value] - s.mean) * (set->run[i].value[value] - s.mean);
    if (s.count >= WEIR_INTERVAL_RUNS_MIN && !weir_set_any_doubtful(set))
        s.half_width = weir_half_width_95(squares, (uint32_t)s.count);
    return s;
}

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to average runs");
}

static int by_x(const void *left, const void *right)
{
    const struct weir_plot_point *a = left, *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->y > b->y) - (a->y < b->y); /* a fixed order: the sum of the points of one x depends on their order */
}

/* Returns the mean of `count` points of the same x, sorted by y, with their least and greatest y as its band. */
static struct weir_plot_point mean_of(const struct weir_plot_point *p, size_t count)
{
    struct weir_plot_point mean = { .x = p->x, .lo = p->lo, .hi = p->hi, .low = p->y, .high = p[count - 1].y };
    for (size_t i = 0; i < count; i++) {
        mean.y += p[i].y / (double)count;
        mean.count += p[i].count / (double)count;
    }
    mean.y = mean.y < mean.low ? mean.low : mean.y > mean.high ? mean.high : mean.y; /* against rounding errors */
    return mean;
}

static int merge_x(struct weir_curve *curve, const struct weir_curve *part, size_t parts, struct weir_err *err)
{
    struct weir_plot_point *all;
    size_t total = 0;
    int code = 0;
    for (size_t i = 0; i < parts; i++)
        total += part[i].count;
    all = malloc((total + 1) * sizeof(*all));
    if (all == NULL)
        return no_memory(err);
    total = 0;
    for (size_t i = 0; i < parts; i++)
        for (size_t k = 0; k < part[i].count; k++)
            if (isfinite(part[i].point[k].y))
                all[total++] = part[i].point[k];
    qsort(all, total, sizeof(*all), by_x);
    for (size_t first = 0, end; first < total && code == 0; first = end) {
        struct weir_plot_point mean;
        for (end = first + 1; end < total && all[end].x == all[first].x;)
            end++;
        mean = mean_of(&all[first], end - first);
        code = weir_curve_add(curve, &mean, err);
    }
    free(all);
    return code;
}

static int rising(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Lists the shares at which distributions are merged, in ascending order: the shares of the table, shares in equal
 * steps, and finer steps towards 1. Leaves out shares above `last` other than 1. share: has room for
 * WEIR_QUANTILE_COUNT + SHARE_STEPS + TAIL_PER_DECADE * TAIL_DECADES. Returns the number of shares. */
static size_t all_shares(double *share, double last)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < WEIR_QUANTILE_COUNT; i++)
        share[count++] = weir_quantiles[i].share;
    for (size_t i = 0; i < SHARE_STEPS; i++)
        share[count++] = (double)i / SHARE_STEPS;
    for (size_t i = TAIL_PER_DECADE / 2; i < TAIL_PER_DECADE * (size_t)TAIL_DECADES; i++)
        share[count++] = 1 - pow(10, -(double)i / TAIL_PER_DECADE);
    qsort(share, count, sizeof(*share), rising);
    for (size_t i = 0; i < count; i++)
        if ((share[i] <= last || share[i] == 1) && (kept == 0 || share[i] > share[kept - 1]))
            share[kept++] = share[i];
    return kept;
}

static int merge_shares(struct weir_curve *curve, const struct weir_curve *part, size_t parts, struct weir_err *err)
{
    double share[WEIR_QUANTILE_COUNT + SHARE_STEPS + TAIL_PER_DECADE * TAIL_DECADES], last = 0;
    size_t shares, used = 0;
    int code = 0;
    for (size_t i = 0; i < parts; i++) {
        used += part[i].count > 0;
        if (part[i].count > 1 && part[i].point[part[i].count - 2].y > last)
            last = part[i].point[part[i].count - 2].y; /* greatest share that is below the last bucket of a run */
    }
    shares = used > 0 ? all_shares(share, last) : 0;
    for (size_t s = 0; s < shares && code == 0; s++) {
        struct weir_plot_point p = { .y = share[s], .low = (double)INFINITY, .high = -(double)INFINITY };
        for (size_t i = 0; i < parts; i++) {
            double x = weir_curve_quantile(&part[i], share[s]);
            if (part[i].count == 0)
                continue;
            p.x += x / (double)used;
            p.low = fmin(p.low, x);
            p.high = fmax(p.high, x);
        }
        code = weir_curve_add(curve, &p, err);
    }
    return code;
}

int weir_set_curve(struct weir_curve *curve, const struct weir_set *set, const struct weir_curve_source *source,
                   struct weir_err *err)
{
    struct weir_curve *part;
    int code = 0;
    if (set->count == 1)
        return weir_curve_read(curve, set->run, source, err);
    part = calloc(set->count, sizeof(*part));
    if (part == NULL)
        return no_memory(err);
    for (size_t i = 0; i < set->count && code == 0; i++)
        code = weir_curve_read(&part[i], &set->run[i], source, err);
    for (size_t i = 0; i < set->count; i++)
        curve->runs += part[i].count > 0; /* files of an older Weir may not have the data */
    if (code == 0)
        code = source->kind == WEIR_SOURCE_HISTOGRAM ? merge_shares(curve, part, set->count, err)
                                                     : merge_x(curve, part, set->count, err);
    for (size_t i = 0; i < set->count; i++)
        free(part[i].point);
    free(part);
    return code;
}
