/* src/base/core/err.h - an error that is the user's: position, sentence, hint. Returned at once; only cli/ prints. */
#ifndef WEIR_CORE_ERR_H
#define WEIR_CORE_ERR_H
#include <stdint.h>

enum weir_err_code {
    WEIR_E_OK,
    WEIR_E_SYNTAX,   /* not what the format allows */
    WEIR_E_UNKNOWN,  /* a key or name we do not have */
    WEIR_E_RANGE,    /* a value out of its range */
    WEIR_E_UNIT,     /* a unit missing or of the wrong kind */
    WEIR_E_CONFLICT, /* two settings that do not fit each other */
    WEIR_E_FILE,     /* cannot be opened, read or written */
    WEIR_E_MEMORY,
    WEIR_E_RUN,  /* something failed while the run was on */
    WEIR_E_BUSY, /* another program has the file: later it may be free */
};

struct weir_tok { /* a part of the user's text and its position */
    const char *text;
    const char *file;   /* path as the user gave it; "--set" for the command line; NULL = nowhere */
    uint32_t line, col; /* from 1; 0 = the file as a whole */
};

struct weir_err {
    enum weir_err_code code;
    uint32_t line, col;
    char file[256], text[512], hint[512]; /* hint may be empty */
};

/**
 * Fills err and returns its code, so that a refusal is one line:
 * return weir_fail(err, WEIR_E_RANGE, tok, hint, "..", ..).
 * @param tok   where; NULL = nowhere in particular
 * @param hint  what to do about it; NULL = nothing to add
 * @return code, never 0
 */
__attribute__((format(printf, 5, 6))) int weir_fail(struct weir_err *err, enum weir_err_code code,
                                                    const struct weir_tok *tok, const char *hint, const char *format,
                                                    ...);

int weir_fail_memory(struct weir_err *err); /* "out of memory" */

/* Refuses keys that do not fit each other or the network: a weir_fail() without a position, which the caller adds.
 * @return WEIR_E_CONFLICT */
__attribute__((format(printf, 2, 3))) int weir_misfit(struct weir_err *err, const char *format, ...);
#endif
