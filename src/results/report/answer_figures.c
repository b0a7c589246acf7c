/* src/results/report/answer_figures.c - draws the numbers of a comparison as dot plots. */
#include "report/answer.h"
#include "report/html.h"
#include "reproduce/comparison_text.h"
#include <ctype.h>
#include <math.h>
#include <string.h>

#define PS_PER_US 1e6

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

void weir_answer_note(FILE *out, const struct weir_answer *a)
{
    const struct weir_comparison *c = a->c;
    if (c == NULL)
        return;
    (void)fprintf(out, "<p class=\"note\">A dot is the mean of %u seed%s", (unsigned)c->seed_count,
                  c->seed_count == 1 ? "" : "s");
    if (c->seed_count >= 3)
        (void)fputs(
            ", its line the 95 % interval of the mean (Student's t). <em>No difference</em>: the difference from "
            "the best, paired by seed, is not larger than its own interval",
            out);
    (void)fputs(
        ". Hollow: runs that are in doubt or missing. Slowdown axes begin at 1, the least possible, others at 0, "
        "unless their first number says otherwise.</p>\n",
        out);
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
