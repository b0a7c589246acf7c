/* src/commands/cli/compare_plan.h - the runs of `weir compare`: of each law its settings, in the order in which they
 * count, and a point for each of its seeds. */
#ifndef WEIR_CLI_COMPARE_PLAN_H
#define WEIR_CLI_COMPARE_PLAN_H
#include "cli/campaign.h"
#include "cli/compare_args.h"

struct weir_compare_law {
    struct weir_override set[WEIR_POINT_SETTINGS_MAX]; /* set_count of them, without the seed */
    uint32_t set_count;
    const char *preset; /* NULL = it has none */
};

struct weir_compare_plan {
    struct weir_compare_law law[WEIR_COMPARISON_LAWS_MAX]; /* as in the arguments */
    const char *scenario;                                  /* its name */
    const char *own_law;                                   /* that of the file */
    const char *own_text;                                  /* the file as it is, every key (config/dump.h) */
    uint64_t first_seed;
    uint64_t group_bytes[3]; /* edges of the size groups, the same for all laws: those of the file as it is */
    struct weir_figure figure;
    char stem[WEIR_CAMPAIGN_PATH]; /* of the result file's name */
};

/**
 * Reads the scenario, finds for each law settings with which it can run, and lays out c->plan: law by law, seed by
 * seed. A law's settings, the later over the earlier: "protocol=LAW" unless it is the file's own; what it recommends,
 * unless args->same_fabric; args->set. Of a law that is not the file's own the first preset counts that fits the
 * network, unless one is set.
 * @param c  new; its experiment is filled in
 * @return 0, or a code with err; a refusal of a law's scenario has been printed
 */
int weir_compare_plan_make(struct weir_compare_plan *p, struct weir_campaign *c, const struct weir_compare_args *args,
                           struct weir_err *err);
#endif
