/* src/results/reproduce/comparison_sentences.c - prints the sentences of a comparison; see comparison_text.h. */
#include "reproduce/comparison_text.h"
#include "text/print.h"
#include <inttypes.h>
#include <string.h>

enum { CELL = 40, LINE = 100 }; /* bytes; columns */

/* An output that is wrapped at column LINE; later lines are indented by four blanks. */
struct wrapped {
    FILE *out;
    size_t column;
};

static void put(struct wrapped *w, const char *text)
{
    size_t length = strlen(text);
    if (w->column > 0 && w->column + 1 + length > LINE) {
        (void)fputs("\n    ", w->out);
        w->column = 4;
    } else if (w->column > 0) {
        (void)fputc(' ', w->out);
        w->column++;
    }
    weir_cli_text(w->out, text); /* a doubt is a text of the result file */
    w->column += length;
}

/* Prints a text that has blanks, wrapped. */
static void put_text(struct wrapped *w, const char *text)
{
    char part[LINE];
    while (*text != '\0') {
        size_t length = strcspn(text, " ");
        (void)snprintf(part, sizeof(part), "%.*s", (int)length, text);
        put(w, part);
        text += length + strspn(text + length, " ");
    }
}

/* Prints the title of a metric and "homa is best, 3.10 +- 0.20", then `end`. */
static void put_best(struct wrapped *w, const struct weir_comparison *c, uint32_t metric, const char *end)
{
    uint32_t best = c->best[metric];
    const struct weir_estimate *e = &c->law[best].metric[metric];
    double scale = weir_comparison_scale(c, metric);
    char mean[WEIR_COMPARISON_NUMBER], half[WEIR_COMPARISON_NUMBER], title[WEIR_COMPARISON_TITLE], text[5 * CELL],
        interval[CELL] = "";
    if (weir_estimate_has_interval(e))
        (void)snprintf(interval, sizeof(interval), " +- %s",
                       weir_comparison_number(half, e->half_width / scale, false));
    (void)snprintf(text, sizeof(text), "%s:", weir_comparison_title(title, c, metric));
    put(w, text);
    (void)snprintf(text, sizeof(text), "%s is best%s, %s%s%s", c->law[best].name,
                   weir_comparison_is_marked(c, best) ? " (!)" : "",
                   weir_comparison_number(mean, e->mean / scale, false), interval, end);
    put(w, text);
}

static void put_difference(struct wrapped *w, const struct weir_comparison *c, uint32_t metric, uint32_t law,
                           const char *end)
{
    const struct weir_estimate *d = &c->law[law].difference[metric];
    double scale = weir_comparison_scale(c, metric);
    char mean[WEIR_COMPARISON_NUMBER], half[WEIR_COMPARISON_NUMBER], text[5 * CELL], interval[CELL] = "";
    const char *flag = weir_comparison_is_marked(c, law) ? " (!)" : "";
    if (weir_estimate_has_interval(d))
        (void)snprintf(interval, sizeof(interval), " +- %s%s",
                       weir_comparison_number(half, d->half_width / scale, false),
                       c->law[law].is_beyond[metric] ? "" : ", no difference");
    else if (d->is_doubtful)
        (void)snprintf(interval, sizeof(interval), ", in doubt");
    if (c->law[law].metric[metric].count == 0)
        (void)snprintf(text, sizeof(text), "%s has none%s", c->law[law].name, end);
    else if (d->count == 0)
        (void)snprintf(text, sizeof(text), "%s%s has no seed in common%s", c->law[law].name, flag, end);
    else if (weir_comparison_is_same(c, metric, law, weir_comparison_base(c, metric)))
        (void)snprintf(text, sizeof(text), "%s%s the same%s", c->law[law].name, flag, end);
    else
        (void)snprintf(text, sizeof(text), "%s%s %s%s%s%s", c->law[law].name, flag, d->mean < 0 ? "" : "+",
                       weir_comparison_number(mean, d->mean / scale, false), interval, end);
    put(w, text);
}

