/* src/results/output/compare_print.c - see compare_print.h. */
#include "output/compare_print.h"
#include "output/metrics.h"
#include "text/format.h"
#include <inttypes.h>
#include <math.h>

enum { LABEL = 12, SHOWN_MISSES = 5 };

static void put_miss(struct weir_json *json, const struct weir_miss *m)
{
    weir_json_open(json, NULL);
    weir_json_u64(json, "flow", m->flow);
    weir_json_u64(json, "src", m->src);
    weir_json_u64(json, "dst", m->dst);
    weir_json_real(json, "weight", m->weight);
    weir_json_real(json, "share_gbps", m->share_bps / 1e9);
    weir_json_real(json, "got_gbps", m->got_bps / 1e9);
    weir_json_real(json, "share_packets_per_rtt", m->rtt_pkts);
    weir_json_real(json, "share_packets_in_window", m->window_pkts);
    weir_json_string(json, "bottleneck", m->bottleneck);
    weir_json_close(json);
}

void weir_compare_json(struct weir_json *json, const struct weir_compared *c)
{
    if (c == NULL) {
        weir_json_null(json, "allocation");
        return;
    }
    weir_json_open(json, "allocation");
    weir_metrics_json_within(json, weir_compared_metrics, c, "allocation.");
    weir_json_string(json, "utilisation_min_link", c->links > 0 ? c->utilisation_link : NULL);
    weir_json_open_list(json, "misses");
    for (uint32_t i = 0; i < c->miss_count; i++)
        put_miss(json, &c->miss[i]);
    weir_json_close_list(json);
    weir_json_close(json);
}

static struct weir_text time_of(double s)
{
    struct weir_text never = { "never" };
    return isfinite(s) ? weir_format_ps((uint64_t)llround(s * 1e12)) : never;
}

static void line(FILE *out, const char *label)
{
    (void)fprintf(out, "%-*s", LABEL, label);
}

void weir_compare_table(FILE *out, const struct weir_compared *c)
{
    if (c == NULL)
        return;
    (void)fputc('\n', out);
    line(out, "shares");
    (void)fprintf(
        out, "%" PRIu32 " of %" PRIu32 " flows within 3 %% of theirs over up to the last %s; off by %.2f %% (p50), ",
        c->within, c->flows, time_of(c->window_s).text, 100 * c->error_p50);
    (void)fprintf(out, "%.2f %% (p99)\n", 100 * c->error_p99);
    line(out, "bottlenecks");
    (void)fprintf(out, "%" PRIu32 " links, %.2f %% busy, the least %.2f %%: %.40s\n", c->links,
                  100 * c->utilisation_mean, 100 * c->utilisation_min, c->utilisation_link);
    line(out, "settling");
    (void)fprintf(out, "%" PRIu32 " of %" PRIu32 " flows that had to move; %s (p50), %s (p99) after %s, together ",
                  c->settled, c->moved, time_of(c->settle_p50_s).text, time_of(c->settle_p99_s).text,
                  time_of(c->since_s).text);
    (void)fprintf(out, "%s; round trips of %s, solver %s\n", time_of(c->together_s).text, time_of(c->rtt_s).text,
                  time_of(c->solve_s).text);
    for (uint32_t i = 0; i < c->miss_count && i < SHOWN_MISSES; i++) {
        const struct weir_miss *m = &c->miss[i];
        line(out, i == 0 ? "farthest" : "");
        (void)fprintf(out, "flow %" PRIu32 ": %s for %s, %.3g packets per RTT, at %.40s\n", m->flow,
                      weir_format_bps((uint64_t)llround(m->got_bps)).text,
                      weir_format_bps((uint64_t)llround(m->share_bps)).text, m->rtt_pkts, m->bottleneck);
    }
}
