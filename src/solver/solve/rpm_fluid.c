/* src/solver/solve/rpm_fluid.c - see rpm_fluid.h. */
#include "solve/rpm_fluid.h"
#include "core/assert.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define STEPS_PER_SECOND 5e7 /* steps that one core computes in a second, about; for an error message */
#define STOP_EVERY 65536u    /* steps between two reads of options->stop; a power of two */
#define START 1e-3           /* largest result of weir_rpm_fluid_off() */
#define SWING 0.1            /* largest swing of the queue at the start, see weir_rpm_fluid_off() */

struct sample {  /* state at one step, for delayed values */
    double rate; /* r / c */
    double mark; /* P */
};

struct fluid { /* state of an integration */
    /* r' / c = add rate(t - d) / rate (1 - mark(t - d)) - cut rate rate(t - d_s) mark(t - d_s) */
    double c, add, cut;
    double eta, floor; /* floor: the y of an empty queue */
    double step_s;
    struct sample *ring;     /* samples of the last ring_mask + 1 steps; ring_mask + 1 is a power of two */
    uint64_t ring_mask, now; /* now: steps since the beginning */
    uint64_t late_steps;     /* d in steps, rounded up */
    double late_part;        /* late_steps less d, as a part of a step */
    double rate, y;
    uint64_t clipped; /* number of the first step after which mark is 0 or 1; 0 = none so far */
};

/* Computes the start from the swing of the queue. If the rate oscillates about c with amplitude x c, the queue swings
 * by c x / omega. */
double weir_rpm_fluid_off(const struct weir_rpm_model *m, double omega, double eta)
{
    double above_pkts = weir_rpm_equilibrium(m) / eta; /* queue above the target in equilibrium */
    return fmax(fmin(START, SWING * above_pkts * omega / m->capacity_pps), WEIR_RPM_OFF_MIN);
}

double weir_rpm_fluid_steps(const struct weir_rpm_model *m, const struct weir_rpm_fluid *options)
{
    return ceil(options->window_s / (m->short_rtt_s / WEIR_RPM_STEPS_PER_DELAY)) * options->windows;
}

static double mark_of(const struct fluid *f, double y)
{
    return fmin(fmax(f->eta * y, 0), 1);
}

/* Returns the sample of the step that is `back` steps before `step`; the first sample if there is no such step. */
static struct sample sample_at(const struct fluid *f, uint64_t step, uint64_t back)
{
    return f->ring[(back > step ? 0 : step - back) & f->ring_mask];
}

/* Returns the sample at the time d before a step, interpolated between two steps. */
static struct sample sample_late(const struct fluid *f, uint64_t step)
{
    struct sample before = sample_at(f, step, f->late_steps), after = sample_at(f, step, f->late_steps - 1);
    return (struct sample){ before.rate + f->late_part * (after.rate - before.rate),
                            before.mark + f->late_part * (after.mark - before.mark) };
}

/* Returns r' / c at a step, from the samples d (late) and d_s (early) before it. */
static double slope(const struct fluid *f, double rate, struct sample late, struct sample early)
{
    return f->add * late.rate / rate * (1 - late.mark) - f->cut * rate * early.rate * early.mark;
}

static void fluid_step(struct fluid *f)
{
    struct sample early = sample_at(f, f->now, WEIR_RPM_STEPS_PER_DELAY);
    struct sample next_early = sample_at(f, f->now + 1, WEIR_RPM_STEPS_PER_DELAY);
    double first = slope(f, f->rate, sample_late(f, f->now), early);
    double guess = f->rate + f->step_s * first;
    double second = slope(f, guess, sample_late(f, f->now + 1), next_early);
    double excess = (f->rate + guess) / 2 - 1;
    f->rate += f->step_s * (first + second) / 2;
    f->y = fmax(f->y + f->step_s * f->c * excess, f->floor);
    f->now++;
    f->ring[f->now & f->ring_mask] = (struct sample){ f->rate, mark_of(f, f->y) };
}

static int fluid_init(struct fluid *f, const struct weir_rpm_model *m, const struct weir_rpm_fluid *options,
                      struct weir_err *err)
{
    double late = m->rtt_s / m->short_rtt_s * WEIR_RPM_STEPS_PER_DELAY; /* d in steps; <= WEIR_RPM_RING_MAX */
    *f = (struct fluid){ .c = m->capacity_pps,
                         .add = m->a / (m->capacity_pps * m->rtt_s * m->rtt_s),
                         .cut = m->b * m->capacity_pps,
                         .eta = options->eta,
                         .floor = -options->target_pkts,
                         .step_s = m->short_rtt_s / WEIR_RPM_STEPS_PER_DELAY,
                         .late_steps = (uint64_t)ceil(late),
                         .late_part = ceil(late) - late,
                         .rate = 1 + options->off,
                         .y = weir_rpm_equilibrium(m) / options->eta };
    f->ring_mask = 1;
    while (f->ring_mask < f->late_steps + 1)
        f->ring_mask = 2 * f->ring_mask + 1;
    f->ring = calloc(f->ring_mask + 1, sizeof(*f->ring));
    if (f->ring == NULL)
        return weir_fail_memory(err);
    f->ring[0] = (struct sample){ f->rate, mark_of(f, f->y) };
    return 0;
}

