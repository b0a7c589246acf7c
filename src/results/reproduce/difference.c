/* src/results/reproduce/difference.c - pairs the runs of two result files, and computes which numbers moved; see
 * difference.h. */
#include "reproduce/difference.h"
#include "reproduce/results.h"
#include "core/assert.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PPM 1e6

/* --- names of groups --- */

void weir_difference_label(char *out, size_t size, const char *label, uint64_t seed)
{
    static const char before_seed[] = " seed";
    char digits[24];
    const char *at = NULL;
    size_t length = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, seed), kept;
    for (const char *next = strpbrk(label, "- "); next != NULL; next = strpbrk(next + 1, "- "))
        if (strncmp(next + 1, digits, length) == 0 && strchr("- ", next[1 + length]) != NULL)
            at = next; /* the last part that is the seed; strchr() also finds the NUL at the end */
    if (at == NULL) {
        (void)snprintf(out, size, "%s", label);
        return;
    }
    kept = (size_t)(at - label);
    if (kept >= sizeof(before_seed) - 1 &&
        strncmp(at - (sizeof(before_seed) - 1), before_seed, sizeof(before_seed) - 1) == 0)
        kept -= sizeof(before_seed) - 1;
    (void)snprintf(out, size, "%.*s%s", (int)kept, label, at + 1 + length);
}

/* --- pairs --- */

static int by_name(const void *left, const void *right)
{
    const struct weir_difference_run *a = left, *b = right;
    int order = strcmp(a->figure, b->figure);
    if (order == 0)
        order = strcmp(a->label, b->label);
    if (order == 0)
        order = (a->seed > b->seed) - (a->seed < b->seed);
    return order != 0 ? order : (a->id > b->id) - (a->id < b->id);
}

static bool is_same_name(const struct weir_difference_run *a, const struct weir_difference_run *b)
{
    return a->seed == b->seed && strcmp(a->label, b->label) == 0 && strcmp(a->figure, b->figure) == 0;
}

static int by_text(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Returns the figures of a file's runs, sorted, in the arena; NULL = no memory. */
static const char **sorted_figures(const struct weir_difference *d, const struct weir_difference_file *file)
{
    const char **figure = weir_tree_arena_take(d->arena, (file->count + 1) * sizeof(const char *));
    for (uint32_t i = 0; figure != NULL && i < file->count; i++)
        figure[i] = file->run[i].figure;
    if (figure != NULL)
        qsort(figure, file->count, sizeof(*figure), by_text);
    return figure;
}

/* Sets *shared: whether both files have runs of one figure. If not, figures are named after files that were renamed,
 * and do not count. @return 0, or WEIR_E_MEMORY with err */
static int find_shared(const struct weir_difference *d, bool *shared, struct weir_err *err)
{
    const char **a = sorted_figures(d, &d->file[0]), **b = sorted_figures(d, &d->file[1]);
    uint32_t i = 0, k = 0;
    if (a == NULL || b == NULL)
        return weir_fail_memory(err);
    *shared = false;
    while (i < d->file[0].count && k < d->file[1].count && !*shared) {
        int order = strcmp(a[i], b[k]);
        *shared = order == 0;
        i += order < 0;
        k += order > 0;
    }
    return 0;
}

static bool is_done(const struct weir_difference_run *run)
{
    return strcmp(run->status, "done") == 0;
}

/* Keeps the newest of the runs of one name; a done run counts before one that is not. The runs are sorted. */
static int drop_older(struct weir_difference_file *file, struct weir_err *err)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < file->count; i++) {
        struct weir_difference_run *last = kept > 0 ? &file->run[kept - 1] : NULL, *run = &file->run[i];
        if (last == NULL || !is_same_name(last, run)) {
            file->run[kept++] = *run;
            continue;
        }
        if (is_done(last) && is_done(run) && strcmp(last->scenario, run->scenario) != 0)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir run --label NAME tells runs apart",
                             "%s: runs %" PRId64 " and %" PRId64 " are both called %.80s, have seed %" PRIu64
                             ", and differ in their settings",
                             file->path, last->id, run->id, run->label, run->seed);
        file->older += is_done(last) && is_done(run);
        if (is_done(run) || !is_done(last))
            *last = *run;
    }
    file->count = kept;
    return 0;
}

