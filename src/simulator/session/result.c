/* src/simulator/session/result.c - the numbers of a run, by the rows that `weir run` prints; and the end of a run whose
 * session goes on. */
#include "measure/metrics.h"
#include "observe/observe.h"
#include "session/session.h"
#include <math.h>
#include <stdlib.h>

/* Counts the rows of a result, without those about the machine. */
static size_t row_count(void)
{
    size_t count = 0;
    for (const struct weir_metric *row = weir_result_metrics; row->name != NULL; row++)
        count += !row->of_machine;
    return count;
}

/* Fills sim->metric from a result. @return how many */
static long fill(struct weir_sim *sim, const struct weir_result *result)
{
    struct weir_sim_metric *to = sim->metric;
    for (const struct weir_metric *row = weir_result_metrics; row->name != NULL; row++) {
        if (row->of_machine)
            continue;
        WEIR_ASSERT(row->type != WEIR_METRIC_REAL);
        *to = (struct weir_sim_metric){ .name = row->name,
                                        .unit = weir_metric_unit_names[row->unit],
                                        .value = (double)NAN,
                                        .applies = weir_metric_applies(row, result) };
        if (to->applies != 0) {
            to->whole = weir_metric_whole(row, result);
            to->digits = row->digits;
            to->value = (double)to->whole / pow(10, row->digits);
        }
        to++;
    }
    return to - sim->metric;
}

long weir_sim_result(struct weir_sim *sim, const struct weir_sim_metric **metric)
{
    struct weir_result result = { 0 };
    struct weir_err err = { 0 };
    long count = 0;
    int code = 0;
    if (session_in_visit(sim))
        return session_fail(sim, WEIR_SIM_E_CALL, NULL, "a call-back cannot ask for a result: other hosts are at work");
    if (sim->failed)
        return WEIR_SIM_E_RUN;
    if (!sim->ended && session_stands(sim) != 0)
        return WEIR_SIM_E_CALL;
    if (sim->metric == NULL && (sim->metric = calloc(row_count(), sizeof(*sim->metric))) == NULL)
        return session_fail(sim, WEIR_SIM_E_MEMORY, NULL, "not enough memory for a result");
    if (!sim->ended)
        code = weir_sim_interim(sim->engine, sim->now_ps, &result, &err);
    if (code == 0)
        count = fill(sim, sim->ended ? &sim->result : &result);
    weir_result_free(&result);
    if (code != 0)
        return session_blame(&sim->error, code == WEIR_E_MEMORY ? WEIR_SIM_E_MEMORY : WEIR_SIM_E_RUN, &err);
    *metric = sim->metric;
    return count;
}

int weir_sim_end(struct weir_sim *sim)
{
    int code;
    if (session_in_visit(sim))
        return session_fail(sim, WEIR_SIM_E_CALL, NULL, "a call-back cannot end its run");
    if (sim->failed)
        return WEIR_SIM_E_RUN;
    if (sim->ended)
        return 0;
    code = session_end(sim);
    if (code == 0)
        session_record_call(sim->record, WEIR_SESSION_END, &(struct weir_session_args){ .given = 0 });
    return code;
}
