/* src/base/text/schema.h - JSON Schemas (draft 2020-12) of the output of commands with --json, made from tables of
 * fields. Each table is next to the code that prints the fields; test/cli/schema.py checks that they agree. */
#ifndef WEIR_TEXT_SCHEMA_H
#define WEIR_TEXT_SCHEMA_H
#include "text/json.h"
#include <stddef.h>

enum weir_schema_type {
    WEIR_SCHEMA_STRING,
    WEIR_SCHEMA_INTEGER,
    WEIR_SCHEMA_NUMBER,
    WEIR_SCHEMA_BOOL,
    WEIR_SCHEMA_OBJECT,
    WEIR_SCHEMA_LIST,
    WEIR_SCHEMA_EITHER, /* a number or a string */
};

struct weir_schema {
    const char *key;  /* NULL ends a table */
    const char *text; /* description; NULL = the key suffices */
    enum weir_schema_type type;
    bool or_null;                     /* the value may be null */
    bool optional;                    /* the key may be missing */
    const struct weir_schema *fields; /* of an object: its fixed keys; NULL = none */
    /* One row. Of a list: the type of its items; NULL = any type. Of an object: the type of all keys that are not in
     * `fields`; NULL = there are no such keys */
    const struct weir_schema *each;
};

/* Initialisers of rows without a description. */
#define WEIR_FIELD(name, of)                                                                                           \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_##of                                                                        \
    }
#define WEIR_FIELD_OR_NULL(name, of)                                                                                   \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_##of, .or_null = true                                                       \
    }

struct weir_counter_row { /* a counter of 64 bits in a struct: its key in JSON, and where it is */
    const char *key;
    size_t offset;
};
#define WEIR_COUNTED(type, field)                                                                                      \
    {                                                                                                                  \
        .key = #field, .offset = offsetof(type, field)                                                                 \
    }

/* Writes the counters of a struct as members of the open object. */
void weir_json_counters(struct weir_json *json, const struct weir_counter_row *row, size_t count, const void *of);
/* Writes the rows of these counters to fields[0 .. count - 1], and the end of the table behind them. */
void weir_schema_counters(struct weir_schema *fields, const struct weir_counter_row *row, size_t count);

/* Prints the schema of the object that `weir NAME --json` prints. */
void weir_schema_print(FILE *out, const char *name, const struct weir_schema *object);

/* The functions below print a schema in parts, for an object whose fields come from several tables. Order of calls:
 * weir_schema_begin(); weir_schema_properties() for each table; weir_schema_required(); weir_schema_keys() for each
 * table; weir_schema_end(). */
void weir_schema_begin(struct weir_json *json, FILE *out, const char *name);
void weir_schema_properties(struct weir_json *json, const struct weir_schema *fields);
void weir_schema_required(struct weir_json *json);
void weir_schema_keys(struct weir_json *json, const struct weir_schema *fields);
void weir_schema_end(struct weir_json *json);

/* Begins a property that is an object: the caller writes its properties, then calls weir_schema_required(), writes its
 * required keys, and calls weir_schema_object_end(). */
void weir_schema_object(struct weir_json *json, const char *key, bool or_null);
void weir_schema_object_end(struct weir_json *json);

/* Writes a property that has no nested fields. text: its description, NULL = none */
void weir_schema_value(struct weir_json *json, const char *key, enum weir_schema_type type, bool or_null,
                       const char *text);
#endif
