/* test/unit/switch/test_network.c - networks of plain switches, called by hand: 10 Gb/s everywhere, 800 ps per byte, cables
 * of 2 us. A packet of 1000 B takes 800000 ps of each link, and 2000000 ps of its cable. */
#include "test/unit/weir_test.h"
#include "setup/setup.h"
#include "switch/network.h"
#include "switch/switch.h"
#include "topology/route.h"
#include <stdlib.h>
#include <string.h>

#define RATES "host_link: 10 Gbps, core_link: 10 Gbps, host_delay: 2 us, core_delay: 2 us"
#define REST "traffic: [{kind: permutation, size: 1 KB}]\nrun: {warmup: 0 us, measure: 1 ms}\n"
#define STAR(hosts) "topology: {kind: star, hosts: " hosts ", host_link: 10 Gbps, host_delay: 2 us}\n"
enum { LINK_PS = 2800000, T = 5000000, HOSTS_MAX = 32, BLOCKS_MAX = 1024 };

static struct weir_scenario scn;
static struct weir_setup su;
static struct weir_err err;
static struct weir_switch_pool pool;
static struct weir_routes routes;
static struct weir_network *net;
static uint64_t got_ps[HOSTS_MAX]; /* when the last packet of a host came; 0 = none */
static uint32_t got_seq[HOSTS_MAX], gots, drops;
static void *block[BLOCKS_MAX];
static uint32_t blocks;

static void *grow(void *ctx, size_t size)
{
    (void)ctx;
    assert_true(blocks < BLOCKS_MAX);
    block[blocks] = calloc(1, size + 64);
    return (void *)(((uintptr_t)block[blocks++] + 63) & ~(uintptr_t)63);
}

static void on_deliver(void *ctx, uint32_t host, struct weir_switch_pkt *pkt)
{
    (void)ctx;
    assert_true(host < HOSTS_MAX);
    assert_int_equal(pkt->pkt.dst, host);
    got_ps[host] = pkt->pkt.arrival_ps;
    got_seq[host] = pkt->pkt.seq;
    gots++;
    weir_switch_pkt_give(&pool, pkt);
}

static void on_drop(void *ctx, uint32_t link, const struct weir_switch_drop *drop)
{
    (void)ctx, (void)link, (void)drop;
    drops++;
}

static const struct weir_mem mem = { .grow = grow };
static const struct weir_network_sink sink = { .deliver = on_deliver, .drop = on_drop };

