/* test/unit/solve/test_offered.c - what links are offered: by hand, and against a sum over all pairs of hosts. */
#include "test/unit/sim_fixture.h"
#include "solve/network.h"
#include "solve/offered.h"
#include <math.h>

static struct weir_offered offered;
static struct weir_offered_links links;

static int end(void **state)
{
    weir_offered_links_free(&links);
    return fix_end(state);
}

static void find(const char *text)
{
    (void)fix_model(text);
    if (weir_offered_find(&offered, &fix_setup, &fix_err) != 0 || weir_offered_links(&links, &fix_setup, &fix_err) != 0)
        fail_msg("%s", fix_err.text);
}

static void assert_near(uint64_t is, double must)
{
    assert_true(fabs((double)is - must) < must * 1e-3);
}

#define RACKS                                                                                                          \
    "topology: {kind: leaf-spine, hosts: 8, racks: 2, spines: 2, host_link: 10 Gbps, core_link: 5 Gbps}\n"             \
    "run: {warmup: 0 us, measure: 1 ms}\n"

/* Four hosts of a rack send 4 / 7 of what they send to the other: 6 Gb/s of payload each, 1538 bytes for 1460, on 10 Gb/s. */
static void uplinks_carry_what_leaves_the_rack(void **state)
{
    const double share = 4 * 6.0 * 4 / 7 * 1538 / 1460 / 10;
    (void)state;
    find(RACKS "traffic: [{kind: poisson, sizes: 1460 B, load: 60%}]\n");
    assert_int_equal(offered.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_near(offered.row[i].worst_ppm, share * 1e6);
        assert_int_equal(offered.row[i].links, 4);
        assert_int_equal(offered.row[i].nodes, 2);
    }
    assert_int_equal(offered.row[0].from_tier, 1); /* of equal ones the first link: leaf 0 > spine 0 */
    assert_int_equal(offered.row[0].to_tier, 2);
    assert_int_equal(fix_setup.topo.link[offered.row[0].worst].src, 8);
    assert_near(offered.fits_ppm, 0.6 / share * 1e6);
}

static void a_load_that_fits_is_no_finding(void **state)
{
    (void)state;
    find(RACKS "traffic: [{kind: poisson, sizes: 1460 B, load: 41%}]\n");
    assert_int_equal(offered.count, 0);
    assert_int_equal(offered.fits_ppm, 0);
}

/* Small messages are mostly headers: 100 B take 178. */
static void headers_count_by_the_sizes_of_messages(void **state)
{
    (void)state;
    find("topology: {kind: star, hosts: 4, host_link: 10 Gbps}\nrun: {warmup: 0 us, measure: 1 ms}\n"
         "traffic: [{kind: poisson, sizes: 100 B, load: 60%}]\n");
    assert_int_equal(offered.count, 2);
    assert_near(offered.row[0].worst_ppm, 0.6 * 1.78 * 1e6);
    assert_int_equal(offered.row[0].links, 4);
    assert_int_equal(offered.row[0].nodes, 4);
}

static void one_receiver_of_many_has_all_of_theirs(void **state)
{
    (void)state;
    find("topology: {kind: star, hosts: 6, host_link: 10 Gbps}\nrun: {warmup: 0 us, measure: 1 ms}\n"
         "traffic: [{kind: poisson, from: 0..3, to: 5, sizes: 1460 B, load: 50%}]\n");
    assert_int_equal(offered.count, 1);
    assert_int_equal(offered.row[0].links, 1);
    assert_int_equal(offered.row[0].to_tier, 0);
    assert_int_equal(fix_setup.topo.link[offered.row[0].worst].dst, 5);
    assert_near(offered.row[0].worst_ppm, 4 * 0.5 * 1538 / 1460 * 1e6);
}

/* 1.25 million messages a second of each of four hosts: 178 bytes one way, 1538 the other. */
static void replies_are_offered_the_other_way(void **state)
{
    (void)state;
    find("topology: {kind: star, hosts: 6, host_link: 10 Gbps}\nrun: {warmup: 0 us, measure: 1 ms}\n"
         "traffic: [{kind: poisson, from: 0..3, to: 5, sizes: 100 B, load: 10%, reply: 1460 B}]\n");
    assert_int_equal(offered.count, 2);
    assert_int_equal(offered.row[0].links, 1);
    assert_int_equal(fix_setup.topo.link[offered.row[0].worst].src, 5);
    assert_near(offered.row[0].worst_ppm, 4 * 1.25 * 1538 * 8 / 10e3 * 1e6);
    assert_int_equal(offered.row[1].links, 4);
    assert_int_equal(offered.row[1].to_tier, 0);
    assert_near(offered.row[1].worst_ppm, 1.25 * 1538 * 8 / 10e3 * 1e6);
}

