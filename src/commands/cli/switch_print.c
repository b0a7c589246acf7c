/* src/commands/cli/switch_print.c - prints the state of a switch in the kernel. */
#include "cli/switch_plan.h"
#include "soft/report.h"
#include "text/schema.h"
#include <inttypes.h>
#include <string.h>

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

uint64_t weir_switch_percentile_ns(const struct weir_switch_counts *counts, uint32_t permille)
{
    uint64_t frames = 0, seen = 0;
    for (uint32_t b = 0; b < WEIR_SWITCH_BUCKETS; b++)
        frames += counts->bucket[b];
    for (uint32_t b = 0; b < WEIR_SWITCH_BUCKETS && frames > 0; b++) {
        seen += counts->bucket[b];
        if (seen * 1000 >= frames * permille) /* frames fit 54 bits */
            return b + 1 < WEIR_SWITCH_BUCKETS ? weir_min_u64(weir_switch_bucket_ns(b + 1), counts->sojourn_max_ns)
                                               : counts->sojourn_max_ns;
    }
    return 0;
}

void weir_switch_print_features(FILE *out, const struct weir_switch_keys *keys)
{
    const char *between = "";
    const struct {
        uint32_t on;
        const char *text;
    } features[] = { { keys->ecn, "ecn" },
                     { keys->codel, "codel" },
                     { keys->rpm, keys->rpm_model.entries > 0 ? "rpm per flow" : "rpm per port" },
                     { keys->maxqd, "maxqd" } };
    for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++)
        if (features[i].on) {
            (void)fprintf(out, "%s%s", between, features[i].text);
            between = ", ";
        }
    (void)fputs(between[0] == '\0' ? "no features\n" : "\n", out);
}

static void print_port(FILE *out, const struct weir_kernel_port_status *p)
{
    const struct weir_switch_counts *c = &p->counts;
    (void)fprintf(out,
                  "%-10s %-15s %10.1f %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %8" PRIu64
                  " %8" PRIu64 " %8.3f %8.3f %8.3f %8.3f\n",
                  p->port.host, p->port.device_name, (double)p->port.rate_bps / 1e6, p->port.limit_bytes,
                  p->queue_bytes, c->queue_max_bytes, c->in_pkts, c->out_pkts, p->dropped, c->marks,
                  c->out_pkts > 0 ? ms(c->sojourn_ns / c->out_pkts) : 0, ms(weir_switch_percentile_ns(c, 500)),
                  ms(weir_switch_percentile_ns(c, 990)), ms(c->sojourn_max_ns));
}

static void print_rpm(FILE *out, const struct weir_kernel_status *s)
{
    struct weir_rpm_port sum = { .events = 0 };
    for (uint32_t i = 0; i < s->keys.port_count; i++) {
        const struct weir_rpm_port *p = &s->port[i].counts.rpm;
        sum.events += p->events;
        sum.marked += p->marked;
        sum.forward += p->forward;
        sum.saturated += p->saturated;
        sum.expired += p->expired;
    }
    (void)fprintf(out,
                  "rpm: %" PRIu64 " events; ACKs marked %" PRIu64 ", waiting %" PRIu64
                  ", packets marked forward %" PRIu64 ", lost in full cells %" PRIu64 ", expired %" PRIu64 "\n",
                  sum.events, sum.marked, s->rpm_left, sum.forward, sum.saturated, sum.expired);
}

/* Prints the sum of a counter over the ports, if it is not 0. */
static void print_sum(FILE *out, const struct weir_kernel_status *s, size_t offset, const char *text)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < s->keys.port_count; i++)
        sum += *(const uint64_t *)(const void *)((const char *)&s->port[i].counts + offset);
    if (sum > 0)
        (void)fprintf(out, "%s: %" PRIu64 "\n", text, sum);
}

