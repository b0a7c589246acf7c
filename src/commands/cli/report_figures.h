/* src/commands/cli/report_figures.h - writes the figures of a report as files into a folder. */
#ifndef WEIR_CLI_REPORT_FIGURES_H
#define WEIR_CLI_REPORT_FIGURES_H
#include "report/report.h"

struct weir_figure_folder {
    const char *name;                   /* name of the folder as given; lent */
    struct weir_report_figures figures; /* for weir_report_page() */
};

/* Makes the folder if it does not exist, and fills in *folder, which must stay at its address. When a figure is
 * written, a file of the same name is replaced only if it is empty or a figure of a report; else the writing fails with
 * WEIR_E_CONFLICT. @return 0, or WEIR_E_FILE with err */
int weir_figure_folder_open(struct weir_figure_folder *folder, const char *name, struct weir_err *err);
#endif
