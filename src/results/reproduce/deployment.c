/* src/results/reproduce/deployment.c - see deployment.h. */
#include "reproduce/deployment.h"
#include "core/assert.h"
#include "output/metrics.h"
#include "reproduce/comparison_text.h"
#include <inttypes.h>
#include <string.h>

enum { CELL = 32, SHARE = 10, COLUMN = 10, LAW_COLUMNS = 8, RUN_COLUMNS = 4, PARTS = 3 };

/* The metrics of each of the parts deployed law, background and all traffic, in the order of columns. */
static const struct {
    const char *path, *of_all; /* of a law in the list `laws`, and of all traffic */
    const char *title, *head[2];
    enum weir_metric_unit unit;
} columns[] = {
    { "messages_completed", "messages_completed", "messages that ended", { "messages", "ended" }, WEIR_METRIC_COUNT },
    { "goodput_gbps", "goodput_gbps", "goodput per host", { "goodput", "Gbps" }, WEIR_METRIC_GBPS },
    { "slowdown.all.p50", "slowdown.all.p50", "p50 slowdown", { "p50", "of all" }, WEIR_METRIC_RATIO },
    { "slowdown.all.p99", "slowdown.all.p99", "p99 slowdown", { "p99", "of all" }, WEIR_METRIC_RATIO },
    { "slowdown.A.p99", "slowdown.A.p99", "p99 slowdown of group A", { "p99 of", "group A" }, WEIR_METRIC_RATIO },
    { "slowdown.B.p99", "slowdown.B.p99", "p99 slowdown of group B", { "p99 of", "group B" }, WEIR_METRIC_RATIO },
    { "slowdown.C.p99", "slowdown.C.p99", "p99 slowdown of group C", { "p99 of", "group C" }, WEIR_METRIC_RATIO },
    { "slowdown.D.p99", "slowdown.D.p99", "p99 slowdown of group D", { "p99 of", "group D" }, WEIR_METRIC_RATIO },
    { "slowdown.A.p50", NULL, "p50 slowdown of group A", { NULL }, WEIR_METRIC_RATIO },
    { "slowdown.B.p50", NULL, "p50 slowdown of group B", { NULL }, WEIR_METRIC_RATIO },
    { "slowdown.C.p50", NULL, "p50 slowdown of group C", { NULL }, WEIR_METRIC_RATIO },
    { "slowdown.D.p50", NULL, "p50 slowdown of group D", { NULL }, WEIR_METRIC_RATIO },
};
enum { COLUMNS = sizeof(columns) / sizeof(columns[0]) };
_Static_assert(2 * COLUMNS + LAW_COLUMNS <= WEIR_COMPARISON_METRICS_MAX, "there is room for all parts");

/* Returns the index of the first metric of a part: the deployed law, the background, all traffic. */
static uint32_t first_of(uint32_t part)
{
    return part * COLUMNS;
}

static void add_metric(struct weir_comparison *c, uint32_t column, const char *name, uint32_t law)
{
    struct weir_comparison_metric *m = &c->metric[c->metric_count++];
    const char *path = name != NULL ? columns[column].path : columns[column].of_all;
    *m = (struct weir_comparison_metric){
        .row = { .title = columns[column].title, .unit = columns[column].unit, .better = WEIR_METRIC_NEITHER }
    };
    (void)snprintf(m->name, sizeof(m->name), "%s%s%s", name != NULL ? name : "", name != NULL ? "." : "", path);
    if (name != NULL)
        (void)snprintf(m->path, sizeof(m->path), "laws[%u].%s", (unsigned)law, path);
}

void weir_deployment_metrics(struct weir_comparison *c, const struct weir_deployment *d)
{
    c->metric_count = 0;
    for (uint32_t i = 0; i < COLUMNS; i++)
        add_metric(c, i, d->deployed, d->deployed_law);
    for (uint32_t i = 0; i < COLUMNS; i++)
        add_metric(c, i, d->background, 0);
    for (uint32_t i = 0; i < LAW_COLUMNS; i++)
        add_metric(c, i, NULL, 0);
}

/* Tables of parts, each with the same columns and a line for each law, or share, that is compared. */
struct tables {
    const struct weir_comparison *c;
    const char *label;           /* over the names of the lines */
    uint32_t first, step, parts; /* index of the first metric, and metrics from a part to the next */
    uint32_t columns;
    int width; /* of a name */
};

static const struct weir_estimate *estimate_of(const struct tables *t, uint32_t part, uint32_t line, uint32_t column)
{
    return &t->c->law[line].metric[t->first + part * t->step + column];
}

/* Tests whether a column has a number in any part, so that it is printed. */
static bool is_shown(const struct tables *t, uint32_t column)
{
    for (uint32_t part = 0; part < t->parts; part++)
        for (uint32_t l = 0; l < t->c->law_count; l++)
            if (estimate_of(t, part, l, column)->count > 0)
                return true;
    return false;
}

static void print_heads(FILE *out, const struct tables *t, const char *title)
{
    for (int line = 0; line < 2; line++) {
        (void)fprintf(out, "%-*s", t->width, line == 0 ? title : t->label);
        for (uint32_t i = 0; i < t->columns; i++)
            if (is_shown(t, i))
                (void)fprintf(out, "%*s", COLUMN, columns[i].head[line]);
        (void)fputc('\n', out);
    }
}

