/* src/reproduce/comparison_print.c - see comparison_print.h. */
#include "reproduce/comparison_print.h"
#include "term/print.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    LINE = 100,
    CELL = 40,
    NUMBER = 20,
    TITLE = 128,
    HEAD = WEIR_COMPARISON_NAME + 8,
    KEY_WIDTH = 22,
    VALUE_WIDTH = 12,
    VALUES_A_LINE = 6
};

/* --- numbers --- */

/* Writes a number with three digits, or all before the point; a whole number as one. */
static const char *number_text(char out[NUMBER], double value, bool is_whole)
{
    double size = fabs(value);
    int digits = is_whole && value == floor(value) ? 0 : size < 0.0995 ? 3 : size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    (void)snprintf(out, NUMBER, "%.*f", size == 0 ? 0 : digits, value);
    return out;
}

/* Returns by what a metric is divided where it is shown: bytes as KB. */
static double scale_of(const struct weir_comparison *c, uint32_t metric)
{
    return c->metric[metric].row.unit == WEIR_METRIC_BYTES ? 1e3 : 1;
}

/* Writes the title of a metric with its unit: "ToR queue, max (KB)". */
static const char *title_text(char out[TITLE], const struct weir_comparison *c, uint32_t metric)
{
    static const char *const unit[WEIR_METRIC_UNITS] = { [WEIR_METRIC_BYTES] = " (KB)",
                                                         [WEIR_METRIC_GBPS] = " (Gbps)",
                                                         [WEIR_METRIC_SECONDS] = " (s)",
                                                         [WEIR_METRIC_MICROSECONDS] = " (us)",
                                                         [WEIR_METRIC_PER_SECOND] = " (/s)" };
    const struct weir_metric *row = &c->metric[metric].row;
    (void)snprintf(out, TITLE, "%.90s%s", row->title, unit[row->unit] != NULL ? unit[row->unit] : "");
    return out;
}

/* Writes line 0 or 1 over a column: as the row has it, "ToR KB"; else the object, and the key in it, "bytes (KB)". */
static const char *head_text(char out[HEAD], const struct weir_comparison *c, uint32_t metric, int line)
{
    const struct weir_comparison_metric *m = &c->metric[metric];
    const char *dot = strrchr(m->name, '.');
    bool is_bytes = m->row.unit == WEIR_METRIC_BYTES;
    if (m->row.head[1] != NULL)
        (void)snprintf(out, HEAD, "%s%s", m->row.head[line], line == 0 && is_bytes ? " KB" : "");
    else if (line == 0)
        (void)snprintf(out, HEAD, "%.*s", dot != NULL ? (int)(dot - m->name) : 0, m->name);
    else
        (void)snprintf(out, HEAD, "%s%s", dot != NULL ? dot + 1 : m->name, is_bytes ? " (KB)" : "");
    return out;
}

/* --- which metrics are shown --- */

static bool has_numbers(const struct weir_comparison *c, uint32_t metric, bool of_all)
{
    uint32_t have = 0;
    for (uint32_t l = 0; l < c->law_count; l++)
        have += c->law[l].metric[metric].count > 0;
    return of_all ? have == c->law_count : have > 0;
}

/* Tests whether a metric was asked for; else whether it has numbers. Of the size groups those of the smallest and the
 * largest messages are shown. */
static bool is_shown(const struct weir_comparison *c, uint32_t metric)
{
    uint32_t first = WEIR_COMPARISON_NONE, last = WEIR_COMPARISON_NONE;
    if (c->metric[metric].is_asked)
        return true;
    if (!c->metric[metric].is_group)
        return has_numbers(c, metric, false);
    for (uint32_t m = 0; m < c->metric_count; m++) {
        if (!c->metric[m].is_group || !has_numbers(c, m, true))
            continue;
        first = first == WEIR_COMPARISON_NONE ? m : first;
        last = m;
    }
    return metric == first || metric == last;
}

/* --- the keys that differ --- */

