/* src/transport/raw/tpacket.c - whole frames by AF_PACKET: two rings of slots that the kernel shares with us. */
#define _GNU_SOURCE
#include "raw/rows.h"
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    TAG_BYTES = 4, /* of VLAN; the kernel takes it out of a frame, and it is put in again */
    ADDRESSES_BYTES = 12 /* in front of it */,
    SPARE_BYTES = 64, /* a frame that is too long is cut to this much more than the MTU */
    SLOT_LEAST = 2048,
    BLOCK_BYTES = 1 << 16,
    SEND_BYTES = 64 << 20,
    IDLE_KICKS = 64,
    TX_DATA = TPACKET2_HDRLEN - sizeof(struct sockaddr_ll), /* where a frame begins in a slot for sending */
};

struct ring {
    unsigned char *slots; /* count of slot_bytes each */
    uint32_t at;          /* the next one */
};

struct tpacket {
    int fd;
    unsigned char *memory;
    size_t memory_bytes;
    struct ring rx, tx;
    uint32_t count, slot_bytes;
    uint32_t lent;      /* slots in front of rx.at that are not given back */
    uint32_t requested; /* frames since the last kick */
    uint64_t lost;
};

static struct tpacket2_hdr *slot_of(const struct tpacket *t, const struct ring *ring, uint32_t number)
{
    return (struct tpacket2_hdr *)(void *)(ring->slots + (size_t)(number % t->count) * t->slot_bytes);
}

static bool set(int fd, int level, int option, int value)
{
    return setsockopt(fd, level, option, &value, sizeof(value)) == 0;
}

/* Sets options. @return 0, or a negative errno */
static int set_options(int fd)
{
    if (!set(fd, SOL_SOCKET, SO_SNDBUFFORCE, SEND_BYTES))
        (void)set(fd, SOL_SOCKET, SO_SNDBUF, SEND_BYTES);
    if (!set(fd, SOL_PACKET, PACKET_VERSION, TPACKET_V2) || !set(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, 1) ||
        !set(fd, SOL_PACKET, PACKET_QDISC_BYPASS, 1) || !set(fd, SOL_PACKET, PACKET_LOSS, 1) ||
        !set(fd, SOL_PACKET, PACKET_RESERVE, TAG_BYTES))
        return -errno;
    return 0;
}

static int open_rings(struct tpacket *t, uint32_t ring_frames, uint32_t mtu_bytes)
{
    uint32_t need = (uint32_t)TPACKET2_HDRLEN + 2u * TPACKET_ALIGNMENT + TAG_BYTES + ETH_HLEN + mtu_bytes + SPARE_BYTES;
    struct tpacket_req request;
    void *memory;
    t->slot_bytes = SLOT_LEAST;
    while (t->slot_bytes < need)
        t->slot_bytes *= 2; /* a block then holds a whole number of slots */
    t->count = ring_frames < BLOCK_BYTES / t->slot_bytes ? BLOCK_BYTES / t->slot_bytes : ring_frames;
    request = (struct tpacket_req){ .tp_block_size = BLOCK_BYTES,
                                    .tp_block_nr = t->count / (BLOCK_BYTES / t->slot_bytes),
                                    .tp_frame_size = t->slot_bytes,
                                    .tp_frame_nr = t->count };
    if (setsockopt(t->fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) != 0 ||
        setsockopt(t->fd, SOL_PACKET, PACKET_TX_RING, &request, sizeof(request)) != 0)
        return -errno;
    t->memory_bytes = 2 * (size_t)t->count * t->slot_bytes;
    memory = mmap(NULL, t->memory_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, t->fd, 0);
    if (memory == MAP_FAILED)
        return -errno;
    t->memory = t->rx.slots = memory;
    t->tx.slots = t->memory + (size_t)t->count * t->slot_bytes;
    return 0;
}

static int tpacket_open(void **port, const struct weir_raw_device *device, uint32_t ring_frames)
{
    struct sockaddr_ll here = { .sll_family = AF_PACKET,
                                .sll_protocol = htons(ETH_P_ALL),
                                .sll_ifindex = (int)device->index };
    struct tpacket *t = calloc(1, sizeof(*t));
    int status;
    *port = t;
    if (t == NULL)
        return -ENOMEM;
    t->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (t->fd < 0)
        return -errno;
    status = set_options(t->fd);
    if (status == 0)
        status = open_rings(t, ring_frames, device->mtu_bytes);
    if (status == 0 && bind(t->fd, (const struct sockaddr *)(const void *)&here, sizeof(here)) != 0)
        status = -errno;
    return status;
}

