/* src/results/output/allocate_print.c - prints the result of `weir allocate` as a table, as JSON and as CSV. */
#include "output/allocate_print.h"
#include "text/format.h"
#include "text/json.h"
#include "text/version.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHOWN_FLOWS = 20, SHOWN_LINKS = 10, LABEL = 14 };

struct held {             /* a bottleneck link */
    uint32_t link, flows; /* flows: number of flows with this bottleneck */
    double level;         /* greatest rate per weight of these flows, bit/s */
};

struct spread {
    double min, median, max, sum;
};

struct summary {
    struct spread rate, level; /* level: rate per weight */
    double jain;               /* Jain's index of the rates per weight; 1 = all are equal */
    struct held *held;         /* held_count bottleneck links, lowest level first; room for all links */
    uint32_t held_count;
};

static uint64_t whole(double rate_bps)
{
    return (uint64_t)llround(rate_bps);
}

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Returns minimum, median, maximum and sum of value[], 0 if it is empty. Sorts value[] in place. */
static struct spread spread_of(double *value, uint32_t count)
{
    struct spread s = { 0 };
    if (count == 0)
        return s;
    qsort(value, count, sizeof(*value), compare_doubles);
    for (uint32_t i = 0; i < count; i++)
        s.sum += value[i];
    s.min = value[0];
    s.median = (value[(count - 1) / 2] + value[count / 2]) / 2;
    s.max = value[count - 1];
    return s;
}

static int compare_held(const void *a, const void *b)
{
    const struct held *x = a, *y = b;
    if (x->level < y->level || x->level > y->level)
        return x->level < y->level ? -1 : 1;
    return x->link < y->link ? -1 : x->link > y->link;
}

static void find_held(const struct weir_allocation *a, struct summary *s)
{
    uint32_t links = a->setup->topo.link_count;
    for (uint32_t f = 0; f < a->flows->count; f++) {
        uint32_t link = a->solution->bottleneck[f];
        if (link == WEIR_MAXMIN_NONE)
            continue;
        s->held[link].flows++;
        s->held[link].level = fmax(s->held[link].level, a->solution->rate[f] / a->flows->flow[f].weight);
    }
    for (uint32_t l = 0; l < links; l++)
        if (s->held[l].flows > 0) {
            s->held[s->held_count] = s->held[l];
            s->held[s->held_count++].link = l;
        }
    qsort(s->held, s->held_count, sizeof(*s->held), compare_held);
}

/* Computes the summary over all flows. value: scratch memory, one number per flow. s->held: on entry one zeroed entry
 * per link; on return its first s->held_count entries are the bottlenecks. */
static void summarise(const struct weir_allocation *a, double *value, struct summary *s)
{
    uint32_t count = a->flows->count;
    double squares = 0;
    for (uint32_t f = 0; f < count; f++)
        value[f] = a->solution->rate[f];
    s->rate = spread_of(value, count);
    for (uint32_t f = 0; f < count; f++) {
        value[f] = a->solution->rate[f] / a->flows->flow[f].weight;
        squares += value[f] * value[f];
    }
    s->level = spread_of(value, count);
    s->jain = squares > 0 ? s->level.sum * s->level.sum / (count * squares) : 1;
    find_held(a, s);
}

static uint32_t payload_wire(const struct weir_allocation *a)
{
    const struct weir_framing *f = &a->setup->scn->framing;
    return weir_framing_wire(f, f->payload_bytes);
}

static void print_head(FILE *out, const struct weir_allocation *a)
{
    static const char *const routing[] = { [WEIR_ROUTE_ECMP] = "a path per connection",
                                           [WEIR_ROUTE_SYMMETRIC] = "a path per connection, both ways the same",
                                           [WEIR_ROUTE_SPRAY] = "spread over all shortest paths",
                                           [WEIR_ROUTE_TREES] = "a spanning tree per connection" };
    const struct weir_setup *s = a->setup;
    (void)fprintf(out, "%-*s%s, seed %" PRIu64 "\n", LABEL, "scenario", s->scn->name, s->model.seed);
    (void)fprintf(out, "%-*s%s, %" PRIu32 " hosts, %" PRIu32 " links\n", LABEL, "network",
                  weir_topology_kinds[s->scn->topology.kind], s->topo.host_count, s->topo.link_count);
    (void)fprintf(out, "%-*s%s\n", LABEL, "routing", routing[s->model.routing]);
    if (a->options->capacity == WEIR_CAPACITY_WIRE)
        (void)fprintf(out, "%-*sall bits of a link", LABEL, "shared");
    else
        (void)fprintf(out, "%-*spayload, %" PRIu32 " of %" PRIu32 " B on the wire", LABEL, "shared",
                      s->scn->framing.payload_bytes, payload_wire(a));
    (void)fprintf(out, "%s\n", a->options->acks == WEIR_ACKS_COUNTED ? ", after acknowledgements" : "");
}

