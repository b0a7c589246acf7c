/* src/commands/testbed/rpm_run.c - measures RPM on a testbed: two switches in the kernel with a cable of 200 Mb/s,
 * hosts with delay lines, unmodified TCP. */
#include "bpf/law_loader.h"
#include "testbed/commands.h"
#include "testbed/sniff.h"
#include "testbed/rpm.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DELAYS = 512, FABRIC = 128, TICKS = 8, LINE = 256 };

#define CODEL "codel: {variant: p4, target: 1 ms, interval: 20 ms}"

const char *const weir_rpm_value_names[WEIR_RPM_VALUES + 1] = {
    [WEIR_RPM_JAIN] = "jain",
    [WEIR_RPM_GOODPUT] = "goodput_mbps",
    [WEIR_RPM_DCTCP_PART] = "dctcp_mbps",
    [WEIR_RPM_QUEUE_MEAN] = "queue_mean_ms",
    [WEIR_RPM_QUEUE_MAX] = "queue_max_ms",
    [WEIR_RPM_DROPS] = "drops",
    [WEIR_RPM_EVENTS] = "codel_events",
    [WEIR_RPM_COUNTED] = "rpm_events",
    [WEIR_RPM_ACCOUNTED] = "rpm_accounted",
    [WEIR_RPM_MARKED_FORWARD] = "rpm_forward",
    [WEIR_RPM_LATE_MEAN] = "late_mean_us",
    [WEIR_RPM_LATE_P99] = "late_p99_us",
    [WEIR_RPM_BUSY] = "processors_percent",
};
const char *const weir_rpm_simulated_names[WEIR_RPM_SIMULATED + 1] = {
    [WEIR_RPM_JAIN] = "jain",
    [WEIR_RPM_GOODPUT] = "goodput_mbps",
    [WEIR_RPM_DCTCP_PART] = "dctcp_mbps",
    [WEIR_RPM_QUEUE_MEAN] = "queue_mean_ms",
    [WEIR_RPM_QUEUE_MAX] = "queue_max_ms",
    [WEIR_RPM_DROPS] = "drops",
    [WEIR_RPM_EVENTS] = "codel_events",
};

uint32_t weir_rpm_pair(const struct weir_rpm_case *c, uint32_t i)
{
    WEIR_ASSERT(i < c->pairs && c->pairs <= WEIR_RPM_PAIRS);
    if (c->receiver_ms != 0)
        return (c->receiver_ms / 10 - 1) * (WEIR_RPM_PAIRS / WEIR_RPM_CLASSES); /* experiment 2: 10, 20, .. 50 ms */
    return i * WEIR_RPM_PAIRS / c->pairs;
}

uint32_t weir_rpm_receiver_ms(const struct weir_rpm_case *c, uint32_t i)
{
    return c->experiment == 1 ? 10 : 10 * (1 + weir_rpm_pair(c, i) * WEIR_RPM_CLASSES / WEIR_RPM_PAIRS);
}

bool weir_rpm_is_dctcp(const struct weir_rpm_case *c, uint32_t i)
{
    return c->law == WEIR_RPM_DCTCP || (c->law == WEIR_RPM_BOTH && i % 2 == 1);
}

static const char *cc_of(const struct weir_rpm_case *c, uint32_t i)
{
    return weir_rpm_is_dctcp(c, i) ? "weir_dctcp" : "cubic";
}

/* --- the network --- */

static int build(struct weir_figs *figs, const struct weir_rpm_case *c, struct weir_err *err)
{
    static const char *const rpm[] = { [WEIR_RPM_FORWARD] = "",
                                       [WEIR_RPM_FLOW] = ", rpm: {mode: on}",
                                       [WEIR_RPM_PORT] = ", rpm: {mode: on, cells: port}" };
    char hosts[16], core[24], limit[24], delay[DELAYS], fabric[FABRIC];
    const char *const options[] = { "--hosts", hosts, "--layout", "dumbbell", "--rate",    "1gbit",
                                    "--core",  core,  "--limit",  limit,      "--offload", "off",
                                    "--delay", delay, "--fabric", fabric,     NULL };
    int used = 0;
    (void)snprintf(hosts, sizeof(hosts), "%u", 2 * (unsigned)c->pairs);
    (void)snprintf(core, sizeof(core), "%" PRIu64 "kbit", WEIR_RPM_BPS / 1000);
    (void)snprintf(limit, sizeof(limit), "%" PRIu64 "b", c->buffer_bytes);
    (void)snprintf(fabric, sizeof(fabric), CODEL "%s", rpm[c->scheme]);
    for (uint32_t i = 0; i < c->pairs; i++)
        used +=
            snprintf(delay + used, sizeof(delay) - (size_t)used, "%s%u=%dms,%u=%ums", i > 0 ? "," : "", (unsigned)i + 1,
                     WEIR_RPM_SENDER_MS, (unsigned)(c->pairs + i + 1), (unsigned)weir_rpm_receiver_ms(c, i));
    WEIR_ASSERT(used < DELAYS);
    return weir_testbed_up(&figs->tb, figs->arena, options, err);
}

