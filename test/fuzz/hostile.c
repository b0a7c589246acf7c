/* test/fuzz/hostile.c - see hostile.h: the kinds of changes, and those that are made with SQL. What SQLite refuses to do
 * is left out, so that most plans make some file. */
#include "test/fuzz/hostile.h"
#include "core/assert.h"
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

uint32_t hostile_draw(struct hostile_plan *plan, uint32_t n)
{
    uint32_t value = 0;
    for (uint32_t most = n - 1; most > 0; most >>= 8)
        value = value << 8 | (plan->used < plan->size ? plan->data[plan->used++] : 0);
    return value % n;
}

#define ENDLESS "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
#define PICK(h, list) (list)[hostile_draw((h)->plan, sizeof(list) / sizeof((list)[0]))]

/* Executes statements, and takes back those of which one fails. The text is freed. */
static void try_sql(struct hostile *h, char *sql)
{
    if (sql == NULL)
        abort();
    (void)sqlite3_exec(h->db, "BEGIN", NULL, NULL, NULL);
    if (sqlite3_exec(h->db, sql, NULL, NULL, NULL) == SQLITE_OK)
        (void)sqlite3_exec(h->db, "COMMIT", NULL, NULL, NULL);
    (void)sqlite3_exec(h->db, "ROLLBACK", NULL, NULL, NULL); /* nothing to do after a commit */
    sqlite3_free(sql);
}

/* Draws a row of a query of one column. @return its text, to be freed by sqlite3_free(); never NULL */
static char *pick_row(struct hostile *h, const char *query)
{
    sqlite3_stmt *stmt;
    char *found = NULL;
    int rows = 0, wanted;
    if (sqlite3_prepare_v2(h->db, query, -1, &stmt, NULL) == SQLITE_OK)
        while (sqlite3_step(stmt) == SQLITE_ROW)
            rows++;
    wanted = (int)hostile_draw(h->plan, rows > 0 ? (uint32_t)rows : 1);
    (void)sqlite3_reset(stmt);
    for (int i = 0; i <= wanted && sqlite3_step(stmt) == SQLITE_ROW; i++)
        if (i == wanted && sqlite3_column_text(stmt, 0) != NULL)
            found = sqlite3_mprintf("%s", sqlite3_column_text(stmt, 0));
    (void)sqlite3_finalize(stmt);
    return found != NULL ? found : sqlite3_mprintf("run");
}

