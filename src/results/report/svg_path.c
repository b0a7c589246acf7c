/* src/results/report/svg_path.c - see svg_path.h. */
#include "report/svg_path.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define TENTHS_MAX 1e6 /* no coordinate of a drawing is as large */

struct pen {     /* state of a copy; lengths in tenths of a pixel */
    FILE *out;   /* NULL = check the path only, write nothing */
    long x, y;   /* present position, as written */
    long dx, dy; /* a line that is not yet written, since the next one may continue it; 0, 0 = none */
    char verb;   /* the last command written, which SVG need not repeat */
};

/* Writes a number given in tenths: "12.3", "-.4". Writes a space first, to separate the number from a number before it.
 * The space is left out if the number has a minus sign, or if `parted` is true: the text before is no number. */
static void put_tenths(const struct pen *pen, long tenths, bool parted)
{
    long whole = labs(tenths) / 10, part = labs(tenths) % 10;
    if (pen->out == NULL)
        return;
    if (!parted && tenths >= 0)
        (void)fputc(' ', pen->out);
    if (tenths < 0)
        (void)fputc('-', pen->out);
    if (whole > 0 || part == 0)
        (void)fprintf(pen->out, "%ld", whole);
    if (part > 0)
        (void)fprintf(pen->out, ".%ld", part);
}

static void put_verb(struct pen *pen, char verb)
{
    if (pen->out != NULL)
        (void)fputc(verb, pen->out);
    pen->verb = verb;
}

/* Writes the line that is not yet written as command h, v or l, and moves the position to its end. Does nothing if
 * there is no such line. */
static void flush(struct pen *pen)
{
    char verb = pen->dy == 0 ? 'h' : pen->dx == 0 ? 'v' : 'l';
    bool parted = pen->verb != verb;
    if (pen->dx == 0 && pen->dy == 0)
        return;
    if (parted)
        put_verb(pen, verb);
    if (verb != 'v')
        put_tenths(pen, pen->dx, parted);
    if (verb != 'h')
        put_tenths(pen, pen->dy, parted && verb == 'v');
    pen->x += pen->dx, pen->y += pen->dy;
    pen->dx = pen->dy = 0;
}

static void move_to(struct pen *pen, long x, long y)
{
    flush(pen);
    put_verb(pen, 'M');
    put_tenths(pen, x, true);
    put_tenths(pen, y, false);
    pen->x = x, pen->y = y;
}

static bool same_way(long a, long b)
{
    return (a > 0) == (b > 0) && (a < 0) == (b < 0);
}

static void line_to(struct pen *pen, long x, long y)
{
    long dx = x - pen->x - pen->dx, dy = y - pen->y - pen->dy;
    bool level = dy == 0 && pen->dy == 0 && same_way(dx, pen->dx),
         upright = dx == 0 && pen->dx == 0 && same_way(dy, pen->dy);
    if (dx == 0 && dy == 0)
        return;
    if (!level && !upright)
        flush(pen);
    pen->dx += dx, pen->dy += dy;
}

/* Reads a number such as "12.34" and sets *tenths to ten times its value, rounded. Returns the text after the number;
 * NULL = there is no number, or it is TENTHS_MAX tenths or more. */
static const char *take_tenths(const char *data, long *tenths)
{
    char *end;
    double value = strtod(data, &end) * 10;
    if (end == data || !(fabs(value) < TENTHS_MAX))
        return NULL;
    *tenths = lround(value);
    return end;
}

/* Copies a path up to `quote`. Returns the text after the quote; NULL = the text is no path of the form that
 * weir_svg_path() accepts. */
static const char *copy(struct pen *pen, const char *at, char quote)
{
    char verb = 'M'; /* the points of a polygon have no command */
    for (at += strspn(at, " \t\n"); *at != quote; at += strspn(at, " \t\n")) {
        long x, y;
        if (*at == 'Z' || *at == 'z') {
            flush(pen);
            put_verb(pen, 'z');
            at++;
            verb = '\0';
            continue;
        }
        if (*at == 'M' || *at == 'L')
            verb = *at++;
        at = verb != '\0' ? take_tenths(at, &x) : NULL;
        if (at == NULL || *at != ',')
            return NULL;
        at = take_tenths(at + 1, &y);
        if (at == NULL)
            return NULL;
        if (verb == 'M')
            move_to(pen, x, y);
        else
            line_to(pen, x, y);
        verb = 'L';
    }
    flush(pen);
    return at + (quote != '\0');
}

const char *weir_svg_path(FILE *out, const char *data, char quote)
{
    struct pen checks = { .out = NULL }, writes = { .out = out };
    return copy(&checks, data, quote) != NULL ? copy(&writes, data, quote) : NULL;
}

const char *weir_svg_number(FILE *out, const char *data)
{
    const struct pen pen = { .out = out };
    long tenths;
    const char *end = take_tenths(data, &tenths);
    if (end == NULL)
        return data;
    put_tenths(&pen, tenths, true);
    return end;
}
