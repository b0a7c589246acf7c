/* src/commands/testbed/fncc_reaction.c - figure 10 of FNCC's paper: how long until the first sender slows down after a
 * second one has joined. FNCC is to be before HPCC, since its records come with ACKs and not by the receiver.
 *
 * The second sender sends a message every 50 ms, which begins at line rate as a new flow. The switch captures what
 * comes. Nothing is asked of the hosts. The simulator's number is computed from the same times by the same function.
 *
 * The bands were set before the first run. HPCC's reaction is not before FNCC's. Both are within half a round trip of
 * the simulator's, since delays of hosts vary by a third of one. The mean over joins varies so little before them that
 * it never falls by itself.
 *
 * A sender with a window slows down without any law, too: frames of both share the port, so its ACKs come at half the
 * rate. That is the ACK clock, and it leaves half. Only the law can take more, so the time until less than 40 % are
 * left is next to it. It was added after the first run and has no band. */
#include "core/assert.h"
#include "testbed/capture.h"
#include "testbed/commands.h"
#include "testbed/fncc.h"
#include "testbed/reaction.h"
#include <stdio.h>
#include <stdlib.h>

#define EVERY "50ms"
#define MESSAGE "fixed:125KB" /* 10 ms at half the rate */
#define SLACK_RTTS 0.5

enum {
    POINT = 64,
    SETTINGS = 320,
    FULL_BYTES = 1000, /* least frame of data that fills a packet */
    FALLEN_PERCENT = 75,
    DEEP_PERCENT = 40 /* less than the ACK clock leaves */
};

enum value {
    RTT,        /* us, of a call of 1400 B on the idle network */
    JOINS,      /* that were measured */
    LEAST,      /* percent */
    AFTER_US,   /* the reaction .. */
    AFTER_RTTS, /* .. in round trips */
    SIM_RTTS,   /* simulated */
    DEEP_RTTS,  /* until DEEP_PERCENT; not of DCTCP: 0 */
    SIM_DEEP_RTTS,
    VALUES,
};
static const char *const value_names[VALUES + 1] = {
    "rtt_us", "joins", "least_percent", "after_us", "after_rtts", "simulated_rtts", "deep_rtts", "simulated_deep_rtts"
};

static const struct weir_fncc_bed bed = { .topology = "{kind: star, hosts: 3, host_link: 200 Mbps, host_delay: 1 us}",
                                          .scenario = "reaction.yaml",
                                          .hosts = 3,
                                          .first = 1,
                                          .second = 2,
                                          .to = { 0, 0 },
                                          .heads_us = 140 };
static const struct weir_fncc_law laws[] = { WEIR_FNCC_OWN("fncc", ), WEIR_FNCC_OWN("hpcc", ), WEIR_FNCC_DCTCP };
enum { LAWS = sizeof(laws) / sizeof(laws[0]), OWN = 2 /* FNCC and HPCC, the first ones, have bands */ };

static bool is_own(const struct weir_fncc_law *law)
{
    return law < laws + OWN;
}

struct part { /* of a repetition: one law */
    const struct weir_fncc_law *law;
    uint32_t repeat; /* from 0 */
    double rtt_us;   /* 0 = it is measured. That of FNCC is that of the others, too */
};

struct seen {                       /* full frames that the senders sent */
    struct weir_arrivals sender[2]; /* the first, the second */
    bool deep;                      /* the law falls below DEEP_PERCENT */
    struct weir_err *err;
};

static void forget(struct seen *seen)
{
    weir_arrivals_free(&seen->sender[0]);
    weir_arrivals_free(&seen->sender[1]);
}

static int add(struct seen *seen, uint32_t which, uint64_t at_ps)
{
    return weir_arrivals_add(&seen->sender[which], at_ps) ? 0 : weir_fail_memory(seen->err);
}

