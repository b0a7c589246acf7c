/* src/results/report/scenarios.c - writes the scenarios of a page, in elements that are closed at first. A sweep has
 * hundreds of nearly equal scenarios. So only the first scenario of each part is shown whole. Of each other scenario
 * only the differences from the first are shown. */
#include "report/html.h"
#include "report/sections.h"
#include "config/settings.h"
#include <string.h>

#define OPEN_SCENARIOS 3 /* if there are more scenarios, all are within one more element that can be opened */

static void put_whole(FILE *out, const struct weir_run *run)
{
    if (weir_run_text_of(run, WEIR_RUN_SETTINGS)[0] != '\0') {
        (void)fputs("<p>Set on the command line:</p>\n", out);
        weir_html_element(out, "pre", NULL, run->text[WEIR_RUN_SETTINGS]);
        (void)fputs("\n<p>All keys as they were resolved:</p>\n", out);
    }
    weir_html_element(out, "pre", NULL, weir_run_text_of(run, WEIR_RUN_SCENARIO));
    (void)fputc('\n', out);
}

static bool is_same(const struct weir_settings *in, const struct weir_setting *setting)
{
    const char *there = weir_settings_find(in, setting->key);
    return there != NULL && strcmp(there, setting->value) == 0;
}

/* Writes a line for each key of `of` that has another value in `than`, or that `than` does not have. Then writes one
 * line with the keys that only `than` has. */
static void put_difference(FILE *out, const struct weir_settings *of, const struct weir_settings *than)
{
    size_t without = 0;
    (void)fputs("<pre>", out);
    for (size_t i = 0; i < of->count; i++) {
        if (is_same(than, &of->item[i]))
            continue;
        weir_html_text(out, of->item[i].key);
        (void)fputs(": ", out);
        weir_html_text(out, of->item[i].value);
        (void)fputc('\n', out);
    }
    for (size_t i = 0; i < than->count; i++) {
        if (weir_settings_find(of, than->item[i].key) != NULL)
            continue;
        (void)fputs(without++ == 0 ? "# without " : ", ", out);
        weir_html_text(out, than->item[i].key);
    }
    (void)fputs("</pre>\n", out);
}

static void put_title(FILE *out, const struct weir_set *set)
{
    (void)fputs("<details><summary>Scenario of ", out);
    weir_html_text(out, set->run->text[WEIR_RUN_LABEL]);
    if (set->count > 1)
        (void)fprintf(out, ", %zu seeds", set->count);
    (void)fputs("</summary>\n", out);
}

static int put_scenario(FILE *out, const struct weir_set *set, const struct weir_run *first,
                        const struct weir_settings *common, struct weir_err *err)
{
    struct weir_settings own;
    int code = weir_settings_read(&own, weir_run_text_of(set->run, WEIR_RUN_SCENARIO), err);
    put_title(out, set);
    if (set->run == first || own.count == 0 || common->count == 0) {
        put_whole(out, set->run);
    } else {
        (void)fputs("<p>As that of ", out);
        weir_html_text(out, first->text[WEIR_RUN_LABEL]);
        (void)fputs(", but:</p>\n", out);
        put_difference(out, &own, common);
    }
    (void)fputs("</details>\n", out);
    weir_settings_free(&own);
    return code;
}

int weir_section_scenarios(const struct weir_page *page, const struct weir_group *all, struct weir_err *err)
{
    size_t sets = weir_set_count(all->run, all->count);
    struct weir_settings common = { 0 };
    const struct weir_run *first = NULL;
    struct weir_set set;
    int code = 0;
    if (sets > OPEN_SCENARIOS)
        (void)fprintf(page->out, "<details><summary>Scenarios of all %zu runs</summary>\n", all->count);
    for (size_t i = 0; i < all->count && code == 0; i += set.count) {
        set = weir_set_first(&all->run[i], all->count - i);
        if (first == NULL || !weir_runs_same_group(first, set.run)) {
            first = set.run;
            weir_settings_free(&common);
            code = weir_settings_read(&common, weir_run_text_of(first, WEIR_RUN_SCENARIO), err);
        }
        if (code == 0)
            code = put_scenario(page->out, &set, first, &common, err);
    }
    weir_settings_free(&common);
    if (sets > OPEN_SCENARIOS)
        (void)fputs("</details>\n", page->out);
    return code;
}
