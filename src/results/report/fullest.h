/* src/results/report/fullest.h - says which port had the longest queue, and which link was given the greatest share of
 * what it can carry. The result files of an older Weir do not name them. */
#ifndef WEIR_REPORT_FULLEST_H
#define WEIR_REPORT_FULLEST_H
#include "report/sections.h"

/* Writes a sentence for the fullest port, and one for the fullest link, of all done runs of the group, with the run and
 * the number of runs that agree. Writes nothing of what no run names. */
void weir_fullest_sentences(FILE *out, const struct weir_group *group);

/* Draws the longest port queue of each set into a grid, as weir_grid_dots(), with the name of the port. Draws nothing
 * if there is one set, or more than a comparison has, or if no run names a port. Returns 0, or a code with err. */
int weir_figure_fullest(struct weir_page *page, const struct weir_group *group, bool *open, struct weir_err *err);
#endif
