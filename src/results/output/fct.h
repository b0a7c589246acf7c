/* src/results/output/fct.h - completion times in the form of HPCC's public simulator (its fct.txt), a line per message
 * that its sender knows to be delivered:
 *
 *   SRC_ADDRESS DST_ADDRESS SRC_PORT DST_PORT BYTES START_ns FCT_ns IDEAL_ns
 *
 * Addresses are eight hex digits (host_address.h), of the id of a host that has one in the topology's file. FCT ends
 * when the sender knows, as there. Times are rounded down. IDEAL, as there, is a sum of three. First, both directions'
 * propagation. Second, the payload of a full packet once per link. Third, the message over the slowest link, with
 * headers and gap of each packet, without telemetry. So one packet counts twice, and FCT may be below it: their scripts
 * take a slowdown of at least 1. */
#ifndef WEIR_OUTPUT_FCT_H
#define WEIR_OUTPUT_FCT_H
#include "model/account.h"
#include <stdio.h>

struct weir_fct {
    FILE *file; /* the caller's */
    const struct weir_model *model;
    struct weir_routes routes; /* with all cables up */
    uint16_t *port;            /* of each host: that of its next line */
};

/**
 * Builds the routes with all cables up, and the counters of ports.
 * @param model  lent until weir_fct_free()
 * @return 0, or WEIR_E_MEMORY with err; then there is nothing to free
 */
int weir_fct_init(struct weir_fct *fct, const struct weir_model *model, struct weir_err *err);

/**
 * Writes a line per message; for struct weir_sim_options.rows. A message whose last acknowledgement would come after
 * the end of the run has no line. SRC_PORT counts up from 10000 for each sender; DST_PORT is 200 for incasts, else 100,
 * by which HPCC's scripts distinguish them.
 * @param ctx  a struct weir_fct *
 * @return 0 or WEIR_E_FILE
 */
int weir_fct_rows(void *ctx, const struct weir_account_row *row, size_t count);

/* Nanoseconds; 0 = there is no way. bytes at most 2^40 */
uint64_t weir_fct_ideal_ns(const struct weir_fct *fct, uint32_t src, uint32_t dst, uint64_t bytes);

/* Frees what weir_fct_init() made; harmless on zeros. */
void weir_fct_free(struct weir_fct *fct);
#endif
