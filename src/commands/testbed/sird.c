/* src/commands/testbed/sird.c - measures figures 3 and 4 of SIRD's paper (NSDI 2025) at 1 Gb/s per port
 * instead of 100: the rate that the kernel of a laptop can carry. */
#include "testbed/commands.h"
#include "testbed/sim.h"
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define SERVER "10.77.0.1" WEIR_FIG_PORT

enum { WARM_MS = 1000, IDLE_MS = 500, SENDERS = 6, PROBER = SENDERS + 2, RECEIVERS = 3 };

/* SIRD may use the full rate. The switch's token bucket does not count the 24 of 1538 bytes that Ethernet adds around a
 * frame, but SIRD does. So at SIRD's full rate the bucket sees only 98.4 % of the rate that it allows. */
#define PACE " pace=100%"

struct transport { /* a transport, with the options of `weir serve`, `ping` and `load` that choose it */
    const char *name, *option[4];
};
static const struct transport transports[] = {
    { "sird", { "--transport", "sird" } },
    { "tcp cubic", { "--transport", "tcp", "--tcp-cc", "cubic" } },
    { "tcp bbr", { "--transport", "tcp", "--tcp-cc", "bbr" } },
};

static void add_transport(struct weir_fig_args *a, const struct transport *t, const char *cc, const char *rtt)
{
    for (size_t i = 0; i < 4 && t->option[i] != NULL; i++)
        weir_fig_args_add(a, t->option[i], (const char *)NULL);
    if (t == &transports[0])
        weir_fig_args_add(a, "--cc", cc, "--rate", "1 Gbps", "--rtt", rtt, "--spin", "1us",
                          (const char *)NULL); /* eight hosts share two cores */
}

/* --- a measurement: a server on host 1, perhaps senders on 2 .., a prober on the last --- */

struct probe {
    const struct transport *transport;
    const char *cc;  /* value of --cc of all hosts: two ends need the same keys */
    const char *rtt; /* value of --rtt, which determines the BDP */
    const char *size, *interval;
    uint32_t probe_ms, senders;
};

struct probed {
    double p50_us, p99_us, goodput_gbps;
};

static int start_server(struct weir_figs *figs, const struct probe *p, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    add_transport(&a, p->transport, p->cc, p->rtt);
    return weir_fig_serve(figs, 1, &a, err);
}

static int start_sender(struct weir_figs *figs, const struct probe *p, uint32_t host, const char *duration,
                        struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    weir_fig_args_add(&a, "load", SERVER, "--sizes", "fixed:10MB", "--outstanding", "4", "--duration", duration,
                      "--warmup", "1s", "--json", (const char *)NULL);
    add_transport(&a, p->transport, p->cc, p->rtt);
    return weir_testbed_start(&figs->tb, host, a.text, err);
}

static int start_prober(struct weir_figs *figs, const struct probe *p, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char time[16];
    (void)snprintf(time, sizeof(time), "%ums", (unsigned)p->probe_ms);
    weir_fig_args_add(&a, "ping", SERVER, "--size", p->size, "--reply", "8 B", "--interval", p->interval, "--duration",
                      time, "--count", "1000000", "--json", (const char *)NULL);
    add_transport(&a, p->transport, p->cc, p->rtt);
    return weir_testbed_start(&figs->tb, PROBER, a.text, err);
}

/* Waits for prober and senders, reads their results into *out, and ends the server. Goodput is the sum over the
 * senders: the server's own count would miss messages under way. @return 0, or a code with err */
static int gather(struct weir_figs *figs, int server, int first, uint32_t senders, int prober, struct probed *out,
                  struct weir_err *err)
{
    const char *text = NULL;
    double gbps;
    int code = weir_testbed_wait(&figs->tb, prober, figs->arena, &text, err);
    if (code == 0)
        code = weir_json_number(text, "$.rtt_us.p50", &out->p50_us, err);
    if (code == 0)
        code = weir_json_number(text, "$.rtt_us.p99", &out->p99_us, err);
    out->goodput_gbps = 0;
    for (uint32_t i = 0; i < senders && code == 0; i++) {
        code = weir_fig_number(figs, first + (int)i, "$.goodput_gbps", &gbps, err);
        if (code == 0)
            out->goodput_gbps += gbps;
    }
    return code == 0 ? weir_fig_end(figs, server, err) : code;
}

static int measure(struct weir_figs *figs, const struct probe *p, struct probed *out, struct weir_err *err)
{
    char duration[16];
    int server = start_server(figs, p, err), first = -1, prober, code;
    if (server < 0)
        return err->code;
    (void)snprintf(duration, sizeof(duration), "%us", (unsigned)figs->seconds + 2); /* longer than the prober runs */
    for (uint32_t i = 0; i < p->senders; i++) {
        int job = start_sender(figs, p, 2 + i, duration, err);
        if (job < 0)
            return err->code;
        first = i == 0 ? job : first;
    }
    if (p->senders > 0 && weir_testbed_rest(&figs->tb, WARM_MS, err) != 0)
        return err->code;
    prober = start_prober(figs, p, err);
    if (prober < 0)
        return err->code;
    code = gather(figs, server, first, p->senders, prober, out, err);
    if (code == 0)
        weir_testbed_clear(&figs->tb);
    return code;
}