static void give_back(struct tpacket *t)
{
    for (; t->lent > 0; t->lent--)
        __atomic_store_n(&slot_of(t, &t->rx, t->rx.at + t->count - t->lent)->tp_status, TP_STATUS_KERNEL,
                         __ATOMIC_RELEASE);
}

/* Finds a frame in its slot, and puts a VLAN tag back into it. */
static struct weir_raw_frame frame_of(struct tpacket2_hdr *head, uint32_t status)
{
    struct weir_raw_frame frame = { .bytes = (unsigned char *)head + head->tp_mac, .length = head->tp_snaplen };
    uint16_t tag[2] = { htons((status & TP_STATUS_VLAN_TPID_VALID) != 0 ? head->tp_vlan_tpid : ETH_P_8021Q),
                        htons(head->tp_vlan_tci) };
    if ((status & TP_STATUS_VLAN_VALID) == 0 || frame.length < ADDRESSES_BYTES)
        return frame;
    frame.bytes -= TAG_BYTES;
    frame.length += TAG_BYTES;
    memmove(frame.bytes, frame.bytes + TAG_BYTES, ADDRESSES_BYTES);
    memcpy(frame.bytes + ADDRESSES_BYTES, tag, TAG_BYTES);
    return frame;
}

static uint32_t tpacket_rx(void *port, struct weir_raw_frame *frame, uint32_t most)
{
    struct tpacket *t = port;
    give_back(t);
    for (uint32_t i = 0; i < most && i < t->count; i++) {
        struct tpacket2_hdr *head = slot_of(t, &t->rx, t->rx.at);
        uint32_t status = __atomic_load_n(&head->tp_status, __ATOMIC_ACQUIRE);
        if ((status & TP_STATUS_USER) == 0)
            break;
        frame[i] = frame_of(head, status);
        t->rx.at = (t->rx.at + 1) % t->count;
        t->lent++;
    }
    return t->lent;
}

/* Sends what is requested. A frame that the device has no room for is lost, and the kernel goes on to the next when it
 * is asked again. */
static uint64_t tpacket_kick(void *port)
{
    struct tpacket *t = port;
    uint64_t failed = 0;
    for (uint32_t i = 0; t->requested > 0 && i < IDLE_KICKS; i++) {
        if (send(t->fd, NULL, 0, MSG_DONTWAIT) >= 0)
            t->requested = 0;
        else if (errno == ENOBUFS)
            failed++;
        else if (errno != EAGAIN)
            break;
    }
    return failed;
}

static bool tpacket_tx(void *port, const unsigned char *bytes, uint32_t length)
{
    struct tpacket *t = port;
    struct tpacket2_hdr *head = slot_of(t, &t->tx, t->tx.at);
    uint32_t busy = TP_STATUS_SEND_REQUEST | TP_STATUS_SENDING;
    if ((__atomic_load_n(&head->tp_status, __ATOMIC_ACQUIRE) & busy) != 0)
        (void)tpacket_kick(t);
    if ((__atomic_load_n(&head->tp_status, __ATOMIC_ACQUIRE) & busy) != 0)
        return false;
    memcpy((unsigned char *)head + TX_DATA, bytes, length);
    head->tp_len = length;
    __atomic_store_n(&head->tp_status, TP_STATUS_SEND_REQUEST, __ATOMIC_RELEASE);
    t->tx.at = (t->tx.at + 1) % t->count;
    t->requested++;
    return true;
}

/* Adds what the kernel has dropped since it was asked last. */
static uint64_t tpacket_lost(void *port)
{
    struct tpacket *t = port;
    struct tpacket_stats stats;
    socklen_t length = sizeof(stats);
    if (getsockopt(t->fd, SOL_PACKET, PACKET_STATISTICS, &stats, &length) == 0)
        t->lost += stats.tp_drops;
    return t->lost;
}

static int tpacket_fd(const void *port)
{
    return ((const struct tpacket *)port)->fd;
}

static void tpacket_close(void *port)
{
    struct tpacket *t = port;
    if (t == NULL)
        return;
    if (t->memory != NULL)
        (void)munmap(t->memory, t->memory_bytes);
    if (t->fd >= 0)
        (void)close(t->fd);
    free(t);
}

const struct weir_raw_row weir_raw_tpacket = { .open = tpacket_open,
                                               .rx = tpacket_rx,
                                               .tx = tpacket_tx,
                                               .kick = tpacket_kick,
                                               .lost = tpacket_lost,
                                               .fd = tpacket_fd,
                                               .close = tpacket_close };
