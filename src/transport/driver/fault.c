/* src/transport/driver/fault.c - a driver for tests that adds faults to another driver. Passes datagrams to the other
 * driver one by one, so that it knows which of them were accepted. It is not made for speed. */
#include "driver/fault.h"
#include "core/assert.h"
#include "core/rng.h"
#include "core/units.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define HOLD_DEFAULT_NS UINT64_C(1000000)

/* A datagram that is held: delayed, or a copy. */
struct held {
    struct weir_net_addr peer; /* destination, or source of a received datagram */
    struct weir_net_addr own;  /* our address: source, or destination of a received datagram */
    uint64_t after;            /* due when path.passes reaches this .. */
    uint64_t due_ns;           /* .. or at this time of the inner clock */
    /* WEIR_FAULT_DATAGRAM_MAX bytes; every entry of the table has such memory, and entries swap it when they swap
     * contents */
    unsigned char *bytes;
    uint32_t length;
    uint8_t ecn, class_id, port;
};

/* State of one direction. */
struct path {
    struct weir_fault_path cfg;
    struct weir_fault_counts *count;
    uint64_t passes; /* datagrams that were handed on without delay */
    uint32_t held_count;
    struct held held[WEIR_FAULT_HELD_MAX]; /* the first held_count are in use */
};

struct fault {
    struct weir_net net;
    struct weir_net *inner;
    struct weir_fault_config cfg;
    struct weir_fault_stats stats;
    struct weir_rng rng;
    struct path out, in;
    uint64_t hole_from_ns, hole_until_ns, block_until_ns, blocked;
    int64_t jump_ns;
    unsigned char *memory; /* for all entries of both tables, and scratch */
    /* part of `memory`: the copy of a datagram whose bits are flipped */
    unsigned char *scratch;
};

static struct fault *fault_of(struct weir_net *net)
{
    return (struct fault *)net;
}

static bool hits(struct fault *f, uint32_t ppm)
{
    return ppm > 0 && weir_rng_hits(weir_rng_next(&f->rng), (uint64_t)ppm * 1000);
}

static uint32_t below(struct fault *f, uint32_t n)
{
    return weir_rng_below(weir_rng_next(&f->rng), n);
}

static uint64_t inner_ns(const struct fault *f)
{
    return f->inner->now_ns(f->inner);
}

static uint64_t fault_now_ns(struct weir_net *net)
{
    struct fault *f = fault_of(net);
    uint64_t now_ns = inner_ns(f);
    if (f->jump_ns < 0 && now_ns < (uint64_t)-f->jump_ns)
        return 0;
    return now_ns + (uint64_t)f->jump_ns;
}

/* Converts a time of our clock, with its jumps, to the inner driver's clock; not below 0. */
static uint64_t inner_of(const struct fault *f, uint64_t at_ns)
{
    if (at_ns == UINT64_MAX)
        return at_ns;
    if (f->jump_ns > 0 && at_ns < (uint64_t)f->jump_ns)
        return 0;
    return at_ns - (uint64_t)f->jump_ns;
}

static void copy_stats(struct fault *f)
{
    f->net.stats = f->inner->stats;
    f->net.stats.blocked += f->blocked;
}

static bool in_hole(const struct fault *f)
{
    uint64_t now_ns = inner_ns(f);
    return now_ns >= f->hole_from_ns && now_ns < f->hole_until_ns;
}

/* Flips 1 .. 3 bits of a datagram, fewer if it has fewer bytes. Each is in its own part of the datagram, so none is
 * flipped back. CRC-32C detects every such change. */
