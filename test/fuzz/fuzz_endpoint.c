/* test/fuzz/fuzz_endpoint.c - any bytes as the life of one endpoint on a network of memory: datagrams from four addresses, raw ones,
 * words of the handshake with what it takes to succeed, packets with the right token; operations of its own, cancels, leases
 * kept, time that passes. Nothing may crash or leak, every operation has at most one event, memory stays within its
 * limits, and nobody is answered with more than he sent. */
#include "core/assert.h"
#include "test/unit/endpoint/internals.h"
#include "test/net/forge.h"
#include "test/net/mem.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OTHERS = 4, OPS = 64, LEASES = 32, DATAGRAM = 1472, RX_BYTES = 1 << 18, TX_BYTES = 1 << 16, PEERS = 8 };

static struct other { /* somebody at an address, and what the endpoint told him */
    struct weir_net_addr addr;
    struct weir_peer *peer;
    uint64_t token, cookie; /* the endpoint's of our connection; its cookie for us */
    uint32_t epoch;
    uint32_t may_hear; /* bytes of one answer to what he said last; 0 = it was answered */
    bool known;        /* he has proven his address, or the endpoint wanted to speak to him: no limit any more */
} other[OTHERS];
static struct mem *mem;
static struct weir_ep *ep;
static struct weir_net *port;
static uint8_t pending[OPS]; /* by user_data: operations with no event yet */
static void *lease[LEASES];
static uint64_t rpc[LEASES];
static uint32_t leases, rpcs;
static unsigned char payload[200000]; /* what all its messages are made of */
static unsigned char last[DATAGRAM];  /* the last it sent */
static uint32_t last_length;
static const uint8_t *input;
static size_t left;

static uint32_t byte(void)
{
    if (left == 0)
        return 0;
    left--;
    return *input++;
}

static uint32_t word(void)
{
    uint32_t high = byte();
    return high << 8 | byte();
}

/* A number that is small, or anything. */
static uint32_t number(void)
{
    uint32_t how = byte();
    return how < 160 ? how % 16 : word() << 16 | word();
}

/* What the endpoint says is kept, and must not be more than it was told by somebody who may be anybody. */
static void learn(struct other *o, const unsigned char *bytes, uint32_t length)
{
    struct weir_wire_handshake said = { 0 };
    if (weir_wire_type(bytes, length) >= WEIR_WIRE_OWN)
        WEIR_ASSERT(weir_wire_decode_handshake(bytes, length, &said) == WEIR_WIRE_OK);
    if (said.type == WEIR_WIRE_COOKIE)
        o->cookie = said.cookie, o->epoch = said.cookie_epoch;
    if (said.type == WEIR_WIRE_HELLO || said.type == WEIR_WIRE_OPEN)
        o->token = said.token;
    if (said.type == WEIR_WIRE_READY)
        o->token = said.own_token;
    WEIR_ASSERT(o->known || length <= o->may_hear);
    o->may_hear = 0;
    o->known |= said.type == WEIR_WIRE_READY;
}

static void hear(void *ctx, const struct weir_net_addr *from, const struct weir_net_addr *to,
                 const unsigned char *bytes, uint32_t length)
{
    (void)ctx;
    if (memcmp(from, &port->local, sizeof(*from)) != 0)
        return;
    memcpy(last, bytes, length);
    last_length = length;
    for (uint32_t i = 0; i < OTHERS; i++)
        if (memcmp(to, &other[i].addr, sizeof(*to)) == 0)
            learn(&other[i], bytes, length);
}

static void say(uint32_t i, const void *bytes, uint32_t length)
{
    other[i].may_hear = length;
    mem_inject(mem, &other[i].addr, &port->local, bytes, length);
}

static void say_raw(uint32_t i)
{
    unsigned char bytes[DATAGRAM];
    uint32_t length = word() % (DATAGRAM + 1);
    for (uint32_t n = 0; n < length; n++)
        bytes[n] = (unsigned char)byte();
    say(i, bytes, length);
}

