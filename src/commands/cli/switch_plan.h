/* src/commands/cli/switch_plan.h - from a scenario to a switch in the kernel; and the print of its state. */
#ifndef WEIR_CLI_SWITCH_PLAN_H
#define WEIR_CLI_SWITCH_PLAN_H
#include "bpf/kernel_switch.h"
#include "setup/setup.h"
#include <stdio.h>

/**
 * Makes *sw from a scenario with one switch and a section `switch`.
 * @param setup  by weir_setup_fabric()
 * @return 0, or a code with err: what no switch in the kernel can do, or hosts and devices that do not fit the topology
 */
int weir_switch_plan(struct weir_kernel_switch *sw, const struct weir_setup *setup, struct weir_err *err);

/* Prints the features of a switch on one line: "codel, rpm per flow". */
void weir_switch_print_features(FILE *out, const struct weir_switch_keys *keys);

/* Prints ports, queues and counters. */
void weir_switch_print(FILE *out, const struct weir_kernel_status *status);

/* Prints the same as one JSON object, with every counter of every port. */
void weir_switch_print_json(FILE *out, const struct weir_kernel_status *status);

/* Prints the schema of that. */
void weir_switch_schema(FILE *out);

/* Computes a percentile of sojourn times in ns: the upper end of the bucket that it lies in, at most the longest time.
 * permille: 1 .. 1000. @return 0 if there were no frames */
uint64_t weir_switch_percentile_ns(const struct weir_switch_counts *counts, uint32_t permille);
#endif
