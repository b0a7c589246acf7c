/* src/net/udp.c - the driver over plain UDP sockets: batches by sendmmsg() and recvmmsg(), and runs of datagrams that go through
 * the kernel as one (UDP_SEGMENT, UDP_GRO; Linux 4.18 and 5.0). Works without either. No fragments: the path MTU is the limit. */
#define _GNU_SOURCE
#include "net/clock.h"
#include "net/device.h"
#include <errno.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    RX_SLOTS = 16, /* a slot takes what the kernel has put together, up to 64 datagrams; more slots leave the cache */
    RX_SLOT_BYTES = 65536,  /* no datagram is longer */
    RUN_BYTES_MAX = 65000,  /* of a run: with its headers it is one IP packet of at most 65535 */
    SOCKET_BYTES = 8 << 20, /* asked for; the kernel gives what net.core.rmem_max and wmem_max allow */
    MTU_MIN = WEIR_NET_MTU_LEAST_IP4,
    MTU_MAX = 9000,
    MTU_UNKNOWN = 1500,
};

union control { /* room for what goes with a datagram, aligned */
    char bytes[2 * CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct in6_pktinfo))];
    size_t align; /* cmsg_len is one */
};

struct udp {
    struct weir_net net;
    bool gso;                     /* the kernel takes runs */
    bool blocked;                 /* the last send took less than all */
    uint32_t rx_ask;              /* slots to ask for next, 1 .. RX_SLOTS */
    uint32_t slot, slots, offset; /* the next datagram of what recvmmsg() gave lies in slot .. */
    uint32_t segment_bytes;       /* .. which was cut into segments of this size */
    struct weir_net_in current;   /* what they have in common */
    unsigned char *rx_bytes;      /* RX_SLOTS * RX_SLOT_BYTES */
    struct mmsghdr tx[WEIR_NET_BATCH], rx[RX_SLOTS];
    struct iovec tx_iov[2 * WEIR_NET_BATCH], rx_iov[RX_SLOTS];
    struct sockaddr_storage tx_to[WEIR_NET_BATCH], rx_from[RX_SLOTS];
    union control tx_control[WEIR_NET_BATCH], rx_control[RX_SLOTS];
    uint8_t tx_run[WEIR_NET_BATCH]; /* datagrams in each message */
};
_Static_assert(offsetof(struct udp, net) == 0, "the table's functions cast between the two");
_Static_assert(WEIR_NET_BATCH <= 64, "UDP_MAX_SEGMENTS of the kernel");

static uint32_t out_bytes(const struct weir_net_out *out)
{
    return (uint32_t)out->head_bytes + out->body_bytes;
}

/* How many of the datagrams at out can go as one: all but the last of the same size. */
static uint32_t run_of(const struct weir_net_out *out, uint32_t count)
{
    uint32_t size = out_bytes(out), total = size, n = 1;
    while (size > 0 && n < count && out_bytes(&out[n - 1]) == size) {
        const struct weir_net_out *next = &out[n];
        bool same = next->ecn == out->ecn && next->class_id == out->class_id && next->from == out->from &&
                    (next->to == out->to || memcmp(next->to, out->to, sizeof(*out->to)) == 0);
        total += out_bytes(next);
        if (!same || out_bytes(next) == 0 || out_bytes(next) > size || total > RUN_BYTES_MAX)
            break;
        n++;
    }
    return n;
}

static void add_control(struct msghdr *msg, int level, int type, const void *data, size_t size)
{
    struct cmsghdr *at = (void *)((char *)msg->msg_control + msg->msg_controllen);
    at->cmsg_level = level;
    at->cmsg_type = type;
    at->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(at), data, size);
    msg->msg_controllen += CMSG_SPACE(size);
}

