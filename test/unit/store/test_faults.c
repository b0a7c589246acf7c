/* test/unit/store/test_faults.c - a run with rows of every table is written, read and merged, and each call of the system and of SQLite
 * fails once: a sentence says so, and what was done before is whole. */
#include "test/unit/fault.h"
#include "measure/result.h"
#include "store/table.h"
#include "store/writer.h"
#include "test/unit/store/store_fixture.h"
#include <errno.h>

/* Adds a row to each table. @return 0, or the code of the first that failed */
static int add_rows(struct weir_store *store, int64_t run, struct weir_err *why)
{
    struct weir_job_result job = { .name = "job" };
    struct weir_coflow_result coflow = { .job = "job", .name = "coflow" };
    const struct weir_job_results jobs = { .job = &job, .coflow = &coflow, .job_count = 1, .coflow_count = 1 };
    const struct weir_part_result part = { .class_id = 1 };
    const struct weir_store_message message = { { .id = 1, .bytes = 1000 }, 1 };
    const struct weir_store_bucket bucket = { 0, 1, 2 };
    const double value = 0.5;
    int64_t series = 0;
    int code = weir_store_messages(store, run, &message, 1, why);
    if (code == 0)
        code = weir_store_series(store, run, "queue", "bytes", "host 1", &series, why);
    if (code == 0)
        code = weir_store_points(store, &(struct weir_store_point){ series, 7, 0.5 }, 1, why);
    if (code == 0)
        code = weir_store_points_clear(store, run, why);
    if (code == 0)
        code = weir_store_points(store, &(struct weir_store_point){ series, 8, 0.5 }, 1, why);
    if (code == 0)
        code = weir_store_histogram(store, run, "slowdown", "ratio", &bucket, 1, why);
    if (code == 0)
        code = weir_store_by_size(store, run, &(struct weir_store_size_bin){ "ideal", 1, 2, 3, 1.5, 2.5 }, why);
    if (code == 0)
        code = weir_store_metric(store, run, "goodput", &value, why);
    if (code == 0)
        code = weir_store_finding(store, run, &(struct weir_store_finding){ 0, "kind", "text", "place", "{}" }, why);
    if (code == 0)
        code = weir_store_jobs(store, run, &jobs, why);
    if (code == 0)
        code = weir_store_law(store, run, 0, "sird", &part, why);
    if (code == 0)
        code = weir_store_class(store, run, &part, why);
    if (code == 0)
        code = weir_store_kept(store, run, &(struct weir_store_kept){ 1, 1, 1, 0, 0, 1 }, why);
    return code;
}

/* Writes a run of a point, which replaces an earlier one. */
static int write_run(const char *path, const char *status, struct weir_err *why)
{
    const struct weir_store_run run = { .name = "small",
                                        .label = "sird",
                                        .started_utc = "2026-01-02T03:04:05Z",
                                        .experiment = "e",
                                        .figure = "f",
                                        .point = "p",
                                        .seed = UINT64_MAX };
    struct weir_store *store;
    int64_t id;
    int code = weir_store_open(&store, path, NULL, why);
    if (code == 0)
        code = weir_store_begin(store, why);
    if (code == 0)
        code = weir_store_run_begin(store, &run, &id, why);
    if (code == 0)
        code = add_rows(store, id, why);
    if (code == 0)
        code = weir_store_commit(store, why);
    if (code == 0)
        code = weir_store_begin_durable(store, why);
    if (code == 0)
        code = weir_store_run_end(store, id, &(struct weir_store_end){ .status = status, .json = "{}" }, why);
    if (code == 0)
        code = weir_store_commit(store, why);
    weir_store_close(store);
    return code;
}

/* Asserts that the file is not there, or whole, with so many runs that are done, and a row of them in each table. */
static void assert_whole(const char *path, int64_t done)
{
    static const char *const tables[] = { "message", "series", "point",   "histogram", "by_size", "metric",
                                          "job",     "coflow", "finding", "law",       "class",   "kept" };
    struct weir_store *store;
    struct weir_err why;
    fault_pause(true);
    if (access(path, F_OK) == 0 || done > 0) {
        assert_int_equal(weir_store_open(&store, path, NULL, &why), 0);
        assert_holds(store, "(SELECT integrity_check FROM pragma_integrity_check) = 'ok'");
        assert_int_equal(ask(store, "SELECT count(*) FROM run WHERE status = 'done'"), done);
        for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]) && done > 0; i++) {
            char condition[64];
            (void)snprintf(condition, sizeof(condition), "EXISTS (SELECT 1 FROM %s)", tables[i]);
            assert_holds(store, condition);
        }
        weir_store_close(store);
    }
    fault_pause(false);
}

static char finished[96], empty[96]; /* files to copy: with a run that is done, and without one */

