/* test/unit/endpoint/endpoint_test.h - up to three endpoints on a network of memory where every datagram takes 5 us, in
 * virtual time; the words of a handshake can be lost one by one, and the driver can be without room. */
#ifndef WEIR_ENDPOINT_TEST_H
#define WEIR_ENDPOINT_TEST_H
#include "test/unit/weir_test.h"
#include "test/unit/endpoint/internals.h"
#include "test/net/mem.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)
#define SECOND UINT64_C(1000000000)
#define START_NS (7 * SECOND) /* not 0: nothing may count on a fresh clock */

enum { EPS = 3, SEEN = 512, MSS = 1423, STRANGERS = 40 };

struct stranger { /* a datagram in the strangers' queue */
    struct weir_net_in in;
    unsigned char bytes[MSS + WEIR_WIRE_HEAD_BYTES];
};

struct shim { /* in front of the memory's driver */
    struct weir_net net;
    struct weir_net *inner;
    uint32_t lose[64];               /* by type on the wire: so many are lost */
    uint32_t lose_longer;            /* datagrams of more bytes are lost; 0 = none */
    struct weir_net_trouble trouble; /* report to be read, if net.troubled */
    bool no_room, broken;            /* broken: the network device is gone */
    uint32_t waits;                  /* calls of wait() */
    bool one_by_one;                 /* recv() gives a single datagram, though more wait */
    struct weir_net_addr own;        /* to which of its addresses others write; family 0 = it has one */
    struct weir_net_addr from;       /* what it was told to send the latest from */
    uint32_t sends;                  /* calls of send() */
    bool unsorted;                   /* some datagrams of one call left from a lower port than the one before */
    bool torn;                       /* .. a call had more ports than one for each eight datagrams */
    uint32_t ports_most;             /* .. most ports of a call */
    bool can_guard, guarded;
    uint16_t tag, last;
    uint32_t tag_changes;                               /* times that the filter was set again */
    bool tag_refused;                                   /* the filter cannot be set */
    uint32_t strangers, strangers_lost, strangers_most; /* in the queue; found it full; most taken at once */
    uint32_t strangers_asks;                            /* calls of recv_strangers() */
    struct stranger stranger[STRANGERS], lent[STRANGERS];
};

static struct mem *mem;
static struct shim shim[EPS];
static struct weir_ep *ep[EPS];
static struct weir_opts opts[EPS];
static struct weir_event seen[EPS][SEEN];
static uint64_t seen_ns[EPS][SEEN]; /* since START_NS */
static int seen_count[EPS];
static bool asleep[EPS]; /* does not poll */

/* Changes a datagram that leaves, where switches may: in the head, which is our own memory; NULL = nothing does. */
static mem_tap_fn *shim_write_area;
static void *shim_area_ctx;

static inline int shim_send(struct weir_net *net, const struct weir_net_out *out, uint32_t count)
{
    struct shim *s = (struct shim *)net;
    if (s->no_room) {
        net->stats.blocked++;
        return 0;
    }
    uint32_t ports = 1;
    s->sends++;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t type = ((const unsigned char *)out[i].head)[1] & 63;
        if (shim_write_area != NULL)
            shim_write_area(shim_area_ctx, &net->local, out[i].to, out[i].head, out[i].head_bytes);
        s->unsorted |= i > 0 && out[i].port < out[i - 1].port;
        ports += i > 0 && out[i].port != out[i - 1].port;
        s->from = out[i].from != NULL ? *out[i].from : (struct weir_net_addr){ 0 };
        if (s->lose[type] > 0)
            s->lose[type]--;
        else if (s->lose_longer == 0 || out[i].head_bytes + out[i].body_bytes <= s->lose_longer)
            (void)s->inner->driver->send(s->inner, &out[i], 1);
    }
    s->torn |= ports > (count + 7) / 8;
    s->ports_most = ports > s->ports_most ? ports : s->ports_most;
    return (int)count;
}

/* Moves strangers' datagrams to their queue. @return how many are left */
static inline int shim_sort(struct shim *s, struct weir_net_in *in, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        in[i].to = s->own;
        if (!s->guarded || !weir_net_is_stranger(in[i].bytes, in[i].length, s->tag, s->last)) {
            in[kept++] = in[i];
        } else if (s->strangers == STRANGERS) {
            s->strangers_lost++;
        } else {
            struct stranger *to = &s->stranger[s->strangers++];
            to->in = in[i];
            memcpy(to->bytes, in[i].bytes, in[i].length);
        }
    }
    return kept;
}

static inline int shim_recv(struct weir_net *net, struct weir_net_in *in, uint32_t count)
{
    struct shim *s = (struct shim *)net;
    while (!s->broken) {
        int got = s->inner->driver->recv(s->inner, in, s->one_by_one ? 1 : count), kept = shim_sort(s, in, got);
        if (got <= 0 || kept > 0)
            return kept;
    }
    return -EIO;
}

