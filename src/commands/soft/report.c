/* src/commands/soft/report.c - see report.h. */
#include "soft/report.h"
#include "core/assert.h"
#include "core/feature.h"
#include "core/feature_counter.h"
#include "hooks/chain.h"
#include "text/schema.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 96 };

static const char *const lacks[WEIR_MAPPING_LACKS] = { "ece", "qdelay", "records" };

/* ---- ports ---- */

struct port_row { /* of one host: its cable, and the port of its switch that leads to it */
    uint64_t rate_bps, queue_bytes, queue_max_bytes, nic_queue_bytes, nic_queue_max_bytes;
    uint64_t in_pkts, in_bytes, out_pkts, out_bytes, flooded, dropped, losses, marks;
    uint64_t ring, nic, frames, notice;
    uint64_t sojourn_p50_ns, sojourn_p99_ns, sojourn_max_ns;
    uint64_t late_mean_ns, late_p50_ns, late_p99_ns, late_max_ns;
};

#define COUNT(field) WEIR_COUNTED(struct port_row, field)
static const struct weir_counter_row port_counters[] = {
    COUNT(rate_bps),
    COUNT(queue_bytes),
    COUNT(queue_max_bytes),
    COUNT(nic_queue_bytes),
    COUNT(nic_queue_max_bytes),
    COUNT(in_pkts),
    COUNT(in_bytes),
    COUNT(out_pkts),
    COUNT(out_bytes),
    COUNT(flooded),
    COUNT(dropped),
    COUNT(losses),
    COUNT(marks),
    COUNT(ring),
    COUNT(nic),
    COUNT(frames),
    COUNT(notice),
    COUNT(sojourn_p50_ns),
    COUNT(sojourn_p99_ns),
    COUNT(sojourn_max_ns),
    COUNT(late_mean_ns),
    COUNT(late_p50_ns),
    COUNT(late_p99_ns),
    COUNT(late_max_ns),
};
#undef COUNT
enum { PORT_COUNTERS = sizeof(port_counters) / sizeof(port_counters[0]) };

static struct port_row port_row(const struct weir_soft_report *r, uint32_t host)
{
    const struct weir_topology *topo = &r->setup->topo;
    const struct weir_soft_host *h = weir_soft_host(r->soft, host);
    uint32_t up = topo->node[host].first_out;
    struct port_row row = { .in_pkts = h->rx_frames,
                            .in_bytes = h->rx_bytes,
                            .out_pkts = h->tx_frames,
                            .out_bytes = h->tx_bytes,
                            .flooded = h->flooded,
                            .ring = h->dropped[WEIR_SOFT_RING],
                            .nic = h->dropped[WEIR_SOFT_NIC],
                            .frames = h->dropped[WEIR_SOFT_FRAMES],
                            .notice = h->dropped[WEIR_SOFT_NOTICE],
                            .late_mean_ns = h->late_ns.total > 0 ? h->late_ps / h->late_ns.total / 1000 : 0,
                            .late_p50_ns = weir_histogram_quantile(&h->late_ns, 500000),
                            .late_p99_ns = weir_histogram_quantile(&h->late_ns, 990000),
                            .late_max_ns = h->late_max_ps / 1000 };
    WEIR_ASSERT(topo->node[host].out_count == 1);
    const struct weir_soft_link *l = weir_soft_link(r->soft, up);
    row.nic_queue_bytes = l->queue_bytes;
    row.nic_queue_max_bytes = l->queue_max_bytes;
    l = weir_soft_link(r->soft, topo->link[up].reverse);
    row.rate_bps = topo->link[topo->link[up].reverse].rate_bps;
    row.queue_bytes = l->queue_bytes;
    row.queue_max_bytes = l->queue_max_bytes;
    row.dropped = l->drops;
    row.losses = l->losses;
    row.marks = l->marks;
    row.sojourn_p50_ns = weir_histogram_quantile(&l->waited_ns, 500000);
    row.sojourn_p99_ns = weir_histogram_quantile(&l->waited_ns, 990000);
    row.sojourn_max_ns = l->waited_ns.max;
    return row;
}

/* ---- JSON ---- */

