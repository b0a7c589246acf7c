/* src/transport/endpoint/pressure.h - memory for inbound messages while it is short: who has to give some back. */
#ifndef WEIR_ENDPOINT_PRESSURE_H
#define WEIR_ENDPOINT_PRESSURE_H
#include "endpoint/endpoint.h"

/* Ends the peers that hold memory and have been silent for a second. If there is none, refuses a message of the slowest
 * of the peers that are too slow and hold more than their share while another finds no memory. Its memory is free once
 * its sender has confirmed that. Does nothing if it was called less than 0.1 s ago. @return true: a peer was ended, so
 * there is more memory */
bool ep_pressure_relieve(struct weir_ep *ep);

/* Returns the time of the next ep_pressure_relieve(). Senders ask at growing intervals, too long ones to wait for.
 * WEIR_NEVER = no peer has found no memory for a second. */
uint64_t ep_pressure_next_ps(const struct weir_ep *ep);
#endif
