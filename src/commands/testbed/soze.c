/* src/commands/testbed/soze.c - measures Soze in the kernel's TCP over the kernel's switch: shares by weight, the
 * port's use, its queue, and the round trip of others. Kernel cubic and bbr send the same in the same run. Soze's
 * testbed (OSDI 2025) had 100 Gb/s; ours has 200 Mb/s, which one machine can carry for all hosts. Its constants
 * follow from that rate. */
#include "bpf/law_loader.h"
#include "testbed/commands.h"
#include "testbed/soze.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAYLOAD_PART (1440.0 / 1514.0) /* of a full frame, as the switch's queue counts it */

static const char server_at[] = "10.77.0.1" WEIR_FIG_PORT;

enum { FLOWS_MAX = 16, SENDERS = 8, PROBER = SENDERS + 2, WARM_S = 2 };

int weir_soze_testbed_up(struct weir_figs *figs, uint64_t rate_bps, struct weir_err *err)
{
    char rate[32];
    const char *const options[] = {
        "--hosts", "10",        "--rate", rate,       "--limit",
        "1mb",     "--offload", "off",    "--fabric", "maxqd: {unit: 256 ns, filter: 200 us}",
        NULL
    };
    (void)snprintf(rate, sizeof(rate), "%" PRIu64 "kbit", rate_bps / 1000);
    return weir_testbed_up(&figs->tb, figs->arena, options, err);
}

struct weights {            /* a set of flows to one receiver */
    const char *name, *law; /* law: for `weir tcp load`; beta is a quarter of the port's rate over the sum of weights */
    uint32_t count, weight[FLOWS_MAX];
};

static const struct weights sets[] = {
    { "1:1", "soze beta=25Mbps", 2, { 1, 1 } },
    { "1:3", "soze beta=12.5Mbps", 2, { 1, 3 } },
    { "1:2:4:6", "soze beta=3.846Mbps", 4, { 1, 2, 4, 6 } },
    { "16 flows", "soze beta=0.962Mbps", 16, { 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4 } },
};
#define SETS (sizeof(sets) / sizeof(*sets))

struct shared {         /* one run */
    double mean, worst; /* deviation from the share by weight, in percent */
    double use;         /* of the port, percent */
    double p99_ms, ping_ms;
};

/* Runs a command of this program on the switch's namespace to its end. @return its output, or NULL with err */
static const char *on_switch(struct weir_figs *figs, const char *const *args, struct weir_err *err)
{
    return weir_fig_output(figs, WEIR_TESTBED_SWITCH, args, err);
}

static int start_server(struct weir_figs *figs, const char *cc, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    weir_fig_args_tcp(&a, cc);
    return weir_fig_serve(figs, 1, &a, err);
}

/* Starts a flow that lasts for the warm-up and the measurement. */
static int start_flow(struct weir_figs *figs, uint32_t flow, uint32_t weight, const char *cc, struct weir_err *err)
{
    struct weir_fig_args a = { { NULL }, 0 };
    char number[16], program[64], duration[16];
    (void)snprintf(number, sizeof(number), "%u", (unsigned)weight);
    (void)snprintf(program, sizeof(program), "/proc/%u/exe", (unsigned)getpid());
    (void)snprintf(duration, sizeof(duration), "%us", (unsigned)figs->seconds + WARM_S);
    if (strcmp(cc, "weir_soze") == 0)
        weir_fig_args_add(&a, "tcp", "weight", number, program, (const char *)NULL);
    weir_fig_args_add(&a, "load", server_at, "--transport", "tcp", "--tcp-connections", "1", "--sizes", "fixed:100KB",
                      "--outstanding", "4", "--warmup", "2s", "--json", "--tcp-cc", cc, "--duration", duration,
                      (const char *)NULL);
    return weir_testbed_start(&figs->tb, 2 + flow % SENDERS, a.text, err);
}

static int start_prober(struct weir_figs *figs, struct weir_err *err)
{
    char duration[16];
    (void)snprintf(duration, sizeof(duration), "%us", (unsigned)figs->seconds);
    return weir_testbed_start(&figs->tb, PROBER,
                              (const char *const[]){ "ping", server_at, "--transport", "tcp", "--tcp-cc", "cubic",
                                                     "--size", "8 B", "--reply", "8 B", "--interval", "10ms",
                                                     "--duration", duration, "--count", "1000000", "--json", NULL },
                              err);
}

/* Reads what each flow got, and compares it with its part of the weights. */
static int read_shares(struct weir_figs *figs, const struct weights *w, int first, struct shared *out,
                       struct weir_err *err)
{
    double gbps[FLOWS_MAX], sum = 0, weights = 0;
    out->mean = out->worst = 0;
    for (uint32_t i = 0; i < w->count; i++) {
        int code = weir_fig_number(figs, first + (int)i, "$.goodput_gbps", &gbps[i], err);
        if (code != 0)
            return code;
        sum += gbps[i];
        weights += w->weight[i];
    }
    for (uint32_t i = 0; i < w->count; i++) {
        double off = 100 * fabs(gbps[i] / sum * weights / w->weight[i] - 1);
        out->mean += off / w->count;
        out->worst = fmax(out->worst, off);
    }
    out->use = 100 * sum * 1000 / ((double)WEIR_SOZE_TESTBED_BPS / 1e6 * PAYLOAD_PART);
    return 0;
}

