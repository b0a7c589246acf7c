/* test/prop/test_files.c - random networks and lists of flows, written in the forms of other simulators and in Weir's own: read back they are
 * the same. */
#define _GNU_SOURCE 1 /* memfd_create() */
#include "test/unit/weir_test.h"
#include "config/jobs_file.h"
#include "config/topology_file.h"
#include "core/rng.h"
#include "param/param.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { FORMS = 2, TEXT = 1 << 16, NODES = 40, FLOWS = 60 };

static struct weir_rng rng;

struct text { /* a file that only this process sees */
    char bytes[TEXT], path[WEIR_TEXT_MAX];
    size_t used;
    int fd;
};
static struct text mine, theirs;

static int start(void **state)
{
    (void)state;
    rng = (struct weir_rng){ .key = weir_rng_key(20260101, 0, WEIR_RNG_TEST, 0) };
    print_message("seed 20260101\n");
    mine.fd = memfd_create("mine", 0);
    theirs.fd = memfd_create("theirs", 0);
    assert_true(mine.fd >= 0 && theirs.fd >= 0);
    return 0;
}

static int end(void **state)
{
    (void)state;
    (void)close(mine.fd);
    (void)close(theirs.fd);
    return 0;
}

static uint32_t below(uint32_t n)
{
    return weir_rng_below(weir_rng_next(&rng), n);
}

__attribute__((format(printf, 2, 3))) static void put(struct text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int length = vsnprintf(t->bytes + t->used, sizeof(t->bytes) - t->used, format, args);
    va_end(args);
    assert_true(length >= 0 && (size_t)length < sizeof(t->bytes) - t->used);
    t->used += (size_t)length;
}

static void save(struct text *t)
{
    assert_int_equal(ftruncate(t->fd, 0), 0);
    assert_int_equal(pwrite(t->fd, t->bytes, t->used, 0), t->used);
    (void)snprintf(t->path, sizeof(t->path), "/proc/self/fd/%d", t->fd);
}

static void blanks(struct text *t) /* that no reader may mind */
{
    static const char *const some[] = { "\n", "\r\n", " \n", "\t\r\n", "\n\n" };
    put(t, "%s", some[below(5)]);
}

/* --- networks --- */

static void load(struct weir_topology *topo, struct text *t, uint32_t format)
{
    struct weir_topology_config cfg = { .kind = WEIR_GRAPH, .format = format };
    struct weir_err err;
    save(t);
    memcpy(cfg.file, t->path, sizeof(cfg.file));
    if (weir_topology_load(topo, &cfg, NULL, NULL, &err) != 0)
        fail_msg("%u:%u: %s in %s", err.line, err.col, err.text, t->bytes);
}

static void assert_same_network(const struct weir_topology *a, const struct weir_topology *b)
{
    assert_int_equal(a->host_count, b->host_count);
    assert_int_equal(a->switch_count, b->switch_count);
    assert_int_equal(a->link_count, b->link_count);
    for (uint32_t l = 0; l < a->link_count; l++) {
        assert_int_equal(a->link[l].src, b->link[l].src);
        assert_int_equal(a->link[l].dst, b->link[l].dst);
        assert_int_equal(a->link[l].reverse, b->link[l].reverse);
        assert_true(a->link[l].rate_bps == b->link[l].rate_bps && a->link[l].delay_ps == b->link[l].delay_ps);
    }
}

static void put_hpcc_link(uint32_t a, uint32_t b, uint32_t mbps, uint32_t ns)
{
    put(&theirs, "%" PRIu32 "%s%" PRIu32 " ", a, below(3) == 0 ? "\t" : " ", b);
    if (below(2) == 0)
        put(&theirs, "%" PRIu32 "000000.0 ", mbps);
    else
        put(&theirs, "%" PRIu32 ".%03" PRIu32 "Gbps ", mbps / 1000, mbps % 1000);
    if (below(2) == 0)
        put(&theirs, "%" PRIu32 "ns 0", ns);
    else
        put(&theirs, "0.%06" PRIu32 "ms 0.000000", ns);
    blanks(&theirs);
}

/* Ids of hosts and switches are mixed. id[]: of node n of the graph, hosts first */
static uint32_t mix_ids(uint32_t hosts, uint32_t switches, uint32_t *id)
{
    uint32_t host = 0, sw = 0;
    for (uint32_t i = 0; i < hosts + switches; i++) {
        bool is_host = sw == switches || (host < hosts && below(2) == 0);
        id[is_host ? host++ : hosts + sw++] = i;
    }
    return hosts + switches;
}

