/* src/results/store/store_internal.h - an open file, and the functions that the files of this room share. No file of
 * another room includes this one. */
#ifndef WEIR_STORE_STORE_INTERNAL_H
#define WEIR_STORE_STORE_INTERNAL_H
#include "core/err.h"
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct weir_store_caller;

struct weir_store {
    sqlite3 *db;
    char *name; /* path as the user gave it, for messages */
    char *path; /* absolute path, with links resolved */
    sqlite3_stmt *message, *point;
    int64_t message_run, message_key;       /* message_run: run of the message that was added last, 0 = none.
                                               message_key: key of the next message of message_run */
    const struct weir_store_caller *caller; /* caller->stopped() is called while a query runs; NULL = none */
    uint64_t steps_left;                    /* steps of SQLite's virtual machine that queries may still take
                                               (guard.c) */
    int fd;                  /* opened before SQLite opens the file, closed after SQLite closes it; a writer holds the
                                lock on fd */
    bool created;            /* weir_store_open() has made the file */
    bool has_begun_run;      /* a run was added: the file is kept, unless a query says that it has none any more */
    bool stopped, exhausted; /* a query was ended: by stopped() of the caller; because no steps were left */
};

/* The key of a message in table message is (run << 40) + n, where n counts the messages of the run from 0. */
#define WEIR_STORE_KEY_BITS 40

/* Makes a connection safe for a foreign file; has to be called before the first statement. Switches off triggers, views
 * and unsafe functions in the schema, limits the steps of queries, and limits the wait for locks of other programs. */
void weir_store_guard(struct weir_store *store);

/* Refuses texts of more than 64 MiB from now on, since no query can be ended while SQLite parses a single text. */
void weir_store_limit_cells(struct weir_store *store);

/* Sets the number of steps that queries may still take, by the size of the file plus other_bytes. other_bytes: size of
 * an attached file, 0 = there is none */
void weir_store_grant(struct weir_store *store, uint64_t other_bytes);

/* Returns the size of a file together with its write-ahead log; 0 = neither exists. */
uint64_t weir_store_bytes(const char *path);

/* Refuses a file whose schema could run code. Passes the names of foreign objects to store->caller->ignored(). @return
 * 0, or a code with err */
int weir_store_check_schema(struct weir_store *store, struct weir_err *err);

/* Executes statements, and discards rows that they return. @return 0, or a code with err */
int weir_store_exec(struct weir_store *store, const char *sql, struct weir_err *err);

/* Executes a query and sets *number to the first column of the first row; 0 if there is no row or the column is NULL.
 * @return 0, or a code with err */
int weir_store_number(struct weir_store *store, const char *sql, int64_t *number, struct weir_err *err);

/* Sets *has to whether table message has the column `weight`, which files of an older Weir lack until they are next
 * written. @return 0, or a code with err */
int weir_store_has_weight(struct weir_store *store, bool *has, struct weir_err *err);

/* Prepares *stmt, which the caller finalises. @return 0, or a code with err */
int weir_store_prepare(struct weir_store *store, const char *sql, sqlite3_stmt **stmt, struct weir_err *err);

/* Executes a bound statement without result rows, and resets the statement. @return 0, or a code with err */
int weir_store_step(struct weir_store *store, sqlite3_stmt *stmt, struct weir_err *err);

/* Executes a bound statement without result rows, and finalises the statement. @return 0, or a code with err */
int weir_store_step_once(struct weir_store *store, sqlite3_stmt *stmt, struct weir_err *err);

/* Executes a bound query, sets *number as weir_store_number() does, and finalises the statement. @return 0, or a code
 * with err */
int weir_store_take_number(struct weir_store *store, sqlite3_stmt *stmt, int64_t *number, struct weir_err *err);

/**
 * Opens the file and takes the writer's lock on the file. Close *fd after SQLite has closed the file, never before.
 * @param made    false before the call; set to whether the call made the file. NULL = the file must exist
 * @param caller  caller->busy() is called while another writer has the lock; NULL = do not wait
 * @param fd      set to the descriptor; -1 on failure
 * @return 0, or a code with err
 */
int weir_store_lock(const char *name, bool *made, const struct weir_store_caller *caller, int *fd,
                    struct weir_err *err);

/* Opens a file as weir_store_open() does, but the file must exist. */
int weir_store_open_there(struct weir_store **store, const char *path, const struct weir_store_caller *caller,
                          struct weir_err *err);

/* Removes the runs that `run` replaces, as weir_store_run_end() defines them. @return 0, or a code with err */
int weir_store_replace(struct weir_store *store, int64_t run, struct weir_err *err);

/* Checks the header of a file by its first bytes, before SQLite could change the file: format, application id and
 * version. Accepts an empty file if may_be_empty. name: for messages. @return 0, or WEIR_E_FILE with err */
int weir_store_recognise(const char *name, int fd, bool may_be_empty, struct weir_err *err);

/* Refuses a file whose rollback journal would have SQLite remove a file of another name. To be called
 * before SQLite opens the file. @return 0, or WEIR_E_FILE with err */
int weir_store_check_journal(const struct weir_store *store, struct weir_err *err);
#endif
