/* src/commands/testbed/capture.c - see capture.h. */
#include "testbed/capture.h"
#include "core/assert.h"
#include "text/pcapng_format.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BLOCK_MAX = 1 << 18,
    HEAD = 8,            /* type and length */
    INTERFACE_HEAD = 16, /* and the link type and the longest frame */
    PACKET_HEAD = 28,    /* and interface, time, both lengths */
    EXPONENT_MAX = 12,   /* the finest time is a picosecond */
};

struct reader {
    FILE *file;
    unsigned char block[BLOCK_MAX];
    uint32_t length;  /* of the block */
    uint64_t unit_ps; /* of times; one for all interfaces */
    bool has_interface;
};

static uint32_t number(const struct reader *r, uint32_t at)
{
    uint32_t value;
    WEIR_ASSERT(at + sizeof(value) <= r->length);
    memcpy(&value, r->block + at, sizeof(value));
    return value;
}

/* Reads a block. @return 1, 0 = the file has ended, or -1 = it is no block */
static int read_block(struct reader *r)
{
    uint32_t head[2];
    size_t got = fread(head, 1, sizeof(head), r->file);
    if (got == 0)
        return 0;
    if (got != sizeof(head) || head[1] % 4 != 0 || head[1] < HEAD + 4 || head[1] > BLOCK_MAX)
        return -1;
    r->length = head[1];
    memcpy(r->block, head, sizeof(head));
    return fread(r->block + sizeof(head), 1, r->length - sizeof(head), r->file) == r->length - sizeof(head) ? 1 : -1;
}

/* Finds an option of a block. at: where options begin. @return where its value is; 0 = there is none */
static uint32_t option(const struct reader *r, uint32_t at, uint32_t code)
{
    while (at + 8 <= r->length) {
        uint32_t head = number(r, at), size = head >> 16;
        if ((head & 0xffff) == WEIR_PCAPNG_OPT_END || size > r->length - at - 8)
            return 0;
        if ((head & 0xffff) == code)
            return at + 4;
        at += 4 + ((size + 3) & ~3u);
    }
    return 0;
}

/* Sets the unit of times. @return false = this block is not as it must be */
static bool take_interface(struct reader *r)
{
    uint32_t at = option(r, INTERFACE_HEAD, WEIR_PCAPNG_OPT_RESOLUTION), exponent = at != 0 ? r->block[at] : 6;
    if (r->length < INTERFACE_HEAD + 4 || exponent > EXPONENT_MAX)
        return false;
    r->unit_ps = 1;
    for (; exponent < EXPONENT_MAX; exponent++)
        r->unit_ps *= 10;
    r->has_interface = true;
    return true;
}

/* Reads the frame of a block. @return false = this block is not as it must be */
static bool take_packet(const struct reader *r, struct weir_capture_frame *frame)
{
    uint32_t kept, at;
    if (!r->has_interface || r->length < PACKET_HEAD + 4)
        return false;
    kept = number(r, 20);
    if (kept > r->length - PACKET_HEAD - 4)
        return false;
    at = option(r, PACKET_HEAD + ((kept + 3) & ~3u), WEIR_PCAPNG_OPT_FLAGS);
    *frame = (struct weir_capture_frame){ .at_ps = ((uint64_t)number(r, 12) << 32 | number(r, 16)) * r->unit_ps,
                                          .host = number(r, 8),
                                          .length = number(r, 24),
                                          .came = at != 0 && (number(r, at) & 3) == WEIR_PCAPNG_INBOUND };
    return at != 0;
}

static int read_all(struct reader *r, const char *path, int (*take)(void *ctx, const struct weir_capture_frame *frame),
                    void *ctx, struct weir_err *err)
{
    struct weir_capture_frame frame;
    int status, code = 0;
    bool right = true;
    while (code == 0 && right && (status = read_block(r)) > 0) {
        uint32_t kind = number(r, 0);
        if (kind == WEIR_PCAPNG_INTERFACE)
            right = take_interface(r);
        else if (kind == WEIR_PCAPNG_PACKET && (right = take_packet(r, &frame)))
            code = take(ctx, &frame);
    }
    if (code == 0 && (!right || status < 0 || !r->has_interface))
        code = weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: is no capture of a switch", path);
    return code;
}

int weir_capture_read(const char *path, int (*frame)(void *ctx, const struct weir_capture_frame *frame), void *ctx,
                      struct weir_err *err)
{
    struct reader *r = calloc(1, sizeof(*r));
    int code;
    if (r == NULL)
        return weir_fail_memory(err);
    r->file = fopen(path, "re");
    if (r->file == NULL)
        code = weir_fail(err, WEIR_E_FILE, NULL, NULL, "%s: cannot be read: %s", path, strerror(errno));
    else
        code = read_all(r, path, frame, ctx, err);
    if (r->file != NULL)
        (void)fclose(r->file);
    free(r);
    return code;
}
