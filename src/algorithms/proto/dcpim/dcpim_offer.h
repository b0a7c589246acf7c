/* src/algorithms/proto/dcpim/dcpim_offer.h - dcPIM's control packets: their kinds, and what they say about channels. */
#ifndef WEIR_PROTO_DCPIM_OFFER_H
#define WEIR_PROTO_DCPIM_OFFER_H
#include <stdint.h>

/* The protocol's own control packets, in this order to one peer; sequence is a round's name, value as
 * in weir_dcpim_pack(). */
enum weir_dcpim_control {
    WEIR_DCPIM_ACCEPT,
    WEIR_DCPIM_RELEASE, /* GRANTSR: channels accepted that the sender has not */
    WEIR_DCPIM_GRANT,
    WEIR_DCPIM_REQUEST,
    WEIR_DCPIM_CONTROLS
};

struct weir_dcpim_offer { /* what a control packet of a round is about */
    uint64_t left_bytes;  /* of the receiver's shortest message from that sender; below 2^48 */
    uint32_t round;
    uint8_t channels, prompt; /* prompt: of these, how many may be used at once */
};
#endif
