/* src/results/report/db.c - see db.h. */
#include "report/db.h"
#include <math.h>

static int db_fail(const struct weir_db *db, struct weir_err *err)
{
    if ((sqlite3_errcode(db->handle) & 0xff) != SQLITE_CANTOPEN)
        return weir_store_fail(db->store, "cannot be read", err);
    return weir_fail(err, WEIR_E_FILE, NULL,
                     "SQLite wants to keep helper files next to it; a copy in a folder you may write to can be read",
                     "%s: cannot be read: %s", db->path, sqlite3_errmsg(db->handle));
}

int weir_db_prepare(const struct weir_db *db, const char *sql, sqlite3_stmt **stmt, struct weir_err *err)
{
    return sqlite3_prepare_v2(db->handle, sql, -1, stmt, NULL) == SQLITE_OK ? 0 : db_fail(db, err);
}

bool weir_db_step(const struct weir_db *db, sqlite3_stmt *stmt, int *code, struct weir_err *err)
{
    int got = sqlite3_step(stmt);
    *code = got == SQLITE_ROW || got == SQLITE_DONE ? 0 : db_fail(db, err);
    return got == SQLITE_ROW;
}

double weir_db_double(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(stmt, column);
}

int weir_db_open(struct weir_db *db, const char *path, const struct weir_store_caller *caller, struct weir_err *err)
{
    int code;
    *db = (struct weir_db){ .path = path };
    code = weir_store_open_read(&db->store, path, caller, err);
    if (code != 0)
        return code;
    db->handle = weir_store_db(db->store);
    if (sqlite3_exec(db->handle, "BEGIN", NULL, NULL, NULL) !=
        SQLITE_OK) { /* all later reads see the same state of the file */
        code = db_fail(db, err);
        weir_db_close(db);
    }
    return code;
}

void weir_db_close(struct weir_db *db)
{
    weir_store_close(db->store); /* also ends the read transaction; may be NULL */
    *db = (struct weir_db){ 0 };
}
