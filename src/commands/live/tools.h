/* src/commands/live/tools.h - the commands `weir serve`, `weir ping` and `weir load`. */
#ifndef WEIR_LIVE_TOOLS_H
#define WEIR_LIVE_TOOLS_H
#include <stdbool.h>

/**
 * Executes a tool; argv[0] is the command's own name.
 * @param help  set if the command line asks how to call it; nothing was done then, and the caller prints that
 * @return enum weir_exit, if help was not asked for
 */
int weir_live_serve(int argc, char **argv, bool *help);
int weir_live_ping(int argc, char **argv, bool *help);
int weir_live_load(int argc, char **argv, bool *help);
#endif
