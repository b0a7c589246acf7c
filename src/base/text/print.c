/* src/base/text/print.c - prints errors on stderr, and checks that stdout took all output. */
#include "text/print.h"
#include "core/utf8.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Escapes C1 control characters, U+0080 .. U+009F, as well: some terminals execute them. */
void weir_cli_text(FILE *out, const char *text)
{
    const unsigned char *s = (const unsigned char *)text;
    while (*s != '\0') {
        size_t length = weir_utf8_length(s), take = length > 0 ? length : 1;
        bool is_c1 = length == 2 && s[0] == 0xc2 && s[1] < 0xa0;
        if (length > 0 && !is_c1 && !weir_is_control((char)*s))
            (void)fwrite(s, 1, take, out);
        else
            for (size_t i = 0; i < take; i++)
                (void)fprintf(out, "\\x%02x", (unsigned)s[i]);
        s += take;
    }
}

static void print(const struct weir_err *err, const char *sort)
{
    weir_cli_text(stderr, err->file[0] != '\0' ? err->file : "weir");
    if (err->file[0] != '\0' && err->line != 0)
        (void)fprintf(stderr, ":%u", (unsigned)err->line);
    if (err->file[0] != '\0' && err->line != 0 && err->col != 0)
        (void)fprintf(stderr, ":%u", (unsigned)err->col);
    (void)fprintf(stderr, ": %s", sort);
    weir_cli_text(stderr, err->text);
    if (err->hint[0] != '\0') {
        (void)fputs("\n  hint: ", stderr);
        weir_cli_text(stderr, err->hint);
    }
    (void)fputc('\n', stderr);
}

void weir_cli_error(const struct weir_err *err)
{
    print(err, "");
}

void weir_cli_warn(const struct weir_err *err)
{
    print(err, "warning: ");
}

void weir_cli_shell_argument(FILE *out, const char *arg)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./";
    if (arg[0] != '\0' && arg[strspn(arg, plain)] == '\0') {
        (void)fputs(arg, out);
        return;
    }
    (void)fputc('\'', out);
    for (; *arg != '\0'; arg++)
        (void)fputs(*arg == '\'' ? "'\\''" : (const char[]){ *arg, '\0' }, out);
    (void)fputc('\'', out);
}

int weir_cli_refused(const struct weir_err *err)
{
    weir_cli_error(err);
    if (err->code == WEIR_E_BUSY)
        return WEIR_EXIT_AGAIN;
    return err->code == WEIR_E_MEMORY || err->code == WEIR_E_RUN || err->code == WEIR_E_RANK ? WEIR_EXIT_FAILURE
                                                                                             : WEIR_EXIT_USAGE;
}

int weir_cli_failed(const struct weir_err *err)
{
    weir_cli_error(err);
    return WEIR_EXIT_FAILURE;
}

int weir_cli_interrupted(int number, const char *what)
{
    (void)fprintf(stderr, "weir: interrupted; %s\n", what);
    return WEIR_EXIT_SIGNAL + number;
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
