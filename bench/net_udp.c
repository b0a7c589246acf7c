/* bench/net_udp.c - what libweir costs, and its network drivers without an endpoint on top: bulk and 8-byte round trips over a veth pair
 * with an MTU of 1500 between two namespaces that this program makes, beside plain kernel TCP and plain kernel UDP in the same run.
 *
 * Two threads, each on a processor of its own; round trips are spun for. All take turns for ROUNDS rounds, and the best round of
 * each counts, because others use the machine; one JSON line each. Figures are worth what the machine is worth: the ratios are
 * the result. "cost" is the processor's time for it, which a busy machine disturbs less. */
#define _GNU_SOURCE
#include "driver/net.h"
#include "test/unit/driver/veth.h"
#include <weir/weir.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

enum {
    ROUNDS = 7,
    BULK_MS = 200,
    PINGS = 10000,
    PING_MS = 200,
    PING_BYTES = 8,
    HEAD = 40,
    BODY = 1423,
    BLOCK = 1 << 18,
    WINDOW = 1 << 21,
    BATCH_BYTES = 64 * (HEAD + BODY), /* WEIR_NET_BATCH of them */
    COST_BATCHES = 3000,
    EP_MESSAGE = 1 << 20,
    EP_OUTSTANDING = 4,
    EP_EVENTS = 16,
};
#define SPIN_NS UINT64_C(20000)
#define NAP_NS UINT64_C(1000000)    /* so that the end is noticed */
#define LOST_NS UINT64_C(100000000) /* a ping without an answer for so long */

enum how { BY_DRIVER, BY_UDP, BY_TCP, BY_WEIR };

struct side { /* one end of a conversation */
    enum how how;
    const struct weir_net_driver *driver;
    struct weir_net *net; /* BY_DRIVER */
    int fd;               /* BY_UDP, BY_TCP */
    struct weir_ep *ep;   /* BY_WEIR */
    struct weir_peer *weir_peer;
    uint64_t rpc;              /* of the request to answer */
    uint32_t outstanding;      /* messages under way */
    struct weir_net_addr peer; /* who is talked to */
};

static struct veth veth;
static cpu_set_t allowed;             /* processors, at the beginning */
static struct side far_side;          /* of the other thread */
static struct weir_net_addr far_addr; /* where it listens; written before ready */
static atomic_int ready, stop;
static _Atomic uint64_t received_bytes;
static uint64_t lost_bytes; /* of all bulk rounds */
static unsigned char block[BLOCK], far_block[BLOCK];
static char tcp_cc[16] = "cubic"; /* or what the system has */

static _Noreturn void die(const char *what)
{
    fprintf(stderr, "net_udp: %s: %s\n", what, strerror(errno));
    exit(1);
}

static uint64_t now_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* --- sides --- */

