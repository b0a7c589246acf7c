/* src/commands/testbed/print.c - see print.h. */
#include "testbed/print.h"
#include "config/table.h"
#include "text/json.h"
#include "text/version.h"
#include <math.h>

enum { NUMBER = 32 };

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

void weir_figs_table(FILE *out, const struct weir_figs *figs)
{
    struct weir_table t = { .out = out, .columns = 5 };
    for (int pass = 0; pass < 2; pass++) {
        t.measuring = pass == 0;
        weir_table_row(&t, (const char *const[]){ "figure", "measured", "unit", "what", "wanted" });
        weir_table_rule(&t);
        for (uint32_t i = 0; i < figs->cell_count; i++) {
            const struct weir_fig_cell *c = &figs->cell[i];
            char value[NUMBER], wanted[2 * NUMBER];
            (void)snprintf(value, sizeof(value), "%.4g", c->value);
            band_text(c, wanted, sizeof(wanted));
            weir_table_row(&t, (const char *const[]){ c->figure, value, c->unit, c->what, wanted });
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
