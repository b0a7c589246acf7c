/* test/oracle/graph_case.c - a random graph, as a file, in place of a scenario's topology: parallel cables, unlike directions, odd cycles,
 * switches without hosts; and cables of it that go down and come up. */
#define _GNU_SOURCE 1 /* memfd_create() */
#include "core/feature.h"
#include "features/cables/cables.h"
#include "hooks/features.h"
#include "test/oracle/generate.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Nine different ones: telemetry tells 16 apart. */
static uint32_t a_rate_gbps(struct gen *g)
{
    static const uint32_t some[] = { 10, 25, 40, 100, 200, 56, 33, 7, 112 };
    static const uint32_t coded[] = { 25, 50, 100, 200, 400 };
    uint32_t rate;
    if (g->rates == GEN_RATES_CODED)
        return coded[gen_below(g, 5)];
    rate = some[gen_below(g, 9)];
    return g->rates == GEN_RATES_ROCC && rate < 10 ? 10 : rate;
}

static uint32_t a_delay_ns(struct gen *g)
{
    static const uint32_t some[] = { 100, 500, 500, 1000, 1000, 2500, 40000 };
    return gen_one_in(g, 3) ? 50 + gen_below(g, 3000) : some[gen_below(g, 7)];
}

static void put_delays(struct gen *g)
{
    gen_put(g, ", delay: %" PRIu32 " ns", a_delay_ns(g));
    if (gen_one_in(g, 3))
        gen_put(g, ", delay_back: %" PRIu32 " ns", a_delay_ns(g));
}

/* To hosts of a receiver-driven protocol no faster than from them. */
static void put_host(struct gen *g, uint32_t host, uint32_t switches, uint64_t rate_bps, bool alike)
{
    gen_put(g, "  - {a: h%" PRIu32 ", b: s%" PRIu32 ", rate: %" PRIu64 " bps", host, gen_below(g, switches), rate_bps);
    if (!alike && gen_one_in(g, 4))
        gen_put(g, ", rate_back: %" PRIu32 " Gbps", a_rate_gbps(g));
    put_delays(g);
    gen_put(g, "}\n");
}

static void put_core(struct gen *g, uint32_t a, uint32_t b)
{
    gen_put(g, "  - {a: s%" PRIu32 ", b: s%" PRIu32 ", rate: %" PRIu32 " Gbps", a, b, a_rate_gbps(g));
    if (gen_one_in(g, 3))
        gen_put(g, ", rate_back: %" PRIu32 " Gbps", a_rate_gbps(g));
    put_delays(g);
    if (gen_one_in(g, 4))
        gen_put(g, ", parallel: %" PRIu32, 2 + gen_below(g, 2));
    gen_put(g, "}\n");
}

/* A random tree of switches, and cables across it. */
void gen_put_graph(struct gen *g, uint32_t hosts, uint64_t rate_bps, bool alike)
{
    uint32_t switches = 1 + gen_below(g, GEN_GRAPH_SWITCHES_MAX);
    gen_put(g, "hosts: [h0..h%" PRIu32 "]\nswitches: [s0..s%" PRIu32 "]\ncables:\n", hosts - 1, switches - 1);
    for (uint32_t h = 0; h < hosts; h++)
        put_host(g, h, switches, rate_bps, alike);
    for (uint32_t s = 1; s < switches; s++)
        put_core(g, s, gen_below(g, s));
    for (uint32_t more = switches > 1 ? gen_below(g, switches + 1) : 0; more > 0; more--) {
        uint32_t a = gen_below(g, switches), b = gen_below(g, switches - 1);
        put_core(g, a, b + (b >= a));
    }
}

void gen_write_file(const struct gen *g, int *fd, char *path, size_t path_bytes)
{
    if (*fd < 0)
        *fd = memfd_create("generated", 0);
    if (*fd < 0 || ftruncate(*fd, 0) != 0 || pwrite(*fd, g->text, g->used, 0) != (ssize_t)g->used)
        abort();
    (void)snprintf(path, path_bytes, "/proc/self/fd/%d", *fd);
}