static void tune(const struct side *s)
{
    int one = 1;
    socklen_t length = sizeof(tcp_cc);
    if (s->how != BY_TCP)
        return;
    (void)setsockopt(s->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    (void)setsockopt(s->fd, IPPROTO_TCP, TCP_CONGESTION, "cubic", 5);
    (void)getsockopt(s->fd, IPPROTO_TCP, TCP_CONGESTION, tcp_cc, &length);
}

/* Spins, as the others do; a rate no pace is to be felt of, and credit for a queue of 100 us at it. */
static void side_open_weir(struct side *s, int i, struct weir_net_addr *local)
{
    struct weir_opts opts = { .size = sizeof(opts),
                              .bind = i == 0 ? "10.77.0.1:0" : "10.77.0.2:0",
                              .rate_bps = UINT64_C(40000000000),
                              .spin_us = UINT32_MAX };
    struct sockaddr_storage sa;
    socklen_t length = sizeof(sa);
    if (weir_open(&s->ep, &opts) != 0)
        die(weir_open_error());
    (void)weir_address(s->ep, (struct sockaddr *)&sa, &length);
    (void)weir_net_addr_from(local, (struct sockaddr *)&sa, length);
}

/* Opens a side in namespace i, the calling thread's from now on. */
static void side_open(struct side *s, int i, struct weir_net_addr *local)
{
    struct weir_net_config cfg = { 0 };
    struct weir_err err = { 0 };
    struct sockaddr_storage sa;
    if (!veth_enter(&veth, i) || weir_net_addr_parse(i == 0 ? "10.77.0.1:0" : "10.77.0.2:0", &cfg.bind) != 0)
        die("namespace");
    if (s->how == BY_WEIR) {
        side_open_weir(s, i, local);
        return;
    }
    if (s->how == BY_DRIVER) {
        if (s->driver->open(&s->net, &cfg, &err) != 0)
            die(err.text);
        *local = s->net->local;
        return;
    }
    socklen_t length = weir_net_addr_to(&cfg.bind, &sa);
    s->fd = socket(AF_INET, (s->how == BY_TCP ? SOCK_STREAM : SOCK_DGRAM) | SOCK_CLOEXEC, 0);
    if (s->fd < 0 || bind(s->fd, (struct sockaddr *)&sa, length) != 0)
        die("socket");
    length = sizeof(sa);
    (void)getsockname(s->fd, (struct sockaddr *)&sa, &length);
    (void)weir_net_addr_from(local, (struct sockaddr *)&sa, length);
    tune(s);
}

static void side_connect(struct side *s, const struct weir_net_addr *to)
{
    struct sockaddr_storage sa;
    socklen_t length = weir_net_addr_to(to, &sa);
    s->peer = *to;
    if (s->how == BY_WEIR && weir_peer_get(s->ep, (struct sockaddr *)&sa, length, &s->weir_peer) != 0)
        die("peer");
    if (s->how == BY_TCP && connect(s->fd, (struct sockaddr *)&sa, length) != 0)
        die("connect");
}

static void side_close(struct side *s)
{
    if (s->how == BY_DRIVER)
        s->driver->close(s->net);
    else if (s->how == BY_WEIR)
        (void)weir_close(s->ep);
    else
        (void)close(s->fd);
}

/* The far side answers what it was asked, the near side asks. */
static void side_put_weir(struct side *s, const void *bytes)
{
    static const struct weir_sendopt copy = { .size = sizeof(copy), .flags = WEIR_COPY };
    unsigned char ping[PING_BYTES];
    struct iovec iov = { ping, PING_BYTES };
    memcpy(ping, bytes, PING_BYTES);
    if (s->weir_peer != NULL)
        (void)weir_call(s->ep, s->weir_peer, &iov, 1, 0, &copy);
    else
        (void)weir_reply(s->ep, s->rpc, &iov, 1, 0, &copy);
}

static bool side_get_weir(struct side *s, void *bytes)
{
    struct weir_event event;
    if (weir_poll(s->ep, &event, 1, 0) != 1 || event.len != PING_BYTES)
        return false;
    s->rpc = event.rpc;
    memcpy(bytes, event.data, PING_BYTES);
    weir_release(s->ep, event.lease);
    return true;
}

static void side_put(struct side *s, const void *bytes)
{
    if (s->how == BY_WEIR) {
        side_put_weir(s, bytes);
        return;
    }
    struct weir_net_out out = { .to = &s->peer, .head = bytes, .head_bytes = PING_BYTES, .ecn = WEIR_NET_ECT0 };
    struct sockaddr_storage sa;
    if (s->how == BY_DRIVER)
        (void)s->driver->send(s->net, &out, 1);
    else if (s->how == BY_TCP)
        (void)send(s->fd, bytes, PING_BYTES, 0);
    else
        (void)sendto(s->fd, bytes, PING_BYTES, 0, (struct sockaddr *)&sa, weir_net_addr_to(&s->peer, &sa));
}

/* @return a ping has come, and is copied */
static bool side_get(struct side *s, void *bytes)
{
    struct weir_net_in in;
    struct sockaddr_storage sa;
    socklen_t length = sizeof(sa);
    if (s->how == BY_WEIR)
        return side_get_weir(s, bytes);
    if (s->how == BY_TCP)
        return recv(s->fd, bytes, PING_BYTES, MSG_DONTWAIT) == PING_BYTES;
    if (s->how == BY_UDP)
        return recvfrom(s->fd, bytes, PING_BYTES, MSG_DONTWAIT, (struct sockaddr *)&sa, &length) == PING_BYTES &&
               weir_net_addr_from(&s->peer, (struct sockaddr *)&sa, length) == 0;
    if (s->driver->recv(s->net, &in, 1) != 1)
        return false;
    s->peer = in.from;
    memcpy(bytes, in.bytes, PING_BYTES);
    return true;
}

/* The calling thread stays on the i-th processor it may use, if there are so many: two that spin must not share one. */
static void stay_on(int i)
{
    cpu_set_t all, one;
    if (sched_getaffinity(0, sizeof(all), &all) != 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &all) || i-- > 0)
            continue;
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        (void)sched_setaffinity(0, sizeof(one), &one);
        return;
    }
}

