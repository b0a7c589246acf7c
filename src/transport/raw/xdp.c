/* src/transport/raw/xdp.c - whole frames by AF_XDP: one socket per receive queue, all sending by the first. */
#define _GNU_SOURCE
#include "driver/xdp_prog.h"
#include "driver/xsk.h"
#include "raw/rows.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum {
    SMALL_BYTES = 2048,  /* a frame's room in memory .. */
    LARGE_BYTES = 4096,  /* .. and where the MTU is larger */
    HEADROOM = 256 + 64, /* what the kernel takes of it, and to spare */
    IDLE_KICKS = 8,      /* so many calls that send nothing, and the device has no room */
};
_Static_assert(WEIR_RAW_LENT_MAX <= WEIR_XSK_LENT_MAX, "each socket can lend them all");
_Static_assert(WEIR_RAW_XDP_MTU_MAX == WEIR_XSK_MTU_MAX, "one limit, for callers without AF_XDP too");

struct xdp {
    struct weir_xdp_prog prog;
    struct weir_xsk *sock; /* queues of them */
    uint32_t queues, next; /* next: is read first */
    int epoll;             /* of several sockets; -1 = there is one */
};

/* Opens one descriptor that is readable when any socket is. @return 0, or a negative errno */
static int open_epoll(struct xdp *x)
{
    struct epoll_event event = { .events = EPOLLIN };
    if (x->queues == 1)
        return 0;
    x->epoll = epoll_create1(EPOLL_CLOEXEC);
    for (uint32_t q = 0; q < x->queues; q++)
        if (x->epoll < 0 || epoll_ctl(x->epoll, EPOLL_CTL_ADD, x->sock[q].fd, &event) != 0)
            return -errno;
    return 0;
}

static int open_sockets(struct xdp *x, const struct weir_raw_device *device, uint32_t ring_frames)
{
    struct weir_xsk_size size = { .rx_frames = ring_frames,
                                  .tx_frames = ring_frames,
                                  .frame_bytes =
                                      device->mtu_bytes + HEADROOM <= SMALL_BYTES ? SMALL_BYTES : LARGE_BYTES };
    for (uint32_t q = 0; q < device->queues; q++) {
        int status = weir_xsk_open(&x->sock[q], device->name, q, &size);
        x->queues++;
        if (status != 0)
            return status;
        size.tx_frames = 0;
    }
    return open_epoll(x);
}

static int xdp_open(void **port, const struct weir_raw_device *device, uint32_t ring_frames)
{
    struct xdp *x = calloc(1, sizeof(*x));
    int status;
    *port = x;
    if (x == NULL)
        return -ENOMEM;
    x->epoll = -1;
    x->prog = (struct weir_xdp_prog){ .map = -1, .prog = -1, .link = -1 };
    if (device->queues > WEIR_XDP_QUEUES)
        return -ENOTSUP;
    x->sock = calloc(device->queues, sizeof(*x->sock));
    status = x->sock == NULL ? -ENOMEM : open_sockets(x, device, ring_frames);
    if (status == 0)
        status = weir_xdp_prog_attach(&x->prog, device->index, NULL);
    for (uint32_t q = 0; q < x->queues && status == 0; q++)
        status = weir_xdp_prog_steer(&x->prog, q, x->sock[q].fd);
    return status;
}

static uint32_t xdp_rx(void *port, struct weir_raw_frame *frame, uint32_t most)
{
    struct xdp *x = port;
    struct xdp_desc desc[WEIR_RAW_LENT_MAX];
    uint32_t count = 0;
    WEIR_ASSERT(x->queues > 0);
    for (uint32_t i = 0; i < x->queues; i++) {
        struct weir_xsk *sock = &x->sock[(x->next + i) % x->queues];
        weir_xsk_give_back(sock);
        uint32_t got = weir_xsk_take(sock, desc, most - count);
        for (uint32_t k = 0; k < got; k++)
            frame[count++] = (struct weir_raw_frame){ .bytes = sock->memory + desc[k].addr, .length = desc[k].len };
    }
    x->next = (x->next + 1) % x->queues;
    return count;
}

static uint64_t xdp_kick(void *port)
{
    struct xdp *x = port;
    uint32_t idle = 0, waiting = weir_xsk_waiting(&x->sock[0]);
    while (waiting > 0 && idle < IDLE_KICKS && weir_xsk_kick(&x->sock[0]) == 0) {
        uint32_t left = weir_xsk_waiting(&x->sock[0]);
        idle = left < waiting ? 0 : idle + 1;
        waiting = left;
    }
    return 0; /* what it did not take stays in the ring */
}

static bool xdp_tx(void *port, const unsigned char *bytes, uint32_t length)
{
    struct xdp *x = port;
    unsigned char *room = weir_xsk_room(&x->sock[0]);
    if (room == NULL) {
        (void)xdp_kick(x);
        weir_xsk_reclaim(&x->sock[0]);
        room = weir_xsk_room(&x->sock[0]);
    }
    if (room == NULL)
        return false;
    memcpy(room, bytes, length);
    weir_xsk_put(&x->sock[0], length);
    return true;
}

static uint64_t xdp_lost(void *port)
{
    const struct xdp *x = port;
    uint64_t lost = 0;
    for (uint32_t q = 0; q < x->queues; q++)
        lost += weir_xsk_lost(&x->sock[q]);
    return lost;
}

static int xdp_fd(const void *port)
{
    const struct xdp *x = port;
    return x->epoll >= 0 ? x->epoll : x->sock[0].fd;
}

static void xdp_close(void *port)
{
    struct xdp *x = port;
    if (x == NULL)
        return;
    weir_xdp_prog_detach(&x->prog);
    for (uint32_t q = 0; q < x->queues; q++)
        weir_xsk_close(&x->sock[q]);
    if (x->epoll >= 0)
        (void)close(x->epoll);
    free(x->sock);
    free(x);
}

const struct weir_raw_row weir_raw_xdp = {
    .open = xdp_open, .rx = xdp_rx, .tx = xdp_tx, .kick = xdp_kick, .lost = xdp_lost, .fd = xdp_fd, .close = xdp_close
};
