/* src/results/store/store_internal.h - an open file, and the functions that the files of this room share; no other file
 * includes it. */
#ifndef WEIR_STORE_STORE_INTERNAL_H
#define WEIR_STORE_STORE_INTERNAL_H
#include "core/err.h"
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct weir_store_caller;

struct weir_store {
    sqlite3 *db;
    char *name; /* as the user gave it, for messages */
    char *path; /* links resolved */
    sqlite3_stmt *message, *point;
    int64_t message_run, message_key;       /* whose messages came last, and the next one's key; 0 = none came yet */
    const struct weir_store_caller *caller; /* NULL = none; asked while a query runs */
    uint64_t steps_left;                    /* of SQLite's virtual machine (guard.c) */
    int fd;                  /* of the file, from before SQLite's until after; a writer's has the lock on it */
    bool created;            /* by us, just now */
    bool stopped, exhausted; /* a query was ended: the caller wanted it; there were no steps left */
};

/* message.key = run << 40 | how many messages of the run come before it. */
#define WEIR_STORE_KEY_BITS 40

/* Makes a connection safe for a file of a stranger, before its first statement. Switches off triggers, views and what a
 * schema may not call, and bounds the steps of queries. */
void weir_store_guard(struct weir_store *store);

/* Refuses texts of more than 64 MiB from now on: no query of ours can be ended while SQLite takes such a one apart. */
void weir_store_limit_cells(struct weir_store *store);

/* Grants as many steps as a file of this size may need, and of another file of other_bytes that is attached. */
void weir_store_grant(struct weir_store *store, uint64_t other_bytes);

/* Returns the bytes of a file and its write-ahead log. */
uint64_t weir_store_bytes(const char *path);

/* Refuses a file whose schema could run code of its own; names what else is in it to the caller. @return 0, or a code
 * with err */
int weir_store_check_schema(struct weir_store *store, struct weir_err *err);

/* Executes statements without result rows. */
int weir_store_exec(struct weir_store *store, const char *sql, struct weir_err *err);

/* Reads the first column of the first row; 0 if there is none. */
int weir_store_number(struct weir_store *store, const char *sql, int64_t *number, struct weir_err *err);

/* Prepares a statement; the caller frees it. */
int weir_store_prepare(struct weir_store *store, const char *sql, sqlite3_stmt **stmt, struct weir_err *err);

/* Executes a bound statement without result rows, and resets it. */
int weir_store_step(struct weir_store *store, sqlite3_stmt *stmt, struct weir_err *err);

/* Executes such a statement, and frees it. */
int weir_store_step_once(struct weir_store *store, sqlite3_stmt *stmt, struct weir_err *err);

/* Reads the number that a bound statement returns, 0 if it has no row, and frees the statement. */
int weir_store_take_number(struct weir_store *store, sqlite3_stmt *stmt, int64_t *number, struct weir_err *err);

/**
 * Opens the file with the writer's lock on it. Close it after SQLite has closed the file, never before.
 * @param made    NULL = the file must exist; else it is made, and *made is whether it was
 * @param caller  as weir_store_open()
 * @return 0, or a code with err
 */
int weir_store_lock(const char *name, bool *made, const struct weir_store_caller *caller, int *fd,
                    struct weir_err *err);

/* Opens as weir_store_open() does, but the file must exist. */
int weir_store_open_there(struct weir_store **store, const char *path, const struct weir_store_caller *caller,
                          struct weir_err *err);

/* Removes the earlier runs that this one replaces, as weir_store_run_end() defines them. */
int weir_store_replace(struct weir_store *store, int64_t run, struct weir_err *err);

/* Reads the first bytes, without SQLite: a file that is not ours is not touched. An empty file is fine if
 * may_be_empty. */
int weir_store_recognise(const char *name, int fd, bool may_be_empty, struct weir_err *err);
#endif
