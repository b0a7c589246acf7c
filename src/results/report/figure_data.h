/* src/results/report/figure_data.h - the curves of a figure as JSON in the page, from which its script draws them anew.
 * web/src/static.ts reads it. */
#ifndef WEIR_REPORT_FIGURE_DATA_H
#define WEIR_REPORT_FIGURE_DATA_H
#include "report/plot.h"
#include "text/json.h"

/* Returns the name of a unit in the data of a page: "bytes", "ps", .. */
const char *weir_data_unit(enum weir_unit unit);

/* Puts colour (on a light and on a dark page), dashes and mark of a style into the open object. */
void weir_data_style(struct weir_json *json, const struct weir_line_style *style);

/* Puts the drawn points of a curve into the open object: the lists x and y. If the curve has a band, also low and high;
 * if it is known how many values points were made from, also values. The list x is left out if it is that of the curve
 * before. A distribution of more than points_max points is put by its quantiles.
 * @param before  the curve that was put before; NULL = none
 * @return true if points were left out */
bool weir_data_curve(struct weir_json *json, const struct weir_plot *plot, const struct weir_curve *curve,
                     const struct weir_curve *before, size_t points_max);

/* Writes a figure as a script element of type application/json. At least one curve must have points. Returns 0, or
 * WEIR_E_MEMORY with err. */
int weir_figure_data(FILE *out, const struct weir_plot *plot, struct weir_err *err);
#endif
