/* src/results/report/causes.c - see causes.h. */
#include "report/causes.h"
#include "report/html.h"
#include <stdlib.h>
#include <string.h>

#define OPEN_RUNS 3u /* if more runs have causes, the table is closed at first */
enum { FIELD = 128, NUMBERS = 4 };

/* Copies the field that begins at `at` and ends before "[", ",", "]" or the end of the line; a longer field is cut.
 * Returns the text after that separator, or the end of the line. */
static const char *take_field(const char *at, char out[FIELD])
{
    size_t length = strcspn(at, "[,]\n");
    (void)snprintf(out, FIELD, "%.*s", (int)(length < FIELD ? length : FIELD - 1), at);
    return at + length + (at[length] != '\0' && at[length] != '\n');
}

/* Writes a table row for each cause in a list of a run (runs.h): label of the run, `what`, cause, and packets of four
 * kinds. what: "dropped" or "lost on the wire" */
static void put_list(FILE *out, const struct weir_run *run, enum weir_run_text list, const char *what)
{
    const char *at = weir_run_text_of(run, list);
    while (*at != '\0') {
        char field[FIELD];
        (void)fputs("<tr>", out);
        weir_html_element(out, "th", "scope=\"row\"", run->text[WEIR_RUN_LABEL]);
        at = take_field(at, field);
        weir_html_element(out, "td", "class=\"words\"", what);
        weir_html_element(out, "td", "class=\"code\"", field);
        for (int i = 0; i < NUMBERS; i++) {
            at = take_field(at, field);
            weir_html_number(out, strtod(field, NULL), WEIR_UNIT_COUNT);
        }
        (void)fputs("</tr>\n", out);
        at += strcspn(at, "\n");
        at += *at != '\0';
    }
}

static bool has_causes(const struct weir_run *run)
{
    return weir_run_text_of(run, WEIR_RUN_DROPS_BY_CAUSE)[0] != '\0' ||
           weir_run_text_of(run, WEIR_RUN_LOSSES_BY_CAUSE)[0] != '\0';
}

void weir_causes_section(FILE *out, const struct weir_group *group)
{
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++)
        count += has_causes(&group->run[i]);
    if (count == 0)
        return;
    (void)fprintf(
        out,
        "<details%s><summary>Why packets were dropped or lost</summary>\n<div class=\"scroll\"><table>\n<thead><tr>"
        "<th></th><th></th><th>Rule</th><th>Data</th><th>ACKs</th><th>Credits</th><th>Control</th></tr></thead>\n"
        "<tbody>\n",
        count <= OPEN_RUNS ? " open" : "");
    for (size_t i = 0; i < group->count; i++) {
        put_list(out, &group->run[i], WEIR_RUN_DROPS_BY_CAUSE, "dropped");
        put_list(out, &group->run[i], WEIR_RUN_LOSSES_BY_CAUSE, "lost on the wire");
    }
    (void)fputs("</tbody></table></div></details>\n", out);
}
