/* test/unit/store/test_store.c - what a file is like, what readers see of it, what a crash leaves. */
#define _GNU_SOURCE /* syscall() */
#include "test/unit/store/store_fixture.h"
#include <signal.h>
#include <sys/syscall.h>

static struct weir_store *store, *reader;
static uint32_t synced; /* calls of SQLite */

/* In the place of libc's. */
int fdatasync(int fd)
{
    synced++;
    return (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
    synced++;
    return (int)syscall(SYS_fsync, fd);
}

static void a_new_file_says_what_it_is(void **state)
{
    (void)state;
    store = open_store(file);
    assert_int_equal(ask(store, "PRAGMA application_id"), 0x57656972);
    assert_int_equal(ask(store, "PRAGMA user_version"), 1);
    assert_int_equal(ask(store, "PRAGMA synchronous"), 1);
    assert_holds(store, "(SELECT journal_mode = 'wal' FROM pragma_journal_mode)");
    assert_holds(store, "(SELECT count(*) = 14 FROM sqlite_schema WHERE type = 'table')");
    weir_store_close(store);
}

static void a_new_file_without_a_run_is_not_left_behind(void **state)
{
    (void)state;
    store = open_store(file);
    assert_int_equal(access(file, F_OK), 0);
    weir_store_close(store);
    assert_int_equal(fixture_files(false), 0);
    store = open_store(file);
    (void)begin_run(store, "a", NULL);
    weir_store_close(store);
    assert_int_equal(fixture_files(false), 1); /* the file alone: its log is gone */
    weir_store_close(NULL);
}

/* The count of runs decides whether a file is removed; one that cannot be read any more must not count as empty. */
static void a_file_whose_runs_cannot_be_counted_is_kept(void **state)
{
    (void)state;
    store = open_store(file);
    (void)begin_run(store, "a", NULL);
    assert_int_equal(sqlite3_exec(store->db, "ALTER TABLE run RENAME TO elsewhere", NULL, NULL, NULL), SQLITE_OK);
    weir_store_close(store);
    assert_int_equal(access(file, F_OK), 0);
}

static void a_name_means_a_file_whatever_it_looks_like(void **state)
{
    char here[512];
    (void)state;
    assert_non_null(getcwd(here, sizeof(here)));
    assert_int_equal(chdir(folder), 0);
    store = open_store(":memory:");
    (void)begin_run(store, "a", NULL);
    weir_store_close(store);
    assert_int_equal(access(":memory:", F_OK), 0);
    assert_int_equal(chdir(here), 0);
}

static void a_reader_sees_what_was_committed_and_no_more(void **state)
{
    int64_t run;
    (void)state;
    store = open_store(file);
    run = begin_run(store, "a", NULL);
    add_messages(store, run, 3);
    assert_done(weir_store_open_read(&reader, file, NULL, &err));
    assert_int_equal(ask(reader, "SELECT count(*) FROM message"), 3);
    assert_done(weir_store_begin(store, &err));
    add_messages(store, run, 2);
    assert_int_equal(ask(reader, "SELECT count(*) FROM message"), 3);
    assert_done(weir_store_commit(store, &err));
    assert_int_equal(ask(reader, "SELECT count(*) FROM message"), 5);
    assert_int_not_equal(weir_store_run_remove(reader, run, &err), 0); /* it reads, and that is all */
    weir_store_close(store);
    assert_int_equal(ask(reader, "SELECT count(*) FROM message"), 5);
    weir_store_close(reader);
    assert_int_equal(fixture_files(false), 1);
}

static void what_is_rolled_back_or_closed_uncommitted_is_gone(void **state)
{
    int64_t run;
    (void)state;
    store = open_store(file);
    run = begin_run(store, "a", NULL);
    assert_done(weir_store_begin(store, &err));
    add_messages(store, run, 2);
    weir_store_rollback(store);
    weir_store_rollback(store);
    assert_int_equal(ask(store, "SELECT count(*) FROM message"), 0);
    assert_done(weir_store_begin(store, &err));
    add_messages(store, run, 2);
    weir_store_close(store);
    store = open_store(file);
    assert_int_equal(ask(store, "SELECT count(*) FROM message"), 0);
    weir_store_close(store);
}

/* Others are committed without a wait for the disk. */
static void a_durable_commit_is_on_the_disk_and_syncs_what_came_before(void **state)
{
    int64_t run;
    (void)state;
    store = open_store(file);
    run = begin_run(store, "a", NULL);
    synced = 0;
    for (int i = 0; i < 3; i++) {
        assert_done(weir_store_begin(store, &err));
        add_messages(store, run, 10);
        assert_done(weir_store_commit(store, &err));
    }
    assert_int_equal(synced, 0);
    assert_done(weir_store_begin_durable(store, &err));
    end_run(store, run, "done");
    assert_int_equal(synced, 0);
    assert_done(weir_store_commit(store, &err));
    assert_int_equal(synced, 1); /* the log, which all four are in */
    assert_done(weir_store_begin(store, &err));
    add_messages(store, run, 10);
    assert_done(weir_store_commit(store, &err));
    assert_int_equal(synced, 1);
    weir_store_close(store);
}

/* Writes 1000 messages, commits, writes 500 more, says so through the pipe and waits to be killed. */
static void write_and_wait(int pipe_end)
{
    struct weir_store *mine = open_store(file);
    int64_t run = begin_run(mine, "killed", NULL);
    assert_done(weir_store_begin(mine, &err));
    add_messages(mine, run, 1000);
    assert_done(weir_store_commit(mine, &err));
    assert_done(weir_store_begin(mine, &err));
    add_messages(mine, run, 500);
    if (write(pipe_end, "x", 1) == 1)
        (void)pause();
    _exit(1);
}

static void a_killed_writer_leaves_what_it_committed(void **state)
{
    int ends[2], status;
    pid_t child;
    char byte;
    (void)state;
    assert_int_equal(pipe(ends), 0);
    child = fork();
    if (child == 0)
        write_and_wait(ends[1]);
    (void)close(ends[1]); /* so that the child's end is an end */
    assert_int_equal(read(ends[0], &byte, 1), 1);
    assert_done(weir_store_open_read(&reader, file, NULL, &err));
    assert_holds(reader, "status = 'running' FROM run");
    assert_true(weir_store_has_writer(reader));
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_false(weir_store_has_writer(reader));
    assert_int_equal(ask(reader, "SELECT count(*) FROM message"), 1000);
    weir_store_close(reader);
    store = open_store(file); /* the lock died with its owner */
    assert_holds(store, "status = 'failed' FROM run");
    assert_int_equal(ask(store, "SELECT sum(bytes) FROM message"), 1499500);
    assert_holds(store, "(SELECT integrity_check = 'ok' FROM pragma_integrity_check)");
    weir_store_close(store);
    (void)close(ends[0]);
}

static void only_running_runs_are_called_dead(void **state)
{
    (void)state;
    store = open_store(file);
    end_run(store, begin_run(store, "a", NULL), "done");
    end_run(store, begin_run(store, "b", NULL), "interrupted");
    (void)begin_run(store, "c", NULL);
    weir_store_close(store);
    store = open_store(file);
    assert_holds(store, "(SELECT group_concat(label || ' ' || status, ', ') = 'a done, b interrupted, c failed'"
                        " FROM run)");
    weir_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_new_file_says_what_it_is),
        TEST(a_new_file_without_a_run_is_not_left_behind),
        TEST(a_file_whose_runs_cannot_be_counted_is_kept),
        TEST(a_name_means_a_file_whatever_it_looks_like),
        TEST(a_reader_sees_what_was_committed_and_no_more),
        TEST(what_is_rolled_back_or_closed_uncommitted_is_gone),
        TEST(a_durable_commit_is_on_the_disk_and_syncs_what_came_before),
        TEST(a_killed_writer_leaves_what_it_committed),
        TEST(only_running_runs_are_called_dead),
    };
    return cmocka_run_group_tests_name("store/store", tests, NULL, NULL);
}
