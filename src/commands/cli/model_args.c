/* src/commands/cli/model_args.c - reads the options of `weir model`: one row each. */
#include "cli/model_args.h"
#include "cli/model_list.h"
#include "core/units.h"
#include "param/number.h"
#include "param/suggest.h"
#include "solve/rpm_fluid.h"
#include "solve/rpm_limit.h"
#include "text/options.h"
#include <stdio.h>
#include <string.h>

#define CAPACITY_MIN 1e-3 /* packets per second */
#define CAPACITY_MAX 1e12
#define AT_MIN 0.01
#define AT_MAX 100.0
#define ETA_MIN 1e-30
#define ETA_MAX 1.0
#define DEFAULT_MTU 1500
#define DEFAULT_BELOW 0.93 /* default of --at: multiples of the limit, below and above it */
#define DEFAULT_ABOVE 1.07

enum { NUMBER = 64 };

#define CAPACITY_HINT "for example 1000pps (pps, Kpps, Mpps, Gpps), or 10 Gbps of packets of --mtu"

static int apply_at(void *ctx, const char *value, struct weir_err *err)
{
    static const struct weir_model_list kind = { "--at", "multiples of the limit, for example --at 0.93,1.07", AT_MIN,
                                                 AT_MAX, WEIR_MODEL_SLOPES_MAX };
    struct weir_model_args *args = ctx;
    return weir_model_list(args->at, &args->at_count, value, &kind, err);
}

static int apply_eta(void *ctx, const char *value, struct weir_err *err)
{
    static const struct weir_model_list kind = { "--eta",
                                                 "slopes of marking per packet, for example --eta 1.9e-5,2.2e-5",
                                                 ETA_MIN, ETA_MAX, WEIR_MODEL_SLOPES_MAX };
    struct weir_model_args *args = ctx;
    return weir_model_list(args->eta, &args->eta_count, value, &kind, err);
}

#define FIELD(field) (uint32_t) offsetof(struct weir_model_args, field)

static const struct weir_option options[] = {
    { .name = "--capacity", .value = "a rate", .offset = FIELD(capacity), .hint = CAPACITY_HINT },
    { .name = "--integrate", .offset = FIELD(integrate) },
    { .name = "--at", .value = "a list of numbers", .apply = apply_at },
    { .name = "--eta", .value = "a list of numbers", .apply = apply_eta },
    { .name = "--report", .value = "the name of a file", .offset = FIELD(report) },
    { .name = "--json", .offset = FIELD(json) },
    { .name = "--help", .offset = FIELD(help), .last = true },
    { .name = "-h", .offset = FIELD(help), .last = true },
    { 0 },
};

/* A default of 0 means that the option was not given. */
static const struct weir_param quantities[] = {
    WEIR_PARAM_NAMED("--rtt", struct weir_model_args, rtt_ps, WEIR_KIND_TIME, WEIR_PS_PER_NS, 1000 * WEIR_PS_PER_S, 0,
                     "the round trip of the flow with the queueing delay, for example 100 ms"),
    WEIR_PARAM_NAMED("--short-rtt", struct weir_model_args, short_rtt_ps, WEIR_KIND_TIME, WEIR_PS_PER_NS,
                     1000 * WEIR_PS_PER_S, 0, "from the sender to the switch and back, for example 20 ms"),
    WEIR_PARAM_NAMED("--mtu", struct weir_model_args, mtu_bytes, WEIR_KIND_SIZE, 64, 65535, 0,
                     "size of a packet, where the capacity is in bit/s"),
    WEIR_PARAM_NAMED("--a", struct weir_model_args, a_ppm, WEIR_KIND_PPM, 1, 1000000000, 1000000,
                     "additive parameter: packets that the window grows per round trip"),
    WEIR_PARAM_NAMED("--b", struct weir_model_args, b_ppm, WEIR_KIND_PPM, 1, 1000000, 500000,
                     "multiplicative parameter: the part of the window that a mark takes"),
    WEIR_PARAM_NAMED("--target", struct weir_model_args, target_pkts, WEIR_KIND_U32, 0, 1000000000, 5,
                     "queue in packets up to which nothing is marked; it matters to an integration only"),
    WEIR_PARAM_NAMED("--window", struct weir_model_args, window_ps, WEIR_KIND_TIME, WEIR_PS_PER_NS,
                     1000000 * WEIR_PS_PER_S, 0, "length of a window whose maximum is compared, for example 20 s"),
    WEIR_PARAM_NAMED("--windows", struct weir_model_args, windows, WEIR_KIND_U32, 2, WEIR_RPM_WINDOWS_MAX, 5,
                     "how many windows are integrated"),
    { 0 },
};

static int take_name(void *ctx, const char *argument, struct weir_err *err)
{
    struct weir_model_args *args = ctx;
    struct weir_suggest suggest;
    char hint[NUMBER];
    if (args->name != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir model --help shows the options",
                         "%.80s: %s is the model already", argument, args->name);
    if (strcmp(argument, "rpm") != 0) {
        weir_suggest_init(&suggest, argument);
        weir_suggest_add(&suggest, "rpm");
        weir_suggest_add(&suggest, "phantom");
        weir_suggest_hint(&suggest, hint, sizeof(hint));
        return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "%.80s: no such model", argument);
    }
    args->name = argument;
    return 0;
}

