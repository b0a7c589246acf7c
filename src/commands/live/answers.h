/* src/commands/live/answers.h - answers the calls of `weir serve`. Each is answered at once, or as soon as the
 * transport has room for one more reply. A call without an answer would occupy the transport, and keep its caller
 * waiting, forever. */
#ifndef WEIR_LIVE_ANSWERS_H
#define WEIR_LIVE_ANSWERS_H
#include "live/live.h"

#define WEIR_ANSWERS_ECHO_MAX 65536u /* a longer call that does not ask for a length gets an empty reply */
#define WEIR_ANSWERS_REPLY_MAX (UINT32_C(64) << 20) /* a call that asks for more gets an empty reply */
/* Value of reply_bytes: reply with the length that the call asks for, else with an echo of the call */
#define WEIR_ANSWERS_AS_ASKED UINT64_C(0x7fffffffffff)

struct weir_answer {
    uint64_t rpc;
    struct iovec data;
    void *lease; /* of the call that is echoed, kept until the reply has ended; NULL = no echo */
};

struct weir_answers {
    const struct weir_transport *transport;
    void *self;
    uint64_t reply_bytes;  /* length of every reply, <= WEIR_ANSWERS_REPLY_MAX; or WEIR_ANSWERS_AS_ASKED */
    unsigned char *blank;  /* WEIR_ANSWERS_REPLY_MAX zeros; a page takes memory only once it is sent */
    uint64_t sent, failed; /* replies that were delivered, and that failed */
    /* Queue of replies that wait for room: a ring of `room` entries, a power of two or 0 */
    struct weir_answer *waiting;
    size_t room, first, count;
};

/* Initialises an empty queue. The caller then sets transport and self. @return 0, or -ENOMEM */
int weir_answers_init(struct weir_answers *answers, uint64_t reply_bytes);
void weir_answers_free(struct weir_answers *answers);

/* Answers a WEIR_EV_CALL, or queues the answer. Releases the lease of the call: now, or after an echo when the reply
 * ends. */
void weir_answers_call(struct weir_answers *answers, const struct weir_event *call);
/* Handles a WEIR_EV_REPLIED: counts the reply, and releases the lease of the call that it echoed. */
void weir_answers_replied(struct weir_answers *answers, const struct weir_event *event);
/* Sends queued replies, as many as the transport has room for. To be called after every poll of the transport, not only
 * after WEIR_EV_WRITABLE: that event follows a reply refused with -EAGAIN, but not one refused with -ENOMEM. */
void weir_answers_retry(struct weir_answers *answers);
#endif