static void put_ports(struct weir_json *json, const struct weir_soft_report *r)
{
    char name[WEIR_NODE_NAME];
    weir_json_open_list(json, "ports");
    for (uint32_t host = 0; host < r->setup->topo.host_count; host++) {
        struct port_row row = port_row(r, host);
        weir_topology_node_name(&r->setup->topo, host, name, sizeof(name));
        weir_json_open(json, NULL);
        weir_json_string(json, "host", name);
        weir_json_string(json, "device", r->device[host]);
        weir_json_counters(json, port_counters, PORT_COUNTERS, &row);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

static void put_links(struct weir_json *json, const struct weir_soft_report *r)
{
    char name[WEIR_LINK_NAME];
    weir_json_open_list(json, "links");
    for (uint32_t i = 0; i < r->setup->topo.link_count; i++) {
        const struct weir_soft_link *l = weir_soft_link(r->soft, i);
        weir_json_open(json, NULL);
        weir_json_string(json, "link", weir_setup_link_name(r->setup, i, name));
        weir_json_u64(json, "frames", l->frames);
        weir_json_u64(json, "bytes", l->bytes);
        weir_json_u64(json, "drops", l->drops);
        weir_json_u64(json, "losses", l->losses);
        weir_json_u64(json, "marks", l->marks);
        weir_json_u64(json, "queue_bytes", l->queue_bytes);
        weir_json_u64(json, "queue_max_bytes", l->queue_max_bytes);
        weir_json_u64(json, "waited_p50_ns", weir_histogram_quantile(&l->waited_ns, 500000));
        weir_json_u64(json, "waited_p99_ns", weir_histogram_quantile(&l->waited_ns, 990000));
        weir_json_u64(json, "waited_max_ns", l->waited_ns.max);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

/* Returns how many frames were dropped by a cause of this program's own, over all hosts. */
static uint64_t dropped(const struct weir_soft_report *r, enum weir_soft_cause cause)
{
    uint64_t sum = 0;
    for (uint32_t host = 0; host < r->setup->topo.host_count; host++)
        sum += weir_soft_host(r->soft, host)->dropped[cause];
    return sum;
}

/* Calls a function for each cause of a fate: those of the features, and of drops our own, too. */
static void each_cause(const struct weir_soft_report *r, enum weir_fate fate,
                       void (*call)(void *ctx, const char *name, uint64_t count), void *ctx)
{
    const struct weir_causes *causes = weir_soft_causes_of(r->soft);
    char name[NAME];
    for (uint32_t i = WEIR_CAUSE_NONE + 1; i < causes->count; i++) {
        const struct weir_cause_count *row = &causes->row[i];
        (void)snprintf(name, sizeof(name), "%s.%s", row->cause.feature, row->cause.rule->name);
        if (row->cause.rule->fate == fate)
            call(ctx, name, weir_cause_times(row));
    }
    if (fate != WEIR_FATE_DROPPED)
        return;
    for (uint32_t i = 0; i < WEIR_SOFT_CAUSES; i++)
        call(ctx, weir_soft_causes[i], dropped(r, i));
    for (uint32_t i = 0; i < WEIR_MAPPING_CAUSES; i++)
        if (!weir_mapping_causes[i].floods)
            call(ctx, weir_mapping_causes[i].name, weir_soft_mapping(r->soft)->cause[i]);
}

static void put_count(void *ctx, const char *name, uint64_t count)
{
    weir_json_u64(ctx, name, count);
}

static void put_causes(struct weir_json *json, const struct weir_soft_report *r)
{
    char key[NAME];
    for (enum weir_fate fate = 0; fate < WEIR_FATES; fate++) {
        (void)snprintf(key, sizeof(key), "%s_by_cause", weir_fate_keys[fate]);
        weir_json_open(json, key);
        each_cause(r, fate, put_count, json);
        weir_json_close(json);
    }
    weir_json_open(json, "flooded_by_cause");
    for (uint32_t i = 0; i < WEIR_MAPPING_CAUSES; i++)
        if (weir_mapping_causes[i].floods)
            weir_json_u64(json, weir_mapping_causes[i].name, weir_soft_mapping(r->soft)->cause[i]);
    weir_json_close(json);
    weir_json_open(json, "no_place_for");
    for (uint32_t i = 0; i < WEIR_MAPPING_LACKS; i++)
        weir_json_u64(json, lacks[i], weir_soft_mapping(r->soft)->lack[i]);
    weir_json_close(json);
}

/* Returns the counters of all features; the caller frees them. NULL = there are none, or no memory */
static struct weir_feature_count *counters(const struct weir_soft_report *r, uint32_t *count)
{
    struct weir_feature_count *all;
    *count = weir_features_counts(&r->setup->model.features, NULL);
    all = *count > 0 ? calloc(*count, sizeof(*all)) : NULL;
    if (all != NULL)
        weir_soft_features(r->soft, all, *count);
    else
        *count = 0;
    return all;
}

static void put_features(struct weir_json *json, const struct weir_soft_report *r)
{
    uint32_t count;
    struct weir_feature_count *all = counters(r, &count);
    char key[NAME];
    weir_json_open(json, "features");
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(key, sizeof(key), "%s.%s", all[i].feature, all[i].counter->name);
        weir_json_u64(json, key, all[i].value);
    }
    weir_json_close(json);
    free(all);
}

void weir_soft_json(FILE *out, const struct weir_soft_report *r)
{
    struct weir_json json = { .out = out };
    const char *broken = weir_soft_broken(r->soft);
    weir_json_open(&json, NULL);
    weir_json_string(&json, "engine", "user");
    weir_json_string(&json, "ports_by", r->port_kind);
    weir_json_decimal(&json, "seconds", r->now_ps, 12);
    weir_json_u64(&json, "frames_inside", weir_soft_frames(r->soft));
    weir_json_u64(&json, "steps", r->loop->steps);
    weir_json_u64(&json, "waits", r->loop->waits);
    if (broken != NULL)
        weir_json_string(&json, "broken", broken);
    else
        weir_json_null(&json, "broken");
    put_causes(&json, r);
    put_features(&json, r);
    put_ports(&json, r);
    put_links(&json, r);
    weir_json_close(&json);
}

/* ---- tables ---- */

static double us(uint64_t ns)
{
    return (double)ns / 1e3;
}

static void print_port(FILE *out, const struct weir_soft_report *r, uint32_t host)
{
    struct port_row p = port_row(r, host);
    char name[WEIR_NODE_NAME];
    weir_topology_node_name(&r->setup->topo, host, name, sizeof(name));
    (void)fprintf(out,
                  "%-10s %-15s %10.1f %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %8" PRIu64 " %8" PRIu64
                  " %10.1f %10.1f %10.1f %10.1f\n",
                  name, r->device[host], (double)p.rate_bps / 1e6, p.queue_bytes, p.queue_max_bytes, p.in_pkts,
                  p.out_pkts, p.dropped, p.marks, us(p.sojourn_p50_ns), us(p.sojourn_p99_ns), us(p.late_p50_ns),
                  us(p.late_p99_ns));
}

static bool is_between_switches(const struct weir_topology *topo, uint32_t link)
{
    return topo->link[link].src >= topo->host_count && topo->link[link].dst >= topo->host_count;
}

static void print_links(FILE *out, const struct weir_soft_report *r)
{
    char name[WEIR_LINK_NAME];
    if (r->setup->topo.switch_count > 1)
        (void)fprintf(out, "%-26s %10s %10s %10s %10s %8s %8s %10s %10s\n", "link", "Mb/s", "queue_B", "q_max_B",
                      "frames", "dropped", "marks", "p50_us", "p99_us");
    for (uint32_t i = 0; i < r->setup->topo.link_count; i++) {
        const struct weir_soft_link *l = weir_soft_link(r->soft, i);
        if (is_between_switches(&r->setup->topo, i))
            (void)fprintf(
                out, "%-26s %10.1f %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %8" PRIu64 " %8" PRIu64 " %10.1f %10.1f\n",
                weir_setup_link_name(r->setup, i, name), (double)r->setup->topo.link[i].rate_bps / 1e6, l->queue_bytes,
                l->queue_max_bytes, l->frames, l->drops, l->marks, us(weir_histogram_quantile(&l->waited_ns, 500000)),
                us(weir_histogram_quantile(&l->waited_ns, 990000)));
    }
}

struct line { /* of counts that are not 0: "dropped: switch.memory 3, switch.nic 5" */
    FILE *out;
    const char *title;
    bool begun;
};

static void print_count(void *ctx, const char *name, uint64_t count)
{
    struct line *line = ctx;
    if (count == 0)
        return;
    if (!line->begun)
        (void)fprintf(line->out, "%s: ", line->title);
    (void)fprintf(line->out, "%s%s %" PRIu64, line->begun ? ", " : "", name, count);
    line->begun = true;
}

static void end_line(const struct line *line)
{
    if (line->begun)
        (void)fputc('\n', line->out);
}

static void print_features(FILE *out, const struct weir_soft_report *r)
{
    uint32_t count;
    struct weir_feature_count *all = counters(r, &count);
    struct line line = { .out = out, .title = "features" };
    char key[NAME];
    for (uint32_t i = 0; i < count; i++) {
        (void)snprintf(key, sizeof(key), "%s.%s", all[i].feature, all[i].counter->name);
        print_count(&line, key, all[i].value);
    }
    end_line(&line);
    free(all);
}

static void print_mapping(FILE *out, const struct weir_soft_report *r)
{
    const struct weir_mapping_counts *m = weir_soft_mapping(r->soft);
    struct line flooded = { .out = out, .title = "flooded" },
                lacking = { .out = out, .title = "no place in frames for" };
    for (uint32_t i = 0; i < WEIR_MAPPING_CAUSES; i++)
        if (weir_mapping_causes[i].floods)
            print_count(&flooded, weir_mapping_causes[i].name, m->cause[i]);
    end_line(&flooded);
    for (uint32_t i = 0; i < WEIR_MAPPING_LACKS; i++)
        print_count(&lacking, lacks[i], m->lack[i]);
    end_line(&lacking);
}

void weir_soft_table(FILE *out, const struct weir_soft_report *r)
{
    const char *broken = weir_soft_broken(r->soft);
    (void)fprintf(out, "switch in user space, %" PRIu32 " hosts, ports by %s, %.1f s; %" PRIu32 " frames inside\n",
                  r->setup->topo.host_count, r->port_kind, (double)r->now_ps / 1e12, weir_soft_frames(r->soft));
    (void)fprintf(out, "%-10s %-15s %10s %10s %10s %10s %10s %8s %8s %10s %10s %10s %10s\n", "port", "device", "Mb/s",
                  "queue_B", "q_max_B", "in", "out", "dropped", "marks", "p50_us", "p99_us", "late_p50", "late_p99");
    for (uint32_t host = 0; host < r->setup->topo.host_count; host++)
        print_port(out, r, host);
    print_links(out, r);
    for (enum weir_fate fate = 0; fate < WEIR_FATES; fate++) {
        struct line line = { .out = out, .title = weir_fate_keys[fate] };
        each_cause(r, fate, print_count, &line);
        end_line(&line);
    }
    print_mapping(out, r);
    print_features(out, r);
    if (broken != NULL)
        (void)fprintf(out, "broken: %s\n", broken);
}

/* ---- schema ---- */

static const struct weir_schema times = { .type = WEIR_SCHEMA_INTEGER };
static const struct weir_schema link_fields[] = {
    WEIR_FIELD("link", STRING),
    WEIR_FIELD("frames", INTEGER),
    { .key = "bytes", .text = "on the wire", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("drops", INTEGER),
    { .key = "losses", .text = "on the wire", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("marks", INTEGER),
    { .key = "queue_bytes", .text = "now", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("queue_max_bytes", INTEGER),
    { .key = "waited_p50_ns", .text = "time in the queue", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("waited_p99_ns", INTEGER),
    WEIR_FIELD("waited_max_ns", INTEGER),
    { .key = NULL },
};
static const struct weir_schema link_row = { .type = WEIR_SCHEMA_OBJECT, .fields = link_fields };

#define BY_CAUSE(name)                                                                                                 \
    {                                                                                                                  \
        .key = (name), .text = "by FEATURE.RULE", .type = WEIR_SCHEMA_OBJECT, .each = &times                           \
    }

void weir_soft_schema(FILE *out)
{
    static const struct weir_schema names[] = { { .key = "host", .text = "in the scenario" },
                                                WEIR_FIELD("device", STRING) };
    struct weir_schema fields[2 + PORT_COUNTERS + 1];
    const struct weir_schema port = { .type = WEIR_SCHEMA_OBJECT, .fields = fields };
    const struct weir_schema status[] = {
        { .key = "engine", .text = "user" },
        { .key = "ports_by", .text = "how frames come: xdp or tpacket" },
        { .key = "seconds", .text = "since the start", .type = WEIR_SCHEMA_NUMBER },
        WEIR_FIELD("frames_inside", INTEGER),
        { .key = "steps", .text = "how often ports were read", .type = WEIR_SCHEMA_INTEGER },
        { .key = "waits", .text = "how often the process has slept", .type = WEIR_SCHEMA_INTEGER },
        { .key = "broken", .text = "an invariant that does not hold", .or_null = true },
        BY_CAUSE("drops_by_cause"),
        BY_CAUSE("losses_by_cause"),
        BY_CAUSE("marks_by_cause"),
        BY_CAUSE("taken_marks_by_cause"),
        BY_CAUSE("deflections_by_cause"),
        BY_CAUSE("pauses_by_cause"),
        { .key = "flooded_by_cause", .type = WEIR_SCHEMA_OBJECT, .each = &times },
        { .key = "no_place_for",
          .text = "what hooks wrote and a frame has no place for",
          .type = WEIR_SCHEMA_OBJECT,
          .each = &times },
        { .key = "features", .text = "counters, by FEATURE.NAME", .type = WEIR_SCHEMA_OBJECT, .each = &times },
        { .key = "ports", .type = WEIR_SCHEMA_LIST, .each = &port },
        { .key = "links", .type = WEIR_SCHEMA_LIST, .each = &link_row },
        { .key = NULL },
    };
    memcpy(fields, names, sizeof(names));
    weir_schema_counters(fields + 2, port_counters, PORT_COUNTERS);
    weir_schema_print(out, "switch status", &(struct weir_schema){ .type = WEIR_SCHEMA_OBJECT, .fields = status });
}
