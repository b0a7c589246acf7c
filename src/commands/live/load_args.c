/* src/commands/live/load_args.c - the command line of `weir load`. */
#include "live/load.h"
#include "core/units.h"
#include "param/number.h"
#include <stdio.h>
#include <string.h>

#define DURATION_MAX_PS (18000 * WEIR_PS_PER_S) /* as in a scenario's traffic */
#define FIELD(field) (uint32_t) offsetof(struct weir_load_args, field)
#define QUANTITY(key, field, kind, lo, hi, def, text)                                                                  \
    WEIR_PARAM_NAMED(key, struct weir_load_args, field, kind, lo, hi, def, text)

/* Parses the value of --load: a fraction of the link's rate in per cent, or a rate. @return 0, or a code with err */
static int apply_load(void *ctx, const char *value, struct weir_err *err)
{
    struct weir_load_args *args = ctx;
    const struct weir_unit *unit;
    struct weir_number n;
    uint64_t number;
    if (weir_number_read(&n, value) == WEIR_NUMBER_OK) {
        unit = weir_unit_find(n.unit);
        if (strcmp(n.unit, "%") == 0 && weir_number_scale(&n, 10000, &number) == WEIR_NUMBER_OK && number > 0 &&
            number < 1000000) {
            args->load_ppm = (uint32_t)number;
            args->load_bps = 0;
            return 0;
        }
        if (unit != NULL && unit->kind == WEIR_UNIT_RATE &&
            weir_number_scale(&n, unit->scale, &args->load_bps) == WEIR_NUMBER_OK && args->load_bps > 0) {
            args->load_ppm = 0;
            return 0;
        }
    }
    return weir_fail(err, WEIR_E_RANGE, NULL, "payload of this host, for example 50% of --rate, or 2 Gbps",
                     "--load %.80s: must be above 0 and below 100 %%, or a rate", value);
}

static int take_peer(void *ctx, const char *argument, struct weir_err *err)
{
    struct weir_load_args *args = ctx;
    if (args->peer_count == WEIR_LOAD_PEERS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "more than %u servers", WEIR_LOAD_PEERS_MAX);
    args->peer[args->peer_count++] = argument;
    return 0;
}

static const struct weir_option load_options[] = {
    { .name = "--sizes", .value = "a distribution, FILE.csv or a size", .offset = FIELD(sizes) },
    { .name = "--load", .value = "a fraction or a rate", .apply = apply_load },
    { 0 },
};

static const struct weir_param load_params[] = {
    QUANTITY("--outstanding", outstanding, WEIR_KIND_U32, 1, WEIR_LIVE_OPS_MAX, 0,
             "closed loop: so many messages are under way to each server"),
    QUANTITY("--incast", period_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, DURATION_MAX_PS, 0,
             "a message to every server each time this has passed by the clock of the day"),
    QUANTITY("--duration", duration_ps, WEIR_KIND_TIME, WEIR_PS_PER_US, DURATION_MAX_PS, 10 * WEIR_PS_PER_S,
             "how long messages are started"),
    QUANTITY("--warmup", warmup_ps, WEIR_KIND_TIME, 0, DURATION_MAX_PS, 0, "what ends before is not measured"),
    QUANTITY("--seed", seed, WEIR_KIND_U64, 0, UINT64_MAX, 1,
             "the same seed gives the same sizes, gaps and servers; hosts that send together want different ones"),
    QUANTITY("--count", count, WEIR_KIND_U64, 1, WEIR_NEVER - 1, WEIR_NEVER, "most messages to start"),
    QUANTITY("--weight", weight_ppm, WEIR_KIND_PPM, 1000, WEIR_WEIGHT_MILLI_MAX *UINT64_C(1000), 0,
             "of messages: Soze gives rates in proportion to it; other protocols ignore it"),
    QUANTITY("--priority", priority, WEIR_KIND_U32, 0, WEIR_CLASSES_MAX - 1, 0,
             "of messages, 0 the most urgent: from 1 on also the class of their packets, with sender-driven protocols"),
    QUANTITY("--join", join_ps, WEIR_KIND_TIME, 0, DURATION_MAX_PS, 0,
             "closed loop: the second server joins in after this time, the third after twice this time"),
    { 0 },
};

static int check_mode(struct weir_load_args *args, struct weir_err *err)
{
    bool open = args->load_ppm != 0 || args->load_bps != 0;
    if (open + (args->outstanding != 0) + (args->period_ps != 0) > 1)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "each says when a message starts",
                         "--load, --outstanding and --incast: only one of them");
    if (!open && args->period_ps == 0 && args->outstanding == 0)
        args->outstanding = 1;
    if ((uint64_t)args->outstanding * args->peer_count > WEIR_LIVE_OPS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "--outstanding %u: with %u servers more than %u messages",
                         args->outstanding, args->peer_count, WEIR_LIVE_OPS_MAX);
    if (args->join_ps != 0 && args->outstanding == 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "--outstanding", "--join: is for the closed loop");
    if (args->weight_ppm != 0 && args->live.transport == WEIR_LIVE_TCP)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir tcp weight 3 weir load .. gives one to TCP's sockets",
                         "--weight: messages over TCP have none");
    if (args->priority != 0 && args->live.transport == WEIR_LIVE_TCP)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "messages of TCP are sent in their order",
                         "--priority: messages over TCP have none");
    if (args->warmup_ps >= args->duration_ps)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "for example --warmup 1s --duration 10s",
                         "--warmup: must be shorter than --duration");
    return weir_live_args_check(&args->live, err);
}

int weir_load_args_parse(struct weir_load_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = { .command = "load",
                                                  .option = { load_options, weir_live_options },
                                                  .param = { load_params, weir_live_params },
                                                  .argument = take_peer };
    int code = weir_options_parse(&accepted, argc, argv, args, err);
    if (code != 0 || args->live.help)
        return code;
    if (args->peer_count == 0)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir load ADDRESS:PORT...; weir load --help shows the options",
                         "load: which servers?");
    if (args->sizes == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "for example --sizes wkc or --sizes fixed:10MB",
                         "load: --sizes is missing");
    return check_mode(args, err);
}
