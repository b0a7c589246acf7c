/* src/transport/driver/frame.h - a UDP datagram as an Ethernet frame, for drivers that go around the kernel: Ethernet,
 * IPv4 without options, UDP. IPv4 of RFC 791, UDP of RFC 768, checksums of RFC 1071. */
#ifndef WEIR_DRIVER_FRAME_H
#define WEIR_DRIVER_FRAME_H
#include "driver/net.h"

#define WEIR_FRAME_ETHERNET_BYTES 14u
#define WEIR_FRAME_IP_BYTES 28u   /* IPv4 and UDP: what a datagram has more inside the MTU */
#define WEIR_FRAME_HEAD_BYTES 42u /* all three */

/* @param frame  room for WEIR_FRAME_HEAD_BYTES + head_bytes + body_bytes; from, out->to: IPv4
 * @return bytes of the frame */
uint32_t weir_frame_write(unsigned char *frame, const uint8_t to_mac[6], const uint8_t from_mac[6],
                          const struct weir_net_addr *from, const struct weir_net_out *out);

enum weir_frame_result { WEIR_FRAME_OK, WEIR_FRAME_OTHER, WEIR_FRAME_CHECKSUM };

/**
 * Reads a frame that came.
 * A sender on this very machine leaves the sum of the pseudo header where the checksum belongs (CHECKSUM_PARTIAL). The
 * frame never meets hardware that would finish it. So that sum passes for a checksum, too.
 * @param to  only datagrams to this address and port are ours
 * @return WEIR_FRAME_OK: in is filled, in->bytes points into frame; OTHER: not ours, or of a kind that we leave to the
 * kernel
 */
enum weir_frame_result weir_frame_read(unsigned char *frame, uint32_t length, const struct weir_net_addr *to,
                                       struct weir_net_in *in);
#endif
