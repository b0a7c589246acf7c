/* src/commands/testbed/fncc.c - the queue when a second sender joins, as figure 10 of FNCC's paper has it at 500 times
 * the rate. FNCC, HPCC and DCTCP run between endpoints of libweir, over a switch of real frames at 200 Mb/s. The
 * simulator's queue is next to it, at the same rate and round trip. Each number is the median of several. */
#include "core/assert.h"
#include "testbed/commands.h"
#include "testbed/figs.h"
#include "testbed/sim.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    WARM_S = 1,
    SETTLE_S = 1, /* after the second sender has joined */
    TAIL_S = 1,
    POINT = 64,
    SETTINGS = 200,
    TEXT = 96,
    RECEIVER = 1,
    FIRST,
    SECOND,
    HEADS_US = 140, /* of a round trip: frames of 1538 B and ACKs of about 200 B, at two links each */
};
#define RATE_BPS 200e6
#define FIRST_RTT "500us" /* for the calls by which the round trip is measured */

static const char server_at[] = "10.77.0.1" WEIR_FIG_PORT;

struct fncc_case {
    const char *law, *fabric;
    const char *marks; /* the simulator's key for what `fabric` has besides the buffer; NULL = nothing */
};

enum fncc_value {
    FNCC_RTT,        /* us, of a call of 1400 B on the idle network */
    FNCC_USE_ALONE,  /* of the port to the receiver, percent */
    FNCC_PEAK_ALONE, /* KB, of its queue */
    FNCC_USE,        /* the same with two senders .. */
    FNCC_PEAK,
    FNCC_MEAN,     /* .. and the mean queue, once they have settled */
    FNCC_SHARE,    /* of the second sender, percent */
    FNCC_SIM_PEAK, /* simulated: KB */
    FNCC_SIM_MEAN,
    FNCC_VALUES,
};
static const char *const value_names[FNCC_VALUES + 1] = { "rtt_us",        "use_alone_percent", "peak_alone_kb",
                                                          "use_percent",   "peak_kb",           "mean_kb",
                                                          "share_percent", "simulated_peak_kb", "simulated_mean_kb" };

/* ---- simulated ---- */

struct watch { /* the queue to the receiver, over snapshots */
    uint32_t link;
    uint64_t settled_ps, most_bytes, sum_bytes, count;
};

static int take_snapshot(void *ctx, const struct weir_snapshot *snapshot)
{
    struct watch *w = ctx;
    uint64_t bytes = snapshot->port_queue_bytes[w->link];
    w->most_bytes = bytes > w->most_bytes ? bytes : w->most_bytes;
    if (snapshot->at_ps >= w->settled_ps) {
        w->sum_bytes += bytes;
        w->count++;
    }
    return 0;
}

/* Runs the scenario in a folder of its own. */
static int run_scenario(const char *folder, const struct fncc_case *c, double rtt_us, struct watch *watch,
                        struct weir_err *err)
{
    char path[WEIR_SWEEP_DIR_MAX + TEXT], law[TEXT], delay[TEXT];
    const char *const set[] = { law, delay, c->marks, NULL };
    const struct weir_sim_options options = { .threads = 1,
                                              .snapshot_ps = 10 * WEIR_PS_PER_US,
                                              .snapshot = take_snapshot,
                                              .snapshot_ctx = watch,
                                              .snapshot_ports = true };
    struct weir_testbed_sim *sim;
    int code;
    (void)snprintf(path, sizeof(path), "%s/join.yaml", folder);
    (void)snprintf(law, sizeof(law), "protocol.name=%s", c->law);
    (void)snprintf(delay, sizeof(delay), "topology.host_delay=%.0f ns", fmax(rtt_us - HEADS_US, 4) / 4 * 1000);
    sim = weir_testbed_sim_open(path, set, err);
    if (sim == NULL)
        return (int)err->code;
    watch->link = sim->setup.topo.link[sim->setup.topo.node[0].first_out].reverse;
    code = weir_testbed_sim_run(sim, &options, err);
    weir_testbed_sim_close(sim);
    return code;
}

