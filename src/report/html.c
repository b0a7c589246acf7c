/* src/report/html.c - see html.h. */
#include "report/html.h"
#include <stdbool.h>
#include <stddef.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static bool is_continuation(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/* Length of the UTF-8 sequence at s, 0 = it is none: stray bytes, overlong forms, surrogates (RFC 3629). */
static size_t utf8_length(const unsigned char *s)
{
    size_t length = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : s[0] < 0xf5 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if (!is_continuation(s[i]))
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
        (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return length;
}

static const char *entity(unsigned char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return (c < 0x20 && c != '\n' && c != '\t') || c == 0x7f ? REPLACEMENT : NULL;
    }
}

void weir_html_text(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)(text != NULL ? text : "");
    while (*s != '\0') {
        size_t length = utf8_length(s);
        const char *word = length == 0 ? REPLACEMENT : length == 1 ? entity(*s) : NULL;
        if (word != NULL)
            (void)fputs(word, out);
        else
            (void)fwrite(s, 1, length, out);
        s += length > 0 ? length : 1;
    }
}

void weir_html_element(FILE *out, const char *tag, const char *attributes, const char *text)
{
    (void)fprintf(out, "<%s%s%s>", tag, attributes != NULL ? " " : "", attributes != NULL ? attributes : "");
    weir_html_text(out, text);
    (void)fprintf(out, "</%s>", tag);
}

void weir_html_number(FILE *out, double value, enum weir_unit unit)
{
    weir_html_element(out, "td", NULL, weir_number_text(value, unit).text);
}