static inline int shim_guard(struct weir_net *net, uint16_t tag, uint16_t last)
{
    struct shim *s = (struct shim *)net;
    if (!s->can_guard)
        return -ENOTSUP;
    if (s->tag_refused)
        return -ENOMEM;
    s->tag_changes += s->guarded;
    s->tag = tag;
    s->last = last;
    s->guarded = true;
    return 0;
}

static inline int shim_recv_strangers(struct weir_net *net, struct weir_net_in *in, uint32_t count)
{
    struct shim *s = (struct shim *)net;
    uint32_t n = s->strangers < count ? s->strangers : count;
    s->strangers_asks++;
    for (uint32_t i = 0; i < n; i++) {
        s->lent[i] = s->stranger[i];
        in[i] = s->lent[i].in;
        in[i].bytes = s->lent[i].bytes;
    }
    s->strangers -= n;
    memmove(s->stranger, s->stranger + n, s->strangers * sizeof(s->stranger[0]));
    s->strangers_most = n > s->strangers_most ? n : s->strangers_most;
    return (int)n;
}

static inline int shim_wait(struct weir_net *net, uint64_t until_ns, int wake_fd)
{
    struct shim *s = (struct shim *)net;
    s->waits++;
    return s->inner->driver->wait(s->inner, until_ns, wake_fd);
}

static inline void shim_close(struct weir_net *net)
{
    struct shim *s = (struct shim *)net;
    s->inner->driver->close(s->inner);
}

static inline uint32_t shim_troubles(struct weir_net *net, struct weir_net_trouble *out, uint32_t count)
{
    struct shim *s = (struct shim *)net;
    bool any = count > 0 && s->trouble.error != 0;
    if (any)
        *out = s->trouble;
    s->trouble.error = 0;
    return any;
}

static const struct weir_net_driver shim_driver = {
    .name = "shim",
    .send = shim_send,
    .recv = shim_recv,
    .wait = shim_wait,
    .close = shim_close,
    .guard = shim_guard,
    .recv_strangers = shim_recv_strangers,
    .troubles = shim_troubles,
};
static uint32_t place[EPS]; /* host on the network; 0 = the number of the endpoint + 1 */
static bool can_guard[EPS]; /* strangers have a queue of their own there */

static uint64_t tick_ns; /* what a look at the clock takes; 0 = time stands until somebody moves it */

static inline uint64_t shim_now_ns(struct weir_net *net)
{
    (void)net;
    mem_advance(mem, mem_now_ns(mem) + tick_ns);
    return mem_now_ns(mem);
}

static inline uint64_t now_ns(void) /* since START_NS */
{
    return mem_now_ns(mem) - START_NS;
}

static inline int start(uint32_t i)
{
    struct weir_net_addr addr = mem_addr(place[i] != 0 ? place[i] : i + 1, 4000);
    struct weir_err err;
    int code;
    memset(&shim[i], 0, sizeof(shim[i]));
    shim[i].can_guard = can_guard[i];
    assert_int_equal(mem_plug(mem, &addr, &shim[i].inner), 0);
    shim[i].net = *shim[i].inner;
    shim[i].net.driver = &shim_driver;
    shim[i].net.now_ns = shim_now_ns;
    code = weir_ep_open_net(&ep[i], &opts[i], &shim[i].net, i + 1 + now_ns(), &err);
    if (code < 0)
        shim_close(&shim[i].net);
    return code;
}

/* A network without endpoints; opts[] may be changed before they start. By itself an endpoint reserves
 * 32 MB for operations, and malloc fills them under test: half of these tests' time. */
static inline void begin(void)
{
    mem = mem_new(&(struct mem_config){ .delay_ns = 5 * US, .start_ns = START_NS });
    assert_non_null(mem);
    tick_ns = 0;
    for (uint32_t i = 0; i < EPS; i++) {
        opts[i] = (struct weir_opts){ .size = sizeof(opts[i]),
                                      .rate_bps = UINT64_C(10000000000),
                                      .peer_timeout_ns = SECOND,
                                      .max_ops = 4096,
                                      .max_peers = 64 };
        seen_count[i] = 0;
        asleep[i] = can_guard[i] = false;
        place[i] = 0;
        ep[i] = NULL;
    }
}

/* Opens all endpoints, with opts[]. */
static inline void start_all(void)
{
    for (uint32_t i = 0; i < EPS; i++)
        assert_int_equal(start(i), 0);
}

static inline int setup(void **state)
{
    (void)state;
    begin();
    start_all();
    return 0;
}

