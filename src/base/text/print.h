/* src/base/text/print.h - what every command answers to its caller: exit statuses, and how an error reads. */
#ifndef WEIR_TEXT_PRINT_H
#define WEIR_TEXT_PRINT_H
#include "core/err.h"
#include <stdio.h>

enum weir_exit { /* the command's answer to its caller; after SIGINT and the like 128 + signal */
                 WEIR_EXIT_DONE = 0,
                 WEIR_EXIT_CHECK = 1,   /* an invariant did not hold, or the run stalled */
                 WEIR_EXIT_USAGE = 2,   /* command line or configuration, named files that cannot be opened included */
                 WEIR_EXIT_FAILURE = 3, /* memory or I/O gave out during the run */
                 WEIR_EXIT_AGAIN = 75,  /* the same command may do better later, as EX_TEMPFAIL of sysexits.h */
                 WEIR_EXIT_SIGNAL = 128,
};

/* Writes a foreign text as a terminal may have it: control characters (C1 too) and bytes that are no UTF-8 as \\xHH. */
void weir_cli_text(FILE *out, const char *text);

/* Writes "file:line:col: text" and, if there is one, "  hint: .." to stderr. */
void weir_cli_error(const struct weir_err *err);

/* Writes what the command goes on with, as weir_cli_error() does: "file:line:col: warning: text". */
void weir_cli_warn(const struct weir_err *err);

/* Prints an error as weir_cli_error() does, before the work began. @return WEIR_EXIT_USAGE, or WEIR_EXIT_FAILURE if the
 * user is not the one to mend it; WEIR_EXIT_AGAIN if another program is in the way */
int weir_cli_refused(const struct weir_err *err);

/* Prints an error as weir_cli_error() does, once the work began. @return WEIR_EXIT_FAILURE */
int weir_cli_failed(const struct weir_err *err);

/* Writes an argument of a command as a shell takes it: with quotes unless it has letters, digits and "_-./" only. */
void weir_cli_shell_word(FILE *out, const char *arg);

/* Flushes stdout. @return status, or WEIR_EXIT_FAILURE with a sentence on stderr if what was printed did not get out */
int weir_cli_finish(int status);
#endif
