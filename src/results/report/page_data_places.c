/* src/results/report/page_data_places.c - messages and ports of runs, for page_data.h. */
#include "config/settings.h"
#include "report/page_data.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ITEMS_MAX 32u

struct counted { /* which messages of a run count in slowdown */
    uint64_t items;
    double warmup_ps;
    const char *weight; /* SQL: for how many messages a row stands; files of an older Weir have no such column */
};

/* Returns the traffic items whose messages count, as the engine chooses them: bit i is item i. */
static uint64_t measured_items(const struct weir_settings *settings)
{
    uint64_t always = 0, automatic = 0, incasts = 0;
    for (uint32_t i = 0; i < ITEMS_MAX; i++) {
        char key[64];
        const char *kind, *measured;
        (void)snprintf(key, sizeof(key), "traffic[%" PRIu32 "].kind", i);
        kind = weir_settings_find(settings, key);
        (void)snprintf(key, sizeof(key), "traffic[%" PRIu32 "].measured", i);
        measured = weir_settings_find(settings, key);
        if (kind == NULL)
            break;
        always |= (uint64_t)(measured != NULL && strcmp(measured, "true") == 0) << i;
        automatic |= (uint64_t)(measured == NULL || strcmp(measured, "auto") == 0) << i;
        incasts |= (uint64_t)(strcmp(kind, "incast") == 0 || strcmp(kind, "cbr") == 0) << i;
    }
    return (always | (automatic & ~incasts)) == 0 ? automatic : always | (automatic & ~incasts);
}

static bool has_column(const struct weir_run *run, const char *column)
{
    return sqlite3_table_column_metadata(run->db->handle, NULL, "message", column, NULL, NULL, NULL, NULL, NULL) ==
           SQLITE_OK;
}

static int counted_of(struct counted *counted, const struct weir_run *run, struct weir_err *err)
{
    struct weir_settings settings;
    double sim_s = run->value[WEIR_RUN_SIM_S], measured_s = run->value[WEIR_RUN_MEASURED_S];
    int code = weir_settings_read(&settings, weir_run_text_of(run, WEIR_RUN_SCENARIO), err);
    counted->items = measured_items(&settings);
    counted->warmup_ps =
        sim_s > measured_s ? round((sim_s - measured_s) * 1e9) * 1e3 : 0; /* to whole ns, as decimals */
    counted->weight = has_column(run, "weight") ? "coalesce(weight, 1)" : "1.0";
    weir_settings_free(&settings);
    return code;
}

/* SQL: the messages of run ?1 that count; ?2: end of the warm-up, ?3: items. */
#define SLOWDOWN "(end_ps - start_ps) * 1.0 / ideal_ps"
#define COUNTED                                                                                                        \
    "FROM message WHERE key >= ?1 << 40 AND key < (?1 + 1) << 40 AND run = ?1 AND end_ps >= ?2 AND ideal_ps > 0 AND "  \
    "(?3 >> item) & 1 "
#define COLUMNS "SELECT bytes, " SLOWDOWN " AS slowdown, %s AS weight, src, dst, item, start_ps, id "

/* The last column of a statement orders messages of one slowdown. */
enum { BYTES, SLOWDOWN_OF, WEIGHT, SRC, DST, ITEM, START, ID, ROW_COLUMNS };

struct last { /* the message with the least slowdown so far */
    double slowdown;
    int64_t id;
};

/* Prepares a statement. format: its text, with %s for the weight */
static int query(const struct weir_run *run, const struct counted *counted, const char *format, sqlite3_stmt **stmt,
                 struct weir_err *err)
{
    char *sql = sqlite3_mprintf(format, counted->weight);
    int code;
    *stmt = NULL;
    if (sql == NULL)
        return weir_fail_memory(err);
    code = weir_db_prepare(run->db, sql, stmt, err);
    sqlite3_free(sql);
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(*stmt, 1, run->id);
    (void)sqlite3_bind_double(*stmt, 2, counted->warmup_ps);
    (void)sqlite3_bind_int64(*stmt, 3, (int64_t)counted->items);
    return 0;
}

/* Reads how many messages of a run count, and the sum of their weights. */
static int totals(const struct weir_run *run, const struct counted *counted, size_t *rows, double *weight,
                  struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = query(run, counted, "SELECT count(*), total(%s) " COUNTED, &stmt, err);
    if (code != 0)
        return code;
    if (weir_db_step(run->db, stmt, &code, err)) {
        *rows = (size_t)sqlite3_column_int64(stmt, 0);
        *weight = sqlite3_column_double(stmt, 1);
    }
    (void)sqlite3_finalize(stmt);
    return code;
}

/* Puts the present row; its weight is multiplied by a factor. */
static void put_row(struct weir_json *json, sqlite3_stmt *stmt, double factor)
{
    weir_json_open_list(json, NULL);
    for (int i = 0; i < ID; i++)
        weir_json_exact(json, NULL, sqlite3_column_double(stmt, i) * (i == WEIGHT ? factor : 1));
    weir_json_close_list(json);
}

/* Puts up to `most` of the slowest messages. *weight: is lowered by theirs. */
static int put_slowest(struct weir_json *json, const struct weir_run *run, const struct counted *counted, size_t most,
                       struct last *last, double *weight, struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = query(run, counted, COLUMNS COUNTED "ORDER BY slowdown DESC, id DESC LIMIT ?4", &stmt, err);
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(stmt, 4, (int64_t)most);
    while (code == 0 && weir_db_step(run->db, stmt, &code, err)) {
        *last = (struct last){ sqlite3_column_double(stmt, SLOWDOWN_OF), sqlite3_column_int64(stmt, ID) };
        *weight -= sqlite3_column_double(stmt, WEIGHT);
        put_row(json, stmt, 1);
    }
    (void)sqlite3_finalize(stmt);
    return code;
}

