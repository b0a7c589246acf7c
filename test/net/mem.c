/* test/net/mem.c - see mem.h. One FIFO per port: the delay is the same for all and a link serves in order, so arrivals are in order. */
#define _GNU_SOURCE
#include "test/net/mem.h"
#include "core/assert.h"
#include "core/units.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_DEFAULT = 2048, MTU_DEFAULT = 1500, MTU_MAX = 9216, IP_UDP_BYTES = 28, STRANGERS_DEFAULT = 16384 };

struct slot {
    struct weir_net_addr from;
    uint64_t arrival_ps;
    uint32_t length;
    uint8_t ecn, port;
};

struct port {
    struct weir_net net;
    struct mem *mem;
    uint64_t sent_bytes;        /* frames that the link to this port has sent, or will */
    uint64_t free_ps;           /* when the link to this port has sent all it has */
    uint32_t head, count, lent; /* slots: the first in use; in use; of those, lent by the last recv() */
    bool plugged;
    uint8_t further; /* ports after the first that it has sent from, and so receives at */
    struct slot *slot;
    unsigned char *bytes; /* mtu per slot */
};

struct owed { /* an address without a port that sent something, and what it may be answered */
    struct weir_net_addr addr;
    uint32_t answers, smallest;
};

struct mem {
    struct mem_config cfg;
    struct mem_stats stats;
    uint64_t now_ns;
    uint32_t port_count; /* plugged, or not closed yet */
    struct port *port[MEM_PORTS_MAX];
    struct owed *owed; /* open addressing */
    uint32_t owed_count;
    mem_switch_fn *writes;
    void *writes_ctx;
    mem_tap_fn *tap;
    void *tap_ctx;
};

static struct port *port_of(struct weir_net *net)
{
    return (struct port *)net;
}

static bool same(const struct weir_net_addr *a, const struct weir_net_addr *b)
{
    return memcmp(a, b, sizeof(*a)) == 0;
}

/* Tests whether an address is one of a port's. */
static bool is_at(const struct port *p, const struct weir_net_addr *addr)
{
    struct weir_net_addr first = *addr;
    first.port = p->net.local.port;
    return (uint16_t)(addr->port - first.port) <= p->further && same(&p->net.local, &first);
}

static struct port *find(const struct mem *m, const struct weir_net_addr *addr)
{
    for (uint32_t i = 0; i < m->port_count; i++)
        if (m->port[i]->plugged && is_at(m->port[i], addr))
            return m->port[i];
    return NULL;
}

struct weir_net_addr mem_addr(uint32_t host, uint16_t port)
{
    return (struct weir_net_addr){ .ip = { 10, (uint8_t)(host >> 16), (uint8_t)(host >> 8), (uint8_t)host },
                                   .port = port,
                                   .family = AF_INET };
}

/* What an address may be answered; NULL = nothing, and make was not asked for. */
static struct owed *owed_to(struct mem *m, const struct weir_net_addr *addr, bool make)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    const unsigned char *byte = (const unsigned char *)addr;
    for (size_t i = 0; i < sizeof(*addr); i++)
        hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
    for (uint32_t i = (uint32_t)(hash >> 20) % (2 * m->cfg.strangers);; i = (i + 1) % (2 * m->cfg.strangers)) {
        struct owed *o = &m->owed[i];
        if (same(&o->addr, addr))
            return o;
        if (o->addr.family != 0)
            continue;
        if (!make)
            return NULL;
        WEIR_ASSERT(m->owed_count < m->cfg.strangers);
        m->owed_count++;
        o->addr = *addr;
        return o;
    }
}

static void count_answer(struct mem *m, const struct weir_net_addr *to, uint32_t length)
{
    struct owed *o = owed_to(m, to, false);
    m->stats.nowhere++;
    if (o == NULL || o->answers == 0) {
        m->stats.answers_uninvited++;
        return;
    }
    m->stats.answers++;
    m->stats.answers_larger += length > o->smallest;
    o->answers--;
}

