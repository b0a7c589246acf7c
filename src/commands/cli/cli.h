/* src/commands/cli/cli.h - the commands, and their usage texts. */
#ifndef WEIR_CLI_CLI_H
#define WEIR_CLI_CLI_H
#include "text/print.h"
#include <stdbool.h>
#include <stddef.h>

/* Executes a command, whose name ends the function's name. argv[0] is the name of the command. @return enum
 * weir_exit */
int weir_cli_run(int argc, char **argv);
int weir_cli_compare(int argc, char **argv);
int weir_cli_reproduce(int argc, char **argv);
int weir_cli_sweep(int argc, char **argv);
int weir_cli_merge(int argc, char **argv);
int weir_cli_status(int argc, char **argv);
int weir_cli_report(int argc, char **argv);
int weir_cli_playground(int argc, char **argv);
int weir_cli_export(int argc, char **argv);
int weir_cli_diff(int argc, char **argv);
int weir_cli_bisect(int argc, char **argv);
int weir_cli_tune(int argc, char **argv);
int weir_cli_scoreboard(int argc, char **argv);
int weir_cli_allocate(int argc, char **argv);
int weir_cli_topology(int argc, char **argv);
int weir_cli_model(int argc, char **argv);
int weir_cli_session(int argc, char **argv);
int weir_cli_serve(int argc, char **argv);
int weir_cli_delay(int argc, char **argv);
int weir_cli_ping(int argc, char **argv);
int weir_cli_load(int argc, char **argv);
int weir_cli_switch(int argc, char **argv);
int weir_cli_tcp(int argc, char **argv);
int weir_cli_key(int argc, char **argv);
int weir_cli_list(int argc, char **argv);
int weir_cli_schema(int argc, char **argv);
/* Returns the i-th command, from 0, that has a JSON Schema; NULL = there are no more. */
const char *weir_cli_schema_at(size_t i);
/* Executes `weir help`. @return enum weir_exit */
int weir_cli_help(int argc, char **argv);
/* Executes `weir --version`. @return enum weir_exit */
int weir_cli_version(void);

/* Prints the usage of a command on stdout. @return false if there is no such command */
bool weir_cli_usage(const char *name);

/* Tests whether an argument is --help or -h. */
bool weir_cli_asks_help(const char *argument);

/* Prints the usage of a command for its --help, and returns the exit status. */
int weir_cli_show_usage(const char *name);
/* Prints one line per command on stdout or stderr. */
void weir_cli_overview(bool to_stderr);
#endif
