/* src/commands/cli/tune_args.h - reads the command line of `weir tune` into a checked struct. */
#ifndef WEIR_CLI_TUNE_ARGS_H
#define WEIR_CLI_TUNE_ARGS_H
#include "cli/campaign_args.h"
#include "config/scenario.h"
#include "reproduce/tuning.h"

#define WEIR_TUNE_SETTINGS_MAX 24u

struct weir_tune_args {
    struct weir_campaign_args common;
    const char *file;                                 /* the scenario file; NULL only if common.help is set */
    const char *key[WEIR_TUNING_KEYS_MAX];            /* key_count texts "protocol.g=0.01..0.5" */
    const char *metric;                               /* --for */
    struct weir_override set[WEIR_TUNE_SETTINGS_MAX]; /* set_count settings of all runs */
    uint32_t key_count, set_count;
    uint32_t seeds; /* 1 .. WEIR_COMPARISON_SEEDS_MAX; 5 by default */
};

/* Reads argv[1] to argv[argc - 1], which must stay valid as long as args is used. @return 0, or a code with err */
int weir_tune_args_parse(struct weir_tune_args *args, int argc, char **argv, struct weir_err *err);
#endif