/* Computes both reactions, in round trips. @return 0, or a code with err */
static int conclude(struct seen *seen, double rtt_us, struct weir_reaction *reaction, double *rtts, double *deep_rtts,
                    struct weir_err *err)
{
    const double rtt_ps = rtt_us * (double)WEIR_PS_PER_US;
    struct weir_reaction deep = { .joins = 0 };
    int code = weir_reaction(&seen->sender[0], &seen->sender[1], (uint64_t)rtt_ps, FALLEN_PERCENT, reaction, err);
    if (code == 0 && seen->deep)
        code = weir_reaction(&seen->sender[0], &seen->sender[1], (uint64_t)rtt_ps, DEEP_PERCENT, &deep, err);
    *rtts = (double)reaction->after_ps / rtt_ps;
    *deep_rtts = (double)deep.after_ps / rtt_ps;
    return code;
}

/* ---- simulated ---- */

static int take_packets(void *ctx, const struct weir_packet_row *row, size_t count)
{
    struct seen *seen = ctx;
    int code = 0;
    for (size_t i = 0; i < count && code == 0; i++)
        if (row[i].event == WEIR_PACKET_SENT && !row[i].is_control && row[i].pkt.payload_bytes >= FULL_BYTES)
            code = add(seen, row[i].pkt.src == bed.second, row[i].at_ps);
    return code;
}

static int run_sim(struct weir_testbed_sim *sim, struct seen *seen, struct weir_err *err)
{
    const struct weir_topology *topo = &sim->setup.topo;
    struct weir_sim_options options = { .threads = 1, .packets = take_packets, .packets_ctx = seen };
    uint8_t *tap = calloc(topo->link_count, sizeof(*tap));
    int code;
    if (tap == NULL)
        return weir_fail_memory(err);
    tap[weir_topology_link_from(topo, bed.first)] = tap[weir_topology_link_from(topo, bed.second)] = WEIR_TAP_SENT;
    options.tap = tap;
    code = weir_testbed_sim_run(sim, &options, err);
    free(tap);
    return code;
}

/* Simulates the same. seed: of the times at which flows start */
static int simulate(struct weir_figs *figs, const struct weir_fncc_law *law, uint32_t seed, double *value,
                    struct weir_err *err)
{
    struct seen seen = { .deep = is_own(law), .err = err };
    struct weir_reaction reaction;
    struct weir_testbed_sim *sim;
    struct weir_testbed_scenario s;
    int code = weir_testbed_scenario_open(&s, "fncc-testbed", figs->arena, err);
    if (code != 0)
        return code;
    sim = weir_fncc_sim(&s, &bed, law, value[RTT], seed, err);
    code = sim == NULL ? (int)err->code : run_sim(sim, &seen, err);
    weir_testbed_sim_close(sim);
    weir_testbed_scenario_close(&s);
    if (code == 0)
        code = conclude(&seen, value[RTT], &reaction, &value[SIM_RTTS], &value[SIM_DEEP_RTTS], err);
    forget(&seen);
    return code;
}

/* ---- measured ---- */

static int take_frame(void *ctx, const struct weir_capture_frame *frame)
{
    bool is_sender = frame->host == bed.first || frame->host == bed.second;
    if (!frame->came || !is_sender || frame->length < FULL_BYTES)
        return 0;
    return add(ctx, frame->host == bed.second, frame->at_ps);
}

static int read_capture(const struct weir_figs *figs, const struct weir_fncc_law *law, double *value,
                        struct weir_err *err)
{
    char path[WEIR_SWEEP_DIR_MAX + 16];
    struct seen seen = { .deep = is_own(law), .err = err };
    struct weir_reaction reaction;
    int code;
    weir_testbed_file(&figs->tb, path, sizeof(path));
    code = weir_capture_read(path, take_frame, &seen, err);
    if (code == 0)
        code = conclude(&seen, value[RTT], &reaction, &value[AFTER_RTTS], &value[DEEP_RTTS], err);
    forget(&seen);
    if (code != 0)
        return code;
    value[JOINS] = reaction.joins;
    value[LEAST] = reaction.least_percent;
    value[AFTER_US] = (double)reaction.after_ps / (double)WEIR_PS_PER_US;
    return 0;
}

