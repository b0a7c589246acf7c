/* src/results/report/runs_open.c - see runs_open.h. */
#include "report/runs_open.h"
#include "report/labels.h"
#include "report/sets.h"
#include "reproduce/comparison_read.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* SQL: a value of column `json`, the output of `weir run --json`; NULL if the column is no valid JSON. */
#define JSON(path) "CASE WHEN json_valid(json) THEN json_extract(json, '$." path "') END"

/* SQL: the texts of all findings, one per line; NULL in files of an older Weir, which have no such list. `json` needs
 * the prefix `run.` here, since json_each() has a column `json`, too. */
#define FINDINGS                                                                                                       \
    "(SELECT group_concat(json_extract(value, '$.text'), char(10)) FROM json_each(CASE WHEN json_valid(run.json) "     \
    "THEN run.json END, '$.findings'))"

/* SQL: a line "CAUSE[data,ack,credit,control]" for each cause in a list whose counts are not all 0; NULL in files of an
 * older Weir, and if there is no such cause. */
#define LOST "json_extract(value, '$.data', '$.ack', '$.credit', '$.control')"
#define CAUSES(list)                                                                                                   \
    "(SELECT group_concat(key || " LOST ", char(10)) FROM json_each(CASE WHEN json_valid(run.json) THEN run.json "     \
    "END, '$." list "') WHERE " LOST " <> '[0,0,0,0]')"

#define ALL_CAUSES CAUSES("drops_by_cause") ", " CAUSES("losses_by_cause")
#define FULLEST JSON("fullest_port") ", " JSON("fullest_link")
#define TEXTS_OF_JSON                                                                                                  \
    JSON("topology") ", " JSON("hosts") ", " JSON("verdict") ", " FULLEST ", " FINDINGS ", " ALL_CAUSES
#define NUMBERS                                                                                                        \
    "sim_s, wall_s, " JSON("measured_s") ", " JSON("stable") ", " JSON("link_share_max") ", " JSON("packet_hops")

/* Selects for each run: its id, its texts in the order of enum weir_run_text, and NUMBERS_COUNT numbers. ?1: ids of
 * runs, "3,14"; NULL = all. */
static const char runs_sql[] =
    "SELECT id, name, coalesce(nullif(label, ''), name, 'run ' || id), status, started_utc, weir_version, commit_id, "
    "machine, protocol, preset, seed, threads, digest, scenario, settings, experiment, figure, point, " TEXTS_OF_JSON
    ", " NUMBERS " FROM run WHERE figure IS NOT '" WEIR_STORE_LENGTHS
    "' AND (?1 IS NULL OR id IN (SELECT value FROM json_each('[' || ?1 || ']'))) ORDER BY id";
#define NUMBERS_COUNT 6
#define PS_PER_US 1e6
#define STEPS_OF_RUN 20000u /* work for a run besides its texts, in steps of SQLite (weir_store_spend()) */
#define FIRST_TEXT 1
#define FIRST_VALUE (FIRST_TEXT + WEIR_RUN_TEXT_COUNT)

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the list of runs");
}

static int take_run(struct weir_run *run, const struct weir_db *db, sqlite3_stmt *stmt, struct weir_err *err)
{
    static const enum weir_run_value number[NUMBERS_COUNT] = { WEIR_RUN_SIM_S,      WEIR_RUN_WALL_S,
                                                               WEIR_RUN_MEASURED_S, WEIR_RUN_STABLE,
                                                               WEIR_RUN_LINK_SHARE, WEIR_RUN_PACKET_HOPS };
    *run = (struct weir_run){ .db = db, .id = sqlite3_column_int64(stmt, 0) };
    for (int i = 0; i < WEIR_RUN_VALUE_COUNT; i++)
        run->value[i] = (double)NAN;
    for (int i = 0; i < NUMBERS_COUNT; i++)
        run->value[number[i]] = weir_db_double(stmt, FIRST_VALUE + i);
    for (int i = 0; i < WEIR_RUN_TEXT_COUNT; i++) {
        const char *text = (const char *)sqlite3_column_text(stmt, FIRST_TEXT + i);
        run->text[i] = text != NULL ? strdup(text) : NULL;
        if (text != NULL && run->text[i] == NULL)
            return no_memory(err);
    }
    return 0;
}

/* Tests whether the status of a run is `done`: then all numbers of the run are in the file. */
static bool has_ended(const struct weir_run *run)
{
    return strcmp(weir_run_text_of(run, WEIR_RUN_STATUS), "done") == 0;
}

/* Tests whether a metric belongs to an object: "tor_queue_bytes.max" belongs to "tor_queue_bytes". */
static bool is_within(const char *name, const char *object)
{
    size_t length = strlen(object);
    return strncmp(name, object, length) == 0 && name[length] == '.';
}

