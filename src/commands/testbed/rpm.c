/* src/commands/testbed/rpm.c - experiments 1 and 2 of RPM's paper (arXiv 2307.09639, Tables I and II) with real hosts
 * at 200 Mb/s instead of 10 Gb/s. Congestion is marked forward, or returned by ACKs per flow or per port, with cubic
 * and DCTCP apart and together. Next to each number is the simulator's at the same rates, delays and buffer.
 *
 * Kept of the paper are delays, so round trips; CoDel's 1 ms and 20 ms; and the buffer's bytes, 1,667 packets. Not
 * kept: a packet lasts 50 times longer, so 1 ms is 16 of them, and the buffer 100 ms instead of 2. With 2 ms, which are
 * 33 packets, bursts overflow the buffer before CoDel's 20 ms have passed. */
#include "testbed/rpm.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT_S = 5, COUNT_PAIRS = 2, POINT = 64, SETTINGS = 96, REACTIONS = 3 };

static const char *const laws[WEIR_RPM_LAWS] = { "cubic", "dctcp", "both" };
static const char *const schemes[WEIR_RPM_SCHEMES] = { "forward", "rpm", "rpm per port" };

struct table { /* all measurements of an experiment; on the heap */
    double (*real)[WEIR_RPM_LAWS][WEIR_RPM_SCHEMES][WEIR_RPM_VALUES];         /* by repetition */
    double (*simulated)[WEIR_RPM_LAWS][WEIR_RPM_SCHEMES][WEIR_RPM_SIMULATED]; /* by seed */
};

static int run_real(struct weir_figs *figs, const void *ctx, double *value, struct weir_err *err)
{
    return weir_rpm_measure(figs, ctx, value, err);
}

static int run_simulated(struct weir_figs *figs, const void *ctx, double *value, struct weir_err *err)
{
    return weir_rpm_simulate(figs, ctx, value, err);
}

/* Takes the numbers of a case from the result file, or else measures or simulates it. */
static int take(struct weir_figs *figs, const char *figure, const struct weir_rpm_case *c, bool simulated,
                double *value, struct weir_err *err)
{
    char point[POINT], settings[SETTINGS];
    const struct weir_fig_measurement m = { .key = { figure, point, settings,
                                                     simulated ? weir_rpm_simulated_names : weir_rpm_value_names },
                                            .run = simulated ? run_simulated : run_real,
                                            .ctx = c };
    (void)snprintf(point, sizeof(point), "%s, %s, %u%s", laws[c->law], schemes[c->scheme], (unsigned)c->seed,
                   simulated ? ", simulated" : "");
    (void)snprintf(settings, sizeof(settings), "%u s after %u s, %u pairs, buffer of %llu B", (unsigned)c->seconds,
                   (unsigned)c->warm_s, (unsigned)c->pairs, (unsigned long long)c->buffer_bytes);
    return weir_fig_measure(figs, &m, value, err);
}

/* --- counts --- */

static int run_counts(struct weir_figs *figs, struct weir_err *err)
{
    static const enum weir_rpm_scheme scheme[] = { WEIR_RPM_FLOW, WEIR_RPM_PORT };
    enum { CASES = sizeof(scheme) / sizeof(scheme[0]) };
    figs->made = 0, figs->planned = CASES;
    for (size_t i = 0; i < CASES; i++) {
        const struct weir_rpm_case c = { .experiment = 1,
                                         .law = WEIR_RPM_BOTH,
                                         .scheme = scheme[i],
                                         .buffer_bytes = WEIR_RPM_BUFFER_BYTES,
                                         .pairs = COUNT_PAIRS,
                                         .seed = 1,
                                         .seconds = figs->seconds < COUNT_S ? figs->seconds : COUNT_S };
        double value[WEIR_RPM_VALUES];
        int code = take(figs, "counts", &c, false, value, err);
        if (code != 0)
            return code;
        weir_fig_add(figs, "counts", "", value[WEIR_RPM_COUNTED], WEIR_FIG_NEAR, value[WEIR_RPM_ACCOUNTED],
                     "%s: events; marked and outstanding", schemes[c.scheme]);
        weir_fig_add(figs, "counts", "", value[WEIR_RPM_MARKED_FORWARD], WEIR_FIG_SHOWN, 0,
                     "%s: of them marked forward", schemes[c.scheme]);
    }
    return 0;
}

/* --- reaction --- */

struct reaction {
    uint32_t receiver_ms;
    enum weir_rpm_scheme scheme;
};

static int react(struct weir_figs *figs, const void *ctx, double *value, struct weir_err *err)
{
    const struct reaction *r = ctx;
    return weir_rpm_react(figs, r->receiver_ms, r->scheme, value, err);
}

static int react_simulated(struct weir_figs *figs, const void *ctx, double *value, struct weir_err *err)
{
    const struct reaction *r = ctx;
    return weir_rpm_simulate_reaction(figs, r->receiver_ms, r->scheme, value, err);
}

