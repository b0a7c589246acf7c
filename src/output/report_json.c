/* src/output/report_json.c - the result as one JSON object. Units end the key; slowdowns are ratios, rates Gbit/s, queues
 * bytes. */
#include "output/compare_print.h"
#include "core/math.h"
#include "core/units.h"
#include "output/report.h"
#include <inttypes.h>
#include <string.h>

enum { KEY = 96 };

static void decimal_if(struct weir_json *json, const char *key, bool applies, uint64_t value, uint32_t digits)
{
    if (applies)
        weir_json_decimal(json, key, value, digits);
    else
        weir_json_null(json, key);
}

/* part / whole; null where there is no whole. */
static void put_ratio(struct weir_json *json, const char *key, uint64_t part, uint64_t whole)
{
    decimal_if(json, key, whole > 0, whole > 0 ? weir_mul_div_u64(part, 1000000000, whole) : 0, 9);
}

static void ratio(struct weir_json *json, const char *key, uint64_t sum, uint64_t count)
{
    decimal_if(json, key, count > 0, count > 0 ? sum / count : 0, 0);
}

static void put_queue(struct weir_json *json, const char *key, const struct weir_queue_stats *q, bool applies)
{
    weir_json_open(json, key);
    decimal_if(json, "mean", applies, q->mean_millibytes, 3);
    decimal_if(json, "p99", applies, q->p99_bytes, 0);
    decimal_if(json, "max", applies, q->max_bytes, 0);
    weir_json_close(json);
}

/* As put_queue(), of a quantity that not every run has: null. */
static void put_queue_if(struct weir_json *json, const char *key, const struct weir_queue_stats *q, bool asked)
{
    if (asked)
        put_queue(json, key, q, true);
    else
        weir_json_null(json, key);
}

/* Mean per host. */
static void put_credit(struct weir_json *json, const struct weir_result *res)
{
    if (!res->has_credit) {
        weir_json_null(json, "credit_bytes");
        return;
    }
    weir_json_open(json, "credit_bytes");
    weir_json_u64(json, "at_senders", res->credit_held_bytes);
    weir_json_u64(json, "in_flight", res->credit_in_flight_bytes);
    weir_json_u64(json, "at_receivers", res->credit_free_bytes);
    weir_json_close(json);
}

/* A counter: a number; of times seconds, and of their sums the share of the run; where, if that is counted. */
static void put_counter(struct weir_json *json, const struct weir_report *r, const struct weir_feature_count *c)
{
    const struct weir_result *res = r->result;
    char key[KEY], name[WEIR_LINK_NAME];
    bool ran = res->sim_ps > 0 && c->lanes > 0, known = c->link != UINT32_MAX && r->topo != NULL;
    if (c->counter->how == WEIR_COUNT_RATIO) {
        put_ratio(json, c->counter->name, c[-1].value, c->value);
        return;
    }
    (void)snprintf(key, sizeof(key), "%s%s", c->counter->name, c->counter->how == WEIR_COUNT_SUM ? "" : "_s");
    if (c->counter->how == WEIR_COUNT_SUM)
        weir_json_u64(json, key, c->value);
    else
        weir_json_decimal(json, key, c->value, 12);
    if (c->counter->how == WEIR_COUNT_SUM_PS) {
        (void)snprintf(key, sizeof(key), "%s_share", c->counter->name);
        decimal_if(json, key, ran, ran ? weir_mul_div_u64(c->value, 1000000000, res->sim_ps) / c->lanes : 0, 9);
    }
    if (c->counter->where == WEIR_COUNT_NOWHERE)
        return;
    if (known)
        weir_topology_link_name(r->topo, c->link, name, sizeof(name));
    (void)snprintf(key, sizeof(key), "%s_port", c->counter->name);
    weir_json_string(json, key, known ? name : NULL);
}

/* What switch features counted, each under its name. */
static void put_features(struct weir_json *json, const struct weir_report *r)
{
    const struct weir_result *res = r->result;
    weir_json_open(json, "features");
    for (uint32_t i = 0; i < res->feature_counts; i++) {
        const struct weir_feature_count *c = &res->feature_count[i];
        if (i == 0 || strcmp(c->feature, c[-1].feature) != 0)
            weir_json_open(json, c->feature);
        put_counter(json, r, c);
        if (i + 1 == res->feature_counts || strcmp(c->feature, c[1].feature) != 0)
            weir_json_close(json);
    }
    weir_json_close(json);
}