static uint64_t frame_ps(const struct mem *m, uint32_t length)
{
    uint32_t frame = length + MEM_FRAME_BYTES;
    if (frame < MEM_FRAME_MIN_BYTES)
        frame = MEM_FRAME_MIN_BYTES;
    return m->cfg.rate_bps == 0 ? 0 : frame * (8 * WEIR_PS_PER_S / m->cfg.rate_bps); /* 2^14 * 2^43 fits */
}

/* Bytes that wait for a link whose last bit leaves at free_ps. */
static uint64_t backlog_bytes(const struct mem *m, const struct port *p, uint64_t at_ps)
{
    return m->cfg.rate_bps == 0 || p->free_ps <= at_ps ? 0
                                                       : (p->free_ps - at_ps) / (8 * WEIR_PS_PER_S / m->cfg.rate_bps);
}

/* @return where the datagram's bytes go; NULL = it is dropped */
static unsigned char *enqueue(struct mem *m, struct port *p, const struct weir_net_addr *from, uint32_t length,
                              uint8_t ecn, uint16_t to_port)
{
    uint64_t at_ps = (m->now_ns + m->cfg.delay_ns) * WEIR_PS_PER_NS, waiting = backlog_bytes(m, p, at_ps);
    uint32_t i = (p->head + p->count) % m->cfg.buffer_pkts;
    if (m->cfg.queue_bytes > 0 && waiting + length + MEM_FRAME_BYTES > m->cfg.queue_bytes) {
        m->stats.dropped_queue++;
        return NULL;
    }
    if (p->count == m->cfg.buffer_pkts) {
        m->stats.dropped_buffer++;
        return NULL;
    }
    if (m->cfg.mark_bytes > 0 && waiting >= m->cfg.mark_bytes && ecn != WEIR_NET_NOT_ECT) {
        ecn = WEIR_NET_CE;
        m->stats.marked++;
    }
    p->count++;
    p->sent_bytes += length + MEM_FRAME_BYTES;
    p->free_ps = (p->free_ps > at_ps ? p->free_ps : at_ps) + frame_ps(m, length);
    p->slot[i] = (struct slot){ .from = *from,
                                .arrival_ps = p->free_ps,
                                .length = length,
                                .ecn = ecn,
                                .port = (uint8_t)(to_port - p->net.local.port) };
    return p->bytes + (size_t)i * m->cfg.mtu;
}

/* What the link to a port is like at a time, with `queue_bytes` before whatever leaves then. */
static struct mem_hop hop_of(const struct mem *m, const struct port *p, uint64_t at_ps, uint64_t queue_bytes)
{
    return (struct mem_hop){ at_ps / WEIR_PS_PER_NS, m->cfg.rate_bps, p->sent_bytes, queue_bytes };
}

/* The switch writes into a datagram that was put into the queue of port p, waiting: what it found there. */
static void pass(struct mem *m, const struct port *p, const struct port *from, unsigned char *bytes, uint32_t length,
                 uint64_t waiting)
{
    uint64_t at_ps = (m->now_ns + m->cfg.delay_ns) * WEIR_PS_PER_NS;
    struct mem_hop hop = hop_of(m, p, p->free_ps, waiting), back = { 0 };
    if (from != NULL) {
        back = hop_of(m, from, at_ps, backlog_bytes(m, from, at_ps));
        back.sent_bytes -= back.queue_bytes;
    }
    m->writes(m->writes_ctx, bytes, length, &hop, from != NULL ? &back : NULL);
}

