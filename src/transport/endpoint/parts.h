/* src/transport/endpoint/parts.h - the memory of a message that is handed over part by part (weir_recv_parts()): a
 * ring of bytes, and a lease for each part that the application has.
 *
 * Places are bytes of the application's message, from 0. 0 <= released <= handed <= edge, and what arrives lies below
 * released + bytes. So the ring has room for all of it, and the bound of a message is a number of whole packets. */
#ifndef WEIR_ENDPOINT_PARTS_H
#define WEIR_ENDPOINT_PARTS_H
#include "endpoint/endpoint.h"

#define EP_PARTS_LEAST 65536u /* bytes of the smallest ring: some packets of any size */

struct ep_lease { /* of a part; weir_event.lease points to it */
    struct ep_link link;
    struct ep_parts *parts;
    uint64_t end; /* place behind the part */
    bool held;    /* the application has it */
};

struct ep_parts {
    struct ep_link link; /* EP_LINK_PART: in the queue of events while `queued` */
    struct ep_msg *msg;  /* the message that uses it, or has used it */
    unsigned char *ring;
    uint64_t bytes;                  /* of the ring */
    uint64_t edge, handed, released; /* all below arrived; was handed over; was handed over and released */
    struct ep_lease *lease;          /* the leases, a ring: `leases` from `first` on, in the order of their parts */
    uint32_t first, leases, most;
    size_t room; /* bytes of the rx budget that all of it takes */
    bool queued;
};

/* Returns the memory that a ring of `bytes` bytes takes, with all that belongs to it. mss: payload of a full packet */
size_t ep_parts_room(uint64_t bytes, uint32_t mss);

/* Makes a ring in a block of memory, of ep_parts_room() bytes or more. room: what the block takes of its budget */
struct ep_parts *ep_parts_make(void *block, size_t room, uint64_t bytes, uint32_t mss);

/* Gives a ring, of which no lease is held, to a message. */
void ep_parts_begin(struct ep_parts *s, struct ep_msg *msg);

/* Returns one past the last packet of the message for which there is room. */
uint32_t ep_parts_bound(const struct ep_parts *s, uint32_t mss);

/* Copies payload to its place. The caller has compared its packet with the bound. */
void ep_parts_store(struct ep_parts *s, uint64_t at, const unsigned char *payload, uint32_t bytes);

/* Takes the next part: bytes that have arrived and were not handed over, as far as they lie together. There must be
 * some. Fills in data, len and lease of the event. */
void ep_parts_next(struct ep_parts *s, struct weir_event *out);

/* Takes a lease back. Asserts that the application has it. @return true: there is room for more of the message */
bool ep_parts_release(struct ep_lease *lease);
#endif
