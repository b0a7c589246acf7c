/* src/results/report/svg_path.h - shortens the paths of a drawing. gnuplot writes absolute points in hundredths of a
 * pixel; the page has relative ones in tenths. */
#ifndef WEIR_REPORT_SVG_PATH_H
#define WEIR_REPORT_SVG_PATH_H
#include <stdio.h>

/**
 * Copies an SVG path as a path with relative points in tenths of a pixel. The path has the commands M, L and Z and
 * absolute points, or is the points of a polygon. Leaves out points that round to the same position as the point
 * before, and points in the middle of a horizontal or vertical line. Rounding errors do not add up.
 * @param data   the path, which ends with quote
 * @param quote  '\0' = the path ends with the text
 * @return the text behind the quote; NULL = data is no such path: then nothing was written
 */
const char *weir_svg_path(FILE *out, const char *data, char quote);

/* Copies a number, rounded to tenths: "12.3", "-.4", "7". Returns the text behind it; data itself if there is no
 * number: then nothing was written. */
const char *weir_svg_number(FILE *out, const char *data);
#endif
