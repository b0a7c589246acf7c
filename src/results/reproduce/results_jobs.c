/* src/results/reproduce/results_jobs.c - see results_jobs.h. */
#include "reproduce/results_jobs.h"
#include "store/store.h"
#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

/* Selects the jobs of a run, each with the number of all. A run whose JSON cannot be read has none. */
static const char sql[] =
    "SELECT json_extract(value, '$.name'), json_extract(value, '$.completion_s') * 1e6, json_extract(value, "
    "'$.algbw_gbytes_s'), json_extract(value, '$.busbw_gbytes_s'), json_array_length(run.json, '$.jobs') FROM run, "
    "json_each(CASE WHEN json_valid(run.json) THEN run.json END, '$.jobs') WHERE run.id = ?1 AND type = 'object'";

static double number_at(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) != SQLITE_NULL ? sqlite3_column_double(stmt, column) : (double)NAN;
}

/* Adds the job in the present row. The first one also allocates the list. @return false = no memory */
static bool add_job(struct weir_results_jobs *jobs, sqlite3_stmt *stmt)
{
    const char *name = (const char *)sqlite3_column_text(stmt, 0);
    struct weir_results_job job = { .name = strdup(name != NULL ? name : ""),
                                    .completion_us = number_at(stmt, 1),
                                    .algbw_gbytes_s = number_at(stmt, 2),
                                    .busbw_gbytes_s = number_at(stmt, 3) };
    size_t all = (size_t)sqlite3_column_int(stmt, 4);
    if (jobs->job == NULL)
        jobs->job = calloc(all < WEIR_RESULTS_JOBS_MAX ? all : WEIR_RESULTS_JOBS_MAX, sizeof(*jobs->job));
    if (jobs->job == NULL || job.name == NULL) {
        free(job.name);
        return false;
    }
    jobs->job[jobs->count++] = job;
    return true;
}

int weir_results_jobs_read(struct weir_results_jobs *jobs, const struct weir_point *point, struct weir_err *err)
{
    sqlite3_stmt *stmt = NULL;
    bool ok = true;
    *jobs = (struct weir_results_jobs){ 0 };
    if (point->state != WEIR_POINT_DONE)
        return 0;
    if (sqlite3_prepare_v2(weir_store_db(point->store), sql, -1, &stmt, NULL) != SQLITE_OK)
        return weir_store_fail(point->store, "cannot be read", err);
    (void)sqlite3_bind_int64(stmt, 1, point->run);
    while (ok && sqlite3_step(stmt) == SQLITE_ROW) {
        if (jobs->count == WEIR_RESULTS_JOBS_MAX)
            jobs->left_out++;
        else
            ok = add_job(jobs, stmt);
    }
    (void)sqlite3_finalize(stmt);
    if (ok)
        return 0;
    weir_results_jobs_free(jobs);
    return weir_fail_memory(err);
}

void weir_results_jobs_free(struct weir_results_jobs *jobs)
{
    for (uint32_t i = 0; i < jobs->count; i++)
        free(jobs->job[i].name);
    free(jobs->job);
    *jobs = (struct weir_results_jobs){ 0 };
}