/* --- the far thread --- */

static void far_accept(void)
{
    if (far_side.how != BY_TCP)
        return;
    int fd = accept4(far_side.fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd < 0)
        die("accept");
    (void)close(far_side.fd);
    far_side.fd = fd;
    tune(&far_side);
}

static void far_listen(void)
{
    (void)sched_setaffinity(0, sizeof(allowed), &allowed); /* not the near thread's, which it came from */
    stay_on(1);
    side_open(&far_side, 1, &far_addr);
    if (far_side.how == BY_TCP && listen(far_side.fd, 1) != 0)
        die("listen");
    atomic_store(&ready, 1);
    far_accept();
}

static void *far_echo(void *unused)
{
    unsigned char bytes[PING_BYTES];
    far_listen();
    while (!atomic_load_explicit(&stop, memory_order_relaxed))
        if (side_get(&far_side, bytes))
            side_put(&far_side, bytes);
    side_close(&far_side);
    return unused;
}

static int far_flags; /* of recv(): MSG_DONTWAIT when one thread does both sides */

static uint64_t far_take_weir(void)
{
    struct weir_event event[EP_EVENTS];
    uint64_t bytes = 0;
    int n = weir_poll(far_side.ep, event, EP_EVENTS, 0);
    for (int i = 0; i < n; i++) {
        bytes += event[i].len;
        weir_release(far_side.ep, event[i].lease);
    }
    return bytes;
}

static uint64_t far_take(void)
{
    if (far_side.how == BY_WEIR)
        return far_take_weir();
    struct weir_net_in in[WEIR_NET_BATCH];
    uint64_t bytes = 0;
    if (far_side.how == BY_TCP) {
        ssize_t n = recv(far_side.fd, far_block, sizeof(far_block), far_flags);
        return n > 0 ? (uint64_t)n : 0;
    }
    int n = far_side.driver->recv(far_side.net, in, WEIR_NET_BATCH);
    for (int i = 0; i < n; i++)
        bytes += in[i].length;
    return bytes;
}

static void *far_sink(void *unused)
{
    uint64_t idle_ns = UINT64_MAX;
    far_listen();
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        uint64_t bytes = far_take();
        atomic_fetch_add_explicit(&received_bytes, bytes, memory_order_relaxed);
        if (bytes > 0 || far_side.how != BY_DRIVER) {
            idle_ns = UINT64_MAX;
            continue;
        }
        idle_ns = idle_ns == UINT64_MAX ? now_ns() : idle_ns;
        if (now_ns() - idle_ns > SPIN_NS) /* spins, then sleeps, as an endpoint does */
            (void)far_side.driver->wait(far_side.net, now_ns() + NAP_NS, -1);
    }
    while (far_side.how == BY_TCP && far_take() > 0) /* until the near side closes */
        continue;
    side_close(&far_side);
    return unused;
}

