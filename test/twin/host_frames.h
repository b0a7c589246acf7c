/* test/twin/host_frames.h - the frames that the hosts of a simulation send. The engine runs a scenario, and what its hosts
 * put on their cables becomes frames, as test/oracle/frames.h makes them. */
#ifndef WEIR_TEST_HOST_FRAMES_H
#define WEIR_TEST_HOST_FRAMES_H
#include "setup/setup.h"

struct host_frame {
    uint64_t at_ps; /* its first bit */
    uint32_t host, length;
    const unsigned char *bytes;
};

struct host_frames { /* in order of time */
    struct host_frame *frame;
    size_t count;
    size_t unmade; /* packets for which there is no frame: control packets of a length of their own */
    struct frames *made;
};

/* Runs a scenario until its hosts have sent `most` packets, or to its end. @return 0, or a code with err */
int host_frames_of(struct host_frames *out, const struct weir_setup *setup, size_t most, struct weir_err *err);
void host_frames_free(struct host_frames *frames);

/* Returns the address of a host in these frames. */
struct weir_mapping_address host_frames_address(uint32_t host);
#endif
