/* src/report/svg.c - from gnuplot's SVG to a part of the page, line by line; see weir_plot_svg(). */
#include "report/html.h"
#include "report/plot.h"
#include <stdlib.h>
#include <string.h>

static bool starts(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* Copies rgb(..) as its variable. @return what follows it */
static const char *put_colour(FILE *out, const char *at)
{
    char *end;
    long part[3];
    const char *from = at + 4;
    for (int i = 0; i < 3; i++) {
        part[i] = strtol(from, &end, 10);
        from = end + (*end == ',' || *end == ')');
    }
    if (part[1] == 0 && (part[0] == 1 || part[0] == 2))
        (void)fprintf(out, "var(--%c%ld)", part[0] == 1 ? 'a' : 'c', part[2]);
    else
        (void)fprintf(out, "rgb(%ld,%ld,%ld)", part[0], part[1], part[2]);
    return from;
}

/* xlink:href='#gpPt6' -> href="#m6": the page has the marks, once. @return what follows it */
static const char *put_mark(FILE *out, const char *at)
{
    const char *name = strstr(at, "gpPt"), *end = strchr(at + strlen("xlink:href='"), '\'');
    if (name == NULL || end == NULL || name > end)
        return at + strlen("xlink:href=");
    (void)fprintf(out, "href=\"#m%ld\"", strtol(name + 4, NULL, 10));
    return end + 1;
}

static void put_line(FILE *out, const char *line, size_t length)
{
    const char *end = line + length;
    while (line < end) {
        if (starts(line, "rgb("))
            line = put_colour(out, line);
        else if (starts(line, "xlink:href='"))
            line = put_mark(out, line);
        else if (starts(line, " font-family=\""))
            line = strchr(line + strlen(" font-family=\""), '"') + 1;
        else if (starts(line, " class=\"gridline\""))
            line += strlen(" class=\"gridline\"");
        else
            (void)fputc(*line++, out);
    }
    (void)fputc('\n', out);
}

/* Lines of which the page has no use: the background, and what names a curve. */
static bool dropped(const char *line)
{
    return starts(line, "<rect x=\"0\" y=\"0\"") || *line == '\n' || *line == '\0';
}

/* A group that sets how lines are drawn: all its attributes but the width are set once, by the page. */
static void put_group(FILE *out, const char *line, size_t length)
{
    const char *width = strstr(line, "stroke-width=\"");
    if (width == NULL || width >= line + length)
        (void)fputs("<g>", out);
    else
        (void)fprintf(out, "<g stroke-width=\"%.*s\">", (int)strcspn(width + 14, "\""), width + 14);
}

static void put_lines(FILE *out, const char *line, const char *end)
{
    const char *held = NULL; /* a group of which it is not known yet whether anything is in it */
    size_t held_length = 0;
    bool in_defs = false;
    for (size_t length; line < end; line += length + 1) {
        line += strspn(line, " \t");
        length = strcspn(line, "\n");
        if (starts(line, "<defs>"))
            in_defs = true;
        if (in_defs || dropped(line)) {
            in_defs = in_defs && !starts(line, "</defs>");
            continue;
        }
        if (held != NULL && length == 4 && starts(line, "</g>")) {
            held = NULL;
            continue;
        }
        if (held != NULL)
            put_group(out, held, held_length);
        held = starts(line, "<g fill=\"none\" color=") ? line : NULL;
        held_length = length;
        if (starts(line, "<g id="))
            (void)fputs("<g>\n", out);
        else if (held == NULL)
            put_line(out, line, length);
    }
}

bool weir_plot_svg(FILE *out, const char *svg, const char *title)
{
    const char *box = strstr(svg, "viewBox=\""), *canvas = strstr(svg, "<g id=\"gnuplot_canvas\">"), *end = NULL;
    for (const char *at = canvas; at != NULL; at = strstr(at + 1, "</svg>"))
        end = at;
    if (box == NULL || canvas == NULL || box > canvas || end == canvas)
        return false;
    (void)fprintf(out, "<svg class=\"plot\" viewBox=\"%.*s\" role=\"img\" aria-label=\"", (int)strcspn(box + 9, "\""),
                  box + 9);
    weir_html_text(out, title);
    (void)fputs("\">\n", out);
    put_lines(out, canvas, end);
    (void)fputs("</svg>\n", out);
    return true;
}
