/* src/cli/cli.h - what the commands share: exit statuses and how an error reads. */
#ifndef WEIR_CLI_CLI_H
#define WEIR_CLI_CLI_H
#include "core/err.h"
#include <stdbool.h>

enum weir_exit { /* the command's answer to its caller; after SIGINT and the like 128 + signal */
                 WEIR_EXIT_DONE = 0,
                 WEIR_EXIT_CHECK = 1,   /* an invariant did not hold, or the run stalled */
                 WEIR_EXIT_USAGE = 2,   /* command line or configuration, named files that cannot be opened included */
                 WEIR_EXIT_FAILURE = 3, /* memory or I/O gave out during the run */
                 WEIR_EXIT_SIGNAL = 128,
};

/* Writes "file:line:col: text" and, if there is one, "  hint: .." to stderr. */
void weir_cli_error(const struct weir_err *err);

/* Flushes stdout. @return status, or WEIR_EXIT_FAILURE with a word on stderr if what was printed did not get out */
int weir_cli_finish(int status);

/* The commands: argv[0] is the command's own name. @return enum weir_exit */
int weir_cli_run(int argc, char **argv);
int weir_cli_reproduce(int argc, char **argv);
int weir_cli_report(int argc, char **argv);
int weir_cli_allocate(int argc, char **argv);
int weir_cli_serve(int argc, char **argv);
int weir_cli_ping(int argc, char **argv);
int weir_cli_load(int argc, char **argv);
int weir_cli_list(int argc, char **argv);
int weir_cli_help(int argc, char **argv);
int weir_cli_version(void);

/* Prints how to call a command, or all of them. @return false if name is no command */
bool weir_cli_usage(const char *name);
void weir_cli_overview(bool to_stderr);
#endif
