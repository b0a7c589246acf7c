/* src/commands/cli/compare_plan.h - plans the runs of `weir compare`: the settings of each law, and a point for each
 * law and seed. */
#ifndef WEIR_CLI_COMPARE_PLAN_H
#define WEIR_CLI_COMPARE_PLAN_H
#include "cli/campaign.h"
#include "cli/compare_args.h"

/* Settings of one law. */
struct weir_compare_law {
    /* set_count settings, without the seed; a later one overrides an earlier one */
    struct weir_override set[WEIR_POINT_SETTINGS_MAX];
    uint32_t set_count;
    const char *preset;                   /* the preset in use; NULL = none */
    const struct weir_protocol *protocol; /* of a share the background */
    /* of a variant of the scenario: own_count settings, each with its position; none of them names the protocol */
    struct weir_override *own;
    uint32_t own_count;
};

/* The laws' settings, and the properties of the scenario file. */
struct weir_compare_plan {
    struct weir_compare_law law[WEIR_COMPARISON_LAWS_MAX]; /* law_count laws, in the order of the arguments */
    const char *scenario;                                  /* name of the scenario */
    const char *own_law;                                   /* the protocol of the file */
    /* every key of the file with the settings for all laws (config/dump.h) */
    const char *own_text;
    uint32_t shared_items; /* traffic items without a law of their own: bit i is item i */
    uint32_t deployed_law; /* with args->background: number of the deployed law in the run; the background is law 0 */
    uint64_t first_seed;
    uint64_t group_bytes[3]; /* edges of the size groups, the same for all laws: those of the file */
    struct weir_figure figure;
    char stem[WEIR_CAMPAIGN_PATH]; /* of the name of the result file */
};

/**
 * Reads the scenario, finds settings for each law with which it can run, and makes c->plan: ordered by law, then seed.
 * The settings of a law are, a later one overriding an earlier one:
 * - "protocol=LAW" unless LAW, or the protocol of the variant LAW, is the file's protocol;
 * - the recommendation of this protocol unless args->same_fabric;
 * - the settings in args->set for all laws; those that the file has for the variant LAW; those in args->set for LAW;
 * - the size groups of the file.
 *
 * With args->background the laws are shares: all get the background instead of LAW, and traffic[i].deploy, for items
 * without a law of their own; nothing is recommended but presets.
 *
 * If LAW is not of the file's protocol and no setting names a preset for it, it also gets a preset: its recommended
 * one, or with args->same_fabric its first one. If that preset conflicts with the scenario, LAW gets the first preset
 * with which it can run.
 * @param c  new; its experiment is filled in
 * @return 0, or a code with err; if a law cannot run, the error in its scenario was printed, and err names the law
 */
int weir_compare_plan_make(struct weir_compare_plan *p, struct weir_campaign *c, const struct weir_compare_args *args,
                           struct weir_err *err);
#endif
