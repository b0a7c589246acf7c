/* src/commands/cli/tune_args.c - reads the options of `weir tune`: one row each. */
#include "cli/tune_args.h"
#include "cli/setting.h"
#include <string.h>

#define EXAMPLE "for example weir tune FILE --key protocol.g=0.01..0.5 --for slowdown.all.p99"

static int apply_seeds(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_tune_args *args = ctx;
    uint64_t seeds;
    if (!weir_setting_whole(value, &seeds) || seeds < 1 || seeds > WEIR_COMPARISON_SEEDS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL,
                         "each value runs with so many seeds, from run.seed on; intervals need three",
                         "--seeds %.80s: must be a whole number, 1 to %u", value, WEIR_COMPARISON_SEEDS_MAX);
    args->seeds = (uint32_t)seeds;
    return 0;
}

static int apply_key(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_tune_args *args = ctx;
    size_t length = strcspn(value, "=");
    for (uint32_t i = 0; i < args->key_count; i++)
        if (strncmp(args->key[i], value, length + 1) == 0)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "--key %.80s: the key is there twice", value);
    if (args->key_count == WEIR_TUNING_KEYS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "the more keys, the more runs: fix one by --set key=value",
                         "--key %.80s: more than %u keys", value, WEIR_TUNING_KEYS_MAX);
    args->key[args->key_count++] = value;
    return 0;
}

static int apply_set(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_tune_args *args = ctx;
    int code = weir_setting_check(value, "for example --set run.seed=2", err);
    if (code != 0)
        return code;
    if (args->set_count == WEIR_TUNE_SETTINGS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "write them into the scenario", "--set: more than %u",
                         WEIR_TUNE_SETTINGS_MAX);
    args->set[args->set_count++] = (struct weir_override){ .text = value };
    return 0;
}

#define FIELD(field) (uint32_t) offsetof(struct weir_tune_args, field)
_Static_assert(offsetof(struct weir_tune_args, common) == 0, "rows of campaign_args.c");

static const struct weir_option options[] = {
    { .name = "--key", .value = "a range, as protocol.g=0.01..0.5", .apply = apply_key },
    { .name = "--for", .value = "the name of a number", .offset = FIELD(metric) },
    { .name = "--seeds", .value = "a number", .apply = apply_seeds },
    { .name = "--jobs", .value = "a number", .apply = weir_campaign_apply_jobs },
    { .name = "--set", .value = "key=value", .apply = apply_set },
    { 0 },
};

static int take_file(void *ctx, const char *argument, struct weir_err *err)
{
    struct weir_tune_args *args = ctx;
    if (args->file != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, EXAMPLE, "tune: one scenario, not %.80s, too", argument);
    args->file = argument;
    return 0;
}

int weir_tune_args_parse(struct weir_tune_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = {
        .command = "tune",
        .option = { options, weir_campaign_options },
        .param = { NULL, weir_campaign_quantities },
        .argument = take_file,
    };
    int code;
    *args = (struct weir_tune_args){ .seeds = 5 };
    code = weir_options_parse(&accepted, argc, argv, args, err);
    if (code != 0 || args->common.help)
        return code;
    if (args->file == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, EXAMPLE, "tune: which scenario?");
    if (args->key_count == 0)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, EXAMPLE, "tune: which key? --key names it with its range");
    if (args->metric == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, EXAMPLE, "tune: for which number? --for names it");
    return 0;
}
