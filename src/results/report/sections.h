/* src/results/report/sections.h - the sections of the page. Most sections are about one group of runs: the runs of one
 * figure of an experiment, or all runs that belong to no figure. */
#ifndef WEIR_REPORT_SECTIONS_H
#define WEIR_REPORT_SECTIONS_H
#include "report/export.h"
#include "report/plot.h"
#include "report/sets.h"

struct weir_page {
    FILE *out;
    const char *gnuplot;         /* NULL = no drawings */
    const volatile int *stop;    /* NULL = never */
    size_t figures;              /* figures drawn so far */
    bool brief;                  /* a page of many runs: fewer points and smaller tables */
    size_t runs;                 /* runs on the page */
    FILE *nav;                   /* the list of the table of contents; NULL = there is none */
    size_t anchors;              /* anchors so far */
    bool seeds_said;             /* a caption of this part says what curves and bands are of several seeds */
    size_t part;                 /* number of the present part, from 1 */
    bool list_headings;          /* headings are in the table of contents; else only parts are */
    const char *published;       /* what `weir reproduce --json` prints; NULL = nothing */
    const char *in_part;         /* title of the present part, for file names; NULL = the page has one part */
    const char *in_panel;        /* title of the present panel, whose headings are not in the contents; NULL = none */
    const char *in_run;          /* label of the run whose hosts, ports and flows are being written; NULL = none */
    bool interactive;            /* figures have their numbers as JSON behind them (figure_data.h) */
    struct weir_export *exports; /* receives figures as files; NULL = figures are only in the page */
};

struct weir_group {             /* the runs of one part of the page, or of a panel */
    const struct weir_run *run; /* in the order of the page */
    size_t count;
};

/* All weir_section_*() functions return 0, or a code with err. */

/* Prints the section "What was run", with the scenarios in elements that are closed at first. all: all runs of the
 * page */
int weir_section_runs(const struct weir_page *page, const struct weir_group *all, struct weir_err *err);
/* Prints the whole scenario of the first set of each group; of the other sets only the differences from that scenario.
 * all: all runs of the page */
int weir_section_scenarios(const struct weir_page *page, const struct weir_group *all, struct weir_err *err);

/* Prints the summary: the numbers of each set, then notes, findings and causes. If a set has several runs, prints the
 * numbers of each of its runs last, in an element that is closed at first. */
int weir_section_summary(const struct weir_page *page, const struct weir_group *group, struct weir_err *err);

/* Draws what was published next to what was measured, of the figure of the group, if page->published has it. */
int weir_section_published(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
/* Checks that a text has the form that weir_section_published() reads. Returns 0, or a code with err. */
int weir_published_check(const struct weir_db *db, const char *text, struct weir_err *err);

/* Prints the table of laws and classes of each set, if there are runs with several laws. */
int weir_section_laws(const struct weir_page *page, const struct weir_group *group, struct weir_err *err);

/* Prints the table of single jobs of each set, if there are runs with jobs or collective operations. */
int weir_section_jobs(const struct weir_page *page, const struct weir_group *group, struct weir_err *err);

/* Each of the next functions draws the figures of one section. A function prints nothing if the files have no data for
 * its figures. */

/* Draws goodput, slowdown and ToR queue over the offered load, if there are sets that differ only in load. */
int weir_section_load(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
/* Draws goodput and slowdown of each law over the share of a deployed law, if there are sets with several shares. */
int weir_section_share(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
/* Draws the distribution of slowdown into a grid, as weir_grid_plot(). */
int weir_figure_cdf(struct weir_page *page, const struct weir_group *group, bool *open, struct weir_err *err);
/* Draws slowdown by message size, and the tail of its distribution. */
int weir_section_slowdown(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
/* Draws the distribution of the ToR queue. */
int weir_section_queues(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
/* Draws how many packets each rule dropped or lost, if any did. */
int weir_section_drops(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
/* Draws when jobs and coflows began and ended, if there are any. */
int weir_section_jobs_time(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
/* Draws the series of the whole network over time. */
int weir_section_time(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
/* Draws the series of credit over time. */
int weir_section_credit(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
/* Draws single ports and flows over time, with a curve for each set. */
int weir_section_across_runs(struct weir_page *page, const struct weir_group *group, struct weir_err *err);
/* Draws the hosts, ports and flows of each run over time. On a page of more than WEIR_RUNS_ELEMENTS_MAX runs it prints
 * only the command that makes a page with these figures. */
int weir_section_elements(struct weir_page *page, const struct weir_group *group, struct weir_err *err);

/* --- functions that sections share --- */

/* Returns the number n of a new anchor, whose id is "s<n>". Adds the anchor with its title to the table of contents if
 * page->list_headings. */
size_t weir_page_anchor(struct weir_page *page, const char *title);

/* Prints a heading, opens a grid of figures below it and sets *open; does nothing if *open is true. */
void weir_grid_begin(struct weir_page *page, const char *heading, bool *open);
/* Closes the grid if *open is true, and sets *open to false. */
void weir_grid_end(const struct weir_page *page, bool *open);

/* Writes a figure into the grid and frees the figure, also on a failure. If *open is false, opens the grid under the
 * heading first. A figure with points but nothing to see is written without its drawing. Writes nothing if the figure
 * has no points, or if it is a distribution with nothing to see, as one of a single bucket. Returns 0, or a code with
 * err: WEIR_E_RUN if *page->stop is not 0. */
int weir_grid_plot(struct weir_page *page, const char *heading, bool *open, struct weir_plot *plot,
                   struct weir_err *err);

/* Writes a dot plot into the grid, as weir_grid_plot(); nothing if it has nothing to see. Returns 0, or a code with
 * err. */
int weir_grid_dots(struct weir_page *page, const char *heading, bool *open, const struct weir_dots *dots,
                   struct weir_err *err);

/* Writes bars over time with their legend into the grid, as weir_grid_plot(). Returns 0, or a code with err. */
int weir_grid_gantt(struct weir_page *page, const char *heading, bool *open, const struct weir_gantt *gantt,
                    struct weir_err *err);

/* Appends a curve without points for a set of runs, with the label of the set and the first note of its runs. Returns
 * the curve; NULL = no memory, with err. */
struct weir_curve *weir_section_curve(struct weir_plot *plot, const struct weir_set *set, struct weir_err *err);

/* Appends a curve with its points for each set of the group. Returns 0, or a code with err; then the plot is freed. */
int weir_section_sets(struct weir_plot *plot, const struct weir_group *group, const struct weir_curve_source *source,
                      struct weir_err *err);

/* Returns the note that is shown behind the label of a run: its status if it is not "done", else "in doubt"; NULL =
 * none. */
const char *weir_run_note(const struct weir_run *run);

/* Writes a phrase for captions about the measured part: "the measured part of the run, 1 ms to 5 ms". The times are
 * left out if there is no warm-up, or if the runs have different times. Without times the phrase ends with "of each
 * run", or "of the run" if there is only one. size: 96 or more */
void weir_measured_part(char *out, size_t size, const struct weir_group *group);

/* Returns the length of the warm-up in ps if all runs of the group have the same, else 0. Also 0 if there is no warm-up
 * or it is not known. */
double weir_warmup_ps(const struct weir_group *group);

/* Writes a label without its load, as the name of a curve over load. Removes parts like "50%", "load=50%" and "load
 * 0.5"; also "50" if the settings have "load=50". settings: values of --set, NULL = none. If the text does not fit, it
 * ends before the first part that does not fit. size: 1 or more */
void weir_load_free_name(char *out, size_t size, const char *label, const char *settings);
#endif
