/* src/results/report/jobs.c - writes the table of single jobs: completion times and bandwidths of jobs, graphs, and
 * steps of collective operations, as means over the seeds of a set. */
#include "report/html.h"
#include "report/sections.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* OPEN_ROWS: if the table has more, it is closed at first. JOBS_MAX: most jobs of a set. ROWS_MAX: most rows; a set
 * with which there would be more is left out. */
enum { NAME = 64, COLUMNS = 3, OPEN_ROWS = 30, JOBS_MAX = 100, ROWS_MAX = 2000 };

static const struct {
    const char *title;
    enum weir_unit unit;
} columns[COLUMNS] = {
    { "Completion", WEIR_UNIT_S },
    { "Algorithm bandwidth", WEIR_UNIT_GBYTES_PER_S },
    { "Bus bandwidth", WEIR_UNIT_GBYTES_PER_S },
};

struct job { /* sums over the runs of a set in which it has the number */
    char name[NAME];
    double sum[COLUMNS];
    size_t count[COLUMNS];
};

struct jobs { /* of a set of runs */
    struct job job[JOBS_MAX];
    size_t count, left_out;
};

static int read_run(struct jobs *jobs, const struct weir_run *run, struct weir_err *err)
{
    static const char sql[] =
        "SELECT json_extract(value, '$.name'), json_extract(value, '$.completion_s'), json_extract(value, "
        "'$.algbw_gbytes_s'), json_extract(value, '$.busbw_gbytes_s') FROM run, json_each(CASE WHEN "
        "json_valid(run.json) THEN run.json END, '$.jobs') WHERE run.id = ?1 AND type = 'object'";
    sqlite3_stmt *stmt;
    size_t k = 0;
    int code = weir_db_prepare(run->db, sql, &stmt, err);
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(stmt, 1, run->id);
    for (; weir_db_step(run->db, stmt, &code, err); k++) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        if (k >= JOBS_MAX)
            continue;
        (void)snprintf(jobs->job[k].name, NAME, "%s", name != NULL ? name : "");
        for (int c = 0; c < COLUMNS; c++) {
            double value = weir_db_double(stmt, 1 + c);
            jobs->job[k].sum[c] += isnan(value) ? 0 : value;
            jobs->job[k].count[c] += !isnan(value);
        }
    }
    (void)sqlite3_finalize(stmt);
    jobs->count = k > jobs->count ? (k < JOBS_MAX ? k : JOBS_MAX) : jobs->count;
    jobs->left_out = k > JOBS_MAX ? k - JOBS_MAX : jobs->left_out;
    return code;
}

static void put_job(FILE *out, const char *label, const struct job *job)
{
    (void)fputs("<tr>", out);
    weir_html_element(out, "th", "scope=\"row\"", label);
    weir_html_element(out, "td", "class=\"words\"", job->name);
    for (int c = 0; c < COLUMNS; c++)
        weir_html_number(out, job->count[c] > 0 ? job->sum[c] / (double)job->count[c] : (double)NAN, columns[c].unit);
    (void)fputs("</tr>\n", out);
}

static void put_head(FILE *out, bool open)
{
    (void)fprintf(
        out, "<details%s><summary>Each job</summary>\n<div class=\"scroll\"><table>\n<thead><tr><th></th><th></th>",
        open ? " open" : "");
    for (int c = 0; c < COLUMNS; c++)
        weir_html_element(out, "th", NULL, columns[c].title);
    (void)fputs("</tr></thead>\n<tbody>\n", out);
}

static int read_set(struct jobs *jobs, const struct weir_set *set, struct weir_err *err)
{
    int code = 0;
    memset(jobs, 0, sizeof(*jobs));
    for (size_t i = 0; i < set->count && code == 0; i++)
        code = read_run(jobs, &set->run[i], err);
    return code;
}

int weir_section_jobs(const struct weir_page *page, const struct weir_group *group, struct weir_err *err)
{
    size_t sets = weir_set_count(group->run, group->count), rows = 0, left_out = 0;
    struct jobs jobs;
    int code = 0;
    for (size_t i = 0; i < group->count && code == 0;) {
        struct weir_set set = weir_set_first(&group->run[i], group->count - i);
        i += set.count;
        code = read_set(&jobs, &set, err);
        if (code != 0 || jobs.count == 0)
            continue;
        if (rows == 0)
            put_head(page->out, sets * jobs.count <= OPEN_ROWS);
        left_out += jobs.left_out;
        if (rows + jobs.count > ROWS_MAX) {
            left_out += jobs.count;
            continue;
        }
        for (size_t k = 0; k < jobs.count; k++)
            put_job(page->out, set.run->text[WEIR_RUN_LABEL], &jobs.job[k]);
        rows += jobs.count;
    }
    if (rows == 0)
        return code;
    (void)fputs("</tbody></table></div>\n<p class=\"note\">Means over seeds, of runs in which it ended.", page->out);
    if (left_out > 0)
        (void)fprintf(page->out, " %zu more are in the result file.", left_out);
    (void)fputs("</p></details>\n", page->out);
    return code;
}
