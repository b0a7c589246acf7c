/* src/commands/testbed/commands.h - commands of this program that measurements of several papers run on a testbed. */
#ifndef WEIR_TESTBED_COMMANDS_H
#define WEIR_TESTBED_COMMANDS_H
#include "testbed/figs.h"

#define WEIR_FIG_PORT ":7413" /* of servers */

/* Adds the transport over the kernel's TCP, with one connection to each peer. */
void weir_fig_args_tcp(struct weir_fig_args *args, const char *cc);

/* Adds the transport of libweir on links of 200 Mb/s. Few processors serve all hosts, so nobody polls for long. cc: the
 * protocol with its keys. rtt: of the idle network, "340us" */
void weir_fig_args_weir(struct weir_fig_args *args, const char *cc, const char *rtt);

enum { WEIR_FIG_ADDRESS = 24 };

/* Writes the address of a server on a host: "10.77.0.1:7413". */
void weir_fig_server_at(uint32_t host, char out[WEIR_FIG_ADDRESS]);

/* Starts `weir serve` on a host, and waits until it is ready. It answers calls with 8 bytes. options: its further
 * options. @return the number of the job, or -1 with err */
int weir_fig_serve(struct weir_figs *figs, uint32_t host, const struct weir_fig_args *options, struct weir_err *err);

/* The same, of a server with weir_fig_args_weir(). */
int weir_fig_serve_weir(struct weir_figs *figs, uint32_t host, const char *cc, const char *rtt, struct weir_err *err);

/* Measures the round trip of calls from a host to another on the idle network, the median in us. size: of a call, "1400
 * B". @return 0, or a code with err */
int weir_fig_rtt(struct weir_figs *figs, const char *cc, uint32_t from, uint32_t to, const char *size, double *rtt_us,
                 struct weir_err *err);

/* Ends a server, and waits for its end. @return 0, or a code with err */
int weir_fig_end(struct weir_figs *figs, int server, struct weir_err *err);

/* Runs a command to its end, as weir_testbed_start() does. @return its output, or NULL with err */
const char *weir_fig_output(struct weir_figs *figs, uint32_t at, const char *const *args, struct weir_err *err);

/* Waits for a job to end, and reads a number from the JSON that it printed. @return 0, or a code with err */
int weir_fig_number(struct weir_figs *figs, int job, const char *json_path, double *value, struct weir_err *err);
#endif