static void add_source(struct msghdr *msg, const struct weir_net_addr *from)
{
    struct in_pktinfo four = { .ipi_ifindex = 0 };
    struct in6_pktinfo six = { .ipi6_ifindex = from->scope };
    memcpy(&four.ipi_spec_dst, from->ip, sizeof(four.ipi_spec_dst));
    memcpy(&six.ipi6_addr, from->ip, sizeof(six.ipi6_addr));
    if (from->family == AF_INET6)
        add_control(msg, IPPROTO_IPV6, IPV6_PKTINFO, &six, sizeof(six));
    else
        add_control(msg, IPPROTO_IP, IP_PKTINFO, &four, sizeof(four));
}

static void put_control(const struct udp *u, struct msghdr *msg, const struct weir_net_out *out, uint32_t run)
{
    int tos = weir_net_tos(out->class_id, out->ecn);
    uint16_t segment = (uint16_t)out_bytes(out);
    bool six = u->net.local.family == AF_INET6;
    msg->msg_controllen = 0;
    if (tos != 0)
        add_control(msg, six ? IPPROTO_IPV6 : IPPROTO_IP, six ? IPV6_TCLASS : IP_TOS, &tos, sizeof(tos));
    if (run > 1)
        add_control(msg, SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment));
    if (out->from != NULL && out->from->family != 0)
        add_source(msg, out->from);
}

/* Makes messages for sendmmsg(). @param coalesce  runs may go as one @return how many */
static uint32_t build(struct udp *u, const struct weir_net_out *out, uint32_t count, bool coalesce)
{
    uint32_t messages = 0, iov = 0;
    for (uint32_t i = 0; i < count; messages++) {
        struct msghdr *msg = &u->tx[messages].msg_hdr;
        uint32_t run = coalesce ? run_of(&out[i], count - i) : 1;
        msg->msg_namelen = weir_net_addr_to(out[i].to, &u->tx_to[messages]);
        msg->msg_iov = &u->tx_iov[iov];
        put_control(u, msg, &out[i], run);
        for (uint32_t end = i + run; i < end; i++) {
            u->tx_iov[iov++] = (struct iovec){ (void *)(uintptr_t)out[i].head, out[i].head_bytes };
            if (out[i].body_bytes > 0)
                u->tx_iov[iov++] = (struct iovec){ (void *)(uintptr_t)out[i].body, out[i].body_bytes };
        }
        msg->msg_iovlen = (size_t)(&u->tx_iov[iov] - msg->msg_iov);
        u->tx_run[messages] = (uint8_t)run;
    }
    return messages;
}

static bool no_room(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS || error == ENOMEM;
}

/* The device that all datagrams go through. */
static bool device_gone(int error)
{
    return error == ENODEV || error == ENXIO || error == EBADF || error == ENOTSOCK;
}

/* Of one that leaves from an address of its own, ENODEV is about that address's device; others still leave. */
static bool is_fatal(const struct weir_net_out *out, int error)
{
    bool from_its_own = out->from != NULL && out->from->family != 0;
    return device_gone(error) && !(error == ENODEV && from_its_own);
}

/* What to do about the first message, of out and perhaps those behind it, which sendmmsg() refused. @param single  is
 * set to the datagrams to be sent one by one next
 * @return datagrams dropped, 0 or 1; -EAGAIN = no room; -EIO */
static int refused(struct udp *u, const struct weir_net_out *out, int error, uint32_t *single)
{
    if (error == EINTR)
        return 0;
    if (no_room(error)) {
        u->net.stats.blocked++;
        u->blocked = true;
        return -EAGAIN;
    }
    if (is_fatal(out, error))
        return -EIO;
    if (u->tx_run[0] > 1) { /* the device or the kernel refuses runs, or one of this run alone is at fault */
        if (error == EIO || error == ENOPROTOOPT || error == EOPNOTSUPP)
            u->gso = false;
        *single = u->tx_run[0];
        return 0;
    }
    u->net.stats.failed++;
    return 1;
}

/* One message by the call for one: it is a few per cent of a round trip faster. @return messages sent, or -1 and errno */
static int give(struct udp *u, uint32_t messages)
{
    u->net.stats.syscalls++;
    if (messages > 1)
        return sendmmsg(u->net.fd, u->tx, messages, MSG_DONTWAIT);
    return sendmsg(u->net.fd, &u->tx[0].msg_hdr, MSG_DONTWAIT) < 0 ? -1 : 1;
}

