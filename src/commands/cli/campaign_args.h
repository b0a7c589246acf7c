/* src/commands/cli/campaign_args.h - options that all commands with a campaign (campaign.h) share. */
#ifndef WEIR_CLI_CAMPAIGN_ARGS_H
#define WEIR_CLI_CAMPAIGN_ARGS_H
#include "core/err.h"
#include "text/options.h"
#include <stdbool.h>
#include <stdint.h>

struct weir_campaign_args {   /* first field of a command's own struct */
    const char *out, *report; /* names of the result file and the report; NULL = not given */
    uint64_t wait_ps;         /* longest wait for another program that writes the result file */
    uint32_t jobs;            /* runs at a time; 0 = the number of processors */
    uint32_t keep_messages;   /* most messages that the result file keeps of each run; 0 = none are kept */
    bool json, fresh, help;
};

/* Rows for struct weir_options: --json, -o, --report, --fresh, --help and -h. */
extern const struct weir_option weir_campaign_options[];
/* Rows for struct weir_options: --wait. */
extern const struct weir_param weir_campaign_quantities[];

/* Rows for struct weir_options: --keep-messages. */
extern const struct weir_param weir_campaign_keep[];

/* Returns how many runs go on at a time. asked: `jobs` of struct weir_campaign_args */
uint32_t weir_campaign_jobs(uint32_t asked);

/* Reads the N of "--jobs N", 1 .. WEIR_JOBS_MAX; the apply() of a row. args: the command's struct. @return 0, or
 * WEIR_E_RANGE with err */
int weir_campaign_apply_jobs(void *args, const char *value, struct weir_err *err);
#endif
