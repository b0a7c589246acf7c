/* src/transport/bpf/kernel_run.h - runs `ip` and `tc`; also in a build without programs for the kernel. */
#ifndef WEIR_BPF_KERNEL_RUN_H
#define WEIR_BPF_KERNEL_RUN_H
#include "core/err.h"
#include <stdio.h>

/* Runs `program -batch` with these commands, `ip` or `tc`. out: gets what it prints; NULL = nobody reads it. @return
 * 0, or WEIR_E_RUN with err and what it said */
int weir_kernel_run(const char *program, FILE *commands, FILE *out, struct weir_err *err);

/* Runs a program with arguments. said: a temporary file for what it says about an error; out: as above. @return 0;
 * WEIR_E_CONFLICT with err: there is no such program; WEIR_E_RUN with err and what it said */
int weir_kernel_run_args(const char *program, const char **argv, FILE *out, FILE *said, struct weir_err *err);
#endif
