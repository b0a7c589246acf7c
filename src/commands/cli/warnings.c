/* src/commands/cli/warnings.c - prints the warnings of a scenario and of its files; see warnings.h. */
#include "cli/warnings.h"
#include "text/print.h"
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

void weir_cli_warnings(const struct weir_scenario *scn)
{
    uint32_t count = scn->warning_count, kept = count < WEIR_WARNINGS_MAX ? count : WEIR_WARNINGS_MAX;
    for (uint32_t i = 0; i < kept; i++)
        weir_cli_warn(&scn->warning[i]);
    if (count > kept)
        (void)fprintf(stderr, "weir: %u warnings more\n", (unsigned)(count - kept));
}

void weir_cli_list_warnings(const struct weir_setup *setup)
{
    for (uint32_t i = 0; i < setup->scn->traffic_count; i++) {
        const struct weir_list_note *note = &setup->note[i];
        const char *file = setup->scn->traffic[i].file;
        if (note->left_out > 0)
            (void)fprintf(stderr,
                          "weir: %s: the first line says %" PRIu64 " flows; rows left out behind them, as by HPCC's "
                          "reader: %" PRIu64 "\n",
                          file, note->kept, note->left_out);
        if (note->endless > 0)
            (void)fprintf(stderr, "weir: %s: flows without an end (size 0): %" PRIu64 "; each sends 1 TiB\n", file,
                          note->endless);
        if (note->empty > 0)
            (void)fprintf(stderr, "weir: %s: messages of 0 bytes: %" PRIu64 "; each sends 1 byte\n", file, note->empty);
        if (note->dangling > 0)
            (void)fprintf(stderr,
                          "weir: %s: dependencies on nodes that the trace does not have, left out: %" PRIu64
                          "; the first "
                          "is that of node %" PRIu64 " of rank %" PRIu32 " on node %" PRIu64 "\n",
                          file, note->dangling, note->later, note->rank, note->earlier);
    }
    for (uint32_t p = 0; p < setup->programs.count; p++) {
        const struct weir_program *program = &setup->programs.program[p];
        char note[256];
        if (weir_program_note(program, note, sizeof(note)))
            (void)fprintf(stderr, "weir: traffic[%" PRIu32 "]: %s\n", program->item, note);
    }
}

void weir_cli_warn_of_threads(uint32_t threads)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    if (processors > 0 && threads > (unsigned long)processors)
        (void)fprintf(stderr, "weir: %u threads share %ld processor%s: fewer threads would be faster\n",
                      (unsigned)threads, processors, processors == 1 ? "" : "s");
}