/* Starts the first sender and then the second, and waits for both. */
static int send_both(struct weir_figs *figs, const struct weir_fncc_law *law, double rtt_us, struct weir_err *err)
{
    struct weir_fig_args all = { { NULL }, 0 }, now_and_then = { { NULL }, 0 };
    char all_s[16], second_s[16];
    int first, second, code;
    (void)snprintf(second_s, sizeof(second_s), "%us", (unsigned)figs->seconds);
    (void)snprintf(all_s, sizeof(all_s), "%us", (unsigned)(WEIR_FNCC_WARM_S + figs->seconds + WEIR_FNCC_TAIL_S));
    weir_fig_args_add(&all, "--sizes", "fixed:20MB", "--outstanding", "2", "--duration", all_s, (const char *)NULL);
    weir_fig_args_add(&now_and_then, "--sizes", MESSAGE, "--incast", EVERY, "--duration", second_s, (const char *)NULL);
    first = weir_fncc_send(figs, &bed, law, rtt_us, 0, &all, err);
    code = first < 0 ? (int)err->code : weir_testbed_rest(&figs->tb, 1000 * WEIR_FNCC_WARM_S, err);
    if (code != 0)
        return code;
    second = weir_fncc_send(figs, &bed, law, rtt_us, 1, &now_and_then, err);
    code = second < 0 ? (int)err->code : weir_fncc_sent(figs, law, second, err);
    return code == 0 ? weir_fncc_sent(figs, law, first, err) : code;
}

static int measure(struct weir_figs *figs, const struct part *part, double *value, struct weir_err *err)
{
    const char *const stop[] = { "switch", "stop", NULL };
    const struct weir_fncc_law *law = part->law;
    int server[2], code = 0;
    value[RTT] = part->rtt_us;
    if (part->rtt_us == 0)
        code = weir_fncc_rtt(figs, &bed, law, &value[RTT], err);
    if (code == 0)
        code = weir_fncc_serve(figs, &bed, law, value[RTT], server, err);
    if (code == 0)
        code = send_both(figs, law, value[RTT], err);
    if (code == 0)
        code = weir_fncc_end(figs, server, err);
    if (code == 0 && weir_fig_output(figs, WEIR_TESTBED_SWITCH, stop, err) == NULL)
        code = (int)err->code;
    return code == 0 ? read_capture(figs, law, value, err) : code;
}

static int run_case(struct weir_figs *figs, const void *ctx, double *value, struct weir_err *err)
{
    const struct part *part = ctx;
    int code = weir_fncc_up(figs, &bed, part->law, true, err);
    if (code == 0)
        code = measure(figs, part, value, err);
    weir_testbed_down(&figs->tb);
    return code == 0 ? simulate(figs, part->law, part->repeat + 1, value, err) : code;
}

/* ---- the figure ---- */

static int take(struct weir_figs *figs, const struct part *part, double *number, struct weir_err *err)
{
    char point[POINT], settings[SETTINGS];
    const struct weir_fig_measurement m = { .key = { "reaction", point, settings, value_names },
                                            .run = run_case,
                                            .ctx = part };
    const struct weir_fncc_law *law = part->law;
    (void)snprintf(point, sizeof(point), "%s, %u", law->name, (unsigned)part->repeat + 1);
    (void)snprintf(settings, sizeof(settings), "%u s, %s, switch {%s}, " MESSAGE " every " EVERY,
                   (unsigned)figs->seconds, law->cc, law->fabric);
    return weir_fig_measure(figs, &m, number, err);
}

typedef double numbers[WEIR_FIG_REPEATS_MAX][VALUES];

static void show(struct weir_figs *figs, const struct weir_fncc_law *law, numbers number, enum value value,
                 const char *unit, const char *text)
{
    double column[WEIR_FIG_REPEATS_MAX];
    for (uint32_t k = 0; k < figs->repeats; k++)
        column[k] = number[k][value];
    weir_fig_add_median(figs, "reaction", unit, column, WEIR_FIG_SHOWN, 0, "%s: %s", law->name, text);
}

