/* src/commands/testbed/dart_deflect.c - two racks, two spines: a flow fills one of the two paths, and short messages
 * begin on it. With deflection they leave it, each as a whole. A packet socket of their receiver sees the order. */
#include "core/assert.h"
#include "testbed/dart.h"
#include "testbed/sniff.h"
#include "wire/wire.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    WARM_S = 1,
    TAIL_S = 1,
    RACK = 2, /* hosts 1 and 2 send to hosts 3 and 4 */
    LONG = 1,
    SHORT = 2,
    FIRST_PORT = 7500,
    PORTS = 32,
    STEP_MS = 100,
    NAME = 64,
    TEXT = 64,
    WEIR_AT = 14 + 20 + 8, /* in a frame over IPv4 */
    TOKENS = 4,            /* of a packet that was not deflected */
    CONNECTIONS = 64,
};
#define SIZE "fixed:8KB"
#define PERIOD "10ms"

enum deflect_value {
    DEFLECT_RTT,
    DEFLECT_P50, /* of short messages, ms */
    DEFLECT_P99,
    DEFLECT_LONG,     /* Mb/s of frames of the flow */
    DEFLECT_MARKS,    /* each second, in all switches */
    DEFLECT_MESSAGES, /* short ones that arrived */
    DEFLECT_PERCENT,  /* of them deflected */
    DEFLECT_DISORDER, /* of them with a packet out of order */
    DEFLECT_SIM_P50,
    DEFLECT_SIM_P99,
    DEFLECT_SIM_LONG,
    DEFLECT_SIM_MARKS,
    DEFLECT_SIM_PERCENT,
    DEFLECT_VALUES,
};
static const char *const value_names[DEFLECT_VALUES + 1] = { "rtt_us",
                                                             "p50_ms",
                                                             "p99_ms",
                                                             "long_mbps",
                                                             "marks_per_s",
                                                             "messages",
                                                             "deflected_percent",
                                                             "out_of_order",
                                                             "simulated_p50_ms",
                                                             "simulated_p99_ms",
                                                             "simulated_long_mbps",
                                                             "simulated_marks_per_s",
                                                             "simulated_deflected_percent" };

/* ---- order ---- */

struct order { /* of messages, as their packets arrive */
    struct {
        uint32_t conn, first, next; /* number of its connection, first packet of its message, next one */
        bool used, disordered;
    } last[CONNECTIONS];
    double messages, deflected, disordered;
};

/* Takes a packet of a message. Those that are sent again do not count. */
static void take_packet(struct order *o, const struct weir_wire_head *head)
{
    const struct weir_pkt *pkt = &head->pkt;
    uint32_t at = pkt->conn % CONNECTIONS;
    if ((pkt->flags & WEIR_PKT_RETX) != 0)
        return;
    if (!o->last[at].used || o->last[at].conn != pkt->conn || o->last[at].first != pkt->ack) {
        o->last[at].used = true, o->last[at].disordered = false;
        o->last[at].conn = pkt->conn, o->last[at].first = o->last[at].next = pkt->ack;
        o->messages++;
        o->deflected += WEIR_WIRE_SIGNAL_TOKENS(head->signal) < TOKENS;
    }
    if (pkt->seq - pkt->ack < o->last[at].next - pkt->ack) {
        o->disordered += !o->last[at].disordered;
        o->last[at].disordered = true;
    } else
        o->last[at].next = pkt->seq + 1;
}

static void take_frames(int fd, struct order *o)
{
    unsigned char frame[128];
    struct weir_wire_head head;
    uint64_t at_ns;
    for (size_t bytes; (bytes = weir_sniff_next(fd, frame, sizeof(frame), &at_ns)) > 0;)
        if (bytes > WEIR_AT && weir_wire_peek(frame + WEIR_AT, (uint32_t)bytes - WEIR_AT, &head) == WEIR_WIRE_OK &&
            head.stream && head.area_kind != WEIR_WIRE_AREA_NONE)
            take_packet(o, &head);
}

