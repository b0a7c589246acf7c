/* src/commands/testbed/soze_step.c - figures 12 and 13 of Soze's paper: a flow to one receiver, then two, three, two
 * and one. The paper says, without numbers, that Soze fills the link better than TIMELY with one flow, settles sooner
 * and has shorter round trips. */
#include "reproduce/stats.h"
#include "testbed/soze.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STEP_S = 3, FLOWS = 3 };

#define PORT_MBPS ((double)WEIR_SOZE_TESTBED_BPS / 1e6 * 1440 / 1514)
#define LEFT_OUT_S 1.0 /* at the beginning of each part */
#define LAW "soze beta=16.667Mbps"

/* eRPC's TIMELY, which the paper compared with, at 25 Gb/s. Its times and rates are in the proportion of the ports'
 * here, but t_high, which can be 10 ms at most, and min_rtt, which is the idle testbed's. */
#define TIMELY                                                                                                         \
    "timely variant=erpc min_rtt=100us t_low=6.25ms t_high=10ms a=0.46 b=0.26 delta=320Kbps min_rate=1Mbps "           \
    "restart=false"

struct seen {              /* of one run */
    double use, use_again; /* of the port with one flow, percent: in the first part and in the last */
    double worst;          /* deviation from an equal share with two flows and with three, percent, as flows join */
    double settle_s;      /* the longest time from a join until the new flow has had its share within 20 % for 200 ms */
    double rtt_ms[FLOWS]; /* by number of flows; median of the bins */
};

/* Returns how long after it joins a flow has had its share within 20 % for 200 ms; STEP_S = never in this part. */
static double settle_s(const struct weir_trace *t, uint32_t flow)
{
    const double share = PORT_MBPS / (flow + 1), bin_s = WEIR_TRACE_BIN_MS / 1000.0;
    uint32_t held = 0;
    for (uint32_t i = 0; (i + 1) * bin_s <= STEP_S; i++) {
        double from_s = flow * STEP_S + i * bin_s,
               mbps = weir_trace_mbps(t, flow, from_s + 1e-6, from_s + bin_s + 1e-6);
        held = fabs(mbps / share - 1) <= 0.2 ? held + 1 : 0;
        if (held == 4)
            return (i - 3) * bin_s;
    }
    return STEP_S;
}

static double median_rtt_ms(const struct weir_trace *t, uint32_t part)
{
    double value[STEP_S * 1000 / WEIR_TRACE_BIN_MS];
    uint32_t count = 0, first = (uint32_t)((part * STEP_S + LEFT_OUT_S) * 1000 / WEIR_TRACE_BIN_MS),
             end = (part + 1) * STEP_S * 1000 / WEIR_TRACE_BIN_MS;
    for (uint32_t i = first; i < end && i < t->bins; i++)
        if (!isnan(t->rtt_ms[i]))
            value[count++] = t->rtt_ms[i];
    return count > 0 ? weir_median(value, count) : (double)NAN;
}

/* Reads the numbers of a run. Sizes are those of equal shares, so only under a law that shares equally do flows end
 * when a part ends. */
static void read_trace(const struct weir_trace *t, struct seen *seen)
{
    *seen = (struct seen){ .use = 0 };
    for (uint32_t part = 0; part < FLOWS; part++) {
        seen->rtt_ms[part] = median_rtt_ms(t, part);
        seen->settle_s = fmax(seen->settle_s, part > 0 ? settle_s(t, part) : 0);
        for (uint32_t f = 0; f <= part; f++) {
            double mbps = weir_trace_mbps(t, f, part * STEP_S + LEFT_OUT_S, (part + 1) * STEP_S);
            if (part == 0)
                seen->use = 100 * mbps / PORT_MBPS;
            else
                seen->worst = fmax(seen->worst, 100 * fabs(mbps / PORT_MBPS * (part + 1) - 1));
        }
    }
    seen->use_again = 100 * weir_trace_mbps(t, 0, 4 * STEP_S + LEFT_OUT_S, 5 * STEP_S - 0.5) / PORT_MBPS;
}

