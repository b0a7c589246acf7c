/* src/commands/testbed/sniff.c - see sniff.h. */
#define _DEFAULT_SOURCE /* struct ifreq */
#include "testbed/sniff.h"
#include "wire/wire.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 8 << 20,
    /* offsets in frames of libweir without options of IP, and without a switch area where it says so */
    AT_PROTOCOL = 14 + 9,
    AT_WEIR = 14 + 20 + 8,
    AT_TYPE = AT_WEIR + 1,
    AT_COUNT = AT_WEIR + 4 + 46, /* of an ACK without area: flows that share the receiver */
};

static struct sock_filter ece[] = {
    BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 12),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ETH_P_IP, 0, 7),
    BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 23),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_TCP, 0, 5),
    BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 14), /* length of the IP header */
    BPF_STMT(BPF_LD | BPF_B | BPF_IND, 14 + 13),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x02, 2, 0),
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, 0x40, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, 64),
    BPF_STMT(BPF_RET | BPF_K, 0),
};

/* Reads the type of a packet of libweir over IPv4. Jumps to the last of the instructions that follow if it is another
 * frame; more: how many come between. */
#define WEIR_TYPE(type, more)                                                                                          \
    BPF_STMT(BPF_LD | BPF_B | BPF_ABS, AT_PROTOCOL), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, IPPROTO_UDP, 0, (more) + 2),  \
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, AT_TYPE), BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, type, 0, more)

static struct sock_filter stream[] = {
    WEIR_TYPE(WEIR_WIRE_STREAM, 1),
    BPF_STMT(BPF_RET | BPF_K, 128),
    BPF_STMT(BPF_RET | BPF_K, 0),
};

/* Flows that share the receiver. */
#define COUNTS(least)                                                                                                  \
    {                                                                                                                  \
        WEIR_TYPE(WEIR_PKT_ACK, 3), BPF_STMT(BPF_LD | BPF_H | BPF_ABS, AT_COUNT),                                      \
            BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, least, 0, 1), BPF_STMT(BPF_RET | BPF_K, 128),                          \
            BPF_STMT(BPF_RET | BPF_K, 0),                                                                              \
    }
enum { COUNTS_LENGTH = 8 };
static struct sock_filter counts[WEIR_SNIFF_COUNTS_MAX][COUNTS_LENGTH] = { COUNTS(1), COUNTS(2), COUNTS(3), COUNTS(4) };

#define LENGTH(program) (uint16_t)(sizeof(program) / sizeof((program)[0]))
const struct weir_sniff weir_sniff_ece = { .filter = ece, .count = LENGTH(ece) };
const struct weir_sniff weir_sniff_stream = { .filter = stream, .count = LENGTH(stream) };
const struct weir_sniff weir_sniff_own_stream = { .filter = stream, .count = LENGTH(stream), .leaves = true };
const struct weir_sniff weir_sniff_counts[WEIR_SNIFF_COUNTS_MAX] = {
    { .filter = counts[0], .count = COUNTS_LENGTH },
    { .filter = counts[1], .count = COUNTS_LENGTH },
    { .filter = counts[2], .count = COUNTS_LENGTH },
    { .filter = counts[3], .count = COUNTS_LENGTH },
};

/* Prepares the socket: it keeps what the filter accepts of device eth0, with times. @return false with errno */
static bool prepare(int fd, const struct weir_sniff *what)
{
    const struct sock_fprog program = { .len = what->count, .filter = (struct sock_filter *)(uintptr_t)what->filter };
    struct ifreq device = { .ifr_name = "eth0" };
    struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(what->leaves ? ETH_P_ALL : ETH_P_IP) };
    int on = 1, comes_only = !what->leaves, bytes = BUFFER_BYTES;
    if (ioctl(fd, SIOCGIFINDEX, &device) != 0)
        return false;
    at.sll_ifindex = device.ifr_ifindex;
    (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)); /* else less fits */
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) == 0 &&
           setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &comes_only, sizeof(comes_only)) == 0 &&
           setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) == 0 &&
           bind(fd, (const struct sockaddr *)(const void *)&at, sizeof(at)) == 0;
}

int weir_sniff_open(const struct weir_testbed *tb, uint32_t host, const struct weir_sniff *what, struct weir_err *err)
{
    int fd = weir_testbed_socket(tb, host, AF_PACKET, SOCK_RAW); /* protocol 0: nothing comes before bind() */
    if (fd >= 0 && prepare(fd, what))
        return fd;
    (void)weir_fail(err, WEIR_E_RUN, NULL, NULL, "no packet socket on host %u: %s", (unsigned)host, strerror(errno));
    if (fd >= 0)
        (void)close(fd);
    return -1;
}

static int64_t now_ns(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

size_t weir_sniff_next(int fd, void *frame, size_t size, uint64_t *at_ns)
{
    union { /* aligned as a header */
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct iovec to = { frame, size };
    struct msghdr message = {
        .msg_iov = &to, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
    };
    struct timespec at;
    ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT);
    if (got <= 0)
        return 0;
    *at_ns = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c != NULL; c = CMSG_NXTHDR(&message, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            memcpy(&at, CMSG_DATA(c), sizeof(at)); /* by the clock of the day */
            *at_ns = (uint64_t)((int64_t)at.tv_sec * 1000000000 + at.tv_nsec - now_ns(CLOCK_REALTIME) +
                                now_ns(CLOCK_MONOTONIC));
        }
    return (size_t)got;
}

uint64_t weir_sniff_first_ns(int fd)
{
    unsigned char frame[64];
    uint64_t at_ns = 0;
    return weir_sniff_next(fd, frame, sizeof(frame), &at_ns) > 0 ? at_ns : 0;
}
