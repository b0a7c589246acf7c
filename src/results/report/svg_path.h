/* src/results/report/svg_path.h - shortens the paths of a drawing. gnuplot writes absolute points in hundredths of a
 * pixel. The page has lines with relative points in tenths of a pixel. */
#ifndef WEIR_REPORT_SVG_PATH_H
#define WEIR_REPORT_SVG_PATH_H
#include <stdio.h>

/**
 * Copies an SVG path with lines relative to the point before, in tenths of a pixel. A move (M) stays absolute. The path
 * may have the commands M, L and Z with absolute points, or be the points of a polygon. Leaves out points that round to
 * the same position as the point before, and points in the middle of a horizontal or vertical line. Rounding errors do
 * not add up.
 * @param data   the path, which ends with quote
 * @param quote  '\0' = the path ends with the text
 * @return the text after the quote; NULL = data is no such path: then nothing was written
 */
const char *weir_svg_path(FILE *out, const char *data, char quote);

/* Copies a number, rounded to tenths: "12.3", "-.4", "7". Returns the text after the number. If there is no number,
 * writes nothing and returns data. */
const char *weir_svg_number(FILE *out, const char *data);
#endif
