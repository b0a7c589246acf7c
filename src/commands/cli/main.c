/* src/commands/cli/main.c - calls the command that argv[1] names. */
#include "cli/cli.h"
#include "core/assert.h"
#include "param/suggest.h"
#include "text/stop.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void weir_assert_failed(const char *file, int line, const char *condition)
{
    weir_stop_clean();
    (void)fprintf(stderr, "\n%s:%d: %s does not hold\n", file, line, condition);
    (void)fprintf(stderr, "  this is a bug in Weir, please report it with the scenario and seed\n");
    abort();
}

static const struct command {
    const char *name;
    int (*run)(int argc, char **argv);
} commands[] = {
    { "run", weir_cli_run },         { "reproduce", weir_cli_reproduce },
    { "sweep", weir_cli_sweep },     { "merge", weir_cli_merge },
    { "status", weir_cli_status },   { "report", weir_cli_report },
    { "serve", weir_cli_serve },     { "ping", weir_cli_ping },
    { "load", weir_cli_load },       { "tcp", weir_cli_tcp },
    { "switch", weir_cli_switch },   { "list", weir_cli_list },
    { "help", weir_cli_help },       { "allocate", weir_cli_allocate },
    { "model", weir_cli_model },     { "scoreboard", weir_cli_scoreboard },
    { "compare", weir_cli_compare }, { "topology", weir_cli_topology },
    { "schema", weir_cli_schema },   { "delay", weir_cli_delay },
    { "key", weir_cli_key },         { "session", weir_cli_session },
    { "export", weir_cli_export },   { "diff", weir_cli_diff },
    { "tune", weir_cli_tune },       { "playground", weir_cli_playground },
    { "bisect", weir_cli_bisect },
};
#define COMMAND_COUNT (sizeof(commands) / sizeof(commands[0]))

static int unknown_command(const char *argument)
{
    struct weir_suggest suggest;
    struct weir_err err;
    char hint[512];
    weir_suggest_init(&suggest, argument);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        weir_suggest_add(&suggest, commands[i].name);
    if (argument[0] == '-') {
        weir_suggest_add(&suggest, "--version");
        weir_suggest_add(&suggest, "--help");
    }
    weir_suggest_hint(&suggest, hint, sizeof(hint));
    (void)weir_fail(&err, WEIR_E_UNKNOWN, NULL, hint, "%s: no such %s", argument,
                    argument[0] == '-' ? "option" : "command");
    weir_cli_error(&err);
    return WEIR_EXIT_USAGE;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        weir_cli_overview(true);
        return WEIR_EXIT_USAGE;
    }
    if (weir_cli_asks_help(argv[1])) {
        weir_cli_overview(false);
        return weir_cli_finish(WEIR_EXIT_DONE);
    }
    if (strcmp(argv[1], "--version") == 0)
        return weir_cli_version();
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(argv[1], commands[i].name) == 0)
            return commands[i].run(argc - 1, argv + 1);
    return unknown_command(argv[1]);
}
