/* src/results/output/table_rows.h - the tables of a result file as CSV (RFC 4180) or JSON, with the names that
 * doc/results.md has. */
#ifndef WEIR_OUTPUT_TABLE_ROWS_H
#define WEIR_OUTPUT_TABLE_ROWS_H
#include "core/err.h"
#include "store/store.h"
#include <stdbool.h>
#include <stdio.h>

struct weir_table_choice {
    const char *table; /* one of weir_store_table_at() */
    const char *runs;  /* numbers of runs, as "3,14"; NULL = all */
    bool json;         /* one object with all rows, else CSV with a line of names */
};

/**
 * Writes the rows of a table as weir_store_table() reads them. All digits of a number are written.
 * @param store  opened by weir_store_open_read(); no transaction may be open
 * @param path   name of the file, for messages
 * @return 0, or a code with err: WEIR_E_UNKNOWN if there is no such table, else as weir_store_table(). Then a part may
 *         be written. Whether `out` took all is left to the caller
 */
int weir_table_write(FILE *out, struct weir_store *store, const char *path, const struct weir_table_choice *choice,
                     struct weir_err *err);
#endif
