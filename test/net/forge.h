/* test/net/forge.h - packets that no honest encoder writes, with a checksum that is right. */
#ifndef WEIR_TEST_NET_FORGE_H
#define WEIR_TEST_NET_FORGE_H
#include "wire/wire.h"

/* Writes the head of a packet with any kind, flags and class in front of payload_bytes of payload, which are there already, and the
 * checksum over all of it. @return the datagram's length */
uint32_t forge(const struct weir_pkt *pkt, uint64_t token, unsigned char *bytes);
#endif
