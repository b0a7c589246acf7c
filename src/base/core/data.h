/* src/base/core/data.h - a packet as the receiver half of a law gets it. */
#ifndef WEIR_CORE_DATA_H
#define WEIR_CORE_DATA_H
#include <stdint.h>

struct weir_int_hop;

/* Bits of weir_data.flags. */
enum weir_data_flag {
    WEIR_DATA_CE = 1u << 0,      /* marked by a switch */
    WEIR_DATA_OWN = 1u << 1,     /* weir_send.own of its sender */
    WEIR_DATA_UNSCHED = 1u << 2, /* went without credit */
    WEIR_DATA_KNOWN = 1u << 3,   /* payload that was here before: a duplicate */
    WEIR_DATA_PAYLOAD = 1u << 4, /* a DATA packet; else a control packet: request, credit, done, abort, or of its own */
};

struct weir_data { /* any packet that arrived from a peer, for the receiver half */
    uint64_t now_ps;
    const struct weir_int_hop *hop; /* hop_count records that switches wrote into DATA, in order; lent for this call */
    uint32_t wire_bytes;
    uint32_t payload_bytes; /* new ones: 0 if KNOWN */
    uint32_t sequence;      /* DATA: weir_send.sequence */
    uint32_t flags;         /* enum weir_data_flag */
    uint32_t src;           /* the host it is from */
    uint32_t tenant;        /* of its message: weir_rx_event.head of a sender-driven law */
    uint32_t hop_count;
};
#endif
