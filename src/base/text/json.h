/* src/base/text/json.h - a small JSON writer: one outermost object, with nested objects and lists, strings, numbers,
 * booleans and null. */
#ifndef WEIR_TEXT_JSON_H
#define WEIR_TEXT_JSON_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct weir_json {
    FILE *out;
    uint32_t depth;
    uint32_t levels; /* number of outer levels that write each member on a line of its own; 0 means 1 */
    bool first;      /* the open object or list has no member yet */
};

/* Returns a writer whose outermost object is on one line, without a newline behind it. */
static inline struct weir_json weir_json_line(FILE *out)
{
    return (struct weir_json){ .out = out, .depth = 2, .first = true }; /* inner objects are on one line */
}

/* Opens an object. All members written until the matching weir_json_close() belong to this object. key: NULL = the
 * outermost object, or an item of a list */
void weir_json_open(struct weir_json *json, const char *key);
void weir_json_close(struct weir_json *json);
/* Opens a list. All values written until the matching weir_json_close_list() are its items; their key is NULL. */
void weir_json_open_list(struct weir_json *json, const char *key);
void weir_json_close_list(struct weir_json *json);
void weir_json_null(struct weir_json *json, const char *key);
void weir_json_bool(struct weir_json *json, const char *key, bool value);
void weir_json_u64(struct weir_json *json, const char *key, uint64_t value);
/* Writes value / 10^digits, exactly, with `digits` decimals. digits: 0 .. 19 */
void weir_json_decimal(struct weir_json *json, const char *key, uint64_t value, uint32_t digits);

/* Writes a number with six significant digits; null for an infinity and for NaN. */
void weir_json_real(struct weir_json *json, const char *key, double value);

/* Writes a number with all its digits; null for an infinity and for NaN. */
void weir_json_exact(struct weir_json *json, const char *key, double value);

/* Writes a string; null for value NULL. Control characters and line breaks of Unicode are escaped. Each byte that is
 * not part of valid UTF-8 is replaced by U+FFFD, so that the output is always valid JSON. */
void weir_json_string(struct weir_json *json, const char *key, const char *value);
#endif
