/* src/results/output/loop_print.c - see loop_print.h. */
#include "output/loop_print.h"
#include "text/json.h"
#include "text/version.h"
#include <math.h>

/* Prints a least p; below the least one that was tried, as that bound. */
static void print_least(FILE *out, double p)
{
    if (isinf(p))
        (void)fprintf(out, "%14s", "none");
    else
        (void)fprintf(out, "%s%.2f", p > WEIR_LOOP_P_MIN ? "          " : "  at most ", p);
}

void weir_loop_print_table(FILE *out, const struct weir_loop_answer *answer)
{
    const struct weir_loop *loop = &answer->loop;
    (void)fprintf(out, "Stability of Söze's law with a phantom queue (doc/phantom.md); times in base round trips\n\n");
    (void)fprintf(out, "%-16s%12s%14s%14s\n", "flow", "round trip", "to the port", "back with D");
    for (uint32_t i = 0; i < loop->flows; i++)
        (void)fprintf(out, "%-16u%12.4g%14.4g%14.4g\n", i, loop->flow[i].rtt, loop->flow[i].out, loop->flow[i].back);
    (void)fprintf(out, "\nalpha / beta = %.6g, rho = %.6g\n\n", loop->ratio, loop->rho);
    (void)fprintf(out, "least p, if rates follow at once: %.4g\n\n", answer->at_once);
    (void)fprintf(out, "%-12s%14s%14s%14s%14s\n", "m", "linear", "period", "in time", "window bounds");
    for (uint32_t i = 0; i < answer->rows; i++) {
        const struct weir_loop_row *row = &answer->row[i];
        (void)fprintf(out, "%-12.4g%14.4g%14.4g", row->m, row->linear, row->period);
        print_least(out, row->paced);
        print_least(out, row->bounded);
        (void)fputs("\n", out);
    }
}

static void put_flows(struct weir_json *json, const struct weir_loop *loop)
{
    weir_json_open_list(json, "flows");
    for (uint32_t i = 0; i < loop->flows; i++) {
        weir_json_open(json, NULL);
        weir_json_real(json, "rtt", loop->flow[i].rtt);
        weir_json_real(json, "out", loop->flow[i].out);
        weir_json_real(json, "back", loop->flow[i].back);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

void weir_loop_print_json(FILE *out, const struct weir_loop_answer *answer)
{
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    weir_json_string(&json, "version", WEIR_VERSION);
    weir_json_string(&json, "model", "phantom");
    weir_json_string(&json, "unit", "base round trips");
    put_flows(&json, &answer->loop);
    weir_json_real(&json, "alpha_over_beta", answer->loop.ratio);
    weir_json_real(&json, "rho", answer->loop.rho);
    weir_json_real(&json, "p_at_once", answer->at_once);
    weir_json_open_list(&json, "limits");
    for (uint32_t i = 0; i < answer->rows; i++) {
        const struct weir_loop_row *row = &answer->row[i];
        weir_json_open(&json, NULL);
        weir_json_real(&json, "m", row->m);
        weir_json_real(&json, "p_linear", row->linear);
        weir_json_real(&json, "period", row->period);
        weir_json_real(&json, "p_in_time", row->paced);
        weir_json_real(&json, "p_window_bounds", row->bounded);
        weir_json_close(&json);
    }
    weir_json_close_list(&json);
    weir_json_close(&json);
}
