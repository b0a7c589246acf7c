/* src/results/output/links_csv.h - writes the file of `weir run --links`: one line of CSV per link. */
#ifndef WEIR_OUTPUT_LINKS_CSV_H
#define WEIR_OUTPUT_LINKS_CSV_H
#include "model/account.h"
#include <stdio.h>

/**
 * Writes a header and a line for each link. Some of the columns:
 * - bytes: wire bytes (headers and gaps included) of all packets that joined the port in the whole run and were not
 *   dropped on leaving.
 * - share: `bytes` over the bytes that the link can carry in the run, rounded down to six decimals.
 * - mean_queue_bytes: mean queue of the port over the measured part; 0 if nothing was measured.
 * - At the end a column for each cause that the run can have: how often the cause applied at the link. A cause of drops
 *   or losses has a column such as "shared-buffer.alpha"; these columns add up to drops + losses. The column of any
 *   other cause begins with the fate, such as "marks.ecn.ramp".
 *
 * @param result  result->link must be set; there are no columns of causes if result->causes or its of_link is NULL
 * @return 0 or WEIR_E_FILE
 */
int weir_links_csv(FILE *file, const struct weir_topology *topo, const struct weir_result *result);
#endif
