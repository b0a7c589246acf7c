/* src/results/report/answer.c - see answer.h. */
#include "report/answer.h"
#include "core/assert.h"
#include "report/html.h"
#include "report/traffic.h"
#include "reproduce/comparison_read.h"
#include "reproduce/comparison_text.h"
#include "reproduce/settle.h"
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
    if (run->doubt == NULL) /* as on the rest of the page: of endless flows alone nothing is doubted */
        to->doubt[0] = '\0';
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

/* Tests whether a number of a size group is that of all messages, in every run. */
static bool repeats(const struct weir_comparison *c, uint32_t metric, uint32_t all)
{
    for (uint32_t l = 0; l < c->law_count; l++)
        for (uint32_t s = 0; s < c->seed_count; s++) {
            double a = c->law[l].run[s].value[metric], b = c->law[l].run[s].value[all];
            if (c->law[l].run[s].is_done && a != b && !(isnan(a) && isnan(b)))
                return false;
        }
    return true;
}

bool weir_answer_says(const struct weir_comparison *c, uint32_t metric)
{
    if (!weir_comparison_is_shown(c, metric))
        return false;
    for (uint32_t m = 0; m < c->metric_count && c->metric[metric].is_group; m++)
        if (!c->metric[m].is_group && c->metric[m].row.unit == c->metric[metric].row.unit && repeats(c, metric, m))
            return false;
    return true;
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
        return "no number";
    if (l->doubtful > 0) /* the dot is hollow */
        return "";
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
 * known. One in doubt only if no other law is there. WEIR_COMPARISON_NONE = there is none. */
static uint32_t next_best(const struct weir_comparison *c, uint32_t metric)
{
    uint32_t next = WEIR_COMPARISON_NONE;
    for (uint32_t l = 0; l < c->law_count; l++) {
        const struct weir_estimate *d = &c->law[l].difference[metric];
        if (l == c->best[metric] || d->count == 0 || is_alike(c, metric, l))
            continue;
        if (next != WEIR_COMPARISON_NONE && weir_comparison_is_sound(c, l) != weir_comparison_is_sound(c, next)) {
            next = weir_comparison_is_sound(c, l) ? l : next;
            continue;
        }
        if (next == WEIR_COMPARISON_NONE || fabs(d->mean) < fabs(c->law[next].difference[metric].mean))
            next = l;
    }
    return next;
}

/* Returns the first run in doubt of a set; NULL = there is none. */
static const struct weir_run *first_doubtful(const struct weir_answer *a, uint32_t law)
{
    const struct weir_run *run = a->group->run, *end = run + a->group->count;
    for (uint32_t l = 0; l < law; l++)
        run += weir_runs_set(run, (size_t)(end - run));
    for (size_t i = 0, n = weir_runs_set(run, (size_t)(end - run)); i < n; i++)
        if (run[i].doubt != NULL)
            return &run[i];
    return NULL;
}

/* Writes how many messages of a set had not ended, if the number is one of messages: they are left out of it. */
static void put_left_out(FILE *out, const struct weir_comparison *c, uint32_t metric, uint32_t law)
{
    if (strncmp(c->metric[metric].name, "slowdown", 8) != 0)
        return;
    for (uint32_t m = 0; m < c->metric_count; m++) {
        const struct weir_estimate *e = &c->law[law].metric[m];
        if (strcmp(c->metric[m].name, "unfinished.messages") == 0 && e->count > 0 && e->mean > 0)
            (void)fprintf(out, "; %s unfinished messages%s are left out of it",
                          weir_number_text(round(e->mean), WEIR_UNIT_COUNT).text,
                          c->law[law].done > 1 ? " of a run" : "");
    }
}

/* Writes ", but 2 of its 3 runs are too short". */
static void put_but(FILE *out, const struct weir_comparison_law *law, enum weir_advice_kind kind)
{
    WEIR_ASSERT(law->doubtful > 0 && law->doubtful <= law->done);
    (void)fputs(", but ", out);
    if (law->doubtful < law->done)
        (void)fprintf(out, "%u of its %u runs", (unsigned)law->doubtful, (unsigned)law->done);
    else
        (void)fputs(law->done == 1 ? "its run" : "its runs", out);
    (void)fprintf(out, " %s", weir_settle_predicate(kind, law->doubtful > 1));
}

/* Writes the sentence of sets of which none can be called best: which would be, and why it is in doubt. */
static void put_none(FILE *out, const struct weir_answer *a, uint32_t metric)
{
    const struct weir_comparison *c = a->c;
    uint32_t best = c->best[metric], next = next_best(c, metric);
    const struct weir_run *run = first_doubtful(a, best);
    bool least = c->metric[metric].row.better != WEIR_METRIC_GREATEST;
    char title[WEIR_COMPARISON_TITLE], text[NUMBER_MAX_BYTES];
    (void)fputs("<strong>None can be called best</strong>: ", out);
    weir_html_text(out, c->law[best].name);
    (void)fprintf(out, " has the %s ", least ? "lowest" : "highest");
    weir_html_text(out, weir_comparison_title(title, c, metric));
    (void)fprintf(out, ", <strong>%s</strong>", number(c, metric, &c->law[best].metric[metric], text));
    if (next != WEIR_COMPARISON_NONE) {
        (void)fputs(" (next is ", out);
        weir_html_text(out, c->law[next].name);
        (void)fprintf(out, ", %s)", number(c, metric, &c->law[next].metric[metric], text));
    }
    if (run != NULL)
        put_but(out, &c->law[best], run->settles);
    else
        (void)fprintf(out, ", but only %u of its %u runs %s done", (unsigned)c->law[best].done, (unsigned)c->seed_count,
                      c->law[best].done == 1 ? "is" : "are");
    put_left_out(out, c, metric, best);
    (void)fputc('.', out);
}

static void put_verdict(FILE *out, const struct weir_answer *a, uint32_t metric)
{
    const struct weir_comparison *c = a->c;
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
    if (!weir_comparison_is_sound(c, best)) {
        put_none(out, a, metric);
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
                  !weir_comparison_is_sound(c, next)                             ? ", in doubt"
                  : weir_estimate_has_interval(&c->law[next].difference[metric]) ? ", paired by seed"
                                                                                 : "");
}

enum standing { BEST, ALIKE, NOT_BEST };

/* Returns how the best law of the verdict stands by another number; -1 = that number does not count. */
static int standing_by(const struct weir_comparison *c, uint32_t metric, uint32_t other)
{
    if (other == metric || !weir_answer_says(c, other) || !c->metric[other].judged ||
        c->best[other] == WEIR_COMPARISON_NONE)
        return -1;
    if (is_alike(c, other, c->best[metric]) || count_alike(c, other) + 1 == c->law_count)
        return ALIKE;
    return c->best[other] == c->best[metric] ? BEST : NOT_BEST;
}

/* Writes by which of the other numbers the best law of the verdict is best, too. */
static void put_others(FILE *out, const struct weir_comparison *c, uint32_t metric)
{
    static const char *const phrase[] = { "best by ", "no different from the best by ", "not best by " };
    bool said = false;
    for (int s = BEST; s <= NOT_BEST; s++) {
        bool any = false;
        for (uint32_t m = 0; m < c->metric_count; m++) {
            if (standing_by(c, metric, m) != s)
                continue;
            if (!said) {
                (void)fputs(" Other numbers of ", out);
                weir_html_text(out, c->law[c->best[metric]].name);
                (void)fputs(": ", out);
            }
            (void)fputs(any ? ", " : said ? "; " : "", out);
            (void)fputs(any ? "" : phrase[s], out);
            weir_html_element(out, "em", NULL, c->metric[m].row.title);
            any = said = true;
        }
    }
    (void)fputs(said ? "." : "", out);
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
    (void)fprintf(out, "</span>: <a href=\"#why%zu\">all findings</a>.", a->part);
}

void weir_answer_sentences(FILE *out, const struct weir_answer *a, const char *title)
{
    uint32_t metric = a->c != NULL ? lead(a->c) : WEIR_COMPARISON_NONE;
    (void)fputs("<p class=\"verdict\">", out);
    weir_html_text(out, title);
    (void)fputs(title[0] != '\0' ? ": " : "", out);
    if (metric != WEIR_COMPARISON_NONE) {
        put_verdict(out, a, metric);
        if (weir_comparison_is_sound(a->c, a->c->best[metric]))
            put_others(out, a->c, metric);
        if (a->c->seed_count < 3)
            (void)fprintf(out, " %s, so there are no intervals.", a->c->seed_count == 1 ? "One seed" : "Two seeds");
    }
    if (a->c == NULL && !a->is_secondary && weir_set_count(a->group->run, a->group->count) > 1)
        (void)fputs("The sets have different traffic or are many, so none is called best.", out);
    put_doubts(out, a);
    (void)fputs("</p>\n", out);
}