/* A permutation of 8 hosts, 4 in a rack: links up carry what leaves, replies of the same size as much. */
static void replies_to_lists_count_too(void **state)
{
    double up = 0, with = 0;
    for (uint32_t reply = 0; reply < 2; reply++) {
        find(reply == 0 ? RACKS "traffic: [{kind: permutation, size: 20 KB}]\n"
                        : RACKS "traffic: [{kind: permutation, size: 20 KB, reply: 20 KB}]\n");
        for (uint32_t i = 0; i < fix_setup.topo.link_count; i++)
            *(reply == 0 ? &up : &with) += links.bps[i];
        if (reply == 0)
            (void)end(state); /* of the second one the test's own */
    }
    assert_true(up > 0 && fabs(with / up - 2) < 1e-9);
}

/* 100 times 30 KB within 2 ms to one of ten hosts each; alone they are the mean of a period, whatever the moment. */
static void lists_count_by_their_bytes_over_the_run(void **state)
{
    double in = 0;
    (void)state;
    find("topology: {kind: star, hosts: 10, host_link: 10 Gbps}\nrun: {warmup: 0 us, measure: 2 ms}\n"
         "traffic: [{kind: incast, fan_in: 5, size: 29200 B, period: 100 us}]\n");
    assert_true(links.listed);
    for (uint32_t h = 0; h < 10; h++)
        in += links.bps[fix_setup.topo.link[fix_setup.topo.node[h].first_out].reverse];
    assert_near((uint64_t)in, (double)fix_setup.workload.listed_first[10] * 20 * 1538 * 8 / 2e-3);
}

/* 5 senders every 20 us to one host, 60 Gb/s. Two messages of each host at the start are as much in the mean, but end. */
static void bursts_that_end_are_no_overload(void **state)
{
    (void)state;
    find("topology: {kind: star, hosts: 10, host_link: 10 Gbps}\nrun: {warmup: 0 us, measure: 1 ms}\n"
         "traffic: [{kind: incast, to: 9, from: 0..8, fan_in: 5, size: 29200 B, period: 20 us}]\n");
    assert_int_equal(offered.count, 1);
    assert_int_equal(fix_setup.topo.link[offered.row[0].worst].dst, 9);
    assert_near(offered.row[0].worst_ppm, links.bps[offered.row[0].worst] / 10e9 * 1e6);
    (void)end(state);
    fix_has_setup = false;
    find(STAR("4") "traffic: [{kind: permutation, size: 1 MB}, {kind: permutation, size: 1 MB}]\n"
                   "run: {warmup: 0 us, measure: 1 ms}\n");
    assert_true(links.bps[0] > 1.6 * (double)fix_setup.topo.link[0].rate_bps);
    assert_int_equal(offered.count, 0);
}

static void endless_messages_ask_for_no_rate(void **state)
{
    (void)state;
    find(STAR("4") PERM("10 GB") "run: {warmup: 0 us, measure: 1 ms}\n");
    assert_int_equal(offered.count, 0);
    assert_false(links.listed);
}

#define NARROW(protocol)                                                                                               \
    "topology: {kind: dumbbell, hosts: 2, host_link: 10 Gbps, core_link: 5 Gbps}\nprotocol: " protocol                 \
    "\n" PERM("1 TB") "run: {warmup: 0 us, measure: 1 ms}\n"

/* 6 Gb/s or more into 5 Gb/s; what a window stops offers nothing. */
static void endless_flows_offer_the_least_rate_of_their_law(void **state)
{
    static const char *const none[] = { NARROW("{name: timely, min_rate: 4 Gbps}"),
                                        NARROW("{name: timely, min_rate: 6 Gbps, window: true}"),
                                        NARROW("{name: dctcp}") };
    find(NARROW("{name: timely, min_rate: 6 Gbps}"));
    assert_int_equal(offered.count, 1);
    assert_near(offered.row[0].worst_ppm, 1200000);
    assert_int_equal(offered.row[0].links, 2);
    assert_int_equal(offered.row[0].to_tier, 1);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        (void)end(state);
        (void)fix_begin(state);
        find(none[i]);
        assert_int_equal(offered.count, 0);
    }
}

