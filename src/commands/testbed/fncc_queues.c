/* src/commands/testbed/fncc_queues.c - see fncc.h: the queue of a port before and after a second sender joins. */
#include "core/assert.h"
#include "testbed/commands.h"
#include "testbed/fncc.h"
#include <stdio.h>
#include <stdlib.h>

enum {
    SETTLE_S = 1, /* after the second sender has joined */
    POINT = 64,
    SETTINGS = 320,
};

static const char *const value_names[WEIR_FNCC_VALUES + 1] = {
    "rtt_us",  "use_alone_percent", "peak_alone_kb",     "use_percent",       "peak_kb",
    "mean_kb", "share_percent",     "simulated_peak_kb", "simulated_mean_kb",
};

struct repetition {
    const struct weir_fncc_case *of;
    uint32_t number; /* from 0 */
    double rtt_us;   /* 0 = it is measured */
};

/* ---- simulated ---- */

struct watch { /* the queue of the port, over snapshots */
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

static int run_scenario(struct weir_testbed_scenario *s, const struct repetition *r, double rtt_us, struct watch *watch,
                        struct weir_err *err)
{
    const struct weir_sim_options options = { .threads = 1,
                                              .snapshot_ps = 10 * WEIR_PS_PER_US,
                                              .snapshot = take_snapshot,
                                              .snapshot_ctx = watch,
                                              .snapshot_ports = true };
    struct weir_testbed_sim *sim = weir_fncc_sim(s, &r->of->bed, &r->of->law, rtt_us, r->number + 1, err);
    int code;
    if (sim == NULL)
        return (int)err->code;
    watch->link = weir_topology_find_link(&sim->setup.topo, r->of->bed.cable);
    WEIR_ASSERT(watch->link != UINT32_MAX);
    code = weir_testbed_sim_run(sim, &options, err);
    weir_testbed_sim_close(sim);
    return code;
}

static int simulate(struct weir_figs *figs, const struct repetition *r, double *value, struct weir_err *err)
{
    struct watch watch = { .settled_ps = 700 * WEIR_PS_PER_MS };
    struct weir_testbed_scenario s;
    int code = weir_testbed_scenario_open(&s, "fncc-testbed", figs->arena, err);
    if (code != 0)
        return code;
    code = run_scenario(&s, r, value[WEIR_FNCC_RTT], &watch, err);
    weir_testbed_scenario_close(&s);
    if (code != 0)
        return code;
    WEIR_ASSERT(watch.count > 0);
    value[WEIR_FNCC_SIM_PEAK] = (double)watch.most_bytes / 1e3;
    value[WEIR_FNCC_SIM_MEAN] = (double)watch.sum_bytes / (double)watch.count / 1e3;
    return 0;
}

/* ---- measured ---- */

struct reading { /* of the switch */
    double seconds, bytes, most_bytes, byte_us, second_bytes;
};

static int read_switch(struct weir_figs *figs, const struct weir_fncc_bed *bed, struct reading *r, struct weir_err *err)
{
    const char *const status[] = { "switch", "status", "--json", NULL };
    const struct {
        const char *link, *number;
        double *to;
    } row[] = { { bed->port, "$.bytes", &r->bytes },
                { bed->port, "$.queue_max_bytes", &r->most_bytes },
                { bed->port, "$.queue_byte_us", &r->byte_us },
                { bed->second_nic, "$.bytes", &r->second_bytes } };
    const char *text = weir_fig_output(figs, WEIR_TESTBED_SWITCH, status, err);
    int code = text == NULL ? (int)err->code : weir_json_number(text, "$.seconds", &r->seconds, err);
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]) && code == 0; i++)
        code = weir_json_link(text, row[i].link, row[i].number, row[i].to, err);
    return code;
}

static double use_percent(const struct reading *from, const struct reading *to)
{
    WEIR_ASSERT(to->seconds > from->seconds);
    return 100 * 8 * (to->bytes - from->bytes) / (to->seconds - from->seconds) / WEIR_FNCC_RATE_BPS;
}

static int start_sender(struct weir_figs *figs, const struct weir_fncc_case *c, double rtt_us, uint32_t which,
                        uint32_t seconds, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char duration[16];
    (void)snprintf(duration, sizeof(duration), "%us", (unsigned)seconds);
    weir_fig_args_add(&a, "--sizes", "fixed:20MB", "--outstanding", "2", "--duration", duration, (const char *)NULL);
    return weir_fncc_send(figs, &c->bed, &c->law, rtt_us, which, &a, err);
}

/* Reads the switch now, and again at the end of a measurement. */
static int read_twice(struct weir_figs *figs, const struct weir_fncc_bed *bed, struct reading *from, struct reading *to,
                      struct weir_err *err)
{
    int code = read_switch(figs, bed, from, err);
    if (code == 0)
        code = weir_testbed_rest(&figs->tb, 1000 * figs->seconds, err);
    return code == 0 ? read_switch(figs, bed, to, err) : code;
}

