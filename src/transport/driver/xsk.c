/* src/transport/driver/xsk.c - see xsk.h. */
#define _GNU_SOURCE
#include "driver/xsk.h"
#include <errno.h>
#include <linux/if_xdp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    SOCKET_BYTES = 8 << 20,
    BUSY_TRIES = 20,    /* the kernel frees a queue a moment after its last socket was closed .. */
    BUSY_NS = 10000000, /* .. so binding is tried again after this time */
    RING_LEAST = 2,     /* a ring that is not used has room for this many */
};

static size_t memory_bytes(const struct weir_xsk_size *size)
{
    return (size_t)(size->rx_frames + size->tx_frames) * size->frame_bytes;
}

static void share_out_frames(struct weir_xsk *x)
{
    uint32_t at;
    if (xsk_ring_prod__reserve(&x->fill, x->size.rx_frames, &at) == x->size.rx_frames) {
        for (uint32_t i = 0; i < x->size.rx_frames; i++)
            *xsk_ring_prod__fill_addr(&x->fill, at + i) = (uint64_t)i * x->size.frame_bytes;
        xsk_ring_prod__submit(&x->fill, x->size.rx_frames);
    }
    for (uint32_t i = 0; i < x->size.tx_frames; i++)
        x->free_tx[x->free_count++] = (uint64_t)(x->size.rx_frames + i) * x->size.frame_bytes;
}

static int bind_socket(struct weir_xsk *x, const char *device, uint32_t queue)
{
    static const struct timespec pause = { .tv_nsec = BUSY_NS };
    const struct xsk_socket_config cfg = { .rx_size = x->size.rx_frames,
                                           .tx_size = x->size.tx_frames,
                                           .libxdp_flags = XSK_LIBXDP_FLAGS__INHIBIT_PROG_LOAD,
                                           .bind_flags = XDP_COPY | XDP_USE_NEED_WAKEUP };
    int status = -EBUSY;
    for (uint32_t i = 0; i < BUSY_TRIES && status == -EBUSY; i++) {
        if (i > 0)
            (void)nanosleep(&pause, NULL);
        status =
            xsk_socket__create(&x->xsk, device, queue, x->umem, &x->rx, x->size.tx_frames > 0 ? &x->tx : NULL, &cfg);
    }
    return status;
}

int weir_xsk_open(struct weir_xsk *x, const char *device, uint32_t queue, const struct weir_xsk_size *size)
{
    /* twice what there is: the kernel says late how far it has read */
    const struct xsk_umem_config umem = { .fill_size = 2 * size->rx_frames,
                                          .comp_size = size->tx_frames > 0 ? size->tx_frames : RING_LEAST,
                                          .frame_size = size->frame_bytes };
    int room = SOCKET_BYTES, status;
    *x = (struct weir_xsk){ .size = *size, .fd = -1 };
    x->free_tx = calloc(size->tx_frames + 1u, sizeof(*x->free_tx));
    void *memory =
        mmap(NULL, memory_bytes(size), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    x->memory = memory != MAP_FAILED ? memory : NULL;
    if (x->memory == NULL || x->free_tx == NULL)
        return -ENOMEM;
    status = xsk_umem__create(&x->umem, memory, memory_bytes(size), &x->fill, &x->done, &umem);
    if (status == 0)
        status = bind_socket(x, device, queue);
    if (status != 0)
        return status;
    x->fd = xsk_socket__fd(x->xsk);
    (void)setsockopt(x->fd, SOL_SOCKET, SO_SNDBUFFORCE, &room,
                     sizeof(room)); /* a smaller buffer would limit the frames in flight */
    share_out_frames(x);
    return 0;
}

void weir_xsk_close(struct weir_xsk *x)
{
    if (x->xsk != NULL)
        xsk_socket__delete(x->xsk);
    if (x->umem != NULL)
        (void)xsk_umem__delete(x->umem);
    if (x->memory != NULL)
        (void)munmap(x->memory, memory_bytes(&x->size));
    free(x->free_tx);
    *x = (struct weir_xsk){ .fd = -1 };
}

void weir_xsk_reclaim(struct weir_xsk *x)
{
    uint32_t at, n = xsk_ring_cons__peek(&x->done, x->size.tx_frames, &at);
    for (uint32_t i = 0; i < n; i++)
        x->free_tx[x->free_count++] = *xsk_ring_cons__comp_addr(&x->done, at + i);
    if (n > 0)
        xsk_ring_cons__release(&x->done, n);
}

unsigned char *weir_xsk_room(struct weir_xsk *x)
{
    if (x->free_count == 0 || xsk_prod_nb_free(&x->tx, 1) == 0)
        return NULL;
    return x->memory + x->free_tx[x->free_count - 1];
}

void weir_xsk_put(struct weir_xsk *x, uint32_t bytes)
{
    uint32_t at, got = xsk_ring_prod__reserve(&x->tx, 1, &at);
    WEIR_ASSERT(got == 1);
    WEIR_ASSERT(bytes <= x->size.frame_bytes);
    (void)got;
    *xsk_ring_prod__tx_desc(&x->tx, at) = (struct xdp_desc){ .addr = x->free_tx[--x->free_count], .len = bytes };
    xsk_ring_prod__submit(&x->tx, 1);
}

int weir_xsk_kick(struct weir_xsk *x)
{
    if (sendto(x->fd, NULL, 0, MSG_DONTWAIT, NULL, 0) < 0 && (errno == ENXIO || errno == ENODEV || errno == EBADF))
        return -EIO;
    return 0;
}

uint32_t weir_xsk_take(struct weir_xsk *x, struct xdp_desc *frame, uint32_t most)
{
    uint32_t at, room = WEIR_XSK_LENT_MAX - x->lent_count;
    uint32_t n = xsk_ring_cons__peek(&x->rx, most < room ? most : room, &at);
    for (uint32_t i = 0; i < n; i++) {
        frame[i] = *xsk_ring_cons__rx_desc(&x->rx, at + i);
        x->lent[x->lent_count++] = frame[i].addr;
    }
    if (n > 0)
        xsk_ring_cons__release(&x->rx, n);
    return n;
}

/* Gives all lent frames back at once: the ring has room for all that exist. */
void weir_xsk_give_back(struct weir_xsk *x)
{
    uint32_t at;
    if (x->lent_count == 0 || xsk_ring_prod__reserve(&x->fill, x->lent_count, &at) != x->lent_count)
        return;
    for (uint32_t i = 0; i < x->lent_count; i++)
        *xsk_ring_prod__fill_addr(&x->fill, at + i) = x->lent[i];
    xsk_ring_prod__submit(&x->fill, x->lent_count);
    x->lent_count = 0;
}

uint64_t weir_xsk_lost(const struct weir_xsk *x)
{
    struct xdp_statistics stats = { 0 };
    socklen_t length = sizeof(stats);
    if (x->fd < 0 || getsockopt(x->fd, SOL_XDP, XDP_STATISTICS, &stats, &length) != 0)
        return 0;
    return stats.rx_dropped + stats.rx_ring_full;
}