/* --- flows --- */

/* Starts a server for each pair. */
static int start_servers(struct weir_figs *figs, const struct weir_rpm_case *c, int *server, struct weir_err *err)
{
    for (uint32_t i = 0; i < c->pairs; i++) {
        struct weir_fig_args a = { { NULL }, 0 };
        weir_fig_args_tcp(&a, cc_of(c, i));
        server[i] = weir_fig_serve(figs, c->pairs + i + 1, &a, err);
        if (server[i] < 0)
            return (int)err->code;
    }
    return 0;
}

/* Starts a flow for each pair. A flow has up to 4 MB under way, in messages of 64 KB: more than the network holds. */
static int start_flows(struct weir_figs *figs, const struct weir_rpm_case *c, int *flow, struct weir_err *err)
{
    char warm[16], duration[16];
    (void)snprintf(warm, sizeof(warm), "%us", (unsigned)c->warm_s);
    (void)snprintf(duration, sizeof(duration), "%us", (unsigned)(c->warm_s + c->seconds));
    for (uint32_t i = 0; i < c->pairs; i++) {
        struct weir_fig_args a = { { NULL }, 0 };
        char server[WEIR_FIG_ADDRESS];
        weir_fig_server_at(c->pairs + i + 1, server);
        weir_fig_args_add(&a, "load", server, "--sizes", "fixed:64KB", "--outstanding", "64", "--warmup", warm,
                          "--duration", duration, "--json", (const char *)NULL);
        weir_fig_args_tcp(&a, cc_of(c, i));
        flow[i] = weir_testbed_start(&figs->tb, i + 1, a.text, err);
        if (flow[i] < 0)
            return (int)err->code;
    }
    return 0;
}

static int end_all(struct weir_figs *figs, const struct weir_rpm_case *c, const int *server, struct weir_err *err)
{
    int code = 0;
    for (uint32_t i = 0; i < c->pairs && code == 0; i++)
        code = weir_fig_end(figs, server[i], err);
    return code;
}

/* Waits for the flows, and computes what they got. */
static int read_flows(struct weir_figs *figs, const struct weir_rpm_case *c, const int *flow, double *value,
                      struct weir_err *err)
{
    double sum = 0, squares = 0;
    value[WEIR_RPM_DCTCP_PART] = 0;
    for (uint32_t i = 0; i < c->pairs; i++) {
        double gbps;
        int code = weir_fig_number(figs, flow[i], "$.goodput_gbps", &gbps, err);
        if (code != 0)
            return code;
        sum += 1000 * gbps;
        squares += 1000 * gbps * 1000 * gbps;
        value[WEIR_RPM_DCTCP_PART] += weir_rpm_is_dctcp(c, i) ? 1000 * gbps : 0;
    }
    value[WEIR_RPM_JAIN] = squares > 0 ? sum * sum / squares / c->pairs : 0;
    value[WEIR_RPM_GOODPUT] = sum;
    return 0;
}

/* --- what switches and delay lines count --- */

static const char *switch_status(struct weir_figs *figs, uint32_t at, struct weir_err *err)
{
    return weir_fig_output(figs, at, (const char *const[]){ "switch", "status", "--json", NULL }, err);
}

struct waits { /* of all frames that have left the bottleneck's queue */
    double frames, sum_ns;
};

/* Reads a counter of the bottleneck: the last port of the left switch, after those of the senders. */
static int port_number(const struct weir_rpm_case *c, const char *status, const char *key, double *value,
                       struct weir_err *err)
{
    char path[64];
    (void)snprintf(path, sizeof(path), "$.ports[%u].\"%s\"", (unsigned)c->pairs, key);
    return weir_json_number(status, path, value, err);
}

