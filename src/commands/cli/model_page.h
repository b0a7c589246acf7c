/* src/commands/cli/model_page.h - the output of `weir model rpm` as an HTML page with a table and two figures. */
#ifndef WEIR_CLI_MODEL_PAGE_H
#define WEIR_CLI_MODEL_PAGE_H
#include "output/rpm_print.h"

#define WEIR_MODEL_NO_FIGURES 512u

/**
 * Writes the page to out.
 * @param gnuplot     the program that draws figures; if it is missing or unfit, the page has tables instead
 * @param no_figures  set to the reason for tables, one sentence; "" = the figures are drawn; WEIR_MODEL_NO_FIGURES
 * bytes
 * @return 0, or a code with err. The caller must test `out` for write errors
 */
int weir_model_page(FILE *out, const struct weir_rpm_answer *answer, const char *gnuplot, char *no_figures,
                    struct weir_err *err);
#endif
