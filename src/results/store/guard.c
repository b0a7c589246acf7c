/* src/results/store/guard.c - makes foreign result files safe to open: SQL in a schema would run with our queries. So a
 * table of Weir's schema may have columns and keys only, and no trigger or active index. Queries may take a number of
 * steps that grows with the size of the file: pages that refer to each other in a circle would return rows for ever.
 * Foreign objects next to Weir's tables are never used. */
#include "core/assert.h"
#include "store/store.h"
#include "store/store_internal.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

enum {
    STEPS_AT_ONCE = 100000, /* steps of SQLite's virtual machine between two calls of count_steps(): a few
                               milliseconds */
    STEPS_PER_BYTE = 16,    /* steps for each byte of the file; a report of an undamaged file takes 0.1, a merge 0.9 */
    BUSY_MS = 10000,        /* longest wait for a transaction of another program, for example the sqlite3 shell of a
                               user */
    POLL_MS = 20,
    CELL_BYTES = 1 << 26, /* length of the longest text that is read: enough for the JSON of a run with half a million
                             coflows */
    NAMES_SHOWN = 4,      /* names of foreign objects that are passed to ignored() */
};
/* Steps in addition to STEPS_PER_BYTE, for a file of any size; more than a transaction of store/writer.c takes. */
#define STEPS_ALWAYS UINT64_C(8000000)

/* --- queries --- */

static bool is_stopped(struct weir_store *store)
{
    const struct weir_store_caller *caller = store->caller;
    if (caller != NULL && caller->stopped != NULL && caller->stopped(caller->ctx))
        store->stopped = true;
    return store->stopped;
}

/* Subtracts STEPS_AT_ONCE from the steps left; called by SQLite (sqlite3_progress_handler()). Returns nonzero, which
 * ends the query, if fewer than STEPS_AT_ONCE steps were left or stopped() has returned true. */
static int count_steps(void *ctx)
{
    struct weir_store *store = ctx;
    if (store->steps_left < STEPS_AT_ONCE)
        store->exhausted = true;
    else
        store->steps_left -= STEPS_AT_ONCE;
    return is_stopped(store) || store->exhausted;
}

/* Waits POLL_MS for a transaction of another program; called by SQLite (sqlite3_busy_handler()). Returns 0 to end the
 * wait, after BUSY_MS or if stopped() returns true. */
static int wait_for_lock(void *ctx, int times)
{
    WEIR_ASSERT(ctx != NULL && times >= 0);
    if (is_stopped(ctx) || times >= BUSY_MS / POLL_MS)
        return 0;
    (void)sqlite3_sleep(POLL_MS);
    return 1;
}

uint64_t weir_store_bytes(const char *path)
{
    char log[4096 + sizeof("-wal")];
    struct stat there;
    uint64_t bytes = stat(path, &there) == 0 ? (uint64_t)there.st_size : 0;
    (void)snprintf(log, sizeof(log), "%s-wal", path);
    return stat(log, &there) == 0 ? bytes + (uint64_t)there.st_size : bytes;
}

void weir_store_grant(struct weir_store *store, uint64_t other_bytes)
{
    WEIR_ASSERT(store->path != NULL);
    store->steps_left = STEPS_ALWAYS + STEPS_PER_BYTE * (weir_store_bytes(store->path) + other_bytes);
}

