/* test/unit/store/test_guard.c - files of strangers: what could run in them is refused, what only lies there is named,
 * no query is endless. */
#include "test/unit/store/store_fixture.h"
#include <stdint.h>
#include <sys/stat.h>

static struct weir_store *store;
static char ignored[256];
static int stop_after; /* times that are asked whether to stop before the answer is yes; 0 = never */

static void note_ignored(void *ctx, const char *path, const char *what)
{
    (void)ctx;
    assert_string_equal(path, file);
    assert_string_equal(ignored, ""); /* once */
    (void)snprintf(ignored, sizeof(ignored), "%s", what);
}

static bool is_stopped(void *ctx)
{
    (void)ctx;
    return stop_after > 0 && --stop_after == 0;
}

static const struct weir_store_caller caller = { .stopped = is_stopped, .ignored = note_ignored };

static void alter(const char *sql)
{
    sqlite3 *db;
    char *why = NULL;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &why) != SQLITE_OK)
        fail_msg("%s: %s", sql, why);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* A file with one run that is done, three messages and a metric; then what a stranger does to it. */
static void make(const char *sql)
{
    const double value = 1.5;
    int64_t run;
    (void)unlink(file);
    store = open_store(file);
    run = begin_run(store, "sound", NULL);
    add_messages(store, run, 3);
    assert_done(weir_store_metric(store, run, "drops", &value, &err));
    end_run(store, run, "done");
    weir_store_close(store);
    alter(sql);
    ignored[0] = '\0';
    stop_after = 0;
}

static void what_could_run_is_refused_by_readers_and_writers(void **state)
{
#define ENDLESS "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
#define METRIC(value)                                                                                                  \
    "DROP TABLE metric; CREATE TABLE metric (run INTEGER NOT NULL, name TEXT NOT NULL, value REAL " value ")"
    static const char *const hostile[] = {
        "DROP TABLE metric; CREATE VIEW metric AS " ENDLESS "SELECT 1 AS run, 'drops' AS name, i AS value FROM n",
        "DROP TABLE finding; CREATE VIEW Finding AS " ENDLESS "SELECT i AS run, 0 AS number FROM n",
        "ALTER TABLE run RENAME TO was; CREATE VIEW run AS SELECT was.* FROM was, (" ENDLESS "SELECT i FROM n)",
        "CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run WHERE id <> new.id; END",
        "CREATE TRIGGER sqlite AFTER UPDATE ON RUN BEGIN DELETE FROM run; END",
        "PRAGMA writable_schema = 1; DROP TABLE metric; INSERT INTO sqlite_master VALUES"
        " ('table', 'metric', 'metric', 0, 'CREATE VIRTUAL TABLE metric USING some(run, name, value)')",
        "PRAGMA writable_schema = 1; INSERT INTO sqlite_master VALUES"
        " ('table', 'notes', 'notes', 0, 'CREATE VIRTUAL TABLE notes USING some(note)')",
        METRIC("AS (length(hex(zeroblob(400000000))))"),
        METRIC("CHECK (length(hex(zeroblob(400000000))) > 0)"),
        METRIC("check(value)"),
        METRIC("DEFAULT (abs(-9223372036854775808))"),
        METRIC("COLLATE NOCASE"),
        METRIC("/* a comment may hide anything */"),
        METRIC("UNIQUE ON CONFLICT REPLACE"),
        "CREATE INDEX i ON run (abs(-9223372036854775806 - id))", /* the next run would overflow */
        "CREATE INDEX i ON run (name) WHERE length(name) > 3",
        "CREATE UNIQUE INDEX i ON point (value)", /* points are inserted or replaced */
    };
    (void)state;
    for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
        make(hostile[i]);
        assert_refused(weir_store_open(&store, file, &caller, &err), WEIR_E_FILE, file);
        assert_refused(weir_store_open_read(&store, file, &caller, &err), WEIR_E_FILE, file);
        assert_null(store);
        store = open_store(other);
        assert_refused(weir_store_merge(store, file, &(int64_t){ 0 }, &err), WEIR_E_FILE, file);
        weir_store_close(store);
        assert_string_equal(ignored, "");
    }
}

