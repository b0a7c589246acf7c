/* test/fuzz/fuzz_host.c - any bytes as a run of one end host: packets that arrive (of every kind, mostly almost right),
 * messages that start, time that passes, packets that leave. Nothing may crash, no assertion fail, no message finish
 * that was not started, and the memory taken stays within what the world gives. */
#include "test/unit/host/internals.h"
#include "proto/dctcp/dctcp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 1 << 19, MSGS = 256, OUT = 96, RANGES = 4 };

static const uint32_t windows[] = { WEIR_HOST_WINDOW_PKTS_MIN, 100, WEIR_HOST_WINDOW_PKTS, WEIR_HOST_WINDOW_PKTS_MAX };

static _Alignas(64) unsigned char memory[ROOM];
static size_t used;
static uint32_t open_msgs[MSGS]; /* by handle: started and not finished */
static const uint8_t *input;
static size_t left;

static void *grow(void *ctx, size_t bytes)
{
    size_t at = used;
    (void)ctx;
    if (bytes > ROOM - at)
        return NULL;
    used = (at + bytes + 63) & ~(size_t)63;
    for (size_t i = at; i < used && i < ROOM; i++)
        memory[i] = 0;
    return memory + at;
}

static void delivered(void *ctx, uint32_t src, uint32_t msg, uint64_t now_ps, uint32_t marks)
{
    (void)ctx, (void)src, (void)msg, (void)now_ps, (void)marks;
}

static void finished(void *ctx, uint32_t msg, uint64_t now_ps)
{
    (void)ctx, (void)now_ps;
    WEIR_ASSERT(msg < MSGS);
    WEIR_ASSERT(open_msgs[msg] > 0);
    open_msgs[msg]--;
}

static void retransmitted(void *ctx, uint32_t msg)
{
    (void)ctx;
    WEIR_ASSERT(msg < MSGS);
    WEIR_ASSERT(open_msgs[msg] > 0);
}

static uint32_t byte(void)
{
    if (left == 0)
        return 0;
    left--;
    return *input++;
}

/* A number that is small, near a given one, about a window beyond it, in that window, or anything. */
static uint32_t number(uint32_t near, uint32_t window)
{
    uint32_t how = byte(), value = byte();
    if (how < 96)
        return value % 8;
    if (how < 192)
        return near + value % 16 - 4;
    if (how < 208)
        return near + window + value % 8 - 4;
    if (how < 224)
        return near + (value << 8 | byte()) * 4 % window;
    return value << 24 | byte() << 16 | byte() << 8 | byte();
}

/* Fields as a peer could have written them; the connections that exist say what is almost right. */
static struct weir_pkt packet(const struct weir_host *h)
{
    struct weir_pkt pkt = { .kind = (uint8_t)(byte() % 4), .conn = byte() % 4, .flags = (uint8_t)byte() };
    uint32_t near = host_stream_of(h)->first_index;
    if (pkt.kind == WEIR_PKT_DATA && host_stream_of(h)->rxs.count > 0)
        near = host_rx_at(h, byte() % host_stream_of(h)->rxs.count)->cum;
    else if (pkt.kind != WEIR_PKT_DATA && pkt.conn < host_stream_of(h)->flows.count)
        near = host_flow_at(h, pkt.conn)->una;
    pkt.seq = number(near, h->window_pkts);
    pkt.ack = number(near, h->window_pkts);
    pkt.msg = byte() % 4;
    pkt.src = (uint16_t)(byte() % 3);
    pkt.dst = (uint16_t)(byte() % 16 == 0);
    pkt.payload_bytes = (uint16_t)(byte() << 4);
    pkt.sent_ps = (uint64_t)byte() << (byte() % 64);
    return pkt;
}

/* An ACK with ranges, which may say anything. */
static void ranged_ack(struct weir_host *h, uint64_t now_ps)
{
    struct weir_ack_range range[RANGES];
    struct weir_pkt pkt = packet(h);
    uint32_t count = byte() % (RANGES + 1);
    pkt.kind = WEIR_PKT_ACK;
    for (uint32_t i = 0; i < count; i++)
        range[i] = (struct weir_ack_range){ number(pkt.ack, h->window_pkts), number(1, h->window_pkts) };
    weir_host_rx_ack(h, now_ps, &pkt, NULL, range, count);
    pkt.dst = (uint16_t)(byte() % 3);
    WEIR_ASSERT(weir_host_ranges(h, &pkt, range, RANGES) <= RANGES);
}

