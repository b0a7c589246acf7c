/* src/results/output/metrics_list.c - finds, lists and explains metrics by name. The rows of causes, of counters of
 * switch features and of laws and classes are made here. */
#include "config/table.h"
#include "core/feature.h"
#include "measure/metrics.h"
#include "output/metrics.h"
#include "param/suggest.h"
#include "registry.h"
#include "solve/compare.h"
#include <string.h>

enum { NAME = 128, WHAT = 512 };

/* --- the counters of features --- */

typedef void metric_call(void *ctx, const struct weir_metric *row);

/* Calls call(ctx, row) for each number that a counter of a switch feature gives. */
static void each_of_counter(const struct weir_feature *feature, const struct weir_feature_counter *counter,
                            metric_call *call, void *ctx)
{
    for (uint32_t i = 0; i < WEIR_COUNTER_PARTS; i++) {
        const struct weir_counter_part *part = &weir_counter_parts[counter->how][i];
        char name[NAME];
        struct weir_metric row = { .name = name,
                                   .title = counter->hint != NULL ? counter->hint : counter->name,
                                   .unit = part->unit,
                                   .digits = part->digits };
        if (part->suffix == NULL)
            return;
        (void)snprintf(name, sizeof(name), "features.%s.%s%s", feature->name, counter->name, part->suffix);
        call(ctx, &row);
    }
}

/* --- causes --- */

/* Calls call(ctx, row) for each kind of packet that a cause of drops or losses can take. The name of such a row is as
 * "drops_by_cause.shared-buffer.alpha.data". */
static void each_kind(const struct weir_cause *cause, metric_call *call, void *ctx)
{
    static const char *const title[WEIR_LOST_KINDS] = { [WEIR_LOST_DATA] = "packets of DATA that this rule took",
                                                        [WEIR_LOST_ACK] = "ACKs that this rule took",
                                                        [WEIR_LOST_CREDIT] = "packets of credit that this rule took",
                                                        [WEIR_LOST_CONTROL] = "control packets that this rule took" };
    char name[NAME];
    for (uint32_t k = 0; k < WEIR_LOST_KINDS; k++) {
        struct weir_metric row = { .name = name,
                                   .title = title[k],
                                   .text = "packets that a rule of doc/model.md took, by what they were",
                                   .source = cause->rule->paragraph,
                                   .better = WEIR_METRIC_LEAST };
        (void)snprintf(name, sizeof(name), "%s_by_cause.%s.%s.%s", weir_fate_keys[cause->rule->fate], cause->feature,
                       cause->rule->name, weir_lost_keys[k]);
        call(ctx, &row);
    }
}

/* Calls call(ctx, row) for the numbers of one cause. A cause of drops or losses has one number per kind of packet. Any
 * other cause has a single number, such as "marks_by_cause.ecn.ramp". */
static void each_of_rule(const struct weir_cause *cause, metric_call *call, void *ctx)
{
    static const char *const title[WEIR_FATES] = { [WEIR_FATE_MARKED] = "packets that this rule marked",
                                                   [WEIR_FATE_UNMARKED] = "marks that this rule took",
                                                   [WEIR_FATE_DEFLECTED] = "packets that this rule deflected",
                                                   [WEIR_FATE_PAUSED] = "pauses that this rule made" };
    char name[NAME];
    const struct weir_metric row = { .name = name,
                                     .title = title[cause->rule->fate],
                                     .text = "how often a rule of doc/model.md applied",
                                     .source = cause->rule->paragraph };
    if (weir_fate_ends(cause->rule->fate)) {
        each_kind(cause, call, ctx);
        return;
    }
    (void)snprintf(name, sizeof(name), "%s_by_cause.%s.%s", weir_fate_keys[cause->rule->fate], cause->feature,
                   cause->rule->name);
    call(ctx, &row);
}

static void each_cause(enum weir_fate fate, metric_call *call, void *ctx)
{
    const struct weir_features none = { .count = 0 };
    for (uint32_t i = WEIR_CAUSE_NONE + 1; i < WEIR_CAUSES_OF_WORLD; i++) {
        const struct weir_cause cause = weir_cause_of(&none, i);
        if (cause.rule->fate == fate)
            each_of_rule(&cause, call, ctx);
    }
    for (const struct weir_feature *const *f = weir_features; *f != NULL; f++)
        for (const struct weir_rule *rule = (*f)->rules; rule != NULL && rule->name != NULL; rule++)
            if (rule->fate == fate)
                each_of_rule(&(struct weir_cause){ .feature = (*f)->name, .rule = rule }, call, ctx);
}

/* --- parts of the traffic --- */

static const char *const parts[] = { "laws", "classes" };