static void what_a_user_has_added_is_named_and_left_alone(void **state)
{
    (void)state;
    make("CREATE VIEW mine AS SELECT * FROM metric; CREATE INDEX by_src ON message (src, dst DESC);"
         "CREATE TABLE notes (run INTEGER, note TEXT DEFAULT 'none' CHECK (length(note) < 80)); INSERT INTO notes "
         "(run) VALUES (1)");
    assert_done(weir_store_open_read(&store, file, &caller, &err));
    assert_string_equal(ignored, "view mine, index by_src, table notes");
    assert_int_equal(ask(store, "SELECT count(*) FROM metric"), 1);
    weir_store_close(store);
    ignored[0] = '\0';
    assert_done(weir_store_open(&store, file, &caller, &err));
    add_messages(store, begin_run(store, "second", NULL), 2);
    assert_int_equal(ask(store, "SELECT count(*) FROM message"), 5);
    assert_int_equal(ask(store, "SELECT count(*) FROM notes"), 1);
    weir_store_close(store);
    ignored[0] = '\0';
    alter("CREATE TABLE a (x); CREATE TABLE b (x)");
    assert_done(weir_store_open(&store, file, &caller, &err));
    assert_string_equal(ignored, "view mine, index by_src, table notes, table a and 1 more");
    weir_store_close(store);
}

static void a_file_of_ours_has_nothing_to_be_named(void **state)
{
    (void)state;
    make("ALTER TABLE run ADD COLUMN note TEXT; ANALYZE"); /* a column more is no reason to refuse it */
    assert_done(weir_store_open(&store, file, &caller, &err));
    assert_string_equal(ignored, "");
    weir_store_close(store);
}

/* The schema is checked when a file is opened; another program may change it after that. */
static void what_comes_later_does_not_run_either(void **state)
{
    (void)state;
    make("");
    store = open_store(file);
    alter("CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run WHERE id <> new.id; END;"
          "DROP TABLE metric; CREATE VIEW metric AS SELECT 1 AS run, 'drops' AS name, 2 AS value");
    (void)begin_run(store, "second", NULL);
    assert_int_equal(ask(store, "SELECT count(*) FROM run"), 2);
    assert_int_not_equal(sqlite3_exec(weir_store_db(store), "SELECT * FROM metric", NULL, NULL, NULL), SQLITE_OK);
    assert_int_not_equal(
        sqlite3_exec(weir_store_db(store), "PRAGMA writable_schema = 1; DELETE FROM sqlite_master", NULL, NULL, NULL),
        SQLITE_OK);
    weir_store_close(store);
}

static const char endless[] = ENDLESS "SELECT count(*) FROM n";

static void a_query_ends_when_its_caller_wants_it(void **state)
{
    (void)state;
    make("");
    assert_done(weir_store_open_read(&store, file, &caller, &err));
    stop_after = 3;
    assert_int_equal(sqlite3_exec(weir_store_db(store), endless, NULL, NULL, NULL), SQLITE_INTERRUPT);
    assert_int_equal(stop_after, 0);
    assert_refused(weir_store_fail(store, "cannot be read", &err), WEIR_E_RUN, file);
    assert_refused(weir_store_check(store, &err), WEIR_E_RUN, file);
    weir_store_close(store);
}

static void a_writer_is_asked_only_where_it_was_lent_a_caller(void **state)
{
    (void)state;
    make("");
    assert_done(weir_store_open(&store, file, &caller, &err));
    stop_after = 1;
    assert_int_equal(
        ask(store,
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000) SELECT count(*) FROM n"),
        40000);
    assert_int_equal(stop_after, 1);
    weir_store_set_caller(store, &caller);
    assert_int_equal(sqlite3_exec(weir_store_db(store), endless, NULL, NULL, NULL), SQLITE_INTERRUPT);
    assert_refused(weir_store_check(store, &err), WEIR_E_RUN, file);
    weir_store_close(store);
}

