/* src/commands/cli/args.h - reads the command line of `weir run` into a checked struct. */
#ifndef WEIR_CLI_ARGS_H
#define WEIR_CLI_ARGS_H
#include "config/scenario.h"
#include "text/progress.h" /* enum weir_progress_when */
#include <stdbool.h>

enum weir_run_file { /* files that a run may write besides the result file */
                     WEIR_RUN_MESSAGES,
                     WEIR_RUN_PAUSES,
                     WEIR_RUN_FCT,
                     WEIR_RUN_LINKS,
                     WEIR_RUN_PCAP,
                     WEIR_RUN_TRACE,
                     WEIR_RUN_FILES
};

struct weir_run_args {
    const char *file;               /* the scenario file; NULL only if help is set */
    const char *to[WEIR_RUN_FILES]; /* names of the files, by enum weir_run_file; NULL = the file is not written */
    const char **tap;               /* values of --pcap-at, tap_count texts as given; owned array */
    uint32_t tap_count;
    uint64_t cap_bytes;         /* most bytes of the capture, and of the trace */
    const char *timeline;       /* file of changes; NULL = none */
    const char *write_timeline; /* file for those of --live; NULL = none */
    uint32_t live_port;         /* with live: 0 = any that is free */
    const char *output;         /* the result file; NULL = none. label, sweep and wait_ps apply to this file */
    const char *label;          /* NULL = not given */
    const char *sweep;          /* "EXPERIMENT/FIGURE/POINT", no part empty; NULL = the run is not part of a sweep */
    uint64_t series_ps;         /* time between points of series in the result file or the trace; 0 = not given */
    uint64_t wait_ps;           /* longest wait for another program that writes the result file */
    struct weir_override *set;  /* set_count overrides, in the order given; owned */
    uint32_t set_count;
    uint32_t threads;       /* of each process, 1 .. WEIR_THREADS_MAX */
    uint32_t ranks;         /* processes, 1 .. WEIR_SIM_RANKS_MAX */
    uint32_t keep_messages; /* most messages that the result file keeps; 0 = not given */
    uint32_t progress;      /* enum weir_progress_when */
    bool json, check, general, help, no_messages, find_length, profile, live;
};

/**
 * Reads argv[1] to argv[argc - 1]. Options that stand for a scenario key (--seed, --sample) become overrides, so that
 * the scenario's parser checks them.
 * @param argv  must stay valid as long as args is used
 * @return 0, and weir_run_args_free() must follow; or a code with err, and args needs no free
 */
int weir_run_args_parse(struct weir_run_args *args, int argc, char **argv, struct weir_err *err);
/* Frees what weir_run_args_parse() allocated, and sets *args to zeros. */
void weir_run_args_free(struct weir_run_args *args);
#endif
