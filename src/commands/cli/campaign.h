/* src/commands/cli/campaign.h - a plan's runs in a result file: names of files, the resolved scenario of each point,
 * runs that are there already, the runs themselves, and the report. `weir reproduce` and its like fill in an experiment
 * and print the results.
 *
 * Order of calls: weir_campaign_new(), then exp is loaded, name_files, lay_out, execute, close_store, report, free.
 * Each that returns a code leaves what was done before for weir_campaign_free(). What can be refused is refused before
 * the first run. */
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
    WEIR_CAMPAIGN_PATH = 4096,  /* bytes of a file's name */
    WEIR_CAMPAIGN_TABLES = 256, /* of all figures */
};

struct weir_campaign {          /* large: on the heap */
    struct weir_experiment exp; /* filled in by the caller; freed here */
    struct weir_plan plan;
    struct weir_scenario scn; /* of one point at a time */
    struct weir_setup setup;
    struct weir_store *store; /* NULL = not open */
    struct weir_sweep_dir dir;
    uint64_t wait_ps; /* at most, for another program that writes the result file; 60 s by weir_campaign_new() */
    struct weir_cells cells[WEIR_CAMPAIGN_TABLES]; /* cells_count, by weir_campaign_tables() */
    uint32_t cells_count;
    char out[WEIR_CAMPAIGN_PATH], report[WEIR_CAMPAIGN_PATH]; /* report "": there is to be none */
};

/* Makes an empty campaign; NULL = no memory, which was reported. */
struct weir_campaign *weir_campaign_new(void);
void weir_campaign_free(struct weir_campaign *c); /* NULL is harmless */

/* Reads a sweep into exp: an experiment without figures, whose file has a name of its own. @return 0, or a code with
 * err */
int weir_campaign_load(struct weir_campaign *c, const char *path, struct weir_err *err);

/**
 * Names the result file and the report.
 * @param out     NULL = STEM.db
 * @param report  NULL = as the result file, with .html
 * @return 0, or WEIR_E_RANGE with err: a name is too long
 */
int weir_campaign_name_files(struct weir_campaign *c, const char *stem, const char *out, const char *report,
                             struct weir_err *err);

/**
 * Lays out the points of exp, and resolves each: reads its scenario and builds what it describes. From then on signals
 * that end the command wait (reproduce/sweep_dir.h): weir_sweep_dir_signal() ends the resolving early, and the caller
 * asks for it again.
 * @return 0, or a code with err. Where a point is at fault its own refusal has been printed
 */
int weir_campaign_lay_out(struct weir_campaign *c, const struct weir_plan_request *request, struct weir_err *err);

/* Resolves a plan that the caller has laid out: its memory is that of exp. */
int weir_campaign_resolve(struct weir_campaign *c, struct weir_err *err);

/* Returns scn as a result file holds it, in the memory of exp. NULL = no memory */
const char *weir_campaign_dump(struct weir_campaign *c);

/* Tests whether a signal has come meanwhile. Returns WEIR_EXIT_DONE, or the exit status for it, unless freeing lets it
 * through, as it usually does. */
int weir_campaign_interrupted(const struct weir_campaign *c);

/**
 * Opens the result file, asks whether the report may go where it is to go, adopts the runs that the file has already,
 * and runs what is missing. Ends the temporary folder, so that signals work again.
 * @param args  fresh: the runs of these points that the file has are removed first
 * @return WEIR_EXIT_DONE, or the command's exit status, and what went wrong was printed: also if runs of these points
 *         are there that differ from what is asked for
 */
int weir_campaign_execute(struct weir_campaign *c, const struct weir_campaign_args *args,
                          struct weir_sweep_outcome *swept);

/* Returns how to wait for the result file, and what ends its queries: a signal (struct weir_store_caller). c is
 * lent. */
struct weir_wait weir_campaign_wait(const struct weir_campaign *c);

/* Fills the tables of the figures from the result file. @return 0, or a code with err */
int weir_campaign_tables(struct weir_campaign *c, struct weir_err *err);

/* Counts the points that are done. */
uint32_t weir_campaign_done(const struct weir_campaign *c);

/* Closes the result file, before the report: a process may not have the file open twice (store/store.h). */
void weir_campaign_close_store(struct weir_campaign *c);

/**
 * Makes the report of the runs that are done, by the command of that name, and names both files on stderr.
 * @param print  writes the text that the report begins with
 * @return WEIR_EXIT_DONE, also if no run is done or there is to be no report; WEIR_EXIT_FAILURE
 */
int weir_campaign_report(const struct weir_campaign *c, void (*print)(FILE *out, const void *ctx), const void *ctx);

/* Prints on stderr what did not go well, and returns the exit status (enum weir_exit): a signal counts more than a
 * failed run. */
int weir_campaign_status(const struct weir_sweep_outcome *swept, bool fresh);
#endif
