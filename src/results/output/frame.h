/* src/results/output/frame.h - makes the Ethernet frame of a simulated packet: all headers, without payload. */
#ifndef WEIR_OUTPUT_FRAME_H
#define WEIR_OUTPUT_FRAME_H
#include "model/model.h"

#define WEIR_FRAME_MAX 82u /* Ethernet 14, IPv4 20, UDP 8, header of a message packet 40 */

struct weir_frame {
    unsigned char bytes[WEIR_FRAME_MAX];
    uint32_t stored_bytes;  /* bytes used in bytes[] */
    uint32_t length_bytes;  /* length of the whole frame, payload included, without check sequence */
    const char *stands_for; /* name of the packet's kind if the wire format does not have that kind; else NULL */
};

/* Makes the frame of a simulated packet. If row->is_control, makes a pause frame of PFC instead. */
void weir_frame_make(const struct weir_packet_row *row, struct weir_frame *out);
#endif
