/* src/commands/soft/capture.h - writes the frames that came to a switch and left it to a file: pcapng, one interface
 * per host, times in picoseconds since the start of the switch. A frame that a port has dropped has its cause as a
 * comment, and no direction. Of whole frames the file has all that decides when and how packets leave: test/twin
 * computes it again. */
#ifndef WEIR_SOFT_CAPTURE_H
#define WEIR_SOFT_CAPTURE_H
#include "soft/soft.h"
#include <stdio.h>

struct weir_soft_capture {
    FILE *file;       /* NULL = nothing is written */
    uint32_t snaplen; /* most bytes of a frame that are written; 0 = all */
    bool failed;      /* a write has */
};

/* Opens the file, and writes what precedes frames. snaplen: as in the struct. @return 0, or WEIR_E_FILE with err */
int weir_soft_capture_open(struct weir_soft_capture *capture, const char *path, uint32_t snaplen,
                           const struct weir_topology *topo, struct weir_err *err);
/* Writes a frame. ctx: a struct weir_soft_capture; the function is that of struct weir_soft_config */
void weir_soft_capture_frame(void *ctx, const struct weir_soft_captured *frame);
/* Closes the file. @return false = not all could be written */
bool weir_soft_capture_close(struct weir_soft_capture *capture);
#endif
