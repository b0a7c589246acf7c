/* test/unit/host/swarm.h - a few hosts of a receiver-driven protocol around one delay, with a network that a test can make
 * lose, copy and delay packets. NICs take 80 ps per byte (100 Gb/s) and pull. Simultaneous events run in the order of
 * doc/model.md [order]: arrivals, timers, message starts, transmit; lower hosts first.
 * A host may forget another: packets carry how often their sender did (arrival_ps is the world's to use), so that none from
 * before gets through, and the other host forgets as soon as the two meet. */
#ifndef WEIR_TEST_SWARM_H
#define WEIR_TEST_SWARM_H
#include "test/unit/weir_test.h"
#include "param/param.h"
#include "core/heap.h"
#include "core/rng.h"
#include "test/unit/host/internals.h"
#include "proto/sird/sird.h"
#include <string.h>

enum { SWARM_HOSTS = 8, SWARM_MSGS = 4096, SWARM_ROOM = 1 << 15, SWARM_AT_PORT = 1 << 20 };
#define SWARM_US WEIR_PS_PER_US
#define SWARM_PS_PER_BYTE UINT64_C(80)

enum swarm_fate { SWARM_DROP, SWARM_PASS, SWARM_TWICE };

struct swarm_msg {
    uint32_t src, dst, delivered, finished;
    uint32_t cancelled, dropped; /* by the sender; at the receiver */
    uint32_t forgotten;          /* by the sender, and nothing else was ever heard of it */
    uint32_t number, epoch;      /* on the wire */
    uint64_t bytes, start_ps, delivered_ps;
};

struct swarm {
    struct weir_host_config cfg;
    struct weir_sird_config sird;
    struct weir_host *host[SWARM_HOSTS];
    struct swarm_ctx {
        struct swarm *swarm;
        uint32_t self;
    } ctx[SWARM_HOSTS];
    uint32_t hosts;
    uint64_t now_ps, delay_ps, free_ps[SWARM_HOSTS];
    uint32_t paused[SWARM_HOSTS]; /* classes that host may not send until resume_ps */
    uint64_t resume_ps[SWARM_HOSTS];
    bool
        downlink; /* DATA to a host queues for it, first come, first served, at the NICs' rate; control packets pass it */
    uint64_t port_free_ps[SWARM_HOSTS],
        port_busy_ps[SWARM_HOSTS]; /* when it will be idle; busy without a break since */
    /* a DATA packet joins a downlink at at_ps; NULL = nobody asks */
    void (*joined)(struct swarm *s, uint32_t host, uint64_t at_ps);
    struct weir_heap flights;
    struct weir_heap_entry entry[SWARM_ROOM];
    struct weir_pkt pkt[SWARM_ROOM];
    uint32_t free_slot[SWARM_ROOM], free_count;
    enum swarm_fate (*fate)(struct swarm *s, struct weir_pkt *pkt);  /* may set late_ps; NULL = everything passes */
    void (*after)(struct swarm *s);                                  /* after every instant; NULL = nothing */
    struct weir_head (*head)(void *ctx, uint32_t src, uint32_t msg); /* of the sink; NULL = messages have no heads */
    uint64_t late_ps;
    struct swarm_msg msg[SWARM_MSGS];
    uint32_t msgs, started, delivered, finished, cancelled, dropped, forgotten;
    uint32_t epoch[SWARM_HOSTS][SWARM_HOSTS]; /* how often the first forgot the second */
    size_t mem_used;
};

static struct swarm swarm_;
static _Alignas(64) unsigned char swarm_mem[64 << 20];

static inline void *swarm_grow(void *ctx, size_t size)
{
    struct swarm *s = ctx;
    size_t at = s->mem_used;
    if (at + size > sizeof(swarm_mem))
        return NULL;
    s->mem_used = at + ((size + 63) & ~(size_t)63);
    memset(swarm_mem + at, 0, size);
    return swarm_mem + at;
}

static inline void swarm_delivered(void *ctx, uint32_t src, uint32_t msg, uint64_t now_ps, uint32_t marks)
{
    const struct swarm_ctx *c = ctx;
    struct swarm_msg *m = &c->swarm->msg[msg];
    (void)marks;
    assert_true(msg < c->swarm->started && m->src == src && m->dst == c->self);
    assert_int_equal(m->delivered + m->dropped, 0); /* exactly once */
    m->delivered = 1;
    m->delivered_ps = now_ps;
    c->swarm->delivered++;
}