static void step(struct weir_host *h, uint64_t *now_ps)
{
    struct weir_pkt pkt, out[OUT];
    uint32_t what = byte(), msg;
    if (what < 24) {
        ranged_ack(h, *now_ps);
    } else if (what < 128) {
        pkt = packet(h);
        weir_host_rx(h, *now_ps, &pkt, 1);
    } else if (what < 160) {
        msg = byte();
        if (weir_host_send(h, *now_ps, byte() % 3, msg, (uint64_t)(byte() + 1) << (byte() % 12)) == 0)
            open_msgs[msg]++;
    } else if (what < 224) {
        bool ready = weir_host_ready(h);
        uint32_t n = weir_host_tx(h, *now_ps, out, 1 + byte() % OUT);
        WEIR_ASSERT(!ready || n > 0 || weir_host_next_ps(h) != *now_ps);
    } else {
        *now_ps += (uint64_t)byte() << (byte() % 36);
        if (byte() % 2 == 0 && weir_host_next_ps(h) != WEIR_NEVER)
            *now_ps = weir_max_u64(*now_ps, weir_host_next_ps(h));
        (void)weir_host_tx(h, *now_ps, NULL, 0);
        WEIR_ASSERT(weir_host_next_ps(h) > *now_ps);
    }
}

static bool noted(const struct host_bitmap *b, uint32_t edge, uint32_t pkt)
{
    return host_bitmap_holds(b, pkt - edge + 1) && host_bit(b, pkt);
}

/* Packets, counted one by one: how many bytes are neither delivered nor lost? */
static uint32_t bytes_in_flight(const struct weir_host *h, const struct host_flow *f)
{
    const struct host_board *b = host_board_of(h, f);
    uint32_t bytes = 0, lost = 0;
    for (uint32_t pkt = f->una; pkt != f->next; pkt++) {
        bool got = b != NULL && noted(&b->got, f->una, pkt), is_lost = b != NULL && noted(&b->lost, f->una, pkt);
        WEIR_ASSERT(!got || !is_lost);
        lost += is_lost;
        bytes += got || is_lost ? 0 : host_pkt_bytes(h, f, pkt);
    }
    WEIR_ASSERT(b == NULL || b->lost_pkts == lost);
    return bytes;
}

/* Bitmaps of what arrived have as many bits as packets are held. */
static void check_gaps(const struct weir_host *h)
{
    for (uint32_t i = 0; i < host_stream_of(h)->rxs.count; i++) {
        const struct host_rx *r = host_rx_at(h, i);
        const struct host_gap *gap = r->gap != 0 ? host_gap_at(h, r->gap) : NULL;
        uint32_t bits = 0;
        for (uint32_t w = 0; gap != NULL && w <= gap->got.mask; w++)
            bits += (uint32_t)__builtin_popcountll(gap->got.bits[w]);
        WEIR_ASSERT(gap == NULL || gap->held_pkts == bits);
    }
}

/* What must hold whatever a peer claims. */
static void check(const struct weir_host *h)
{
    check_gaps(h);
    for (uint32_t i = 0; i < host_stream_of(h)->flows.count; i++) {
        const struct host_flow *f = host_flow_at(h, i);
        WEIR_ASSERT(f->next - f->una <= h->window_pkts);
        WEIR_ASSERT(f->inflight_bytes <= h->window_pkts * h->cfg->framing.payload_bytes);
        WEIR_ASSERT(f->inflight_bytes == bytes_in_flight(h, f));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir_dctcp_config law = { .init_cwnd = { .bytes = 5000 },
                                     .max_cwnd = { .bytes = 40000 },
                                     .ssthresh = { .bytes = 40000 },
                                     .g_ppm = 62500,
                                     .init_alpha_ppm = 1000000,
                                     .min_cwnd_pkts = 2 };
    struct weir_host_config cfg = {
        .params = { .connections = 2,
                    .ack_every = 1,
                    .ack_delay_ps = 6 * WEIR_PS_PER_US,
                    .reorder_pkts = 3,
                    .rto_min_ps = 100 * WEIR_PS_PER_US,
                    .rto_init_ps = 200 * WEIR_PS_PER_US,
                    .rto_max_ps = 3000 * WEIR_PS_PER_US },
        .framing = { 1000, 76, 24, 100, 100 },
        .path = { .mss_bytes = 1000, .rate_bps = 100000000000 },
        .cc = &weir_dctcp_ops,
        .cc_config = &law,
    };
    uint64_t now_ps = 0;
    input = data, left = size, used = 0;
    for (uint32_t i = 0; i < MSGS; i++)
        open_msgs[i] = 0;
    uint32_t mode = byte();
    cfg.params.ack_every = mode & 1 ? 3 : 1;
    cfg.params.reply_bytes = mode & 2 ? 4 : 0;
    cfg.hash = (enum weir_host_hash)(mode >> 2 & 3) % 3;
    cfg.ack_ranges = (mode >> 2 & 3) == 3;
    cfg.params.window_pkts = windows[mode >> 5 & 3];
    if (mode & 128)
        law.init_cwnd.bytes = law.max_cwnd.bytes = law.ssthresh.bytes = WEIR_CWND_MAX_BYTES; /* the window limits */
    struct weir_host *h = weir_host_init(
        grow(NULL, weir_host_bytes(&cfg)), &cfg, 0, &(struct weir_mem){ grow, NULL },
        &(struct weir_host_sink){ .delivered = delivered, .finished = finished, .retransmitted = retransmitted });
    host_stream_of(h)->first_index = mode & 16 ? UINT32_MAX - 3 : 0;
    while (left > 0) {
        step(h, &now_ps);
        check(h);
    }
    return 0;
}
