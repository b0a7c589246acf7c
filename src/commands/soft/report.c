/* src/commands/soft/report.c - see report.h. Keys that the kernel's switch has too have its names. */
#include "soft/report.h"
#include "core/feature.h"
#include "core/feature_counter.h"
#include "core/feature_set.h"
#include "hooks/chain.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { KEY = 128, LINK_NAME = 64 };

void weir_soft_print_features(FILE *out, const struct weir_setup *setup)
{
    const struct weir_features *all = &setup->model.features;
    for (uint32_t i = 0; i < all->count; i++)
        (void)fprintf(out, "%s%s", i > 0 ? ", " : "", all->on[i].row->name);
    (void)fputs(all->count == 0 ? "no features\n" : "\n", out);
}

/* ---- causes ---- */

/* Returns how many frames were dropped at ports by a cause. */
static uint64_t dropped(const struct weir_soft_state *s, enum weir_soft_cause cause)
{
    uint64_t sum = 0;
    for (uint32_t h = 0; h < s->setup->topo.host_count; h++)
        sum += weir_soft_host(s->soft, h)->dropped[cause];
    return sum;
}

/* Calls put() for each cause of a fate that the simulator has, and for those of a switch of real frames: dropped and
 * flooded ones. */
static void each_cause(const struct weir_soft_state *s, enum weir_fate fate, bool floods,
                       void (*put)(void *ctx, const char *cause, uint64_t count), void *ctx)
{
    const struct weir_causes *causes = weir_soft_causes_of(s->soft);
    const struct weir_mapping_counts *counts = weir_soft_mapping(s->soft);
    char key[KEY];
    for (uint32_t i = WEIR_CAUSE_NONE + 1; i < causes->count && !floods; i++) {
        const struct weir_cause_count *row = &causes->row[i];
        if (row->cause.rule->fate != fate)
            continue;
        (void)snprintf(key, sizeof(key), "%s.%s", row->cause.feature, row->cause.rule->name);
        put(ctx, key, weir_cause_times(row));
    }
    for (uint32_t i = 0; i < WEIR_SOFT_CAUSES && fate == WEIR_FATE_DROPPED && !floods; i++)
        put(ctx, weir_soft_causes[i], dropped(s, (enum weir_soft_cause)i));
    for (uint32_t i = 0; i < WEIR_MAPPING_CAUSES && fate == WEIR_FATE_DROPPED; i++)
        if (weir_mapping_causes[i].floods == floods) {
            (void)snprintf(key, sizeof(key), "switch.%s", weir_mapping_causes[i].name);
            put(ctx, key, counts->cause[i]);
        }
}

/* ---- the table ---- */

struct line { /* of causes, under construction */
    FILE *out;
    const char *verb;
    bool begun;
};

static void put_cause(void *ctx, const char *cause, uint64_t count)
{
    struct line *line = ctx;
    WEIR_ASSERT(cause[0] != '\0');
    if (count == 0)
        return;
    (void)fprintf(line->out, "%s%s %" PRIu64, line->begun ? ", " : line->verb, cause, count);
    line->begun = true;
}

static void print_causes(FILE *out, const struct weir_soft_state *s)
{
    char verb[KEY];
    for (int f = 0; f < WEIR_FATES; f++) {
        struct line line = { .out = out, .verb = verb };
        (void)snprintf(verb, sizeof(verb), "%s: ", weir_fate_verbs[f]);
        each_cause(s, (enum weir_fate)f, false, put_cause, &line);
        (void)fputs(line.begun ? "\n" : "", out);
    }
    struct line line = { .out = out, .verb = "flooded: " };
    each_cause(s, WEIR_FATE_DROPPED, true, put_cause, &line);
    (void)fputs(line.begun ? "\n" : "", out);
}

/* Prints a sentence about each cause for which a host, or who set it up, is at fault. */
static void print_faults(FILE *out, const struct weir_soft_state *s)
{
    static const enum weir_mapping_cause faults[] = { WEIR_MAPPING_OFFLOAD, WEIR_MAPPING_TAGGED,
                                                      WEIR_MAPPING_MALFORMED };
    const struct weir_mapping_counts *counts = weir_soft_mapping(s->soft);
    struct weir_err moved;
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        if (counts->cause[faults[i]] > 0)
            (void)fprintf(out, "switch.%s: %s; the last one came from %s\n", weir_mapping_causes[faults[i]].name,
                          weir_mapping_causes[faults[i]].text,
                          s->site[weir_soft_dropped_from(s->soft, faults[i])].host);
    if (weir_soft_moved(s->soft, &moved) != 0)
        (void)fprintf(out, "switch.moved: %s; %s\n", moved.text, moved.hint);
}

static double ms(uint64_t ns)
{
    return (double)ns / 1e6;
}

