/* src/transport/driver/udp_queue.h - receives batches from one UDP socket by recvmmsg(). Splits runs: consecutive
 * datagrams that the kernel has joined into one message (UDP_GRO). */
#ifndef WEIR_DRIVER_UDP_QUEUE_H
#define WEIR_DRIVER_UDP_QUEUE_H
#include "driver/net.h"
#include <sys/socket.h>

#define WEIR_UDP_SLOTS 32u /* most messages of one recvmmsg() */

union weir_udp_control { /* memory for the control messages of one message, aligned */
    char bytes[2 * CMSG_SPACE(sizeof(int)) + CMSG_SPACE(sizeof(struct in6_pktinfo))];
    size_t align; /* gives the alignment of cmsg_len */
};

/* Receive queue of one socket. A slot receives one message of recvmmsg(): a datagram, or a run of datagrams. */
struct weir_udp_queue {
    int fd;
    uint16_t port;                   /* of the socket, in the host's byte order */
    struct weir_net_stats *stats;    /* counters of the driver */
    uint32_t slot_count, slot_bytes; /* number of slots; size of each */
    bool troubled;                   /* an error was reported that is of a datagram sent before; see udp_trouble.h */
    uint32_t ask;                    /* slots to receive into next, 1 .. slot_count */
    /* The next datagram is in this slot at this offset, if slot < filled. slot == filled: all were handed out */
    uint32_t slot, filled, offset;
    uint32_t segment_bytes;     /* of the current slot: size of each datagram of the run but the last */
    struct weir_net_in current; /* source, destination and ECN of all datagrams of the current slot */
    unsigned char *bytes;       /* memory of the slots: slot_count * slot_bytes */
    struct mmsghdr msg[WEIR_UDP_SLOTS];
    struct iovec iov[WEIR_UDP_SLOTS];
    struct sockaddr_storage from[WEIR_UDP_SLOTS];
    union weir_udp_control control[WEIR_UDP_SLOTS];
};

/* Initialises q, without a socket, and allocates slot_count (<= WEIR_UDP_SLOTS) slots of slot_bytes. The caller sets
 * q->fd and q->port. @return 0 or -ENOMEM */
int weir_udp_queue_init(struct weir_udp_queue *q, uint32_t slot_count, uint32_t slot_bytes,
                        struct weir_net_stats *stats);
/* Closes the socket and frees the slots. */
void weir_udp_queue_free(struct weir_udp_queue *q);
/* Receives as recv() of struct weir_net_driver does. */
int weir_udp_queue_recv(struct weir_udp_queue *q, struct weir_net_in *in, uint32_t count);
/* Tests whether an errno of a socket means that the socket's device, or the socket itself, is gone. */
bool weir_udp_device_lost(int error);
#endif
