/* src/commands/testbed/laws_run.c - measures a protocol on a testbed: senders to one receiver, and a host that calls
 * the receiver all the while. Counters of the switch in the kernel give what passed in the measured part. */
#include "core/assert.h"
#include "testbed/commands.h"
#include "testbed/laws.h"
#include <stdio.h>
#include <string.h>

enum { WARM_S = 2, TAIL_S = 1, IDLE_MS = 500, PROBER = WEIR_LAWS_SENDERS + 2, RECEIVER = 1 };

static const char server_at[] = "10.77.0.1" WEIR_FIG_PORT;

static int build(struct weir_figs *figs, const struct weir_laws_case *c, struct weir_err *err)
{
    const char *const options[] = {
        "--hosts", "8", "--rate", "200mbit", "--limit", "1mb", "--fabric", c->fabric, NULL
    };
    return weir_testbed_up(&figs->tb, figs->arena, options, err);
}

/* Adds the options that choose the protocol. Eight hosts share few processors, so nobody polls for long. */
static void add_protocol(struct weir_fig_args *a, const struct weir_laws_case *c)
{
    if (c->tcp)
        weir_fig_args_tcp(a, c->cc);
    else
        weir_fig_args_add(a, "--transport", "weir", "--cc", c->cc, "--rate", "200 Mbps", "--spin", "1us",
                          (const char *)NULL);
}

static int start_sender(struct weir_figs *figs, const struct weir_laws_case *c, uint32_t sender, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char duration[16], weight[16];
    (void)snprintf(duration, sizeof(duration), "%us", (unsigned)c->seconds + WARM_S + TAIL_S);
    weir_fig_args_add(&a, "load", server_at, "--sizes", c->size, "--outstanding", c->outstanding, "--warmup", "2s",
                      "--duration", duration, "--json", (const char *)NULL);
    if (c->weight != NULL) {
        (void)snprintf(weight, sizeof(weight), "%u", (unsigned)c->weight[sender]);
        weir_fig_args_add(&a, "--weight", weight, (const char *)NULL);
    }
    add_protocol(&a, c);
    return weir_testbed_start(&figs->tb, RECEIVER + 1 + sender, a.text, err);
}

static int start_prober(struct weir_figs *figs, const struct weir_laws_case *c, uint32_t ms, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char time[16];
    (void)snprintf(time, sizeof(time), "%ums", (unsigned)ms);
    weir_fig_args_add(&a, "ping", server_at, "--size", "8 B", "--reply", "8 B", "--interval", "1ms", "--duration", time,
                      "--count", "1000000", "--json", (const char *)NULL);
    add_protocol(&a, c);
    return weir_testbed_start(&figs->tb, PROBER, a.text, err);
}

/* Waits for the prober. p99_ms may be NULL. */
static int read_prober(struct weir_figs *figs, int prober, double *p50_ms, double *p99_ms, struct weir_err *err)
{
    const char *text = NULL;
    int code = prober < 0 ? (int)err->code : weir_testbed_wait(&figs->tb, prober, figs->arena, &text, err);
    if (code == 0)
        code = weir_json_number(text, "$.rtt_us.p50", p50_ms, err);
    *p50_ms /= 1000;
    if (code != 0 || p99_ms == NULL)
        return code;
    code = weir_json_number(text, "$.rtt_us.p99", p99_ms, err);
    *p99_ms /= 1000;
    return code;
}

/* Reads all counters of the switch. @return JSON, or NULL with err */
static const char *read_counters(struct weir_figs *figs, struct weir_err *err)
{
    const char *const status[] = { "switch", "status", "--json", NULL };
    return weir_fig_output(figs, WEIR_TESTBED_SWITCH, status, err);
}

struct growth { /* of a port's counters, between two readings */
    const char *from, *to;
    uint32_t host; /* whose port it is */
};

static int grown(const struct growth *g, const char *name, double *by, struct weir_err *err)
{
    char path[64];
    double before = 0;
    (void)snprintf(path, sizeof(path), "$.ports[%u].%s", (unsigned)g->host - 1, name);
    int code = weir_json_number(g->from, path, &before, err);
    if (code == 0)
        code = weir_json_number(g->to, path, by, err);
    *by -= before;
    return code;
}