/* Tests whether a law differs from the one that differences are from, or this is not known without an interval. */
static bool may_differ(const struct weir_comparison *c, uint32_t metric, uint32_t law)
{
    return !weir_estimate_has_interval(&c->law[law].difference[metric]) || c->law[law].is_beyond[metric];
}

/* Tests whether there are two laws or more, and each difference is within its interval. */
static bool is_all_alike(const struct weir_comparison *c, uint32_t metric)
{
    uint32_t base = weir_comparison_base(c, metric);
    for (uint32_t l = 0; l < c->law_count; l++)
        if (l != base && may_differ(c, metric, l))
            return false;
    return c->law_count > 1;
}

/* Prints "no difference between dctcp, hpcc and sird (paired by seed, 5 seeds)". */
static void put_alike(struct wrapped *w, const struct weir_comparison *c, uint32_t metric)
{
    uint32_t seeds = c->seed_count, base = weir_comparison_base(c, metric);
    char title[WEIR_COMPARISON_TITLE], text[5 * CELL];
    (void)snprintf(text, sizeof(text), "%s:", weir_comparison_title(title, c, metric));
    put(w, text);
    put_text(w, "no difference between");
    for (uint32_t l = 0; l < c->law_count; l++) {
        const char *end = l + 2 < c->law_count ? "," : l + 2 == c->law_count ? " and" : "";
        uint32_t count = c->law[l].difference[metric].count;
        seeds = l != base && count < seeds ? count : seeds;
        (void)snprintf(text, sizeof(text), "%s%s", c->law[l].name, end);
        put(w, text);
    }
    (void)snprintf(text, sizeof(text), "(paired by seed, %u seeds)", (unsigned)seeds);
    put_text(w, text);
    (void)fputc('\n', w->out);
}

void weir_comparison_sentence(FILE *out, const struct weir_comparison *c, uint32_t metric)
{
    struct wrapped w = { .out = out };
    uint32_t base = weir_comparison_base(c, metric), left = c->law_count - 1;
    char text[5 * CELL];
    if (is_all_alike(c, metric)) {
        put_alike(&w, c, metric);
        return;
    }
    put_best(&w, c, metric, base != c->best[metric] ? "." : left > 0 ? ";" : "");
    if (base != c->best[metric]) {
        (void)snprintf(text, sizeof(text), "From %s:", c->law[base].name);
        put(&w, text);
    }
    for (uint32_t l = 0; l < c->law_count; l++)
        if (l != base)
            put_difference(&w, c, metric, l, --left > 0 ? ";" : "");
    (void)fputc('\n', out);
}

static const char *first_doubt(const struct weir_comparison *c, uint32_t law)
{
    const struct weir_comparison_run *run = c->law[law].run;
    while (!run->is_done || run->doubt[0] == '\0')
        run++;
    return run->doubt;
}

void weir_comparison_doubts(FILE *out, const struct weir_comparison *c)
{
    char text[WEIR_COMPARISON_WHY + 2 * CELL];
    for (uint32_t l = 0; l < c->law_count; l++) {
        struct wrapped w = { .out = out };
        if (c->law[l].done < c->seed_count)
            (void)fprintf(out, "! %s: %u of %u runs are there\n", c->law[l].name, (unsigned)c->law[l].done,
                          (unsigned)c->seed_count);
        if (c->law[l].doubtful == 0)
            continue;
        (void)snprintf(text, sizeof(text), "! %s: %u of %u runs: %s", c->law[l].name, (unsigned)c->law[l].doubtful,
                       (unsigned)c->seed_count, first_doubt(c, l));
        put_text(&w, text);
        (void)fputc('\n', out);
    }
}

