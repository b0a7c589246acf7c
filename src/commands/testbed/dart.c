/* src/commands/testbed/dart.c - see dart.h. */
#include "testbed/dart.h"
#include "core/assert.h"
#include <stdio.h>

enum { POINT = 64, SETTINGS = 256, TEXT = 64, RECEIVER = 1, PINGER = 2 };

#define SET_TIMES                                                                                                      \
    "protocol.min_rate=1 Mbps", "protocol.cnp_interval=1 ms", "protocol.alpha_timer=1100 us",                          \
        "protocol.increase_timer=1100 us"
static const char *const set_dart[] = { "protocol.name=dart",
                                        "protocol.look_ahead=false",
                                        "framing.payload=1413 B",
                                        "framing.header=105 B",
                                        SET_TIMES,
                                        "fabric.ecn.threshold=22500 B",
                                        NULL };
static const char *const set_dcqcn[] = { "protocol.name=dcqcn",
                                         "protocol.link_rate=any",
                                         "framing.payload=1417 B",
                                         "framing.header=101 B",
                                         SET_TIMES,
                                         "fabric.ecn.kmin=5 KB",
                                         "fabric.ecn.kmax=200 KB",
                                         "fabric.ecn.pmax=1%",
                                         NULL };

/* DCQCN marks as its authors recommend, by a ramp. Its steps are in proportion to the rate. */
const struct weir_dart_law weir_dart_laws[] = {
    [WEIR_DART_DART] = { "dart", WEIR_DART_CC, WEIR_DART_MARKS, set_dart },
    [WEIR_DART_DCQCN] = { "dcqcn", "dcqcn link_rate=any" WEIR_DART_TIMES, "ecn: {kmin: 5 KB, kmax: 200 KB, pmax: 1%}",
                          set_dcqcn },
};

int weir_dart_rtt(struct weir_figs *figs, const struct weir_dart_law *law, double *rtt_us, struct weir_err *err)
{
    return weir_fig_rtt(figs, law->cc, PINGER, RECEIVER, "1380 B", rtt_us, err);
}

/* Starts `weir load` to a server, with an option of its own. */
static int start_load(struct weir_figs *figs, const struct weir_dart_law *law, const char *rtt,
                      const struct weir_dart_short *s, const char *option, const char *value, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char to[WEIR_FIG_ADDRESS], from[WEIR_FIG_ADDRESS], duration[16];
    weir_fig_server_at(s->to, to);
    (void)snprintf(from, sizeof(from), "10.77.0.%u:%u", (unsigned)s->host, (unsigned)s->from_port);
    (void)snprintf(duration, sizeof(duration), "%us", (unsigned)s->seconds);
    weir_fig_args_add(&a, "load", to, "--bind", from, "--sizes", s->size, option, value, "--duration", duration,
                      "--json", (const char *)NULL);
    weir_fig_args_weir(&a, law->cc, rtt);
    return weir_testbed_start(&figs->tb, s->host, a.text, err);
}

int weir_dart_long(struct weir_figs *figs, const struct weir_dart_law *law, const char *rtt, uint32_t host, uint32_t to,
                   uint32_t from_port, uint32_t seconds, struct weir_err *err)
{
    const struct weir_dart_short s = {
        .host = host, .to = to, .from_port = from_port, .seconds = seconds, .size = "fixed:5MB"
    };
    return start_load(figs, law, rtt, &s, "--outstanding", "2", err);
}

int weir_dart_start_short(struct weir_figs *figs, const struct weir_dart_law *law, const char *rtt,
                          const struct weir_dart_short *s, struct weir_err *err)
{
    return start_load(figs, law, rtt, s, "--incast", s->each, err);
}

int weir_dart_end(struct weir_figs *figs, int job, double *p50_ms, double *p99_ms, struct weir_err *err)
{
    const char *text = NULL;
    double failed = 0;
    int code = weir_testbed_wait(&figs->tb, job, figs->arena, &text, err);
    if (code == 0)
        code = weir_json_number(text, "$.messages_failed", &failed, err);
    if (code == 0 && failed > 0)
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "%.0f messages failed", failed);
    if (code == 0 && p50_ms != NULL && (code = weir_json_number(text, "$.latency_us.all.p50", p50_ms, err)) == 0)
        *p50_ms /= 1000;
    if (code == 0 && p99_ms != NULL && (code = weir_json_number(text, "$.latency_us.all.p99", p99_ms, err)) == 0)
        *p99_ms /= 1000;
    return code;
}

const char *weir_dart_status(struct weir_figs *figs, struct weir_err *err)
{
    const char *const status[] = { "switch", "status", "--json", NULL };
    return weir_fig_output(figs, WEIR_TESTBED_SWITCH, status, err);
}

