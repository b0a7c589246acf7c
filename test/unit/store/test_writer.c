/* test/unit/store/test_writer.c - everything handed over arrives, in order and in large transactions; a full disk is told. */
#include "test/unit/store/store_fixture.h"
#include "store/writer.h"
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>

static struct weir_store *store, *reader;
static struct weir_writer *writer;
static int64_t run;
static atomic_ullong clock_ns;

static uint64_t now_ns(void)
{
    return atomic_load(&clock_ns);
}

static int setup(void **state)
{
    int code = fixture_setup(state);
    if (code != 0)
        return code;
    atomic_store(&clock_ns, 0);
    store = open_store(file);
    run = begin_run(store, "a", NULL);
    return weir_writer_start(&writer, store, run, now_ns, &err);
}

static int teardown(void **state)
{
    weir_store_close(store);
    return fixture_teardown(state);
}

/* A batch whose messages have the ids first, first + 1, .. @return false = writing failed */
static bool push_messages(uint64_t first, size_t count)
{
    struct weir_store_message *to = weir_writer_messages(writer);
    if (to == NULL)
        return false;
    for (size_t i = 0; i < count; i++)
        to[i].d = (struct weir_delivery){ .id = first + i, .bytes = 1000, .end_ps = UINT64_C(1) << 60 };
    weir_writer_push(writer, count);
    return true;
}

static void more_than_the_ring_holds_arrives_whole_and_in_order(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 40; i++)
        assert_true(push_messages(i * WEIR_WRITER_BATCH_MESSAGES, WEIR_WRITER_BATCH_MESSAGES));
    assert_done(weir_writer_stop(writer, &err));
    assert_int_equal(ask(store, "SELECT count(*) FROM message WHERE key = (1 << 40) + id"), 163840);
}

static void a_writer_that_got_nothing_stops(void **state)
{
    (void)state;
    assert_done(weir_writer_stop(writer, &err));
    assert_int_equal(ask(store, "SELECT count(*) FROM message"), 0);
}

/* Waits for a number without a clock: SQLite is asked until it says so. A writer that never commits hangs the test. */
static void wait_until_committed(int64_t messages)
{
    assert_done(weir_store_open_read(&reader, file, NULL, &err));
    while (ask(reader, "SELECT count(*) FROM message") != messages)
        ;
    weir_store_close(reader);
}

static void a_quarter_of_a_second_or_100000_rows_end_a_transaction(void **state)
{
    (void)state;
    atomic_store(&clock_ns, 250000000);
    assert_true(push_messages(0, 10));
    wait_until_committed(10);
    for (uint64_t i = 0; i < 24; i++) /* 98304 rows: below */
        assert_true(push_messages(0, WEIR_WRITER_BATCH_MESSAGES));
    assert_true(push_messages(0, 1695)); /* 99999 */
    assert_true(push_messages(0, 1));
    wait_until_committed(100010);
    assert_true(push_messages(0, 5)); /* and this waits for its time, or for the end */
    assert_done(weir_writer_stop(writer, &err));
    assert_int_equal(ask(store, "SELECT count(*) FROM message"), 100015);
}

struct commits { /* of the writer's thread; read when that has ended */
    int64_t messages[8];
    int count;
};

/* Notes how many messages each transaction has brought so far. */
static int note_commit(void *ctx)
{
    struct commits *commits = ctx;
    if (commits->count < 8)
        commits->messages[commits->count] = sqlite3_total_changes(weir_store_db(store));
    commits->count++;
    return 0;
}

/* Pushes so many full batches, one of `last` messages and three of 1 each, and ends. */
static void push_and_stop(struct commits *commits, uint64_t batches, size_t last)
{
    int before = sqlite3_total_changes(weir_store_db(store));
    *commits = (struct commits){ 0 };
    (void)sqlite3_commit_hook(weir_store_db(store), note_commit, commits);
    for (uint64_t i = 0; i < batches; i++)
        assert_true(push_messages(i * WEIR_WRITER_BATCH_MESSAGES, WEIR_WRITER_BATCH_MESSAGES));
    assert_true(push_messages(0, last));
    for (int i = 0; i < 3; i++)
        assert_true(push_messages(0, 1));
    assert_done(weir_writer_stop(writer, &err));
    (void)sqlite3_commit_hook(weir_store_db(store), NULL, NULL);
    for (int i = 0; i < commits->count && i < 8; i++)
        commits->messages[i] -= before;
}

