/* src/results/report/fullest.c - see fullest.h. */
#include "report/fullest.h"
#include "report/html.h"
#include "reproduce/comparison.h"
#include <math.h>
#include <string.h>

struct part { /* runs, and what of them is asked */
    const struct weir_run *run;
    enum weir_fullest_kind kind;
};

/* Returns the fullest port, or link, of a run; the name is "" if the run is not done. */
static struct weir_fullest_of of_run(const void *ctx, size_t i)
{
    static const enum weir_run_text name[WEIR_FULLEST_KINDS] = { WEIR_RUN_FULLEST_PORT, WEIR_RUN_FULLEST_LINK };
    static const enum weir_run_value value[WEIR_FULLEST_KINDS] = { WEIR_RUN_PORT_MAX, WEIR_RUN_LINK_SHARE };
    const struct part *part = ctx;
    const struct weir_run *run = &part->run[i];
    bool done = strcmp(weir_run_text_of(run, WEIR_RUN_STATUS), "done") == 0;
    return (struct weir_fullest_of){ done ? weir_run_text_of(run, name[part->kind]) : "",
                                     run->value[value[part->kind]] };
}

static struct weir_fullest find(const struct weir_run *run, size_t count, enum weir_fullest_kind kind)
{
    return weir_fullest_find(count, of_run, &(struct part){ .run = run, .kind = kind });
}

static void put_value(FILE *out, const struct weir_fullest *f, enum weir_fullest_kind kind)
{
    if (kind == WEIR_FULLEST_PORT)
        (void)fprintf(out, ", where up to <strong>%s</strong> queued",
                      weir_number_text(f->most.value, WEIR_UNIT_BYTES).text);
    else
        (void)fprintf(out, ", given <strong>%.0f %%</strong> of what it can carry", f->most.value * 100);
}

/* Writes in which run it was, and how many runs agree; nothing if only one run names one. */
static void put_runs(FILE *out, const struct weir_fullest *f, const struct weir_run *run)
{
    const char *seed = weir_run_text_of(run, WEIR_RUN_SEED);
    if (f->named < 2)
        return;
    (void)fputs(" (", out);
    weir_html_text(out, run->text[WEIR_RUN_LABEL]);
    (void)fputs(seed[0] != '\0' ? ", seed " : "", out);
    weir_html_text(out, seed);
    if (f->same == f->named)
        (void)fprintf(out, "); it is the fullest in all %zu runs", f->named);
    else
        (void)fprintf(out, "); it is the fullest in %zu of %zu runs", f->same, f->named);
}

void weir_fullest_sentences(FILE *out, const struct weir_group *group)
{
    static const char *const what[WEIR_FULLEST_KINDS] = { "Fullest port", "Fullest link" };
    const char *before = "<p class=\"facts\">";
    for (int k = 0; k < WEIR_FULLEST_KINDS; k++) {
        const struct weir_fullest f = find(group->run, group->count, (enum weir_fullest_kind)k);
        if (f.named == 0)
            continue;
        (void)fprintf(out, "%s%s: <strong>", before, what[k]);
        weir_html_text(out, f.most.name);
        (void)fputs("</strong>", out);
        put_value(out, &f, (enum weir_fullest_kind)k);
        put_runs(out, &f, &group->run[f.run]);
        (void)fputc('.', out);
        before = " ";
    }
    if (before[0] == ' ')
        (void)fputs("</p>\n", out);
}

/* Writes the number of a set and the port: "283 KB, leaf 1 > host 7 in 2 of 3 runs". */
static void put_said(char *out, size_t size, const struct weir_spread *spread, const struct weir_fullest *port)
{
    const struct weir_number number = weir_number_spread(spread->mean, spread->half_width, WEIR_UNIT_BYTES);
    if (port->named == 0)
        (void)snprintf(out, size, "%s", number.text);
    else if (port->same == port->named)
        (void)snprintf(out, size, "%s, %s", number.text, port->most.name);
    else
        (void)snprintf(out, size, "%s, %s in %zu of %zu runs", number.text, port->most.name, port->same, port->named);
}

static struct weir_dot dot_of(const struct weir_set *set, const struct weir_fullest *port)
{
    const struct weir_spread spread = weir_set_spread(set, WEIR_RUN_PORT_MAX);
    struct weir_dot dot = weir_dot_of(set->run->text[WEIR_RUN_LABEL], &set->run->style);
    dot.kind = weir_set_any_doubtful(set) ? WEIR_DOT_DOUBTFUL : WEIR_DOT_SOUND;
    dot.mean = spread.mean;
    dot.half_width = spread.half_width;
    put_said(dot.said, sizeof(dot.said), &spread, port);
    return dot;
}

int weir_figure_fullest(struct weir_page *page, const struct weir_group *group, bool *open, struct weir_err *err)
{
    struct weir_dot dot[WEIR_COMPARISON_LAWS_MAX];
    struct weir_dots dots = {
        .title = "Longest port queue",
        .caption = "The longest that any port of a switch had in the measured part, and which port it was.",
        .unit = WEIR_UNIT_BYTES,
        .with_said = true,
        .dot = dot
    };
    size_t sets = weir_set_count(group->run, group->count), named = 0;
    if (sets < 2 || sets > WEIR_COMPARISON_LAWS_MAX)
        return 0;
    for (size_t i = 0; i < group->count;) {
        const struct weir_set set = weir_set_first(&group->run[i], group->count - i);
        const struct weir_fullest port = find(set.run, set.count, WEIR_FULLEST_PORT);
        dot[dots.count++] = dot_of(&set, &port);
        named += port.named;
        i += set.count;
    }
    return named > 0 ? weir_grid_dots(page, "At a glance", open, &dots, err) : 0;
}
