/* src/results/store/store.c - opens and closes result files, executes SQL statements, and has the transactions and the
 * schema. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "core/assert.h"
#include "store/store.h"
#include "store/store_internal.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* The tables of a new file. Only table message is large, and an index by run would double the cost of adding a row. So
 * the upper bits of the key have the number of the run. New rows go to the end of the table, and the rows of a run are
 * contiguous. */
static const char schema[] =
    "BEGIN IMMEDIATE;"
    "PRAGMA application_id = 1466263922;" /* "Weir" */
    "PRAGMA user_version = 1;"
    "CREATE TABLE run (id INTEGER PRIMARY KEY, name TEXT NOT NULL, label TEXT NOT NULL,"
    " status TEXT NOT NULL CHECK (status IN ('running', 'done', 'interrupted', 'failed')),"
    " started_utc TEXT NOT NULL, weir_version TEXT, commit_id TEXT, machine TEXT, protocol TEXT, preset TEXT,"
    " seed, threads INTEGER, digest TEXT, sim_s REAL, wall_s REAL, scenario TEXT, settings TEXT, json TEXT,"
    " experiment TEXT, figure TEXT, point TEXT);"
    "CREATE TABLE message (run INTEGER NOT NULL REFERENCES run, id INTEGER NOT NULL, src INTEGER NOT NULL,"
    " dst INTEGER NOT NULL, item INTEGER NOT NULL, bytes INTEGER NOT NULL, start_ps INTEGER NOT NULL,"
    " end_ps INTEGER NOT NULL, ideal_ps INTEGER NOT NULL, payload_ideal_ps INTEGER NOT NULL,"
    " retransmissions INTEGER NOT NULL, marks INTEGER NOT NULL, key INTEGER PRIMARY KEY, weight REAL);"
    "CREATE TABLE series (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL,"
    " unit TEXT NOT NULL, place TEXT);"
    "CREATE INDEX series_by_run ON series (run, name);"
    "CREATE TABLE point (series INTEGER NOT NULL REFERENCES series, t_ps INTEGER NOT NULL, value REAL NOT NULL,"
    " PRIMARY KEY (series, t_ps)) WITHOUT ROWID;"
    "CREATE TABLE histogram (run INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL, unit TEXT NOT NULL,"
    " lo REAL NOT NULL, hi REAL NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (run, name, lo)) WITHOUT ROWID;"
    "CREATE TABLE by_size (run INTEGER NOT NULL REFERENCES run, denominator TEXT NOT NULL,"
    " lo_bytes INTEGER NOT NULL, hi_bytes INTEGER NOT NULL, count INTEGER NOT NULL, p50 REAL NOT NULL,"
    " p99 REAL NOT NULL, PRIMARY KEY (run, denominator, lo_bytes)) WITHOUT ROWID;"
    "CREATE TABLE metric (run INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL, value REAL,"
    " PRIMARY KEY (run, name)) WITHOUT ROWID;"
    "COMMIT;";
/* Tables that were added later, in one transaction: each would wait for the disk by itself. A file without them has the
 * same version: readers of the other tables are not affected. */
