/* src/algorithms/host/stream/message.h - assigns outbound messages to connections, and ends them. */
#ifndef WEIR_HOST_STREAM_MESSAGE_H
#define WEIR_HOST_STREAM_MESSAGE_H
#include "host/stream/connection.h"

int host_message_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);
void host_message_begin(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f, uint32_t msg,
                        uint64_t bytes);
void host_message_next(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);
void host_message_end(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);
void host_message_finish(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);

/* Detaches from its connection a message that has ended: all is acknowledged (and replied to, where replies are on), or
 * it was cancelled. The caller then calls host_ready_update(), and then host_message_end(). */
static inline void host_message_close(const struct weir_host *h, struct host_flow *f)
{
    WEIR_ASSERT(f->flags & HOST_BUSY);
    WEIR_ASSERT(f->una == f->end);
    f->msg_seq = host_seq_of(h, f, f->end);
    f->since_ps = WEIR_NEVER;
    f->backoff = 0;
    f->flags &= (uint8_t) ~(HOST_BUSY | HOST_REPLIED | HOST_AGAIN | HOST_REPAIR);
}
#endif
