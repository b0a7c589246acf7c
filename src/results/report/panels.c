/* src/results/report/panels.c - see panels.h. */
#include "report/panels.h"
#include <stdlib.h>
#include <string.h>

#define SETS_MAX ((size_t)WEIR_PLOT_PARTS_MAX * WEIR_PLOT_PART_CURVES) /* as many as a figure draws */
#define PARTS " ,;/|_-:"                                               /* separators between the tokens of a label */

static bool is_token(const char *label, const char *at, size_t length)
{
    return (at == label || strchr(PARTS, at[-1]) != NULL) && (at[length] == '\0' || strchr(PARTS, at[length]) != NULL);
}

void weir_panel_title(char *out, size_t size, const char *label, const char *protocol)
{
    size_t length = strlen(protocol);
    const char *at = length > 0 ? strstr(label, protocol) : NULL, *end;
    while (at != NULL && !is_token(label, at, length))
        at = strstr(at + 1, protocol);
    if (at == NULL) {
        (void)snprintf(out, size, "%s", label);
        return;
    }
    end = at + length;
    if (at == label)
        end += strspn(end, PARTS);
    else
        while (at > label && strchr(PARTS, at[-1]) != NULL)
            at--;
    (void)snprintf(out, size, "%.*s%s", (int)(at - label), label, end);
}

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to put runs into figures");
}

struct titled {
    const struct weir_run *run;
    char title[sizeof(((struct weir_panels *)NULL)->title[0])];
    size_t position; /* index in the group */
};

static int compare_titled(const void *left, const void *right)
{
    const struct titled *a = left, *b = right;
    int order = weir_natural_compare(a->title, b->title);
    return order != 0 ? order : (a->position > b->position) - (a->position < b->position);
}

/* Divides runs, sorted by title, into panels of one title each. Returns false if the group must stay whole, for one of
 * the reasons in panels.h. */
static bool divide(struct weir_panels *panels, const struct titled *t, size_t count)
{
    for (size_t first = 0, end; first < count; first = end) {
        size_t sets;
        for (end = first; end < count && strcmp(t[end].title, t[first].title) == 0; end++)
            panels->run[end] = *t[end].run;
        sets = weir_set_count(&panels->run[first], end - first);
        if (sets < 2 || sets > SETS_MAX || panels->count == WEIR_PANELS_MAX || t[first].title[0] == '\0')
            return false;
        memcpy(panels->title[panels->count], t[first].title, sizeof(t[first].title));
        panels->end[panels->count++] = end;
    }
    return true;
}

int weir_panels_make(struct weir_panels *panels, const struct weir_group *group, struct weir_err *err)
{
    struct titled *t;
    *panels = (struct weir_panels){ 0 };
    if (weir_set_count(group->run, group->count) <= WEIR_PLOT_CURVES_MAX)
        return 0;
    t = calloc(group->count, sizeof(*t));
    panels->run = calloc(group->count, sizeof(*panels->run));
    panels->title = calloc(WEIR_PANELS_MAX, sizeof(*panels->title));
    panels->end = calloc(WEIR_PANELS_MAX, sizeof(*panels->end));
    if (t == NULL || panels->run == NULL || panels->title == NULL || panels->end == NULL) {
        free(t);
        return no_memory(err);
    }
    for (size_t i = 0; i < group->count; i++) {
        t[i].run = &group->run[i];
        t[i].position = i;
        weir_panel_title(t[i].title, sizeof(t[i].title), group->run[i].text[WEIR_RUN_LABEL],
                         weir_run_text_of(&group->run[i], WEIR_RUN_PROTOCOL));
    }
    qsort(t, group->count, sizeof(*t), compare_titled);
    if (divide(panels, t, group->count)) {
        for (size_t i = 0, first = 0; i < panels->count; first = panels->end[i++])
            weir_sets_style(&panels->run[first], panels->end[i] - first); /* a panel has fewer sets of each law */
    } else {
        weir_panels_free(panels);
    }
    free(t);
    return 0;
}

void weir_panels_free(struct weir_panels *panels)
{
    free(panels->run);
    free(panels->title);
    free(panels->end);
    *panels = (struct weir_panels){ 0 };
}
