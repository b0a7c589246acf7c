/* src/results/reproduce/standing.c - see standing.h. */
#include "reproduce/standing.h"
#include <sqlite3.h>
#include <string.h>

/* The runs of a point, the newest first. A file of an older Weir has no table of failures: reason is then NULL. */
#define RUNS_SQL(reason)                                                                                               \
    "SELECT status, scenario IS ?4 AND weir_version IS ?5 AND commit_id IS ?6, wall_s, " reason " FROM run"            \
    " WHERE experiment = ?1 AND figure = ?2 AND point = ?3 ORDER BY id DESC"

static const char runs_sql[] = RUNS_SQL("(SELECT reason FROM failure WHERE run = id)");
static const char old_sql[] = RUNS_SQL("NULL");

static enum weir_standing_kind kind_of(const char *status, bool same, bool has_writer)
{
    if (!same)
        return WEIR_STANDING_OTHER;
    if (strcmp(status, "done") == 0)
        return WEIR_STANDING_DONE;
    if (strcmp(status, "running") == 0)
        return has_writer ? WEIR_STANDING_RUNNING : WEIR_STANDING_ENDED;
    return strcmp(status, "failed") == 0 ? WEIR_STANDING_FAILED : WEIR_STANDING_ENDED;
}

/* Sets *standing to the state of the run of this row, if its kind is greater than the present one. A failed run without
 * a reason counts as ended: a later writer marked the run as failed, because the program of the run had ended. */
static int take_row(const struct weir_plan *plan, sqlite3_stmt *stmt, bool has_writer, struct weir_standing *standing,
                    struct weir_err *err)
{
    const char *status = (const char *)sqlite3_column_text(stmt, 0);
    const char *reason = (const char *)sqlite3_column_text(stmt, 3);
    enum weir_standing_kind kind = kind_of(status != NULL ? status : "", sqlite3_column_int(stmt, 1) != 0, has_writer);
    if (kind == WEIR_STANDING_FAILED && reason == NULL)
        kind = WEIR_STANDING_ENDED;
    if (kind <= standing->kind)
        return 0;
    *standing = (struct weir_standing){ .kind = kind, .wall_s = sqlite3_column_double(stmt, 2) };
    if (kind == WEIR_STANDING_FAILED) {
        standing->reason = weir_tree_arena_text(plan->exp->arena, reason, strlen(reason));
        if (standing->reason == NULL)
            return weir_fail_memory(err);
    }
    return 0;
}

static int read_point(const struct weir_plan *plan, const struct weir_point *p, sqlite3_stmt *stmt, bool has_writer,
                      struct weir_standing *standing, struct weir_err *err)
{
    int step, code = 0;
    (void)sqlite3_bind_text(stmt, 2, p->figure->name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 3, p->name, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 4, p->resolved, -1, SQLITE_STATIC);
    while (code == 0 && (step = sqlite3_step(stmt)) != SQLITE_DONE)
        code = step == SQLITE_ROW ? take_row(plan, stmt, has_writer, standing, err) : WEIR_E_FILE;
    (void)sqlite3_reset(stmt);
    return code;
}

int weir_standing_read(const struct weir_plan *plan, struct weir_store *store, const struct weir_results_by *by,
                       struct weir_standing *standing, struct weir_err *err)
{
    bool has_writer = weir_store_has_writer(store);
    sqlite3_stmt *stmt = NULL;
    int code = 0;
    if (sqlite3_prepare_v2(weir_store_db(store), runs_sql, -1, &stmt, NULL) != SQLITE_OK &&
        sqlite3_prepare_v2(weir_store_db(store), old_sql, -1, &stmt, NULL) != SQLITE_OK)
        return weir_store_fail(store, "cannot be read", err);
    (void)sqlite3_bind_text(stmt, 1, plan->exp->origin.id, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 5, by->version, -1, SQLITE_STATIC);
    (void)sqlite3_bind_text(stmt, 6, by->commit, -1, SQLITE_STATIC);
    for (uint32_t i = 0; i < plan->point_count && code == 0; i++)
        code = read_point(plan, &plan->point[i], stmt, has_writer, &standing[i], err);
    if (code == WEIR_E_FILE)
        (void)weir_store_fail(store, "cannot be read", err);
    (void)sqlite3_finalize(stmt);
    return code;
}

double weir_standing_left_s(const struct weir_plan *plan, const struct weir_standing *standing)
{
    double wall_s = 0, done = 0, left = 0;
    for (uint32_t i = 0; i < plan->point_count; i++) {
        bool is_done = standing[i].kind == WEIR_STANDING_DONE;
        wall_s += is_done ? standing[i].wall_s : 0;
        done += is_done ? (double)plan->point[i].weight : 0;
        left += is_done ? 0 : (double)plan->point[i].weight;
    }
    return done > 0 ? wall_s / done * left : -1;
}
