/* test/unit/store/test_merge.c - parts of a sweep become one file, however often they are merged. */
#include "test/unit/store/store_fixture.h"

static struct weir_store *store;

/* A part with one run that has `messages` messages, a series of two points and a metric. */
static void make_part(const char *point, const char *status, uint32_t messages)
{
    struct weir_store *part;
    struct weir_job_result job = { .name = "q1", .start_ps = messages, .end_ps = messages + 1 };
    struct weir_coflow_result coflow = { .job = "q1", .name = "all", .first_end_ps = messages };
    const struct weir_job_results jobs = { &job, &coflow, 1, 1 };
    const struct weir_store_finding finding = { 0, "unfinished", point, NULL, "{}" };
    const struct weir_part_result law = { .messages_started = messages };
    const double value = messages;
    int64_t run, series;
    (void)unlink(other);
    part = open_store(other);
    run = begin_run(part, "sird", point);
    add_messages(part, run, messages);
    assert_done(weir_store_series(part, run, "goodput", "Gbps", NULL, &series, &err));
    assert_done(weir_store_points(part, (struct weir_store_point[]){ { series, 1, messages }, { series, 2, messages } },
                                  2, &err));
    assert_done(weir_store_metric(part, run, "messages", &value, &err));
    assert_done(weir_store_jobs(part, run, &jobs, &err));
    assert_done(weir_store_finding(part, run, &finding, &err));
    assert_done(weir_store_law(part, run, 0, point, &law, &err));
    assert_done(weir_store_class(part, run, &law, &err));
    assert_done(weir_store_kept(part, run, &(struct weir_store_kept){ .messages = messages, .weight = 1 }, &err));
    if (status != NULL)
        end_run(part, run, status);
    weir_store_close(part);
}

static int64_t last;

static void merge(void)
{
    assert_done(weir_store_merge(store, other, &last, &err));
}

static int setup(void **state)
{
    int code = fixture_setup(state);
    store = code == 0 ? open_store(file) : NULL;
    return code;
}

static int teardown(void **state)
{
    weir_store_close(store);
    return fixture_teardown(state);
}

static void parts_arrive_whole_under_new_numbers(void **state)
{
    (void)state;
    make_part("wka-50", "done", 3);
    merge();
    assert_int_equal(last, 1);
    make_part("wka-60", "done", 5);
    merge();
    assert_int_equal(last, 2);
    assert_holds(store,
                 "(SELECT group_concat(run || protocol || messages_started, ', ') = '1wka-503, 2wka-605' FROM law)");
    assert_holds(store, "(SELECT group_concat(run || ' ' || messages_started, ', ') = '1 3, 2 5' FROM class)");
    assert_holds(store, "(SELECT group_concat(id || ' ' || point || ' ' || status, ', ') ="
                        " '1 wka-50 done, 2 wka-60 done' FROM run)");
    assert_int_equal(ask(store, "SELECT count(*) FROM message WHERE run = 1"), 3);
    assert_int_equal(ask(store, "SELECT count(*) FROM message WHERE run = 2"), 5);
    assert_holds(store, "(SELECT min(key) = 2 << 40 AND max(key) = (2 << 40) + 4 FROM message WHERE run = 2)");
    assert_holds(store, "(SELECT sum(value) = 6.0 FROM point JOIN series ON series = id WHERE run = 1)");
    assert_holds(store, "(SELECT sum(value) = 10.0 FROM point JOIN series ON series = id WHERE run = 2)");
    assert_holds(store, "(SELECT group_concat(value) = '3.0,5.0' FROM metric)");
    assert_holds(store, "(SELECT group_concat(run || ' ' || start_ps || ' ' || end_ps) = '1 3 4,2 5 6' FROM job)");
    assert_holds(store, "(SELECT group_concat(run || ' ' || first_end_ps) = '1 3,2 5' FROM coflow)");
    assert_holds(store, "(SELECT group_concat(run || ' ' || text) = '1 wka-50,2 wka-60' FROM finding)");
    assert_holds(store, "(SELECT group_concat(run || ' ' || messages) = '1 3,2 5' FROM kept)");
    assert_holds(store, "(SELECT total(weight) = 8 FROM message)");
    assert_holds(store, "(SELECT json = '{}' AND seed = 7 AND experiment = 'sird' FROM run WHERE id = 2)");
}

