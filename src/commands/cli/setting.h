/* src/commands/cli/setting.h - checks `--set key=value` for the commands that read a scenario. */
#ifndef WEIR_CLI_SETTING_H
#define WEIR_CLI_SETTING_H
#include "core/err.h"

/* Checks that a setting has the form key=value with a key that is not empty. Whether the key exists is checked later,
 * by the scenario's parser. hint: an example for the message. @return 0, or WEIR_E_SYNTAX with err */
int weir_setting_check(const char *setting, const char *hint, struct weir_err *err);
#endif