static void put_cable(const uint32_t *id, uint32_t hosts, uint32_t a, uint32_t b)
{
    uint32_t ns = 1 + below(999999), mbps = a < hosts ? 25000 : 1000 + 500 * below(900);
    put(&mine, "  - {a: n%" PRIu32 ", b: n%" PRIu32 ", rate: %" PRIu32 " Mbps, delay: %" PRIu32 " ns}\n", a, b, mbps,
        ns);
    put_hpcc_link(id[a], id[b], mbps, ns);
}

/* Further NICs of hosts, by cables to a switch or to the next host. */
static void put_nics(const uint32_t *id, uint32_t hosts, uint32_t switches, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t h = below(hosts);
        put_cable(id, hosts, h, h + 1 < hosts && below(4) == 0 ? h + 1 : hosts + below(switches));
    }
}

/* A tree of switches, cables across it, hosts at any of them, some with several NICs; ids in any order, listed over several lines. Every
 * third file is SimAI's: one server, of whose switches some are NVSwitches. */
static void networks_in_hpccs_form_are_the_same_graph(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        struct weir_topology a, b;
        uint32_t switches = 1 + below(8), hosts = 2 + below(20), more = switches > 1 ? below(6) : 0, id[NODES] = { 0 };
        uint32_t nodes = mix_ids(hosts, switches, id), nics = below(2) == 0 ? below(6) : 0,
                 nvswitches = below(switches);
        mine.used = theirs.used = 0;
        put(&mine, "hosts: [n0..n%" PRIu32 "]\nswitches: [n%" PRIu32 "..n%" PRIu32 "]\ncables:\n", hosts - 1, hosts,
            nodes - 1);
        if (round % 3 == 0)
            put(&theirs, "%" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32 " A100", nodes, hosts, nvswitches,
                switches - nvswitches, nodes - 1 + more + nics);
        else
            put(&theirs, "%" PRIu32 " %" PRIu32 " %" PRIu32, nodes, switches, nodes - 1 + more + nics);
        blanks(&theirs);
        for (uint32_t s = 0; s < switches; s++)
            put(&theirs, "%" PRIu32 "%s", id[hosts + s], below(3) == 0 || s + 1 == switches ? "\n" : " ");
        for (uint32_t h = 0; h < hosts; h++)
            put_cable(id, hosts, h, hosts + below(switches));
        put_nics(id, hosts, switches, nics);
        for (uint32_t s = 1; s < switches; s++)
            put_cable(id, hosts, hosts + s, hosts + below(s));
        for (uint32_t i = 0; i < more; i++) {
            uint32_t s = below(switches);
            put_cable(id, hosts, hosts + s, hosts + (s + 1 + below(switches - 1)) % switches);
        }
        load(&a, &mine, WEIR_TOPOLOGY_AUTO);
        load(&b, &theirs, round % 2 == 0 ? WEIR_TOPOLOGY_AUTO : WEIR_TOPOLOGY_HPCC);
        assert_same_network(&a, &b);
        for (uint32_t h = 0; h < hosts; h++)
            assert_int_equal(b.host_id != NULL ? b.host_id[h] : h, id[h]);
        weir_topology_free(&a);
        weir_topology_free(&b);
    }
}

struct tree {                                                  /* htsim's numbers */
    uint32_t pods, tors, aggs, hosts, cores, bundle1, bundle2; /* tors, aggs: of a pod; hosts: of a tor */
    uint32_t gbps[3], link_ns[3], switch_ns[3];
};

static void put_tier(const struct tree *t, uint32_t tier, uint32_t down, uint32_t up, uint32_t bundle, uint32_t over)
{
    put(&theirs, "Tier %" PRIu32, tier);
    blanks(&theirs);
    put(&theirs, "%s %" PRIu32 "\nRADIX_DOWN %" PRIu32 "\ndownlink_latency_ns %" PRIu32,
        below(2) ? "Downlink_speed_Gbps" : "downlink_SPEED_gbps", t->gbps[tier], down, t->link_ns[tier]);
    blanks(&theirs);
    if (up > 0)
        put(&theirs, "Radix_Up %" PRIu32 "\nOversubscribed %" PRIu32 "\n", up, over);
    if (bundle > 1 || below(2) == 0)
        put(&theirs, "Bundle %" PRIu32 "\n", bundle);
    if (t->switch_ns[tier] > 0)
        put(&theirs, "Switch_Latency_ns %" PRIu32 "\n", t->switch_ns[tier]);
}

static void put_topo(const struct tree *t, bool three, uint32_t over0, uint32_t over1)
{
    put(&theirs, "# a tree\nNodes %" PRIu32 "\nTiers %d\nPodsize %" PRIu32 "\n", t->pods * t->tors * t->hosts,
        three ? 3 : 2, t->tors * t->hosts);
    put_tier(t, 0, t->hosts, t->aggs * t->bundle1, 1, over0);
    put_tier(t, 1, t->tors * t->bundle1, three ? t->cores * t->bundle2 : 0, t->bundle1, over1);
    if (three)
        put_tier(t, 2, t->pods * t->bundle2, 0, t->bundle2, 1);
}

