/* src/results/reproduce/comparison_print.c - see comparison_print.h. */
#include "reproduce/comparison_print.h"
#include "reproduce/comparison_text.h"
#include <inttypes.h>
#include <string.h>

enum { CELL = 40, HEAD = WEIR_COMPARISON_NAME + 8, KEY_WIDTH = 22, VALUE_WIDTH = 12, VALUES_WIDTH = 78 };

static uint32_t longer(uint32_t width, const char *text)
{
    return strlen(text) > width ? (uint32_t)strlen(text) : width;
}

/* --- the keys that differ --- */

static bool has_presets(const struct weir_comparison_page *page)
{
    for (uint32_t l = 0; l < page->comparison->law_count; l++)
        if (page->preset[l] != NULL)
            return true;
    return false;
}

/* Tests whether a law has another name than its protocol. */
static bool has_variants(const struct weir_comparison_page *page)
{
    for (uint32_t l = 0; l < page->comparison->law_count; l++)
        if (page->protocol[l] != NULL && strcmp(page->protocol[l], page->comparison->law[l].name) != 0)
            return true;
    return false;
}

struct columns { /* some of the values of each line: those of the file and of the laws */
    uint32_t from, to;
    int width; /* of a value; longer ones are cut */
};

/* Prints one line: the name, then value[from] to value[to - 1] in columns. */
static void print_values(FILE *out, const char *name, const char *const *value, const struct columns *at)
{
    (void)fprintf(out, "%-*s", KEY_WIDTH, name);
    for (uint32_t i = at->from; i < at->to; i++)
        (void)fprintf(out, " %-*.*s", i + 1 < at->to ? at->width : 0, at->width, value[i]);
    (void)fputc('\n', out);
}

static void print_columns(FILE *out, const struct weir_comparison_page *page, const struct columns *at)
{
    const struct weir_comparison *c = page->comparison;
    const char *value[WEIR_COMPARISON_LAWS_MAX + 1] = { "the file" };
    for (uint32_t l = 0; l < c->law_count; l++)
        value[l + 1] = c->law[l].name;
    print_values(out, "key", value, at);
    value[0] = "";
    for (uint32_t l = 0; l < c->law_count; l++)
        value[l + 1] = page->protocol[l];
    if (has_variants(page))
        print_values(out, "protocol.name", value, at);
    for (uint32_t l = 0; l < c->law_count; l++)
        value[l + 1] = page->preset[l] != NULL ? page->preset[l] : "-";
    if (has_presets(page))
        print_values(out, "protocol.preset", value, at);
    for (uint32_t k = 0; k < page->keys->count; k++)
        print_values(out, page->keys->key[k].path, page->keys->key[k].value, at);
}

/* Tests whether the key of a setting, "protocol.g=0.08", has a line among the keys that differ. */
static bool has_line(const struct weir_comparison_page *page, const char *setting)
{
    size_t length = strcspn(setting, "= ");
    for (uint32_t k = 0; k < page->keys->count; k++)
        if (strlen(page->keys->key[k].path) == length && strncmp(page->keys->key[k].path, setting, length) == 0)
            return true;
    return false;
}

/* Prints the given settings of the section protocol for which the table of keys has no lines. It has one only where
 * laws of one protocol differ, because each protocol has keys of its own. */
static void print_given(FILE *out, const struct weir_comparison_page *page)
{
    for (uint32_t i = 0; i < page->given_count; i++) {
        const struct weir_comparison_given *given = &page->given[i];
        if (has_line(page, given->text))
            continue;
        (void)fprintf(out, "set for %s: %s\n",
                      given->law == WEIR_COMPARISON_NONE ? "all laws" : page->comparison->law[given->law].name,
                      given->text);
    }
}

void weir_comparison_print_keys(FILE *out, const struct weir_comparison_page *page)
{
    uint32_t columns = page->comparison->law_count + 1, width = VALUE_WIDTH;
    (void)fprintf(out, "%s\n",
                  page->keys->count == 0 ? "besides the law no key differs from the file"
                  : page->same_fabric
                      ? "keys that differ: what the file leaves out is as each law's preset has it"
                      : "keys that differ: each law gets what it recommends, --same-fabric turns that off");
    for (uint32_t l = 0; l + 1 < columns; l++)
        width = longer(width, page->comparison->law[l].name);
    for (uint32_t from = 0, count = VALUES_WIDTH / (width + 1); from < columns; from += count) {
        const struct columns at = { from, columns < from + count ? columns : from + count, (int)width };
        print_columns(out, page, &at);
    }
    if (page->keys->is_cut)
        (void)fprintf(out, "and more keys: more than %u\n", WEIR_COMPARISON_KEYS_MAX);
    print_given(out, page);
}

/* --- the table --- */

