/* src/transport/raw/xdp_none.c - in a build without libxdp: no port is one of AF_XDP. */
#include "raw/rows.h"
#include <errno.h>
#include <stddef.h>

static int none_open(void **port, const struct weir_raw_device *device, uint32_t ring_frames)
{
    (void)device, (void)ring_frames;
    *port = NULL;
    return -ENOTSUP;
}

static void none_close(void *port)
{
    (void)port;
}

const struct weir_raw_row weir_raw_xdp = { .open = none_open, .close = none_close };
