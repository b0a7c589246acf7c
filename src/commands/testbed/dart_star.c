/* src/commands/testbed/dart_star.c - senders to one receiver, one after the other: their rates, and how long the one
 * that joins is not counted. The paper's figures 8 and 9 have two senders. */
#include "core/assert.h"
#include "testbed/dart.h"
#include "testbed/sniff.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SETTLE_S = 1, TAIL_S = 2, RECEIVER = 1, FIRST = 2, STEPS = 3, NAME = 64 };
static const uint32_t senders_of[STEPS] = { 1, 2, 4 };

enum star_value {
    STAR_RTT,   /* us, of a full packet on the idle network */
    STAR_LEAST, /* of a sender, percent of line / n; STEPS of them */
    STAR_MOST = STAR_LEAST + STEPS,
    STAR_FIRST_2 = STAR_MOST + STEPS, /* us, from the second's first packet until the first one hears of it */
    STAR_OWN_2,                       /* .. until the second itself does */
    STAR_FIRST_4,                     /* the same of the fourth */
    STAR_OWN_4,
    STAR_SIM_FIRST_2, /* simulated */
    STAR_SIM_OWN_2,
    STAR_SIM_FIRST_4,
    STAR_SIM_OWN_4,
    STAR_VALUES,
};
static const char *const value_names[STAR_VALUES + 1] = { "rtt_us",
                                                          "least_1_percent",
                                                          "least_2_percent",
                                                          "least_4_percent",
                                                          "most_1_percent",
                                                          "most_2_percent",
                                                          "most_4_percent",
                                                          "first_2_us",
                                                          "own_2_us",
                                                          "first_4_us",
                                                          "own_4_us",
                                                          "simulated_first_2_us",
                                                          "simulated_own_2_us",
                                                          "simulated_first_4_us",
                                                          "simulated_own_4_us" };

struct star {
    const struct weir_dart_law *law;
    char rtt[24];
    uint32_t seconds; /* that the senders go on */
    int job[WEIR_DART_SENDERS];
};

/* Starts a sender, from 0. */
static int start_sender(struct weir_figs *figs, struct star *s, uint32_t sender, struct weir_err *err)
{
    s->job[sender] = weir_dart_long(figs, s->law, s->rtt, FIRST + sender, RECEIVER, 0, s->seconds, err);
    return s->job[sender] < 0 ? (int)err->code : 0;
}

/* Takes the time of the first frame of a packet socket, and closes it. */
static uint64_t close_sniff(int fd)
{
    uint64_t at_ns = fd < 0 ? 0 : weir_sniff_first_ns(fd);
    if (fd >= 0)
        (void)close(fd);
    return at_ns;
}

/* Starts the nth sender, and measures when the first one and it hear that they are n. */
static int join(struct weir_figs *figs, struct star *s, uint32_t n, double *first_us, double *own_us,
                struct weir_err *err)
{
    const struct weir_sniff *count = &weir_sniff_counts[n - 1];
    uint32_t own = FIRST + n - 1;
    int fd[3] = { -1, -1, -1 }, code = 0;
    uint64_t at_ns[3];
    fd[0] = weir_sniff_open(&figs->tb, own, &weir_sniff_own_stream, err);
    if (fd[0] >= 0)
        fd[1] = weir_sniff_open(&figs->tb, FIRST, count, err);
    if (fd[1] >= 0)
        fd[2] = weir_sniff_open(&figs->tb, own, count, err);
    code = fd[2] < 0 ? (int)err->code : start_sender(figs, s, n - 1, err);
    if (code == 0)
        code = weir_testbed_rest(&figs->tb, 1000 * SETTLE_S, err);
    for (int i = 0; i < 3; i++)
        at_ns[i] = close_sniff(fd[i]);
    if (code == 0 && (at_ns[0] == 0 || at_ns[1] < at_ns[0] || at_ns[2] < at_ns[0]))
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "no ACK said that there were %u senders", (unsigned)n);
    *first_us = ((double)at_ns[1] - (double)at_ns[0]) / 1e3;
    *own_us = ((double)at_ns[2] - (double)at_ns[0]) / 1e3;
    return code;
}

