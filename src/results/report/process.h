/* src/results/report/process.h - runs a program with a text as its input, and returns its output. */
#ifndef WEIR_REPORT_PROCESS_H
#define WEIR_REPORT_PROCESS_H
#include "core/err.h"
#include <stddef.h>

/**
 * Runs argv[0] (searched in PATH) in the C locale with `input` on its stdin, and waits for its end.
 * @param argv    ends with NULL
 * @param output  set to what the program wrote to stdout, with a NUL behind it, which the caller frees; NULL on failure
 * @param size    set to its length without the NUL; NULL = not needed
 * @return 0, or with err: WEIR_E_UNKNOWN = there is no such program, or it may not be run; WEIR_E_RUN = it cannot be
 *         started, was ended by a signal, or failed (err has the last line of its stderr); WEIR_E_FILE = a temporary
 *         file cannot be written; WEIR_E_MEMORY
 */
int weir_process_run(const char *const *argv, const char *input, char **output, size_t *size, struct weir_err *err);
#endif