/* SQL: up to ?6 of the messages that are not among the slowest, those whose number has the least hash. */
#define OTHERS                                                                                                         \
    COUNTED "AND (" SLOWDOWN " < ?4 OR (" SLOWDOWN " = ?4 AND id < ?5)) ORDER BY (id * 2654435761) & 4294967295, id "  \
            "LIMIT ?6"

static int put_others(struct weir_json *json, const struct weir_run *run, const struct counted *counted, size_t most,
                      const struct last *last, double weight, struct weir_err *err)
{
    static const char *const sql[] = { "SELECT total(weight) FROM (" COLUMNS OTHERS ")", COLUMNS OTHERS };
    double drawn = 0;
    int code = 0;
    for (int pass = 0; pass < 2 && code == 0; pass++) { /* first the sum of their weights */
        sqlite3_stmt *stmt;
        code = query(run, counted, sql[pass], &stmt, err);
        if (code != 0)
            return code;
        (void)sqlite3_bind_double(stmt, 4, last->slowdown);
        (void)sqlite3_bind_int64(stmt, 5, last->id);
        (void)sqlite3_bind_int64(stmt, 6, (int64_t)most);
        while (code == 0 && weir_db_step(run->db, stmt, &code, err)) {
            if (pass == 0)
                drawn = sqlite3_column_double(stmt, 0);
            else
                put_row(json, stmt, drawn > 0 ? weight / drawn : 1);
        }
        (void)sqlite3_finalize(stmt);
    }
    return code;
}

/* Puts the messages of a run: all, or `most` of them. *thinned: set to true if there are more */
static int put_messages(struct weir_json *json, const struct weir_run *run, size_t number, size_t most, bool *thinned,
                        struct weir_err *err)
{
    struct counted counted;
    struct last last = { 0, 0 };
    size_t rows = 0;
    double weight = 0;
    int code;
    if (!has_column(run, "key"))
        return 0;
    code = counted_of(&counted, run, err);
    if (code == 0)
        code = totals(run, &counted, &rows, &weight, err);
    if (code != 0 || rows == 0)
        return code;
    *thinned = *thinned || rows > most;
    weir_json_open(json, NULL);
    weir_json_u64(json, "run", number);
    weir_json_exact(json, "messages", weight);
    weir_json_open_list(json, "rows");
    code = put_slowest(json, run, &counted, rows > most ? most / 2 : most, &last, &weight, err);
    if (code == 0 && rows > most)
        code = put_others(json, run, &counted, most - most / 2, &last, weight, err);
    weir_json_close_list(json);
    weir_json_close(json);
    return code;
}

int weir_data_put_messages(struct weir_json *json, const struct weir_runs *runs, FILE *left_out, struct weir_err *err)
{
    size_t most = WEIR_DATA_MESSAGES_MAX / runs->count;
    bool thinned = false;
    int code = 0;
    weir_json_open_list(json, "messages");
    for (size_t i = 0; i < runs->count && code == 0 && most >= WEIR_DATA_MESSAGES_MIN; i++)
        code = put_messages(json, &runs->run[i], i, most, &thinned, err);
    weir_json_close_list(json);
    if (most < WEIR_DATA_MESSAGES_MIN)
        (void)fprintf(left_out, "single messages: a page of more than %u runs has none\n",
                      WEIR_DATA_MESSAGES_MAX / WEIR_DATA_MESSAGES_MIN);
    else if (thinned)
        (void)fprintf(left_out,
                      "messages: of each run the page has %zu, half of them the slowest, the others a sample\n", most);
    return code;
}

/* Puts mean and longest queue of a port, and when it was the longest. */
static int put_port(struct weir_json *json, const struct weir_run *run, const struct weir_element *port,
                    struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = weir_db_prepare(run->db, "SELECT max(value), t_ps FROM point WHERE series = ?1", &stmt, err);
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(stmt, 1, port->id);
    if (weir_db_step(run->db, stmt, &code, err)) {
        weir_json_open_list(json, NULL);
        weir_json_string(json, NULL, port->name);
        weir_json_exact(json, NULL, port->mean);
        weir_json_exact(json, NULL, sqlite3_column_double(stmt, 0));
        weir_json_exact(json, NULL, sqlite3_column_double(stmt, 1));
        weir_json_close_list(json);
    }
    (void)sqlite3_finalize(stmt);
    return code;
}

int weir_data_put_ports(struct weir_json *json, const struct weir_runs *runs, FILE *left_out, struct weir_err *err)
{
    size_t there = 0, most, skipped = 0;
    int code = 0;
    for (size_t i = 0; i < runs->count; i++)
        there += weir_elements_of(&runs->run[i].elements, "port_queue").count > 0;
    most = WEIR_DATA_PORTS_MAX / (there > 0 ? there : 1);
    weir_json_open_list(json, "ports");
    for (size_t i = 0; i < runs->count && code == 0; i++) {
        const struct weir_elements ports = weir_elements_of(&runs->run[i].elements, "port_queue");
        if (ports.count == 0)
            continue;
        weir_json_open(json, NULL);
        weir_json_u64(json, "run", i);
        weir_json_open_list(json, "rows");
        for (size_t k = 0; k < ports.count && k < most && code == 0; k++)
            code = put_port(json, &runs->run[i], &ports.element[k], err);
        weir_json_close_list(json);
        weir_json_close(json);
        skipped += ports.count > most;
    }
    weir_json_close_list(json);
    if (skipped > 0)
        (void)fprintf(left_out, "ports: of each run the page has the %zu with the longest mean queue\n", most);
    return code;
}
