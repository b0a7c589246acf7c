/* src/transport/driver/udp_queue.h - the receiving side of one UDP socket: batches of datagrams by recvmmsg(), taken
 * apart where the kernel has put runs of them together (UDP_GRO). */
#ifndef WEIR_DRIVER_UDP_QUEUE_H
#define WEIR_DRIVER_UDP_QUEUE_H
#include "driver/net.h"
#include <sys/socket.h>

#define WEIR_UDP_SLOTS 32u /* most messages of one system call */

union weir_udp_control { /* room for what goes with a datagram, aligned */
    char bytes[2 * CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct in6_pktinfo))];
    size_t align; /* cmsg_len is one */
};

struct weir_udp_queue {
    int fd;
    uint16_t port;                   /* of it */
    struct weir_net_stats *stats;    /* of its driver */
    uint32_t slot_count, slot_bytes; /* used; each */
    uint32_t ask;                    /* slots to ask for next, 1 .. slot_count */
    uint32_t slot, filled, offset;   /* the next datagram of what recvmmsg() gave lies in slot .. */
    uint32_t segment_bytes;          /* .. which was cut into segments of this size */
    struct weir_net_in current;      /* what they have in common */
    unsigned char *bytes;            /* slot_count * slot_bytes */
    struct mmsghdr msg[WEIR_UDP_SLOTS];
    struct iovec iov[WEIR_UDP_SLOTS];
    struct sockaddr_storage from[WEIR_UDP_SLOTS];
    union weir_udp_control control[WEIR_UDP_SLOTS];
};

/* Allocates memory for so many slots. @return 0 or -ENOMEM */
int weir_udp_queue_init(struct weir_udp_queue *q, uint32_t slot_count, uint32_t slot_bytes,
                        struct weir_net_stats *stats);
void weir_udp_queue_free(struct weir_udp_queue *q);
/* Receives as a driver's recv() does. */
int weir_udp_queue_recv(struct weir_udp_queue *q, struct weir_net_in *in, uint32_t count);
/* Tests whether the kernel's report is about the device that all datagrams go through, which is not there any more. */
bool weir_udp_device_lost(int error);
#endif
