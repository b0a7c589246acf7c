/* src/results/report/causes.c - see causes.h. */
#include "report/causes.h"
#include "core/feature.h"
#include "core/feature_set.h"
#include "registry.h"
#include "report/html.h"
#include <stdlib.h>
#include <string.h>

#define OPEN_RUNS 3u /* if more runs have causes, the table is closed at first */

/* Copies the field that begins at `at` and ends before "[", ",", "]" or the end of the line; a longer field is cut.
 * Returns the text after that separator, or the end of the line. */
static const char *take_field(const char *at, char out[WEIR_CAUSE_NAME])
{
    size_t length = strcspn(at, "[,]\n");
    (void)snprintf(out, WEIR_CAUSE_NAME, "%.*s", (int)(length < WEIR_CAUSE_NAME ? length : WEIR_CAUSE_NAME - 1), at);
    return at + length + (at[length] != '\0' && at[length] != '\n');
}

bool weir_cause_next(const char **at, struct weir_cause_line *line)
{
    const char *rest = *at;
    char field[WEIR_CAUSE_NAME];
    if (*rest == '\0')
        return false;
    rest = take_field(rest, line->name);
    for (int i = 0; i < WEIR_LOST_KINDS; i++) {
        rest = take_field(rest, field);
        line->pkts[i] = strtod(field, NULL);
    }
    rest += strcspn(rest, "\n");
    *at = rest + (*rest != '\0');
    return true;
}

/* Tests whether a name is that of a rule which drops or loses packets. */
static bool is_named(const char *name, const char *feature, const struct weir_rule *rule)
{
    size_t length = strlen(feature);
    return weir_fate_ends(rule->fate) && strncmp(name, feature, length) == 0 && name[length] == '.' &&
           strcmp(name + length + 1, rule->name) == 0;
}

const char *weir_cause_reason(const char *name)
{
    const struct weir_features none = { .count = 0 };
    for (uint32_t i = WEIR_CAUSE_NONE + 1; i < WEIR_CAUSES_OF_WORLD; i++) {
        const struct weir_cause cause = weir_cause_of(&none, i);
        if (is_named(name, cause.feature, cause.rule))
            return cause.rule->reason;
    }
    for (const struct weir_feature *const *f = weir_features; *f != NULL; f++)
        for (uint32_t i = 0; i < weir_feature_rules(*f); i++)
            if (is_named(name, (*f)->name, &(*f)->rules[i]))
                return (*f)->rules[i].reason;
    return NULL;
}

const char *weir_cause_kind_name(enum weir_lost_kind kind)
{
    static const char *const name[WEIR_LOST_KINDS] = { "data", "ACKs", "credits", "control" };
    return name[kind];
}

/* Writes a table row for each cause in a list of a run (runs.h): label of the run, `what`, cause, its reason, and
 * packets of four kinds. what: "dropped" or "lost on the wire" */
static void put_list(FILE *out, const struct weir_run *run, enum weir_run_text list, const char *what)
{
    const char *at = weir_run_text_of(run, list);
    struct weir_cause_line line;
    while (weir_cause_next(&at, &line)) {
        (void)fputs("<tr>", out);
        weir_html_element(out, "th", "scope=\"row\"", run->text[WEIR_RUN_LABEL]);
        weir_html_element(out, "td", "class=\"words\"", what);
        weir_html_element(out, "td", "class=\"code\"", line.name);
        weir_html_element(out, "td", "class=\"words\"", weir_cause_reason(line.name));
        for (int i = 0; i < WEIR_LOST_KINDS; i++)
            weir_html_number(out, line.pkts[i], WEIR_UNIT_COUNT);
        (void)fputs("</tr>\n", out);
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
    (void)fprintf(out,
                  "<details%s><summary>Why packets were dropped or lost</summary>\n<div class=\"scroll\"><table "
                  "class=\"causes\">\n<thead><tr><th></th><th></th><th>Rule</th><th>Because</th>",
                  count <= OPEN_RUNS ? " open" : "");
    (void)fputs("<th>Data</th><th>ACKs</th><th>Credits</th><th>Control</th></tr></thead>\n<tbody>\n", out);
    for (size_t i = 0; i < group->count; i++) {
        put_list(out, &group->run[i], WEIR_RUN_DROPS_BY_CAUSE, "dropped");
        put_list(out, &group->run[i], WEIR_RUN_LOSSES_BY_CAUSE, "lost on the wire");
    }
    (void)fputs("</tbody></table></div></details>\n", out);
}
