/* src/solver/solve/rpm_limit.c - see rpm_limit.h. */
#include "solve/rpm_limit.h"
#include "core/assert.h"
#include <math.h>
#include <stdbool.h>

#define RATIO 1.0005       /* largest factor between two omegas of the scan */
#define PHASE_STEP 0.02    /* largest change of omega d between two omegas, rad */
#define BEGIN 1e-3         /* scan_begin() is this part of the smaller of two frequencies */
#define SCAN_MAX 200000000 /* most steps: omega < pi / (2 d_s) at the limit, so d / d_s bounds the steps */
#define ETA_STEP 1.01      /* factor from one slope to the next while a root is followed */
#define ETA_RANGE 100.0    /* a root is followed to slopes of 1/100 of the limit to 100 times the limit */
#define TOLERANCE 1e-12

enum { HALVINGS = 100, NEWTON_MAX = 50 };

struct complex { /* this room does not include complex.h */
    double re, im;
};

static struct complex add(struct complex x, struct complex y)
{
    return (struct complex){ x.re + y.re, x.im + y.im };
}

static struct complex scale(double k, struct complex x)
{
    return (struct complex){ k * x.re, k * x.im };
}

static struct complex times(struct complex x, struct complex y)
{
    return (struct complex){ x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re };
}

static struct complex over(struct complex x, struct complex y)
{
    return scale(1 / (y.re * y.re + y.im * y.im), times(x, (struct complex){ y.re, -y.im }));
}

static double magnitude(struct complex x)
{
    return hypot(x.re, x.im);
}

static struct complex exponential(struct complex x)
{
    return scale(exp(x.re), (struct complex){ cos(x.im), sin(x.im) });
}

struct point {          /* eta of (2) at s = j omega, as the fraction top / bottom */
    struct complex top; /* numerator times conjugate of the denominator: no poles, real where eta is real */
    double bottom;      /* |denominator|^2 */
};

static struct point point_at(const struct weir_rpm_model *m, double gamma, double omega)
{
    double cos_d = cos(omega * m->rtt_s), sin_d = sin(omega * m->rtt_s);
    double cos_s = cos(omega * m->short_rtt_s), sin_s = sin(omega * m->short_rtt_s);
    double add_part = m->a / (m->rtt_s * m->rtt_s), cut_part = m->b * m->capacity_pps * m->capacity_pps;
    struct complex up = { omega * omega + omega * gamma * (sin_d - sin_s), -omega * gamma * (2 - cos_d + cos_s) };
    struct complex down = { add_part * cos_d + cut_part * cos_s, -add_part * sin_d - cut_part * sin_s };
    return (struct point){ times(up, (struct complex){ down.re, -down.im }), down.re * down.re + down.im * down.im };
}

/* Returns an omega below which eta(j omega) is never real: small against both sqrt(2 gamma / d) and 1 / d. At smaller
 * omegas the phase of the denominator is between -omega d and 0. The phase of the numerator is about -atan(2 gamma /
 * omega), and its magnitude is much larger. */
static double scan_begin(const struct weir_rpm_model *m, double gamma)
{
    return BEGIN * fmin(sqrt(2 * gamma / m->rtt_s), 1 / m->rtt_s);
}

/* Returns the omega between low and high at which eta(j omega) is real, by bisection. */
static double bisect(const struct weir_rpm_model *m, double gamma, double low, double high)
{
    bool positive = point_at(m, gamma, low).top.im > 0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if ((point_at(m, gamma, middle).top.im > 0) == positive)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

struct weir_rpm_limit weir_rpm_limit(const struct weir_rpm_model *m)
{
    double gamma = weir_rpm_gamma(m), omega = scan_begin(m, gamma);
    double bottom_max = m->a / (m->rtt_s * m->rtt_s) + m->b * m->capacity_pps * m->capacity_pps;
    struct weir_rpm_limit best = { INFINITY, 0 };
    bool positive = point_at(m, gamma, omega).top.im > 0;
    WEIR_ASSERT(m->short_rtt_s <= m->rtt_s && m->rtt_s <= WEIR_RPM_DELAYS_MAX * m->short_rtt_s);
    /* |numerator| >= omega^2 - 4 gamma omega and |denominator| <= bottom_max */
    for (long step = 0; omega * (omega - 4 * gamma) <= best.eta * bottom_max; step++) {
        double next = fmin(omega * RATIO, omega + PHASE_STEP / m->rtt_s);
        bool next_positive = point_at(m, gamma, next).top.im > 0;
        WEIR_ASSERT(step < SCAN_MAX);
        if (next_positive != positive) {
            double at = bisect(m, gamma, omega, next);
            struct point p = point_at(m, gamma, at);
            if (p.top.re > 0 && p.top.re / p.bottom < best.eta)
                best = (struct weir_rpm_limit){ p.top.re / p.bottom, at };
        }
        omega = next;
        positive = next_positive;
    }
    return best;
}

double weir_rpm_limit_approx(const struct weir_rpm_model *m)
{
    return 2 * weir_rpm_gamma(m) / (m->b * m->capacity_pps * m->capacity_pps * m->short_rtt_s);
}

/* Returns the step of Newton's method on (5): the number to subtract from s. */
static struct complex newton(const struct weir_rpm_model *m, double gamma, double eta, struct complex s)
{
    double d = m->rtt_s, short_d = m->short_rtt_s;
    double alpha = eta * m->a / (d * d), cut = m->b * m->capacity_pps * m->capacity_pps * eta;
    struct complex late = exponential(scale(-d, s)), early = exponential(scale(-short_d, s));
    struct complex bracket = add((struct complex){ 2, 0 }, add(early, scale(-1, late)));
    struct complex value = add(times(s, add(s, scale(gamma, bracket))), add(scale(alpha, late), scale(cut, early)));
    struct complex slope = add(scale(2, s), scale(gamma, bracket));
    slope = add(slope, scale(gamma, times(s, add(scale(d, late), scale(-short_d, early)))));
    slope = add(slope, add(scale(-alpha * d, late), scale(-cut * short_d, early)));
    return over(value, slope);
}

/* Moves *s to a root of (5) near it by Newton's method. @return false = the iteration did not converge */
static bool correct(const struct weir_rpm_model *m, double gamma, double eta, struct complex *s)
{
    for (int i = 0; i < NEWTON_MAX; i++) {
        struct complex step = newton(m, gamma, eta, *s);
        *s = add(*s, scale(-1, step));
        if (!isfinite(s->re) || !isfinite(s->im))
            return false;
        if (magnitude(step) <= TOLERANCE * magnitude(*s))
            return true;
    }
    return false;
}

double weir_rpm_growth(const struct weir_rpm_model *m, const struct weir_rpm_limit *limit, double eta)
{
    double gamma = weir_rpm_gamma(m), at = limit->eta;
    struct complex s = { 0, limit->omega };
    WEIR_ASSERT(eta > 0);
    if (eta > ETA_RANGE * limit->eta || eta * ETA_RANGE < limit->eta)
        return (double)NAN;
    do { /* the last step is at eta itself */
        double before = s.im;
        at = eta > at ? fmin(at * ETA_STEP, eta) : fmax(at / ETA_STEP, eta);
        if (!correct(m, gamma, at, &s) || s.im < before / 2) /* the root became real, or another root was found */
            return (double)NAN;
    } while (at > eta || at < eta);
    return s.re;
}
