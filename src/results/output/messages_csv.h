/* src/results/output/messages_csv.h - writes the file of `weir run --messages`: one line of CSV per delivered
 * message. */
#ifndef WEIR_OUTPUT_MESSAGES_CSV_H
#define WEIR_OUTPUT_MESSAGES_CSV_H
#include "model/account.h"
#include <stdio.h>

/* Writes the header line, with the names of the columns. Returns 0 or WEIR_E_FILE. */
int weir_messages_csv_header(FILE *file);

/* Writes a line for each row that is not a reply; the callback of struct weir_sim_options.rows. file: a FILE *. Returns
 * 0 or WEIR_E_FILE. */
int weir_messages_csv_rows(void *file, const struct weir_account_row *row, size_t count);
#endif