static pthread_t far_start(enum how how, const struct weir_net_driver *driver, void *(*run)(void *))
{
    pthread_t thread;
    far_side = (struct side){ .how = how, .driver = driver };
    atomic_store(&ready, 0);
    atomic_store(&stop, 0);
    atomic_store(&received_bytes, 0);
    if (pthread_create(&thread, NULL, run, NULL) != 0)
        die("thread");
    while (!atomic_load(&ready))
        (void)sched_yield();
    return thread;
}

/* --- measuring --- */

/* Keeps some messages under way; nothing is copied. */
static void near_give_weir(struct side *s)
{
    static unsigned char message[EP_MESSAGE];
    struct iovec iov = { message, EP_MESSAGE };
    struct weir_event event[EP_EVENTS];
    while (s->outstanding < EP_OUTSTANDING && weir_send(s->ep, s->weir_peer, &iov, 1, 0, NULL) == 0)
        s->outstanding++;
    int n = weir_poll(s->ep, event, EP_EVENTS, 0);
    s->outstanding -= n > 0 ? (uint32_t)n : 0;
}

/* Gives a batch, at most WINDOW bytes ahead of the receiver, whose count stands for acknowledgements.
 * @param sent  bytes given and not known to be lost */
static void near_give(struct side *s, struct weir_net_out *out, uint64_t *sent)
{
    static const struct timespec nap = { .tv_nsec = SPIN_NS };
    uint64_t had = 0, since_ns = now_ns();
    if (s->how == BY_WEIR) {
        near_give_weir(s);
        return;
    }
    if (s->how == BY_TCP) {
        (void)send(s->fd, block, sizeof(block), MSG_NOSIGNAL);
        return;
    }
    for (;;) {
        uint64_t have = atomic_load_explicit(&received_bytes, memory_order_relaxed);
        if (*sent - have < WINDOW)
            break;
        since_ns = have != had ? now_ns() : since_ns;
        had = have;
        if (now_ns() - since_ns > LOST_NS) { /* nothing comes any more: it is lost */
            lost_bytes += *sent - have;
            *sent = have;
        }
        (void)nanosleep(&nap, NULL); /* what the window holds takes longer */
    }
    int n = s->driver->send(s->net, out, WEIR_NET_BATCH);
    *sent += n > 0 ? (uint64_t)n * (HEAD + BODY) : 0;
}

static void make_batch(struct weir_net_out out[WEIR_NET_BATCH], const struct side *s)
{
    for (uint32_t i = 0; i < WEIR_NET_BATCH; i++)
        out[i] = (struct weir_net_out){ .to = &s->peer,
                                        .head = block,
                                        .body = block + HEAD,
                                        .head_bytes = HEAD,
                                        .body_bytes = BODY,
                                        .ecn = WEIR_NET_ECT0 };
}