static void say_word(uint32_t i)
{
    static const uint8_t types[] = { WEIR_WIRE_HELLO, WEIR_WIRE_COOKIE, WEIR_WIRE_OPEN,     WEIR_WIRE_READY,
                                     WEIR_WIRE_RESET, WEIR_WIRE_REFUSE, WEIR_WIRE_VERSIONS, WEIR_WIRE_PING,
                                     WEIR_WIRE_PONG,  WEIR_WIRE_CLOSE };
    unsigned char bytes[DATAGRAM];
    uint32_t how = byte();
    struct weir_wire_handshake w = { .type = types[byte() % sizeof(types)],
                                     .token = 1000 + i,
                                     .counter = 1,
                                     .cookie = other[i].cookie,
                                     .cookie_epoch = other[i].epoch,
                                     .version = WEIR_WIRE_VERSION,
                                     .ports = 1,
                                     .law = ep->law,
                                     .law_bytes = how & 32 ? (uint16_t)(byte() % 4) : (uint16_t)strlen(ep->law),
                                     .mss_bytes = how & 16 ? (uint16_t)number() : 1423 };
    w.own_token = 1000 + i + (how & 3);
    if (w.type != WEIR_WIRE_HELLO && w.type != WEIR_WIRE_OPEN)
        w.token = other[i].token;
    if ((how & 12) == 12)
        w.token ^= number();
    if (w.type == WEIR_WIRE_REFUSE)
        w.number = number(), w.msg = number();
    say(i, bytes, weir_wire_encode_handshake(&w, bytes, DATAGRAM));
}

static void say_packet(uint32_t i)
{
    unsigned char bytes[DATAGRAM + WEIR_WIRE_HEAD_BYTES];
    struct weir_pkt pkt = {
        .kind = byte() % 9 & 15u, .conn = number(), .msg = number(), .seq = number(), .ack = number()
    };
    pkt.flags = (uint8_t)byte();
    if (pkt.kind != WEIR_PKT_DATA && byte() < 192)
        pkt.flags &= pkt.kind == WEIR_PKT_CREDIT ? WEIR_PKT_RETX : pkt.kind == WEIR_PKT_CONTROL ? WEIR_PKT_OWN : 0;
    else if (byte() < 192)
        pkt.flags &= (uint8_t) ~(WEIR_PKT_CE | WEIR_PKT_ECE | 0x80u);
    pkt.class_id = (uint8_t)(byte() % 8);
    pkt.msg_bytes = byte() < 200 ? 16 + (uint64_t)word() * (1 + byte() % 4) : (uint64_t)number() << 32 | number();
    pkt.msg_bytes |= (uint64_t)(byte() % 64) << 48;
    if (pkt.kind == WEIR_PKT_DATA)
        pkt.payload_bytes = WEIR_PKT_BYTES(byte() % 2 ? 1423 : word() % 1424);
    for (uint32_t n = 0; n < pkt.payload_bytes; n++) /* the message's own head, then zeros */
        bytes[WEIR_WIRE_HEAD_BYTES + n] = (unsigned char)(n < 16 ? byte() % (n == 0 || n > 7 ? 4 : 1) : 0);
    say(i, bytes, forge(&pkt, other[i].token, bytes));
}

static int offer(uint32_t i, uint32_t user)
{
    uint32_t whose = byte(), least = byte(), most = word();
    struct weir_peer *p = whose % 2 ? other[i].peer : NULL;
    if (whose % 4 < 2)
        return weir_recv_into(ep, p, payload + 100000, least, 1000 + most, user);
    return weir_recv_parts(ep, p, least, EP_PARTS_LEAST + most % 1000, user);
}

static void submit(uint32_t i)
{
    struct weir_sendopt opt = { .size = sizeof(opt),
                                .flags = byte() % 4,
                                .deadline_ns = byte() < 128 ? 0 : (uint64_t)number() * 1000 };
    struct iovec iov[2] = { { payload, byte() }, { payload + 256, (size_t)word() * (1 + byte() % 3) } };
    uint32_t user = byte() % OPS, how = byte() % 4;
    int result;
    if (how == 0)
        result = weir_send(ep, other[i].peer, iov, 2, user, &opt);
    else if (how == 1)
        result = weir_call(ep, other[i].peer, iov, 2, user, &opt);
    else if (how == 2)
        result = rpcs > 0 ? weir_reply(ep, rpc[byte() % rpcs], iov, 2, user, &opt) : -ENOENT;
    else
        result = offer(i, user);
    WEIR_ASSERT(result == 0 || result == -EAGAIN || result == -ENOENT || result == -EMSGSIZE || result == -EINVAL ||
                (how == 3 && result == -ENOMEM));
    if (result != 0)
        return;
    pending[user]++;
    other[i].known |= how < 2;
    WEIR_ASSERT(pending[user] < 255);
}

