/* test/unit/endpoint/parts_test.h - a stream from endpoint 0 to endpoint 1, which takes it by weir_recv_parts(), over a
 * network that loses datagrams, and lets others overtake them. */
#ifndef WEIR_PARTS_TEST_H
#define WEIR_PARTS_TEST_H
#include "test/unit/endpoint/endpoint_test.h"

enum { KB = 1024, MB = 1024 * KB, WINDOW = 256 * KB, LEASES = 4096, LATE = 24 };

static struct {
    uint32_t lose_one_in, late_one_in; /* of what either endpoint sends; 0 = none */
    bool no_bounds;                    /* endpoint 0 hears of no bound, as one of an earlier release */
    uint32_t draws, waiting;
    struct weir_net_out out[LATE]; /* held back, and overtaken by what is sent meanwhile */
    unsigned char bytes[LATE][2 * MSS];
    struct weir_net *net[LATE];
    uint32_t after[LATE];
} bad;

static struct {
    const unsigned char *data; /* what must come */
    uint64_t len, at, released, window;
    void *lease[LEASES];
    uint64_t bytes[LEASES];
    int head, tail;
    uint64_t keep_bytes; /* parts are released once so much is held; UINT64_MAX = never */
    bool backwards;      /* .. the latest first */
    int parts, ends, result;
    uint64_t rpc, end_len, held_most, sent_end;
    int ended_after;    /* parts that had come when the operation ended */
    uint64_t data_pkts; /* DATA that endpoint 0 has sent */
} in;

static inline void pass_on(struct weir_net *net, const struct weir_net_out *out)
{
    struct shim *s = (struct shim *)net;
    uint32_t type = ((const unsigned char *)out->head)[1] & 63;
    if (s->lose[type] == 0)
        (void)s->inner->driver->send(s->inner, out, 1);
}

static inline bool one_in(uint32_t n)
{
    return n != 0 && weir_mix_u64(++bad.draws) % n == 0;
}

static inline void keep_back(struct weir_net *net, const struct weir_net_out *out)
{
    uint32_t i = bad.waiting++;
    memcpy(bad.bytes[i], out->head, out->head_bytes);
    if (out->body_bytes > 0)
        memcpy(bad.bytes[i] + out->head_bytes, out->body, out->body_bytes);
    bad.out[i] = *out;
    bad.out[i].head_bytes = (uint16_t)(out->head_bytes + out->body_bytes);
    bad.out[i].body_bytes = 0;
    bad.net[i] = net;
    bad.after[i] = (uint32_t)(weir_mix_u64(bad.draws) >> 32) % 100;
}

static inline void let_late_ones_go(void)
{
    for (uint32_t i = 0; i < bad.waiting;) {
        if (bad.after[i]-- > 0) {
            i++;
            continue;
        }
        bad.out[i].head = bad.bytes[i];
        pass_on(bad.net[i], &bad.out[i]);
        bad.waiting--;
        bad.out[i] = bad.out[bad.waiting];
        memcpy(bad.bytes[i], bad.bytes[bad.waiting], sizeof(bad.bytes[i]));
        bad.net[i] = bad.net[bad.waiting];
        bad.after[i] = bad.after[bad.waiting];
    }
}

/* Notes how far beyond what was released endpoint 0 sends. */
static inline void note_sent(const struct weir_net_out *out)
{
    const unsigned char *bytes = out->head;
    struct weir_wire_head head;
    if (weir_wire_peek(bytes, (uint32_t)out->head_bytes + out->body_bytes, &head) != WEIR_WIRE_OK)
        return;
    if (head.pkt.kind != WEIR_PKT_DATA || (head.pkt.msg_bytes & EP_LENGTH_MASK) != in.len + EP_HEAD_BYTES)
        return;
    in.data_pkts++;
    in.sent_end =
        weir_max_u64(in.sent_end, weir_min_u64(((uint64_t)head.pkt.seq + 1) * ep[0]->mss - EP_HEAD_BYTES, in.len));
}

static inline bool is_bound(const struct weir_net_out *out)
{
    const unsigned char *bytes = out->head;
    struct weir_wire_head head;
    return weir_wire_peek(bytes, (uint32_t)out->head_bytes + out->body_bytes, &head) == WEIR_WIRE_OK &&
           head.pkt.kind == WEIR_PKT_NOTICE && head.pkt.seq == WEIR_WIRE_BOUND;
}

static inline int bad_send(struct weir_net *net, const struct weir_net_out *out, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        unsigned char whole[2 * MSS];
        struct weir_net_out one = out[i];
        memcpy(whole, out[i].head, out[i].head_bytes);
        if (out[i].body_bytes > 0)
            memcpy(whole + out[i].head_bytes, out[i].body, out[i].body_bytes);
        one.head = whole;
        one.head_bytes = (uint16_t)(out[i].head_bytes + out[i].body_bytes);
        one.body_bytes = 0;
        let_late_ones_go();
        if (net == &shim[0].net)
            note_sent(&one);
        if (one_in(bad.lose_one_in) || (bad.no_bounds && is_bound(&one)))
            continue;
        if (bad.waiting < LATE && one_in(bad.late_one_in))
            keep_back(net, &one);
        else
            pass_on(net, &one);
    }
    return (int)count;
}

static struct weir_net_driver bad_driver;
static uint64_t timeout_ns, base_rtt_ns; /* options of both ends; 0 = those of endpoint_test.h */