static inline void swarm_finished(void *ctx, uint32_t msg, uint64_t now_ps)
{
    const struct swarm_ctx *c = ctx;
    struct swarm_msg *m = &c->swarm->msg[msg];
    (void)now_ps;
    assert_int_equal(m->src, c->self);
    assert_true(m->delivered == 1 || m->cancelled == 1);
    assert_int_equal(m->finished + m->forgotten, 0);
    m->finished = 1;
    c->swarm->finished++;
}

static inline void swarm_retransmitted(void *ctx, uint32_t msg)
{
    const struct swarm_ctx *c = ctx;
    assert_true(msg < c->swarm->started);
}

static inline void swarm_dropped(void *ctx, uint32_t src, uint32_t conn, uint64_t now_ps)
{
    const struct swarm_ctx *c = ctx;
    struct swarm *s = c->swarm;
    uint32_t i = 0;
    (void)now_ps;
    while (i < s->started && (s->msg[i].src != src || s->msg[i].dst != c->self || s->msg[i].number != conn ||
                              s->msg[i].epoch != s->epoch[c->self][src]))
        i++;
    assert_true(i < s->started);
    assert_int_equal(s->msg[i].delivered + s->msg[i].dropped, 0);
    assert_int_equal(s->msg[i].cancelled, 1);
    s->msg[i].dropped = 1;
    s->dropped++;
}

/* The keys' defaults, sizes in BDP resolved: preset paper. */
static inline void swarm_defaults(struct swarm *s)
{
    weir_param_defaults(weir_sird_params, &s->sird);
    weir_param_resolve_bdp(weir_sird_params, &s->sird, s->cfg.path.bdp_bytes);
}

/* Parameters of section 13 of the reference's small scenarios: BDP 72 KB; the named preset's keys on top of the defaults. */
static inline struct swarm *swarm_reset(uint32_t hosts)
{
    struct swarm *s = &swarm_;
    memset(s, 0, offsetof(struct swarm, msg));
    s->msgs = s->started = s->delivered = s->finished = s->cancelled = s->dropped = s->forgotten = 0;
    memset(s->epoch, 0, sizeof(s->epoch));
    s->mem_used = 0;
    s->hosts = hosts;
    s->delay_ps = 2 * SWARM_US;
    for (uint32_t h = 0; h < SWARM_HOSTS; h++)
        s->resume_ps[h] = WEIR_NEVER;
    for (uint32_t i = 0; i < SWARM_ROOM; i++)
        s->free_slot[s->free_count++] = SWARM_ROOM - 1 - i;
    s->flights = (struct weir_heap){ .entry = s->entry, .capacity = SWARM_ROOM };
    s->cfg = (struct weir_host_config){
        .params = { .connections = 1,
                    .reorder_pkts = 3,
                    .window_pkts = WEIR_HOST_WINDOW_PKTS,
                    .rto_min_ps = 1,
                    .rto_init_ps = 1,
                    .rto_max_ps = 1 },
        .framing = { 1458, 60, 20, 84, 84 },
        .path = { .mss_bytes = 1458, .rate_bps = 100000000000, .base_rtt_ps = 5 * SWARM_US, .bdp_bytes = 72000 },
        .credit = &weir_sird_ops,
        .cc_config = &s->sird,
        .hash = WEIR_HASH_PACKET,
        .seed = 1,
    };
    swarm_defaults(s);
    return s;
}

static inline void swarm_start(struct swarm *s)
{
    for (uint32_t i = 0; i < s->hosts; i++) {
        void *memory = swarm_grow(s, weir_host_bytes(&s->cfg));
        struct weir_host_sink sink = { .delivered = swarm_delivered,
                                       .finished = swarm_finished,
                                       .retransmitted = swarm_retransmitted,
                                       .ctx = &s->ctx[i],
                                       .dropped = swarm_dropped,
                                       .head = s->head };
        s->ctx[i] = (struct swarm_ctx){ s, i };
        s->host[i] = weir_host_init(memory, &s->cfg, i, &(struct weir_mem){ swarm_grow, s }, &sink);
    }
}