/* Sorts the pairs into groups by the label without the seed, then by seed. */
static int by_group(const void *left, const void *right)
{
    const struct weir_difference_pair *a = left, *b = right;
    char x[sizeof(((struct weir_difference_group *)NULL)->label)], y[sizeof(x)];
    int order = strcmp(a->before->figure, b->before->figure);
    weir_difference_label(x, sizeof(x), a->before->label, a->before->seed);
    weir_difference_label(y, sizeof(y), b->before->label, b->before->seed);
    if (order == 0)
        order = strcmp(x, y);
    if (order == 0)
        order = (a->before->seed > b->before->seed) - (a->before->seed < b->before->seed);
    return order != 0 ? order : strcmp(a->before->label, b->before->label);
}

/* Tests whether two lines are of the same key of section run, and of one that may differ within a group. These are the
 * seed and the length: with measure: auto each seed has its own. */
static bool may_differ(const char *a, const char *b)
{
    static const char *const key[] = { "  seed: ", "  warmup: ", "  measure: " };
    for (size_t i = 0; i < sizeof(key) / sizeof(key[0]); i++)
        if (strncmp(a, key[i], strlen(key[i])) == 0 && strncmp(b, key[i], strlen(key[i])) == 0)
            return true;
    return false;
}

/* Tests whether two scenarios are equal but for seed and length: their texts have every key, in the same order. */
static bool is_equal_but_seed(const char *a, const char *b)
{
    while (*a != '\0' || *b != '\0') {
        size_t m = strcspn(a, "\n"), n = strcspn(b, "\n");
        if (!may_differ(a, b) && (m != n || memcmp(a, b, m) != 0))
            return false;
        a += m + (a[m] != '\0');
        b += n + (b[n] != '\0');
    }
    return true;
}

static bool is_same_group(const struct weir_difference_group *group, const struct weir_difference_pair *first,
                          const struct weir_difference_pair *pair)
{
    char label[sizeof(group->label)];
    weir_difference_label(label, sizeof(label), pair->before->label, pair->before->seed);
    return strcmp(label, group->label) == 0 && strcmp(first->before->figure, pair->before->figure) == 0 &&
           is_equal_but_seed(first->before->scenario, pair->before->scenario) &&
           is_equal_but_seed(first->after->scenario, pair->after->scenario);
}

/* Tests whether one run of a pair alone has run.statistics: sampled. */
static bool is_unlike(const struct weir_difference_pair *pair)
{
    WEIR_ASSERT(is_done(pair->before) && is_done(pair->after));
    return weir_results_are_sampled(pair->before->scenario) != weir_results_are_sampled(pair->after->scenario);
}

static bool differs(const char *a, const char *b)
{
    return a != NULL && b != NULL && strcmp(a, b) != 0;
}

static int make_groups(struct weir_difference *d, struct weir_err *err)
{
    qsort(d->pair, d->pair_count, sizeof(*d->pair), by_group);
    d->group = weir_tree_arena_take(d->arena, d->pair_count * sizeof(*d->group));
    if (d->group == NULL)
        return weir_fail_memory(err);
    for (uint32_t i = 0; i < d->pair_count; i++) {
        struct weir_difference_group *group = d->group_count > 0 ? &d->group[d->group_count - 1] : NULL;
        if (group == NULL || !is_same_group(group, &d->pair[group->first], &d->pair[i])) {
            group = &d->group[d->group_count++];
            group->first = i;
            weir_difference_label(group->label, sizeof(group->label), d->pair[i].before->label,
                                  d->pair[i].before->seed);
        }
        group->count++;
        group->digests += differs(d->pair[i].before->digest, d->pair[i].after->digest);
        d->unlike += is_unlike(&d->pair[i]);
    }
    return 0;
}

/* Adds a done run to those without a partner. partner: a run of the same name that is not done; NULL = none */
static void add_alone(struct weir_difference *d, uint32_t which, struct weir_difference_run *run,
                      const struct weir_difference_run *partner)
{
    if (!is_done(run))
        return;
    run->partner = partner != NULL ? partner->status : NULL;
    d->alone[which][d->alone_count[which]++] = run;
}

/* Pairs two sorted lists of runs. A run that is not done has no partner. */
static void match(struct weir_difference *d)
{
    const struct weir_difference_file *a = &d->file[0], *b = &d->file[1];
    uint32_t i = 0, k = 0;
    while (i < a->count || k < b->count) {
        struct weir_difference_run x, y;
        int order = i == a->count ? 1 : k == b->count ? -1 : 0;
        if (order == 0) {
            x = a->run[i];
            y = b->run[k];
            x.id = y.id = 0;
            order = by_name(&x, &y);
        }
        if (order == 0 && is_done(&a->run[i]) && is_done(&b->run[k])) {
            d->pair[d->pair_count++] = (struct weir_difference_pair){ &a->run[i], &b->run[k] };
        } else {
            if (order <= 0)
                add_alone(d, 0, &a->run[i], order == 0 ? &b->run[k] : NULL);
            if (order >= 0)
                add_alone(d, 1, &b->run[k], order == 0 ? &a->run[i] : NULL);
        }
        i += order <= 0;
        k += order >= 0;
    }
}

