/* src/commands/cli/warnings.c - prints the warnings of a scenario; see warnings.h. */
#include "cli/warnings.h"
#include "text/print.h"
#include <stdio.h>

void weir_cli_warnings(const struct weir_scenario *scn)
{
    uint32_t count = scn->warning_count, kept = count < WEIR_WARNINGS_MAX ? count : WEIR_WARNINGS_MAX;
    for (uint32_t i = 0; i < kept; i++)
        weir_cli_warn(&scn->warning[i]);
    if (count > kept)
        (void)fprintf(stderr, "weir: %u warnings more\n", (unsigned)(count - kept));
}
