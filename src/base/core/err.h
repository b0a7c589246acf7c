/* src/base/core/err.h - errors for the user: code, position, sentence, hint. Functions return them at once; only cli/
 * prints them. */
#ifndef WEIR_CORE_ERR_H
#define WEIR_CORE_ERR_H
#include <stdint.h>

enum weir_err_code {
    WEIR_E_OK,
    WEIR_E_SYNTAX,   /* a text that the format does not allow */
    WEIR_E_UNKNOWN,  /* an unknown key or name */
    WEIR_E_RANGE,    /* a value out of its range */
    WEIR_E_UNIT,     /* a unit missing or of the wrong kind */
    WEIR_E_CONFLICT, /* two settings that contradict each other */
    WEIR_E_FILE,     /* a file that cannot be opened, read or written */
    WEIR_E_MEMORY,
    WEIR_E_RUN,    /* a failure during the run */
    WEIR_E_BUSY,   /* another program uses the file: a later try may succeed */
    WEIR_E_RANK,   /* another process of the simulation has ended */
    WEIR_E_ENOUGH, /* a callback ends the run, because it has all that it needs: no error of anyone */
};

struct weir_tok { /* a part of the user's text, and its position */
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
 * @param tok   position of the error; NULL = no position
 * @param hint  advice for the user; NULL = none
 * @return code, never 0
 */
__attribute__((format(printf, 5, 6))) int weir_fail(struct weir_err *err, enum weir_err_code code,
                                                    const struct weir_tok *tok, const char *hint, const char *format,
                                                    ...);

int weir_fail_memory(struct weir_err *err); /* as weir_fail(): WEIR_E_MEMORY, "out of memory" */

/* Fills err for keys that contradict each other or the network. err gets no position: the caller adds it. @return
 * WEIR_E_CONFLICT */
__attribute__((format(printf, 2, 3))) int weir_misfit(struct weir_err *err, const char *format, ...);
#endif
