/* src/commands/cli/setting.c - checks `--set key=value`; see setting.h. */
#include "cli/setting.h"
#include <string.h>

int weir_setting_check(const char *setting, const char *hint, struct weir_err *err)
{
    const char *equals = strchr(setting, '=');
    return equals != NULL && equals != setting
               ? 0
               : weir_fail(err, WEIR_E_SYNTAX, NULL, hint, "--set %s: must be key=value", setting);
}
