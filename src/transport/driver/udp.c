/* src/transport/driver/udp.c - the driver over plain UDP sockets. Sends and receives batches by sendmmsg() and
 * recvmmsg(). Sets "do not fragment": datagrams larger than the path MTU are lost.
 *
 * A run is several consecutive datagrams of one sender and one receiver that pass through the kernel as one message.
 * The kernel splits a run that is sent (UDP_SEGMENT of Linux 4.18) and joins one that is received (UDP_GRO of 5.0).
 * Without its support each datagram is a message of its own. */
#define _GNU_SOURCE
#include "driver/clock.h"
#include "driver/device.h"
#include "driver/udp_ports.h"
#include "driver/udp_queue.h"
#include "driver/udp_shards.h"
#include "driver/udp_socket.h"
#include "driver/udp_trouble.h"
#include "wire/internet.h"
#include <errno.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    RX_SLOTS = 16, /* a slot takes a run of up to 64 datagrams; memory of more slots would not stay in the cache */
    STRANGER_SLOTS = WEIR_NET_STRANGERS, /* each holds one datagram */
    RX_SLOT_BYTES = 65536,               /* no datagram or run is longer */
    /* most payload of a run: with its headers a run must be an IP packet of at most 65535 bytes */
    RUN_BYTES_MAX = 65000,
    MTU_MIN = WEIR_NET_MTU_LEAST_IP4,
    MTU_MAX = 9000,
    MTU_UNKNOWN = 1500,
};

/* State of the driver. */
struct udp {
    struct weir_net net;
    bool gso;                            /* the kernel supports UDP_SEGMENT */
    int blocked_fd;                      /* the socket that had no room for a datagram of the last send(); -1 = none */
    bool again;                          /* the first message of tx was refused once, perhaps for an earlier datagram */
    bool shared;                         /* other endpoints share the port (SO_REUSEPORT) */
    int name_fd;                         /* from weir_udp_name_hold() once guarded, unless shared; -1 = none */
    struct weir_udp_shards shards;       /* the place among the endpoints of a shared port */
    struct weir_udp_queue rx, strangers; /* strangers.fd is -1 until udp_guard() */
    struct weir_udp_ports ports;
    struct mmsghdr tx[WEIR_NET_BATCH];
    struct iovec tx_iov[2 * WEIR_NET_BATCH];
    struct sockaddr_storage tx_to[WEIR_NET_BATCH];
    union weir_udp_control tx_control[WEIR_NET_BATCH];
    uint8_t tx_run[WEIR_NET_BATCH]; /* number of datagrams in each message of tx */
};
_Static_assert(offsetof(struct udp, net) == 0, "the table's functions cast between the two");
_Static_assert(WEIR_NET_BATCH <= 64, "UDP_MAX_SEGMENTS of the kernel");

static uint32_t out_bytes(const struct weir_net_out *out)
{
    return (uint32_t)out->head_bytes + out->body_bytes;
}

/* Returns the length of the run at the start of out, 1 .. count. The datagrams of a run have the same addresses, class
 * and ECN, and the same size, except that the last may be shorter. In all they have at most RUN_BYTES_MAX bytes. */
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