/* Adds a message; start times must not run backwards. */
static inline void swarm_message(struct swarm *s, uint64_t start_ps, uint32_t src, uint32_t dst, uint64_t bytes)
{
    assert_true(s->msgs < SWARM_MSGS);
    s->msg[s->msgs++] = (struct swarm_msg){ .src = src, .dst = dst, .bytes = bytes, .start_ps = start_ps };
}

static inline void swarm_begin(struct swarm *s, uint64_t now_ps, uint32_t i)
{
    struct swarm_msg *m = &s->msg[i];
    assert_int_equal(weir_host_send(s->host[m->src], now_ps, m->dst, i, m->bytes), 0);
    m->number = WEIR_PKT_CONN(host_credit_peer(s->host[m->src], m->dst)->tx_count - 1);
    m->epoch = s->epoch[m->src][m->dst];
}

/* Cancels a message that was started and has not ended. */
static inline void swarm_cancel(struct swarm *s, uint64_t now_ps, uint32_t i)
{
    struct swarm_msg *m = &s->msg[i];
    assert_true(i < s->started && !m->finished && !m->forgotten);
    assert_int_equal(weir_host_cancel(s->host[m->src], now_ps, i), 0);
    s->cancelled += !m->cancelled;
    m->cancelled = 1;
}

/* A host forgets another, for the epoch-th time. */
static inline void swarm_forget(struct swarm *s, uint64_t now_ps, uint32_t host, uint32_t other, uint32_t epoch)
{
    if (s->epoch[host][other] >= epoch)
        return;
    s->epoch[host][other] = epoch;
    for (uint32_t i = 0; i < s->started; i++) {
        struct swarm_msg *m = &s->msg[i];
        if (m->src != host || m->dst != other || m->finished || m->forgotten)
            continue;
        m->forgotten = 1;
        s->forgotten++;
    }
    weir_host_forget(s->host[host], now_ps, other);
}

/* A packet from before is answered by the notification that it is; one from a new beginning is such a notification. */
static inline void swarm_arrive(struct swarm *s, struct weir_pkt pkt)
{
    uint32_t epoch = (uint32_t)pkt.arrival_ps, mine = s->epoch[pkt.dst][pkt.src];
    pkt.arrival_ps = 0;
    if (epoch < mine) {
        swarm_forget(s, s->now_ps, pkt.src, pkt.dst, mine);
        return;
    }
    swarm_forget(s, s->now_ps, pkt.dst, pkt.src, epoch);
    weir_host_rx(s->host[pkt.dst], s->now_ps, &pkt, 1);
}

/* Of an aborted message no payload leaves, and of those from before nothing. */
static inline void swarm_check_leaving(const struct swarm *s, const struct weir_pkt *pkt)
{
    const struct swarm_msg *m = &s->msg[pkt->msg % SWARM_MSGS];
    if (pkt->kind == WEIR_PKT_CONTROL || pkt->msg >= s->started)
        return; /* of no message, or of one made by hand */
    if (pkt->kind == WEIR_PKT_DATA)
        assert_int_equal(m->finished + m->cancelled + m->forgotten, 0);
    if (pkt->kind == WEIR_PKT_REQUEST || pkt->kind == WEIR_PKT_ABORT)
        assert_int_equal(m->forgotten, 0);
    assert_int_equal(m->epoch, s->epoch[pkt->src][pkt->dst]);
}

static inline void swarm_fly(struct swarm *s, const struct weir_pkt *pkt, uint64_t leaves_ps, uint64_t late_ps)
{
    uint64_t at_ps = leaves_ps + s->delay_ps / 2 + late_ps;
    uint32_t slot;
    assert_true(s->free_count > 0);
    slot = s->free_slot[--s->free_count];
    s->pkt[slot] = *pkt;
    if (s->downlink && pkt->kind == WEIR_PKT_DATA)
        weir_heap_push(&s->flights, at_ps, slot | SWARM_AT_PORT);
    else
        weir_heap_push(&s->flights, at_ps + s->delay_ps - s->delay_ps / 2, slot);
}

