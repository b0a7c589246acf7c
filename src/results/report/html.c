/* src/results/report/html.c - see html.h. */
#include "report/html.h"
#include "core/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

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
        return weir_is_control((char)c) && c != '\n' && c != '\t' ? REPLACEMENT : NULL;
    }
}

void weir_html_text(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)(text != NULL ? text : "");
    while (*s != '\0') {
        size_t length = weir_utf8_length(s);
        const char *escaped = length == 0 ? REPLACEMENT : length == 1 ? entity(*s) : NULL;
        if (escaped != NULL)
            (void)fputs(escaped, out);
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

void weir_html_json(FILE *out, const char *json)
{
    for (; *json != '\0'; json++) {
        if (*json == '<') /* "</script" within a string would end the element */
            (void)fputs("\\u003c", out);
        else
            (void)fputc(*json, out);
    }
}

void weir_html_number(FILE *out, double value, enum weir_unit unit)
{
    weir_html_element(out, "td", NULL, weir_number_text(value, unit).text);
}