static void an_endless_query_uses_up_its_steps(void **state)
{
    uint64_t always;
    (void)state;
    make("");
    assert_done(weir_store_open_read(&store, file, NULL, &err));
    assert_done(weir_store_check(store, &err));
    always = store->steps_left;
    weir_store_grant(store, UINT64_C(1000000000));
    assert_true(store->steps_left >= always + UINT64_C(10000000000)); /* an honest file of 1 GB takes 1.1e9 */
    weir_store_grant(store, 0);
    assert_int_equal(store->steps_left, always);
    assert_int_equal(sqlite3_exec(weir_store_db(store), endless, NULL, NULL, NULL), SQLITE_INTERRUPT);
    assert_refused(weir_store_fail(store, "cannot be read", &err), WEIR_E_FILE, file);
    assert_refused(weir_store_check(store, &err), WEIR_E_FILE, file);
    weir_store_close(store);
}

static void work_outside_sqlite_uses_steps_too(void **state)
{
    (void)state;
    make("");
    assert_done(weir_store_open_read(&store, file, NULL, &err));
    assert_done(weir_store_spend(store, store->steps_left - 5, &err));
    assert_int_equal(store->steps_left, 5);
    assert_refused(weir_store_spend(store, 6, &err), WEIR_E_FILE, file);
    weir_store_close(store);
}

static void a_text_too_long_for_a_page_is_refused(void **state)
{
    (void)state;
    make("UPDATE run SET json = zeroblob(67108865)"); /* 64 MiB and a byte */
    assert_done(weir_store_open_read(&store, file, NULL, &err));
    assert_int_not_equal(sqlite3_exec(weir_store_db(store), "SELECT length(json || '') FROM run", NULL, NULL, NULL),
                         SQLITE_OK);
    assert_refused(weir_store_fail(store, "cannot be read", &err), WEIR_E_FILE, file);
    weir_store_close(store);
}

/* Writes a journal of `size` bytes whose last ones are the mark of a transaction over several files; flip: changed in its
 * last byte. */
static void put_journal(size_t size, unsigned char flip)
{
    static const unsigned char mark[] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
    unsigned char bytes[16] = { 0 };
    char path[sizeof(file) + 16];
    FILE *out;
    for (size_t i = 0; i < sizeof(mark) && i < size; i++)
        bytes[size - 1 - i] = mark[sizeof(mark) - 1 - i];
    bytes[size - 1] ^= flip;
    (void)snprintf(path, sizeof(path), "%s-journal", file);
    out = fopen(path, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(bytes, 1, size, out), size);
    assert_int_equal(fclose(out), 0);
}

/* SQLite would remove the file that such a journal names, whatever it is. */
static void a_journal_that_names_another_file_is_refused(void **state)
{
    (void)state;
    make("SELECT 1");
    for (size_t size = 8; size <= 9; size++) {
        put_journal(size, 0);
        assert_refused(weir_store_open_read(&store, file, NULL, &err), WEIR_E_FILE, file);
        assert_refused(weir_store_open(&store, file, NULL, &err), WEIR_E_FILE, file);
        assert_refused(weir_store_open_there(&store, file, NULL, &err), WEIR_E_FILE, file);
    }
    put_journal(8, 1);
    assert_done(weir_store_open_read(&store, file, NULL, &err));
    weir_store_close(store);
    put_journal(7, 0);
    assert_done(weir_store_open_read(&store, file, NULL, &err));
    weir_store_close(store);
}