static const char later[] =
    "BEGIN IMMEDIATE;"
    "CREATE TABLE IF NOT EXISTS job (run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL, name TEXT NOT NULL,"
    " start_ps INTEGER NOT NULL, end_ps INTEGER, flows INTEGER NOT NULL, ended INTEGER NOT NULL,"
    " PRIMARY KEY (run, number)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS coflow (run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL,"
    " job TEXT NOT NULL, name TEXT NOT NULL, start_ps INTEGER, first_end_ps INTEGER, end_ps INTEGER,"
    " flows INTEGER NOT NULL, ended INTEGER NOT NULL, PRIMARY KEY (run, number)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS finding (run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL,"
    " kind TEXT NOT NULL, place TEXT, text TEXT NOT NULL, numbers TEXT NOT NULL, PRIMARY KEY (run, number))"
    " WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS law (run INTEGER NOT NULL REFERENCES run, number INTEGER NOT NULL,"
    " protocol TEXT NOT NULL, class INTEGER NOT NULL, messages_started INTEGER NOT NULL,"
    " messages_completed INTEGER NOT NULL, goodput_gbps REAL NOT NULL, marks INTEGER NOT NULL, drops INTEGER NOT NULL,"
    " retransmissions INTEGER NOT NULL, timeouts INTEGER NOT NULL, p50 REAL, p99 REAL, PRIMARY KEY (run, number))"
    " WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS class (run INTEGER NOT NULL REFERENCES run, class INTEGER NOT NULL,"
    " messages_started INTEGER NOT NULL, messages_completed INTEGER NOT NULL, goodput_gbps REAL NOT NULL,"
    " marks INTEGER NOT NULL, drops INTEGER NOT NULL, retransmissions INTEGER NOT NULL, timeouts INTEGER NOT NULL,"
    " p50 REAL, p99 REAL, PRIMARY KEY (run, class)) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS failure (run INTEGER PRIMARY KEY REFERENCES run, reason TEXT NOT NULL);"
    "CREATE TABLE IF NOT EXISTS kept (run INTEGER PRIMARY KEY REFERENCES run, most INTEGER NOT NULL,"
    " messages INTEGER NOT NULL, slowest INTEGER NOT NULL, slowest_from REAL, others INTEGER NOT NULL,"
    " weight REAL NOT NULL);"
    "COMMIT;";
_Static_assert(WEIR_STORE_APPLICATION_ID == 1466263922 && WEIR_STORE_VERSION == 1, "the schema says so");

/* Returns the errno that caused the last error of SQLite; 0 = the cause is not the operating system. number: the
 * current errno, returned if SQLite has kept none, as after a failed commit */
static int system_reason(struct weir_store *store, int number)
{
    int code = sqlite3_errcode(store->db) & 0xff, system = sqlite3_system_errno(store->db);
    if (code == SQLITE_FULL)
        return ENOSPC;
    if (code != SQLITE_IOERR && code != SQLITE_CANTOPEN)
        return 0;
    return system != 0 ? system : number;
}

/* Fills err with the first reason that applies: a query was ended (weir_store_check()), no memory, a lock of another
 * program, an error of the operating system. If none applies, uses the message of SQLite. */
int weir_store_fail(struct weir_store *store, const char *what, struct weir_err *err)
{
    int number = system_reason(store, errno), code = sqlite3_errcode(store->db) & 0xff;
    if (weir_store_check(store, err) != 0)
        return err->code;
    if (code == SQLITE_NOMEM)
        return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "%s: not enough memory", store->name);
    if (code == SQLITE_BUSY || code == SQLITE_LOCKED)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "end the transaction of whatever program has the file open",
                         "%s: %s: another program has locked it", store->name, what);
    if (number != 0)
        return weir_fail(err, WEIR_E_FILE, NULL,
                         code == SQLITE_CANTOPEN ? "its folder must be writable too, for the write-ahead log"
                         : strcmp(what, "cannot be read") == 0 ? NULL
                                                               : "what was committed before is in the file",
                         "%s: %s: %s", store->name, what, strerror(number));
    return weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: %s: %s", store->name, what, sqlite3_errmsg(store->db));
}

int weir_store_exec(struct weir_store *store, const char *sql, struct weir_err *err)
{
    WEIR_ASSERT(store->db != NULL);
    if (sqlite3_exec(store->db, sql, NULL, NULL, NULL) != SQLITE_OK)
        return weir_store_fail(store, "cannot be written", err);
    return 0;
}

int weir_store_prepare(struct weir_store *store, const char *sql, sqlite3_stmt **stmt, struct weir_err *err)
{
    WEIR_ASSERT(store->db != NULL);
    if (sqlite3_prepare_v2(store->db, sql, -1, stmt, NULL) != SQLITE_OK)
        return weir_store_fail(store, "cannot be used", err);
    return 0;
}

int weir_store_step(struct weir_store *store, sqlite3_stmt *stmt, struct weir_err *err)
{
    WEIR_ASSERT(stmt != NULL);
    if (sqlite3_step(stmt) != SQLITE_DONE) {
        int code = weir_store_fail(store, "cannot be written", err);
        (void)sqlite3_reset(stmt);
        return code;
    }
    (void)sqlite3_reset(stmt);
    return 0;
}

