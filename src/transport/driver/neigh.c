/* src/transport/driver/neigh.c - finds the Ethernet address of the next hop, by rtnetlink(7). */
#define _GNU_SOURCE
#include "driver/neigh.h"
#include <errno.h>
#include <linux/neighbour.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define USABLE (NUD_REACHABLE | NUD_STALE | NUD_DELAY | NUD_PROBE | NUD_PERMANENT)

enum { VIA_BYTES = 18 }; /* size of struct rtvia with an IPv6 address, which is also enough for an IPv4 address */

struct question { /* an rtnetlink request with one attribute: the address in question */
    struct nlmsghdr head;
    union {
        struct rtmsg route;
        struct ndmsg neigh;
    } body;
    struct rtattr attr;
    uint8_t ip[4];
};
_Static_assert(sizeof(struct rtmsg) == sizeof(struct ndmsg), "so that the attribute begins where it is");

union answer {
    struct nlmsghdr head;
    unsigned char bytes[4096];
};

/* Sends a request of this type about ip, and receives the answer into *a. @return 0; the kernel's negative errno; -EIO:
 * the answer is too short or malformed */
static int ask(int fd, struct question *q, uint16_t type, const uint8_t ip[4], union answer *a)
{
    static const struct sockaddr_nl kernel = { .nl_family = AF_NETLINK };
    int error = 0;
    memset(a, 0, sizeof(a->head));
    q->head = (struct nlmsghdr){ .nlmsg_len = sizeof(*q), .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST };
    q->attr =
        (struct rtattr){ .rta_len = RTA_LENGTH(4), .rta_type = type == RTM_GETROUTE ? (int)RTA_DST : (int)NDA_DST };
    memcpy(q->ip, ip, 4);
    if (sendto(fd, q, sizeof(*q), 0, (const struct sockaddr *)&kernel, sizeof(kernel)) < 0)
        return -errno;
    ssize_t got = recv(fd, a, sizeof(*a), MSG_DONTWAIT); /* the kernel answered inside sendto() */
    if (got < (ssize_t)sizeof(a->head))
        return got < 0 ? -errno : -EIO;
    if (a->head.nlmsg_type == NLMSG_ERROR && got >= (ssize_t)NLMSG_LENGTH(sizeof(error)))
        memcpy(&error, a->bytes + NLMSG_HDRLEN, sizeof(error));
    else if (a->head.nlmsg_len > (uint32_t)got || a->head.nlmsg_len < sizeof(*q) - sizeof(q->attr) - sizeof(q->ip))
        error = -EIO;
    return a->head.nlmsg_type == NLMSG_ERROR && error == 0 ? -EIO : error;
}

/* Copies the attribute of this type and of exactly size bytes from an answer to out. @return false if there is none */
static bool attribute(const union answer *a, uint32_t type, void *out, uint32_t size)
{
    uint32_t at = NLMSG_LENGTH(sizeof(struct rtmsg));
    struct rtattr attr;
    while (at + sizeof(attr) <= a->head.nlmsg_len) {
        memcpy(&attr, a->bytes + at, sizeof(attr));
        if (attr.rta_len < sizeof(attr) || at + attr.rta_len > a->head.nlmsg_len)
            return false;
        if (attr.rta_type == type && attr.rta_len == RTA_LENGTH(size)) {
            memcpy(out, a->bytes + at + RTA_LENGTH(0), size);
            return true;
        }
        at += RTA_ALIGN(attr.rta_len);
    }
    return false;
}

/**
 * Finds the IPv4 address of the next hop to ip: ip itself, or a gateway.
 * @param hop  its first 4 bytes are set; it has VIA_BYTES because an IPv6 gateway is read there before it is refused
 * @return 0; -ENETUNREACH
 */
static int next_hop(int fd, uint32_t device, const uint8_t ip[4], uint8_t hop[VIA_BYTES])
{
    struct question q = { .body.route = { .rtm_family = AF_INET, .rtm_dst_len = 32 } };
    union answer a;
    struct rtmsg route;
    uint32_t out_device;
    if (ask(fd, &q, RTM_GETROUTE, ip, &a) != 0 || !attribute(&a, RTA_OIF, &out_device, sizeof(out_device)))
        return -ENETUNREACH;
    memcpy(&route, a.bytes + NLMSG_HDRLEN, sizeof(route));
    if (route.rtm_type != RTN_UNICAST || out_device != device || attribute(&a, RTA_VIA, hop, VIA_BYTES))
        return -ENETUNREACH; /* a local or broadcast address, behind another device, or through an IPv6 gateway */
    if (!attribute(&a, RTA_GATEWAY, hop, 4))
        memcpy(hop, ip, 4);
    return 0;
}

int weir_neigh_find(int fd, uint32_t device, const uint8_t ip[4], uint8_t mac[6])
{
    struct question q = { .body.neigh = { .ndm_family = AF_INET, .ndm_ifindex = (int)device } };
    union answer a;
    struct ndmsg neigh;
    uint8_t hop[VIA_BYTES];
    if (next_hop(fd, device, ip, hop) != 0)
        return -ENETUNREACH;
    if (ask(fd, &q, RTM_GETNEIGH, hop, &a) != 0)
        return -ENOENT;
    memcpy(&neigh, a.bytes + NLMSG_HDRLEN, sizeof(neigh));
    return (neigh.ndm_state & USABLE) != 0 && attribute(&a, NDA_LLADDR, mac, 6) ? 0 : -ENOENT;
}

int weir_neigh_open(void)
{
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    return fd < 0 ? -errno : fd;
}
