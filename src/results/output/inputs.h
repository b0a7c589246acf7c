/* src/results/output/inputs.h - the list of files that the other output files of a command may not overwrite: the
 * command's inputs, and its result file. */
#ifndef WEIR_OUTPUT_INPUTS_H
#define WEIR_OUTPUT_INPUTS_H
#include "config/scenario.h"
#include "text/outfile.h"

#define WEIR_INPUTS_MAX                                                                                                \
    (2 * WEIR_TRAFFIC_MAX +                                                                                            \
     6) /* two for each traffic item; the scenario and its topology; the result file with its log and index; one more */

struct weir_inputs {
    struct weir_outfile_keep keep[WEIR_INPUTS_MAX + 1]; /* for weir_outfile_open() */
    char *name[WEIR_INPUTS_MAX];                        /* owned */
    uint32_t count;
};

/**
 * Lists the scenario file, the files that the scenario names, and the result file with its write-ahead log (-wal) and
 * the index of this log (-shm).
 * @param file    path of the scenario file
 * @param result  path of the result file; NULL = none
 * @return 0, or WEIR_E_MEMORY with err. In either case the caller frees the list by weir_inputs_free().
 */
int weir_inputs_init(struct weir_inputs *inputs, const char *file, const struct weir_scenario *scn, const char *result,
                     struct weir_err *err);
/* Adds a file to the list, once. what: as in struct weir_outfile_keep. @return 0, or WEIR_E_MEMORY with err */
int weir_inputs_add(struct weir_inputs *inputs, const char *name, const char *what, struct weir_err *err);
void weir_inputs_free(struct weir_inputs *inputs);
#endif
