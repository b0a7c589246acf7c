/* src/transport/driver/udp_socket.c - opens the sockets of a UDP port. */
#define _GNU_SOURCE
#include "driver/udp_socket.h"
#include "driver/udp_name.h"
#include "driver/udp_trouble.h"
#include <errno.h>
#include <linux/filter.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    SOCKET_BYTES = 8 << 20,   /* requested; the kernel grants up to net.core.rmem_max and wmem_max */
    STRANGER_BYTES = 1 << 16, /* as given to SO_RCVBUF; the kernel doubles it for its own overhead */
};

static int set_int(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof(value)) == 0 ? 0 : -errno;
}

int weir_udp_socket_reuse(int fd, bool on)
{
    return set_int(fd, SOL_SOCKET, SO_REUSEPORT, on);
}

/* Sets the size of a socket buffer to SOCKET_BYTES: with option `force` if we have the privilege, else with `option`,
 * which the system's limit caps. */
static void set_room(int fd, int force, int option)
{
    if (set_int(fd, SOL_SOCKET, force, SOCKET_BYTES) != 0)
        (void)set_int(fd, SOL_SOCKET, option, SOCKET_BYTES);
}

uint64_t weir_udp_socket_room(int fd)
{
    int bytes = 0;
    socklen_t length = sizeof(bytes);
    return getsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, &length) == 0 && bytes > 0 ? (uint64_t)bytes / 4 : 0;
}

/* Sets the options that a socket of the port needs to receive: it reports ECN bits and, for a wildcard address, the
 * destination of each datagram. @return 0, or a negative errno */
static int set_receive(int fd, const struct weir_net_addr *bind_to)
{
    bool six = bind_to->family == AF_INET6;
    int status = set_int(fd, six ? IPPROTO_IPV6 : IPPROTO_IP, six ? IPV6_RECVTCLASS : IP_RECVTOS, 1);
    weir_udp_trouble_ask(fd, six); /* the second socket gets reports, too: the kernel chooses one by the addresses */
    if (status == 0 && six)
        status = set_int(fd, IPPROTO_IPV6, IPV6_V6ONLY, 1);
    if (status == 0 && weir_net_addr_is_any(bind_to)) /* so that answers leave from the address that was written to */
        status = set_int(fd, six ? IPPROTO_IPV6 : IPPROTO_IP, six ? IPV6_RECVPKTINFO : IP_PKTINFO, 1);
    return status;
}

/* Sets the options of the first socket, and *gso. @return 0, or a negative errno */
static int set_options(int fd, const struct weir_net_config *cfg, bool *gso)
{
    bool six = cfg->bind.family == AF_INET6;
    int value = 0;
    socklen_t length = sizeof(value);
    int status = set_receive(fd, &cfg->bind);
    if (status == 0)
        status = six ? set_int(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_DO)
                     : set_int(fd, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO);
    if (status == 0 && cfg->shared)
        status = set_int(fd, SOL_SOCKET, SO_REUSEPORT, 1);
    set_room(fd, SO_RCVBUFFORCE, SO_RCVBUF);
    set_room(fd, SO_SNDBUFFORCE, SO_SNDBUF);
    (void)set_int(fd, SOL_UDP, UDP_GRO, 1); /* without UDP_GRO every datagram is received alone */
    *gso = getsockopt(fd, SOL_UDP, UDP_SEGMENT, &value, &length) == 0;
    return status;
}

/* Sets err to the reason why an address cannot be bound. error: the errno of bind() @return a negative errno */
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

static int new_socket(bool six)
{
    return socket(six ? AF_INET6 : AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

int weir_udp_socket_open(const struct weir_net_config *cfg, int *fd, struct weir_net_addr *local, bool *gso,
                         struct weir_err *err)
{
    struct sockaddr_storage sa = { 0 };
    socklen_t length = weir_net_addr_to(&cfg->bind, &sa);
    bool six = cfg->bind.family == AF_INET6;
    int status;
    *fd = new_socket(six);
    if (*fd < 0)
        return fail_socket(err, six, errno);
    status = set_options(*fd, cfg, gso);
    if (status != 0)
        return fail_socket(err, six, -status);
    if (bind(*fd, (struct sockaddr *)&sa, length) != 0)
        return fail_bind(err, &cfg->bind, errno);
    length = sizeof(sa);
    if (getsockname(*fd, (struct sockaddr *)&sa, &length) != 0)
        return fail_socket(err, six, errno);
    status = weir_net_addr_from(local, (struct sockaddr *)&sa, length);
    if (cfg->shared && weir_udp_name_is_held(local, WEIR_UDP_NAME_ALONE, 0))
        return fail_bind(err, &cfg->bind, EADDRINUSE);
    return status;
}

int weir_udp_socket_attach(int fd, int option, struct sock_filter *rule, uint16_t count)
{
    struct sock_fprog program;
    memset(&program, 0, sizeof(program)); /* also what lies between its fields: the kernel reads all of it */
    program.len = count;
    program.filter = rule;
    return setsockopt(fd, SOL_SOCKET, option, &program, sizeof(program)) == 0 ? 0 : -errno;
}

/* Attaches a classic BPF program to the port that selects a socket by the rule of weir_net_is_stranger(). Socket 0 is
 * the first one bound, for peers; socket 1 is for strangers. The program tests lengths first, because a load beyond the
 * end of a datagram would select socket 0. X is where the area ends, less where it begins. */
int weir_udp_socket_tags(int fd, uint16_t tag, uint16_t last)
{
    enum { PEERS = 0, STRANGERS = 1 };
    struct sock_filter rule[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, WEIR_NET_FRONT_BYTES, 0, 19),
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, WEIR_NET_OWN, 0, 2),
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 1),
        BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, WEIR_NET_PEERS, 0, 15),
        BPF_STMT(BPF_LDX | BPF_W | BPF_IMM, 0),
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 2),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 1u << WEIR_NET_KIND_SHIFT, 0, 4),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, WEIR_NET_SLOTS_MASK),
        BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, WEIR_NET_SLOT_SHIFT),
        BPF_STMT(BPF_ALU | BPF_ADD | BPF_K, WEIR_NET_SIGNAL_BYTES),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
        BPF_STMT(BPF_ALU | BPF_SUB | BPF_X, 0),               /* below 0 it is a large number .. */
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, INT32_MAX, 5, 0), /* .. */
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, WEIR_NET_TAG_AT + 2, 0, 4),
        BPF_STMT(BPF_LD | BPF_H | BPF_IND, WEIR_NET_TAG_AT),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, tag, 1, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, last, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, PEERS),
        BPF_STMT(BPF_RET | BPF_K, STRANGERS),
    };
    return weir_udp_socket_attach(fd, SO_ATTACH_REUSEPORT_CBPF, rule, sizeof(rule) / sizeof(rule[0]));
}

int weir_udp_socket_strangers(int peers_fd, const struct weir_net_addr *local, int *fd)
{
    struct sockaddr_storage sa = { 0 };
    socklen_t length = weir_net_addr_to(local, &sa);
    int status;
    *fd = new_socket(local->family == AF_INET6);
    if (*fd < 0)
        return -errno;
    status = set_receive(*fd, local);
    if (status == 0)
        status = set_int(*fd, SOL_SOCKET, SO_RCVBUF, STRANGER_BYTES);
    if (status == 0)
        status = weir_udp_socket_reuse(*fd, true);
    if (status == 0)
        status = weir_udp_socket_reuse(peers_fd, true);
    if (status == 0 && bind(*fd, (struct sockaddr *)&sa, length) != 0)
        status = -errno;
    return status;
}
