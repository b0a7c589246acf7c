/* src/solver/solve/rpm.c - see rpm.h. */
#include "solve/rpm.h"
#include "core/assert.h"
#include <math.h>
#include <stddef.h>

enum { HALVINGS = 200, SCAN = 1000, SECTIONS = 100 };
#define GOLDEN 0.6180339887498949 /* (sqrt(5) - 1) / 2 */

static struct weir_rpm_value value_of(double x)
{
    return (struct weir_rpm_value){ .sign = (x > 0) - (x < 0),
                                    .ln = x > 0 || x < 0 ? log(fabs(x)) : -(double)INFINITY };
}

static struct weir_rpm_value value_add(struct weir_rpm_value x, struct weir_rpm_value y)
{
    struct weir_rpm_value large = x.ln >= y.ln ? x : y, small = x.ln >= y.ln ? y : x;
    double apart = small.ln - large.ln; /* <= 0 */
    if (small.sign == 0)
        return large;
    if (small.sign == large.sign)
        return (struct weir_rpm_value){ large.sign, large.ln + log1p(exp(apart)) };
    if (apart >= 0)
        return value_of(0);
    return (struct weir_rpm_value){ large.sign, large.ln + log(-expm1(apart)) };
}

struct weir_rpm_model weir_rpm_marking(const struct weir_rpm_model *m, bool forward)
{
    struct weir_rpm_model made = *m;
    if (forward)
        made.short_rtt_s = m->rtt_s;
    return made;
}

double weir_rpm_double(struct weir_rpm_value value)
{
    return value.sign * exp(value.ln);
}

double weir_rpm_gamma(const struct weir_rpm_model *m)
{
    return m->b * m->capacity_pps * weir_rpm_equilibrium(m);
}

double weir_rpm_equilibrium(const struct weir_rpm_model *m)
{
    double bdp = m->capacity_pps * m->rtt_s;
    return m->a / (m->a + m->b * bdp * bdp);
}

/* Computes equation (2) with u = -s > 0. Numerator and denominator are divided by e^(u d), so that no exponent is
 * large:
 *
 *     (-u gamma (1 - e^-apart) + u (2 gamma - u) e^(-u d)) / (a / d^2 + b c^2 e^-apart),   apart = u (d - d_s) */
struct weir_rpm_value weir_rpm_eta(const struct weir_rpm_model *m, double s)
{
    double gamma = weir_rpm_gamma(m), u = -s, apart = u * (m->rtt_s - m->short_rtt_s);
    double bottom = m->a / (m->rtt_s * m->rtt_s) + m->b * m->capacity_pps * m->capacity_pps * exp(-apart);
    struct weir_rpm_value difference = value_of(u * gamma * expm1(-apart)), rest = value_of(u * (2 * gamma - u)), top;
    WEIR_ASSERT(u > 0);
    rest.ln -= u * m->rtt_s;
    top = value_add(difference, rest);
    return (struct weir_rpm_value){ top.sign, top.ln - log(bottom) };
}

double weir_rpm_residual(const struct weir_rpm_model *m, double s, double eta)
{
    double gamma = weir_rpm_gamma(m), d = m->rtt_s, c = m->capacity_pps;
    double one = exp(s * d), early = exp(s * (d - m->short_rtt_s)); /* all terms are divided by e^(-s d) */
    double term[] = { s * s * one,       2 * gamma * s * one,  -gamma * s,
                      gamma * s * early, eta * m->a / (d * d), eta * m->b * c * c * early };
    double sum = 0, largest = 0;
    WEIR_ASSERT(s < 0);
    for (size_t i = 0; i < sizeof(term) / sizeof(term[0]); i++) {
        sum += term[i];
        largest = fmax(largest, fabs(term[i]));
    }
    return fabs(sum) / largest;
}

/* The quadratic of (6): gamma (d^2 - d_s^2) s^2 / 2 - (1 + gamma (d - d_s)) s - 2 gamma = 0, the bracket of (2) to
 * second order. Its roots are (middle +- root_q) / square. */
struct quadratic {
    double middle, root_q, square; /* 1 + gamma (d - d_s); sqrt(Q); gamma (d^2 - d_s^2) */
};

static struct quadratic quadratic_of(const struct weir_rpm_model *m)
{
    double gamma = weir_rpm_gamma(m), apart = m->rtt_s - m->short_rtt_s;
    struct quadratic q = { .middle = 1 + gamma * apart, .square = gamma * apart * (m->rtt_s + m->short_rtt_s) };
    q.root_q = sqrt(q.middle * q.middle + 4 * gamma * q.square);
    return q;
}

double weir_rpm_root_printed(const struct weir_rpm_model *m)
{
    struct quadratic q = quadratic_of(m);
    return q.square > 0 ? -(q.root_q + q.middle) / q.square : -(double)INFINITY;
}

double weir_rpm_root_right(const struct weir_rpm_model *m)
{
    struct quadratic q = quadratic_of(m);
    return -4 * weir_rpm_gamma(m) / (q.middle + q.root_q);
}

/* Returns the bracket of (2) with u = -s: gamma (e^(u d) - e^(u d_s) - 2) + u. The bracket rises with u: from -2 gamma
 * at u = 0 to a value >= 0 at u = 2 gamma. */
static double bracket(const struct weir_rpm_model *m, double gamma, double u)
{
    return gamma * (exp(u * m->short_rtt_s) * expm1(u * (m->rtt_s - m->short_rtt_s)) - 2) + u;
}

double weir_rpm_root_exact(const struct weir_rpm_model *m)
{
    double gamma = weir_rpm_gamma(m), low = 0, high = 2 * gamma;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (bracket(m, gamma, middle) < 0)
            low = middle;
        else
            high = middle;
    }
    return -high;
}

double weir_rpm_eta_max(const struct weir_rpm_model *m, double *at)
{
    double root = weir_rpm_root_exact(m), best = root / 2, low, high;
    for (int i = 1; i < SCAN; i++) /* on (root, 0) no value is negative, so ln has the order of eta */
        if (weir_rpm_eta(m, root * i / SCAN).ln > weir_rpm_eta(m, best).ln)
            best = root * i / SCAN;
    low = best + root / SCAN;
    high = best - root / SCAN;
    for (int i = 0; i < SECTIONS; i++) { /* golden section search */
        double left = high - (high - low) * GOLDEN, right = low + (high - low) * GOLDEN;
        if (left >= 0 || right >= 0 || weir_rpm_eta(m, left).ln < weir_rpm_eta(m, right).ln)
            low = left;
        else
            high = right;
        best = (low + high) / 2;
    }
    if (at != NULL)
        *at = best;
    return weir_rpm_double(weir_rpm_eta(m, best));
}
