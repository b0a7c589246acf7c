/* src/results/report/tables.c - writes the table of runs and the summary. Up to COLUMNS_MAX runs or sets are columns,
 * which a narrow screen can show; more are rows. */
#include "core/assert.h"
#include "report/causes.h"
#include "report/findings.h"
#include "report/html.h"
#include "report/sections.h"
#include "report/traffic.h"
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 3         /* most runs or sets as columns of a table */
#define NUMBER_COLUMNS_MAX 12 /* of the summary, whose cells are short: then it is as wide as a page at most */
#define OPEN_RUNS 12          /* if there are more runs, their table is closed at first, so that results come first */
#define CELL_MAX_BYTES 512    /* most bytes of a text in a cell, with its end; longer texts are cut */

enum field {
    FIELD_PROTOCOL,
    FIELD_TOPOLOGY,
    FIELD_TRAFFIC,
    FIELD_SEED,
    FIELD_STATUS,
    FIELD_SIMULATED,
    FIELD_TOOK,
    FIELD_DIGEST,
    FIELD_VERSION,
    FIELD_MACHINE,
    FIELD_STARTED,
    FIELD_COUNT
};
static const char *const field_title[FIELD_COUNT] = { "Protocol", "Topology",  "Traffic", "Seed",
                                                      "Status",   "Simulated", "Took",    "Digest",
                                                      "Weir",     "Machine",   "Started" };

/* Writes the texts a, before, b and after to out, one after the other. If b is empty, writes only a. out: has room for
 * CELL_MAX_BYTES */
static void join(char *out, const char *a, const char *before, const char *b, const char *after)
{
    bool both = b[0] != '\0';
    (void)snprintf(out, CELL_MAX_BYTES, "%s%s%s%s", a, both ? before : "", b, both ? after : "");
}

static void simulated(char *out, const struct weir_run *run)
{
    double sim_s = run->value[WEIR_RUN_SIM_S], measured_s = run->value[WEIR_RUN_MEASURED_S];
    if (measured_s > 0)
        join(out, weir_number_text(sim_s, WEIR_UNIT_S).text, ", measured ",
             weir_number_text(measured_s, WEIR_UNIT_S).text, "");
    else
        join(out, weir_number_text(sim_s, WEIR_UNIT_S).text, "", "", "");
}

static void field_text(char *out, const struct weir_run *run, enum field field)
{
    const char *threads = weir_run_text_of(run, WEIR_RUN_THREADS);
    switch (field) {
    case FIELD_PROTOCOL:
        join(out, weir_run_text_of(run, WEIR_RUN_PROTOCOL), ", preset ", weir_run_text_of(run, WEIR_RUN_PRESET), "");
        break;
    case FIELD_TOPOLOGY:
        join(out, weir_run_text_of(run, WEIR_RUN_TOPOLOGY), ", ", weir_run_text_of(run, WEIR_RUN_HOSTS), " hosts");
        break;
    case FIELD_TRAFFIC:
        weir_traffic_text(out, CELL_MAX_BYTES, weir_run_text_of(run, WEIR_RUN_SCENARIO));
        break;
    case FIELD_SEED:
        join(out, weir_run_text_of(run, WEIR_RUN_SEED), "", "", "");
        break;
    case FIELD_STATUS:
        join(out, weir_run_text_of(run, WEIR_RUN_STATUS), "", "", "");
        break;
    case FIELD_SIMULATED:
        simulated(out, run);
        break;
    case FIELD_TOOK:
        join(out, weir_number_text(run->value[WEIR_RUN_WALL_S], WEIR_UNIT_S).text, ", ", threads,
             strcmp(threads, "1") == 0 ? " thread" : " threads");
        break;
    case FIELD_DIGEST:
        join(out, weir_run_text_of(run, WEIR_RUN_DIGEST), "", "", "");
        break;
    case FIELD_VERSION:
        join(out, weir_run_text_of(run, WEIR_RUN_VERSION), ", commit ", weir_run_text_of(run, WEIR_RUN_COMMIT), "");
        break;
    case FIELD_MACHINE:
        join(out, weir_run_text_of(run, WEIR_RUN_MACHINE), "", "", "");
        break;
    case FIELD_STARTED:
    case FIELD_COUNT:
        join(out, weir_run_text_of(run, WEIR_RUN_STARTED), "", "", "");
        break;
    }
}

static void put_field(FILE *out, const struct weir_run *run, enum field field)
{
    char text[CELL_MAX_BYTES];
    field_text(text, run, field);
    if (field == FIELD_STATUS) {
        (void)fputs("<td>", out);
        weir_html_element(out, "span", strcmp(text, "done") == 0 ? "class=\"badge\"" : "class=\"badge bad\"", text);
        (void)fputs("</td>", out);
    } else {
        bool wraps = field == FIELD_TRAFFIC || field == FIELD_MACHINE;
        weir_html_element(out, "td", field == FIELD_DIGEST ? "class=\"code\"" : wraps ? "class=\"words\"" : NULL, text);
    }
}

