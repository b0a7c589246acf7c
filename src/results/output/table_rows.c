/* src/results/output/table_rows.c - see table_rows.h. */
#include "output/table_rows.h"
#include "output/csv.h"
#include "param/suggest.h"
#include "store/table.h"
#include "text/format.h"
#include "text/json.h"
#include <inttypes.h>
#include <string.h>

static int check_name(const char *name, struct weir_err *err)
{
    struct weir_suggest suggest;
    const char *table;
    char hint[512];
    weir_suggest_init(&suggest, name);
    for (size_t i = 0; (table = weir_store_table_at(i)) != NULL; i++) {
        if (strcmp(name, table) == 0)
            return 0;
        weir_suggest_add(&suggest, table);
    }
    weir_suggest_hint(&suggest, hint, sizeof(hint));
    return weir_fail(err, WEIR_E_UNKNOWN, NULL, hint, "--table %.80s: no such table", name);
}

/* --- CSV --- */

static bool csv_names(void *ctx, const struct weir_store_value *column, uint32_t count)
{
    FILE *out = ctx;
    for (uint32_t i = 0; i < count; i++)
        (void)fprintf(out, "%s%s", i > 0 ? "," : "", column[i].name);
    (void)fputc('\n', out);
    return !ferror(out);
}

static void csv_value(FILE *out, const struct weir_store_value *value)
{
    switch (value->kind) {
    case WEIR_STORE_NULL:
        break;
    case WEIR_STORE_INTEGER:
        (void)fprintf(out, "%" PRId64, value->integer);
        break;
    case WEIR_STORE_REAL:
        (void)fputs(weir_format_exact(value->real).text, out);
        break;
    case WEIR_STORE_TEXT:
        weir_csv_text(out, value->text);
        break;
    }
}

static bool csv_row(void *ctx, const struct weir_store_value *column, uint32_t count)
{
    FILE *out = ctx;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0)
            (void)fputc(',', out);
        csv_value(out, &column[i]);
    }
    (void)fputc('\n', out);
    return !ferror(out);
}

/* --- JSON --- */

struct json_table {
    struct weir_json json;
    const char *name;
    bool begun;
};

/* Opens the object only now: a file that is refused leaves nothing on stdout. */
static bool json_names(void *ctx, const struct weir_store_value *column, uint32_t count)
{
    struct json_table *table = ctx;
    (void)column;
    (void)count;
    weir_json_open(&table->json, NULL);
    weir_json_string(&table->json, "table", table->name);
    weir_json_open_list(&table->json, "rows");
    table->begun = true;
    return true;
}

static void json_value(struct weir_json *json, const struct weir_store_value *value)
{
    switch (value->kind) {
    case WEIR_STORE_NULL:
        weir_json_null(json, value->name);
        break;
    case WEIR_STORE_INTEGER:
        if (value->integer >= 0)
            weir_json_u64(json, value->name, (uint64_t)value->integer);
        else
            weir_json_exact(json, value->name, (double)value->integer);
        break;
    case WEIR_STORE_REAL:
        weir_json_exact(json, value->name, value->real);
        break;
    case WEIR_STORE_TEXT:
        weir_json_string(json, value->name, value->text);
        break;
    }
}

static bool json_row(void *ctx, const struct weir_store_value *column, uint32_t count)
{
    struct weir_json *json = &((struct json_table *)ctx)->json;
    weir_json_open(json, NULL);
    for (uint32_t i = 0; i < count; i++)
        json_value(json, &column[i]);
    weir_json_close(json);
    return !ferror(json->out);
}

static int write_json(FILE *out, struct weir_store *store, const char *path, const struct weir_table_choice *choice,
                      struct weir_err *err)
{
    struct json_table table = { .json = { .out = out, .levels = 2 }, .name = choice->table };
    const struct weir_store_visitor visitor = { .names = json_names, .row = json_row, .ctx = &table };
    int code = weir_store_table(store, path, choice->table, choice->runs, &visitor, err);
    if (table.begun) {
        weir_json_close_list(&table.json);
        weir_json_close(&table.json);
    }
    return code;
}

int weir_table_write(FILE *out, struct weir_store *store, const char *path, const struct weir_table_choice *choice,
                     struct weir_err *err)
{
    const struct weir_store_visitor visitor = { .names = csv_names, .row = csv_row, .ctx = out };
    if (check_name(choice->table, err) != 0)
        return err->code;
    return choice->json ? write_json(out, store, path, choice, err)
                        : weir_store_table(store, path, choice->table, choice->runs, &visitor, err);
}