int weir_store_step_once(struct weir_store *store, sqlite3_stmt *stmt, struct weir_err *err)
{
    int code = weir_store_step(store, stmt, err);
    (void)sqlite3_finalize(stmt);
    return code;
}

int weir_store_take_number(struct weir_store *store, sqlite3_stmt *stmt, int64_t *number, struct weir_err *err)
{
    int code = 0, step = sqlite3_step(stmt);
    *number = 0;
    if (step == SQLITE_ROW)
        *number = sqlite3_column_int64(stmt, 0);
    else if (step != SQLITE_DONE)
        code = weir_store_fail(store, "cannot be read", err);
    (void)sqlite3_finalize(stmt);
    return code;
}

int weir_store_number(struct weir_store *store, const char *sql, int64_t *number, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = weir_store_prepare(store, sql, &stmt, err);
    *number = 0;
    return code != 0 ? code : weir_store_take_number(store, stmt, number, err);
}

int weir_store_has_weight(struct weir_store *store, bool *has, struct weir_err *err)
{
    int64_t count;
    int code = weir_store_number(store, "SELECT count(*) FROM pragma_table_info('message') WHERE name = 'weight'",
                                 &count, err);
    *has = count > 0;
    return code;
}

/* Allocates the object for a file that is not open yet. Returns NULL with err if there is no memory. */
static struct weir_store *new_store(const char *name, struct weir_err *err)
{
    struct weir_store *s = calloc(1, sizeof(*s));
    char *copy = strdup(name);
    if (s == NULL || copy == NULL) {
        free(s);
        free(copy);
        (void)weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "%s: not enough memory", name);
        return NULL;
    }
    s->fd = -1;
    s->name = copy;
    return s;
}

/* Returns the URI by which SQLite opens a file on a read-only file system: SQLite then makes no helper files and takes
 * no locks. Returns NULL if the file system is not read-only, or if there is no memory. Also returns NULL if a
 * write-ahead log with content is next to the file, since SQLite would ignore the log. The caller frees the URI. */
static char *immutable_uri(const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-";
    size_t length = strlen(path), used = 0,
           size = 3 * length + sizeof("file:?immutable=1"); /* a byte is at most "%xx" */
    struct statvfs system;
    struct stat log;
    char *uri = malloc(size);
    if (uri == NULL)
        return NULL;
    (void)snprintf(uri, size, "%s-wal", path);
    if (statvfs(path, &system) != 0 || (system.f_flag & ST_RDONLY) == 0 || (stat(uri, &log) == 0 && log.st_size > 0)) {
        free(uri);
        return NULL;
    }
    used = (size_t)snprintf(uri, size, "file:");
    for (const char *c = path; *c != '\0'; c++)
        used +=
            (size_t)snprintf(uri + used, size - used, strchr(plain, *c) != NULL ? "%c" : "%%%02x", (unsigned char)*c);
    (void)snprintf(uri + used, size - used, "?immutable=1");
    return uri;
}

/* Opens the file in SQLite by the full path, since SQLite gives the names ":memory:", "" and "file:x" special
 * meanings. */
static int open_database(struct weir_store *s, int flags, struct weir_err *err)
{
    char *uri;
    int code;
    WEIR_ASSERT(s->fd >= 0); /* the first close of the file ends the locks of SQLite: s->fd is closed after them */
    WEIR_ASSERT(s->db == NULL);
    s->path = realpath(s->name, NULL);
    if (s->path == NULL)
        return weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: cannot be opened: %s", s->name, strerror(errno));
    code = weir_store_check_journal(s, err);
    if (code != 0)
        return code;
    uri = flags == SQLITE_OPEN_READONLY ? immutable_uri(s->path) : NULL;
    flags |= SQLITE_OPEN_NOMUTEX | (uri != NULL ? SQLITE_OPEN_URI : 0);
    code = sqlite3_open_v2(uri != NULL ? uri : s->path, &s->db, flags, NULL);
    free(uri);
    if (code != SQLITE_OK)
        return s->db == NULL ? weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "%s: not enough memory", s->name)
                             : weir_store_fail(s, "cannot be opened", err);
    weir_store_guard(s);
    return 0;
}

