/* src/results/output/messages_csv.h - writes the file of `weir run --messages`: one line of CSV per delivered message.
 * In a workload with replies the line of a message also has its reply. Such a line is written when both are known, or
 * at the end of the run. */
#ifndef WEIR_OUTPUT_MESSAGES_CSV_H
#define WEIR_OUTPUT_MESSAGES_CSV_H
#include "model/account.h"
#include "output/calls.h"
#include <stdio.h>

struct weir_messages_csv { /* zeros = nothing to free */
    FILE *file;            /* the caller's */
    const struct weir_workload *workload;
    struct weir_calls calls;
};

/* Writes the header line, with the names of the columns. Returns 0 or WEIR_E_FILE. */
int weir_messages_csv_header(const struct weir_messages_csv *csv);

/* Writes a line for each row that is not a reply, without columns about replies; a callback of struct
 * weir_sim_options.rows. file: a FILE *. Returns 0 or WEIR_E_FILE. */
int weir_messages_csv_rows(void *file, const struct weir_account_row *row, size_t count);

/* Writes a line for each row that is no reply and waits for none, and for each pair of a message and its reply; a
 * callback of struct weir_sim_options.rows. ctx: a struct weir_messages_csv *. Returns 0, WEIR_E_FILE or
 * WEIR_E_MEMORY. */
int weir_messages_csv_pairs(void *ctx, const struct weir_account_row *row, size_t count);

/* Writes the lines of the messages whose replies have not come, in the order of their rows. Called after the last row.
 * Returns 0 or WEIR_E_FILE. */
int weir_messages_csv_end(struct weir_messages_csv *csv);

/* Frees the memory. Does not close csv->file. */
void weir_messages_csv_free(struct weir_messages_csv *csv);
#endif
