/* src/results/report/process.h - runs a program: text in, text out. */
#ifndef WEIR_REPORT_PROCESS_H
#define WEIR_REPORT_PROCESS_H
#include "core/err.h"
#include <stddef.h>

/**
 * Runs argv[0] (searched in PATH) in the C locale with `input` on its stdin, and waits for its end.
 * @param argv    ends with NULL
 * @param output  what it wrote to stdout, ended by a zero byte; the caller's to free; NULL on an error
 * @return 0, or a code with err. WEIR_E_UNKNOWN = there is no such program. WEIR_E_RUN = it failed, with the last line
 * it wrote to stderr. WEIR_E_FILE = no room for temporary files. WEIR_E_MEMORY
 */
int weir_process_run(const char *const *argv, const char *input, char **output, struct weir_err *err);
#endif
