/* src/base/text/json.c - see json.h; RFC 8259. */
#include "text/json.h"
#include "core/utf8.h"
#include "text/format.h"
#include <inttypes.h>
#include <math.h>

/* Returns the character of a valid UTF-8 sequence if other readers trip over it. Such are C1 control characters, line
 * breaks of Unicode, byte order marks, and what is no character. 0 = it may be written as it is */
static unsigned odd_character(const unsigned char *s, size_t length)
{
    unsigned c = 0;
    if (length == 2)
        c = (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu);
    else if (length == 3)
        c = (s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
    return (c >= 0x80 && c < 0xa0) || c == 0x2028 || c == 0x2029 || c == 0xfeff || c >= 0xfffe ? c : 0;
}

static void put_string(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    (void)fputc('"', out);
    while (*s != '\0') {
        size_t length = weir_utf8_length(s);
        if (*s == '"' || *s == '\\')
            (void)fprintf(out, "\\%c", *s);
        else if (*s == '\n')
            (void)fputs("\\n", out);
        else if (weir_is_control((char)*s))
            (void)fprintf(out, "\\u%04x", *s);
        else if (length == 0)
            (void)fputs("\\ufffd", out);
        else if (odd_character(s, length) != 0)
            (void)fprintf(out, "\\u%04x", odd_character(s, length));
        else
            (void)fwrite(s, 1, length, out);
        s += length == 0 ? 1 : length;
    }
    (void)fputc('"', out);
}

static void put_key(struct weir_json *json, const char *key)
{
    if (json->depth >= 1 && json->depth <= (json->levels > 0 ? json->levels : 1))
        (void)fprintf(json->out, "%s\n%*s", json->first ? "" : ",", 2 * (int)json->depth, "");
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

void weir_json_exact(struct weir_json *json, const char *key, double value)
{
    if (!isfinite(value)) {
        weir_json_null(json, key);
        return;
    }
    put_key(json, key);
    (void)fputs(weir_format_exact(value).text, json->out);
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
