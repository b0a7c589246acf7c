/* src/commands/cli/topology.c - `weir topology`: describes a network, without simulating. */
#include "cli/cli.h"
#include "cli/setting.h"
#include "cli/warnings.h"
#include "config/scenario.h"
#include "config/topology_file.h"
#include "output/inputs.h"
#include "output/topology_print.h"
#include "text/options.h"
#include "text/outfile.h"
#include "workload/text.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct topology { /* state of `weir topology`; large, so on the heap */
    const char *file, *svg;
    /* set_count overrides, in the order given; owned. set[0] names the file if it is a file of a network */
    struct weir_override *set;
    uint32_t set_count;
    char own_file[WEIR_TEXT_MAX + 16];
    bool cables, json, help;
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_audit audit;
};

static int apply_set(void *ctx, const char *value, struct weir_err *err)
{
    struct topology *t = ctx;
    int code = weir_setting_check(value, "for example --set topology.k=16", err);
    if (code == 0)
        t->set[t->set_count++].text = value;
    return code;
}

static int take_file(void *ctx, const char *argument, struct weir_err *err)
{
    struct topology *t = ctx;
    if (t->file != NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL,
                         "weir topology takes one file; weir topology --help shows the options",
                         "%s: %s is the file already", argument, t->file);
    t->file = argument;
    return 0;
}

static const struct weir_option options[] = {
    { .name = "--set", .value = "key=value", .apply = apply_set },
    { .name = "--svg", .value = "the name of a file", .offset = (uint32_t)offsetof(struct topology, svg) },
    { .name = "--cables", .offset = (uint32_t)offsetof(struct topology, cables) },
    { .name = "--json", .offset = (uint32_t)offsetof(struct topology, json) },
    { .name = "--help", .offset = (uint32_t)offsetof(struct topology, help), .last = true },
    { .name = "-h", .offset = (uint32_t)offsetof(struct topology, help), .last = true },
    { 0 },
};

static int parse(struct topology *t, int argc, char **argv, struct weir_err *err)
{
    static const struct weir_options accepted = { .command = "topology", .option = { options }, .argument = take_file };
    int code;
    t->set = calloc((size_t)argc + 1, sizeof(*t->set));
    if (t->set == NULL)
        return weir_fail_memory(err);
    t->set_count = 1; /* set[0] is for the file of a network */
    code = weir_options_parse(&accepted, argc, argv, t, err);
    if (code != 0 || t->help)
        return code;
    if (t->file == NULL)
        return weir_fail(err, WEIR_E_SYNTAX, NULL, "weir topology FILE; weir topology --help shows the options",
                         "topology: which scenario, or which file of a network?");
    return t->cables && t->json ? weir_fail(err, WEIR_E_CONFLICT, NULL, "leave one of them out",
                                            "--cables and --json: the list has one form")
                                : 0;
}

/* Loads the file: a scenario, or a file of a network. A network becomes the topology of a minimal scenario. @return 0,
 * or a code with err */
static int load(struct topology *t, struct weir_err *err)
{
    static const char rest[] = "topology: {kind: file}\nprotocol: dctcp\ntraffic: [{kind: permutation, size: 1 B}]\n";
    char *text;
    int code = weir_text_read(t->file, NULL, &text, err), length;
    bool bare;
    if (code != 0)
        return code;
    bare = weir_topology_is_network(t->file, text);
    free(text);
    if (!bare)
        return weir_scenario_load(&t->scn, t->file, t->set + 1, t->set_count - 1, err);
    length = snprintf(t->own_file, sizeof(t->own_file), "topology.file=%s", t->file);
    if (length >= (int)sizeof(t->own_file))
        return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "%.80s..: the name is too long", t->file);
    t->set[0].text = t->own_file;
    return weir_scenario_parse(&t->scn, t->file[0] == '/' ? "/" : "", rest, strlen(rest), t->set, t->set_count, err);
}

static int write_svg(const struct topology *t, const struct weir_topology_answer *answer, struct weir_err *err)
{
    struct weir_inputs inputs;
    struct weir_outfile out = { 0 };
    int code = weir_inputs_init(&inputs, t->file, &t->scn, NULL, err);
    if (code == 0)
        code = weir_outfile_open(&out, t->svg, inputs.keep, err);
    if (code == 0)
        code = weir_topology_svg(out.file, answer, err);
    weir_inputs_free(&inputs);
    if (code == 0)
        return weir_outfile_commit(&out, err);
    weir_outfile_abandon(&out);
    return code;
}

static int audit(struct topology *t, struct weir_err *err)
{
    struct weir_routes routes;
    int code = weir_routes_build(&routes, &t->setup.topo, WEIR_ROUTE_ECMP, t->setup.model.metric, 0, err);
    if (code != 0)
        return code;
    code = weir_audit(&t->audit, &t->setup.topo, &routes, err);
    weir_routes_free(&routes);
    return code;
}

static int answer_it(struct topology *t)
{
    const struct weir_topology_answer answer = { .file = t->file, .setup = &t->setup, .audit = &t->audit };
    struct weir_err err;
    int code = audit(t, &err);
    if (code == 0 && t->svg != NULL)
        code = write_svg(t, &answer, &err);
    if (code != 0)
        return weir_cli_refused(&err);
    weir_topology_warn(stderr, &t->setup);
    if (t->cables)
        weir_topology_print_cables(stdout, &t->setup.topo);
    else if (t->json)
        weir_topology_print_json(stdout, &answer);
    else
        weir_topology_print(stdout, &answer);
    return weir_cli_finish(WEIR_EXIT_DONE);
}

static int run(struct topology *t)
{
    struct weir_err err;
    int status;
    if (load(t, &err) != 0)
        return weir_cli_refused(&err);
    weir_cli_warnings(&t->scn);
    if (weir_setup_network(&t->setup, &t->scn, &err) != 0) {
        weir_scenario_free(&t->scn);
        if (err.file[0] == '\0') { /* the error is in the minimal scenario of load(), so its line would mean nothing */
            (void)snprintf(err.file, sizeof(err.file), "%s", t->file);
            err.line = err.col = 0;
        }
        return weir_cli_refused(&err);
    }
    status = answer_it(t);
    weir_setup_free(&t->setup);
    weir_scenario_free(&t->scn);
    return status;
}

int weir_cli_topology(int argc, char **argv)
{
    struct topology *t = calloc(1, sizeof(*t));
    struct weir_err err;
    int status;
    if (t == NULL) {
        (void)weir_fail(&err, WEIR_E_MEMORY, NULL, NULL, "no memory to begin with");
        return weir_cli_refused(&err);
    }
    if (parse(t, argc, argv, &err) != 0)
        status = weir_cli_refused(&err);
    else
        status = t->help ? weir_cli_show_usage("topology") : run(t);
    free(t->set);
    free(t);
    return status;
}
