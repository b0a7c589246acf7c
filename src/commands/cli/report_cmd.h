/* src/commands/cli/report_cmd.h - checks where a page may go: for `weir report`, and for `weir reproduce` before hours
 * of runs. */
#ifndef WEIR_CLI_REPORT_CMD_H
#define WEIR_CLI_REPORT_CMD_H
#include "core/err.h"

/* Checks that a page may be written there: an ordinary file must be a page, or empty. What is no file (a pipe, a
 * terminal) is not read: reading would wait for its other end. Returns 0, or a code with err. */
int weir_report_target(const char *name, struct weir_err *err);
#endif
