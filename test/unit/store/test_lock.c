/* test/unit/store/test_lock.c - what is no result file of ours is refused and stays as it was; one writer at a time. */
#include "test/unit/store/store_fixture.h"
#include <sys/stat.h>
#include <sys/statvfs.h>

static struct weir_store *store;

static void put_file(const char *text, size_t length)
{
    FILE *out = fopen(file, "wb");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, length, out), length);
    assert_int_equal(fclose(out), 0);
}

static void put_database(const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void assert_refused_both_ways(void)
{
    assert_refused(weir_store_open(&store, file, NULL, &err), WEIR_E_FILE, file);
    assert_null(store);
    assert_refused(weir_store_open_read(&store, file, NULL, &err), WEIR_E_FILE, file);
    assert_null(store);
    assert_int_equal(fixture_files(false), 1); /* no log, no lock, nothing beside it */
}

static void a_missing_folder_is_named(void **state)
{
    (void)state;
    (void)snprintf(file, sizeof(file), "%s/no/out.db", folder);
    assert_refused(weir_store_open(&store, file, NULL, &err), WEIR_E_FILE, file);
    assert_refused(weir_store_open_read(&store, file, NULL, &err), WEIR_E_FILE, file);
}

static void a_folder_or_a_device_is_no_file(void **state)
{
    (void)state;
    assert_refused(weir_store_open(&store, folder, NULL, &err), WEIR_E_FILE, folder);
    assert_refused(weir_store_open(&store, "/dev/null", NULL, &err), WEIR_E_FILE, "/dev/null");
}

static void a_text_is_refused_and_stays(void **state)
{
    static const char text[] = "name: small\n";
    char back[sizeof(text)] = "";
    FILE *in;
    (void)state;
    put_file(text, sizeof(text) - 1);
    assert_refused_both_ways();
    in = fopen(file, "rb");
    assert_non_null(in);
    assert_int_equal(fread(back, 1, sizeof(back), in), sizeof(text) - 1);
    assert_string_equal(back, text);
    (void)fclose(in);
}

static void another_programs_database_is_refused(void **state)
{
    (void)state;
    put_database("PRAGMA application_id = 5; CREATE TABLE run (id)");
    assert_refused_both_ways();
}

static void a_newer_file_is_refused(void **state)
{
    (void)state;
    put_database("PRAGMA application_id = 1466263922; PRAGMA user_version = 2; CREATE TABLE run (id)");
    assert_refused_both_ways();
}

static void only_an_empty_file_may_become_one(void **state)
{
    (void)state;
    put_file("", 0);
    assert_refused(weir_store_open_read(&store, file, NULL, &err), WEIR_E_FILE, file);
    store = open_store(file);
    weir_store_close(store);
    assert_int_equal(access(file, F_OK), 0); /* it was there before: it stays */
}

/* As root no permission is missing, so a child gives that up. */
static void a_file_that_may_not_be_written_is_refused(void **state)
{
    int status;
    pid_t child;
    (void)state;
    weir_store_close(open_store(file));
    put_database("PRAGMA application_id = 1466263922; PRAGMA user_version = 1; CREATE TABLE run (id)");
    assert_int_equal(chmod(file, 0444), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    child = fork();
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        _exit(weir_store_open(&store, file, NULL, &err) == WEIR_E_FILE &&
                      strstr(err.text, "cannot be written: Permission denied") != NULL
                  ? 0
                  : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void a_second_writer_is_refused_until_the_first_is_gone(void **state)
{
    int status;
    pid_t child;
    (void)state;
    store = open_store(file);
    (void)begin_run(store, "a", NULL);
    child = fork();
    if (child == 0) {
        struct weir_store *second;
        int code = weir_store_open(&second, file, NULL, &err);
        _exit(code == WEIR_E_BUSY && strstr(err.text, "another program is writing to it") != NULL ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_holds(store, "status = 'running' FROM run"); /* nobody called it dead */
    weir_store_close(store);
    weir_store_close(open_store(file));
}

struct other_writer { /* a child that has the file until it is told otherwise */
    pid_t child;
    int over;        /* closed: it closes the file and ends */
    int asked, most; /* calls of busy(), and how many before the child is told; then it is waited for */
    bool give_up;
};

static void start_writer(struct other_writer *w, bool leaves_a_run)
{
    int ready[2], over[2];
    char byte;
    assert_int_equal(pipe(ready), 0);
    assert_int_equal(pipe(over), 0);
    w->child = fork();
    if (w->child == 0) {
        struct weir_store *mine;
        int code = weir_store_open(&mine, file, NULL, &err);
        (void)close(over[1]);
        if (code == 0 && leaves_a_run)
            (void)begin_run(mine, "a", NULL);
        if (code == 0 && write(ready[1], "x", 1) == 1)
            (void)!read(over[0], &byte, 1); /* until the other end is closed */
        weir_store_close(code == 0 ? mine : NULL);
        _exit(0);
    }
    (void)close(over[0]);
    (void)close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    (void)close(ready[0]);
    w->over = over[1];
}

static void end_writer(struct other_writer *w)
{
    (void)close(w->over);
    assert_int_equal(waitpid(w->child, NULL, 0), w->child);
}

static bool busy(void *ctx, const char *path)
{
    struct other_writer *w = ctx;
    assert_string_equal(path, file);
    if (++w->asked == w->most && !w->give_up)
        end_writer(w);
    return w->asked < w->most || !w->give_up;
}

static void a_second_writer_that_waits_gets_the_file(void **state)
{
    struct other_writer w = { .most = 3 };
    const struct weir_store_caller wait = { .busy = busy, .ctx = &w };
    (void)state;
    start_writer(&w, true);
    assert_done(weir_store_open(&store, file, &wait, &err));
    assert_int_equal(w.asked, 3);
    assert_holds(store, "status = 'failed' FROM run"); /* its run is over */
    weir_store_close(store);
}

static void a_second_writer_may_tire_of_waiting(void **state)
{
    struct other_writer w = { .most = 3, .give_up = true };
    const struct weir_store_caller wait = { .busy = busy, .ctx = &w };
    (void)state;
    start_writer(&w, true);
    assert_refused(weir_store_open(&store, file, &wait, &err), WEIR_E_BUSY, file);
    assert_int_equal(w.asked, 3);
    end_writer(&w);
}

static struct other_writer *leaving;  /* ends before the next lock is asked for; NULL = none does */
static struct other_writer *arriving; /* has the file by then; NULL = none has */

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);
int __wrap_flock(int fd, int operation)
{
    struct other_writer *w = leaving;
    leaving = NULL;
    if (w != NULL)
        end_writer(w);
    w = arriving;
    arriving = NULL;
    if (w != NULL)
        start_writer(w, true);
    return __real_flock(fd, operation);
}

/* The first one made it and removes it, because there is no run in it: between our open() and our lock. */
static void a_file_that_is_gone_when_it_is_locked_is_made_anew(void **state)
{
    struct other_writer w = { 0 };
    (void)state;
    start_writer(&w, false);
    leaving = &w;
    assert_done(weir_store_open(&store, file, NULL, &err));
    (void)begin_run(store, "b", NULL);
    weir_store_close(store);
    assert_done(weir_store_open_read(&store, file, NULL, &err)); /* the name leads to what was written */
    assert_holds(store, "count(*) = 1 FROM run");
    weir_store_close(store);
}

/* Two begin at once: the first makes the file, the second has locked it before the first can. */
static void a_file_that_another_has_locked_is_not_removed(void **state)
{
    struct other_writer w = { 0 };
    (void)state;
    arriving = &w;
    assert_refused(weir_store_open(&store, file, NULL, &err), WEIR_E_BUSY, file);
    assert_int_equal(access(file, F_OK), 0);
    end_writer(&w);
    assert_done(weir_store_open_read(&store, file, NULL, &err));
    assert_holds(store, "count(*) = 1 FROM run"); /* of the second */
    weir_store_close(store);
}

static void a_lock_says_whether_it_made_the_file(void **state)
{
    bool made = false;
    int fd;
    (void)state;
    assert_done(weir_store_lock(file, &made, NULL, &fd, &err));
    assert_true(made);
    (void)close(fd);
    made = false;
    assert_done(weir_store_lock(file, &made, NULL, &fd, &err));
    assert_false(made);
    (void)close(fd);
    assert_int_equal(weir_store_lock(other, NULL, NULL, &fd, &err), WEIR_E_FILE);
    assert_int_equal(fd, -1);
}

static bool is_read_only; /* file systems are, to those who ask */

/* With 64-bit offsets, as meson compiles, that is the symbol of statvfs(). */
int __real_statvfs64(const char *path, struct statvfs *system);
int __wrap_statvfs64(const char *path, struct statvfs *system);
int __wrap_statvfs64(const char *path, struct statvfs *system)
{
    int status = __real_statvfs64(path, system);
    system->f_flag |= is_read_only ? ST_RDONLY : 0;
    return status;
}

int __real_access(const char *path, int mode);
int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
    return is_read_only && mode == W_OK ? -1 : __real_access(path, mode);
}

/* There a file is opened by a URI, where each of these bytes takes three, and SQLite makes no file. The folder's name is
 * short, so that nearly all of the URI is such bytes. */
static void any_name_can_be_read_on_a_read_only_file_system(void **state)
{
    char path[256], memory[300];
    size_t length;
    (void)state;
    assert_int_equal(rmdir(folder), 0);
    (void)snprintf(folder, sizeof(folder), "/tmp/%%XXXXXX");
    assert_non_null(mkdtemp(folder));
    length = (size_t)snprintf(path, sizeof(path), "%s/", folder);
    for (size_t i = 0; i < 200; i++)
        path[length + i] = "?#%& :+\xc3"[i % 8];
    path[length + 200] = '\0';
    store = open_store(path);
    (void)begin_run(store, "a", NULL);
    weir_store_close(store);
    is_read_only = true;
    assert_done(weir_store_open_read(&store, path, NULL, &err));
    assert_holds(store, "count(*) = 1 FROM run");
    (void)snprintf(memory, sizeof(memory), "%s-shm", path);
    assert_int_equal(access(memory, F_OK), -1);
    weir_store_close(store);
    is_read_only = false;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_missing_folder_is_named),
        TEST(a_folder_or_a_device_is_no_file),
        TEST(a_text_is_refused_and_stays),
        TEST(another_programs_database_is_refused),
        TEST(a_newer_file_is_refused),
        TEST(only_an_empty_file_may_become_one),
        TEST(a_file_that_may_not_be_written_is_refused),
        TEST(a_second_writer_is_refused_until_the_first_is_gone),
        TEST(a_second_writer_that_waits_gets_the_file),
        TEST(a_second_writer_may_tire_of_waiting),
        TEST(a_file_that_is_gone_when_it_is_locked_is_made_anew),
        TEST(a_file_that_another_has_locked_is_not_removed),
        TEST(a_lock_says_whether_it_made_the_file),
        TEST(any_name_can_be_read_on_a_read_only_file_system),
    };
    return cmocka_run_group_tests_name("store/lock", tests, NULL, NULL);
}