static void flip_bits(struct fault *f, unsigned char *bytes, uint32_t length)
{
    uint32_t n = 1 + below(f, 3);
    if (n > length)
        n = length;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bit = below(f, 8 * (length / n));
        bytes[i * (length / n) + bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

/* Takes an entry of the table for a datagram that is due when `behind` more have passed, or after hold_ns. The caller
 * copies the bytes. @return NULL if the table is full or the datagram too long; counted as crowded */
static struct held *hold(struct fault *f, struct path *p, const struct weir_net_addr *peer,
                         const struct weir_net_addr *own, uint32_t length, uint32_t behind)
{
    struct held *h = &p->held[p->held_count];
    if (p->held_count == WEIR_FAULT_HELD_MAX || length > WEIR_FAULT_DATAGRAM_MAX) {
        p->count->crowded++;
        return NULL;
    }
    p->held_count++;
    h->peer = *peer;
    h->own = own != NULL ? *own : (struct weir_net_addr){ 0 };
    h->length = length;
    h->after = p->passes + behind;
    h->due_ns = inner_ns(f) + f->cfg.hold_ns;
    return h;
}

static bool is_due(const struct path *p, const struct held *h, uint64_t now_ns)
{
    return p->passes >= h->after || now_ns >= h->due_ns;
}

/* Removes a datagram that is due from the table. @return its entry, valid until the next hold() of this path; NULL =
 * none is due */
static struct held *release(struct fault *f, struct path *p)
{
    uint64_t now_ns = p->held_count > 0 ? inner_ns(f) : 0;
    for (uint32_t i = 0; i < p->held_count; i++) {
        if (!is_due(p, &p->held[i], now_ns))
            continue;
        struct held due = p->held[i];
        p->held_count--;
        p->held[i] = p->held[p->held_count];
        p->held[p->held_count] = due;
        return &p->held[p->held_count];
    }
    return NULL;
}

static bool any_due(struct fault *f, const struct path *p)
{
    uint64_t now_ns = p->held_count > 0 ? inner_ns(f) : 0;
    for (uint32_t i = 0; i < p->held_count; i++)
        if (is_due(p, &p->held[i], now_ns))
            return true;
    return false;
}

static uint64_t path_due_ns(const struct path *p)
{
    uint64_t due_ns = UINT64_MAX;
    for (uint32_t i = 0; i < p->held_count; i++)
        if (p->held[i].due_ns < due_ns)
            due_ns = p->held[i].due_ns;
    return due_ns;
}

static void gather(const struct weir_net_out *out, unsigned char *bytes)
{
    memcpy(bytes, out->head, out->head_bytes);
    if (out->body_bytes > 0)
        memcpy(bytes + out->head_bytes, out->body, out->body_bytes);
}

static bool hold_out(struct fault *f, const struct weir_net_out *out, uint32_t behind)
{
    struct held *h = hold(f, &f->out, out->to, out->from, (uint32_t)out->head_bytes + out->body_bytes, behind);
    if (h == NULL)
        return false;
    gather(out, h->bytes);
    h->ecn = out->ecn;
    h->class_id = out->class_id;
    h->port = out->port;
    return true;
}

static int send_held(struct fault *f, const struct held *h)
{
    struct weir_net_out one = { .to = &h->peer,
                                .from = &h->own,
                                .head = h->bytes,
                                .head_bytes = (uint16_t)h->length,
                                .ecn = h->ecn,
                                .class_id = h->class_id,
                                .port = h->port };
    return f->inner->driver->send(f->inner, &one, 1);
}

/* Sends the held datagrams that are due. A datagram that the inner driver does not accept is lost. During a time of
 * weir_fault_hole() all are dropped. */
static void flush_out(struct fault *f)
{
    for (struct held *h; (h = release(f, &f->out)) != NULL;) {
        if (in_hole(f))
            f->stats.out.swallowed++;
        else if (send_held(f, h) != 1)
            f->stats.out.lost++;
    }
}

/* Sends a corrupted copy instead of the datagram. @return the result of the inner driver's send() */
static int send_changed(struct fault *f, const struct weir_net_out *out)
{
    uint32_t length = (uint32_t)out->head_bytes + out->body_bytes;
    struct weir_net_out changed = *out;
    gather(out, f->scratch);
    flip_bits(f, f->scratch, length);
    changed.head = f->scratch;
    changed.head_bytes = (uint16_t)length;
    changed.body_bytes = 0;
    return f->inner->driver->send(f->inner, &changed, 1);
}

/* Sends one datagram, subject to the faults of the configuration. @return 1 = accepted: sent, held or lost; else the
 * result of the inner driver's send() */
static int send_one(struct fault *f, const struct weir_net_out *out)
{
    struct path *p = &f->out;
    bool fits = (uint32_t)out->head_bytes + out->body_bytes <= WEIR_FAULT_DATAGRAM_MAX;
    int accepted;
    if (in_hole(f)) {
        p->count->swallowed++;
        return 1;
    }
    if (hits(f, p->cfg.loss_ppm)) {
        p->count->lost++;
        return 1;
    }
    if (hits(f, p->cfg.hold_ppm) && hold_out(f, out, 1 + below(f, p->cfg.hold_pkts))) {
        p->count->held++;
        return 1;
    }
    bool changed = fits && hits(f, p->cfg.corrupt_ppm);
    accepted = changed ? send_changed(f, out) : f->inner->driver->send(f->inner, out, 1);
    if (accepted != 1)
        return accepted;
    p->count->corrupted += changed;
    if (hits(f, p->cfg.copy_ppm) && hold_out(f, out, 1 + below(f, p->cfg.hold_pkts + 1)))
        p->count->copied++;
    p->count->passed++;
    p->passes++;
    return 1;
}

static bool has_room(struct fault *f)
{
    uint64_t now_ns = inner_ns(f);
    if (now_ns >= f->block_until_ns && hits(f, f->cfg.block_ppm)) {
        f->block_until_ns = now_ns + f->cfg.block_ns;
        f->stats.blocks++;
    }
    return now_ns >= f->block_until_ns;
}

static int fault_send(struct weir_net *net, const struct weir_net_out *out, uint32_t count)
{
    struct fault *f = fault_of(net);
    int accepted = 1;
    uint32_t n = 0;
    if (!has_room(f)) {
        f->stats.blocked_calls++;
        f->blocked++;
        copy_stats(f);
        return 0;
    }
    flush_out(f);
    while (n < count && (accepted = send_one(f, &out[n])) == 1) {
        n++;
        flush_out(f);
    }
    copy_stats(f);
    return n > 0 || accepted >= 0 ? (int)n : accepted;
}

static bool hold_in(struct fault *f, const struct weir_net_in *in, uint32_t behind)
{
    struct held *h = hold(f, &f->in, &in->from, &in->to, in->length, behind);
    if (h == NULL)
        return false;
    memcpy(h->bytes, in->bytes, in->length);
    h->ecn = in->ecn;
    h->port = in->port;
    return true;
}

/* Subjects a received datagram to the faults of the configuration. @return true = hand it on now, perhaps corrupted;
 * false = it was lost or is held */
static bool pass_in(struct fault *f, struct weir_net_in *in)
{
    struct path *p = &f->in;
    if (in_hole(f)) {
        p->count->swallowed++;
        return false;
    }
    if (hits(f, p->cfg.loss_ppm)) {
        p->count->lost++;
        return false;
    }
    if (hits(f, p->cfg.hold_ppm) && hold_in(f, in, 1 + below(f, p->cfg.hold_pkts))) {
        p->count->held++;
        return false;
    }
    if (hits(f, p->cfg.copy_ppm) && hold_in(f, in, 1 + below(f, p->cfg.hold_pkts + 1)))
        p->count->copied++;
    if (hits(f, p->cfg.corrupt_ppm)) {
        flip_bits(f, in->bytes, in->length);
        p->count->corrupted++;
    }
    p->count->passed++;
    p->passes++;
    return true;
}

/* Writes held datagrams that are due to in, at most room. Must be called after the last hold_in() of this recv(),
 * because hold_in() may reuse the memory of a datagram that was released. @return how many */
static uint32_t release_in(struct fault *f, struct weir_net_in *in, uint32_t room)
{
    uint32_t n = 0;
    for (struct held *h; n < room && (h = release(f, &f->in)) != NULL;) {
        if (in_hole(f)) {
            f->stats.in.swallowed++;
            continue;
        }
        in[n++] = (struct weir_net_in){
            .bytes = h->bytes, .length = h->length, .ecn = h->ecn, .port = h->port, .from = h->peer, .to = h->own
        };
    }
    return n;
}

static int fault_recv(struct weir_net *net, struct weir_net_in *in, uint32_t count)
{
    struct fault *f = fault_of(net);
    uint32_t n = 0;
    int got;
    flush_out(f);
    do { /* again while all that was received is lost or held: recv() returns 0 only if none wait */
        /* half of the room is left for held datagrams that are due */
        uint32_t ask = any_due(f, &f->in) ? count / 2 : count;
        got = ask > 0 ? f->inner->driver->recv(f->inner, in, ask) : 0;
        for (int i = 0; i < got; i++)
            if (pass_in(f, &in[i]))
                in[n++] = in[i];
        n += release_in(f, in + n, count - n);
    } while (n == 0 && got > 0);
    copy_stats(f);
    return n > 0 || got >= 0 ? (int)n : got;
}

static int fault_wait(struct weir_net *net, uint64_t until_ns, int wake_fd)
{
    struct fault *f = fault_of(net);
    uint64_t until = inner_of(f, until_ns), due_ns = weir_fault_due_ns(net);
    int result;
    if (any_due(f, &f->in))
        return 0;
    result = f->inner->driver->wait(f->inner, due_ns < until ? due_ns : until, wake_fd);
    flush_out(f);
    copy_stats(f);
    return result;
}

static void fault_close(struct weir_net *net)
{
    struct fault *f = fault_of(net);
    f->inner->driver->close(f->inner);
    free(f->memory);
    free(f);
}

/* Passes reports on as they are, whatever became of the datagrams. */
static uint32_t fault_troubles(struct weir_net *net, struct weir_net_trouble *out, uint32_t count)
{
    struct weir_net *inner = fault_of(net)->inner;
    return inner->driver->troubles != NULL ? inner->driver->troubles(inner, out, count) : 0;
}

/* The driver has no open(): weir_fault_wrap() makes it. */
static const struct weir_net_driver fault_driver = { .name = "fault",
                                                     .send = fault_send,
                                                     .recv = fault_recv,
                                                     .wait = fault_wait,
                                                     .close = fault_close,
                                                     .troubles = fault_troubles };

void weir_fault_set(struct weir_net *net, const struct weir_fault_config *cfg)
{
    struct fault *f = fault_of(net);
    WEIR_ASSERT(cfg->out.hold_pkts < UINT32_MAX && cfg->in.hold_pkts < UINT32_MAX);
    f->cfg = *cfg;
    if (f->cfg.hold_ns == 0)
        f->cfg.hold_ns = HOLD_DEFAULT_NS;
    f->out.cfg = cfg->out;
    f->in.cfg = cfg->in;
    f->out.cfg.hold_pkts += cfg->out.hold_pkts == 0;
    f->in.cfg.hold_pkts += cfg->in.hold_pkts == 0;
}

int weir_fault_wrap(struct weir_net **net, struct weir_net *inner, const struct weir_fault_config *cfg,
                    struct weir_err *err)
{
    struct fault *f = calloc(1, sizeof(*f));
    unsigned char *memory = malloc((size_t)(2 * WEIR_FAULT_HELD_MAX + 1) * WEIR_FAULT_DATAGRAM_MAX);
    *net = NULL;
    if (f == NULL || memory == NULL) {
        inner->driver->close(inner);
        free(f);
        free(memory);
        (void)weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for a faulty network");
        return -ENOMEM;
    }
    f->net = *inner; /* copies address, MTU, rate and descriptor */
    f->net.driver = &fault_driver;
    f->net.now_ns = fault_now_ns;
    f->inner = inner;
    f->memory = memory;
    f->out.count = &f->stats.out;
    f->in.count = &f->stats.in;
    for (uint32_t i = 0; i < WEIR_FAULT_HELD_MAX; i++) {
        f->out.held[i].bytes = memory + (size_t)(2 * i) * WEIR_FAULT_DATAGRAM_MAX;
        f->in.held[i].bytes = memory + (size_t)(2 * i + 1) * WEIR_FAULT_DATAGRAM_MAX;
    }
    f->scratch = memory + (size_t)(2 * WEIR_FAULT_HELD_MAX) * WEIR_FAULT_DATAGRAM_MAX;
    f->rng = (struct weir_rng){ .key = weir_rng_key(cfg->seed, 0, WEIR_RNG_TEST, 0) };
    weir_fault_set(&f->net, cfg);
    *net = &f->net;
    return 0;
}

void weir_fault_hole(struct weir_net *net, uint64_t from_ns, uint64_t until_ns)
{
    fault_of(net)->hole_from_ns = from_ns;
    fault_of(net)->hole_until_ns = until_ns;
}

void weir_fault_jump(struct weir_net *net, int64_t by_ns)
{
    fault_of(net)->jump_ns += by_ns;
    fault_of(net)->stats.jumps++;
}

uint64_t weir_fault_due_ns(const struct weir_net *net)
{
    const struct fault *f = (const struct fault *)net;
    uint64_t out_ns = path_due_ns(&f->out), in_ns = path_due_ns(&f->in);
    return out_ns < in_ns ? out_ns : in_ns;
}

const struct weir_fault_stats *weir_fault_stats(const struct weir_net *net)
{
    return &((const struct fault *)net)->stats;
}
