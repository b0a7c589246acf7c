/* src/results/report/page_data_keys.c - the settings in which runs of a law differ, for page_data.h: over these a page
 * draws numbers. */
#include "config/settings.h"
#include "core/assert.h"
#include "report/page_data.h"
#include <stdlib.h>
#include <string.h>

#define VALUE_MAX_BYTES 64

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the data of the page");
}

/* Tests whether a key can be an axis. */
static bool is_axis(const char *key)
{
    return strcmp(key, "run.seed") != 0 && strcmp(key, "name") != 0 && strcmp(key, "protocol.name") != 0;
}

static bool has_key(const struct weir_data_table *table, const char *key)
{
    for (size_t i = 0; i < table->columns; i++)
        if (strcmp(table->name[i], key) == 0)
            return true;
    return false;
}

static int add_key(struct weir_data_table *table, const char *key, struct weir_err *err)
{
    if (!is_axis(key) || has_key(table, key))
        return 0;
    if (table->columns == WEIR_DATA_KEYS_MAX) {
        table->left_out++;
        return 0;
    }
    table->name[table->columns] = strdup(key);
    return table->name[table->columns] == NULL ? no_memory(err) : (table->columns++, 0);
}

/* Adds the keys whose values differ between two runs, or which only one of them has. */
static int add_differences(struct weir_data_table *table, const struct weir_settings *a, const struct weir_settings *b,
                           struct weir_err *err)
{
    int code = 0;
    WEIR_ASSERT(a != NULL);
    WEIR_ASSERT(b != NULL);
    for (size_t i = 0; i < b->count && code == 0; i++) {
        const char *value = weir_settings_find(a, b->item[i].key);
        if (value == NULL || strcmp(value, b->item[i].value) != 0)
            code = add_key(table, b->item[i].key, err);
    }
    for (size_t i = 0; i < a->count && code == 0; i++)
        if (weir_settings_find(b, a->item[i].key) == NULL)
            code = add_key(table, a->item[i].key, err);
    return code;
}

/* Returns the first run with the law of run number i. */
static size_t first_of_law(const struct weir_runs *runs, size_t i)
{
    const char *law = weir_run_text_of(&runs->run[i], WEIR_RUN_PROTOCOL);
    size_t first = 0;
    while (strcmp(weir_run_text_of(&runs->run[first], WEIR_RUN_PROTOCOL), law) != 0)
        first++;
    return first;
}

/* Fills the texts of the table. */
static int fill_texts(struct weir_data_table *table, const struct weir_settings *settings, size_t runs,
                      struct weir_err *err)
{
    table->text = calloc(runs * table->columns + 1, sizeof(*table->text));
    if (table->text == NULL)
        return no_memory(err);
    for (size_t i = 0; i < runs; i++) {
        for (size_t c = 0; c < table->columns; c++) {
            struct weir_setting one = { table->name[c], weir_settings_find(&settings[i], table->name[c]) };
            char text[VALUE_MAX_BYTES];
            if (one.value == NULL)
                continue;
            weir_setting_text(text, sizeof(text), &one);
            table->text[i * table->columns + c] = strdup(text);
            if (table->text[i * table->columns + c] == NULL)
                return no_memory(err);
        }
    }
    return 0;
}

/* Makes a table of the given keys, without texts. */
static int name_keys(struct weir_data_table *table, const char *const *key, size_t count, struct weir_err *err)
{
    *table = (struct weir_data_table){ .name = calloc(WEIR_DATA_KEYS_MAX, sizeof(*table->name)) };
    if (table->name == NULL)
        return no_memory(err);
    for (; table->columns < count; table->columns++)
        if ((table->name[table->columns] = strdup(key[table->columns])) == NULL)
            return no_memory(err);
    return 0;
}

void weir_data_put_texts(struct weir_json *json, const char *key, const struct weir_data_table *table, size_t run)
{
    weir_json_open_list(json, key);
    for (size_t c = 0; c < table->columns; c++)
        weir_json_string(json, NULL, table->text[run * table->columns + c]);
    weir_json_close_list(json);
}

int weir_data_keys(struct weir_data_table *table, struct weir_data_table *groups, const struct weir_runs *runs,
                   struct weir_err *err)
{
    static const char *const edges[] = { "run.group_a", "run.group_b", "run.group_c" };
    struct weir_settings *settings = calloc(runs->count, sizeof(*settings));
    size_t read = 0;
    int code = name_keys(table, NULL, 0, err);
    if (code == 0)
        code = name_keys(groups, edges, sizeof(edges) / sizeof(edges[0]), err);
    if (code == 0 && settings == NULL)
        code = no_memory(err);
    while (read < runs->count && code == 0) {
        code = weir_settings_read(&settings[read], weir_run_text_of(&runs->run[read], WEIR_RUN_SCENARIO), err);
        read++;
    }
    for (size_t i = 0; i < runs->count && code == 0; i++)
        code = add_differences(table, &settings[first_of_law(runs, i)], &settings[i], err);
    if (code == 0)
        code = fill_texts(table, settings, runs->count, err);
    if (code == 0)
        code = fill_texts(groups, settings, runs->count, err);
    while (read > 0)
        weir_settings_free(&settings[--read]);
    free(settings);
    return code;
}
