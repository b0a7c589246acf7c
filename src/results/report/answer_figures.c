/* src/results/report/answer_figures.c - draws the numbers of a comparison as dot plots. */
#include "report/answer.h"
#include "config/settings.h"
#include "report/html.h"
#include "reproduce/comparison_text.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

#define PS_PER_US 1e6
#define GROUPS 4u /* of sizes, A to D */

/* Makes the dot of a law. scale: multiplies the number */
static struct weir_dot dot_of(const struct weir_answer *a, uint32_t metric, uint32_t law, double scale,
                              const struct weir_line_style *style)
{
    const struct weir_estimate *e = &a->c->law[law].metric[metric];
    struct weir_dot dot = weir_dot_of(a->c->law[law].name, style);
    if (e->count > 0)
        dot.mean = e->mean * scale;
    if (weir_estimate_has_interval(e))
        dot.half_width = e->half_width * scale;
    (void)snprintf(dot.remark, sizeof(dot.remark), "%s", weir_answer_remark(a, metric, law, &dot.kind));
    return dot;
}

/* Tests whether a number says something: a count that is 0 in all runs says it in the tables. */
static bool is_drawn(const struct weir_comparison *c, uint32_t metric)
{
    if (!weir_answer_says(c, metric))
        return false;
    for (uint32_t l = 0; l < c->law_count; l++)
        if (c->law[l].metric[metric].count > 0 && (c->metric[metric].judged || c->law[l].metric[metric].mean != 0))
            return true;
    return false;
}

static int draw(struct weir_page *page, const struct weir_answer *a, uint32_t metric, bool *open, struct weir_err *err)
{
    struct weir_dot dot[WEIR_COMPARISON_LAWS_MAX];
    const struct weir_metric *row = &a->c->metric[metric].row;
    char title[WEIR_COMPARISON_TITLE];
    struct weir_dots dots = { .title = title,
                              .caption = "",
                              .unit = weir_run_unit(row->unit),
                              .base = row->unit == WEIR_METRIC_RATIO ? 1 : 0,
                              .dot = dot,
                              .count = a->c->law_count };
    const struct weir_run *run = a->group->run;
    for (uint32_t l = 0; l < a->c->law_count;
         l++, run += weir_runs_set(run, (size_t)(a->group->run + a->group->count - run)))
        dot[l] = dot_of(a, metric, l, row->unit == WEIR_METRIC_MICROSECONDS ? PS_PER_US : 1, &run->style);
    (void)snprintf(title, sizeof(title), "%s", row->title);
    if (!isdigit((unsigned char)title[1]))
        title[0] = (char)toupper((unsigned char)title[0]);
    return weir_grid_dots(page, "At a glance", open, &dots, err);
}

/* Tests whether a number of size group g is in a figure. */
static bool has_group(const struct weir_answer *a, size_t g)
{
    const char behind[] = { '.', (char)('A' + g), '.', '\0' };
    for (uint32_t m = 0; m < a->c->metric_count; m++)
        if (a->c->metric[m].is_group && is_drawn(a->c, m) && strstr(a->c->metric[m].name, behind) != NULL)
            return true;
    return false;
}

/* Writes the sizes of the groups that are in figures, as the first run has them: " Size groups: A below 1460 B.". */
static int put_groups(FILE *out, const struct weir_answer *a, struct weir_err *err)
{
    static const char *const key[GROUPS - 1] = { "run.group_a", "run.group_b", "run.group_c" };
    const char *edge[GROUPS - 1] = { NULL }, *before = " Size groups: ";
    struct weir_settings settings;
    int code = weir_settings_read(&settings, weir_run_text_of(a->group->run, WEIR_RUN_SCENARIO), err);
    for (size_t g = 0; g < GROUPS - 1 && code == 0; g++)
        edge[g] = weir_settings_find(&settings, key[g]);
    for (size_t g = 0; g < GROUPS; g++) {
        const char *at = edge[g < GROUPS - 1 ? g : g - 1];
        if (at == NULL || !has_group(a, g))
            continue;
        (void)fprintf(out, "%s%c %s ", before, (int)('A' + g), g < GROUPS - 1 ? "below" : "from");
        weir_html_text(out, at);
        before = ", ";
    }
    (void)fputs(before[0] == ',' ? "." : "", out);
    weir_settings_free(&settings);
    return code;
}

int weir_answer_note(FILE *out, const struct weir_answer *a, struct weir_err *err)
{
    const struct weir_comparison *c = a->c;
    int code;
    if (c == NULL)
        return 0;
    (void)fprintf(out, "<p class=\"note\">A dot is the mean of %u seed%s", (unsigned)c->seed_count,
                  c->seed_count == 1 ? "" : "s");
    if (c->seed_count >= 3)
        (void)fputs(
            ", its line the 95 % interval of the mean (Student's t). <em>No difference</em>: the difference from "
            "the best, paired by seed, is not larger than its own interval",
            out);
    (void)fputs(
        ". Hollow: runs that are in doubt or missing. Slowdown axes begin at 1, the least possible, others at 0, "
        "unless their first number says otherwise.",
        out);
    code = put_groups(out, a, err);
    (void)fputs("</p>\n", out);
    return code;
}

int weir_answer_figures(struct weir_page *page, const struct weir_answer *a, bool *open, struct weir_err *err)
{
    int code = 0;
    if (a->c == NULL)
        return 0;
    for (uint32_t m = 0; m < a->c->metric_count && code == 0; m++)
        if (is_drawn(a->c, m))
            code = draw(page, a, m, open, err);
    return code;
}
