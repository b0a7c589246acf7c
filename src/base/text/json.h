/* src/base/text/json.h - just enough of a JSON writer: one object, nested objects and lists, strings, decimals from
 * integers. */
#ifndef WEIR_TEXT_JSON_H
#define WEIR_TEXT_JSON_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct weir_json {
    FILE *out;
    uint32_t depth;
    uint32_t levels; /* so many levels have a line for each member; 0 = one level */
    bool first;      /* nothing stands in this object yet */
};

/* Opens an object; key NULL = the outermost one. Objects within that stand on one line. */
void weir_json_open(struct weir_json *json, const char *key);
void weir_json_close(struct weir_json *json);
/* Opens a list; what is put into it has no key: NULL. */
void weir_json_open_list(struct weir_json *json, const char *key);
void weir_json_close_list(struct weir_json *json);
void weir_json_null(struct weir_json *json, const char *key);
void weir_json_bool(struct weir_json *json, const char *key, bool value);
void weir_json_u64(struct weir_json *json, const char *key, uint64_t value);
void weir_json_decimal(struct weir_json *json, const char *key, uint64_t value,
                       uint32_t digits); /* value / 10^digits */

/* Writes six significant digits; what is no number (an infinity) = null. */
void weir_json_real(struct weir_json *json, const char *key, double value);

/* Writes a text; value NULL = null. Bytes that are not UTF-8 become U+FFFD, so that the file is JSON whatever a name
 * holds. */
void weir_json_string(struct weir_json *json, const char *key, const char *value);
#endif
