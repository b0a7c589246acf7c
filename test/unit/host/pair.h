/* test/unit/host/pair.h - two hosts back to back on a small network that a test can make lose, copy and delay packets.
 * Host 0 sends to host 1; both NICs take 80 ps per byte (100 Gb/s) and pull; the way takes `delay_ps`. Simultaneous
 * events run in the order of doc/model.md [order]: arrivals, timers, transmit; host 0 first. Everything is on the test's own
 * static memory. */
#ifndef WEIR_TEST_PAIR_H
#define WEIR_TEST_PAIR_H
#include "test/unit/weir_test.h"
#include "test/unit/host/internals.h"
#include "proto/dctcp/dctcp.h"

enum { PAIR_MSGS = 4096, PAIR_ROOM = 1 << 14, PAIR_RANGES = 15 };
#define PAIR_MSS UINT64_C(1000) /* payload of a full packet, and what it and an ACK take on the wire */
#define PAIR_WIRE UINT64_C(1100)
#define PAIR_ACK UINT64_C(100)
#define PAIR_US WEIR_PS_PER_US

struct pair_flight {
    uint64_t at_ps, order;
    struct weir_pkt pkt;
    struct weir_telemetry hop[WEIR_TELEMETRY_HOPS_MAX];
    uint32_t ranges;
    struct weir_ack_range range[PAIR_RANGES];
};

enum pair_fate { PAIR_DROP, PAIR_PASS, PAIR_TWICE };

struct pair {
    struct weir_host_config cfg;
    struct weir_dctcp_config dctcp;
    struct weir_host *host[2];
    uint64_t now_ps, delay_ps, free_ps[2], order;
    struct pair_flight flight[PAIR_ROOM];
    uint32_t flights;
    /* what happens to a packet that leaves; may set late_ps, how much later it comes. NULL = it passes */
    enum pair_fate (*fate)(struct pair *p, const struct weir_pkt *pkt);
    void (*after)(struct pair *p); /* after every instant; NULL = nothing */
    /* what the way's switches write, beside what is there already; NULL = nothing */
    void (*stamp)(struct pair *p, struct weir_pkt *pkt, struct weir_telemetry *hop);
    struct weir_head (*head)(void *ctx, uint32_t src, uint32_t msg); /* of the sink; NULL = heads have nothing */
    bool ranges;                                                     /* ACKs report ranges of packets that arrived */
    uint32_t paused[2]; /* classes that host may not send until resume_ps */
    uint64_t resume_ps[2];
    uint64_t fate_value, late_ps; /* fate_value: the test's own */
    uint32_t delivered[PAIR_MSGS], finished[PAIR_MSGS], marks[PAIR_MSGS];
    uint64_t delivered_ps[PAIR_MSGS], finished_ps[PAIR_MSGS];
    uint32_t deliveries, finishes, retransmitted, sent_pkts, drops, cancels;
    bool cancelled[PAIR_MSGS], forgotten[PAIR_MSGS];
    size_t mem_used, mem_limit;
    struct weir_pkt log[256]; /* the first packets that left host 0 */
    uint32_t logged;
};

static struct pair pair_;
static _Alignas(64) unsigned char pair_mem[96 << 20];

static inline void *pair_grow(void *ctx, size_t size)
{
    struct pair *p = ctx;
    size_t at = p->mem_used, next = at + ((size + 63) & ~(size_t)63);
    if (next > p->mem_limit)
        return NULL;
    p->mem_used = next;
    for (size_t i = at; i < next; i++)
        pair_mem[i] = 0;
    return pair_mem + at;
}

static inline void pair_delivered(void *ctx, uint32_t src, uint32_t msg, uint64_t now_ps, uint32_t marks)
{
    struct pair *p = ctx;
    assert_true(src < 2 && msg < PAIR_MSGS);
    p->delivered[msg]++;
    p->delivered_ps[msg] = now_ps;
    p->marks[msg] = marks;
    p->deliveries++;
}

static inline void pair_finished(void *ctx, uint32_t msg, uint64_t now_ps)
{
    struct pair *p = ctx;
    assert_true(p->cancelled[msg] || p->delivered[msg] == p->finished[msg] + 1);
    assert_false(p->forgotten[msg]);
    p->finished[msg]++;
    p->finished_ps[msg] = now_ps;
    p->finishes++;
}

static inline void pair_dropped(void *ctx, uint32_t src, uint32_t conn, uint64_t now_ps)
{
    struct pair *p = ctx;
    assert_true(src == 0 && now_ps == p->now_ps);
    assert_true(conn < host_stream_of(p->host[0])->flows.count);
    p->drops++;
}

static inline void pair_retransmitted(void *ctx, uint32_t msg)
{
    struct pair *p = ctx;
    assert_true(msg < PAIR_MSGS);
    p->retransmitted++;
}