static void put_dist(struct weir_json *json, const char *key, const struct weir_dist *d)
{
    bool applies = d->count > 0;
    weir_json_open(json, key);
    weir_json_u64(json, "count", d->count);
    decimal_if(json, "mean", applies, d->mean_milli, 9); /* thousandths of millionths */
    decimal_if(json, "p50", applies, d->p50, 6);
    decimal_if(json, "p95", applies, d->p95, 6);
    decimal_if(json, "p99", applies, d->p99, 6);
    decimal_if(json, "p999", applies, d->p999, 6);
    weir_json_close(json);
}

const char *const weir_report_group_keys[WEIR_GROUP_COUNT] = { "all", "A", "B", "C", "D" };

void weir_report_json_slowdown(struct weir_json *json, const char *key, const struct weir_dist dist[WEIR_GROUP_COUNT])
{
    weir_json_open(json, key);
    for (int g = 0; g < WEIR_GROUP_COUNT; g++)
        put_dist(json, weir_report_group_keys[g], &dist[g]);
    weir_json_close(json);
}

static void put_job(struct weir_json *json, const struct weir_job_result *job)
{
    bool ended = job->end_ps != WEIR_NEVER;
    weir_json_open(json, NULL);
    weir_json_string(json, "name", job->name);
    weir_json_decimal(json, "start_s", job->start_ps, 12);
    decimal_if(json, "completion_s", ended, job->end_ps - job->start_ps, 12);
    weir_json_u64(json, "flows", job->flows);
    weir_json_u64(json, "flows_ended", job->ended);
    weir_json_close(json);
}

static void put_coflow(struct weir_json *json, const struct weir_coflow_result *c)
{
    bool ended = c->end_ps != WEIR_NEVER;
    weir_json_open(json, NULL);
    weir_json_string(json, "job", c->job);
    weir_json_string(json, "name", c->name);
    decimal_if(json, "start_s", c->start_ps != WEIR_NEVER, c->start_ps, 12);
    decimal_if(json, "completion_s", ended, c->end_ps - c->start_ps, 12);
    decimal_if(json, "spread_s", ended, c->end_ps - c->first_end_ps, 12);
    weir_json_u64(json, "flows", c->flows);
    weir_json_u64(json, "flows_ended", c->ended);
    weir_json_close(json);
}

static void put_jobs(struct weir_json *json, const struct weir_job_results *jobs)
{
    if (jobs == NULL) {
        weir_json_null(json, "jobs");
        weir_json_null(json, "coflows");
        return;
    }
    weir_json_open_list(json, "jobs");
    for (uint32_t i = 0; i < jobs->job_count; i++)
        put_job(json, &jobs->job[i]);
    weir_json_close_list(json);
    weir_json_open_list(json, "coflows");
    for (uint32_t i = 0; i < jobs->coflow_count; i++)
        put_coflow(json, &jobs->coflow[i]);
    weir_json_close_list(json);
}

static void put_run(struct weir_json *json, const struct weir_report *r)
{
    const struct weir_result *res = r->result;
    char digest[17];
    (void)snprintf(digest, sizeof(digest), "%016" PRIx64, res->digest);
    weir_json_string(json, "version", r->version);
    weir_json_string(json, "scenario", r->scenario);
    weir_json_string(json, "protocol", r->protocol);
    if (r->sizes_key != NULL) {
        weir_json_open_list(json, r->sizes_key);
        for (uint32_t i = 0; i < r->sizes.count; i++)
            weir_json_u64(json, NULL, r->sizes.bytes[i]);
        weir_json_close_list(json);
    }
    weir_json_string(json, "topology", r->topology);
    weir_json_u64(json, "hosts", res->hosts);
    weir_json_u64(json, "seed", r->seed);
    weir_json_u64(json, "threads", res->threads);
    weir_json_string(json, "digest", digest);
    weir_json_decimal(json, "sim_s", res->sim_ps, 12);
    weir_json_decimal(json, "measured_s", res->measured_ps, 12);
    weir_json_decimal(json, "wall_s", res->wall_ns, 9);
    weir_json_decimal(json, "setup_s", res->setup_ns, 9);
    weir_json_bool(json, "interrupted", res->interrupted);
    weir_json_bool(json, "stalled", res->stalled);
    weir_json_u64(json, "packet_hops", res->packet_hops);
    decimal_if(json, "packet_hops_per_s", res->wall_ns > 0,
               res->wall_ns > 0 ? weir_mul_div_u64(res->packet_hops, 1000000000, res->wall_ns) : 0, 0);
    weir_json_u64(json, "peak_rss_bytes", res->peak_rss_bytes);
    weir_json_u64(json, "peak_packets_in_flight", res->peak_packets);
    ratio(json, "bytes_per_packet", res->peak_fifo_bytes, res->peak_packets);
    if (res->calm_windows + res->exact_windows > 0) {
        weir_json_u64(json, "calm_windows", res->calm_windows);
        weir_json_u64(json, "exact_windows", res->exact_windows);
        weir_json_u64(json, "handovers", res->handovers);
    }
    weir_json_u64(json, "connections", res->connections);
    ratio(json, "bytes_per_flow", res->flow_bytes, res->connections);
}

