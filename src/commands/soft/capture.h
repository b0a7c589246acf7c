/* src/commands/soft/capture.h - writes the frames that came to a switch and left it to a file: pcapng, one interface
 * per host, times in picoseconds since the start of the switch. */
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
void weir_soft_capture_frame(void *ctx, enum weir_soft_event event, uint32_t host, uint64_t at_ps,
                             const unsigned char *bytes, uint32_t length);
/* Closes the file. @return false = not all could be written */
bool weir_soft_capture_close(struct weir_soft_capture *capture);
#endif
