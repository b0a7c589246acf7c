/* src/results/output/links_csv.h - how much each link carried: one line of CSV per direction of a cable. */
#ifndef WEIR_OUTPUT_LINKS_CSV_H
#define WEIR_OUTPUT_LINKS_CSV_H
#include "model/account.h"
#include <stdio.h>

/**
 * Writes a header and a line for each link, with these columns among others. bytes: on the wire, headers and gaps
 * included, of all that joined the port in the whole run and was not dropped on leaving. share: of the link's rate over
 * the run, six decimals, rounded down. mean_queue_bytes: over the measured part. The last columns are the rules that
 * can drop or lose packets in the run, "shared-buffer.alpha": packets; their sum is drops + losses.
 * @param result  with result->link; without causes by link there are no such columns
 * @return 0 or WEIR_E_FILE
 */
int weir_links_csv(FILE *file, const struct weir_topology *topo, const struct weir_result *result);
#endif