/* Computes what a sender sent, in Mb/s. */
static int read_sender(struct growth g, uint32_t sender, double *mbps, struct weir_err *err)
{
    double ns = 0, bytes = 0;
    g.host = RECEIVER + 1 + sender;
    int code = grown(&g, "read_ns", &ns, err);
    if (code == 0)
        code = grown(&g, "in_bytes", &bytes, err);
    if (code == 0)
        *mbps = 8000 * bytes / ns;
    return code;
}

/* Reads what passed the switch between two readings. */
static int read_switch(const struct weir_laws_case *c, const char *from, const char *to, double *value,
                       struct weir_err *err)
{
    static const char *const name[] = { "read_ns", "out_bytes", "out_pkts", "sojourn_ns" };
    double by[4] = { 0 };
    const struct growth g = { from, to, RECEIVER };
    int code = grown(&g, "dropped", &value[WEIR_LAWS_DROPS], err);
    if (code == 0)
        code = grown(&g, "raised_datagrams", &value[WEIR_LAWS_RAISED], err);
    for (size_t i = 0; i < 4 && code == 0; i++)
        code = grown(&g, name[i], &by[i], err);
    for (uint32_t i = 0; i < c->senders && code == 0; i++)
        code = read_sender(g, i, &value[WEIR_LAWS_RATE + i], err);
    if (code != 0)
        return code;
    value[WEIR_LAWS_USE] = 100 * 8e9 * by[1] / by[0] / (double)WEIR_LAWS_BPS;
    value[WEIR_LAWS_GOODPUT] = 8000 * (by[1] - by[2] * c->head_bytes) / by[0];
    value[WEIR_LAWS_WAIT] = by[2] > 0 ? by[3] / by[2] / 1e6 : 0;
    return 0;
}

/* Measures while senders send. */
static int measure_busy(struct weir_figs *figs, const struct weir_laws_case *c, double *value, struct weir_err *err)
{
    const char *from = NULL, *to = NULL;
    int code = weir_testbed_rest(&figs->tb, 1000 * WARM_S, err);
    if (code == 0 && (from = read_counters(figs, err)) == NULL)
        return (int)err->code;
    if (code == 0)
        code = read_prober(figs, start_prober(figs, c, 1000 * c->seconds, err), &value[WEIR_LAWS_P50],
                           &value[WEIR_LAWS_P99], err);
    if (code == 0 && (to = read_counters(figs, err)) == NULL)
        return (int)err->code;
    return code == 0 ? read_switch(c, from, to, value, err) : code;
}

/* Waits for the senders, the first of which is job `first`: each has to end well, with all messages delivered. */
static int end_senders(struct weir_figs *figs, const struct weir_laws_case *c, int first, struct weir_err *err)
{
    int code = 0;
    for (uint32_t i = 0; i < c->senders && code == 0; i++) {
        const char *text = NULL;
        double failed = 0;
        code = weir_testbed_wait(&figs->tb, first + (int)i, figs->arena, &text, err);
        if (code == 0)
            code = weir_json_number(text, "$.messages_failed", &failed, err);
        if (code == 0 && failed > 0)
            code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s: %.0f messages failed", c->name, failed);
    }
    return code;
}

static int measure(struct weir_figs *figs, const struct weir_laws_case *c, double *value, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    int server, first = -1, code;
    add_protocol(&a, c);
    server = weir_fig_serve(figs, RECEIVER, &a, err);
    if (server < 0)
        return (int)err->code;
    code = read_prober(figs, start_prober(figs, c, IDLE_MS, err), &value[WEIR_LAWS_IDLE_P50], NULL, err);
    for (uint32_t i = 0; i < c->senders && code == 0; i++) {
        int job = start_sender(figs, c, i, err);
        code = job < 0 ? (int)err->code : 0;
        first = i == 0 ? job : first;
    }
    if (code == 0)
        code = measure_busy(figs, c, value, err);
    if (code == 0)
        code = end_senders(figs, c, first, err);
    return code == 0 ? weir_fig_end(figs, server, err) : code;
}

int weir_laws_measure(struct weir_figs *figs, const struct weir_laws_case *c, double *value, struct weir_err *err)
{
    int code = build(figs, c, err);
    WEIR_ASSERT(c->senders >= 1);
    WEIR_ASSERT(c->senders <= WEIR_LAWS_SENDERS);
    memset(value, 0, WEIR_LAWS_VALUES * sizeof(*value));
    if (code == 0)
        code = measure(figs, c, value, err);
    weir_testbed_down(&figs->tb);
    return code;
}