/* Prints the means of a line, or below them half of their intervals. */
static void print_line(FILE *out, const struct tables *t, uint32_t part, uint32_t law, bool intervals)
{
    char text[CELL] = "", number[WEIR_COMPARISON_NUMBER];
    int blanks = t->width; /* not printed yet, so that no line ends with blanks */
    if (!intervals)
        (void)snprintf(text, sizeof(text), "%.29s%s", t->c->law[law].name,
                       weir_comparison_is_sound(t->c, law) ? "" : " !");
    blanks -= fprintf(out, "%s", text);
    for (uint32_t i = 0; i < t->columns; i++) {
        const struct weir_estimate *e = estimate_of(t, part, law, i);
        if (!is_shown(t, i))
            continue;
        (void)snprintf(text, sizeof(text), "%s", intervals ? "" : "-");
        if (intervals && weir_estimate_has_interval(e))
            (void)snprintf(text, sizeof(text), "+-%s", weir_comparison_number(number, e->half_width, false));
        else if (!intervals && e->count > 0)
            (void)snprintf(text, sizeof(text), "%s", weir_comparison_number(number, e->mean, i == 0));
        blanks += COLUMN;
        if (text[0] != '\0')
            (void)fprintf(out, "%*s", blanks, text);
        blanks = text[0] != '\0' ? 0 : blanks;
    }
    (void)fputc('\n', out);
}

static bool has_intervals(const struct tables *t, uint32_t part, uint32_t law)
{
    for (uint32_t i = 0; i < t->columns; i++)
        if (weir_estimate_has_interval(estimate_of(t, part, law, i)))
            return true;
    return false;
}

static void print_part(FILE *out, const struct tables *t, uint32_t part, const char *title)
{
    (void)fputc('\n', out);
    print_heads(out, t, title);
    for (uint32_t l = 0; l < t->c->law_count; l++) {
        print_line(out, t, part, l, false);
        if (has_intervals(t, part, l))
            print_line(out, t, part, l, true);
    }
}

void weir_run_laws_add(struct weir_comparison *c, struct weir_run_laws *laws)
{
    struct weir_comparison_metric *jain;
    bool found;
    if (laws->count == 0)
        return;
    WEIR_ASSERT(c->metric_count + 1 + laws->count * RUN_COLUMNS <= WEIR_COMPARISON_METRICS_MAX);
    jain = &c->metric[c->metric_count++];
    found = weir_metric_find("laws_jain", &jain->row);
    WEIR_ASSERT(found);
    laws->first = c->metric_count;
    (void)snprintf(jain->name, sizeof(jain->name), "laws_jain");
    for (uint32_t k = 0; k < laws->count; k++)
        for (uint32_t i = 0; i < RUN_COLUMNS; i++) {
            struct weir_comparison_metric *m = &c->metric[c->metric_count];
            add_metric(c, i, NULL, k);
            (void)snprintf(m->name, sizeof(m->name), "laws[%u].%s", (unsigned)k, columns[i].path);
            m->is_of_law = true;
        }
}

void weir_run_laws_print(FILE *out, const struct weir_comparison *c, const struct weir_run_laws *laws)
{
    struct tables t = { .c = c,
                        .label = "law",
                        .first = laws->first,
                        .step = RUN_COLUMNS,
                        .parts = laws->count,
                        .columns = RUN_COLUMNS,
                        .width = SHARE };
    for (uint32_t l = 0; l < c->law_count; l++)
        t.width = (int)strlen(c->law[l].name) + 4 > t.width ? (int)strlen(c->law[l].name) + 4 : t.width;
    for (uint32_t k = 0; k < laws->count; k++)
        t.width = (int)strlen(laws->title[k]) > t.width ? (int)strlen(laws->title[k]) : t.width;
    for (uint32_t k = 0; k < laws->count; k++)
        print_part(out, &t, k, laws->title[k]);
}

static void print_edges(FILE *out, const uint64_t edge[3])
{
    (void)fprintf(out,
                  "size groups: A below %" PRIu64 " B, B below %" PRIu64 " B, C below %" PRIu64
                  " B, D all above; the same for all\n",
                  edge[0], edge[1], edge[2]);
}

void weir_deployment_print(FILE *out, const struct weir_comparison_page *page)
{
    const struct weir_deployment *d = page->deployment;
    const struct weir_comparison *c = page->comparison;
    const char *const title[PARTS] = { d->deployed, d->background, "together" };
    const struct tables t = {
        .c = c, .label = "share", .step = COLUMNS, .parts = PARTS, .columns = LAW_COLUMNS, .width = SHARE
    };
    WEIR_ASSERT(c->metric_count == first_of(2) + LAW_COLUMNS);
    (void)fprintf(out, "%s: %s beside %s, by its share of the %s; seed%s %" PRIu64, page->scenario, d->deployed,
                  d->background, d->by, c->seed_count > 1 ? "s" : "", page->first_seed);
    if (c->seed_count > 1)
        (void)fprintf(out, " to %" PRIu64 "; means over seeds%s", page->first_seed + c->seed_count - 1,
                      c->seed_count >= 3 ? " +- half of their 95 % intervals (Student's t)" : "");
    (void)fputc('\n', out);
    for (uint32_t part = 0; part < PARTS; part++)
        print_part(out, &t, part, title[part]);
    (void)fputs("slowdown: 1 = ideal; messages are the same at every share\n", out);
    if (weir_comparison_sound_count(c) < c->law_count)
        (void)fputs("! in doubt, and without intervals:\n", out);
    print_edges(out, page->group_bytes);
    weir_comparison_doubts(out, c);
    weir_comparison_sampled(out, c);
    weir_comparison_fullest(out, c, page->first_seed);
}