static void a_transaction_stays_open_for_100000_rows(void **state)
{
    struct commits commits;
    (void)state;
    push_and_stop(&commits, 24, 1695); /* 99,999, and 3 */
    assert_int_equal(commits.count, 2);
    assert_int_equal(commits.messages[0], 100000);
    assert_int_equal(commits.messages[1], 100002); /* at the end */
}

static void a_transaction_stays_open_for_a_quarter_of_a_second(void **state)
{
    struct commits commits;
    (void)state;
    atomic_store(&clock_ns, 249999999);
    push_and_stop(&commits, 1, 6);
    assert_int_equal(commits.count, 1);
    assert_int_equal(commits.messages[0], WEIR_WRITER_BATCH_MESSAGES + 9);
    assert_done(weir_writer_start(&writer, store, run, now_ns, &err));
    atomic_store(&clock_ns, 499999999); /* the other batches are within a quarter of the commit of that */
    push_and_stop(&commits, 1, 6);
    assert_int_equal(commits.count, 2);
    assert_int_equal(commits.messages[0], WEIR_WRITER_BATCH_MESSAGES);
    assert_int_equal(commits.messages[1], WEIR_WRITER_BATCH_MESSAGES + 9);
}

static void points_can_be_said_anew(void **state)
{
    struct weir_store_point *to;
    int64_t series;
    (void)state;
    assert_done(weir_writer_stop(writer, &err));
    assert_done(weir_store_series(store, run, "goodput", "Gbps", NULL, &series, &err));
    assert_done(weir_writer_start(&writer, store, run, now_ns, &err));
    to = weir_writer_points(writer);
    to[0] = (struct weir_store_point){ series, 1, 10 };
    to[1] = (struct weir_store_point){ series, 2, 20 };
    weir_writer_push(writer, 2);
    assert_true(weir_writer_clear_points(writer));
    to = weir_writer_points(writer);
    to[0] = (struct weir_store_point){ series, 2, 15 };
    weir_writer_push(writer, 1);
    assert_done(weir_writer_stop(writer, &err));
    assert_holds(store, "(SELECT group_concat(t_ps || ' ' || value) = '2 15.0' FROM point)");
}

/* In a child, whose files may not grow beyond 1 MB: pushes until it is told that this is no use. */
static int fill_the_disk(void)
{
    const struct rlimit limit = { 1000000, 1000000 };
    int code;
    (void)signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        return 2;
    store = open_store(file);
    run = begin_run(store, "full", NULL);
    if (weir_writer_start(&writer, store, run, now_ns, &err) != 0)
        return 3;
    atomic_store(&clock_ns, UINT64_C(1) << 60); /* every batch is late, so each is committed */
    for (uint64_t i = 0; i < 1000; i++) {
        atomic_fetch_add(&clock_ns, 1000000000);
        if (!push_messages(i * 100, 100))
            break;
    }
    code = weir_writer_stop(writer, &err);
    weir_store_close(store);
    return code == WEIR_E_FILE && strstr(err.text, "out.db: cannot be written: File too large") != NULL ? 0 : 4;
}

static void a_full_disk_ends_it_with_its_reason_and_keeps_what_was_committed(void **state)
{
    int status;
    pid_t child;
    int64_t kept;
    (void)state;
    assert_done(weir_writer_stop(writer, &err));
    weir_store_close(store);
    store = NULL;
    assert_int_equal(unlink(file), 0);
    child = fork();
    if (child == 0)
        _exit(fill_the_disk());
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    store = open_store(file);
    kept = ask(store, "SELECT count(*) FROM message WHERE key = (1 << 40) + id");
    assert_true(kept > 0 && kept % 100 == 0 && kept < 100000);
    assert_holds(store, "(SELECT status = 'failed' FROM run)");
    assert_holds(store, "(SELECT integrity_check = 'ok' FROM pragma_integrity_check)");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(more_than_the_ring_holds_arrives_whole_and_in_order),
        TEST(a_writer_that_got_nothing_stops),
        TEST(a_quarter_of_a_second_or_100000_rows_end_a_transaction),
        TEST(a_transaction_stays_open_for_100000_rows),
        TEST(a_transaction_stays_open_for_a_quarter_of_a_second),
        TEST(points_can_be_said_anew),
        TEST(a_full_disk_ends_it_with_its_reason_and_keeps_what_was_committed),
    };
    return cmocka_run_group_tests_name("store/writer", tests, NULL, NULL);
}
