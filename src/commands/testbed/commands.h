/* src/commands/testbed/commands.h - commands of this program that measurements of several papers run on a testbed. */
#ifndef WEIR_TESTBED_COMMANDS_H
#define WEIR_TESTBED_COMMANDS_H
#include "testbed/figs.h"

#define WEIR_FIG_PORT ":7413"

/* Adds the transport over the kernel's TCP, with one connection to each peer. */
void weir_fig_args_tcp(struct weir_fig_args *args, const char *cc);

/* Starts `weir serve` on a host, and waits until it is ready. It answers calls with 8 bytes. options: its further
 * options. @return the number of the job, or -1 with err */
int weir_fig_serve(struct weir_figs *figs, uint32_t host, const struct weir_fig_args *options, struct weir_err *err);

/* Ends a server, and waits for its end. @return 0, or a code with err */
int weir_fig_end(struct weir_figs *figs, int server, struct weir_err *err);

/* Runs a command to its end, as weir_testbed_start() does. @return its output, or NULL with err */
const char *weir_fig_output(struct weir_figs *figs, uint32_t at, const char *const *args, struct weir_err *err);

/* Waits for a job to end, and reads a number from the JSON that it printed. @return 0, or a code with err */
int weir_fig_number(struct weir_figs *figs, int job, const char *json_path, double *value, struct weir_err *err);
#endif
