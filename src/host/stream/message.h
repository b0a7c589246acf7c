/* src/host/stream/message.h - a message takes a connection, and leaves it. */
#ifndef WEIR_HOST_STREAM_MESSAGE_H
#define WEIR_HOST_STREAM_MESSAGE_H
#include "host/stream/connection.h"

int host_message_send(struct weir_host *h, uint64_t now_ps, uint32_t dst, uint32_t msg, uint64_t bytes);
void host_message_begin(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f, uint32_t msg,
                        uint64_t bytes);
void host_message_next(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);
void host_message_finish(struct weir_host *h, uint64_t now_ps, uint32_t index, struct host_flow *f);
#endif