/* Writes line 0 or 1 of the heading of a column, and returns out. The row of the metric may have a heading; then " KB"
 * is added to line 0 for bytes. Without a heading, line 0 is the name up to the last dot, and line 1 the rest, as "max
 * (KB)". */
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

/* Tests whether the difference between a law and the best law does not exceed the interval of this difference. Returns
 * false if differences are from another law than the best, or have no interval. */
static bool is_like_best(const struct weir_comparison *c, uint32_t law, uint32_t metric)
{
    return weir_comparison_base(c, metric) == c->best[metric] &&
           weir_estimate_has_interval(&c->law[law].difference[metric]) && !c->law[law].is_beyond[metric];
}

/* Tests whether a law is the best of a metric, or has the same numbers as the best with every seed and is as sound. */
static bool is_best(const struct weir_comparison *c, uint32_t law, uint32_t metric)
{
    uint32_t best = c->best[metric];
    return best == law || (best != WEIR_COMPARISON_NONE && weir_comparison_is_same(c, metric, law, best) &&
                           weir_comparison_is_sound(c, law) == weir_comparison_is_sound(c, best));
}

/* The two lines of a law in the table. MEANS: "2.86*" for the best law, "2.87~" for a law whose difference from the
 * best is within the interval of that difference. INTERVALS: half the width of each interval, "+-0.03". */
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
    char number[WEIR_COMPARISON_NUMBER];
    out[0] = '\0';
    if (line == MEANS)
        (void)snprintf(out, CELL, "%s%s",
                       e->count > 0
                           ? weir_comparison_number(number, e->mean / weir_comparison_scale(c, metric), !row->judged)
                           : "-",
                       end);
    else if (row->judged && weir_estimate_has_interval(e))
        (void)snprintf(out, CELL, "+-%s%s",
                       weir_comparison_number(number, e->half_width / weir_comparison_scale(c, metric), false), end);
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
    (void)snprintf(out, CELL, "%.31s%s", c->law[law].name, weir_comparison_is_sound(c, law) ? "" : " !");
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
    int blanks = name_width(c) - fprintf(out, "%s", line == 0 ? "law" : ""); /* blanks not printed yet, so that no line
                                                                                ends with blanks */
    for (uint32_t m = 0; m < c->metric_count; m++) {
        if (!weir_comparison_is_shown(c, m))
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
    int blanks = 0; /* blanks not printed yet, so that no line ends with blanks */
    if (line == MEANS)
        name_text(text, c, law);
    blanks = name_width(c) - fprintf(out, "%s", text);
    for (uint32_t m = 0; m < c->metric_count; m++) {
        if (!weir_comparison_is_shown(c, m))
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
        if (c->metric[m].judged && weir_estimate_has_interval(&c->law[law].metric[m]))
            return true;
    return false;
}

/* Returns the size group in the name of a metric: 0 for "slowdown.A.p99". */
static uint32_t group_of(const struct weir_comparison_metric *metric)
{
    return (uint32_t)(strchr(metric->name, '.')[1] - 'A');
}

static bool has_column(const struct weir_comparison *c, uint32_t group)
{
    for (uint32_t m = 0; m < c->metric_count; m++)
        if (c->metric[m].is_group && group_of(&c->metric[m]) == group && weir_comparison_is_shown(c, m))
            return true;
    return false;
}

/* Prints the edges of the size groups that have a column, as "B 1460 to 99999 B". */
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
    uint32_t sound = weir_comparison_sound_count(c);
    (void)fprintf(out, "slowdown: 1 = ideal; * best%s\n",
                  c->seed_count >= 3 && c->baseline == WEIR_COMPARISON_NONE ? ", ~ within its interval of the best"
                                                                            : "");
    if (sound < c->law_count)
        (void)fprintf(out, "! in doubt: %s\n",
                      sound == 0 ? "every law, and so is what is best; no intervals"
                                 : "best only where no other law has a number, and without intervals");
    print_groups(out, page);
    weir_comparison_doubts(out, c);
    weir_comparison_sampled(out, c);
    weir_comparison_fewer(out, c);
    weir_comparison_fullest(out, c, page->first_seed);
    if (weir_comparison_ignores_seeds(c))
        (void)fputs("every seed gave the same numbers: nothing here depends on it, and intervals of 0 tell nothing\n",
                    out);
    (void)fprintf(out, "\ndifferences from %s%s%s\n",
                  c->baseline != WEIR_COMPARISON_NONE ? c->law[c->baseline].name : "",
                  c->baseline != WEIR_COMPARISON_NONE ? "" : "the best law",
                  c->seed_count >= 3 ? ", paired by seed, +- half their 95 % intervals"
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
        if (c->metric[m].judged && weir_comparison_is_shown(c, m) && c->best[m] != WEIR_COMPARISON_NONE)
            weir_comparison_sentence(out, c, m);
}