/* Calls call(ctx, row) for each number of each law and class that a run can have: "laws[0].goodput_gbps". Such a row
 * has no heading, since a heading does not name the part. */
static void each_of_parts(metric_call *call, void *ctx)
{
    char name[NAME];
    for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++)
        for (uint32_t k = 0; k < WEIR_LAWS_MAX; k++)
            for (const struct weir_metric *of = weir_part_metrics; of->name != NULL; of++) {
                struct weir_metric row = *of;
                (void)snprintf(name, sizeof(name), "%s[%u].%s", parts[p], (unsigned)k, of->name);
                row.name = name;
                row.head[0] = row.head[1] = NULL;
                call(ctx, &row);
            }
}

/* --- by name --- */

void weir_metrics_each(metric_call *call, void *ctx)
{
    for (const struct weir_metric *row = weir_result_metrics; row->name != NULL; row++)
        call(ctx, row);
    for (uint32_t fate = 0; fate < WEIR_FATES; fate++)
        each_cause((enum weir_fate)fate, call, ctx);
    for (const struct weir_metric *row = weir_compared_metrics; row->name != NULL; row++)
        call(ctx, row);
    for (const struct weir_feature *const *f = weir_features; *f != NULL; f++)
        for (const struct weir_feature_counter *c = (*f)->counters; c != NULL && c->name != NULL; c++)
            each_of_counter(*f, c, call, ctx);
    each_of_parts(call, ctx);
}

/* Names that metrics had in Weir 0.2.0, also in the output of `weir compare --json` there, and their present names.
 * Experiments and the command line may still use the old names. */
static const struct {
    const char *was, *is;
} renamed[] = {
    { "unfinished", "unfinished.messages" },
    { "p50", "slowdown.all.p50" },
    { "p99", "slowdown.all.p99" },
    { "p99_A", "slowdown.A.p99" },
    { "p99_B", "slowdown.B.p99" },
    { "p99_C", "slowdown.C.p99" },
    { "p99_D", "slowdown.D.p99" },
    { "goodput", "goodput_gbps" },
    { "tor_p99", "tor_queue_bytes.p99" },
    { "tor_max", "tor_queue_bytes.max" },
    { "pauses", "features.pfc.pause_frames" },
};

static const char *present_name(const char *name)
{
    for (size_t i = 0; i < sizeof(renamed) / sizeof(renamed[0]); i++)
        if (strcmp(renamed[i].was, name) == 0)
            return renamed[i].is;
    return name;
}

struct search {
    const char *name;
    struct weir_metric *row;
    bool found;
};

static void match(void *ctx, const struct weir_metric *row)
{
    struct search *s = ctx;
    if (s->found || strcmp(row->name, s->name) != 0)
        return;
    s->found = true;
    *s->row = *row;
    s->row->name = s->name;
}

bool weir_metric_find(const char *name, struct weir_metric *row)
{
    struct search s = { .name = present_name(name), .row = row };
    for (const struct weir_metric *fixed = weir_result_metrics; fixed->name != NULL && !s.found; fixed++)
        match(&s, fixed);
    if (!s.found) /* the names of the others are printed to be compared; a page with many runs asks often */
        weir_metrics_each(match, &s);
    return s.found;
}

static void suggest(void *ctx, const struct weir_metric *row)
{
    weir_suggest_add(ctx, row->name);
}

int weir_metric_need(const struct weir_tok *name, struct weir_metric *row, struct weir_err *err)
{
    struct weir_suggest near;
    char hint[WHAT];
    if (weir_metric_find(name->text, row))
        return 0;
    weir_suggest_init(&near, name->text);
    weir_metrics_each(suggest, &near);
    if (near.best[0] != '\0')
        (void)snprintf(hint, sizeof(hint), "did you mean '%s'? weir list metrics has them all", near.best);
    else
        (void)snprintf(hint, sizeof(hint), "weir list metrics has them all");
    return weir_fail(err, WEIR_E_UNKNOWN, name, hint, "%.80s: a run gives no such number", name->text);
}

/* --- lists --- */

/* The line of a list that is being made. Adjacent rows of one object with the same `text` share a line. "GROUP" in a
 * name stands for all size groups. */
struct line {
    struct weir_table *table;
    char name[WHAT], what[WHAT], prefix[NAME], unit[NAME]; /* prefix: name of the first row on the line */
    const char
        *text; /* the text of all rows on the line, which share the unit, too; NULL = a single row without text */
};

static void flush(struct line *line)
{
    if (line->name[0] != '\0')
        weir_table_row(line->table, (const char *const[]){ line->name, line->unit, line->what });
    line->name[0] = '\0';
}

