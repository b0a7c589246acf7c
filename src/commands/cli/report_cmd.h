/* src/commands/cli/report_cmd.h - checks of `weir report` that other commands also make. */
#ifndef WEIR_CLI_REPORT_CMD_H
#define WEIR_CLI_REPORT_CMD_H
#include "core/err.h"
#include <stdbool.h>

/* Checks that the file `name` may be replaced by an HTML page: there is no such file, or it is empty or an HTML page. A
 * file that is not regular (a pipe, a terminal) is accepted without reading it, because reading could block. @return 0,
 * or a code with err. Commands that make the page hours later ask before. */
int weir_report_target(const char *name, struct weir_err *err);

/* Returns the name of a page, which the caller frees: `given`, else that of the first input with .html in the place of
 * its ending. given: the argument of -o; NULL = not given. @return NULL = no memory */
char *weir_report_page_name(const char *given, const char *first);

/* Tests whether a text is a list of numbers of runs, from 1: "3,14,15". */
bool weir_report_is_run_list(const char *text);
#endif