/* Defaults every test starts from: one packet per ACK, window of ten, reordering threshold of 3, RTO 1 ms. */
static inline struct pair *pair_reset(void)
{
    struct pair *p = &pair_;
    *p = (struct pair){ .delay_ps = 5 * PAIR_US,
                        .mem_limit = sizeof(pair_mem),
                        .resume_ps = { WEIR_NEVER, WEIR_NEVER } };
    p->dctcp = (struct weir_dctcp_config){ .init_cwnd = { .bytes = 10 * PAIR_MSS },
                                           .max_cwnd = { .bytes = WEIR_CWND_MAX_BYTES },
                                           .ssthresh = { .bytes = WEIR_CWND_MAX_BYTES },
                                           .g_ppm = 62500,
                                           .init_alpha_ppm = 1000000,
                                           .min_cwnd_pkts = 2 };
    p->cfg = (struct weir_host_config){
        .params = { .connections = 40,
                    .ack_every = 1,
                    .ack_delay_ps = 6 * PAIR_US,
                    .reorder_pkts = 3,
                    .window_pkts = WEIR_HOST_WINDOW_PKTS,
                    .rto_min_ps = 1000 * PAIR_US,
                    .rto_init_ps = 1000 * PAIR_US,
                    .rto_max_ps = 1000000 * PAIR_US },
        .framing = { PAIR_MSS, 76, 24, 100, PAIR_ACK },
        .path = { .mss_bytes = PAIR_MSS, .rate_bps = 100000000000, .base_rtt_ps = 10 * PAIR_US, .bdp_bytes = 125000 },
        .cc = &weir_dctcp_ops,
        .cc_config = &p->dctcp,
        .seed = 1,
    };
    return p;
}

static inline void pair_start(struct pair *p)
{
    for (uint32_t i = 0; i < 2; i++) {
        void *memory = pair_grow(p, weir_host_bytes(&p->cfg));
        p->host[i] = weir_host_init(memory, &p->cfg, i, &(struct weir_mem){ pair_grow, p },
                                    &(struct weir_host_sink){ .delivered = pair_delivered,
                                                              .finished = pair_finished,
                                                              .retransmitted = pair_retransmitted,
                                                              .ctx = p,
                                                              .dropped = pair_dropped,
                                                              .head = p->head });
    }
}

static inline void pair_launch(struct pair *p, const struct weir_pkt *pkt, const struct weir_telemetry *hop,
                               uint64_t at_ps)
{
    assert_true(p->flights < PAIR_ROOM);
    struct pair_flight *flight = &p->flight[p->flights++];
    *flight = (struct pair_flight){ .at_ps = at_ps, .order = p->order++, .pkt = *pkt };
    for (uint32_t i = 0; hop != NULL && i < pkt->hops; i++)
        flight->hop[i] = hop[i];
    if (p->stamp != NULL)
        p->stamp(p, &flight->pkt, flight->hop);
    if (p->ranges && pkt->kind == WEIR_PKT_ACK)
        flight->ranges = weir_host_ranges(p->host[pkt->src], pkt, flight->range, PAIR_RANGES);
}

static inline void pair_leave(struct pair *p, uint32_t host, struct weir_pkt *pkt)
{
    uint64_t end_ps = p->now_ps + pkt->wire_bytes * UINT64_C(80);
    const struct weir_telemetry *hop = pkt->hops > 0 ? weir_host_tx_hops(p->host[host]) : NULL;
    assert_int_equal(p->paused[host] >> pkt->class_id & 1, 0);
    if (host == 0 && pkt->kind == WEIR_PKT_DATA)
        assert_false(p->cancelled[pkt->msg] || p->forgotten[pkt->msg]);
    p->late_ps = 0;
    enum pair_fate fate = p->fate != NULL ? p->fate(p, pkt) : PAIR_PASS;
    if (host == 0 && p->logged < 256)
        p->log[p->logged++] = *pkt;
    p->sent_pkts++;
    p->free_ps[host] = end_ps;
    for (int copy = 0; copy < (int)fate; copy++)
        pair_launch(p, pkt, hop, end_ps + p->delay_ps + p->late_ps);
}

/* Takes what arrives now, earliest sent first. */
static inline void pair_arrivals(struct pair *p)
{
    for (;;) {
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < p->flights; i++) {
            if (p->flight[i].at_ps <= p->now_ps && (best == UINT32_MAX || p->flight[i].order < p->flight[best].order))
                best = i;
        }
        if (best == UINT32_MAX)
            return;
        struct pair_flight flight = p->flight[best];
        p->flight[best] = p->flight[--p->flights];
        if (flight.ranges > 0)
            weir_host_rx_ack(p->host[flight.pkt.dst], p->now_ps, &flight.pkt, flight.hop, flight.range, flight.ranges);
        else
            (void)weir_host_rx_hops(p->host[flight.pkt.dst], p->now_ps, &flight.pkt, flight.hop, NULL);
    }
}

static inline uint64_t pair_next_ps(const struct pair *p)
{
    uint64_t next = WEIR_NEVER;
    for (uint32_t i = 0; i < p->flights; i++)
        next = weir_min_u64(next, p->flight[i].at_ps);
    for (uint32_t i = 0; i < 2; i++) {
        next = weir_min_u64(next, weir_min_u64(weir_host_next_ps(p->host[i]), p->resume_ps[i]));
        if (weir_host_ready(p->host[i]))
            next = weir_min_u64(next, weir_max_u64(p->free_ps[i], p->now_ps));
    }
    return next;
}

