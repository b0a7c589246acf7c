/* src/commands/cli/run_skip.c - what run.skip: exact cannot be combined with on the command line. */
#include "cli/run_skip.h"

/* Refuses run.skip: exact with a capture, whose packets are not all simulated, and with changes while the run goes
 * on. @return 0, or WEIR_E_CONFLICT with err */
int weir_cli_skip_check(const struct weir_run_args *args, const struct weir_setup *setup, struct weir_err *err)
{
    if (!setup->model.skip)
        return 0;
    if (args->to[WEIR_RUN_PCAP] != NULL)
        return weir_fail(err, WEIR_E_CONFLICT, &setup->scn->where_run, "--set run.skip=none",
                         "run.skip: exact does not simulate every packet, and --pcap writes every packet");
    if (args->timeline == NULL && !args->live)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, &setup->scn->where_run, "--set run.skip=none",
                     "run.skip: exact does not know what --timeline and --live will change");
}
