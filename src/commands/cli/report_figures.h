/* src/commands/cli/report_figures.h - the figures of a report as files in a folder. */
#ifndef WEIR_CLI_REPORT_FIGURES_H
#define WEIR_CLI_REPORT_FIGURES_H
#include "report/report.h"

struct weir_figure_folder {
    const char *name;                   /* as the user gave it; lent */
    struct weir_report_figures figures; /* for weir_report_page() */
};

/* Makes the folder, unless there is one. A file of it is replaced only if it is such a figure too; others stay as they
 * are.
 * @return 0, or WEIR_E_FILE with err */
int weir_figure_folder_open(struct weir_figure_folder *folder, const char *name, struct weir_err *err);
#endif
