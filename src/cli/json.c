/* src/cli/json.c - see json.h; RFC 8259. */
#include "cli/json.h"
#include "cli/format.h"
#include <inttypes.h>
#include <math.h>
#include <stddef.h>

/* Length of the UTF-8 sequence at s, 0 = it is none: a stray or missing continuation, an overlong form, a surrogate
 * (RFC 3629). */
static size_t utf8_length(const unsigned char *s)
{
    static const struct {
        unsigned char lead_from, lead_to, second_from, second_to;
        size_t length;
    } row[] = {
        { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 }, { 0xe1, 0xec, 0x80, 0xbf, 3 },
        { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 }, { 0xf0, 0xf0, 0x90, 0xbf, 4 },
        { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
    };
    if (s[0] < 0x80)
        return 1;
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        if (s[0] < row[i].lead_from || s[0] > row[i].lead_to)
            continue;
        if (s[1] < row[i].second_from || s[1] > row[i].second_to)
            return 0;
        for (size_t k = 2; k < row[i].length; k++)
            if ((s[k] & 0xc0) != 0x80)
                return 0;
        return row[i].length;
    }
    return 0;
}

static void put_string(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    (void)fputc('"', out);
    while (*s != '\0') {
        size_t length = utf8_length(s);
        if (*s == '"' || *s == '\\')
            (void)fprintf(out, "\\%c", *s);
        else if (*s < 0x20 || *s == 0x7f)
            (void)fprintf(out, "\\u%04x", *s);
        else if (length == 0)
            (void)fputs("\\ufffd", out);
        else
            (void)fwrite(s, 1, length, out);
        s += length == 0 ? 1 : length;
    }
    (void)fputc('"', out);
}

static void put_key(struct weir_json *json, const char *key)
{
    if (json->depth == 1)
        (void)fputs(json->first ? "\n  " : ",\n  ", json->out);
    else if (json->depth > 1)
        (void)fputs(json->first ? "" : ", ", json->out);
    json->first = false;
    if (key != NULL) {
        put_string(json->out, key);
        (void)fputs(": ", json->out);
    }
}

static void put_open(struct weir_json *json, const char *key, char bracket)
{
    put_key(json, key);
    (void)fputc(bracket, json->out);
    json->depth++;
    json->first = true;
}

void weir_json_open(struct weir_json *json, const char *key)
{
    put_open(json, key, '{');
}

void weir_json_close(struct weir_json *json)
{
    json->depth--;
    json->first = false;
    (void)fputs(json->depth == 0 ? "\n}\n" : "}", json->out);
}

void weir_json_open_list(struct weir_json *json, const char *key)
{
    put_open(json, key, '[');
}

void weir_json_close_list(struct weir_json *json)
{
    json->depth--;
    json->first = false;
    (void)fputc(']', json->out);
}

void weir_json_null(struct weir_json *json, const char *key)
{
    put_key(json, key);
    (void)fputs("null", json->out);
}

void weir_json_bool(struct weir_json *json, const char *key, bool value)
{
    put_key(json, key);
    (void)fputs(value ? "true" : "false", json->out);
}

void weir_json_u64(struct weir_json *json, const char *key, uint64_t value)
{
    weir_json_decimal(json, key, value, 0);
}

void weir_json_decimal(struct weir_json *json, const char *key, uint64_t value, uint32_t digits)
{
    put_key(json, key);
    (void)fputs(weir_format_decimal(value, digits).text, json->out);
}

void weir_json_real(struct weir_json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        weir_json_null(json, key);
        return;
    }
    put_key(json, key);
    (void)fprintf(json->out, "%.6g", value);
}

void weir_json_string(struct weir_json *json, const char *key, const char *value)
{
    if (value == NULL) {
        weir_json_null(json, key);
        return;
    }
    put_key(json, key);
    put_string(json->out, value);
}