/* ---- paths ---- */

/* Counts what went to the first spine while a host called its receiver from a port. */
static int try_port(struct weir_figs *figs, const char *rtt, uint32_t host, uint32_t port, double *frames,
                    struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char to[WEIR_FIG_ADDRESS], bind[TEXT], path[TEXT];
    const char *text, *from = weir_dart_status(figs, err);
    if (from == NULL)
        return (int)err->code;
    weir_fig_server_at(host + RACK, to);
    (void)snprintf(bind, sizeof(bind), "10.77.0.%u:%u", (unsigned)host, (unsigned)port);
    weir_fig_args_add(&a, "ping", to, "--bind", bind, "--count", "3", "--interval", "1ms", "--json",
                      (const char *)NULL);
    weir_fig_args_weir(&a, WEIR_DART_CC, rtt);
    text = weir_fig_output(figs, host, a.text, err);
    text = text == NULL ? NULL : weir_dart_status(figs, err);
    if (text == NULL)
        return (int)err->code;
    (void)snprintf(path, sizeof(path), "$.links[%u].frames", (unsigned)WEIR_DART_SPINE_LINK);
    return weir_dart_grown(from, text, path, frames, err);
}

/* Finds a port from which packets of a host take the first spine: switches choose by addresses and ports. */
static int find_port(struct weir_figs *figs, const char *rtt, uint32_t host, uint32_t *port, struct weir_err *err)
{
    double frames = 0;
    int code = 0;
    for (*port = FIRST_PORT; code == 0 && *port < FIRST_PORT + PORTS; (*port)++) {
        code = try_port(figs, rtt, host, *port, &frames, err);
        if (code == 0 && frames > 0)
            return 0;
    }
    return code != 0
               ? code
               : weir_fail(err, WEIR_E_RUN, NULL, NULL, "no port of host %u leads to the first spine", (unsigned)host);
}

/* ---- measured ---- */

/* Sums up over all links how much marks have grown, each second. */
static int read_marks(const char *from, const char *to, double *marks, struct weir_err *err)
{
    double before = 0, seconds = 1;
    int code = weir_json_sum(from, "$.links", "$.marks", &before, err);
    if (code == 0)
        code = weir_json_sum(to, "$.links", "$.marks", marks, err);
    if (code == 0)
        code = weir_dart_grown(from, to, "$.seconds", &seconds, err);
    *marks = (*marks - before) / seconds;
    return code;
}

/* Reads what passed between two readings. */
static int read_switch(const char *from, const char *to, double *value, struct weir_err *err)
{
    int code = weir_dart_rate(from, to, LONG, &value[DEFLECT_LONG], err);
    return code == 0 ? read_marks(from, to, &value[DEFLECT_MARKS], err) : code;
}

/* Sends short messages, and reads their packets as they arrive. */
static int measure_short(struct weir_figs *figs, const char *rtt, uint32_t port, int fd, struct order *o, double *value,
                         struct weir_err *err)
{
    const struct weir_dart_short s = {
        .host = SHORT, .to = SHORT + RACK, .from_port = port, .seconds = figs->seconds, .size = SIZE, .each = PERIOD
    };
    const char *from = weir_dart_status(figs, err), *to = NULL;
    int job = from == NULL ? -1 : weir_dart_start_short(figs, &weir_dart_laws[WEIR_DART_DART], rtt, &s, err),
        code = job < 0 ? (int)err->code : 0;
    for (uint32_t ms = 0; ms < 1000 * figs->seconds && code == 0; ms += STEP_MS) {
        code = weir_testbed_rest(&figs->tb, STEP_MS, err);
        take_frames(fd, o);
    }
    if (code == 0 && (to = weir_dart_status(figs, err)) == NULL)
        code = (int)err->code;
    if (code == 0)
        code = read_switch(from, to, value, err);
    if (code == 0)
        code = weir_dart_end(figs, job, &value[DEFLECT_P50], &value[DEFLECT_P99], err);
    take_frames(fd, o);
    return code;
}

