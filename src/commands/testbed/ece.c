/* src/commands/testbed/ece.c - see ece.h. */
#define _DEFAULT_SOURCE /* struct ifreq */
#include "testbed/ece.h"
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

/* Accepts TCP over IPv4 with ECE and without SYN, which has ECE to say that ECN is known. */
static struct sock_filter filter[] = {
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

/* Prepares the socket: it keeps what the filter accepts of device eth0, with times. @return false with errno */
static bool prepare(int fd)
{
    const struct sock_fprog program = { .len = sizeof(filter) / sizeof(filter[0]), .filter = filter };
    struct ifreq device = { .ifr_name = "eth0" };
    struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP) };
    int on = 1;
    if (ioctl(fd, SIOCGIFINDEX, &device) != 0)
        return false;
    at.sll_ifindex = device.ifr_ifindex;
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)) == 0 &&
           setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on)) == 0 &&
           setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof(on)) == 0 &&
           bind(fd, (const struct sockaddr *)(const void *)&at, sizeof(at)) == 0;
}

int weir_ece_open(const struct weir_testbed *tb, uint32_t host, struct weir_err *err)
{
    int fd = weir_testbed_socket(tb, host, AF_PACKET, SOCK_RAW); /* protocol 0: nothing comes before bind() */
    if (fd >= 0 && prepare(fd))
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

uint64_t weir_ece_first_ns(int fd)
{
    char frame[64];
    union { /* aligned as a header */
        struct cmsghdr head;
        char space[CMSG_SPACE(sizeof(struct timespec))];
    } control;
    struct iovec to = { frame, sizeof(frame) };
    struct msghdr message = {
        .msg_iov = &to, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
    };
    struct timespec at;
    if (recvmsg(fd, &message, MSG_DONTWAIT) < 0)
        return 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c != NULL; c = CMSG_NXTHDR(&message, c))
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            memcpy(&at, CMSG_DATA(c), sizeof(at)); /* by the clock of the day */
            return (uint64_t)((int64_t)at.tv_sec * 1000000000 + at.tv_nsec - now_ns(CLOCK_REALTIME) +
                              now_ns(CLOCK_MONOTONIC));
        }
    return 0;
}
