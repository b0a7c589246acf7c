/* src/commands/live/answers.h - answers the calls of `weir serve`: each at once, or when the transport has room for one
 * more reply. A call that was never answered would hold its place in the transport, and its caller, for good. */
#ifndef WEIR_LIVE_ANSWERS_H
#define WEIR_LIVE_ANSWERS_H
#include "live/live.h"

#define WEIR_ANSWERS_ECHO_MAX 65536u                   /* a longer call that asks for nothing is answered by nothing */
#define WEIR_ANSWERS_REPLY_MAX (UINT32_C(64) << 20)    /* what a call may ask for */
#define WEIR_ANSWERS_AS_ASKED UINT64_C(0x7fffffffffff) /* .reply_bytes: what the call asks for, else its echo */

struct weir_answer {
    uint64_t rpc;
    struct iovec data;
    void *lease; /* of the call whose echo it is, lent until the reply is gone; or NULL */
};

struct weir_answers {
    const struct weir_transport *transport;
    void *self;
    uint64_t reply_bytes;        /* of every reply, at most REPLY_MAX; or AS_ASKED */
    unsigned char *blank;        /* REPLY_MAX zeros, of which pages are only touched when sent */
    uint64_t sent, failed;       /* replies that got through, and that did not */
    struct weir_answer *waiting; /* first come first; a ring of room, a power of two or 0 */
    size_t room, first, count;
};

/* Prepares an empty queue. Returns 0, or -ENOMEM. */
int weir_answers_init(struct weir_answers *answers, uint64_t reply_bytes);
void weir_answers_free(struct weir_answers *answers);

/* Answers a WEIR_EV_CALL: its memory is given back, now or with the reply's end. */
void weir_answers_call(struct weir_answers *answers, const struct weir_event *call);
/* Ends a reply at its WEIR_EV_REPLIED. */
void weir_answers_replied(struct weir_answers *answers, const struct weir_event *event);
/* Sends replies that wait, as many as there is room for. Call it with every poll of the transport: a WEIR_EV_WRITABLE
 * is promised where operations ran out, not where memory did. */
void weir_answers_retry(struct weir_answers *answers);
#endif
