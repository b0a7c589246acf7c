/* src/base/core/err.c - formats errors for the user, before or after a run, never during it. This is the only file of
 * core/ that calls libc. */
#include "core/err.h"
#include <stdarg.h>
#include <stdio.h>

static void fail(struct weir_err *err, enum weir_err_code code, const struct weir_tok *tok, const char *hint,
                 const char *format, va_list args)
{
    err->code = code;
    err->line = tok != NULL ? tok->line : 0;
    err->col = tok != NULL ? tok->col : 0;
    (void)snprintf(err->file, sizeof(err->file), "%s", tok != NULL && tok->file != NULL ? tok->file : "");
    (void)snprintf(err->hint, sizeof(err->hint), "%s", hint != NULL ? hint : "");
    (void)vsnprintf(err->text, sizeof(err->text), format, args);
}

int weir_fail(struct weir_err *err, enum weir_err_code code, const struct weir_tok *tok, const char *hint,
              const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(err, code, tok, hint, format, args);
    va_end(args);
    return (int)code;
}

int weir_fail_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "out of memory");
}

int weir_misfit(struct weir_err *err, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fail(err, WEIR_E_CONFLICT, NULL, NULL, format, args);
    va_end(args);
    return WEIR_E_CONFLICT;
}