/* Tests whether a metric is of a class, of a law other than the first, or of size group A, B, C or D. Such rows are not
 * listed: the first law stands for all laws and classes, and the row of "all" for all groups. */
static bool is_of_other(const char *name)
{
    const char *bracket = strchr(name, '[');
    if (bracket != NULL && (bracket[1] != '0' || name[0] == 'c'))
        return true;
    for (const char *dot = strchr(name, '.'); dot != NULL; dot = strchr(dot + 1, '.'))
        if (dot[1] >= 'A' && dot[1] <= 'D' && (dot[2] == '.' || dot[2] == '\0'))
            return true;
    return false;
}

/* Copies a name with "GROUP" in place of "all", and "N" in place of the number of a law:
 * "laws[N].slowdown.GROUP.p99". Other names are copied unchanged. */
static void group_name(char out[NAME], const char *name)
{
    const char *all = strstr(name, ".all");
    char *bracket;
    if (all != NULL && (all[4] == '.' || all[4] == '\0'))
        (void)snprintf(out, NAME, "%.*s.GROUP%s", (int)(all - name), name, all + 4);
    else
        (void)snprintf(out, NAME, "%s", name);
    bracket = strchr(out, '[');
    if (bracket != NULL)
        bracket[1] = 'N';
}

static const char *const better_text[] = { "", "; less is better", "; more is better" };

static void list_row(void *ctx, const struct weir_metric *row)
{
    struct line *line = ctx;
    bool markdown = line->table->markdown;
    const char *mark = markdown ? "`" : "";
    char name[NAME], *dot;
    if (is_of_other(row->name))
        return;
    group_name(name, row->name);
    dot = strrchr(name, '.');
    if (line->name[0] != '\0' && line->text != NULL && row->text != NULL && strcmp(line->text, row->text) == 0 &&
        strcmp(line->unit, weir_metric_unit_names[row->unit]) == 0 && dot != NULL &&
        strncmp(line->prefix, name, (size_t)(dot - name) + 1) == 0) {
        size_t used = strlen(line->name);
        (void)snprintf(line->name + used, sizeof(line->name) - used, ", %s%s%s", mark, dot, mark);
        (void)snprintf(line->what, sizeof(line->what), "%s%s", row->text, better_text[row->better]);
        return;
    }
    flush(line);
    line->text = row->text;
    (void)snprintf(line->prefix, sizeof(line->prefix), "%s", name);
    (void)snprintf(line->name, sizeof(line->name), "%s%s%s", mark, name, mark);
    (void)snprintf(line->unit, sizeof(line->unit), "%s", weir_metric_unit_names[row->unit]);
    (void)snprintf(line->what, sizeof(line->what), "%s%s%s%s", row->title, row->text != NULL ? ": " : "",
                   row->text != NULL ? row->text : "", better_text[row->better]);
}

/* Prints the list in two passes: the first only measures the widths of the columns. */
static void list(struct weir_table *table)
{
    for (int pass = 0; pass < 2; pass++) {
        struct line line = { .table = table };
        table->measuring = pass == 0;
        weir_table_row(table, (const char *const[]){ "number", "unit", "what" });
        weir_table_rule(table);
        weir_metrics_each(list_row, &line);
        flush(&line);
    }
}

void weir_metrics_list(FILE *out)
{
    list(&(struct weir_table){ .out = out, .columns = 3 });
    (void)fputs("\nGROUP is all messages (all) or those of a size (A, B, C, D). N is the number of a law, 0 to 3;\n"
                "classes[N] has the same numbers of a class. weir help NAME says more of one.\n",
                out);
}

void weir_metrics_markdown(FILE *out)
{
    list(&(struct weir_table){ .out = out, .columns = 3, .markdown = true });
}

bool weir_metric_help(FILE *out, const char *name)
{
    struct weir_metric row;
    if (!weir_metric_find(name, &row))
        return false;
    (void)fprintf(out, "%s - %s\n\n", row.name, row.title);
    if (row.text != NULL)
        (void)fprintf(out, "  %s\n", row.text);
    (void)fprintf(out, "  unit    %s\n", weir_metric_unit_names[row.unit]);
    if (row.better != WEIR_METRIC_NEITHER)
        (void)fprintf(out, "  better  %s\n", row.better == WEIR_METRIC_LEAST ? "less" : "more");
    if (row.source != NULL)
        (void)fprintf(out, strchr(row.source, '/') != NULL ? "  source  %s\n" : "  source  doc/model.md [%s]\n",
                      row.source);
    (void)fprintf(out, "  of      %s\n",
                  row.of_machine ? "the machine: another machine or number of threads gives another"
                                 : "the simulated network: the same on every machine");
    return true;
}