void weir_store_guard(struct weir_store *store)
{
    WEIR_ASSERT(store->db != NULL);
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    (void)sqlite3_db_config(store->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    (void)sqlite3_busy_handler(store->db, wait_for_lock, store);
    sqlite3_progress_handler(store->db, STEPS_AT_ONCE, count_steps, store);
    weir_store_grant(store, 0);
}

void weir_store_limit_cells(struct weir_store *store)
{
    (void)sqlite3_limit(store->db, SQLITE_LIMIT_LENGTH, CELL_BYTES);
}

int weir_store_spend(struct weir_store *store, uint64_t steps, struct weir_err *err)
{
    store->exhausted |= store->steps_left < steps;
    store->steps_left -= store->exhausted ? 0 : steps;
    (void)is_stopped(store);
    return weir_store_check(store, err);
}

void weir_store_set_caller(struct weir_store *store, const struct weir_store_caller *caller)
{
    store->caller = caller;
}

int weir_store_check(const struct weir_store *store, struct weir_err *err)
{
    if (store->stopped)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: interrupted", store->name);
    if (store->exhausted)
        return weir_fail(err, WEIR_E_FILE, NULL, "sqlite3 OUT.db 'PRAGMA integrity_check' examines it",
                         "%s: a query takes more steps than a file of this size can need: it is damaged, or made so",
                         store->name);
    return 0;
}

/* --- the schema --- */

struct object { /* a row of sqlite_schema; texts are lent, and not NULL */
    const char *type, *name, *table, *sql;
    bool is_whole; /* no text has a NUL, which would hide the rest of the text */
    bool has_page; /* has a root page in the file; a table without one is virtual */
};

struct names { /* names of foreign objects */
    char text[256];
    uint32_t count;
};

static bool is_ours(const char *table)
{
    static const char *const ours[] = { "run", "message", "series",  "point",   "histogram", "by_size", "metric",
                                        "job", "coflow",  "finding", "failure", "law",       "class",   "kept" };
    for (size_t i = 0; i < sizeof(ours) / sizeof(ours[0]); i++)
        if (strcasecmp(table, ours[i]) == 0)
            return true;
    return false;
}

/* Tests whether a text has the keyword as a whole identifier, in upper or lower case. */
static bool has_keyword(const char *text, const char *keyword)
{
    size_t length = strlen(keyword);
    for (const char *at = text; *at != '\0'; at++) {
        bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && strncasecmp(at, keyword, length) == 0 &&
            !(isalnum((unsigned char)at[length]) || at[length] == '_'))
            return true;
    }
    return false;
}

/* Tests whether a CREATE TABLE statement has only names, types, keys and the CHECK of Weir's own schema. Does not parse
 * the statement: refuses some keywords, and all characters that such a statement does not need. UNIQUE is refused
 * because an insert into such a table may delete another row. */
static bool is_plain_table(const char *sql)
{
    static const char *const refused[] = { "CHECK", "DEFAULT", "AS", "GENERATED", "COLLATE", "UNIQUE", "CONFLICT" };
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_ \t\r\n,()\"";
    static const char own_check[] = "CHECK (status IN ('running', 'done', 'interrupted', 'failed'))";
    const char *own = strstr(sql, own_check), *rest = own != NULL ? own + sizeof(own_check) - 1 : sql;
    char before[1024] = "";
    if (own != NULL && (size_t)(own - sql) >= sizeof(before))
        return false;
    if (own != NULL)
        (void)snprintf(before, sizeof(before), "%.*s", (int)(own - sql), sql);
    for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
        if (has_keyword(before, refused[i]) || has_keyword(rest, refused[i]))
            return false;
    return before[strspn(before, plain)] == '\0' && rest[strspn(rest, plain)] == '\0';
}

static const char as_data[] = "a result file is read as data: nothing in it may run";

/* Sets *found to whether an index is partial, unique, or of an expression. An insert would evaluate the condition or
 * expression of such an index; a unique index could refuse the insert or delete another row. @return 0, or a code with
 * err */
static int is_active_index(struct weir_store *store, const struct object *o, bool *found, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int64_t count = 0;
    int code = weir_store_prepare(store,
                                  "SELECT count(*) FROM pragma_index_list(?1) AS i WHERE i.name = ?2 AND (i.partial OR"
                                  " i.\"unique\" OR EXISTS (SELECT 1 FROM pragma_index_xinfo(?2) WHERE cid = -2))",
                                  &stmt, err);
    if (code != 0)
        return code;
    (void)sqlite3_bind_text(stmt, 1, o->table, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 2, o->name, -1, SQLITE_STATIC);
    code = weir_store_take_number(store, stmt, &count, err);
    *found = count > 0;
    return code;
}

/* Refuses an object of the schema that could run code or change rows when Weir uses its tables. @return 0, or a code
 * with err */