static void put_tree_cable(const struct tree *t, uint32_t below_it, uint32_t above, uint32_t tier, uint32_t parallel)
{
    put(&mine,
        "  - {a: n%" PRIu32 ", b: n%" PRIu32 ", rate: %" PRIu32 " Gbps, delay: %" PRIu32 " ns, delay_back: %" PRIu32
        " ns, parallel: %" PRIu32 "}\n",
        below_it, above, t->gbps[tier], t->link_ns[tier] + t->switch_ns[tier],
        t->link_ns[tier] + (tier > 0 ? t->switch_ns[tier - 1] : 0), parallel);
}

static void put_tree(const struct tree *t, bool three)
{
    uint32_t hosts = t->pods * t->tors * t->hosts, tor = hosts, agg = tor + t->pods * t->tors;
    uint32_t core = agg + t->pods * t->aggs, last = core + (three ? t->aggs * t->cores : 0) - 1;
    put(&mine, "hosts: [n0..n%" PRIu32 "]\nswitches: [n%" PRIu32 "..n%" PRIu32 "]\ncables:\n", hosts - 1, hosts, last);
    for (uint32_t h = 0; h < hosts; h++)
        put_tree_cable(t, h, tor + h / t->hosts, 0, 1);
    for (uint32_t i = 0; i < t->pods * t->tors; i++)
        for (uint32_t a = 0; a < t->aggs; a++)
            put_tree_cable(t, tor + i, agg + i / t->tors * t->aggs + a, 1, t->bundle1);
    for (uint32_t a = 0; three && a < t->pods * t->aggs; a++)
        for (uint32_t c = 0; c < t->cores; c++)
            put_tree_cable(t, agg + a, core + a % t->aggs + c * t->aggs, 2, t->bundle2);
}

static void htsims_trees_are_the_graphs_they_stand_for(void **state)
{
    (void)state;
    for (int round = 0; round < 60; round++) {
        bool three = below(2) == 0;
        uint32_t over0 = 1 + below(3), over1 = 1 + below(2);
        struct tree t = { .pods = three ? 1 + below(4) : 1,
                          .aggs = 1 + below(3),
                          .bundle1 = 1 + below(2),
                          .bundle2 = 1 + below(2),
                          .cores = 1 + below(3) };
        struct weir_topology a, b;
        t.hosts = over0 * t.aggs * t.bundle1;
        t.tors = three ? over1 * t.cores * t.bundle2 : 1 + below(4);
        if (three && t.tors * t.bundle1 != over1 * t.cores * t.bundle2)
            t.bundle1 = 1, t.hosts = over0 * t.aggs; /* the oversubscription above is in ports */
        for (int i = 0; i < 3; i++) {
            t.gbps[i] = 10 + below(400);
            t.link_ns[i] = 1 + below(2000);
            t.switch_ns[i] = below(2) * below(500);
        }
        if (t.pods * t.tors * t.hosts < 2)
            continue;
        mine.used = theirs.used = 0;
        put_topo(&t, three, over0, over1);
        put_tree(&t, three);
        load(&a, &mine, WEIR_TOPOLOGY_AUTO);
        load(&b, &theirs, round % 2 == 0 ? WEIR_TOPOLOGY_AUTO : WEIR_TOPOLOGY_HTSIM);
        assert_same_network(&a, &b);
        weir_topology_free(&a);
        weir_topology_free(&b);
    }
}

/* --- flows --- */

struct flow {
    uint32_t src, dst;
    uint64_t bytes, start_ns; /* bytes: a multiple of 1460, for YAPS */
};

