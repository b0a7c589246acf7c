/* src/base/text/schema.h - JSON Schemas (draft 2020-12) of what commands print with --json, from tables of fields. The
 * tables stand next to the code that prints; test/cli/schema.py holds the two together. */
#ifndef WEIR_TEXT_SCHEMA_H
#define WEIR_TEXT_SCHEMA_H
#include "text/json.h"

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
    const char *text; /* what it is; NULL = the key says it */
    enum weir_schema_type type;
    bool or_null;                     /* null where it does not apply */
    bool optional;                    /* left out where it does not apply */
    const struct weir_schema *fields; /* of an object: the keys that it has; NULL = none are fixed */
    const struct weir_schema
        *each; /* one row: of a list its items, of an object all other keys. NULL: there are no others */
};

/* Rows of a table whose key says all. */
#define WEIR_FIELD(name, of)                                                                                           \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_##of                                                                        \
    }
#define WEIR_FIELD_OR_NULL(name, of)                                                                                   \
    {                                                                                                                  \
        .key = (name), .type = WEIR_SCHEMA_##of, .or_null = true                                                       \
    }

/* Prints the schema of what `weir NAME --json` writes: an object. */
void weir_schema_print(FILE *out, const char *name, const struct weir_schema *object);

/* Prints the same in parts, for an object whose fields are made of other rows, too: begin, the properties, required,
 * their keys, end. */
void weir_schema_begin(struct weir_json *json, FILE *out, const char *name);
void weir_schema_properties(struct weir_json *json, const struct weir_schema *fields);
void weir_schema_required(struct weir_json *json);
void weir_schema_keys(struct weir_json *json, const struct weir_schema *fields); /* those that are always there */
void weir_schema_end(struct weir_json *json);

/* Puts one property whose object is made of other rows: opened, its "properties" open; then its required keys;
 * closed. */
void weir_schema_object(struct weir_json *json, const char *key, bool or_null);
void weir_schema_object_end(struct weir_json *json);

/* Puts a property of a plain type. */
void weir_schema_value(struct weir_json *json, const char *key, enum weir_schema_type type, bool or_null,
                       const char *text);
#endif