/* Endpoints 0 and 1 with this protocol; 1 has rx_bytes. */
static inline void open_two(const char *cc, uint64_t rx_bytes)
{
    memset(&bad, 0, sizeof(bad));
    memset(&in, 0, sizeof(in));
    begin();
    bad_driver = shim_driver;
    if (base_rtt_ns != 0)
        mem_set_delay(mem, base_rtt_ns / 2);
    bad_driver.send = bad_send;
    opts[0].cc = opts[1].cc = cc;
    opts[0].base_rtt_ns = opts[1].base_rtt_ns = base_rtt_ns;
    if (timeout_ns != 0)
        opts[0].peer_timeout_ns = opts[1].peer_timeout_ns = timeout_ns;
    opts[1].rx_bytes = rx_bytes;
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(start(i), 0);
        shim[i].net.driver = &bad_driver;
    }
}

static inline void release_one(void)
{
    int i = in.backwards ? --in.tail : in.head++;
    weir_release(ep[1], in.lease[i]);
    in.released += in.bytes[i]; /* backwards: all are released together, so nobody reads it in between */
}

static inline uint64_t held_bytes(void)
{
    return in.at - in.released;
}

static inline void release_parts(void)
{
    while (in.head < in.tail)
        release_one();
    in.head = in.tail = 0;
}

static inline void on_part(const struct weir_event *e)
{
    assert_int_equal(e->user_data, 7);
    assert_int_equal(e->result, 0);
    assert_ptr_equal(e->peer, peer(1, 0));
    assert_int_equal(e->rpc, 0);
    assert_true(in.ends <= 0);
    assert_true(e->len > 0 && in.at + e->len <= in.len);
    if (in.data != NULL)
        assert_memory_equal(e->data, in.data + in.at, e->len);
    assert_non_null(e->lease);
    in.at += e->len;
    in.parts++;
    assert_true(in.tail < LEASES);
    in.lease[in.tail] = e->lease;
    in.bytes[in.tail++] = e->len;
    if (in.keep_bytes != UINT64_MAX && held_bytes() > in.keep_bytes)
        release_parts();
}

static inline void on_event(const struct weir_event *e)
{
    if (e->type == WEIR_EV_PART) {
        on_part(e);
    } else if (e->type == WEIR_EV_RECEIVED) {
        assert_in_range(e->user_data, 7, 8);
        assert_true(e->user_data == 8 || e->data == NULL);
        assert_null(e->lease);
        in.ends++;
        in.result = e->result;
        in.rpc = e->rpc;
        in.end_len = e->len;
        in.ended_after = in.parts;
    } else {
        assert_true(seen_count[1] < SEEN);
        seen[1][seen_count[1]++] = *e;
    }
}

/* Both poll whenever there is a reason to, until so much later, or until `done` operations of endpoint 1 have ended. */
static inline void go_on(uint64_t for_ns, int done)
{
    uint64_t end = mem_now_ns(mem) + for_ns;
    for (int spins = 0; spins < 10000 && (done == 0 || in.ends < done); spins++) {
        struct weir_event e[8];
        int n = 0;
        bool again = ep[0] != NULL && !asleep[0] && take(0);
        n = weir_poll(ep[1], e, 8, 0);
        assert_true(n >= 0);
        for (int i = 0; i < n; i++)
            on_event(&e[i]);
        in.held_most = weir_max_u64(in.held_most, stats(1).rx_bytes_held);
        if (again || n > 0 || weir_deadline(ep[1]) == 0)
            continue;
        if (mem_now_ns(mem) >= end)
            return;
        uint64_t next = end;
        for (uint32_t i = 0; i < 2; i++)
            if (ep[i] != NULL && !asleep[i])
                next = weir_min_u64(next, weir_min_u64(mem_next_ns(shim[i].inner), weir_deadline(ep[i])));
        if (next > mem_now_ns(mem))
            spins = 0;
        mem_advance(mem, next);
    }
}

/* Endpoint 1 takes the next message of `len` bytes in parts, and endpoint 0 sends it. */
static inline unsigned char *begin_stream(uint64_t len, uint64_t window)
{
    unsigned char *data = noise(len, 1);
    in.data = data;
    in.len = len;
    in.window = window;
    assert_int_equal(weir_recv_parts(ep[1], NULL, 0, window, 7), 0);
    assert_int_equal(send_bytes(0, 1, data, len, 9), 0);
    return data;
}

/* All of it came, once and in order, and nothing of it is left. */
static inline void expect_whole(void)
{
    assert_int_equal(in.ends, 1);
    assert_int_equal(in.result, 0);
    assert_int_equal(in.at, in.len);
    assert_int_equal(in.end_len, in.len);
    assert_int_equal(in.ended_after, in.parts);
    release_parts();
    go_on(50 * MS, 0);
    expect_count(0, 1);
    expect(0, 0, WEIR_EV_SENT, 0, 9);
    assert_int_equal(stats(1).rx_bytes_held, ep[1]->msg_block_bytes);
    assert_int_equal(stats(1).messages_arriving, 0);
    assert_int_equal(peer(0, 1)->bounded + peer(1, 0)->parts, 0);
    assert_int_equal(peer(1, 0)->named, 0);
}

static inline uint64_t window_room(uint64_t window)
{
    return ep_pool_block(&ep[1]->rx, ep_parts_room(window, ep[1]->mss)) + ep_pool_block(&ep[1]->rx, EP_MSGS_BYTES);
}

static const char *const laws[] = { "sird", "homa", "ndp" };
#endif
