/* src/commands/cli/report_figures.h - writes the figures of a report as files into a folder. */
#ifndef WEIR_CLI_REPORT_FIGURES_H
#define WEIR_CLI_REPORT_FIGURES_H
#include "report/report.h"

struct weir_figure_folder {
    const char *name;                   /* name of the folder as given; lent */
    struct weir_report_figures figures; /* for weir_report_page() */
};

struct weir_figure_options { /* how figures are written as files; zeros = the defaults */
    unsigned formats;        /* bits WEIR_FIGURE_.. */
    double width_pt, font_pt;
    char font[64]; /* "" = the default */
};

/* Reads a list of formats, "svg,pdf". @return 0, or a code with err */
int weir_figure_formats(struct weir_figure_options *to, const char *list, struct weir_err *err);
/* Reads the width of drawings, "3.3in", "84mm", "8.4cm" or "238pt". @return 0, or a code with err */
int weir_figure_size(struct weir_figure_options *to, const char *text, struct weir_err *err);
/* Reads a family of fonts, and the height of letters in points behind a comma: "Helvetica", "Helvetica,8". @return 0,
 * or a code with err */
int weir_figure_font(struct weir_figure_options *to, const char *text, struct weir_err *err);

/* Makes the folder if it does not exist, and fills in *folder, which must stay at its address. When a figure is
 * written, a file of the same name is replaced only if it is empty or a figure of a report; else the writing fails with
 * WEIR_E_CONFLICT. options: lent. @return 0, or WEIR_E_FILE with err */
int weir_figure_folder_open(struct weir_figure_folder *folder, const char *name,
                            const struct weir_figure_options *options, struct weir_err *err);
#endif