/* Sends as fast as it goes; what arrives counts. @return Gb/s of payload */
static double bulk(enum how how, const struct weir_net_driver *driver)
{
    struct side near = { .how = how, .driver = driver };
    struct weir_net_out out[WEIR_NET_BATCH];
    struct weir_net_addr local;
    uint64_t sent = 0;
    pthread_t thread = far_start(how, driver, far_sink);
    side_open(&near, 0, &local);
    side_connect(&near, &far_addr);
    make_batch(out, &near);
    uint64_t warm_ns = now_ns() + BULK_MS * UINT64_C(200000); /* a fifth, not counted */
    while (now_ns() < warm_ns)
        near_give(&near, out, &sent);
    uint64_t start_ns = now_ns(), start_bytes = atomic_load(&received_bytes), end_ns = start_ns;
    for (; end_ns < start_ns + BULK_MS * UINT64_C(1000000); end_ns = now_ns())
        near_give(&near, out, &sent);
    uint64_t bytes = atomic_load(&received_bytes) - start_bytes;
    atomic_store(&stop, 1);
    side_close(&near);
    (void)pthread_join(thread, NULL);
    return (double)bytes * 8 / (double)(end_ns - start_ns);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Processor time for a batch, in nanoseconds: to give it to the kernel, with what the kernel does at once, and to take it out on the
 * other side. */
struct cost {
    double send_ns, recv_ns;
};

static double cpu_ns(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* A batch to the far side by the same thread. @return bytes that have been taken by the kernel */
static uint64_t give_some(struct side *s, const struct weir_net_out *out)
{
    if (s->how == BY_TCP) {
        ssize_t n = send(s->fd, block, BATCH_BYTES, MSG_DONTWAIT | MSG_NOSIGNAL);
        return n > 0 ? (uint64_t)n : 0;
    }
    int n = s->driver->send(s->net, out, WEIR_NET_BATCH);
    return n > 0 ? (uint64_t)n * (HEAD + BODY) : 0;
}

static struct cost cost_of_batch(struct side *near, const struct weir_net_out *out)
{
    uint64_t sent, got = 0, until_ns = now_ns() + LOST_NS;
    double start_ns = cpu_ns(), sent_ns;
    sent = give_some(near, out);
    sent_ns = cpu_ns();
    while (got < sent && now_ns() < until_ns)
        got += far_take();
    struct cost cost = { sent_ns - start_ns, cpu_ns() - sent_ns };
    return sent == BATCH_BYTES && got == sent ? cost : (struct cost){ 1e18, 1e18 };
}

/* Both sides by one thread that never spins long, so that who else is on the machine matters less; the median of COST_BATCHES. What
 * the kernel puts off to threads of its own is not in it. */
static struct cost cost(enum how how, const struct weir_net_driver *driver)
{
    struct side near = { .how = how, .driver = driver };
    static double send_ns[COST_BATCHES], recv_ns[COST_BATCHES];
    struct weir_net_addr local;
    struct weir_net_out out[WEIR_NET_BATCH];
    far_side = near;
    far_flags = MSG_DONTWAIT;
    side_open(&far_side, 1, &far_addr);
    if (how == BY_TCP && listen(far_side.fd, 1) != 0)
        die("listen");
    side_open(&near, 0, &local);
    side_connect(&near, &far_addr);
    far_accept();
    make_batch(out, &near);
    for (uint32_t i = 0; i < COST_BATCHES; i++) {
        struct cost now = cost_of_batch(&near, out);
        send_ns[i] = now.send_ns;
        recv_ns[i] = now.recv_ns;
    }
    qsort(send_ns, COST_BATCHES, sizeof(*send_ns), by_value);
    qsort(recv_ns, COST_BATCHES, sizeof(*recv_ns), by_value);
    side_close(&near);
    side_close(&far_side);
    far_flags = 0;
    return (struct cost){ send_ns[COST_BATCHES / 2], recv_ns[COST_BATCHES / 2] };
}

struct times {
    double p50_us, p99_us;
    uint32_t lost;
};

/* 8 bytes there and back, both sides spinning; a fifth is not counted. */
static struct times ping(enum how how, const struct weir_net_driver *driver)
{
    static double us[PINGS];
    struct side near = { .how = how, .driver = driver };
    struct weir_net_addr local;
    struct times result = { 0 };
    uint32_t count = 0;
    pthread_t thread = far_start(how, driver, far_echo);
    side_open(&near, 0, &local);
    side_connect(&near, &far_addr);
    uint64_t warm_ns = now_ns() + PING_MS * UINT64_C(200000), last_ns = warm_ns + PING_MS * UINT64_C(1000000);
    for (uint64_t i = 0; count < PINGS; i++) {
        uint64_t start_ns = now_ns(), end_ns = start_ns, answer = UINT64_MAX;
        if (start_ns > last_ns)
            break;
        near.peer = far_addr;
        side_put(&near, &i);
        while (answer != i && end_ns < start_ns + LOST_NS) {
            (void)side_get(&near, &answer);
            end_ns = now_ns();
        }
        result.lost += answer != i;
        if (start_ns >= warm_ns && answer == i)
            us[count++] = (double)(end_ns - start_ns) * 1e-3;
    }
    atomic_store(&stop, 1);
    side_close(&near);
    (void)pthread_join(thread, NULL);
    qsort(us, count, sizeof(*us), by_value);
    result.p50_us = count > 0 ? us[count / 2] : 0;
    result.p99_us = count > 0 ? us[count - 1 - count / 100] : 0;
    return result;
}

/* --- offloads, by name, as ethtool(8) knows them --- */

static bool ethtool(const char *device, void *command)
{
    struct ifreq ifr = { .ifr_data = command };
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    (void)snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", device);
    bool done = ioctl(fd, SIOCETHTOOL, &ifr) >= 0;
    (void)close(fd);
    return done;
}

static bool segments(const char *feature)
{
    static const char *const names[] = { "tx-tcp-segmentation",     "tx-tcp6-segmentation",
                                         "tx-tcp-ecn-segmentation", "tx-tcp-mangleid-segmentation",
                                         "tx-udp-segmentation",     "tx-generic-segmentation" };
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(feature, names[i]) == 0)
            return true;
    return false;
}

/* Switches TSO and GSO, of TCP and UDP. */
static void set_segmentation(int i, bool on)
{
    enum { FEATURES = 256, NAME = ETH_GSTRING_LEN };
    static union {
        struct ethtool_gstrings head;
        char room[sizeof(struct ethtool_gstrings) + (size_t)FEATURES * NAME];
    } names;
    static union {
        struct ethtool_sfeatures head;
        char room[sizeof(struct ethtool_sfeatures) + FEATURES / 32 * sizeof(struct ethtool_set_features_block)];
    } set;
    const char *device = i == 0 ? "wv0" : "wv1";
    memset(&set, 0, sizeof(set));
    names.head = (struct ethtool_gstrings){ .cmd = ETHTOOL_GSTRINGS, .string_set = ETH_SS_FEATURES };
    if (!veth_enter(&veth, i) || !ethtool(device, &names))
        die("names of offloads");
    set.head.cmd = ETHTOOL_SFEATURES;
    set.head.size = (names.head.len + 31) / 32;
    for (uint32_t at = 0; at < names.head.len && at < FEATURES; at++) {
        if (!segments((const char *)names.head.data + (size_t)at * NAME))
            continue;
        set.head.features[at / 32].valid |= 1u << at % 32;
        set.head.features[at / 32].requested |= on ? 1u << at % 32 : 0;
    }
    if (!ethtool(device, &set))
        die("offloads");
}

/* --- the runs --- */

static void print_bulk(bool cut, const char *driver, double gbps, double tcp_gbps)
{
    printf(
        "{\"bench\": \"bulk\", \"mtu\": 1500, \"frames\": \"%s\", \"driver\": \"%s\", \"gbps\": %.2f, \"tcp\": \"%s\", "
        "\"tcp_gbps\": %.2f, \"ratio\": %.2f}\n",
        cut ? "cut" : "whole", driver, gbps, tcp_cc, tcp_gbps, gbps / tcp_gbps);
    (void)fflush(stdout);
}

static void keep_most(double *best, double value)
{
    *best = value > *best ? value : *best;
}

static void print_cost(bool cut, const char *what, struct cost c, struct cost tcp)
{
    printf("{\"bench\": \"cost\", \"mtu\": 1500, \"frames\": \"%s\", \"by\": \"%s\", \"send_ns_per_kb\": %.1f, "
           "\"recv_ns_per_kb\": %.1f, "
           "\"of_tcp\": %.2f}\n",
           cut ? "cut" : "whole", what, c.send_ns / (BATCH_BYTES / 1e3), c.recv_ns / (BATCH_BYTES / 1e3),
           (c.send_ns + c.recv_ns) / (tcp.send_ns + tcp.recv_ns));
}

static void run_cost(bool cut)
{
    struct cost tcp = cost(BY_TCP, NULL);
    print_cost(cut, "tcp", tcp, tcp);
    print_cost(cut, "udp driver", cost(BY_DRIVER, &weir_net_udp), tcp);
#ifdef WEIR_HAVE_XDP
    if (cut)
        print_cost(cut, "xdp driver", cost(BY_DRIVER, &weir_net_xdp), tcp);
#endif
}

static void run_bulk(bool cut)
{
    double tcp = 0, udp = 0, xdp = 0, weir = 0;
    set_segmentation(0, !cut);
    set_segmentation(1, !cut);
    run_cost(cut);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        keep_most(&tcp, bulk(BY_TCP, NULL));
        keep_most(&weir, bulk(BY_WEIR, NULL));
        keep_most(&udp, bulk(BY_DRIVER, &weir_net_udp));
#ifdef WEIR_HAVE_XDP
        if (cut) /* its frames are its own */
            keep_most(&xdp, bulk(BY_DRIVER, &weir_net_xdp));
#endif
    }
    print_bulk(cut, "libweir", weir, tcp);
    print_bulk(cut, "udp", udp, tcp);
    if (xdp > 0)
        print_bulk(cut, "xdp", xdp, tcp);
    if (lost_bytes > 0)
        printf("{\"bench\": \"bulk\", \"lost_bytes\": %llu}\n", (unsigned long long)lost_bytes);
}

