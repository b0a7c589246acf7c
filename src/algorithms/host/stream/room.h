/* src/algorithms/host/stream/room.h - messages for which their receiver has no memory now. */
#ifndef WEIR_HOST_STREAM_ROOM_H
#define WEIR_HOST_STREAM_ROOM_H
#include "host/stream/loss.h"

bool host_room_notice(struct weir_host *h, uint64_t now_ps, const struct weir_pkt *pkt);

/* Tests whether the connection's message waits until its receiver has memory for it. */
static inline bool host_room_waits(const struct weir_host *h, const struct host_flow *f)
{
    const struct host_board *b = host_board_of(h, f);
    return b != NULL && b->waits;
}

/* Lets the connection try again: one packet may leave. The caller calls host_flow_update(). */
static inline void host_room_try(const struct weir_host *h, const struct host_flow *f)
{
    struct host_board *b = host_board_of(h, f);
    WEIR_ASSERT(b != NULL && b->waits);
    b->waits = false;
}
#endif
