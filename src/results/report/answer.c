/* src/results/report/answer.c - see answer.h. */
#include "report/answer.h"
#include "report/html.h"
#include "report/traffic.h"
#include "reproduce/comparison_read.h"
#include "reproduce/comparison_text.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMED_MAX 4u /* most sets that a sentence names; of more it has the number */
#define NUMBER_MAX_BYTES 96
#define TRAFFIC_MAX_BYTES 512

static bool is_done(const struct weir_run *run)
{
    return strcmp(weir_run_text_of(run, WEIR_RUN_STATUS), "done") == 0;
}

static void count_runs(struct weir_answer *a)
{
    a->runs = a->group->count;
    for (size_t i = 0; i < a->runs; i++) {
        a->undone += !is_done(&a->group->run[i]);
        a->doubtful += is_done(&a->group->run[i]) && weir_run_note(&a->group->run[i]) != NULL;
    }
}

/* Returns the index of a seed among those of the runs before it that differ; their number so far is *count. */
static size_t seed_index(const char **seed, size_t *count, const char *text)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(seed[i], text) == 0)
            return i;
    if (*count < WEIR_COMPARISON_SEEDS_MAX)
        seed[(*count)++] = text;
    else
        return WEIR_COMPARISON_SEEDS_MAX;
    return *count - 1;
}

/* Tests whether all runs of a group have the same traffic. */
static bool same_traffic(const struct weir_group *group)
{
    char first[TRAFFIC_MAX_BYTES], other[TRAFFIC_MAX_BYTES];
    weir_traffic_text(first, sizeof(first), weir_run_text_of(&group->run[0], WEIR_RUN_SCENARIO));
    for (size_t i = 1; i < group->count; i++) {
        weir_traffic_text(other, sizeof(other), weir_run_text_of(&group->run[i], WEIR_RUN_SCENARIO));
        if (strcmp(first, other) != 0)
            return false;
    }
    return true;
}

/* Tests whether a group can be compared: two sets or more of the same traffic, but not more laws or seeds than a
 * comparison has. Sets *seeds to the number of seeds. */
static bool is_comparable(const struct weir_group *group, size_t *seeds)
{
    const char *seed[WEIR_COMPARISON_SEEDS_MAX];
    size_t sets = weir_set_count(group->run, group->count);
    *seeds = 0;
    for (size_t i = 0; i < group->count; i++)
        if (seed_index(seed, seeds, weir_run_text_of(&group->run[i], WEIR_RUN_SEED)) == WEIR_COMPARISON_SEEDS_MAX)
            return false;
    return sets >= 2 && sets <= WEIR_COMPARISON_LAWS_MAX && same_traffic(group);
}

static void read_run(struct weir_answer *a, const struct weir_run *run, struct weir_comparison_run *to)
{
    const struct weir_point point = { .state = is_done(run) ? WEIR_POINT_DONE : WEIR_POINT_FAILED,
                                      .store = run->db->store,
                                      .run = run->id };
    weir_comparison_read(&point, a->c, to);
}

static void read_runs(struct weir_answer *a)
{
    const char *seed[WEIR_COMPARISON_SEEDS_MAX];
    const struct weir_group *group = a->group;
    size_t seeds = 0;
    for (size_t i = 0; i < group->count; i++) { /* seeds have the same numbers as in is_comparable() */
        if (i == 0 || group->run[i].set != group->run[i - 1].set) {
            struct weir_comparison_law *law = &a->c->law[a->c->law_count];
            *law = (struct weir_comparison_law){ .name = group->run[i].text[WEIR_RUN_LABEL] };
            law->run = a->run + (size_t)a->c->law_count++ * a->c->seed_count;
        }
        read_run(a, &group->run[i],
                 &a->c->law[a->c->law_count - 1]
                      .run[seed_index(seed, &seeds, weir_run_text_of(&group->run[i], WEIR_RUN_SEED))]);
    }
}

static bool has_jobs(const struct weir_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (isfinite(group->run[i].value[WEIR_RUN_JOB_MEAN]))
            return true;
    return false;
}

static bool has_bandwidths(const struct weir_group *group)
{
    for (size_t i = 0; i < group->count; i++)
        if (isfinite(group->run[i].value[WEIR_RUN_BUSBW]))
            return true;
    return false;
}