static bool has_presets(const struct weir_comparison_page *page)
{
    for (uint32_t l = 0; l < page->comparison->law_count; l++)
        if (page->preset[l] != NULL)
            return true;
    return false;
}

/* Prints columns from..to of one line. */
static void print_values(FILE *out, const char *name, const char *const *value, uint32_t from, uint32_t to)
{
    (void)fprintf(out, "%-*s", KEY_WIDTH, name);
    for (uint32_t i = from; i < to; i++)
        (void)fprintf(out, " %-*.*s", i + 1 < to ? VALUE_WIDTH : 0, VALUE_WIDTH, value[i]);
    (void)fputc('\n', out);
}

static void print_columns(FILE *out, const struct weir_comparison_page *page, uint32_t from, uint32_t to)
{
    const struct weir_comparison *c = page->comparison;
    const char *value[WEIR_COMPARISON_LAWS_MAX + 1] = { "the file" };
    for (uint32_t l = 0; l < c->law_count; l++)
        value[l + 1] = c->law[l].name;
    print_values(out, "key", value, from, to);
    value[0] = "";
    for (uint32_t l = 0; l < c->law_count; l++)
        value[l + 1] = page->preset[l] != NULL ? page->preset[l] : "-";
    if (has_presets(page))
        print_values(out, "protocol.preset", value, from, to);
    for (uint32_t k = 0; k < page->keys->count; k++)
        print_values(out, page->keys->key[k].path, page->keys->key[k].value, from, to);
}

/* Prints the keys of laws, which are no column, because others have none of that name. */
static void print_given(FILE *out, const struct weir_comparison_page *page)
{
    for (uint32_t i = 0; i < page->given_count; i++) {
        const struct weir_comparison_given *given = &page->given[i];
        (void)fprintf(out, "set for %s: %s\n",
                      given->law == WEIR_COMPARISON_NONE ? "all laws" : page->comparison->law[given->law].name,
                      given->text);
    }
}

void weir_comparison_print_keys(FILE *out, const struct weir_comparison_page *page)
{
    uint32_t columns = page->comparison->law_count + 1;
    (void)fprintf(out, "%s\n",
                  page->keys->count == 0 ? "besides the law no key differs from the file"
                  : page->same_fabric
                      ? "keys that differ: what the file leaves out is as each law's preset has it"
                      : "keys that differ: each law gets what it recommends, --same-fabric turns that off");
    for (uint32_t from = 0; from < columns; from += VALUES_A_LINE)
        print_columns(out, page, from, columns < from + VALUES_A_LINE ? columns : from + VALUES_A_LINE);
    if (page->keys->is_cut)
        (void)fprintf(out, "and more keys: more than %u\n", WEIR_COMPARISON_KEYS_MAX);
    print_given(out, page);
}

/* --- the table --- */

static uint32_t count_sound(const struct weir_comparison *c)
{
    uint32_t sound = 0;
    for (uint32_t l = 0; l < c->law_count; l++)
        sound += weir_comparison_is_sound(c, l);
    return sound;
}

/* Tests whether a law is marked in sentences. Where no law is sound a mark would distinguish nothing: that is printed
 * before them. */
static bool is_marked(const struct weir_comparison *c, uint32_t law)
{
    return count_sound(c) > 0 && !weir_comparison_is_sound(c, law);
}

/* Tests whether the seeds do not distinguish the law from the best one. */
static bool is_like_best(const struct weir_comparison *c, uint32_t law, uint32_t metric)
{
    return weir_comparison_base(c, metric) == c->best[metric] && c->law[law].difference[metric].count >= 3 &&
           !c->law[law].is_beyond[metric];
}

/* Tests whether the law is the best, or as good with every seed. */
static bool is_best(const struct weir_comparison *c, uint32_t law, uint32_t metric)
{
    uint32_t best = c->best[metric];
    return best == law || (best != WEIR_COMPARISON_NONE && weir_comparison_is_same(c, metric, law, best) &&
                           weir_comparison_is_sound(c, law) == weir_comparison_is_sound(c, best));
}

