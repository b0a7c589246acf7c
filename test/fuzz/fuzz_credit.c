/* test/fuzz/fuzz_credit.c - any bytes as a run of two hosts of a receiver-driven protocol: messages that start, packets that
 * arrive in any order, twice, never, or changed on the way, messages given up, a host that forgets the other (packets from
 * before do not get through, those from after make the other forget, too), time that passes, memory that ends. Nothing may
 * crash, no assertion fail, and the accounts of packets and credit must agree after each step. Where no packet was changed
 * every message that was not given up or forgotten is delivered once, and at the end, on a network that loses nothing any more, all
 * are finished and no credit is missing. */
#include "test/unit/host/internals.h"
#include "proto/sird/sird.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ROOM = 1 << 21, MSGS = 64, FLIGHTS = 512, END_STEPS = 4000000 };

static _Alignas(64) unsigned char memory[ROOM];
static size_t used, most;
static struct weir_host *host[2];
static struct weir_pkt flight[FLIGHTS];
static uint32_t flights;
static bool honest;
static uint64_t now_ps;
static uint32_t epoch[2]; /* how often each forgot the other; its packets carry it in arrival_ps */
static struct message {
    uint8_t started, delivered, finished, cancelled, dropped, forgotten;
    uint32_t number, epoch;
} message[2][MSGS]; /* by sender and handle */
static const uint8_t *input;
static size_t left;

static void *grow(void *ctx, size_t bytes)
{
    size_t at = used;
    (void)ctx;
    if (bytes > most - at)
        return NULL;
    used = (at + bytes + 63) & ~(size_t)63;
    for (size_t i = at; i < used && i < ROOM; i++)
        memory[i] = 0;
    return memory + at;
}

static void delivered(void *ctx, uint32_t src, uint32_t msg, uint64_t at_ps, uint32_t marks)
{
    (void)ctx, (void)at_ps, (void)marks;
    if (!honest)
        return;
    WEIR_ASSERT(src < 2 && msg < MSGS);
    WEIR_ASSERT(message[src][msg].started && !message[src][msg].delivered && !message[src][msg].dropped);
    message[src][msg].delivered = 1;
}

static void finished(void *ctx, uint32_t msg, uint64_t at_ps)
{
    struct message *of = ctx;
    (void)at_ps;
    WEIR_ASSERT(msg < MSGS);
    WEIR_ASSERT(of[msg].started && !of[msg].finished && !of[msg].forgotten);
    WEIR_ASSERT(!honest || of[msg].delivered || of[msg].cancelled);
    of[msg].finished = 1;
}

static void dropped(void *ctx, uint32_t src, uint32_t conn, uint64_t at_ps)
{
    uint32_t n = 0;
    (void)ctx, (void)at_ps;
    if (!honest)
        return;
    for (uint32_t m = 0; m < MSGS; m++) {
        struct message *of = &message[src][m];
        if (!of->started || of->number != conn || of->epoch != epoch[1 - src])
            continue;
        WEIR_ASSERT(of->cancelled && !of->dropped && !of->delivered);
        of->dropped = 1;
        n++;
    }
    WEIR_ASSERT(n == 1);
}

static void retransmitted(void *ctx, uint32_t msg)
{
    struct message *of = ctx;
    WEIR_ASSERT(msg < MSGS);
    WEIR_ASSERT(of[msg].started && !of[msg].finished && !of[msg].cancelled && !of[msg].forgotten);
}

static uint32_t byte(void)
{
    if (left == 0)
        return 0;
    left--;
    return *input++;
}

/* A number that is small, near a given one, or anything. */
static uint32_t number(uint32_t near)
{
    uint32_t how = byte(), value = byte();
    if (how < 96)
        return value % 8;
    if (how < 224)
        return near + value % 16 - 4;
    return value << 24 | byte() << 16 | byte() << 8 | byte();
}

/* One field is not what its sender wrote. */
static void change(struct weir_pkt *pkt)
{
    switch (byte() % 10) {
    case 0:
        pkt->kind = byte() % (WEIR_PKT_ABORT + 2) & 15u;
        break;
    case 1:
        pkt->conn = number(pkt->conn);
        break;
    case 2:
        pkt->seq = number(pkt->seq);
        break;
    case 3:
        pkt->ack = number(pkt->ack);
        break;
    case 4:
        pkt->msg = number(pkt->msg);
        break;
    case 5:
        pkt->msg_bytes ^= (uint64_t)byte() << byte() % 64;
        break;
    case 6:
        pkt->payload_bytes = WEIR_PKT_BYTES(number(pkt->payload_bytes));
        break;
    case 7:
        pkt->flags ^= (uint8_t)byte();
        break;
    case 8:
        pkt->wire_bytes = WEIR_PKT_BYTES(number(pkt->wire_bytes));
        break;
    default:
        pkt->src = (uint16_t)number(pkt->src);
        break;
    }
}

