/* src/commands/cli/run_files.h - the files that a run writes besides the result file: opens them, passes them the data
 * of the run, and puts them into place. A file is complete or does not appear. If a file cannot be written, as on a
 * full disk, the run and the other files go on. */
#ifndef WEIR_CLI_RUN_FILES_H
#define WEIR_CLI_RUN_FILES_H
#include "cli/args.h"
#include "output/fct.h"
#include "output/messages_csv.h"
#include "output/packet_digest.h"
#include "output/pause_trace.h"
#include "output/pcapng.h"
#include "output/trace_json.h"
#include "setup/setup.h"
#include "text/outfile.h"

struct weir_run_files { /* zeros = no files */
    const struct weir_setup *setup;
    struct weir_outfile out[WEIR_RUN_FILES];
    struct weir_messages_csv messages;
    struct weir_pause_trace pauses;
    struct weir_fct fct;
    struct weir_pcapng pcap;
    uint8_t *tap; /* bits of enum weir_tap for each link: where packets are captured; owned */
    struct weir_trace trace;
    struct weir_packet_digest digest; /* of --digest-until, which prints and is no file; kept is NULL without it */
    bool lost[WEIR_RUN_FILES];        /* a write to the file failed: nothing more is written to it */
    /* set by weir_run_files_commit(): why a file is not in place; code 0 = it is */
    struct weir_err why[WEIR_RUN_FILES];
};

/**
 * Opens the files that args names, and writes their headers.
 * @param setup  must stay valid until weir_run_files_abandon() or weir_run_files_commit()
 * @param keep   files that must not be overwritten
 * @return 0, or a code with err; then no file is left open
 */
int weir_run_files_open(struct weir_run_files *files, const struct weir_run_args *args, const struct weir_setup *setup,
                        const struct weir_outfile_keep *keep, struct weir_err *err);

/* Sets the options of the simulation that the files need, except rows and snapshot. The caller sets these two, because
 * others need the same data, and calls the functions below from its own callbacks. */
void weir_run_files_options(struct weir_run_files *files, struct weir_sim_options *options);
/* Tests whether a file needs weir_run_files_rows(). */
bool weir_run_files_take_rows(const struct weir_run_files *files);
/* Tests whether a file needs weir_run_files_snapshot(). */
bool weir_run_files_take_snapshots(const struct weir_run_files *files);

/* Writes delivered messages to the files that need them; called as weir_sim_options.rows is. @return 0, also if a write
 * failed; WEIR_E_MEMORY */
int weir_run_files_rows(struct weir_run_files *files, const struct weir_account_row *row, size_t count);
/* Writes a snapshot to the files that need it; called as weir_sim_options.snapshot is. @return as
 * weir_run_files_rows() */
int weir_run_files_snapshot(struct weir_run_files *files, const struct weir_snapshot *snapshot);

/* Writes the data that is known at the end of a run, and puts each file into its place. Reports on stderr how much a
 * file's cap left out. @return 0, or WEIR_E_MEMORY with err. Files that could not be written are no error here:
 * weir_run_files_complain() reports them */
int weir_run_files_commit(struct weir_run_files *files, const struct weir_result *result, struct weir_err *err);

/* Prints on stderr the files that are not in place and why; called after weir_run_files_commit(). @return true if there
 * are any */
bool weir_run_files_complain(const struct weir_run_files *files);

/* Removes the files that are not in place, and frees all memory. Does nothing if *files is zeros. */
void weir_run_files_abandon(struct weir_run_files *files);
#endif