/* Reads the version of the format through SQLite, and refuses a version above WEIR_STORE_VERSION. The header has been
 * checked before, but a newer version may be in the write-ahead log only. */
static int check_version(struct weir_store *s, int64_t *version, struct weir_err *err)
{
    int code = weir_store_number(s, "PRAGMA user_version", version, err);
    if (code == 0 && *version > WEIR_STORE_VERSION)
        return weir_fail(err, WEIR_E_FILE, NULL, "use the newer Weir",
                         "%s: was written by a newer Weir: version %d of the format, this one knows %d", s->name,
                         (int)*version, WEIR_STORE_VERSION);
    return code;
}

/* Enables the write-ahead log. Fails if SQLite keeps another journal, which it does without an error where there is no
 * shared memory. */
static int use_write_ahead_log(struct weir_store *s, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    bool ok;
    int code = weir_store_prepare(s, "PRAGMA journal_mode = WAL", &stmt, err);
    if (code != 0)
        return code;
    ok = sqlite3_step(stmt) == SQLITE_ROW && strcmp((const char *)sqlite3_column_text(stmt, 0), "wal") == 0;
    if (!ok && sqlite3_errcode(s->db) != SQLITE_OK && sqlite3_errcode(s->db) != SQLITE_ROW)
        code = weir_store_fail(s, "cannot be written", err);
    else if (!ok)
        code = weir_fail(err, WEIR_E_FILE, NULL, "choose a file on a local disk",
                         "%s: this file system has no shared memory, which SQLite's write-ahead log needs", s->name);
    (void)sqlite3_finalize(stmt);
    return code;
}

/* Adds to table message of an older file the column that was added later. Its old rows have NULL there: a default would
 * be refused as code in the schema (guard.c). @return 0, or a code with err */
static int add_weight(struct weir_store *s, struct weir_err *err)
{
    bool has;
    int code = weir_store_has_weight(s, &has, err);
    return code != 0 || has ? code : weir_store_exec(s, "ALTER TABLE message ADD COLUMN weight REAL", err);
}

/* Checks an open file, makes missing tables, marks `running` runs as `failed`, and prepares the statements for messages
 * and points. So errors come before a run, not after it: the folder may forbid the log though the file can be
 * written. */
static int prepare_for_writing(struct weir_store *s, struct weir_err *err)
{
    int64_t version;
    int code, cells = sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, -1);
    /* else SQLite repeats a malformed text of a schema in its sentence, whatever its length */
    weir_store_limit_cells(s);
    code = weir_store_check_schema(s, err);
    (void)sqlite3_limit(s->db, SQLITE_LIMIT_LENGTH, cells);
    if (code == 0)
        code = check_version(s, &version, err);
    if (code == 0 && version == 0)
        code = weir_store_exec(s, schema, err);
    if (code == 0)
        code = use_write_ahead_log(s, err);
    if (code == 0)
        code = weir_store_exec(s, later, err);
    if (code == 0)
        code = add_weight(s, err);
    if (code == 0)
        code = weir_store_exec(s,
                               "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000;"
                               "PRAGMA cache_size = -16000;"
                               "UPDATE run SET status = 'failed' WHERE status = 'running'",
                               err);
    if (code == 0)
        code = weir_store_prepare(s, "INSERT INTO message VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)", &s->message, err);
    if (code == 0)
        code = weir_store_prepare(s, "INSERT OR REPLACE INTO point VALUES (?,?,?)", &s->point, err);
    return code;
}

static int open_writer(struct weir_store **store, const char *path, bool may_make,
                       const struct weir_store_caller *caller, struct weir_err *err)
{
    struct weir_store *s = new_store(path, err);
    int code;
    *store = NULL;
    if (s == NULL)
        return WEIR_E_MEMORY;
    s->caller = caller;
    code = weir_store_lock(path, may_make ? &s->created : NULL, caller, &s->fd, err);
    if (code == 0)
        code = weir_store_recognise(path, s->fd, may_make, err);
    if (code == 0)
        code = open_database(s, SQLITE_OPEN_READWRITE, err);
    if (code == 0)
        code = prepare_for_writing(s, err);
    s->caller = NULL;
    if (code != 0) {
        weir_store_close(s);
        return code;
    }
    WEIR_ASSERT(s->message != NULL);
    WEIR_ASSERT(s->point != NULL);
    *store = s;
    return 0;
}