/* The lines of a law: means, "2.86*" the best and "2.87~" like it, and half their intervals. */
enum line { MEANS, INTERVALS };

static const char *mark(const struct weir_comparison *c, uint32_t law, uint32_t metric, enum line line)
{
    if (!c->metric[metric].judged)
        return "";
    if (line != MEANS)
        return " ";
    return is_best(c, law, metric) ? "*" : is_like_best(c, law, metric) ? "~" : " ";
}

static void cell_text(char out[CELL], const struct weir_comparison *c, uint32_t law, uint32_t metric, enum line line)
{
    const struct weir_estimate *e = &c->law[law].metric[metric];
    const struct weir_comparison_metric *row = &c->metric[metric];
    const char *end = mark(c, law, metric, line);
    char number[NUMBER];
    out[0] = '\0';
    if (line == MEANS)
        (void)snprintf(out, CELL, "%s%s",
                       e->count > 0 ? number_text(number, e->mean / scale_of(c, metric), !row->judged) : "-", end);
    else if (row->judged && e->count >= 3)
        (void)snprintf(out, CELL, "+-%s%s", number_text(number, e->half_width / scale_of(c, metric), false), end);
}

static uint32_t longer(uint32_t width, const char *text)
{
    return strlen(text) > width ? (uint32_t)strlen(text) : width;
}

static uint32_t width_of(const struct weir_comparison *c, uint32_t metric)
{
    char text[CELL], head[HEAD];
    uint32_t width = (uint32_t)strlen(head_text(head, c, metric, 0));
    width = longer(width, head_text(head, c, metric, 1));
    for (uint32_t l = 0; l < c->law_count; l++) {
        cell_text(text, c, l, metric, MEANS);
        width = longer(width, text);
        cell_text(text, c, l, metric, INTERVALS);
        width = longer(width, text);
    }
    return width;
}

static void name_text(char out[CELL], const struct weir_comparison *c, uint32_t law)
{
    (void)snprintf(out, CELL, "%.30s%s", c->law[law].name, weir_comparison_is_sound(c, law) ? "" : " !");
}

static int name_width(const struct weir_comparison *c)
{
    uint32_t width = 0;
    char text[CELL];
    for (uint32_t l = 0; l < c->law_count; l++) {
        name_text(text, c, l);
        width = longer(width, text);
    }
    return (int)width;
}

static void print_head(FILE *out, const struct weir_comparison *c, int line)
{
    char head[HEAD];
    int blanks = name_width(c) - fprintf(out, "%s", line == 0 ? "law" : ""); /* owed: none is printed at the end */
    for (uint32_t m = 0; m < c->metric_count; m++) {
        if (!is_shown(c, m))
            continue;
        blanks += 2 + (int)width_of(c, m);
        if (head_text(head, c, m, line)[0] == '\0')
            continue;
        (void)fprintf(out, "%*s", blanks, head);
        blanks = 0;
    }
    (void)fputc('\n', out);
}

static void print_line(FILE *out, const struct weir_comparison *c, uint32_t law, enum line line)
{
    char text[CELL] = "";
    int blanks = 0; /* owed: none is printed at the end */
    if (line == MEANS)
        name_text(text, c, law);
    blanks = name_width(c) - fprintf(out, "%s", text);
    for (uint32_t m = 0; m < c->metric_count; m++) {
        if (!is_shown(c, m))
            continue;
        cell_text(text, c, law, m, line);
        blanks += 2 + (int)width_of(c, m);
        if (text[0] != '\0')
            (void)fprintf(out, "%*s", blanks, text);
        blanks = text[0] != '\0' ? 0 : blanks;
    }
    (void)fputc('\n', out);
}

static bool has_intervals(const struct weir_comparison *c, uint32_t law)
{
    for (uint32_t m = 0; m < c->metric_count; m++)
        if (c->metric[m].judged && c->law[law].metric[m].count >= 3)
            return true;
    return false;
}

