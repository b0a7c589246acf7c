/* src/commands/live/tools.h - the commands `weir serve`, `weir ping`, `weir load` and `weir delay`. */
#ifndef WEIR_LIVE_TOOLS_H
#define WEIR_LIVE_TOOLS_H
#include <stdbool.h>

/**
 * Executes a command.
 * @param argv  the arguments; argv[0] is the command's own name
 * @param help  false before the call; set to true if the arguments ask for the usage. Then nothing was done, and the
 *              caller prints the usage
 * @return exit status: enum weir_exit, or 128 + signal
 */
int weir_live_serve(int argc, char **argv, bool *help);
int weir_live_ping(int argc, char **argv, bool *help);
int weir_live_load(int argc, char **argv, bool *help);
int weir_live_delay(int argc, char **argv, bool *help);
#endif
