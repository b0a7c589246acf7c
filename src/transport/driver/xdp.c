/* src/transport/driver/xdp.c - the driver that bypasses the kernel's UDP: an AF_XDP socket (copy mode) on queue 0 of
 * one device, IPv4 only.
 *
 * The driver also opens a kernel UDP socket on the same address and port. It keeps other programs off the port. It
 * receives datagrams that arrive on other queues, or in a form that the XDP program does not select. It sends datagrams
 * that we cannot frame: the kernel does not know the Ethernet address of the next hop yet, or the next hop is behind
 * another device.
 *
 * Once per RECHECK_NS and destination a datagram goes through this socket on purpose. So the kernel sees that the
 * neighbour is in use, keeps its entry, and notices when the address has changed.
 *
 * A device can have one such endpoint. On a device with several queues the port must be steered to queue 0 (`ethtool
 * -N`); otherwise datagrams go through the kernel's socket. */
#define _GNU_SOURCE
#include "driver/clock.h"
#include "driver/device.h"
#include "driver/frame.h"
#include "driver/neigh.h"
#include "driver/xdp_prog.h"
#include "driver/xsk.h"
#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    FRAME_BYTES = 4096,
    MTU_MAX = WEIR_XSK_MTU_MAX,
    RX_FRAMES = 2048, /* all are in the kernel's rings, except those that the last recv() handed out */
    TX_FRAMES = 2048,
    HOPS = 4096,       /* entries of the table of destinations; a power of two */
    KICKS = 4,         /* most sendto() per kick(); each makes the kernel send up to 32 frames */
    KERNEL_POLLS = 16, /* the kernel's socket is read once per this many recv() */
};
#define RECHECK_NS UINT64_C(1000000000) /* time until a known Ethernet address is looked up again .. */
#define RETRY_NS UINT64_C(10000000)     /* .. and until an unknown one is */
_Static_assert(WEIR_NET_BATCH <= WEIR_XSK_LENT_MAX, "recv() lends a batch");

/* The next hop to a destination, as cached. */
struct hop {
    uint64_t until_ns; /* valid until this time */
    uint8_t ip[4], mac[6];
    bool known;
};

/* State of the driver. */
struct xdp {
    struct weir_net net;
    struct weir_net *kernel; /* the UDP driver on the same port */
    struct weir_xsk sock;
    struct weir_xdp_prog prog;
    int neigh_fd;
    uint32_t device, polls;
    /* The last send() accepted fewer datagrams than given, for lack of room: in the ring (blocked), or in the kernel's
     * socket (kernel_blocked) */
    bool blocked, kernel_blocked;
    /* Reasons to read the kernel's socket: wait() was called since the last read (slept), or the last read returned
     * datagrams (kernel_more) */
    bool slept, kernel_more;
    uint8_t mac[6];
    struct hop hops[HOPS];
};
_Static_assert(offsetof(struct xdp, net) == 0, "the table's functions cast between the two");

/* Adds the counters of the kernel's socket to those of this driver, and clears them. */
static void add_stats(struct xdp *x)
{
    const struct weir_net_stats *k = &x->kernel->stats;
    struct weir_net_stats *sum = &x->net.stats;
    sum->syscalls += k->syscalls;
    sum->sends += k->sends;
    sum->blocked += k->blocked;
    sum->failed += k->failed;
    sum->cut += k->cut;
    x->kernel->stats = (struct weir_net_stats){ 0 };
}

/* Returns the next hop to ip with its Ethernet address, from the cache. Returns NULL if the datagram must go through
 * the kernel's socket. Then the address is unknown, the cache entry is another destination's, or the entry was too old
 * and was looked up just now. */
