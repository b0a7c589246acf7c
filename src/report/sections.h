/* src/report/sections.h - the parts of the page that are about one group of runs: those of one figure of an experiment, or all
 * that belong to none. */
#ifndef WEIR_REPORT_SECTIONS_H
#define WEIR_REPORT_SECTIONS_H
#include "report/plot.h"
#include "report/runs.h"

struct weir_page {
    FILE *out;
    const char *gnuplot;      /* NULL = no drawings */
    const volatile int *stop; /* NULL = never */
    size_t figures;           /* so far */
};

struct weir_group {
    const struct weir_run *run; /* in the order of the page */
    size_t count;
};

/* What was run; then, closed, the scenarios. Of all groups. */
void weir_section_runs(const struct weir_page *page, const struct weir_group *all);

/* The numbers of the summary, runs side by side. */
void weir_section_summary(const struct weir_page *page, const struct weir_group *group);

/* Figures: each section prints nothing if the file has nothing for it. @return 0, or a code with err */
int weir_section_load(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
int weir_section_slowdown(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
int weir_section_queues(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
int weir_section_time(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
int weir_section_credit(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
int weir_section_side_by_side(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
int weir_section_places(struct weir_page *page, const struct weir_group *group, struct weir_err *err);

/* --- what they share --- */

/* A heading and a grid for the figures after it; *open = one is open. The heading comes with the first figure. */
void weir_grid_begin(const struct weir_page *page, const char *heading, bool *open);
void weir_grid_end(const struct weir_page *page, bool *open);

/* Writes a figure and frees it, under the heading if it is the grid's first. If it has points and there is nothing
 * to see, it is without its drawing. If it has no points, or is a distribution, nothing is written: a distribution
 * that cannot be drawn is a single bucket. */
int weir_grid_plot(struct weir_page *page, const char *heading, bool *open, struct weir_plot *plot,
                   struct weir_err *err);

/* A curve named after a run. NULL with err */
struct weir_curve *weir_section_curve(struct weir_plot *plot, const struct weir_run *run, struct weir_err *err);

/* "unstable", "too short", "running", ..: what a reader must know about a run besides its name; NULL = nothing. */
const char *weir_run_note(const struct weir_run *run);

/* A phrase for captions: over which part of the run. size >= 96 */
void weir_measured_part(char *out, size_t size, const struct weir_group *group);

/* The end of the warm-up if all runs of the group agree about it, else 0. */
double weir_warmup_ps(const struct weir_group *group);

/* The name of a run's curve when runs differ in load only: its label without parts like "50%", "load=50%", "load
 * 0.5", or "50" where the settings have "traffic[0].load=50%". settings may be NULL */
void weir_load_free_name(char *out, size_t size, const char *label, const char *settings);
#endif
