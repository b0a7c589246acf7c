/* src/base/text/json_numbers.c - see json_numbers.h. Not a general JSON parser: the text comes from text/json.c. */
#include "text/json_numbers.h"
#include "core/assert.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 256 };

/* Copies a JSON string to out, cut to `size` bytes with the NUL. An escape is not decoded: only its backslash is
 * removed. at: the opening quote. @return the position after the closing quote */
static const char *take_string(const char *at, char *out, size_t size)
{
    size_t length = 0;
    for (at++; *at != '"'; at++) {
        WEIR_ASSERT(*at != '\0');
        if (*at == '\\')
            at++;
        if (length + 1 < size)
            out[length++] = *at;
    }
    out[length] = '\0';
    return at + 1;
}

/* Reads a value that is neither an object nor a list. Sets *is_number to false for a string, else to true. For null
 * sets *value to NULL. For a number, true (1) or false (0) sets *number to it, and *value to `number`. @return the
 * position after the value */
static const char *take_scalar(const char *at, bool *is_number, double *number, const double **value)
{
    char ignored[2], *end;
    *is_number = *at != '"';
    *value = number;
    if (*at == '"')
        return take_string(at, ignored, sizeof(ignored));
    if (strncmp(at, "null", 4) == 0) {
        *value = NULL;
        return at + 4;
    }
    if (*at == 't' || *at == 'f') {
        *number = *at == 't' ? 1.0 : 0.0;
        return at + (*at == 't' ? strlen("true") : strlen("false"));
    }
    *number = strtod(at, &end);
    WEIR_ASSERT(end > at);
    return end;
}

/* Skips a list: its items have no path. at: the opening bracket. @return the position after the list */
static const char *skip_list(const char *at)
{
    char ignored[2];
    uint32_t depth = 0;
    do {
        WEIR_ASSERT(*at != '\0');
        depth += *at == '[';
        depth -= *at == ']';
        at = *at == '"' ? take_string(at, ignored, sizeof(ignored)) : at + 1;
    } while (depth > 0);
    return at;
}

int weir_json_numbers(const char *text, int (*found)(void *ctx, const char *path, const double *value), void *ctx)
{
    char path[PATH] = "";
    size_t length = 0;  /* length of the path of the present object, with the dot behind it */
    size_t outer[PATH]; /* the same length for each enclosing object. PATH entries suffice: each level adds a dot to
                           the path */
    size_t depth = 0;   /* of outer[] */
    for (const char *at = text; *at != '\0';) {
        const double *value;
        double number;
        bool is_number;
        int code;
        if (*at == '}') {
            length = depth > 0 ? outer[--depth] : 0;
            at++;
            continue;
        }
        if (*at != '"') { /* blanks, commas, the outermost brace */
            at++;
            continue;
        }
        at = take_string(at, path + length, sizeof(path) - length - 1);
        at += strspn(at, ": ");
        if (*at == '{') {
            outer[depth++] = length;
            length = strlen(path);
            path[length++] = '.';
            at++;
            continue;
        }
        if (*at == '[') {
            at = skip_list(at);
            continue;
        }
        at = take_scalar(at, &is_number, &number, &value);
        code = is_number ? found(ctx, path, value) : 0;
        if (code != 0)
            return code;
    }
    return 0;
}