/* Adds the numbers of a law. timely: for Soze, those that the paper compares it with; else NULL */
static void add(struct weir_figs *figs, const char *cc, const struct seen *s, const struct seen *timely)
{
    static const double longest_ms = 65 * 1514 * 8 / 200e3 + 0.3; /* k + p, and what the idle path and software take */
    bool ours = timely != NULL;
    weir_fig_add(figs, "steps", "%", s->use, ours ? WEIR_FIG_AT_LEAST : WEIR_FIG_SHOWN,
                 fmin(timely != NULL ? timely->use : 0, 97), "%s: use of the port, one flow%s", cc,
                 ours ? "; TIMELY's, or 97" : "");
    weir_fig_add(figs, "steps", "%", s->worst, ours ? WEIR_FIG_AT_MOST : WEIR_FIG_SHOWN, 10,
                 "%s: worst deviation from equal shares", cc);
    weir_fig_add(figs, "steps", "s", s->settle_s, ours ? WEIR_FIG_AT_MOST : WEIR_FIG_SHOWN, ours ? timely->settle_s : 0,
                 "%s: until a new flow has its share%s", cc, ours ? "; TIMELY's" : "");
    for (uint32_t n = 0; n < FLOWS; n++)
        weir_fig_add(figs, "steps", "ms", s->rtt_ms[n], ours ? WEIR_FIG_AT_MOST : WEIR_FIG_SHOWN, longest_ms,
                     "%s: round trip, %u flow%s, median", cc, (unsigned)n + 1, n == 0 ? "" : "s");
    if (ours)
        weir_fig_add(figs, "steps", "ms", s->rtt_ms[2], WEIR_FIG_AT_MOST, timely->rtt_ms[2],
                     "%s: round trip, 3 flows; TIMELY's", cc);
}

static void add_simulated(struct weir_figs *figs, const struct seen *real, const struct seen *simulated)
{
    weir_fig_add(figs, "steps", "%", real->use, WEIR_FIG_NEAR, simulated->use, "weir_soze: use, one flow, simulated");
    weir_fig_slack(figs, 0.1 * simulated->use);
    weir_fig_add(figs, "steps", "%", real->use_again, WEIR_FIG_NEAR, simulated->use_again,
                 "weir_soze: use, one flow again, simulated");
    weir_fig_slack(figs, 0.1 * simulated->use_again);
    weir_fig_add(figs, "steps", "%", simulated->worst, WEIR_FIG_SHOWN, 0, "simulated: worst deviation");
    weir_fig_add(figs, "steps", "s", simulated->settle_s, WEIR_FIG_SHOWN, 0,
                 "simulated: until a new flow has its share");
}

static int run_steps_in(struct weir_soze_room *room, struct weir_figs *figs, struct weir_err *err)
{
    static const char *const others[] = { "weir_timely", "cubic", "bbr", NULL };
    struct seen simulated, other, timely = { 0 }, real[WEIR_SOZE_RUNS], median;
    int code = weir_soze_open(room, figs, "step", false, LAW, err);
    if (code == 0)
        code = weir_job_plan_simulate(&room->plan, &room->trace, err);
    read_trace(&room->trace, &simulated);
    for (size_t i = 0; others[i] != NULL && code == 0; i++) {
        code = weir_soze_run(room, figs, TIMELY, others[i], UINT32_MAX, err);
        read_trace(&room->trace, &other);
        timely = i == 0 ? other : timely;
        if (code == 0)
            add(figs, others[i], &other, NULL);
    }
    for (size_t i = 0; i < WEIR_SOZE_RUNS && code == 0; i++) {
        code = weir_soze_run(room, figs, LAW, "weir_soze", UINT32_MAX, err);
        read_trace(&room->trace, &real[i]);
    }
    if (code != 0)
        return code;
    for (size_t k = 0; k < sizeof(median) / sizeof(double); k++) { /* each number's own median */
        double value[WEIR_SOZE_RUNS];
        for (size_t i = 0; i < WEIR_SOZE_RUNS; i++)
            memcpy(&value[i], (const char *)&real[i] + k * sizeof(double), sizeof(double));
        value[0] = weir_median(value, WEIR_SOZE_RUNS);
        memcpy((char *)&median + k * sizeof(double), &value[0], sizeof(double));
    }
    add(figs, "weir_soze", &median, &timely);
    add_simulated(figs, &median, &simulated);
    return 0;
}

int weir_soze_run_steps(struct weir_figs *figs, struct weir_err *err)
{
    struct weir_soze_room *room = weir_soze_room_new(WEIR_SOZE_TESTBED_BPS, err);
    int code = room != NULL ? run_steps_in(room, figs, err) : (int)err->code;
    weir_soze_room_free(room);
    return code;
}
