/* src/results/report/db.h - opens and reads a result file, read-only. doc/results.md describes its tables. */
#ifndef WEIR_REPORT_DB_H
#define WEIR_REPORT_DB_H
#include "store/store.h"
#include <sqlite3.h>
#include <stdbool.h>

struct weir_db {
    struct weir_store *store;
    sqlite3 *handle;  /* SQLite connection of the store */
    const char *path; /* as the user named it; lent */
};

/* Opens a result file and begins a transaction: all reads see the file as it is at the first read, whatever a writer
 * changes later. path and caller are lent until weir_db_close(). Returns 0, or a code with err; then nothing is
 * open. */
int weir_db_open(struct weir_db *db, const char *path, const struct weir_store_caller *caller, struct weir_err *err);
void weir_db_close(struct weir_db *db);

/* Prepares one statement, which the caller ends by sqlite3_finalize(). Returns 0, or a code with err. */
int weir_db_prepare(const struct weir_db *db, const char *sql, sqlite3_stmt **stmt, struct weir_err *err);

/* Steps to the next row of a statement. Returns true if there is one, and false after the last row or on a failure.
 * Sets *code to 0, or on a failure to a code with err. */
bool weir_db_step(const struct weir_db *db, sqlite3_stmt *stmt, int *code, struct weir_err *err);

/* Returns a number of the present row; NaN if the column is SQL NULL. */
double weir_db_double(sqlite3_stmt *stmt, int column);
#endif
