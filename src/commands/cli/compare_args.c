/* src/commands/cli/compare_args.c - reads the options of `weir compare`: one row each. */
#include "cli/compare_args.h"
#include "param/number.h"
#include <stdio.h>
#include <string.h>

static int apply_seeds(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_compare_args *args = ctx;
    struct weir_number n;
    uint64_t seeds;
    if (weir_number_read(&n, value) != WEIR_NUMBER_OK || n.unit[0] != '\0' ||
        weir_number_scale(&n, 1, &seeds) != WEIR_NUMBER_OK || seeds < 1 || seeds > WEIR_COMPARISON_SEEDS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL,
                         "each law runs with so many seeds, from run.seed on; intervals need three",
                         "--seeds %.80s: must be a whole number, 1 to %u", value, WEIR_COMPARISON_SEEDS_MAX);
    args->seeds = (uint32_t)seeds;
    return 0;
}

/* Keeps the text of a setting. settle_setting() finds its law later, when all laws are known. */
static int apply_set(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_compare_args *args = ctx;
    const char *equals = strchr(value, '=');
    if (equals == NULL || equals == value)
        return weir_fail(err, WEIR_E_SYNTAX, NULL,
                         "for example --set run.seed=2, or of one law --set dctcp:protocol.g=0.08",
                         "--set %.80s: must be key=value or LAW:key=value", value);
    if (args->set_count == WEIR_COMPARE_SETTINGS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "write them into the scenario", "--set: more than %u",
                         WEIR_COMPARE_SETTINGS_MAX);
    args->set[args->set_count++] = (struct weir_comparison_given){ WEIR_COMPARISON_NONE, value };
    return 0;
}

#define FIELD(field) (uint32_t) offsetof(struct weir_compare_args, field)
_Static_assert(offsetof(struct weir_compare_args, common) == 0, "rows of campaign_args.c");

static const struct weir_option options[] = {
    { .name = "--protocols", .value = "names with commas between them", .offset = FIELD(protocols) },
    { .name = "--seeds", .value = "a number", .apply = apply_seeds },
    { .name = "--jobs", .value = "a number", .apply = weir_campaign_apply_jobs },
    { .name = "--set", .value = "key=value", .apply = apply_set },
    { .name = "--background", .value = "a protocol", .offset = FIELD(background) },
    { .name = "--share", .value = "percentages with commas between them, or 0..100", .offset = FIELD(share) },
    { .name = "--share-by", .value = "messages or hosts", .offset = FIELD(share_by) },
    { .name = "--baseline", .value = "a protocol", .offset = FIELD(baseline_name) },
    { .name = "--metrics", .value = "names with commas between them", .offset = FIELD(metrics) },
    { .name = "--same-fabric", .offset = FIELD(same_fabric) },
    { .name = "--list", .offset = FIELD(list) },
    { 0 },
};

static int take_file(void *ctx, const char *argument, struct weir_err *err)
{
    struct weir_compare_args *args = ctx;
    if (args->file != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL,
                         "weir compare takes one scenario; weir compare --help shows the options",
                         "%.80s: %.80s is the scenario already", argument, args->file);
    args->file = argument;
    return 0;
}

/* --- settings of laws --- */

static bool is_key(const char *text, const char *key)
{
    size_t length = strcspn(text, "= ");
    return strlen(key) == length && strncmp(text, key, length) == 0;
}

/* Splits "dctcp:protocol.g=0.08" into law and setting, and checks both. A key has no colon. @return 0, or a code with
 * err */
static int settle_setting(struct weir_compare_args *args, struct weir_comparison_given *set, struct weir_err *err)
{
    const char *equals = strchr(set->text, '='), *colon = memchr(set->text, ':', (size_t)(equals - set->text));
    if (colon != NULL) {
        if (args->background != NULL)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, "for example --set 'traffic[0].deploy.protocol.g=0.1'",
                             "--set %.80s: with --background settings are of both protocols", set->text);
        set->law = weir_compare_laws_find(&args->laws, set->text, (size_t)(colon - set->text));
        if (set->law == WEIR_COMPARISON_NONE)
            return weir_compare_laws_fail(&args->laws, "--set", set->text, (size_t)(colon - set->text), err);
        set->text = colon + 1;
    }
    if (is_key(set->text, "protocol") || is_key(set->text, "protocol.name"))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "--protocols names the laws", "--set %.80s: every law has its own",
                         set->text);
    if (set->law != WEIR_COMPARISON_NONE && !weir_variants_may_set(set->text))
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "without LAW: it counts for all of them",
                         "--set %s:%.80s: laws may differ in protocol, framing, host and fabric, and in nothing else",
                         args->laws.name[set->law], set->text);
    return 0;
}

/* --- shares of traffic --- */