void weir_switch_print(FILE *out, const struct weir_kernel_status *s)
{
    static const struct {
        size_t offset;
        const char *text;
    } sums[] = {
        { offsetof(struct weir_switch_counts, codel_drops), "dropped by codel, without ECN" },
        { offsetof(struct weir_switch_counts, raised), "maxqd: TCP options raised" },
        { offsetof(struct weir_switch_counts, raised_datagrams), "maxqd: datagrams of Weir's endpoints raised" },
        { offsetof(struct weir_switch_counts, optionless), "maxqd: segments of data without the option" },
        { offsetof(struct weir_switch_counts, skipped), "frames of which codel and maxqd took no notice" },
        { offsetof(struct weir_switch_counts, flooded), "frames for all hosts, or of unknown destination" },
        { offsetof(struct weir_switch_counts, ipv6), "dropped: IPv6" },
        { offsetof(struct weir_switch_counts, foreign), "dropped: neither IPv4 nor ARP" },
        { offsetof(struct weir_switch_counts, stray), "dropped: for the port that they came from" },
        { offsetof(struct weir_switch_counts, unstamped), "dropped: came through no port" },
    };
    (void)fprintf(out, "switch in the kernel, %u ports: ", s->keys.port_count);
    weir_switch_print_features(out, &s->keys);
    (void)fprintf(out, "%-10s %-15s %10s %10s %10s %10s %10s %10s %8s %8s %8s %8s %8s %8s\n", "port", "device", "Mb/s",
                  "limit_B", "queue_B", "q_max_B", "in", "out", "dropped", "marks", "mean_ms", "p50_ms", "p99_ms",
                  "max_ms");
    for (uint32_t i = 0; i < s->keys.port_count; i++)
        print_port(out, &s->port[i]);
    if (s->keys.rpm)
        print_rpm(out, s);
    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++)
        print_sum(out, s, sums[i].offset, sums[i].text);
}

#define COUNT(field) WEIR_COUNTED(struct weir_switch_counts, field)
static const struct weir_counter_row counters[] = {
    COUNT(in_pkts),    COUNT(in_bytes),         COUNT(out_pkts),       COUNT(out_bytes),     COUNT(refused),
    COUNT(marks),      COUNT(queue_max_bytes),  COUNT(flooded),        COUNT(ipv6),          COUNT(foreign),
    COUNT(stray),      COUNT(unstamped),        COUNT(sojourn_max_ns), COUNT(sojourn_ns),    COUNT(codel_drops),
    COUNT(raised),     COUNT(raised_datagrams), COUNT(skipped),        COUNT(optionless),    COUNT(rpm.events),
    COUNT(rpm.marked), COUNT(rpm.forward),      COUNT(rpm.expired),    COUNT(rpm.saturated), COUNT(first_event_ns),
};
enum { COUNTERS = sizeof(counters) / sizeof(counters[0]) };