static int take_reaction(struct weir_figs *figs, const struct reaction *r, uint32_t repeat, double *value,
                         struct weir_err *err)
{
    static const char *const names[] = { "reaction_ms", NULL };
    char point[POINT];
    const struct weir_fig_measurement m = { .key = { "reaction", point, "cubic, buffer of 2500000 B", names },
                                            .run = repeat > 0 ? react : react_simulated,
                                            .ctx = r };
    if (repeat > 0)
        (void)snprintf(point, sizeof(point), "receiver at %u ms, %s, %u", (unsigned)r->receiver_ms, schemes[r->scheme],
                       (unsigned)repeat);
    else
        (void)snprintf(point, sizeof(point), "receiver at %u ms, %s, simulated", (unsigned)r->receiver_ms,
                       schemes[r->scheme]);
    return weir_fig_measure(figs, &m, value, err);
}

static int run_reaction(struct weir_figs *figs, struct weir_err *err)
{
    static const uint32_t receiver_ms[REACTIONS] = { 10, 30, 50 };
    figs->made = 0, figs->planned = REACTIONS * 2 * (figs->repeats + 1);
    for (size_t i = 0; i < REACTIONS; i++) {
        for (enum weir_rpm_scheme scheme = WEIR_RPM_FORWARD; scheme <= WEIR_RPM_FLOW; scheme++) {
            const struct reaction r = { receiver_ms[i], scheme };
            struct weir_fig_mean simulated = { .half = (double)NAN };
            double value[WEIR_FIG_REPEATS_MAX];
            int code = take_reaction(figs, &r, 0, &simulated.mean, err);
            for (uint32_t k = 0; k < figs->repeats && code == 0; k++)
                code = take_reaction(figs, &r, k + 1, &value[k], err);
            if (code != 0)
                return code;
            weir_fig_add_mean(
                figs, "reaction", "ms", weir_fig_mean_of(value, figs->repeats), &simulated, WEIR_FIG_SHOWN, 0,
                "%s, receiver at %u ms (by hand %u)", schemes[scheme], (unsigned)r.receiver_ms,
                (unsigned)(scheme == WEIR_RPM_FORWARD ? 2 * r.receiver_ms + WEIR_RPM_SENDER_MS : WEIR_RPM_SENDER_MS));
        }
    }
    return 0;
}

/* --- experiments 1 and 2 --- */

struct shown {
    enum weir_rpm_value of;
    const char *unit, *text;
};
static const struct shown shown[] = {
    { WEIR_RPM_JAIN, "", "Jain's index" },
    { WEIR_RPM_GOODPUT, "Mb/s", "goodput of all flows" },
    { WEIR_RPM_DCTCP_PART, "Mb/s", ".. of it by DCTCP" },
    { WEIR_RPM_QUEUE_MEAN, "ms", "wait in the queue, mean" },
    { WEIR_RPM_QUEUE_MAX, "ms", ".., longest, from the start on" },
    { WEIR_RPM_DROPS, "", "packets dropped in the whole run" },
    { WEIR_RPM_EVENTS, "", "congestion events in the whole run" },
};

/* Returns the mean of a number over the repetitions. first: its place in the first one; stride: numbers between two */
static struct weir_fig_mean mean_over(const double *first, size_t stride, uint32_t repeats)
{
    double number[WEIR_FIG_REPEATS_MAX];
    WEIR_ASSERT(first != NULL);
    for (uint32_t k = 0; k < repeats; k++)
        number[k] = first[k * stride];
    return weir_fig_mean_of(number, repeats);
}

static void show_case(struct weir_figs *figs, const char *figure, const struct table *t, uint32_t law, uint32_t scheme)
{
    double off = 0;
    for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
        enum weir_rpm_value of = shown[i].of;
        struct weir_fig_mean simulated =
            mean_over(&t->simulated[0][law][scheme][of], sizeof(t->simulated[0]) / sizeof(double), figs->repeats);
        if (of == WEIR_RPM_DCTCP_PART && law != WEIR_RPM_BOTH)
            continue;
        weir_fig_add_mean(figs, figure, shown[i].unit,
                          mean_over(&t->real[0][law][scheme][of], sizeof(t->real[0]) / sizeof(double), figs->repeats),
                          &simulated, WEIR_FIG_SHOWN, 0, "%s, %s: %s", laws[law], schemes[scheme], shown[i].text);
    }
    for (uint32_t k = 0; k < figs->repeats; k++) {
        const double *value = t->real[k][law][scheme];
        off += fabs(value[WEIR_RPM_COUNTED] - value[WEIR_RPM_ACCOUNTED]);
    }
    if (scheme != WEIR_RPM_FORWARD)
        weir_fig_add(figs, figure, "", off, WEIR_FIG_NEAR, 0, "%s, %s: events neither marked nor outstanding",
                     laws[law], schemes[scheme]);
}

