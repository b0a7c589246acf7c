/* src/results/report/axis.h - the horizontal axis of a drawing, with its ticks, and how wide a text is there. Sizes
 * are in units of the drawing. */
#ifndef WEIR_REPORT_AXIS_H
#define WEIR_REPORT_AXIS_H
#include "report/number.h"
#include "report/scale.h"
#include <stdio.h>

#define WEIR_AXIS_LETTER 8.7 /* width of a letter; the widest fonts in use have about this mean */
#define WEIR_AXIS_GAP 10     /* between texts */
#define WEIR_AXIS_HEIGHT 26  /* below the line, of ticks and their numbers */

struct weir_axis {
    struct weir_scale scale;
    double left, right;  /* ends of the line */
    double top, bottom;  /* of the lines that go up from ticks; the axis is at the bottom */
    double first, last;  /* no number begins before first or ends after last */
    enum weir_unit unit; /* of the values */
    struct weir_number (*text)(double value, enum weir_unit unit); /* of a tick */
};

/* Counts the letters of a UTF-8 text. */
size_t weir_axis_letters(const char *text);

/* Returns where a value is, left .. right. */
double weir_axis_at(const struct weir_axis *axis, double value);

/* Writes the line and its ticks. If their numbers would run into each other, every second one has a number, or every
 * third. A tick has no number either if that would be beyond the room. */
void weir_axis_draw(FILE *out, const struct weir_axis *axis);
#endif