static int read_waits(struct weir_figs *figs, const struct weir_rpm_case *c, struct waits *w, struct weir_err *err)
{
    const char *status = switch_status(figs, WEIR_TESTBED_LEFT, err);
    int code = status != NULL ? port_number(c, status, "out_pkts", &w->frames, err) : (int)err->code;
    return code == 0 ? port_number(c, status, "sojourn_ns", &w->sum_ns, err) : code;
}

/* Adds RPM's counters of a switch: each event is marked, waits, or is counted for what else became of it. */
static int add_rpm(const char *status, double *value, struct weir_err *err)
{
    static const struct {
        const char *key;
        enum weir_rpm_value of;
    } counter[] = { { "$.\"rpm.events\"", WEIR_RPM_COUNTED },      { "$.\"rpm.marked\"", WEIR_RPM_ACCOUNTED },
                    { "$.\"rpm.saturated\"", WEIR_RPM_ACCOUNTED }, { "$.\"rpm.expired\"", WEIR_RPM_ACCOUNTED },
                    { "$.\"rpm.forward\"", WEIR_RPM_ACCOUNTED },   { "$.\"rpm.forward\"", WEIR_RPM_MARKED_FORWARD } };
    double number;
    int code = weir_json_number(status, "$.rpm_waiting", &number, err);
    value[WEIR_RPM_ACCOUNTED] += code == 0 ? number : 0;
    for (size_t i = 0; i < sizeof(counter) / sizeof(counter[0]) && code == 0; i++) {
        code = weir_json_sum(status, "$.ports", counter[i].key, &number, err);
        value[counter[i].of] += code == 0 ? number : 0;
    }
    return code;
}

static int read_counters(struct weir_figs *figs, const struct weir_rpm_case *c, double *value, struct weir_err *err)
{
    const char *left = switch_status(figs, WEIR_TESTBED_LEFT, err),
               *right = left != NULL ? switch_status(figs, WEIR_TESTBED_RIGHT, err) : NULL;
    int code = right != NULL ? add_rpm(left, value, err) : (int)err->code;
    if (code == 0)
        code = add_rpm(right, value, err);
    if (code == 0)
        code = port_number(c, left, "dropped", &value[WEIR_RPM_DROPS], err);
    if (code == 0)
        code = port_number(c, left, "sojourn_max_ns", &value[WEIR_RPM_QUEUE_MAX], err);
    value[WEIR_RPM_QUEUE_MAX] /= 1e6; /* from ns */
    if (code == 0)
        code =
            port_number(c, left, c->scheme == WEIR_RPM_FORWARD ? "marks" : "rpm.events", &value[WEIR_RPM_EVENTS], err);
    return code;
}

static int read_lateness(struct weir_figs *figs, double *value, struct weir_err *err)
{
    const char *status =
        weir_fig_output(figs, WEIR_TESTBED_WIRE, (const char *const[]){ "delay", "status", "--json", NULL }, err);
    int code =
        status != NULL ? weir_json_number(status, "$.late_us.mean", &value[WEIR_RPM_LATE_MEAN], err) : (int)err->code;
    return code == 0 ? weir_json_number(status, "$.late_us.p99", &value[WEIR_RPM_LATE_P99], err) : code;
}

struct ticks { /* of all processors */
    double all, idle;
};

/* Reads the first line of /proc/stat: "cpu user nice system idle iowait irq softirq steal ..". */
static struct ticks read_ticks(void)
{
    struct ticks t = { 0 };
    char line[LINE] = "", *at = line + strlen("cpu");
    FILE *file = fopen("/proc/stat", "r");
    if (file != NULL && fgets(line, sizeof(line), file) == NULL)
        line[0] = '\0';
    for (int i = 0; i < TICKS && line[0] != '\0'; i++) {
        double ticks = strtod(at, &at);
        t.all += ticks;
        t.idle += i == 3 || i == 4 ? ticks : 0;
    }
    if (file != NULL)
        (void)fclose(file);
    return t;
}

/* --- a measurement --- */

/* Rests while the flows run, and measures the queue and the processors until a second before the end: flows do not
 * start at one instant. */
