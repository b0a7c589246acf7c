/* test/twin/capture.h - reads a capture of `weir switch start --pcap` into memory. */
#ifndef WEIR_TEST_CAPTURE_H
#define WEIR_TEST_CAPTURE_H
#include "soft/soft.h"

struct capture_frame {
    uint64_t at_ps;
    unsigned char *bytes; /* of capture.data */
    uint32_t length, host;
    enum weir_soft_event event;
    enum weir_soft_cause cause; /* of DROPPED */
};

struct capture {
    unsigned char *data;
    struct capture_frame *frame; /* in the order of the file */
    uint32_t frames, hosts;
    uint64_t last_ps; /* the latest time of a frame */
};

/* Reads a file. @return NULL; else what is wrong with it, and nothing is to be freed */
const char *capture_read(struct capture *capture, const char *path);
void capture_free(struct capture *capture);
#endif
