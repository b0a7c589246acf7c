/* src/results/report/sections.h - the parts of the page that are about one group of runs: those of one figure of an
 * experiment, or all that belong to none. */
#ifndef WEIR_REPORT_SECTIONS_H
#define WEIR_REPORT_SECTIONS_H
#include "report/export.h"
#include "report/plot.h"
#include "report/sets.h"

struct weir_page {
    FILE *out;
    const char *gnuplot;      /* NULL = no drawings */
    const volatile int *stop; /* NULL = never */
    size_t figures;           /* so far */
    bool brief;               /* a page of many runs: less detail of each */
    size_t runs;              /* on the page */
    FILE *nav;                /* its contents, a list; NULL = none is kept */
    size_t anchors;           /* so far */
    bool list_headings;       /* in the contents; else the parts alone are */
    const char *in_part;      /* the title of the part in hand, if there are several; for names of files. NULL = none */
    const char *in_panel;     /* the panel's title; its headings are not in the contents. NULL = in none */
    const char *in_run;       /* the run whose hosts, ports and flows are shown. NULL = none */
    struct weir_export *exports; /* NULL = figures are in the page alone */
};

struct weir_group {
    const struct weir_run *run; /* in the order of the page */
    size_t count;
};

/* Each returns 0, or a code with err. */

/* Prints what was run; then, closed, the scenarios. Of all groups. */
int weir_section_runs(const struct weir_page *page, const struct weir_group *all, struct weir_err *err);
/* Prints the scenario of the first set of each group; of the others what differs from it. */
int weir_section_scenarios(const struct weir_page *page, const struct weir_group *all, struct weir_err *err);

/* Prints the numbers of the summary, sets of runs next to each other; then, closed, each run of them. */
int weir_section_summary(const struct weir_page *page, const struct weir_group *group, struct weir_err *err);

/* Draws the figures of a section; prints nothing if the file has nothing for it. */
int weir_section_load(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
int weir_section_slowdown(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
int weir_section_queues(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
int weir_section_time(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
int weir_section_credit(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
int weir_section_across_runs(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
int weir_section_elements(struct weir_page *page, const struct weir_group *group, struct weir_err *err);

/* --- what they share --- */

/* Returns the number of a new anchor, "s3", which is put into the contents if headings are. */
size_t weir_page_anchor(struct weir_page *page, const char *title);

/* Prints a heading and opens a grid for the figures after it, unless one is open. The heading comes with the first
 * figure. */
void weir_grid_begin(struct weir_page *page, const char *heading, bool *open);
void weir_grid_end(const struct weir_page *page, bool *open);

/* Writes a figure and frees it, under the heading if it is the grid's first. If it has points and there is nothing
 * to see, it is without its drawing. If it has no points, or is a distribution, nothing is written: a distribution
 * that cannot be drawn is a single bucket. */
int weir_grid_plot(struct weir_page *page, const char *heading, bool *open, struct weir_plot *plot,
                   struct weir_err *err);

/* Appends a curve named after a set of runs; NULL with err. */
struct weir_curve *weir_section_curve(struct weir_plot *plot, const struct weir_set *set, struct weir_err *err);

/* Appends a curve for each set of the group. Returns 0, or a code with err: then the plot is freed. */
int weir_section_sets(struct weir_plot *plot, const struct weir_group *group, const struct weir_source *source,
                      struct weir_err *err);

/* Returns what a reader must know about a run besides its name, "unstable", "too short", "running", ..; NULL =
 * nothing. */
const char *weir_run_note(const struct weir_run *run);

/* Writes a phrase for captions: over which part of the run. size >= 96 */
void weir_measured_part(char *out, size_t size, const struct weir_group *group);

/* Returns the end of the warm-up if all runs of the group agree about it, else 0. */
double weir_warmup_ps(const struct weir_group *group);

/* Writes the name of a run's curve when runs differ in load only: its label without parts like "50%", "load=50%", "load
 * 0.5", or "50" where the settings have "traffic[0].load=50%". settings may be NULL. */
void weir_load_free_name(char *out, size_t size, const char *label, const char *settings);
#endif