static int take_metrics(struct weir_run *run, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = weir_db_prepare(run->db, "SELECT name, value FROM metric WHERE run = ?1", &stmt, err);
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(stmt, 1, run->id);
    run->lacks = has_ended(run) ? (1u << (WEIR_RUN_RETRANSMISSIONS + 1)) - (1u << (WEIR_RUN_BUSBW + 1)) : 0;
    while (weir_db_step(run->db, stmt, &code, err)) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        for (int i = 0; name != NULL && i <= WEIR_RUN_RETRANSMISSIONS; i++)
            if (strcmp(name, weir_run_value_name(i)) == 0) {
                run->value[i] = weir_db_double(stmt, 1) * (weir_run_value_info(i).unit == WEIR_UNIT_PS ? PS_PER_US : 1);
                run->lacks &= ~(1u << i);
            } else if (sqlite3_column_type(stmt, 1) == SQLITE_NULL &&
                       is_within(weir_run_value_name(i), name)) { /* a null object: all its members are null */
                run->lacks &= ~(1u << i);
            }
    }
    (void)sqlite3_finalize(stmt);
    return code;
}

static bool goes_on(const struct weir_run *run)
{
    const char *status = run->text[WEIR_RUN_STATUS];
    return status != NULL && strcmp(status, "running") == 0;
}

/* Changes the status of runs that are still `running` to failed. runs->run[first] and all later runs must be of a file
 * that no program writes, so the writer of such a run has died. Returns 0, or WEIR_E_MEMORY with err. */
static int call_dead(struct weir_runs *runs, size_t first, struct weir_err *err)
{
    for (size_t i = first; i < runs->count; i++) {
        if (!goes_on(&runs->run[i]))
            continue;
        free(runs->run[i].text[WEIR_RUN_STATUS]);
        runs->run[i].text[WEIR_RUN_STATUS] = strdup("failed: its writer is gone");
        if (runs->run[i].text[WEIR_RUN_STATUS] == NULL)
            return no_memory(err);
    }
    return 0;
}

/* Finds whether a done run is in doubt, and what settles it. Of endless flows alone there is no slowdown that could be
 * doubted: such a run has goodput and queues. */
static int find_doubt(struct weir_run *run, struct weir_err *err)
{
    struct weir_point point = weir_run_point(run);
    char doubt[WEIR_COMPARISON_WHY] = "";
    enum weir_advice_kind settles;
    if (point.state == WEIR_POINT_DONE)
        weir_comparison_doubt(&point, doubt);
    if (doubt[0] == '\0')
        return 0;
    point.doubt = doubt;
    settles = weir_settle_of(&point).kind;
    if (settles == WEIR_ADVICE_BEYOND && isnan(run->value[WEIR_RUN_P99]))
        return 0;
    run->settles = settles;
    run->doubt = strdup(doubt);
    return run->doubt != NULL ? 0 : no_memory(err);
}

static uint64_t text_bytes(const struct weir_run *run)
{
    uint64_t bytes = 0;
    for (int k = 0; k < WEIR_RUN_TEXT_COUNT; k++)
        bytes += run->text[k] != NULL ? strlen(run->text[k]) : 0;
    return bytes;
}

static void free_run(struct weir_run *run)
{
    for (int k = 0; k < WEIR_RUN_TEXT_COUNT; k++)
        free(run->text[k]);
    free(run->doubt);
    weir_elements_free(&run->elements);
}

/* Adds the run at the present row of stmt, with its metrics, if the run fits the filter. Returns 0, or a code with
 * err. */
static int add_run(struct weir_runs *runs, const struct weir_db *db, sqlite3_stmt *stmt,
                   const struct weir_runs_filter *filter, struct weir_err *err)
{
    struct weir_run *grown = realloc(runs->run, (runs->count + 1) * sizeof(*grown)), *run;
    bool fits = true;
    int code;
    if (grown == NULL)
        return no_memory(err);
    runs->run = grown;
    run = &grown[runs->count];
    code = take_run(run, db, stmt, err);
    if (code == 0)
        code = weir_store_spend(db->store, STEPS_OF_RUN + text_bytes(run), err);
    if (code == 0)
        code = weir_filter_fits(filter, run, &fits, err);
    if (code == 0 && fits)
        code = take_metrics(run, err);
    if (code == 0 && fits)
        code = find_doubt(run, err);
    if (code == 0 && fits)
        runs->count++;
    else
        free_run(run);
    return code;
}

/* Reads the runs of a file that fit the filter. A run that is `running` in a file without a writer has failed. A writer
 * may start or end while the file is read, so the file must have no writer before the first row and after the last
 * row. */
