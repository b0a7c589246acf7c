/* src/base/text/pcapng_format.h - numbers of capture files: the IETF draft "PCAP Now Generic", pcapng 1.0. */
#ifndef WEIR_TEXT_PCAPNG_FORMAT_H
#define WEIR_TEXT_PCAPNG_FORMAT_H

enum {
    WEIR_PCAPNG_SECTION = 0x0a0d0d0a, /* types of blocks */
    WEIR_PCAPNG_INTERFACE = 1,
    WEIR_PCAPNG_PACKET = 6,
    WEIR_PCAPNG_MAGIC = 0x1a2b3c4d,
    WEIR_PCAPNG_ETHERNET = 1, /* link type */
    WEIR_PCAPNG_OPT_END = 0,
    WEIR_PCAPNG_OPT_COMMENT = 1,
    WEIR_PCAPNG_OPT_FLAGS = 2,   /* of a packet */
    WEIR_PCAPNG_OPT_PROGRAM = 4, /* of a section */
    WEIR_PCAPNG_OPT_NAME = 2,    /* of an interface, as the next two */
    WEIR_PCAPNG_OPT_SPEED = 8,
    WEIR_PCAPNG_OPT_RESOLUTION = 9,
    WEIR_PCAPNG_PICOSECONDS = 12,
    WEIR_PCAPNG_INBOUND = 1,
    WEIR_PCAPNG_OUTBOUND = 2,
};
#endif
