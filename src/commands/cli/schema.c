/* src/commands/cli/schema.c - `weir schema COMMAND`: prints the JSON Schema of a command's output with --json. */
#include "cli/bisect.h"
#include "cli/cli.h"
#include "cli/session_answer.h"
#include "cli/switch_plan.h"
#include "kernel/tcp.h"
#include "live/delay.h"
#include "output/allocate_print.h"
#include "output/report.h"
#include "output/topology_print.h"
#include "param/suggest.h"
#include "reproduce/comparison_print.h"
#include "reproduce/difference_print.h"
#include "reproduce/print.h"
#include "reproduce/scoreboard.h"
#include "reproduce/tuning.h"
#include <string.h>

enum { HINT = 512 };

static const struct {
    const char *command;
    void (*print)(FILE *out);
} schemas[] = {
    { "run", weir_report_schema },          { "compare", weir_comparison_schema }, { "sweep", weir_sweep_schema },
    { "reproduce", weir_reproduce_schema }, { "allocate", weir_allocate_schema },  { "topology", weir_topology_schema },
    { "scoreboard", weir_board_schema },    { "switch", weir_switch_schema },      { "tcp", weir_tcp_schema },
    { "delay", weir_delay_schema },         { "session", weir_session_schema },    { "diff", weir_difference_schema },
    { "tune", weir_tuning_schema },         { "bisect", weir_bisect_schema },
};

const char *weir_cli_schema_at(size_t i)
{
    return i < sizeof(schemas) / sizeof(schemas[0]) ? schemas[i].command : NULL;
}

static int refuse(const char *command)
{
    struct weir_suggest near;
    struct weir_err err;
    char hint[HINT];
    weir_suggest_init(&near, command);
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++)
        weir_suggest_add(&near, schemas[i].command);
    weir_suggest_hint(&near, hint, sizeof(hint));
    (void)weir_fail(&err, WEIR_E_UNKNOWN, NULL, hint, "schema: no schema of '%.80s'", command);
    return weir_cli_refused(&err);
}

int weir_cli_schema(int argc, char **argv)
{
    struct weir_err err;
    if (argc > 1 && weir_cli_asks_help(argv[1]))
        return weir_cli_show_usage("schema");
    if (argc != 2) {
        (void)weir_fail(&err, WEIR_E_SYNTAX, NULL, "for example weir schema run",
                        argc < 2 ? "schema: of which command?" : "schema: one argument too many");
        return weir_cli_refused(&err);
    }
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
        if (strcmp(schemas[i].command, argv[1]) != 0)
            continue;
        schemas[i].print(stdout);
        return weir_cli_finish(WEIR_EXIT_DONE);
    }
    return refuse(argv[1]);
}
