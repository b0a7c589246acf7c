/* test/oracle/generate_whole.c - a whole random scenario from a seed: any protocol of the registry with any of its presets, any switch
 * features that go together, any network, any traffic. The registry's tables are iterated, so that a new protocol or feature is in these
 * scenarios by itself. A scenario may still be refused before the run; that is rare, and counted. As in generate.c, every draw is a
 * statement of its own. */
#include "test/oracle/generate_whole.h"
#include "core/feature.h"
#include "core/math.h"
#include "param/param.h"
#include "hooks/features.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- protocol --- */

bool whole_preset_says(const struct whole *w, const char *key)
{
    for (uint32_t i = 0; w->preset != NULL && w->preset->values[i] != NULL; i++)
        if (strncmp(w->preset->values[i], key, strlen(key)) == 0)
            return true;
    return false;
}

static bool has_key(const struct whole *w, const char *key)
{
    return weir_param_find(w->protocol->params, key) != NULL;
}

static void choose_protocol(struct whole *w)
{
    uint32_t protocols = 0, presets = 0;
    while (weir_protocols[protocols].name != NULL)
        protocols++;
    w->protocol = &weir_protocols[gen_below(&w->g, protocols)];
    while (w->protocol->presets != NULL && w->protocol->presets[presets].name != NULL)
        presets++;
    if (presets > 0)
        w->preset = &w->protocol->presets[gen_one_in(&w->g, 2) ? gen_below(&w->g, presets) : 0];
    w->needs = weir_protocol_needs(w->protocol);
    w->g.acks = (w->needs & WEIR_NEED_NO_ACKS) == 0;
    w->g.paced = (w->needs & WEIR_NEED_GATE) != 0;
    w->g.noticed = (w->needs & WEIR_NEED_FAIR_RATE) != 0;
}

/* Choices and flags among the protocol's own keys, but for those that depend on the rest of the scenario. */
static void put_choices(struct whole *w)
{
    struct gen *g = &w->g;
    for (const struct weir_param *p = w->protocol->params; p->key != NULL; p++) {
        bool flag = p->kind == WEIR_KIND_FLAG;
        uint32_t count = flag ? 2 : 0;
        if ((!flag && p->kind != WEIR_KIND_CHOICE) || strcmp(p->key, "int") == 0 ||
            strcmp(p->key, "allow_unstable") == 0 || strcmp(p->key, "signal") == 0)
            continue;
        while (!flag && p->choices[count] != NULL)
            count++;
        if (gen_one_in(g, 4)) {
            uint32_t one = gen_below(g, count);
            gen_put(g, ", %s: %s", p->key, !flag ? p->choices[one] : one == 1 ? "true" : "false");
            w->weights |= one == 1 && strcmp(p->key, "weights") == 0;
            g->tenants |= one == 1 && strcmp(p->key, "tenants") == 0;
            g->replies |= one == 1 && strcmp(p->key, "wait_reply") == 0;
        }
    }
}

/* Keys that would be refused on a network they were not meant for are set to fit this one. */
static void put_protocol(struct whole *w)
{
    struct gen *g = &w->g;
    gen_put(g, "protocol: {name: %s", w->protocol->name);
    if (w->preset != NULL && (w->preset != w->protocol->presets || gen_one_in(g, 4)))
        gen_put(g, ", preset: %s", w->preset->name);
    if (strcmp(w->protocol->name, "sird") == 0)
        gen_put_sird(g, false);
    else
        put_choices(w);
    if (has_key(w, "int"))
        gen_put(g, ", int: %s", w->quantised ? "quantised" : "exact");
    if (has_key(w, "signal"))
        gen_put(g, ", signal: %s", w->phantom ? "phantom" : "real");
    if (w->p_rtts != 0)
        gen_put(g, ", p: %" PRIu32 ".%" PRIu32 " RTT", w->p_rtts / 10, w->p_rtts % 10);
    if (has_key(w, "link_rate"))
        gen_put(g, ", link_rate: any");
    if (has_key(w, "t_low") && w->rtt_ns >= 50000)
        gen_put(g, ", t_low: %" PRIu64 " ns", w->rtt_ns + 1000);
    if (has_key(w, "t_high") && w->rtt_ns >= 50000)
        gen_put(g, ", t_high: %" PRIu64 " ns", 2 * w->rtt_ns + 500000);
    if (has_key(w, "base_target") && w->rtt_ns >= 15000) {
        if (gen_one_in(g, 2) && w->rtt_ns < 1900000)
            gen_put(g, ", base_target: %" PRIu64 " ns", w->rtt_ns + 1000);
        else
            gen_put(g, ", base_target: auto");
    }
    if (has_key(w, "unsched_levels"))
        gen_put_levels(g, w->classes);
    if (has_key(w, "control_rtt"))
        gen_put_control_rtt(g, w->rtt_ns);
    if (has_key(w, "request_timeout") && w->rtt_ns >= 100000)
        gen_put(g, ", request_timeout: %" PRIu64 " ns", w->rtt_ns + 1000);
    if (has_key(w, "idle_timeout") && gen_one_in(g, 2)) /* so that it happens within a short run */
        gen_put(g, ", idle_timeout: %" PRIu64 " ns", 3 * w->rtt_ns);
    if (has_key(w, "connections") && gen_one_in(g, 2))
        gen_put(g, ", connections: %" PRIu32, 1 + gen_below(g, 3));
    if (has_key(w, "allow_unstable"))
        gen_put(g, ", allow_unstable: true");
    if (has_key(w, "min_weight") && w->weights) /* hardly any is less */
        gen_put(g, ", min_weight: 0.01");
    gen_put(g, "}\n");
}

