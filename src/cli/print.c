/* src/cli/print.c - errors on stderr, and the check that stdout took everything. */
#include "cli/cli.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

void weir_cli_error(const struct weir_err *err)
{
    if (err->file[0] == '\0')
        (void)fprintf(stderr, "weir: %s\n", err->text);
    else if (err->line == 0)
        (void)fprintf(stderr, "%s: %s\n", err->file, err->text);
    else if (err->col == 0)
        (void)fprintf(stderr, "%s:%u: %s\n", err->file, (unsigned)err->line, err->text);
    else
        (void)fprintf(stderr, "%s:%u:%u: %s\n", err->file, (unsigned)err->line, (unsigned)err->col, err->text);
    if (err->hint[0] != '\0')
        (void)fprintf(stderr, "  hint: %s\n", err->hint);
}

int weir_cli_finish(int status)
{
    struct weir_err err;
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    (void)weir_fail(&err, WEIR_E_FILE, NULL, NULL, "standard output: %s",
                    errno != 0 ? strerror(errno) : "not all was written");
    weir_cli_error(&err);
    return WEIR_EXIT_FAILURE;
}