static void a_run_to_its_last_message_is_offered_no_rate(void **state)
{
    (void)state;
    find(STAR("4") PERM("10 MB") RUN_ALL);
    assert_int_equal(offered.count, 0);
    assert_null(links.bps);
}

static void a_large_network_is_looked_at_by_its_hosts_alone(void **state)
{
    (void)state;
    find("topology: {kind: leaf-spine, hosts: 2048, racks: 1024, spines: 24, host_link: 10 Gbps, core_link: 1 Gbps}\n"
         "run: {warmup: 0 us, measure: 1 ms}\ntraffic: [{kind: poisson, sizes: 100 B, load: 60%}]\n");
    assert_true(offered.hosts_only);
    assert_int_equal(offered.count, 2);
    assert_int_equal(offered.row[0].links, 2048);
}

/* Each tree has its part of what goes between two racks, on the path that packets take in it. */
static void trees_carry_equal_parts_on_their_own_paths(void **state)
{
    const struct weir_topology *topo = &fix_setup.topo;
    double total = 0;
    (void)state;
    find("topology: {kind: fat-tree, k: 4, host_link: 10 Gbps, core_link: 10 Gbps}\nfabric: {routing: trees}\n"
         "run: {warmup: 0 us, measure: 1 ms}\ntraffic: [{kind: poisson, from: 0..1, to: 14..15, sizes: 1460 B, load: "
         "30%}]\n");
    for (uint32_t l = 0; l < topo->link_count; l++) { /* six links, of which four lie between switches */
        const struct weir_link *link = &topo->link[l];
        if (link->src >= topo->host_count && link->dst >= topo->host_count)
            total += links.bps[l];
    }
    assert_true(fabs(total - 4 * 6e9 * 1538 / 1460) < 1e6);
    for (uint32_t i = 0; i < topo->node[topo->edge_node[0]].out_count; i++) { /* its two uplinks, half each */
        uint32_t l = topo->node[topo->edge_node[0]].first_out + i;
        if (topo->link[l].dst >= topo->host_count)
            assert_true(fabs(links.bps[l] - 3e9 * 1538 / 1460) < 1e6);
    }
}

struct pairs { /* hosts 0 .. senders - 1 to hosts first .. last */
    uint32_t senders, first, last;
};

/* Each pair of hosts on its own, over all its paths: the solver's network does the walking. */
static void assert_sums_over(const struct pairs *p, double payload_bps)
{
    const struct weir_topology *topo = &fix_setup.topo;
    const struct weir_nics *nics = fix_setup.model.nics;
    double *must = calloc(topo->link_count, sizeof(*must));
    struct weir_routes routes;
    assert_non_null(must);
    assert_int_equal(weir_routes_build(&routes, topo, fix_setup.model.routing, fix_setup.model.metric, 0, &fix_err), 0);
    for (uint32_t src = 0; src < p->senders; src++) {
        uint32_t choices = p->last - p->first + 1 - (src >= p->first && src <= p->last);
        for (uint32_t dst = p->first; dst <= p->last; dst++) {
            struct weir_network_flow flow = { .weight = 1, .src = src, .dst = dst };
            struct weir_network net;
            if (src == dst)
                continue;
            flow.transport = nics != NULL ? weir_nics_of_pair(nics, src, dst) : 0;
            assert_int_equal(weir_network_build(&net, topo, &routes, nics, true, 1, &flow, 1, &fix_err), 0);
            for (uint32_t i = net.first[0]; i < net.first[1]; i++)
                must[net.link[i]] += payload_bps * net.share[i] / choices * 1538 / 1460;
            weir_network_free(&net);
        }
    }
    for (uint32_t l = 0; l < topo->link_count; l++)
        assert_true(fabs(links.bps[l] - must[l]) <= 1e-4 * payload_bps);
    weir_routes_free(&routes);
    free(must);
}

