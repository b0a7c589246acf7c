/* src/commands/cli/reproduce_args.h - reads the command line of `weir reproduce` into a checked struct. */
#ifndef WEIR_CLI_REPRODUCE_ARGS_H
#define WEIR_CLI_REPRODUCE_ARGS_H
#include "cli/campaign_args.h"

#define WEIR_REPRODUCE_NAMES_MAX 32u
#define WEIR_SCALE_MIN_PPM 1000u
#define WEIR_SCALE_MAX_PPM 10000000u

struct weir_reproduce_args {
    struct weir_campaign_args common;
    const char *paper; /* name of the paper, or a folder; NULL only if common.help is set */
    const char *figure[WEIR_REPRODUCE_NAMES_MAX], *protocol[WEIR_REPRODUCE_NAMES_MAX];
    uint32_t figure_count, protocol_count;
    uint64_t scale_ppm;   /* --scale in millionths; 200000 by default */
    uint64_t measure_ppm; /* --measure-scale likewise; 0 = as scale_ppm */
    bool check;
};

/* Reads argv[1] to argv[argc - 1], which must stay valid as long as args is used. @return 0, or a code with err */
int weir_reproduce_args_parse(struct weir_reproduce_args *args, int argc, char **argv, struct weir_err *err);
#endif