/* Adds by how much the reaction is later than the simulator's, with its band if the law has one. */
static void show_difference(struct weir_figs *figs, const struct weir_fncc_law *law, numbers number)
{
    double column[WEIR_FIG_REPEATS_MAX];
    for (uint32_t k = 0; k < figs->repeats; k++)
        column[k] = number[k][AFTER_RTTS] - number[k][SIM_RTTS];
    weir_fig_add_median(figs, "reaction", "rtt", column, is_own(law) ? WEIR_FIG_NEAR : WEIR_FIG_SHOWN, 0,
                        "%s: later than simulated", law->name);
    weir_fig_slack(figs, SLACK_RTTS);
}

static void show_law(struct weir_figs *figs, const struct weir_fncc_law *law, numbers number)
{
    double column[WEIR_FIG_REPEATS_MAX];
    show(figs, law, number, RTT, "us", "round trip of a full packet, idle");
    show(figs, law, number, JOINS, "", "joins");
    for (uint32_t k = 0; k < figs->repeats; k++)
        column[k] = number[k][LEAST];
    weir_fig_add_median(figs, "reaction", "%", column, is_own(law) ? WEIR_FIG_AT_LEAST : WEIR_FIG_SHOWN, FALLEN_PERCENT,
                        "%s: least rate before joins", law->name);
    show(figs, law, number, AFTER_US, "us", "slows down after, in us");
    show(figs, law, number, AFTER_RTTS, "rtt", "slows down after");
    show(figs, law, number, SIM_RTTS, "rtt", "slows down after, simulated");
    show_difference(figs, law, number);
    if (!is_own(law))
        return;
    show(figs, law, number, DEEP_RTTS, "rtt", "until less than 40 % are left");
    show(figs, law, number, SIM_DEEP_RTTS, "rtt", "until less than 40 % are left, simulated");
}

/* Adds how much later HPCC's reaction is than FNCC's, of one repetition each. */
static void show_order(struct weir_figs *figs, numbers hpcc, numbers fncc, enum value value, enum weir_fig_band band,
                       const char *text)
{
    double column[WEIR_FIG_REPEATS_MAX];
    for (uint32_t k = 0; k < figs->repeats; k++)
        column[k] = hpcc[k][value] - fncc[k][value];
    weir_fig_add_median(figs, "reaction", "rtt", column, band, 0, "hpcc: later than fncc%s", text);
}

int weir_fncc_reaction(struct weir_figs *figs, struct weir_err *err)
{
    numbers *number = calloc(LAWS, sizeof(*number));
    int code = 0;
    if (number == NULL)
        return weir_fail_memory(err);
    WEIR_ASSERT(figs->repeats >= 1 && figs->repeats <= WEIR_FIG_REPEATS_MAX);
    figs->made = 0, figs->planned = LAWS * figs->repeats;
    for (uint32_t k = 0; k < figs->repeats && code == 0; k++)
        for (size_t i = 0; i < LAWS && code == 0; i++) {
            const struct part part = { &laws[i], k, i > 0 ? number[0][k][RTT] : 0 };
            code = take(figs, &part, number[i][k], err);
        }
    for (size_t i = 0; i < LAWS && code == 0; i++)
        show_law(figs, &laws[i], number[i]);
    if (code == 0) {
        show_order(figs, number[1], number[0], AFTER_RTTS, WEIR_FIG_AT_LEAST, "");
        show_order(figs, number[1], number[0], SIM_RTTS, WEIR_FIG_SHOWN, ", simulated");
        show_order(figs, number[1], number[0], DEEP_RTTS, WEIR_FIG_SHOWN, ", until 40 %");
        show_order(figs, number[1], number[0], SIM_DEEP_RTTS, WEIR_FIG_SHOWN, ", until 40 %, simulated");
    }
    free(number);
    return code;
}