static int check_object(struct weir_store *store, const struct object *o, struct weir_err *err)
{
    bool active = false;
    int code = 0;
    WEIR_ASSERT(o->type != NULL);
    WEIR_ASSERT(o->sql != NULL);
    if (!o->is_whole)
        return weir_fail(err, WEIR_E_FILE, NULL, as_data, "%s: its schema holds a NUL", store->name);
    if (strcasecmp(o->type, "table") == 0 && !o->has_page)
        return weir_fail(err, WEIR_E_FILE, NULL, as_data, "%s: its table %.80s is a virtual one", store->name, o->name);
    if (strcasecmp(o->type, "view") == 0 && is_ours(o->name))
        return weir_fail(err, WEIR_E_FILE, NULL, as_data, "%s: %.80s is a view in it, not a table", store->name,
                         o->name);
    if (strcasecmp(o->type, "trigger") == 0 && is_ours(o->table))
        return weir_fail(err, WEIR_E_FILE, NULL, as_data, "%s: its table %.80s has a trigger, %.80s", store->name,
                         o->table, o->name);
    if (strcasecmp(o->type, "table") == 0 && is_ours(o->name) && !is_plain_table(o->sql))
        return weir_fail(err, WEIR_E_FILE, NULL, as_data,
                         "%s: its table %.80s is not as weir makes it: a column is unique, computed, or has a "
                         "condition or a default",
                         store->name, o->name);
    if (strcasecmp(o->type, "index") == 0 && is_ours(o->table) && o->sql[0] != '\0')
        code = is_active_index(store, o, &active, err);
    if (code == 0 && active)
        return weir_fail(err, WEIR_E_FILE, NULL, as_data,
                         "%s: index %.80s of its table %.80s is unique, or has a condition or an expression",
                         store->name, o->name, o->table);
    return code;
}

/* Adds type and name of an object to `names` if the object is foreign: neither Weir's nor SQLite's own. After
 * NAMES_SHOWN names only counts. SQLite's own objects have no SQL text, or a name that begins with sqlite_. */
static void note_foreign(struct names *names, const struct object *o)
{
    size_t used = strlen(names->text);
    WEIR_ASSERT(used < sizeof(names->text));
    if (o->sql[0] == '\0' || strncasecmp(o->name, "sqlite_", 7) == 0 || strcmp(o->name, "series_by_run") == 0 ||
        (strcasecmp(o->type, "table") == 0 && is_ours(o->name)))
        return;
    if (names->count++ < NAMES_SHOWN)
        (void)snprintf(names->text + used, sizeof(names->text) - used, "%s%.8s %.40s", used > 0 ? ", " : "", o->type,
                       o->name);
}

static const char *text_at(sqlite3_stmt *stmt, int column, bool *is_whole)
{
    const char *text = (const char *)sqlite3_column_text(stmt, column);
    if (text == NULL)
        return "";
    *is_whole &= strlen(text) == (size_t)sqlite3_column_bytes(stmt, column);
    return text;
}

int weir_store_check_schema(struct weir_store *store, struct weir_err *err)
{
    const struct weir_store_caller *caller = store->caller;
    struct names names = { 0 };
    sqlite3_stmt *stmt;
    int step = SQLITE_DONE,
        code = weir_store_prepare(store, "SELECT type, name, tbl_name, rootpage, sql FROM sqlite_master", &stmt, err);
    if (code != 0)
        return code;
    while (code == 0 && (step = sqlite3_step(stmt)) == SQLITE_ROW) {
        struct object o = { .is_whole = true, .has_page = sqlite3_column_int64(stmt, 3) > 0 };
        o.type = text_at(stmt, 0, &o.is_whole);
        o.name = text_at(stmt, 1, &o.is_whole);
        o.table = text_at(stmt, 2, &o.is_whole);
        o.sql = text_at(stmt, 4, &o.is_whole);
        code = check_object(store, &o, err);
        note_foreign(&names, &o);
    }
    if (code == 0 && step != SQLITE_DONE)
        code = weir_store_fail(store, "cannot be read", err);
    (void)sqlite3_finalize(stmt);
    if (code != 0 || names.count == 0 || caller == NULL || caller->ignored == NULL)
        return code;
    if (names.count > NAMES_SHOWN)
        (void)snprintf(names.text + strlen(names.text), sizeof(names.text) - strlen(names.text), " and %u more",
                       (unsigned)(names.count - NAMES_SHOWN));
    caller->ignored(caller->ctx, store->name, names.text);
    return 0;
}
