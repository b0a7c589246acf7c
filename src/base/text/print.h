/* src/base/text/print.h - exit statuses of commands, and how errors and other texts are printed. */
#ifndef WEIR_TEXT_PRINT_H
#define WEIR_TEXT_PRINT_H
#include "core/err.h"
#include <stdio.h>

enum weir_exit { /* exit status of a command; 128 + signal if a signal ended it */
                 WEIR_EXIT_DONE = 0,
                 WEIR_EXIT_CHECK = 1,   /* an invariant is violated, or the run stalled */
                 WEIR_EXIT_USAGE = 2,   /* error in the command line or configuration, or a named file cannot be
                                           opened */
                 WEIR_EXIT_FAILURE = 3, /* no memory, or an I/O error during the run */
                 WEIR_EXIT_AGAIN = 75,  /* the same command may succeed later; EX_TEMPFAIL of sysexits.h */
                 WEIR_EXIT_SIGNAL = 128,
};

/* Prints a text that may contain anything, so that a terminal cannot execute parts of it. Each byte of a control
 * character (also C1), and each byte that is not UTF-8, is printed as \xhh, two hexadecimal digits. */
void weir_cli_text(FILE *out, const char *text);

/* Prints an error to stderr: "file:line:col: text", and on a second line "hint: .." if there is a hint. A line or
 * column of 0 is left out; without a file the text begins with "weir: ". */
void weir_cli_error(const struct weir_err *err);

/* Prints a warning to stderr, as weir_cli_error() does: "file:line:col: warning: text". The command goes on. */
void weir_cli_warn(const struct weir_err *err);

/* Prints an error that occurred before the work began, as weir_cli_error() does. @return WEIR_EXIT_USAGE;
 * WEIR_EXIT_AGAIN if another program uses the file; WEIR_EXIT_FAILURE for WEIR_E_MEMORY and WEIR_E_RUN */
int weir_cli_refused(const struct weir_err *err);

/* Prints an error that occurred after the work began, as weir_cli_error() does. @return WEIR_EXIT_FAILURE */
int weir_cli_failed(const struct weir_err *err);

/* Prints on stderr that a signal has ended the command: "weir: interrupted; " and `what`. @return the exit status for
 * signal `number` */
int weir_cli_interrupted(int number, const char *what);

/* Prints an argument of a command for a shell: in single quotes, unless it consists of letters, digits and "_-./"
 * only. */
void weir_cli_shell_argument(FILE *out, const char *arg);

/* Flushes stdout. @return status; WEIR_EXIT_FAILURE, with a message on stderr, if not all output could be written */
int weir_cli_finish(int status);
#endif
