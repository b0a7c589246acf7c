/* src/transport/endpoint/timer.h - the clock of an endpoint, and the instants at which operations and peers are due. */
#ifndef WEIR_ENDPOINT_TIMER_H
#define WEIR_ENDPOINT_TIMER_H
#include "endpoint/endpoint.h"

enum ep_timer { EP_TIMER_OP, EP_TIMER_PEER };

struct ep_due { /* an owner that is due */
    enum ep_timer kind;
    uint32_t index; /* of the table of operations, or of peers */
};

/* Reads the driver's clock; ep->now_ps never runs backwards. */
void ep_clock(struct weir_ep *ep);

/* Ensures that the owner is due by at_ps. */
void ep_timer_arm(struct weir_ep *ep, enum ep_timer kind, uint32_t index, uint64_t at_ps);

/* Starts the time within which a peer that begins to owe us something must be heard; called before it begins. */
void ep_timer_await(struct weir_ep *ep, struct weir_peer *peer);

/* Takes the next owner that is due by now. @return false = there is none */
bool ep_timer_due(struct weir_ep *ep, struct ep_due *due);
#endif
