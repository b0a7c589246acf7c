/* src/commands/cli/model_list.h - lists of numbers on the command line of `weir model`. */
#ifndef WEIR_CLI_MODEL_LIST_H
#define WEIR_CLI_MODEL_LIST_H
#include "core/err.h"
#include <stdint.h>

struct weir_model_list {
    const char *name, *hint; /* name: the option, for messages */
    double min, max;         /* of a number */
    uint32_t most;           /* numbers in a list */
};

/**
 * Parses a list like "0.93,1.9e-5".
 * @param list   receives at most kind->most numbers
 * @param count  receives their number
 * @return 0, or a code with err
 */
int weir_model_list(double *list, uint32_t *count, const char *text, const struct weir_model_list *kind,
                    struct weir_err *err);
#endif