/* Puts a graph, by way of a file, in place of the scenario's topology. */
static void take_file(struct weir_scenario *scn, const struct gen *g, FILE *show)
{
    static int file = -1;
    gen_write_file(g, &file, scn->topology.file, sizeof(scn->topology.file));
    if (show != NULL)
        (void)fputs(g->text, show);
    scn->topology.kind = WEIR_GRAPH;
    ((struct weir_cables_config *)weir_scenario_feature(scn, "cable-events")->config)->count =
        0; /* they are of cables of the kind */
}

void twin_graph(struct weir_scenario *scn, uint64_t seed, FILE *show)
{
    static char text[TWIN_TEXT_MAX];
    struct gen g = gen_begin(3, seed, text);
    struct weir_topology kind;
    struct weir_err err;
    if (weir_topology_build(&kind, &scn->topology, NULL, &err) != 0)
        abort();
    gen_put_graph(&g, kind.host_count, kind.host_link_bps, scn->protocol->credit != NULL);
    take_file(scn, &g, show);
    scn->routing.metric = gen_below(&g, 2);
    if (scn->routing.mode == WEIR_ROUTE_TREES)
        scn->routing.metric = WEIR_METRIC_HOPS; /* trees have no other */
    weir_topology_free(&kind);
}

/* ---- hosts with several NICs ---- */

struct planes {                      /* networks side by side */
    uint32_t count, hosts, switches; /* switches of each */
    uint64_t rate_bps;
    bool alike; /* both directions of a host's cable */
};

static void put_nic(struct gen *g, const struct planes *p, uint32_t host, uint32_t plane)
{
    gen_put(g, "  - {a: h%" PRIu32 ", b: p%" PRIu32 "s%" PRIu32 ", rate: %" PRIu64 " bps", host, plane,
            gen_below(g, p->switches), gen_one_in(g, 4) ? p->rate_bps / 2 : p->rate_bps);
    if (!p->alike && gen_one_in(g, 6))
        gen_put(g, ", rate_back: %" PRIu32 " Gbps", a_rate_gbps(g));
    put_delays(g);
    gen_put(g, "}\n");
}

/* Every host is in each network once; or in the first one, and anywhere else or nowhere. */
static void put_nics(struct gen *g, const struct planes *p, bool regular)
{
    for (uint32_t h = 0; h < p->hosts; h++) {
        uint32_t more = regular ? 0 : gen_below(g, 8 - p->count);
        for (uint32_t plane = 0; plane < p->count; plane++)
            if (regular || plane == 0 || gen_one_in(g, 2))
                put_nic(g, p, h, plane);
        for (; more > 0 && gen_one_in(g, 2); more--)
            put_nic(g, p, h, gen_below(g, p->count));
        if (!regular && h % 2 != 0 && gen_one_in(g, 4)) {
            gen_put(g, "  - {a: h%" PRIu32 ", b: h%" PRIu32 ", rate: %" PRIu64 " bps", h - 1, h, 2 * p->rate_bps);
            put_delays(g);
            gen_put(g, "}\n");
        }
    }
}

static void put_plane(struct gen *g, const struct planes *p, uint32_t plane)
{
    for (uint32_t s = 1; s < p->switches; s++) {
        gen_put(g, "  - {a: p%" PRIu32 "s%" PRIu32 ", b: p%" PRIu32 "s%" PRIu32 ", rate: %" PRIu64 " bps", plane, s,
                plane, gen_below(g, s), (1 + gen_below(g, 2)) * p->rate_bps);
        put_delays(g);
        gen_put(g, "%s}\n", gen_one_in(g, 3) ? ", parallel: 2" : "");
    }
}

