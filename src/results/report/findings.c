/* src/results/report/findings.c - see findings.h. */
#include "report/findings.h"
#include "report/html.h"
#include <string.h>

#define OPEN_RUNS 6u /* if more runs have findings, the list is closed at first */

/* Tests whether other runs belong to the set of run i. All runs of a set have the same label, so the seed is then
 * shown, too. */
static bool has_seeds(const struct weir_group *group, size_t i)
{
    const struct weir_run *run = &group->run[i];
    return (i > 0 && run[-1].set == run->set) || (i + 1 < group->count && run[1].set == run->set);
}

/* Prints the findings of a run as a list item: its label, its seed if `seeds`, and each line of its text as a
 * sentence. */
static void put_run(FILE *out, const struct weir_run *run, bool seeds)
{
    const char *line = weir_run_text_of(run, WEIR_RUN_FINDINGS);
    (void)fputs("<li><strong>", out);
    weir_html_text(out, run->text[WEIR_RUN_LABEL]);
    (void)fputs(seeds ? ", seed " : "", out);
    weir_html_text(out, seeds ? weir_run_text_of(run, WEIR_RUN_SEED) : "");
    (void)fputs("</strong>: ", out);
    for (size_t length; *line != '\0'; line += length + (line[length] != '\0')) {
        char text[1024];
        length = strcspn(line, "\n");
        (void)snprintf(text, sizeof(text), "%.*s", (int)length, line);
        weir_html_text(out, text);
        (void)fputs(line[length] != '\0' ? ". " : ".", out);
    }
    (void)fputs("</li>\n", out);
}

void weir_findings_section(FILE *out, const struct weir_group *group)
{
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++)
        count += weir_run_text_of(&group->run[i], WEIR_RUN_FINDINGS)[0] != '\0';
    if (count == 0)
        return;
    (void)fprintf(out, "<details%s><summary>What these numbers lack, and what helps</summary>\n<ul class=\"note\">\n",
                  count <= OPEN_RUNS ? " open" : "");
    for (size_t i = 0; i < group->count; i++)
        if (weir_run_text_of(&group->run[i], WEIR_RUN_FINDINGS)[0] != '\0')
            put_run(out, &group->run[i], has_seeds(group, i));
    (void)fputs("</ul></details>\n", out);
}