static const struct hop *hop_to(struct xdp *x, const uint8_t ip[4], uint64_t now_ns)
{
    uint32_t key;
    memcpy(&key, ip, sizeof(key));
    /* 2^32 / golden ratio, to spread the bits; the top 12 bits are an index below HOPS */
    struct hop *hop = &x->hops[(key * UINT32_C(2654435769)) >> 20];
    bool same = memcmp(hop->ip, ip, sizeof(hop->ip)) == 0;
    if (now_ns < hop->until_ns)
        return same && hop->known ? hop : NULL;
    memcpy(hop->ip, ip, sizeof(hop->ip));
    hop->known = weir_neigh_find(x->neigh_fd, x->device, ip, hop->mac) == 0;
    hop->until_ns = now_ns + (hop->known ? RECHECK_NS : RETRY_NS);
    x->net.stats.syscalls += 4;
    return NULL;
}

/* Makes the kernel send the frames in the ring. Frames for which it has no room stay there until the next call. @return
 * 0; -EIO = the device is gone */
static int kick(struct xdp *x)
{
    for (uint32_t i = 0; i < KICKS && weir_xsk_waiting(&x->sock) > 0; i++) {
        x->net.stats.syscalls++;
        x->net.stats.sends++;
        if (weir_xsk_kick(&x->sock) != 0)
            return -EIO;
    }
    return 0;
}

/* Writes a datagram as a frame to hop, and puts it into the ring. @return false = no room */
static bool put_frame(struct xdp *x, const struct hop *hop, const struct weir_net_out *out)
{
    unsigned char *frame = weir_xsk_room(&x->sock);
    if (frame == NULL)
        return false;
    weir_xsk_put(&x->sock, weir_frame_write(frame, hop->mac, x->mac, &x->net.local, out));
    return true;
}

/* Sends one datagram, as a frame or through the kernel's socket. @return 1 = accepted, 0 = no room, -EIO */
static int send_one(struct xdp *x, const struct weir_net_out *out, uint64_t now_ns)
{
    bool fits = WEIR_FRAME_IP_BYTES + out->head_bytes + out->body_bytes <= x->net.mtu;
    const struct hop *hop = fits && out->to->family == AF_INET ? hop_to(x, out->to->ip, now_ns) : NULL;
    if (hop == NULL) {
        int sent = x->kernel->driver->send(x->kernel, out, 1);
        add_stats(x);
        x->kernel_blocked = sent == 0;
        return sent;
    }
    if (put_frame(x, hop, out))
        return 1;
    if (kick(x) != 0)
        return -EIO;
    weir_xsk_reclaim(&x->sock);
    if (put_frame(x, hop, out))
        return 1;
    x->net.stats.blocked++;
    x->blocked = true;
    return 0;
}

static int xdp_send(struct weir_net *net, const struct weir_net_out *out, uint32_t count)
{
    struct xdp *x = (struct xdp *)net;
    uint64_t now_ns = weir_net_clock_ns(net);
    uint32_t accepted = 0;
    int status = 1;
    x->blocked = x->kernel_blocked = false;
    weir_xsk_reclaim(&x->sock);
    while (accepted < count && status > 0) {
        status = send_one(x, &out[accepted], now_ns);
        accepted += status > 0;
    }
    return status < 0 || kick(x) != 0 ? -EIO : (int)accepted;
}

/* Receives up to count datagrams from the ring. @return how many; 0 = none wait */
static uint32_t recv_frames(struct xdp *x, struct weir_net_in *in, uint32_t count)
{
    struct xdp_desc frame[WEIR_NET_BATCH];
    uint32_t n, good = 0;
    do {
        weir_xsk_give_back(&x->sock);
        n = weir_xsk_take(&x->sock, frame, count);
        for (uint32_t i = 0; i < n; i++) {
            enum weir_frame_result result =
                weir_frame_read(x->sock.memory + frame[i].addr, frame[i].len, &x->net.local, &in[good]);
            good += result == WEIR_FRAME_OK;
            x->net.stats.corrupt += result == WEIR_FRAME_CHECKSUM;
            /* the XDP program selects no other frames than truncated ones */
            x->net.stats.cut += result == WEIR_FRAME_OTHER;
        }
    } while (n > 0 && good == 0);
    return good;
}

