/* test/unit/store/test_shard.c - files with some points of a sweep become one: each run once, and no other sweep's. */
#include "test/unit/store/store_fixture.h"
#include <fcntl.h>

struct shard_run { /* what is not given is the same in all */
    const char *experiment, *point, *scenario, *digest, *commit, *status, *reason;
};

static struct weir_store *store;
static struct weir_store_merged merged;

static void add_run(struct weir_store *shard, const struct shard_run *r)
{
    const struct weir_store_run run = { .name = "small",
                                        .label = r->point != NULL ? r->point : "alone",
                                        .started_utc = "2026-01-02T03:04:05Z",
                                        .scenario = r->scenario,
                                        .weir_version = "1",
                                        .commit_id = r->commit,
                                        .experiment = r->experiment,
                                        .figure = r->experiment != NULL ? "all" : NULL,
                                        .point = r->point,
                                        .threads = 1 };
    const struct weir_store_end end = { .status = r->status, .digest = r->digest, .json = "{}" };
    int64_t id;
    assert_done(weir_store_run_begin(shard, &run, &id, &err));
    add_messages(shard, id, 2);
    if (r->reason != NULL)
        assert_done(weir_store_failure(shard, id, r->reason, &err));
    assert_done(weir_store_run_end(shard, id, &end, &err));
}

/* A shard with one run. */
static void make_shard(struct shard_run run)
{
    struct weir_store *shard;
    run.scenario = run.scenario != NULL ? run.scenario : "a: 1\n";
    run.digest = run.digest != NULL ? run.digest : "00ff";
    run.commit = run.commit != NULL ? run.commit : "abc";
    run.status = run.status != NULL ? run.status : "done";
    (void)unlink(other);
    shard = open_store(other);
    add_run(shard, &run);
    weir_store_close(shard);
}

static void merge(uint32_t added, uint32_t there, uint32_t failed)
{
    assert_done(weir_store_merge_shard(store, other, NULL, &merged, &err));
    assert_int_equal(merged.added, added);
    assert_int_equal(merged.there, there);
    assert_int_equal(merged.failed, failed);
}

static void refuse(const char *what)
{
    int64_t runs = ask(store, "SELECT count(*) FROM run");
    assert_refused(weir_store_merge_shard(store, other, NULL, &merged, &err), WEIR_E_CONFLICT, other);
    assert_non_null(strstr(err.text, what));
    assert_int_equal(ask(store, "SELECT count(*) FROM run"), runs);
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

static void the_same_run_is_kept_once(void **state)
{
    (void)state;
    make_shard((struct shard_run){ .experiment = "net", .point = "a-1" });
    merge(1, 0, 0);
    merge(0, 1, 0);
    make_shard((struct shard_run){ .experiment = "net", .point = "a-2" });
    merge(1, 0, 0);
    assert_holds(store, "(SELECT group_concat(id || point, ' ') = '1a-1 2a-2' FROM run)"); /* the first stayed */
    assert_int_equal(ask(store, "SELECT count(*) FROM message WHERE run = 2"), 2);
    make_shard((struct shard_run){ .point = NULL }); /* of no sweep */
    merge(1, 0, 0);
    merge(0, 1, 0);
}

static void another_sweep_is_refused(void **state)
{
    (void)state;
    make_shard((struct shard_run){ .point = NULL });
    merge(1, 0, 0);
    make_shard((struct shard_run){ .experiment = "net", .point = "a-1" });
    merge(1, 0, 0); /* what was there was of no sweep */
    make_shard((struct shard_run){ .experiment = "lan", .point = "a-2" });
    refuse("sweep lan");
}

static void another_run_of_a_point_is_refused_with_what_differs(void **state)
{
    (void)state;
    make_shard((struct shard_run){ .experiment = "net", .point = "a-1" });
    merge(1, 0, 0);
    make_shard((struct shard_run){ .experiment = "net", .point = "a-1", .scenario = "a: 2\n" });
    refuse("a-1 differs from the one in");
    assert_non_null(strstr(err.text, "its settings"));
    make_shard((struct shard_run){ .experiment = "net", .point = "a-1", .commit = "def" });
    refuse("commit");
    make_shard((struct shard_run){ .experiment = "net", .point = "a-1", .digest = "00aa" });
    refuse("digest");
}

static void what_failed_counts_until_it_is_done(void **state)
{
    (void)state;
    make_shard((struct shard_run){ .experiment = "net", .point = "a-1", .status = "failed", .reason = "stalled" });
    merge(0, 0, 1);
    merge(0, 0, 1);
    assert_holds(store, "(SELECT group_concat(reason) = 'stalled' FROM failure)");
    make_shard((struct shard_run){ .experiment = "net", .point = "a-1" });
    merge(1, 0, 0);
    assert_holds(store, "(SELECT group_concat(status) = 'done' FROM run)");
    assert_holds(store, "(SELECT count(*) = 0 FROM failure)");
    make_shard((struct shard_run){ .experiment = "net", .point = "a-1", .status = "failed", .reason = "stalled" });
    merge(0, 0, 0);
}

static size_t read_all(char *out, size_t size)
{
    int fd = open(other, O_RDONLY);
    ssize_t length = read(fd, out, size);
    (void)close(fd);
    assert_true(length > 0 && (size_t)length < size);
    return (size_t)length;
}

/* As a task leaves it that is killed when it has just made its file. */
static void an_empty_shard_has_no_runs(void **state)
{
    FILE *made = fopen(other, "w");
    (void)state;
    assert_non_null(made);
    (void)fclose(made);
    merge(0, 0, 0);
    (void)unlink(other);
    assert_int_equal(weir_store_merge_shard(store, other, NULL, &merged, &err), WEIR_E_FILE);
}

static void a_shard_stays_as_it_was(void **state)
{
    static char before[1 << 20], after[1 << 20];
    size_t length;
    (void)state;
    make_shard((struct shard_run){ .experiment = "net", .point = "a-1" });
    length = read_all(before, sizeof(before));
    merge(1, 0, 0);
    assert_int_equal(read_all(after, sizeof(after)), length);
    assert_memory_equal(before, after, length);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_same_run_is_kept_once),
        TEST(another_sweep_is_refused),
        TEST(another_run_of_a_point_is_refused_with_what_differs),
        TEST(what_failed_counts_until_it_is_done),
        TEST(an_empty_shard_has_no_runs),
        TEST(a_shard_stays_as_it_was),
    };
    return cmocka_run_group_tests_name("store/shard", tests, NULL, NULL);
}
