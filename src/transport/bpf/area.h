/* src/transport/bpf/area.h - finds the queueing delay in a UDP datagram of Weir's endpoints. It lies in the switch area
 * (doc/wire.md), which data of sender-driven protocols has if the law reads delays. For BPF and for tests: it reads an
 * array, and nothing else.
 *
 * A datagram of another program must stay as it is. So port, version, type, kind of the area and length are tested. */
#ifndef WEIR_BPF_AREA_H
#define WEIR_BPF_AREA_H
#include <stdbool.h>
#include <stdint.h>

#define WEIR_AREA_UDP_BYTES 8u
#define WEIR_AREA_READ_BYTES (WEIR_AREA_UDP_BYTES + 6u) /* UDP's header, and the payload up to the delay's end */
#define WEIR_AREA_DELAY_AT 12u                          /* from where UDP's header begins */
#define WEIR_AREA_CHECKSUM_AT 6u                        /* .. UDP's checksum */

#define WEIR_AREA_VERSION 4u
#define WEIR_AREA_STREAM 16u /* type of data of sender-driven protocols */
#define WEIR_AREA_64NS 1u    /* kinds of areas: the delay counts 64 ns, .. */
#define WEIR_AREA_US 2u      /* .. or microseconds */
/* The least payload of a datagram with an area and no slots: 55 of STREAM, 4 of the area, one byte of a message. A slot
 * has 16. */
#define WEIR_AREA_PAYLOAD_MIN 60u
#define WEIR_AREA_SLOT_BYTES 16u

static inline uint32_t weir_area_get16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

/* Tests whether the source or the destination port of a UDP header is this one. port: 0 = none is */
static inline bool weir_area_is_of_port(const uint8_t *udp, uint32_t port)
{
    return port != 0 && (weir_area_get16(udp) == port || weir_area_get16(udp + 2) == port);
}

/**
 * Finds the delay in a datagram. It is at WEIR_AREA_DELAY_AT.
 * @param udp      the first WEIR_AREA_READ_BYTES, from UDP's header on
 * @param ip_bytes  length of what is behind IP's header, as IP's header says
 * @param port     of endpoints; 0 = none
 * @return the unit of the delay in ns; 0 = the datagram has none, or is not one of an endpoint
 */
static inline uint32_t weir_area_unit_ns(const uint8_t udp[WEIR_AREA_READ_BYTES], uint32_t ip_bytes, uint32_t port)
{
    const uint8_t *payload = udp + WEIR_AREA_UDP_BYTES;
    uint32_t bytes = weir_area_get16(udp + 4), kind = payload[2] >> 5, slots = payload[2] & 0x1fu;
    if (!weir_area_is_of_port(udp, port) || bytes != ip_bytes)
        return 0;
    /* bit 0: the endpoint's own packets; bits 1 .. 3: the class */
    if (payload[0] >> 4 != WEIR_AREA_VERSION || (payload[0] & 1) != 0 || payload[1] != WEIR_AREA_STREAM)
        return 0;
    if (bytes < WEIR_AREA_UDP_BYTES + WEIR_AREA_PAYLOAD_MIN + slots * WEIR_AREA_SLOT_BYTES)
        return 0;
    if (kind == WEIR_AREA_64NS)
        return 64;
    return kind == WEIR_AREA_US ? 1000 : 0;
}
#endif