static int xdp_recv(struct weir_net *net, struct weir_net_in *in, uint32_t count)
{
    struct xdp *x = (struct xdp *)net;
    int got = 0;
    if (x->kernel_more || x->slept || ++x->polls % KERNEL_POLLS == 0) {
        got = x->kernel->driver->recv(x->kernel, in, count);
        add_stats(x);
        x->slept = false;
        x->kernel_more = got > 0;
    }
    if (weir_xsk_waiting(&x->sock) > 0 && kick(x) != 0)
        return -EIO;
    return got != 0 || count == 0 ? got : (int)recv_frames(x, in, count < WEIR_NET_BATCH ? count : WEIR_NET_BATCH);
}

static int xdp_wait(struct weir_net *net, uint64_t until_ns, int wake_fd)
{
    struct xdp *x = (struct xdp *)net;
    struct pollfd fds[3] = { { .fd = x->sock.fd, .events = (short)(POLLIN | (x->blocked ? POLLOUT : 0)) },
                             { .fd = x->kernel->fd, .events = (short)(POLLIN | (x->kernel_blocked ? POLLOUT : 0)) },
                             { .fd = wake_fd, .events = POLLIN } };
    if (x->kernel_more)
        return 0;
    x->slept = true;
    x->net.stats.syscalls++;
    return weir_net_clock_wait(fds, 3, until_ns);
}

static void xdp_close(struct weir_net *net)
{
    struct xdp *x = (struct xdp *)net;
    weir_xdp_prog_detach(&x->prog);
    weir_xsk_close(&x->sock);
    if (x->neigh_fd >= 0)
        (void)close(x->neigh_fd);
    if (net->fd >= 0)
        (void)close(net->fd);
    if (x->kernel != NULL)
        x->kernel->driver->close(x->kernel);
    free(x);
}

static int fail_open(struct weir_err *err, const char *device, int status)
{
    switch (status) {
    case -EPERM:
    case -EACCES:
        (void)weir_fail(err, WEIR_E_RUN, NULL,
                        "it takes root, or CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF; the udp driver needs none of them",
                        "not allowed to use XDP on %s", device);
        return -EPERM;
    case -EBUSY:
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL,
                        "`ip link show` and `bpftool net` say whose it is; the udp driver can share",
                        "queue 0 of %s, or its place for an XDP program, is taken", device);
        return -EADDRINUSE;
    default:
        (void)weir_fail(err, WEIR_E_RUN, NULL, "the udp driver works on every device", "cannot use XDP on %s: %s",
                        device, strerror(-status));
        return status == -ENOMEM ? status : -ENOTSUP;
    }
}

/* Checks the configuration for conflicts that are known without asking the kernel. @return 0; -ENOTSUP with err */
static int check(const struct weir_net_config *cfg, struct weir_err *err)
{
    const char *hint = "the udp driver can", *what = NULL;
    if (cfg->bind.family == AF_INET6)
        what = "the xdp driver speaks IPv4 only";
    else if (cfg->shared)
        what = "the xdp driver cannot share its port";
    else if (cfg->ports > 1)
        what = "the xdp driver sends from one port";
    else if (cfg->device == NULL && weir_net_addr_is_any(&cfg->bind)) {
        what = "the xdp driver needs a network device, or an address that one has";
        hint = "name a device, or bind to one of its addresses";
    } else if (cfg->mtu > MTU_MAX) {
        what = "the xdp driver takes an MTU of 3500 at most";
        hint = "set a smaller MTU at both ends, or take the udp driver";
    }
    if (what == NULL)
        return 0;
    (void)weir_fail(err, WEIR_E_CONFLICT, NULL, hint, "%s", what);
    return -ENOTSUP;
}

