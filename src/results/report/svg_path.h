/* src/results/report/svg_path.h - shortens the paths of a drawing. gnuplot writes absolute points in hundredths of a
 * pixel; the page has relative ones in tenths. */
#ifndef WEIR_REPORT_SVG_PATH_H
#define WEIR_REPORT_SVG_PATH_H
#include <stdio.h>

/**
 * Copies an SVG path of the commands M, L and Z with absolute points, or the points of a polygon, as a path with
 * relative points in tenths of a pixel. Leaves out points less than a tenth from the point before, and points in the
 * middle of a horizontal or vertical line. Each point is rounded by itself, so that rounding errors do not add up.
 * @param data   the path, which ends with quote
 * @param quote  '\0' = the path ends with the text
 * @return the text behind the quote; NULL = data is no such path: then nothing was written
 */
const char *weir_svg_path(FILE *out, const char *data, char quote);

/* Copies a number, rounded to tenths: "12.3", "-.4", "7". Returns the text behind it; data itself if there is no
 * number: then nothing was written. */
const char *weir_svg_number(FILE *out, const char *data);
#endif