static int is_missing(const char *name, const char *hint, struct weir_err *err)
{
    return weir_fail(err, WEIR_E_SYNTAX, NULL, hint, "model rpm: %s is missing", name);
}

/* Returns the number of packets per second of a unit such as "Kpps"; 0 = it is not such a unit. */
static double packet_unit(const char *unit)
{
    static const struct {
        const char *name;
        double scale;
    } units[] = { { "pps", 1 }, { "Kpps", 1e3 }, { "Mpps", 1e6 }, { "Gpps", 1e9 } };
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(unit, units[i].name) == 0)
            return units[i].scale;
    return 0;
}

static int capacity_set(struct weir_model_args *args, struct weir_err *err)
{
    struct weir_number n;
    const struct weir_unit *unit;
    double scale;
    if (weir_number_read(&n, args->capacity) != WEIR_NUMBER_OK)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, CAPACITY_HINT, "--capacity %.80s: not a number", args->capacity);
    unit = weir_unit_find(n.unit);
    scale = packet_unit(n.unit);
    if (n.unit[0] == '\0' || (scale <= 0 && (unit == NULL || unit->kind != WEIR_UNIT_RATE)))
        return weir_fail(err, WEIR_E_UNIT, NULL, CAPACITY_HINT, "--capacity %.80s: %s", args->capacity,
                         n.unit[0] == '\0' ? "unit missing" : "not a unit of rate");
    if (scale > 0 && args->mtu_bytes != 0)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "it turns a capacity in bit/s into packets",
                         "--mtu: --capacity %.80s is in packets already", args->capacity);
    if (scale <= 0)
        scale = (double)unit->scale / (8.0 * (double)(args->mtu_bytes != 0 ? args->mtu_bytes : DEFAULT_MTU));
    args->model.capacity_pps = scale * ((double)n.whole + (double)n.fraction / (double)weir_power_of_ten(n.digits));
    if (!(args->model.capacity_pps >= CAPACITY_MIN && args->model.capacity_pps <= CAPACITY_MAX))
        return weir_fail(err, WEIR_E_RANGE, NULL, CAPACITY_HINT, "--capacity %.80s: must be %g to %g packets/s",
                         args->capacity, CAPACITY_MIN, CAPACITY_MAX);
    return 0;
}

static double seconds(uint64_t ps)
{
    return (double)ps / (double)WEIR_PS_PER_S;
}

static int model_set(struct weir_model_args *args, struct weir_err *err)
{
    char rtt[NUMBER], short_rtt[NUMBER];
    weir_number_print_unit(rtt, sizeof(rtt), args->rtt_ps, WEIR_UNIT_TIME);
    weir_number_print_unit(short_rtt, sizeof(short_rtt), args->short_rtt_ps, WEIR_UNIT_TIME);
    if (args->short_rtt_ps > args->rtt_ps)
        return weir_fail(
            err, WEIR_E_CONFLICT, NULL,
            "from the sender to the switch and back is a part of the round trip; forward marking has both equal",
            "--short-rtt %s: longer than --rtt %s", short_rtt, rtt);
    args->model.rtt_s = seconds(args->rtt_ps);
    args->model.short_rtt_s = seconds(args->short_rtt_ps);
    if (args->model.rtt_s > WEIR_RPM_DELAYS_MAX * args->model.short_rtt_s)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "the search for the limit has to resolve both",
                         "--short-rtt %s: less than a millionth of --rtt %s", short_rtt, rtt);
    args->model.a = args->a_ppm / 1e6;
    args->model.b = args->b_ppm / 1e6;
    return capacity_set(args, err);
}

static int args_check(struct weir_model_args *args, struct weir_err *err)
{
    if (args->name == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL,
                         "for example weir model rpm --capacity 1000pps --rtt '100 ms' --short-rtt '20 ms'",
                         "model: which model?");
    if (args->capacity == NULL)
        return is_missing("--capacity", CAPACITY_HINT, err);
    if (args->rtt_ps == 0)
        return is_missing("--rtt", quantities[0].hint, err);
    if (args->short_rtt_ps == 0)
        return is_missing("--short-rtt", quantities[1].hint, err);
    if (args->integrate && args->at_count == 0 && args->eta_count == 0) {
        args->at[args->at_count++] = DEFAULT_BELOW;
        args->at[args->at_count++] = DEFAULT_ABOVE;
    }
    args->integrate = args->at_count > 0 || args->eta_count > 0;
    return model_set(args, err);
}

int weir_model_args_parse(struct weir_model_args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = {
        .command = "model", .option = { options }, .param = { quantities }, .argument = take_name
    };
    int code;
    *args = (struct weir_model_args){ 0 };
    code = weir_options_parse(&accepted, argc, argv, args, err);
    return code == 0 && !args->help ? args_check(args, err) : code;
}