/* Host n forgets the other, for the to-th time. */
static void forget(uint32_t n, uint32_t to)
{
    if (epoch[n] >= to)
        return;
    epoch[n] = to;
    for (uint32_t m = 0; m < MSGS; m++)
        message[n][m].forgotten |= message[n][m].started && !message[n][m].finished;
    weir_host_forget(host[n], now_ps, 1 - n);
}

/* A packet is here: what is known of its message before says what may come of it. */
static void meet(struct weir_pkt *pkt)
{
    uint32_t n = pkt->dst % 2, from = (uint32_t)pkt->arrival_ps;
    if (from < epoch[n]) {
        forget(1 - n, epoch[n]);
        return;
    }
    forget(n, from);
    enum weir_host_inbound before = weir_host_inbound(host[n], pkt->src, pkt);
    uint64_t bytes = weir_host_stats(host[n])->rx_new_bytes;
    weir_host_rx(host[n], now_ps, pkt, 1); /* answers to hosts that do not exist are refused */
    enum weir_host_inbound after = weir_host_inbound(host[n], pkt->src, pkt);
    WEIR_ASSERT(bytes == weir_host_stats(host[n])->rx_new_bytes || before == WEIR_INBOUND_NEW ||
                before == WEIR_INBOUND_OPEN);
    WEIR_ASSERT(before == after || before == WEIR_INBOUND_NEW ||
                (before == WEIR_INBOUND_OPEN && after == WEIR_INBOUND_DONE));
}

/* A packet on its way arrives, perhaps not for the last time. */
static void arrive(void)
{
    uint32_t how = byte(), i = flights > 0 ? byte() % flights : 0;
    struct weir_pkt pkt;
    if (flights == 0)
        return;
    pkt = flight[i];
    if (how % 4 != 3) {
        flights--;
        for (; i < flights; i++)
            flight[i] = flight[i + 1];
    }
    if (how % 8 == 2)
        return; /* lost */
    if (!honest && how >= 128)
        change(&pkt);
    meet(&pkt);
}

/* Of what was given up no payload leaves, of what was forgotten nothing. */
static void check_leaving(uint32_t n, const struct weir_pkt *pkt)
{
    const struct message *of = &message[n][pkt->msg % MSGS];
    if (pkt->kind == WEIR_PKT_DATA)
        WEIR_ASSERT(of->started && !of->finished && !of->cancelled);
    if (pkt->kind == WEIR_PKT_DATA || pkt->kind == WEIR_PKT_REQUEST || pkt->kind == WEIR_PKT_ABORT)
        WEIR_ASSERT(!of->forgotten);
}

static void leave(uint32_t n, uint32_t max)
{
    bool ready = weir_host_ready(host[n]);
    uint32_t count = 0;
    if (max > FLIGHTS - flights)
        max = FLIGHTS - flights;
    if (max == 0)
        return;
    count = weir_host_tx(host[n], now_ps, &flight[flights], max);
    WEIR_ASSERT(!ready || count > 0);
    for (; count > 0; count--, flights++) {
        check_leaving(n, &flight[flights]);
        flight[flights].arrival_ps = epoch[n];
    }
}

static void start(void)
{
    uint32_t src = byte() % 2, msg = byte() % MSGS;
    uint64_t bytes = (uint64_t)(byte() + 1) << (byte() % 6);
    struct message *m = &message[src][msg];
    if (m->started && (!(m->finished || m->forgotten) || honest))
        return;
    if (weir_host_send(host[src], now_ps, 1 - src, msg, bytes) != 0)
        return;
    *m = (struct message){ .started = 1, .epoch = epoch[src] };
    m->number = WEIR_PKT_CONN(host_credit_peer(host[src], 1 - src)->tx_count - 1);
}

static void cancel(void)
{
    uint32_t src = byte() % 2, msg = byte() % MSGS;
    struct message *m = &message[src][msg];
    bool known = m->started && !m->finished && !m->forgotten;
    int code = weir_host_cancel(host[src], now_ps, msg);
    WEIR_ASSERT(code == (known ? 0 : WEIR_E_UNKNOWN));
    m->cancelled |= known;
}

static void step(void)
{
    uint32_t what = byte();
    if (what < 128) {
        arrive();
    } else if (what < 144) {
        start();
    } else if (what < 150) {
        cancel();
    } else if (what < 152) {
        uint32_t who = byte();
        if (who & 1)
            forget(0, epoch[0] + 1);
        if (who & 2)
            forget(1, epoch[1] + 1);
    } else if (what < 224) {
        leave(what % 2, 1 + byte() % 32);
    } else {
        now_ps += (uint64_t)byte() << (byte() % 30);
        for (uint32_t n = 0; n < 2; n++) {
            if (what % 2 == 0 && weir_host_next_ps(host[n]) != WEIR_NEVER)
                now_ps = weir_max_u64(now_ps, weir_host_next_ps(host[n]));
            (void)weir_host_tx(host[n], now_ps, NULL, 0);
            WEIR_ASSERT(weir_host_next_ps(host[n]) > now_ps);
        }
    }
}