static void print_flows(FILE *out, const struct weir_allocation *a)
{
    char name[WEIR_LINK_NAME];
    uint32_t shown = a->flows->count < SHOWN_FLOWS ? a->flows->count : SHOWN_FLOWS;
    (void)fprintf(out, "\n%10s %6s %6s %12s %12s  %s\n", "flow", "src", "dst", "weight", "rate", "bottleneck");
    for (uint32_t f = 0; f < shown; f++) {
        const struct weir_network_flow *flow = &a->flows->flow[f];
        (void)fprintf(out, "%10" PRIu32 " %6" PRIu32 " %6" PRIu32 " %12.6g %12s  %s\n", a->flows->number[f], flow->src,
                      flow->dst, flow->weight, weir_format_bps(whole(a->solution->rate[f])).text,
                      weir_setup_link_name(a->setup, a->solution->bottleneck[f], name));
    }
    if (shown < a->flows->count)
        (void)fprintf(out, "  .. and %s more: --csv FILE has them all\n",
                      weir_format_grouped(a->flows->count - shown).text);
}

static void print_spread(FILE *out, const char *label, const struct spread *s)
{
    (void)fprintf(out, "%-*smin %s, median %s, max %s", LABEL, label, weir_format_bps(whole(s->min)).text,
                  weir_format_bps(whole(s->median)).text, weir_format_bps(whole(s->max)).text);
}

static void print_links(FILE *out, const struct weir_allocation *a, const struct summary *s)
{
    char name[WEIR_LINK_NAME];
    uint32_t shown = s->held_count < SHOWN_LINKS ? s->held_count : SHOWN_LINKS;
    (void)fprintf(out, "\n%10s %16s  %s\n", "flows held", "rate per weight", "bottleneck, tightest first");
    for (uint32_t i = 0; i < shown; i++)
        (void)fprintf(out, "%10" PRIu32 " %16s  %s\n", s->held[i].flows, weir_format_bps(whole(s->held[i].level)).text,
                      weir_setup_link_name(a->setup, s->held[i].link, name));
    if (shown < s->held_count)
        (void)fprintf(out, "  .. and %s more\n", weir_format_grouped(s->held_count - shown).text);
}

static double seconds(uint64_t ns)
{
    return (double)ns * 1e-9;
}

static void print_table(FILE *out, const struct weir_allocation *a, const struct summary *s)
{
    print_head(out, a);
    if (a->changes != NULL)
        weir_changes_table(out, a->changes);
    print_flows(out, a);
    print_links(out, a, s);
    (void)fprintf(out, "\n%-*s%s", LABEL, "flows", weir_format_grouped(a->flows->count).text);
    (void)fprintf(out, ", %s together\n", weir_format_bps(whole(s->rate.sum)).text);
    print_spread(out, "rate", &s->rate);
    (void)fprintf(out, "\n");
    print_spread(out, "per weight", &s->level);
    (void)fprintf(out, ", Jain's index %.4f\n", s->jain);
    if (a->solution->net.lost_count > 0)
        (void)fprintf(out, "%-*s%" PRIu32 " flows have no way to their destination\n", LABEL, "cut off",
                      a->solution->net.lost_count);
    (void)fprintf(out, "%-*severy flow has a full link on which none has more per weight, to within %.1e\n", LABEL,
                  "checked", a->solution->gap);
    if (a->timing)
        (void)fprintf(out, "%-*sscenario %.3f s, paths %.3f s, solving %.3f s\n", LABEL, "time", seconds(a->read_ns),
                      seconds(a->solution->routes_ns), seconds(a->solution->solve_ns));
}

static void put_spread(struct weir_json *json, const char *key, const struct spread *s)
{
    weir_json_open(json, key);
    weir_json_decimal(json, "min", whole(s->min), 9);
    weir_json_decimal(json, "median", whole(s->median), 9);
    weir_json_decimal(json, "max", whole(s->max), 9);
    weir_json_close(json);
}

