/* src/transport/raw/raw.c - see raw.h. */
#define _GNU_SOURCE
#include "raw/raw.h"
#include "core/assert.h"
#include "raw/rows.h"
#include <errno.h>
#include <linux/if_packet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ETHERNET_BYTES = 14 };

struct weir_raw {
    const struct weir_raw_row *row;
    void *port; /* of the row */
    struct weir_raw_device device;
    struct weir_raw_stats stats;
    enum weir_raw_kind kind;
    int promiscuous; /* a socket: the device is promiscuous as long as it is open */
};

const char *const weir_raw_kinds[3] = { "auto", "af_xdp", "tpacket" };

/* Makes a device take frames for whomever. @return a descriptor, or a negative errno */
static int be_promiscuous(const struct weir_raw_device *device)
{
    struct packet_mreq all = { .mr_ifindex = (int)device->index, .mr_type = PACKET_MR_PROMISC };
    int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
    if (fd >= 0 && setsockopt(fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof(all)) == 0)
        return fd;
    int status = -errno;
    if (fd >= 0)
        (void)close(fd);
    return status;
}

static int open_row(struct weir_raw *raw, const struct weir_raw_row *row, enum weir_raw_kind kind, uint32_t ring_frames)
{
    raw->row = row;
    raw->kind = kind;
    int status = row->open(&raw->port, &raw->device, ring_frames);
    if (status != 0) {
        row->close(raw->port);
        raw->port = NULL;
    }
    return status;
}

static int fail_open(const struct weir_raw *raw, int status, struct weir_err *err)
{
    const char *how = raw->kind == WEIR_RAW_XDP ? "AF_XDP" : "AF_PACKET";
    if (status == -EPERM || status == -EACCES)
        return weir_fail(err, WEIR_E_RUN, NULL, "it takes root, or CAP_NET_ADMIN, CAP_NET_RAW and CAP_BPF",
                         "not allowed to take all frames of %s", raw->device.name);
    if (status == -EBUSY)
        return weir_fail(err, WEIR_E_CONFLICT, NULL, "`ip link show` and `bpftool net` say whose it is",
                         "%s is taken: it has another XDP program or socket", raw->device.name);
    return weir_fail(err, WEIR_E_RUN, NULL, NULL, "%s cannot be opened by %s: %s", raw->device.name, how,
                     strerror(-status));
}

/* Refuses an MTU that no ring has room for. */
static int check_mtu(const struct weir_raw_device *device, enum weir_raw_kind kind, struct weir_err *err)
{
    uint32_t most = kind == WEIR_RAW_XDP ? WEIR_RAW_XDP_MTU_MAX : WEIR_RAW_MTU_MAX;
    if (device->mtu_bytes <= most)
        return 0;
    return weir_fail(err, WEIR_E_CONFLICT, NULL, "ip link set DEVICE mtu N", "the MTU of %s is %u; %s takes %u at most",
                     device->name, device->mtu_bytes, kind == WEIR_RAW_XDP ? "AF_XDP" : "a port", most);
}

/* Opens the rings. @return 0, or a negative errno */
static int open_rings(struct weir_raw *raw, const struct weir_raw_options *options)
{
    uint32_t frames = options->ring_frames > 0 ? options->ring_frames : WEIR_RAW_RING_FRAMES;
    int status = -ENOTSUP;
    WEIR_ASSERT((frames & (frames - 1)) == 0);
    if (options->kind != WEIR_RAW_TPACKET && raw->device.mtu_bytes <= WEIR_RAW_XDP_MTU_MAX)
        status = open_row(raw, &weir_raw_xdp, WEIR_RAW_XDP, frames);
    if (options->kind == WEIR_RAW_XDP || status == 0 || status == -EPERM || status == -EBUSY)
        return status;
    return open_row(raw, &weir_raw_tpacket, WEIR_RAW_TPACKET, frames);
}

int weir_raw_open(struct weir_raw **raw, const struct weir_raw_device *device, const struct weir_raw_options *options,
                  struct weir_err *err)
{
    struct weir_raw *made = calloc(1, sizeof(*made));
    int code, status;
    *raw = NULL;
    if (made == NULL)
        return weir_fail_memory(err);
    made->device = *device;
    made->promiscuous = -1;
    code = check_mtu(device, options->kind, err);
    if (code == 0)
        code = weir_raw_device_open(device, err);
    if (code == 0) {
        status = made->promiscuous = be_promiscuous(device);
        if (status >= 0)
            status = open_rings(made, options);
        code = status < 0 ? fail_open(made, status, err) : 0;
    }
    if (code == 0)
        *raw = made;
    else
        weir_raw_close(made);
    return code;
}

uint32_t weir_raw_rx(struct weir_raw *raw, struct weir_raw_frame *frame, uint32_t most)
{
    WEIR_ASSERT(most <= WEIR_RAW_LENT_MAX);
    uint32_t count = raw->row->rx(raw->port, frame, most);
    raw->stats.rx_frames += count;
    for (uint32_t i = 0; i < count; i++)
        raw->stats.rx_bytes += frame[i].length;
    return count;
}

bool weir_raw_tx(struct weir_raw *raw, const unsigned char *bytes, uint32_t length)
{
    WEIR_ASSERT(length >= ETHERNET_BYTES);
    WEIR_ASSERT(length <= ETHERNET_BYTES + raw->device.mtu_bytes);
    if (!raw->row->tx(raw->port, bytes, length)) {
        raw->stats.tx_full++;
        return false;
    }
    raw->stats.tx_frames++;
    raw->stats.tx_bytes += length;
    return true;
}

void weir_raw_kick(struct weir_raw *raw)
{
    raw->stats.tx_failed += raw->row->kick(raw->port);
}

const struct weir_raw_stats *weir_raw_stats(struct weir_raw *raw)
{
    raw->stats.rx_lost = raw->row->lost(raw->port);
    return &raw->stats;
}

int weir_raw_fd(const struct weir_raw *raw)
{
    return raw->row->fd(raw->port);
}

enum weir_raw_kind weir_raw_kind(const struct weir_raw *raw)
{
    return raw->kind;
}

void weir_raw_close(struct weir_raw *raw)
{
    if (raw == NULL)
        return;
    if (raw->port != NULL)
        raw->row->close(raw->port);
    if (raw->promiscuous >= 0)
        (void)close(raw->promiscuous);
    weir_raw_device_restore(&raw->device);
    free(raw);
}