static void print_link(FILE *out, const struct weir_soft_state *s, uint32_t link)
{
    const struct weir_soft_link *l = weir_soft_link(s->soft, link);
    char name[LINK_NAME];
    WEIR_ASSERT(link < s->setup->topo.link_count);
    weir_topology_link_name(&s->setup->topo, link, name, sizeof(name));
    (void)fprintf(
        out, "%-24s %10.1f %10" PRIu64 " %10" PRIu64 " %10" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8.3f %8.3f %8.3f\n",
        name, (double)s->setup->topo.link[link].rate_bps / 1e6, l->queue_bytes, l->queue_max_bytes, l->frames,
        l->drops + l->losses, l->marks, ms(weir_histogram_quantile(&l->waited_ns, 500000)),
        ms(weir_histogram_quantile(&l->waited_ns, 990000)), ms(l->waited_ns.max));
}

static void print_port(FILE *out, const struct weir_soft_state *s, uint32_t host)
{
    const struct weir_soft_host *h = weir_soft_host(s->soft, host);
    WEIR_ASSERT(s->port[host] != NULL);
    (void)fprintf(out, "%-10s %-15s %-8s %10" PRIu64 " %10" PRIu64 " %8" PRIu64 " %10.1f %10.1f %10.1f\n",
                  s->site[host].host, s->site[host].device, weir_raw_kinds[weir_raw_kind(s->port[host])], h->rx_frames,
                  h->tx_frames, h->flooded, (double)weir_soft_late_mean_ns(h) / 1e3,
                  (double)weir_histogram_quantile(&h->late_ns, 990000) / 1e3, (double)h->late_max_ps / 1e6);
}

/* Returns the counters of all features, to be freed by the caller; NULL = there are none, or no memory. */
static struct weir_feature_count *read_counters(const struct weir_soft_state *s, uint32_t *counts)
{
    const struct weir_features *features = &s->setup->model.features;
    struct weir_feature_count *count;
    *counts = weir_features_counts(features, NULL);
    count = calloc(*counts + 1u, sizeof(*count));
    if (count == NULL || weir_soft_features(s->soft, count, *counts))
        return count;
    free(count);
    return NULL;
}

static void print_counters(FILE *out, const struct weir_soft_state *s)
{
    uint32_t counts;
    struct weir_feature_count *count = read_counters(s, &counts);
    for (uint32_t i = 0; i < counts && count != NULL; i++)
        if (count[i].value > 0)
            (void)fprintf(out, "%s.%s: %" PRIu64 "\n", count[i].feature, count[i].counter->name, count[i].value);
    free(count);
}

void weir_soft_print(FILE *out, const struct weir_soft_state *s)
{
    const struct weir_topology *topo = &s->setup->topo;
    (void)fprintf(out, "switch in user space, %u hosts, %u switches, for %.1f s: ", topo->host_count,
                  topo->switch_count, (double)s->seconds_ns / 1e9);
    weir_soft_print_features(out, s->setup);
    (void)fprintf(out, "%-10s %-15s %-8s %10s %10s %8s %10s %10s %10s\n", "port", "device", "by", "in", "out",
                  "flooded", "late_us", "p99_us", "max_us");
    for (uint32_t h = 0; h < topo->host_count; h++)
        print_port(out, s, h);
    (void)fprintf(out, "%-24s %10s %10s %10s %10s %8s %8s %8s %8s %8s\n", "link", "Mb/s", "queue_B", "q_max_B",
                  "frames", "dropped", "marks", "p50_ms", "p99_ms", "max_ms");
    for (uint32_t l = 0; l < topo->link_count; l++)
        print_link(out, s, l);
    print_causes(out, s);
    print_faults(out, s);
    print_counters(out, s);
    if (s->capture_failed)
        (void)fputs("the capture could not be written whole\n", out);
}

/* ---- JSON ---- */

static void put_number(void *ctx, const char *cause, uint64_t count)
{
    weir_json_u64(ctx, cause, count);
}

static void put_causes(struct weir_json *json, const struct weir_soft_state *s)
{
    char key[KEY];
    for (int f = 0; f < WEIR_FATES; f++) {
        (void)snprintf(key, sizeof(key), "%s_by_cause", weir_fate_keys[f]);
        weir_json_open(json, key);
        each_cause(s, (enum weir_fate)f, false, put_number, json);
        weir_json_close(json);
    }
    weir_json_open(json, "floods_by_cause");
    each_cause(s, WEIR_FATE_DROPPED, true, put_number, json);
    weir_json_close(json);
}

/* Returns how many frames were dropped at the port of a host and at the switch's link to it. */
static uint64_t port_drops(const struct weir_soft_host *h, const struct weir_soft_link *l)
{
    uint64_t sum = l->drops + l->losses;
    for (uint32_t i = 0; i < WEIR_SOFT_CAUSES; i++)
        sum += h->dropped[i];
    return sum;
}

