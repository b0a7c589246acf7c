/* test/unit/host/swarm_log.h - beside swarm.h: what left which NIC and when, packets written by hand, and what must be true of
 * the pools of a host when nothing goes on. */
#ifndef WEIR_TEST_SWARM_LOG_H
#define WEIR_TEST_SWARM_LOG_H
#include "test/unit/host/swarm.h"

/* Of swarm_reset(): payload of a full packet; it and a control packet on the wire, in bytes and in time; one way through the network. */
enum { LOG_MSS = 1458, LOG_FULL = 1538, LOG_CONTROL = 84, LOG_ROOM = 1 << 15 };
#define LOG_FULL_PS UINT64_C(123040)
#define LOG_CONTROL_PS UINT64_C(6720)
#define LOG_WAY_PS (2 * SWARM_US)

struct log_entry { /* a packet and when its first bit left */
    uint64_t at_ps;
    struct weir_pkt pkt;
};

static struct log_entry log_[LOG_ROOM];
static uint32_t logged_;
static bool (*log_lost)(const struct weir_pkt *pkt); /* NULL = nothing is lost */

static inline enum swarm_fate log_fate(struct swarm *s, struct weir_pkt *pkt)
{
    assert_true(logged_ < LOG_ROOM);
    log_[logged_++] = (struct log_entry){ s->now_ps, *pkt };
    return log_lost != NULL && log_lost(pkt) ? SWARM_DROP : SWARM_PASS;
}

/* A swarm that is logged; the test may change its configuration before swarm_start(). */
static inline struct swarm *log_reset(uint32_t hosts, bool (*lost)(const struct weir_pkt *pkt))
{
    struct swarm *s = swarm_reset(hosts);
    logged_ = 0;
    log_lost = lost;
    s->fate = log_fate;
    return s;
}

/* The n-th packet of a kind that left, counted from 0. */
static inline const struct log_entry *log_of(enum weir_pkt_kind kind, uint32_t n)
{
    for (uint32_t i = 0; i < logged_; i++)
        if (log_[i].pkt.kind == kind && n-- == 0)
            return &log_[i];
    fail_msg("no such packet left");
    return NULL;
}

static inline uint32_t log_count(enum weir_pkt_kind kind)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < logged_; i++)
        n += log_[i].pkt.kind == kind;
    return n;
}

/* A message the harness knows of, started at once by hand. */
static inline int log_send(struct swarm *s, uint64_t now_ps, uint32_t src, uint32_t dst, uint64_t bytes)
{
    swarm_message(s, now_ps, src, dst, bytes);
    s->started = s->msgs;
    return weir_host_send(s->host[src], now_ps, dst, s->msgs - 1, bytes);
}

/* From host 0 to host 1, as host 0 would write it: packet seq of message 0, of `bytes` in all, `unsched` packets of it
 * unscheduled. */
static inline struct weir_pkt log_data(uint64_t bytes, uint32_t unsched, uint32_t seq)
{
    uint64_t pkts = (bytes + LOG_MSS - 1) / LOG_MSS, last = bytes - (pkts - 1) * LOG_MSS;
    uint32_t payload = seq + 1 == pkts ? (uint32_t)last : LOG_MSS;
    return (struct weir_pkt){ .msg_bytes = bytes | (uint64_t)unsched << 48,
                              .seq = seq,
                              .dst = 1,
                              .wire_bytes = WEIR_PKT_BYTES(payload < 4 ? 84 : payload + 80),
                              .payload_bytes = WEIR_PKT_BYTES(payload),
                              .kind = WEIR_PKT_DATA,
                              .flags = (uint8_t)(WEIR_PKT_ECT | (seq < unsched ? WEIR_PKT_UNSCHED : 0)) };
}

/* A control packet about message 0. */
static inline struct weir_pkt log_control(enum weir_pkt_kind kind, uint32_t src, uint32_t dst)
{
    return (
        struct weir_pkt){ .src = (uint16_t)src, .dst = (uint16_t)dst, .wire_bytes = LOG_CONTROL, .kind = kind & 15u };
}

static inline void log_rx(struct swarm *s, uint64_t now_ps, struct weir_pkt pkt)
{
    weir_host_rx(s->host[pkt.dst], now_ps, &pkt, 1);
}

/* Recovery ends with every byte of credit where it belongs, and with nothing borrowed: what lies in the pools is as a taker
 * expects it, all bits 0. */
static inline void log_assert_quiet(const struct swarm *s)
{
    for (uint32_t n = 0; n < s->hosts; n++) {
        const struct host_credit *c = host_credit_of(s->host[n]);
        struct weir_credit_sums sums;
        weir_host_credit(s->host[n], &sums);
        assert_true(sums.outstanding_bytes == 0);
        assert_int_equal(sums.held_bytes, 0);
        for (uint32_t i = 0; i < c->peers.count; i++) {
            assert_int_equal(credit_peer_at(c, i)->rx_head, HOST_NONE);
            assert_int_equal(credit_peer_at(c, i)->tx_head, HOST_NONE);
        }
        for (uint32_t i = 0; i < s->host[n]->gaps.count; i++) {
            const struct host_gap *gap = host_gap_at(s->host[n], i + 1);
            assert_int_equal(gap->held_pkts + gap->lost_pkts, 0);
            for (uint32_t w = 0; w < 2 * s->host[n]->bitmap_units; w++)
                assert_true(gap->own[w] == 0);
        }
        for (uint32_t i = 0; i < c->agains.count; i++) {
            const struct credit_again *again = host_at(&c->agains, 0, i);
            assert_int_equal(again->ring.count, 0);
            for (uint32_t w = 0; w < CREDIT_WINDOW_UNITS; w++)
                assert_true(again->in[w] == 0);
        }
    }
}
#endif
