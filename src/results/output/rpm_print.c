/* src/results/output/rpm_print.c - see rpm_print.h. */
#include "output/rpm_print.h"
#include "text/json.h"
#include "text/version.h"
#include <inttypes.h>
#include <math.h>

#define LN_10 2.302585092994046

enum { LABEL = 34 };

/* Tests whether a double can represent the value: converted to a double, the value is neither 0 nor infinite. */
static bool is_held(struct weir_rpm_value value)
{
    double x = weir_rpm_double(value);
    return isfinite(x) && (x > 0 || x < 0);
}

static void print_value(FILE *out, struct weir_rpm_value value)
{
    if (is_held(value))
        (void)fprintf(out, "%.6g", weir_rpm_double(value));
    else
        (void)fprintf(out, "%s10^%.6g, which no double holds,", value.sign < 0 ? "-" : "", value.ln / LN_10);
}

static void print_input(FILE *out, const struct weir_rpm_model *m)
{
    (void)fprintf(
        out, "RPM's fluid model (arXiv 2307.09639): one bottleneck, marking probability eta x (queue - target)\n\n");
    (void)fprintf(out, "%-*s%.9g packets/s\n", LABEL, "capacity c", m->capacity_pps);
    (void)fprintf(out, "%-*s%.9g s\n", LABEL, "round trip d", m->rtt_s);
    (void)fprintf(out, "%-*s%.9g s\n", LABEL, "sender to switch and back d_s", m->short_rtt_s);
    (void)fprintf(out, "%-*sa = %.9g, b = %.9g\n\n", LABEL, "window", m->a, m->b);
}

static void print_roots(FILE *out, const struct weir_rpm_answer *a)
{
    (void)fprintf(out, "%-*s%.6g 1/s\n", LABEL, "gamma", a->gamma);
    (void)fprintf(out, "%-*s%.6g\n", LABEL, "marked in equilibrium", a->equilibrium);
    if (!isfinite(a->printed)) {
        (void)fprintf(out, "%-*snone, as d_s = d\n", LABEL, "root s* as (6) is printed");
    } else {
        (void)fprintf(out, "%-*s%.6g 1/s\n", LABEL, "root s* as (6) is printed", a->printed);
        (void)fprintf(out, "%-*s", LABEL, "  eta by (2) at s*, at 1.01 s*");
        print_value(out, a->eta_printed);
        (void)fputs(" and ", out);
        print_value(out, a->eta_below);
        (void)fprintf(out, " per packet%s\n",
                      a->eta_printed.sign < 0 && a->eta_below.sign < 0 ? ": negative, no slope of marking" : "");
    }
    (void)fprintf(out, "%-*s%.6g 1/s; eta is 0 at %.6g\n", LABEL, "right root s_1", a->right, a->exact);
    (void)fprintf(out, "%-*s%.6g per packet, at s = %.6g 1/s\n", LABEL, "largest eta on (s_1, 0)", a->eta_max,
                  a->eta_max_at);
    (void)fprintf(out, "%-*s%.1e of its largest term\n\n", LABEL, "residual of (5)", a->residual);
}

static void print_limits(FILE *out, const struct weir_rpm_answer *a)
{
    (void)fprintf(out, "%-*s%16s%16s%10s\n", LABEL, "stable below", "RPM (d_s)", "forward (d)", "ratio");
    (void)fprintf(out, "%-*s%16.6g%16.6g%10.4g\n", LABEL, "eta, per packet", a->limit.eta, a->limit_forward.eta,
                  a->limit.eta / a->limit_forward.eta);
    (void)fprintf(out, "%-*s%16.6g%16.6g%10.4g\n", LABEL, "  about, 2 gamma / (b c^2 d_s)", a->approx,
                  a->approx_forward, a->approx / a->approx_forward);
    (void)fprintf(out, "%-*s%16.6g%16.6g\n", LABEL, "  oscillates there with, rad/s", a->limit.omega,
                  a->limit_forward.omega);
}

static const char *fate_name(enum weir_rpm_fate fate)
{
    return fate == WEIR_RPM_GROWS ? "grows" : "decays";
}

/* Returns the factor by which the oscillation grows in one window, as computed from the root of the paper's equation
 * (5). */
static double expected(const struct weir_rpm_integration *i)
{
    return exp(i->growth * i->options.window_s);
}

static void print_factor(FILE *out, double factor)
{
    if (isfinite(factor))
        (void)fprintf(out, "%12.5g", factor);
    else
        (void)fprintf(out, "%12s", "-");
}

static void print_integrations(FILE *out, const struct weir_rpm_answer *a)
{
    (void)fprintf(out, "\n%-10s%12s%10s%12s%9s%12s%12s%12s  %s\n", "marking", "eta", "of limit", "window", "windows",
                  "per window", "by (5)", "last peak", "the oscillation");
    for (uint32_t k = 0; k < a->integration_count; k++) {
        const struct weir_rpm_integration *i = &a->integration[k];
        (void)fprintf(out, "%-10s%12.5g%10.4g%10.4g s%9" PRIu32, i->forward ? "forward" : "RPM", i->options.eta,
                      i->options.eta / i->limit, i->options.window_s, i->course.windows);
        print_factor(out, i->course.ratio);
        print_factor(out, expected(i));
        if (i->course.windows > 0)
            (void)fprintf(out, "%11.3g%%", 100 * i->course.peak[i->course.windows - 1]);
        else
            (void)fprintf(out, "%12s", "-");
        (void)fprintf(out, "  %s", fate_name(i->course.fate));
        if (isfinite(i->course.clipped_s))
            (void)fprintf(out, ", P is first clipped at %.3g s", i->course.clipped_s);
        (void)fputs("\n", out);
    }
}