int weir_difference_pair(struct weir_difference *d, struct weir_err *err)
{
    uint32_t most = d->file[0].count + d->file[1].count;
    bool by_figure = false;
    int code = find_shared(d, &by_figure, err);
    for (uint32_t s = 0; s < 2 && code == 0; s++) {
        struct weir_difference_file *file = &d->file[s];
        for (uint32_t i = 0; i < file->count && !by_figure; i++)
            file->run[i].figure = "";
        qsort(file->run, file->count, sizeof(*file->run), by_name);
        code = drop_older(file, err);
    }
    if (code != 0)
        return code;
    d->pair = weir_tree_arena_take(d->arena, (most + 1) * sizeof(*d->pair));
    d->alone[0] = weir_tree_arena_take(d->arena, (most + 1) * sizeof(const struct weir_difference_run *));
    d->alone[1] = weir_tree_arena_take(d->arena, (most + 1) * sizeof(const struct weir_difference_run *));
    if (d->pair == NULL || d->alone[0] == NULL || d->alone[1] == NULL)
        return weir_fail_memory(err);
    match(d);
    if (d->pair_count == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL,
                         "runs pair by label and seed: weir export FILE.db lists those of a file",
                         "%s and %s share no run", d->file[0].path, d->file[1].path);
    return make_groups(d, err);
}

/* --- numbers --- */

/* Tests whether a number changed by more than the tolerance, a share of the number before. */
static bool is_beyond(const struct weir_difference *d, double change, double before)
{
    return fabs(change) > fabs(before) * (double)d->tolerance_ppm / PPM;
}

/* Computes one number of a group. change: room for the numbers of its pairs */
static void solve_number(const struct weir_difference *d, const struct weir_difference_group *group, uint32_t metric,
                         double *change, struct weir_difference_number *out)
{
    bool any = false, exact = d->metric[metric].row.of_exact;
    *out = (struct weir_difference_number){ 0 };
    for (uint32_t i = 0; i < group->count; i++) {
        double x = d->pair[group->first + i].before->value[metric], y = d->pair[group->first + i].after->value[metric];
        change[i] = y - x; /* NAN if either is */
        out->one_sided += isnan(x) != isnan(y) && !(exact && is_unlike(&d->pair[group->first + i]));
        if (isnan(change[i]))
            continue;
        out->before += x;
        out->after += y;
        any = any || (change[i] != 0 && is_beyond(d, change[i], x));
    }
    out->change = weir_estimate_of(change, group->count);
    if (out->change.count > 0) {
        out->before /= out->change.count;
        out->after /= out->change.count;
    }
    if (out->change.count >= 3)
        any = fabs(out->change.mean) > out->change.half_width && is_beyond(d, out->change.mean, out->before);
    out->moved = any || out->one_sided > 0;
}

static int solve_group(struct weir_difference *d, struct weir_difference_group *group, struct weir_err *err)
{
    double *change = malloc(group->count * sizeof(*change));
    group->number = weir_tree_arena_take(d->arena, (d->metric_count + 1) * sizeof(*group->number));
    if (change == NULL || group->number == NULL) {
        free(change);
        return weir_fail_memory(err);
    }
    for (uint32_t m = 0; m < d->metric_count; m++) {
        struct weir_difference_number *number = &group->number[m];
        if (!d->metric[m].has[0] || !d->metric[m].has[1])
            continue;
        solve_number(d, group, m, change, number);
        group->compared += number->change.count > 0 || number->one_sided > 0;
        group->moved += number->moved;
    }
    free(change);
    d->compared += group->compared;
    d->moved += group->moved;
    d->digests += group->digests;
    return 0;
}

int weir_difference_solve(struct weir_difference *d, struct weir_err *err)
{
    int code = 0;
    WEIR_ASSERT(d->pair_count > 0);
    for (uint32_t g = 0; g < d->group_count && code == 0; g++)
        code = solve_group(d, &d->group[g], err);
    return code;
}
