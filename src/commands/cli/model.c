/* src/commands/cli/model.c - `weir model`: computes the numbers of a paper's analytic model, without simulating. */
#include "cli/cli.h"
#include "cli/model_args.h"
#include "cli/model_page.h"
#include "cli/model_phantom.h"
#include "cli/report_cmd.h"
#include "core/units.h"
#include "output/rpm_print.h"
#include "text/outfile.h"
#include "text/stop.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define OSCILLATIONS 10 /* length of a window in oscillations, unless --window gives it */

enum { INTEGRATIONS_MAX = 4 * WEIR_MODEL_SLOPES_MAX }; /* slopes of --at and of --eta, for two kinds of marking */

struct model {
    struct weir_model_args args;
    struct weir_rpm_answer answer;
    struct weir_rpm_integration integration[INTEGRATIONS_MAX];
};

/* Adds the integration of one slope to the plan, and checks it. eta: a slope in 1/packet, or with `multiple` a multiple
 * of the limit. @return 0, or a code with err */
static int plan_add(struct model *model, bool forward, double eta, bool multiple, struct weir_err *err)
{
    const struct weir_model_args *args = &model->args;
    const struct weir_rpm_limit *limit = forward ? &model->answer.limit_forward : &model->answer.limit;
    struct weir_rpm_model m = weir_rpm_marking(&args->model, forward);
    struct weir_rpm_integration *i = &model->integration[model->answer.integration_count++];
    double slope = multiple ? eta * limit->eta : eta, period_s = 2 * acos(-1) / limit->omega;
    *i = (struct weir_rpm_integration){
        .forward = forward,
        .options = { .eta = slope,
                     .target_pkts = args->target_pkts,
                     .off = weir_rpm_fluid_off(&m, limit->omega, slope),
                     .window_s = args->window_ps != 0 ? (double)args->window_ps / (double)WEIR_PS_PER_S
                                                      : OSCILLATIONS * period_s,
                     .windows = args->windows,
                     .stop = weir_stop_flag() },
        .limit = limit->eta,
        .growth = weir_rpm_growth(&m, limit, slope),
    };
    if (i->options.window_s < period_s)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "the largest deviation of several oscillations is compared",
                         "--window: %.4g s is less than an oscillation of %.4g s", i->options.window_s, period_s);
    return weir_rpm_fluid_check(&m, &i->options, err);
}

/* Plans all integrations. Each is checked here, before the first one runs. @return 0, or a code with err */
static int plan(struct model *model, struct weir_err *err)
{
    const struct weir_model_args *args = &model->args;
    double bdp_pkts = args->model.capacity_pps * args->model.rtt_s;
    int code = 0;
    if (args->integrate && bdp_pkts < 1)
        return weir_fail(
            err, WEIR_E_CONFLICT, NULL, "all other numbers are printed without --integrate, --at and --eta",
            "--integrate: a round trip of %.3g packets is less than one, and nearly all of them are marked", bdp_pkts);
    model->answer.integration = model->integration;
    for (int forward = 0; forward < 2 && code == 0; forward++) {
        for (uint32_t i = 0; i < args->at_count && code == 0; i++)
            code = plan_add(model, forward != 0, args->at[i], true, err);
        for (uint32_t i = 0; i < args->eta_count && code == 0; i++)
            code = plan_add(model, forward != 0, args->eta[i], false, err);
    }
    return code;
}

static int integrate(struct model *model, struct weir_err *err)
{
    int code = plan(model, err);
    for (uint32_t i = 0; i < model->answer.integration_count && code == 0; i++) {
        struct weir_rpm_integration *one = &model->integration[i];
        struct weir_rpm_model m = weir_rpm_marking(&model->args.model, one->forward);
        code = weir_rpm_fluid_run(&one->course, &m, &one->options, err);
    }
    return code;
}

static int compute(struct model *model, struct weir_outfile *page, struct weir_err *err)
{
    int code = model->args.report != NULL ? weir_report_target(model->args.report, err) : 0;
    if (code == 0 && model->args.report != NULL)
        code = weir_outfile_open(page, model->args.report, NULL, err);
    if (code != 0)
        return code;
    weir_rpm_answer_init(&model->answer, &model->args.model);
    return integrate(model, err);
}

/* Writes the HTML page and puts it into place; after an error there is no page. @return the exit status */
static int put_page(const struct model *model, struct weir_outfile *page)
{
    char no_figures[WEIR_MODEL_NO_FIGURES];
    struct weir_err err;
    if (weir_model_page(page->file, &model->answer, "gnuplot", no_figures, &err) != 0) {
        weir_outfile_abandon(page);
        return weir_cli_refused(&err);
    }
    if (weir_outfile_commit(page, &err) != 0) {
        weir_cli_error(&err);
        return WEIR_EXIT_FAILURE;
    }
    if (no_figures[0] != '\0')
        (void)fprintf(stderr, "weir: no figures: %s; install gnuplot (Debian: gnuplot-nox) to have them\n", no_figures);
    return WEIR_EXIT_DONE;
}

static int model_rpm(struct model *model)
{
    struct weir_outfile page = { 0 };
    struct weir_err err;
    int code, status;
    weir_stop_install();
    code = compute(model, &page, &err);
    if (*weir_stop_flag() != 0) {
        weir_outfile_abandon(&page);
        return weir_cli_interrupted(*weir_stop_flag(), "nothing was written");
    }
    if (code != 0) {
        weir_outfile_abandon(&page);
        return weir_cli_refused(&err);
    }
    status = page.file != NULL ? put_page(model, &page) : WEIR_EXIT_DONE;
    if (status != WEIR_EXIT_DONE)
        return status;
    if (model->args.json)
        weir_rpm_print_json(stdout, &model->answer);
    else
        weir_rpm_print_table(stdout, &model->answer);
    return weir_cli_finish(WEIR_EXIT_DONE);
}

int weir_cli_model(int argc, char **argv)
{
    static struct model model; /* static because it is large */
    struct weir_err err;
    if (argc > 1 && strcmp(argv[1], "phantom") == 0)
        return weir_cli_model_phantom(argc - 1, argv + 1);
    if (weir_model_args_parse(&model.args, argc, argv, &err) != 0)
        return weir_cli_refused(&err);
    if (model.args.help)
        return weir_cli_show_usage("model");
    return model_rpm(&model);
}
