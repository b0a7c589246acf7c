/* src/commands/cli/setting.h - `--set key=value` of the commands that read a scenario. */
#ifndef WEIR_CLI_SETTING_H
#define WEIR_CLI_SETTING_H
#include "core/err.h"

/* Checks that a setting is key=value; whether there is such a key is not known here. hint: an example. Returns 0, or
 * WEIR_E_SYNTAX with err. */
int weir_setting_check(const char *setting, const char *hint, struct weir_err *err);
#endif
