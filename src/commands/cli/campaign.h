/* src/commands/cli/campaign.h - a campaign runs the points of a plan and keeps the runs in a result file. The functions
 * name the files, resolve the scenario of each point, find runs that the file has already, run the others, and make the
 * report. `weir reproduce`, `sweep`, `compare` and `status` load an experiment and print the results.
 *
 * Order of calls: weir_campaign_new(), then exp is loaded, name_files, lay_out, execute, tables, close_store, report,
 * free. In place of execute a caller whose points follow from results calls open, and for each set of points that it
 * has added resolve and run; then end_runs. After an error of any of them weir_campaign_free() is enough. All errors
 * that can be found before the first run are found before it. */
#ifndef WEIR_CLI_CAMPAIGN_H
#define WEIR_CLI_CAMPAIGN_H
#include "cli/campaign_args.h"
#include "config/scenario.h"
#include "reproduce/cells.h"
#include "reproduce/plan.h"
#include "reproduce/sweep.h"
#include "setup/setup.h"
#include "store/store.h"
#include "text/wait.h"
#include <stdio.h>

enum {
    WEIR_CAMPAIGN_PATH = 4096,  /* bytes of the name of a file, with its NUL */
    WEIR_CAMPAIGN_TABLES = 256, /* most tables, of all figures together */
};

struct weir_campaign {          /* state of a campaign; large, so on the heap */
    struct weir_experiment exp; /* filled in by the caller; freed by weir_campaign_free() */
    struct weir_plan plan;
    struct weir_scenario scn; /* of the point that is being resolved */
    struct weir_setup setup;
    struct weir_store *store; /* NULL = not open */
    struct weir_sweep_dir dir;
    uint64_t wait_ps; /* longest wait for another program that writes the result file; weir_campaign_new() sets 60 s */
    struct weir_cells cells[WEIR_CAMPAIGN_TABLES]; /* cells_count tables, from weir_campaign_tables() */
    uint32_t cells_count;
    bool finds_lengths; /* some points have run.measure: auto, and their length was found */
    uint32_t adopted;   /* points whose runs the result file had */
    /* names of the result file and the report; report "" = no report */
    char out[WEIR_CAMPAIGN_PATH], report[WEIR_CAMPAIGN_PATH];
};

/* Allocates an empty campaign. @return NULL = no memory, which was printed */
struct weir_campaign *weir_campaign_new(void);
/* Frees a campaign, closes its result file and removes its temporary folder; c may be NULL. A signal that is pending
 * may end the process here. */
void weir_campaign_free(struct weir_campaign *c);

/* Reads the sweep file `path` into c->exp: an experiment without figures. @return 0, or a code with err */
int weir_campaign_load(struct weir_campaign *c, const char *path, struct weir_err *err);

/**
 * Sets the names of the result file and of the report.
 * @param stem    gives the name STEM.db of the result file if out is NULL
 * @param out     the result file; NULL = STEM.db
 * @param report  the report; NULL = as the result file, with .html for its ending
 * @return 0, or WEIR_E_RANGE with err: a name is too long
 */
int weir_campaign_name_files(struct weir_campaign *c, const char *stem, const char *out, const char *report,
                             struct weir_err *err);

/**
 * Makes the plan of exp's points, and resolves each point: reads its scenario and sets it up. From then on signals that
 * would end the command are blocked (reproduce/sweep_dir.h). A signal ends the resolving early without an error: the
 * caller tests weir_campaign_interrupted() next.
 * @return 0, or a code with err. If the scenario of a point is at fault, the error in the scenario was printed, and err
 *         names the point
 */
int weir_campaign_lay_out(struct weir_campaign *c, const struct weir_plan_request *request, struct weir_err *err);

/* Resolves those points of c->plan that are not resolved yet, as weir_campaign_lay_out() does. The caller has made the
 * plan, in the memory of exp. */
int weir_campaign_resolve(struct weir_campaign *c, struct weir_err *err);

/* Returns the text of c->scn with every key, as a result file has it, in the memory of exp. @return NULL = no memory */
const char *weir_campaign_dump(struct weir_campaign *c);

/* Returns WEIR_EXIT_DONE if no signal is pending, else the exit status for that signal, after a sentence on stderr. For
 * the time before the first run. Usually this status is not used: weir_campaign_free() unblocks the signal, which then
 * ends the process. */
int weir_campaign_interrupted(const struct weir_campaign *c);

/**
 * Opens the result file, checks that the report can be written, marks points as done whose runs the file has, and runs
 * the other points. On success removes the temporary folder and unblocks signals.
 * @param args   with args->fresh, the runs of these points in the file are deleted first
 * @param swept  set to the outcome of the runs
 * @return WEIR_EXIT_DONE; or the exit status of the command: an error was printed, or a signal came. Without
 *         args->fresh it is also an error if the file has runs of these points with other settings, length, version or
 *         commit
 */
int weir_campaign_execute(struct weir_campaign *c, const struct weir_campaign_args *args,
                          struct weir_sweep_outcome *swept);

/* The parts of weir_campaign_execute(), which all return as it does. open() opens the result file and checks the
 * report. run() finds the runs of pending points in the file and runs the others; it may be called again after points
 * were added and resolved, and adds to *swept. With args->fresh it deletes runs of pending points first. */
int weir_campaign_open(struct weir_campaign *c, const struct weir_campaign_args *args);
int weir_campaign_run(struct weir_campaign *c, const struct weir_campaign_args *args, struct weir_sweep_outcome *swept);
/* Removes the temporary folder and unblocks signals. */
void weir_campaign_end_runs(struct weir_campaign *c);

/* Prints on stderr how many of `all` points are in the result file already; nothing if none is. */
void weir_campaign_print_adopted(const struct weir_campaign *c, uint32_t all);

/* Returns how to wait for the result file, for struct weir_store_caller: at most c->wait_ps, and only until a signal is
 * pending. c must stay valid as long as the result is used. */
struct weir_wait weir_campaign_wait(const struct weir_campaign *c);

/* Fills c->cells, the tables of all figures, from the result file. @return 0, or a code with err */
int weir_campaign_tables(struct weir_campaign *c, struct weir_err *err);

/* Returns the number of points that are done. */
uint32_t weir_campaign_done(const struct weir_campaign *c);

/* Closes the result file. Must be called before weir_campaign_report(): a process must not have the file open twice
 * (store/store.h). */
void weir_campaign_close_store(struct weir_campaign *c);

typedef void weir_campaign_print(FILE *out, const void *ctx);

/**
 * Makes the report of the runs that are done, by `weir report` in a child process, and prints the names of both files
 * on stderr.
 * @param print      writes the text of the report
 * @param published  writes the published numbers, as option --published of `weir report` reads them; NULL = there are
 *                   none
 * @param ctx        passed to both
 * @return WEIR_EXIT_DONE, also if no run is done or no report is wanted; else WEIR_EXIT_FAILURE
 */
int weir_campaign_report(const struct weir_campaign *c, weir_campaign_print *print, weir_campaign_print *published,
                         const void *ctx);

/* Prints on stderr that a signal came, or how many runs failed. @return WEIR_EXIT_SIGNAL plus the signal if one came;
 * WEIR_EXIT_DONE if no run failed; WEIR_EXIT_AGAIN if all failed runs were ended from outside; else WEIR_EXIT_FAILURE.
 * fresh: the command had --fresh */
int weir_campaign_status(const struct weir_sweep_outcome *swept, bool fresh);
#endif