/* Adds a share to args->laws and args->share_ppm. length: of the text, without a percent sign */
static int add_share(struct weir_compare_args *args, const char *text, size_t length, struct weir_err *err)
{
    char copy[WEIR_COMPARE_NAME], name[2 * WEIR_COMPARE_NAME];
    struct weir_number n;
    uint64_t ppm;
    length -= length > 0 && text[length - 1] == '%';
    (void)snprintf(copy, sizeof(copy), "%.*s", (int)length, text);
    if (length >= sizeof(copy) || weir_number_read(&n, copy) != WEIR_NUMBER_OK || n.unit[0] != '\0' ||
        weir_number_scale(&n, 10000, &ppm) != WEIR_NUMBER_OK || ppm > 1000000)
        return weir_fail(err, WEIR_E_RANGE, NULL, "for example --share 0,25,50,100, or 0..100 for seven shares",
                         "--share %.80s: a share must be 0 to 100 %%", args->share);
    (void)snprintf(name, sizeof(name), "%s %%", copy);
    for (uint32_t i = 0; i < args->laws.count; i++)
        if (args->share_ppm[i] == ppm)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, NULL, "--share: %s is there twice", name);
    if (args->laws.count == WEIR_COMPARISON_LAWS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "--share: more than %u shares", WEIR_COMPARISON_LAWS_MAX);
    args->share_ppm[args->laws.count] = (uint32_t)ppm;
    (void)snprintf(args->laws.name[args->laws.count++], WEIR_COMPARE_NAME, "%.31s", name);
    return 0;
}

static int read_shares(struct weir_compare_args *args, struct weir_err *err)
{
    static const char all[] = "0..100", seven[] = "0,10,25,50,75,90,100";
    const char *list = args->share == NULL || strcmp(args->share, all) == 0 ? seven : args->share;
    int code = 0;
    for (const char *at = list; code == 0; at++) {
        size_t length = strcspn(at, ",");
        code = add_share(args, at, length, err);
        at += length;
        if (*at == '\0')
            break;
    }
    return code;
}

/* Reads the laws and shares of a deployment curve: --background, --protocols, --share and --share-by. */
static int read_deployment(struct weir_compare_args *args, struct weir_err *err)
{
    static const char *const hint = "for example --background cubic --protocols sird --share 0..100";
    int code = weir_compare_laws_plain("--background", args->background, err);
    if (code == 0 && args->protocols == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, hint, "--background %.80s: which protocol is deployed beside it?",
                         args->background);
    if (code == 0 && strchr(args->protocols, ',') != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, hint, "--protocols %.80s: with --background it is one protocol",
                         args->protocols);
    if (code == 0)
        code = weir_compare_laws_plain("--protocols", args->protocols, err);
    if (code != 0)
        return code;
    args->deployed = args->protocols;
    if (strcmp(args->deployed, args->background) == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, hint, "--background %s: --protocols names the same one",
                         args->background);
    if (args->baseline_name != NULL || args->metrics != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "leave it out", "%s: not with --background",
                         args->metrics != NULL ? "--metrics" : "--baseline");
    args->share_by = args->share_by != NULL ? args->share_by : "messages";
    if (strcmp(args->share_by, "messages") != 0 && strcmp(args->share_by, "hosts") != 0)
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, NULL, "--share-by %.80s: must be messages or hosts",
                         args->share_by);
    args->same_fabric = true;
    return read_shares(args, err);
}

/* Reads the protocols that are compared, or the shares of one. */
static int read_compared(struct weir_compare_args *args, struct weir_err *err)
{
    const char *alone = args->share != NULL ? "--share" : args->share_by != NULL ? "--share-by" : NULL;
    if (args->background != NULL)
        return read_deployment(args, err);
    if (alone != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example --background cubic --protocols sird --share 0..100",
                         "%s: which protocol has the rest? --background names it", alone);
    return weir_compare_laws_read(&args->laws, args->protocols, err);
}

static int settle(struct weir_compare_args *args, struct weir_err *err)
{
    int code = read_compared(args, err);
    for (uint32_t i = 0; i < args->set_count && code == 0; i++)
        code = settle_setting(args, &args->set[i], err);
    if (code != 0 || args->baseline_name == NULL)
        return code;
    args->baseline = weir_compare_laws_find(&args->laws, args->baseline_name, strlen(args->baseline_name));
    return args->baseline != WEIR_COMPARISON_NONE
               ? 0
               : weir_compare_laws_fail(&args->laws, "--baseline", args->baseline_name, strlen(args->baseline_name),
                                        err);
}

int weir_compare_args_parse(struct weir_compare_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = {
        .command = "compare",
        .option = { options, weir_campaign_options },
        .param = { weir_campaign_keep, weir_campaign_quantities },
        .argument = take_file,
    };
    int code;
    *args = (struct weir_compare_args){ .seeds = 3, .baseline = WEIR_COMPARISON_NONE };
    code = weir_options_parse(&accepted, argc, argv, args, err);
    if (code != 0 || args->common.help)
        return code;
    if (args->file == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example weir compare FILE --protocols dctcp,sird",
                         "compare: which scenario?");
    return settle(args, err);
}