/**
 * Opens the kernel's socket, which also reports a wrong address; sets address, MTU, rate and device.
 * @param name  set to the name of the device, IF_NAMESIZE bytes
 * @return 0, or a negative errno with err
 */
static int open_kernel(struct xdp *x, const struct weir_net_config *cfg, char *name, struct weir_err *err)
{
    struct weir_net_config plain = *cfg;
    (void)weir_net_device_name(&cfg->bind, cfg->device, name);
    if (weir_net_addr_is_any(&plain.bind) && weir_net_device_ip4(name, plain.bind.ip) == 0)
        plain.bind.family = AF_INET;
    int status = weir_net_udp.open(&x->kernel, &plain, err);
    if (status != 0)
        return status;
    if (weir_net_addr_is_any(&x->kernel->local)) {
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "`ip address add` gives it one", "%s has no IPv4 address", name);
        return -EADDRNOTAVAIL;
    }
    x->net.local = x->kernel->local;
    x->net.mtu = x->kernel->mtu < MTU_MAX ? x->kernel->mtu : MTU_MAX;
    x->net.rate_bps = x->kernel->rate_bps;
    x->device = if_nametoindex(name);
    status = weir_net_device_mac(name, x->mac);
    if (status != 0)
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "the udp driver works on every device",
                        "%s is not an Ethernet device", name);
    return status;
}

/* Opens net.fd, one descriptor that is readable when either socket is. @return 0, or a negative errno */
static int open_epoll(struct xdp *x)
{
    struct epoll_event event = { .events = EPOLLIN };
    x->net.fd = epoll_create1(EPOLL_CLOEXEC);
    if (x->net.fd < 0 || epoll_ctl(x->net.fd, EPOLL_CTL_ADD, x->sock.fd, &event) != 0 ||
        epoll_ctl(x->net.fd, EPOLL_CTL_ADD, x->kernel->fd, &event) != 0)
        return -errno;
    return 0;
}

static int open_device(struct xdp *x, const char *name)
{
    static const struct weir_xsk_size size = { .rx_frames = RX_FRAMES,
                                               .tx_frames = TX_FRAMES,
                                               .frame_bytes = FRAME_BYTES };
    int status = weir_xsk_open(&x->sock, name, 0, &size);
    if (status != 0)
        return status;
    x->neigh_fd = weir_neigh_open();
    if (x->neigh_fd < 0)
        return x->neigh_fd;
    status = weir_xdp_prog_attach(&x->prog, x->device, &x->net.local);
    if (status == 0)
        status = open_epoll(x);
    return status != 0 ? status : weir_xdp_prog_steer(&x->prog, 0, x->sock.fd);
}

static int xdp_open(struct weir_net **net, const struct weir_net_config *cfg, struct weir_err *err)
{
    char name[IF_NAMESIZE] = "";
    struct xdp *x;
    int status = check(cfg, err);
    *net = NULL;
    if (status != 0)
        return status;
    x = calloc(1, sizeof(*x));
    if (x == NULL)
        return fail_open(err, "any device", -ENOMEM);
    x->net = (struct weir_net){ .driver = &weir_net_xdp, .now_ns = weir_net_clock_ns, .fd = -1, .stranger_fd = -1 };
    x->sock.fd = x->neigh_fd = -1;
    x->prog = (struct weir_xdp_prog){ .map = -1, .prog = -1, .link = -1 };
    status = open_kernel(x, cfg, name, err);
    if (status == 0) {
        status = open_device(x, name);
        status = status != 0 ? fail_open(err, name, status) : 0;
    }
    if (status != 0) {
        xdp_close(&x->net);
        return status;
    }
    *net = &x->net;
    return 0;
}

const struct weir_net_driver weir_net_xdp = {
    .name = "xdp", .open = xdp_open, .send = xdp_send, .recv = xdp_recv, .wait = xdp_wait, .close = xdp_close
};
