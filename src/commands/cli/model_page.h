/* src/commands/cli/model_page.h - the answer of `weir model rpm` as one HTML page: the table and two figures. */
#ifndef WEIR_CLI_MODEL_PAGE_H
#define WEIR_CLI_MODEL_PAGE_H
#include "output/rpm_print.h"

#define WEIR_MODEL_NO_FIGURES 512u

/**
 * Writes the page.
 * @param gnuplot     the program that draws; where it is missing or unfit, figures are tables
 * @param no_figures  why they are, one sentence; empty = they are drawn. Room for WEIR_MODEL_NO_FIGURES bytes
 * @return 0, or a code with err. Whether `out` took everything is the caller's to ask
 */
int weir_model_page(FILE *out, const struct weir_rpm_answer *answer, const char *gnuplot, char *no_figures,
                    struct weir_err *err);
#endif