/* Measures a probe on the idle network, then with SENDERS senders. @return 0, or a code with err */
static int measure_both(struct weir_figs *figs, struct probe p, struct probed *idle, struct probed *busy,
                        struct weir_err *err)
{
    int code = measure(figs, &p, idle, err);
    p.senders = SENDERS, p.probe_ms = figs->seconds * 1000;
    return code == 0 ? measure(figs, &p, busy, err) : code;
}

/* Builds the testbed, calls run() to measure a figure on it, and removes the testbed. @return 0, or a code with err */
static int on_testbed(struct weir_figs *figs, int (*run)(struct weir_figs *figs, struct weir_err *err),
                      struct weir_err *err)
{
    static const char *const options[] = { "--hosts", "8", "--rate", "1gbit", "--limit", "4mb", NULL };
    int code = weir_testbed_up(&figs->tb, figs->arena, options, err);
    if (code == 0)
        code = run(figs, err);
    weir_testbed_down(&figs->tb);
    return code;
}

/* --- figure 3: small and medium requests to a receiver that six others saturate --- */

static int fig3_small(struct weir_figs *figs, struct weir_err *err)
{
    struct probed idle = { 0 }, busy = { 0 }, cubic = { 0 }, sird = { 0 };
    for (size_t i = 0; i < sizeof(transports) / sizeof(transports[0]); i++) {
        const struct transport *t = &transports[i];
        struct probe p = { t, "sird" PACE, "100us", "8 B", "1ms", IDLE_MS, 0 };
        int code = measure_both(figs, p, &idle, &busy, err);
        if (code != 0)
            return code;
        sird = i == 0 ? busy : sird;
        cubic = i == 1 ? busy : cubic;
        weir_fig_add(figs, "fig3", "us", idle.p50_us, WEIR_FIG_SHOWN, 0, "%s: 8 B request, idle, median", t->name);
        weir_fig_add(figs, "fig3", "us", busy.p50_us, WEIR_FIG_SHOWN, 0, "%s: 8 B request, median", t->name);
        weir_fig_add(figs, "fig3", "us", busy.p99_us, WEIR_FIG_SHOWN, 0, "%s: 8 B request, p99", t->name);
        weir_fig_add(figs, "fig3", "Gb/s", busy.goodput_gbps, i == 0 ? WEIR_FIG_AT_LEAST : WEIR_FIG_SHOWN, 0.9,
                     "%s: goodput of the receiver", t->name);
    }
    weir_fig_add(figs, "fig3", "times", cubic.p50_us / sird.p50_us, WEIR_FIG_AT_LEAST, 50,
                 "median, cubic's over sird's");
    weir_fig_add(figs, "fig3", "times", cubic.p99_us / sird.p99_us, WEIR_FIG_AT_LEAST, 50, "p99, cubic's over sird's");
    return 0;
}

static int fig3_medium(struct weir_figs *figs, struct weir_err *err)
{
    static const struct {
        const char *name, *cc;
    } policy[] = { { "srpt", "sird receiver_policy=srpt" PACE },
                   { "round robin", "sird receiver_policy=round-robin" PACE } };
    struct probed idle = { 0 }, busy = { 0 };
    for (size_t i = 0; i < sizeof(policy) / sizeof(policy[0]); i++) {
        struct probe p = { &transports[0], policy[i].cc, "100us", "500 KB", "20ms", 4 * IDLE_MS, 0 };
        int code = measure_both(figs, p, &idle, &busy, err);
        if (code != 0)
            return code;
        weir_fig_add(figs, "fig3", "us", idle.p50_us, WEIR_FIG_SHOWN, 0, "%s: 500 KB request, idle, median",
                     policy[i].name);
        weir_fig_add(figs, "fig3", "us", busy.p50_us, WEIR_FIG_SHOWN, 0, "%s: 500 KB request, median", policy[i].name);
        weir_fig_add(figs, "fig3", "times", busy.p50_us / idle.p50_us, i == 0 ? WEIR_FIG_AT_MOST : WEIR_FIG_SHOWN, 1.5,
                     "%s: 500 KB request, busy over idle", policy[i].name);
        weir_fig_add(figs, "fig3", "Gb/s", busy.goodput_gbps, WEIR_FIG_SHOWN, 0, "%s: goodput of the others",
                     policy[i].name);
    }
    return 0;
}

static int fig3_all(struct weir_figs *figs, struct weir_err *err)
{
    int code = fig3_small(figs, err);
    return code == 0 ? fig3_medium(figs, err) : code;
}

