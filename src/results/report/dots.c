/* src/results/report/dots.c - see dots.h. Sizes are in units of the drawing, of which WEIR_DOTS_WIDTH are its width. */
#include "report/dots.h"
#include "core/assert.h"
#include "output/csv.h"
#include "report/html.h"
#include "report/scale.h"
#include <math.h>
#include <string.h>

#define LETTER 8.7    /* width of a letter; the widest fonts in use have about this mean */
#define LABEL_MAX 17u /* letters; longer labels have a line of their own above the dot */
#define GAP 10
#define ROW 27      /* height of a row, */
#define ROW_TALL 46 /* and of one with the label above the dot */
#define TOP 8
#define AXIS 26      /* height below the last row */
#define DOT 4.5      /* radius */
#define CAP 5        /* half the height of the ends of an interval */
#define PUBLISHED 10 /* half the height of the mark of a published value */

struct frame { /* of a drawing */
    struct weir_scale scale;
    double left, right; /* of the axis */
    double number;      /* right end of the numbers */
    double remark;      /* left end of the remarks */
    bool tall;
    size_t row, width, height;
};

/* Counts the letters of a UTF-8 text. */
static size_t letters(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++)
        n += ((unsigned char)*text & 0xc0) != 0x80;
    return n;
}

static void widen(double range[2], double value)
{
    if (!isfinite(value))
        return;
    range[0] = isnan(range[0]) || value < range[0] ? value : range[0];
    range[1] = isnan(range[1]) || value > range[1] ? value : range[1];
}

/* Returns the least and the greatest value of all dots, with their intervals and what was published. */
static bool range_of(const struct weir_dots *dots, double range[2])
{
    range[0] = range[1] = (double)NAN;
    for (size_t i = 0; i < dots->count; i++) {
        const struct weir_dot *d = &dots->dot[i];
        double half = isfinite(d->half_width) ? d->half_width : 0;
        if (isfinite(d->mean)) {
            widen(range, d->mean + half);
            widen(range, fmax(d->mean - half, fmin(d->mean, dots->base)));
        }
        widen(range, d->published_low);
        widen(range, d->published_high);
        widen(range, d->band_high);
    }
    return isfinite(range[0]);
}

bool weir_dots_visible(const struct weir_dots *dots)
{
    double range[2];
    return range_of(dots, range);
}

static struct frame frame_of(const struct weir_dots *dots)
{
    struct frame f = { 0 };
    size_t label = 0, remark = 0, number = 0;
    double range[2] = { 0, 1 };
    (void)range_of(dots, range);
    f.scale = weir_scale_make(range[0], range[1], dots->base);
    for (size_t i = 0; i < dots->count; i++) {
        const struct weir_dot *d = &dots->dot[i];
        const struct weir_number text = weir_number_spread(d->mean, d->half_width, dots->unit);
        label = letters(d->label) > label ? letters(d->label) : label;
        number = letters(text.text) > number ? letters(text.text) : number;
        remark = letters(d->remark) > remark ? letters(d->remark) : remark;
    }
    f.tall = label > LABEL_MAX;
    f.row = f.tall ? ROW_TALL : ROW;
    f.height = TOP + dots->count * f.row + AXIS;
    f.left = f.tall ? GAP : (double)label * LETTER + GAP;
    f.width = dots->width > 0 ? dots->width : WEIR_DOTS_WIDTH;
    f.remark = (double)f.width - (double)remark * LETTER - (remark > 0 ? GAP : 0); /* bold ones are wider */
    f.number = f.remark - (remark > 0 ? GAP : 0);
    f.right = f.number - (double)number * LETTER - 2 * GAP;
    return f;
}

size_t weir_dots_height(const struct weir_dots *dots)
{
    return frame_of(dots).height;
}

static double x_of(const struct frame *f, double value)
{
    return f->left + weir_scale_at(&f->scale, value) * (f->right - f->left);
}

static void put_axis(FILE *out, const struct weir_dots *dots, const struct frame *f)
{
    double bottom = (double)(f->height - AXIS), free_from = -WEIR_DOTS_WIDTH; /* before all */
    (void)fprintf(out, "<path d=\"M%.1f %.1fH%.1f\"/>\n", f->left, bottom, f->right);
    for (size_t i = 0; i < f->scale.ticks; i++) {
        const struct weir_number text =
            weir_number_tick(f->scale.tick[i], f->scale.tick[i] == 0 ? WEIR_UNIT_COUNT : dots->unit); /* "0", no unit */
        double x = x_of(f, f->scale.tick[i]), half = (double)letters(text.text) * LETTER / 2;
        (void)fprintf(out, "<path class=\"g\" d=\"M%.1f %dV%.1f\"/><path d=\"M%.1f %.1fv4\"/>\n", x, TOP, bottom, x,
                      bottom);
        if (x - half < free_from || x + half > f->number)
            continue; /* it would run into the one before, or beyond the numbers */
        (void)fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" class=\"tm\">%s</text>\n", x, bottom + 20, text.text);
        free_from = x + half + GAP;
    }
}