static void sums_agree_with_a_walk_of_each_pair(void **state)
{
    static const char *const topology[] = {
        "kind: leaf-spine, hosts: 12, racks: 3, spines: 2",
        "kind: fat-tree, k: 4",
        "kind: fat-tree, pods: 3, edges: 2, aggs: 3, uplinks: 2, edge_hosts: 2",
        "kind: dumbbell, hosts: 12",
        "kind: chain, hosts: 12, switches: 4",
    };
    static const struct pairs pairs[] = { { 12, 0, 11 }, { 5, 3, 9 }, { 7, 11, 11 } };
    for (uint32_t i = 0; i < 15; i++) {
        const struct pairs *p = &pairs[i % 3];
        char text[512];
        (void)snprintf(text, sizeof(text),
                       "topology: {%s, host_link: 10 Gbps, core_link: 10 Gbps}\nrun: {warmup: 0 us, measure: 1 ms}\n"
                       "traffic: [{kind: poisson, from: 0..%u, to: %u..%u, sizes: 1460 B, load: 30%%}]\n",
                       topology[i / 3], p->senders - 1, p->first, p->last);
        find(text);
        assert_sums_over(p, 3e9);
        (void)end(state);
        fix_has_setup = false;
    }
}

#define NICS(file, nics)                                                                                               \
    "topology: {kind: file, file: examples/networks/" file ".yaml}\nhost: {nics: " nics "}\n"                          \
    "run: {warmup: 0 us, measure: 1 ms}\n"

/* Returns the load of a link in Gb/s of payload; of DATA 1538 bytes on the wire carry 1460. */
static double load_on(const char *from, const char *to)
{
    char name[WEIR_LINK_NAME];
    uint32_t link;
    (void)snprintf(name, sizeof(name), "%s - %s", from, to);
    link = weir_topology_find_link(&fix_setup.topo, name);
    assert_int_not_equal(link, UINT32_MAX);
    return links.bps[link] / 1e9 * 1460 / 1538;
}

static void assert_load(const char *from, const char *to, double gbps)
{
    if (fabs(load_on(from, to) - gbps) > 1e-3 * gbps + 1e-6)
        fail_msg("%s > %s: %g Gb/s, not %g", from, to, load_on(from, to), gbps);
}

/* Both hosts have 200 Gb/s. By the hash all between them takes one NIC of 100; else each has half. */
static void a_host_offers_to_the_nics_that_it_chooses(void **state)
{
    static const char *const spread[] = { NICS("two-nics", "spray"), NICS("two-nics", "least-queued"),
                                          NICS("two-nics", "rail") };
    double left, right;
    char text[512];
    find(NICS("two-nics", "flow-hash") "traffic: [{kind: poisson, sizes: 1460 B, load: 60%}]\n");
    left = load_on("h0", "s0"), right = load_on("h0", "s1");
    assert_true(fabs(left + right - 120) < 0.12 && fabs(left * right) < 1e-6);
    assert_int_equal(offered.count, 2);
    assert_int_equal(offered.row[0].links, 2);
    assert_int_equal(offered.row[0].nodes, 2);
    assert_int_equal(offered.row[1].nodes, 2);
    assert_near(offered.row[0].worst_ppm, 1.2 * 1538 / 1460 * 1e6);
    assert_near(offered.fits_ppm, 0.5 * 1460 / 1538 * 1e6);
    for (size_t i = 0; i < sizeof(spread) / sizeof(spread[0]); i++) {
        (void)end(state);
        (void)fix_begin(state);
        (void)snprintf(text, sizeof(text), "%straffic: [{kind: poisson, sizes: 1460 B, load: 60%%}]\n", spread[i]);
        find(text);
        assert_load("h0", "s0", 60);
        assert_load("h0", "s1", 60);
        assert_load("s1", "h1", 60);
        assert_int_equal(offered.count, 0);
    }
}

/* 97 of 100 Gb/s of payload do not fit with their headers: four links of two hosts, each way. */
static void hosts_with_two_full_nics_count_once(void **state)
{
    (void)state;
    find(NICS("two-nics", "spray") "traffic: [{kind: poisson, sizes: 1460 B, load: 97%}]\n");
    assert_int_equal(offered.count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(offered.row[i].links, 4);
        assert_int_equal(offered.row[i].nodes, 2);
        assert_near(offered.row[i].worst_ppm, 0.97 * 1538 / 1460 * 1e6);
    }
}

/* A server sends 80 Gb/s of each GPU to the other: by the leaf of its rail, where a quarter stays; the rest goes by two
 * spines. The switches of servers have what stays in a server. */
