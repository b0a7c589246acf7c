/* src/results/store/table.h - reads a table of a result file row by row, in the order and with the names of
 * doc/results.md. */
#ifndef WEIR_STORE_TABLE_H
#define WEIR_STORE_TABLE_H
#include "core/err.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WEIR_STORE_COLUMNS_MAX 64

struct weir_store;

enum weir_store_kind { WEIR_STORE_NULL, WEIR_STORE_INTEGER, WEIR_STORE_REAL, WEIR_STORE_TEXT };

struct weir_store_value { /* of a column; lent for one call */
    const char *name;
    enum weir_store_kind kind; /* which of the fields below counts */
    int64_t integer;
    double real;
    const char *text;
};

struct weir_store_visitor { /* both return false to end the reading, which is no error */
    bool (*names)(void *ctx, const struct weir_store_value *column, uint32_t count); /* once, before the rows */
    bool (*row)(void *ctx, const struct weir_store_value *column, uint32_t count);
    void *ctx;
};

/* Returns the name of the i-th table, from 0; NULL = there are no more. */
const char *weir_store_table_at(size_t i);

/**
 * Reads a table, run by run; all of it in one state of the file. Series have one row per point. Messages have the
 * columns of `weir run --messages` behind that of their run.
 * @param store  opened by weir_store_open_read(); no transaction may be open
 * @param path   name of the file, for messages
 * @param name   one of weir_store_table_at()
 * @param runs   numbers of runs, as "3,14": digits and commas alone; NULL = all
 * @return 0, or a code with err: WEIR_E_UNKNOWN (no such run), WEIR_E_RANGE (too many of them), WEIR_E_FILE (cannot be
 *         read, or an older Weir wrote the file without the table), WEIR_E_RUN (stopped() of the caller), WEIR_E_MEMORY
 */
int weir_store_table(struct weir_store *store, const char *path, const char *name, const char *runs,
                     const struct weir_store_visitor *visitor, struct weir_err *err);
#endif