static int run_fig3(struct weir_figs *figs, struct weir_err *err)
{
    return on_testbed(figs, fig3_all, err);
}

/* --- figure 4: unused credit at a sender that several receivers share, here and simulated --- */

/* Round trip with which the BDP at our rate equals that of the paper's testbed: 216 KB in 1728 us. */
#define FIG4_RTT "1728us"

static int start_receivers(struct weir_figs *figs, uint32_t receivers, const char *cc, int *server,
                           struct weir_err *err)
{
    for (uint32_t i = 0; i < receivers; i++) {
        struct weir_fig_args a = { { NULL }, 0 };
        add_transport(&a, &transports[0], cc, FIG4_RTT);
        server[i] = weir_fig_serve(figs, 2 + i, &a, err);
        if (server[i] < 0)
            return err->code;
    }
    return 0;
}

static int held_for_real(struct weir_figs *figs, uint32_t receivers, bool informed, double *held_bytes,
                         struct weir_err *err)
{
    const char *cc = informed ? "sird" : "sird SThr=infinite", *text = NULL;
    char address[RECEIVERS][WEIR_FIG_ADDRESS], duration[16], series[WEIR_SWEEP_DIR_MAX + 16];
    struct weir_fig_args a = { { NULL }, 0 };
    int server[RECEIVERS] = { 0 }, code = start_receivers(figs, receivers, cc, server, err), job;
    if (code != 0)
        return code;
    (void)snprintf(duration, sizeof(duration), "%us", (unsigned)figs->seconds);
    (void)snprintf(series, sizeof(series), "%s/held.csv", figs->tb.dir.path);
    weir_fig_args_add(&a, "load", "--sizes", "fixed:10MB", "--outstanding", "4", "--duration", duration, "--warmup",
                      "1s", "--json", "--series", series, (const char *)NULL);
    add_transport(&a, &transports[0], cc, FIG4_RTT);
    for (uint32_t i = 0; i < receivers; i++) {
        weir_fig_server_at(2 + i, address[i]);
        weir_fig_args_add(&a, address[i], (const char *)NULL);
    }
    job = weir_testbed_start(&figs->tb, 1, a.text, err);
    code = job < 0 ? (int)err->code : weir_testbed_wait(&figs->tb, job, figs->arena, &text, err);
    if (code == 0)
        code = weir_csv_mean(series, "credit_held_bytes", 1.5, held_bytes, err);
    (void)unlink(series);
    for (uint32_t i = 0; i < receivers && code == 0; i++) {
        code = weir_fig_end(figs, server[i], err);
    }
    if (code == 0)
        weir_testbed_clear(&figs->tb);
    return code;
}

static int idle_rtt_us(struct weir_figs *figs, double *rtt_us, struct weir_err *err)
{
    struct probe p = { &transports[0], "sird", FIG4_RTT, "8 B", "1ms", IDLE_MS, 0 };
    struct probed idle = { 0 };
    int code = measure(figs, &p, &idle, err);
    *rtt_us = idle.p50_us;
    return code;
}

static int fig4_all(struct weir_figs *figs, struct weir_err *err)
{
    double rtt_us = 0, real = 0, simulated = 0;
    int code = idle_rtt_us(figs, &rtt_us, err);
    for (int informed = 1; informed >= 0 && code == 0; informed--) {
        for (uint32_t n = 1; n <= RECEIVERS && code == 0; n++) {
            const char *how = informed ? "SThr 0.5 BDP" : "SThr infinite";
            code =
                weir_testbed_sim_held(figs->tb.dir.path, n, informed != 0, (uint64_t)(rtt_us * 1e6), &simulated, err);
            if (code == 0)
                code = held_for_real(figs, n, informed != 0, &real, err);
            if (code != 0)
                break;
            weir_fig_add(figs, "fig4", "KB", simulated / 1000, WEIR_FIG_SHOWN, 0, "%s, %u receivers: simulated", how,
                         (unsigned)n);
            weir_fig_add(figs, "fig4", "KB", real / 1000, WEIR_FIG_NEAR, simulated / 1000,
                         "%s, %u receivers: unused credit", how, (unsigned)n);
            /* with one receiver hardly any credit is unused: a packet or two inside the host must not count as a
             * deviation */
            weir_fig_slack(figs, fmax(0.15 * simulated, 0.15 * 108000) / 1000);
        }
    }
    return code;
}

static int run_fig4(struct weir_figs *figs, struct weir_err *err)
{
    return on_testbed(figs, fig4_all, err);
}

const struct weir_fig weir_figs_sird[] = {
    { "fig3", "requests to a receiver that six senders saturate, next to kernel TCP", run_fig3 },
    { "fig4", "unused credit at a sender shared by 1, 2, 3 receivers, next to the simulator", run_fig4 },
    { NULL, NULL, NULL },
};
