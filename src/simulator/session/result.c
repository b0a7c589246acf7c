/* src/simulator/session/result.c - the numbers of a run, by the rows that `weir run` prints; and the end of a run whose
 * session goes on. */
#include "measure/counter_parts.h"
#include "measure/metrics.h"
#include "observe/observe.h"
#include "session/session.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct filling {          /* numbers that are being put */
    struct weir_sim *sim; /* NULL = they are only counted */
    size_t count;
};

/* Puts a number. before: of its name. @return it, to be given a value; NULL = numbers are only counted */
__attribute__((format(printf, 4, 5))) static struct weir_sim_metric *put(struct filling *f, enum weir_metric_unit unit,
                                                                         uint8_t digits, const char *format, ...)
{
    size_t i = f->count++;
    va_list args;
    int length;
    if (f->sim == NULL)
        return NULL;
    WEIR_ASSERT(i < f->sim->metric_room);
    va_start(args, format);
    length = vsnprintf(f->sim->metric_name[i], SESSION_METRIC_NAME, format, args);
    va_end(args);
    WEIR_ASSERT(length > 0 && length < SESSION_METRIC_NAME);
    f->sim->metric[i] = (struct weir_sim_metric){
        .name = f->sim->metric_name[i], .unit = weir_metric_unit_names[unit], .value = (double)NAN, .digits = digits
    };
    return &f->sim->metric[i];
}

static void set(struct weir_sim_metric *metric, uint64_t whole)
{
    metric->applies = 1;
    metric->whole = whole;
    metric->value = (double)whole / pow(10, metric->digits);
}

/* Puts the numbers of a struct by its rows. part: its number among `parts` of the name; parts NULL = the whole run */
static void put_rows(struct filling *f, const struct weir_metric *row, const void *of, const char *parts, uint32_t part)
{
    for (; row->name != NULL; row++) {
        struct weir_sim_metric *metric;
        if (row->of_machine)
            continue;
        WEIR_ASSERT(row->type != WEIR_METRIC_REAL);
        metric = parts == NULL ? put(f, row->unit, row->digits, "%s", row->name)
                               : put(f, row->unit, row->digits, "%s[%u].%s", parts, part, row->name);
        if (metric != NULL && weir_metric_applies(row, of))
            set(metric, weir_metric_whole(row, of));
    }
}

/* Puts all numbers of a result: of the run, of its switch features, laws and classes. */
static void put_all(struct filling *f, const struct weir_result *result)
{
    put_rows(f, weir_result_metrics, result, NULL, 0);
    for (uint32_t i = 0; i < result->feature_counts; i++) {
        const struct weir_feature_count *c = &result->feature_count[i];
        const struct weir_counter_part *part = weir_counter_parts[c->counter->how];
        for (uint32_t p = 0; p < WEIR_COUNTER_PARTS && part[p].suffix != NULL; p++) {
            struct weir_sim_metric *metric =
                put(f, part[p].unit, part[p].digits, "features.%s.%s%s", c->feature, c->counter->name, part[p].suffix);
            uint64_t value;
            if (metric != NULL && weir_counter_value(result, c, p, &value))
                set(metric, value);
        }
    }
    for (uint32_t k = 0; k < result->law_count; k++)
        put_rows(f, weir_part_metrics, &result->law[k], "laws", k);
    for (uint32_t k = 0; k < result->class_count; k++)
        put_rows(f, weir_part_metrics, &result->of_class[k], "classes", k);
}

/* Writes sim->metric. @return how many; -1 = no memory */
static long fill(struct weir_sim *sim, const struct weir_result *result)
{
    struct filling f = { .sim = NULL };
    put_all(&f, result);
    if (f.count > sim->metric_room) {
        free(sim->metric);
        free(sim->metric_name);
        sim->metric = calloc(f.count, sizeof(*sim->metric));
        sim->metric_name = calloc(f.count, sizeof(*sim->metric_name));
        sim->metric_room = sim->metric != NULL && sim->metric_name != NULL ? f.count : 0;
    }
    if (f.count > sim->metric_room)
        return -1;
    f = (struct filling){ .sim = sim };
    put_all(&f, result);
    return (long)f.count;
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
    if (!sim->ended)
        code = weir_sim_interim(sim->engine, sim->now_ps, &result, &err);
    if (code == 0)
        count = fill(sim, sim->ended ? &sim->result : &result);
    weir_result_free(&result);
    if (code == 0 && count < 0)
        return session_fail(sim, WEIR_SIM_E_MEMORY, NULL, "not enough memory for a result");
    if (code != 0)
        return session_blame_run(sim, code, &err);
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