void twin_nics(struct weir_scenario *scn, uint64_t seed, FILE *show)
{
    static char text[TWIN_TEXT_MAX];
    struct gen g = gen_begin(5, seed, text);
    struct planes p = { .count = 1 + gen_below(&g, 4),
                        .switches = 1 + gen_below(&g, 4),
                        .alike = scn->protocol->credit != NULL };
    bool regular = gen_one_in(&g, 2);
    struct weir_topology kind;
    struct weir_err err;
    if (weir_topology_build(&kind, &scn->topology, NULL, &err) != 0)
        abort();
    p.hosts = kind.host_count;
    p.rate_bps = kind.host_link_bps;
    gen_put(&g, "hosts: [h0..h%" PRIu32 "]\nswitches: [", p.hosts - 1);
    for (uint32_t plane = 0; plane < p.count; plane++)
        gen_put(&g, "%sp%" PRIu32 "s0..p%" PRIu32 "s%" PRIu32, plane > 0 ? ", " : "", plane, plane, p.switches - 1);
    gen_put(&g, "]\ncables:\n");
    put_nics(&g, &p, regular);
    for (uint32_t plane = 0; plane < p.count; plane++)
        put_plane(&g, &p, plane);
    take_file(scn, &g, show);
    scn->routing.metric = WEIR_METRIC_HOPS;
    if (weir_routing_is_symmetric(scn->routing.mode))
        scn->routing.mode = WEIR_ROUTE_ECMP;
    scn->host.nics = gen_below(&g, 4);
    if (scn->host.nics == WEIR_NICS_RAIL && !regular)
        scn->host.nics = WEIR_NICS_FLOW_HASH;
    if (scn->host.nics == WEIR_NICS_LEAST_QUEUED && scn->host.nic_queue != WEIR_NIC_PULL)
        scn->host.nics = WEIR_NICS_SPRAY;
    if (show != NULL)
        (void)fprintf(show, "# host.nics: %u\n", (unsigned)scn->host.nics);
    weir_topology_free(&kind);
}

static int compare_rates(const void *a, const void *b)
{
    const struct weir_rate_step *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    return x->cable < y->cable ? -1 : x->cable > y->cable;
}

/* Cables that become slow, and as fast as before or as one direction of them; never one twice at an instant. */
static void put_rates(struct gen *g, struct weir_setup *s, uint64_t span_ps)
{
    enum { STEPS_MAX = 8 };
    static struct weir_rate_step step[STEPS_MAX];
    struct weir_model *m = &s->model;
    uint32_t count = gen_one_in(g, 3) ? 1 + gen_below(g, STEPS_MAX) : 0,
             few = gen_one_in(g, 2) ? 2 : s->topo.link_count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t link = weir_topology_cable(&s->topo, gen_below(g, few));
        uint64_t bps = s->topo.link[link].rate_bps / 20 * (1 + gen_below(g, 20));
        step[i] = (struct weir_rate_step){ .at_ps = 1 + weir_rng_next(&g->rng) % span_ps, .bps = bps, .cable = link };
    }
    qsort(step, count, sizeof(*step), compare_rates);
    m->rate = step;
    m->rate_count = count;
}

static int compare_events(const void *a, const void *b)
{
    const struct weir_cable_event *x = a, *y = b;
    if (x->at_ps != y->at_ps)
        return x->at_ps < y->at_ps ? -1 : 1;
    return x->link < y->link ? -1 : x->link > y->link;
}

/* Different cables, each down once and up again: a run to the last message then comes to its end. Two of them may go down at once. */
void twin_graph_events(struct weir_setup *s, uint64_t seed)
{
    static char none[1];
    static struct weir_cable_event event[WEIR_CABLE_EVENTS_MAX];
    struct gen g = gen_begin(4, seed, none);
    struct weir_model *m = &s->model;
    uint64_t span_ps = m->until_done ? 300 * WEIR_PS_PER_US : m->warmup_ps + m->measure_ps, at_ps = 0;
    uint32_t cables = gen_one_in(&g, 3) ? 1 + gen_below(&g, 3) : 0, count = 0;
    for (uint32_t i = 0; i < cables; i++) {
        uint32_t link = gen_below(&g, s->topo.link_count);
        link = link < s->topo.link[link].reverse ? link : s->topo.link[link].reverse;
        for (uint32_t j = 0; j < count; j++)
            if (event[j].link == link)
                return;
        at_ps = i > 0 && gen_one_in(&g, 2) ? at_ps : 1 + weir_rng_next(&g.rng) % span_ps;
        event[count++] = (struct weir_cable_event){ .at_ps = at_ps, .link = link, .flush = gen_one_in(&g, 2) };
        event[count++] = (struct weir_cable_event){ .at_ps = at_ps + (1 + gen_below(&g, 100)) * WEIR_PS_PER_US,
                                                    .link = link,
                                                    .up = true };
    }
    qsort(event, count, sizeof(*event), compare_events);
    m->event = event;
    m->event_count = count;
    put_rates(&g, s, span_ps);
    if (count + m->rate_count > 0 && weir_features_find(&m->features, weir_cables_feature.name) == NULL)
        weir_features_add(&m->features, &weir_cables_feature, NULL, &(struct weir_feature_plan){ 0 });
}
