/* src/results/output/inputs.h - the files that a command reads, or writes elsewhere: no other that it writes may take
 * their place. */
#ifndef WEIR_OUTPUT_INPUTS_H
#define WEIR_OUTPUT_INPUTS_H
#include "config/scenario.h"
#include "text/outfile.h"

#define WEIR_INPUTS_MAX                                                                                                \
    (2 * WEIR_TRAFFIC_MAX +                                                                                            \
     5) /* of each item two; the scenario, its topology; the result file with its log and index */

struct weir_inputs {
    struct weir_outfile_keep keep[WEIR_INPUTS_MAX + 1]; /* for weir_outfile_open() */
    char *name[WEIR_INPUTS_MAX];                        /* owned */
    uint32_t count;
};

/**
 * Lists the scenario's file, the files that it reads, and the result file with its log and index.
 * @param file    of the scenario
 * @param result  the result file; NULL = none
 * @return 0, or WEIR_E_MEMORY with err; to be freed in either case
 */
int weir_inputs_init(struct weir_inputs *inputs, const char *file, const struct weir_scenario *scn, const char *result,
                     struct weir_err *err);
void weir_inputs_free(struct weir_inputs *inputs);
#endif