static int make_files(void **state)
{
    struct weir_store *store;
    struct weir_err why;
    (void)state;
    (void)snprintf(folder, sizeof(folder), "%s/weir-store-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(
        mkdtemp(folder)); /* in memory: the files are written a hundred times, and each sync waits for a disk */
    (void)snprintf(file, sizeof(file), "%s/out.db", folder);
    (void)snprintf(finished, sizeof(finished), "%s/finished.db", folder);
    (void)snprintf(empty, sizeof(empty), "%s/empty.db", folder);
    assert_int_equal(write_run(finished, "done", &why), 0);
    assert_int_equal(write_run(empty, "failed", &why), 0);
    store = open_store(empty);
    assert_int_equal(weir_store_run_remove(store, 1, &why), 0);
    store->created = false; /* so that it stays */
    weir_store_close(store);
    return 0;
}

/* Makes the file a copy of another one; NULL = it is not there. Calls that fail come after this. */
static void begin_with(const char *from)
{
    static unsigned char bytes[1 << 20];
    char log[128];
    fault_pause(true);
    (void)unlink(file);
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(log, sizeof(log), "%s-%s", file, i == 0 ? "wal" : "shm");
        (void)unlink(log);
    }
    if (from != NULL) {
        FILE *in = fopen(from, "rb"), *out = fopen(file, "wb");
        size_t length = fread(bytes, 1, sizeof(bytes), in);
        assert_in_range(length, 1, sizeof(bytes) - 1);
        assert_int_equal(fwrite(bytes, 1, length, out), length);
        assert_int_equal(fclose(out) | fclose(in), 0);
    }
    fault_pause(false);
}

static int write_new(struct weir_err *why)
{
    int code;
    begin_with(NULL);
    code = write_run(file, "done", why);
    assert_whole(file, code == 0);
    return code;
}

static int replace_run(struct weir_err *why)
{
    int code;
    begin_with(finished);
    code = write_run(file, "done", why);
    assert_whole(file, 1);
    return code;
}

/* What a file cannot do without is said; the rest is closing a file that is removed if it has no run. */
static void a_run_is_whole_or_not_there(void **state)
{
    static const struct fault_row rows[] = {
        { "open64", 1, EACCES, WEIR_E_FILE | FAULT_OR_DONE, "out.db: cannot be written: Permission denied" },
        { "fstat64", 1, EIO, WEIR_E_FILE, "out.db: cannot be written: Input/output error" },
        { "flock", 1, ENOLCK, WEIR_E_FILE, "out.db: cannot be written: No locks available" },
        { "realpath", 1, ENOENT, WEIR_E_FILE, "out.db: cannot be opened: No such file or directory" },
        { "pread64", 1, EIO, WEIR_E_FILE, "out.db: cannot be read: Input/output error" },
        { "calloc", 1, ENOMEM, WEIR_E_MEMORY, "out.db: not enough memory" },
        { "strdup", 1, ENOMEM, WEIR_E_MEMORY, "out.db: not enough memory" },
        { "sqlite3_open_v2", 1, SQLITE_NOMEM, WEIR_E_MEMORY, "out.db: not enough memory" },
        { "sqlite3_prepare_v2", 1, SQLITE_NOMEM, WEIR_E_MEMORY | FAULT_OR_DONE, "out.db: not enough memory" },
        { "sqlite3_step", 1, SQLITE_FULL, WEIR_E_FILE | FAULT_OR_DONE, "No space left on device" },
        { "sqlite3_exec", 1, SQLITE_BUSY, WEIR_E_CONFLICT | FAULT_OR_DONE, "another program has locked it" },
    };
    (void)state;
    assert_faults(write_new, rows);
    assert_faults(replace_run, rows);
}

static int merge(int (*into)(struct weir_store *store, struct weir_err *why), struct weir_err *why)
{
    struct weir_store *store;
    int code;
    begin_with(empty);
    fault_pause(true);
    store = open_store(file);
    fault_pause(false);
    code = into(store, why);
    weir_store_close(store);
    assert_whole(file, code == 0);
    return code;
}

static int copy_file(struct weir_store *store, struct weir_err *why)
{
    int64_t last;
    return weir_store_merge(store, finished, &last, why);
}

static int copy_shard(struct weir_store *store, struct weir_err *why)
{
    struct weir_store_merged merged;
    return weir_store_merge_shard(store, finished, NULL, &merged, why);
}

static int merge_file(struct weir_err *why)
{
    return merge(copy_file, why);
}

static int merge_shard(struct weir_err *why)
{
    return merge(copy_shard, why);
}