/* Prints the heading of a set: its label, such as "dctcp". If `each` is true, the set is one run and its seed is
 * printed, too: "dctcp, seed 3". */
static void put_head(FILE *out, const struct weir_set *set, bool each)
{
    (void)fputs("<th>", out);
    weir_html_text(out, set->run->text[WEIR_RUN_LABEL]);
    if (each) {
        (void)fputs(", seed ", out);
        weir_html_text(out, weir_run_text_of(set->run, WEIR_RUN_SEED));
    }
    (void)fputs("</th>", out);
}

struct table { /* a table with a column for each set, or transposed */
    const struct weir_set *set;
    size_t count, columns_max; /* sets; most of them as columns */
    bool each;                 /* each set is a single run, whose heading also has its seed */
    const int *row;            /* the numbers of the rows, for title() and put() */
    int rows;
    struct weir_number (*title)(int row);
    void (*put)(FILE *out, const struct weir_set *set, int row); /* prints one cell */
    const char *attributes;                                      /* of the HTML element `table` */
};

/* Prints a table with a column for each set and a row for each title; transposed if there are more sets than
 * t->columns_max. */
static void put_table(FILE *out, const struct table *t)
{
    bool across = t->count <= t->columns_max;
    size_t lines = across ? (size_t)t->rows : t->count, columns = across ? t->count : (size_t)t->rows;
    (void)fprintf(out, "<div class=\"scroll%s\"><table %s>\n<thead><tr><th></th>", across ? " tall" : "",
                  t->attributes);
    for (size_t c = 0; c < columns; c++) {
        if (across)
            put_head(out, &t->set[c], t->each);
        else
            weir_html_element(out, "th", NULL, t->title(t->row[c]).text);
    }
    (void)fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t l = 0; l < lines; l++) {
        (void)fputs("<tr>", out);
        if (across)
            weir_html_element(out, "th", NULL, t->title(t->row[l]).text);
        else
            put_head(out, &t->set[l], t->each);
        for (size_t c = 0; c < columns; c++)
            t->put(out, &t->set[across ? c : l], t->row[across ? l : c]);
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</tbody></table></div>\n", out);
}

static struct weir_number field_title_of(int row)
{
    struct weir_number title;
    (void)snprintf(title.text, sizeof(title.text), "%s", field_title[row]);
    return title;
}

static void put_field_of(FILE *out, const struct weir_set *set, int row)
{
    put_field(out, set->run, (enum field)row);
}

/* Tests whether all runs have the same text in a field. */
static bool is_common(const struct weir_group *all, enum field field)
{
    char first[CELL_MAX_BYTES], other[CELL_MAX_BYTES];
    field_text(first, all->run, field);
    for (size_t i = 1; i < all->count; i++) {
        field_text(other, &all->run[i], field);
        if (strcmp(first, other) != 0)
            return false;
    }
    return true;
}

/* Prints a field that is the same in all runs as an item of the list above the table; nothing if its text is empty. */
static void put_common(FILE *out, const struct weir_group *all, enum field field)
{
    char text[CELL_MAX_BYTES] = "";
    WEIR_ASSERT(field < FIELD_COUNT);
    field_text(text, all->run, field);
    if (text[0] == '\0')
        return;
    weir_html_element(out, "dt", NULL, field_title[field]);
    weir_html_element(out, "dd", field == FIELD_DIGEST ? "class=\"code\"" : NULL, text);
    (void)fputc('\n', out);
}