void weir_comparison_sampled(FILE *out, const struct weir_comparison *c)
{
    uint32_t sampled = 0, done = 0;
    struct wrapped w = { .out = out };
    char text[5 * CELL];
    for (uint32_t l = 0; l < c->law_count; l++)
        for (uint32_t s = 0; s < c->seed_count; s++) {
            done += c->law[l].run[s].is_done;
            sampled += c->law[l].run[s].is_done && c->law[l].run[s].is_sampled;
        }
    if (sampled == 0)
        return;
    (void)snprintf(
        text, sizeof(text),
        "%u of %u runs have run.statistics: sampled. They have no longest queue (.max), and none is compared "
        "with those of exact runs; the longest sample (.sampled_max) can be.",
        (unsigned)sampled, (unsigned)done);
    put_text(&w, text);
    (void)fputc('\n', out);
}

void weir_comparison_fewer(FILE *out, const struct weir_comparison *c)
{
    char title[WEIR_COMPARISON_TITLE];
    for (uint32_t m = 0; m < c->metric_count; m++)
        for (uint32_t l = 0; l < c->law_count; l++) {
            uint32_t count = c->law[l].metric[m].count;
            if (weir_comparison_is_shown(c, m) && count > 0 && count < c->law[l].done)
                (void)fprintf(out, "%s: %s is the mean over %u of %u runs, the others have none\n", c->law[l].name,
                              weir_comparison_title(title, c, m), (unsigned)count, (unsigned)c->law[l].done);
        }
}

/* Prints "fullest port: leaf 2 > host 17, up to 812 KB queued (dctcp, seed 3); the fullest in 7 of 9 runs". */
static void put_fullest(struct wrapped *w, const struct weir_comparison *c, const struct weir_fullest *f, int kind,
                        uint64_t first_seed)
{
    char number[WEIR_COMPARISON_NUMBER], text[WEIR_FULLEST_NAME + 5 * CELL];
    (void)snprintf(text, sizeof(text), "fullest %s: %s,", kind == WEIR_FULLEST_PORT ? "port" : "link", f->most.name);
    put_text(w, text);
    if (kind == WEIR_FULLEST_PORT)
        (void)snprintf(text, sizeof(text), "up to %s KB queued",
                       weir_comparison_number(number, f->most.value / 1000, false));
    else
        (void)snprintf(text, sizeof(text), "given %.0f %% of what it can carry", f->most.value * 100);
    put_text(w, text);
    (void)snprintf(text, sizeof(text), "(%s, seed %" PRIu64 ")%s", c->law[f->run / c->seed_count].name,
                   first_seed + f->run % c->seed_count, f->named > 1 ? ";" : "");
    put_text(w, text);
    if (f->named == 1)
        return;
    if (f->same == f->named)
        (void)snprintf(text, sizeof(text), "the fullest in all %zu runs", f->named);
    else
        (void)snprintf(text, sizeof(text), "the fullest in %zu of %zu runs", f->same, f->named);
    put_text(w, text);
}

struct fullest_part { /* runs of a comparison, and what of them is asked */
    const struct weir_comparison *c;
    int kind;
};

/* Returns the fullest port, or link, of a run; runs are counted law by law. */
static struct weir_fullest_of fullest_of_run(const void *ctx, size_t i)
{
    const struct fullest_part *part = ctx;
    const struct weir_comparison_run *run = &part->c->law[i / part->c->seed_count].run[i % part->c->seed_count];
    return (struct weir_fullest_of){ run->is_done ? run->fullest[part->kind] : "", run->fullest_value[part->kind] };
}

void weir_comparison_fullest(FILE *out, const struct weir_comparison *c, uint64_t first_seed)
{
    for (int k = 0; k < WEIR_FULLEST_KINDS; k++) {
        const struct weir_fullest f = weir_fullest_find((size_t)c->law_count * c->seed_count, fullest_of_run,
                                                        &(struct fullest_part){ .c = c, .kind = k });
        struct wrapped w = { .out = out };
        if (f.named == 0)
            continue;
        put_fullest(&w, c, &f, k, first_seed);
        (void)fputc('\n', out);
    }
}
