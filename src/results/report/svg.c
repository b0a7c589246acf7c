/* src/results/report/svg.c - converts gnuplot's SVG to an SVG element of the page; see weir_plot_svg(). In the
 * functions below, `at` is the present position in gnuplot's text. */
#include "report/html.h"
#include "report/plot.h"
#include "report/svg_path.h"
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 16 /* most nested groups; gnuplot has three */

struct drawing {
    FILE *out;
    bool written[DEPTH_MAX]; /* for each open group whether it is also open in the page */
    size_t depth;
};

static bool starts(const char *line, const char *with)
{
    return strncmp(line, with, strlen(with)) == 0;
}

/* Copies a colour rgb(..). A placeholder colour of script.c becomes a CSS variable. Returns the text after the
 * colour. */
static const char *put_colour(FILE *out, const char *at)
{
    char *end;
    long part[3];
    const char *from = at + 4;
    for (int i = 0; i < 3; i++) {
        part[i] = strtol(from, &end, 10);
        from = end + (*end == ',' || *end == ')');
    }
    if ((part[0] == 2 || part[0] == 3) && part[1] >= 0 && part[1] <= (long)WEIR_STYLE_SHADES && part[2] >= 1 &&
        part[2] <= (long)WEIR_STYLE_KINDS) {
        char name[8];
        weir_line_style_name(name, (unsigned)part[2], (unsigned)part[1]);
        (void)fprintf(out, "var(--%s)", name);
    } else if (part[0] == 1 && part[1] == 0) {
        (void)fprintf(out, "var(--a%ld)", part[2]);
    } else {
        (void)fprintf(out, "rgb(%ld,%ld,%ld)", part[0], part[1], part[2]);
    }
    return from;
}

/* Tests whether an element has the colour of hollow marks, rgb(3,s,n). */
static bool is_hollow(const char *at)
{
    const char *colour = strstr(at, "rgb("), *end = strchr(at, '>');
    return colour != NULL && end != NULL && colour < end && strtol(colour + 4, NULL, 10) == 3;
}

/* Copies xlink:href='#gpPt6' transform='translate(63.37,262.50) scale(3.09)' as href="#m6" x="63.4" y="262.5": the page
 * has its own marks, already scaled (style.c); hollow ones are #h6. Returns the text after what was copied. */
static const char *put_mark(FILE *out, const char *at)
{
    static const char move[] = " transform='translate(";
    const char *name = strstr(at, "gpPt"), *end = strchr(at + strlen("xlink:href='"), '\'');
    if (name == NULL || end == NULL || name > end)
        return at + strlen("xlink:href=");
    (void)fprintf(out, "href=\"#%c%ld\"", is_hollow(at) ? 'h' : 'm', strtol(name + 4, NULL, 10));
    end++;
    if (!starts(end, move))
        return end;
    (void)fputs(" x=\"", out);
    end = weir_svg_number(out, end + strlen(move));
    (void)fputs("\" y=\"", out);
    end = weir_svg_number(out, end + (*end == ','));
    (void)fputc('"', out);
    end += strcspn(end, "'");
    return end + (*end != '\0');
}

/* Copies the points of a line or an area as attribute d of a path; an empty path if weir_svg_path() refuses them.
 * name_length: length of gnuplot's attribute name with the opening quote. Returns the text after the closing quote. */
static const char *put_points(FILE *out, const char *at, size_t name_length)
{
    const char *end;
    (void)fputs(" d='", out);
    end = weir_svg_path(out, at + name_length, '\'');
    if (end == NULL) /* not a path as gnuplot writes it: the empty path draws nothing */
        end = strchr(at + name_length, '\'') + 1;
    (void)fputc('\'', out);
    return end;
}

/* Skips white space and then the text `with`. Returns the text after `with`; NULL = another text follows the white
 * space. */
static const char *skip_to(const char *at, const char *with)
{
    at += strspn(at, "\n\t ");
    return starts(at, with) ? at + strlen(with) : NULL;
}

/* Copies a label, which gnuplot writes as a group with position and colour around a text. Returns the text after the
 * group. If there is no label at `at`, writes nothing and returns NULL. */