int weir_answer_make(struct weir_answer *a, const struct weir_group *group, size_t part, struct weir_err *err)
{
    size_t seeds;
    *a = (struct weir_answer){ .group = group, .part = part };
    count_runs(a);
    if (!is_comparable(group, &seeds))
        return 0;
    a->c = calloc(1, sizeof(*a->c));
    a->run = calloc(weir_set_count(group->run, group->count) * seeds, sizeof(*a->run));
    if (a->c == NULL || a->run == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to compare the runs");
    a->c->seed_count = (uint32_t)seeds;
    a->c->baseline = WEIR_COMPARISON_NONE;
    weir_comparison_usual(a->c);
    if (has_jobs(group))
        weir_comparison_lead_jobs(a->c, has_bandwidths(group));
    read_runs(a);
    weir_comparison_solve(a->c);
    return 0;
}

void weir_answer_free(struct weir_answer *a)
{
    free(a->c);
    free(a->run);
    *a = (struct weir_answer){ 0 };
}

/* Tests whether a law does not differ from the best one of a metric by more than its interval. */
static bool is_alike(const struct weir_comparison *c, uint32_t metric, uint32_t law)
{
    return law != c->best[metric] && weir_estimate_has_interval(&c->law[law].difference[metric]) &&
           !c->law[law].is_beyond[metric];
}

static uint32_t count_alike(const struct weir_comparison *c, uint32_t metric)
{
    uint32_t count = 0;
    for (uint32_t l = 0; l < c->law_count; l++)
        count += is_alike(c, metric, l);
    return count;
}

const char *weir_answer_remark(const struct weir_answer *a, uint32_t metric, uint32_t law, enum weir_dot_kind *kind)
{
    const struct weir_comparison *c = a->c;
    const struct weir_comparison_law *l = &c->law[law];
    bool alone = count_alike(c, metric) < c->law_count - 1; /* else nothing is best */
    *kind = l->done == 0                                 ? WEIR_DOT_BAD
            : l->doubtful > 0 || l->done < c->seed_count ? WEIR_DOT_DOUBTFUL
                                                         : WEIR_DOT_SOUND;
    if (l->done == 0)
        return "no run done";
    if (l->metric[metric].count == 0)
        return "none";
    if (l->doubtful > 0)
        return "in doubt";
    if (!c->metric[metric].judged)
        return "";
    if (is_alike(c, metric, law) || (law == c->best[metric] && !alone))
        return "no difference";
    if (law == c->best[metric] || weir_comparison_is_same(c, metric, law, c->best[metric])) {
        *kind = WEIR_DOT_BEST;
        return "best";
    }
    return "";
}

/* Writes a number with its interval as HTML that is not broken into lines, and returns it. */
static const char *number(const struct weir_comparison *c, uint32_t metric, const struct weir_estimate *e,
                          char out[NUMBER_MAX_BYTES])
{
    double scale = weir_comparison_scale(c, metric);
    double half = weir_estimate_has_interval(e) ? e->half_width / scale : (double)NAN;
    const struct weir_number text = weir_number_spread(fabs(e->mean) / scale, half, WEIR_UNIT_RATIO);
    size_t at = 0;
    for (const char *t = text.text; *t != '\0' && at + 8 < NUMBER_MAX_BYTES; t++)
        at += (size_t)snprintf(out + at, NUMBER_MAX_BYTES - at, "%s", *t == ' ' ? "&nbsp;" : (char[]){ *t, '\0' });
    return out;
}

/* Returns the metric that the verdict is about: the first that is judged, shown, and has a best law, but the median of
 * slowdown only if there is no percentile. WEIR_COMPARISON_NONE = there is none */
static uint32_t lead(const struct weir_comparison *c)
{
    uint32_t first = WEIR_COMPARISON_NONE;
    for (uint32_t m = 0; m < c->metric_count; m++) {
        if (!c->metric[m].judged || c->best[m] == WEIR_COMPARISON_NONE || !weir_comparison_is_shown(c, m))
            continue;
        if (first == WEIR_COMPARISON_NONE)
            first = m;
        if (strcmp(c->metric[m].name, "slowdown.all.p99") == 0)
            return c->metric[first].is_of_jobs ? first : m;
    }
    return first;
}

/* Writes the laws that do not differ from the best: "dctcp, swift and sird", or their number if they are many. */
static void put_alike(FILE *out, const struct weir_comparison *c, uint32_t metric, bool with_best)
{
    uint32_t count = count_alike(c, metric) + with_best, put = 0;
    if (count > NAMED_MAX) {
        (void)fprintf(out, "%u sets", (unsigned)count);
        return;
    }
    for (uint32_t l = 0; l < c->law_count; l++) {
        if (!is_alike(c, metric, l) && !(with_best && l == c->best[metric]))
            continue;
        (void)fputs(put == 0 ? "" : put + 1 == count ? " and " : ", ", out);
        weir_html_text(out, c->law[l].name);
        put++;
    }
}

/* Returns the law that is nearest to the best one of a metric among those that differ from it, or of which this is not
 * known; WEIR_COMPARISON_NONE = there is none. */
static uint32_t next_best(const struct weir_comparison *c, uint32_t metric)
{
    uint32_t next = WEIR_COMPARISON_NONE;
    for (uint32_t l = 0; l < c->law_count; l++) {
        const struct weir_estimate *d = &c->law[l].difference[metric];
        if (l == c->best[metric] || d->count == 0 || is_alike(c, metric, l) || !weir_comparison_is_sound(c, l))
            continue;
        if (next == WEIR_COMPARISON_NONE || fabs(d->mean) < fabs(c->law[next].difference[metric].mean))
            next = l;
    }
    return next;
}

static void put_verdict(FILE *out, const struct weir_comparison *c, uint32_t metric)
{
    char title[WEIR_COMPARISON_TITLE], text[NUMBER_MAX_BYTES];
    uint32_t best = c->best[metric], alike = count_alike(c, metric), next = next_best(c, metric);
    if (alike + 1 == c->law_count) {
        (void)fputs("<strong>No difference</strong> in ", out);
        weir_html_text(out, weir_comparison_title(title, c, metric));
        (void)fputs(" between ", out);
        put_alike(out, c, metric, true);
        (void)fprintf(out, ", paired by seed (%u seeds).", (unsigned)c->seed_count);
        return;
    }
    (void)fputs("<strong>", out);
    weir_html_text(out, c->law[best].name);
    (void)fputs(" is best</strong> by ", out);
    weir_html_text(out, weir_comparison_title(title, c, metric));
    (void)fprintf(out, ": <strong>%s</strong>.", number(c, metric, &c->law[best].metric[metric], text));
    if (alike > 0) {
        (void)fputs(" No difference from it: ", out);
        put_alike(out, c, metric, false);
        (void)fputc('.', out);
    }
    if (next == WEIR_COMPARISON_NONE)
        return;
    (void)fputs(" Next is ", out);
    weir_html_text(out, c->law[next].name);
    (void)fprintf(out, ", %s by %s%s.", c->law[next].difference[metric].mean < 0 ? "lower" : "higher",
                  number(c, metric, &c->law[next].difference[metric], text),
                  weir_estimate_has_interval(&c->law[next].difference[metric]) ? ", paired by seed" : "");
}

/* Writes how many of the judged numbers the best law of the verdict is best by, too. */
static void put_others(FILE *out, const struct weir_comparison *c, uint32_t metric)
{
    uint32_t judged = 0, best = 0, alike = 0;
    for (uint32_t m = 0; m < c->metric_count; m++) {
        if (m == metric || !c->metric[m].judged || c->best[m] == WEIR_COMPARISON_NONE ||
            !weir_comparison_is_shown(c, m))
            continue;
        judged++;
        if (is_alike(c, m, c->best[metric]) || count_alike(c, m) + 1 == c->law_count)
            alike++;
        else
            best += c->best[m] == c->best[metric];
    }
    if (judged == 0)
        return;
    (void)fprintf(out, " Of %u other numbers it is best by %u", (unsigned)judged, (unsigned)best);
    if (alike > 0)
        (void)fprintf(out, ", and by %u no different from the best", (unsigned)alike);
    (void)fputc('.', out);
}

static void put_doubts(FILE *out, const struct weir_answer *a)
{
    size_t doubtful = a->doubtful;
    if (a->c != NULL) {
        doubtful = 0;
        for (uint32_t l = 0; l < a->c->law_count; l++)
            doubtful += a->c->law[l].doubtful;
    }
    if (doubtful + a->undone == 0) {
        (void)fprintf(out, " %s", a->runs == 1 ? "The run is not in doubt." : "No run is in doubt.");
        return;
    }
    (void)fputs(" <span class=\"bad\">", out);
    if (doubtful > 0)
        (void)fprintf(out, "%zu of %zu run%s %s in doubt%s", doubtful, a->runs, a->runs == 1 ? "" : "s",
                      doubtful == 1 ? "is" : "are", a->undone > 0 ? ", " : "");
    if (a->undone > 0)
        (void)fprintf(out, "%zu of %zu %s not done", a->undone, a->runs, a->undone == 1 ? "is" : "are");
    (void)fprintf(out, "</span>: <a href=\"#why%zu\">why</a>.", a->part);
}

void weir_answer_sentences(FILE *out, const struct weir_answer *a, const char *title)
{
    uint32_t metric = a->c != NULL ? lead(a->c) : WEIR_COMPARISON_NONE;
    (void)fputs("<p class=\"verdict\">", out);
    weir_html_text(out, title);
    (void)fputs(title[0] != '\0' ? ": " : "", out);
    if (metric != WEIR_COMPARISON_NONE) {
        put_verdict(out, a->c, metric);
        put_others(out, a->c, metric);
        if (a->c->seed_count < 3)
            (void)fprintf(out, " %s, so there are no intervals.", a->c->seed_count == 1 ? "One seed" : "Two seeds");
    }
    if (a->c == NULL && weir_set_count(a->group->run, a->group->count) > 1)
        (void)fputs("The sets have different traffic or are many, so none is called best.", out);
    put_doubts(out, a);
    (void)fputs("</p>\n", out);
}
