/* src/commands/kernel/tcp.h - the parts of `weir tcp`. */
#ifndef WEIR_KERNEL_TCP_H
#define WEIR_KERNEL_TCP_H
#include "bpf/law_loader.h"
#include <stdio.h>

/* Prints a law that was loaded: its keys, and how sockets come to it. */
void weir_tcp_print_loaded(const struct weir_law_loaded *loaded, const struct weir_law_options *options);

/* Prints a law's state: since when it runs nobody knows, so it prints counters and keys. */
void weir_tcp_print_status(const struct weir_law_loaded *loaded);

/* Prints the states of laws as JSON. */
void weir_tcp_print_json(FILE *out, const struct weir_law_loaded *loaded, uint32_t count);

/* Prints the schema of that. */
void weir_tcp_schema(FILE *out);

/* Executes `weir tcp weight W COMMAND ..`: runs a command whose sockets have this weight. argv[0] is the weight.
 * @return enum weir_exit; does not return if the command could be started */
int weir_tcp_weight(int argc, char **argv);

/* Executes `weir tcp budget FOLDER SUM`: limits the weights of a cgroup. argv[0] is the folder. @return enum
 * weir_exit */
int weir_tcp_budget(int argc, char **argv);

/* Executes `weir tcp audit`: reads the log of weights for a time, and says who asked for more than the budget has. csv:
 * file with one line per request; NULL = none. @return enum weir_exit: WEIR_EXIT_CHECK if somebody did */
int weir_tcp_audit(uint64_t for_ps, const char *csv);
#endif