/* Prints the buckets of sojourn times that are not empty: below which time, and how many frames. */
static void print_sojourns(struct weir_json *json, const struct weir_switch_counts *counts)
{
    weir_json_open_list(json, "sojourns");
    for (uint32_t b = 0; b < WEIR_SWITCH_BUCKETS; b++) {
        if (counts->bucket[b] == 0)
            continue;
        weir_json_open(json, NULL);
        weir_json_u64(json, "below_ns",
                      weir_switch_bucket_ns(b + 1)); /* of the last one too: it holds what is longer */
        weir_json_u64(json, "frames", counts->bucket[b]);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

static void print_port_json(struct weir_json *json, const struct weir_kernel_port_status *p)
{
    weir_json_open(json, NULL);
    weir_json_string(json, "host", p->port.host);
    weir_json_string(json, "device", p->port.device_name);
    weir_json_u64(json, "rate_bps", p->port.rate_bps);
    weir_json_u64(json, "limit_bytes", p->port.limit_bytes);
    weir_json_u64(json, "queue_bytes", p->queue_bytes);
    weir_json_u64(json, "dropped", p->dropped);
    weir_json_u64(json, "read_ns", p->read_ns);
    weir_json_counters(json, counters, COUNTERS, &p->counts);
    weir_json_u64(json, "sojourn_p50_ns", weir_switch_percentile_ns(&p->counts, 500));
    weir_json_u64(json, "sojourn_p99_ns", weir_switch_percentile_ns(&p->counts, 990));
    print_sojourns(json, &p->counts);
    weir_json_close(json);
}

void weir_switch_print_json(FILE *out, const struct weir_kernel_status *s)
{
    struct weir_json json = { .out = out };
    weir_json_open(&json, NULL);
    weir_json_string(&json, "engine", "kernel");
    weir_json_bool(&json, "ecn", s->keys.ecn);
    weir_json_bool(&json, "codel", s->keys.codel);
    weir_json_bool(&json, "rpm", s->keys.rpm);
    weir_json_bool(&json, "maxqd", s->keys.maxqd);
    weir_json_u64(&json, "rpm_waiting", s->rpm_left);
    weir_json_open_list(&json, "ports");
    for (uint32_t i = 0; i < s->keys.port_count; i++)
        print_port_json(&json, &s->port[i]);
    weir_json_close_list(&json);
    weir_json_close(&json);
}

static const struct weir_schema bucket_fields[] = {
    { .key = "below_ns", .text = "upper end of the bucket", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("frames", INTEGER),
    { .key = NULL },
};
static const struct weir_schema bucket_row = { .type = WEIR_SCHEMA_OBJECT, .fields = bucket_fields };
static const struct weir_schema port_fields[] = {
    { .key = "host", .text = "in the scenario" },
    WEIR_FIELD("device", STRING),
    WEIR_FIELD("rate_bps", INTEGER),
    WEIR_FIELD("limit_bytes", INTEGER),
    { .key = "queue_bytes", .text = "now", .type = WEIR_SCHEMA_INTEGER },
    { .key = "dropped", .text = "frames that found the buffer full", .type = WEIR_SCHEMA_INTEGER },
    { .key = "read_ns", .text = "when the counters were read, since boot", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("sojourn_p50_ns", INTEGER),
    WEIR_FIELD("sojourn_p99_ns", INTEGER),
    { .key = "sojourns", .text = "buckets that are not empty", .type = WEIR_SCHEMA_LIST, .each = &bucket_row },
    { .key = NULL },
};
enum { FIELDS_MAX = 64 };

/* Appends rows to a table, as keys that one of the engines alone prints: they may be missing. */
static size_t add_rows(struct weir_schema *table, size_t at, const struct weir_schema *rows)
{
    for (; rows->key != NULL; rows++) {
        WEIR_ASSERT(at + 1 < FIELDS_MAX);
        table[at] = *rows;
        table[at++].optional = true;
    }
    table[at] = (struct weir_schema){ .key = NULL };
    return at;
}

void weir_switch_schema(FILE *out)
{
    static const struct weir_schema kernel[] = {
        WEIR_FIELD("ecn", BOOL),
        WEIR_FIELD("codel", BOOL),
        WEIR_FIELD("rpm", BOOL),
        WEIR_FIELD("maxqd", BOOL),
        { .key = "rpm_waiting", .text = "events that no ACK has taken yet", .type = WEIR_SCHEMA_INTEGER },
        { .key = NULL },
    };
    struct weir_schema port[FIELDS_MAX] = { { .key = NULL } }, status[FIELDS_MAX] = { { .key = NULL } };
    struct weir_schema counts[COUNTERS + 1];
    const struct weir_schema port_row = { .type = WEIR_SCHEMA_OBJECT, .fields = port };
    const struct weir_schema ports[] = { { .key = "ports", .type = WEIR_SCHEMA_LIST, .each = &port_row },
                                         { .key = NULL } };
    size_t at = add_rows(port, 0, port_fields);
    weir_schema_counters(counts, counters, COUNTERS);
    (void)add_rows(port, add_rows(port, at, counts), weir_soft_port_fields);
    at = add_rows(status, 0, weir_soft_fields);
    at = add_rows(status, add_rows(status, at, kernel), ports);
    (void)at;
    status[0].optional = false; /* the engine, by which others are known */
    port[0].optional = port[1].optional = false;
    weir_schema_print(out, "switch status", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = status });
}