static int watch(struct weir_figs *figs, const struct weir_rpm_case *c, double *value, struct weir_err *err)
{
    struct waits from = { 0 }, to = { 0 };
    struct ticks before, after;
    int code = weir_testbed_rest(&figs->tb, 1000 * c->warm_s, err);
    if (code == 0)
        code = read_waits(figs, c, &from, err);
    before = read_ticks();
    if (code == 0)
        code = weir_testbed_rest(&figs->tb, 1000 * (c->seconds - 1), err);
    after = read_ticks();
    if (code == 0)
        code = read_waits(figs, c, &to, err);
    value[WEIR_RPM_QUEUE_MEAN] =
        to.frames > from.frames ? (to.sum_ns - from.sum_ns) / (to.frames - from.frames) / 1e6 : 0;
    value[WEIR_RPM_BUSY] =
        after.all > before.all ? 100 - 100 * (after.idle - before.idle) / (after.all - before.all) : 0;
    return code;
}

static int measure(struct weir_figs *figs, const struct weir_rpm_case *c, double *value, struct weir_err *err)
{
    int server[WEIR_RPM_PAIRS] = { 0 }, flow[WEIR_RPM_PAIRS] = { 0 }, code;
    memset(value, 0, WEIR_RPM_VALUES * sizeof(*value));
    code = start_servers(figs, c, server, err);
    if (code == 0)
        code = start_flows(figs, c, flow, err);
    if (code == 0)
        code = watch(figs, c, value, err);
    if (code == 0)
        code = read_flows(figs, c, flow, value, err);
    if (code == 0)
        code = end_all(figs, c, server, err);
    if (code == 0)
        code = read_counters(figs, c, value, err);
    return code == 0 ? read_lateness(figs, value, err) : code;
}

int weir_rpm_measure(struct weir_figs *figs, const struct weir_rpm_case *c, double *value, struct weir_err *err)
{
    const struct weir_law_options law = { .text = "dctcp" };
    struct weir_law_loaded loaded;
    struct weir_err ignored;
    bool lives, ours = false;
    int code = build(figs, c, err);
    if (code != 0)
        return code;
    if (c->law != WEIR_RPM_CUBIC && weir_law_status("dctcp", &loaded, &ignored) != 0) {
        code = weir_law_load(&law, &loaded, err); /* signals wait from up to down */
        ours = code == 0;
    }
    if (code == 0)
        code = measure(figs, c, value, err);
    if (ours)
        (void)weir_law_unload("dctcp", &lives, &ignored);
    weir_testbed_down(&figs->tb);
    return code;
}

/* --- reaction --- */

static int react(struct weir_figs *figs, const struct weir_rpm_case *c, int tap, double *reaction_ms,
                 struct weir_err *err)
{
    int server = 0, flow = 0, code = start_servers(figs, c, &server, err);
    const char *status = NULL;
    double event_ns = 0, goodput;
    uint64_t ece_ns;
    if (code == 0)
        code = start_flows(figs, c, &flow, err);
    if (code == 0)
        code = weir_fig_number(figs, flow, "$.goodput_gbps", &goodput, err);
    if (code == 0)
        code = weir_fig_end(figs, server, err);
    if (code == 0)
        status = switch_status(figs, WEIR_TESTBED_LEFT, err);
    if (code == 0)
        code = status != NULL ? port_number(c, status, "first_event_ns", &event_ns, err) : (int)err->code;
    ece_ns = weir_sniff_first_ns(tap);
    if (code == 0 && (event_ns == 0 || (double)ece_ns < event_ns))
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "the switch saw no congestion, or the sender got no ECE");
    *reaction_ms = ((double)ece_ns - event_ns) / 1e6;
    return code;
}

int weir_rpm_react(struct weir_figs *figs, uint32_t receiver_ms, enum weir_rpm_scheme scheme, double *reaction_ms,
                   struct weir_err *err)
{
    const struct weir_rpm_case c = { .experiment = 2,
                                     .scheme = scheme,
                                     .buffer_bytes = WEIR_RPM_BUFFER_BYTES,
                                     .pairs = 1,
                                     .receiver_ms = receiver_ms,
                                     .seconds = 4,
                                     .warm_s = 1 };
    int tap, code = build(figs, &c, err);
    if (code != 0)
        return code;
    tap = weir_sniff_open(&figs->tb, 1, &weir_sniff_ece, err);
    code = tap >= 0 ? react(figs, &c, tap, reaction_ms, err) : (int)err->code;
    if (tap >= 0)
        (void)close(tap);
    weir_testbed_down(&figs->tb);
    return code;
}
