/* test/net/bed.c - see bed.h. */
#include "test/net/bed.h"
#include "test/unit/weir_test.h"
#include "driver/frame.h"
#include "test/unit/endpoint/internals.h"
#include <stdlib.h>
#include <string.h>

enum { FRAME_ROOM = 2048, ENDED_MAX = 64, BYTES_MAX = 16 << 20, EVENTS = 16, RUNS_NS = 20000 };
#define START_NS UINT64_C(3000000000)

struct frame {
    unsigned char bytes[FRAME_ROOM];
    uint32_t length;
};

struct ring { /* frames in order; the first `lent` are with whoever read them */
    struct frame *frame;
    uint32_t head, count, lent, room; /* room: a power of two */
};

struct host {
    struct weir_net net;
    struct bed *bed;
    struct ring out, in;
    struct weir_ep *ep;
    struct weir_net_addr addr;
    uint64_t offset_ns; /* begin of its first time */
};

struct bed {
    struct bed_config cfg;
    struct weir_scenario scn;
    struct weir_setup setup;
    struct weir_soft *soft;
    struct weir_soft_port port[BED_HOSTS_MAX];
    struct host host[BED_HOSTS_MAX];
    uint32_t hosts, arrived, sent;
    uint64_t now_ns, soft_next_ns;
    uint64_t ended_ns[ENDED_MAX];
    unsigned char *zeros;
};

/* ---- rings ---- */

static struct frame *ring_at(const struct ring *r, uint32_t i)
{
    return &r->frame[(r->head + i) & (r->room - 1)];
}

static struct frame *ring_add(struct ring *r)
{
    if (r->count == r->room) {
        uint32_t room = r->room == 0 ? 64 : 2 * r->room;
        struct frame *more = calloc(room, sizeof(*more));
        assert_non_null(more);
        for (uint32_t i = 0; i < r->count; i++)
            more[i] = *ring_at(r, i);
        free(r->frame);
        *r = (struct ring){ .frame = more, .count = r->count, .lent = r->lent, .room = room };
    }
    return ring_at(r, r->count++);
}

static void ring_take_back(struct ring *r)
{
    if (r->room > 0)
        r->head = (r->head + r->lent) & (r->room - 1);
    r->count -= r->lent;
    r->lent = 0;
}

/* ---- the driver of an endpoint ---- */

static int net_send(struct weir_net *net, const struct weir_net_out *out, uint32_t count)
{
    static const uint8_t mac[6] = { 2 };
    struct host *h = (struct host *)net;
    for (uint32_t i = 0; i < count; i++) {
        struct frame *f = ring_add(&h->out);
        assert_true(WEIR_FRAME_HEAD_BYTES + (uint32_t)out[i].head_bytes + out[i].body_bytes <= FRAME_ROOM);
        f->length = weir_frame_write(f->bytes, mac, mac, &net->local, &out[i]);
    }
    return (int)count;
}

static int net_recv(struct weir_net *net, struct weir_net_in *in, uint32_t count)
{
    struct host *h = (struct host *)net;
    uint32_t n = 0;
    ring_take_back(&h->in);
    while (h->in.lent < h->in.count && n < count) {
        struct frame *f = ring_at(&h->in, h->in.lent++);
        assert_int_equal(weir_frame_read(f->bytes, f->length, &net->local, &in[n++]), WEIR_FRAME_OK);
    }
    return (int)n;
}

static int net_wait(struct weir_net *net, uint64_t until_ns, int wake_fd)
{
    (void)net, (void)until_ns, (void)wake_fd;
    return 0;
}

static void net_close(struct weir_net *net)
{
    (void)net;
}

static uint64_t net_now_ns(struct weir_net *net)
{
    return START_NS + ((struct host *)net)->bed->now_ns;
}

static const struct weir_net_driver driver = {
    .name = "bed", .send = net_send, .recv = net_recv, .wait = net_wait, .close = net_close
};

/* ---- ports of the switch ---- */

