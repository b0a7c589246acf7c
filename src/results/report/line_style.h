/* src/results/report/line_style.h - colour, dashes and mark of curves and dots. A law has the same on
 * every page, those of its row in the registry. Several sets of one law differ in lightness and in the mark. */
#ifndef WEIR_REPORT_LINE_STYLE_H
#define WEIR_REPORT_LINE_STYLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define WEIR_STYLE_KINDS 8u  /* number of hues, of dashes and of marks */
#define WEIR_STYLE_SHADES 5u /* besides shade 0 */

struct weir_line_style {
    uint8_t hue;   /* 1 .. WEIR_STYLE_KINDS; 0 = not set */
    uint8_t shade; /* 0 = the hue itself; 1 .. WEIR_STYLE_SHADES from the most to the least contrast with the page */
    uint8_t dash, mark; /* below WEIR_STYLE_KINDS */
};

/* Returns the style of a law. A protocol that the registry does not have, or whose row gives no style, gets one that
 * follows from its name alone. protocol: "" = nothing is known, which gives the style of place 0
 * @param variant   number of the set among the `variants` sets of this law in a figure, from 0
 * @param variants  1 or more */
struct weir_line_style weir_line_style_of(const char *protocol, size_t variant, size_t variants);

/* Returns the style of a curve that stands for no law, such as a host: by its place among the curves. */
struct weir_line_style weir_line_style_at(size_t position);

/* Returns a colour of the palette as "#0072b2". hue, shade: as in struct weir_line_style, hue not 0 */
const char *weir_line_style_colour(unsigned hue, unsigned shade, bool dark);
/* Writes the name of the CSS variable of a style's colour, without "--": "c3", or "c3a" .. "c3e" for shades. */
void weir_line_style_name(char out[8], unsigned hue, unsigned shade);

/* Returns the dashes of a style as an SVG stroke-dasharray; "" = solid. */
const char *weir_line_style_dash(const struct weir_line_style *style);
/* Returns the dashes of a style as gnuplot writes them. */
const char *weir_line_style_dash_gnuplot(const struct weir_line_style *style);
/* Returns gnuplot's point type of a style. */
int weir_line_style_mark(const struct weir_line_style *style);

/* Writes the key of a legend: a line 40 units wide with its mark in the middle, around y = 6. hollow: its
 * mark is drawn hollow */
void weir_line_style_key(FILE *out, const struct weir_line_style *style, bool hollow);
#endif