static void put_queue(struct weir_json *json, const struct weir_soft_link *l)
{
    weir_json_u64(json, "marks", l->marks);
    weir_json_u64(json, "queue_bytes", l->queue_bytes);
    weir_json_u64(json, "queue_max_bytes", l->queue_max_bytes);
    weir_json_u64(json, "queue_byte_us", l->queue_byte_us);
}

static void put_port(struct weir_json *json, const struct weir_soft_state *s, uint32_t host)
{
    const struct weir_soft_host *h = weir_soft_host(s->soft, host);
    const struct weir_soft_link *l = weir_soft_link(s->soft, weir_topology_link_to(&s->setup->topo, host));
    weir_json_open(json, NULL);
    weir_json_string(json, "host", s->site[host].host);
    weir_json_string(json, "device", s->site[host].device);
    weir_json_string(json, "by", weir_raw_kinds[weir_raw_kind(s->port[host])]);
    weir_json_u64(json, "rate_bps", s->setup->topo.link[weir_topology_link_to(&s->setup->topo, host)].rate_bps);
    weir_json_u64(json, "in_pkts", h->rx_frames);
    weir_json_u64(json, "in_bytes", h->rx_bytes);
    weir_json_u64(json, "out_pkts", h->tx_frames);
    weir_json_u64(json, "out_bytes", h->tx_bytes);
    weir_json_u64(json, "flooded", h->flooded);
    weir_json_u64(json, "pauses_sent", h->pauses_sent);
    weir_json_u64(json, "pauses_received", h->pauses_received);
    weir_json_u64(json, "dropped", port_drops(h, l));
    put_queue(json, l);
    weir_json_u64(json, "sojourn_p50_ns", weir_histogram_quantile(&l->waited_ns, 500000));
    weir_json_u64(json, "sojourn_p99_ns", weir_histogram_quantile(&l->waited_ns, 990000));
    weir_json_u64(json, "sojourn_max_ns", l->waited_ns.max);
    weir_json_u64(json, "late_mean_ns", weir_soft_late_mean_ns(h));
    weir_json_u64(json, "late_p50_ns", weir_histogram_quantile(&h->late_ns, 500000));
    weir_json_u64(json, "late_p99_ns", weir_histogram_quantile(&h->late_ns, 990000));
    weir_json_u64(json, "late_max_ns", h->late_max_ps / 1000);
    weir_json_close(json);
}

/* Writes what left a port by class, as a list in order of classes. */
static void put_classes(struct weir_json *json, const struct weir_soft_state *s, const struct weir_soft_link *l)
{
    weir_json_open_list(json, "classes");
    for (uint32_t k = 0; k < s->setup->model.classes; k++) {
        const struct weir_soft_class *c = &l->of_class[k];
        weir_json_open(json, NULL);
        weir_json_u64(json, "frames", c->frames);
        weir_json_u64(json, "waited_mean_ns", c->frames > 0 ? c->waited_ns / c->frames : 0);
        weir_json_u64(json, "waited_max_ns", c->waited_max_ns);
        weir_json_close(json);
    }
    weir_json_close_list(json);
}

static void put_link(struct weir_json *json, const struct weir_soft_state *s, uint32_t link)
{
    const struct weir_soft_link *l = weir_soft_link(s->soft, link);
    char name[LINK_NAME];
    weir_topology_link_name(&s->setup->topo, link, name, sizeof(name));
    weir_json_open(json, NULL);
    weir_json_string(json, "link", name);
    weir_json_u64(json, "rate_bps", s->setup->topo.link[link].rate_bps);
    weir_json_u64(json, "frames", l->frames);
    weir_json_u64(json, "bytes", l->bytes);
    weir_json_u64(json, "drops", l->drops);
    weir_json_u64(json, "losses", l->losses);
    put_queue(json, l);
    weir_json_u64(json, "waiting_frames", l->waiting_frames);
    weir_json_u64(json, "waited_p50_ns", weir_histogram_quantile(&l->waited_ns, 500000));
    weir_json_u64(json, "waited_p99_ns", weir_histogram_quantile(&l->waited_ns, 990000));
    weir_json_u64(json, "waited_max_ns", l->waited_ns.max);
    put_classes(json, s, l);
    weir_json_close(json);
}

static void put_counters(struct weir_json *json, const struct weir_soft_state *s)
{
    uint32_t counts;
    struct weir_feature_count *count = read_counters(s, &counts);
    char key[KEY];
    weir_json_open(json, "features");
    for (uint32_t i = 0; i < counts && count != NULL; i++) {
        (void)snprintf(key, sizeof(key), "%s.%s", count[i].feature, count[i].counter->name);
        weir_json_u64(json, key, count[i].value);
    }
    weir_json_close(json);
    free(count);
}