/* Returns the group of the metric: 0 for "slowdown.A.p99". */
static uint32_t group_of(const struct weir_comparison_metric *metric)
{
    return (uint32_t)(strchr(metric->name, '.')[1] - 'A');
}

static bool has_column(const struct weir_comparison *c, uint32_t group)
{
    for (uint32_t m = 0; m < c->metric_count; m++)
        if (c->metric[m].is_group && group_of(&c->metric[m]) == group && is_shown(c, m))
            return true;
    return false;
}

/* Prints the groups that have a column, as "B 1460 to 99999 B". */
static void print_groups(FILE *out, const struct weir_comparison_page *page)
{
    const uint64_t *edge = page->group_bytes;
    const char *before = "size groups: ";
    for (uint32_t group = 0; group < 4; group++) {
        if (!has_column(page->comparison, group))
            continue;
        (void)fprintf(out, "%s%c ", before, (int)('A' + group));
        before = ", ";
        if (group == 0)
            (void)fprintf(out, "below %" PRIu64 " B", edge[0]);
        else if (group == 3)
            (void)fprintf(out, "from %" PRIu64 " B", edge[2]);
        else
            (void)fprintf(out, "%" PRIu64 " to %" PRIu64 " B", edge[group - 1], edge[group] - 1);
    }
    if (before[0] == ',')
        (void)fputs(", the same for all laws\n", out);
}

/* --- sentences --- */

/* A text wrapped before column LINE, later lines indented. */
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

/* Prints "homa is best, 3.10 +- 0.20", and `end` behind it. */
static void put_best(struct wrapped *w, const struct weir_comparison *c, uint32_t metric, const char *end)
{
    uint32_t best = c->best[metric];
    const struct weir_estimate *e = &c->law[best].metric[metric];
    double scale = scale_of(c, metric);
    char mean[NUMBER], half[NUMBER], title[TITLE], text[5 * CELL], interval[CELL] = "";
    if (e->count >= 3)
        (void)snprintf(interval, sizeof(interval), " +- %s", number_text(half, e->half_width / scale, false));
    (void)snprintf(text, sizeof(text), "%s:", title_text(title, c, metric));
    put(w, text);
    (void)snprintf(text, sizeof(text), "%s is best%s, %s%s%s", c->law[best].name, is_marked(c, best) ? " (!)" : "",
                   number_text(mean, e->mean / scale, false), interval, end);
    put(w, text);
}

static void put_difference(struct wrapped *w, const struct weir_comparison *c, uint32_t metric, uint32_t law,
                           const char *end)
{
    const struct weir_estimate *d = &c->law[law].difference[metric];
    double scale = scale_of(c, metric);
    char mean[NUMBER], half[NUMBER], text[5 * CELL], interval[CELL] = "";
    const char *flag = is_marked(c, law) ? " (!)" : "";
    if (d->count >= 3)
        (void)snprintf(interval, sizeof(interval), " +- %s%s", number_text(half, d->half_width / scale, false),
                       c->law[law].is_beyond[metric] ? "" : " (within)");
    if (c->law[law].metric[metric].count == 0)
        (void)snprintf(text, sizeof(text), "%s has none%s", c->law[law].name, end);
    else if (d->count == 0)
        (void)snprintf(text, sizeof(text), "%s%s has no seed in common%s", c->law[law].name, flag, end);
    else if (weir_comparison_is_same(c, metric, law, weir_comparison_base(c, metric)))
        (void)snprintf(text, sizeof(text), "%s%s the same%s", c->law[law].name, flag, end);
    else
        (void)snprintf(text, sizeof(text), "%s%s %s%s%s%s", c->law[law].name, flag, d->mean < 0 ? "" : "+",
                       number_text(mean, d->mean / scale, false), interval, end);
    put(w, text);
}

