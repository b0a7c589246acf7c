/* src/commands/cli/model_phantom.c - see model_phantom.h. */
#include "cli/model_phantom.h"
#include "cli/cli.h"
#include "cli/model_list.h"
#include "output/loop_print.h"
#include "text/options.h"
#include <math.h>
#include <stdio.h>

#define FLOW_HINT                                                                                                      \
    "round trip, time to the port and back, in base round trips; in the middle of a path: --flow 1,0.25,0.25"

struct args {
    struct weir_loop_answer answer;
    double m[WEIR_LOOP_ROWS_MAX];
    uint32_t m_count;
    bool json, help;
};

static int apply_flow(void *ctx, const char *value, struct weir_err *err)
{
    static const struct weir_model_list kind = { "--flow", FLOW_HINT, 0, 1, 3 };
    struct args *args = ctx;
    struct weir_loop *loop = &args->answer.loop;
    double time[3];
    uint32_t count;
    int code = weir_model_list(time, &count, value, &kind, err);
    if (code != 0)
        return code;
    if (count < 3)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, FLOW_HINT, "--flow %.80s: three numbers are wanted", value);
    if (loop->flows == WEIR_LOOP_FLOWS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "a few kinds of paths are enough", "--flow: more than %u",
                         WEIR_LOOP_FLOWS_MAX);
    if (time[1] + time[2] < WEIR_LOOP_DELAY_MIN || time[1] + time[2] > time[0])
        return weir_fail(err, WEIR_E_RANGE, NULL, FLOW_HINT,
                         "--flow %.80s: to the port and back must be %g to the round trip", value, WEIR_LOOP_DELAY_MIN);
    loop->flow[loop->flows++] = (struct weir_loop_flow){ .rtt = time[0], .out = time[1], .back = time[2] };
    return 0;
}

static int apply_m(void *ctx, const char *value, struct weir_err *err)
{
    static const struct weir_model_list kind = { "--m", "exponents of the window's update, for example --m 0.25,1",
                                                 WEIR_LOOP_M_MIN, 64, WEIR_LOOP_ROWS_MAX };
    struct args *args = ctx;
    return weir_model_list(args->m, &args->m_count, value, &kind, err);
}

/* Parses a list that has to be one number. */
static int take_one(double *number, const char *value, const struct weir_model_list *kind, struct weir_err *err)
{
    uint32_t count;
    return weir_model_list(number, &count, value, kind, err);
}

static int apply_ratio(void *ctx, const char *value, struct weir_err *err)
{
    static const struct weir_model_list kind = { "--ratio", "alpha / beta, for example --ratio 100", 1.01, 1e9, 1 };
    return take_one(&((struct args *)ctx)->answer.loop.ratio, value, &kind, err);
}

static int apply_rho(void *ctx, const char *value, struct weir_err *err)
{
    static const struct weir_model_list kind = { "--rho", "fabric.phantom.rho, for example --rho 0.99", 0.1, 1, 1 };
    return take_one(&((struct args *)ctx)->answer.loop.rho, value, &kind, err);
}

static int take_name(void *ctx, const char *argument, struct weir_err *err)
{
    (void)ctx;
    return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir model --help shows the options",
                     "%.80s: phantom is the model already", argument);
}

static int args_parse(struct args *args, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_option options[] = {
        { .name = "--flow", .value = "three numbers", .apply = apply_flow, .hint = FLOW_HINT },
        { .name = "--m", .value = "a list of numbers", .apply = apply_m },
        { .name = "--ratio", .value = "a number", .apply = apply_ratio },
        { .name = "--rho", .value = "a number", .apply = apply_rho },
        { .name = "--json", .offset = offsetof(struct args, json) },
        { .name = "--help", .offset = offsetof(struct args, help), .last = true },
        { .name = "-h", .offset = offsetof(struct args, help), .last = true },
        { 0 },
    };
    static const struct weir_options accepted = { .command = "model",
                                                  .option = { options },
                                                  .argument = take_name };
    int code;
    *args = (struct args){ .answer.loop = { .ratio = 100, .rho = 0.99 }, .m = { 0.25, 1, 4 }, .m_count = 3 };
    code = weir_options_parse(&accepted, argc, argv, args, err);
    if (code == 0 && !args->help && args->answer.loop.flows == 0)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, FLOW_HINT, "model phantom: --flow is missing");
    return code;
}

static void compute(struct args *args)
{
    struct weir_loop_answer *a = &args->answer;
    a->at_once = weir_loop_limit(&a->loop, (double)INFINITY, NULL);
    for (a->rows = 0; a->rows < args->m_count; a->rows++) {
        struct weir_loop_row *row = &a->row[a->rows];
        row->m = args->m[a->rows];
        row->linear = weir_loop_limit(&a->loop, row->m, &row->period);
        row->paced = weir_loop_least(&a->loop, row->m, false);
        row->bounded = weir_loop_least(&a->loop, row->m, true);
    }
}

int weir_cli_model_phantom(int argc, char **argv)
{
    struct args args;
    struct weir_err err;
    if (args_parse(&args, argc, argv, &err) != 0)
        return weir_cli_refused(&err);
    if (args.help)
        return weir_cli_show_usage("model");
    compute(&args);
    if (args.json)
        weir_loop_print_json(stdout, &args.answer);
    else
        weir_loop_print_table(stdout, &args.answer);
    return weir_cli_finish(WEIR_EXIT_DONE);
}
