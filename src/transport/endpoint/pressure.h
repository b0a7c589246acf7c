/* src/transport/endpoint/pressure.h - memory for inbound messages while it is short: how much of it one peer may hold,
 * and who has to give some back. */
#ifndef WEIR_ENDPOINT_PRESSURE_H
#define WEIR_ENDPOINT_PRESSURE_H
#include "endpoint/endpoint.h"

/* Returns the share of a peer in the rx budget: an equal part for each peer that holds memory for messages that are not
 * complete, and for one more. */
uint64_t ep_pressure_share(const struct weir_ep *ep);

/* Tests whether a peer may begin a message of so many bytes. While another peer finds no memory, a peer that holds some
 * may not if it would hold more than its share. One that holds none may not if it was too slow in the last 10 s. A
 * small message always may. */
bool ep_pressure_allows(const struct weir_ep *ep, const struct weir_peer *peer, uint64_t bytes);

/* Records that a message of so many bytes of this peer found no memory. */
void ep_pressure_note(struct weir_ep *ep, const struct weir_peer *peer, uint64_t bytes);

/* Ends the peers that hold memory and have been silent for a second. If there is none, refuses a message of the slowest
 * of the peers that are too slow and hold more than their share while another finds no memory. Its memory is free once
 * its sender has confirmed that. Does nothing if it was called less than 0.1 s ago. @return true: a peer was ended, so
 * there is more memory */
bool ep_pressure_relieve(struct weir_ep *ep);

/* Returns the time of the next ep_pressure_relieve(). Senders ask at growing intervals, too long ones to wait for.
 * WEIR_NEVER = no peer has found no memory for a second. */
uint64_t ep_pressure_next_ps(const struct weir_ep *ep);
#endif
