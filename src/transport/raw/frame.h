/* src/transport/raw/frame.h - whole frames, and the devices that they come from. */
#ifndef WEIR_RAW_FRAME_H
#define WEIR_RAW_FRAME_H
#include "raw/device.h"

#define WEIR_RAW_LENT_MAX 256u     /* most frames of one weir_raw_rx() */
#define WEIR_RAW_XDP_MTU_MAX 3500u /* of AF_XDP */

struct weir_raw_frame { /* from Ethernet's header on */
    unsigned char *bytes;
    uint32_t length;
};
#endif