static char *pick_table(struct hostile *h)
{
    return pick_row(h, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name");
}

static char *pick_column(struct hostile *h, const char *table)
{
    char *query = sqlite3_mprintf("SELECT name FROM pragma_table_info(%Q)", table), *column = pick_row(h, query);
    sqlite3_free(query);
    return column;
}

/* Expressions that take long, use much memory, or fail. */
static const char *const costly[] = {
    "(" ENDLESS " SELECT max(i) FROM n)",
    "length(hex(zeroblob(400000000)))",
    "abs(-9223372036854775808)",
    "(SELECT count(*) FROM message AS a, message AS b, message AS c, message AS d)",
    "(SELECT json FROM run)",
    "load_extension('/nonexistent.so')",
    "randomblob(400000000)",
    "printf('%.*c', 400000000, 'x')",
};

/* --- what would run --- */

static void make_view(struct hostile *h)
{
    char *table = pick_table(h), *body;
    const char *expression = PICK(h, costly);
    if (hostile_draw(h->plan, 2) == 0) /* rows without an end, with all columns of the table */
        body = sqlite3_mprintf("CREATE TABLE was AS SELECT * FROM %w; DROP TABLE %w; CREATE VIEW %w AS " ENDLESS
                               " SELECT was.* FROM was, n",
                               table, table, table);
    else
        body = sqlite3_mprintf("CREATE TABLE was AS SELECT * FROM %w; DROP TABLE %w; CREATE VIEW %w AS SELECT *, %s AS"
                               " x FROM was",
                               table, table, table, expression);
    try_sql(h, body);
    sqlite3_free(table);
}

static void make_trigger(struct hostile *h)
{
    static const char *const when[] = { "BEFORE", "AFTER" }, *const what[] = { "INSERT", "UPDATE", "DELETE" };
    static const char *const body[] = { "INSERT INTO canary VALUES (1)", "DELETE FROM run WHERE id > 0",
                                        "SELECT RAISE(ABORT, 'no')",
                                        "SELECT max(i) FROM (" ENDLESS " SELECT i FROM n)" };
    char *table = pick_table(h);
    const char *at = PICK(h, when), *of = PICK(h, what), *does = PICK(h, body);
    try_sql(h,
            sqlite3_mprintf("CREATE TABLE IF NOT EXISTS canary (n); CREATE TRIGGER \"t%w\" %s %s ON %w BEGIN %s; END",
                            table, at, of, table, does));
    sqlite3_free(table);
}

/* Takes the place of a table by one with a column that computes, checks, has a default or is unique. */
static void make_active_column(struct hostile *h)
{
    char *table = pick_table(h), *column = pick_column(h, table), *ends, *columns;
    const char *expression = PICK(h, costly);
    char *query = sqlite3_mprintf(
        "SELECT group_concat('\"' || name || '\"') FROM pragma_table_info(%Q) WHERE name <> %Q", table, column);
    uint32_t which = hostile_draw(h->plan, 6);
    columns = pick_row(h, query);
    ends = which == 0   ? sqlite3_mprintf("AS (%s)", expression)
           : which == 1 ? sqlite3_mprintf("CHECK (%s > 0)", expression)
           : which == 2 ? sqlite3_mprintf("DEFAULT (%s)", expression)
           : which == 3 ? sqlite3_mprintf("AS (%s) STORED", expression)
                        : sqlite3_mprintf("%s", which == 4 ? "COLLATE nocase" : "UNIQUE");
    try_sql(h, sqlite3_mprintf("ALTER TABLE %w RENAME TO was; CREATE TABLE %w (%s, \"%w\" %s); PRAGMA"
                               " ignore_check_constraints = 1; INSERT INTO %w (%s) SELECT %s FROM was",
                               table, table, columns, column, ends, table, columns, columns));
    sqlite3_free(table);
    sqlite3_free(column);
    sqlite3_free(query);
    sqlite3_free(columns);
    sqlite3_free(ends);
}

static void make_index(struct hostile *h)
{
    char *table = pick_table(h), *column = pick_column(h, table);
    const char *expression = PICK(h, costly);
    uint32_t which = hostile_draw(h->plan, 4);
    try_sql(h, which == 0   ? sqlite3_mprintf("CREATE INDEX i ON %w (abs(\"%w\" - 1))", table, column)
               : which == 1 ? sqlite3_mprintf("CREATE INDEX i ON %w (\"%w\") WHERE \"%w\" > 1", table, column, column)
               : which == 2 ? sqlite3_mprintf("CREATE UNIQUE INDEX i ON %w (\"%w\")", table, column)
                            : sqlite3_mprintf("PRAGMA writable_schema = 1; UPDATE sqlite_master SET sql = 'CREATE INDEX"
                                              " series_by_run ON series (run, %q)' WHERE name = 'series_by_run'",
                                              expression));
    sqlite3_free(table);
    sqlite3_free(column);
}

/* --- the schema as text --- */

static void make_virtual(struct hostile *h)
{
    static const char *const module[] = { "fts5(note)", "rtree(a,b,c)", "dbstat", "csv(filename=/etc/passwd)" };
    char *table = pick_table(h);
    const char *name = hostile_draw(h->plan, 2) == 0 ? "notes" : table, *of = PICK(h, module);
    try_sql(h, sqlite3_mprintf("PRAGMA writable_schema = 1; DELETE FROM sqlite_master WHERE name = %Q; INSERT INTO"
                               " sqlite_master VALUES ('table', %Q, %Q, 0, 'CREATE VIRTUAL TABLE %q USING %q')",
                               name, name, name, name, of));
    sqlite3_free(table);
}

/* Writes into a row of the schema: other types, texts that are no UTF-8 or have a NUL, roots that are of others. */
static void make_schema(struct hostile *h)
{
    static const char *const change[] = {
        "sql = CAST(CAST(sql AS BLOB) || x'00' || 'x' AS TEXT)",
        "sql = replace(sql, ' (', CAST(x'20ff1b5b324a28' AS TEXT))",
        "sql = NULL",
        "sql = CAST(sql AS BLOB)",
        "sql = replace(sql, ' NOT NULL', '')",
        "sql = replace(sql, ' INTEGER', ' /* x */ INTEGER')",
        "sql = replace(sql, ' WITHOUT ROWID', '')",
        "sql = replace(sql, 'run', 'sun')",
        "sql = sql || ' -- ' || hex(zeroblob(1000000))",
        "rootpage = 1",
        "rootpage = 0",
        "rootpage = -2147483648",
        "rootpage = rootpage + 1",
        "rootpage = 2147483647",
        "rootpage = 'two'",
        "type = 'view', rootpage = 0",
        "type = 'trigger'",
        "type = x'00'",
        "tbl_name = 'run'",
        "tbl_name = CAST(x'ff' AS TEXT)",
        "name = tbl_name || char(27) || '[2J'",
        "name = upper(name)",
        "name = 'sqlite_' || name",
    };
    char *name = pick_row(h, "SELECT name FROM sqlite_master ORDER BY name");
    const char *to = PICK(h, change);
    try_sql(h, sqlite3_mprintf("PRAGMA writable_schema = 1; UPDATE sqlite_master SET %s WHERE name = %Q", to, name));
    sqlite3_free(name);
}

static void take_away(struct hostile *h)
{
    char *table = pick_table(h), *column = pick_column(h, table);
    uint32_t which = hostile_draw(h->plan, 4);
    try_sql(h, which == 0   ? sqlite3_mprintf("DROP TABLE %w", table)
               : which == 1 ? sqlite3_mprintf("ALTER TABLE %w RENAME COLUMN \"%w\" TO other", table, column)
               : which == 2 ? sqlite3_mprintf("ALTER TABLE %w DROP COLUMN \"%w\"", table, column)
                            : sqlite3_mprintf("DELETE FROM %w", table));
    sqlite3_free(table);
    sqlite3_free(column);
}

static void add_foreign(struct hostile *h)
{
    static const char *const name[] = { "mine", "\x1b[2J\x9b", "\xff\xfe", "a\nb", "' OR 1", "</script>", "" };
    const char *called = PICK(h, name);
    uint32_t which = hostile_draw(h->plan, 3);
    try_sql(h, which == 0   ? sqlite3_mprintf("CREATE TABLE \"%w\" (n DEFAULT (abs(-9223372036854775808)))", called)
               : which == 1 ? sqlite3_mprintf("CREATE VIEW \"%w\" AS SELECT * FROM run, message", called)
                            : sqlite3_mprintf("CREATE INDEX \"%w\" ON message (src)", called));
}

/* --- values --- */

#define ALIASES "[*a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a]"

static const char *const value[] = {
    "NULL",
    "''",
    "0",
    "-1",
    "1e-320",
    "9e999",
    "-9e999",
    "9223372036854775807",
    "-9223372036854775808",
    "1152921504606846976",
    "'many'",
    "x'00ff'",
    "zeroblob(3000000)",
    "CAST(x'7b00ff1b5b324a' AS TEXT)",
    "CAST(x'ff1b5b324ac29b' AS TEXT)",
    "char(27) || '[2J' || char(10) || char(0x202e) || char(0x9b)",
    "'</script><script>alert(1)</script>\"''&lt;'",
    "'%s%n%n%n%n'",
    "'../../../../etc/passwd'",
    "'{\"a\":'",
    "replace(hex(zeroblob(50000)), '00', '[')",
    "replace(hex(zeroblob(50000)), '00', '{\"a\":')",
    "replace(hex(zeroblob(50000)), '00', '- ')",
    "'{\"format\": 1, \"digest\": ' || replace(hex(zeroblob(200000)), '0', '9') || '}'",
    "'a: &a [x, x]' || char(10) || 'b: &a " ALIASES "' || char(10) || 'c: &a " ALIASES
    "' || char(10) || 'd: &a " ALIASES "' || char(10) || 'e: &a " ALIASES "' || char(10) || 'f: &a " ALIASES
    "' || char(10) || 'g: " ALIASES "'",
    "'a: &a [*a]'",
    "'topology: {kind: star, hosts: 4000000000}'",
    "'protocol: ' || replace(hex(zeroblob(300000)), '0', 'x')",
    "'running'",
    "'done'",
};

static void make_values(struct hostile *h)
{
    char *table = pick_table(h), *column = pick_column(h, table);
    const char *to = PICK(h, value);
    try_sql(h, sqlite3_mprintf("PRAGMA ignore_check_constraints = 1; UPDATE OR IGNORE %w SET \"%w\" = %s", table,
                               column, to));
    sqlite3_free(table);
    sqlite3_free(column);
}

#define ROWS(n) "(WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < " n ") SELECT i FROM n)"

/* Rows of runs that do not exist, or of all at once; and runs with the largest numbers. */
static void make_rows(struct hostile *h)
{
    static const char *const change[] = {
        "UPDATE run SET id = 9223372036854775807",
        "UPDATE run SET id = -1 - id",
        "UPDATE run SET id = 0",
        "INSERT INTO run (name, label, status, started_utc) SELECT name, label, status, started_utc FROM run, " ROWS(
            "300"),
        "UPDATE message SET key = key % 1000 - 500",
        "UPDATE message SET start_ps = end_ps, end_ps = start_ps, ideal_ps = 0, payload_ideal_ps = -1",
        "UPDATE series SET run = 7",
        "UPDATE point SET series = series + 9223372036854775000",
        "INSERT OR IGNORE INTO metric SELECT 1, 'm' || i, i FROM " ROWS("20000"),
        "INSERT OR IGNORE INTO finding SELECT 1, i, 'incast', 'x', 'y', '{}' FROM " ROWS("5000"),
        "INSERT OR IGNORE INTO histogram SELECT 1, 'slowdown', 'x', i, i, -i FROM " ROWS("20000"),
        "UPDATE run SET status = 'running'",
    };
    try_sql(h, sqlite3_mprintf("%s", PICK(h, change)));
}

static void make_pragma(struct hostile *h)
{
    static const char *const pragma[] = { "user_version = 2",    "user_version = -1",        "user_version = 0",
                                          "application_id = 0",  "application_id = -1",      "journal_mode = DELETE",
                                          "encoding = 'UTF-16'", "schema_version = 4000000", "auto_vacuum = 1" };
    char *sql = sqlite3_mprintf("PRAGMA %s", PICK(h, pragma));
    (void)sqlite3_exec(h->db, sql, NULL, NULL, NULL);
    sqlite3_free(sql);
}

/* --- all of them --- */

static const struct kind {
    const char *name;
    void (*change)(struct hostile *h);
    bool closed; /* changes the closed file */
} kinds[] = {
    { "view", make_view, false },
    { "trigger", make_trigger, false },
    { "active column", make_active_column, false },
    { "index", make_index, false },
    { "virtual", make_virtual, false },
    { "schema", make_schema, false },
    { "taken away", take_away, false },
    { "foreign", add_foreign, false },
    { "values", make_values, false },
    { "rows", make_rows, false },
    { "pragma", make_pragma, false },
    { "cell", hostile_cell, true },
    { "circle", hostile_circle, true },
    { "bytes", hostile_bytes, true },
    { "header", hostile_header, true },
    { "cut", hostile_cut, true },
    { "long", hostile_long, true },
    { "journal", hostile_journal, true },
    { "log", hostile_log, true },
};
enum { KINDS = sizeof(kinds) / sizeof(kinds[0]), CHANGES_MAX = 4 };

const char *hostile_kind(uint32_t kind)
{
    return kind < KINDS ? kinds[kind].name : NULL;
}

static void remove_beside(const char *path)
{
    static const char *const ends[] = { "-wal", "-shm", "-journal", "" };
    char name[512];
    for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
        (void)snprintf(name, sizeof(name), "%s%s", path, ends[i]);
        (void)unlink(name);
    }
}

