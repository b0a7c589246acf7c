/* src/commands/testbed/dart_incast.c - groups of hosts that answer one at the same time, while another one sends to it
 * all the time: figure 10 of Dart's paper. A message is three bandwidth-delay products, as there: 256 KB at 56 Gb/s are
 * 25 KB here. DCQCN stands in for the congestion control of InfiniBand. */
#include "core/assert.h"
#include "testbed/dart.h"
#include <stdio.h>
#include <stdlib.h>

enum { WARM_S = 1, TAIL_S = 1, RECEIVER = 1, BACKGROUND = 2, FIRST = 3, DEGREES = 3, NAME = 64 };
#define SIZE "fixed:25KB"
#define PERIOD "100ms" /* the paper's */
/* A sender of the paper has 43 of 56 Gb/s: 64 KB in so long are as much here, 154 Mb/s of payload. */
#define BACKGROUND_SIZE "fixed:64KB"
#define BACKGROUND_PERIOD "3334us"
static const uint32_t senders_of[DEGREES] = { 2, 4, 8 };

enum incast_value {
    INCAST_RTT,
    INCAST_P50, /* ms; means over the senders */
    INCAST_P99,
    INCAST_BACKGROUND, /* Mb/s of frames */
    INCAST_SIM_P50,
    INCAST_SIM_P99,
    INCAST_SIM_BACKGROUND,
    INCAST_VALUES,
};
static const char *const value_names[INCAST_VALUES + 1] = {
    "rtt_us", "p50_ms", "p99_ms", "background_mbps", "simulated_p50_ms", "simulated_p99_ms", "simulated_background_mbps"
};

static const struct weir_dart_law *law_of(uint32_t index)
{
    return &weir_dart_laws[index % WEIR_DART_LAWS];
}

static uint32_t degree_of(uint32_t index)
{
    WEIR_ASSERT(index / WEIR_DART_LAWS < DEGREES);
    return senders_of[index / WEIR_DART_LAWS];
}

/* Sends bursts, and reads the background's rate while they go on. */
static int measure_bursts(struct weir_figs *figs, uint32_t index, const char *rtt, double *value, struct weir_err *err)
{
    uint32_t senders = degree_of(index);
    const char *from = weir_dart_status(figs, err), *to = NULL;
    int job[8] = { 0 }, code = from == NULL ? (int)err->code : 0;
    WEIR_ASSERT(senders <= sizeof(job) / sizeof(job[0]));
    for (uint32_t i = 0; i < senders && code == 0; i++) {
        const struct weir_dart_short s = {
            .host = FIRST + i, .to = RECEIVER, .seconds = figs->seconds, .size = SIZE, .each = PERIOD
        };
        job[i] = weir_dart_start_short(figs, law_of(index), rtt, &s, err);
        code = job[i] < 0 ? (int)err->code : 0;
    }
    if (code == 0)
        code = weir_testbed_rest(&figs->tb, 1000 * figs->seconds, err);
    if (code == 0 && (to = weir_dart_status(figs, err)) == NULL)
        code = (int)err->code;
    if (code == 0)
        code = weir_dart_rate(from, to, BACKGROUND, &value[INCAST_BACKGROUND], err);
    for (uint32_t i = 0; i < senders && code == 0; i++) {
        double p50_ms = 0, p99_ms = 0;
        code = weir_dart_end(figs, job[i], &p50_ms, &p99_ms, err);
        value[INCAST_P50] += p50_ms / senders;
        value[INCAST_P99] += p99_ms / senders;
    }
    return code;
}

static int measure(struct weir_figs *figs, uint32_t index, double *value, struct weir_err *err)
{
    const struct weir_dart_law *law = law_of(index);
    char rtt[24];
    const struct weir_dart_short back = { .host = BACKGROUND,
                                          .to = RECEIVER,
                                          .seconds = WARM_S + figs->seconds + TAIL_S,
                                          .size = BACKGROUND_SIZE,
                                          .each = BACKGROUND_PERIOD };
    int server, background, code = weir_dart_rtt(figs, law, &value[INCAST_RTT], err);
    if (code != 0)
        return code;
    (void)snprintf(rtt, sizeof(rtt), "%.0fus", value[INCAST_RTT]);
    server = weir_fig_serve_weir(figs, RECEIVER, law->cc, rtt, err);
    background = server < 0 ? -1 : weir_dart_start_short(figs, law, rtt, &back, err);
    if (background < 0)
        return (int)err->code;
    code = weir_testbed_rest(&figs->tb, 1000 * WARM_S, err);
    if (code == 0)
        code = measure_bursts(figs, index, rtt, value, err);
    if (code == 0)
        code = weir_dart_end(figs, background, NULL, NULL, err);
    return code == 0 ? weir_fig_end(figs, server, err) : code;
}

