/* src/results/report/gantt.c - see gantt.h. Sizes are in units of the drawing. */
#include "report/gantt.h"
#include "core/assert.h"
#include "output/csv.h"
#include "report/axis.h"
#include "report/html.h"
#include <math.h>

#define LABEL_MAX 18u /* letters; longer labels are cut */
#define TOP 6
#define BAR 7 /* height of a bar, with the gap below it */
#define ROW_LEAST 22
#define PS_PER_S 1e12

static size_t width_of(const struct weir_gantt *g)
{
    return g->width > 0 ? g->width : WEIR_GANTT_WIDTH;
}

static size_t row_height(const struct weir_gantt *g)
{
    size_t bars = g->lanes * BAR + 6;
    return bars > ROW_LEAST ? bars : ROW_LEAST;
}

size_t weir_gantt_height(const struct weir_gantt *g)
{
    return TOP + g->rows * row_height(g) + WEIR_AXIS_HEIGHT;
}

static struct weir_scale scale_of(const struct weir_gantt *g)
{
    double from = g->bar[0].from_s, to = g->bar[0].to_s;
    for (size_t i = 0; i < g->bars; i++) {
        from = fmin(from, g->bar[i].from_s);
        to = fmax(to, g->bar[i].to_s);
    }
    return weir_scale_make(from * PS_PER_S, to * PS_PER_S, from < to / 4 ? 0 : from * PS_PER_S);
}

static size_t label_letters(const struct weir_gantt *g)
{
    size_t most = 0;
    for (size_t i = 0; i < g->rows; i++) {
        size_t n = weir_axis_letters(g->row[i]);
        most = n > most ? n : most;
    }
    return most < LABEL_MAX ? most : LABEL_MAX;
}

static void put_bar(FILE *out, const struct weir_gantt *g, const struct weir_axis *axis, const struct weir_gantt_bar *b)
{
    double from = weir_axis_at(axis, b->from_s * PS_PER_S), to = weir_axis_at(axis, b->to_s * PS_PER_S);
    double y =
        TOP + (double)(b->row * row_height(g) + 3 + b->lane * BAR) + (double)(row_height(g) - 6 - g->lanes * BAR) / 2;
    char name[8];
    weir_line_style_name(name, g->style[b->lane].hue, g->style[b->lane].shade);
    (void)fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" ", from, y, fmax(1, to - from),
                  BAR - 2);
    if (b->open)
        (void)fprintf(out, "stroke=\"var(--%s)\" stroke-dasharray=\"3,3\"/>\n", name);
    else
        (void)fprintf(out, "fill=\"var(--%s)\" stroke=\"none\"/>\n", name);
}

static void put_label(FILE *out, const char *label, double y)
{
    char text[4 * LABEL_MAX + 8];
    size_t at = 0, n = 0;
    for (; label[at] != '\0' && at + 1 < sizeof(text); at++) {
        n += ((unsigned char)label[at] & 0xc0) != 0x80;
        if (n > LABEL_MAX)
            break;
        text[at] = label[at];
    }
    text[at] = '\0';
    (void)fprintf(out, "<text x=\"0\" y=\"%.1f\">", y);
    weir_html_text(out, text);
    (void)fputs("</text>\n", out);
}

void weir_gantt_draw(FILE *out, const struct weir_gantt *g)
{
    const double width = (double)width_of(g);
    const struct weir_axis axis = { .scale = scale_of(g),
                                    .left = (double)label_letters(g) * WEIR_AXIS_LETTER + WEIR_AXIS_GAP,
                                    .right = width - 3 * WEIR_AXIS_GAP,
                                    .top = TOP,
                                    .bottom = (double)(weir_gantt_height(g) - WEIR_AXIS_HEIGHT),
                                    .first = -WEIR_AXIS_GAP,
                                    .last = width,
                                    .unit = WEIR_UNIT_PS,
                                    .text = weir_number_text };
    WEIR_ASSERT(g->rows > 0 && g->lanes > 0 && g->bars > 0);
    (void)fprintf(out, "<svg class=\"plot\" viewBox=\"0 0 %zu %zu\" role=\"img\" aria-label=\"", width_of(g),
                  weir_gantt_height(g));
    weir_html_text(out, g->title);
    (void)fputs("\">\n", out);
    weir_axis_draw(out, &axis);
    for (size_t i = 0; i < g->rows; i++)
        put_label(out, g->row[i], TOP + (double)(i * row_height(g)) + (double)row_height(g) / 2 + 5);
    for (size_t i = 0; i < g->bars; i++)
        put_bar(out, g, &axis, &g->bar[i]);
    (void)fputs("</svg>\n", out);
}

void weir_gantt_csv(FILE *out, const struct weir_gantt *g)
{
    (void)fputs("curve,row,from_s,to_s,ended\n", out);
    for (size_t i = 0; i < g->bars; i++) {
        weir_csv_text(out, g->lane[g->bar[i].lane]);
        (void)fputc(',', out);
        weir_csv_text(out, g->row[g->bar[i].row]);
        (void)fprintf(out, ",%.12g,%.12g,%d\n", g->bar[i].from_s, g->bar[i].to_s, !g->bar[i].open);
    }
}