/* Prints the best law, and how far the others are from it, or from the baseline. */
static void print_sentence(FILE *out, const struct weir_comparison *c, uint32_t metric)
{
    struct wrapped w = { .out = out };
    uint32_t base = weir_comparison_base(c, metric), left = c->law_count - 1;
    char text[5 * CELL];
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

static const char *first_doubt(const struct weir_comparison *c, uint32_t law)
{
    const struct weir_comparison_run *run = c->law[law].run;
    while (!run->is_done || run->doubt[0] == '\0')
        run++;
    return run->doubt;
}

/* Prints why each law's numbers are not to be relied on: the reason of the first such run. */
static void print_doubts(FILE *out, const struct weir_comparison *c)
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

/* Prints means over fewer runs than the law has: in the others no message of the group ended, say. */
static void print_fewer(FILE *out, const struct weir_comparison *c)
{
    char title[TITLE];
    for (uint32_t m = 0; m < c->metric_count; m++)
        for (uint32_t l = 0; l < c->law_count; l++) {
            uint32_t count = c->law[l].metric[m].count;
            if (is_shown(c, m) && count > 0 && count < c->law[l].done)
                (void)fprintf(out, "%s: %s is the mean over %u of %u runs, the others have none\n", c->law[l].name,
                              title_text(title, c, m), (unsigned)count, (unsigned)c->law[l].done);
        }
}

static void print_about(FILE *out, const struct weir_comparison_page *page)
{
    const struct weir_comparison *c = page->comparison;
    if (c->seed_count == 1)
        (void)fprintf(out, "%s: %u laws, seed %" PRIu64 "\n", page->scenario, (unsigned)c->law_count, page->first_seed);
    else
        (void)fprintf(out, "%s: %u laws, seeds %" PRIu64 " to %" PRIu64 "; means over seeds%s\n", page->scenario,
                      (unsigned)c->law_count, page->first_seed, page->first_seed + c->seed_count - 1,
                      c->seed_count >= 3 ? " +- half of their 95 % intervals (Student's t)" : "");
}

static void print_legend(FILE *out, const struct weir_comparison_page *page)
{
    const struct weir_comparison *c = page->comparison;
    uint32_t sound = count_sound(c);
    (void)fprintf(out, "slowdown: 1 = ideal; * best%s\n",
                  c->seed_count >= 3 && c->baseline == WEIR_COMPARISON_NONE ? ", ~ within its interval of the best"
                                                                            : "");
    if (sound < c->law_count)
        (void)fprintf(out, "! in doubt: %s\n",
                      sound == 0 ? "every law, and so is what is best" : "best only where no other law has a number");
    print_groups(out, page);
    print_doubts(out, c);
    print_fewer(out, c);
    if (weir_comparison_ignores_seeds(c))
        (void)fputs("every seed gave the same numbers: nothing here depends on it, and intervals of 0 tell nothing\n",
                    out);
    (void)fprintf(out, "\ndifferences from %s%s%s\n",
                  c->baseline != WEIR_COMPARISON_NONE ? c->law[c->baseline].name : "",
                  c->baseline != WEIR_COMPARISON_NONE ? "" : "the best law",
                  c->seed_count >= 3 ? ", paired by seed, +- half their 95 % intervals (within: no larger)"
                                     : "; three seeds or more would give intervals");
}

void weir_comparison_print(FILE *out, const struct weir_comparison_page *page)
{
    const struct weir_comparison *c = page->comparison;
    print_about(out, page);
    (void)fputc('\n', out);
    print_head(out, c, 0);
    print_head(out, c, 1);
    for (uint32_t l = 0; l < c->law_count; l++) {
        print_line(out, c, l, MEANS);
        if (has_intervals(c, l))
            print_line(out, c, l, INTERVALS);
    }
    print_legend(out, page);
    for (uint32_t m = 0; m < c->metric_count; m++)
        if (c->metric[m].judged && is_shown(c, m) && c->best[m] != WEIR_COMPARISON_NONE)
            print_sentence(out, c, m);
}
