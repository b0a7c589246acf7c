/* src/commands/cli/setting.h - values of options that several commands have: `--set key=value` for those that read a
 * scenario, `--threads`, and whole numbers. */
#ifndef WEIR_CLI_SETTING_H
#define WEIR_CLI_SETTING_H
#include "core/err.h"
#include <stdbool.h>

/* Checks that a setting has the form key=value with a key that is not empty. Whether the key exists is checked later,
 * by the scenario's parser. hint: an example for the message. @return 0, or WEIR_E_SYNTAX with err */
int weir_setting_check(const char *setting, const char *hint, struct weir_err *err);

/* Parses a whole number of digits only: no sign, blank or unit. @return false = it is none, or does not fit 64 bits */
bool weir_setting_whole(const char *text, uint64_t *value);

/* Reads the value of --ranks, 1 to WEIR_SIM_RANKS_MAX. @return 0, or WEIR_E_RANGE with err */
int weir_setting_ranks(const char *value, uint32_t *ranks, struct weir_err *err);
/* Reads the value of --threads, 1 to WEIR_THREADS_MAX. @return 0, or WEIR_E_RANGE with err */
int weir_setting_threads(const char *value, uint32_t *threads, struct weir_err *err);
#endif
