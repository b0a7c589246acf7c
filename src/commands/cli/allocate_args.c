/* src/commands/cli/allocate_args.c - reads the options of `weir allocate`: one row each. */
#include "cli/allocate_args.h"
#include "cli/setting.h"
#include "solve/allocator.h"
#include "text/options.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WITHIN_PARTS UINT64_C(1000000000000) /* of 1, in which --within is read */

static int apply_set(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_allocate_args *args = ctx;
    int code = weir_setting_check(value, "for example --set topology.k=16", err);
    if (code == 0)
        args->set[args->set_count++].text = value;
    return code;
}

/* Adds the seed as an override, so that the scenario's parser checks it. */
static int apply_seed(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_allocate_args *args = ctx;
    int length = snprintf(args->seed, sizeof(args->seed), "run.seed=%s", value);
    if (value[0] < '0' || value[0] > '9' || length >= (int)sizeof(args->seed))
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "the same seed gives the same flows and paths",
                         "--seed %.80s: must be a whole number, 0 to 18446744073709551615", value);
    args->set[args->set_count++].text = args->seed;
    return 0;
}

/* Reads --within, which may have an exponent. */
static int apply_within(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_allocate_args *args = ctx;
    const struct weir_field field = { .text = value, .length = (uint32_t)strlen(value), .col = 1 };
    uint64_t parts;
    args->within = weir_text_scaled(&field, WITHIN_PARTS, &parts) == WEIR_TEXT_OK ? (double)parts / WITHIN_PARTS : 0;
    if (args->within >= WEIR_INCREMENTAL_WITHIN_MIN && args->within <= WEIR_INCREMENTAL_WITHIN_MAX)
        return 0;
    return weir_fail(err, WEIR_E_RANGE, NULL, "a part of a rate, for example 1e-4", "--within %.80s: must be %g to %g",
                     value, WEIR_INCREMENTAL_WITHIN_MIN, WEIR_INCREMENTAL_WITHIN_MAX);
}

#define FIELD(field) (uint32_t) offsetof(struct weir_allocate_args, field)

static const struct weir_option options[] = {
    { .name = "--set", .value = "key=value", .apply = apply_set },
    { .name = "--seed", .value = "a number", .apply = apply_seed },
    { .name = "--soze", .offset = FIELD(soze) },
    { .name = "--csv", .value = "the name of a file", .offset = FIELD(csv) },
    { .name = "--changes", .value = "the name of a file", .offset = FIELD(changes) },
    { .name = "--within", .value = "a part of a rate", .apply = apply_within },
    { .name = "--json", .offset = FIELD(json) },
    { .name = "--timing", .offset = FIELD(timing) },
    { .name = "--help", .offset = FIELD(help), .last = true },
    { .name = "-h", .offset = FIELD(help), .last = true },
    { 0 },
};

static const char *const capacities[] = { [WEIR_CAPACITY_PAYLOAD] = "payload", [WEIR_CAPACITY_WIRE] = "wire", NULL };
#define CAPACITY_NOT_GIVEN UINT32_MAX /* payload; with --soze wire */
static const char *const acks[] = { "left-out", "counted", NULL };

static const struct weir_param quantities[] = {
    WEIR_PARAM_NAMED("--flows", struct weir_allocate_args, options.flows, WEIR_KIND_U32, 1, WEIR_ALLOCATE_FLOWS_MAX, 0,
                     "random pairs of hosts with random weights, instead of the scenario's flows"),
    WEIR_PARAM_NAMED("--at", struct weir_allocate_args, options.at_ps, WEIR_KIND_TIME, 0, 100000 * WEIR_PS_PER_S,
                     WEIR_NEVER, "only flows that have started by then; without it all of them at once"),
    WEIR_PARAM_CHOICE("--capacity", struct weir_allocate_args, options.capacity, capacities, CAPACITY_NOT_GIVEN,
                      "what a link has to share: the payload of full packets, or all its bits"),
    WEIR_PARAM_CHOICE("--acks", struct weir_allocate_args, options.acks, acks, WEIR_ACKS_LEFT_OUT,
                      "what acknowledgements take of the links on their way back"),
    { 0 },
};

static int take_file(void *ctx, const char *argument, struct weir_err *err)
{
    struct weir_allocate_args *args = ctx;
    if (args->options.file != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL,
                         "weir allocate takes one scenario; weir allocate --help shows the options",
                         "%s: %s is the scenario already", argument, args->options.file);
    args->options.file = argument;
    return 0;
}

static int args_check(const struct weir_allocate_args *args, struct weir_err *err)
{
    if (args->options.file == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir allocate FILE; weir allocate --help shows the options",
                         "allocate: which scenario?");
    if (args->options.flows != 0 && args->options.at_ps != WEIR_NEVER)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "random flows are all active at once",
                         "--at: is for the scenario's own flows, and --flows draws others");
    if (args->soze && (args->csv != NULL || args->json || args->timing))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "the constants are YAML, on standard output",
                         "--soze: prints constants and no rates, so there is nothing for %s",
                         args->csv != NULL ? "--csv"
                         : args->json      ? "--json"
                                           : "--timing");
    if (args->soze && args->changes != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "the constants are of the scenario's own instants",
                         "--changes: is for rates, and --soze prints constants");
    if (args->within > 0 && args->changes == NULL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "without changes all rates are solved for",
                         "--within: is for --changes");
    if (args->soze && args->options.capacity != WEIR_CAPACITY_WIRE)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "alpha and beta are rates on the wire",
                         "--soze: takes no --capacity but wire");
    return 0;
}

int weir_allocate_args_parse(struct weir_allocate_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = {
        .command = "allocate", .option = { options }, .param = { quantities }, .argument = take_file
    };
    int code;
    *args = (struct weir_allocate_args){ .set = calloc((size_t)argc, sizeof(*args->set)) };
    if (args->set == NULL)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the command line");
    code = weir_options_parse(&accepted, argc, argv, args, err);
    if (args->options.capacity == CAPACITY_NOT_GIVEN)
        args->options.capacity = args->soze ? WEIR_CAPACITY_WIRE : WEIR_CAPACITY_PAYLOAD;
    if (code == 0 && !args->help)
        code = args_check(args, err);
    if (args->within <= 0)
        args->within = WEIR_CHANGE_WITHIN;
    if (code != 0)
        weir_allocate_args_free(args);
    return code;
}

void weir_allocate_args_free(struct weir_allocate_args *args)
{
    free(args->set);
    *args = (struct weir_allocate_args){ 0 };
}
