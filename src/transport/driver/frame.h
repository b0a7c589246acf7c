/* src/transport/driver/frame.h - converts UDP datagrams to Ethernet frames and back, for drivers that bypass the
 * kernel. Frames are Ethernet, IPv4 without options (RFC 791) and UDP (RFC 768), with checksums of RFC 1071. */
#ifndef WEIR_DRIVER_FRAME_H
#define WEIR_DRIVER_FRAME_H
#include "driver/net.h"

#define WEIR_FRAME_ETHERNET_BYTES 14u
#define WEIR_FRAME_IP_BYTES 28u   /* IPv4 and UDP headers, which count towards the MTU */
#define WEIR_FRAME_HEAD_BYTES 42u /* Ethernet, IPv4 and UDP headers */

/**
 * Writes a frame with all headers and checksums around a datagram.
 * @param frame  room for WEIR_FRAME_HEAD_BYTES + out->head_bytes + out->body_bytes
 * @param from   IPv4 address and port of the sender; out->to is IPv4 too, out->from is ignored
 * @return bytes of the frame
 */
uint32_t weir_frame_write(unsigned char *frame, const uint8_t to_mac[6], const uint8_t from_mac[6],
                          const struct weir_net_addr *from, const struct weir_net_out *out);

/* Results of weir_frame_read(). OK: a datagram for us. OTHER: another frame. CHECKSUM: a datagram for us with a wrong
 * checksum. */
enum weir_frame_result { WEIR_FRAME_OK, WEIR_FRAME_OTHER, WEIR_FRAME_CHECKSUM };

/**
 * Reads a received frame.
 * A sender on the same machine may leave only the sum of the pseudo header in the checksum field (CHECKSUM_PARTIAL),
 * for hardware to complete. Such a frame never meets that hardware, so this sum is accepted as a checksum.
 * @param to  our IPv4 address and port
 * @return WEIR_FRAME_OK: in is filled in; in->bytes points into frame, in->to is zeros. WEIR_FRAME_OTHER: not a whole
 * UDP datagram to `to` in IPv4 without options. WEIR_FRAME_CHECKSUM: the IP or UDP checksum is wrong
 */
enum weir_frame_result weir_frame_read(unsigned char *frame, uint32_t length, const struct weir_net_addr *to,
                                       struct weir_net_in *in);
#endif