/* Opens endpoints 0 and 1 with this protocol. */
static inline void two_of(const char *cc)
{
    begin();
    for (uint32_t i = 0; i < 2; i++) {
        opts[i].cc = cc;
        assert_int_equal(start(i), 0);
    }
}

static inline int teardown(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < EPS; i++)
        assert_int_equal(weir_close(ep[i]), 0);
    mem_free(mem);
    return 0;
}

/* Its process dies: nothing of it is heard any more, and the address is free. */
static inline void kill_ep(uint32_t i)
{
    mem_unplug(shim[i].inner);
    assert_int_equal(weir_close(ep[i]), 0);
    ep[i] = NULL;
}

/* The peer at a host of the memory's, whether there is an endpoint or not. @return what weir_peer_get() says */
static inline int peer_at(uint32_t from, uint32_t host, struct weir_peer **p)
{
    struct weir_net_addr addr = mem_addr(host, 4000);
    struct sockaddr_storage sa;
    socklen_t len = weir_net_addr_to(&addr, &sa);
    return weir_peer_get(ep[from], (const struct sockaddr *)&sa, len, p);
}

static inline struct weir_peer *peer(uint32_t from, uint32_t to)
{
    struct weir_peer *p;
    assert_int_equal(peer_at(from, to + 1, &p), 0);
    return p;
}

static inline bool take(uint32_t i)
{
    int room = SEEN - seen_count[i], n = weir_poll(ep[i], &seen[i][seen_count[i]], room, 0);
    assert_true(n >= 0 && n < room);
    for (int k = 0; k < n; k++)
        seen_ns[i][seen_count[i] + k] = now_ns();
    seen_count[i] += n;
    return n > 0 || weir_deadline(ep[i]) == 0;
}

/* Everybody polls whenever there is a reason to, until so much later. */
static inline void run(uint64_t for_ns)
{
    uint64_t end = mem_now_ns(mem) + for_ns;
    for (int spins = 0; spins < 1000; spins++) {
        uint64_t next = end;
        bool again = false;
        for (uint32_t i = 0; i < EPS; i++)
            again |= ep[i] != NULL && !asleep[i] && take(i);
        for (uint32_t i = 0; i < EPS; i++) {
            if (ep[i] == NULL || asleep[i])
                continue;
            next = weir_min_u64(next, weir_min_u64(mem_next_ns(shim[i].inner), weir_deadline(ep[i])));
            if (shim[i].strangers > 0 && !shim[i].net.strangers_wait) /* their descriptor is readable */
                next = weir_min_u64(next, mem_now_ns(mem) + US);
        }
        if (again)
            continue;
        if (mem_now_ns(mem) >= end)
            return;
        if (next > mem_now_ns(mem))
            spins = 0;
        mem_advance(mem, next);
    }
    fail_msg("endpoints ask for the same instant over and over");
}

static inline int send_bytes(uint32_t from, uint32_t to, const void *data, size_t len, uint64_t user_data)
{
    struct iovec iov = { (void *)(uintptr_t)data, len };
    return weir_send(ep[from], peer(from, to), &iov, 1, user_data, NULL);
}

static inline int call_bytes(uint32_t from, uint32_t to, const void *data, size_t len, uint64_t user_data,
                             uint64_t deadline_ns)
{
    struct iovec iov = { (void *)(uintptr_t)data, len };
    struct weir_sendopt opt = { .size = sizeof(opt), .deadline_ns = deadline_ns };
    return weir_call(ep[from], peer(from, to), &iov, 1, user_data, &opt);
}

static inline void release_all(uint32_t i)
{
    for (int k = 0; k < seen_count[i]; k++) {
        weir_release(ep[i], seen[i][k].lease);
        seen[i][k].lease = NULL;
    }
}

static inline struct weir_stats stats(uint32_t i)
{
    struct weir_stats s = { .size = sizeof(s) };
    assert_int_equal(weir_stats(ep[i], &s), 0);
    return s;
}

/* The k-th event of an endpoint is of this type, with this result and user_data. */
static inline void expect(uint32_t i, int k, uint32_t type, int result, uint64_t user_data)
{
    assert_true(k < seen_count[i]);
    assert_int_equal(seen[i][k].type, type);
    assert_int_equal(seen[i][k].result, result);
    assert_int_equal(seen[i][k].user_data, user_data);
}

static inline void expect_count(uint32_t i, int count)
{
    assert_int_equal(seen_count[i], count);
}

/* Bytes that tell where they belong. */
static inline unsigned char *noise(size_t len, uint32_t salt)
{
    unsigned char *p = malloc(len > 0 ? len : 1);
    assert_non_null(p);
    for (size_t i = 0; i < len; i++)
        p[i] = (unsigned char)(weir_mix_u64(i / 8 + ((uint64_t)salt << 40)) >> i % 8 * 8);
    return p;
}
#endif
