/* src/commands/live/load_print.c - prints the results of `weir load`, as a table or as a JSON object with the keys of
 * `weir run --json`. */
#include "core/math.h"
#include "core/units.h"
#include "live/load.h"
#include "output/report.h"
#include "text/format.h"
#include "text/version.h"
#include <stdio.h>

enum { LABEL = 12, RANGE = 34 };
static const char *const modes[] = {
    [WEIR_LOAD_POISSON] = "poisson", [WEIR_LOAD_CLOSED] = "closed", [WEIR_LOAD_INCAST] = "incast"
};

static uint64_t bps(uint64_t bytes, uint64_t ps)
{
    return ps == 0 ? 0 : weir_mul_div_u64(8 * bytes, WEIR_PS_PER_S, ps);
}

static void put_rate(struct weir_json *json, const char *key, const struct weir_load *l, uint64_t bytes)
{
    if (l->measured_ps == 0)
        weir_json_null(json, key);
    else
        weir_json_decimal(json, key, bps(bytes, l->measured_ps), 9);
}

static void put_what(struct weir_json *json, const struct weir_load *l, bool interrupted)
{
    weir_json_string(json, "version", WEIR_VERSION);
    weir_json_string(json, "transport", l->live.transport->name);
    weir_json_string(json, "protocol", l->live.name);
    weir_json_string(json, "mode", modes[l->traffic.mode]);
    weir_json_string(json, "sizes", l->args.sizes);
    weir_json_u64(json, "peers", l->args.peer_count);
    weir_json_u64(json, "seed", l->args.seed);
    weir_json_decimal(json, "rate_gbps", l->limits.rate_bps, 9);
    weir_json_decimal(json, "base_rtt_us", l->args.live.rtt_ps, 6);
    weir_json_u64(json, "bdp_bytes", l->limits.bdp_bytes);
    weir_json_decimal(json, "wall_s", weir_wall_ns() - l->live.start_ns, 9);
    weir_json_decimal(json, "measured_s", l->measured_ps, 12);
    weir_json_bool(json, "interrupted", interrupted);
}

static void put_counts(struct weir_json *json, const struct weir_load *l)
{
    struct weir_stats stats;
    l->live.transport->stats(l->live.self, &stats);
    put_rate(json, "offered_gbps", l, l->offered_bytes);
    put_rate(json, "goodput_gbps", l, l->recorder.delivered_measured_bytes);
    weir_json_u64(json, "messages_started", l->started);
    weir_json_u64(json, "messages_completed", l->completed);
    weir_json_u64(json, "messages_measured", l->recorder.delivered_measured);
    weir_json_u64(json, "messages_failed", l->failed);
    weir_json_u64(json, "messages_unfinished", l->unfinished);
    weir_json_string(json, "failure", l->failure == 0 ? NULL : weir_live_why(&l->live, l->failure));
    weir_live_json_packets(json, l->live.transport, &stats);
}

void weir_load_json(const struct weir_load *l, bool interrupted)
{
    struct weir_json json = { .out = stdout };
    weir_json_open(&json, NULL);
    put_what(&json, l, interrupted);
    put_counts(&json, l);
    weir_json_open(&json, "latency_us");
    for (int g = 0; g < WEIR_GROUP_COUNT; g++)
        weir_latency_json(&json, weir_report_group_keys[g], &l->latency[g]);
    weir_json_close(&json);
    weir_report_json_slowdown(&json, &l->result);
    weir_json_close(&json);
}

static void label(const char *text)
{
    (void)printf("%-*s", LABEL, text);
}

static void put_latencies(const struct weir_load *l)
{
    (void)printf("\n%-*s", RANGE, "latency in microseconds");
    weir_latency_heads(stdout);
    for (int g = 0; g < WEIR_GROUP_COUNT; g++) {
        char range[128];
        weir_report_group(range, sizeof(range), l->group_edge, g);
        (void)printf("%-*s", RANGE, range);
        weir_latency_row(stdout, &l->latency[g]);
    }
}

void weir_load_table(const struct weir_load *l)
{
    struct weir_report report = { .result = &l->result };
    struct weir_stats stats;
    l->live.transport->stats(l->live.self, &stats);
    for (int i = 0; i < 3; i++)
        report.group_edge[i] = l->group_edge[i];
    label("traffic");
    (void)printf("%s, sizes %.60s, to %u server%s over %s\n", modes[l->traffic.mode], l->args.sizes,
                 (unsigned)l->args.peer_count, l->args.peer_count == 1 ? "" : "s", l->live.name);
    label("network");
    (void)printf("%s, base RTT %s, BDP %s B\n", weir_format_bps(l->limits.rate_bps).text,
                 weir_format_ps(l->args.live.rtt_ps).text, weir_format_grouped(l->limits.bdp_bytes).text);
    label("measured");
    (void)printf("%s\n", weir_format_ps(l->measured_ps).text);
    label("goodput");
    (void)printf("%s, offered %s\n", weir_format_bps(bps(l->recorder.delivered_measured_bytes, l->measured_ps)).text,
                 weir_format_bps(bps(l->offered_bytes, l->measured_ps)).text);
    label("messages");
    (void)printf("%s started, %s completed, %s of them measured, %s failed, %s unfinished\n",
                 weir_format_grouped(l->started).text, weir_format_grouped(l->completed).text,
                 weir_format_grouped(l->recorder.delivered_measured).text, weir_format_grouped(l->failed).text,
                 weir_format_grouped(l->unfinished).text);
    label("packets");
    if (l->live.transport == &weir_live_weir)
        (void)printf("%s sent, %s received, %s spurious, ", weir_format_grouped(stats.packets_sent).text,
                     weir_format_grouped(stats.packets_received).text,
                     weir_format_grouped(stats.spurious_retransmissions).text);
    (void)printf("%s sent again\n", weir_format_grouped(stats.retransmissions).text);
    weir_live_print_keyed(stdout, LABEL, &l->live, &stats);
    if (weir_live_signal(&l->live, &stats) != NULL) {
        label("signal");
        (void)printf("%s\n", weir_live_signal(&l->live, &stats));
    }
    if (l->recorder.delivered_measured == 0) { /* a table would contain dashes only */
        (void)printf("\nno message was completed in the measured time: there are no latencies and no slowdowns\n");
        return;
    }
    put_latencies(l);
    weir_report_slowdown(stdout, &report);
}