static void servers_offer_to_rails_what_leaves_them(void **state)
{
    (void)state;
    find(NICS("servers", "flow-hash") "traffic: [{kind: poisson, from: 0..3, to: 4..7, sizes: 1460 B, load: 80%},\n"
                                      "{kind: poisson, from: 4..7, to: 4..7, sizes: 1460 B, load: 10%}]\n");
    assert_load("gpu0", "leaf0", 80);
    assert_load("leaf0", "spine0", 80 * 0.75 / 2);
    assert_load("leaf0", "spine1", 80 * 0.75 / 2);
    assert_load("spine1", "leaf3", 80 * 0.75 / 2);
    assert_load("leaf3", "gpu7", 80);
    assert_load("leaf3", "gpu3", 0);
    assert_load("gpu0", "nvswitch0", 0);
    assert_load("gpu7", "nvswitch1", 10);
    assert_load("nvswitch1", "gpu4", 10);
    assert_load("gpu7", "leaf3", 0);
    assert_int_equal(offered.count, 0);
}

/* 90 Gb/s of each of four hosts: 30 on each of its cables. */
static void without_switches_each_cable_has_its_pair(void **state)
{
    (void)state;
    find(NICS("mesh", "flow-hash") "traffic: [{kind: poisson, sizes: 1460 B, load: 90%}]\n");
    for (uint32_t l = 0; l < fix_setup.topo.link_count; l++)
        assert_true(fabs(links.bps[l] - 30e9 * 1538 / 1460) < 30e6);
}

/* 20 MB within 1 ms are more than 100 Gb/s, and less than 200: endless by one NIC, and so offers nothing. */
static void a_message_is_endless_by_the_rate_of_its_nics(void **state)
{
    (void)state;
    find(NICS("two-nics", "flow-hash") "traffic: [{kind: permutation, size: 20 MB}]\n");
    assert_false(links.listed);
    (void)end(state);
    (void)fix_begin(state);
    find(NICS("two-nics", "spray") "traffic: [{kind: permutation, size: 20 MB}]\n");
    assert_true(links.listed);
    assert_load("h0", "s0", 80);
    assert_load("s1", "h0", 80);
}

static void sums_over_nics_agree_with_a_walk_of_each_pair(void **state)
{
    static const char *const network[] = { NICS("two-nics", "flow-hash"), NICS("two-nics", "spray"),
                                           NICS("servers", "flow-hash"),  NICS("servers", "least-queued"),
                                           NICS("mesh", "flow-hash"),     NICS("mesh", "spray") };
    static const struct pairs pairs[] = {
        { 2, 0, 1 }, { 2, 0, 1 }, { 8, 0, 7 }, { 5, 3, 7 }, { 4, 0, 3 }, { 3, 1, 3 }
    };
    for (uint32_t i = 0; i < 6; i++) {
        const struct pairs *p = &pairs[i];
        char text[512];
        (void)snprintf(text, sizeof(text),
                       "%straffic: [{kind: poisson, from: 0..%u, to: %u..%u, sizes: 1460 B, load: 30%%}]\n", network[i],
                       p->senders - 1, p->first, p->last);
        find(text);
        assert_sums_over(p, i < 2 ? 60e9 : 30e9); /* a host of two planes has 200 Gb/s */
        (void)end(state);
        fix_has_setup = false;
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fix_begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(uplinks_carry_what_leaves_the_rack),
        TEST(a_load_that_fits_is_no_finding),
        TEST(headers_count_by_the_sizes_of_messages),
        TEST(one_receiver_of_many_has_all_of_theirs),
        TEST(replies_are_offered_the_other_way),
        TEST(replies_to_lists_count_too),
        TEST(lists_count_by_their_bytes_over_the_run),
        TEST(bursts_that_end_are_no_overload),
        TEST(endless_messages_ask_for_no_rate),
        TEST(endless_flows_offer_the_least_rate_of_their_law),
        TEST(a_run_to_its_last_message_is_offered_no_rate),
        TEST(a_large_network_is_looked_at_by_its_hosts_alone),
        TEST(trees_carry_equal_parts_on_their_own_paths),
        TEST(sums_agree_with_a_walk_of_each_pair),
        TEST(a_host_offers_to_the_nics_that_it_chooses),
        TEST(hosts_with_two_full_nics_count_once),
        TEST(servers_offer_to_rails_what_leaves_them),
        TEST(without_switches_each_cable_has_its_pair),
        TEST(a_message_is_endless_by_the_rate_of_its_nics),
        TEST(sums_over_nics_agree_with_a_walk_of_each_pair),
    };
    return cmocka_run_group_tests_name("solve/offered", tests, NULL, NULL);
}
