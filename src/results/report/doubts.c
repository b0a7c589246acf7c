/* src/results/report/doubts.c - see doubts.h. */
#include "report/doubts.h"
#include "core/assert.h"
#include "report/html.h"
#include "reproduce/advice.h"
#include "text/memory.h"
#include <stdlib.h>
#include <string.h>

#define NAMED_MAX 4u /* most sets that a line names */

struct reason { /* why runs are in doubt, or not done */
    enum weir_advice_kind kind;
    const char *status;               /* of runs that are not done; NULL = kind says it */
    const struct weir_advice *advice; /* about the runs of the group, in their order */
};

/* Tests whether run i of the group has this reason. */
static bool has(const struct weir_group *group, size_t i, const struct reason *reason)
{
    const char *status = weir_run_text_of(&group->run[i], WEIR_RUN_STATUS);
    bool done = strcmp(status, "done") == 0;
    if (reason->status != NULL)
        return !done && strcmp(status, reason->status) == 0;
    return done && reason->advice->kind[i] == reason->kind;
}

/* Writes the sets that have such a run: "a, b", or "a, b and 3 more sets"; "all 5 sets" if each has. */
static void put_sets(FILE *out, const struct weir_group *group, const struct reason *reason)
{
    size_t sets = weir_set_count(group->run, group->count), count = 0, put = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < group->count;) {
            const struct weir_set set = weir_set_first(&group->run[i], group->count - i);
            bool any = false;
            for (size_t k = 0; k < set.count; k++)
                any = any || has(group, i + k, reason);
            i += set.count;
            count += any && pass == 0;
            if (!any || pass == 0 || (count == sets && sets > 1) || put == NAMED_MAX)
                continue;
            (void)fprintf(out, "%s%s", put == 0 ? "" : ", ", set.run->text[WEIR_RUN_LABEL]);
            put++;
        }
    if (count == sets && sets > 1)
        (void)fprintf(out, sets == 2 ? "both sets" : "all %zu sets", sets);
    else if (count > put)
        (void)fprintf(out, " and %zu more set%s", count - put, count - put == 1 ? "" : "s");
}

/* Writes what settles the runs: the lengths, or what helps. */
static void put_remedy(FILE *out, const struct weir_advice *advice, enum weir_advice_kind kind, bool many)
{
    char setting[2][64];
    bool first = weir_advice_setting(advice, 0, setting[0], sizeof(setting[0]));
    bool second = first && weir_advice_setting(advice, 1, setting[1], sizeof(setting[1]));
    if (kind == WEIR_ADVICE_LENGTH && first)
        (void)fprintf(out, ": %s%s%s settle%s %s", setting[0], second ? " and " : "", second ? setting[1] : "",
                      second ? "" : "s", many ? "them" : "it");
    else if (weir_settle_remedy(kind)[0] != '\0')
        (void)fprintf(out, ": %s", weir_settle_remedy(kind));
}

/* Writes the line of a reason; nothing if no run has it. */
static void put_line(FILE *out, const struct weir_group *group, const struct reason *reason)
{
    const struct weir_run *first = NULL;
    size_t count = 0;
    for (size_t i = 0; i < group->count; i++) {
        bool it_has = has(group, i, reason);
        first = first == NULL && it_has ? &group->run[i] : first;
        count += it_has;
    }
    if (first == NULL)
        return;
    (void)fprintf(out, "%zu of %zu run%s ", count, group->count, group->count == 1 ? "" : "s");
    if (reason->status != NULL)
        (void)fprintf(out, "%s not done: %s", count > 1 ? "are" : "is", reason->status);
    else
        (void)fputs(weir_settle_predicate(reason->kind, count > 1), out);
    (void)fputs(" (", out);
    put_sets(out, group, reason);
    (void)fputc(')', out);
    if (reason->status == NULL)
        put_remedy(out, reason->advice, reason->kind, count > 1);
    if (reason->status == NULL && reason->kind != WEIR_ADVICE_LENGTH)
        (void)fprintf(out, ". %s, seed %s: %s", first->text[WEIR_RUN_LABEL], weir_run_text_of(first, WEIR_RUN_SEED),
                      first->doubt);
    (void)fputs(".\n", out);
}

static void put_lines(FILE *out, const struct weir_group *group, const struct weir_advice *advice)
{
    for (enum weir_advice_kind kind = WEIR_ADVICE_LENGTH; kind < WEIR_ADVICE_KINDS; kind++)
        put_line(out, group, &(struct reason){ .kind = kind, .advice = advice });
    for (size_t i = 0; i < group->count; i++) { /* each status once */
        const struct reason reason = { .status = weir_run_text_of(&group->run[i], WEIR_RUN_STATUS), .advice = advice };
        size_t before = 0;
        while (before < i && !has(group, before, &reason))
            before++;
        if (before == i)
            put_line(out, group, &reason);
    }
}

int weir_doubts_lines(char **text, const struct weir_group *group, struct weir_err *err)
{
    struct weir_point *point = calloc(group->count, sizeof(*point));
    enum weir_advice_kind *kind = calloc(group->count, sizeof(*kind));
    struct weir_advice advice;
    struct weir_memory memory;
    bool whole = weir_memory_open(&memory) != NULL && point != NULL && kind != NULL;
    WEIR_ASSERT(group->count > 0);
    if (whole) {
        for (size_t i = 0; i < group->count; i++)
            point[i] = weir_run_point(&group->run[i]);
        weir_advice_of(&advice, point, (uint32_t)group->count, kind, false);
        put_lines(memory.file, group, &advice);
    }
    whole = weir_memory_close(&memory) && whole;
    *text = memory.bytes;
    free(point);
    free(kind);
    return whole ? 0 : weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the doubts about runs");
}

int weir_doubts_list(FILE *out, const struct weir_group *group, struct weir_err *err)
{
    char *text, *line, *rest;
    int code = weir_doubts_lines(&text, group, err);
    if (code == 0 && text != NULL && text[0] != '\0') {
        (void)fputs("<ul class=\"reasons\">\n", out);
        rest = text;
        while ((line = strtok_r(rest, "\n", &rest)) != NULL)
            weir_html_element(out, "li", NULL, line);
        (void)fputs("</ul>\n", out);
    }
    free(text);
    return code;
}