static void carry(struct mem *m, const struct weir_net_addr *from, const struct weir_net_out *out)
{
    uint32_t length = (uint32_t)out->head_bytes + out->body_bytes;
    struct port *p = find(m, out->to);
    unsigned char *bytes, whole[MTU_MAX];
    if (length + IP_UDP_BYTES > m->cfg.mtu) {
        m->stats.too_long++;
        return;
    }
    if (m->tap != NULL) {
        memcpy(whole, out->head, out->head_bytes);
        if (out->body_bytes > 0)
            memcpy(whole + out->head_bytes, out->body, out->body_bytes);
        m->tap(m->tap_ctx, from, out->to, whole, length);
    }
    if (p == NULL) {
        count_answer(m, out->to, length);
        return;
    }
    uint64_t waiting = backlog_bytes(m, p, (m->now_ns + m->cfg.delay_ns) * WEIR_PS_PER_NS);
    bytes = enqueue(m, p, from, length, out->ecn, out->to->port);
    if (bytes == NULL)
        return;
    memcpy(bytes, out->head, out->head_bytes);
    if (out->body_bytes > 0)
        memcpy(bytes + out->head_bytes, out->body, out->body_bytes);
    if (m->writes != NULL)
        pass(m, p, find(m, from), bytes, length, waiting);
}

static int mem_send(struct weir_net *net, const struct weir_net_out *out, uint32_t count)
{
    struct port *p = port_of(net);
    WEIR_ASSERT(count <= WEIR_NET_BATCH);
    for (uint32_t i = 0; i < count; i++) {
        struct weir_net_addr from = net->local;
        from.port = (uint16_t)(from.port + out[i].port);
        p->further = out[i].port > p->further ? out[i].port : p->further;
        if (!p->plugged) {
            p->mem->stats.dropped_unplugged++;
            continue;
        }
        p->mem->stats.sent++;
        p->mem->stats.bytes_sent += (uint32_t)out[i].head_bytes + out[i].body_bytes;
        carry(p->mem, &from, &out[i]);
    }
    net->stats.syscalls++;
    return (int)count;
}

static int mem_recv(struct weir_net *net, struct weir_net_in *in, uint32_t count)
{
    struct port *p = port_of(net);
    uint32_t slots = p->mem->cfg.buffer_pkts;
    WEIR_ASSERT(count <= WEIR_NET_BATCH);
    p->head = (p->head + p->lent) % slots;
    p->count -= p->lent;
    p->lent = 0;
    net->stats.syscalls++;
    while (p->lent < count && p->lent < p->count) {
        uint32_t i = (p->head + p->lent) % slots;
        struct slot *s = &p->slot[i];
        if (s->arrival_ps > p->mem->now_ns * WEIR_PS_PER_NS)
            break;
        in[p->lent++] = (struct weir_net_in){ .bytes = p->bytes + (size_t)i * p->mem->cfg.mtu,
                                              .length = s->length,
                                              .ecn = s->ecn,
                                              .port = s->port,
                                              .from = s->from };
    }
    p->mem->stats.arrived += p->lent;
    return (int)p->lent;
}

uint64_t mem_next_ns(const struct weir_net *net)
{
    const struct port *p = (const struct port *)net;
    if (p->lent == p->count)
        return UINT64_MAX;
    return (p->slot[(p->head + p->lent) % p->mem->cfg.buffer_pkts].arrival_ps + WEIR_PS_PER_NS - 1) / WEIR_PS_PER_NS;
}

/* Virtual time goes on to the next datagram here, or to until_ns; what others would have done meanwhile they do later. */
static int mem_wait(struct weir_net *net, uint64_t until_ns, int wake_fd)
{
    struct pollfd woken = { .fd = wake_fd, .events = POLLIN };
    uint64_t next_ns = mem_next_ns(net);
    if (wake_fd >= 0 && poll(&woken, 1, 0) > 0)
        return 0;
    if (next_ns == UINT64_MAX && until_ns == UINT64_MAX)
        return -EINTR; /* for ever is longer than a test may take */
    mem_advance(port_of(net)->mem, next_ns < until_ns ? next_ns : until_ns);
    return 0;
}

static uint64_t mem_clock_ns(struct weir_net *net)
{
    struct mem *m = port_of(net)->mem;
    m->now_ns += m->cfg.tick_ns;
    return m->now_ns;
}

void mem_unplug(struct weir_net *net)
{
    struct port *p = port_of(net);
    p->mem->stats.dropped_unplugged += p->count - p->lent;
    p->count = p->lent;
    p->plugged = false;
}

