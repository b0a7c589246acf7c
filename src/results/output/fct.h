/* src/results/output/fct.h - writes completion times in the format of fct.txt of HPCC's public simulator. Each message
 * whose sender knows that it was delivered has a line:
 *
 *   SRC_ADDRESS DST_ADDRESS SRC_PORT DST_PORT BYTES START_ns FCT_ns IDEAL_ns
 *
 * Addresses are eight hex digits (host_address.h). If the topology's file gives the hosts ids, the address is made of
 * the id. As in HPCC's simulator, FCT ends when the sender knows that the message was delivered. IDEAL is the sum of
 * three times, as in HPCC's simulator:
 * - twice the propagation delay of the path from SRC to DST;
 * - for each link of the path, the time to send the payload of one full packet;
 * - the time to send the whole message at the rate of the slowest link, with the header and gap of each packet, but
 *   without telemetry.
 *
 * So IDEAL counts one packet twice, and FCT may be less than IDEAL. HPCC's scripts then use a slowdown of 1. All times
 * are rounded down, those of IDEAL separately for each link. */
#ifndef WEIR_OUTPUT_FCT_H
#define WEIR_OUTPUT_FCT_H
#include "model/account.h"
#include <stdio.h>

struct weir_fct {
    FILE *file; /* the caller's */
    const struct weir_model *model;
    uint16_t *port; /* for each host: SRC_PORT of the next line whose sender is this host */
};

/**
 * Makes the SRC_PORT counters. The caller sets fct->file afterwards.
 * @param model  lent until weir_fct_free()
 * @return 0, or WEIR_E_MEMORY with err; then there is nothing to free
 */
int weir_fct_init(struct weir_fct *fct, const struct weir_model *model, struct weir_err *err);

/**
 * Writes a line per message; the callback of struct weir_sim_options.rows. A reply has no line. In a run of fixed
 * length, a message whose sender would know of its delivery only at the end of the run or later has none either. The
 * first SRC_PORT of each sender is 10000, and each line adds 1; after 65535 comes 0. DST_PORT is 200 for messages of an
 * incast, else 100, as HPCC's scripts expect.
 * @param ctx  a struct weir_fct *
 * @return 0 or WEIR_E_FILE
 */
int weir_fct_rows(void *ctx, const struct weir_account_row *row, size_t count);

/* Returns IDEAL of a message (see above) in nanoseconds; 0 = there is no route from src to dst, or src is dst. bytes:
 * at most 2^40 */
uint64_t weir_fct_ideal_ns(const struct weir_fct *fct, uint32_t law, uint32_t src, uint32_t dst, uint64_t bytes);

/* Frees the memory of weir_fct_init(). fct may be all zeros. Does not close fct->file. */
void weir_fct_free(struct weir_fct *fct);
#endif