static void put_unfinished(struct weir_json *json, const struct weir_unfinished *u)
{
    weir_json_open(json, "unfinished");
    weir_json_u64(json, "messages", u->messages);
    weir_json_u64(json, "bytes", u->bytes);
    for (int g = 0; g < WEIR_GROUP_COUNT; g++) /* of those that count in slowdown */
        weir_json_u64(json, weir_report_group_keys[g], u->counted[g]);
    weir_json_close(json);
}

static void put_traffic(struct weir_json *json, const struct weir_report *r)
{
    const struct weir_result *res = r->result;
    bool measured = res->measured_ps > 0;
    decimal_if(json, "offered_gbps", weir_report_has_offered(r), res->offered_bps, 9);
    decimal_if(json, "goodput_gbps", measured, res->goodput_bps, 9);
    decimal_if(json, "goodput_completed_gbps", measured, res->completed_bps, 9);
    weir_json_bool(json, "stable", res->stable);
    weir_json_string(json, "unstable_why", res->stable ? NULL : res->unstable_why);
    weir_json_string(json, "verdict", weir_verdict_key(r->findings->verdict));
    weir_findings_json(json, r->findings);
    put_unfinished(json, &res->unfinished);
    weir_json_u64(json, "messages_started", res->messages_started);
    weir_json_u64(json, "messages_completed", res->messages_completed);
    weir_json_u64(json, "messages_measured", res->messages_measured);
    weir_json_u64(json, "drops", res->drops);
    weir_json_u64(json, "losses", res->losses);
    weir_json_u64(json, "marks", res->marks);
    weir_json_u64(json, "source_marks", res->source_marks);
    put_ratio(json, "marked_short_share", res->short_marked_pkts, res->short_pkts);
    weir_json_u64(json, "retransmissions", res->retransmissions);
    weir_json_u64(json, "timeouts", res->timeouts);
    put_queue(json, "tor_queue_bytes", &res->tor_queue, measured);
    put_queue(json, "port_queue_bytes", &res->port_queue, measured);
    put_queue_if(json, "tor_queue_bytes_sampled", &res->tor_queue_sampled, res->has_sampled);
    put_queue_if(json, "port_queue_bytes_sampled", &res->port_queue_sampled, res->has_sampled);
    put_credit(json, res);
    weir_report_json_slowdown(json, "slowdown", res->slowdown[WEIR_SLOWDOWN_IDEAL]);
    weir_report_json_slowdown(json, "slowdown_payload", res->slowdown[WEIR_SLOWDOWN_PAYLOAD]);
    weir_report_json_slowdown(json, "completion_us",
                              res->completion); /* ps are millionths of it, as slowdown's are of 1 */
    weir_json_open(json, "rate_gbps");
    for (int g = 0; g < WEIR_GROUP_COUNT; g++)
        decimal_if(json, weir_report_group_keys[g], res->completion[g].count > 0, res->rate_kbps[g], 6);
    weir_json_close(json);
    put_jobs(json, res->jobs);
    weir_compare_json(json, r->allocation);
    decimal_if(json, "jain", res->jain_ppm > 0, res->jain_ppm, 6);
    put_features(json, r);
}

void weir_report_json(FILE *out, const struct weir_report *r)
{
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    put_run(&json, r);
    put_traffic(&json, r);
    weir_json_close(&json);
}
