/* src/results/report/svg_path.h - shortens the points of a drawing: gnuplot writes hundredths of a pixel, and each
 * point in full. */
#ifndef WEIR_REPORT_SVG_PATH_H
#define WEIR_REPORT_SVG_PATH_H
#include <stdio.h>

/**
 * Copies the data of a path of M, L and Z with absolute points, or the points of a polygon, as relative ones in tenths
 * of a pixel. Points that do not move by one are left out, and points in the middle of a level or upright line. Errors
 * do not add up.
 * @param data  ends with quote, or with the text
 * @return what follows the quote; NULL = this is no such path: then nothing was written
 */
const char *weir_svg_path(FILE *out, const char *data, char quote);

/* Copies a number in tenths: "12.3", "-.4", "7". Returns what follows it; data itself if there is none. */
const char *weir_svg_number(FILE *out, const char *data);
#endif