/* Measures the rates of as many senders as step says. */
static int measure_rates(struct weir_figs *figs, uint32_t step, double *value, struct weir_err *err)
{
    uint32_t n = senders_of[step];
    const char *from = weir_dart_status(figs, err), *to = NULL;
    double mbps = 0, least = 1e9, most = 0;
    int code = from == NULL ? (int)err->code : weir_testbed_rest(&figs->tb, 1000 * figs->seconds, err);
    if (code == 0 && (to = weir_dart_status(figs, err)) == NULL)
        code = (int)err->code;
    for (uint32_t i = 0; i < n && code == 0; i++) {
        code = weir_dart_rate(from, to, FIRST + i, &mbps, err);
        least = mbps < least ? mbps : least;
        most = mbps > most ? mbps : most;
    }
    value[STAR_LEAST + step] = 100 * least * n / (WEIR_DART_BPS / 1e6);
    value[STAR_MOST + step] = 100 * most * n / (WEIR_DART_BPS / 1e6);
    return code;
}

/* Measures with one sender, then with two, then with four. */
static int measure_steps(struct weir_figs *figs, struct star *s, double *value, struct weir_err *err)
{
    double unused;
    int code = start_sender(figs, s, 0, err);
    if (code == 0)
        code = weir_testbed_rest(&figs->tb, 1000 * SETTLE_S, err);
    if (code == 0)
        code = measure_rates(figs, 0, value, err);
    if (code == 0)
        code = join(figs, s, 2, &value[STAR_FIRST_2], &value[STAR_OWN_2], err);
    if (code == 0)
        code = measure_rates(figs, 1, value, err);
    if (code == 0)
        code = join(figs, s, 3, &unused, &unused, err);
    if (code == 0)
        code = join(figs, s, 4, &value[STAR_FIRST_4], &value[STAR_OWN_4], err);
    if (code == 0)
        code = measure_rates(figs, 2, value, err);
    for (uint32_t i = 0; i < WEIR_DART_SENDERS && code == 0; i++)
        code = weir_dart_end(figs, s->job[i], NULL, NULL, err);
    return code;
}

static int measure(struct weir_figs *figs, double *value, struct weir_err *err)
{
    struct star s = { .law = &weir_dart_laws[WEIR_DART_DART],
                      .seconds = STEPS * figs->seconds + (WEIR_DART_SENDERS + 1) * SETTLE_S + TAIL_S };
    int server, code = weir_dart_rtt(figs, s.law, &value[STAR_RTT], err);
    if (code != 0)
        return code;
    (void)snprintf(s.rtt, sizeof(s.rtt), "%.0fus", value[STAR_RTT]);
    server = weir_fig_serve_weir(figs, RECEIVER, s.law->cc, s.rtt, err);
    if (server < 0)
        return (int)err->code;
    code = measure_steps(figs, &s, value, err);
    return code == 0 ? weir_fig_end(figs, server, err) : code;
}

static int run_case(struct weir_figs *figs, uint32_t index, double *value, struct weir_err *err)
{
    const char *const options[] = { "--hosts",  "5",    "--rate",   WEIR_DART_RATE,
                                    "--limit",  "1mb",  "--fabric", WEIR_DART_MARKS,
                                    "--engine", "user", NULL };
    struct weir_dart_joins joins;
    int code = weir_testbed_up(&figs->tb, figs->arena, options, err);
    (void)index;
    if (code == 0)
        code = measure(figs, value, err);
    weir_testbed_down(&figs->tb);
    if (code == 0)
        code = weir_dart_simulate_star(figs, value[STAR_RTT], &joins, err);
    if (code != 0)
        return code;
    value[STAR_SIM_FIRST_2] = joins.first[1], value[STAR_SIM_OWN_2] = joins.own[1];
    value[STAR_SIM_FIRST_4] = joins.first[3], value[STAR_SIM_OWN_4] = joins.own[3];
    return 0;
}