static void put_seconds(struct text *t, uint64_t ns)
{
    put(t, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

static void put_flow(enum weir_flow_format form, const struct flow *f, uint32_t i, uint64_t gap_ns)
{
    struct text *t = &theirs;
    switch (form) {
    case WEIR_FLOWS_HTSIM:
        put(t, "%" PRIu32 "->%" PRIu32 " size %" PRIu64 " id %" PRIu32 " start %" PRIu64 ".%03" PRIu64, f->src, f->dst,
            f->bytes, i + 1, f->start_ns / 1000, f->start_ns % 1000);
        break;
    case WEIR_FLOWS_HPCC:
    case WEIR_FLOWS_CONWEAVE:
        put(t, "%" PRIu32 " %" PRIu32 " 3 %s%" PRIu64 " ", f->src, f->dst, form == WEIR_FLOWS_HPCC ? "100 " : "",
            f->bytes);
        put_seconds(t, f->start_ns);
        break;
    case WEIR_FLOWS_HOMA:
        put(t, "%" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64 "e-9", f->src, f->dst, f->bytes, gap_ns);
        break;
    case WEIR_FLOWS_YAPS:
        put(t, "%" PRIu32 " ", i);
        put_seconds(t, f->start_ns);
        put(t, " 0 0 %" PRIu64 " 0 0 %" PRIu32 " %" PRIu32, f->bytes / 1460, f->src, f->dst);
        break;
    default:
        put(t, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64, i, f->src, f->dst, f->bytes, f->start_ns);
        break;
    }
    blanks(t);
}

static void put_list(enum weir_flow_format form, const struct flow *flow, uint32_t count, uint32_t hosts)
{
    theirs.used = 0;
    if (form == WEIR_FLOWS_HTSIM)
        put(&theirs, "Connections %" PRIu32 "\nNodes %" PRIu32 "\n", count, hosts);
    else if (form == WEIR_FLOWS_HPCC || form == WEIR_FLOWS_CONWEAVE)
        put(&theirs, "%" PRIu32 "  \n", count);
    else if (form == WEIR_FLOWS_PARSIMON)
        put(&theirs, "id,src,dst,size,start\n");
    for (uint32_t i = 0; i < count; i++)
        put_flow(form, &flow[i], i, flow[i].start_ns - (i > 0 ? flow[i - 1].start_ns : 0));
    save(&theirs);
}

static void read_flows(struct weir_workload *wl, struct weir_traffic_config *item, const struct text *t,
                       uint32_t format, uint32_t hosts)
{
    const struct weir_workload_limits limits = {
        .hosts = hosts, .host_rate_bps = 1000000000, .end_ps = WEIR_NEVER, .seed = 1
    };
    struct weir_err err;
    weir_param_defaults(weir_traffic_params, item);
    item->kind = WEIR_TRAFFIC_FLOWS;
    item->format = format;
    item->start_unit = strstr(t->bytes, "->") != NULL && t == &theirs ? WEIR_START_UNIT_US : WEIR_START_UNIT_NONE;
    memcpy(item->file, t->path, sizeof(item->file));
    if (weir_workload_build(wl, item, 1, &limits, NULL, &err) != 0)
        fail_msg("%u:%u: %s", err.line, err.col, err.text);
}

static void assert_same_flows(const struct weir_workload *a, const struct weir_workload *b, uint32_t hosts)
{
    for (uint32_t h = 0; h <= hosts; h++)
        assert_int_equal(a->listed_first[h], b->listed_first[h]);
    for (uint64_t i = 0; i < a->listed_first[hosts]; i++) {
        assert_int_equal(a->listed[i].dst, b->listed[i].dst);
        assert_int_equal(a->listed[i].tag, b->listed[i].tag);
        assert_true(a->listed[i].bytes == b->listed[i].bytes && a->listed[i].start_ps == b->listed[i].start_ps);
    }
}

static void lists_in_every_form_are_the_same_flows(void **state)
{
    struct flow flow[FLOWS];
    (void)state;
    for (int round = 0; round < 40; round++) {
        uint32_t hosts = 2 + below(30), count = 1 + below(FLOWS);
        uint64_t now_ns = below(2) * UINT64_C(2000000000);
        struct weir_traffic_config item[FORMS];
        struct weir_workload a = { 0 }, b = { 0 };
        mine.used = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t src = below(hosts);
            now_ns += (uint64_t)below(2) * below(100000);
            flow[i] = (struct flow){ src, (src + 1 + below(hosts - 1)) % hosts, UINT64_C(1460) * (1 + below(2000000)),
                                     now_ns };
            put(&mine, "%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 " ns\n", flow[i].src, flow[i].dst, flow[i].bytes,
                flow[i].start_ns);
        }
        save(&mine);
        read_flows(&a, &item[0], &mine, WEIR_FLOWS_AUTO, hosts);
        for (uint32_t form = WEIR_FLOWS_HTSIM; form <= WEIR_FLOWS_PARSIMON; form++) {
            put_list((enum weir_flow_format)form, flow, count, hosts);
            read_flows(&b, &item[1], &theirs, below(2) == 0 ? form : WEIR_FLOWS_AUTO, hosts);
            assert_same_flows(&a, &b, hosts);
            weir_workload_free(&b);
        }
        weir_workload_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_in_hpccs_form_are_the_same_graph),
        cmocka_unit_test(htsims_trees_are_the_graphs_they_stand_for),
        cmocka_unit_test(lists_in_every_form_are_the_same_flows),
    };
    return cmocka_run_group_tests_name("prop/files", tests, start, end);
}