/* --- topology --- */

void whole_write_file(const struct whole *w, const struct gen *file, int *fd, char *path, size_t path_bytes)
{
    gen_write_file(file, fd, path, path_bytes);
    if (w->show != NULL)
        (void)fprintf(w->show, "# %s\n%s", path, file->text);
}

static void put_five_keys(struct gen *g)
{
    uint32_t pods = 2 + gen_below(g, 2), edges = 1 + gen_below(g, 3), aggs = 1 + gen_below(g, 2);
    uint32_t uplinks = 1 + gen_below(g, 2), edge_hosts = 2 + gen_below(g, 3);
    g->kind = WEIR_FAT_TREE;
    g->hosts = pods * edges * edge_hosts;
    g->ports_max = (uint32_t)weir_max_u64(edge_hosts + aggs, weir_max_u64(edges + uplinks, pods));
    g->core_hops = 4;
    g->one_path = aggs == 1 && uplinks == 1;
    gen_draw_rates(g);
    gen_put(g,
            "topology: {kind: fat-tree, pods: %" PRIu32 ", edges: %" PRIu32 ", aggs: %" PRIu32 ", uplinks: %" PRIu32
            ", edge_hosts: %" PRIu32 ", ",
            pods, edges, aggs, uplinks, edge_hosts);
    gen_put_links(g);
}

static void put_graph(struct whole *w)
{
    static char text[TWIN_TEXT_MAX], path[64];
    static int file = -1;
    struct gen *g = &w->g, f = gen_begin(6, g->seed, text);
    f.rates = g->rates;
    gen_draw_rates(g);
    g->kind = WEIR_GRAPH;
    g->hosts = 4 + gen_below(g, 14);
    g->ports_max = g->hosts + GEN_GRAPH_CABLES_MAX;
    g->core_hops = GEN_GRAPH_SWITCHES_MAX - 1;
    g->host_ns = g->core_ns = 40000; /* the longest there are */
    gen_put_graph(&f, g->hosts, g->host_gbps * 1000000000, w->protocol->credit != NULL);
    whole_write_file(w, &f, &file, path, sizeof(path));
    gen_put(g, "topology: {kind: file, file: %s, bdp: %" PRIu32 " KB}\n", path, 20 + gen_below(g, 150));
}

static void put_topology(struct whole *w)
{
    struct gen *g = &w->g;
    uint32_t which = gen_below(g, 8);
    g->rates = w->quantised ? GEN_RATES_CODED : whole_has(w, "fair-rate") ? GEN_RATES_ROCC : GEN_RATES_ANY;
    if (which < 2)
        put_graph(w);
    else if (which == 2)
        put_five_keys(g);
    else
        gen_put_topology(g);
    /* 5 us: a full packet of 4200 B at 7 Gb/s */
    w->rtt_ns = 2 * (2 * (g->host_ns + UINT64_C(5000)) + g->core_hops * (g->core_ns + UINT64_C(5000)));
}

/* --- host, run --- */

