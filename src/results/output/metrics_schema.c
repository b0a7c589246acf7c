/* src/results/output/metrics_schema.c - prints metric rows as parts of a JSON Schema, which describes the JSON that
 * metrics.c prints. */
#include "output/metrics.h"
#include "text/schema.h"
#include <string.h>

enum { NAME = 96, TEXT = 256 };

static bool may_be_null(const struct weir_metric *row)
{
    return row->applies != NULL || row->needs != 0 || row->type == WEIR_METRIC_REAL;
}

static void put_value(struct weir_json *json, const char *key, const struct weir_metric *row)
{
    bool whole = row->type != WEIR_METRIC_REAL && row->digits == 0;
    char text[TEXT];
    (void)snprintf(text, sizeof(text), "%s%s%s, in %s", row->title, row->text != NULL ? ": " : "",
                   row->text != NULL ? row->text : "", weir_metric_unit_names[row->unit]);
    weir_schema_value(json, key,
                      row->type == WEIR_METRIC_BOOL ? WEIR_SCHEMA_BOOL
                      : whole                       ? WEIR_SCHEMA_INTEGER
                                                    : WEIR_SCHEMA_NUMBER,
                      may_be_null(row), text);
}

/* Copies the key in the name of a row: the part from byte `skip` up to the next dot or the end. Returns true if a dot
 * follows: the key is then the key of an object. */
static bool key_of(const struct weir_metric *row, size_t skip, char key[NAME])
{
    size_t length = strcspn(row->name + skip, ".");
    (void)snprintf(key, NAME, "%.*s", (int)length, row->name + skip);
    return row->name[skip + length] == '.';
}

/* Copies the key of rows[0], at byte `skip` of its name. Returns how many rows, from rows[0] on, belong to this key: 1,
 * or all rows of an object. */
static size_t count_of_key(const struct weir_metric *rows, size_t skip, char key[NAME])
{
    return key_of(rows, skip, key) ? weir_metrics_alike(rows, skip + strlen(key) + 1) : 1;
}

static bool all_may_be_null(const struct weir_metric *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!may_be_null(&rows[i]))
            return false;
    return true;
}

static void put_keys(struct weir_json *json, const struct weir_metric *rows, size_t count, size_t skip)
{
    for (size_t i = 0, n; i < count; i += n) {
        char key[NAME];
        n = count_of_key(&rows[i], skip, key);
        weir_json_string(json, NULL, key);
    }
}

static void put_properties(struct weir_json *json, const struct weir_metric *rows, size_t count, size_t skip)
{
    for (size_t i = 0, n; i < count; i += n) {
        char key[NAME];
        n = count_of_key(&rows[i], skip, key);
        if (rows[i].name[skip + strlen(key)] == '\0') {
            put_value(json, key, &rows[i]);
            continue;
        }
        weir_schema_object(json, key, all_may_be_null(&rows[i], n));
        put_properties(json, &rows[i], n, skip + strlen(key) + 1);
        weir_schema_required(json);
        put_keys(json, &rows[i], n, skip + strlen(key) + 1);
        weir_schema_object_end(json);
    }
}

void weir_metrics_schema(struct weir_json *json, const struct weir_metric *rows, const char *within)
{
    put_properties(json, rows, weir_metrics_alike(rows, 0), strlen(within));
}

void weir_metrics_schema_keys(struct weir_json *json, const struct weir_metric *rows, const char *within)
{
    put_keys(json, rows, weir_metrics_alike(rows, 0), strlen(within));
}