static uint32_t bits(const uint64_t *unit)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < CREDIT_WINDOW_UNITS; i++)
        n += (uint32_t)__builtin_popcountll(unit[i]);
    return n;
}

/* Lists, counts and bitmaps of what arrives say the same. */
static void check_rx(const struct weir_host *h, const struct credit_peer *peer)
{
    const struct host_credit *c = host_credit_of(h);
    uint32_t before = HOST_NONE;
    for (uint32_t i = peer->rx_head; i != HOST_NONE; before = i, i = credit_rx_at(c, i)->next) {
        struct credit_rx *r = credit_rx_at(c, i);
        const struct weir_rx_msg *m = credit_rx_state(r);
        WEIR_ASSERT(r->index == i && r->prev == before);
        WEIR_ASSERT(m->cum <= m->pkts && m->granted <= m->pkts);
        WEIR_ASSERT((int64_t)m->granted - m->cum <= WEIR_CREDIT_WINDOW_PKTS);
        WEIR_ASSERT((m->left_bytes == 0) == ((r->flags & CREDIT_RX_DELIVERED) != 0));
        WEIR_ASSERT(m->grant_wire_bytes == 0 || m->ungranted_bytes > 0);
        if (r->gap == 0)
            continue;
        const struct host_gap *gap = host_gap_at(h, r->gap);
        WEIR_ASSERT(gap->held_pkts + gap->lost_pkts > 0);
        WEIR_ASSERT(bits(gap->got.bits) == gap->held_pkts && bits(gap->lost.bits) == gap->lost_pkts);
    }
}

static void check_tx(const struct host_credit *c, const struct credit_peer *peer)
{
    uint32_t before = HOST_NONE;
    for (uint32_t i = peer->tx_head; i != HOST_NONE; before = i, i = credit_tx_at(c, i)->next) {
        struct credit_tx *t = credit_tx_at(c, i);
        const struct weir_tx_msg *m = credit_tx_state(t);
        WEIR_ASSERT(t->index == i && t->peer == peer->index && t->prev == before);
        WEIR_ASSERT(t->flags == CREDIT_TX_LIVE || (t->flags == CREDIT_TX_ABORTED && m->left_bytes == 0));
        WEIR_ASSERT(m->next <= m->pkts && (m->next_wire_bytes == 0) == (m->left_bytes == 0));
        WEIR_ASSERT((t->again == 0) == (m->again_pkts == 0));
        if (t->again == 0)
            continue;
        const struct credit_again *again = host_at(&c->agains, 0, t->again - 1);
        WEIR_ASSERT(again->ring.count == m->again_pkts && bits(again->in) == m->again_pkts);
    }
}

/* Records given back are as a taker expects them. all: no other is in use */
static void check_pools(const struct weir_host *h, bool all)
{
    const struct host_credit *c = host_credit_of(h);
    uint32_t gaps = 0, agains = 0;
    for (uint32_t i = h->gaps.free; i != HOST_NONE; gaps++) {
        const struct host_gap *gap = host_gap_at(h, i + 1);
        WEIR_ASSERT(gap->held_pkts + gap->lost_pkts + bits(gap->own) + bits(gap->own + h->bitmap_units) == 0);
        i = gap->link;
    }
    for (uint32_t i = c->agains.free; i != HOST_NONE; agains++) {
        const struct credit_again *again = host_at(&c->agains, 0, i);
        WEIR_ASSERT(again->ring.count + bits(again->in) == 0);
        i = again->link;
    }
    WEIR_ASSERT(!all || (gaps == h->gaps.count && agains == c->agains.count));
}

static void check(const struct weir_host *h)
{
    const struct host_credit *c = host_credit_of(h);
    uint64_t out = 0, held = 0;
    struct weir_credit_sums sums;
    for (uint32_t i = 0; i < c->peers.count; i++) {
        struct credit_peer *peer = credit_peer_at(c, i);
        const struct weir_sird_peer *state = credit_peer_state(peer);
        check_rx(h, peer);
        check_tx(c, peer);
        WEIR_ASSERT(peer->timed || (peer->rx_head == HOST_NONE && peer->tx_head == HOST_NONE) || c->loss_ps == 0);
        out += state->outstanding_bytes;
        held += state->credit_bytes;
    }
    weir_host_credit(h, &sums); /* surplus_bytes is what liars said */
    WEIR_ASSERT(sums.outstanding_bytes <= sums.most_bytes);
    WEIR_ASSERT(out == (uint64_t)sums.outstanding_bytes);
    WEIR_ASSERT(held == sums.held_bytes);
}