static int simulate(struct weir_figs *figs, const struct fncc_case *c, double rtt_us, double *value,
                    struct weir_err *err)
{
    const struct weir_origin origin = { .id = "fncc-testbed" };
    struct watch watch = { .settled_ps = 700 * WEIR_PS_PER_MS };
    struct weir_sweep_dir folder;
    int code = weir_sweep_dir_open(&folder, &origin, figs->arena, err);
    if (code != 0)
        return code;
    code = run_scenario(folder.path, c, rtt_us, &watch, err);
    weir_sweep_dir_close(&folder);
    if (code != 0)
        return code;
    WEIR_ASSERT(watch.count > 0);
    value[FNCC_SIM_PEAK] = (double)watch.most_bytes / 1e3;
    value[FNCC_SIM_MEAN] = (double)watch.sum_bytes / (double)watch.count / 1e3;
    return 0;
}

/* ---- measured ---- */

static void add_protocol(struct weir_fig_args *a, const struct fncc_case *c, const char *rtt)
{
    weir_fig_args_add(a, "--transport", "weir", "--cc", c->law, "--rate", "200 Mbps", "--rtt", rtt, "--spin", "1us",
                      (const char *)NULL);
}

static int serve(struct weir_figs *figs, const struct fncc_case *c, const char *rtt, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    add_protocol(&a, c, rtt);
    return weir_fig_serve(figs, RECEIVER, &a, err);
}

/* Measures the round trip of a full packet on the idle network. */
static int measure_rtt(struct weir_figs *figs, const struct fncc_case *c, double *rtt_us, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    int server = serve(figs, c, FIRST_RTT, err), job, code;
    if (server < 0)
        return (int)err->code;
    weir_fig_args_add(&a, "ping", server_at, "--size", "1400 B", "--reply", "8 B", "--interval", "2ms", "--count",
                      "300", "--json", (const char *)NULL);
    add_protocol(&a, c, FIRST_RTT);
    job = weir_testbed_start(&figs->tb, FIRST, a.text, err);
    code = job < 0 ? (int)err->code : weir_fig_number(figs, job, "$.rtt_us.p50", rtt_us, err);
    return code == 0 ? weir_fig_end(figs, server, err) : code;
}

static int start_sender(struct weir_figs *figs, const struct fncc_case *c, const char *rtt, uint32_t host,
                        uint32_t seconds, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char duration[16];
    (void)snprintf(duration, sizeof(duration), "%us", (unsigned)seconds);
    weir_fig_args_add(&a, "load", server_at, "--sizes", "fixed:20MB", "--outstanding", "2", "--duration", duration,
                      "--json", (const char *)NULL);
    add_protocol(&a, c, rtt);
    return weir_testbed_start(&figs->tb, host, a.text, err);
}

struct reading { /* of the switch */
    double seconds, bytes, most_bytes, byte_us, second_bytes;
};

static int read_switch(struct weir_figs *figs, struct reading *r, struct weir_err *err)
{
    const char *const status[] = { "switch", "status", "--json", NULL };
    const struct {
        const char *path;
        double *to;
    } number[] = { { "$.seconds", &r->seconds },
                   { "$.ports[0].out_bytes", &r->bytes },
                   { "$.ports[0].queue_max_bytes", &r->most_bytes },
                   { "$.ports[0].queue_byte_us", &r->byte_us },
                   { "$.ports[2].in_bytes", &r->second_bytes } };
    const char *text = weir_fig_output(figs, WEIR_TESTBED_SWITCH, status, err);
    int code = text == NULL ? (int)err->code : 0;
    for (size_t i = 0; i < sizeof(number) / sizeof(number[0]) && code == 0; i++)
        code = weir_json_number(text, number[i].path, number[i].to, err);
    return code;
}

