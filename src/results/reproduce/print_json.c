/* src/results/reproduce/print_json.c - prints results as JSON, and counts cells by verdict; see print.h. */
#include "reproduce/cell_text.h"
#include "reproduce/print.h"
#include "means/interval.h"
#include "text/json.h"

enum { LABELS = 512 };

static void json_value(struct weir_json *json, const char *key, const char *max_key, const struct weir_value *v)
{
    if (v->state == WEIR_VALUE_NUMBER) {
        weir_json_real(json, key, v->lo);
        if (max_key != NULL)
            weir_json_real(json, max_key, v->hi);
    } else {
        weir_json_string(json, key, v->state == WEIR_VALUE_UNSTABLE ? "unstable" : NULL);
        if (max_key != NULL)
            weir_json_null(json, max_key);
    }
}

/* Prints what is known of a mean: how many runs it is of, and their numbers. */
static void json_mean(struct weir_json *json, const struct weir_cell *cell)
{
    if (cell->averaged == 0)
        return;
    if (cell->number != NULL) {
        weir_json_open_list(json, "numbers");
        for (uint32_t i = 0; i < cell->runs; i++)
            weir_json_real(json, NULL, cell->number[i]);
        weir_json_close_list(json);
    }
    weir_json_u64(json, "averaged", cell->averaged);
    weir_json_real(json, "least", cell->least);
    weir_json_real(json, "most", cell->most);
    if (weir_cell_has_interval(cell))
        weir_json_real(json, "half_width_95", cell->half_width);
    else if (cell->averaged >= WEIR_INTERVAL_RUNS_MIN)
        weir_json_null(json, "half_width_95");
}

static void json_cell(struct weir_json *json, const struct weir_table_spec *spec, const struct weir_cell *cell)
{
    const char *deviation = spec->reduction ? "deviation_points" : "deviation_percent";
    static const char *const verdict[] = { NULL, NULL, "weak", "within", "outside" };
    static const char *const class[WEIR_CLASSES] = { [WEIR_CLASS_PRINTED] = "printed",
                                                     [WEIR_CLASS_ORDER] = "order",
                                                     [WEIR_CLASS_MODEL] = "model_check",
                                                     [WEIR_CLASS_VARIANT] = "other_reading" };
    json_value(json, "measured", NULL, &cell->measured);
    if (weir_cell_has_unstable(cell))
        weir_json_real(json, "measured_unstable", cell->measured.lo);
    json_value(json, "published", "published_max", &cell->published);
    weir_json_string(json, "class", cell->published.state != WEIR_VALUE_NONE ? class[cell->class] : NULL);
    weir_json_u64(json, "digits", spec->reading[cell->reading].digits);
    if (cell->has_deviation)
        weir_json_real(json, deviation, cell->deviation_percent);
    else
        weir_json_null(json, deviation);
    json_mean(json, cell);
    if (cell->cases_of > 0) {
        if (spec->fold == WEIR_CASES_MEDIAN && cell->cases > 0) {
            weir_json_real(json, "least", cell->least);
            weir_json_real(json, "most", cell->most);
        }
        weir_json_u64(json, "cases", cell->cases);
        weir_json_u64(json, "cases_of", cell->cases_of);
    }
    weir_json_string(json, "verdict", verdict[cell->verdict]);
    weir_json_string(json, "at", cell->at != NULL ? cell->at->name : NULL);
    weir_json_string(json, "not_built", cell->not_built);
    weir_json_u64(json, "runs", cell->runs);
    weir_json_u64(json, "runs_done", cell->runs_done);
}

static void json_cells(struct weir_json *json, const struct weir_plan *plan, const struct weir_cells *cells)
{
    char key[LABELS];
    weir_json_open(json, cells->spec->name);
    weir_json_string(json, "title", cells->spec->title);
    weir_json_string(json, "unit", cells->spec->unit[0] != '\0' ? cells->spec->unit : NULL);
    weir_json_bool(json, "comparable", cells->comparable);
    if (cells->spec->band_ppm > 0)
        weir_json_real(json, "band_percent", (double)cells->spec->band_ppm / 1e4);
    else
        weir_json_null(json, "band_percent");
    weir_json_string(json, "no_band", cells->spec->no_band);
    weir_json_string(json, "fitted", cells->spec->fitted);
    weir_json_string(json, "main_reason", cells->spec->main_reason);
    weir_json_string(json, "missed", cells->spec->missed);
    weir_json_open(json, "cells");
    for (uint32_t i = 0; i < cells->count; i++) {
        weir_cell_key(key, sizeof(key), plan, cells, &cells->cell[i]);
        weir_json_open(json, key);
        json_cell(json, cells->spec, &cells->cell[i]);
        weir_json_close(json);
    }
    weir_json_close(json);
    weir_json_close(json);
}