/* Everything arrives from now on: all ends well. */
static void end(void)
{
    struct weir_credit_sums sums[2];
    most = ROOM;
    for (uint32_t steps = 0;; steps++) {
        WEIR_ASSERT(steps < END_STEPS); /* or it goes on for ever */
        leave(0, FLIGHTS / 4), leave(1, FLIGHTS / 4);
        if (flights == 0) {
            uint64_t next_ps = weir_min_u64(weir_host_next_ps(host[0]), weir_host_next_ps(host[1]));
            if (next_ps == WEIR_NEVER)
                break;
            now_ps = weir_max_u64(now_ps, next_ps);
            continue;
        }
        now_ps += 1000;
        for (uint32_t i = 0; i < flights; i++)
            meet(&flight[i]);
        flights = 0;
    }
    forget(0, epoch[1]), forget(1, epoch[0]); /* who was forgotten and had nothing to say since does not know */
    for (uint32_t src = 0; src < 2; src++) {
        weir_host_credit(host[src], &sums[src]);
        WEIR_ASSERT(sums[src].outstanding_bytes == 0);
        WEIR_ASSERT(sums[src].held_bytes == 0);
        for (uint32_t m = 0; m < MSGS; m++)
            WEIR_ASSERT(message[src][m].finished + message[src][m].forgotten == message[src][m].started);
    }
}

static void begin(struct weir_host_config *cfg, struct weir_sird_config *sird)
{
    uint32_t mode = byte();
    uint64_t bdp = cfg->path.bdp_bytes = 400 + 16 * (uint64_t)byte();
    honest = mode % 2 == 0;
    *sird = (struct weir_sird_config){ .bucket = { .bytes = bdp + 8 * (uint64_t)byte() },
                                       .sthr = { .bytes = bdp / 2 },
                                       .unscht = { .bytes = mode & 2 ? 0 : 1000 },
                                       .prefix = { .bytes = mode & 4 ? 300 : 1000 },
                                       .floor = { { .bytes = bdp / 30 }, { .bytes = bdp / 10 } },
                                       .loss_ps = 100 * WEIR_PS_PER_US,
                                       .g_ppm = 80000,
                                       .fair_ppm = 500000,
                                       .pace_ppm = 1000000,
                                       .receiver_policy = (mode >> 3 & 3) % 3,
                                       .sender_policy = (mode >> 5 & 3) % 3,
                                       .unsched_accounting = mode >> 7,
                                       .aimd_input = mode >> 7,
                                       .bucket_test = mode >> 7 };
    cfg->hash = (enum weir_host_hash)(mode % 3);
    used = 0, most = ROOM, flights = 0, now_ps = 0;
    epoch[0] = epoch[1] = 0;
    for (uint32_t n = 0; n < 2; n++) {
        for (uint32_t m = 0; m < MSGS; m++)
            message[n][m] = (struct message){ 0 };
        host[n] = weir_host_init(grow(NULL, weir_host_bytes(cfg)), cfg, n, &(struct weir_mem){ grow, NULL },
                                 &(struct weir_host_sink){ .delivered = delivered,
                                                           .finished = finished,
                                                           .retransmitted = retransmitted,
                                                           .ctx = message[n],
                                                           .dropped = dropped });
    }
    if (byte() % 4 == 0) /* numbers go round soon */
        for (uint32_t n = 0; n < 2; n++)
            host_credit_peer(host[n], 1 - n)->tx_count = host_credit_peer(host[n], 1 - n)->rx_base = UINT32_MAX - 1;
    if (mode & 64)
        most = used + 512 * (size_t)byte(); /* memory ends early */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct weir_sird_config sird;
    struct weir_host_config cfg = {
        .params = { .connections = 1,
                    .reorder_pkts = 3,
                    .window_pkts = WEIR_HOST_WINDOW_PKTS,
                    .rto_min_ps = 1,
                    .rto_init_ps = 1,
                    .rto_max_ps = 1 },
        .framing = { 100, 60, 20, 84, 84 },
        .path = { .mss_bytes = 100, .rate_bps = 100000000000, .base_rtt_ps = 5 * WEIR_PS_PER_US },
        .credit = &weir_sird_ops,
        .cc_config = &sird,
        .seed = 1,
    };
    input = data, left = size;
    begin(&cfg, &sird);
    while (left > 0) {
        step();
        check(host[0]);
        check(host[1]);
    }
    if (honest)
        end();
    check_pools(host[0], honest);
    check_pools(host[1], honest);
    return 0;
}