/* Measures with one sender, then with two. */
static int measure_both(struct weir_figs *figs, const struct weir_fncc_case *c, double *value, struct weir_err *err)
{
    struct reading from, alone, settled, both;
    double rtt_us = value[WEIR_FNCC_RTT];
    uint32_t second_s = figs->seconds + SETTLE_S + WEIR_FNCC_TAIL_S;
    int first = start_sender(figs, c, rtt_us, 0, WEIR_FNCC_WARM_S + figs->seconds + second_s, err), second = -1;
    int code = first < 0 ? (int)err->code : weir_testbed_rest(&figs->tb, 1000 * WEIR_FNCC_WARM_S, err);
    if (code == 0 && (code = read_twice(figs, &c->bed, &from, &alone, err)) == 0) {
        second = start_sender(figs, c, rtt_us, 1, second_s, err);
        code = second < 0 ? (int)err->code : weir_testbed_rest(&figs->tb, 1000 * SETTLE_S, err);
    }
    if (code == 0)
        code = read_twice(figs, &c->bed, &settled, &both, err);
    for (int i = 0; i < 2 && code == 0; i++)
        code = weir_fncc_sent(figs, &c->law, i == 0 ? first : second, err);
    if (code != 0)
        return code;
    value[WEIR_FNCC_USE_ALONE] = use_percent(&from, &alone);
    value[WEIR_FNCC_PEAK_ALONE] = alone.most_bytes / 1e3;
    value[WEIR_FNCC_USE] = use_percent(&settled, &both);
    value[WEIR_FNCC_PEAK] = both.most_bytes / 1e3;
    value[WEIR_FNCC_MEAN] = (both.byte_us - settled.byte_us) / (both.seconds - settled.seconds) / 1e9;
    value[WEIR_FNCC_SHARE] = 100 * (both.second_bytes - settled.second_bytes) / (both.bytes - settled.bytes);
    return 0;
}

static int measure(struct weir_figs *figs, const struct repetition *r, double *value, struct weir_err *err)
{
    const struct weir_fncc_case *c = r->of;
    int server[2], code = 0;
    value[WEIR_FNCC_RTT] = r->rtt_us;
    if (r->rtt_us == 0)
        code = weir_fncc_rtt(figs, &c->bed, &c->law, &value[WEIR_FNCC_RTT], err);
    if (code == 0)
        code = weir_fncc_serve(figs, &c->bed, &c->law, value[WEIR_FNCC_RTT], server, err);
    if (code == 0)
        code = measure_both(figs, c, value, err);
    return code == 0 ? weir_fncc_end(figs, server, err) : code;
}

static int run_case(struct weir_figs *figs, const void *ctx, double *value, struct weir_err *err)
{
    const struct repetition *r = ctx;
    int code = weir_fncc_up(figs, &r->of->bed, &r->of->law, false, err);
    if (code == 0)
        code = measure(figs, r, value, err);
    weir_testbed_down(&figs->tb);
    return code == 0 ? simulate(figs, r, value, err) : code;
}

/* ---- the figure ---- */

static int take(struct weir_figs *figs, const char *figure, const struct repetition *r, double *number,
                struct weir_err *err)
{
    char point[POINT], settings[SETTINGS];
    const struct weir_fncc_case *c = r->of;
    const struct weir_fig_measurement m = { .key = { figure, point, settings, value_names },
                                            .run = run_case,
                                            .ctx = r };
    (void)snprintf(point, sizeof(point), "%s, %u", c->name, (unsigned)r->number + 1);
    (void)snprintf(settings, sizeof(settings), "%u s, %s, switch {%s}, %s", (unsigned)figs->seconds, c->law.cc,
                   c->law.fabric, c->bed.topology);
    return weir_fig_measure(figs, &m, number, err);
}

int weir_fncc_queues(struct weir_figs *figs, const char *figure, const struct weir_fncc_case *c, uint32_t count,
                     weir_fncc_numbers **number, struct weir_err *err)
{
    int code = 0;
    WEIR_ASSERT(count >= 1 && count <= WEIR_FNCC_CASES_MAX);
    WEIR_ASSERT(figs->repeats >= 1 && figs->repeats <= WEIR_FIG_REPEATS_MAX);
    *number = calloc(count, sizeof(**number));
    if (*number == NULL)
        return weir_fail_memory(err);
    figs->made = 0, figs->planned = count * figs->repeats;
    for (uint32_t k = 0; k < figs->repeats && code == 0; k++)
        for (uint32_t i = 0; i < count && code == 0; i++) {
            const struct repetition r = { &c[i], k, i > 0 ? (*number)[0][k][WEIR_FNCC_RTT] : 0 };
            code = take(figs, figure, &r, (*number)[i][k], err);
        }
    return code;
}

void weir_fncc_show(struct weir_figs *figs, const char *figure, const struct weir_fncc_case *c,
                    weir_fncc_numbers number, enum weir_fncc_value value, const char *unit, const char *text)
{
    double column[WEIR_FIG_REPEATS_MAX];
    for (uint32_t k = 0; k < figs->repeats; k++)
        column[k] = number[k][value];
    weir_fig_add_median(figs, figure, unit, column, WEIR_FIG_SHOWN, 0, "%s: %s", c->name, text);
}
