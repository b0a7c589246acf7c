/* src/results/report/db.h - a result file, opened for reading only; doc/results.md describes its content. */
#ifndef WEIR_REPORT_DB_H
#define WEIR_REPORT_DB_H
#include "store/store.h"
#include <sqlite3.h>
#include <stdbool.h>

struct weir_db {
    struct weir_store *store;
    sqlite3 *handle;  /* its connection */
    const char *path; /* as the user named it; lent */
};

/* Opens a file and holds on to what it contains now: a run that goes on meanwhile does not show.
 * @return 0, or a code with err as of weir_store_open_read(), which is lent the caller; then nothing is open */
int weir_db_open(struct weir_db *db, const char *path, const struct weir_store_caller *caller, struct weir_err *err);
void weir_db_close(struct weir_db *db);

/* Prepares one statement. @return 0, or a code with err */
int weir_db_prepare(const struct weir_db *db, const char *sql, sqlite3_stmt **stmt, struct weir_err *err);

/* Steps to the next row. Returns true if there is one; false at the end, or on a failure: then *code and err are
 * set. */
bool weir_db_step(const struct weir_db *db, sqlite3_stmt *stmt, int *code, struct weir_err *err);

/* Returns a number of the row; not-a-number if it is NULL. */
double weir_db_double(sqlite3_stmt *stmt, int column);
#endif