static int put_runs(FILE *out, const struct weir_group *all, struct weir_err *err)
{
    struct weir_set *set = calloc(all->count, sizeof(*set));
    int row[FIELD_COUNT], rows = 0, common = 0;
    if (set == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the list of runs");
    for (size_t i = 0; i < all->count; i++)
        set[i] = (struct weir_set){ &all->run[i], 1 };
    for (int f = 0; f < FIELD_COUNT; f++) {
        if (all->count <= COLUMNS_MAX || f == FIELD_STATUS || !is_common(all, (enum field)f)) {
            row[rows++] = f;
            continue;
        }
        (void)fputs(common++ == 0 ? "<p class=\"note\">The same for all runs:</p>\n<dl>\n" : "", out);
        put_common(out, all, (enum field)f);
    }
    (void)fputs(common > 0 ? "</dl>\n" : "", out);
    if (all->count > OPEN_RUNS)
        (void)fprintf(out, "<details><summary>All %zu runs</summary>\n", all->count);
    put_table(out, &(struct table){ .set = set,
                                    .count = all->count,
                                    .columns_max = COLUMNS_MAX,
                                    .row = row,
                                    .rows = rows,
                                    .title = field_title_of,
                                    .put = put_field_of,
                                    .attributes = "class=\"runs\"" });
    (void)fputs(all->count > OPEN_RUNS ? "</details>\n" : "", out);
    free(set);
    return 0;
}

int weir_section_runs(const struct weir_page *page, const struct weir_group *all, struct weir_err *err)
{
    int code;
    (void)fputs("<section id=\"runs\">\n<h2>What was run</h2>\n", page->out);
    code = put_runs(page->out, all, err);
    if (code == 0)
        code = weir_section_scenarios(page, all, err);
    (void)fputs("</section>\n", page->out);
    return code;
}

/* Rows of the summary: row 0 is "In doubt", row n + 1 is value n, row ROW_SEEDS is the number of runs of the set. */
#define ROW_SEEDS (WEIR_RUN_RETRANSMISSIONS + 2)

static struct weir_number value_title(int row)
{
    struct weir_number title;
    const char *text = row == 0 ? "In doubt" : "Seeds";
    (void)snprintf(title.text, sizeof(title.text), "%s",
                   row == 0 || row == ROW_SEEDS ? text : weir_run_value_info((enum weir_run_value)(row - 1)).title);
    return title;
}

/* Sets *count to the number of runs of a set that have a note (weir_run_note()). Returns the first of these runs; NULL
 * = there is none. */
static const struct weir_run *noted(const struct weir_set *set, size_t *count)
{
    const struct weir_run *first = NULL;
    *count = 0;
    for (size_t i = 0; i < set->count; i++) {
        if (weir_run_note(&set->run[i]) == NULL)
            continue;
        first = first != NULL ? first : &set->run[i];
        ++*count;
    }
    return first;
}

/* Prints what the first run in doubt lacks, "too short", or the status of one that is not done. */
static void put_doubt(FILE *out, const struct weir_set *set)
{
    size_t count;
    const struct weir_run *run = noted(set, &count);
    WEIR_ASSERT(set->run != NULL);
    if (run == NULL) {
        weir_html_element(out, "td", NULL, "no");
        return;
    }
    (void)fputs("<td><span class=\"badge bad\"", out);
    if (run->doubt != NULL) {
        (void)fputs(" title=\"", out);
        weir_html_text(out, run->doubt);
        (void)fputc('"', out);
    }
    (void)fputc('>', out);
    weir_html_text(out, run->doubt != NULL ? weir_settle_why(run->settles) : weir_run_note(run));
    if (count < set->count)
        (void)fprintf(out, " in %zu of %zu", count, set->count);
    (void)fputs("</span></td>", out);
}

static void put_value(FILE *out, const struct weir_set *set, int row)
{
    struct weir_run_value_info info;
    struct weir_spread spread;
    char text[96];
    int used;
    if (row == ROW_SEEDS) {
        weir_html_number(out, (double)set->count, WEIR_UNIT_COUNT);
        return;
    }
    if (row == 0) {
        put_doubt(out, set);
        return;
    }
    info = weir_run_value_info((enum weir_run_value)(row - 1));
    spread = weir_set_spread(set, (enum weir_run_value)(row - 1));
    used = snprintf(text, sizeof(text), "%s", weir_number_spread(spread.mean, spread.half_width, info.unit).text);
    if (spread.count > 0 && spread.count < set->count) /* not all runs have this number */
        (void)snprintf(text + used, sizeof(text) - (size_t)used, " (%zu of %zu)", spread.count, set->count);
    weir_html_element(out, "td", info.needs_stable && weir_set_any_doubtful(set) ? "class=\"bad\"" : NULL, text);
}

/* Returns the doubt about a run without findings, as of a file of an older Weir; "" = there is none. */
static const char *bare_doubt(const struct weir_run *run)
{
    return run->doubt != NULL && weir_run_text_of(run, WEIR_RUN_FINDINGS)[0] == '\0' ? run->doubt : "";
}

/* Returns the index of the first run, from `from` on, with this doubt alone; group->count = there is none. */
static size_t next_doubtful(const struct weir_group *group, size_t from, const char *why)
{
    while (from < group->count && strcmp(bare_doubt(&group->run[from]), why) != 0)
        from++;
    return from;
}

/* Prints each doubt without findings once, with the labels of the sets that have such a run: a sweep may have dozens of
 * runs with the same one. */
static void put_reasons(FILE *out, const struct weir_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        const char *why = bare_doubt(&group->run[i]), *between = "): ";
        if (why[0] == '\0' || next_doubtful(group, 0, why) != i)
            continue;
        (void)fputs("<p class=\"note\"><strong>In doubt</strong> (", out);
        weir_html_text(out, why);
        for (size_t j = i, set = SIZE_MAX; j < group->count; j = next_doubtful(group, j + 1, why)) {
            if (group->run[j].set == set)
                continue; /* the label of this set is already printed */
            set = group->run[j].set;
            (void)fputs(between, out);
            weir_html_text(out, group->run[j].text[WEIR_RUN_LABEL]);
            between = ", ";
        }
        (void)fputs("</p>\n", out);
    }
}