static void put_host(struct whole *w)
{
    static const char *const reliability[] = { "selective", "go-back-n", "newreno" };
    struct gen *g = &w->g;
    g->slow_timers = whole_preset_says(w, "host.rto_min: 200 ms");
    gen_put_host(g, w->classes);
    if (w->protocol->credit == NULL && g->nic == GEN_NIC_PULL) {
        if (gen_one_in(g, 3)) /* any part of the line, mostly with a fraction of a picosecond per byte */
            gen_put(g, ", nic_rate: 0.%" PRIu32, 300 + gen_below(g, 700));
        if (g->acks && gen_one_in(g, 3)) {
            gen_put(g, ", nic_schedule: weighted");
            w->weights = w->weights || gen_one_in(g, 2);
        }
    }
    if (g->acks && w->protocol->credit == NULL) {
        if (gen_one_in(g, 4)) /* a packet or a few */
            gen_put(g, ", mark: %" PRIu32 " KB", 1 + gen_below(g, 10));
        if (gen_one_in(g, 4)) /* above reorder */
            gen_put(g, ", window: %" PRIu32, 101 + gen_below(g, 200));
        if (gen_one_in(g, 4)) {
            uint32_t interval_us = gen_below(g, 100);
            gen_put(g, ", reliability: %s, nack_interval: %" PRIu32 " us", reliability[gen_below(g, 3)], interval_us);
        }
        if (gen_one_in(g, 3))
            gen_put(g, ", ecn: rfc3168");
        if (gen_one_in(g, 4))
            gen_put(g, ", handshake: true");
        if (gen_one_in(g, 4)) /* up to a few round trips */
            gen_put(g, ", overhead: %" PRIu32 " ns", 1 + gen_below(g, 50000));
        if (!g->data_last && g->data_class + 2 <= w->classes && !whole_has(w, "wrr") &&
            (w->needs & WEIR_NEED_QDELAY) == 0 && gen_one_in(g, 2))
            gen_put(g, ", short: %" PRIu32 " KB", 1 + gen_below(g, 40));
    }
    gen_put(g, "}\n");
}

/* Tests whether lost messages would be recovered for so long that a run to the last one has no budget: dcPIM asks for them once
 * in an epoch of its rounds. (Seen: of 45,000 messages of 100 B 10,000 were unfinished after 17 ms and 1.6 million hops.) */
static bool recovers_slowly(const struct whole *w)
{
    return strcmp(w->protocol->name, "dcpim") == 0 &&
           (whole_has(w, "loss") || whole_has(w, "cable-events") || whole_has(w, "failures"));
}

enum { DRAIN_SPANS = 8 };

/* Computes the load at which the slowest link sends what waits for it within DRAIN_SPANS times the time of the traffic, if all
 * of it takes this link. A run to its last message may not have more: receivers ask again for what waits longer, and the
 * copies wait, too. Where CoDel then drops whatever has waited, nothing new arrives any more, and the queue grows until the run is
 * ended as stalled (seen: 8983 messages, 2.2 million packets sent again, 216 MB in one port). */
static uint64_t queue_budget_percent(const struct gen *g)
{
    return UINT64_C(100) * DRAIN_SPANS * weir_min_u64(g->host_gbps, g->core_gbps) / (g->hosts * g->host_gbps);
}

/* About 50,000 packet-hops. Three round trips at least, as far as four times that; then at a lower load. */
static void choose_span(struct whole *w)
{
    struct gen *g = &w->g;
    uint64_t span_us = 50 + gen_span_us(g) / 4, least_us = weir_min_u64(3 * w->rtt_ns / 1000, 4 * span_us);
    g->measure_us = weir_max_u64(span_us, least_us);
    g->load_percent = weir_clamp_u32(g->load_percent * span_us / g->measure_us, 1, g->load_percent);
    gen_bound_load(g);
    if (g->to_the_end)
        g->load_percent = weir_clamp_u32(queue_budget_percent(g), 1, g->load_percent);
}

/* Returns how long nothing may arrive. A receiver asks again after timeouts that double beyond 100 ms; rto_max bounds those of
 * senders. Where PFC has stopped a network for good, RoCC's ports go on sending notices, which wait there and are walked by
 * every tick. (Seen: 144,000 of them, and 92 % of a minute of CPU in such walks.) */
static const char *stall_of(const struct whole *w)
{
    if (w->protocol->credit != NULL)
        return "1 s";
    return w->g.noticed ? "10 ms" : "100 ms";
}