static uint32_t port_rx(void *ctx, struct weir_soft_frame *frame, uint32_t most)
{
    struct host *h = ctx;
    uint32_t n = 0;
    ring_take_back(&h->out);
    while (h->out.lent < h->out.count && n < most) {
        struct frame *f = ring_at(&h->out, h->out.lent++);
        frame[n++] = (struct weir_soft_frame){ f->bytes, f->length };
    }
    return n;
}

static bool port_tx(void *ctx, const unsigned char *bytes, uint32_t length)
{
    struct host *h = ctx;
    struct frame *f = ring_add(&h->in);
    assert_true(length <= FRAME_ROOM);
    memcpy(f->bytes, bytes, length);
    f->length = length;
    return true;
}

/* ---- set-up ---- */

static void make_switch(struct bed *b)
{
    struct weir_err err;
    struct weir_soft_config cfg = { .setup = &b->setup,
                                    .port = b->port,
                                    .mtu_bytes = 1500,
                                    .frames = 40000,
                                    .nic_frames = 4096,
                                    .udp_port = { BED_PORT } };
    if (weir_scenario_parse(&b->scn, "bed.yaml", b->cfg.fabric, strlen(b->cfg.fabric), NULL, 0, &err) != 0 ||
        weir_setup_fabric(&b->setup, &b->scn, &err) != 0)
        fail_msg("%s", err.text);
    b->hosts = b->setup.topo.host_count;
    assert_true(b->hosts <= BED_HOSTS_MAX);
    for (uint32_t i = 0; i < b->hosts; i++)
        b->port[i] = (struct weir_soft_port){ .rx = port_rx, .tx = port_tx, .ctx = &b->host[i] };
    assert_int_equal(weir_soft_init(&b->soft, &cfg, &err), 0);
    for (uint32_t i = 0; i < b->hosts; i++) {
        struct weir_mapping_address address = { .bytes = { 10, 0, 0, (uint8_t)(i + 1) }, .version = 4 };
        assert_int_equal(weir_soft_address(b->soft, &address, i, &err), 0);
    }
}

static void make_host(struct bed *b, uint32_t i)
{
    struct host *h = &b->host[i];
    struct weir_err err;
    const struct weir_opts opts = { .size = sizeof(opts),
                                    .cc = b->cfg.cc,
                                    .path = b->cfg.path,
                                    .rate_bps = b->cfg.rate_bps,
                                    .base_rtt_ns = b->cfg.base_rtt_ns };
    h->bed = b;
    h->addr = (struct weir_net_addr){ .ip = { 10, 0, 0, (uint8_t)(i + 1) }, .port = BED_PORT, .family = AF_INET };
    h->net = (struct weir_net){
        .driver = &driver, .now_ns = net_now_ns, .local = h->addr, .fd = -1, .stranger_fd = -1, .mtu = 1500
    };
    h->offset_ns = b->cfg.every_ns * i / b->hosts; /* not all at once */
    if (weir_ep_open_net(&h->ep, &opts, &h->net, i + 1, &err) != 0)
        fail_msg("%s", err.text);
}

struct bed *bed_new(const struct bed_config *cfg)
{
    struct bed *b = calloc(1, sizeof(*b));
    assert_non_null(b);
    b->cfg = *cfg;
    b->zeros = calloc(1, BYTES_MAX);
    assert_non_null(b->zeros);
    make_switch(b);
    for (uint32_t i = 0; i < b->hosts; i++)
        make_host(b, i);
    return b;
}

void bed_free(struct bed *b)
{
    for (uint32_t i = 0; i < b->hosts; i++) {
        assert_int_equal(weir_close(b->host[i].ep), 0);
        free(b->host[i].in.frame);
        free(b->host[i].out.frame);
    }
    assert_null(weir_soft_broken(b->soft));
    weir_soft_free(b->soft);
    weir_setup_free(&b->setup);
    weir_scenario_free(&b->scn);
    free(b->zeros);
    free(b);
}

/* ---- time ---- */

