/* src/commands/cli/testbed_cmd.h - the part of `weir reproduce` that measures on hosts of this machine instead of
 * simulating. */
#ifndef WEIR_CLI_TESTBED_CMD_H
#define WEIR_CLI_TESTBED_CMD_H

/* Executes `weir reproduce PAPER` for a paper of weir_fig_papers; argv is that of weir_cli_reproduce(). @return
 * enum weir_exit */
int weir_cli_testbed(int argc, char **argv);
#endif