static void put_published(FILE *out, const struct frame *f, const struct weir_dot *d, double y)
{
    double from = x_of(f, d->published_low), to = x_of(f, d->published_high);
    if (isfinite(d->band_low) && isfinite(d->band_high))
        (void)fprintf(out, "<path class=\"pb\" d=\"M%.1f %.1fH%.1fv%dH%.1fz\"/>\n", x_of(f, d->band_low), y - PUBLISHED,
                      x_of(f, d->band_high), 2 * PUBLISHED, x_of(f, d->band_low));
    if (isnan(d->published_low))
        return;
    (void)fprintf(out, "<path class=\"pm\" d=\"M%.1f %.1fv%d", from, y - PUBLISHED, 2 * PUBLISHED);
    if (to > from)
        (void)fprintf(out, "M%.1f %.1fv%dM%.1f %.1fH%.1f", to, y - PUBLISHED, 2 * PUBLISHED, from, y, to);
    (void)fputs("\"/>\n", out);
}

static void put_mean(FILE *out, const struct frame *f, const struct weir_dot *d, double y)
{
    bool hollow = d->kind == WEIR_DOT_DOUBTFUL;
    double x = x_of(f, d->mean);
    char name[8];
    weir_line_style_name(name, d->style.hue, d->style.shade);
    (void)fprintf(out, "<g color=\"var(--%s)\">", name);
    if (d->half_width > 0) {
        double from = x_of(f, d->mean - d->half_width), to = x_of(f, d->mean + d->half_width);
        (void)fprintf(out, "<path stroke=\"currentColor\" stroke-width=\"2\"%s d=\"M%.1f %.1fH%.1f",
                      hollow ? " stroke-dasharray=\"3,3\"" : "", from, y, to);
        if (to - from > 4 * DOT) /* else they would hide the mark */
            (void)fprintf(out, "M%.1f %.1fv%dM%.1f %.1fv%d", from, y - CAP, 2 * CAP, to, y - CAP, 2 * CAP);
        (void)fputs("\"/>", out);
    }
    if (hollow)
        (void)fprintf(out, "<circle class=\"ho\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>", x, y, DOT);
    else
        (void)fprintf(out, "<use href=\"#m%d\" x=\"%.1f\" y=\"%.1f\"/>", weir_line_style_mark(&d->style) - 1, x, y);
    (void)fputs("</g>\n", out);
}

static void put_row(FILE *out, const struct weir_dots *dots, const struct frame *f, size_t i)
{
    static const char *const class_of[] = { "q", "bst", "q", "bad" };
    const struct weir_dot *d = &dots->dot[i];
    double top = TOP + (double)(i * f->row), y = top + (f->tall ? ROW_TALL - ROW / 2.0 : ROW / 2.0);
    double text_y = f->tall ? top + 15 : y + 5;
    put_published(out, f, d, y);
    if (isfinite(d->mean))
        put_mean(out, f, d, y);
    (void)fprintf(out, "<text x=\"%d\" y=\"%.1f\">", 0, text_y);
    weir_html_text(out, d->label);
    (void)fprintf(out, "</text>\n<text class=\"te%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n",
                  d->kind == WEIR_DOT_BEST ? " bst" : "", f->number, y + 5,
                  weir_number_spread(d->mean, d->half_width, dots->unit).text);
    if (d->remark[0] == '\0')
        return;
    (void)fprintf(out, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class_of[d->kind], f->remark, y + 5);
    weir_html_text(out, d->remark);
    (void)fputs("</text>\n", out);
}

/* Writes all that the drawing says, for readers who do not see it. */
static void put_description(FILE *out, const struct weir_dots *dots)
{
    weir_html_text(out, dots->title);
    for (size_t i = 0; i < dots->count; i++) {
        const struct weir_dot *d = &dots->dot[i];
        (void)fputs(i == 0 ? ": " : "; ", out);
        weir_html_text(out, d->label);
        (void)fprintf(out, " %s%s", weir_number_spread(d->mean, d->half_width, dots->unit).text,
                      d->remark[0] != '\0' ? ", " : "");
        weir_html_text(out, d->remark);
        if (isfinite(d->published_low))
            (void)fprintf(out, ", published %s", weir_number_text(d->published_low, dots->unit).text);
        if (d->published_high > d->published_low)
            (void)fprintf(out, " to %s", weir_number_text(d->published_high, dots->unit).text);
    }
}

void weir_dots_draw(FILE *out, const struct weir_dots *dots)
{
    const struct frame f = frame_of(dots);
    WEIR_ASSERT(dots->count > 0);
    (void)fprintf(out, "<svg class=\"plot\" viewBox=\"0 0 %zu %zu\" role=\"img\" aria-label=\"", f.width, f.height);
    put_description(out, dots);
    (void)fputs("\">\n", out);
    put_axis(out, dots, &f);
    for (size_t i = 0; i < dots->count; i++)
        put_row(out, dots, &f, i);
    (void)fputs("</svg>\n", out);
}

static void put_number(FILE *out, double number)
{
    (void)fputc(',', out);
    if (isfinite(number))
        (void)fprintf(out, "%.10g", number);
}

void weir_dots_csv(FILE *out, const struct weir_dots *dots)
{
    (void)fputs("curve,mean,half_width,published_from,published_to,band_from,band_to,remark\n", out);
    for (size_t i = 0; i < dots->count; i++) {
        const struct weir_dot *d = &dots->dot[i];
        const double number[] = {
            d->mean, d->half_width, d->published_low, d->published_high, d->band_low, d->band_high
        };
        weir_csv_text(out, d->label);
        for (size_t k = 0; k < sizeof(number) / sizeof(number[0]); k++)
            put_number(out, number[k]);
        (void)fputc(',', out);
        weir_csv_text(out, d->remark);
        (void)fputc('\n', out);
    }
}