static bool any_has(const struct weir_group *group, enum weir_run_value value)
{
    for (size_t i = 0; i < group->count; i++)
        if (isfinite(group->run[i].value[value]))
            return true;
    return false;
}

/* Prints the summary table of all sets, without numbers of jobs if no run has them. If `each` is true, prints a table
 * of the runs of those sets that have several runs. Returns 0, or WEIR_E_MEMORY with err. */
static int put_summary(FILE *out, const struct weir_group *group, bool each, struct weir_err *err)
{
    struct weir_set *set = calloc(group->count, sizeof(*set)), one;
    int row[ROW_SEEDS + 1], rows = 0;
    size_t count = 0;
    bool seeds = weir_set_count(group->run, group->count) < group->count;
    if (set == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the summary");
    for (size_t i = 0; i < group->count; i += one.count) {
        one = weir_set_first(&group->run[i], group->count - i);
        if (!each)
            set[count++] = one;
        for (size_t k = 0; k < one.count && each && one.count > 1; k++)
            set[count++] = (struct weir_set){ &one.run[k], 1 };
    }
    if (seeds && !each)
        row[rows++] = ROW_SEEDS;
    for (int r = 0; r < ROW_SEEDS; r++)
        if (r == 0 || r > WEIR_RUN_BUSBW + 1 || any_has(group, (enum weir_run_value)(r - 1)))
            row[rows++] = r;
    put_table(out, &(struct table){ .set = set,
                                    .count = count,
                                    .columns_max = NUMBER_COLUMNS_MAX,
                                    .each = each,
                                    .row = row,
                                    .rows = rows,
                                    .title = value_title,
                                    .put = put_value,
                                    .attributes = "class=\"summary\"" });
    free(set);
    return 0;
}

/* Prints a note for each number that the files of some runs do not have, because an older Weir wrote them. In the
 * tables these runs show a dash for the number. */
static void put_lacking(FILE *out, const struct weir_group *group)
{
    for (int value = 0; value <= WEIR_RUN_RETRANSMISSIONS; value++) {
        const struct weir_run *first = NULL;
        size_t count = 0;
        for (size_t i = 0; i < group->count; i++) {
            bool lacks = (group->run[i].lacks >> value & 1) != 0;
            first = first == NULL && lacks ? &group->run[i] : first;
            count += lacks;
        }
        if (count == 0)
            continue;
        (void)fprintf(
            out, "<p class=\"note\">%zu run%s here %s no number <code>%s</code>: the file was written by Weir ", count,
            count == 1 ? "" : "s", count == 1 ? "has" : "have", weir_run_value_name((enum weir_run_value)value));
        weir_html_text(out, weir_run_text_of(first, WEIR_RUN_VERSION));
        (void)fputs(", which has none of that name.</p>\n", out);
    }
}

int weir_section_summary(const struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    bool seeds = weir_set_count(group->run, group->count) < group->count;
    char part[128];
    int code;
    weir_measured_part(part, sizeof(part), group);
    weir_html_element(page->out, "h3", NULL, "Summary");
    code = put_summary(page->out, group, false, err);
    (void)fprintf(
        page->out,
        "<p class=\"note\">Over %s; drops, marks and retransmissions over the whole run. Slowdown is to the "
        "least possible time, headers and store-and-forward included; payload slowdown, to "
        "propagation and payload alone. A ToR queue is all that waits at the egress ports of a first-hop "
        "switch. Rates are payload. Slowdown and queues of a run in doubt are coloured: a longer run may have "
        "others.%s</p>\n",
        part,
        seeds ? " Of runs that differ in the seed only the mean is shown, of so many as have the number; "
                "with three seeds or more, the "
                "half-width of its 95 % interval (Student's t) behind it. Percentiles are taken of each run "
                "and then averaged."
              : "");
    (void)fprintf(page->out, "<div id=\"why%zu\">\n", page->part);
    put_reasons(page->out, group);
    put_lacking(page->out, group);
    weir_findings_section(page->out, group);
    (void)fputs("</div>\n", page->out);
    weir_causes_section(page->out, group);
    if (seeds && code == 0) {
        (void)fputs("<details><summary>Each seed</summary>\n", page->out);
        code = put_summary(page->out, group, true, err);
        (void)fputs("</details>\n", page->out);
    }
    return code;
}
