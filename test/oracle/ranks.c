/* test/oracle/ranks.c - a run on several processes, which are forked here. */
#include "carrier/processes.h"
#include "test/oracle/twin.h"
#include <unistd.h>

int twin_run_on_ranks(const struct weir_model *model, const struct weir_sim_options *options, uint32_t ranks,
                      struct weir_result *result, struct weir_err *err)
{
    struct weir_sim_options with = *options;
    int code = weir_processes_start(&with.carrier, ranks, err);
    bool first;
    *result = (struct weir_result){ 0 };
    if (code != 0)
        return code;
    first = with.carrier->rank == 0;
    code = weir_sim_run(model, &with, result, err);
    with.carrier->close(with.carrier, code == 0);
    if (!first)
        _exit(code == 0 ? 0 : 1);
    return code;
}