static void make(const char *text)
{
    gots = drops = 0;
    memset(got_ps, 0, sizeof(got_ps));
    if (weir_scenario_parse(&scn, "test.yaml", text, strlen(text), NULL, 0, &err) != 0 ||
        weir_setup_init(&su, &scn, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(weir_routes_build(&routes, su.model.topo, su.model.routing, su.model.metric, su.model.seed, &err),
                     0);
    weir_switch_pool_init(&pool, &mem, 200, true);
    net = weir_network_init(&(struct weir_network_config){
        .model = &su.model, .routes = &routes, .pool = &pool, .sink = &sink, .mem = &mem });
    assert_non_null(net);
}

static void end(void)
{
    assert_null(weir_network_broken(net));
    weir_routes_free(&routes);
    weir_setup_free(&su);
    weir_scenario_free(&scn);
    while (blocks > 0)
        free(block[--blocks]);
}

static void send(uint64_t now_ps, uint32_t from, uint32_t to, uint32_t seq)
{
    struct weir_switch_pkt *p = weir_switch_pkt_take(&pool);
    assert_non_null(p);
    p->pkt = (struct weir_pkt){ .src = WEIR_PKT_HOST(from),
                                .dst = WEIR_PKT_HOST(to),
                                .wire_bytes = WEIR_PKT_BYTES(1000),
                                .seq = seq,
                                .kind = WEIR_PKT_DATA,
                                .flags = WEIR_PKT_ECT };
    weir_network_send(net, now_ps, from, p);
}

/* Nodes and links are items of one tree, whose leaves are a power of two. With 7, 16 and 65 items these are one more,
 * as many, and twice as many less one and one more. Each host sends to the next one, so that each link of a host has
 * something to bring. */
static void each_node_is_visited_however_many_there_are(void **state)
{
    static const struct {
        const char *text;
        uint32_t hosts, items;
    } table[] = {
        { STAR("2") REST, 2, 7 },
        { STAR("5") REST, 5, 16 },
        { "topology: {kind: leaf-spine, hosts: 16, racks: 2, spines: 3, " RATES "}\n" REST, 16, 65 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        uint32_t hosts = table[i].hosts;
        make(table[i].text);
        assert_int_equal(su.model.topo->node_count + su.model.topo->link_count, table[i].items);
        for (uint32_t h = 0; h < hosts; h++)
            send(T + h, h, (h + 1) % hosts, h);
        assert_int_equal(weir_network_next_ps(net), T);
        weir_network_run(net, T + 10 * LINK_PS);
        assert_int_equal(weir_network_next_ps(net), WEIR_NEVER);
        assert_int_equal(gots, hosts);
        for (uint32_t h = 0; h < hosts; h++) { /* by one switch, or from the last host of a rack by three */
            bool far = hosts == 16 && h % 8 == 7;
            assert_int_equal(got_seq[(h + 1) % hosts], h);
            assert_int_equal(got_ps[(h + 1) % hosts], T + h + (far ? 4 : 2) * (uint64_t)LINK_PS);
        }
        end();
    }
}

/* Called for an instant it handles that, and no later one. */
static void a_call_handles_all_up_to_its_instant(void **state)
{
    static const uint64_t arrives_ps = T + 2 * (uint64_t)LINK_PS;
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        make(STAR("2") REST);
        send(T, 0, 1, 0);
        weir_network_run(net, arrives_ps + i - 1);
        assert_int_equal(gots, i > 0);
        assert_int_equal(weir_network_next_ps(net), i > 0 ? WEIR_NEVER : arrives_ps);
        weir_network_run(net, arrives_ps + 2);
        assert_int_equal(gots, 1);
        assert_int_equal(got_ps[1], arrives_ps);
        end();
    }
}

/* Hosts 0 and 1 are at the first switch, 2 and 3 at the second. Three packets of one instant fit into the NIC of a host;
 * into a switch go two. Two hosts send three each to host 2: when the second and the third of each arrive, one packet has
 * just left, so that there is room for one of the two. */
static void hosts_wait_in_their_nics_and_switches_have_memory(void **state)
{
    (void)state;
    make("topology: {kind: dumbbell, hosts: 4, " RATES "}\nfabric: {buffer: 2 KB}\n" REST);
    assert_int_equal(su.model.topo->host_count, 4);
    for (uint32_t h = 0; h < 4; h++)
        for (uint32_t k = 0; k < 3; k++)
            send(T, h, h ^ 1, k);
    weir_network_run(net, T);
    for (uint32_t h = 0; h < 4; h++)
        assert_int_equal(weir_switch_used_bytes(weir_network_node(net, h)), 3000);
    weir_network_run(net, T + 10 * (uint64_t)LINK_PS);
    assert_int_equal(gots, 12);
    assert_int_equal(drops, 0);
    for (uint32_t k = 0; k < 6; k++)
        send(T + 20 * (uint64_t)LINK_PS, k / 3, 2, k);
    weir_network_run(net, T + 40 * (uint64_t)LINK_PS);
    assert_int_equal(drops, 2);
    assert_int_equal(gots, 12 + 4);
    assert_int_equal(got_ps[2], T + 23 * (uint64_t)LINK_PS + 3 * UINT64_C(800000));
    /* the same at the second switch */
    for (uint32_t k = 0; k < 6; k++)
        send(T + 50 * (uint64_t)LINK_PS, k < 3 ? 2 : 3, 0, k);
    weir_network_run(net, T + 70 * (uint64_t)LINK_PS);
    assert_int_equal(drops, 4);
    assert_int_equal(gots, 16 + 4);
    end();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_node_is_visited_however_many_there_are),
        cmocka_unit_test(a_call_handles_all_up_to_its_instant),
        cmocka_unit_test(hosts_wait_in_their_nics_and_switches_have_memory),
    };
    return cmocka_run_group_tests_name("switch/network", tests, NULL, NULL);
}