void weir_soft_print_json(FILE *out, const struct weir_soft_state *s)
{
    struct weir_json json = { .out = out, .levels = 2 };
    const struct weir_topology *topo = &s->setup->topo;
    weir_json_open(&json, NULL);
    weir_json_string(&json, "engine", "user");
    weir_json_decimal(&json, "seconds", s->seconds_ns, 9);
    weir_json_bool(&json, "capture_failed", s->capture_failed);
    weir_json_u64(&json, "frames_inside", weir_soft_frames(s->soft));
    weir_json_open_list(&json, "ports");
    for (uint32_t h = 0; h < topo->host_count; h++)
        put_port(&json, s, h);
    weir_json_close_list(&json);
    weir_json_open_list(&json, "links");
    for (uint32_t l = 0; l < topo->link_count; l++)
        put_link(&json, s, l);
    weir_json_close_list(&json);
    put_causes(&json, s);
    put_counters(&json, s);
    weir_json_close(&json);
    (void)fputc('\n', out);
}

static const struct weir_schema class_fields[] = {
    { .key = "frames", .text = "that left the port", .type = WEIR_SCHEMA_INTEGER },
    { .key = "waited_mean_ns", .text = "in its queue", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("waited_max_ns", INTEGER),
    { .key = NULL },
};
static const struct weir_schema class_row = { .type = WEIR_SCHEMA_OBJECT, .fields = class_fields };

static const struct weir_schema link_fields[] = {
    { .key = "link", .text = "as in the topology" },
    WEIR_FIELD("rate_bps", INTEGER),
    WEIR_FIELD("frames", INTEGER),
    WEIR_FIELD("bytes", INTEGER),
    { .key = "drops", .text = "at the port that feeds it", .type = WEIR_SCHEMA_INTEGER },
    { .key = "losses", .text = "on the wire", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("marks", INTEGER),
    { .key = "queue_bytes", .text = "now", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("queue_max_bytes", INTEGER),
    { .key = "queue_byte_us", .text = "the queue summed over time", .type = WEIR_SCHEMA_INTEGER },
    { .key = "waiting_frames", .text = "now", .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("waited_p50_ns", INTEGER),
    WEIR_FIELD("waited_p99_ns", INTEGER),
    WEIR_FIELD("waited_max_ns", INTEGER),
    { .key = "classes", .text = "priority classes, from 0 on", .type = WEIR_SCHEMA_LIST, .each = &class_row },
    { .key = NULL },
};
static const struct weir_schema link_row = { .type = WEIR_SCHEMA_OBJECT, .fields = link_fields };
static const struct weir_schema number_row = { .type = WEIR_SCHEMA_INTEGER };

#define CAUSES(name, of)                                                                                               \
    {                                                                                                                  \
        .key = (name), .text = (of), .type = WEIR_SCHEMA_OBJECT, .each = &number_row                                   \
    }
const struct weir_schema weir_soft_fields[] = {
    WEIR_FIELD("engine", STRING),
    { .key = "seconds", .text = "since the start", .type = WEIR_SCHEMA_NUMBER },
    { .key = "capture_failed", .text = "not all frames could be written", .type = WEIR_SCHEMA_BOOL },
    { .key = "frames_inside", .text = "that wait or are on a cable, now", .type = WEIR_SCHEMA_INTEGER },
    { .key = "links", .text = "with the ports that feed them", .type = WEIR_SCHEMA_LIST, .each = &link_row },
    CAUSES("drops_by_cause", "frames"),
    CAUSES("losses_by_cause", "frames"),
    CAUSES("marks_by_cause", "frames"),
    CAUSES("taken_marks_by_cause", "frames"),
    CAUSES("deflections_by_cause", "frames"),
    CAUSES("pauses_by_cause", "of a class, at a port"),
    CAUSES("floods_by_cause", "frames that went to all other hosts"),
    CAUSES("features", "counters of features"),
    { .key = NULL },
};
const struct weir_schema weir_soft_port_fields[] = {
    { .key = "pauses_sent", .text = "PFC frames to its NIC (switch.pfc_frames)", .type = WEIR_SCHEMA_INTEGER },
    { .key = "pauses_received", .text = "PFC frames from its NIC", .type = WEIR_SCHEMA_INTEGER },
    { .key = "by", .text = "how frames are received: af_xdp or tpacket" },
    { .key = "queue_byte_us", .text = "the queue summed over time", .type = WEIR_SCHEMA_INTEGER },
    { .key = "late_mean_ns",
      .text = "frames that left a switch, after their computed time; flooded ones have none",
      .type = WEIR_SCHEMA_INTEGER },
    WEIR_FIELD("late_p50_ns", INTEGER),
    WEIR_FIELD("late_p99_ns", INTEGER),
    WEIR_FIELD("late_max_ns", INTEGER),
    { .key = NULL },
};