/* Returns the socket from which a datagram leaves. */
static int socket_of(const struct udp *u, const struct weir_net_out *out)
{
    return out->port == 0 ? u->net.fd : u->ports.fd[out->port - 1];
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
    int tos = weir_wire_tos(out->class_id, out->ecn);
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

/* Fills u->tx with messages of out, for sendmmsg(). coalesce: true = a message per run, false = a message per datagram.
 * @return number of messages */
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

/* Tests whether an error means that the device of all datagrams is gone. ENODEV does not, if out has a source address:
 * then the device of that address alone is gone, and other datagrams still leave. */
static bool is_fatal(const struct weir_net_out *out, int error)
{
    bool from_its_own = out->from != NULL && out->from->family != 0;
    return weir_udp_device_lost(error) && !(error == ENODEV && from_its_own);
}

/* Handles the refusal of the first message of u->tx by the kernel.
 * @param out     the first datagram of that message
 * @param error   the errno of sendmmsg()
 * @param single  if the message was a run, set to its length: its datagrams must be sent one by one next
 * @return number of datagrams dropped, 1, or 0 = try again; -EAGAIN = no room; -EIO = the device is gone */
static int refused(struct udp *u, const struct weir_net_out *out, int error, uint32_t *single)
{
    if (error == EINTR)
        return 0;
    if (no_room(error)) {
        u->net.stats.blocked++;
        u->blocked_fd = socket_of(u, out);
        return -EAGAIN;
    }
    if (is_fatal(out, error))
        return -EIO;
    if (u->tx_run[0] > 1) { /* device or kernel refuses runs, or one datagram of this run is at fault */
        if (error == EIO || error == ENOPROTOOPT || error == EOPNOTSUPP)
            u->gso = false;
        *single = u->tx_run[0];
        return 0;
    }
    if (weir_udp_trouble_is(error) && !u->again) { /* the report on an earlier datagram, or a fault of this one */
        u->again = u->net.troubled = true;
        return 0;
    }
    u->net.stats.failed++;
    return 1;
}

/* Sends u->tx, which has this many messages, from the port of out, the first of their datagrams. One message alone goes
 * by sendmsg(), which makes a round trip some per cent shorter. @return number of messages sent, or -1 and errno */
static int give(struct udp *u, const struct weir_net_out *out, uint32_t messages)
{
    int fd = socket_of(u, out);
    u->net.stats.syscalls++;
    u->net.stats.sends++;
    if (messages > 1)
        return sendmmsg(fd, u->tx, messages, MSG_DONTWAIT);
    return sendmsg(fd, &u->tx[0].msg_hdr, MSG_DONTWAIT) < 0 ? -1 : 1;
}

/* Returns how many of the first datagrams leave from one port, 1 .. count. */
static uint32_t same_port(const struct udp *u, const struct weir_net_out *out, uint32_t count)
{
    uint32_t n = 1;
    if (u->ports.count == 0)
        return count;
    WEIR_ASSERT(out->port <= u->ports.count);
    while (n < count && out[n].port == out->port)
        n++;
    return n;
}

static int udp_send(struct weir_net *net, const struct weir_net_out *out, uint32_t count)
{
    struct udp *u = (struct udp *)net;
    uint32_t accepted = 0, single = 0;
    u->blocked_fd = -1;
    while (accepted < count) {
        uint32_t together = same_port(u, out + accepted, count - accepted);
        uint32_t messages = single > 0 ? build(u, out + accepted, single, false)
                                       : build(u, out + accepted, together, u->gso && !net->one_by_one);
        int sent = give(u, out + accepted, messages), given_up;
        if (sent > 0) {
            u->again = false;
            for (int i = 0; i < sent; i++) {
                accepted += u->tx_run[i];
                single -= single > 0;
            }
            continue;
        }
        given_up = refused(u, out + accepted, errno, &single);
        if (given_up == -EAGAIN)
            break;
        if (given_up < 0)
            return given_up;
        u->again &= given_up == 0;
        accepted += (uint32_t)given_up;
        single -= single > 0 && given_up > 0;
    }
    return (int)accepted;
}

static int receive(struct weir_net *net, struct weir_udp_queue *q, struct weir_net_in *in, uint32_t count)
{
    int got = weir_udp_queue_recv(q, in, count);
    net->troubled |= q->troubled;
    q->troubled = false;
    return got;
}

static int udp_recv(struct weir_net *net, struct weir_net_in *in, uint32_t count)
{
    return receive(net, &((struct udp *)net)->rx, in, count);
}

static int udp_recv_strangers(struct weir_net *net, struct weir_net_in *in, uint32_t count)
{
    struct udp *u = (struct udp *)net;
    int got = receive(net, &u->strangers, in, count);
    if (got != 0 || u->ports.count == 0)
        return got;
    got = weir_udp_ports_recv(&u->ports, in, count);
    net->troubled |= u->ports.queue.troubled;
    u->ports.queue.troubled = false;
    return got;
}

static uint32_t udp_troubles(struct weir_net *net, struct weir_net_trouble *out, uint32_t count)
{
    const struct udp *u = (const struct udp *)net;
    uint32_t n = 0;
    net->stats.syscalls++; /* of that which finds none; the others are few */
    while (n < count && (weir_udp_trouble_read(net->fd, &out[n]) ||
                         (u->strangers.fd >= 0 && weir_udp_trouble_read(u->strangers.fd, &out[n])) ||
                         weir_udp_ports_trouble(&u->ports, &out[n])))
        n++;
    return n;
}

static int udp_wait(struct weir_net *net, uint64_t until_ns, int wake_fd)
{
    struct udp *u = (struct udp *)net;
    bool blocked = u->blocked_fd == net->fd, further = u->blocked_fd >= 0 && !blocked;
    struct pollfd fds[4] = { { .fd = net->fd, .events = (short)(POLLIN | (blocked ? POLLOUT : 0)) },
                             { .fd = wake_fd, .events = POLLIN },
                             { .fd = net->strangers_wait ? -1 : net->stranger_fd, .events = POLLIN },
                             { .fd = u->blocked_fd, .events = POLLOUT } };
    if (u->rx.slot < u->rx.filled)
        return 0;
    net->stats.syscalls++;
    int status = weir_net_clock_wait(fds, further ? 4 : 3, until_ns);
    net->troubled |= ((fds[0].revents | fds[2].revents) & POLLERR) != 0;
    net->strangers_none = status == 0 && fds[2].fd >= 0 && fds[2].revents == 0;
    return status;
}

static void udp_close(struct weir_net *net)
{
    struct udp *u = (struct udp *)net;
    weir_udp_shards_close(&u->shards);
    weir_udp_queue_free(&u->rx);
    weir_udp_queue_free(&u->strangers);
    weir_udp_ports_close(&u->ports);
    if (u->name_fd >= 0)
        (void)close(u->name_fd);
    free(u);
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

/* Sets MTU and rate of the driver, as configured, else from the device. @return 0; or -ENODEV or -EINVAL with err */
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
    bool guessed = cfg->device == NULL && weir_net_addr_is_any(&u->net.local); /* the device found is a guess */
    bool too_large = mtu != 0 && cfg->mtu > mtu && !guessed;
    if (cfg->mtu != 0 && (cfg->mtu < MTU_MIN || cfg->mtu > MTU_MAX || too_large))
        return fail_mtu(err, cfg->mtu, mtu);
    u->net.mtu = cfg->mtu != 0 ? cfg->mtu : mtu_default(u, cfg);
    u->net.rate_bps = cfg->rate_bps != 0 ? cfg->rate_bps : rate_bps;
    u->net.rx_room_bytes = weir_udp_socket_room(u->net.fd);
    return 0;
}

/* Sets the tags by which the kernel chooses one of the two sockets. @return 0, or a negative errno */
static int set_tags(struct udp *u, uint16_t tag, uint16_t last)
{
    return u->net.steered ? weir_udp_shards_tags(&u->shards, tag, last) : weir_udp_socket_tags(u->net.fd, tag, last);
}

/* Opens the second socket. @return 0, or a negative errno */
static int open_strangers(struct udp *u)
{
    int status = weir_udp_queue_init(&u->strangers, STRANGER_SLOTS, RX_SLOT_BYTES, &u->net.stats);
    if (status == 0 && !u->shared) {
        u->name_fd = weir_udp_name_hold(&u->net.local, WEIR_UDP_NAME_ALONE, 0);
        status = u->name_fd < 0 ? u->name_fd : 0;
    }
    if (status == 0)
        status = weir_udp_socket_strangers(u->net.fd, &u->net.local, &u->strangers.fd);
    return status == 0 && u->net.steered ? weir_udp_shards_guard(&u->shards, u->strangers.fd) : status;
}

static int udp_guard(struct weir_net *net, uint16_t tag, uint16_t last)
{
    struct udp *u = (struct udp *)net;
    int status;
    if (u->shared && !net->steered) /* other processes have sockets of this port */
        return -ENOTSUP;
    if (u->strangers.fd >= 0)
        return set_tags(u, tag, last);
    status = open_strangers(u);
    if (status == 0)
        status = set_tags(u, tag, last);
    if (status == 0) /* the descriptor that is readable when strangers' datagrams wait */
        status = u->ports.count == 0 ? u->strangers.fd : weir_udp_ports_watch(&u->ports, u->strangers.fd);
    if (status < 0) {
        weir_udp_queue_free(&u->strangers);
        (void)weir_udp_socket_reuse(net->fd, u->shared);
        return status; /* udp_close() releases the name */
    }
    u->strangers.port = net->local.port;
    u->strangers.ask = STRANGER_SLOTS; /* because this queue is read seldom */
    net->stranger_fd = status;
    return 0;
}

static int udp_open(struct weir_net **net, const struct weir_net_config *cfg, struct weir_err *err)
{
    struct udp *u = calloc(1, sizeof(*u));
    int status;
    *net = NULL;
    if (u == NULL || weir_udp_queue_init(&u->rx, RX_SLOTS, RX_SLOT_BYTES, &u->net.stats) != 0) {
        free(u);
        (void)weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for a UDP socket's buffers");
        return -ENOMEM;
    }
    u->net = (struct weir_net){ .driver = &weir_net_udp, .now_ns = weir_net_clock_ns, .fd = -1, .stranger_fd = -1 };
    u->strangers.fd = u->name_fd = u->blocked_fd = -1;
    u->shared = cfg->shared;
    weir_udp_shards_none(&u->shards);
    for (uint32_t i = 0; i < WEIR_NET_BATCH; i++) { /* fields that stay the same for all calls */
        u->tx[i].msg_hdr.msg_name = &u->tx_to[i];
        u->tx[i].msg_hdr.msg_control = &u->tx_control[i];
    }
    status = weir_udp_ports_open(&u->ports, cfg, &u->net.fd, &u->net.local, &u->gso, &u->net.stats, err);
    u->rx.fd = u->net.fd;
    u->rx.port = u->net.local.port;
    if (status == 0)
        status = size_up(u, cfg, err);
    if (status == 0 && cfg->shared)
        status = weir_udp_shards_open(&u->shards, u->net.fd, &u->net.local, cfg->steered, err);
    u->net.steered = cfg->steered;
    u->net.shard = (uint8_t)u->shards.number;
    if (status != 0) {
        udp_close(&u->net);
        return status;
    }
    *net = &u->net;
    return 0;
}

const struct weir_net_driver weir_net_udp = { .name = "udp",
                                              .open = udp_open,
                                              .send = udp_send,
                                              .recv = udp_recv,
                                              .wait = udp_wait,
                                              .close = udp_close,
                                              .guard = udp_guard,
                                              .recv_strangers = udp_recv_strangers,
                                              .troubles = udp_troubles };