/* Starts the flow, and measures once it goes on. */
static int measure_busy(struct weir_figs *figs, const char *rtt, const uint32_t *port, double *value,
                        struct weir_err *err)
{
    const struct weir_dart_law *law = &weir_dart_laws[WEIR_DART_DART];
    struct order order = { 0 };
    int job = -1, fd = weir_sniff_open(&figs->tb, SHORT + RACK, &weir_sniff_stream, err),
        code = fd < 0 ? (int)err->code : 0;
    if (code == 0) {
        job = weir_dart_long(figs, law, rtt, LONG, LONG + RACK, port[LONG - 1], WARM_S + figs->seconds + TAIL_S, err);
        code = job < 0 ? (int)err->code : weir_testbed_rest(&figs->tb, 1000 * WARM_S, err);
    }
    if (code == 0)
        code = measure_short(figs, rtt, port[SHORT - 1], fd, &order, value, err);
    if (code == 0)
        code = weir_dart_end(figs, job, NULL, NULL, err);
    if (fd >= 0)
        (void)close(fd);
    if (code == 0 && order.messages == 0)
        code = weir_fail(err, WEIR_E_RUN, NULL, NULL, "no short message was seen at its receiver");
    value[DEFLECT_MESSAGES] = order.messages;
    value[DEFLECT_PERCENT] = 100 * order.deflected / (order.messages > 0 ? order.messages : 1);
    value[DEFLECT_DISORDER] = order.disordered;
    return code;
}

static int measure(struct weir_figs *figs, double *value, struct weir_err *err)
{
    const struct weir_dart_law *law = &weir_dart_laws[WEIR_DART_DART];
    uint32_t port[RACK];
    char rtt[24];
    int server[RACK], code = weir_dart_rtt(figs, law, &value[DEFLECT_RTT], err);
    (void)snprintf(rtt, sizeof(rtt), "%.0fus", 2 * value[DEFLECT_RTT]); /* four links instead of two */
    for (uint32_t i = 0; i < RACK && code == 0; i++) {
        server[i] = weir_fig_serve_weir(figs, i + 1 + RACK, law->cc, rtt, err);
        code = server[i] < 0 ? (int)err->code : 0;
    }
    for (uint32_t i = 0; i < RACK && code == 0; i++)
        code = find_port(figs, rtt, i + 1, &port[i], err);
    if (code == 0)
        code = measure_busy(figs, rtt, port, value, err);
    for (uint32_t i = 0; i < RACK && code == 0; i++)
        code = weir_fig_end(figs, server[i], err);
    return code;
}

static const char *const case_names[2] = { "without", "with" };
static const char topology[] = "{kind: leaf-spine, racks: 2, spines: 2, hosts: 4, host_link: 200 Mbps, "
                               "core_link: 200 Mbps, host_delay: 4 ns, core_delay: 4 ns}";
static const char deflects[] = WEIR_DART_MARKS ", deflect: {threshold: 15 KB}", marks[] = WEIR_DART_MARKS;

static int run_case(struct weir_figs *figs, uint32_t index, double *value, struct weir_err *err)
{
    const char *const options[] = { "--hosts",    "4",      "--rate",     WEIR_DART_RATE,
                                    "--limit",    "250kb",  "--fabric",   index == 1 ? deflects : marks,
                                    "--engine",   "user",   "--protocol", "dart",
                                    "--topology", topology, NULL };
    struct weir_dart_bulk bulk;
    int code = weir_testbed_up(&figs->tb, figs->arena, options, err);
    if (code == 0)
        code = measure(figs, value, err);
    weir_testbed_down(&figs->tb);
    if (code == 0)
        code = weir_dart_simulate_deflect(figs, value[DEFLECT_RTT], index == 1, &bulk, err);
    if (code != 0)
        return code;
    value[DEFLECT_SIM_P50] = bulk.p50_ms, value[DEFLECT_SIM_P99] = bulk.p99_ms;
    value[DEFLECT_SIM_LONG] = bulk.long_mbps, value[DEFLECT_SIM_MARKS] = bulk.marks;
    value[DEFLECT_SIM_PERCENT] = bulk.deflected;
    return 0;
}