static void mem_close(struct weir_net *net)
{
    struct port *p = port_of(net);
    struct mem *m = p->mem;
    uint32_t i = 0;
    while (m->port[i] != p)
        i++;
    m->port[i] = m->port[--m->port_count];
    free(p->slot);
    free(p->bytes);
    free(p);
}

/* open is mem_plug(). */
static const struct weir_net_driver mem_driver = {
    .name = "mem", .send = mem_send, .recv = mem_recv, .wait = mem_wait, .close = mem_close
};

int mem_plug(struct mem *m, const struct weir_net_addr *addr, struct weir_net **net)
{
    struct port *p;
    *net = NULL;
    if (find(m, addr) != NULL)
        return -EADDRINUSE;
    if (m->port_count == MEM_PORTS_MAX)
        return -ENOSPC;
    p = calloc(1, sizeof(*p));
    if (p == NULL)
        return -ENOMEM;
    p->slot = calloc(m->cfg.buffer_pkts, sizeof(*p->slot));
    p->bytes = malloc((size_t)m->cfg.buffer_pkts * m->cfg.mtu);
    if (p->slot == NULL || p->bytes == NULL) {
        free(p->slot);
        free(p->bytes);
        free(p);
        return -ENOMEM;
    }
    p->net = (struct weir_net){ .driver = &mem_driver,
                                .now_ns = mem_clock_ns,
                                .local = *addr,
                                .fd = -1,
                                .stranger_fd = -1,
                                .mtu = m->cfg.mtu,
                                .rate_bps = m->cfg.rate_bps };
    p->mem = m;
    p->plugged = true;
    m->port[m->port_count++] = p;
    *net = &p->net;
    return 0;
}

struct mem *mem_new(const struct mem_config *cfg)
{
    struct mem *m = calloc(1, sizeof(*m));
    uint32_t strangers = cfg->strangers > 0 ? cfg->strangers : STRANGERS_DEFAULT;
    struct owed *owed = calloc(2 * (size_t)strangers, sizeof(*owed));
    if (m == NULL || owed == NULL) {
        free(m);
        free(owed);
        return NULL;
    }
    m->cfg = *cfg;
    if (m->cfg.buffer_pkts == 0)
        m->cfg.buffer_pkts = SLOTS_DEFAULT;
    if (m->cfg.mtu == 0)
        m->cfg.mtu = MTU_DEFAULT;
    WEIR_ASSERT(m->cfg.mtu <= MTU_MAX);
    m->cfg.strangers = strangers;
    m->owed = owed;
    m->now_ns = cfg->start_ns;
    return m;
}

void mem_free(struct mem *m)
{
    WEIR_ASSERT(m->port_count == 0);
    free(m->owed);
    free(m);
}

void mem_set_rate(struct mem *m, uint64_t rate_bps)
{
    m->cfg.rate_bps = rate_bps;
}

void mem_set_delay(struct mem *m, uint64_t delay_ns)
{
    m->cfg.delay_ns = delay_ns;
}

uint64_t mem_now_ns(const struct mem *m)
{
    return m->now_ns;
}

void mem_advance(struct mem *m, uint64_t to_ns)
{
    if (to_ns > m->now_ns)
        m->now_ns = to_ns;
}

void mem_inject(struct mem *m, const struct weir_net_addr *from, const struct weir_net_addr *to, const void *bytes,
                uint32_t length)
{
    struct weir_net_out out = { .to = to, .head = bytes, .head_bytes = (uint16_t)length };
    if (find(m, from) == NULL) {
        struct owed *o = owed_to(m, from, true);
        if (o->answers == 0 || length < o->smallest)
            o->smallest = length;
        o->answers++;
    }
    carry(m, from, &out);
}

void mem_switch(struct mem *m, mem_switch_fn *writes, void *ctx)
{
    m->writes = writes;
    m->writes_ctx = ctx;
}

void mem_tap(struct mem *m, mem_tap_fn *tap, void *ctx)
{
    m->tap = tap;
    m->tap_ctx = ctx;
}

const struct mem_stats *mem_stats(const struct mem *m)
{
    return &m->stats;
}
