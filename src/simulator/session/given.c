/* src/simulator/session/given.c - see given.h. */
#include "session/given.h"
#include <stdio.h>

enum { SETTINGS_MAX = 256 };

int session_blame(struct weir_sim_error *to, int code, const struct weir_err *err)
{
    *to = (struct weir_sim_error){ .code = code, .line = err->line, .column = err->col };
    (void)snprintf(to->file, sizeof(to->file), "%s", err->file);
    (void)snprintf(to->text, sizeof(to->text), "%s", err->text);
    (void)snprintf(to->hint, sizeof(to->hint), "%s", err->hint);
    return code;
}

int session_parse(struct weir_scenario *scn, const char *name, const char *const *set, const char *text, size_t length,
                  struct weir_err *err)
{
    struct weir_override override[SETTINGS_MAX];
    uint32_t count = 0;
    for (; set != NULL && set[count] != NULL; count++) {
        if (count == SETTINGS_MAX)
            return weir_fail(err, WEIR_E_RANGE, NULL, NULL, "opts.set has more than %d entries", SETTINGS_MAX);
        override[count] = (struct weir_override){ .text = set[count] };
    }
    return weir_scenario_parse(scn, name != NULL ? name : "scenario", text, length, override, count, err);
}