static void take(const struct weir_event *event)
{
    if (event->type == WEIR_EV_SENT || event->type == WEIR_EV_REPLY || event->type == WEIR_EV_REPLIED ||
        event->type == WEIR_EV_RECEIVED) {
        WEIR_ASSERT(event->user_data < OPS);
        WEIR_ASSERT(pending[event->user_data] > 0);
        pending[event->user_data]--;
    }
    for (size_t n = 0; event->data != NULL && n < event->len; n += 64) /* what is lent can be read */
        payload[0] ^= ((const unsigned char *)event->data)[n];
    if (event->rpc != 0 && rpcs < LEASES)
        rpc[rpcs++] = event->rpc;
    if (event->lease == NULL)
        return;
    if (leases == LEASES)
        weir_release(ep, lease[--leases]);
    lease[leases++] = event->lease;
}

static void turn(void)
{
    struct weir_event event[4];
    for (int n = 4; n == 4;) {
        n = weir_poll(ep, event, 4, 0);
        WEIR_ASSERT(n >= 0);
        for (int i = 0; i < n; i++)
            take(&event[i]);
    }
}

static void check(void)
{
    struct weir_stats stats = { .size = sizeof(stats) };
    WEIR_ASSERT(weir_stats(ep, &stats) == 0);
    WEIR_ASSERT(stats.rx_bytes_held <= RX_BYTES);
    WEIR_ASSERT(stats.tx_bytes_held <= TX_BYTES);
    WEIR_ASSERT(stats.peers <= PEERS);
}

static void pass(void)
{
    uint64_t ns = (uint64_t)byte() << byte() % 32, deadline_ns = weir_deadline(ep);
    if (byte() % 2 && deadline_ns != UINT64_MAX && deadline_ns != 0)
        mem_advance(mem, deadline_ns);
    else
        mem_advance(mem, mem_now_ns(mem) + ns);
}

static void step(void)
{
    uint32_t what = byte(), i = byte() % OTHERS;
    if (what < 20)
        say_raw(i);
    else if (what < 70)
        say_word(i);
    else if (what < 150)
        say_packet(i);
    else if (what < 160)
        say(i, last, last_length);
    else if (what < 190)
        submit(i);
    else if (what < 200)
        (void)weir_cancel(ep, byte() % OPS);
    else if (what < 210 && leases > 0)
        weir_release(ep, lease[--leases]);
    else
        pass();
    turn();
    check();
}

static void begin(void)
{
    struct mem_config cfg = { .start_ns = 1000000000, .buffer_pkts = 64, .strangers = 8 };
    struct weir_opts opts = { .size = sizeof(opts),
                              .flags = byte() % 2 ? WEIR_OPEN_CHECKED : 0,
                              .rx_bytes = RX_BYTES,
                              .tx_bytes = TX_BYTES,
                              .max_ops = OPS,
                              .max_peers = PEERS,
                              .rate_bps = 10000000000 };
    struct weir_net_addr addr = mem_addr(1, 80);
    struct weir_err err;
    int opened;
    mem = mem_new(&cfg);
    WEIR_ASSERT(mem != NULL && mem_plug(mem, &addr, &port) == 0);
    mem_tap(mem, hear, NULL);
    opened = weir_ep_open_net(&ep, &opts, port, 1, &err);
    WEIR_ASSERT(opened == 0);
    memset(other, 0, sizeof(other));
    memset(pending, 0, sizeof(pending));
    leases = rpcs = last_length = 0;
    for (uint32_t i = 0; i < OTHERS; i++) {
        struct sockaddr_storage sa;
        other[i].addr = mem_addr(2 + i, 80);
        opened = weir_peer_get(ep, (struct sockaddr *)&sa, weir_net_addr_to(&other[i].addr, &sa), &other[i].peer);
        WEIR_ASSERT(opened == 0);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = data, left = size;
    begin();
    while (left > 0)
        step();
    WEIR_ASSERT(weir_close(ep) == 0);
    mem_free(mem);
    return 0;
}
