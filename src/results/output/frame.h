/* src/results/output/frame.h - a simulated packet as an Ethernet frame, without payload. */
#ifndef WEIR_OUTPUT_FRAME_H
#define WEIR_OUTPUT_FRAME_H
#include "model/model.h"

#define WEIR_FRAME_MAX 82u /* Ethernet 14, IPv4 20, UDP 8, header of a message packet 40 */

struct weir_frame {
    unsigned char bytes[WEIR_FRAME_MAX];
    uint32_t stored_bytes;  /* of bytes[] */
    uint32_t length_bytes;  /* of the whole frame by its headers: payload included, without check sequence */
    const char *stands_for; /* of a packet that the wire format does not have; else NULL */
};

/* Makes the frame of a packet, or of a pause. row: of simulated hosts */
void weir_frame_make(const struct weir_packet_row *row, struct weir_frame *out);
#endif
