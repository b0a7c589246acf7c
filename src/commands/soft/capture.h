/* src/commands/soft/capture.h - a capture file (pcapng 1.0) of the frames that came to a switch and left it. Each host
 * has an interface. Frames from it are inbound, frames to it outbound. Times count from the start, in ns. */
#ifndef WEIR_SOFT_CAPTURE_H
#define WEIR_SOFT_CAPTURE_H
#include "soft/soft.h"
#include <stdio.h>

struct weir_soft_capture {
    FILE *file;
    uint64_t frames;
    bool failed; /* the file could not be written, and frames are missing from there on */
};

/* Creates the file, which must not exist. @return 0, or WEIR_E_FILE with err */
int weir_soft_capture_open(struct weir_soft_capture *c, const char *path, const struct weir_setup *setup,
                           struct weir_err *err);
/* Writes a frame; for struct weir_soft_config, ctx: a struct weir_soft_capture. */
void weir_soft_capture_frame(void *ctx, enum weir_soft_event event, uint32_t host, uint64_t at_ps,
                             const unsigned char *bytes, uint32_t length);
/* Closes the file. @return false = frames are missing in it */
bool weir_soft_capture_close(struct weir_soft_capture *c);
#endif