/* As those have it that were made before there were jobs and findings. */
static void a_part_without_later_tables_is_merged(void **state)
{
    struct weir_store *part;
    (void)state;
    make_part("wka-50", "done", 3);
    part = open_store(other);
    assert_int_equal(
        sqlite3_exec(weir_store_db(part),
                     "DROP TABLE job; DROP TABLE coflow; DROP TABLE finding; DROP TABLE class; DROP TABLE kept;"
                     " ALTER TABLE message DROP COLUMN weight",
                     NULL, NULL, NULL),
        SQLITE_OK);
    weir_store_close(part);
    merge();
    assert_int_equal(ask(store, "SELECT count(*) FROM message WHERE weight IS NULL"), 3);
    assert_int_equal(ask(store, "SELECT count(*) FROM job"), 0);
}

static void merging_again_changes_nothing(void **state)
{
    (void)state;
    make_part("wka-50", "done", 3);
    for (int i = 0; i < 3; i++)
        merge();
    assert_int_equal(ask(store, "SELECT count(*) FROM run"), 1);
    assert_int_equal(ask(store, "SELECT count(*) FROM message"), 3);
    assert_int_equal(ask(store, "SELECT count(*) FROM series"), 1);
    assert_int_equal(ask(store, "SELECT count(*) FROM point"), 2);
    assert_int_equal(ask(store, "SELECT count(*) FROM metric"), 1);
}

static void the_new_one_takes_the_place_of_the_old(void **state)
{
    (void)state;
    make_part("wka-50", "failed", 1);
    merge();
    make_part("wka-50", "done", 3);
    merge();
    make_part("wka-50", "done", 4);
    merge();
    assert_int_equal(ask(store, "SELECT count(*) FROM run"), 1);
    assert_int_equal(ask(store, "SELECT count(*) FROM message"), 4);
    make_part("wka-50", "interrupted", 9); /* but never of one that is done */
    merge();
    assert_int_equal(ask(store, "SELECT count(*) FROM run"), 1);
    assert_int_equal(ask(store, "SELECT count(*) FROM message"), 4);
}

static void what_a_dead_writer_left_running_arrives_as_failed(void **state)
{
    (void)state;
    make_part("wka-50", NULL, 2);
    merge();
    assert_holds(store, "(SELECT status = 'failed' FROM run)");
    assert_int_equal(ask(store, "SELECT count(*) FROM message"), 2);
}

static void what_cannot_be_merged_is_refused_and_nothing_is_copied(void **state)
{
    char gone[128];
    FILE *out;
    (void)state;
    (void)snprintf(gone, sizeof(gone), "%s/gone.db", folder);
    assert_refused(weir_store_merge(store, gone, &last, &err), WEIR_E_FILE, gone);
    assert_int_not_equal(access(gone, F_OK), 0);
    assert_refused(weir_store_merge(store, file, &last, &err), WEIR_E_CONFLICT, file);
    out = fopen(gone, "w");
    assert_non_null(out);
    assert_int_equal(fclose(out), 0);
    assert_refused(weir_store_merge(store, gone, &last, &err), WEIR_E_FILE, gone);
    assert_int_equal(ask(store, "SELECT count(*) FROM run"), 0);
    (void)begin_run(store, "still writable", NULL);
}

static void a_part_that_is_being_written_is_refused(void **state)
{
    int ready[2], over[2];
    pid_t child;
    char byte;
    (void)state;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(over), 0);
    child = fork();
    if (child == 0) {
        struct weir_store *mine;
        (void)close(over[1]);
        if (weir_store_open(&mine, other, NULL, &err) == 0 && write(ready[1], "x", 1) == 1)
            (void)!read(over[0], &byte, 1); /* until the other end is closed */
        _exit(0);
    }
    (void)close(over[0]);
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_refused(weir_store_merge(store, other, &last, &err), WEIR_E_BUSY, other);
    (void)close(over[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    (void)close(ready[0]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_arrive_whole_under_new_numbers),
        TEST(a_part_without_later_tables_is_merged),
        TEST(merging_again_changes_nothing),
        TEST(the_new_one_takes_the_place_of_the_old),
        TEST(what_a_dead_writer_left_running_arrives_as_failed),
        TEST(what_cannot_be_merged_is_refused_and_nothing_is_copied),
        TEST(a_part_that_is_being_written_is_refused),
    };
    return cmocka_run_group_tests_name("store/merge", tests, NULL, NULL);
}
