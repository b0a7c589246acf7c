/* src/results/reproduce/cell_text.c - see cell_text.h. */
#include "reproduce/cell_text.h"
#include "means/interval.h"
#include <stdio.h>
#include <string.h>

void weir_value_text(char out[WEIR_CELL_TEXT], const struct weir_value *v, uint32_t digits)
{
    static const char *const state[] = { "", "unstable", "-", "not run" };
    if (v->state != WEIR_VALUE_NUMBER)
        (void)snprintf(out, WEIR_CELL_TEXT, "%s", state[v->state]);
    else if (v->lo < v->hi)
        (void)snprintf(out, WEIR_CELL_TEXT, "%.*f..%.*f", (int)digits, v->lo, (int)digits, v->hi);
    else
        (void)snprintf(out, WEIR_CELL_TEXT, "%.*f", (int)digits, v->lo);
}

void weir_deviation_text(char out[WEIR_CELL_TEXT], const struct weir_table_spec *spec, const struct weir_cell *cell)
{
    out[0] = '\0';
    if (cell->has_deviation)
        (void)snprintf(out, WEIR_CELL_TEXT, "%+.1f %s", cell->deviation_percent, spec->reduction ? "points" : "%");
    else if (cell->verdict != WEIR_CELL_NONE)
        (void)snprintf(out, WEIR_CELL_TEXT, "%s", cell->verdict == WEIR_CELL_OUTSIDE ? "differs" : "-");
}

bool weir_cell_has_interval(const struct weir_cell *cell)
{
    return cell->averaged >= WEIR_INTERVAL_RUNS_MIN && cell->doubtful == 0;
}

bool weir_cell_has_unstable(const struct weir_cell *cell)
{
    return cell->measured.state == WEIR_VALUE_UNSTABLE && (cell->at != NULL || cell->averaged > 0);
}

void weir_missing_text(char *out, size_t size, const struct weir_plan *plan, const struct weir_figure *figure)
{
    out[0] = '\0';
    for (uint32_t i = 0; i < plan->missing_count; i++) {
        size_t used = strlen(out);
        if (plan->missing[i].figure == figure->runs)
            (void)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", plan->missing[i].protocol);
    }
}

void weir_cell_key(char *out, size_t size, const struct weir_plan *plan, const struct weir_cells *cells,
                   const struct weir_cell *cell)
{
    const char *label = cells->spec->reading[cell->reading].label;
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t a = 0; a < plan->exp->axis_count; a++) {
        if (!cells->varies[a] || cell->value[a] == WEIR_AXIS_NONE)
            continue;
        used = strlen(out);
        (void)snprintf(out + used, size - used, "%s%s", used > 0 ? "-" : "",
                       plan->exp->axis[a].value[cell->value[a]].label);
    }
    used = strlen(out);
    (void)snprintf(out + used, size - used, "%s%s", used > 0 && label[0] != '\0' ? " " : "", label);
}
