/* src/commands/cli/setting.c - see setting.h. */
#include "cli/setting.h"
#include "model/model.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int weir_setting_check(const char *setting, const char *hint, struct weir_err *err)
{
    const char *equals = strchr(setting, '=');
    return equals != NULL && equals != setting
               ? 0
               : weir_fail(err, WEIR_E_SYNTAX, NULL, hint, "--set %s: must be key=value", setting);
}

bool weir_setting_whole(const char *text, uint64_t *value)
{
    char *end;
    if (text[0] < '0' || text[0] > '9')
        return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0';
}

int weir_setting_ranks(const char *value, uint32_t *ranks, struct weir_err *err)
{
    uint64_t number;
    if (!weir_setting_whole(value, &number) || number < 1 || number > WEIR_SIM_RANKS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL,
                         "results do not depend on it, only time, and the memory of each process",
                         "--ranks %s: must be a whole number, 1 to %u", value, WEIR_SIM_RANKS_MAX);
    *ranks = (uint32_t)number;
    return 0;
}

int weir_setting_threads(const char *value, uint32_t *threads, struct weir_err *err)
{
    uint64_t number;
    if (!weir_setting_whole(value, &number) || number < 1 || number > WEIR_THREADS_MAX)
        return weir_fail(err, WEIR_E_RANGE, NULL, "results do not depend on it, only the time they take",
                         "--threads %s: must be a whole number, 1 to %u", value, WEIR_THREADS_MAX);
    *threads = (uint32_t)number;
    return 0;
}
