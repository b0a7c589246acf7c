/* src/transport/endpoint/post.h - posts of other threads to an endpoint, and the bell that ends its sleep. */
#ifndef WEIR_ENDPOINT_POST_H
#define WEIR_ENDPOINT_POST_H
#include "endpoint/endpoint.h"

/* Bits of weir_ep.bell. WOKEN: weir_wake() was called. POSTED: there are posts. CLEAN: wake_fd is to be read. */
enum ep_bell { EP_BELL_WOKEN = 1, EP_BELL_POSTED = 2, EP_BELL_CLEAN = 4 };

/* Makes the ring of posts. @return 0, or -ENOMEM */
int ep_posts_open(struct weir_ep *ep);

/* Frees the ring of posts. */
void ep_posts_close(struct weir_ep *ep);

/* Rings for WOKEN or POSTED, from any thread or signal handler: a sleep of weir_poll() ends, or the next one does.
 * @return false = the count of wake_fd is full, so weir_poll() will not sleep anyway */
bool ep_bell_ring(struct weir_ep *ep, enum ep_bell bit);

/* Takes what has rung since the last call: notes WOKEN in ep->wake_due, and POSTED in ep->posts_due. */
void ep_bell_take(struct weir_ep *ep);

/* Takes what has rung, if anything has. Each weir_poll() asks, so nothing is called if nothing has. */
static inline void ep_bell_hear(struct weir_ep *ep)
{
    if (atomic_load_explicit(&ep->bell, memory_order_relaxed) != 0)
        ep_bell_take(ep);
}

/* Removes the first post, and writes its event to *out; to be called while ep->posts_due. If there is none, posts are
 * not due any more: those made later ring again. @return false = there is none */
bool ep_post_take(struct weir_ep *ep, struct weir_event *out);

/* Tests whether a post may wait. */
static inline bool ep_post_due(const struct weir_ep *ep)
{
    return ep->posts_due || (atomic_load_explicit(&ep->bell, memory_order_relaxed) & EP_BELL_POSTED) != 0;
}

/* Returns how many posts wait, also those that are just being made. */
uint64_t ep_post_count(const struct weir_ep *ep);
#endif
