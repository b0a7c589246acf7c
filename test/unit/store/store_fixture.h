/* test/unit/store/store_fixture.h - a folder per test, and result files in it. */
#ifndef WEIR_STORE_FIXTURE_H
#define WEIR_STORE_FIXTURE_H
#include "test/unit/refusal.h"
#include "store/store.h"
#include "store/store_internal.h"
#include <dirent.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[64], file[96], other[96];
static struct weir_err err;

static inline int fixture_setup(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/weir-store-XXXXXX");
    if (mkdtemp(folder) == NULL)
        return -1;
    (void)snprintf(file, sizeof(file), "%s/out.db", folder);
    (void)snprintf(other, sizeof(other), "%s/part.db", folder);
    memset(&err, 0, sizeof(err));
    return 0;
}

/* How many names the folder holds; removes them if asked to. */
static inline int fixture_files(bool remove_them)
{
    char path[sizeof(folder) + 300];
    int count = 0;
    DIR *dir = opendir(folder);
    if (dir == NULL)
        return -1;
    for (const struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        if (remove_them)
            (void)unlink(path);
        count++;
    }
    (void)closedir(dir);
    return count;
}

static inline int fixture_teardown(void **state)
{
    (void)state;
    (void)fixture_files(true);
    return rmdir(folder);
}

static inline void assert_done(int code)
{
    if (code != 0)
        fail_msg("%s", err.text);
}

static inline struct weir_store *open_store(const char *path)
{
    struct weir_store *store;
    assert_done(weir_store_open(&store, path, NULL, &err));
    return store;
}

static inline void assert_refused(int code, enum weir_err_code want, const char *path)
{
    assert_int_equal(code, want);
    assert_refusal(&err, want, "", path);
}

/* A number that a query answers. */
static inline int64_t ask(struct weir_store *store, const char *sql)
{
    sqlite3_stmt *stmt;
    int64_t answer;
    if (sqlite3_prepare_v2(weir_store_db(store), sql, -1, &stmt, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(weir_store_db(store)));
    assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
    answer = sqlite3_column_int64(stmt, 0);
    (void)sqlite3_finalize(stmt);
    return answer;
}

/* What a query says is "yes". */
static inline void assert_holds(struct weir_store *store, const char *condition)
{
    char sql[512];
    (void)snprintf(sql, sizeof(sql), "SELECT %s", condition);
    if (ask(store, sql) != 1)
        fail_msg("not so: %s", condition);
}

static inline int64_t begin_run(struct weir_store *store, const char *label, const char *point)
{
    const struct weir_store_run run = { .name = "small",
                                        .label = label,
                                        .started_utc = "2026-01-02T03:04:05Z",
                                        .experiment = point != NULL ? "sird" : NULL,
                                        .figure = point != NULL ? "fig6" : NULL,
                                        .point = point,
                                        .seed = 7,
                                        .threads = 2 };
    int64_t id;
    assert_done(weir_store_run_begin(store, &run, &id, &err));
    return id;
}

static inline void end_run(struct weir_store *store, int64_t run, const char *status)
{
    assert_done(weir_store_run_end(
        store, run, &(struct weir_store_end){ .status = status, .digest = "00ff", .json = "{}", .sim_s = 0.5 }, &err));
}

/* count messages, of 1000, 1001, .. bytes */
static inline void add_messages(struct weir_store *store, int64_t run, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        assert_done(weir_store_messages(store, run, &(struct weir_store_message){ { .id = i, .bytes = 1000 + i }, 1 },
                                        1, &err));
}
#endif
