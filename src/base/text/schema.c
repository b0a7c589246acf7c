/* src/base/text/schema.c - see schema.h. */
#include "text/schema.h"
#include "core/assert.h"
#include <string.h>

static const char *const names[] = {
    [WEIR_SCHEMA_STRING] = "string", [WEIR_SCHEMA_INTEGER] = "integer", [WEIR_SCHEMA_NUMBER] = "number",
    [WEIR_SCHEMA_BOOL] = "boolean",  [WEIR_SCHEMA_OBJECT] = "object",   [WEIR_SCHEMA_LIST] = "array",
    [WEIR_SCHEMA_EITHER] = "number"
};

void weir_json_counters(struct weir_json *json, const struct weir_counter_row *row, size_t count, const void *of)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t value;
        memcpy(&value, (const char *)of + row[i].offset, sizeof(value));
        weir_json_u64(json, row[i].key, value);
    }
}

void weir_schema_counters(struct weir_schema *fields, const struct weir_counter_row *row, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fields[i] = (struct weir_schema)WEIR_FIELD(row[i].key, INTEGER);
    fields[count] = (struct weir_schema){ .key = NULL };
}

/* Writes the member "type" of a schema: one type, or a list of types. */
static void put_type(struct weir_json *json, enum weir_schema_type type, bool or_null)
{
    if (!or_null && type != WEIR_SCHEMA_EITHER) {
        weir_json_string(json, "type", names[type]);
        return;
    }
    weir_json_open_list(json, "type");
    weir_json_string(json, NULL, names[type]);
    if (type == WEIR_SCHEMA_EITHER)
        weir_json_string(json, NULL, "string");
    if (or_null)
        weir_json_string(json, NULL, "null");
    weir_json_close_list(json);
}

static void put_row(struct weir_json *json, const char *key, const struct weir_schema *row);

/* Writes the part of a schema about the content of an object or list; writes nothing for other types. put_row() and
 * put_content() call each other; tables of fields nest at most four levels. */
static void put_content(struct weir_json *json, const struct weir_schema *row)
{
    WEIR_ASSERT(row->type == WEIR_SCHEMA_OBJECT || row->fields == NULL);
    WEIR_ASSERT(row->type == WEIR_SCHEMA_OBJECT || row->type == WEIR_SCHEMA_LIST || row->each == NULL);
    if (row->type == WEIR_SCHEMA_LIST && row->each != NULL)
        put_row(json, "items", row->each);
    if (row->type != WEIR_SCHEMA_OBJECT)
        return;
    if (row->fields != NULL) {
        weir_json_open(json, "properties");
        weir_schema_properties(json, row->fields);
        weir_json_close(json);
        weir_json_open_list(json, "required");
        weir_schema_keys(json, row->fields);
        weir_json_close_list(json);
    }
    if (row->each != NULL)
        put_row(json, "additionalProperties", row->each);
    else
        weir_json_bool(json, "additionalProperties", false);
}

static void put_row(struct weir_json *json, const char *key, const struct weir_schema *row)
{
    weir_json_open(json, key);
    put_type(json, row->type, row->or_null);
    if (row->text != NULL)
        weir_json_string(json, "description", row->text);
    put_content(json, row);
    weir_json_close(json);
}

void weir_schema_properties(struct weir_json *json, const struct weir_schema *fields)
{
    for (; fields->key != NULL; fields++)
        put_row(json, fields->key, fields);
}

void weir_schema_keys(struct weir_json *json, const struct weir_schema *fields)
{
    for (; fields->key != NULL; fields++)
        if (!fields->optional)
            weir_json_string(json, NULL, fields->key);
}

static void begin(struct weir_json *json, FILE *out, const char *name)
{
    char title[64];
    *json = (struct weir_json){ .out = out, .levels = 2 };
    (void)snprintf(title, sizeof(title), "weir %s --json", name);
    weir_json_open(json, NULL);
    weir_json_string(json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    weir_json_string(json, "title", title);
    weir_json_string(json, "type", "object");
}

void weir_schema_begin(struct weir_json *json, FILE *out, const char *name)
{
    begin(json, out, name);
    weir_json_bool(json, "additionalProperties", false);
    weir_json_open(json, "properties");
}

void weir_schema_required(struct weir_json *json)
{
    weir_json_close(json);
    weir_json_open_list(json, "required");
}

void weir_schema_end(struct weir_json *json)
{
    weir_json_close_list(json);
    weir_json_close(json);
}

void weir_schema_object(struct weir_json *json, const char *key, bool or_null)
{
    weir_json_open(json, key);
    put_type(json, WEIR_SCHEMA_OBJECT, or_null);
    weir_json_bool(json, "additionalProperties", false);
    weir_json_open(json, "properties");
}

void weir_schema_object_end(struct weir_json *json)
{
    weir_json_close_list(json);
    weir_json_close(json);
}

void weir_schema_value(struct weir_json *json, const char *key, enum weir_schema_type type, bool or_null,
                       const char *text)
{
    put_row(json, key, &(struct weir_schema){ .key = key, .type = type, .or_null = or_null, .text = text });
}

void weir_schema_print(FILE *out, const char *name, const struct weir_schema *object)
{
    struct weir_json json;
    begin(&json, out, name);
    put_content(&json, object);
    weir_json_close(&json);
}