static int read_runs(struct weir_runs *runs, const struct weir_db *db, const struct weir_runs_filter *filter,
                     struct weir_err *err)
{
    bool written = weir_store_has_writer(db->store);
    size_t first = runs->count;
    sqlite3_stmt *stmt;
    int code = weir_db_prepare(db, runs_sql, &stmt, err);
    if (code != 0)
        return code;
    if (filter != NULL) /* else ?1 stays NULL: all runs */
        (void)sqlite3_bind_text(stmt, 1, filter->ids, -1, SQLITE_STATIC);
    while (code == 0 && weir_db_step(db, stmt, &code, err))
        code = add_run(runs, db, stmt, filter, err);
    (void)sqlite3_finalize(stmt);
    if (code == 0 && !written && !weir_store_has_writer(db->store))
        code = call_dead(runs, first, err);
    return code;
}

/* Reads the elements of each run. If there are more than WEIR_RUNS_ELEMENTS_MAX runs, reads only those of the first run
 * of each set. That saves time, since every point must be read, and the elements of all runs of a set have the same
 * names. */
static int read_elements(struct weir_runs *runs, struct weir_err *err)
{
    int code = 0;
    for (size_t i = 0; i < runs->count && code == 0; i++) {
        struct weir_run *run = &runs->run[i];
        if (runs->count <= WEIR_RUNS_ELEMENTS_MAX || i == 0 || run[-1].set != run->set)
            code = weir_elements_read(&run->elements, run->db, run->id, err);
    }
    return code;
}

/* Refuses a file that is already open. Its runs would appear twice, and closing one of its two connections would drop
 * SQLite's locks of the other (store.h). Returns 0, or WEIR_E_CONFLICT with err. */
static int check_new(const struct weir_runs *runs, const char *path, struct weir_err *err)
{
    struct stat a, b;
    for (size_t i = 0; i < runs->db_count; i++)
        if (stat(path, &a) == 0 && stat(runs->db[i].path, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino)
            return weir_fail(err, WEIR_E_CONFLICT, NULL, "name each result file once", "%s: is the same file as %s",
                             path, runs->db[i].path);
    return 0;
}

static int no_run(const char *path, const struct weir_runs_filter *filter, struct weir_err *err)
{
    if (filter != NULL && filter->where_count > 0)
        return weir_fail(
            err, WEIR_E_CONFLICT, NULL,
            "the key is of weir help scenario (protocol.name), or label, status, protocol, seed, figure, point",
            "%s: no run fits --only %.80s%s", path, filter->where[0],
            filter->where_count > 1 ? " and the other conditions" : "");
    if (filter != NULL && filter->ids != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, NULL,
                         "sqlite3 OUT.db 'SELECT id, label, settings FROM run' lists what is there",
                         "%s: none of these runs is in it", path);
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "weir run FILE -o OUT.db adds one", "%s: no runs in it", path);
}

static void style(struct weir_runs *runs)
{
    for (size_t first = 0, end; first < runs->count; first = end) {
        end = weir_runs_group_end(runs, first);
        weir_sets_style(&runs->run[first], end - first);
    }
}

int weir_runs_open(struct weir_runs *runs, const char *const *path, size_t path_count,
                   const struct weir_store_caller *caller, const struct weir_runs_filter *filter, struct weir_err *err)
{
    bool has_conditions = filter != NULL && filter->where_count > 0;
    int code = 0;
    *runs = (struct weir_runs){ .db = calloc(path_count, sizeof(*runs->db)) };
    if (runs->db == NULL)
        return no_memory(err);
    for (size_t i = 0; i < path_count && code == 0; i++) {
        size_t before = runs->count;
        code = check_new(runs, path[i], err);
        if (code == 0)
            code = weir_db_open(&runs->db[i], path[i], caller, err);
        if (code != 0)
            break;
        runs->db_count++;
        code = read_runs(runs, &runs->db[i], filter, err);
        if (code == 0 && runs->count == before &&
            !has_conditions) /* with conditions it is enough if one file has runs that fit */
            code = no_run(path[i], filter, err);
    }
    if (code == 0 && runs->count == 0)
        code = no_run(path[0], filter, err);
    if (code == 0) {
        weir_runs_sort_by_name(runs); /* weir_labels_make() needs each part of the page together */
        code = weir_labels_make(runs, err);
    }
    if (code == 0) {
        weir_runs_sort_for_page(runs);
        style(runs);
        code = read_elements(runs, err);
    }
    if (code != 0)
        weir_runs_close(runs);
    return code;
}

void weir_runs_close(struct weir_runs *runs)
{
    for (size_t i = 0; i < runs->count; i++)
        free_run(&runs->run[i]);
    for (size_t i = 0; i < runs->db_count; i++)
        weir_db_close(&runs->db[i]);
    free(runs->run);
    free(runs->db);
    *runs = (struct weir_runs){ 0 };
}