/* A world that pauses a host. until_ps: WEIR_NEVER = for good */
static inline void pair_pause(struct pair *p, uint32_t host, uint32_t class_mask, uint64_t until_ps)
{
    p->paused[host] = class_mask;
    p->resume_ps[host] = until_ps;
    weir_host_pause(p->host[host], class_mask);
}

static inline void pair_instant(struct pair *p)
{
    struct weir_pkt pkt;
    pair_arrivals(p);
    for (uint32_t i = 0; i < 2; i++) {
        if (p->resume_ps[i] <= p->now_ps)
            pair_pause(p, i, 0, WEIR_NEVER);
        if (weir_host_next_ps(p->host[i]) <= p->now_ps)
            assert_int_equal(weir_host_tx(p->host[i], p->now_ps, NULL, 0), 0);
        while (p->free_ps[i] <= p->now_ps && weir_host_ready(p->host[i])) {
            assert_int_equal(weir_host_tx(p->host[i], p->now_ps, &pkt, 1), 1); /* ready means a packet comes */
            pair_leave(p, i, &pkt);
        }
    }
    if (p->after != NULL)
        p->after(p);
}

/* Runs until nothing is left to do, or until until_ps. */
static inline void pair_run(struct pair *p, uint64_t until_ps)
{
    for (uint64_t next = p->now_ps; next < until_ps && next != WEIR_NEVER; next = pair_next_ps(p)) {
        p->now_ps = next;
        pair_instant(p);
    }
}

static inline void pair_send(struct pair *p, uint32_t msg, uint64_t bytes)
{
    assert_int_equal(weir_host_send(p->host[0], p->now_ps, 1, msg, bytes), 0);
}

static inline void pair_cancel(struct pair *p, uint32_t msg)
{
    p->cancelled[msg] = true;
    p->cancels++;
    assert_int_equal(weir_host_cancel(p->host[0], p->now_ps, msg), 0);
}

/* Each forgets the other; msgs: of how many host 0 began. Nothing from before arrives any more. */
static inline void pair_forget(struct pair *p, uint32_t msgs)
{
    p->flights = 0;
    for (uint32_t i = 0; i < msgs; i++)
        p->forgotten[i] |= p->finished[i] == 0;
    weir_host_forget(p->host[0], p->now_ps, 1);
    weir_host_forget(p->host[1], p->now_ps, 0);
}

static inline bool pair_bit(const struct host_bitmap *b, uint32_t edge, uint32_t pkt)
{
    return host_bitmap_holds(b, pkt - edge + 1) && host_bit(b, pkt);
}

/* What TCP keeps of the sending connection of that number. */
static inline struct host_tcp *pair_tcp(const struct weir_host *h, uint32_t index)
{
    return HOST_RECORD(struct host_tcp, &host_stream_of(h)->tcps, index);
}

/* What must hold of a sending connection at any time: its scoreboard and its counts agree. */
static inline void pair_assert_flow(const struct weir_host *h, const struct host_flow *f)
{
    const struct host_board *b = host_board_of(h, f);
    uint32_t inflight = 0, lost = 0, number = 0;
    while (host_stream_of(h)->newreno && host_flow_at(h, number) != f)
        number++;
    assert_true(f->next - f->una <= h->window_pkts);
    for (uint32_t pkt = f->una; pkt != f->next; pkt++) {
        bool got = b != NULL && pair_bit(&b->got, f->una, pkt), is_lost = b != NULL && pair_bit(&b->lost, f->una, pkt);
        assert_false(got && is_lost);
        lost += is_lost;
        inflight += got || is_lost ? 0 : host_pkt_bytes(h, f, pkt);
    }
    if (host_stream_of(h)->newreno)
        inflight -= pair_tcp(h, number)->inflated * h->mss_bytes;
    assert_int_equal(f->inflight_bytes, inflight);
    assert_int_equal(b == NULL ? 0 : b->lost_pkts, lost);
}

/* What must hold whenever everything is quiet: all delivered and finished once, nothing borrowed, nothing in flight. */
static inline void pair_assert_done(const struct pair *p, uint32_t msgs)
{
    assert_int_equal(p->deliveries, msgs);
    assert_int_equal(p->finishes, msgs);
    for (uint32_t i = 0; i < msgs; i++)
        assert_int_equal(p->finished[i], 1);
    for (uint32_t i = 0; i < host_stream_of(p->host[0])->flows.count; i++) {
        const struct host_flow *f = host_flow_at(p->host[0], i);
        assert_int_equal(f->inflight_bytes, 0);
        assert_int_equal(f->board, 0);
        assert_int_equal(f->flags & (HOST_BUSY | HOST_READY), 0);
    }
    for (uint32_t i = 0; i < host_stream_of(p->host[1])->rxs.count; i++)
        assert_true(host_rx_at(p->host[1], i)->gap == 0 || host_rx_at(p->host[1], i)->gap == HOST_RX_FREE);
}
#endif