/* The round with the least median counts, with its own tail. */
static void ping_round(struct times *best, enum how how, const struct weir_net_driver *driver)
{
    struct times t = ping(how, driver);
    t.lost += best->lost;
    if (best->p50_us == 0 || t.p50_us < best->p50_us)
        *best = t;
    best->lost = t.lost;
}

static void print_ping(const char *what, const struct times *t, const struct times *tcp, const struct times *plain)
{
    printf(
        "{\"bench\": \"round_trip\", \"bytes\": %d, \"by\": \"%s\", \"p50_us\": %.2f, \"p99_us\": %.2f, \"lost\": %u, "
        "\"p50_of_tcp\": %.2f, \"p50_of_plain_udp\": %.2f}\n",
        PING_BYTES, what, t->p50_us, t->p99_us, (unsigned)t->lost, t->p50_us / tcp->p50_us, t->p50_us / plain->p50_us);
}

static void run_ping(void)
{
    struct times tcp = { 0 }, plain = { 0 }, udp = { 0 }, xdp = { 0 }, weir = { 0 };
    for (uint32_t i = 0; i < ROUNDS; i++) {
        ping_round(&tcp, BY_TCP, NULL);
        ping_round(&plain, BY_UDP, NULL);
        ping_round(&weir, BY_WEIR, NULL);
        ping_round(&udp, BY_DRIVER, &weir_net_udp);
#ifdef WEIR_HAVE_XDP
        ping_round(&xdp, BY_DRIVER, &weir_net_xdp);
#endif
    }
    print_ping("tcp", &tcp, &tcp, &plain);
    print_ping("plain udp", &plain, &tcp, &plain);
    print_ping("libweir", &weir, &tcp, &plain);
    print_ping("udp driver", &udp, &tcp, &plain);
    if (xdp.p50_us > 0)
        print_ping("xdp driver", &xdp, &tcp, &plain);
}

int main(void)
{
    if (!veth_open(&veth, 1500)) {
        printf("{\"bench\": \"net\", \"skipped\": \"%s\"}\n", veth.why);
        veth_close(&veth);
        return 0;
    }
    (void)sched_getaffinity(0, sizeof(allowed), &allowed);
    stay_on(0);
    run_bulk(false);
    run_bulk(true);
    run_ping();
    veth_close(&veth);
    return 0;
}
