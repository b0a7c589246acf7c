/* src/results/output/metrics.h - metrics: the numbers of a run that rows describe (core/metric.h). Prints metrics as
 * JSON, as JSON Schema and on lines of the table. Finds and lists metrics by name. */
#ifndef WEIR_OUTPUT_METRICS_H
#define WEIR_OUTPUT_METRICS_H
#include "core/err.h"
#include "measure/counter_parts.h"
#include "measure/metrics.h" /* weir_metric_unit_names */
#include "text/json.h"
#include <stdio.h>

/* Counts the adjacent rows, from rows[0] on, whose names begin with the first `length` bytes of the name of rows[0].
 * These rows form one JSON object. length 0: counts all rows of the table. The table must not be empty. */
size_t weir_metrics_alike(const struct weir_metric *rows, size_t length);

/* Puts the metrics of a struct into the open JSON object. A name "a.b" is put as member b of an inner object a. An
 * inner object is null if none of its metrics applies. of: the struct that the rows describe. key: put only the metric
 * or object of this name, which must exist; NULL = put all rows. */
void weir_metrics_json(struct weir_json *json, const struct weir_metric *rows, const void *of, const char *key);

/* Puts all rows as weir_metrics_json() does, but with shorter keys: without the text `within`, such as "allocation.",
 * with which all names begin. */
void weir_metrics_json_within(struct weir_json *json, const struct weir_metric *rows, const void *of,
                              const char *within);

/* Puts all rows as properties of a JSON Schema. within: the text with which all names begin, and which keys leave out;
 * "" = none */
void weir_metrics_schema(struct weir_json *json, const struct weir_metric *rows, const char *within);
/* Puts the keys of the properties that weir_metrics_schema() puts, as texts for the list of required keys. within: as
 * in weir_metrics_schema() */
void weir_metrics_schema_keys(struct weir_json *json, const struct weir_metric *rows, const char *within);

/* Prints one line of the table: the label, then number and phrase of each row whose `line` equals label, such as "3
 * marked, 0 dropped". Rows that do not apply are left out; if no row is left, prints nothing. No printed row may be of
 * type REAL. */
void weir_metrics_line(FILE *out, const struct weir_metric *rows, const void *of, const char *label);

/* Calls call(ctx, row) for each number that a run can give: metrics of the result, counts of causes, metrics of
 * run.compare, and counters of switch features. Then the same for the metrics of laws and classes. The row and its
 * name are lent for that call only. */
void weir_metrics_each(void (*call)(void *ctx, const struct weir_metric *row), void *ctx);

/**
 * Finds a metric by its name, or by the name that the metric had in Weir 0.2.0.
 * @param name  lent for as long as row->name is used
 * @param row   set to the metric if there is one; row->name is then the present name
 * @return false = a run gives no such number; then *row is unchanged
 */
bool weir_metric_find(const char *name, struct weir_metric *row);

/* Finds a metric like weir_metric_find(), by a name from a file or from the command line. Returns 0, or WEIR_E_UNKNOWN
 * with err, which suggests a similar name if there is one. */
int weir_metric_need(const struct weir_tok *name, struct weir_metric *row, struct weir_err *err);

/* Prints the list of all metrics as text, for `weir list metrics`. */
void weir_metrics_list(FILE *out);
/* Prints the list of all metrics as a Markdown table, for doc/results.md. */
void weir_metrics_markdown(FILE *out);

/* Prints the description of one metric, for `weir help NAME`. Returns false = there is no metric of this name. */
bool weir_metric_help(FILE *out, const char *name);
#endif
