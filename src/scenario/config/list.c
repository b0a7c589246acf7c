/* src/scenario/config/list.c - `weir list`: prints everything of one sort, as protocols or features. */
#include "config/help.h"
#include "core/assert.h"
#include "config/names.h"
#include "config/scenario.h"
#include "config/table.h"
#include "core/feature.h"
#include "param/suggest.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CELL = 512, HINT = 512 };

static void append(char *out, size_t size, const char *text)
{
    size_t used = strlen(out);
    if (used + 3 < size)
        (void)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", text);
}

static void list_protocols(struct weir_table *t)
{
    weir_table_row(t, (const char *const[]){ "protocol", "presets", "what" });
    for (const struct weir_protocol *row = weir_protocols; row->name != NULL; row++) {
        char presets[CELL] = "", what[CELL];
        for (const struct weir_preset *preset = row->presets; preset != NULL && preset->name != NULL; preset++)
            append(presets, sizeof(presets), preset->name);
        (void)snprintf(what, sizeof(what), "%s. Source: %s", row->hint, row->source);
        weir_table_row(t, (const char *const[]){ row->name, presets[0] != '\0' ? presets : "-", what });
    }
}

static void list_features(struct weir_table *t)
{
    weir_table_row(t, (const char *const[]){ "feature", "keys", "what" });
    for (const struct weir_feature *const *row = weir_features; *row != NULL; row++) {
        char keys[CELL];
        weir_feature_keys(*row, keys, sizeof(keys));
        weir_table_row(t, (const char *const[]){ (*row)->name, keys, (*row)->hint });
    }
}

static void list_workloads(struct weir_table *t)
{
    weir_table_row(t, (const char *const[]){ "workload", "data", "what" });
    for (const struct weir_cdf_info *row = weir_cdf_infos; row->name != NULL; row++)
        weir_table_row(t, (const char *const[]){ row->name, row->file, row->hint });
}

static void list_topologies(struct weir_table *t)
{
    weir_table_row(t, (const char *const[]){ "topology", "keys" });
    for (uint32_t kind = 0; weir_topology_kinds[kind] != NULL; kind++) {
        char keys[CELL] = "";
        for (const struct weir_param *row = weir_topology_params; row->key != NULL; row++) {
            if (strcmp(row->key, "kind") != 0 && weir_section_uses(row, kind))
                append(keys, sizeof(keys), row->key);
        }
        weir_table_row(t, (const char *const[]){ weir_topology_kinds[kind], keys });
    }
}

/* --- experiments --- */

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int is_yaml(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0;
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void free_entries(struct dirent **entry, int count)
{
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
}

/* Adds a row to the table for the entry `name` of dir if it is a folder with .yaml files; does nothing for any other
 * entry. */
static void list_experiment(struct weir_table *t, const char *dir, const char *name)
{
    char path[CELL], *scenarios = NULL;
    struct dirent **entry;
    size_t length;
    FILE *text;
    int count;
    if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
        return;
    count = scandir(path, &entry, is_yaml, by_bytes);
    if (count < 0)
        return;
    text = open_memstream(&scenarios, &length);
    for (int i = 0; i < count && text != NULL; i++)
        (void)fprintf(text, "%s%s", i > 0 ? ", " : "", entry[i]->d_name);
    if (text != NULL && fclose(text) == 0 && count > 0)
        weir_table_row(t, (const char *const[]){ name, scenarios });
    free(scenarios);
    free_entries(entry, count);
}

static bool list_experiments(FILE *out, const char *dir, struct weir_err *err)
{
    struct weir_table t = { .out = out, .columns = 2 };
    struct dirent **entry;
    int count = dir != NULL ? scandir(dir, &entry, is_visible, by_bytes) : 0;
    if (dir == NULL || count < 0) {
        (void)weir_fail(err, WEIR_E_FILE, &(struct weir_tok){ .file = dir }, "run weir where its experiments/ is",
                        "no folder of experiments: %s", dir != NULL ? strerror(errno) : "none given");
        return false;
    }
    for (int pass = 0; pass < 2; pass++) {
        t.measuring = pass == 0;
        weir_table_row(&t, (const char *const[]){ "experiment", "scenarios" });
        for (int i = 0; i < count; i++)
            list_experiment(&t, dir, entry[i]->d_name);
    }
    free_entries(entry, count);
    return true;
}

static const struct {
    const char *name;
    unsigned columns;
    void (*list)(struct weir_table *t);
} sorts[] = {
    { "protocols", 3, list_protocols },
    { "features", 3, list_features },
    { "workloads", 3, list_workloads },
    { "topologies", 2, list_topologies },
};

const char *weir_list_sort(size_t i)
{
    static const char *const elsewhere[] = { "metrics", "experiments", NULL }; /* not in sorts[] */
    size_t count = sizeof(sorts) / sizeof(sorts[0]);
    WEIR_ASSERT(i < count + sizeof(elsewhere) / sizeof(elsewhere[0]));
    return i < count ? sorts[i].name : elsewhere[i - count];
}

bool weir_list(FILE *out, const char *what, const char *experiments_dir, struct weir_err *err)
{
    struct weir_suggest near;
    char hint[HINT];
    for (size_t i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++) {
        struct weir_table t = { .out = out, .columns = sorts[i].columns };
        for (int pass = 0; pass < 2 && strcmp(what, sorts[i].name) == 0; pass++) {
            t.measuring = pass == 0;
            sorts[i].list(&t);
            if (pass == 1)
                return true;
        }
    }
    if (strcmp(what, "experiments") == 0)
        return list_experiments(out, experiments_dir, err);
    weir_suggest_init(&near, what);
    for (size_t i = 0; weir_list_sort(i) != NULL; i++)
        weir_suggest_add(&near, weir_list_sort(i));
    weir_suggest_hint(&near, hint, sizeof(hint));
    (void)weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "cannot list '%.80s'", what);
    return false;
}
