/* src/results/output/metrics.h - prints the metrics of a run, which rows describe (core/metric.h): as JSON, as JSON
 * Schema and on lines of the table; finds and lists metrics by name. */
#ifndef WEIR_OUTPUT_METRICS_H
#define WEIR_OUTPUT_METRICS_H
#include "core/err.h"
#include "core/metric.h"
#include "text/json.h"
#include <stdio.h>

/* Returns how many rows, from the first on, have the first `length` bytes of the first row's name: the rows of one
 * object. length 0: all rows of the table. rows must have at least one row. */
size_t weir_metrics_alike(const struct weir_metric *rows, size_t length);

/* Puts the metrics of a struct into the open JSON object. "a.b" is key b of an inner object a; an inner object without
 * a number that applies is null. of: the struct that the rows describe. key: put only the number or object of this
 * name, which must exist; NULL = put all rows. */
void weir_metrics_json(struct weir_json *json, const struct weir_metric *rows, const void *of, const char *key);

/* Puts all rows, like weir_metrics_json(), but without the first part of their names. within: that part, with which all
 * names begin: "allocation." */
void weir_metrics_json_within(struct weir_json *json, const struct weir_metric *rows, const void *of,
                              const char *within);

/* Puts all rows as properties of a JSON Schema. within: the first part of all names, which keys leave out; "" = none */
void weir_metrics_schema(struct weir_json *json, const struct weir_metric *rows, const char *within);
/* Puts the keys of these properties as texts, for the list of required keys. within: as above */
void weir_metrics_schema_keys(struct weir_json *json, const struct weir_metric *rows, const char *within);

/* Prints the line `label` of the table: the numbers and phrases of all rows with this line, such as "3 marked, 0
 * dropped". Prints nothing if none of these rows applies. These rows must not be of type REAL. */
void weir_metrics_line(FILE *out, const struct weir_metric *rows, const void *of, const char *label);

/* Names of units in lists and schemas: "bytes", "Gbps". */
extern const char *const weir_metric_unit_names[WEIR_METRIC_UNITS];

/* The numbers that a counter of a switch feature gives. A sum of times gives two: itself, and its share of the run.
 * suffix: added to the name of the counter; NULL = there are no more parts. */
#define WEIR_COUNTER_PARTS 2u
struct weir_counter_part {
    const char *suffix;
    enum weir_metric_unit unit;
    uint8_t digits;
};
extern const struct weir_counter_part weir_counter_parts[][WEIR_COUNTER_PARTS]; /* by enum weir_count_how */

/* Calls call(ctx, row) for each number that a run can give: metrics of the result, counts of causes, metrics of
 * run.compare, and counters of switch features. The row and its name are lent for the call. */
void weir_metrics_each(void (*call)(void *ctx, const struct weir_metric *row), void *ctx);

/**
 * Finds a metric by its name, or by the name that it had in an older Weir.
 * @param name  lent for as long as row->name is used
 * @param row   filled; row->name is the present name
 * @return false = a run gives no such number
 */
bool weir_metric_find(const char *name, struct weir_metric *row);

/* Finds a metric like weir_metric_find(), by a name from a file or from the command line. Returns 0, or WEIR_E_UNKNOWN
 * with err, which suggests a similar name. */
int weir_metric_need(const struct weir_tok *name, struct weir_metric *row, struct weir_err *err);

/* Prints the list of all metrics as text, for `weir list metrics`. */
void weir_metrics_list(FILE *out);
/* Prints the list of all metrics as a Markdown table, for doc/results.md. */
void weir_metrics_markdown(FILE *out);

/* Prints the description of one metric, for `weir help NAME`. Returns false = there is no metric of this name. */
bool weir_metric_help(FILE *out, const char *name);
#endif
