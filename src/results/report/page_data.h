/* src/results/report/page_data.h - what the script of an interactive page needs besides the figures (figure_data.h):
 * all numbers of all runs, the settings in which runs of a law differ, messages and ports. web/src/data.ts reads it.
 * What a page does not hold is said in its list `left_out`. */
#ifndef WEIR_REPORT_PAGE_DATA_H
#define WEIR_REPORT_PAGE_DATA_H
#include "report/runs.h"
#include "text/json.h"

/* Makes the data of a page as JSON. *text: gets a text that the caller frees, also after a failure. Returns 0, or a
 * code with err. */
int weir_page_data(char **text, const struct weir_runs *runs, struct weir_err *err);

/* --- its parts; each puts a member into the open object, and sentences about what it left out into `left_out` --- */

#define WEIR_DATA_METRICS_MAX 200u
#define WEIR_DATA_KEYS_MAX 12u
#define WEIR_DATA_MESSAGES_MAX 4000u /* of all runs */
#define WEIR_DATA_MESSAGES_MIN 40u   /* of a run: fewer are no distribution, so then there are none */
#define WEIR_DATA_PORTS_MAX 1000u    /* of all runs */

struct weir_data_table { /* texts or numbers: a row for each run, a column for each name */
    char **name;         /* owned */
    size_t columns;
    double *value; /* runs * columns; NaN = the run does not have it; NULL in a table of texts */
    char **text;   /* runs * columns; owned; NULL in a table of numbers */
    size_t left_out;
};
/* Frees names, values and texts of a table of this many runs. */
void weir_data_table_free(struct weir_data_table *table, size_t runs);

/* Reads all metrics of all runs, without those of the machine and those that are 0 in all runs. Returns 0, or a code
 * with err. The caller frees the table in either case. */
int weir_data_metrics(struct weir_data_table *table, const struct weir_runs *runs, struct weir_err *err);
/* Puts the list of metrics: name, title, unit, and which of two values is the better one. */
void weir_data_put_metrics(struct weir_json *json, const struct weir_data_table *table);
/* Puts mean and half-width of each metric over the runs first .. first + count - 1, which are a set. */
void weir_data_put_spread(struct weir_json *json, const struct weir_data_table *table, const struct weir_runs *runs,
                          size_t first, size_t count);

/* Finds the keys of scenarios in which runs of the same law differ, and their values. run.seed and names are none.
 * groups: gets the upper edges of the size groups A to C of each run. Returns 0, or WEIR_E_MEMORY with err. The caller
 * frees both tables in either case. */
int weir_data_keys(struct weir_data_table *table, struct weir_data_table *groups, const struct weir_runs *runs,
                   struct weir_err *err);
/* Puts the texts of a run as a list; null for those that it does not have. */
void weir_data_put_texts(struct weir_json *json, const char *key, const struct weir_data_table *table, size_t run);

/* Puts messages that count in slowdown, of each run that has them: half are the slowest, the others a sample by number.
 * Returns 0, or a code with err. */
int weir_data_put_messages(struct weir_json *json, const struct weir_runs *runs, FILE *left_out, struct weir_err *err);
/* Puts mean and longest queue of each port of the runs that have ports (weir_run.elements). Returns 0, or a code with
 * err. */
int weir_data_put_ports(struct weir_json *json, const struct weir_runs *runs, FILE *left_out, struct weir_err *err);
#endif
