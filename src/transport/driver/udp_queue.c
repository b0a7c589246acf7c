/* src/transport/driver/udp_queue.c - receives from one UDP socket. */
#define _GNU_SOURCE
#include "driver/udp_queue.h"
#include <errno.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { REPORTS_MOST = 4 };

/* Restores the lengths in the first count slots, which the last recvmmsg() has overwritten, and marks the queue as
 * empty. */
static void open_slots(struct weir_udp_queue *q, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct msghdr *msg = &q->msg[i].msg_hdr;
        msg->msg_namelen = sizeof(q->from[i]);
        msg->msg_controllen = sizeof(q->control[i]);
    }
    q->slot = q->filled = q->offset = 0;
}

int weir_udp_queue_init(struct weir_udp_queue *q, uint32_t slot_count, uint32_t slot_bytes,
                        struct weir_net_stats *stats)
{
    size_t size = (size_t)slot_count * slot_bytes;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *q = (struct weir_udp_queue){
        .fd = -1, .stats = stats, .slot_count = slot_count, .slot_bytes = slot_bytes, .ask = 1
    };
    if (memory == MAP_FAILED)
        return -ENOMEM;
    q->bytes = memory;
    for (uint32_t i = 0; i < slot_count; i++) { /* fields that stay the same for all calls */
        q->iov[i] = (struct iovec){ q->bytes + (size_t)i * slot_bytes, slot_bytes };
        q->msg[i].msg_hdr = (struct msghdr){
            .msg_name = &q->from[i], .msg_iov = &q->iov[i], .msg_iovlen = 1, .msg_control = &q->control[i]
        };
    }
    open_slots(q, slot_count);
    return 0;
}

void weir_udp_queue_free(struct weir_udp_queue *q)
{
    if (q->fd >= 0)
        (void)close(q->fd);
    if (q->bytes != NULL)
        (void)munmap(q->bytes, (size_t)q->slot_count * q->slot_bytes);
    q->fd = -1;
    q->bytes = NULL;
}

bool weir_udp_device_lost(int error)
{
    return error == ENODEV || error == ENXIO || error == EBADF || error == ENOTSOCK;
}

/* Receives into at most `slots` slots. @return slots filled, or -1 and errno */
static int take(struct weir_udp_queue *q, uint32_t slots)
{
    ssize_t length;
    q->stats->syscalls++;
    if (slots > 1)
        return recvmmsg(q->fd, q->msg, slots, MSG_DONTWAIT, NULL);
    length = recvmsg(q->fd, &q->msg[0].msg_hdr, MSG_DONTWAIT);
    q->msg[0].msg_len = length < 0 ? 0 : (uint32_t)length;
    return length < 0 ? -1 : 1;
}

/* Tests whether a failed receive reported a datagram sent before. Such a report hides the datagrams that wait, until it
 * was returned once. */
static bool is_report(int error)
{
    return error != EAGAIN && error != EWOULDBLOCK && error != EINTR && !weir_udp_device_lost(error);
}

/* Receives into q->ask slots. Requests one slot while datagrams come one by one, because the kernel's search for a
 * second datagram takes time; doubles the request whenever all slots were filled. @return slots filled; 0 = nothing
 * now; -EIO = the device is gone */
static int refill(struct weir_udp_queue *q)
{
    open_slots(q, q->filled);
    int got = take(q, q->ask);
    for (int i = 0; i < REPORTS_MOST && got < 0 && is_report(errno); i++) {
        q->troubled = true;
        got = take(q, q->ask);
    }
    if (got < 0) {
        q->ask = 1;
        return weir_udp_device_lost(errno) ? -EIO : 0;
    }
    q->filled = (uint32_t)got;
    if (q->filled == q->ask && q->ask < q->slot_count)
        q->ask *= 2;
    return got;
}

/* Sets q->current.to to the address of ours to which a datagram was sent, from an IP_PKTINFO or IPV6_PKTINFO message.
 * For a multicast datagram sets none (IPv6), or the address that would answer (IPv4). */
static void came_to(struct weir_udp_queue *q, const struct cmsghdr *at)
{
    struct in_pktinfo four;
    struct in6_pktinfo six;
    struct weir_net_addr *to = &q->current.to;
    *to = (struct weir_net_addr){ .port = q->port };
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

/* Reads source and control messages of the current slot, which are the same for all its datagrams. @return false if the
 * slot must be dropped: it is truncated, or its source is not an IP address */
static bool begin_slot(struct weir_udp_queue *q)
{
    struct msghdr *msg = &q->msg[q->slot].msg_hdr;
    int segment = 0, tos = 0;
    if ((msg->msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
        q->stats->cut++;
        return false;
    }
    for (struct cmsghdr *at = CMSG_FIRSTHDR(msg); at != NULL; at = CMSG_NXTHDR(msg, at)) {
        size_t size = at->cmsg_len - CMSG_LEN(0);
        int value = 0;
        memcpy(&value, CMSG_DATA(at), size < sizeof(value) ? size : sizeof(value));
        if (at->cmsg_level == SOL_UDP && at->cmsg_type == UDP_GRO)
            segment = value;
        else if (at->cmsg_level == IPPROTO_IP && at->cmsg_type == IP_TOS)
            tos = *CMSG_DATA(at); /* IP_TOS is one byte, in every kernel */
        else if (at->cmsg_level == IPPROTO_IPV6 && at->cmsg_type == IPV6_TCLASS)
            tos = value;
        else if ((at->cmsg_level == IPPROTO_IP && at->cmsg_type == IP_PKTINFO) ||
                 (at->cmsg_level == IPPROTO_IPV6 && at->cmsg_type == IPV6_PKTINFO))
            came_to(q, at);
    }
    q->segment_bytes = segment > 0 ? (uint32_t)segment : q->slot_bytes;
    q->current.ecn = tos & 3;
    return weir_net_addr_from(&q->current.from, (struct sockaddr *)&q->from[q->slot], msg->msg_namelen) == 0;
}

/* Writes up to count datagrams of the current slot to in. After the last datagram of the slot, goes to the next slot.
 * @return how many */
static uint32_t take_slot(struct weir_udp_queue *q, struct weir_net_in *in, uint32_t count)
{
    uint32_t length = q->msg[q->slot].msg_len, n = 0;
    bool whole = q->offset > 0 || begin_slot(q);
    while (whole && n < count) {
        uint32_t left = length - q->offset;
        in[n] = q->current;
        in[n].bytes = q->bytes + (size_t)q->slot * q->slot_bytes + q->offset;
        in[n].length = left < q->segment_bytes ? left : q->segment_bytes;
        q->offset += in[n++].length;
        if (q->offset == length)
            break;
    }
    if (!whole || q->offset == length) {
        q->slot++;
        q->offset = 0;
    }
    return n;
}

int weir_udp_queue_recv(struct weir_udp_queue *q, struct weir_net_in *in, uint32_t count)
{
    uint32_t n = 0;
    while (n == 0 && count > 0) {
        int slots = q->slot < q->filled ? 1 : refill(q);
        if (slots <= 0)
            return slots;
        while (n < count && q->slot < q->filled)
            n += take_slot(q, in + n, count - n);
    }
    return (int)n;
}
