/* test/unit/switch/switch_fixture.h - one plain switch from scenario text, called by hand, and what its sink is notified
 * of: 10 Gb/s, 800 ps per byte, so a packet of 1000 B takes 800000 ps. */
#ifndef WEIR_TEST_SWITCH_FIXTURE_H
#define WEIR_TEST_SWITCH_FIXTURE_H
#include "test/unit/weir_test.h"
#include "core/cause.h"
#include "core/feature.h"
#include "hooks/chain.h"
#include "measure/causes.h"
#include "model/account.h"
#include "setup/setup.h"
#include "switch/switch.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define STAR(hosts) "topology: {kind: star, hosts: " hosts ", host_link: 10 Gbps, host_delay: 2 us}\n"
#define REST "traffic: [{kind: permutation, size: 1 KB}]\nrun: {warmup: 0 us, measure: 1 ms}\n"
enum { KB_PS = 800000, T = 5000000, LOG_MAX = 64, BLOCKS_MAX = 256 };

struct event {        /* what the sink was told, in order */
    const char *what; /* "sent", "control", or the name of a fate's cause */
    uint64_t at_ps, end_ps;
    uint32_t port, seq, flags;
};

static struct weir_scenario scn;
static struct weir_setup su;
static struct weir_err err;
static struct weir_switch_pool pool;
static struct weir_routes routes;
static struct weir_switch_sink sink;
static struct weir_switch *sw;
static struct event got[LOG_MAX];
static uint32_t gots;
static struct weir_switch_pkt *control; /* the last control frame that was sent */
static void *block[BLOCKS_MAX];
static uint32_t blocks;

static inline void *grow(void *ctx, size_t size)
{
    (void)ctx;
    assert_true(blocks < BLOCKS_MAX);
    block[blocks] = calloc(1, size + 64);
    return (void *)(((uintptr_t)block[blocks++] + 63) & ~(uintptr_t)63);
}

static const struct weir_mem mem = { .grow = grow };

static inline void note(struct event e)
{
    assert_true(gots < LOG_MAX);
    got[gots++] = e;
}

static inline void on_send(void *ctx, const struct weir_switch_sent *s)
{
    (void)ctx;
    note((struct event){ s->is_control ? "control" : "sent", s->start_ps, s->end_ps, s->port, s->pkt->pkt.seq,
                         s->pkt->pkt.flags });
    if (s->is_control)
        control = s->pkt;
    else
        weir_switch_pkt_give(&pool, s->pkt);
}

static inline void on_drop(void *ctx, const struct weir_switch_drop *d)
{
    struct weir_cause cause = weir_cause_of(&su.model.features, d->cause);
    (void)ctx;
    assert_int_equal(cause.rule->fate, d->fate);
    note((struct event){ cause.rule->name, d->now_ps, 0, d->port, d->pkt->pkt.seq, d->pkt->pkt.flags });
}

static inline void on_decided(void *ctx, uint32_t port, enum weir_fate fate, uint32_t cause)
{
    (void)ctx;
    assert_int_equal(weir_cause_of(&su.model.features, cause).rule->fate, fate);
    note((struct event){ .what = weir_cause_of(&su.model.features, cause).rule->name, .port = port });
}

/* Makes a node of the text's network: the switch, which has the number of hosts, or a host's NIC. */
static inline void make(const char *text, uint32_t node, uint32_t most, bool nic_waits)
{
    if (weir_scenario_parse(&scn, "test.yaml", text, strlen(text), NULL, 0, &err) != 0 ||
        weir_setup_init(&su, &scn, &err) != 0)
        fail_msg("%s", err.text);
    assert_int_equal(weir_routes_build(&routes, su.model.topo, su.model.routing, su.model.metric, su.model.seed, &err),
                     0);
    weir_switch_pool_init(&pool, &mem, most, weir_switch_needs_more(&su.model));
    sink = (struct weir_switch_sink){ .send = on_send, .drop = on_drop, .decided = on_decided };
    sw = weir_switch_init(&(struct weir_switch_config){
        .model = &su.model, .node = node, .pool = &pool, .sink = &sink, .mem = &mem, .nic_waits = nic_waits });
    assert_non_null(sw);
    if (node >= su.model.topo->host_count)
        weir_switch_set_routes(sw, &routes);
}

static inline void make_switch(const char *text)
{
    make(text, 3, 100, false);
}

static inline int begin(void **state)
{
    (void)state;
    gots = blocks = 0;
    control = NULL;
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    assert_null(weir_switch_broken(sw));
    weir_routes_free(&routes);
    weir_setup_free(&su);
    weir_scenario_free(&scn);
    while (blocks > 0)
        free(block[--blocks]);
    return 0;
}

static inline struct weir_switch_pkt *packet(uint32_t dst, uint32_t bytes, uint32_t seq)
{
    struct weir_switch_pkt *p = weir_switch_pkt_take(&pool);
    assert_non_null(p);
    p->pkt = (struct weir_pkt){
        .dst = dst & 3, .wire_bytes = WEIR_PKT_BYTES(bytes), .seq = seq, .kind = WEIR_PKT_DATA, .flags = WEIR_PKT_ECT
    };
    return p;
}

/* A packet of host 0 or 1 for host 2 arrives. */
static inline void rx(uint64_t now_ps, uint32_t from, uint32_t bytes, uint32_t seq)
{
    struct weir_switch_pkt *p = packet(2, bytes, seq);
    p->pkt.src = from & 3;
    assert_true(weir_switch_rx(sw, now_ps, from, p));
}

static inline void sent(uint32_t i, uint32_t seq, uint64_t at_ps, uint64_t end_ps)
{
    assert_true(i < gots);
    assert_string_equal(got[i].what, "sent");
    assert_int_equal(got[i].seq, seq);
    assert_int_equal(got[i].at_ps, at_ps);
    assert_int_equal(got[i].end_ps, end_ps);
}
#endif
