/* src/transport/driver/udp_ports.c - see udp_ports.h. */
#define _GNU_SOURCE
#include "driver/udp_ports.h"
#include "driver/udp_socket.h"
#include "driver/udp_trouble.h"
#include "wire/wire.h"
#include <errno.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TRIES = 64,           /* first ports that the kernel is asked for, until enough after one are free */
    PORT_LAST = 65535,    /* no port is above */
    UDP_HEAD_BYTES = 8,   /* a socket's filter sees the UDP header, too */
    ROOM_BYTES = 1 << 14, /* as given to SO_RCVBUF: RESETs are short */
    SLOTS = 4,
    SLOT_BYTES = 65536,
};

/* Makes the kernel drop what a socket receives but RESET, so that a flood neither fills it nor wakes the endpoint. */
static int accept_resets(int fd)
{
    struct sock_filter rule[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, UDP_HEAD_BYTES),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, WEIR_NET_OWN, 0, 3),
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, UDP_HEAD_BYTES + 1),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, WEIR_WIRE_RESET, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
        BPF_STMT(BPF_RET | BPF_K, 0),
    };
    int room = ROOM_BYTES;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof(room)) != 0)
        return -errno;
    return weir_udp_socket_attach(fd, SO_ATTACH_FILTER, rule, sizeof(rule) / sizeof(rule[0]));
}

static void close_sockets(struct weir_udp_ports *p)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (p->fd[i] >= 0)
            (void)close(p->fd[i]);
    p->count = 0;
}

/* Opens one further port. @return 0, or a negative errno with err */
static int open_one(const struct weir_net_config *cfg, const struct weir_net_addr *addr, int *fd, struct weir_err *err)
{
    struct weir_net_config one = *cfg;
    struct weir_net_addr bound;
    bool gso;
    one.bind = *addr;
    int code = weir_udp_socket_open(&one, fd, &bound, &gso, err);
    if (code == -EADDRINUSE)
        (void)weir_fail(err, WEIR_E_CONFLICT, NULL, "take another port, port 0 for free ones, or fewer of them",
                        "packets are to leave from %u ports, and another program has port %u of them",
                        (unsigned)cfg->ports, (unsigned)addr->port);
    if (code != 0)
        return code;
    code = accept_resets(*fd);
    if (code != 0)
        (void)weir_fail(err, WEIR_E_RUN, NULL, NULL, "cannot limit what UDP port %u receives: %s", (unsigned)addr->port,
                        strerror(-code));
    return code;
}

/* Opens the ports after the first, which `local` has. @return 0, or a negative errno with err */
static int open_further(struct weir_udp_ports *p, const struct weir_net_config *cfg, const struct weir_net_addr *local,
                        struct weir_err *err)
{
    struct weir_net_addr addr = *local;
    int code = 0;
    p->first = local->port;
    if (local->port + cfg->ports - 1 > PORT_LAST) {
        (void)weir_fail(err, WEIR_E_RANGE, NULL, "take a lower port, or fewer of them",
                        "packets are to leave from %u ports from %u on, and the last port is %d", (unsigned)cfg->ports,
                        (unsigned)local->port, PORT_LAST);
        return -EINVAL;
    }
    while (code == 0 && p->count + 1 < cfg->ports) {
        addr.port++;
        code = open_one(cfg, &addr, &p->fd[p->count++], err);
    }
    return code;
}

/* Tests whether other first ports are to be tried. */
static bool may_try_others(const struct weir_net_config *cfg, int code, uint32_t tries)
{
    return cfg->bind.port == 0 && (code == -EADDRINUSE || code == -EINVAL) && tries < TRIES;
}

int weir_udp_ports_open(struct weir_udp_ports *p, const struct weir_net_config *cfg, int *fd,
                        struct weir_net_addr *local, bool *gso, struct weir_net_stats *stats, struct weir_err *err)
{
    int code = weir_udp_socket_open(cfg, fd, local, gso, err);
    p->watch = p->queue.fd = -1;
    if (code != 0 || cfg->ports <= 1)
        return code;
    if (weir_udp_queue_init(&p->queue, SLOTS, SLOT_BYTES, stats) != 0) {
        (void)weir_fail(err, WEIR_E_MEMORY, NULL, NULL, "no memory for a UDP socket's buffers");
        return -ENOMEM;
    }
    code = open_further(p, cfg, local, err);
    for (uint32_t tries = 1; may_try_others(cfg, code, tries); tries++) {
        close_sockets(p);
        (void)close(*fd);
        *err = (struct weir_err){ 0 };
        code = weir_udp_socket_open(cfg, fd, local, gso, err);
        if (code == 0)
            code = open_further(p, cfg, local, err);
    }
    return code;
}

int weir_udp_ports_watch(struct weir_udp_ports *p, int stranger_fd)
{
    struct epoll_event event = { .events = EPOLLIN, .data.u32 = p->count }; /* no index of one of ours */
    p->watch = epoll_create1(EPOLL_CLOEXEC);
    if (p->watch < 0 || epoll_ctl(p->watch, EPOLL_CTL_ADD, stranger_fd, &event) != 0)
        return -errno;
    for (uint32_t i = 0; i < p->count; i++) {
        event.data.u32 = i;
        if (epoll_ctl(p->watch, EPOLL_CTL_ADD, p->fd[i], &event) != 0)
            return -errno;
    }
    return p->watch;
}

/* Chooses the socket to be read. @return false = none has anything */
static bool choose(struct weir_udp_ports *p)
{
    struct epoll_event ready[2]; /* one may be the strangers' socket */
    int n;
    p->queue.stats->syscalls++;
    n = epoll_wait(p->watch, ready, 2, 0);
    for (int i = 0; i < n; i++) {
        if (ready[i].data.u32 >= p->count)
            continue;
        p->queue.fd = p->fd[ready[i].data.u32];
        p->queue.port = (uint16_t)(p->first + ready[i].data.u32 + 1);
        p->queue.troubled |= (ready[i].events & EPOLLERR) != 0;
        return true;
    }
    return false;
}

int weir_udp_ports_recv(struct weir_udp_ports *p, struct weir_net_in *in, uint32_t count)
{
    int got;
    if (p->queue.slot == p->queue.filled && !choose(p))
        return 0;
    got = weir_udp_queue_recv(&p->queue, in, count);
    for (int i = 0; i < got; i++)
        in[i].port = (uint8_t)(p->queue.port - p->first);
    return got;
}

bool weir_udp_ports_trouble(const struct weir_udp_ports *p, struct weir_net_trouble *out)
{
    for (uint32_t i = 0; i < p->count; i++)
        if (weir_udp_trouble_read(p->fd[i], out))
            return true;
    return false;
}

void weir_udp_ports_close(struct weir_udp_ports *p)
{
    close_sockets(p);
    p->queue.fd = -1; /* it was one of them */
    weir_udp_queue_free(&p->queue);
    if (p->watch >= 0)
        (void)close(p->watch);
    p->watch = -1;
}