/* Adds what the machine could do: the largest number of all measurements. */
static void show_machine(struct weir_figs *figs, const char *figure, const struct table *t)
{
    static const struct shown machine[] = {
        { WEIR_RPM_LATE_MEAN, "us", "lateness of frames in the delay lines, mean" },
        { WEIR_RPM_LATE_P99, "us", ".., p99" },
        { WEIR_RPM_BUSY, "%", "processors busy" },
    };
    for (size_t i = 0; i < sizeof(machine) / sizeof(machine[0]); i++) {
        double most = 0;
        for (uint32_t k = 0; k < figs->repeats; k++)
            for (uint32_t law = 0; law < WEIR_RPM_LAWS; law++)
                for (uint32_t scheme = 0; scheme < WEIR_RPM_SCHEMES; scheme++)
                    most = fmax(most, t->real[k][law][scheme][machine[i].of]);
        weir_fig_add(figs, figure, machine[i].unit, most, WEIR_FIG_SHOWN, 0, "%s, at most", machine[i].text);
    }
}

static void show(struct weir_figs *figs, const char *figure, const struct weir_rpm_case *c, const struct table *t)
{
    static const char *const end[] = { "shortest", "longest" };
    weir_fig_add(figs, figure, "KB", (double)c->buffer_bytes / 1000, WEIR_FIG_SHOWN, 0, "buffer of each port");
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t rtt_ms = 2 * (WEIR_RPM_SENDER_MS + weir_rpm_receiver_ms(c, i * (c->pairs - 1)));
        weir_fig_add(figs, figure, "KB", (double)WEIR_RPM_BPS / 8e6 * rtt_ms, WEIR_FIG_SHOWN, 0,
                     "BDP of the %s round trip, %u ms", end[i], (unsigned)rtt_ms);
    }
    for (uint32_t law = 0; law < WEIR_RPM_LAWS; law++)
        for (uint32_t scheme = 0; scheme < WEIR_RPM_SCHEMES; scheme++)
            show_case(figs, figure, t, law, scheme);
    show_machine(figs, figure, t);
}

/* Makes all measurements. Each repetition has all laws and schemes, so that what changes on the machine meets all. */
static int take_all(struct weir_figs *figs, const char *figure, struct weir_rpm_case c, const struct table *t,
                    struct weir_err *err)
{
    int code = 0;
    for (uint32_t k = 0; k < figs->repeats; k++) {
        c.seed = k + 1;
        for (c.law = 0; c.law < WEIR_RPM_LAWS; c.law++)
            for (c.scheme = 0; c.scheme < WEIR_RPM_SCHEMES && code == 0; c.scheme++) {
                code = take(figs, figure, &c, false, t->real[k][c.law][c.scheme], err);
                if (code == 0)
                    code = take(figs, figure, &c, true, t->simulated[k][c.law][c.scheme], err);
            }
    }
    return code;
}

static int run_experiment(struct weir_figs *figs, const char *figure, uint32_t experiment, uint64_t buffer_bytes,
                          struct weir_err *err)
{
    const struct weir_rpm_case c = { .experiment = experiment,
                                     .buffer_bytes = buffer_bytes,
                                     .pairs = figs->pairs,
                                     .warm_s = figs->seconds < 12 ? 2 : figs->seconds / 6,
                                     .seconds = figs->seconds };
    struct table t = { .real = calloc(figs->repeats, sizeof(*t.real)),
                       .simulated = calloc(figs->repeats, sizeof(*t.simulated)) };
    int code = t.real != NULL && t.simulated != NULL ? 0 : weir_fail_memory(err);
    figs->made = 0, figs->planned = WEIR_RPM_LAWS * WEIR_RPM_SCHEMES * figs->repeats * 2;
    if (code == 0)
        code = take_all(figs, figure, c, &t, err);
    if (code == 0)
        show(figs, figure, &c, &t);
    free(t.real);
    free(t.simulated);
    return code;
}

static int run_exp1(struct weir_figs *figs, struct weir_err *err)
{
    return run_experiment(figs, "exp1", 1, WEIR_RPM_BUFFER_BYTES, err);
}

static int run_exp2(struct weir_figs *figs, struct weir_err *err)
{
    return run_experiment(figs, "exp2", 2, WEIR_RPM_BUFFER_BYTES, err);
}

static int run_exp1_short(struct weir_figs *figs, struct weir_err *err)
{
    return run_experiment(figs, "exp1-2ms", 1, WEIR_RPM_SHORT_BYTES, err);
}

static int run_exp2_short(struct weir_figs *figs, struct weir_err *err)
{
    return run_experiment(figs, "exp2-2ms", 2, WEIR_RPM_SHORT_BYTES, err);
}

const struct weir_fig weir_figs_rpm[] = {
    { "counts", "RPM's events, and what became of them", run_counts },
    { "reaction", "from the first congestion event to the first ECE at the sender, receivers 10, 30, 50 ms away",
      run_reaction },
    { "exp1", "ten flows with round trips of 40 ms over one port of 200 Mb/s", run_exp1 },
    { "exp2", "ten flows with round trips of 40 to 120 ms over one port of 200 Mb/s", run_exp2 },
    { "exp1-2ms", "exp1 with buffers of 2 ms instead of 2.5 MB", run_exp1_short },
    { "exp2-2ms", "exp2 with buffers of 2 ms instead of 2.5 MB", run_exp2_short },
    { NULL, NULL, NULL },
};