/* A DATA packet is at its downlink: it waits its turn. */
static inline void swarm_join(struct swarm *s, uint32_t slot)
{
    uint32_t host = s->pkt[slot].dst;
    if (s->port_free_ps[host] <= s->now_ps)
        s->port_free_ps[host] = s->port_busy_ps[host] = s->now_ps;
    s->port_free_ps[host] += s->pkt[slot].wire_bytes * SWARM_PS_PER_BYTE;
    if (s->joined != NULL)
        s->joined(s, host, s->now_ps);
    weir_heap_push(&s->flights, s->port_free_ps[host] + s->delay_ps - s->delay_ps / 2, slot);
}

/* until_ps: WEIR_NEVER = for good */
static inline void swarm_pause(struct swarm *s, uint32_t h, uint32_t class_mask, uint64_t until_ps)
{
    s->paused[h] = class_mask;
    s->resume_ps[h] = until_ps;
    weir_host_pause(s->host[h], class_mask);
}

static inline void swarm_send(struct swarm *s, uint32_t h)
{
    struct weir_pkt pkt;
    bool ready = weir_host_ready(s->host[h]);
    if (s->free_ps[h] > s->now_ps)
        return;
    assert_int_equal(weir_host_tx(s->host[h], s->now_ps, &pkt, 1), ready); /* ready means a packet comes */
    if (!ready)
        return;
    assert_int_equal(s->paused[h] >> pkt.class_id & 1, 0);
    s->free_ps[h] = s->now_ps + pkt.wire_bytes * SWARM_PS_PER_BYTE;
    s->late_ps = 0;
    swarm_check_leaving(s, &pkt);
    pkt.arrival_ps = s->epoch[h][pkt.dst % SWARM_HOSTS];
    enum swarm_fate fate = s->fate != NULL ? s->fate(s, &pkt) : SWARM_PASS;
    if (fate == SWARM_DROP)
        return;
    swarm_fly(s, &pkt, s->free_ps[h], s->late_ps);
    if (fate == SWARM_TWICE)
        swarm_fly(s, &pkt, s->free_ps[h], s->late_ps + 777);
}

static inline uint64_t swarm_next(const struct swarm *s)
{
    uint64_t at_ps = s->flights.count > 0 ? s->flights.entry[0].at_ps : WEIR_NEVER;
    if (s->started < s->msgs)
        at_ps = weir_min_u64(at_ps, s->msg[s->started].start_ps);
    for (uint32_t h = 0; h < s->hosts; h++) {
        at_ps = weir_min_u64(at_ps, weir_min_u64(weir_host_next_ps(s->host[h]), s->resume_ps[h]));
        if (weir_host_ready(s->host[h]))
            at_ps = weir_min_u64(at_ps, weir_max_u64(s->free_ps[h], s->now_ps));
    }
    return at_ps;
}

/* Runs everything before until, or until nothing happens any more. */
static inline void swarm_run(struct swarm *s, uint64_t until_ps)
{
    uint64_t at_ps;
    while ((at_ps = swarm_next(s)) < until_ps) {
        s->now_ps = at_ps;
        while (s->flights.count > 0 && s->flights.entry[0].at_ps == at_ps) {
            uint32_t slot = (uint32_t)s->flights.entry[0].id & (SWARM_AT_PORT - 1);
            bool at_port = s->flights.entry[0].id & SWARM_AT_PORT;
            weir_heap_pop(&s->flights);
            if (at_port) {
                swarm_join(s, slot);
                continue;
            }
            swarm_arrive(s, s->pkt[slot]);
            s->free_slot[s->free_count++] = slot;
        }
        for (uint32_t h = 0; h < s->hosts; h++)
            if (s->resume_ps[h] <= at_ps)
                swarm_pause(s, h, 0, WEIR_NEVER);
        for (uint32_t h = 0; h < s->hosts; h++)
            if (weir_host_next_ps(s->host[h]) <= at_ps)
                (void)weir_host_tx(s->host[h], at_ps, NULL, 0);
        for (; s->started < s->msgs && s->msg[s->started].start_ps == at_ps; s->started++)
            swarm_begin(s, at_ps, s->started);
        for (uint32_t h = 0; h < s->hosts; h++)
            swarm_send(s, h);
        if (s->after != NULL)
            s->after(s);
    }
}
#endif
