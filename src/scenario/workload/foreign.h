/* src/scenario/workload/foreign.h - recognises files that belong elsewhere, so that their refusal says what they
 * are: GOAL schedules, Chakra traces, distributions of sizes where a list of messages belongs. */
#ifndef WEIR_WORKLOAD_FOREIGN_H
#define WEIR_WORKLOAD_FOREIGN_H
#include "core/err.h"

enum weir_foreign {
    WEIR_FOREIGN_NONE,   /* not recognised */
    WEIR_FOREIGN_GOAL,   /* num_ranks, then a block per rank: of LogGOPSim and ATLAHS */
    WEIR_FOREIGN_CHAKRA, /* an execution trace of MLCommons' Chakra, as JSON */
    WEIR_FOREIGN_SIZES,  /* two columns of numbers that do not decrease; the last is 1 or 100 */
};

/* Recognises a text by its beginning, or as a whole by its columns. */
enum weir_foreign weir_foreign_of(const char *text);

/**
 * Replaces the error of a reader by one that names what the file is, if the file is recognised.
 * @param code   what the reader returned; 0 and codes that are not about the content stay as they are
 * @param text   the whole file
 * @param known  a kind that the reader does read: its error stays; NONE = it reads none of them
 * @return code, or WEIR_E_SYNTAX with err
 */
int weir_foreign_name(int code, const char *file, const char *text, enum weir_foreign known, struct weir_err *err);
#endif
