/* src/results/report/scale.c - see scale.h. */
#include "report/scale.h"
#include "core/assert.h"
#include <math.h>

#define NICE_BELOW 1.02
#define LOG_FROM 30.0     /* greatest / least value above which a scale is logarithmic */
#define FINE_UP_TO 1000.0 /* greatest / least value up to which a logarithmic scale has ticks at 2 and 5, too */
#define NARROW 0.1        /* values that differ by less than this share of what they have above the base are spread */
#define STEPS 4           /* about this many steps between ticks */

double weir_scale_nice(double value, bool up)
{
    static const double step[] = { 1, 2, 5, 10 };
    double power = pow(10, floor(log10(value))), at = power;
    for (int i = 0; i < 4; i++) {
        double this_step = step[i] * power;
        if (up && this_step >= value * (1 - 1e-9))
            return this_step;
        if (this_step <= value * NICE_BELOW)
            at = this_step;
    }
    return at;
}

static void add_tick(struct weir_scale *s, double at)
{
    if (s->ticks < WEIR_SCALE_TICKS)
        s->tick[s->ticks++] = at;
}

static void make_log(struct weir_scale *s, double base)
{
    static const double nice[] = { 1, 2, 5 };
    int first, last, every;
    bool fine;
    s->lo = s->lo <= 10 * base ? base : weir_scale_nice(s->lo, false);
    s->hi = weir_scale_nice(s->hi, true);
    first = (int)ceil(log10(s->lo) - 1e-9), last = (int)floor(log10(s->hi) + 1e-9);
    every = 1 + (last - first) / STEPS;
    fine = s->hi <= FINE_UP_TO * s->lo;
    add_tick(s, s->lo); /* it says where it begins */
    for (int e = fine ? first - 1 : first; e <= last; e += every)
        for (int i = 0; i < (fine ? 3 : 1); i++) {
            double at = nice[i] * pow(10, e);
            if (at > s->lo * (1 + 1e-9) && at <= s->hi * (1 + 1e-9))
                add_tick(s, at);
        }
}

/* Puts ticks at the beginning and at multiples of a round step, of which the last is the end. */
static void add_steps(struct weir_scale *s)
{
    double step = weir_scale_nice((s->hi - s->lo) / STEPS, true), first = floor(s->lo / step + 1 + 1e-9);
    add_tick(s, s->lo);
    for (int i = 0; s->ticks < WEIR_SCALE_TICKS; i++) {
        double next = (first + i) * step;
        add_tick(s, next);
        if (next >= s->hi * (1 - 1e-9))
            break;
    }
    s->hi = s->tick[s->ticks - 1];
}

static void make_linear(struct weir_scale *s, double base)
{
    double span = s->hi - s->lo;
    if (span > 0 && span < NARROW * (s->hi - base)) {
        double step = weir_scale_nice(span / 2, true);
        s->lo = fmax(base, floor((s->lo - span / 4) / step) * step);
        s->hi += span / 4;
    } else {
        s->lo = base;
    }
    if (!(s->hi > s->lo)) /* a single value, which is the base */
        s->hi = s->lo + 1;
    add_steps(s);
}

struct weir_scale weir_scale_make(double lo, double hi, double base)
{
    struct weir_scale s = { .lo = lo, .hi = hi };
    WEIR_ASSERT(hi >= lo);
    base = fmin(base, lo);
    s.log = base > 0 && hi > LOG_FROM * lo;
    if (s.log)
        make_log(&s, base);
    else
        make_linear(&s, base);
    return s;
}

double weir_scale_at(const struct weir_scale *s, double value)
{
    double at = s->log ? log(fmax(value, s->lo) / s->lo) / log(s->hi / s->lo) : (value - s->lo) / (s->hi - s->lo);
    return fmin(1, fmax(0, at));
}