static void json_jobs(struct weir_json *json, const struct weir_results_jobs *jobs)
{
    weir_json_open_list(json, "jobs");
    for (uint32_t k = 0; k < jobs->count; k++) {
        weir_json_open(json, NULL);
        weir_json_string(json, "name", jobs->job[k].name);
        weir_json_real(json, "completion_us", jobs->job[k].completion_us);
        weir_json_real(json, "algbw_gbytes_s", jobs->job[k].algbw_gbytes_s);
        weir_json_real(json, "busbw_gbytes_s", jobs->job[k].busbw_gbytes_s);
        weir_json_close(json);
    }
    weir_json_close_list(json);
    weir_json_u64(json, "jobs_left_out", jobs->left_out);
}

/* Prints the points of a sweep, each with the number of its run in the result file. */
static void json_points(struct weir_json *json, const struct weir_outcome *o)
{
    weir_json_open_list(json, "points");
    for (uint32_t i = 0; i < o->plan->point_count; i++) {
        const struct weir_point *p = &o->plan->point[i];
        weir_json_open(json, NULL);
        weir_json_u64(json, "number", p->number);
        weir_json_string(json, "name", p->name);
        weir_json_bool(json, "done", p->state == WEIR_POINT_DONE);
        if (p->state == WEIR_POINT_DONE)
            weir_json_u64(json, "run", (uint64_t)p->run);
        else
            weir_json_null(json, "run");
        if (o->advice != NULL)
            weir_json_string(json, "doubt", p->doubt);
        if (o->jobs != NULL && o->jobs[i].count > 0)
            json_jobs(json, &o->jobs[i]);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

void weir_reproduce_json(FILE *out, const struct weir_outcome *o)
{
    const struct weir_verdicts verdicts = weir_reproduce_verdicts(o);
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    weir_json_string(&json, "version", o->version);
    weir_json_string(&json, "commit", o->commit);
    weir_json_string(&json, "experiment", o->plan->exp->origin.id);
    weir_json_string(&json, "title", o->plan->exp->title);
    weir_json_real(&json, "scale", (double)o->plan->scale_ppm / 1e6);
    weir_json_real(&json, "measure_scale", (double)o->plan->measure_ppm / 1e6);
    if (o->plan->exp->implied)
        json_points(&json, o);
    if (o->advice != NULL)
        weir_advice_json(&json, o->advice);
    weir_json_open(&json, "figures"); /* the keys are the names of figures */
    for (uint32_t f = 0; f < o->plan->figure_count; f++) {
        const struct weir_figure *figure = o->plan->figure[f];
        char missing[LABELS];
        weir_missing_text(missing, sizeof(missing), o->plan, figure);
        weir_json_open(&json, figure->name);
        weir_json_string(&json, "title", figure->title);
        weir_json_string(&json, "skipped", figure->skip);
        weir_json_string(&json, "not_built", missing[0] != '\0' ? missing : NULL);
        for (uint32_t i = 0; i < o->cells_count; i++)
            if (o->cells[i].figure == figure)
                json_cells(&json, o->plan, &o->cells[i]);
        weir_json_close(&json);
    }
    weir_json_close(&json);
    weir_json_u64(&json, "within", verdicts.count[WEIR_CELL_WITHIN]);
    weir_json_u64(&json, "weak", verdicts.count[WEIR_CELL_WEAK]);
    weir_json_u64(&json, "outside", verdicts.count[WEIR_CELL_OUTSIDE]);
    weir_json_u64(&json, "not_checked", verdicts.count[WEIR_CELL_NONE] + verdicts.count[WEIR_CELL_SHOWN]);
    weir_json_close(&json);
}

struct weir_verdicts weir_reproduce_verdicts(const struct weir_outcome *o)
{
    struct weir_verdicts v = { 0 };
    for (uint32_t t = 0; t < o->cells_count; t++)
        for (uint32_t i = 0; i < o->cells[t].count; i++)
            v.count[o->cells[t].cell[i].verdict]++;
    return v;
}