static void put_links(struct weir_json *json, const struct weir_allocation *a, const struct summary *s)
{
    char name[WEIR_LINK_NAME];
    weir_json_open(json, "bottleneck");
    for (uint32_t i = 0; i < s->held_count; i++) {
        weir_json_open(json, weir_setup_link_name(a->setup, s->held[i].link, name));
        weir_json_u64(json, "flows", s->held[i].flows);
        weir_json_decimal(json, "rate_per_weight_gbps", whole(s->held[i].level), 9);
        weir_json_close(json);
    }
    weir_json_close(json);
}

static void put_flows(struct weir_json *json, const struct weir_allocation *a)
{
    char name[WEIR_LINK_NAME], number[16];
    weir_json_open(json, "flow");
    for (uint32_t f = 0; f < a->flows->count; f++) {
        const struct weir_network_flow *flow = &a->flows->flow[f];
        (void)snprintf(number, sizeof(number), "%" PRIu32, a->flows->number[f]);
        weir_json_open(json, number);
        weir_json_u64(json, "src", flow->src);
        weir_json_u64(json, "dst", flow->dst);
        weir_json_real(json, "weight", flow->weight);
        weir_json_decimal(json, "rate_gbps", whole(a->solution->rate[f]), 9);
        weir_json_string(json, "bottleneck",
                         a->solution->bottleneck[f] == WEIR_MAXMIN_NONE
                             ? NULL
                             : weir_setup_link_name(a->setup, a->solution->bottleneck[f], name));
        weir_json_close(json);
    }
    weir_json_close(json);
}

static void print_json(FILE *out, const struct weir_allocation *a, const struct summary *s)
{
    struct weir_json json = { .out = out };
    const struct weir_setup *setup = a->setup;
    weir_json_open(&json, NULL);
    weir_json_string(&json, "version", WEIR_VERSION);
    weir_json_string(&json, "scenario", setup->scn->name);
    weir_json_u64(&json, "seed", setup->model.seed);
    weir_json_string(&json, "topology", weir_topology_kinds[setup->scn->topology.kind]);
    weir_json_u64(&json, "hosts", setup->topo.host_count);
    weir_json_u64(&json, "links", setup->topo.link_count);
    weir_json_string(&json, "capacity", a->options->capacity == WEIR_CAPACITY_WIRE ? "wire" : "payload");
    weir_json_bool(&json, "acks", a->options->acks == WEIR_ACKS_COUNTED);
    weir_json_u64(&json, "flows", a->flows->count);
    weir_json_u64(&json, "flows_cut_off", a->solution->net.lost_count);
    weir_json_decimal(&json, "total_gbps", whole(s->rate.sum), 9);
    put_spread(&json, "rate_gbps", &s->rate);
    put_spread(&json, "rate_per_weight_gbps", &s->level);
    weir_json_real(&json, "jain", s->jain);
    weir_json_real(&json, "gap", a->solution->gap);
    if (a->timing) {
        weir_json_open(&json, "time_s");
        weir_json_decimal(&json, "scenario", a->read_ns, 9);
        weir_json_decimal(&json, "paths", a->solution->routes_ns, 9);
        weir_json_decimal(&json, "solve", a->solution->solve_ns, 9);
        weir_json_close(&json);
    }
    if (a->changes != NULL)
        weir_changes_json(&json, a->changes);
    put_links(&json, a, s);
    put_flows(&json, a);
    weir_json_close(&json);
}

int weir_allocate_print(FILE *out, const struct weir_allocation *a, struct weir_err *err)
{
    double *value = malloc(((size_t)a->flows->count + 1) * sizeof(*value));
    struct held *held = calloc(a->setup->topo.link_count, sizeof(*held));
    struct summary s = { .held = held };
    int code = 0;
    if (value == NULL || held == NULL) {
        code = weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory to sum up %" PRIu32 " flows", a->flows->count);
    } else {
        summarise(a, value, &s);
        if (a->json)
            print_json(out, a, &s);
        else
            print_table(out, a, &s);
    }
    free(value);
    free(held);
    return code;
}

void weir_allocate_csv(FILE *out, const struct weir_allocation *a)
{
    char name[WEIR_LINK_NAME];
    (void)fprintf(out, "flow,src,dst,weight,rate_gbps,bottleneck\n");
    for (uint32_t f = 0; f < a->flows->count; f++) {
        const struct weir_network_flow *flow = &a->flows->flow[f];
        (void)fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%.9g,%s,%s\n", a->flows->number[f], flow->src,
                      flow->dst, flow->weight, weir_format_decimal(whole(a->solution->rate[f]), 9).text,
                      weir_setup_link_name(a->setup, a->solution->bottleneck[f], name));
    }
}
