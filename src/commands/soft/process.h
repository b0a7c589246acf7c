/* src/commands/soft/process.h - a process that is a switch: it opens ports, forwards by the clock, and answers. */
#ifndef WEIR_SOFT_PROCESS_H
#define WEIR_SOFT_PROCESS_H
#include "setup/setup.h"
#include <stdio.h>

struct weir_soft_process {
    const struct weir_setup *setup; /* by weir_setup_fabric() */
    const char *pcap;               /* file for all frames; NULL = none */
    uint32_t snaplen;               /* most bytes of a frame in it; 0 = all */
    /* Is called once all is open, before the first frame is forwarded. NULL = not needed */
    void (*ready)(void *ctx);
    void *ctx;
};

/**
 * Runs a switch until it is stopped: by weir_soft_ask(), SIGTERM or SIGINT. Then all is as before.
 * @param out  gets the counts at the end
 * @return 0, or a code with err
 */
int weir_soft_process(const struct weir_soft_process *process, FILE *out, struct weir_err *err);
#endif
