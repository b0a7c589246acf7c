/* src/commands/testbed/capture.h - reads the capture of a switch in user space: pcapng as soft/capture.h writes it. */
#ifndef WEIR_TESTBED_CAPTURE_H
#define WEIR_TESTBED_CAPTURE_H
#include "core/err.h"
#include <stdbool.h>

struct weir_capture_frame {
    uint64_t at_ps;        /* since the start of the switch */
    uint32_t host, length; /* length: of the whole frame */
    bool came;             /* from the host; false = it left for the host */
};

/* Reads all frames, in the order of the file. frame: is given each one; returns 0, or a code that ends the reading.
 * @return 0, that code, or WEIR_E_FILE with err: the file cannot be read, or is no such capture */
int weir_capture_read(const char *path, int (*frame)(void *ctx, const struct weir_capture_frame *frame), void *ctx,
                      struct weir_err *err);
#endif