/* Returns the first time from at_ns on at which an endpoint has its processor. */
static uint64_t may_run_ns(const struct bed *b, const struct host *h, uint64_t at_ns)
{
    uint64_t phase_ns = b->cfg.every_ns > 0 ? (at_ns + b->cfg.every_ns - h->offset_ns) % b->cfg.every_ns : 0;
    return phase_ns <= RUNS_NS ? at_ns : at_ns + b->cfg.every_ns - phase_ns;
}

static void run_endpoint(struct bed *b, struct host *h)
{
    struct weir_event event[EVENTS];
    int n;
    if (may_run_ns(b, h, b->now_ns) > b->now_ns)
        return;
    while ((n = weir_poll(h->ep, event, EVENTS, 0)) > 0) {
        for (int i = 0; i < n; i++) {
            assert_int_equal(event[i].result, 0);
            if (event[i].lease != NULL)
                weir_release(h->ep, event[i].lease);
            b->arrived += event[i].type == WEIR_EV_MESSAGE;
            if (event[i].type != WEIR_EV_SENT)
                continue;
            b->sent++;
            b->ended_ns[event[i].user_data] = b->now_ns;
        }
    }
}

/* Returns when something happens next. */
static uint64_t next_ns(const struct bed *b)
{
    uint64_t at_ns = b->soft_next_ns;
    for (uint32_t i = 0; i < b->hosts; i++) {
        const struct host *h = &b->host[i];
        uint64_t due_ns = weir_deadline(h->ep);
        due_ns = due_ns > START_NS ? due_ns - START_NS : 0;
        if (h->in.count > h->in.lent)
            due_ns = b->now_ns;
        due_ns = may_run_ns(b, h, weir_max_u64(due_ns, b->now_ns + 1));
        at_ns = weir_min_u64(at_ns, h->out.count > h->out.lent ? b->now_ns : due_ns);
    }
    return weir_max_u64(at_ns, b->now_ns + 1); /* a step of the switch is later than the one before */
}

void bed_run(struct bed *b, uint64_t until_ns)
{
    while (b->now_ns < until_ns) {
        uint64_t at_ps;
        b->now_ns = weir_min_u64(next_ns(b), until_ns);
        at_ps = weir_soft_step(b->soft, b->now_ns * WEIR_PS_PER_NS);
        b->soft_next_ns = at_ps == WEIR_NEVER ? UINT64_MAX : (at_ps + WEIR_PS_PER_NS - 1) / WEIR_PS_PER_NS;
        for (uint32_t i = 0; i < b->hosts; i++)
            run_endpoint(b, &b->host[i]);
    }
}

void bed_send(struct bed *b, uint32_t from, uint32_t to, uint64_t bytes, uint64_t user_data)
{
    struct sockaddr_storage sa;
    socklen_t length = weir_net_addr_to(&b->host[to].addr, &sa);
    const struct iovec iov = { b->zeros, bytes };
    struct weir_peer *peer;
    assert_true(bytes <= BYTES_MAX && user_data < ENDED_MAX);
    assert_int_equal(weir_peer_get(b->host[from].ep, (struct sockaddr *)&sa, length, &peer), 0);
    assert_int_equal(weir_send(b->host[from].ep, peer, &iov, 1, user_data, NULL), 0);
}

/* ---- counts ---- */

struct weir_soft *bed_soft(const struct bed *b)
{
    return b->soft;
}

struct weir_ep *bed_ep(const struct bed *b, uint32_t host)
{
    return b->host[host].ep;
}

const struct weir_soft_link *bed_from(const struct bed *b, uint32_t host)
{
    return weir_soft_link(b->soft, b->setup.topo.node[host].first_out);
}

const struct weir_soft_link *bed_to(const struct bed *b, uint32_t host)
{
    const struct weir_topology *topo = &b->setup.topo;
    return weir_soft_link(b->soft, weir_topology_link_to(topo, host));
}

uint32_t bed_arrived(const struct bed *b)
{
    return b->arrived;
}

uint32_t bed_sent(const struct bed *b)
{
    return b->sent;
}

uint64_t bed_ended_ns(const struct bed *b, uint64_t user_data)
{
    return b->ended_ns[user_data];
}