static void put_run(struct whole *w)
{
    struct gen *g = &w->g;
    char more[128] = "";
    uint32_t kb = 1 + gen_below(g, 20);
    if (w->allocation)
        (void)snprintf(more, sizeof(more), ", start: allocation");
    else if (gen_one_in(g, 4))
        (void)snprintf(more, sizeof(more), ", group_a: %" PRIu32 " KB, group_b: %" PRIu32 " KB", kb, 3 * kb);
    gen_put_run(g, stall_of(w), more);
}

/* --- names that are known once the scenario is set up: of cables, and of the features that are on --- */

/* A place of an event: a cable, named from its lower link, or every third time the node at its end. */
static void make_place(struct gen *g, const struct weir_topology *topo, char *out, size_t size)
{
    uint32_t link = weir_topology_cable(topo, gen_below(g, topo->link_count));
    char name[WEIR_LINK_NAME];
    if (gen_one_in(g, 3)) {
        uint32_t node = gen_one_in(g, 2) ? topo->link[link].src : topo->link[link].dst;
        weir_topology_node_name(topo, node, name, sizeof(name));
        (void)snprintf(out, size, "%s: '%s'", node < topo->host_count ? "host" : "switch", name);
        return;
    }
    weir_topology_link_name(topo, link, name, sizeof(name));
    *strchr(name, '>') = '-';
    (void)snprintf(out, size, "cable: '%s'", name);
}

/* Restarts of hosts, in half of the scenarios with events and without jobs, whose flows would wait for messages that are lost. */
static void put_restarts(struct whole *w, const struct weir_topology *topo)
{
    struct gen *g = &w->g;
    bool jobs = strstr(g->text, "kind: jobs") != NULL || strstr(g->text, "kind: pairs") != NULL || /* pairs are jobs */
                strstr(g->text, "kind: collective") != NULL || strstr(g->text, "kind: goal") != NULL ||
                strstr(g->text, "kind: simai") != NULL;
    uint64_t at_us = 1 + gen_below(g, (uint32_t)g->measure_us);
    for (uint32_t i = 0, n = !jobs && gen_one_in(g, 2) ? 1 + gen_below(g, 4) : 0; i < n;
         i++, at_us += 1 + gen_below(g, 80)) {
        char host[WEIR_NODE_NAME];
        weir_topology_node_name(topo, gen_below(g, topo->host_count), host, sizeof(host));
        gen_put_restart(g, at_us, host);
    }
}

/* How much delays vary: of all cables, and of one or two others. */
static void put_variation(struct whole *w, const struct weir_topology *topo)
{
    struct gen *g = &w->g;
    gen_put(g, ", delay_variation: [{up_to: %" PRIu32 " ns}", gen_below(g, 2) * gen_below(g, 3000));
    for (uint32_t i = 0, n = 1 + gen_below(g, 2); i < n; i++) {
        char name[WEIR_LINK_NAME];
        weir_topology_link_name(topo, weir_topology_cable(topo, gen_below(g, topo->link_count)), name, sizeof(name));
        *strchr(name, '>') = '-';
        gen_put(g, ", {cable: '%s', up_to: %" PRIu32 " ns}", name, gen_below(g, 9000));
    }
    gen_put(g, "]");
}

static uint64_t least_mbps(const struct weir_topology *topo)
{
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < topo->link_count; i++)
        least = weir_min_u64(least, topo->link[i].rate_bps);
    return least / 1000000;
}

/* Down and up at times that grow, of any places, often two at once; always up again where the run waits for the last message. */
static void put_events(struct whole *w, const struct weir_topology *topo)
{
    struct gen *g = &w->g;
    uint64_t at_us = 1 + gen_below(g, (uint32_t)g->measure_us);
    char before[WEIR_LINK_NAME + 16] = "";
    gen_put(g, ", reroute_delay: %" PRIu32 " us, events: [", gen_one_in(g, 2) ? 0 : gen_below(g, 60));
    for (uint32_t i = 0, n = 1 + gen_below(g, 3); i < n; i++) {
        char place[sizeof(before)];
        make_place(g, topo, place, sizeof(place));
        if (strcmp(place, before) == 0) /* no two events of a place at once */
            at_us++;
        gen_put(g, "%s{time: %" PRIu64 " us, %s, state: down", i > 0 ? ", " : "", at_us, place);
        gen_put_queue(g, place);
        at_us += 1 + gen_below(g, 100);
        if (g->to_the_end || !gen_one_in(g, 4))
            gen_put(g, ", {time: %" PRIu64 " us, %s, state: up}", at_us, place);
        if (w->protocol->cc == NULL || (w->needs & WEIR_NEED_NO_ACKS) == 0)
            gen_put_lossy(g, place, at_us);
        gen_put_slow(g, place, at_us, least_mbps(topo));
        if (i == 0)
            put_restarts(w, topo);
        at_us += gen_one_in(g, 2) ? 0 : 1 + gen_below(g, 100);
        (void)snprintf(before, sizeof(before), "%s", place);
    }
    gen_put(g, "]");
}

