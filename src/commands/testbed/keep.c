/* src/commands/testbed/keep.c - see keep.h. */
#include "testbed/keep.h"
#include "text/clock.h"
#include "text/commit.h"
#include "text/machine.h"
#include "text/version.h"
#include <sqlite3.h>

int weir_keep_open(struct weir_keep *keep, const char *paper, const char *path, const struct weir_store_caller *caller,
                   struct weir_err *err)
{
    keep->paper = paper;
    return weir_store_open(&keep->store, path, caller, err);
}

void weir_keep_close(struct weir_keep *keep)
{
    weir_store_close(keep->store);
    keep->store = NULL;
}

/* Prepares a query and binds ?1 to ?3: experiment, figure and point. Returns NULL if that fails. */
static sqlite3_stmt *prepare(const struct weir_keep *keep, const char *sql, const char *figure, const char *point)
{
    sqlite3_stmt *query = NULL;
    if (sqlite3_prepare_v2(weir_store_db(keep->store), sql, -1, &query, NULL) != SQLITE_OK)
        return NULL;
    (void)sqlite3_bind_text(query, 1, keep->paper, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(query, 2, figure, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(query, 3, point, -1, SQLITE_STATIC);
    return query;
}

/* Sets *run to the number of a run of a figure; 0 = there is none. */
static int find_any(struct weir_keep *keep, const char *figure, int64_t *run, struct weir_err *err)
{
    sqlite3_stmt *query =
        prepare(keep, "SELECT id FROM run WHERE experiment = ?1 AND figure = ?2 AND ?3 IS NULL LIMIT 1", figure, NULL);
    int step = query != NULL ? sqlite3_step(query) : SQLITE_ERROR;
    *run = step == SQLITE_ROW ? sqlite3_column_int64(query, 0) : 0;
    (void)sqlite3_finalize(query);
    return step == SQLITE_ROW || step == SQLITE_DONE ? 0 : weir_store_fail(keep->store, "cannot be read", err);
}

int weir_keep_forget(struct weir_keep *keep, const char *figure, struct weir_err *err)
{
    int64_t run;
    int code = weir_store_begin(keep->store, err);
    while (code == 0 && (code = find_any(keep, figure, &run, err)) == 0 && run != 0)
        code = weir_store_run_remove(keep->store, run, err);
    if (code == 0)
        code = weir_store_commit(keep->store, err);
    weir_store_rollback(keep->store);
    return code;
}

/* Reads the numbers of a run. Returns false if one is missing. */
static bool read_values(const struct weir_keep *keep, int64_t run, const char *const *name, double *value)
{
    sqlite3_stmt *query = NULL;
    bool found = sqlite3_prepare_v2(weir_store_db(keep->store), "SELECT value FROM metric WHERE run = ?1 AND name = ?2",
                                    -1, &query, NULL) == SQLITE_OK;
    for (uint32_t i = 0; found && name[i] != NULL; i++) {
        (void)sqlite3_reset(query);
        (void)sqlite3_bind_int64(query, 1, run);
        (void)sqlite3_bind_text(query, 2, name[i], -1, SQLITE_STATIC);
        found = sqlite3_step(query) == SQLITE_ROW;
        if (found)
            value[i] = sqlite3_column_double(query, 0);
    }
    (void)sqlite3_finalize(query);
    return found;
}

int weir_keep_find(struct weir_keep *keep, const struct weir_keep_key *key, bool *found, double *value,
                   struct weir_err *err)
{
    static const char sql[] = "SELECT id, settings IS ?4 AND weir_version IS ?5 AND commit_id IS ?6 FROM run"
                              " WHERE experiment = ?1 AND figure = ?2 AND point = ?3 AND status = 'done'"
                              " ORDER BY 2 DESC, id DESC LIMIT 1";
    sqlite3_stmt *query;
    int step;
    *found = false;
    if (keep->store == NULL)
        return 0;
    query = prepare(keep, sql, key->figure, key->point);
    (void)sqlite3_bind_text(query, 4, key->settings, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(query, 5, WEIR_VERSION, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(query, 6, WEIR_COMMIT, -1, SQLITE_STATIC);
    step = query != NULL ? sqlite3_step(query) : SQLITE_ERROR;
    if (step == SQLITE_ROW)
        *found =
            sqlite3_column_int(query, 1) != 0 && read_values(keep, sqlite3_column_int64(query, 0), key->name, value);
    (void)sqlite3_finalize(query);
    if (step != SQLITE_ROW && step != SQLITE_DONE)
        return weir_store_fail(keep->store, "cannot be read", err);
    if (step == SQLITE_ROW && !*found)
        return weir_fail(err, WEIR_E_CONFLICT, NULL,
                         "--fresh deletes it, -o writes another file; or give the --seconds of before",
                         "the result file has another measurement of %s, %s", key->figure, key->point);
    return 0;
}

static int add(struct weir_keep *keep, const struct weir_keep_key *key, const double *value, double wall_s,
               struct weir_err *err)
{
    char started[WEIR_UTC_TEXT], machine[WEIR_MACHINE_TEXT];
    const struct weir_store_run run = { .name = keep->paper,
                                        .label = key->point,
                                        .started_utc = started,
                                        .weir_version = WEIR_VERSION,
                                        .commit_id = WEIR_COMMIT,
                                        .machine = machine,
                                        .settings = key->settings,
                                        .experiment = keep->paper,
                                        .figure = key->figure,
                                        .point = key->point,
                                        .threads = 1 };
    const struct weir_store_end end = { .status = "done", .wall_s = wall_s };
    int64_t id;
    int code;
    weir_utc_now(started);
    weir_machine(machine);
    code = weir_store_run_begin(keep->store, &run, &id, err);
    for (uint32_t i = 0; key->name[i] != NULL && code == 0; i++)
        code = weir_store_metric(keep->store, id, key->name[i], &value[i], err);
    return code == 0 ? weir_store_run_end(keep->store, id, &end, err) : code;
}

int weir_keep_add(struct weir_keep *keep, const struct weir_keep_key *key, const double *value, double wall_s,
                  struct weir_err *err)
{
    int code = keep->store != NULL ? weir_store_begin_durable(keep->store, err) : 0;
    if (keep->store == NULL || code != 0)
        return code;
    code = add(keep, key, value, wall_s, err);
    if (code == 0)
        code = weir_store_commit(keep->store, err);
    weir_store_rollback(keep->store);
    return code;
}