static void describe(const struct weir_figs *figs, uint32_t index, char *point, char *settings, size_t size)
{
    (void)snprintf(point, NAME, "%s deflection", case_names[index]);
    (void)snprintf(settings, size, "%u s, %s, switch {%s}, " SIZE " each " PERIOD, (unsigned)figs->seconds,
                   WEIR_DART_CC, index == 1 ? deflects : marks);
}

static const struct weir_dart_plan plan = { .figure = "deflect",
                                            .name = value_names,
                                            .count = 2,
                                            .values = DEFLECT_VALUES,
                                            .describe = describe,
                                            .run = run_case };

static void show_case(struct weir_figs *figs, const double *number, uint32_t index)
{
    static const struct weir_dart_row rows[] = { { DEFLECT_P50, "ms", "median of a short message" },
                                                 { DEFLECT_SIM_P50, "ms", "the same, simulated" },
                                                 { DEFLECT_P99, "ms", "its 99th percentile" },
                                                 { DEFLECT_SIM_P99, "ms", "the same, simulated" },
                                                 { DEFLECT_MARKS, "/s", "marks" },
                                                 { DEFLECT_SIM_MARKS, "/s", "the same, simulated" },
                                                 { DEFLECT_LONG, "Mb/s", "the flow" },
                                                 { DEFLECT_SIM_LONG, "Mb/s", "the same, simulated" },
                                                 { DEFLECT_MESSAGES, "", "short messages seen" } };
    weir_dart_show_rows(figs, &plan, number, index, case_names[index], rows, sizeof(rows) / sizeof(rows[0]));
}

/* Adds what deflection is for: all messages in order, some deflected, and their time over that with it. */
static void show_effect(struct weir_figs *figs, const double *number)
{
    static const struct {
        enum deflect_value value;
        const char *text;
    } rows[] = { { DEFLECT_P50, "median without over with" }, { DEFLECT_P99, "99th percentile without over with" } };
    double with[WEIR_FIG_REPEATS_MAX], without[WEIR_FIG_REPEATS_MAX];
    for (uint32_t i = 0; i < 2; i++) {
        weir_dart_column(figs, &plan, number, i, DEFLECT_DISORDER, with);
        weir_fig_add_median(figs, "deflect", "", with, WEIR_FIG_AT_MOST, 0, "%s: messages with a packet out of order",
                            case_names[i]);
    }
    weir_dart_column(figs, &plan, number, 1, DEFLECT_PERCENT, with);
    weir_fig_add_median(figs, "deflect", "%", with, WEIR_FIG_AT_LEAST, 1, "with: short messages that were deflected");
    weir_dart_show(figs, &plan, number, 1, DEFLECT_SIM_PERCENT, "%", "the same, simulated");
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        weir_dart_column(figs, &plan, number, 0, rows[i].value, without);
        weir_dart_column(figs, &plan, number, 1, rows[i].value, with);
        for (uint32_t k = 0; k < figs->repeats; k++)
            without[k] /= with[k];
        weir_fig_add_median(figs, "deflect", "times", without, WEIR_FIG_AT_LEAST, 1, "%s", rows[i].text);
    }
}

int weir_dart_deflect(struct weir_figs *figs, struct weir_err *err)
{
    double *number = calloc((size_t)plan.count * WEIR_FIG_REPEATS_MAX * DEFLECT_VALUES, sizeof(*number));
    int code = number == NULL ? weir_fail_memory(err) : weir_dart_take(figs, &plan, number, err);
    for (uint32_t i = 0; i < plan.count && code == 0; i++)
        show_case(figs, number, i);
    if (code == 0)
        show_effect(figs, number);
    free(number);
    return code;
}
