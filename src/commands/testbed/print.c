/* src/commands/testbed/print.c - see print.h. */
#include "testbed/print.h"
#include "config/table.h"
#include "text/json.h"
#include "text/version.h"
#include <math.h>

enum { NUMBER = 48 };

static void band_text(const struct weir_fig_cell *c, char *out, size_t size)
{
    static const char *const sign[] = { "", "<= ", ">= ", "" };
    const char *verdict = weir_fig_holds(c) ? "holds" : "OUTSIDE";
    if (c->band == WEIR_FIG_SHOWN)
        (void)snprintf(out, size, "-");
    else if (c->band == WEIR_FIG_NEAR)
        (void)snprintf(out, size, "%.4g +- %.3g: %s", c->wanted, c->slack, verdict);
    else
        (void)snprintf(out, size, "%s%.4g: %s", sign[c->band], c->wanted, verdict);
}

/* Writes a number with half the width of its interval; nothing for NAN. */
static void number_text(double value, double half, char *out, size_t size)
{
    out[0] = '\0';
    if (!isnan(value))
        (void)snprintf(out, size, isnan(half) ? "%.4g" : "%.4g +- %.2g", value, half);
}

static bool are_simulated(const struct weir_figs *figs)
{
    for (uint32_t i = 0; i < figs->cell_count; i++)
        if (!isnan(figs->cell[i].simulated))
            return true;
    return false;
}

void weir_figs_table(FILE *out, const struct weir_figs *figs)
{
    bool simulated = are_simulated(figs);
    struct weir_table t = { .out = out, .columns = simulated ? 6 : 5 };
    for (int pass = 0; pass < 2; pass++) {
        t.measuring = pass == 0;
        weir_table_row(&t, simulated
                               ? (const char *const[]){ "figure", "measured", "simulated", "unit", "wanted", "what" }
                               : (const char *const[]){ "figure", "measured", "unit", "what", "wanted" });
        weir_table_rule(&t);
        for (uint32_t i = 0; i < figs->cell_count; i++) {
            const struct weir_fig_cell *c = &figs->cell[i];
            char value[NUMBER], other[NUMBER], wanted[2 * NUMBER];
            number_text(c->value, c->half, value, sizeof(value));
            if (!isnan(c->least))
                (void)snprintf(value, sizeof(value), "%.4g (%.4g .. %.4g)", c->value, c->least, c->most);
            number_text(c->simulated, c->simulated_half, other, sizeof(other));
            band_text(c, wanted, sizeof(wanted));
            weir_table_row(&t, simulated ? (const char *const[]){ c->figure, value, other, c->unit, wanted, c->what }
                                         : (const char *const[]){ c->figure, value, c->unit, c->what, wanted });
        }
    }
}

void weir_figs_json(FILE *out, const struct weir_figs *figs)
{
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    weir_json_string(&json, "version", WEIR_VERSION);
    for (uint32_t i = 0; i < figs->cell_count; i++) {
        const struct weir_fig_cell *c = &figs->cell[i];
        char key[2 * WEIR_FIG_NAME];
        (void)snprintf(key, sizeof(key), "%s: %s", c->figure, c->what);
        weir_json_open(&json, key);
        weir_json_real(&json, "value", c->value);
        if (!isnan(c->half))
            weir_json_real(&json, "half_width", c->half);
        if (!isnan(c->least)) {
            weir_json_real(&json, "least", c->least);
            weir_json_real(&json, "most", c->most);
        }
        if (!isnan(c->simulated))
            weir_json_real(&json, "simulated", c->simulated);
        if (!isnan(c->simulated_half))
            weir_json_real(&json, "simulated_half_width", c->simulated_half);
        weir_json_string(&json, "unit", c->unit);
        if (c->band == WEIR_FIG_SHOWN)
            weir_json_null(&json, "holds");
        else
            weir_json_bool(&json, "holds", weir_fig_holds(c));
        weir_json_real(&json, "wanted", c->band == WEIR_FIG_SHOWN ? (double)INFINITY : c->wanted);
        weir_json_close(&json);
    }
    weir_json_close(&json);
}
