/* src/transport/endpoint/timer.h - the clock of an endpoint, and the timers of operations and peers. */
#ifndef WEIR_ENDPOINT_TIMER_H
#define WEIR_ENDPOINT_TIMER_H
#include "endpoint/endpoint.h"

enum ep_timer { EP_TIMER_OP, EP_TIMER_PEER };

struct ep_due { /* an operation or a peer whose timer is due */
    enum ep_timer kind;
    uint32_t index; /* in the table of operations, or of peers */
};

/* Sets ep->now_ps to the time of the driver's clock, unless ep->now_ps is later: it never runs backwards. */
void ep_clock(struct weir_ep *ep);

/* Starts the timer of an operation or peer. index: its index in the table of operations, or of peers. The timer is due
 * at at_ps, or earlier if it was started before for an earlier time. */
void ep_timer_arm(struct weir_ep *ep, enum ep_timer kind, uint32_t index, uint64_t at_ps);

/* Returns the time between two questions to a peer that owes nothing but replies. It is a second, or a quarter of
 * peer_timeout if that is less. So there is time for an answer. */
uint64_t ep_timer_ask_ps(const struct weir_ep *ep);

/* Starts the time within which the peer must be heard. Must be called before a message to or from the peer is counted
 * in in_host or arriving. Does nothing if other messages are counted there: the time is running already. */
void ep_timer_await(struct weir_ep *ep, struct weir_peer *peer);

/* Takes the next timer that is due by ep->now_ps. @return true, with its owner in *due; false = none is due */
bool ep_timer_due(struct weir_ep *ep, struct ep_due *due);

/* Tests whether packets of the peer are missing: a message to the peer or from the peer is not complete. */
static inline bool ep_peer_owes(const struct weir_peer *p)
{
    return p->in_host > 0 || p->arriving > 0;
}
#endif