/* Pages of the table of runs whose every child is the next page: 300^7 rows in 50 kB. */
static void pages_in_a_circle_end(void **state)
{
    enum { LEVELS = 7, CELLS = 300, PAGE = 4096 };
    unsigned char page[PAGE], *leaf = malloc(PAGE);
    uint32_t root, count;
    FILE *out;
    (void)state;
    assert_non_null(leaf);
    make("PRAGMA journal_mode = DELETE");
    assert_done(weir_store_open_read(&store, file, NULL, &err));
    root = (uint32_t)ask(store, "SELECT rootpage FROM sqlite_master WHERE name = 'run'");
    count = (uint32_t)ask(store, "PRAGMA page_count");
    assert_int_equal(ask(store, "PRAGMA page_size"), PAGE);
    weir_store_close(store);
    out = fopen(file, "r+b");
    assert_non_null(out);
    assert_int_equal(fseek(out, (long)(root - 1) * PAGE, SEEK_SET), 0);
    assert_int_equal(fread(leaf, 1, PAGE, out), PAGE);
    for (uint32_t level = 0; level < LEVELS; level++) {
        uint32_t child = count + 1 + level, at = PAGE, own = level == 0 ? root : count + level;
        memset(page, 0, sizeof(page));
        page[0] = 5; /* an inner page of a table */
        for (uint32_t i = 0; i <= CELLS; i++) {
            unsigned char *pointer = i < CELLS ? &page[at -= 5] : &page[8]; /* the last child stands in the head */
            pointer[2] = (unsigned char)(child >> 8);
            pointer[3] = (unsigned char)child;
            if (i < CELLS) {
                pointer[4] = 1; /* the key */
                page[12 + 2 * i] = (unsigned char)(at >> 8);
                page[13 + 2 * i] = (unsigned char)at;
            }
        }
        page[3] = CELLS >> 8, page[4] = CELLS & 255;
        page[5] = (unsigned char)(at >> 8), page[6] = (unsigned char)at;
        assert_int_equal(fseek(out, (long)(own - 1) * PAGE, SEEK_SET), 0);
        assert_int_equal(fwrite(page, 1, PAGE, out), PAGE);
    }
    assert_int_equal(fseek(out, (long)(count + LEVELS - 1) * PAGE, SEEK_SET), 0);
    assert_int_equal(fwrite(leaf, 1, PAGE, out), PAGE);
    memset(page, 0, 4);
    page[2] = (unsigned char)((count + LEVELS) >> 8), page[3] = (unsigned char)(count + LEVELS);
    assert_int_equal(fseek(out, 28, SEEK_SET), 0); /* pages in all */
    assert_int_equal(fwrite(page, 1, 4, out), 4);
    assert_int_equal(fclose(out), 0);
    free(leaf);
    assert_refused(weir_store_open(&store, file, NULL, &err), WEIR_E_FILE, file); /* looks for runs that are running */
    assert_done(weir_store_open_read(&store, file, NULL, &err));
    assert_int_equal(sqlite3_exec(weir_store_db(store), "SELECT max(name) FROM run", NULL, NULL, NULL),
                     SQLITE_INTERRUPT);
    weir_store_close(store);
}

static void a_schema_that_hides_behind_a_nul_is_refused(void **state)
{
    (void)state;
    make("PRAGMA writable_schema = 1;"
         "UPDATE sqlite_master SET sql = sql || char(0) || ' CHECK (0)' WHERE name = 'failure'");
    assert_refused(weir_store_open_read(&store, file, &caller, &err), WEIR_E_FILE, file);
}

int main(void)
{
#define TEST(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(what_could_run_is_refused_by_readers_and_writers),
        TEST(what_a_user_has_added_is_named_and_left_alone),
        TEST(a_file_of_ours_has_nothing_to_be_named),
        TEST(what_comes_later_does_not_run_either),
        TEST(a_query_ends_when_its_caller_wants_it),
        TEST(a_writer_is_asked_only_where_it_was_lent_a_caller),
        TEST(an_endless_query_uses_up_its_steps),
        TEST(work_outside_sqlite_uses_steps_too),
        TEST(a_text_too_long_for_a_page_is_refused),
        TEST(a_journal_that_names_another_file_is_refused),
        TEST(pages_in_a_circle_end),
        TEST(a_schema_that_hides_behind_a_nul_is_refused),
    };
    return cmocka_run_group_tests_name("store/guard", tests, NULL, NULL);
}