static int run_case(struct weir_figs *figs, uint32_t index, double *value, struct weir_err *err)
{
    const char *const options[] = { "--hosts",  "10",   "--rate",   WEIR_DART_RATE,
                                    "--limit",  "1mb",  "--fabric", law_of(index)->fabric,
                                    "--engine", "user", NULL };
    struct weir_dart_bulk bulk;
    int code = weir_testbed_up(&figs->tb, figs->arena, options, err);
    value[INCAST_P50] = value[INCAST_P99] = 0;
    if (code == 0)
        code = measure(figs, index, value, err);
    weir_testbed_down(&figs->tb);
    if (code == 0)
        code = weir_dart_simulate_incast(figs, law_of(index), value[INCAST_RTT], degree_of(index), &bulk, err);
    if (code != 0)
        return code;
    value[INCAST_SIM_P50] = bulk.p50_ms;
    value[INCAST_SIM_P99] = bulk.p99_ms;
    value[INCAST_SIM_BACKGROUND] = bulk.long_mbps;
    return 0;
}

static void describe(const struct weir_figs *figs, uint32_t index, char *point, char *settings, size_t size)
{
    const struct weir_dart_law *law = law_of(index);
    (void)snprintf(point, NAME, "%u senders, %s", (unsigned)degree_of(index), law->name);
    (void)snprintf(settings, size, "%u s, %s, switch {%s}, " SIZE " each " PERIOD, (unsigned)figs->seconds, law->cc,
                   law->fabric);
}

static const struct weir_dart_plan plan = { .figure = "incast",
                                            .name = value_names,
                                            .count = DEGREES * WEIR_DART_LAWS,
                                            .values = INCAST_VALUES,
                                            .describe = describe,
                                            .run = run_case };

static void show_case(struct weir_figs *figs, const double *number, uint32_t index)
{
    static const struct weir_dart_row rows[] = {
        { INCAST_P50, "ms", "median FCT" },          { INCAST_SIM_P50, "ms", "the same, simulated" },
        { INCAST_P99, "ms", "99th percentile" },     { INCAST_SIM_P99, "ms", "the same, simulated" },
        { INCAST_BACKGROUND, "Mb/s", "background" }, { INCAST_SIM_BACKGROUND, "Mb/s", "the same, simulated" }
    };
    char name[NAME];
    (void)snprintf(name, sizeof(name), "%u senders, %s", (unsigned)degree_of(index), law_of(index)->name);
    weir_dart_show_rows(figs, &plan, number, index, name, rows, sizeof(rows) / sizeof(rows[0]));
}

/* Adds DCQCN's time over Dart's, of one repetition each. The band is of eight senders: Dart's time is the shorter one;
 * the paper has 2.5 to 3.3 times. What two or four send at once fits the queue, and slows nobody. */
static void show_gain(struct weir_figs *figs, const double *number, uint32_t degree, enum incast_value value,
                      const char *text)
{
    double dart[WEIR_FIG_REPEATS_MAX], dcqcn[WEIR_FIG_REPEATS_MAX];
    uint32_t index = degree * WEIR_DART_LAWS;
    weir_dart_column(figs, &plan, number, index + WEIR_DART_DART, value, dart);
    weir_dart_column(figs, &plan, number, index + WEIR_DART_DCQCN, value, dcqcn);
    for (uint32_t k = 0; k < figs->repeats; k++)
        dcqcn[k] /= dart[k];
    weir_fig_add_median(figs, "incast", "times", dcqcn, degree == DEGREES - 1 ? WEIR_FIG_AT_LEAST : WEIR_FIG_SHOWN, 1,
                        "%u senders: dcqcn's %s over dart's", (unsigned)senders_of[degree], text);
}

int weir_dart_incast(struct weir_figs *figs, struct weir_err *err)
{
    double *number = calloc((size_t)plan.count * WEIR_FIG_REPEATS_MAX * INCAST_VALUES, sizeof(*number));
    int code = number == NULL ? weir_fail_memory(err) : weir_dart_take(figs, &plan, number, err);
    for (uint32_t i = 0; i < plan.count && code == 0; i++)
        show_case(figs, number, i);
    for (uint32_t d = 0; d < DEGREES && code == 0; d++) {
        show_gain(figs, number, d, INCAST_P50, "median");
        show_gain(figs, number, d, INCAST_P99, "99th percentile");
    }
    free(number);
    return code;
}
