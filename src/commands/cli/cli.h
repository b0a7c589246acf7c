/* src/commands/cli/cli.h - the commands, and how each is called. */
#ifndef WEIR_CLI_CLI_H
#define WEIR_CLI_CLI_H
#include "text/print.h"
#include <stdbool.h>
#include <stddef.h>

/* Executes a command: argv[0] is the command's own name. Returns enum weir_exit. */
int weir_cli_run(int argc, char **argv);
int weir_cli_compare(int argc, char **argv);
int weir_cli_reproduce(int argc, char **argv);
int weir_cli_sweep(int argc, char **argv);
int weir_cli_merge(int argc, char **argv);
int weir_cli_status(int argc, char **argv);
int weir_cli_report(int argc, char **argv);
int weir_cli_scoreboard(int argc, char **argv);
int weir_cli_allocate(int argc, char **argv);
int weir_cli_topology(int argc, char **argv);
int weir_cli_model(int argc, char **argv);
int weir_cli_serve(int argc, char **argv);
int weir_cli_ping(int argc, char **argv);
int weir_cli_load(int argc, char **argv);
int weir_cli_list(int argc, char **argv);
int weir_cli_schema(int argc, char **argv);
const char *weir_cli_schema_at(size_t i); /* the i-th command that has one; NULL = there are no more */
int weir_cli_help(int argc, char **argv);
int weir_cli_version(void);

/* Prints how to call a command, or all of them. @return false if name is no command */
bool weir_cli_usage(const char *name);

/* Tests whether an argument asks for help: --help or -h. */
bool weir_cli_asks_help(const char *argument);

/* Answers --help of a command. Returns the exit status. */
int weir_cli_show_usage(const char *name);
void weir_cli_overview(bool to_stderr);
#endif
