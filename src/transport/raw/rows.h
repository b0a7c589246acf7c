/* src/transport/raw/rows.h - the ways to receive and send whole frames, for raw.c: a row of functions each. */
#ifndef WEIR_RAW_ROWS_H
#define WEIR_RAW_ROWS_H
#include "raw/frame.h"

struct weir_raw_row {
    /* @return 0, or a negative errno; in either case close() follows */
    int (*open)(void **port, const struct weir_raw_device *device, uint32_t ring_frames);
    uint32_t (*rx)(void *port, struct weir_raw_frame *frame, uint32_t most);
    bool (*tx)(void *port, const unsigned char *bytes, uint32_t length);
    uint64_t (*kick)(void *port); /* @return frames that the device did not take */
    uint64_t (*lost)(void *port); /* @return frames that the kernel has dropped, since open() */
    int (*fd)(const void *port);
    void (*close)(void *port); /* port: may be NULL */
};
extern const struct weir_raw_row weir_raw_xdp, weir_raw_tpacket;
#endif
