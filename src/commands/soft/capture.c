/* src/commands/soft/capture.c - see capture.h. Blocks are those of the IETF draft "PCAP Now Generic", in this machine's
 * byte order. */
#include "soft/capture.h"
#include "core/assert.h"
#include "text/pcapng_format.h"
#include <errno.h>
#include <string.h>

enum {
    NAME_ROOM = 32,
    BUFFER_BYTES = 1 << 20,
};

static void put(struct weir_soft_capture *capture, const void *bytes, size_t length)
{
    WEIR_ASSERT(capture->file != NULL);
    capture->failed |= fwrite(bytes, 1, length, capture->file) != length;
}

static void put_section(struct weir_soft_capture *capture)
{
    const uint32_t block[] = { WEIR_PCAPNG_SECTION, 28, WEIR_PCAPNG_MAGIC, 1 /* version 1.0 */, UINT32_MAX,
                               UINT32_MAX,          28 };
    put(capture, block, sizeof(block));
}

static void put_interface(struct weir_soft_capture *capture, const char *host)
{
    char name[NAME_ROOM] = "";
    uint32_t length = (uint32_t)strlen(host), padded = (length + 3) & ~3u, total = 36 + padded;
    const uint32_t head[] = { WEIR_PCAPNG_INTERFACE, total, WEIR_PCAPNG_ETHERNET, capture->snaplen,
                              length << 16 | WEIR_PCAPNG_OPT_NAME };
    const uint32_t tail[] = { 1u << 16 | WEIR_PCAPNG_OPT_RESOLUTION, WEIR_PCAPNG_PICOSECONDS, 0, total };
    WEIR_ASSERT(length < sizeof(name));
    (void)snprintf(name, sizeof(name), "%s", host);
    put(capture, head, sizeof(head));
    put(capture, name, padded);
    put(capture, tail, sizeof(tail));
}

int weir_soft_capture_open(struct weir_soft_capture *capture, const char *path, uint32_t snaplen,
                           const struct weir_topology *topo, struct weir_err *err)
{
    char name[NAME_ROOM];
    *capture = (struct weir_soft_capture){ .file = fopen(path, "we"), .snaplen = snaplen };
    if (capture->file == NULL)
        return weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: cannot be written: %s", path, strerror(errno));
    (void)setvbuf(capture->file, NULL, _IOFBF, BUFFER_BYTES);
    put_section(capture);
    for (uint32_t host = 0; host < topo->host_count; host++) {
        weir_topology_node_name(topo, host, name, sizeof(name));
        put_interface(capture, name);
    }
    return 0;
}

void weir_soft_capture_frame(void *ctx, enum weir_soft_event event, uint32_t host, uint64_t at_ps,
                             const unsigned char *bytes, uint32_t length)
{
    static const unsigned char zeros[4];
    struct weir_soft_capture *capture = ctx;
    uint32_t most = capture->snaplen, kept = most != 0 && most < length ? most : length;
    uint32_t padding = -kept & 3u, total = 44 + kept + padding;
    const uint32_t head[] = { WEIR_PCAPNG_PACKET, total, host, (uint32_t)(at_ps >> 32), (uint32_t)at_ps, kept, length };
    const uint32_t tail[] = { 4u << 16 | WEIR_PCAPNG_OPT_FLAGS,
                              event == WEIR_SOFT_CAME ? WEIR_PCAPNG_INBOUND : WEIR_PCAPNG_OUTBOUND, 0, total };
    WEIR_ASSERT(event == WEIR_SOFT_CAME || event == WEIR_SOFT_LEFT);
    if (capture->failed)
        return;
    put(capture, head, sizeof(head));
    put(capture, bytes, kept);
    put(capture, zeros, padding);
    put(capture, tail, sizeof(tail));
}

bool weir_soft_capture_close(struct weir_soft_capture *capture)
{
    if (capture->file == NULL)
        return true;
    capture->failed |= fclose(capture->file) != 0;
    capture->file = NULL;
    return !capture->failed;
}
