/* src/results/output/frame.h - makes the Ethernet frame of a simulated packet: all headers, without payload. */
#ifndef WEIR_OUTPUT_FRAME_H
#define WEIR_OUTPUT_FRAME_H
#include "model/model.h"

#define WEIR_FRAME_MAX 106u /* Ethernet 14, IPv4 20, UDP 8, header of an ACK 64; that of others is shorter */

struct weir_frame {
    unsigned char bytes[WEIR_FRAME_MAX];
    uint32_t stored_bytes; /* bytes used in bytes[] */
    uint32_t length_bytes; /* length of the whole frame, payload included, without check sequence */
};

/* Makes the frame of a simulated packet. If row->is_control, makes a pause frame of PFC instead. stream: the packet's
 * law is sender-driven; counter: number of the packet in its capture, from 1 */
void weir_frame_make(const struct weir_packet_row *row, bool stream, uint64_t counter, struct weir_frame *out);
#endif
