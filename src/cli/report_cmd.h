/* src/cli/report_cmd.h - where a page may go: asked by `weir report`, and by `weir reproduce` before hours of runs. */
#ifndef WEIR_CLI_REPORT_CMD_H
#define WEIR_CLI_REPORT_CMD_H
#include "core/err.h"

/* An ordinary file that is there must be a page, or empty. What is no file (a pipe, a terminal) is not looked at: reading would
 * wait for its other end. @return 0, or a code with err */
int weir_report_target(const char *name, struct weir_err *err);
#endif