int weir_dart_grown(const char *from, const char *to, const char *json_path, double *by, struct weir_err *err)
{
    double before = 0;
    int code = weir_json_number(from, json_path, &before, err);
    if (code == 0)
        code = weir_json_number(to, json_path, by, err);
    *by -= before;
    return code;
}

int weir_dart_rate(const char *from, const char *to, uint32_t host, double *mbps, struct weir_err *err)
{
    char path[TEXT];
    double seconds = 0, bytes = 0;
    (void)snprintf(path, sizeof(path), "$.ports[%u].in_bytes", (unsigned)host - 1);
    int code = weir_dart_grown(from, to, "$.seconds", &seconds, err);
    if (code == 0)
        code = weir_dart_grown(from, to, path, &bytes, err);
    if (code == 0)
        *mbps = 8 * bytes / seconds / 1e6;
    return code;
}

/* ---- repetitions ---- */

struct one { /* case of a plan */
    const struct weir_dart_plan *plan;
    uint32_t index;
};

static int run_one(struct weir_figs *figs, const void *ctx, double *value, struct weir_err *err)
{
    const struct one *one = ctx;
    int code = one->plan->run(figs, one->index, value, err);
    weir_testbed_down(&figs->tb);
    return code;
}

static double *number_at(const struct weir_dart_plan *plan, const double *number, uint32_t index, uint32_t repeat)
{
    WEIR_ASSERT(index < plan->count && repeat < WEIR_FIG_REPEATS_MAX);
    return (double *)(uintptr_t)number + ((size_t)index * WEIR_FIG_REPEATS_MAX + repeat) * plan->values;
}

static int take_one(struct weir_figs *figs, const struct weir_dart_plan *plan, uint32_t index, uint32_t repeat,
                    double *number, struct weir_err *err)
{
    char point[POINT], settings[SETTINGS], numbered[POINT + 16];
    const struct one one = { plan, index };
    const struct weir_fig_measurement m = { .key = { plan->figure, numbered, settings, plan->name },
                                            .run = run_one,
                                            .ctx = &one };
    plan->describe(figs, index, point, settings, sizeof(settings));
    (void)snprintf(numbered, sizeof(numbered), "%s, %u", point, (unsigned)repeat + 1);
    return weir_fig_measure(figs, &m, number_at(plan, number, index, repeat), err);
}

int weir_dart_take(struct weir_figs *figs, const struct weir_dart_plan *plan, double *number, struct weir_err *err)
{
    int code = 0;
    WEIR_ASSERT(figs->repeats >= 1 && figs->repeats <= WEIR_FIG_REPEATS_MAX);
    WEIR_ASSERT(plan->values <= WEIR_KEEP_VALUES);
    figs->made = 0, figs->planned = plan->count * figs->repeats;
    for (uint32_t k = 0; k < figs->repeats && code == 0; k++)
        for (uint32_t i = 0; i < plan->count && code == 0; i++)
            code = take_one(figs, plan, i, k, number, err);
    return code;
}

void weir_dart_column(const struct weir_figs *figs, const struct weir_dart_plan *plan, const double *number,
                      uint32_t index, uint32_t value, double *column)
{
    WEIR_ASSERT(value < plan->values);
    for (uint32_t k = 0; k < figs->repeats; k++)
        column[k] = number_at(plan, number, index, k)[value];
}

void weir_dart_show(struct weir_figs *figs, const struct weir_dart_plan *plan, const double *number, uint32_t index,
                    uint32_t value, const char *unit, const char *text)
{
    double column[WEIR_FIG_REPEATS_MAX];
    weir_dart_column(figs, plan, number, index, value, column);
    weir_fig_add_median(figs, plan->figure, unit, column, WEIR_FIG_SHOWN, 0, "%s", text);
}

void weir_dart_show_rows(struct weir_figs *figs, const struct weir_dart_plan *plan, const double *number,
                         uint32_t index, const char *name, const struct weir_dart_row *row, size_t count)
{
    char text[WEIR_FIG_NAME];
    for (size_t i = 0; i < count; i++) {
        (void)snprintf(text, sizeof(text), "%s: %s", name, row[i].text);
        weir_dart_show(figs, plan, number, index, row[i].value, row[i].unit, text);
    }
}

const struct weir_fig weir_figs_dart[] = {
    { "star", "1, 2 and 4 senders at line / n, and when a sender that joins is counted", weir_dart_star },
    { "incast", "figure 10 at 200 Mb/s: groups of 2, 4 and 8 senders beside one that goes on, Dart and DCQCN",
      weir_dart_incast },
    { "deflect", "short messages beside a flow that fills one of two paths, with deflection and without",
      weir_dart_deflect },
    { NULL, NULL, NULL },
};
