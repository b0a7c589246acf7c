/* src/results/report/page_data_metrics.c - all numbers of all runs, for page_data.h. */
#include "core/assert.h"
#include "means/interval.h"
#include "output/metrics.h"
#include "report/page_data.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int no_memory(struct weir_err *err)
{
    return weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for the data of the page");
}

void weir_data_table_free(struct weir_data_table *table, size_t runs)
{
    for (size_t i = 0; i < table->columns; i++)
        free(table->name[i]);
    for (size_t i = 0; table->text != NULL && i < runs * table->columns; i++)
        free(table->text[i]);
    free(table->name);
    free(table->value);
    free(table->text);
    *table = (struct weir_data_table){ 0 };
}

#define STEPS_OF_NAME 2000u /* work to find a metric by its name, in steps of SQLite (weir_store_spend()) */

/* Tests whether a page shows a metric: it is one of this version, and not about the machine. */
static bool is_shown(const char *name)
{
    struct weir_metric row;
    return weir_metric_find(name, &row) && !row.of_machine;
}

/* Returns the column of a name; -1 = there is none. */
static ptrdiff_t column_of(const struct weir_data_table *table, const char *name)
{
    for (size_t i = 0; i < table->columns; i++)
        if (strcmp(table->name[i], name) == 0)
            return (ptrdiff_t)i;
    return -1;
}

/* Calls take() with each metric of a run that has a value. */
static int each_metric(const struct weir_run *run, int (*take)(void *ctx, const char *name, double value), void *ctx,
                       struct weir_err *err)
{
    sqlite3_stmt *stmt;
    int code = weir_db_prepare(
        run->db, "SELECT name, value FROM metric WHERE run = ?1 AND value IS NOT NULL ORDER BY name", &stmt, err);
    if (code != 0)
        return code;
    (void)sqlite3_bind_int64(stmt, 1, run->id);
    while (code == 0 && weir_db_step(run->db, stmt, &code, err)) {
        const char *name = (const char *)sqlite3_column_text(stmt, 0);
        code = weir_store_spend(run->db->store, STEPS_OF_NAME, err);
        if (code == 0 && name != NULL && take(ctx, name, sqlite3_column_double(stmt, 1)) != 0)
            code = no_memory(err);
    }
    (void)sqlite3_finalize(stmt);
    return code;
}

/* Adds a column for a metric that is not 0. @return 0; -1 = no memory */
static int take_name(void *ctx, const char *name, double value)
{
    struct weir_data_table *table = ctx;
    if (value == 0 || column_of(table, name) >= 0 || !is_shown(name))
        return 0;
    if (table->columns == WEIR_DATA_METRICS_MAX) {
        table->left_out++;
        return 0;
    }
    table->name[table->columns] = strdup(name);
    return table->name[table->columns] == NULL ? -1 : (table->columns++, 0);
}

struct row { /* of a table, which is being filled */
    struct weir_data_table *table;
    size_t run;
};

static int take_value(void *ctx, const char *name, double value)
{
    const struct row *row = ctx;
    ptrdiff_t column = column_of(row->table, name);
    if (column >= 0)
        row->table->value[row->run * row->table->columns + (size_t)column] = value;
    return 0;
}

int weir_data_metrics(struct weir_data_table *table, const struct weir_runs *runs, struct weir_err *err)
{
    int code = 0;
    *table = (struct weir_data_table){ .name = calloc(WEIR_DATA_METRICS_MAX, sizeof(*table->name)) };
    if (table->name == NULL)
        return no_memory(err);
    for (size_t i = 0; i < runs->count && code == 0; i++)
        code = each_metric(&runs->run[i], take_name, table, err);
    table->value = calloc(runs->count * table->columns + 1, sizeof(*table->value));
    if (table->value == NULL)
        return code != 0 ? code : no_memory(err);
    for (size_t i = 0; i < runs->count * table->columns; i++)
        table->value[i] = (double)NAN;
    for (size_t i = 0; i < runs->count && code == 0; i++)
        code = each_metric(&runs->run[i], take_value, &(struct row){ table, i }, err);
    return code;
}

void weir_data_put_metrics(struct weir_json *json, const struct weir_data_table *table)
{
    static const char *const better[] = {
        [WEIR_METRIC_NEITHER] = NULL, [WEIR_METRIC_LEAST] = "least", [WEIR_METRIC_GREATEST] = "greatest"
    };
    weir_json_open_list(json, "metrics");
    for (size_t i = 0; i < table->columns; i++) {
        struct weir_metric row;
        bool found = weir_metric_find(table->name[i], &row);
        WEIR_ASSERT(found);
        weir_json_open(json, NULL);
        weir_json_string(json, "name", table->name[i]);
        weir_json_string(json, "title", row.title);
        weir_json_string(json, "unit", weir_metric_unit_names[row.unit]);
        weir_json_string(json, "better", better[row.better]);
        weir_json_bool(json, "needs_stable", row.of_end);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

/* Puts mean and half-width of a column over some runs, as weir_set_spread() computes them; null = no run has it. */
static void put_spread(struct weir_json *json, const double *value, size_t stride, size_t count, bool stable)
{
    double sum = 0, squares = 0, mean;
    uint32_t there = 0;
    for (size_t i = 0; i < count; i++) {
        there += !isnan(value[i * stride]);
        sum += isnan(value[i * stride]) ? 0 : value[i * stride];
    }
    if (there == 0) {
        weir_json_null(json, NULL);
        return;
    }
    mean = sum / there;
    for (size_t i = 0; i < count; i++)
        squares += isnan(value[i * stride]) ? 0 : (value[i * stride] - mean) * (value[i * stride] - mean);
    weir_json_open_list(json, NULL);
    weir_json_exact(json, NULL, mean);
    if (there >= WEIR_INTERVAL_RUNS_MIN && stable)
        weir_json_real(json, NULL, weir_half_width_95(squares, there));
    weir_json_close_list(json);
}

void weir_data_put_spread(struct weir_json *json, const struct weir_data_table *table, const struct weir_runs *runs,
                          size_t first, size_t count)
{
    bool stable = true;
    for (size_t i = first; i < first + count; i++)
        stable = stable && !weir_run_doubtful(&runs->run[i]);
    weir_json_open_list(json, "spread");
    for (size_t c = 0; c < table->columns; c++)
        put_spread(json, &table->value[first * table->columns + c], table->columns, count, stable);
    weir_json_close_list(json);
}