static const char *put_label(FILE *out, const char *at)
{
    static const char colour[] = ")\" stroke=\"none\" fill=\"rgb(1,0,3)\" font-family=\"", anchor[] = "text-anchor=\"";
    static const char before[] = "<g transform=\"translate(";
    size_t where = strcspn(at, ")");
    const char *align, *text, *end, *comma = strchr(at, ',');
    if (!starts(at, before) || !starts(at + where, colour) || comma == NULL)
        return NULL;
    align = strstr(at, anchor);
    text = align != NULL ? skip_to(align + strcspn(align, ">") + (align[strcspn(align, ">")] != '\0'), "<text>") : NULL;
    end = text != NULL ? strstr(text, "</text>") : NULL;
    if (end == NULL || skip_to(end + strlen("</text>"), "</g>") == NULL)
        return NULL;
    (void)fputs("<text x=\"", out);
    (void)weir_svg_number(out, at + strlen(before));
    (void)fputs("\" y=\"", out);
    (void)weir_svg_number(out, comma + 1);
    (void)fprintf(out, "\" class=\"t%c\">%.*s</text>\n", align[strlen(anchor)], (int)(end - text), text);
    return skip_to(end + strlen("</text>"), "</g>");
}

/* Opens a group, which sets the style of lines. Copies the group only if its line width is not 1 or it is an area: the
 * style sheet of the page sets all other properties. */
static void open_group(struct drawing *d, const char *at)
{
    const char *end = at + strcspn(at, ">"), *width = strstr(at, "stroke-width=\"");
    bool wide = width != NULL && width < end && !starts(width, "stroke-width=\"1.00\"");
    bool area = starts(at, "<g stroke='none'");
    d->written[d->depth < DEPTH_MAX ? d->depth : DEPTH_MAX - 1] = wide || area;
    d->depth++;
    if (wide)
        (void)fprintf(d->out, "<g stroke-width=\"%.*s\">", (int)strcspn(width + 14, "\""), width + 14);
    else if (area)
        (void)fputs("<g stroke=\"none\">", d->out);
}

static void close_group(struct drawing *d)
{
    if (d->depth == 0)
        return;
    d->depth--;
    if (d->written[d->depth < DEPTH_MAX ? d->depth : DEPTH_MAX - 1])
        (void)fputs("</g>", d->out);
}

/* Parts of gnuplot's text, and the text of the page in their place. */
static const struct {
    const char *gnuplot, *page;
} replacements[] = {
    { "<polygon fill = ", "<path fill=" },
    { " fill-opacity = '0.150000'", " class=\"b\"" },
    { " fill-opacity = '0.080000'", " class=\"bl\"" },
    { " stroke='rgb(  1,   0,   1)'", "" }, /* the default colour of lines on the page */
    { " stroke='rgb(  1,   0,   2)'", " class=\"g\"" },
    { " class=\"gridline\"", "" },
    { "/>", "/>\n" }, /* gnuplot's own newlines are removed */
};

/* Copies the part at `at` if it is of a kind that must be converted, and returns the text after it. Otherwise writes
 * nothing and returns `at`. */
static const char *put_part(struct drawing *d, const char *at)
{
    const char *end = put_label(d->out, at);
    if (end != NULL)
        return end;
    if (starts(at, "<g ") || starts(at, "<g>")) {
        open_group(d, at);
        return at + strcspn(at, ">") + 1;
    }
    if (starts(at, "</g>")) {
        close_group(d);
        return at + strlen("</g>");
    }
    for (size_t i = 0; i < sizeof(replacements) / sizeof(replacements[0]); i++) {
        if (!starts(at, replacements[i].gnuplot))
            continue;
        (void)fputs(replacements[i].page, d->out);
        return at + strlen(replacements[i].gnuplot);
    }
    if (starts(at, "rgb("))
        return put_colour(d->out, at);
    if (starts(at, "  d='"))
        return put_points(d->out, at, strlen("  d='"));
    if (starts(at, " points = '"))
        return put_points(d->out, at, strlen(" points = '"));
    return starts(at, "xlink:href='") ? put_mark(d->out, at) : at;
}

/* Returns the text after the part at `at` if the page does not need this part; else returns `at`. The page needs no
 * newline or tab, background, definitions, or title. */
static const char *skip_part(const char *at)
{
    const char *end;
    if (*at == '\n' || *at == '\t')
        return at + 1;
    if (starts(at, "<rect x=\"0\" y=\"0\""))
        return at + strcspn(at, "\n");
    if (!starts(at, "<defs>") && !starts(at, "<title>"))
        return at;
    end = strstr(at, at[1] == 'd' ? "</defs>" : "</title>"); /* a title is the name of a data block of the script */
    return end != NULL ? end + strcspn(end, ">") + 1 : at + 1;
}

/* Copies the content of gnuplot's canvas, the text from `at` to `end`, and converts it. */
static void put_canvas(FILE *out, const char *at, const char *end)
{
    struct drawing d = { .out = out };
    while (at < end) {
        const char *next = skip_part(at);
        if (next == at)
            next = put_part(&d, at);
        if (next == at)
            (void)fputc(*next++, out);
        at = next;
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
    put_canvas(out, canvas + strcspn(canvas, ">") + 1, end);
    (void)fputs("</svg>\n", out);
    return true;
}
