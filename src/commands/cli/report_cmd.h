/* src/commands/cli/report_cmd.h - checks that a page may be written to a file; also used by commands that make the page
 * hours later. */
#ifndef WEIR_CLI_REPORT_CMD_H
#define WEIR_CLI_REPORT_CMD_H
#include "core/err.h"

/* Checks that the file `name` may be replaced by an HTML page: there is no such file, or it is empty or an HTML page. A
 * file that is not regular (a pipe, a terminal) is accepted without reading it, because reading could block. @return 0,
 * or a code with err */
int weir_report_target(const char *name, struct weir_err *err);
#endif