static double use_percent(const struct reading *from, const struct reading *to)
{
    return 100 * 8 * (to->bytes - from->bytes) / (to->seconds - from->seconds) / RATE_BPS;
}

/* Measures with one sender, then with two. */
static int measure_both(struct weir_figs *figs, const struct fncc_case *c, const char *rtt, double *value,
                        struct weir_err *err)
{
    struct reading from, alone, settled, both;
    int first = start_sender(figs, c, rtt, FIRST, WARM_S + 2 * figs->seconds + SETTLE_S + TAIL_S, err), second = -1;
    int code = first < 0 ? (int)err->code : weir_testbed_rest(&figs->tb, 1000 * WARM_S, err);
    double failed = 0;
    if (code == 0 && (code = read_switch(figs, &from, err)) == 0 &&
        (code = weir_testbed_rest(&figs->tb, 1000 * figs->seconds, err)) == 0 &&
        (code = read_switch(figs, &alone, err)) == 0) {
        second = start_sender(figs, c, rtt, SECOND, figs->seconds + SETTLE_S + TAIL_S, err);
        code = second < 0 ? (int)err->code : weir_testbed_rest(&figs->tb, 1000 * SETTLE_S, err);
    }
    if (code == 0 && (code = read_switch(figs, &settled, err)) == 0 &&
        (code = weir_testbed_rest(&figs->tb, 1000 * figs->seconds, err)) == 0)
        code = read_switch(figs, &both, err);
    for (int i = 0; i < 2 && code == 0; i++)
        code = weir_fig_number(figs, i == 0 ? first : second, "$.messages_failed", &failed, err);
    if (code == 0 && failed > 0)
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: %.0f messages failed", c->law, failed);
    if (code != 0)
        return code;
    value[FNCC_USE_ALONE] = use_percent(&from, &alone);
    value[FNCC_PEAK_ALONE] = alone.most_bytes / 1e3;
    value[FNCC_USE] = use_percent(&settled, &both);
    value[FNCC_PEAK] = both.most_bytes / 1e3;
    value[FNCC_MEAN] = (both.byte_us - settled.byte_us) / (both.seconds - settled.seconds) / 1e9;
    value[FNCC_SHARE] = 100 * (both.second_bytes - settled.second_bytes) / (both.bytes - settled.bytes);
    return 0;
}

static int measure(struct weir_figs *figs, const struct fncc_case *c, double *value, struct weir_err *err)
{
    char rtt[24];
    int server, code = measure_rtt(figs, c, &value[FNCC_RTT], err);
    if (code != 0)
        return code;
    (void)snprintf(rtt, sizeof(rtt), "%.0fus", value[FNCC_RTT]);
    server = serve(figs, c, rtt, err);
    if (server < 0)
        return (int)err->code;
    code = measure_both(figs, c, rtt, value, err);
    return code == 0 ? weir_fig_end(figs, server, err) : code;
}

static int run_case(struct weir_figs *figs, const void *ctx, double *value, struct weir_err *err)
{
    const struct fncc_case *c = ctx;
    const char *const options[] = { "--hosts", "3",        "--rate", "200mbit",    "--limit", "1mb", "--fabric",
                                    c->fabric, "--engine", "user",   "--protocol", c->law,    NULL };
    int code = weir_testbed_up(&figs->tb, figs->arena, options, err);
    if (code == 0)
        code = measure(figs, c, value, err);
    weir_testbed_down(&figs->tb);
    return code == 0 ? simulate(figs, c, value[FNCC_RTT], value, err) : code;
}

/* ---- the figure ---- */

static const struct fncc_case laws[] = {
    { "fncc", "int: {}", NULL },
    { "hpcc", "int: {}", NULL },
    { "dctcp", "ecn: 30 KB", "fabric.ecn.threshold=30 KB" },
};
enum { LAWS = sizeof(laws) / sizeof(laws[0]) };

