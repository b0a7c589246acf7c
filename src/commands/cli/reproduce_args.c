/* src/commands/cli/reproduce_args.c - reads the options of `weir reproduce`: one row each. */
#include "cli/reproduce_args.h"
#include "param/number.h"

static int read_scale(const char *option, const char *value, uint64_t *ppm, struct weir_err *err)
{
    struct weir_number n;
    if (weir_number_read(&n, value) != WEIR_NUMBER_OK || n.unit[0] != '\0' ||
        weir_number_scale(&n, 1000000, ppm) != WEIR_NUMBER_OK || *ppm < WEIR_SCALE_MIN_PPM || *ppm > WEIR_SCALE_MAX_PPM)
        return weir_fail(err, WEIR_E_RANGE, NULL,
                         "1 is the published length; peaks of shorter measured parts do not compare",
                         "%s %.80s: must be a number, 0.001 to 10", option, value);
    return 0;
}

static int apply_scale(void *ctx, const char *value, struct weir_err *err)
{
    return read_scale("--scale", value, &((struct weir_reproduce_args *)ctx)->scale_ppm, err);
}

static int apply_measure_scale(void *ctx, const char *value, struct weir_err *err)
{
    return read_scale("--measure-scale", value, &((struct weir_reproduce_args *)ctx)->measure_ppm, err);
}

static int apply_protocol(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_reproduce_args *args = ctx;
    if (args->protocol_count == WEIR_REPRODUCE_NAMES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "--protocol: more than %u", WEIR_REPRODUCE_NAMES_MAX);
    args->protocol[args->protocol_count++] = value;
    return 0;
}

#define FIELD(field) (uint32_t) offsetof(struct weir_reproduce_args, field)
_Static_assert(offsetof(struct weir_reproduce_args, common) == 0, "rows of campaign_args.c");

static const struct weir_option options[] = {
    { .name = "--scale", .value = "a number", .apply = apply_scale },
    { .name = "--measure-scale", .value = "a number", .apply = apply_measure_scale },
    { .name = "--jobs", .value = "a number", .apply = weir_campaign_apply_jobs },
    { .name = "--protocol", .value = "a protocol", .apply = apply_protocol },
    { .name = "--check", .offset = FIELD(check) },
    { 0 },
};

static int take_argument(void *ctx, const char *argument, struct weir_err *err)
{
    struct weir_reproduce_args *args = ctx;
    if (args->paper == NULL) {
        args->paper = argument;
        return 0;
    }
    if (args->figure_count == WEIR_REPRODUCE_NAMES_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "more than %u figures", WEIR_REPRODUCE_NAMES_MAX);
    args->figure[args->figure_count++] = argument;
    return 0;
}

int weir_reproduce_args_parse(struct weir_reproduce_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = {
        .command = "reproduce",
        .option = { options, weir_campaign_options },
        .param = { NULL, weir_campaign_quantities },
        .argument = take_argument,
    };
    int code;
    *args = (struct weir_reproduce_args){ .scale_ppm = 200000 };
    code = weir_options_parse(&accepted, argc, argv, args, err);
    if (code == 0 && args->paper == NULL && !args->common.help)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example weir reproduce sird; weir reproduce --help says more",
                         "reproduce: which paper?");
    return code;
}
