/* src/algorithms/proto/dcpim/dcpim_offer.h - the kinds of dcPIM's control packets, and their contents. */
#ifndef WEIR_PROTO_DCPIM_OFFER_H
#define WEIR_PROTO_DCPIM_OFFER_H
#include <stdint.h>

/* The kinds of dcPIM's own control packets. Packets that wait for one peer leave in this order. weir_own_pkt.sequence
 * is the number of a round. weir_own_pkt.value is a struct weir_dcpim_offer, encoded by weir_dcpim_pack(). */
enum weir_dcpim_control {
    WEIR_DCPIM_ACCEPT,
    WEIR_DCPIM_RELEASE, /* GRANTSR: a sender takes back channels that were accepted but are not free */
    WEIR_DCPIM_GRANT,
    WEIR_DCPIM_REQUEST,
    WEIR_DCPIM_CONTROLS
};

struct weir_dcpim_offer { /* the content of a control packet */
    uint64_t left_bytes;  /* payload left of the receiver's shortest message from that sender; below 2^48 */
    uint32_t round;
    uint8_t channels, prompt; /* prompt: the part of them that may be used at once */
};
#endif