static int take(struct weir_figs *figs, const struct fncc_case *c, uint32_t repeat, double *number,
                struct weir_err *err)
{
    char point[POINT], settings[SETTINGS];
    const struct weir_fig_measurement m = { .key = { "join", point, settings, value_names },
                                            .run = run_case,
                                            .ctx = c };
    (void)snprintf(point, sizeof(point), "%s, %u", c->law, (unsigned)repeat + 1);
    (void)snprintf(settings, sizeof(settings), "%u s, switch {%s}", (unsigned)figs->seconds, c->fabric);
    return weir_fig_measure(figs, &m, number, err);
}

/* Adds the median of one number of a law. */
static void show(struct weir_figs *figs, double (*number)[FNCC_VALUES], const char *law, enum fncc_value value,
                 const char *unit, const char *text)
{
    double column[WEIR_FIG_REPEATS_MAX];
    for (uint32_t k = 0; k < figs->repeats; k++)
        column[k] = number[k][value];
    weir_fig_add_median(figs, "join", unit, column, WEIR_FIG_SHOWN, 0, "%s: %s", law, text);
}

static void show_law(struct weir_figs *figs, double (*number)[FNCC_VALUES], const char *law)
{
    show(figs, number, law, FNCC_RTT, "us", "round trip of a full packet, idle");
    show(figs, number, law, FNCC_USE_ALONE, "%", "use of the port, one sender");
    show(figs, number, law, FNCC_PEAK_ALONE, "KB", "longest queue, one sender");
    show(figs, number, law, FNCC_USE, "%", "use of the port, two senders");
    show(figs, number, law, FNCC_SHARE, "%", "share of the second sender");
    show(figs, number, law, FNCC_PEAK, "KB", "longest queue, two senders");
    show(figs, number, law, FNCC_SIM_PEAK, "KB", "the same, simulated");
    show(figs, number, law, FNCC_MEAN, "KB", "mean queue, two senders");
    show(figs, number, law, FNCC_SIM_MEAN, "KB", "the same, simulated");
}

/* Adds how many times as long the longest queue of a law is as FNCC's, of one repetition each: what changes on the
 * machine meets both. The paper's order is FNCC, HPCC, DCQCN. */
static void show_order(struct weir_figs *figs, double (*number)[FNCC_VALUES], double (*fncc)[FNCC_VALUES],
                       const char *law)
{
    double column[WEIR_FIG_REPEATS_MAX];
    for (uint32_t k = 0; k < figs->repeats; k++)
        column[k] = number[k][FNCC_PEAK] / fncc[k][FNCC_PEAK];
    weir_fig_add_median(figs, "join", "times", column, WEIR_FIG_AT_LEAST, 1, "%s: longest queue over fncc's", law);
}

static int run_join(struct weir_figs *figs, struct weir_err *err)
{
    double(*number)[WEIR_FIG_REPEATS_MAX][FNCC_VALUES] = calloc(LAWS, sizeof(*number));
    int code = 0;
    if (number == NULL)
        return weir_fail_memory(err);
    WEIR_ASSERT(figs->repeats >= 1 && figs->repeats <= WEIR_FIG_REPEATS_MAX);
    figs->made = 0, figs->planned = LAWS * figs->repeats;
    for (uint32_t k = 0; k < figs->repeats && code == 0; k++)
        for (size_t i = 0; i < LAWS && code == 0; i++)
            code = take(figs, &laws[i], k, number[i][k], err);
    for (size_t i = 0; i < LAWS && code == 0; i++)
        show_law(figs, number[i], laws[i].law);
    for (size_t i = 1; i < LAWS && code == 0; i++)
        show_order(figs, number[i], number[0], laws[i].law);
    free(number);
    return code;
}

const struct weir_fig weir_figs_fncc[] = {
    { "join", "the queue at 200 Mb/s when a second sender joins: FNCC, HPCC and DCTCP, measured and simulated",
      run_join },
    { NULL, NULL, NULL },
};
