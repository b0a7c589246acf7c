/* src/commands/cli/args.h - the command line of `weir run` as a checked struct. */
#ifndef WEIR_CLI_ARGS_H
#define WEIR_CLI_ARGS_H
#include "config/scenario.h"
#include "text/progress.h" /* enum weir_progress_when */
#include <stdbool.h>

enum weir_run_file { /* what a run may write besides the result file */
                     WEIR_RUN_MESSAGES,
                     WEIR_RUN_PAUSES,
                     WEIR_RUN_FCT,
                     WEIR_RUN_LINKS,
                     WEIR_RUN_PCAP,
                     WEIR_RUN_TRACE,
                     WEIR_RUN_FILES
};

struct weir_run_args {
    const char *file;               /* the scenario; NULL only if help is set */
    const char *to[WEIR_RUN_FILES]; /* where each goes; NULL = nowhere */
    const char **tap;               /* where packets are captured, tap_count texts as given; owned */
    uint32_t tap_count;
    uint64_t cap_bytes;        /* of the capture, and of the trace */
    const char *output;        /* the result file; NULL = none. What follows is for it */
    const char *label;         /* NULL = not given */
    const char *sweep;         /* "EXPERIMENT/FIGURE/POINT", none of them empty; NULL = the run is of no sweep */
    uint64_t series_ps;        /* between points of a series; 0 = not given */
    uint64_t wait_ps;          /* at most, for another program that writes the result file */
    struct weir_override *set; /* set_count, in the order given; owned */
    uint32_t set_count;
    uint32_t threads;  /* 1 .. WEIR_THREADS_MAX */
    uint32_t progress; /* enum weir_progress_when */
    bool json, check, general, help, no_messages;
};

/**
 * Reads argv[1 ..]. What names a scenario key (--seed, --sample) becomes an override, so that one parser checks it.
 * @param argv  lent for as long as args is used
 * @return 0, or a code with err; args then needs no free
 */
int weir_run_args_parse(struct weir_run_args *args, int argc, char **argv, struct weir_err *err);
void weir_run_args_free(struct weir_run_args *args);
#endif
