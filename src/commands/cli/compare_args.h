/* src/commands/cli/compare_args.h - reads the command line of `weir compare` into a checked struct. */
#ifndef WEIR_CLI_COMPARE_ARGS_H
#define WEIR_CLI_COMPARE_ARGS_H
#include "cli/campaign_args.h"
#include "cli/compare_laws.h"

#define WEIR_COMPARE_SETTINGS_MAX 512u /* more than there are keys in the four sections of a law */

struct weir_compare_args {
    struct weir_campaign_args common;
    const char *file;               /* the scenario file; NULL only if common.help is set */
    struct weir_compare_names laws; /* at least two, or shares */
    struct weir_comparison_given set[WEIR_COMPARE_SETTINGS_MAX];
    uint32_t set_count;
    uint32_t seeds;    /* 1 .. WEIR_COMPARISON_SEEDS_MAX; 3 by default */
    uint32_t baseline; /* index into laws; WEIR_COMPARISON_NONE = not given */
    bool same_fabric, list;
    /* With --background laws are shares of traffic, as "25 %", of which `deployed` has share_ppm and the background
     * the rest; background NULL = not given */
    const char *background, *deployed, *share, *share_by;
    uint32_t share_ppm[WEIR_COMPARISON_LAWS_MAX];
    const char *protocols, *baseline_name; /* --protocols and --baseline as given */
    const char *metrics;                   /* --metrics: names of metrics, separated by commas; NULL = the usual ones */
};

/* Reads argv[1] to argv[argc - 1], which must stay valid as long as args is used. @return 0, or a code with err */
int weir_compare_args_parse(struct weir_compare_args *args, int argc, char **argv, struct weir_err *err);
#endif
