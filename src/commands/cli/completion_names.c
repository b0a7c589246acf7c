/* src/commands/cli/completion_names.c - collects the names that shells complete; see completion_names.h. */
#include "cli/completion_names.h"
#include "cli/cli.h"
#include "cli/usage.h"
#include "config/help.h"
#include "config/names.h"
#include "core/err.h"
#include "core/param.h"
#include "output/metrics.h"
#include "reproduce/origin.h"
#include "testbed/figs.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAIR = 192 };

struct collector {
    struct weir_name_list list;
    size_t room;
    bool failed; /* there was no memory for a name */
};

/* Tests whether a name has only characters that shells do not interpret, in any quotes. Other names, as "FIFO of a
 * link" with its blanks, are left out. */
static bool is_plain(const char *name)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+=[]";
    return name[0] != '\0' && name[strspn(name, plain)] == '\0';
}

static void add(void *ctx, const char *name)
{
    struct collector *c = ctx;
    if (c->failed || !is_plain(name))
        return;
    if (c->list.count == c->room) {
        size_t room = c->room > 0 ? 2 * c->room : 256;
        char **more = realloc(c->list.name, room * sizeof(*more));
        c->failed = more == NULL;
        if (c->failed)
            return;
        c->list.name = more;
        c->room = room;
    }
    c->list.name[c->list.count] = strdup(name);
    c->failed = c->list.name[c->list.count] == NULL;
    c->list.count += !c->failed;
}

static void add_key(void *ctx, const char *path, const struct weir_param *row)
{
    (void)row;
    add(ctx, path);
}

static void add_value(void *ctx, const char *path, const char *value)
{
    char pair[PAIR];
    if (snprintf(pair, sizeof(pair), "%s=%s", path, value) < (int)sizeof(pair))
        add(ctx, pair);
}

/* Adds "path=value" for each value of a key that is a choice or a flag, and for the keyword that a number may have. */
static void add_values(void *ctx, const char *path, const struct weir_param *row)
{
    if (row == NULL && strcmp(path, "protocol.name") == 0)
        for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++)
            add_value(ctx, path, p->name);
    if (row == NULL)
        return;
    for (size_t i = 0; row->kind == WEIR_KIND_CHOICE && row->choices[i] != NULL; i++)
        add_value(ctx, path, row->choices[i]);
    if (row->kind == WEIR_KIND_FLAG) {
        add_value(ctx, path, "true");
        add_value(ctx, path, "false");
    }
    for (const struct weir_keyword *k = NULL; (k = weir_param_keyword(row, k)) != NULL;)
        add_value(ctx, path, k->text);
}

static void add_papers(struct collector *c)
{
    struct weir_tree_arena *arena = weir_tree_arena_new();
    const char *name;
    uint32_t at = 0;
    c->failed = arena == NULL;
    while (arena != NULL && (name = weir_origin_builtin(&at, arena)) != NULL)
        add(c, name);
    weir_tree_arena_free(arena);
    for (const struct weir_fig_paper *paper = weir_fig_papers; paper->name != NULL; paper++)
        add(c, paper->name);
}

static void add_metric(void *ctx, const struct weir_metric *row)
{
    add(ctx, row->name);
}

static void add_names(struct collector *c)
{
    const struct weir_usage *usage;
    for (size_t i = 0; (usage = weir_usage_at(i)) != NULL; i++)
        add(c, usage->name);
    weir_help_names(add, c);
    weir_metrics_each(add_metric, c);
}

static void collect(struct collector *c, enum weir_names what)
{
    const char *sort;
    switch (what) {
    case WEIR_NAMES_LISTS:
        for (size_t i = 0; (sort = weir_list_sort(i)) != NULL; i++)
            add(c, sort);
        break;
    case WEIR_NAMES_ALL:
        add_names(c);
        break;
    case WEIR_NAMES_SCHEMAS:
        for (size_t i = 0; (sort = weir_cli_schema_at(i)) != NULL; i++)
            add(c, sort);
        break;
    case WEIR_NAMES_PAPERS:
        add_papers(c);
        break;
    case WEIR_NAMES_MODELS:
        add(c, "rpm");
        add(c, "phantom");
        break;
    case WEIR_NAMES_PROTOCOLS:
        for (const struct weir_protocol *p = weir_protocols; p->name != NULL; p++)
            add(c, p->name);
        break;
    case WEIR_NAMES_KEYS:
        weir_each_key(add_key, c);
        break;
    case WEIR_NAMES_VALUES:
        weir_each_key(add_values, c);
        break;
    }
}

static int by_bytes(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Removes the duplicates of a sorted list, and frees them. */
static void drop_doubles(struct weir_name_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (kept > 0 && strcmp(list->name[kept - 1], list->name[i]) == 0)
            free(list->name[i]);
        else
            list->name[kept++] = list->name[i];
    }
    list->count = kept;
}

int weir_names_collect(struct weir_name_list *list, enum weir_names what)
{
    struct collector c = { .failed = false };
    collect(&c, what);
    *list = c.list;
    if (c.failed) {
        weir_names_free(list);
        return WEIR_E_MEMORY;
    }
    if (list->count > 0)
        qsort(list->name, list->count, sizeof(*list->name), by_bytes);
    drop_doubles(list);
    return 0;
}

void weir_names_free(struct weir_name_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->name[i]);
    free(list->name);
    *list = (struct weir_name_list){ .count = 0 };
}