void weir_rpm_print_table(FILE *out, const struct weir_rpm_answer *answer)
{
    print_input(out, &answer->model);
    print_roots(out, answer);
    print_limits(out, answer);
    if (answer->integration_count > 0)
        print_integrations(out, answer);
}

/* Puts three members: NAME, NAME_sign and NAME_log10. NAME is null if a double cannot represent the value. All three
 * are null if d_s = d, where the root that (6) prints does not exist. */
static void put_value(struct weir_json *json, const char *name, const struct weir_rpm_answer *a,
                      struct weir_rpm_value value)
{
    bool there = isfinite(a->printed);
    char key[48];
    weir_json_real(json, name, there && is_held(value) ? weir_rpm_double(value) : (double)NAN);
    (void)snprintf(key, sizeof(key), "%s_sign", name);
    weir_json_real(json, key, there ? value.sign : (double)NAN);
    (void)snprintf(key, sizeof(key), "%s_log10", name);
    weir_json_real(json, key, there ? value.ln / LN_10 : (double)NAN);
}

static void put_input(struct weir_json *json, const struct weir_rpm_model *m)
{
    weir_json_open(json, "input");
    weir_json_real(json, "capacity_pps", m->capacity_pps);
    weir_json_real(json, "rtt_s", m->rtt_s);
    weir_json_real(json, "short_rtt_s", m->short_rtt_s);
    weir_json_real(json, "a", m->a);
    weir_json_real(json, "b", m->b);
    weir_json_close(json);
}

static void put_units(struct weir_json *json)
{
    weir_json_open(json, "units");
    weir_json_string(json, "gamma", "1/s");
    weir_json_string(json, "s", "1/s");
    weir_json_string(json, "eta", "1/packet");
    weir_json_string(json, "omega", "rad/s");
    weir_json_string(json, "growth", "1/s");
    weir_json_close(json);
}

static void put_integrations(struct weir_json *json, const struct weir_rpm_answer *a)
{
    weir_json_open_list(json, "integration");
    for (uint32_t k = 0; k < a->integration_count; k++) {
        const struct weir_rpm_integration *i = &a->integration[k];
        weir_json_open(json, NULL);
        weir_json_string(json, "marking", i->forward ? "forward" : "rpm");
        weir_json_real(json, "eta", i->options.eta);
        weir_json_real(json, "of_limit", i->options.eta / i->limit);
        weir_json_real(json, "start_off", i->options.off);
        weir_json_real(json, "target_packets", i->options.target_pkts);
        weir_json_real(json, "window_s", i->options.window_s);
        weir_json_open_list(json, "peak");
        for (uint32_t w = 0; w < i->course.windows; w++)
            weir_json_real(json, NULL, i->course.peak[w]);
        weir_json_close_list(json);
        weir_json_real(json, "per_window", i->course.ratio);
        weir_json_real(json, "per_window_expected", expected(i));
        weir_json_real(json, "growth_expected", i->growth);
        weir_json_real(json, "clipped_s", i->course.clipped_s);
        weir_json_real(json, "end_s", i->course.end_s);
        weir_json_u64(json, "steps", i->course.steps);
        weir_json_string(json, "oscillation", fate_name(i->course.fate));
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

void weir_rpm_print_json(FILE *out, const struct weir_rpm_answer *answer)
{
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    weir_json_string(&json, "version", WEIR_VERSION);
    weir_json_string(&json, "model", "rpm");
    put_input(&json, &answer->model);
    put_units(&json);
    weir_json_real(&json, "gamma", answer->gamma);
    weir_json_real(&json, "marked_in_equilibrium", answer->equilibrium);
    weir_json_real(&json, "s_printed", answer->printed);
    put_value(&json, "eta_printed", answer, answer->eta_printed);
    put_value(&json, "eta_below_printed", answer, answer->eta_below);
    weir_json_real(&json, "s_right", answer->right);
    weir_json_real(&json, "s_exact", answer->exact);
    weir_json_real(&json, "eta_max", answer->eta_max);
    weir_json_real(&json, "s_eta_max", answer->eta_max_at);
    weir_json_real(&json, "residual", answer->residual);
    weir_json_real(&json, "eta_crit", answer->limit.eta);
    weir_json_real(&json, "omega_crit", answer->limit.omega);
    weir_json_real(&json, "eta_crit_approx", answer->approx);
    weir_json_real(&json, "eta_crit_forward", answer->limit_forward.eta);
    weir_json_real(&json, "omega_crit_forward", answer->limit_forward.omega);
    weir_json_real(&json, "eta_crit_forward_approx", answer->approx_forward);
    if (answer->integration_count > 0)
        put_integrations(&json, answer);
    weir_json_close(&json);
}
