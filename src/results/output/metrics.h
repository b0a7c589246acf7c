/* src/results/output/metrics.h - the numbers of a run by their rows (core/metric.h): as JSON, on lines of the table, by
 * name. */
#ifndef WEIR_OUTPUT_METRICS_H
#define WEIR_OUTPUT_METRICS_H
#include "core/err.h"
#include "core/metric.h"
#include "text/json.h"
#include <stdio.h>

/* Returns how many rows from the first on share the first `length` bytes of its name: those of an object; 0 = all. */
size_t weir_metrics_alike(const struct weir_metric *rows, size_t length);

/* Puts the rows of `of` into an object of JSON: "a.b" is key b of the object a. An object of which nothing applies is
 * null. key only that number, or that object; NULL = all */
void weir_metrics_json(struct weir_json *json, const struct weir_metric *rows, const void *of, const char *key);

/* Puts all rows into the object that is open. Names begin with `within`, which the keys leave out: "allocation." */
void weir_metrics_json_within(struct weir_json *json, const struct weir_metric *rows, const void *of,
                              const char *within);

/* Puts the same as parts of a JSON Schema: properties, and the keys of them. within: "" or as above. */
void weir_metrics_schema(struct weir_json *json, const struct weir_metric *rows, const char *within);
void weir_metrics_schema_keys(struct weir_json *json, const struct weir_metric *rows, const char *within);

/* Prints the table's line `label`: the numbers of its rows and what follows each, "3 marked, 0 dropped". Nothing where
 * none applies. */
void weir_metrics_line(FILE *out, const struct weir_metric *rows, const void *of, const char *label);

/* Names of units in lists and schemas: "bytes", "Gbps". */
extern const char *const weir_metric_unit_names[WEIR_METRIC_UNITS];

/* Numbers that a counter of a switch feature gives: itself, of times its share of the run, too. suffix: of its name;
 * NULL = no more. */
#define WEIR_COUNTER_PARTS 2u
struct weir_counter_part {
    const char *suffix;
    enum weir_metric_unit unit;
    uint8_t digits;
};
extern const struct weir_counter_part weir_counter_parts[][WEIR_COUNTER_PARTS]; /* by enum weir_count_how */

/* Calls for each number that a run can give, in the order of the JSON: those of the result, of run.compare, and what
 * switch features count. A row is lent for the call. */
void weir_metrics_each(void (*call)(void *ctx, const struct weir_metric *row), void *ctx);

/**
 * Finds a number by its name, or by the name that it had in an older Weir.
 * @param row  filled; its name is the present one, and lent like `name`
 * @return false = a run gives no such number
 */
bool weir_metric_find(const char *name, struct weir_metric *row);

/* Finds it likewise, for a name in a file or on the command line. @return 0, or WEIR_E_UNKNOWN with the names most
 * like it */
int weir_metric_need(const struct weir_tok *name, struct weir_metric *row, struct weir_err *err);

/* Prints what can be named, a line each: `weir list metrics`; and as a table of doc/results.md. */
void weir_metrics_list(FILE *out);
void weir_metrics_markdown(FILE *out);

/* Prints what one number is: `weir help NAME`. @return false = there is none of that name */
bool weir_metric_help(FILE *out, const char *name);
#endif
