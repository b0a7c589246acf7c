/* src/commands/soft/capture.c - see capture.h. */
#define _GNU_SOURCE /* fopen with x */
#include "soft/capture.h"
#include "core/assert.h"
#include <errno.h>
#include <string.h>

enum {
    SECTION = 0x0a0d0d0a,
    INTERFACE = 1,
    PACKET = 6,
    BYTE_ORDER = 0x1a2b3c4d,
    LINK_ETHERNET = 1,
    OPTION_NAME = 2,
    OPTION_UNIT = 9,  /* of an interface: negative power of ten of a second */
    OPTION_FLAGS = 2, /* of a packet: 1 = inbound, 2 = outbound */
    NANOSECONDS = 9,
};

/* Returns bytes rounded up to the units of the format. */
static uint32_t padded(uint32_t bytes)
{
    return (bytes + 3) & ~3u;
}

static void put(struct weir_soft_capture *c, const void *data, uint32_t bytes)
{
    static const unsigned char zeros[3];
    c->failed |= fwrite(data, 1, bytes, c->file) != bytes;
    c->failed |= fwrite(zeros, 1, padded(bytes) - bytes, c->file) != padded(bytes) - bytes;
}

static void put32(struct weir_soft_capture *c, uint32_t value)
{
    put(c, &value, sizeof(value));
}

static void put_option(struct weir_soft_capture *c, uint32_t code, const void *data, uint32_t bytes)
{
    WEIR_ASSERT(code <= UINT16_MAX && bytes <= UINT16_MAX);
    put32(c, code | bytes << 16);
    put(c, data, bytes);
}

static void put_section(struct weir_soft_capture *c)
{
    put32(c, SECTION);
    put32(c, 28);
    put32(c, BYTE_ORDER);
    put32(c, 1); /* version 1.0 */
    put32(c, UINT32_MAX);
    put32(c, UINT32_MAX); /* length of the section: unknown */
    put32(c, 28);
}

static void put_interface(struct weir_soft_capture *c, const char *name)
{
    static const unsigned char unit = NANOSECONDS;
    uint32_t bytes = (uint32_t)strlen(name), length = 20 + 4 + padded(bytes) + 4 + 4 + 4;
    put32(c, INTERFACE);
    put32(c, length);
    put32(c, LINK_ETHERNET);
    put32(c, 0); /* no limit */
    put_option(c, OPTION_NAME, name, bytes);
    put_option(c, OPTION_UNIT, &unit, 1);
    put32(c, 0); /* no more options */
    put32(c, length);
}

int weir_soft_capture_open(struct weir_soft_capture *c, const char *path, const struct weir_setup *setup,
                           struct weir_err *err)
{
    char name[WEIR_NODE_NAME];
    *c = (struct weir_soft_capture){ .file = fopen(path, "wbx") };
    if (c->file == NULL)
        return weir_fail(err, WEIR_E_FILE, NULL, errno == EEXIST ? "remove it, or give another name" : NULL,
                         "%.200s: %s", path, strerror(errno));
    put_section(c);
    for (uint32_t host = 0; host < setup->topo.host_count; host++) {
        weir_topology_node_name(&setup->topo, host, name, sizeof(name));
        put_interface(c, name);
    }
    return 0;
}

void weir_soft_capture_frame(void *ctx, enum weir_soft_event event, uint32_t host, uint64_t at_ps,
                             const unsigned char *bytes, uint32_t length)
{
    struct weir_soft_capture *c = ctx;
    uint64_t at_ns = at_ps / WEIR_PS_PER_NS;
    uint32_t block = 32 + padded(length) + 8 + 4, flags = event == WEIR_SOFT_CAME ? 1 : 2;
    WEIR_ASSERT(length <= WEIR_WIRE_MAX_BYTES);
    if (c->failed)
        return;
    put32(c, PACKET);
    put32(c, block);
    put32(c, host);
    put32(c, (uint32_t)(at_ns >> 32));
    put32(c, (uint32_t)at_ns);
    put32(c, length);
    put32(c, length);
    put(c, bytes, length);
    put_option(c, OPTION_FLAGS, &flags, sizeof(flags));
    put32(c, 0); /* no more options */
    put32(c, block);
    c->frames++;
}

bool weir_soft_capture_close(struct weir_soft_capture *c)
{
    bool written = c->file == NULL || (fclose(c->file) == 0 && !c->failed);
    c->file = NULL;
    return written;
}
