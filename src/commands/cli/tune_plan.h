/* src/commands/cli/tune_plan.h - plans the runs of `weir tune`: reads the scenario and the keys, and adds the points of
 * each value that the search asks for. */
#ifndef WEIR_CLI_TUNE_PLAN_H
#define WEIR_CLI_TUNE_PLAN_H
#include "cli/campaign.h"
#include "cli/tune_args.h"

struct weir_tune_plan {
    const struct weir_tune_args *args;
    struct weir_campaign *c;
    struct weir_tuning *tuning;
    struct weir_figure figure;
    char stem[WEIR_CAMPAIGN_PATH]; /* of the name of the result file */
};

/* Reads the scenario and the keys, chooses the number, and makes an empty plan. c is new; its experiment is filled in.
 * @return 0, or a code with err */
int weir_tune_plan_make(struct weir_tune_plan *p, struct weir_err *err);

/**
 * Adds a trial with these values to the tuning, and a point for each seed to the plan.
 * @return 0, or WEIR_E_MEMORY with err
 */
int weir_tune_plan_add(struct weir_tune_plan *p, const uint64_t at[WEIR_TUNING_KEYS_MAX], struct weir_err *err);
#endif
