/* src/commands/cli/campaign_args.h - options that every command has which runs a campaign (campaign.h). */
#ifndef WEIR_CLI_CAMPAIGN_ARGS_H
#define WEIR_CLI_CAMPAIGN_ARGS_H
#include "core/err.h"
#include "text/options.h"
#include <stdbool.h>
#include <stdint.h>

struct weir_campaign_args {   /* the first field of a command's struct */
    const char *out, *report; /* NULL = named after the scenario, sweep or paper; after out */
    uint64_t wait_ps;         /* at most, for another program that writes the result file */
    uint32_t jobs;            /* 0 = as many as there are processors */
    bool json, fresh, help;
};

/* Rows of struct weir_options. The first has --json, -o, --report, --fresh, --help; the second --wait. */
extern const struct weir_option weir_campaign_options[];
extern const struct weir_param weir_campaign_quantities[];

/* Reads the N of "--jobs N": apply() of a row. args: the command's struct */
int weir_campaign_apply_jobs(void *args, const char *value, struct weir_err *err);
#endif
