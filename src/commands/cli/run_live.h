/* src/commands/cli/run_live.h - runs of `weir run` that change while they go on: by a timeline, or by a page. */
#ifndef WEIR_CLI_RUN_LIVE_H
#define WEIR_CLI_RUN_LIVE_H
#include "cli/args.h"
#include "output/record.h"
#include "watch/watch.h"

/* Opens the page of --live and announces what it may change; nothing without --live. setup: of scn; set up anew.
 * @return 0, or a code with err: then both may be freed, but are empty */
int weir_cli_live_begin(struct weir_watch **live, const struct weir_run_args *args, struct weir_scenario *scn,
                        struct weir_setup *setup, struct weir_err *err);

/* Runs a scenario with a page, if live is not NULL, or with a timeline, which may be empty. Otherwise as
 * weir_sim_run(). */
int weir_cli_run_changed(struct weir_watch *live, const struct weir_timeline *timeline, struct weir_setup *setup,
                         const struct weir_sim_options *options, struct weir_result *result, struct weir_err *err);

/* Records how a run ended, as weir_record_finish(), and what changed it while it went on. */
int weir_cli_record_end(struct weir_record *rec, const struct weir_watch *live, const struct weir_timeline *timeline,
                        const char *status, const struct weir_report *report, struct weir_err *err);
#endif
