/* src/commands/cli/run_files.h - the files that a run writes besides the result file: which there are, what refuses
 * them, and what of the run goes into which. Each is whole or not there. One that cannot be written, on a full disk,
 * ends neither the run nor the others. */
#ifndef WEIR_CLI_RUN_FILES_H
#define WEIR_CLI_RUN_FILES_H
#include "cli/args.h"
#include "output/fct.h"
#include "output/pause_trace.h"
#include "output/pcapng.h"
#include "output/trace_json.h"
#include "setup/setup.h"
#include "text/outfile.h"

struct weir_run_files { /* zeros = no file */
    const struct weir_setup *setup;
    struct weir_outfile out[WEIR_RUN_FILES];
    struct weir_pause_trace pauses;
    struct weir_fct fct;
    struct weir_pcapng pcap;
    uint8_t *tap; /* where packets are captured; owned */
    struct weir_trace trace;
    bool lost[WEIR_RUN_FILES];           /* a write failed: nothing more goes there */
    struct weir_err why[WEIR_RUN_FILES]; /* after _commit(): why the file is not in its place; code 0 = it is */
};

/**
 * Opens all that args names, and writes what stands at their beginnings.
 * @param keep   files that none of them may be
 * @param setup  lent until weir_run_files_abandon() or _commit()
 * @return 0, or a code with err; then nothing is left of them
 */
int weir_run_files_open(struct weir_run_files *files, const struct weir_run_args *args, const struct weir_setup *setup,
                        const struct weir_outfile_keep *keep, struct weir_err *err);

/* Sets what the files need of the run. rows and snapshots have other takers too: those are called by the caller, see
 * below. */
void weir_run_files_options(struct weir_run_files *files, struct weir_sim_options *options);
bool weir_run_files_take_rows(const struct weir_run_files *files);
bool weir_run_files_take_snapshots(const struct weir_run_files *files);

/* Writes messages, or a snapshot, into the files that have them; as weir_sim_options.rows and .snapshot. */
int weir_run_files_rows(struct weir_run_files *files, const struct weir_account_row *row, size_t count);
int weir_run_files_snapshot(struct weir_run_files *files, const struct weir_snapshot *snapshot);

/* Writes what is known at a run's end, and puts each file into its place. What a cap ended is reported on stderr.
 * @return 0, or WEIR_E_MEMORY with err; files that could not be written are known to weir_run_files_complain() */
int weir_run_files_commit(struct weir_run_files *files, const struct weir_result *result, struct weir_err *err);

/* Prints on stderr why files are not in their places, after weir_run_files_commit(). @return true if there is one */
bool weir_run_files_complain(const struct weir_run_files *files);

/* Removes what is not in its place, and frees all. Harmless on zeros. */
void weir_run_files_abandon(struct weir_run_files *files);
#endif
