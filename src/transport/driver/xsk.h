/* src/transport/driver/xsk.h - an AF_XDP socket in copy mode on one receive queue of a device, with its frames. A frame
 * is an offset into `memory`. Those for receiving are in the kernel's rings, but for the lent ones. */
#ifndef WEIR_DRIVER_XSK_H
#define WEIR_DRIVER_XSK_H
#include "core/assert.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <xdp/xsk.h>

#define WEIR_XSK_LENT_MAX 256u /* most frames that are lent at a time */
#define WEIR_XSK_MTU_MAX 3500u /* a page less the kernel's headroom; near veth's own limit for XDP */

struct weir_xsk_size {
    uint32_t rx_frames, tx_frames; /* powers of two. tx_frames 0 = it does not send */
    uint32_t frame_bytes;          /* 2048 or 4096; the kernel takes 256 of them for itself */
};

struct weir_xsk {
    struct xsk_umem *umem;
    struct xsk_socket *xsk;
    struct xsk_ring_prod fill, tx;
    struct xsk_ring_cons done, rx;
    struct weir_xsk_size size;
    unsigned char *memory;
    int fd; /* readable when a frame has come; -1 = not open */
    uint32_t free_count, lent_count;
    uint64_t *free_tx;                /* the free frames for sending */
    uint64_t lent[WEIR_XSK_LENT_MAX]; /* the frames that were taken and not given back */
};

/* Opens a socket on a queue of a device. A queue is free a moment after its last socket was closed: it tries for so
 * long. x is closed by weir_xsk_close() in either case. @return 0, or a negative errno; -EBUSY: the queue has another
 * socket */
int weir_xsk_open(struct weir_xsk *x, const char *device, uint32_t queue, const struct weir_xsk_size *size);
void weir_xsk_close(struct weir_xsk *x);

/* Returns how many frames in the ring the kernel has not sent yet. */
static inline uint32_t weir_xsk_waiting(const struct weir_xsk *x)
{
    return x->tx.cached_prod - __atomic_load_n(x->tx.consumer, __ATOMIC_ACQUIRE);
}

/* Adds the frames that the kernel has sent to the free frames. */
void weir_xsk_reclaim(struct weir_xsk *x);
/* Finds room for a frame that is to be sent. @return NULL = there is none; else weir_xsk_put() follows */
unsigned char *weir_xsk_room(struct weir_xsk *x);
/* Puts the frame of weir_xsk_room() into the ring. */
void weir_xsk_put(struct weir_xsk *x, uint32_t bytes);
/* Makes the kernel send frames of the ring, by one system call. @return 0; -EIO = the device is gone */
int weir_xsk_kick(struct weir_xsk *x);

/* Takes frames that have come: at most `most`, with those still lent at most WEIR_XSK_LENT_MAX. frame[]: gets their
 * place and length. @return how many */
uint32_t weir_xsk_take(struct weir_xsk *x, struct xdp_desc *frame, uint32_t most);
/* Returns all lent frames to the kernel. */
void weir_xsk_give_back(struct weir_xsk *x);
/* Returns how many frames the kernel has dropped for lack of room, since the socket was opened. */
uint64_t weir_xsk_lost(const struct weir_xsk *x);
#endif
