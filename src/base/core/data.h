/* src/base/core/data.h - a packet, as the receiver half of a law or protocol receives it. */
#ifndef WEIR_CORE_DATA_H
#define WEIR_CORE_DATA_H
#include <stdint.h>

struct weir_int_hop;

/* Bits of weir_data.flags. */
enum weir_data_flag {
    WEIR_DATA_CE = 1u << 0,      /* marked by a switch */
    WEIR_DATA_OWN = 1u << 1,     /* weir_send.own, as the sender set it */
    WEIR_DATA_UNSCHED = 1u << 2, /* sent without credit */
    WEIR_DATA_KNOWN = 1u << 3,   /* a duplicate: the payload had arrived before */
    WEIR_DATA_PAYLOAD = 1u << 4, /* a DATA packet; else a control packet: REQUEST, CREDIT, DONE, ABORT or CONTROL */
};

struct weir_data { /* a packet that arrived from a peer */
    uint64_t now_ps;
    /* hop_count INT records of DATA, in the order of the path; valid during this call only */
    const struct weir_int_hop *hop;
    uint32_t wire_bytes;
    uint32_t payload_bytes; /* payload that arrived for the first time; 0 if KNOWN */
    uint32_t sequence;      /* DATA: weir_send.sequence */
    uint32_t flags;         /* enum weir_data_flag */
    uint32_t src;           /* host number of the sender */
    uint32_t tenant;        /* tenant of the message, from weir_rx_event.head; of sender-driven laws only */
    uint32_t hop_count;
};
#endif