/* Integrates one window. @return the largest |r/c - 1| in it; INFINITY if that exceeded WEIR_RPM_LEFT or *stop was set:
 * then the window is not complete */
static double fluid_window(struct fluid *f, uint64_t steps, const volatile int *stop)
{
    double peak = 0;
    for (uint64_t i = 0; i < steps; i++) {
        double away, mark;
        fluid_step(f);
        mark = f->ring[f->now & f->ring_mask].mark;
        if ((mark <= 0 || mark >= 1) && f->clipped == 0)
            f->clipped = f->now;
        away = fabs(f->rate - 1);
        if (!(away <= WEIR_RPM_LEFT))
            return INFINITY;
        peak = fmax(peak, away);
        if ((i & (STOP_EVERY - 1)) == 0 && stop != NULL && *stop != 0)
            return INFINITY;
    }
    return peak;
}

int weir_rpm_fluid_check(const struct weir_rpm_model *m, const struct weir_rpm_fluid *options, struct weir_err *err)
{
    double steps = weir_rpm_fluid_steps(m, options), ring = m->rtt_s / m->short_rtt_s * WEIR_RPM_STEPS_PER_DELAY;
    if (!(steps <= WEIR_RPM_STEPS_MAX))
        return weir_fail(
            err, WEIR_E_RANGE, NULL, "fewer or shorter windows, or a longer short round trip: a step is 1/200 of it",
            "integrating %u windows of %.3g s takes %.2g steps, about %.2g s of one core; at most %.0e steps",
            options->windows, options->window_s, steps, steps / STEPS_PER_SECOND, WEIR_RPM_STEPS_MAX);
    if (!(ring <= WEIR_RPM_RING_MAX))
        return weir_fail(err, WEIR_E_RANGE, NULL, "without integration all other numbers are printed",
                         "a round trip of %.3g short ones takes %.2g steps, each of which is kept; at most %.0e",
                         m->rtt_s / m->short_rtt_s, ring, WEIR_RPM_RING_MAX);
    return 0;
}

static double ratio_of(const struct weir_rpm_course *course)
{
    uint32_t first = course->linear > 2 ? 1 : 0, last = course->linear - 1;
    if (course->linear < 2)
        return (double)NAN;
    return pow(course->peak[last] / course->peak[first], 1.0 / (last - first));
}

/* Integrates one window after another until all are done or the oscillation has decayed. steps: of one window. @return
 * false = |r/c - 1| exceeded WEIR_RPM_LEFT, or *options->stop was set */
static bool fluid_windows(struct fluid *f, struct weir_rpm_course *course, const struct weir_rpm_fluid *options,
                          uint64_t steps)
{
    while (course->windows < options->windows) {
        double peak = fluid_window(f, steps, options->stop);
        if (peak > WEIR_RPM_LEFT)
            return false;
        course->peak[course->windows++] = peak;
        if (f->clipped == 0)
            course->linear = course->windows;
        if (peak < WEIR_RPM_DECAYED * options->off)
            return true;
    }
    return true;
}

int weir_rpm_fluid_run(struct weir_rpm_course *course, const struct weir_rpm_model *m,
                       const struct weir_rpm_fluid *options, struct weir_err *err)
{
    struct fluid f;
    bool stayed;
    int code = weir_rpm_fluid_check(m, options, err);
    WEIR_ASSERT(options->windows >= 2 && options->windows <= WEIR_RPM_WINDOWS_MAX);
    WEIR_ASSERT(options->off >= WEIR_RPM_OFF_MIN && options->off <= WEIR_RPM_OFF_MAX);
    *course = (struct weir_rpm_course){ 0 };
    if (code == 0)
        code = fluid_init(&f, m, options, err);
    if (code != 0)
        return code;
    stayed = fluid_windows(&f, course, options, (uint64_t)(weir_rpm_fluid_steps(m, options) / options->windows));
    free(f.ring);
    if (options->stop != NULL && *options->stop != 0)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "interrupted");
    course->steps = f.now;
    course->end_s = (double)f.now * f.step_s;
    course->clipped_s = f.clipped > 0 ? (double)f.clipped * f.step_s : (double)INFINITY;
    course->ratio = ratio_of(course);
    course->fate = !stayed || f.clipped > 0 || course->ratio > 1 ? WEIR_RPM_GROWS : WEIR_RPM_DECAYS;
    return 0;
}