/* A process that makes some 10 failures, of cables or of one switch. */
static void put_failures(struct whole *w, const struct weir_topology *topo)
{
    static const char *const cables[] = { "core", "hosts", "all" };
    struct gen *g = &w->g;
    uint64_t span_us = g->measure_us + 50, parts = topo->link_count / 2;
    char name[WEIR_NODE_NAME];
    gen_put(g, ", failures: {");
    if (gen_one_in(g, 3)) {
        weir_topology_node_name(topo, topo->host_count + gen_below(g, topo->switch_count), name, sizeof(name));
        gen_put(g, "switches: '%s', ", name);
        parts = 1;
    } else {
        gen_put(g, "cables: %s, ", cables[gen_below(g, 3)]);
    }
    gen_put(g, "mtbf: %" PRIu64 " us, mttr: %" PRIu32 " us, until: %" PRIu64 " us}", span_us * parts / 10 + 1,
            1 + gen_below(g, 60), span_us);
}

/* Those with hooks in a random order. */
static void put_order(struct whole *w, const struct weir_features *features)
{
    const char **name = calloc(features->count + 1, sizeof(*name));
    uint32_t count = 0;
    WEIR_ASSERT(name != NULL);
    for (uint32_t i = 0; i < features->count; i++) {
        uint32_t j;
        if (!weir_feature_has_hooks(features->on[i].row))
            continue;
        j = gen_below(&w->g, ++count);
        name[count - 1] = name[j];
        name[j] = features->on[i].row->name;
    }
    for (uint32_t i = 0; count > 1 && i < count; i++)
        gen_put(&w->g, "%s%s%s", i == 0 ? ", order: [" : ", ", name[i], i + 1 == count ? "]" : "");
    free(name);
}

/* Set-up finds them. A scenario that is refused stays as it is, to be refused and counted by the test. */
static void put_names(struct whole *w)
{
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_err err;
    size_t used = w->g.used;
    gen_put(&w->g, "}\n");
    if (weir_scenario_parse(&scn, "whole", w->g.text, w->g.used, NULL, 0, &err) != 0)
        return;
    if (weir_setup_init(&setup, &scn, &err) == 0) {
        w->g.used = used;
        if (whole_has(w, "cable-events"))
            put_events(w, &setup.topo);
        if (whole_has(w, "failures"))
            put_failures(w, &setup.topo);
        if (whole_has(w, "delay-variation"))
            put_variation(w, &setup.topo);
        /* events may turn loss on, and a list variation, which is not known here */
        if (gen_one_in(&w->g, 2) && strstr(w->g.text, "state: loss") == NULL && !whole_has(w, "delay-variation"))
            put_order(w, &setup.model.features);
        gen_put(&w->g, "}\n");
        weir_setup_free(&setup);
    }
    weir_scenario_free(&scn);
}

void twin_generate_whole(uint64_t seed, char *text, FILE *show)
{
    struct whole w = { .g = gen_begin(5, seed, text), .show = show };
    w.on = calloc(weir_features_rows(), sizeof(*w.on));
    WEIR_ASSERT(w.on != NULL);
    choose_protocol(&w);
    whole_plan_features(&w);
    w.g.to_the_end = gen_one_in(&w.g, 6) && !recovers_slowly(&w);
    w.allocation = (w.needs & WEIR_NEED_WEIGHTS) != 0 && gen_one_in(&w.g, 3);
    put_topology(&w);
    gen_put_framing(&w.g);
    put_protocol(&w);
    gen_choose_traffic(&w.g);
    choose_span(&w);
    put_host(&w);
    whole_put_traffic(&w);
    put_run(&w);
    whole_put_fabric(&w);
    put_names(&w);
    free(w.on);
}