void hostile_copy(const char *from, const char *to)
{
    static uint8_t data[1 << 20];
    FILE *in = fopen(from, "rb"), *out;
    size_t size = 0;
    remove_beside(to);
    out = fopen(to, "wb");
    if (in == NULL || out == NULL)
        abort();
    while ((size = fread(data, 1, sizeof(data), in)) > 0)
        if (fwrite(data, 1, size, out) != size)
            abort();
    (void)fclose(in);
    if (fclose(out) != 0)
        abort();
}

static void open_file(struct hostile *h)
{
    if (sqlite3_open(h->path, &h->db) != SQLITE_OK)
        abort();
    (void)sqlite3_db_config(h->db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    (void)sqlite3_exec(h->db, "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF", NULL, NULL, NULL);
}

void hostile_make(const char *sound, const char *path, const char *victim, struct hostile_plan *plan, char *what,
                  size_t what_bytes)
{
    struct hostile h = { .plan = plan, .path = path, .victim = victim };
    uint32_t count = 1 + hostile_draw(plan, CHANGES_MAX), chosen[CHANGES_MAX];
    size_t used = 0;
    hostile_copy(sound, path);
    open_file(&h);
    for (uint32_t i = 0; i < count; i++) {
        chosen[i] = hostile_draw(plan, KINDS);
        used += (size_t)snprintf(what + used, what_bytes - used, "%s%s", i > 0 ? ", " : "", kinds[chosen[i]].name);
        WEIR_ASSERT(used < what_bytes);
        if (!kinds[chosen[i]].closed)
            kinds[chosen[i]].change(&h);
    }
    (void)sqlite3_close(h.db); /* the last connection: what is in the log goes into the file */
    h.db = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (kinds[chosen[i]].closed)
            kinds[chosen[i]].change(&h);
}
