/* src/transport/mapping/headers.h - Ethernet, IPv4 and IPv6 headers of a frame, for the files of this room. */
#ifndef WEIR_MAPPING_HEADERS_H
#define WEIR_MAPPING_HEADERS_H
#include "mapping/mapping.h"

enum { /* offsets in a frame, and of fields in headers */
       MAC_BYTES = 6,
       AT_ETHER_TYPE = 12,
       AT_IP = WEIR_MAPPING_ETHERNET_BYTES,
       IP4_TOS = 1,
       IP4_LENGTH = 2,
       IP4_FRAGMENT = 6,
       IP4_TTL = 8,
       IP4_PROTOCOL = 9,
       IP4_SUM = 10,
       IP4_FROM = 12,
       IP4_TO = 16,
       IP6_LENGTH = 4,
       IP6_NEXT = 6,
       IP6_HOPS = 7,
       IP6_FROM = 8,
       IP6_TO = 24,
       TCP_SEQ = 4,
       TCP_ACK = 8,
       TCP_LENGTH = 12, /* high four bits, in units of four bytes */
       TCP_FLAGS = 13,
       TCP_SUM = 16,
       TCP_BYTES = 20,
       UDP_LENGTH = 4,
       UDP_SUM = 6,
};

#define ETHER_IP4 0x0800u
#define ETHER_ARP 0x0806u
#define ETHER_IP6 0x86ddu
#define IP_TCP 6u
#define IP_UDP 17u
#define TCP_FIN 0x01u
#define TCP_SYN 0x02u
#define TCP_RST 0x04u
#define TCP_HAS_ACK 0x10u
#define TCP_ECE 0x40u
#define TCP_CWR 0x80u
#define ECN_ECT0 2u
#define ECN_CE 3u

struct mapping_headers {
    struct weir_mapping_address src, dst;
    uint16_t l4_at;    /* what is behind the headers of IP, and .. */
    uint16_t l4_bytes; /* .. its length by IP's header */
    uint8_t protocol;  /* of IP; of a fragment it may be that of the first header which is not read */
    uint8_t tos;       /* DSCP and ECN */
    bool is_fragment;  /* one of several */
};

/**
 * Reads the headers of a frame up to those of IP.
 * @return PACKET: a whole IP packet, *h is filled in. FLOOD, DROP: *cause is set, and of ARP h->src, whose version is 0
 * if there is none
 */
enum weir_mapping_verdict mapping_headers_read(const struct weir_mapping_config *cfg, const unsigned char *frame,
                                               uint32_t length, struct mapping_headers *h,
                                               enum weir_mapping_cause *cause);

/* Tests for the addresses of groups of hosts: multicast, broadcast. */
bool mapping_is_group(const struct weir_mapping_address *address);

/* Learns that an address is of a host, if it is an address of one host. @return false = it is another host's */
bool mapping_learn(struct weir_mapping *m, const struct weir_mapping_address *address, uint32_t host);

/* Returns the sum of the pseudo header of TCP or UDP (weir_sum_add()). bytes: of the segment or datagram */
uint64_t mapping_pseudo_sum(const struct weir_mapping_address *src, const struct weir_mapping_address *dst,
                            uint32_t protocol, uint32_t bytes);

#endif