static void describe(const struct weir_figs *figs, uint32_t index, char *point, char *settings, size_t size)
{
    (void)index;
    (void)snprintf(point, NAME, "dart");
    (void)snprintf(settings, size, "%u s, %s, switch {%s}", (unsigned)figs->seconds, WEIR_DART_CC, WEIR_DART_MARKS);
}

static const struct weir_dart_plan plan = {
    .figure = "star", .name = value_names, .count = 1, .values = STAR_VALUES, .describe = describe, .run = run_case
};

/* Adds least and largest rate at each number of senders. The band: line / n within 5 %; a frame has 24 bytes less than
 * it takes of the line. */
static void show_rates(struct weir_figs *figs, const double *number)
{
    double column[WEIR_FIG_REPEATS_MAX];
    for (uint32_t most = 0; most < 2; most++)
        for (uint32_t i = 0; i < STEPS; i++) {
            weir_dart_column(figs, &plan, number, 0, (most ? STAR_MOST : STAR_LEAST) + i, column);
            weir_fig_add_median(figs, "star", "%", column, WEIR_FIG_NEAR, 100,
                                "n = %u: %s rate of a sender, of line / n", (unsigned)senders_of[i],
                                most ? "largest" : "least");
            weir_fig_slack(figs, 5);
        }
}

/* Adds a time in round trips of the same repetition. */
static void show_trips(struct weir_figs *figs, const double *number, enum star_value value, enum weir_fig_band band,
                       const char *text)
{
    double column[WEIR_FIG_REPEATS_MAX], rtt[WEIR_FIG_REPEATS_MAX];
    weir_dart_column(figs, &plan, number, 0, value, column);
    weir_dart_column(figs, &plan, number, 0, STAR_RTT, rtt);
    for (uint32_t k = 0; k < figs->repeats; k++)
        column[k] /= rtt[k];
    weir_fig_add_median(figs, "star", "trips", column, band, 2, "%s", text);
}

/* Adds all numbers of the figure. The band of a second sender: two round trips, one to hear of it and one for the queue
 * that it has made. */
int weir_dart_star(struct weir_figs *figs, struct weir_err *err)
{
    double *number = calloc((size_t)WEIR_FIG_REPEATS_MAX * STAR_VALUES, sizeof(*number));
    int code = number == NULL ? weir_fail_memory(err) : weir_dart_take(figs, &plan, number, err);
    if (code == 0) {
        weir_dart_show(figs, &plan, number, 0, STAR_RTT, "us", "round trip of a full packet, idle");
        show_rates(figs, number);
        show_trips(figs, number, STAR_FIRST_2, WEIR_FIG_AT_MOST, "the second joins: the first hears n = 2 after");
        show_trips(figs, number, STAR_SIM_FIRST_2, WEIR_FIG_SHOWN, "the same, simulated");
        show_trips(figs, number, STAR_OWN_2, WEIR_FIG_AT_MOST, "the second itself hears it after");
        show_trips(figs, number, STAR_SIM_OWN_2, WEIR_FIG_SHOWN, "the same, simulated");
        show_trips(figs, number, STAR_FIRST_4, WEIR_FIG_SHOWN, "the fourth joins: the first hears n = 4 after");
        show_trips(figs, number, STAR_SIM_FIRST_4, WEIR_FIG_SHOWN, "the same, simulated");
        show_trips(figs, number, STAR_OWN_4, WEIR_FIG_SHOWN, "the fourth itself hears it after");
        show_trips(figs, number, STAR_SIM_OWN_4, WEIR_FIG_SHOWN, "the same, simulated");
    }
    free(number);
    return code;
}
