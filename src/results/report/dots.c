/* src/results/report/dots.c - see dots.h. Sizes are in units of the drawing, of which WEIR_DOTS_WIDTH are its width. */
#include "report/dots.h"
#include "core/assert.h"
#include "output/csv.h"
#include "report/axis.h"
#include "report/html.h"
#include <math.h>
#include <string.h>

#define LABEL_MAX 17u /* letters; longer labels have a line of their own above the dot */
#define ROW 27        /* height of a row, */
#define LINE 19       /* of a line of text above the dot */
#define TOP 8
#define DOT 4.5      /* radius */
#define CAP 5        /* half the height of the ends of an interval */
#define PUBLISHED 10 /* half the height of the mark of a published value */

struct frame {             /* of a drawing */
    struct weir_axis axis; /* its numbers end where those of the rows do */
    double remark;         /* left end of the remarks */
    size_t above;          /* lines of text above a dot */
    size_t row, width, height;
};

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

struct weir_dot weir_dot_of(const char *label, const struct weir_line_style *style)
{
    return (struct weir_dot){ .label = label,
                              .style = *style,
                              .mean = (double)NAN,
                              .half_width = (double)NAN,
                              .published_low = (double)NAN,
                              .published_high = (double)NAN,
                              .band_low = (double)NAN,
                              .band_high = (double)NAN };
}

bool weir_dots_visible(const struct weir_dots *dots)
{
    double range[2];
    return range_of(dots, range);
}

/* Returns the text of a tick: that at 0 has no unit. */
static struct weir_number tick_text(double value, enum weir_unit unit)
{
    return weir_number_tick(value, value == 0 ? WEIR_UNIT_COUNT : unit);
}

/* Returns half of the width of the number at the first tick, so much room it needs at the left. */
static double first_half(const struct weir_scale *scale, enum weir_unit unit)
{
    return (double)weir_axis_letters(tick_text(scale->tick[0], unit).text) * WEIR_AXIS_LETTER / 2;
}

static struct frame frame_of(const struct weir_dots *dots)
{
    struct frame f = { 0 };
    size_t label = 0, remark = 0, number = 0, both = 0;
    double range[2] = { 0, 1 };
    (void)range_of(dots, range);
    f.axis.scale = weir_scale_make(range[0], range[1], dots->base);
    for (size_t i = 0; i < dots->count; i++) {
        const struct weir_dot *d = &dots->dot[i];
        const struct weir_number text = weir_number_spread(d->mean, d->half_width, dots->unit);
        size_t letters = weir_axis_letters(d->label) + weir_axis_letters(d->said) + 1;
        both = letters > both ? letters : both;
        label = weir_axis_letters(d->label) > label ? weir_axis_letters(d->label) : label;
        number = weir_axis_letters(text.text) > number ? weir_axis_letters(text.text) : number;
        remark = weir_axis_letters(d->remark) > remark ? weir_axis_letters(d->remark) : remark;
    }
    f.width = dots->width > 0 ? dots->width : WEIR_DOTS_WIDTH;
    f.above = dots->with_said ? 1 + ((double)both * WEIR_AXIS_LETTER > (double)f.width) : label > LABEL_MAX;
    f.row = ROW + f.above * LINE;
    if (dots->with_said)
        number = remark = 0;
    f.height = TOP + dots->count * f.row + WEIR_AXIS_HEIGHT;
    f.axis.left = fmax(f.above > 0 ? WEIR_AXIS_GAP : (double)label * WEIR_AXIS_LETTER + WEIR_AXIS_GAP,
                       first_half(&f.axis.scale, dots->unit));
    f.remark = (double)f.width - (double)remark * WEIR_AXIS_LETTER -
               (remark > 0 ? WEIR_AXIS_GAP : 0); /* bold ones are wider */
    f.axis.last = f.remark - (remark > 0 ? WEIR_AXIS_GAP : 0);
    f.axis.right = f.axis.last - (double)number * WEIR_AXIS_LETTER - 2 * WEIR_AXIS_GAP;
    f.axis.top = TOP, f.axis.bottom = (double)(f.height - WEIR_AXIS_HEIGHT);
    f.axis.first = 0;
    f.axis.unit = dots->unit, f.axis.text = tick_text;
    return f;
}

size_t weir_dots_height(const struct weir_dots *dots)
{
    return frame_of(dots).height;
}

static void put_published(FILE *out, const struct frame *f, const struct weir_dot *d, double y)
{
    double from = weir_axis_at(&f->axis, d->published_low), to = weir_axis_at(&f->axis, d->published_high);
    if (isfinite(d->band_low) && isfinite(d->band_high))
        (void)fprintf(out, "<path class=\"pb\" d=\"M%.1f %.1fH%.1fv%dH%.1fz\"/>\n", weir_axis_at(&f->axis, d->band_low),
                      y - PUBLISHED, weir_axis_at(&f->axis, d->band_high), 2 * PUBLISHED,
                      weir_axis_at(&f->axis, d->band_low));
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
    double x = weir_axis_at(&f->axis, d->mean);
    char name[8];
    weir_line_style_name(name, d->style.hue, d->style.shade);
    (void)fprintf(out, "<g color=\"var(--%s)\">", name);
    if (d->half_width > 0) {
        double from = weir_axis_at(&f->axis, d->mean - d->half_width),
               to = weir_axis_at(&f->axis, d->mean + d->half_width);
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

/* Writes what is said of a dot, at the right of its label or in the line below that. */
static void put_said(FILE *out, const struct frame *f, const struct weir_dot *d, double top)
{
    static const char *const class_of[] = { "", " bst", "", " bad" };
    bool below = f->above > 1;
    (void)fprintf(out, "<text class=\"%s%s\" x=\"%zu\" y=\"%.1f\">", below ? "q" : "te", class_of[d->kind],
                  below ? 0 : f->width, top + (below ? 15 + LINE : 15));
    weir_html_text(out, d->said);
    (void)fputs("</text>\n", out);
}

static void put_row(FILE *out, const struct weir_dots *dots, const struct frame *f, size_t i)
{
    static const char *const class_of[] = { "q", "bst", "q", "bad" };
    const struct weir_dot *d = &dots->dot[i];
    double top = TOP + (double)(i * f->row), y = top + (double)(f->above * LINE) + ROW / 2.0;
    double text_y = f->above > 0 ? top + 15 : y + 5;
    put_published(out, f, d, y);
    if (isfinite(d->mean))
        put_mean(out, f, d, y);
    (void)fprintf(out, "<text x=\"%d\" y=\"%.1f\">", 0, text_y);
    weir_html_text(out, d->label);
    (void)fputs("</text>\n", out);
    if (dots->with_said) {
        put_said(out, f, d, top);
        return;
    }
    (void)fprintf(out, "<text class=\"te%s\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", d->kind == WEIR_DOT_BEST ? " bst" : "",
                  f->axis.last, y + 5, weir_number_spread(d->mean, d->half_width, dots->unit).text);
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
        if (dots->with_said) {
            (void)fputc(' ', out);
            weir_html_text(out, d->said);
            continue;
        }
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
    weir_axis_draw(out, &f.axis);
    if (f.axis.scale.log)
        (void)fprintf(out, "<text class=\"te q\" x=\"%.1f\" y=\"%.1f\">log</text>\n", f.axis.last, f.axis.bottom + 20);
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