/* Measures one set of flows under one law. The queue, too, is that of the measured part, after the flows' start. */
static int measure(struct weir_figs *figs, const struct weights *w, const char *cc, struct shared *out,
                   struct weir_err *err)
{
    int server = start_server(figs, cc, err), first = -1, prober, code = 0;
    const char *const status[] = { "switch", "status", "--json", NULL };
    const char *text = NULL, *before;
    *out = (struct shared){ 0 };
    if (server < 0)
        return (int)err->code;
    for (uint32_t i = 0; i < w->count; i++) {
        int job = start_flow(figs, i, w->weight[i], cc, err);
        if (job < 0)
            return (int)err->code;
        first = i == 0 ? job : first;
    }
    if (weir_testbed_rest(&figs->tb, 1000 * WARM_S, err) != 0)
        return (int)err->code;
    before = on_switch(figs, status, err);
    prober = before != NULL ? start_prober(figs, err) : -1;
    if (prober < 0)
        return (int)err->code;
    code = weir_fig_number(figs, prober, "$.rtt_us.p50", &out->ping_ms, err);
    out->ping_ms /= 1000;
    text = code == 0 ? on_switch(figs, status, err) : NULL;
    if (code == 0)
        code = text != NULL ? weir_json_percentile_ns(before, text, "$.ports[0].sojourns", 990, &out->p99_ms, err)
                            : (int)err->code;
    out->p99_ms /= 1e6; /* from ns */
    if (code == 0)
        code = read_shares(figs, w, first, out, err);
    return code == 0 ? weir_fig_end(figs, server, err) : code;
}

/* Builds a testbed, measures on it, and removes it, with the law that it loaded. The law is loaded by this process, so
 * that it is unloaded also after a signal. */
static int run_once(struct weir_figs *figs, const struct weights *w, const char *cc, struct shared *out,
                    struct weir_err *err)
{
    const struct weir_law_options law = { .text = w->law, .netns = "all", .port_bps = WEIR_SOZE_TESTBED_BPS };
    struct weir_law_loaded loaded;
    struct weir_err ignored;
    bool lives, ours = strcmp(cc, "weir_soze") == 0;
    int code = weir_soze_testbed_up(figs, WEIR_SOZE_TESTBED_BPS, err);
    if (code != 0)
        return code;
    code = ours ? weir_law_load(&law, &loaded, err) : 0; /* signals wait from up to down */
    if (code == 0) {
        code = measure(figs, w, cc, out, err);
        if (ours)
            (void)weir_law_unload("soze", &lives, &ignored);
    }
    weir_testbed_down(&figs->tb);
    return code;
}

static int by_mean(const void *a, const void *b)
{
    const struct shared *left = a, *right = b;
    return (left->mean > right->mean) - (left->mean < right->mean);
}

/* Adds the numbers of a set under a law. Of several runs they are of the one with the median deviation. */
static void add_cells(struct weir_figs *figs, const struct weights *w, const char *cc, const struct shared *s,
                      double cubic_ms)
{
    bool ours = strcmp(cc, "weir_soze") == 0;
    enum weir_fig_band most = ours ? WEIR_FIG_AT_MOST : WEIR_FIG_SHOWN;
    weir_fig_add(figs, "weights", "%", s->mean, most, 10, "%s, %s: mean deviation of shares", w->name, cc);
    weir_fig_add(figs, "weights", "%", s->worst, most, 20, "%s, %s: worst", w->name, cc);
    weir_fig_add(figs, "weights", "%", s->use, ours ? WEIR_FIG_AT_LEAST : WEIR_FIG_SHOWN, 97, "%s, %s: use of the port",
                 w->name, cc);
    weir_fig_add(figs, "weights", "ms", s->p99_ms, most, 4, "%s, %s: wait in the queue, p99", w->name, cc);
    weir_fig_add(figs, "weights", "ms", s->ping_ms, most, cubic_ms / 5, "%s, %s: call of 8 B, median", w->name, cc);
}

static int run_weights(struct weir_figs *figs, struct weir_err *err)
{
    static const char *const others[] = { "cubic", "bbr" };
    if (weir_soze_is_loaded(err))
        return (int)err->code;
    for (size_t i = 0; i < SETS; i++) {
        struct shared other[2] = { { 0 } }, ours[WEIR_SOZE_RUNS] = { { 0 } };
        int code = 0;
        for (size_t k = 0; k < 2 && code == 0; k++)
            code = run_once(figs, &sets[i], others[k], &other[k], err);
        for (size_t k = 0; k < WEIR_SOZE_RUNS && code == 0; k++)
            code = run_once(figs, &sets[i], "weir_soze", &ours[k], err);
        if (code != 0)
            return code;
        qsort(ours, WEIR_SOZE_RUNS, sizeof(*ours), by_mean);
        add_cells(figs, &sets[i], "weir_soze", &ours[WEIR_SOZE_RUNS / 2], other[0].ping_ms);
        for (size_t k = 0; k < 2; k++)
            add_cells(figs, &sets[i], others[k], &other[k], 0);
    }
    return 0;
}

const struct weir_fig weir_figs_soze[] = {
    { "weights", "shares by weight of flows to one receiver at 200 Mb/s, median of three runs, next to cubic and bbr",
      run_weights },
    { "steps", "figures 12 and 13: a flow joins every 3 s, then they end; next to TIMELY, cubic and bbr",
      weir_soze_run_steps },
    { "fig6", "a chain of flows that is weighed up, next to the paper and the simulator", weir_soze_run_fig6 },
    { "fig7", "a straggler of a coflow, whose weight is raised until it keeps up", weir_soze_run_fig7 },
    { "fig8", "weights of two jobs at one link that change at half time", weir_soze_run_fig8 },
    { "fig9", "a flow that gives up its share for another job", weir_soze_run_fig9 },
    { NULL, NULL, NULL },
};