int weir_store_open(struct weir_store **store, const char *path, const struct weir_store_caller *caller,
                    struct weir_err *err)
{
    return open_writer(store, path, true, caller, err);
}

int weir_store_open_there(struct weir_store **store, const char *path, const struct weir_store_caller *caller,
                          struct weir_err *err)
{
    return open_writer(store, path, false, caller, err);
}

/* Opens the file for queries only. SQLite opens the file for writing if permissions allow that: the last connection to
 * close a file removes the log, which a connection for reading cannot. */
static int connect_reader(struct weir_store *s, struct weir_err *err)
{
    int code;
    WEIR_ASSERT(s->fd < 0);
    s->fd = open(s->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (s->fd < 0)
        return weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: cannot be read: %s", s->name, strerror(errno));
    code = weir_store_recognise(s->name, s->fd, false, err);
    if (code == 0)
        code = open_database(s, access(s->name, W_OK) == 0 ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY, err);
    if (code != 0)
        return code;
    weir_store_limit_cells(s);
    return weir_store_exec(s, "PRAGMA query_only = 1", err);
}

int weir_store_open_read(struct weir_store **store, const char *path, const struct weir_store_caller *caller,
                         struct weir_err *err)
{
    struct weir_store *s = new_store(path, err);
    int64_t version;
    int code;
    *store = NULL;
    if (s == NULL)
        return WEIR_E_MEMORY;
    s->caller = caller;
    code = connect_reader(s, err);
    if (code == 0)
        code = weir_store_check_schema(s, err);
    if (code == 0)
        code = check_version(s, &version, err);
    if (code != 0) {
        weir_store_close(s);
        return code;
    }
    *store = s;
    return 0;
}

/* Tests whether the file certainly has no run. A file whose runs cannot be counted has none only if it never got one:
 * it could not be set up. */
static bool has_no_run(struct weir_store *s)
{
    struct weir_err ignored;
    int64_t count;
    if (s->db == NULL || weir_store_number(s, "SELECT count(*) FROM run", &count, &ignored) != 0)
        return !s->has_begun_run;
    return count == 0;
}

void weir_store_close(struct weir_store *s)
{
    bool remove_it;
    if (s == NULL)
        return;
    (void)sqlite3_finalize(s->message);
    (void)sqlite3_finalize(s->point);
    if (s->db != NULL)
        weir_store_rollback(s);
    remove_it = s->created && has_no_run(s);
    (void)sqlite3_close(s->db);
    if (remove_it)
        (void)unlink(s->path != NULL ? s->path : s->name);
    if (s->fd >= 0)
        (void)close(s->fd);
    free(s->path);
    free(s->name);
    free(s);
}

struct sqlite3 *weir_store_db(struct weir_store *store)
{
    WEIR_ASSERT(store->db != NULL);
    return store->db;
}

static bool is_in_transaction(const struct weir_store *store)
{
    return sqlite3_get_autocommit(store->db) == 0;
}

int weir_store_begin(struct weir_store *store, struct weir_err *err)
{
    WEIR_ASSERT(!is_in_transaction(store));
    weir_store_grant(store, 0);
    return weir_store_exec(store, "PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE", err);
}

/* Begins a transaction whose commit waits for the disk. The log is written in order, so the sync of one commit includes
 * all earlier commits. */
int weir_store_begin_durable(struct weir_store *store, struct weir_err *err)
{
    WEIR_ASSERT(!is_in_transaction(store));
    weir_store_grant(store, 0);
    return weir_store_exec(store, "PRAGMA synchronous = FULL; BEGIN IMMEDIATE", err);
}

int weir_store_commit(struct weir_store *store, struct weir_err *err)
{
    int code = weir_store_exec(store, "COMMIT", err);
    WEIR_ASSERT(code != 0 || !is_in_transaction(store));
    return code;
}

void weir_store_rollback(struct weir_store *store)
{
    if (is_in_transaction(store))
        (void)sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}
