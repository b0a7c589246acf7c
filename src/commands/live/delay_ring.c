/* src/commands/live/delay_ring.c - arrivals at a device of a delay line. The kernel writes frames into a ring of slots
 * that it shares with us, so that reading one is no system call. */
#include "core/math.h"
#include "core/units.h"
#include "live/delay.h"
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>

#define NS_PER_S UINT64_C(1000000000)
#define STAMP_OLD_NS NS_PER_S /* an arrival longer ago is none: the clock of the day was set */
#define BLOCK_BYTES (UINT64_C(64) << 10)
#define RING_MAX_BYTES (UINT64_C(4) << 20) /* some 2,500 full frames */

struct weir_delay_clocks weir_delay_clocks(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_REALTIME, &t);
    return (struct weir_delay_clocks){ .now_ns = weir_delay_now_ns(),
                                       .day_ns = (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec };
}

int weir_delay_ring_open(struct weir_delay_way *way, uint64_t mtu, uint64_t bytes, struct weir_err *err)
{
    int version = TPACKET_V2;
    /* As the kernel lays a slot out: its header, room for alignment, virtio's header, Ethernet's, the packet. */
    uint64_t slot_bytes =
        TPACKET_ALIGN(TPACKET2_HDRLEN + TPACKET_ALIGNMENT + sizeof(struct virtio_net_hdr) + ETH_HLEN + mtu);
    uint64_t block_bytes = weir_max_u64(BLOCK_BYTES, (slot_bytes + 4095) / 4096 * 4096);
    uint64_t blocks = weir_max_u64(weir_min_u64(bytes, RING_MAX_BYTES) / block_bytes, 1);
    struct tpacket_req request = { .tp_block_size = (unsigned)block_bytes,
                                   .tp_block_nr = (unsigned)blocks,
                                   .tp_frame_size = (unsigned)slot_bytes,
                                   .tp_frame_nr = (unsigned)(blocks * (block_bytes / slot_bytes)) };
    if (setsockopt(way->in, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) != 0 ||
        setsockopt(way->in, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)) != 0)
        return weir_fail(err, WEIR_E_RUN, NULL, NULL, "delay: no memory for arriving frames: %s", strerror(errno));
    void *ring = mmap(NULL, blocks * block_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, way->in, 0);
    if (ring == MAP_FAILED)
        return weir_fail_memory(err);
    way->ring = ring;
    way->ring_bytes = blocks * block_bytes;
    way->slot_bytes = (uint32_t)slot_bytes;
    way->block_slots = (uint32_t)(block_bytes / slot_bytes);
    way->block_count = (uint32_t)blocks;
    return 0;
}

void weir_delay_ring_close(struct weir_delay_way *way)
{
    if (way->ring != NULL)
        (void)munmap(way->ring, way->ring_bytes);
}

/* Computes when a frame arrived, by the clock of the process. */
static uint64_t arrival_ns(const struct tpacket2_hdr *head, const struct weir_delay_clocks *clocks)
{
    uint64_t ago_ns = clocks->day_ns - (head->tp_sec * NS_PER_S + head->tp_nsec);
    return clocks->now_ns - (ago_ns < STAMP_OLD_NS ? ago_ns : 0); /* since clocks were read: a huge ago_ns */
}

static void take(struct weir_delay_way *way, uint64_t delay_ns, const struct tpacket2_hdr *head, uint32_t status,
                 const struct weir_delay_clocks *clocks)
{
    const unsigned char *frame = (const unsigned char *)head + head->tp_mac - sizeof(struct virtio_net_hdr);
    struct virtio_net_hdr offload;
    memcpy(&offload, frame, sizeof(offload));
    if (head->tp_snaplen < head->tp_len || offload.gso_type != VIRTIO_NET_HDR_GSO_NONE ||
        (status & TP_STATUS_VLAN_VALID) != 0) {
        way->large++;
        return;
    }
    way->last_due_ns = weir_max_u64(way->last_due_ns, arrival_ns(head, clocks) + delay_ns);
    way->full += !weir_delay_fifo_put(&way->fifo, way->last_due_ns, frame,
                                      head->tp_snaplen + (uint32_t)sizeof(struct virtio_net_hdr));
}

void weir_delay_ring_take(struct weir_delay_way *way, uint64_t delay_ns, const struct weir_delay_clocks *clocks)
{
    uint64_t block_bytes = way->ring_bytes / way->block_count;
    for (uint32_t count = 0; count < way->block_slots * way->block_count; count++) {
        struct tpacket2_hdr *head = (struct tpacket2_hdr *)(void *)(way->ring + way->block * block_bytes +
                                                                    (uint64_t)way->slot * way->slot_bytes);
        uint32_t status = __atomic_load_n(&head->tp_status, __ATOMIC_ACQUIRE);
        if ((status & TP_STATUS_USER) == 0)
            return;
        take(way, delay_ns, head, status, clocks);
        __atomic_store_n(&head->tp_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
        way->slot++;
        if (way->slot == way->block_slots) {
            way->slot = 0;
            way->block = way->block + 1 < way->block_count ? way->block + 1 : 0;
        }
    }
}