static void a_file_is_merged_whole_or_not_at_all(void **state)
{
    static const struct fault_row rows[] = {
        { "calloc", 1, ENOMEM, WEIR_E_MEMORY, ".db: not enough memory" },
        { "sqlite3_prepare_v2", 1, SQLITE_IOERR, WEIR_E_FILE | FAULT_OR_DONE, ".db: cannot be " },
        { "sqlite3_step", 1, SQLITE_IOERR, WEIR_E_FILE | FAULT_OR_DONE, ".db: cannot be " },
        { "sqlite3_exec", 1, SQLITE_IOERR, WEIR_E_FILE | FAULT_OR_DONE, ".db: cannot be " },
    };
    (void)state;
    assert_faults(merge_file, rows);
    assert_faults(merge_shard, rows);
    assert_whole(finished, 1);
}

static uint32_t rows_read;

/* ---- a writer in a thread of its own ---- */

static uint64_t no_time(void)
{
    return 0;
}

/* Gives a writer messages and points, and waits until they are written. */
static int write_by_thread(struct weir_err *why)
{
    struct weir_writer *writer = NULL;
    struct weir_store *store;
    int64_t run, series;
    int code;
    begin_with(empty);
    fault_pause(true);
    store = open_store(file);
    run = begin_run(store, "sird", NULL);
    assert_int_equal(weir_store_series(store, run, "queue", "bytes", NULL, &series, why), 0);
    fault_pause(false);
    code = weir_writer_start(&writer, store, run, no_time, why);
    if (code == 0) {
        struct weir_store_message *message = weir_writer_messages(writer);
        struct weir_store_point *point;
        bool goes_on;
        *message = (struct weir_store_message){ { .id = 1, .bytes = 1000 }, 1 };
        weir_writer_push(writer, 1);
        point = weir_writer_points(writer);
        if (point != NULL) {
            *point = (struct weir_store_point){ series, 7, 0.5 };
            weir_writer_push(writer, 1);
        }
        goes_on = weir_writer_clear_points(writer);
        code = weir_writer_stop(writer, why);
        assert_true(code != 0 || goes_on);
    }
    fault_pause(true);
    assert_int_equal(ask(store, "SELECT count(*) FROM message"), code == 0);
    assert_int_equal(ask(store, "SELECT count(*) FROM point"), 0);
    weir_store_close(store);
    fault_pause(false);
    return code;
}

static void a_writer_s_first_failure_is_what_it_returns(void **state)
{
    static const struct fault_row rows[] = {
        { "calloc", 1, ENOMEM, WEIR_E_MEMORY, "not enough memory" },
        { "pthread_create", 1, EAGAIN, WEIR_E_MEMORY, "thread" },
        { "sqlite3_prepare_v2", 1, SQLITE_NOMEM, WEIR_E_MEMORY, "not enough memory" },
        { "sqlite3_step", 1, SQLITE_FULL, WEIR_E_FILE, "No space left on device" },
        { "sqlite3_exec", 1, SQLITE_FULL, WEIR_E_FILE, "No space left on device" },
    };
    (void)state;
    assert_faults(write_by_thread, rows);
}

/* ---- reading ---- */

static bool count_names(void *ctx, const struct weir_store_value *column, uint32_t count)
{
    (void)ctx, (void)column;
    return count > 0;
}

static bool count_row(void *ctx, const struct weir_store_value *column, uint32_t count)
{
    (void)ctx, (void)column;
    rows_read += count > 0;
    return true;
}

static int read_all(struct weir_err *why)
{
    const struct weir_store_visitor visitor = { .names = count_names, .row = count_row };
    struct weir_store *store;
    int code;
    rows_read = 0;
    code = weir_store_open_read(&store, finished, NULL, why);
    if (code == 0)
        code = weir_store_table(store, finished, "message", "1", &visitor, why);
    weir_store_close(store);
    if (code == 0)
        assert_int_equal(rows_read, 1);
    return code;
}

static void a_table_is_read_to_its_end_or_refused(void **state)
{
    static const struct fault_row rows[] = {
        { "open64", 1, EMFILE, WEIR_E_FILE | FAULT_OR_DONE, "finished.db: cannot be read: Too many open files" },
        { "access", 1, EACCES, 0, NULL }, /* then it is opened for reading alone */
        { "calloc", 1, ENOMEM, WEIR_E_MEMORY, "finished.db: not enough memory" },
        { "sqlite3_prepare_v2", 1, SQLITE_IOERR, WEIR_E_FILE, "finished.db: cannot be " },
        { "sqlite3_step", 1, SQLITE_IOERR, WEIR_E_FILE, "finished.db: cannot be " },
        { "sqlite3_exec", 1, SQLITE_IOERR, WEIR_E_FILE | FAULT_OR_DONE, "finished.db: cannot be " },
    };
    (void)state;
    assert_faults(read_all, rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_run_is_whole_or_not_there, make_files, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_file_is_merged_whole_or_not_at_all, make_files, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_writer_s_first_failure_is_what_it_returns, make_files, fixture_teardown),
        cmocka_unit_test_setup_teardown(a_table_is_read_to_its_end_or_refused, make_files, fixture_teardown),
    };
    return cmocka_run_group_tests_name("store/faults", tests, NULL, NULL);
}