static int udp_send(struct weir_net *net, const struct weir_net_out *out, uint32_t count)
{
    struct udp *u = (struct udp *)net;
    uint32_t taken = 0, single = 0;
    u->blocked = false;
    while (taken < count) {
        uint32_t messages =
            single > 0 ? build(u, out + taken, single, false) : build(u, out + taken, count - taken, u->gso);
        int sent = give(u, messages), given_up;
        if (sent > 0) {
            for (int i = 0; i < sent; i++) {
                taken += u->tx_run[i];
                single -= single > 0;
            }
            continue;
        }
        given_up = refused(u, out + taken, errno, &single);
        if (given_up == -EAGAIN)
            break;
        if (given_up < 0)
            return given_up;
        taken += (uint32_t)given_up;
        single -= single > 0 && given_up > 0;
    }
    return (int)taken;
}

/* Lets slots be written to again; the kernel has put its own lengths there. */
static void open_slots(struct udp *u, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct msghdr *msg = &u->rx[i].msg_hdr;
        msg->msg_namelen = sizeof(u->rx_from[i]);
        msg->msg_controllen = sizeof(u->rx_control[i]);
    }
    u->slot = u->slots = u->offset = 0;
}

/* @return slots filled, or -1 and errno */
static int take(struct udp *u, uint32_t slots)
{
    ssize_t length;
    u->net.stats.syscalls++;
    if (slots > 1)
        return recvmmsg(u->net.fd, u->rx, slots, MSG_DONTWAIT, NULL);
    length = recvmsg(u->net.fd, &u->rx[0].msg_hdr, MSG_DONTWAIT);
    u->rx[0].msg_len = length < 0 ? 0 : (uint32_t)length;
    return length < 0 ? -1 : 1;
}

/* Asks for one slot as long as datagrams come one by one, because the kernel's search for a second one takes time.
 * Asks for twice as many whenever all it asked for were filled. @return slots filled; 0 = nothing now; -EIO */
static int refill(struct udp *u)
{
    open_slots(u, u->slots);
    int got = take(u, u->rx_ask);
    if (got < 0) {
        u->rx_ask = 1;
        return device_gone(errno) ? -EIO : 0; /* others: nothing there, or the report of a datagram that was lost */
    }
    u->slots = (uint32_t)got;
    if (u->slots == u->rx_ask && u->rx_ask < RX_SLOTS)
        u->rx_ask *= 2;
    return got;
}

/* A datagram came to this address of ours; to none that could answer, if to a group's. */
static void came_to(struct udp *u, const struct cmsghdr *at)
{
    struct in_pktinfo four;
    struct in6_pktinfo six;
    struct weir_net_addr *to = &u->current.to;
    *to = (struct weir_net_addr){ .port = u->net.local.port };
    if (at->cmsg_level == IPPROTO_IP) {
        memcpy(&four, CMSG_DATA(at), sizeof(four));
        memcpy(to->ip, &four.ipi_spec_dst, sizeof(four.ipi_spec_dst));
        to->family = AF_INET;
    } else {
        memcpy(&six, CMSG_DATA(at), sizeof(six));
        memcpy(to->ip, &six.ipi6_addr, sizeof(six.ipi6_addr));
        to->scope = IN6_IS_ADDR_LINKLOCAL(&six.ipi6_addr) ? six.ipi6_ifindex : 0;
        to->family = IN6_IS_ADDR_MULTICAST(&six.ipi6_addr) ? 0 : AF_INET6;
    }
}

