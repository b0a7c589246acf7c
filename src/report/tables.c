/* src/report/tables.c - what was run, and the numbers of the summary. Few runs stand side by side, a column each, which a narrow
 * screen can show; many stand below one another. */
#include "report/findings.h"
#include "report/html.h"
#include "report/sections.h"
#include "report/traffic.h"
#include <math.h>
#include <string.h>

#define SIDE_BY_SIDE 3     /* runs; more become rows */
#define OPEN_SCENARIOS 3   /* more are behind a second click */
#define CELL_MAX_BYTES 512 /* of texts put together here; longer ones end with ... */

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

/* "a, b", or whichever of the two is not empty. */
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
        weir_traffic_words(out, CELL_MAX_BYTES, weir_run_text_of(run, WEIR_RUN_SCENARIO));
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
        bool words = field == FIELD_TRAFFIC || field == FIELD_MACHINE;
        weir_html_element(out, "td", field == FIELD_DIGEST ? "class=\"code\"" : words ? "class=\"words\"" : NULL, text);
    }
}

/* The corner and one head per run; then a row per title. put(..) writes one cell. */
static void put_table(FILE *out, const struct weir_group *g, int rows, const char *(*title)(int row),
                      void (*put)(FILE *out, const struct weir_run *run, int row), const char *attributes)
{
    bool across = g->count <= SIDE_BY_SIDE;
    size_t lines = across ? (size_t)rows : g->count, columns = across ? g->count : (size_t)rows;
    (void)fprintf(out, "<div class=\"scroll%s\"><table %s>\n<thead><tr><th></th>", across ? " tall" : "", attributes);
    for (size_t c = 0; c < columns; c++)
        weir_html_element(out, "th", NULL, across ? g->run[c].text[WEIR_RUN_LABEL] : title((int)c));
    (void)fputs("</tr></thead>\n<tbody>\n", out);
    for (size_t l = 0; l < lines; l++) {
        (void)fputs("<tr>", out);
        weir_html_element(out, "th", NULL, across ? title((int)l) : g->run[l].text[WEIR_RUN_LABEL]);
        for (size_t c = 0; c < columns; c++)
            put(out, &g->run[across ? c : l], (int)(across ? l : c));
        (void)fputs("</tr>\n", out);
    }
    (void)fputs("</tbody></table></div>\n", out);
}

static const char *field_title_of(int row)
{
    return field_title[row];
}

static void put_field_of(FILE *out, const struct weir_run *run, int row)
{
    put_field(out, run, (enum field)row);
}

static void put_scenario(FILE *out, const struct weir_run *run)
{
    (void)fputs("<details><summary>Scenario of ", out);
    weir_html_text(out, run->text[WEIR_RUN_LABEL]);
    (void)fputs("</summary>\n", out);
    if (weir_run_text_of(run, WEIR_RUN_SETTINGS)[0] != '\0') {
        (void)fputs("<p>Set on the command line:</p>\n", out);
        weir_html_element(out, "pre", NULL, run->text[WEIR_RUN_SETTINGS]);
        (void)fputs("\n<p>All keys as they were resolved:</p>\n", out);
    }
    weir_html_element(out, "pre", NULL, weir_run_text_of(run, WEIR_RUN_SCENARIO));
    (void)fputs("\n</details>\n", out);
}

void weir_section_runs(const struct weir_page *page, const struct weir_group *all)
{
    FILE *out = page->out;
    (void)fputs("<section id=\"runs\">\n<h2>What was run</h2>\n", out);
    put_table(out, all, FIELD_COUNT, field_title_of, put_field_of, "class=\"runs\"");
    if (all->count > OPEN_SCENARIOS)
        (void)fprintf(out, "<details><summary>Scenarios of all %zu runs</summary>\n", all->count);
    for (size_t i = 0; i < all->count; i++)
        put_scenario(out, &all->run[i]);
    (void)fputs(all->count > OPEN_SCENARIOS ? "</details>\n</section>\n" : "</section>\n", out);
}

/* Row 0 holds whether the run was stable, the others are values. */
static const char *value_title(int row)
{
    return row == 0 ? "Stable" : weir_run_value_infos[row - 1].title;
}

/* Why a run was unstable; empty if it was not, or if the reason is unknown. */
static const char *unstable_why(const struct weir_run *run)
{
    return weir_run_unstable(run) ? weir_run_text_of(run, WEIR_RUN_UNSTABLE_WHY) : "";
}

static void put_stable(FILE *out, const struct weir_run *run)
{
    const char *note = weir_run_note(run);
    if (note != NULL) {
        (void)fputs("<td><span class=\"badge bad\"", out);
        const char *why = unstable_why(run);
        if (why[0] != '\0') {
            (void)fputs(" title=\"", out);
            weir_html_text(out, why);
            (void)fputc('"', out);
        }
        (void)fputc('>', out);
        weir_html_text(out, note);
        (void)fputs("</span></td>", out);
    } else {
        weir_html_element(out, "td", NULL, weir_findings_stable_word(run));
    }
}

static void put_value(FILE *out, const struct weir_run *run, int row)
{
    const struct weir_run_value_info *info = row > 0 ? &weir_run_value_infos[row - 1] : NULL;
    if (info == NULL)
        put_stable(out, run);
    else if (info->needs_stable && weir_run_unstable(run))
        weir_html_element(out, "td", "class=\"bad\"", weir_number_text(run->value[row - 1], info->unit).text);
    else
        weir_html_number(out, run->value[row - 1], info->unit);
}

/* The first run from `from` on that was unstable for this reason, or the group's count. */
static size_t next_unstable(const struct weir_group *group, size_t from, const char *why)
{
    while (from < group->count && strcmp(unstable_why(&group->run[from]), why) != 0)
        from++;
    return from;
}

/* Each reason once, with the runs it holds for: a sweep may have dozens of them. */
static void put_reasons(FILE *out, const struct weir_group *group)
{
    for (size_t i = 0; i < group->count; i++) {
        const char *why = unstable_why(&group->run[i]), *between = "): ";
        if (why[0] == '\0' || next_unstable(group, 0, why) != i)
            continue;
        (void)fputs("<p class=\"note\"><strong>Unstable</strong> (", out);
        weir_html_text(out, why);
        for (size_t j = i; j < group->count; j = next_unstable(group, j + 1, why)) {
            (void)fputs(between, out);
            weir_html_text(out, group->run[j].text[WEIR_RUN_LABEL]);
            between = ", ";
        }
        (void)fputs("</p>\n", out);
    }
}

void weir_section_summary(const struct weir_page *page, const struct weir_group *group)
{
    char part[128];
    weir_measured_part(part, sizeof(part), group);
    weir_html_element(page->out, "h3", NULL, "Summary");
    put_table(page->out, group, WEIR_RUN_RETRANSMISSIONS + 2, value_title, put_value, "class=\"summary\"");
    (void)fprintf(page->out,
                  "<p class=\"note\">Over %s; drops, marks and retransmissions over the whole run. Slowdown is to the "
                  "least possible time, headers and store-and-forward included; payload slowdown, to "
                  "propagation and payload alone. A ToR queue is all that waits at the egress ports of a first-hop "
                  "switch. Rates are payload. Slowdown and queues of a run that is not stable, or too short to know, "
                  "are coloured: a longer run has "
                  "others.</p>\n",
                  part);
    put_reasons(page->out, group);
    weir_findings_section(page->out, group);
}
