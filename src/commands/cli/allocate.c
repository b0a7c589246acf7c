/* src/commands/cli/allocate.c - `weir allocate`: computes the weighted max-min fair shares of a scenario's flows, or
 * Soze's constants that follow from them, without simulating. */
#include "cli/allocate_args.h"
#include "cli/cli.h"
#include "cli/warnings.h"
#include "output/allocate_print.h"
#include "output/constants_print.h"
#include "output/inputs.h"
#include "text/clock.h"
#include "text/outfile.h"
#include "text/stop.h"
#include <stdio.h>
#include <stdlib.h>

struct allocate { /* state of `weir allocate`; large, so on the heap */
    struct weir_allocate_args args;
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_allocate_flows flows;
    struct weir_solution solution;
    uint64_t read_ns;
};

static int interrupted(struct weir_outfile *csv)
{
    weir_outfile_abandon(csv);
    return weir_cli_interrupted(*weir_stop_flag(), "nothing was written");
}

static int print(const struct allocate *a, struct weir_outfile *csv)
{
    struct weir_allocation answer = { .options = &a->args.options,
                                      .setup = &a->setup,
                                      .flows = &a->flows,
                                      .solution = &a->solution,
                                      .read_ns = a->read_ns,
                                      .json = a->args.json,
                                      .timing = a->args.timing };
    struct weir_err err;
    if (csv->file != NULL) {
        weir_allocate_csv(csv->file, &answer);
        if (*weir_stop_flag() != 0)
            return interrupted(csv);
        if (weir_outfile_commit(csv, &err) != 0) {
            weir_cli_error(&err);
            return WEIR_EXIT_FAILURE;
        }
    }
    if (weir_allocate_print(stdout, &answer, &err) != 0)
        return weir_cli_refused(&err);
    return weir_cli_finish(WEIR_EXIT_DONE);
}

/* Finds the flows, solves and prints. All other errors are found before the file of flows is opened. @return the exit
 * status */
static int allocate_it(struct allocate *a)
{
    struct weir_inputs inputs;
    struct weir_outfile csv = { 0 };
    struct weir_err err;
    int code, status;
    weir_stop_install();
    code = weir_allocate_flows(&a->flows, &a->setup, &a->args.options, &err);
    if (code == 0)
        code = weir_allocate_solve(&a->solution, &a->setup, &a->args.options, &a->flows, &err);
    if (code == 0 && a->args.csv != NULL) {
        code = weir_inputs_init(&inputs, a->args.options.file, a->setup.scn, NULL, &err);
        if (code == 0)
            code = weir_outfile_open(&csv, a->args.csv, inputs.keep, &err);
        weir_inputs_free(&inputs);
    }
    if (code != 0)
        status = weir_cli_refused(&err);
    else
        status = *weir_stop_flag() != 0 ? interrupted(&csv) : print(a, &csv);
    weir_solution_free(&a->solution);
    weir_allocate_flows_free(&a->flows);
    return status;
}

/* Computes constants of Soze and prints them. @return the exit status */
static int find_constants(struct allocate *a)
{
    struct weir_levels levels;
    struct weir_err err;
    if (weir_levels_find(&levels, &a->setup, &a->args.options, &err) != 0)
        return weir_cli_refused(&err);
    weir_constants_print(stdout, a->args.options.file, &levels);
    return weir_cli_finish(WEIR_EXIT_DONE);
}

/* Prints on stderr that the laws of a scenario with several count as one. */
static void print_laws(const struct allocate *a)
{
    if (a->setup.law_count > 1)
        (void)fprintf(stderr,
                      "weir: flows of %s share by their weights alone; frames and paths are those of %s for all\n",
                      a->setup.law_names, a->scn.protocol->name);
}

static int allocate_set_up(struct allocate *a)
{
    struct weir_err err;
    uint64_t start_ns = weir_wall_ns();
    int status;
    if (weir_scenario_load(&a->scn, a->args.options.file, a->args.set, a->args.set_count, &err) != 0)
        return weir_cli_refused(&err);
    weir_cli_warnings(&a->scn);
    if (weir_setup_init_for_shares(&a->setup, &a->scn, &err) != 0) {
        weir_scenario_free(&a->scn);
        return weir_cli_refused(&err);
    }
    weir_cli_list_warnings(&a->setup);
    print_laws(a);
    a->read_ns = weir_wall_ns() - start_ns;
    status = a->args.soze ? find_constants(a) : allocate_it(a);
    weir_setup_free(&a->setup);
    weir_scenario_free(&a->scn);
    return status;
}

int weir_cli_allocate(int argc, char **argv)
{
    struct weir_err err;
    struct allocate *a = calloc(1, sizeof(*a));
    int status;
    if (a == NULL) {
        (void)weir_fail(&err, WEIR_E_MEMORY, NULL, NULL, "no memory to begin with");
        return weir_cli_refused(&err);
    }
    if (weir_allocate_args_parse(&a->args, argc, argv, &err) != 0) {
        free(a);
        return weir_cli_refused(&err);
    }
    status = a->args.help ? weir_cli_show_usage("allocate") : allocate_set_up(a);
    weir_allocate_args_free(&a->args);
    free(a);
    return status;
}