/* Reads the control messages of all datagrams of the slot that is next. @return false = it is cut off, and dropped */
static bool begin_slot(struct udp *u)
{
    struct msghdr *msg = &u->rx[u->slot].msg_hdr;
    int segment = 0, tos = 0;
    if ((msg->msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
        u->net.stats.cut++;
        return false;
    }
    for (struct cmsghdr *at = CMSG_FIRSTHDR(msg); at != NULL; at = CMSG_NXTHDR(msg, at)) {
        size_t size = at->cmsg_len - CMSG_LEN(0);
        int value = 0;
        memcpy(&value, CMSG_DATA(at), size < sizeof(value) ? size : sizeof(value));
        if (at->cmsg_level == SOL_UDP && at->cmsg_type == UDP_GRO)
            segment = value;
        else if (at->cmsg_level == IPPROTO_IP && at->cmsg_type == IP_TOS)
            tos = *CMSG_DATA(at); /* one byte, whatever the kernel */
        else if (at->cmsg_level == IPPROTO_IPV6 && at->cmsg_type == IPV6_TCLASS)
            tos = value;
        else if ((at->cmsg_level == IPPROTO_IP && at->cmsg_type == IP_PKTINFO) ||
                 (at->cmsg_level == IPPROTO_IPV6 && at->cmsg_type == IPV6_PKTINFO))
            came_to(u, at);
    }
    u->segment_bytes = segment > 0 ? (uint32_t)segment : RX_SLOT_BYTES;
    u->current.ecn = tos & 3;
    return weir_net_addr_from(&u->current.from, (struct sockaddr *)&u->rx_from[u->slot], msg->msg_namelen) == 0;
}

/* Hands out datagrams of the slot that is next. @return how many */
static uint32_t take_slot(struct udp *u, struct weir_net_in *in, uint32_t count)
{
    uint32_t length = u->rx[u->slot].msg_len, n = 0;
    bool whole = u->offset > 0 || begin_slot(u);
    while (whole && n < count) {
        uint32_t left = length - u->offset;
        in[n] = u->current;
        in[n].bytes = u->rx_bytes + (size_t)u->slot * RX_SLOT_BYTES + u->offset;
        in[n].length = left < u->segment_bytes ? left : u->segment_bytes;
        u->offset += in[n++].length;
        if (u->offset == length)
            break;
    }
    if (!whole || u->offset == length) {
        u->slot++;
        u->offset = 0;
    }
    return n;
}

static int udp_recv(struct weir_net *net, struct weir_net_in *in, uint32_t count)
{
    struct udp *u = (struct udp *)net;
    uint32_t n = 0;
    while (n == 0 && count > 0) {
        int slots = u->slot < u->slots ? 1 : refill(u);
        if (slots <= 0)
            return slots;
        while (n < count && u->slot < u->slots)
            n += take_slot(u, in + n, count - n);
    }
    return (int)n;
}

static int udp_wait(struct weir_net *net, uint64_t until_ns, int wake_fd)
{
    struct udp *u = (struct udp *)net;
    struct pollfd fds[2] = { { .fd = net->fd, .events = (short)(POLLIN | (u->blocked ? POLLOUT : 0)) },
                             { .fd = wake_fd, .events = POLLIN } };
    if (u->slot < u->slots)
        return 0;
    net->stats.syscalls++;
    return weir_net_clock_wait(fds, 2, until_ns);
}

static void udp_close(struct weir_net *net)
{
    struct udp *u = (struct udp *)net;
    if (net->fd >= 0)
        (void)close(net->fd);
    if (u->rx_bytes != NULL)
        (void)munmap(u->rx_bytes, (size_t)RX_SLOTS * RX_SLOT_BYTES);
    free(u);
}

/* The messages' parts that never change. */
static void wire_up(struct udp *u)
{
    for (uint32_t i = 0; i < WEIR_NET_BATCH; i++) {
        u->tx[i].msg_hdr.msg_name = &u->tx_to[i];
        u->tx[i].msg_hdr.msg_control = &u->tx_control[i];
    }
    for (uint32_t i = 0; i < RX_SLOTS; i++) {
        u->rx_iov[i] = (struct iovec){ u->rx_bytes + (size_t)i * RX_SLOT_BYTES, RX_SLOT_BYTES };
        u->rx[i].msg_hdr = (struct msghdr){
            .msg_name = &u->rx_from[i], .msg_iov = &u->rx_iov[i], .msg_iovlen = 1, .msg_control = &u->rx_control[i]
        };
    }
    open_slots(u, RX_SLOTS);
    u->rx_ask = 1;
}

static int set_int(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof(value)) == 0 ? 0 : -errno;
}

