/* src/results/output/metrics.c - prints metrics as JSON and on lines of the table; see metrics.h. metrics_list.c finds
 * and lists metrics by name. */
#include "output/metrics.h"
#include "core/assert.h"
#include "text/format.h"
#include <string.h>

enum { NAME = 96, LABEL = 12 };

static double real_of(const struct weir_metric *row, const void *of)
{
    double value;
    WEIR_ASSERT(row->type == WEIR_METRIC_REAL);
    memcpy(&value, (const char *)of + row->offset, sizeof(value));
    return value;
}

static void put_value(struct weir_json *json, const char *key, const struct weir_metric *row, const void *of)
{
    if (!weir_metric_applies(row, of))
        weir_json_null(json, key);
    else if (row->type == WEIR_METRIC_REAL)
        weir_json_real(json, key, real_of(row, of));
    else if (row->type == WEIR_METRIC_BOOL)
        weir_json_bool(json, key, weir_metric_whole(row, of) != 0);
    else
        weir_json_decimal(json, key, weir_metric_whole(row, of), row->digits);
}

size_t weir_metrics_alike(const struct weir_metric *rows, size_t length)
{
    size_t count = 1;
    while (rows[count].name != NULL && strncmp(rows[count].name, rows->name, length) == 0)
        count++;
    return count;
}

static bool any_applies(const struct weir_metric *rows, size_t count, const void *of)
{
    for (size_t i = 0; i < count; i++)
        if (weir_metric_applies(&rows[i], of))
            return true;
    return false;
}

/* Puts `count` rows, whose names have the same first `skip` bytes, into the open object. The rest of a name is the key.
 * If the rest contains a dot, the part before the dot is the key of an inner object. An inner object is null if none of
 * its rows applies. */
static void put_rows(struct weir_json *json, const struct weir_metric *rows, size_t count, const void *of, size_t skip)
{
    for (size_t i = 0, n; i < count; i += n) {
        const char *key = rows[i].name + skip;
        size_t length = strcspn(key, ".");
        char object[NAME];
        n = 1;
        if (key[length] == '\0') {
            put_value(json, key, &rows[i], of);
            continue;
        }
        (void)snprintf(object, sizeof(object), "%.*s", (int)length, key);
        n = weir_metrics_alike(&rows[i], skip + length + 1);
        if (!any_applies(&rows[i], n, of)) {
            weir_json_null(json, object);
            continue;
        }
        weir_json_open(json, object);
        put_rows(json, &rows[i], n, of, skip + length + 1);
        weir_json_close(json);
    }
}

static bool is_of(const struct weir_metric *row, const char *key)
{
    size_t length = strlen(key);
    return strncmp(row->name, key, length) == 0 && (row->name[length] == '\0' || row->name[length] == '.');
}

void weir_metrics_json(struct weir_json *json, const struct weir_metric *rows, const void *of, const char *key)
{
    size_t count = 0;
    while (key != NULL && !is_of(rows, key))
        rows++;
    WEIR_ASSERT(rows->name != NULL);
    while (rows[count].name != NULL && (key == NULL || is_of(&rows[count], key)))
        count++;
    put_rows(json, rows, count, of, 0);
}

void weir_metrics_json_within(struct weir_json *json, const struct weir_metric *rows, const void *of,
                              const char *within)
{
    put_rows(json, rows, weir_metrics_alike(rows, strlen(within)), of, strlen(within));
}

static struct weir_text text_of(const struct weir_metric *row, const void *of)
{
    uint64_t value = weir_metric_whole(row, of);
    WEIR_ASSERT(row->type != WEIR_METRIC_REAL); /* a line of the table has whole numbers only */
    return row->unit == WEIR_METRIC_BYTES                          ? weir_format_bytes(value)
           : row->unit == WEIR_METRIC_COUNT                        ? weir_format_grouped(value)
           : row->unit == WEIR_METRIC_SECONDS && row->digits == 12 ? weir_format_ps(value)
                                                                   : weir_format_decimal(value, row->digits);
}

void weir_metrics_line(FILE *out, const struct weir_metric *rows, const void *of, const char *label)
{
    bool begun = false;
    for (; rows->name != NULL; rows++) {
        if (rows->line == NULL || strcmp(rows->line, label) != 0 || !weir_metric_applies(rows, of))
            continue;
        if (rows->line_above_0 && weir_metric_whole(rows, of) == 0)
            continue;
        if (begun)
            (void)fputs(", ", out);
        else
            (void)fprintf(out, "%-*s", LABEL, label);
        (void)fprintf(out, "%s%s%s", text_of(rows, of).text, rows->phrase[0] != '\0' ? " " : "", rows->phrase);
        begun = true;
    }
    if (begun)
        (void)fputc('\n', out);
}
