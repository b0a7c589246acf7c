/* src/commands/cli/run_skip.h - what run.skip: exact cannot be combined with on the command line. */
#ifndef WEIR_CLI_RUN_SKIP_H
#define WEIR_CLI_RUN_SKIP_H
#include "cli/args.h"
#include "setup/setup.h"

int weir_cli_skip_check(const struct weir_run_args *args, const struct weir_setup *setup, struct weir_err *err);
#endif