/* Past the system's limit if we may, else up to it. */
static void set_room(int fd, int force, int option)
{
    if (set_int(fd, SOL_SOCKET, force, SOCKET_BYTES) != 0)
        (void)set_int(fd, SOL_SOCKET, option, SOCKET_BYTES);
}

/* @return 0, or a negative errno */
static int set_options(struct udp *u, const struct weir_net_config *cfg)
{
    bool six = cfg->bind.family == AF_INET6;
    int fd = u->net.fd, value = 0;
    socklen_t length = sizeof(value);
    int status = set_int(fd, six ? IPPROTO_IPV6 : IPPROTO_IP, six ? IPV6_RECVTCLASS : IP_RECVTOS, 1);
    if (status == 0)
        status = six ? set_int(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO)
                     : set_int(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
    if (status == 0 && six)
        status = set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (status == 0 && cfg->shared)
        status = set_int(fd, SOL_SOCKET, SO_REUSEPORT, 1);
    if (status == 0 && weir_net_addr_is_any(&cfg->bind)) /* answer from the address written to */
        status = set_int(fd, six ? IPPROTO_IPV6 : IPPROTO_IP, six ? IPV6_RECVPKTINFO : IP_PKTINFO, 1);
    set_room(fd, SO_RCVBUFFORCE, SO_RCVBUF);
    set_room(fd, SO_SNDBUFFORCE, SO_SNDBUF);
    (void)set_int(fd, SOL_UDP, UDP_GRO, 1); /* without it every datagram comes alone */
    u->gso = getsockopt(fd, SOL_UDP, UDP_SEGMENT, &value, &length) == 0;
    return status;
}

/* @return a negative errno, and the sentence for it */
static int fail_bind(struct weir_err *err, const struct weir_net_addr *bind_to, int error)
{
    char text[64];
    weir_net_addr_print(bind_to, text, sizeof(text));
    switch (error) {
    case EADDRINUSE:
        (void)weir_fail(
            err, WEIR_E_CONFLICT, NULL,
            "another program has it: take another port, port 0 for a free one, or share the port in all of them",
            "the UDP port of %s is in use", text);
        return -error;
    case EADDRNOTAVAIL:
    case ENODEV:
        (void)weir_fail(err, WEIR_E_UNKNOWN, NULL, "`ip address` lists those it has; \":PORT\" is any of them",
                        "%s is not an address of this machine", text);
        return -EADDRNOTAVAIL;
    case EACCES:
    case EPERM:
        (void)weir_fail(err, WEIR_E_RUN, NULL, "ports below 1024 are for root or CAP_NET_BIND_SERVICE",
                        "not allowed to use the UDP port of %s", text);
        return -EPERM;
    default:
        (void)weir_fail(err, WEIR_E_RUN, NULL, NULL, "cannot bind a UDP socket to %s: %s", text, strerror(error));
        return -error;
    }
}

static int fail_socket(struct weir_err *err, bool six, int error)
{
    (void)weir_fail(err, WEIR_E_RUN, NULL,
                    error == EAFNOSUPPORT ? "is the kernel without it? Take an IPv4 address" : NULL,
                    "cannot make a UDP socket for %s: %s", six ? "IPv6" : "IPv4", strerror(error));
    return error == EACCES ? -EPERM : -error;
}

static int open_socket(struct udp *u, const struct weir_net_config *cfg, struct weir_err *err)
{
    struct sockaddr_storage sa = { 0 };
    socklen_t length = weir_net_addr_to(&cfg->bind, &sa);
    bool six = cfg->bind.family == AF_INET6;
    int status;
    u->net.fd = socket(six ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (u->net.fd < 0)
        return fail_socket(err, six, errno);
    status = set_options(u, cfg);
    if (status != 0)
        return fail_socket(err, six, -status);
    if (bind(u->net.fd, (struct sockaddr *)&sa, length) != 0)
        return fail_bind(err, &cfg->bind, errno);
    length = sizeof(sa);
    if (getsockname(u->net.fd, (struct sockaddr *)&sa, &length) != 0)
        return fail_socket(err, six, errno);
    return weir_net_addr_from(&u->net.local, (struct sockaddr *)&sa, length);
}

static int fail_mtu(struct weir_err *err, uint32_t mtu, uint32_t device_mtu)
{
    char hint[96];
    if (mtu >= MTU_MIN && mtu <= MTU_MAX) {
        (void)snprintf(hint, sizeof(hint),
                       "`ip link set DEVICE mtu %u` there and along the path, or a smaller one here", (unsigned)mtu);
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, hint, "an MTU of %u is more than the network device's %u",
                        (unsigned)mtu, (unsigned)device_mtu);
    } else {
        (void)weir_fail(err, WEIR_E_RANGE, NULL, NULL, "an MTU of %u is not within %d and %d", (unsigned)mtu, MTU_MIN,
                        MTU_MAX);
    }
    return -EINVAL;
}

static uint32_t mtu_default(const struct udp *u, const struct weir_net_config *cfg)
{
    uint32_t mtu = weir_net_mtu_default(&u->net.local, cfg->device);
    return mtu == 0 ? MTU_UNKNOWN : mtu > MTU_MAX ? MTU_MAX : mtu;
}

/* MTU and rate: as given, else the device's. */
static int size_up(struct udp *u, const struct weir_net_config *cfg, struct weir_err *err)
{
    char list[256] = "there are ";
    uint32_t mtu;
    uint64_t rate_bps;
    int status = weir_net_device(&u->net.local, cfg->device, &mtu, &rate_bps);
    if (status != 0 && cfg->device != NULL) {
        weir_net_device_list(list + strlen(list), sizeof(list) - strlen(list));
        (void)weir_fail(err, WEIR_E_UNKNOWN, NULL, list, "there is no network device \"%s\"", cfg->device);
        return -ENODEV;
    }
    bool guessed = cfg->device == NULL && weir_net_addr_is_any(&u->net.local); /* another device may be the right one */
    bool too_large = mtu != 0 && cfg->mtu > mtu && !guessed;
    if (cfg->mtu != 0 && (cfg->mtu < MTU_MIN || cfg->mtu > MTU_MAX || too_large))
        return fail_mtu(err, cfg->mtu, mtu);
    u->net.mtu = cfg->mtu != 0 ? cfg->mtu : mtu_default(u, cfg);
    u->net.rate_bps = cfg->rate_bps != 0 ? cfg->rate_bps : rate_bps;
    return 0;
}

static int udp_open(struct weir_net **net, const struct weir_net_config *cfg, struct weir_err *err)
{
    struct udp *u = calloc(1, sizeof(*u));
    void *memory =
        mmap(NULL, (size_t)RX_SLOTS * RX_SLOT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    int status;
    *net = NULL;
    if (u == NULL || memory == MAP_FAILED) {
        free(u);
        if (memory != MAP_FAILED)
            (void)munmap(memory, (size_t)RX_SLOTS * RX_SLOT_BYTES);
        (void)weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for a UDP socket's buffers");
        return -ENOMEM;
    }
    u->net = (struct weir_net){ .driver = &weir_net_udp, .now_ns = weir_net_clock_ns, .fd = -1 };
    u->rx_bytes = memory;
    wire_up(u);
    status = open_socket(u, cfg, err);
    if (status == 0)
        status = size_up(u, cfg, err);
    if (status != 0) {
        udp_close(&u->net);
        return status;
    }
    *net = &u->net;
    return 0;
}

const struct weir_net_driver weir_net_udp = { "udp", udp_open, udp_send, udp_recv, udp_wait, udp_close };
